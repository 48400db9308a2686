"""aclnn/acl_meta.h: scalars, arrays, lists."""

import acl_runtime.abi.c as c
from acl_runtime.abi.pointers import Out, Values
from acl_runtime.api.meta.objects import destroy, destroy_list, lookup, take, value_bytes
from acl_runtime.api.refusals import null_object
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError
from acl_runtime.headers.dtype_names import dtype_name
from acl_runtime.headers.dtypes import nbytes
from acl_runtime.headers.handles import (
    aclBoolArray,
    aclFloatArray,
    aclIntArray,
    aclScalar,
    aclScalarList,
    aclTensorList,
)
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACLNN_ERR_PARAM_INVALID
from acl_runtime.machine.current import current
from acl_runtime.objects.handle_table import (
    BoolArray,
    FloatArray,
    HostArray,
    IntArray,
    Scalar,
    ScalarList,
    TensorList,
    ThingList,
)

META = "aclnn/acl_meta.h"
SCALAR_TYPES = frozenset({0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 16, 17, 27, *range(34, 42)})


@acl_api(META)
def aclCreateScalar(value: c.source_void_p, dataType: c.aclDataType) -> c.new_aclScalar:
    """Create a scalar with a copy of the value that `value` points to.

    The result is null if `value` is null, or if no scalar can have the data type (text: EZ1006).
    """
    if not value.value:
        return aclScalar()
    if dataType not in SCALAR_TYPES:
        allowed = ",".join(dtype_name(scalar_type) for scalar_type in sorted(SCALAR_TYPES))
        item = Item("EZ1006", ("aclCreateScalar", dtype_name(dataType), f"[{allowed},]"))
        raise AclError(ACLNN_ERR_PARAM_INVALID, item, Item("EZ9999", ("aclCreateScalar error.",)))
    raw = value_bytes(value, nbytes(1, dataType), "value")
    return aclScalar(current().handles.add(Scalar(raw, dataType)))


@acl_api(META)
def aclDestroyScalar(scalar: c.const_aclScalar_p) -> c.aclnnStatus:
    """Destroy a scalar. Destroying a scalar twice is undefined.

    Returns:
        ACLNN_SUCCESS: destroyed, or `scalar` is null.
        ACLNN_ERR_RUNTIME_ERROR: already destroyed (only if the machine reports findings instead of raising them).
    """
    destroy(scalar, Scalar, "scalar")


def _copied(value: Values, size: int) -> tuple[int, ...]:
    """The values of an array; none if `value` is null or `size` is 0."""
    return () if value.null or not size else take(value, size, "value")


@acl_api(META)
def aclCreateIntArray(value: c.const_int64_t_p, size: c.uint64_t) -> c.new_aclIntArray:
    """Create an array with a copy of `size` int64_t values; empty if `value` is null or `size` is 0."""
    return aclIntArray(current().handles.add(IntArray(_copied(value, size))))


@acl_api(META)
def aclCreateFloatArray(value: c.const_float_p, size: c.uint64_t) -> c.new_aclFloatArray:
    """Create an array with a copy of `size` float values; empty if `value` is null or `size` is 0."""
    return aclFloatArray(current().handles.add(FloatArray(_copied(value, size))))


@acl_api(META)
def aclCreateBoolArray(value: c.const_bool_p, size: c.uint64_t) -> c.new_aclBoolArray:
    """Create an array with a copy of `size` bool values; empty if `value` is null or `size` is 0."""
    return aclBoolArray(current().handles.add(BoolArray(_copied(value, size))))


@acl_api(META)
def aclDestroyIntArray(array: c.const_aclIntArray_p) -> c.aclnnStatus:
    """Destroy an array. Destroying an array twice is undefined.

    Returns:
        ACLNN_SUCCESS: destroyed, or `array` is null.
        ACLNN_ERR_RUNTIME_ERROR: already destroyed (only if the machine reports findings instead of raising them).
    """
    destroy(array, IntArray, "array")


@acl_api(META)
def aclDestroyFloatArray(array: c.const_aclFloatArray_p) -> c.aclnnStatus:
    """Destroy an array. Destroying an array twice is undefined.

    Returns:
        ACLNN_SUCCESS: destroyed, or `array` is null.
        ACLNN_ERR_RUNTIME_ERROR: already destroyed (only if the machine reports findings instead of raising them).
    """
    destroy(array, FloatArray, "array")


@acl_api(META)
def aclDestroyBoolArray(array: c.const_aclBoolArray_p) -> c.aclnnStatus:
    """Destroy an array. Destroying an array twice is undefined.

    Returns:
        ACLNN_SUCCESS: destroyed, or `array` is null.
        ACLNN_ERR_RUNTIME_ERROR: already destroyed (only if the machine reports findings instead of raising them).
    """
    destroy(array, BoolArray, "array")


def _size(number: int, kind: type[HostArray] | type[ThingList], size: Out[int], parameter: str) -> None:
    thing = lookup(number, kind, parameter)
    if size.null:
        raise null_object(current().thread().call, "size")
    size.store(len(thing.members if isinstance(thing, ThingList) else thing.values))


@acl_api(META)
def aclGetIntArraySize(array: c.const_aclIntArray_p, size: c.uint64_t_p) -> c.aclnnStatus:
    """Query the number of values of an array.

    Returns:
        ACLNN_SUCCESS: `*size` is written.
        ACLNN_ERR_PARAM_NULLPTR
        ACLNN_ERR_RUNTIME_ERROR: `array` was destroyed (only if the machine reports findings instead of raising them).
    """
    _size(array, IntArray, size, "array")


@acl_api(META)
def aclGetFloatArraySize(array: c.const_aclFloatArray_p, size: c.uint64_t_p) -> c.aclnnStatus:
    """Query the number of values of an array.

    Returns:
        ACLNN_SUCCESS: `*size` is written.
        ACLNN_ERR_PARAM_NULLPTR
        ACLNN_ERR_RUNTIME_ERROR: `array` was destroyed (only if the machine reports findings instead of raising them).
    """
    _size(array, FloatArray, size, "array")


@acl_api(META)
def aclGetBoolArraySize(array: c.const_aclBoolArray_p, size: c.uint64_t_p) -> c.aclnnStatus:
    """Query the number of values of an array.

    Returns:
        ACLNN_SUCCESS: `*size` is written.
        ACLNN_ERR_PARAM_NULLPTR
        ACLNN_ERR_RUNTIME_ERROR: `array` was destroyed (only if the machine reports findings instead of raising them).
    """
    _size(array, BoolArray, size, "array")


@acl_api(META)
def aclCreateTensorList(value: c.aclTensors, size: c.uint64_t) -> c.new_aclTensorList:
    """Create a list of the handles of tensors, without copies. Destroying the list destroys the tensors."""
    return aclTensorList(current().handles.add(TensorList(_copied(value, size))))


@acl_api(META)
def aclCreateScalarList(value: c.aclScalars, size: c.uint64_t) -> c.new_aclScalarList:
    """Create a list of the handles of scalars, without copies. Destroying the list destroys the scalars."""
    return aclScalarList(current().handles.add(ScalarList(_copied(value, size))))


@acl_api(META)
def aclDestroyTensorList(array: c.const_aclTensorList_p) -> c.aclnnStatus:
    """Destroy a list and all its members. Do not destroy the members separately.

    Returns:
        ACLNN_SUCCESS: destroyed, or `array` is null.
        ACLNN_ERR_RUNTIME_ERROR: the list or a member is already destroyed (only if the machine reports findings instead
            of raising them).
    """
    destroy_list(array, TensorList, "array")


@acl_api(META)
def aclDestroyScalarList(array: c.const_aclScalarList_p) -> c.aclnnStatus:
    """Destroy a list and all its members. Do not destroy the members separately.

    Returns:
        ACLNN_SUCCESS: destroyed, or `array` is null.
        ACLNN_ERR_RUNTIME_ERROR: the list or a member is already destroyed (only if the machine reports findings instead
            of raising them).
    """
    destroy_list(array, ScalarList, "array")


@acl_api(META)
def aclGetTensorListSize(tensorList: c.const_aclTensorList_p, size: c.uint64_t_p) -> c.aclnnStatus:
    """Query the number of members of a list.

    Returns:
        ACLNN_SUCCESS: `*size` is written.
        ACLNN_ERR_PARAM_NULLPTR
        ACLNN_ERR_RUNTIME_ERROR: `tensorList` was destroyed (only if the machine reports findings instead of raising
            them).
    """
    _size(tensorList, TensorList, size, "tensorList")


@acl_api(META)
def aclGetScalarListSize(scalarList: c.const_aclScalarList_p, size: c.uint64_t_p) -> c.aclnnStatus:
    """Query the number of members of a list.

    Returns:
        ACLNN_SUCCESS: `*size` is written.
        ACLNN_ERR_PARAM_NULLPTR
        ACLNN_ERR_RUNTIME_ERROR: `scalarList` was destroyed (only if the machine reports findings instead of raising
            them).
    """
    _size(scalarList, ScalarList, size, "scalarList")
