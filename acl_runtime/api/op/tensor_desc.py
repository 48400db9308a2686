"""acl/acl_base_mdl.h: descriptions of tensors for the single-operator interface, which is older than aclnn.

Descriptions are records on the host. They need no device, and no operator of aclnn accepts them.
"""

import struct
from math import prod
from typing import Final

import acl_runtime.abi.c as c
from acl_runtime.api.live_objects import alive, discard, required
from acl_runtime.api.memory.buffers import store
from acl_runtime.api.meta.objects import take
from acl_runtime.api.refusals import invalid, null
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError
from acl_runtime.headers.dtypes import nbytes
from acl_runtime.headers.enums import aclDataType, aclFormat
from acl_runtime.headers.handles import aclTensorDesc
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_API_NOT_SUPPORT, ACL_ERROR_RT_PARAM_INVALID
from acl_runtime.machine.current import current
from acl_runtime.objects.descriptions import TensorDesc

HEADER: Final = "acl/acl_base_mdl.h"
PAIR: Final = 2
"""the numbers of a range: the least and the greatest size"""


@acl_api(HEADER)
def aclCreateTensorDesc(
    dataType: c.aclDataType, numDims: c.int_, dims: c.const_int64_t_p, format: c.aclFormat
) -> c.new_aclTensorDesc:
    """Create the description of a tensor. The sizes in `dims` are copied; a negative size means an unknown size.
    `numDims` 0 means a scalar.

    The result is null if `numDims` is negative, or if `dims` is null and `numDims` is not 0.
    """
    if numDims < 0 or (numDims and dims.null):
        return aclTensorDesc()
    shape = take(dims, numDims, "dims", ACL_ERROR_RT_PARAM_INVALID) if numDims else ()
    return aclTensorDesc(current().handles.add(TensorDesc(dataType, shape, format)))


@acl_api(HEADER)
def aclDestroyTensorDesc(desc: c.const_aclTensorDesc_p) -> c.void_result:
    """Destroy a description; null is ignored. Destroying it twice is undefined."""
    discard(desc, TensorDesc, "desc")


@acl_api(HEADER)
def aclGetTensorDescType(desc: c.const_aclTensorDesc_p) -> c.aclDataType_result:
    """The data type; ACL_DT_UNDEFINED for null."""
    return alive(desc, TensorDesc, "desc").dtype if desc else int(aclDataType.ACL_DT_UNDEFINED)


@acl_api(HEADER)
def aclGetTensorDescFormat(desc: c.const_aclTensorDesc_p) -> c.aclFormat_result:
    """The format that aclCreateTensorDesc got; ACL_FORMAT_UNDEFINED for null. aclSetTensorFormat does not change it."""
    return alive(desc, TensorDesc, "desc").format if desc else int(aclFormat.ACL_FORMAT_UNDEFINED)


@acl_api(HEADER)
def aclGetTensorDescNumDims(desc: c.const_aclTensorDesc_p) -> c.size_t_result:
    """The number of dimensions that aclCreateTensorDesc got; 0 for null."""
    return len(alive(desc, TensorDesc, "desc").shape) if desc else 0


@acl_api(HEADER)
def aclGetTensorDescDimV2(desc: c.const_aclTensorDesc_p, index: c.size_t, dimSize: c.int64_t_p) -> c.aclError:
    """Query the size of one dimension, as aclCreateTensorDesc got it.

    Returns:
        ACL_SUCCESS: `*dimSize` is written.
        ACL_ERROR_INVALID_PARAM: `desc` or `dimSize` is null, or there is no dimension `index`.
        ACL_ERROR_RT_PARAM_INVALID: `desc` was destroyed (only if the machine reports findings instead of raising them).
    """
    live_desc = required(desc, TensorDesc, "desc")
    if dimSize.null:
        raise null("dimSize")
    if index >= len(live_desc.shape):
        raise invalid(index, "index", f"less than the {len(live_desc.shape)} dimensions")
    dimSize.store(live_desc.shape[index])


@acl_api(HEADER)
def aclGetTensorDescDim(desc: c.const_aclTensorDesc_p, index: c.size_t) -> c.int64_t_result:
    """The size of one dimension, as aclCreateTensorDesc got it; -1 for null, and for an index that is out of range.
    Deprecated: use aclGetTensorDescDimV2."""
    live_desc = alive(desc, TensorDesc, "desc") if desc else None
    return live_desc.shape[index] if live_desc is not None and index < len(live_desc.shape) else -1


@acl_api(HEADER)
def aclGetTensorDescDimRange(
    desc: c.const_aclTensorDesc_p, index: c.size_t, dimRangeNum: c.size_t, dimRange: c.target_int64_t_p
) -> c.aclError:
    """Query the range of one dimension: the least and the greatest size that aclSetTensorShapeRange set. Without a
    range both are the size of the dimension.

    Returns:
        ACL_SUCCESS: `dimRange` has both numbers.
        ACL_ERROR_INVALID_PARAM: `desc` or `dimRange` is null, `dimRangeNum` is less than 2, or there is no dimension
            `index`.
        ACL_ERROR_RT_PARAM_INVALID: `desc` was destroyed, or `dimRange` cannot be written (only if the machine reports
            findings instead of raising them).
    """
    live_desc = required(desc, TensorDesc, "desc")
    if not dimRange.value:
        raise null("dimRange")
    if dimRangeNum < PAIR:
        raise invalid(dimRangeNum, "dimRangeNum", "2 or more")
    ranges = live_desc.ranges.get("shape") or tuple((size, size) for size in live_desc.shape)
    if index >= len(ranges):
        raise invalid(index, "index", f"less than the {len(ranges)} dimensions")
    store(dimRange, struct.pack("<2q", *ranges[index]), "dimRange")


@acl_api(HEADER)
def aclGetTensorDescElementCount(desc: c.const_aclTensorDesc_p) -> c.size_t_result:
    """The number of elements; 1 for a scalar, 0 for null and for a shape with an unknown size."""
    return _elements(alive(desc, TensorDesc, "desc")) if desc else 0


@acl_api(HEADER)
def aclGetTensorDescSize(desc: c.const_aclTensorDesc_p) -> c.size_t_result:
    """The bytes of the elements; 0 for null and for a shape with an unknown size."""
    if not desc:
        return 0
    live_desc = alive(desc, TensorDesc, "desc")
    return nbytes(_elements(live_desc), live_desc.dtype)


@acl_api(HEADER)
def aclGetTensorDescName(desc: c.aclTensorDesc_p) -> c.const_char_p_result:
    """The name; empty for null, and before aclSetTensorDescName."""
    return alive(desc, TensorDesc, "desc").name if desc else ""


@acl_api(HEADER)
def aclGetTensorDescAddress(desc: c.const_aclTensorDesc_p) -> c.void_p_result:
    """The address of the tensor's memory: always null, as no function of the emulator sets it."""
    if desc:
        alive(desc, TensorDesc, "desc")
    return None


@acl_api(HEADER)
def aclGetTensorDescByIndex(desc: c.aclTensorDesc_p, index: c.size_t) -> c.new_aclTensorDesc:
    """One of several descriptions: `desc` itself for index 0, null for any other index and for a null `desc`. No
    function of the emulator makes arrays of descriptions."""
    if desc:
        alive(desc, TensorDesc, "desc")
    return aclTensorDesc(desc if not index else 0)


@acl_api(HEADER)
def aclTransTensorDescFormat(
    srcDesc: c.const_aclTensorDesc_p, dstFormat: c.aclFormat, dstDesc: c.aclTensorDesc_pp
) -> c.aclError:
    """Make the description of a tensor in another format. The library refuses every call.

    Returns:
        ACL_ERROR_API_NOT_SUPPORT: always.
    """
    reason = "the library refuses it for every format; use aclSetTensorStorageFormat and aclSetTensorStorageShape"
    raise AclError(ACL_ERROR_API_NOT_SUPPORT, Item("EH0006", ("aclTransTensorDescFormat", reason)))


def _elements(desc: TensorDesc) -> int:
    return 0 if any(size < 0 for size in desc.shape) else prod(desc.shape)
