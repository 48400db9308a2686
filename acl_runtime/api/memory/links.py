"""acl/acl_rt.h: the links over which devices access memory. Simulated devices have no links to choose."""

from typing import Final

import acl_runtime.abi.c as c
import acl_runtime.abi.memory as m
from acl_runtime.api.refusals import check_product, invalid, null, out_of_range
from acl_runtime.boundary import acl_api
from acl_runtime.headers.enums import aclrtMemLinkType
from acl_runtime.machine.contexts import live_object
from acl_runtime.machine.current import current
from acl_runtime.memory.copies import bad_address
from acl_runtime.memory.physical import PhysicalHandle

HEADER: Final = "acl/acl_rt.h"


@acl_api(HEADER, inert=True, pyacl=None)
def aclrtMemP2PMap(devPtr: c.source_void_p, size: c.size_t, dstDevId: c.int32_t, flags: c.uint64_t) -> c.aclError:
    """Let another device access device memory. Devices of a machine can access all memory, once peer access is enabled.

    Returns:
        ACL_SUCCESS: accepted.
        ACL_ERROR_INVALID_PARAM: `devPtr` is null, `size` is 0, or `flags` is not 0.
        ACL_ERROR_RT_INVALID_DEVICEID
        ACL_ERROR_RT_PARAM_INVALID: `devPtr` is no live device memory.
    """
    what = "Mapping memory for another device"
    if not devPtr.value:
        raise null("devPtr")
    if not size:
        raise invalid(size, "size", "more than 0 bytes")
    if flags:
        raise invalid(flags, "flags", "0")
    machine = current()
    machine.device(dstDevId, what, "dstDevId")
    check_product(what)
    memory = machine.memory_at(devPtr.value)
    if memory is None or memory.holding(devPtr.value) is None:
        raise bad_address(machine, devPtr.value, "devPtr")


@acl_api(HEADER, inert=True, pyacl=None)
def aclrtMemMapSetLink(handle: c.aclrtDrvMemHandle, adviceLink: m.aclrtMemLinkType) -> c.aclError:
    """Choose the link over which devices access physical memory.

    Returns:
        ACL_SUCCESS: accepted.
        ACL_ERROR_INVALID_PARAM: `handle` is null.
        ACL_ERROR_RT_PARAM_INVALID: `adviceLink` is no aclrtMemLinkType.
        ACL_ERROR_RT_INVALID_HANDLE
    """
    what = "Choosing the link to memory"
    if not handle:
        raise null("handle")
    if adviceLink not in tuple(aclrtMemLinkType):
        raise out_of_range(what, adviceLink, "adviceLink", "an aclrtMemLinkType")
    live_object(current().handles, handle, PhysicalHandle, what, "handle")
