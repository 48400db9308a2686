"""acl/acl_rt.h: groups of cores, which only the inference series has. Simulated devices are not divided into groups."""

from typing import Final

import acl_runtime.abi.c as c
import acl_runtime.abi.device as d
from acl_runtime.api.refusals import check_product, invalid, null
from acl_runtime.boundary import acl_api
from acl_runtime.headers.handles import aclrtGroupInfo
from acl_runtime.machine.current import current

HEADER: Final = "acl/acl_rt.h"
WHAT: Final = "Querying the groups of a device"


@acl_api(HEADER, pyacl=None)
def aclrtCreateGroupInfo() -> d.new_aclrtGroupInfo:
    """Create a description of the groups of the current device: null, as there are none."""
    check_product(WHAT)
    return aclrtGroupInfo()


@acl_api(HEADER, pyacl=None)
def aclrtDestroyGroupInfo(groupInfo: d.aclrtGroupInfo_p) -> c.aclError:
    """Destroy a description of groups.

    Returns:
        ACL_ERROR_INVALID_PARAM: `groupInfo` is null, or no description.
    """
    _check_info(groupInfo)


@acl_api(HEADER, pyacl=None)
def aclrtSetGroup(groupId: c.int32_t) -> c.aclError:
    """Let later tasks of the current context run in a group.

    Returns:
        ACL_ERROR_INVALID_PARAM: there is no such group.
        ACL_ERROR_RT_CONTEXT_NULL
    """
    check_product(WHAT)
    current().context(WHAT)
    raise invalid(groupId, "groupId", "a group; the device has none")


@acl_api(HEADER, pyacl=None)
def aclrtGetGroupCount(count: c.uint32_t_p) -> c.aclError:
    """Count the groups of the current device.

    Returns:
        ACL_SUCCESS: `*count` is 0.
        ACL_ERROR_INVALID_PARAM: `count` is null.
        ACL_ERROR_RT_CONTEXT_NULL
    """
    if count.null:
        raise null("count")
    check_product(WHAT)
    current().context(WHAT)
    count.store(0)


@acl_api(HEADER, pyacl=None)
def aclrtGetAllGroupInfo(groupInfo: d.aclrtGroupInfo_p) -> c.aclError:
    """Fill in a description of groups.

    Returns:
        ACL_ERROR_INVALID_PARAM: `groupInfo` is null, or no description.
    """
    _check_info(groupInfo)


@acl_api(HEADER, pyacl=None)
def aclrtGetGroupInfoDetail(
    groupInfo: d.const_aclrtGroupInfo_p,
    groupIndex: c.int32_t,
    attr: d.aclrtGroupAttr,
    attrValue: c.void_p,
    valueLen: c.size_t,
    paramRetSize: c.size_t_p,
) -> c.aclError:
    """Query an attribute of a group.

    Returns:
        ACL_ERROR_INVALID_PARAM: `groupInfo`, `attrValue` or `paramRetSize` is null; or there is no such group.
    """
    if not groupInfo:
        raise null("groupInfo")
    if not attrValue.value:
        raise null("attrValue")
    if paramRetSize.null:
        raise null("paramRetSize")
    check_product(WHAT)
    raise invalid(groupIndex, "groupIndex", "a group; the device has none")


def _check_info(group_info: int) -> None:
    """Refuse every handle: aclrtCreateGroupInfo makes none."""
    if not group_info:
        raise null("groupInfo")
    check_product(WHAT)
    raise invalid(f"{group_info:#x}", "groupInfo", "a description that aclrtCreateGroupInfo made")
