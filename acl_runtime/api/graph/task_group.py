"""acl/acl_rt.h: groups of captured operators, and their updates."""

import acl_runtime.abi.c as c
from acl_runtime.api.capture_refusals import CAPTURED, OF_MODEL, check_free, check_not_capturing, refusal
from acl_runtime.api.graph.capture import invalidated, not_capturing
from acl_runtime.api.outcomes import LAUNCHES
from acl_runtime.api.refusals import check_product, null
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import (
    ACL_ERROR_RT_INTERNAL_ERROR,
    ACL_ERROR_STREAM_TASK_GROUP_STATUS,
)
from acl_runtime.machine.contexts import live_object
from acl_runtime.machine.current import current
from acl_runtime.machine.machine import Machine
from acl_runtime.memory.located_ranges import find
from acl_runtime.source.frames import trail
from acl_runtime.streams.model.capture import Capture, capture_of
from acl_runtime.streams.model.task_group import GroupedOperator, TaskGroup, Update, UpdateTask, end_update, update_in
from acl_runtime.streams.stream import Stream

BEGINNING, ENDING, UPDATING = "Beginning a task group", "Ending a task group", "Updating a task group"


def _capturing(machine: Machine, handle: int, what: str) -> tuple[Stream, Capture]:
    """A captured stream of the current context, and its capture."""
    check_product(what)
    capture = capture_of(stream := machine.stream(handle, what))
    if capture is None:
        raise not_capturing(stream, what)
    return machine.own_stream(handle, what), capture


@acl_api("acl/acl_rt.h", pyacl=None)
def aclmdlRICaptureTaskGrpBegin(stream: c.aclrtStream) -> c.aclError:
    """Put the operators that a captured stream stores from now on into a group, until aclmdlRICaptureTaskGrpEnd. Their
    arguments can be replaced later.

    Returns:
        ACL_SUCCESS: the group is open.
        ACL_ERROR_INVALID_PARAM: `stream` is null.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_STREAM_NOT_CAPTURED: the stream is not being captured.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
        ACL_ERROR_STREAM_TASK_GROUP_STATUS: a group of the capture is open already.
    """
    if not stream:
        raise null("stream")
    live_stream, capture = _capturing(current(), stream, BEGINNING)
    if capture.group is not None:
        reason = f"the group that began at {capture.group.made} is open: end it first"
        raise refusal(ACL_ERROR_STREAM_TASK_GROUP_STATUS, BEGINNING, reason)
    capture.group = TaskGroup(capture.model, live_stream)


@acl_api("acl/acl_rt.h", pyacl=None)
def aclmdlRICaptureTaskGrpEnd(stream: c.aclrtStream, handle: c.aclrtTaskGrp_p) -> c.aclError:
    """End the task group that is open in a captured stream, and write its handle, which lives as long as the model.

    Returns:
        ACL_SUCCESS: `*handle` is the group.
        ACL_ERROR_INVALID_PARAM: `stream` or `handle` is null.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_STREAM_NOT_CAPTURED: the stream is not being captured.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
        ACL_ERROR_STREAM_TASK_GROUP_STATUS: no group is open in the stream.
        ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT: a task that is no operator was submitted in between.
        ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED: the capture was mixed with another one.
    """
    if not stream:
        raise null("stream")
    if handle.null:
        raise null("handle")
    machine = current()
    live_stream, capture = _capturing(machine, stream, ENDING)
    group = capture.group
    if group is None or group.stream is not live_stream:
        raise refusal(ACL_ERROR_STREAM_TASK_GROUP_STATUS, ENDING, f"no task group is open in {live_stream}")
    capture.group = None
    if group.refused is not None:
        raise AclError(group.refused.status, *group.refused.items)
    if capture.invalid:
        raise invalidated(capture, ENDING)
    capture.model.groups.append(group)
    group.close()
    handle.store(machine.handles.add(group))


@acl_api("acl/acl_rt.h", also=CAPTURED + OF_MODEL, pyacl=None)
def aclmdlRICaptureTaskUpdateBegin(stream: c.aclrtStream, handle: c.aclrtTaskGrp) -> c.aclError:
    """Collect the operators that are submitted to a stream from now on, until aclmdlRICaptureTaskUpdateEnd: the n-th
    replaces the n-th operator of the group. They do not run in this stream.

    Returns:
        ACL_SUCCESS: the update goes on.
        ACL_ERROR_INVALID_PARAM: `stream` or `handle` is null.
        ACL_ERROR_RT_INVALID_HANDLE: the stream or the group does not live.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
        ACL_ERROR_STREAM_TASK_GROUP_STATUS: an update goes on in this stream, or of this group.
    """
    if not stream:
        raise null("stream")
    if not handle:
        raise null("handle")
    machine = current()
    live_stream = _updating(machine, stream)
    group = live_object(machine.handles, handle, TaskGroup, UPDATING, "handle")
    check_not_capturing(live_stream, UPDATING)
    machine.own_stream(stream, UPDATING)
    if update_in(live_stream) is not None:
        reason = f"an update goes on in {live_stream}: end it with aclmdlRICaptureTaskUpdateEnd"
        raise refusal(ACL_ERROR_STREAM_TASK_GROUP_STATUS, UPDATING, reason)
    if group.updating is not None:
        raise refusal(ACL_ERROR_STREAM_TASK_GROUP_STATUS, UPDATING, f"{group} is being updated in {group.updating}")
    group.updating, live_stream.stores = live_stream, Update(group)


def _updating(machine: Machine, handle: int) -> Stream:
    check_product(UPDATING)
    check_free(machine, handle, UPDATING)
    return machine.stream(handle, UPDATING)


@acl_api("acl/acl_rt.h", also=LAUNCHES + CAPTURED + OF_MODEL, resource=True, pyacl=None)
def aclmdlRICaptureTaskUpdateEnd(stream: c.aclrtStream) -> c.aclError:
    """End the update that goes on in a stream. The operators of the group are replaced when the stream gets there.

    Returns:
        ACL_SUCCESS: the replacement is queued.
        ACL_ERROR_INVALID_PARAM: `stream` is null.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
        ACL_ERROR_STREAM_TASK_GROUP_STATUS: no update goes on in the stream.
        ACL_ERROR_RT_INTERNAL_ERROR: the number of operators is not that of the group; nothing is replaced.
    """
    if not stream:
        raise null("stream")
    machine = current()
    live_stream = _updating(machine, stream)
    check_not_capturing(live_stream, UPDATING)
    machine.own_stream(stream, UPDATING)
    update = end_update(live_stream)
    if update is None:
        raise refusal(ACL_ERROR_STREAM_TASK_GROUP_STATUS, UPDATING, f"no update goes on in {live_stream}")
    group = update.group
    if len(update.tasks) != len(group.members):
        reason = f"{len(update.tasks)} operators were submitted, and {group} has {len(group.members)}"
        raise AclError(ACL_ERROR_RT_INTERNAL_ERROR, Item("EE1017", (UPDATING, "stream", reason)))
    operators = [GroupedOperator(task, [find(machine, used) for used in task.ranges]) for task in update.tasks]
    machine.submit(live_stream, UpdateTask(group, operators, trail()))
