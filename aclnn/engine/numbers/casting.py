"""The cast from one data type to another, for promotion, results and aclnnCast.

Arrays have the types of numpy and ml_dtypes, which lack two data types. COMPLEX32 is computed in complex64, and a cast
to COMPLEX32 rounds each part to float16. In memory COMPLEX32 is a pair of float16; `unpack_complex32` and
`pack_complex32` convert it. INT4 is computed in int8, from -8 to 7; `unpack_int4` and `pack_int4` convert it.
"""

from typing import Any, Final, cast

import numpy as np

from acl_runtime.headers.dtype_names import dtype_name
from acl_runtime.headers.dtypes import Array, numpy_dtype
from acl_runtime.headers.enums import aclDataType
from acl_runtime.objects.soc import Series
from aclnn.engine.numbers.rounding import narrowed, widen
from aclnn.engine.numbers.truncation import truncated

_OF_ML_DTYPES: Final = {
    aclDataType.ACL_FLOAT6_E3M2: "float6_e3m2fn",
    aclDataType.ACL_FLOAT6_E2M3: "float6_e2m3fn",
    aclDataType.ACL_FLOAT4_E2M1: "float4_e2m1fn",
}
"""data types with packed elements in memory, and the types of their arrays, with one byte for each element"""
_THROUGH_HALF: Final = (Series.A2, Series.A3, Series.TRAINING, Series.INFERENCE)
"""products on which INT32 is cast to INT8 by way of FLOAT16"""
_HALF: Final = np.dtype(np.float16)
_SINGLE: Final = np.dtype(np.float32)


def array_dtype(data_type: int) -> np.dtype[Any]:
    """The array type in which a data type is computed. Raises TypeError if there is none."""
    if data_type == aclDataType.ACL_INT4:
        return np.dtype(np.int8)
    if data_type == aclDataType.ACL_COMPLEX32:
        return np.dtype(np.complex64)
    dtype = numpy_dtype(data_type)
    if dtype is None and data_type in _OF_ML_DTYPES:
        import ml_dtypes  # a third of numpy's own import time, and few programs need it

        dtype = np.dtype(getattr(ml_dtypes, _OF_ML_DTYPES[aclDataType(data_type)]))
    if dtype is None:
        raise TypeError(f"there is no arithmetic for {dtype_name(data_type)}")
    return dtype


def cast_to(array: Array, target: int, series: Series) -> Array:
    """The values cast to the data type `target`, as an array of type `array_dtype(target)`.

    Floats are rounded half to even once. Integers of more than 16 bits are cast by way of float32 to floats of at most
    16 bits. The argument is never changed."""
    dtype = array_dtype(target)
    with np.errstate(all="ignore"):
        if dtype.kind == "b":
            return cast("Array", np.not_equal(array, 0))
        if dtype.kind == "c":
            return _as_complex(array, target, dtype)
        real: Array = np.real(array) if array.dtype.kind == "c" else array
        if dtype.kind in "iu":
            integers = _as_integer(real, dtype, series)
            return _low_nibble(integers) if target == aclDataType.ACL_INT4 else integers
        return _as_float(real, dtype)


def _as_float(array: Array, dtype: np.dtype[Any]) -> Array:
    """Real numbers cast to floats."""
    if array.dtype.kind in "biu":
        if dtype.itemsize >= 4:
            return array.astype(dtype)
        array = array.astype(_SINGLE)
    return narrowed(array, dtype)


def _as_complex(array: Array, target: int, dtype: np.dtype[Any]) -> Array:
    """Numbers cast to complex numbers. Each part is rounded once."""
    part = np.dtype(np.float64) if dtype.itemsize == 16 else _SINGLE
    rounded_part = _HALF if target == aclDataType.ACL_COMPLEX32 else part
    result = np.zeros(array.shape, dtype)
    result.real = _as_float(np.real(array) if array.dtype.kind == "c" else array, rounded_part)
    if array.dtype.kind == "c":
        result.imag = _as_float(np.imag(array), rounded_part)
    return result


def _as_integer(array: Array, dtype: np.dtype[Any], series: Series) -> Array:
    """Real numbers cast to integers. Floats are truncated, integers keep their low bits."""
    if array.dtype.kind == "b":
        return array.astype(dtype)
    if array.dtype.kind in "iu":
        if not (array.dtype == np.int32 and dtype == np.int8 and series in _THROUGH_HALF):
            return array.astype(dtype)
        array = array.astype(_HALF)
    return truncated(widen(array), dtype)


def _low_nibble(values: Array) -> Array:
    """The low four bits of int8 as signed numbers."""
    return cast("Array", ((values & 15) ^ 8) - 8)


def unpack_int4(packed: Array, count: int) -> Array:
    """The first `count` elements, two from each byte. The low four bits are the even element."""
    pairs = np.ascontiguousarray(packed).reshape(-1).view(np.int8)
    elements: Array = np.stack((pairs, pairs >> 4), -1).reshape(-1)[:count]
    return _low_nibble(elements)


def pack_int4(values: Array) -> Array:
    """The bytes of the elements. Each byte has the low four bits of two elements. If the count is odd, the last half is
    0."""
    nibbles: Array = np.zeros(values.size + values.size % 2, np.uint8)
    nibbles[: values.size] = values.reshape(-1).astype(np.uint8) & 15
    return cast("Array", nibbles[::2] | nibbles[1::2] << 4)


def unpack_complex32(pairs: Array) -> Array:
    """complex64 from pairs of float16 in the last dimension, real part first."""
    return cast("Array", np.ascontiguousarray(widen(pairs)).view(np.complex64)[..., 0])


def pack_complex32(values: Array) -> Array:
    """Pairs of float16 in a last dimension of 2. Each part is rounded once."""
    parts = (_as_float(np.real(values), _HALF), _as_float(np.imag(values), _HALF))
    return cast("Array", np.stack(parts, -1))
