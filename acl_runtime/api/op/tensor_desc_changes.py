"""acl/acl_base_mdl.h: setters of the descriptions of tensors."""

from typing import Final

import acl_runtime.abi.c as c
from acl_runtime.abi.pointers import Values
from acl_runtime.api.live_objects import alive, host_bytes, required
from acl_runtime.api.meta.objects import take
from acl_runtime.api.refusals import invalid, null
from acl_runtime.boundary import acl_api, also_named
from acl_runtime.headers.enums import aclMemType
from acl_runtime.headers.statuses import ACL_ERROR_RT_PARAM_INVALID
from acl_runtime.objects.descriptions import TensorDesc

HEADER: Final = "acl/acl_base_mdl.h"


@acl_api(HEADER)
def aclSetTensorShape(desc: c.aclTensorDesc_p, numDims: c.int_, dims: c.const_int64_t_p) -> c.aclError:
    """Set the shape of the storage. The shape from aclCreateTensorDesc stays.

    Returns:
        ACL_SUCCESS: set.
        ACL_ERROR_INVALID_PARAM: `desc` or `dims` is null, or `numDims` is negative.
        ACL_ERROR_RT_PARAM_INVALID: `desc` was destroyed, or `dims` is too short (only if the machine reports findings
            instead of raising them).
    """
    live_desc = required(desc, TensorDesc, "desc")
    live_desc.storage_shape = _shape(numDims, dims)


aclSetTensorStorageShape = also_named("aclSetTensorStorageShape", aclSetTensorShape)


@acl_api(HEADER)
def aclSetTensorOriginShape(desc: c.aclTensorDesc_p, numDims: c.int_, dims: c.const_int64_t_p) -> c.aclError:
    """Replace the shape that aclCreateTensorDesc gave to the tensor. The storage stays.

    Returns:
        ACL_SUCCESS: set.
        ACL_ERROR_INVALID_PARAM: `desc` or `dims` is null, or `numDims` is negative.
        ACL_ERROR_RT_PARAM_INVALID: `desc` was destroyed, or `dims` is too short (only if the machine reports findings
            instead of raising them).
    """
    live_desc = required(desc, TensorDesc, "desc")
    live_desc.shape = _shape(numDims, dims)


@acl_api(HEADER)
def aclSetTensorFormat(desc: c.aclTensorDesc_p, format: c.aclFormat) -> c.aclError:
    """Set the format of the storage. The format from aclCreateTensorDesc stays.

    Returns:
        ACL_SUCCESS: set; nothing happens for null.
        ACL_ERROR_RT_PARAM_INVALID: `desc` was destroyed (only if the machine reports findings instead of raising them).
    """
    if desc:
        alive(desc, TensorDesc, "desc").storage_format = format


aclSetTensorStorageFormat = also_named("aclSetTensorStorageFormat", aclSetTensorFormat)


@acl_api(HEADER)
def aclSetTensorOriginFormat(desc: c.aclTensorDesc_p, format: c.aclFormat) -> c.aclError:
    """Replace the format that aclCreateTensorDesc gave to the tensor. The storage stays.

    Returns:
        ACL_SUCCESS: set; nothing happens for null.
        ACL_ERROR_RT_PARAM_INVALID: `desc` was destroyed (only if the machine reports findings instead of raising them).
    """
    if desc:
        alive(desc, TensorDesc, "desc").format = format


@acl_api(HEADER)
def aclSetTensorShapeRange(desc: c.aclTensorDesc_p, dimsCount: c.size_t, dimsRange: c.int64_t_pairs) -> c.aclError:
    """Set the range of each dimension: pairs of the least and the greatest size, -1 for any.

    Returns:
        ACL_SUCCESS: set.
        ACL_ERROR_INVALID_PARAM: `desc` is null, or `dimsRange` is null and `dimsCount` is not 0.
        ACL_ERROR_RT_PARAM_INVALID: `desc` was destroyed, or `dimsRange` is too short (only if the machine reports
            findings instead of raising them).
    """
    _ranges(desc, "shape", dimsCount, dimsRange, "dimsRange")


@acl_api(HEADER)
def aclSetTensorValueRange(desc: c.aclTensorDesc_p, valueCount: c.size_t, valueRange: c.int64_t_pairs) -> c.aclError:
    """Set the range of each value: pairs of the least and the greatest value. The ranges have no effect.

    Returns:
        ACL_SUCCESS: set.
        ACL_ERROR_INVALID_PARAM: `desc` is null, or `valueRange` is null and `valueCount` is not 0.
        ACL_ERROR_RT_PARAM_INVALID: `desc` was destroyed, or `valueRange` is too short (only if the machine reports
            findings instead of raising them).
    """
    _ranges(desc, "value", valueCount, valueRange, "valueRange")


@acl_api(HEADER)
def aclSetTensorDynamicInput(desc: c.aclTensorDesc_p, dynamicInputName: c.const_char_p) -> c.aclError:
    """Name the list of inputs that the tensor is a member of. The members of a list are neighbours.

    Returns:
        ACL_SUCCESS: set.
        ACL_ERROR_INVALID_PARAM: `desc` or `dynamicInputName` is null.
        ACL_ERROR_RT_PARAM_INVALID: `desc` was destroyed (only if the machine reports findings instead of raising them).
    """
    live_desc = required(desc, TensorDesc, "desc")
    if dynamicInputName is None:
        raise null("dynamicInputName")
    live_desc.list_name = dynamicInputName


@acl_api(HEADER)
def aclSetTensorDescName(desc: c.aclTensorDesc_p, name: c.const_char_p) -> c.void_result:
    """Set the name, which is copied. A null name means an empty name; a null `desc` is ignored."""
    if desc:
        alive(desc, TensorDesc, "desc").name = name or ""


@acl_api(HEADER)
def aclSetTensorPlaceMent(desc: c.aclTensorDesc_p, memType: c.aclMemType) -> c.aclError:
    """Set where the tensor's memory is: on the device, or on the host.

    Returns:
        ACL_SUCCESS: set.
        ACL_ERROR_INVALID_PARAM: `desc` is null, or `memType` is no aclMemType.
        ACL_ERROR_RT_PARAM_INVALID: `desc` was destroyed (only if the machine reports findings instead of raising them).
    """
    live_desc = required(desc, TensorDesc, "desc")
    if memType not in tuple(aclMemType):
        raise invalid(memType, "memType", "0 (device), 1 (host) or 2 (host, the compiler does not use the value)")
    live_desc.placement = memType


@acl_api(HEADER)
def aclSetTensorConst(desc: c.aclTensorDesc_p, dataBuffer: c.source_void_p, length: c.size_t) -> c.aclError:
    """Make the tensor a constant: `length` bytes of the host, which are copied.

    Returns:
        ACL_SUCCESS: set.
        ACL_ERROR_INVALID_PARAM: `desc` or `dataBuffer` is null, or `length` is 0.
        ACL_ERROR_RT_PARAM_INVALID: `desc` was destroyed, or `dataBuffer` cannot be read (only if the machine reports
            findings instead of raising them).
    """
    live_desc = required(desc, TensorDesc, "desc")
    if not dataBuffer.value:
        raise null("dataBuffer")
    if not length:
        raise invalid(0, "length", "a value greater than 0")
    live_desc.constant = host_bytes(dataBuffer, length, "dataBuffer")


def _shape(count: int, dims: Values) -> tuple[int, ...]:
    """The sizes; AclError 100000 for a negative count, and for a null array even if the count is 0."""
    if count < 0:
        raise invalid(count, "numDims", "0 or more")
    if dims.null:
        raise null("dims")
    return take(dims, count, "dims", ACL_ERROR_RT_PARAM_INVALID) if count else ()


def _ranges(number: int, kind: str, count: int, pairs: Values, name: str) -> None:
    desc = required(number, TensorDesc, "desc")
    if count and pairs.null:
        raise null(name)
    numbers = take(pairs, 2 * count, name, ACL_ERROR_RT_PARAM_INVALID) if count else ()
    desc.ranges[kind] = tuple(zip(numbers[::2], numbers[1::2], strict=True))
