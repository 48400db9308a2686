"""acl/acl_base_rt.h: attributes of CANN on this product."""

from ctypes import addressof, c_int32
from typing import Final

import acl_runtime.abi.c as c
from acl_runtime.api.refusals import invalid, null
from acl_runtime.boundary import acl_api
from acl_runtime.headers.enums import aclCannAttr
from acl_runtime.machine.current import current

HEADER: Final = "acl/acl_base_rt.h"
ATTRIBUTES: Final = (
    aclCannAttr.ACL_CANN_ATTR_INF_NAN, aclCannAttr.ACL_CANN_ATTR_BF16, aclCannAttr.ACL_CANN_ATTR_JIT_COMPILE,
)  # fmt: skip
LIST: Final = (c_int32 * len(ATTRIBUTES))(*ATTRIBUTES)
""" "The list pointer is static" """


@acl_api(HEADER)
def aclGetCannAttributeList(cannAttrList: c.aclCannAttr_pp, num: c.size_t_p) -> c.aclError:
    """Query the list of attributes of aclGetCannAttribute: `*cannAttrList` points to a static array of `*num` elements.

    Returns:
        ACL_SUCCESS: the outputs are written.
        ACL_ERROR_INVALID_PARAM: an argument is null.
    """
    if cannAttrList.null:
        raise null("cannAttrList")
    if num.null:
        raise null("num")
    cannAttrList.store_address(addressof(LIST))
    num.store(len(LIST))


@acl_api(HEADER)
def aclGetCannAttribute(cannAttr: c.aclCannAttr, value: c.int32_t_p) -> c.aclError:
    """Query an attribute: 1 if the product has it, else 0. INF_NAN (no saturation) and BF16 are 1 on A2, A3 and 950,
    0 elsewhere; JIT_COMPILE is 1 everywhere.

    Returns:
        ACL_SUCCESS: the outputs are written.
        ACL_ERROR_INVALID_PARAM: `cannAttr` is none of these three, or `value` is null.
    """
    if cannAttr not in ATTRIBUTES:
        raise invalid(cannAttr, "cannAttr", "an attribute of aclGetCannAttributeList: [0, 2]")
    if value.null:
        raise null("value")
    soc = current().soc
    has: dict[int, bool] = {
        aclCannAttr.ACL_CANN_ATTR_INF_NAN: soc.inf_nan,
        aclCannAttr.ACL_CANN_ATTR_BF16: soc.bfloat16,
        aclCannAttr.ACL_CANN_ATTR_JIT_COMPILE: True,
    }
    value.store(int(has[cannAttr]))
