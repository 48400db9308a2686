"""acl/acl_rt.h: errors of device memory and their repair. Simulated devices have no such errors."""

from typing import Final

import acl_runtime.abi.c as c
import acl_runtime.abi.device as d
from acl_runtime.api.refusals import check_product, null
from acl_runtime.boundary import acl_api
from acl_runtime.machine.current import current

HEADER: Final = "acl/acl_rt.h"
WHAT: Final = "Repairing the memory of a device"


@acl_api(HEADER, pyacl=None)
def aclrtGetMemUceInfo(
    deviceId: c.int32_t, memUceInfoArray: d.aclrtMemUceInfo_p, arraySize: c.size_t, retSize: c.size_t_p
) -> c.aclError:
    """Query the pieces of device memory with errors: none.

    Returns:
        ACL_SUCCESS: `*retSize` is 0.
        ACL_ERROR_INVALID_PARAM: `memUceInfoArray` or `retSize` is null.
        ACL_ERROR_RT_INVALID_DEVICEID
    """
    if not memUceInfoArray.value:
        raise null("memUceInfoArray")
    if retSize.null:
        raise null("retSize")
    check_product(WHAT)
    current().device(deviceId, WHAT, "deviceId")
    retSize.store(0)


@acl_api(HEADER, inert=True, pyacl=None)
def aclrtMemUceRepair(deviceId: c.int32_t, memUceInfoArray: d.aclrtMemUceInfo_p, arraySize: c.size_t) -> c.aclError:
    """Repair pieces of device memory, of which none has an error.

    Returns:
        ACL_SUCCESS: accepted.
        ACL_ERROR_INVALID_PARAM: `memUceInfoArray` is null.
        ACL_ERROR_RT_INVALID_DEVICEID
    """
    if not memUceInfoArray.value:
        raise null("memUceInfoArray")
    check_product(WHAT)
    current().device(deviceId, WHAT, "deviceId")


@acl_api(HEADER, inert=True, pyacl=None)
def aclrtRepairError(deviceId: c.int32_t, errorInfo: d.const_aclrtErrorInfo_p) -> c.aclError:
    """Repair the error that aclrtGetErrorVerbose returned: none.

    Returns:
        ACL_SUCCESS: accepted.
        ACL_ERROR_INVALID_PARAM: `errorInfo` is null.
        ACL_ERROR_RT_INVALID_DEVICEID
    """
    if not errorInfo.value:
        raise null("errorInfo")
    check_product(WHAT)
    current().device(deviceId, WHAT, "deviceId")
