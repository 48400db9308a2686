"""acl/acl_rt.h: conditions of models, and the tasks that choose the next ones by them."""

from ctypes import c_uint64, c_void_p, cast
from typing import Final

import acl_runtime.abi.c as c
import acl_runtime.abi.conditional as cond
from acl_runtime.abi.pointers import Address
from acl_runtime.api.capture_refusals import CAPTURED, OF_MODEL, refusal
from acl_runtime.api.graph.capture import BEGINNING, check_begin, not_capturing
from acl_runtime.api.graph.models import model_of, own_model
from acl_runtime.api.memory.allocation_checks import allocated
from acl_runtime.api.memory.buffers import store
from acl_runtime.api.outcomes import LAUNCHES
from acl_runtime.api.refusals import check_product, null, null_in_runtime, out_of_range
from acl_runtime.api.stream_limit import NO_STREAM
from acl_runtime.boundary import acl_api
from acl_runtime.headers.enums import aclmdlRICondHandleFlag, aclmdlRICondTaskType
from acl_runtime.headers.statuses import ACL_ERROR_RT_MODEL_CAPTURED, ACL_ERROR_RT_PARAM_INVALID
from acl_runtime.machine.contexts import live_object
from acl_runtime.machine.current import current
from acl_runtime.machine.machine import Machine
from acl_runtime.memory.allocation import OWNED
from acl_runtime.source.frames import trail
from acl_runtime.streams.model.capture import Capture, capture_of
from acl_runtime.streams.model.conditional import Choice, EndOfChoice
from acl_runtime.streams.model.model import Body, Condition

HEADER: Final = "acl/acl_rt.h"
CREATING: Final = "Creating a condition"
ADDING: Final = "Adding a conditional task"
WIDTH: Final = 8
"""bytes of the number"""
TAKEN: Final = 512
"""bytes of device memory that the number takes"""
MOST: Final = {
    aclmdlRICondTaskType.ACL_MODEL_RI_COND_TYPE_IF: 2,
    aclmdlRICondTaskType.ACL_MODEL_RI_COND_TYPE_WHILE: 1,
    aclmdlRICondTaskType.ACL_MODEL_RI_COND_TYPE_SWITCH: (1 << 32) - 1,
}
"""the most bodies, by kind"""


@acl_api(HEADER, pyacl=None)
def aclmdlRICondHandleCreate(
    modelRI: c.aclmdlRI,
    defaultLaunchValue: c.uint32_t,
    flag: cond.aclmdlRICondHandleFlag,
    handle: cond.aclmdlRICondHandle_p,
) -> c.aclError:
    """Create a condition for a model that is being captured: 8 bytes of device memory with a number. With `flag`
    ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT (1) the number is `defaultLaunchValue` at the begin of each execution; with
    0 an execution leaves the number. The condition ends with the model.

    Returns:
        ACL_SUCCESS: `*handle` is the condition.
        ACL_ERROR_INVALID_PARAM: `modelRI` or `handle` is null.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_PARAM_INVALID: `flag` is not 0 or 1, or the model is not being captured.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_MODEL_CONTEXT: the model belongs to another context than the current one.
        ACL_ERROR_RT_MEMORY_ALLOCATION: the device has no memory left.
    """
    if not modelRI:
        raise null("modelRI")
    if handle.null:
        raise null("handle")
    check_product(CREATING)
    if flag not in (0, aclmdlRICondHandleFlag.ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT):
        raise out_of_range(CREATING, flag, "flag", "0 or ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT (1)")
    machine = current()
    model = own_model(machine, modelRI, CREATING)
    if machine.captures.of_model(model) is None:
        raise refusal(ACL_ERROR_RT_PARAM_INVALID, CREATING, f"{model} is not being captured")
    cell = allocated(model.context.device.memory, WIDTH, TAKEN)
    cell.notes[OWNED] = True
    condition = Condition(model, cell, defaultLaunchValue if flag else None)
    model.conditions.append(condition)
    handle.store(machine.handles.add(condition))


@acl_api(HEADER, pyacl=None)
def aclmdlRICondHandleGetCondPtr(handle: cond.aclmdlRICondHandle, ptr: cond.uint64_t_pp) -> c.aclError:
    """Query the address of the number of a condition. Tasks of the model, or copies before an execution, change the
    number.

    Returns:
        ACL_SUCCESS: `*ptr` is an address of device memory.
        ACL_ERROR_INVALID_PARAM: `handle` or `ptr` is null.
        ACL_ERROR_RT_INVALID_HANDLE
    """
    if not handle:
        raise null("handle")
    if ptr.null:
        raise null("ptr")
    what = "Query of a condition"
    check_product(what)
    ptr.store_address(live_object(current().handles, handle, Condition, what, "handle").cell.address)


@acl_api(HEADER, also=LAUNCHES, pyacl=None)
def aclmdlRIAddCondTask(params: cond.aclmdlRICondTaskParams, stream: c.aclrtStream, flags: c.uint32_t) -> c.aclError:
    """Store a conditional task in a stream that is being captured, and write its bodies to the array of `params`.
    aclmdlRICaptureToModelRIBegin fills a body. Later tasks of the stream wait for the bodies.

    IF runs the first body if the number of the condition is not 0, else the second one if there are two. WHILE repeats
    its one body as long as the number is not 0. SWITCH runs the body with this number, from 0 on; none if there is no
    such body.

    Returns:
        ACL_SUCCESS: stored.
        ACL_ERROR_INVALID_PARAM: `stream` is null.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_PARAM_INVALID: `flags` is not 0; the condition is null, belongs to another model, or has a task;
            the kind of the task does not exist, or does not have so many bodies; the array is null or cannot be
            written.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
        ACL_ERROR_RT_STREAM_NOT_CAPTURED: the stream is not being captured.
        ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT: a task group is open.
    """
    if not stream:
        raise null("stream")
    check_product(ADDING)
    machine = current()
    machine.stream(stream, ADDING)
    if flags:
        raise out_of_range(ADDING, flags, "flags", "0")
    if not params.handle:
        raise null_in_runtime(ADDING, "params.handle")
    condition = live_object(machine.handles, params.handle.value or 0, Condition, ADDING, "params.handle")
    if not 1 <= params.size <= MOST.get(params.type, 0):
        expected = "an aclmdlRICondTaskType and its number of bodies: 1 or 2 for IF, 1 for WHILE, 1 or more for SWITCH"
        raise out_of_range(ADDING, f"{params.type} and {params.size}", "params.type and params.size", expected)
    array = Address(cast(params.modelRIArray, c_void_p).value or 0)
    if not array.value:
        raise null_in_runtime(ADDING, "params.modelRIArray")
    live_stream = machine.own_stream(stream, ADDING)
    capture = capture_of(live_stream)
    if capture is None:
        raise not_capturing(live_stream, ADDING)
    if condition.model is not capture.model or condition.bodies:
        reason = f"{condition} belongs to {condition.model}, not to {capture.model}"
        raise refusal(ACL_ERROR_RT_PARAM_INVALID, ADDING, f"{condition} has a task" if condition.bodies else reason)
    store(array, (c_uint64 * params.size)(), "params.modelRIArray")
    choice = Choice(machine, condition, params.type, trail())
    machine.submit(live_stream, choice)
    machine.submit(live_stream, EndOfChoice(choice))
    condition.bodies = [Body(condition) for _ in range(params.size)]
    numbers = [machine.handles.add(body) for body in condition.bodies]
    store(array, (c_uint64 * params.size)(*numbers), "params.modelRIArray")


@acl_api(HEADER, also=CAPTURED + OF_MODEL + NO_STREAM, pyacl=None)
def aclmdlRICaptureToModelRIBegin(
    stream: c.aclrtStream, modelRI: c.aclmdlRI, mode: c.aclmdlRICaptureMode
) -> c.aclError:
    """Begin a capture that fills a body of aclmdlRIAddCondTask, as aclmdlRICaptureBegin begins one that makes a model.

    Returns:
        ACL_SUCCESS: the capture goes on; aclmdlRICaptureEnd ends it.
        ACL_ERROR_INVALID_PARAM: `stream` or `modelRI` is null.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_PARAM_INVALID: `mode` is not 0 to 2, or `modelRI` is no body.
        ACL_ERROR_RT_INTERNAL_ERROR: the stream is for the device alone.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
        ACL_ERROR_RT_MODEL_CONTEXT: the body belongs to another context than the current one.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: it is a default stream.
        ACL_ERROR_RT_MODEL_CAPTURED: a capture has filled the body, or fills it; or the capture of its model is over.
        ACL_ERROR_STREAM_TASK_GROUP_STATUS: an update of a task group goes on in the stream.
    """
    if not stream:
        raise null("stream")
    if not modelRI:
        raise null("modelRI")
    check_product(BEGINNING)
    machine = current()
    live_stream = check_begin(machine, stream, mode)
    body = _body(machine, modelRI)
    machine.captures.active.append(Capture(machine, live_stream, mode, body))


def _body(machine: Machine, handle: int) -> Body:
    """A body that can be filled."""
    body = model_of(machine, handle, BEGINNING)
    if not isinstance(body, Body):
        raise refusal(ACL_ERROR_RT_PARAM_INVALID, BEGINNING, f"{body} is no body of a condition")
    own_model(machine, handle, BEGINNING)
    if body.lanes or not body.capturing:
        reason = f"a capture has filled {body}, or fills it" if body.lanes else f"{body} stays empty: its model is made"
        raise refusal(ACL_ERROR_RT_MODEL_CAPTURED, BEGINNING, reason)
    return body
