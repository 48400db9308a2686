"""acl/acl_rt.h: a callback for the failed kernels of a binary."""

import acl_runtime.abi.c as c
import acl_runtime.abi.kernels as k
from acl_runtime.api.kernel.function import live_binary
from acl_runtime.api.refusals import null
from acl_runtime.boundary import acl_api


@acl_api("acl/acl_rt.h", pyacl=None)
def aclrtBinarySetExceptionCallback(
    binHandle: c.aclrtBinHandle, callback: k.aclrtOpExceptionCallback, userData: c.user_data
) -> c.aclError:
    """Set the callback that is called as `callback(exceptionInfo, userData)` when a kernel of the binary fails on a
    device, after the callbacks for all tasks. A new callback replaces the old one. An unloaded binary has none.

    Returns:
        ACL_SUCCESS: set.
        ACL_ERROR_INVALID_PARAM: `binHandle` or `callback` is null.
        ACL_ERROR_RT_INVALID_HANDLE: `binHandle` is no live binary.
    """
    if not binHandle:
        raise null("binHandle")
    if callback.value is None:
        raise null("callback")
    binary = live_binary(binHandle, "Setting the exception callback of a kernel binary")
    function, data = callback.value, userData.value
    binary.on_failure = lambda info: function(info, data)
