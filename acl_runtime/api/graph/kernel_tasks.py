"""acl/acl_rt.h: kernels that are tasks of a model: their attributes, and changes while the model runs."""

from typing import Final, TypeVar

import numpy as np

import acl_runtime.abi.built as b
import acl_runtime.abi.c as c
import acl_runtime.headers.structs as s
from acl_runtime.abi.pointers import Address
from acl_runtime.api.capture_refusals import CAPTURED, bound, check_not_capturing
from acl_runtime.api.graph.built_models import OF_MODEL, check_of_model
from acl_runtime.api.graph.labels import cell
from acl_runtime.api.graph.model_contents import task_of
from acl_runtime.api.kernel.function import by_entry, live_binary
from acl_runtime.api.kernel.stand_in import KernelTask
from acl_runtime.api.memory.buffers import load, store
from acl_runtime.api.memory.random_numbers import RandomNumbers
from acl_runtime.api.refusals import check_product, null, null_in_runtime, out_of_range, unsupported
from acl_runtime.boundary import acl_api
from acl_runtime.headers.enums import aclrtLaunchKernelAttrId, aclrtUpdateTaskAttrId
from acl_runtime.headers.statuses import ACL_ERROR_RT_PARAM_INVALID
from acl_runtime.machine.current import current
from acl_runtime.machine.machine import Machine
from acl_runtime.memory.copies import array_of, on_device
from acl_runtime.objects.binaries import Binary
from acl_runtime.source.frames import trail
from acl_runtime.streams.model.built import BuiltModel
from acl_runtime.streams.model.model import Node
from acl_runtime.streams.model.task_group import check_kernel
from acl_runtime.streams.stream import Stream, Task
from acl_runtime.text import Text

UPDATING: Final = "Updating a task"
RANDOM, KERNEL = aclrtUpdateTaskAttrId
Some = TypeVar("Some", KernelTask, RandomNumbers)


@acl_api("acl/acl_rt.h", pyacl=None)
def aclmdlRIKernelTaskGetAttribute(
    task: c.aclmdlRITask, attrId: c.aclrtLaunchKernelAttrId, value: c.aclrtLaunchKernelAttrValue_p
) -> c.aclError:
    """Query an attribute with which a kernel of a model was launched. An attribute that the configuration of the launch
    did not set is 0.

    Returns:
        ACL_SUCCESS: `*value` is written.
        ACL_ERROR_RT_PARAM_INVALID: `task` or `value` is null; `attrId` is no aclrtLaunchKernelAttrId; or `value` is no
            memory of the host (only if the machine reports findings instead of raising them).
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT: it is no operator and no kernel.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: it is an operator, whose launch has no configuration here.
    """
    what = "Query of an attribute of a task"
    if task and not value.value:
        raise null_in_runtime(what, "value")
    stored = task_of(task, what)
    if attrId not in tuple(aclrtLaunchKernelAttrId):
        raise out_of_range(what, attrId, "attrId", "an aclrtLaunchKernelAttrId")
    work = stored.model.nodes[stored.index].task.work
    check_kernel(work, stored.model)
    if not isinstance(work, KernelTask):
        raise unsupported(what, f"{work.name} is an operator, whose launch has no configuration here")
    raw = work.launch.attributes.get(attrId, b"")
    store(value, s.aclrtLaunchKernelAttrValue.from_buffer_copy(raw.ljust(16, b"\0")), "value")


@acl_api("acl/acl_rt.h", also=OF_MODEL + CAPTURED, resource=True, pyacl=None)
def aclrtTaskUpdateAsync(
    taskStream: c.aclrtStream, taskId: c.uint32_t, info: b.aclrtTaskUpdateInfo_p, execStream: c.aclrtStream
) -> c.aclError:
    """Store a task in `execStream` that changes task `taskId` of `taskStream`. aclrtGetThreadLastTaskId returns the
    number of a task after its launch. The streams are bound to a built model.

    ACL_RT_UPDATE_AIC_AIV_TASK replaces a kernel by another one of a binary, with the same arguments: when the task
    runs, it reads the number of the kernel (uint64_t) and the number of blocks (uint32_t) in device memory.

    ACL_RT_UPDATE_RANDOM_TASK is refused, as the form of the new parameters is not public.

    Returns:
        ACL_SUCCESS: stored.
        ACL_ERROR_INVALID_PARAM: `info` is null.
        ACL_ERROR_RT_PARAM_INVALID: the id of `info` is neither of the two; a stream, the binary or an address is null;
            an address is no live device memory; `taskStream` has no such task, or the task is of another kind;
            `execStream` is bound to a model, and the task makes random numbers; or `info` is no memory of the host
            (only if the machine reports findings instead of raising them).
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the task makes random numbers.
    """
    if not info.value:
        raise null("info")
    update, machine = load(info, s.aclrtTaskUpdateInfo, "info"), current()
    if update.id == RANDOM:
        _refuse_random(machine, taskStream, taskId, execStream)
    if update.id != KERNEL:
        raise out_of_range(UPDATING, update.id, "info->id", f"{RANDOM.name} or {KERNEL.name}")
    for stream in filter(None, (taskStream, execStream)):
        machine.stream(stream, UPDATING)
    change = update.val.aicAivTaskAttr
    required = {
        "taskStream": taskStream,
        "execStream": execStream,
        "funcEntryAddr": change.funcEntryAddr,
        "blockDimAddr": change.blockDimAddr,
        "binHandle": change.binHandle,
    }
    for name, value in required.items():
        if not value:
            raise null_in_runtime(UPDATING, name)
    check_product(UPDATING)
    binary = live_binary(change.binHandle, UPDATING)
    changed, stream = machine.stream(taskStream, UPDATING), machine.stream(execStream, UPDATING)
    model = check_of_model(changed, "taskStream", UPDATING)
    check_of_model(stream, "execStream", UPDATING)
    machine.context(UPDATING)
    _store(machine, stream, _task(model, changed, taskId, KernelTask), binary, change)


def _store(
    machine: Machine, stream: Stream, task: KernelTask, binary: Binary, change: s.aclrtAicAivTaskUpdateAttr
) -> None:
    """Queue the task that replaces a kernel."""
    entry = cell(machine, Address(change.funcEntryAddr), 8, "funcEntryAddr")
    count = cell(machine, Address(change.blockDimAddr), 4, "blockDimAddr")

    def run() -> None:
        if not (entry.alive and count.alive):
            return  # reported when the memory was freed
        kernel = by_entry(machine, binary, int(array_of(entry, np.uint64, 1)[0]))
        if not (blocks := int(array_of(count, np.uint32, 1)[0])):
            raise out_of_range(UPDATING, 0, "the number at blockDimAddr", "a value greater than 0")
        task.launch.become(kernel, blocks)
        task.name = kernel.name

    ranges = (entry.range(8), count.range(4))
    machine.submit(stream, Task(Text("update of {task}", task=task.name), on_device(machine, run), ranges, trail()))


def _refuse_random(machine: Machine, taskStream: int, taskId: int, execStream: int) -> None:
    """The checks for a task that makes random numbers, in their order, and the refusal."""
    if not taskStream:
        raise null_in_runtime(UPDATING, "taskStream")
    check_product(UPDATING, function="aclrtRandomNumAsync")
    changed = machine.stream(taskStream, UPDATING)
    stream = machine.stream(execStream, UPDATING)
    machine.context(UPDATING)
    if (error := bound(machine, execStream, UPDATING, ACL_ERROR_RT_PARAM_INVALID)) is not None:
        raise error
    check_not_capturing(stream, UPDATING)
    machine.own_stream(execStream, UPDATING)
    if not isinstance(changed.stores, BuiltModel):
        raise out_of_range(UPDATING, str(changed), "taskStream", "a stream that is bound to a model")
    _task(changed.stores, changed, taskId, RandomNumbers)
    raise unsupported(UPDATING, "the form of new parameters of random numbers is not public")


def _task(model: BuiltModel, stream: Stream, number: int, kind: type[Some]) -> Some:
    """The task of a number in a bound stream; 107000 if there is none of this kind."""
    entries = model.bound[stream][number - 1 : number] if number else ()
    for task in (entry.task for entry in entries if isinstance(entry, Node)):
        if isinstance(task, kind):
            return task
    raise out_of_range(UPDATING, number, "taskId", f"the number of a {kind.what} in {stream}")
