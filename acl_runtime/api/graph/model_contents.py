"""acl/acl_rt.h: the streams and tasks of a model; models as text."""

import json
from ctypes import c_uint64
from typing import Final

import acl_runtime.abi.c as c
from acl_runtime.abi.pointers import Address, Out
from acl_runtime.api.graph.models import model_of, own_model
from acl_runtime.api.memory.buffers import store
from acl_runtime.api.refusals import check_product, invalid, null, null_in_runtime, out_of_range
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError
from acl_runtime.headers.enums import aclmdlRITaskType
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import (
    ACL_ERROR_RT_INSUFFICIENT_INPUT_ARRAY,
    ACL_ERROR_RT_INTERNAL_ERROR,
    ACL_ERROR_RT_PARAM_INVALID,
)
from acl_runtime.machine.contexts import live_object
from acl_runtime.machine.current import current
from acl_runtime.machine.machine import Machine
from acl_runtime.streams.model.model import Model, ModelStream, Node, StoredTask

KEEPING: Final = "Keeping information about a task"
LONGEST_INFO: Final = 65536


@acl_api("acl/acl_rt.h", pyacl=None)
def aclmdlRIGetStreams(modelRI: c.aclmdlRI, streams: c.aclrtStreams, numStreams: c.uint32_t_p) -> c.aclError:
    """Write the streams of a model to `streams`, and their number to `*numStreams`. With null `streams` only the number
    is written; else `*numStreams` is the size of the array.

    These are streams of the model: one for each captured stream, the origin first.

    Returns:
        ACL_SUCCESS: written.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_PARAM_INVALID: `modelRI` or `numStreams` is null, or `streams` is no memory of the host.
        ACL_ERROR_RT_INSUFFICIENT_INPUT_ARRAY: the array is too small.
    """
    what = "Query of the streams of a model"
    if not modelRI or numStreams.null:
        raise null_in_runtime(what, "numStreams" if modelRI else "modelRI")
    check_product(what)
    lanes = model_of(current(), modelRI, what).lanes
    _write([lane.handle.number for lane in lanes], streams, numStreams, what, "streams")


@acl_api("acl/acl_rt.h", pyacl=None)
def aclmdlRIGetTasksByStream(stream: c.aclrtStream, tasks: c.aclmdlRITasks, numTasks: c.uint32_t_p) -> c.aclError:
    """Write the tasks of a stream of a model to `tasks`, in order, and their number to `*numTasks`. With null `tasks`
    only the number is written; else `*numTasks` is the size of the array.

    Returns:
        ACL_SUCCESS: written.
        ACL_ERROR_RT_PARAM_INVALID: `stream` or `numTasks` is null; the stream is none of aclmdlRIGetStreams; `tasks` is
            no memory of the host.
        ACL_ERROR_RT_INSUFFICIENT_INPUT_ARRAY: the array is too small.
    """
    what = "Query of the tasks of a model"
    if not stream or numTasks.null:
        raise null_in_runtime(what, "numTasks" if stream else "stream")
    machine = current()
    check_product(what)
    model_stream = machine.handles.find(stream, ModelStream)
    if model_stream is None:
        reason = "it is no stream of a model: aclmdlRIGetStreams returns these"
        detail = f"({machine.handles.whereabouts(stream)})"
        raise AclError(ACL_ERROR_RT_PARAM_INVALID, Item("EE1017", (what, "stream", reason), detail))
    lane = model_stream.lane
    nodes = [(index, node) for index, node in enumerate(lane.model.nodes) if node.lane == lane.place - 1]
    _write([_handle(machine, lane.model, *each) for each in nodes], tasks, numTasks, what, "tasks")


def _handle(machine: Machine, model: Model, index: int, node: Node) -> int:
    if node.handle is None:
        node.handle = StoredTask(model, index)
        machine.handles.add(node.handle)
    return node.handle.number


def _write(numbers: list[int], array: Address, count: Out[int], what: str, name: str) -> None:
    """The pattern of two calls: the first asks for the number, the second for the elements."""
    if array.value:
        if count.held < len(numbers):
            reason = f"the array {name} has {count.held} elements, and {len(numbers)} are needed"
            raise AclError(ACL_ERROR_RT_INSUFFICIENT_INPUT_ARRAY, Item("EE1018", (what, reason)))
        store(array, (c_uint64 * len(numbers))(*numbers), name)
    count.store(len(numbers))


@acl_api("acl/acl_rt.h", pyacl=None)
def aclmdlRITaskGetType(task: c.aclmdlRITask, type: c.aclmdlRITaskType_p) -> c.aclError:
    """Write the aclmdlRITaskType of a task to `*type`: KERNEL (1) for an operator or kernel, the types for events and
    values, and DEFAULT (0) for others, such as copies.

    Returns:
        ACL_SUCCESS: written.
        ACL_ERROR_RT_PARAM_INVALID: `task` or `type` is null.
        ACL_ERROR_RT_INVALID_HANDLE
    """
    what = "Query of the type of a task"
    if task and type.null:
        raise null_in_runtime(what, "type")
    stored = task_of(task, what)
    type.store(stored.model.nodes[stored.index].task.model_type)


@acl_api("acl/acl_rt.h", pyacl=None)
def aclmdlRITaskGetSeqId(task: c.aclmdlRITask, id: c.uint32_t_p) -> c.aclError:
    """Write the number of a task within its model, in the order of the capture, to `*id`.

    Returns:
        ACL_SUCCESS: written.
        ACL_ERROR_RT_PARAM_INVALID: `task` or `id` is null.
        ACL_ERROR_RT_INVALID_HANDLE
    """
    what = "Query of the number of a task"
    if task and id.null:
        raise null_in_runtime(what, "id")
    id.store(task_of(task, what).index)


def task_of(handle: int, what: str) -> StoredTask:
    """The task of a handle: 107000 for null, 107017 for a dead handle or a handle of another kind."""
    if not handle:
        raise null_in_runtime(what, "task")
    check_product(what)
    return live_object(current().handles, handle, StoredTask, what, "task", "task of a model")


@acl_api("acl/acl_rt.h", inert=True, pyacl=None)
def aclmdlRIDebugPrint(modelRI: c.aclmdlRI) -> c.aclError:
    """Print a model to the log of the library, which the emulator does not have.

    Returns:
        ACL_SUCCESS: printed.
        ACL_ERROR_INVALID_PARAM: `modelRI` is null.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_MODEL_CONTEXT: the model belongs to another context than the current one.
    """
    what = "Printing a model"
    if not modelRI:
        raise null("modelRI")
    check_product(what)
    own_model(current(), modelRI, what)


@acl_api("acl/acl_rt.h", pyacl=None)
def aclmdlRIDebugJsonPrint(modelRI: c.aclmdlRI, path: c.const_char_p, flags: c.uint32_t) -> c.aclError:
    """Write a model to the file `path`: a JSON array in the Trace Event Format, with an element for each task. `flags`:
    ACL_MODEL_RI_DEBUG_JSON_SUMMARY (0), or VERBOSE (1), which adds the memory that each task uses.

    Returns:
        ACL_SUCCESS: written.
        ACL_ERROR_INVALID_PARAM: `modelRI` or `path` is null.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_PARAM_INVALID: the file cannot be opened.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_MODEL_CONTEXT: the model belongs to another context than the current one.
    """
    what = "Printing a model"
    if not modelRI:
        raise null("modelRI")
    if path is None:
        raise null("path")
    check_product(what)
    model = own_model(current(), modelRI, what)
    rows = [_row(model, index, node, verbose=bool(flags)) for index, node in enumerate(model.nodes)]
    try:
        with open(path, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)
    except OSError as error:
        values = (what, path, "path", f"it cannot be opened: {error.strerror}")
        raise AclError(ACL_ERROR_RT_PARAM_INVALID, Item("EE1011", values)) from None


def _row(model: Model, index: int, node: Node, *, verbose: bool) -> dict[str, object]:
    """The element of a task in the Trace Event Format: a bar of one microsecond, in the order of the capture."""
    task, lane = node.task, model.lanes[node.lane]
    facts: dict[str, object] = {
        "stream id": lane.id,
        "task id": index,
        "task type": aclmdlRITaskType(task.model_type).name,
        "captured at": str(task.launched),
    }
    if verbose:
        facts["memory"] = [
            {"role": str(used.role), "use": used.use.name, "address": f"{used.low:#x}", "bytes": used.high - used.low}
            for used in task.ranges
        ]
    row = {"name": str(task.name), "ph": "X", "pid": str(model), "tid": f"stream{lane.id}", "ts": index, "dur": 1}
    return {**row, "args": facts}


@acl_api("acl/acl_rt.h", inert=True, pyacl=None)
def aclrtCacheLastTaskOpInfo(infoPtr: c.const_void_const_p, infoSize: c.const_size_t) -> c.aclError:
    """Keep information about the operator that the calling thread has submitted last, for tools that read it from the
    model.

    Returns:
        ACL_SUCCESS: kept.
        ACL_ERROR_INVALID_PARAM: `infoPtr` is null, or `infoSize` is 0.
        ACL_ERROR_RT_PARAM_INVALID: `infoSize` is more than 65536.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_INTERNAL_ERROR: no capture that goes on has stored the last task of the thread.
    """
    if not infoPtr.value:
        raise null("infoPtr")
    if infoSize == 0:
        raise invalid(infoSize, "infoSize", "more than 0 bytes")
    check_product(KEEPING)
    if infoSize > LONGEST_INFO:
        raise out_of_range(KEEPING, infoSize, "infoSize", f"at most {LONGEST_INFO} bytes")
    _check_stored()


@acl_api("acl/acl_rt.h", inert=True, pyacl=None)
def aclrtCacheLastTaskExtendInfo(extendInfoPtr: c.const_char_const_p, infoSize: c.const_size_t) -> c.aclError:
    """Keep more information about the operator that the calling thread has submitted last, as a text of which 4096
    bytes count.

    Returns:
        ACL_SUCCESS: kept.
        ACL_ERROR_RT_PARAM_INVALID: `extendInfoPtr` is null, or `infoSize` is 0.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_INTERNAL_ERROR: no capture that goes on has stored the last task of the thread.
    """
    if extendInfoPtr is None:
        raise null_in_runtime(KEEPING, "extendInfoPtr")
    if infoSize == 0:
        raise out_of_range(KEEPING, infoSize, "infoSize", "more than 0 bytes")
    check_product(KEEPING)
    _check_stored()


def _check_stored() -> None:
    machine = current()
    machine.context(KEEPING)
    if machine.thread().stored not in machine.captures.active:
        reason = "no capture that goes on has stored the last task of this thread"
        raise AclError(ACL_ERROR_RT_INTERNAL_ERROR, Item("EE1018", (KEEPING, reason)))
