"""The end of contexts and devices: dropped tasks, released handles, reclaimed memory.

`end_context` ends a context: aclrtDestroyContext, aclrtResetDevice and aclrtResetDeviceForce call it. `release` frees
the memory of a device without references and contexts. `report_dropped` reports queued tasks that will never run;
aclrtDestroyStreamForce calls it too.
"""

from acl_runtime.api.graph.capture import leave_capture
from acl_runtime.api.graph.models import end_model
from acl_runtime.api.rt.state_callbacks import stream_changes
from acl_runtime.errors import Past
from acl_runtime.headers.enums import aclrtStreamState
from acl_runtime.machine.machine import Machine
from acl_runtime.process import process
from acl_runtime.source.frames import here
from acl_runtime.streams.model.model import Model
from acl_runtime.streams.model.task_group import end_update
from acl_runtime.streams.ports import DroppedWork
from acl_runtime.streams.runnable import never_ran
from acl_runtime.streams.stream import Context, Device, Stream
from acl_runtime.text import Text


def end_context(machine: Machine, context: Context, verb: str) -> None:
    """End the context with its streams, and drop their queued tasks. `verb` completes "the context was ..."."""
    reason = Text("{thing} was {how}", thing=context, how=verb)
    for stream in context.all_streams():
        stream_changes(machine, stream, aclrtStreamState.ACL_RT_STREAM_STATE_DESTROY_PRE)
    for stream in context.all_streams():
        leave_capture(machine, stream, reason)
        end_update(stream)
    for model in [model for model in machine.handles.all(Model) if model.context is context and not model.body_of]:
        end_model(machine, model, Text("ended with {owner}", owner=context))
    for stream in context.all_streams():
        report_dropped(machine, stream, reason)
        machine.scheduler.end(stream)
        context.device.stream_ids.give(stream.id)
    for stream in context.all_streams():
        machine.reports.forget(stream)
        machine.host_functions.forget(stream)
        if stream.number:  # a default stream gets a handle when a program first queries it
            machine.handles.remove(stream, Text("ended with {owner}", owner=context))
    context.streams = {}
    site = here()
    end = Past(Text("{thing} was {how}", thing=context, how=verb), site)
    context.alive, context.ended, context.end = False, f"{verb} at {site}", end
    process.change_conditions()


def report_dropped(machine: Machine, stream: Stream, reason: str) -> None:
    """Report the finding `work-dropped` if the stream has queued tasks, which will never run."""
    if tasks := machine.unfinished(stream):
        what = Text.plural(
            len(tasks),
            "{count} task in {stream} never ran, as {cause}.",
            "{count} tasks in {stream} never ran, as {cause}.",
            stream=stream,
            cause=reason,
        )
        if machine.undefined("work-dropped", what, *never_ran(stream, tasks)) is not None:
            machine.consequences.taint(DroppedWork(stream))


def release(machine: Machine, device: Device) -> None:
    """Free all memory of a device without references and contexts; report allocations that the program did not free."""
    if not device.held:
        for id, what, history in machine.unfreed(device):
            machine.undefined(id, what, *history, hint=Text("Call aclrtFree before the last aclrtResetDevice."))
        for allocation in list(device.memory):
            device.memory.free(allocation)
