"""acl/acl_rt.h: changes of single tasks of a model."""

import acl_runtime.abi.c as c
from acl_runtime.api.capture_refusals import refusal
from acl_runtime.api.graph.model_contents import task_of
from acl_runtime.api.graph.models import model_of
from acl_runtime.api.refusals import check_product, null_in_runtime
from acl_runtime.boundary import acl_api
from acl_runtime.headers.statuses import ACL_ERROR_RT_FEATURE_NOT_SUPPORT, ACL_ERROR_RT_MODEL_UPDATE_FAILED
from acl_runtime.machine.current import current
from acl_runtime.streams.model.built import BuiltModel
from acl_runtime.streams.model.model import Model
from acl_runtime.streams.model.task_group import check_kernel


@acl_api("acl/acl_rt.h", pyacl=None)
def aclmdlRITaskDisable(task: c.aclmdlRITask) -> c.aclError:
    """Let executions leave out an operator of a model, from the next aclmdlRIUpdate on.

    Returns:
        ACL_SUCCESS: noted for aclmdlRIUpdate.
        ACL_ERROR_RT_PARAM_INVALID: `task` is null.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_MODEL_UPDATE_FAILED: the capture of the model goes on, or an execution is queued or runs.
        ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT: it is no operator and no kernel.
    """
    what = "Disabling a task"
    stored = task_of(task, what)
    _check_idle(stored.model, what)
    node = stored.model.nodes[stored.index]
    check_kernel(node.task, stored.model)
    node.disabled = True


@acl_api("acl/acl_rt.h", pyacl=None)
def aclmdlRIUpdate(modelRI: c.aclmdlRI) -> c.aclError:
    """Let the changes of aclmdlRITaskDisable take effect.

    Returns:
        ACL_SUCCESS: later executions have the changes; also if nothing was changed.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_PARAM_INVALID: `modelRI` is null.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the model was built, not captured.
        ACL_ERROR_RT_MODEL_UPDATE_FAILED: the capture of the model goes on, or an execution is queued or runs.
    """
    what = "Updating a model"
    if not modelRI:
        raise null_in_runtime(what, "modelRI")
    check_product(what)
    model = model_of(current(), modelRI, what)
    if isinstance(model, BuiltModel):
        raise refusal(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, what, f"{model} was built, not captured")
    _check_idle(model, what)
    model.leave_out()


def _check_idle(model: Model, what: str) -> None:
    """107040 for a model that is being captured, or runs."""
    if model.capturing:
        reason = f"the capture of {model}, begun at {model.made}, goes on"
        raise refusal(ACL_ERROR_RT_MODEL_UPDATE_FAILED, what, reason)
    if model.running is not None:
        raise refusal(ACL_ERROR_RT_MODEL_UPDATE_FAILED, what, f"{model.running} is queued or runs")
