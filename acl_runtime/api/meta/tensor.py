"""aclnn/acl_meta.h: tensors."""

from collections.abc import Sequence
from ctypes import c_int64
from struct import unpack
from typing import TypeAlias

import acl_runtime.abi.c as c
from acl_runtime.abi.pointers import Out
from acl_runtime.api.meta.objects import destroy, lookup, take
from acl_runtime.api.refusals import null_object
from acl_runtime.boundary import acl_api
from acl_runtime.headers.enums import aclDataType, aclFormat
from acl_runtime.headers.handles import aclTensor
from acl_runtime.machine.current import current
from acl_runtime.memory import host
from acl_runtime.objects.handle_table import Tensor, View, row_major, view_of
from acl_runtime.text import Text

META = "aclnn/acl_meta.h"
TensorParts: TypeAlias = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], View, bool]
"""shape, strides, storage, view, and True if neither a stride nor the offset is negative"""


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
    """Create a tensor: a view of device memory. The tensor does not own the memory.

    The storage begins at `tensorData` and has the shape `storageDims`. The view begins `offset` elements after that,
    and has the shape `viewDims` and the strides `stride`, in elements. Null strides mean row-major strides of the view.

    The result is null if a shape is null while its count is not 0. The function checks nothing else; each operator
    checks its own requirements.
    """
    if (viewDims.null and viewDimsNum) or (storageDims.null and storageDimsNum):
        return aclTensor()  # "Silent: no error text is recorded for the null-dims case"
    one, two, three = viewDims.address, stride.address, storageDims.address
    raw = host.read_three(one, 8 * viewDimsNum, two, 8 * viewDimsNum, three, 8 * storageDimsNum) if two else None
    if raw is not None:
        shape, strides, storage, view, right = parts_of_bytes(raw, viewDimsNum, dataType, offset, format)
    else:
        shape = take(viewDims, viewDimsNum, "viewDims") if viewDimsNum else ()
        strides = row_major(shape) if stride.null else take(stride, viewDimsNum, "stride")
        storage = take(storageDims, storageDimsNum, "storageDims") if storageDimsNum else ()
        view, right = None, False
    tensor = Tensor(shape, dataType, strides, offset, format, storage, tensorData.value, view=view)
    number = current().handles.add(tensor)
    if not right:
        _report_negative(tensor)
    return aclTensor(number)


def parts_of_bytes(raw: bytes, dims: int, dtype: int, offset: int, format: int) -> TensorParts:
    """The parts of a tensor from the bytes of three arrays in C."""
    values = unpack(f"{len(raw) // 8}q", raw)
    shape, strides, storage = values[:dims], values[dims : 2 * dims], values[2 * dims :]
    view = view_of(shape, dtype, strides, offset, (format, format), storage)
    return shape, strides, storage, view, min(offset, *strides) >= 0 if strides else offset >= 0


@acl_api(META)
def aclDestroyTensor(tensor: c.const_aclTensor_p) -> c.aclnnStatus:
    """Destroy a tensor; its device memory stays. Destroying a tensor twice is undefined.

    Returns:
        ACLNN_SUCCESS: destroyed, or `tensor` is null.
        ACLNN_ERR_RUNTIME_ERROR: already destroyed (only if the machine reports findings instead of raising them).
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
    """Change a tensor. A null or empty shape leaves the old shape, and a null address leaves the old address.
    Data type, format and offset are always overwritten. Null strides mean row-major strides of the view.

    Returns:
        ACLNN_SUCCESS: set.
        ACLNN_ERR_PARAM_NULLPTR: `tensor` is null.
        ACLNN_ERR_RUNTIME_ERROR: `tensor` was destroyed (only if the machine reports findings instead of raising them).
    """
    live_tensor = lookup(tensor, Tensor, "tensor")
    shape, storage = live_tensor.shape, live_tensor.storage_shape
    if not viewDims.null and viewDimsNum:
        shape = take(viewDims, viewDimsNum, "viewDims")
    strides = row_major(shape) if stride.null else take(stride, len(shape), "stride")
    if not storageDims.null and storageDimsNum:
        storage = take(storageDims, storageDimsNum, "storageDims")
    if tensorDataAddr.value:
        live_tensor.address = tensorDataAddr.value
    live_tensor.describe(shape, dataType, strides, offset, format, storage)
    current().repeated.clear()
    _report_negative(live_tensor)


def _report_negative(tensor: Tensor) -> None:
    """Report `neg-stride-offset`: strides and offset "must be >= 0". The stride of a size of 1 is not used."""
    if tensor.offset >= 0 and min(tensor.strides, default=0) >= 0:
        return  # quick return: aclCreateTensor is called often
    negative = [Text("the offset is {offset}", offset=tensor.offset)] if tensor.offset < 0 else []
    for dim, (size, stride) in enumerate(zip(tensor.shape, tensor.strides, strict=True)):
        if stride < 0 and size > 1:
            negative.append(Text("the stride of dimension {dim} is {stride}", dim=dim, stride=stride))
    if negative and 0 not in tensor.shape:
        reasons = Text.chain("{reason}, {reasons}", negative)
        current().undefined("neg-stride-offset", Text("{tensor}: {negative}.", tensor=tensor, negative=reasons))


def _give_array(values: Sequence[int], array: Out[int], count: Out[int]) -> None:
    current().kept.append(array.store_array(values, c_int64))
    count.store(len(values))


def _queried(tensor: int, **outputs: Out[int]) -> Tensor:
    """The tensor of a getter; 161001 if an argument is null."""
    live_tensor = lookup(tensor, Tensor, "tensor")
    for name, out in outputs.items():
        if out.null:
            raise null_object(current().thread().call, name)
    return live_tensor


@acl_api(META)
def aclGetViewShape(tensor: c.const_aclTensor_p, viewDims: c.int64_t_pp, viewDimsNum: c.uint64_t_p) -> c.aclnnStatus:
    """Query the view shape: `*viewDims` points to a new array of `*viewDimsNum` sizes, which the machine owns.

    Some operators, such as aclnnNonzero, set the shape of their result when they run. Wait for the stream first.

    Returns:
        ACLNN_SUCCESS: the outputs are written.
        ACLNN_ERR_PARAM_NULLPTR
        ACLNN_ERR_RUNTIME_ERROR: `tensor` was destroyed (only if the machine reports findings instead of raising them).
    """
    live_tensor = _queried(tensor, viewDims=viewDims, viewDimsNum=viewDimsNum)
    current().read_shape(live_tensor)
    _give_array(live_tensor.shape, viewDims, viewDimsNum)


@acl_api(META)
def aclGetStorageShape(
    tensor: c.const_aclTensor_p, storageDims: c.int64_t_pp, storageDimsNum: c.uint64_t_p
) -> c.aclnnStatus:
    """Query the storage shape, in a new array like that of aclGetViewShape.

    Returns:
        ACLNN_SUCCESS: the outputs are written.
        ACLNN_ERR_PARAM_NULLPTR
        ACLNN_ERR_RUNTIME_ERROR: `tensor` was destroyed (only if the machine reports findings instead of raising them).
    """
    live_tensor = _queried(tensor, storageDims=storageDims, storageDimsNum=storageDimsNum)
    _give_array(live_tensor.storage_shape, storageDims, storageDimsNum)


@acl_api(META)
def aclGetViewStrides(
    tensor: c.const_aclTensor_p, stridesValue: c.int64_t_pp, stridesNum: c.uint64_t_p
) -> c.aclnnStatus:
    """Query the strides, in elements, in a new array like that of aclGetViewShape.

    Returns:
        ACLNN_SUCCESS: the outputs are written.
        ACLNN_ERR_PARAM_NULLPTR
        ACLNN_ERR_RUNTIME_ERROR: `tensor` was destroyed (only if the machine reports findings instead of raising them).
    """
    live_tensor = _queried(tensor, stridesValue=stridesValue, stridesNum=stridesNum)
    current().read_shape(live_tensor)
    _give_array(live_tensor.strides, stridesValue, stridesNum)


@acl_api(META)
def aclGetViewOffset(tensor: c.const_aclTensor_p, offset: c.int64_t_p) -> c.aclnnStatus:
    """Query the offset of the view in its storage, in elements.

    Returns:
        ACLNN_SUCCESS: the outputs are written.
        ACLNN_ERR_PARAM_NULLPTR
        ACLNN_ERR_RUNTIME_ERROR: `tensor` was destroyed (only if the machine reports findings instead of raising them).
    """
    offset.store(_queried(tensor, offset=offset).offset)


@acl_api(META)
def aclGetFormat(tensor: c.const_aclTensor_p, format: c.aclFormat_p) -> c.aclnnStatus:
    """Query the view format, an aclFormat; ACL_FORMAT_UNDEFINED if its number is no aclFormat.

    Returns:
        ACLNN_SUCCESS: the outputs are written.
        ACLNN_ERR_PARAM_NULLPTR
        ACLNN_ERR_RUNTIME_ERROR: `tensor` was destroyed (only if the machine reports findings instead of raising them).
    """
    live_tensor = _queried(tensor, format=format)
    format.store(live_tensor.format if live_tensor.format in _FORMATS else aclFormat.ACL_FORMAT_UNDEFINED)


@acl_api(META)
def aclGetDataType(tensor: c.const_aclTensor_p, dataType: c.aclDataType_p) -> c.aclnnStatus:
    """Query the data type, an aclDataType; ACL_DT_UNDEFINED if its number is no aclDataType.

    Returns:
        ACLNN_SUCCESS: the outputs are written.
        ACLNN_ERR_PARAM_NULLPTR
        ACLNN_ERR_RUNTIME_ERROR: `tensor` was destroyed (only if the machine reports findings instead of raising them).
    """
    live_tensor = _queried(tensor, dataType=dataType)
    dataType.store(live_tensor.dtype if live_tensor.dtype in _DATA_TYPES else aclDataType.ACL_DT_UNDEFINED)


_FORMATS = frozenset(aclFormat)
_DATA_TYPES = frozenset(aclDataType)


@acl_api(META)
def aclGetRawTensorAddr(tensor: c.const_aclTensor_p, addr: c.void_pp) -> c.aclnnStatus:
    """Query the base address of the tensor, without the offset.

    Returns:
        ACLNN_SUCCESS: the outputs are written.
        ACLNN_ERR_PARAM_NULLPTR
        ACLNN_ERR_RUNTIME_ERROR: `tensor` was destroyed (only if the machine reports findings instead of raising them).
    """
    addr.store(_queried(tensor, addr=addr).address)


@acl_api(META)
def aclSetRawTensorAddr(tensor: c.aclTensor_p, addr: c.source_void_p) -> c.aclnnStatus:
    """Set the base address; null is accepted. Do not call this function between the two phases of an operator.

    Returns:
        ACLNN_SUCCESS: set.
        ACLNN_ERR_PARAM_NULLPTR: `tensor` is null.
        ACLNN_ERR_RUNTIME_ERROR: `tensor` was destroyed (only if the machine reports findings instead of raising them).
    """
    lookup(tensor, Tensor, "tensor").address = addr.value
