"""aclnn/acl_meta.h: tensors."""

from collections.abc import Sequence
from ctypes import c_int64

import acl_runtime.abi.c as c
from acl_runtime.abi.pointers import Out
from acl_runtime.api.meta.objects import destroy, lookup, take
from acl_runtime.api.refusals import null_object
from acl_runtime.boundary import acl_api
from acl_runtime.headers.enums import aclDataType, aclFormat
from acl_runtime.headers.handles import aclTensor
from acl_runtime.machine.current import current
from acl_runtime.objects.handle_table import Tensor, row_major

META = "aclnn/acl_meta.h"


@acl_api(META)
def aclCreateTensor(
    viewDims: c.const_int64_t_p,
    viewDimsNum: c.uint64_t,
    dataType: c.aclDataType,
    stride: c.const_int64_t_p,
    offset: c.int64_t,
    format: c.aclFormat,
    storageDims: c.const_int64_t_p,
    storageDimsNum: c.uint64_t,
    tensorData: c.source_void_p,
) -> c.new_aclTensor:
    """A tensor: a view of device memory that it does not own.

    The storage at `tensorData` has the shape `storageDims`; the view begins `offset` elements behind its start, and has
    the shape `viewDims` and the strides `stride`, in elements too. Null strides mean row-major ones of the view.
    Nothing else is checked here; an operator checks what it needs. The result is null if a shape is null while its
    count is not 0.
    """
    if (viewDims.null and viewDimsNum) or (storageDims.null and storageDimsNum):
        return aclTensor()  # "Silent: no error text is recorded for the null-dims case"
    shape = take(viewDims, viewDimsNum, "viewDims") if viewDimsNum else ()
    strides = row_major(shape) if stride.null else take(stride, viewDimsNum, "stride")
    storage = take(storageDims, storageDimsNum, "storageDims") if storageDimsNum else ()
    tensor = Tensor(shape, dataType, strides, offset, format, storage, tensorData.value)
    number = current().handles.add(tensor)
    _remark(tensor)
    return aclTensor(number)


@acl_api(META)
def aclDestroyTensor(tensor: c.const_aclTensor_p) -> c.aclnnStatus:
    """Destroy a tensor; its device memory stays. Destroying it twice is undefined.

    Returns:
        ACLNN_SUCCESS: destroyed, or `tensor` is null.
        ACLNN_ERR_RUNTIME_ERROR: already gone, and the machine only reports.
    """
    destroy(tensor, Tensor, "tensor")


@acl_api(META)
def aclInitTensor(
    tensor: c.aclTensor_p,
    viewDims: c.const_int64_t_p,
    viewDimsNum: c.uint64_t,
    dataType: c.aclDataType,
    stride: c.const_int64_t_p,
    offset: c.int64_t,
    format: c.aclFormat,
    storageDims: c.const_int64_t_p,
    storageDimsNum: c.uint64_t,
    tensorDataAddr: c.source_void_p,
) -> c.aclnnStatus:
    """Set a tensor anew. Null (or empty) shapes and a null address keep the old ones; data type, format and offset
    are always overwritten; null strides become row-major ones of the view.

    Returns:
        ACLNN_SUCCESS: set.
        ACLNN_ERR_PARAM_NULLPTR: `tensor` is null.
        ACLNN_ERR_RUNTIME_ERROR: `tensor` is gone, and the machine only reports.
    """
    found = lookup(tensor, Tensor, "tensor")
    shape, storage = found.shape, found.storage_shape
    if not viewDims.null and viewDimsNum:
        shape = take(viewDims, viewDimsNum, "viewDims")
    strides = row_major(shape) if stride.null else take(stride, len(shape), "stride")
    if not storageDims.null and storageDimsNum:
        storage = take(storageDims, storageDimsNum, "storageDims")
    if tensorDataAddr.value:
        found.address = tensorDataAddr.value
    found.describe(shape, dataType, strides, offset, format, storage)
    current().repeated.clear()
    _remark(found)


def _remark(tensor: Tensor) -> None:
    """Strides and offset "must be >= 0"; a stride that leads nowhere does not matter."""
    negative = [f"the offset is {tensor.offset}"] if tensor.offset < 0 else []
    for dim, (size, stride) in enumerate(zip(tensor.shape, tensor.strides, strict=True)):
        if stride < 0 and size > 1:
            negative.append(f"the stride of dimension {dim} is {stride}")
    if negative and 0 not in tensor.shape:
        current().undefined("neg-stride-offset", f"{tensor}: {', '.join(negative)}.")


def _give_array(values: Sequence[int], array: Out[int], count: Out[int]) -> None:
    current().kept.append(array.store_array(values, c_int64))
    count.store(len(values))


def _asked(tensor: int, **outputs: Out[int]) -> Tensor:
    """The tensor of a getter; "any NULL argument -> 161001"."""
    found = lookup(tensor, Tensor, "tensor")
    for name, out in outputs.items():
        if out.null:
            raise null_object(current().thread().call, name)
    return found


@acl_api(META)
def aclGetViewShape(tensor: c.const_aclTensor_p, viewDims: c.int64_t_pp, viewDimsNum: c.uint64_t_p) -> c.aclnnStatus:
    """The view shape: `*viewDims` points to a new array of `*viewDimsNum` sizes, which lives as long as the machine.

    Returns:
        ACLNN_SUCCESS: the answer is written.
        ACLNN_ERR_PARAM_NULLPTR
        ACLNN_ERR_RUNTIME_ERROR: `tensor` is gone, and the machine only reports.
    """
    found = _asked(tensor, viewDims=viewDims, viewDimsNum=viewDimsNum)
    _give_array(found.shape, viewDims, viewDimsNum)


@acl_api(META)
def aclGetStorageShape(
    tensor: c.const_aclTensor_p, storageDims: c.int64_t_pp, storageDimsNum: c.uint64_t_p
) -> c.aclnnStatus:
    """The storage shape, in a new array as with aclGetViewShape.

    Returns:
        ACLNN_SUCCESS: the answer is written.
        ACLNN_ERR_PARAM_NULLPTR
        ACLNN_ERR_RUNTIME_ERROR: `tensor` is gone, and the machine only reports.
    """
    found = _asked(tensor, storageDims=storageDims, storageDimsNum=storageDimsNum)
    _give_array(found.storage_shape, storageDims, storageDimsNum)


@acl_api(META)
def aclGetViewStrides(
    tensor: c.const_aclTensor_p, stridesValue: c.int64_t_pp, stridesNum: c.uint64_t_p
) -> c.aclnnStatus:
    """The strides, in elements, in a new array as with aclGetViewShape.

    Returns:
        ACLNN_SUCCESS: the answer is written.
        ACLNN_ERR_PARAM_NULLPTR
        ACLNN_ERR_RUNTIME_ERROR: `tensor` is gone, and the machine only reports.
    """
    found = _asked(tensor, stridesValue=stridesValue, stridesNum=stridesNum)
    _give_array(found.strides, stridesValue, stridesNum)


@acl_api(META)
def aclGetViewOffset(tensor: c.const_aclTensor_p, offset: c.int64_t_p) -> c.aclnnStatus:
    """The offset of the view in its storage, in elements.

    Returns:
        ACLNN_SUCCESS: the answer is written.
        ACLNN_ERR_PARAM_NULLPTR
        ACLNN_ERR_RUNTIME_ERROR: `tensor` is gone, and the machine only reports.
    """
    offset.store(_asked(tensor, offset=offset).offset)


@acl_api(META)
def aclGetFormat(tensor: c.const_aclTensor_p, format: c.aclFormat_p) -> c.aclnnStatus:
    """The view format, an aclFormat.

    Returns:
        ACLNN_SUCCESS: the answer is written.
        ACLNN_ERR_PARAM_NULLPTR
        ACLNN_ERR_RUNTIME_ERROR: `tensor` is gone, and the machine only reports.
    """
    found = _asked(tensor, format=format)
    format.store(found.format if found.format in _FORMATS else aclFormat.ACL_FORMAT_UNDEFINED)


@acl_api(META)
def aclGetDataType(tensor: c.const_aclTensor_p, dataType: c.aclDataType_p) -> c.aclnnStatus:
    """The data type, an aclDataType; ACL_DT_UNDEFINED for one that it cannot name.

    Returns:
        ACLNN_SUCCESS: the answer is written.
        ACLNN_ERR_PARAM_NULLPTR
        ACLNN_ERR_RUNTIME_ERROR: `tensor` is gone, and the machine only reports.
    """
    found = _asked(tensor, dataType=dataType)
    dataType.store(found.dtype if found.dtype in _DATA_TYPES else aclDataType.ACL_DT_UNDEFINED)


_FORMATS = frozenset(aclFormat)
_DATA_TYPES = frozenset(aclDataType)


@acl_api(META)
def aclGetRawTensorAddr(tensor: c.const_aclTensor_p, addr: c.void_pp) -> c.aclnnStatus:
    """The base address of the tensor, without the offset.

    Returns:
        ACLNN_SUCCESS: the answer is written.
        ACLNN_ERR_PARAM_NULLPTR
        ACLNN_ERR_RUNTIME_ERROR: `tensor` is gone, and the machine only reports.
    """
    addr.store(_asked(tensor, addr=addr).address)


@acl_api(META)
def aclSetRawTensorAddr(tensor: c.aclTensor_p, addr: c.source_void_p) -> c.aclnnStatus:
    """Set the base address; null is accepted. Not between the two phases of a call.

    Returns:
        ACLNN_SUCCESS: set.
        ACLNN_ERR_PARAM_NULLPTR: `tensor` is null.
        ACLNN_ERR_RUNTIME_ERROR: `tensor` is gone, and the machine only reports.
    """
    lookup(tensor, Tensor, "tensor").address = addr.value
