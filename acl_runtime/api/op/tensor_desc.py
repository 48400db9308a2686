"""acl/acl_base_mdl.h: descriptions of tensors for the single-operator interface before aclnn.

They are records on the host. They need no device, and no operator of aclnn takes them.
"""

from typing import Final

import acl_runtime.abi.c as c
from acl_runtime.abi.pointers import Values
from acl_runtime.api.live_objects import alive, discard, host_bytes, required
from acl_runtime.api.meta.objects import take
from acl_runtime.api.refusals import invalid, null
from acl_runtime.boundary import acl_api
from acl_runtime.headers.enums import aclDataType, aclFormat, aclMemType
from acl_runtime.headers.handles import aclTensorDesc
from acl_runtime.headers.statuses import ACL_ERROR_RT_PARAM_INVALID
from acl_runtime.machine.current import current
from acl_runtime.objects.descriptions import TensorDesc

HEADER: Final = "acl/acl_base_mdl.h"


@acl_api(HEADER)
def aclCreateTensorDesc(
    dataType: c.aclDataType, numDims: c.int_, dims: c.const_int64_t_p, format: c.aclFormat
) -> c.new_aclTensorDesc:
    """Create the description of a tensor. The sizes in `dims` are copied; a negative size is one that is not known yet.
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
        ACL_ERROR_RT_PARAM_INVALID: `desc` is gone, and the machine only reports.
    """
    found = required(desc, TensorDesc, "desc")
    if dimSize.null:
        raise null("dimSize")
    if index >= len(found.shape):
        raise invalid(index, "index", f"less than the {len(found.shape)} dimensions")
    dimSize.store(found.shape[index])


@acl_api(HEADER)
def aclSetTensorShape(desc: c.aclTensorDesc_p, numDims: c.int_, dims: c.const_int64_t_p) -> c.aclError:
    """Set the shape of the storage. The shape of aclCreateTensorDesc stays.

    Returns:
        ACL_SUCCESS: set.
        ACL_ERROR_INVALID_PARAM: `desc` is null, `numDims` is negative, or `dims` is null and `numDims` is not 0.
        ACL_ERROR_RT_PARAM_INVALID: `desc` is gone, or `dims` is too short, and the machine only reports.
    """
    found = required(desc, TensorDesc, "desc")
    found.storage_shape = _shape(numDims, dims)


@acl_api(HEADER)
def aclSetTensorFormat(desc: c.aclTensorDesc_p, format: c.aclFormat) -> c.aclError:
    """Set the format of the storage. The format of aclCreateTensorDesc stays.

    Returns:
        ACL_SUCCESS: set.
        ACL_ERROR_INVALID_PARAM: `desc` is null.
        ACL_ERROR_RT_PARAM_INVALID: `desc` is gone, and the machine only reports.
    """
    required(desc, TensorDesc, "desc").storage_format = format


@acl_api(HEADER)
def aclSetTensorDescName(desc: c.aclTensorDesc_p, name: c.const_char_p) -> c.void_result:
    """Set the name, which is copied. A null name is an empty one; a null `desc` is ignored."""
    if desc:
        alive(desc, TensorDesc, "desc").name = name or ""


@acl_api(HEADER)
def aclSetTensorPlaceMent(desc: c.aclTensorDesc_p, memType: c.aclMemType) -> c.aclError:
    """Set where the tensor's memory is: on the device, or on the host.

    Returns:
        ACL_SUCCESS: set.
        ACL_ERROR_INVALID_PARAM: `desc` is null, or `memType` is no aclMemType.
        ACL_ERROR_RT_PARAM_INVALID: `desc` is gone, and the machine only reports.
    """
    found = required(desc, TensorDesc, "desc")
    if memType not in tuple(aclMemType):
        raise invalid(memType, "memType", "0 (device), 1 (host) or 2 (host, the compiler does not use the value)")
    found.placement = memType


@acl_api(HEADER)
def aclSetTensorConst(desc: c.aclTensorDesc_p, dataBuffer: c.source_void_p, length: c.size_t) -> c.aclError:
    """Make the tensor a constant: `length` bytes of the host, which are copied.

    Returns:
        ACL_SUCCESS: set.
        ACL_ERROR_INVALID_PARAM: `desc` or `dataBuffer` is null, or `length` is 0.
        ACL_ERROR_RT_PARAM_INVALID: `desc` is gone, or `dataBuffer` cannot be read, and the machine only reports.
    """
    found = required(desc, TensorDesc, "desc")
    if not dataBuffer.value:
        raise null("dataBuffer")
    if not length:
        raise invalid(0, "length", "a value greater than 0")
    found.constant = host_bytes(dataBuffer, length, "dataBuffer")


def _shape(count: int, dims: Values) -> tuple[int, ...]:
    """The sizes; 100000 for a negative count, and for a null pointer with another count than 0."""
    if count < 0:
        raise invalid(count, "numDims", "0 or more")
    if count and dims.null:
        raise null("dims")
    return take(dims, count, "dims", ACL_ERROR_RT_PARAM_INVALID) if count else ()
