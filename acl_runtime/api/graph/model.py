"""acl/acl_rt.h: models that a capture made: running them, their names, their end."""

from typing import Final

import acl_runtime.abi.c as c
from acl_runtime.abi.pointers import Given
from acl_runtime.api.capture_refusals import CAPTURED, bound, check_not_capturing, refusal
from acl_runtime.api.graph.models import call_back, check_whole, end_model, model_of, own_model
from acl_runtime.api.memory.buffers import store
from acl_runtime.api.outcomes import LAUNCHES, WAITS
from acl_runtime.api.refusals import check_product, null, null_in_runtime, out_of_range
from acl_runtime.api.rt.destruction import destroying
from acl_runtime.api.rt.device import milliseconds, timed_out
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import (
    ACL_ERROR_RT_MODEL_CAPTURED,
    ACL_ERROR_RT_MODEL_EXECUTE,
    ACL_ERROR_RT_MODEL_RUNNING,
    ACL_ERROR_RT_PARAM_INVALID,
)
from acl_runtime.machine.current import current
from acl_runtime.machine.machine import Machine
from acl_runtime.source.frames import trail
from acl_runtime.streams.model.built import AllOver, BuiltModel, run_built
from acl_runtime.streams.model.execution import execute
from acl_runtime.streams.model.model import Model
from acl_runtime.streams.model.task_group import no_kernel, update_in
from acl_runtime.streams.surfacing import check_accepts_work, surface
from acl_runtime.text import Text

RUNNING: Final = "Running a model"
DESTROYING: Final = "Destroying a model"
LONGEST_NAME: Final = 512
PATIENCE: Final = 10e6
"""simulated microseconds for which aclmdlRIDestroy waits for an execution"""


def _check_captured(model: Model, what: str) -> None:
    """107026 for a model whose capture goes on, 507011 for one that is not built."""
    if isinstance(model, BuiltModel) and model.capturing:
        raise refusal(ACL_ERROR_RT_MODEL_EXECUTE, what, f"{model}, begun at {model.made}, is not built: BuildEnd it")
    if model.capturing:
        raise refusal(ACL_ERROR_RT_MODEL_CAPTURED, what, f"the capture of {model}, begun at {model.made}, goes on")


@acl_api("acl/acl_rt.h", also=LAUNCHES + CAPTURED, resource=True, pyacl=None)
def aclmdlRIExecuteAsync(modelRI: c.aclmdlRI, stream: c.aclrtStream) -> c.aclError:
    """Queue all tasks of a model, as one unit: later tasks of the stream wait for them. Null is the default stream. A
    model that is queued again runs again after that.

    The tasks use the addresses, sizes and values of the capture. The contents of memory are those at the time when the
    tasks run. Errors of the tasks appear at the next synchronise.

    Returns:
        ACL_SUCCESS: queued.
        ACL_ERROR_INVALID_PARAM: `modelRI` is null.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_PARAM_INVALID: it is a stream of a model, bound to one, or persistent.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the model is the body of a condition.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_MODEL_CONTEXT: the model belongs to another context than the current one.
        ACL_ERROR_RT_MODEL_CAPTURED: the capture of the model goes on.
        ACL_ERROR_RT_MODEL_EXECUTE: the model is not built.
        ACL_ERROR_RT_STREAM_CONTEXT
        ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT: an update of a task group goes on in the stream.
    """
    machine = current()
    if modelRI:
        check_product(RUNNING)
    submodel = model_of(machine, modelRI, RUNNING)
    if (error := bound(machine, stream, RUNNING, ACL_ERROR_RT_PARAM_INVALID)) is not None:
        raise error
    if stream:
        check_not_capturing(machine.stream(stream, RUNNING), RUNNING)
    check_whole(submodel, RUNNING)
    model = own_model(machine, modelRI, RUNNING)
    _check_captured(model, RUNNING)
    live_stream = machine.own_stream(stream, RUNNING)
    check_accepts_work(live_stream)
    if not live_stream.driven:
        reason = f"{live_stream} is persistent: only a model to which it is bound runs its tasks"
        raise AclError(ACL_ERROR_RT_PARAM_INVALID, Item("EE1017", (RUNNING, "stream", reason)))
    if (update := update_in(live_stream)) is not None:
        raise no_kernel(f"the execution of {model}", update)
    if isinstance(model, BuiltModel):
        run_built(machine, model, live_stream, trail())
    else:
        execute(machine, model, live_stream, trail())


@acl_api("acl/acl_rt.h", also=WAITS, resource=True, pyacl=None)
def aclmdlRIExecute(modelRI: c.aclmdlRI, timeout: c.int32_t) -> c.aclError:
    """Run a built model in the default stream and wait for it, for at most `timeout` milliseconds of simulated time
    (-1: for ever). A captured model is refused.

    Returns:
        ACL_SUCCESS: it has run.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_MODEL_CONTEXT: the model belongs to another context than the current one.
        ACL_ERROR_RT_MODEL_EXECUTE: the model is not built.
        ACL_ERROR_INVALID_PARAM: `modelRI` is null.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_PARAM_INVALID: `timeout` is 0 or less than -1; or the model was captured: use aclmdlRIExecuteAsync.
    """
    model = model_of(current(), modelRI, RUNNING)
    if timeout == 0 or timeout < -1:
        raise out_of_range(RUNNING, timeout, "timeout", "-1, or more than 0 milliseconds")
    if not isinstance(model, BuiltModel):
        reason = f"{model} was captured: call aclmdlRIExecuteAsync, then aclrtSynchronizeStream"
        raise refusal(ACL_ERROR_RT_PARAM_INVALID, RUNNING, reason)
    machine = current()
    own_model(machine, modelRI, RUNNING)
    _check_captured(model, RUNNING)
    stream = machine.own_stream(0, RUNNING)
    check_accepts_work(stream)
    run_built(machine, model, stream, trail())
    machine.announce.host_waits(machine.thread().caller)
    if not machine.finish(stream, timeout=milliseconds(RUNNING, timeout)):
        raise timed_out(RUNNING, (stream,), stuck=timeout == -1)
    surface(stream, machine.consequences)


@acl_api("acl/acl_rt.h", resource=True, pyacl=None)
def aclmdlRIDestroy(modelRI: c.aclmdlRI) -> c.aclError:
    """Destroy a model with its task groups, and call the functions of aclmdlRIDestroyRegisterCallback. A model that is
    queued or runs is waited for.

    Returns:
        ACL_SUCCESS: destroyed.
        ACL_ERROR_INVALID_PARAM: `modelRI` is null.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the model is the body of a condition.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_MODEL_CONTEXT: the model belongs to another context than the current one.
        ACL_ERROR_RT_MODEL_CAPTURED: the capture of the model goes on.
        ACL_ERROR_RT_MODEL_RUNNING: it still runs after 10 seconds of simulated time.
    """
    machine = current()
    with destroying(machine, modelRI):
        check_whole(model_of(machine, modelRI, DESTROYING), DESTROYING)
        model = own_model(machine, modelRI, DESTROYING)
        if isinstance(model, BuiltModel):
            _end_built(machine, model)
        else:
            _check_captured(model, DESTROYING)
        if (last := model.running) is not None and not machine.scheduler.wait(last, PATIENCE):
            raise refusal(ACL_ERROR_RT_MODEL_RUNNING, DESTROYING, f"{last} still runs")
        for end in model.executed.values():
            machine.announce.host_learnt(end.task.clock if end.task is not None and end.done else None)
        end_model(machine, model, Text("destroyed by {call}", call="aclmdlRIDestroy"))
    call_back(machine, model)


@acl_api("acl/acl_rt.h", pyacl=None)
def aclmdlRIAbort(modelRI: c.aclmdlRI) -> c.aclError:
    """Stop the executions of a built model: tasks that have not run never run. A captured model is refused.

    Returns:
        ACL_SUCCESS: stopped.
        ACL_ERROR_RT_PARAM_INVALID: `modelRI` is null, or the model was captured.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the model is the body of a condition.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_MODEL_CONTEXT: the model belongs to another context than the current one.
    """
    what = "Aborting a model"
    if not modelRI:
        raise null_in_runtime(what, "modelRI")
    machine = current()
    check_whole(model_of(machine, modelRI, what), what)
    model = own_model(machine, modelRI, what)
    if not isinstance(model, BuiltModel):
        reason = f"{model} was captured: abort its stream with aclrtStreamAbort"
        raise refusal(ACL_ERROR_RT_PARAM_INVALID, what, reason)
    for course in [*model.courses]:
        course.abandon()
    for lane in model.lanes:
        machine.scheduler.drop(lane)


def _end_built(machine: Machine, model: BuiltModel) -> None:
    """Wait for the executions of a built model, and unbind its streams."""
    if model.courses and not machine.scheduler.wait(AllOver(model), PATIENCE):
        raise refusal(ACL_ERROR_RT_MODEL_RUNNING, DESTROYING, f"{model} still runs")
    for stream in [*model.bound]:
        model.unbind(stream)


@acl_api("acl/acl_rt.h", pyacl=None)
def aclmdlRISetName(modelRI: c.aclmdlRI, name: c.const_char_p) -> c.aclError:
    """Give a model a name, of which 512 bytes are kept.

    Returns:
        ACL_SUCCESS: named.
        ACL_ERROR_INVALID_PARAM: `modelRI` or `name` is null.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_MODEL_CONTEXT: the model belongs to another context than the current one.
    """
    if name is None and modelRI:
        raise null("name")
    model = own_model(current(), modelRI, "Naming a model")
    model.name = (name or "").encode(errors="surrogateescape")[:LONGEST_NAME]


@acl_api("acl/acl_rt.h", pyacl=None)
def aclmdlRIGetName(modelRI: c.aclmdlRI, maxLen: c.uint32_t, name: c.target_char_p) -> c.aclError:
    """Write the name of a model to `name`, which has `maxLen` bytes. A name that is too long is cut, and ends with a
    zero byte. It is empty until aclmdlRISetName.

    Returns:
        ACL_SUCCESS: written.
        ACL_ERROR_INVALID_PARAM: `modelRI` or `name` is null.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_PARAM_INVALID: `maxLen` is 0, or `name` is no memory of the host with so many bytes.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_MODEL_CONTEXT: the model belongs to another context than the current one.
    """
    what = "Query of the name of a model"
    if modelRI and not name.value:
        raise null("name")
    if modelRI and maxLen == 0:
        raise out_of_range(what, maxLen, "maxLen", "more than 0 bytes")
    model = own_model(current(), modelRI, what)
    store(name, model.name[: maxLen - 1] + b"\0", "name")


@acl_api("acl/acl_rt.h", pyacl=None)
def aclmdlRIGetId(modelRI: c.aclmdlRI, modelRIId: c.uint32_t_p) -> c.aclError:
    """Write the number of a model, which no other model has, to `*modelRIId`. No context is needed.

    Returns:
        ACL_SUCCESS: written.
        ACL_ERROR_INVALID_PARAM: `modelRI` or `modelRIId` is null.
        ACL_ERROR_RT_INVALID_HANDLE
    """
    if modelRI and modelRIId.null:
        raise null("modelRIId")
    what = "Query of the number of a model"
    if modelRI:
        check_product(what)
    model = model_of(current(), modelRI, what)
    modelRIId.store(model.ordinal)


@acl_api("acl/acl_rt.h", pyacl=None)
def aclmdlRIDestroyRegisterCallback(modelRI: c.aclmdlRI, func: c.aclrtCallback, userData: c.user_data) -> c.aclError:
    """Let the destruction of a model call `func(userData)`. No context is needed.

    Returns:
        ACL_SUCCESS: registered.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_PARAM_INVALID: `modelRI` or `func` is null.
    """
    model = _with_function(current(), modelRI, func, "Registering a callback of a model")
    model.callbacks.append((func.value, userData.value))


@acl_api("acl/acl_rt.h", pyacl=None)
def aclmdlRIDestroyUnregisterCallback(modelRI: c.aclmdlRI, func: c.aclrtCallback) -> c.aclError:
    """Take back aclmdlRIDestroyRegisterCallback for this function.

    Returns:
        ACL_SUCCESS: the destruction does not call it.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_PARAM_INVALID: `modelRI` or `func` is null.
    """
    model = _with_function(current(), modelRI, func, "Unregistering a callback of a model")
    model.callbacks = [each for each in model.callbacks if each[0] != func.value]


def _with_function(machine: Machine, handle: int, function: Given, what: str) -> Model:
    if not handle:
        raise null_in_runtime(what, "modelRI")
    if function.value is None:
        raise null_in_runtime(what, "func")
    return model_of(machine, handle, what)
