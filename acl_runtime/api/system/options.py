"""acl/acl_rt.h: system parameters of the process and of a context.

System parameters change no result. ACL_OPT_DETERMINISTIC may change the plan of an operator and the workspace.
"""

from typing import Final

import acl_runtime.abi.c as c
from acl_runtime.api.refusals import invalid, null, out_of_range
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError
from acl_runtime.headers.enums import aclSysParamOpt
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_RT_SYSPARAMOPT_NOT_SET
from acl_runtime.machine.current import current
from acl_runtime.process import process

HIGHEST: Final = {
    int(aclSysParamOpt.ACL_OPT_DETERMINISTIC): 3,
    int(aclSysParamOpt.ACL_OPT_ENABLE_DEBUG_KERNEL): 1,
    int(aclSysParamOpt.ACL_OPT_STRONG_CONSISTENCY): 1,
    int(aclSysParamOpt.ACL_OPT_ENABLE_KERNEL_EARLY_START): 1,
}
"""highest values; the lowest is 0: "option 0 takes 0-3, the others 0-1" """
LAST: Final = int(aclSysParamOpt.ACL_OPT_ENABLE_KERNEL_EARLY_START)
LAST_OF_A_CONTEXT: Final = int(aclSysParamOpt.ACL_OPT_STRONG_CONSISTENCY)


def _check_option(opt: int, last: int) -> None:
    if not 0 <= opt <= last:
        raise invalid(opt, "opt", f"an aclSysParamOpt from 0 to {last}")


def _check_value(opt: int, value: int, what: str) -> None:
    if not 0 <= value <= HIGHEST[opt]:
        raise out_of_range(what, value, "value", f"[0, {HIGHEST[opt]}]", f"({aclSysParamOpt(opt).name})")


@acl_api("acl/acl_rt.h")
def aclrtGetSysParamOpt(opt: c.aclSysParamOpt, value: c.int64_t_p) -> c.aclError:
    """Query a system parameter of the process: deterministic (0), debug kernel (1), strong consistency (2), early
    kernel start (3). A parameter that was never set is 0. The parameters of contexts are not considered.

    Returns:
        ACL_SUCCESS: `*value` is the parameter.
        ACL_ERROR_INVALID_PARAM: `opt` is another number, or `value` is null.
    """
    _check_option(opt, LAST)
    if value.null:
        raise null("value")
    value.store(current().parameters.get(opt, 0))


@acl_api("acl/acl_rt.h")
def aclrtSetSysParamOpt(opt: c.aclSysParamOpt, value: c.int64_t) -> c.aclError:
    """Set a system parameter of the process. It changes no result, as the emulator's results are always deterministic.
    A deterministic aclnnEmbeddingDenseBackward sorts its indices at every size, and needs workspace for that.

    Returns:
        ACL_SUCCESS: set; no context is needed.
        ACL_ERROR_INVALID_PARAM: `opt` is not one of 0 to 3.
        ACL_ERROR_RT_PARAM_INVALID: `value` is not one of 0 to 3 (deterministic), or neither 0 nor 1 (the others).
    """
    _check_option(opt, LAST)
    _check_value(opt, value, "Setting a system parameter")
    current().parameters[opt] = value
    process.change_conditions()


@acl_api("acl/acl_rt.h")
def aclrtCtxGetSysParamOpt(opt: c.aclSysParamOpt, value: c.int64_t_p) -> c.aclError:
    """Query a system parameter of the current context: deterministic (0), debug kernel (1), strong consistency (2).

    Returns:
        ACL_SUCCESS: `*value` is the parameter.
        ACL_ERROR_INVALID_PARAM: `opt` is another number, or `value` is null.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_SYSPARAMOPT_NOT_SET: the parameter was never set for this context.
    """
    _check_option(opt, LAST_OF_A_CONTEXT)
    if value.null:
        raise null("value")
    what = "Querying a system parameter of the context"
    context = current().context(what)
    if opt not in context.parameters:
        reason = f"{aclSysParamOpt(opt).name} was never set for {context}"
        raise AclError(ACL_ERROR_RT_SYSPARAMOPT_NOT_SET, Item("EE1018", (what, reason)))
    value.store(context.parameters[opt])


@acl_api("acl/acl_rt.h")
def aclrtCtxSetSysParamOpt(opt: c.aclSysParamOpt, value: c.int64_t) -> c.aclError:
    """Set a system parameter of the current context, which replaces the parameter of the process there. It changes no
    result, but may change a workspace as aclrtSetSysParamOpt does.

    Returns:
        ACL_SUCCESS: set.
        ACL_ERROR_INVALID_PARAM: `opt` is not one of 0 to 2.
        ACL_ERROR_RT_PARAM_INVALID: `value` is not one of 0 to 3 (deterministic), or neither 0 nor 1 (the others).
        ACL_ERROR_RT_CONTEXT_NULL
    """
    _check_option(opt, LAST_OF_A_CONTEXT)
    what = "Setting a system parameter of the context"
    _check_value(opt, value, what)
    current().context(what).parameters[opt] = value
    process.change_conditions()
