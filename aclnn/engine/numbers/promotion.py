"""Type promotion: the data type of a computation with two types, and the types that a result can be cast to.

The library has one table for two tensors. For a tensor with a scalar there are several rules, of which each function
uses one. `None` means "cannot be promoted"; the functions of the library then return 161002. The value of a scalar does
not matter, except in `with_scalar_950`.
"""

from collections.abc import Sequence
from functools import cache
from typing import Final

import numpy as np

from acl_runtime.headers.dtypes import numpy_dtype
from acl_runtime.headers.enums import aclDataType

_T = aclDataType
_NAMES: Final = {
    "bool": _T.ACL_BOOL, "u8": _T.ACL_UINT8, "s8": _T.ACL_INT8, "s16": _T.ACL_INT16, "s32": _T.ACL_INT32,
    "s64": _T.ACL_INT64, "f16": _T.ACL_FLOAT16, "bf16": _T.ACL_BF16, "f32": _T.ACL_FLOAT, "f64": _T.ACL_DOUBLE,
    "c32": _T.ACL_COMPLEX32, "c64": _T.ACL_COMPLEX64, "c128": _T.ACL_COMPLEX128, "u16": _T.ACL_UINT16,
    "u32": _T.ACL_UINT32, "u64": _T.ACL_UINT64,
}  # fmt: skip
_TABLE: Final = """
bool bool u8   s8   s16  s32  s64  f16  bf16 f32  f64  c32  c64  c128 -    -    -
u8   u8   u8   s16  s16  s32  s64  f16  bf16 f32  f64  c32  c64  c128 -    -    -
s8   s8   s16  s8   s16  s32  s64  f16  bf16 f32  f64  c32  c64  c128 -    -    -
s16  s16  s16  s16  s16  s32  s64  f16  bf16 f32  f64  c32  c64  c128 -    -    -
s32  s32  s32  s32  s32  s32  s64  f16  bf16 f32  f64  c32  c64  c128 -    -    -
s64  s64  s64  s64  s64  s64  s64  f16  bf16 f32  f64  c32  c64  c128 -    -    -
f16  f16  f16  f16  f16  f16  f16  f16  f32  f32  f64  c32  c64  c128 -    -    -
bf16 bf16 bf16 bf16 bf16 bf16 bf16 f32  bf16 f32  f64  c64  c64  c128 -    -    -
f32  f32  f32  f32  f32  f32  f32  f32  f32  f32  f64  c64  c64  c128 -    -    -
f64  f64  f64  f64  f64  f64  f64  f64  f64  f64  f64  c128 c128 c128 -    -    -
c32  c32  c32  c32  c32  c32  c32  c32  c64  c64  c128 c32  c64  c128 -    -    -
c64  c64  c64  c64  c64  c64  c64  c64  c64  c64  c128 c64  c64  c128 -    -    -
c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 -    -    -
u16  -    -    -    -    -    -    -    -    -    -    -    c64  c128 u16  -    -
u32  -    -    -    -    -    -    -    -    -    -    -    c64  c128 -    u32  -
u64  -    -    -    -    -    -    -    -    -    -    -    c128 c128 -    -    u64
"""
"""The first word of a row is the first type. The columns have the order of `_NAMES`. The table is symmetric, except for
the six cells with an unsigned type first and a complex type second."""
_COMPLEX: Final = frozenset((_T.ACL_COMPLEX32, _T.ACL_COMPLEX64, _T.ACL_COMPLEX128))
_FLOAT: Final = frozenset((
    _T.ACL_FLOAT16, _T.ACL_BF16, _T.ACL_FLOAT, _T.ACL_DOUBLE, _T.ACL_HIFLOAT8, _T.ACL_FLOAT8_E5M2,
    _T.ACL_FLOAT8_E4M3FN, _T.ACL_FLOAT8_E8M0, _T.ACL_FLOAT6_E3M2, _T.ACL_FLOAT6_E2M3, _T.ACL_FLOAT4_E2M1,
    _T.ACL_FLOAT4_E1M2,
))  # fmt: skip
_WIDE_UNSIGNED: Final = frozenset((_T.ACL_UINT16, _T.ACL_UINT32, _T.ACL_UINT64))
_INTEGER: Final = _WIDE_UNSIGNED | {_T.ACL_UINT8, _T.ACL_INT8, _T.ACL_INT16, _T.ACL_INT32, _T.ACL_INT64}
_LAST_IN_TABLE: Final = 33
"""last data type in the library's table; a cell beyond it reads as 0, which is FLOAT"""
_TOLERANCE: Final = 2.0**-23


def is_complex(data_type: int) -> bool:
    """True for COMPLEX32, COMPLEX64 and COMPLEX128."""
    return data_type in _COMPLEX


def is_float(data_type: int) -> bool:
    """True for the real floats of 64 to 4 bits."""
    return data_type in _FLOAT


def is_integer(data_type: int) -> bool:
    """True for INT8 to INT64 and UINT8 to UINT64. False for BOOL and for types of fewer than 8 bits."""
    return data_type in _INTEGER


@cache
def _table() -> dict[tuple[int, int], aclDataType]:
    """The cells of the table without "-"."""
    rows = [line.split() for line in _TABLE.strip().splitlines()]
    return {
        (_NAMES[first], _NAMES[second]): _NAMES[cell]
        for first, *cells in rows
        for second, cell in zip(_NAMES, cells, strict=True)
        if cell != "-"
    }


def promote(first: int, second: int) -> aclDataType | None:
    """The data type of a computation with two tensors. Their order matters for an unsigned and a complex type."""
    try:
        a, b = aclDataType(first), aclDataType(second)
    except ValueError:
        return None
    if _T.ACL_DT_UNDEFINED in (a, b):
        return None
    if a == b:
        return a
    if max(a, b) > _LAST_IN_TABLE:
        return _T.ACL_FLOAT
    return _table().get((a, b))


def can_cast(result: int, output: int) -> bool:
    """True if a result of this type can be written to an output of this type."""
    if is_complex(result) and not is_complex(output):
        return False
    if is_float(result) and is_integer(output):
        return False
    return output != _T.ACL_BOOL or result == _T.ACL_BOOL


def with_scalar(tensor: int, scalar: int, out: int) -> aclDataType | None:
    """Rule S1, for Adds and Subs before Ascend 950. A scalar that is no float does not change the type."""
    if is_complex(tensor) or is_complex(scalar):
        return promote(tensor, scalar)
    if is_float(tensor):
        return aclDataType(tensor)
    if scalar == _T.ACL_DOUBLE and out == _T.ACL_FLOAT:
        return _T.ACL_FLOAT
    if is_float(scalar) or tensor == _T.ACL_BOOL:
        return promote(tensor, scalar)
    return aclDataType(tensor)


def with_scalar_950(tensor: int, scalar: int, exact: Sequence[float] = ()) -> aclDataType | None:
    """Rule S2, for functions with a scalar on Ascend 950.

    `exact` has the values that 16 bits must represent: those of `other` and `alpha` in Adds, Subs, Rsubs and Muls, and
    none in other functions.
    """
    promoted = mixed(tensor, scalar_of_950(scalar))
    if promoted == _T.ACL_COMPLEX32:
        return _T.ACL_COMPLEX64
    is_narrow = promoted in (_T.ACL_FLOAT16, _T.ACL_BF16)
    if promoted and is_narrow and not all(_nearly_exact(value, promoted) for value in exact):
        return _T.ACL_FLOAT
    return promoted


def scalar_of_950(scalar: int) -> int:
    """The type by which a scalar is promoted on Ascend 950: FLOAT for all floats, COMPLEX64 for all complex types."""
    return _T.ACL_COMPLEX64 if is_complex(scalar) else _T.ACL_FLOAT if is_float(scalar) else scalar


def _nearly_exact(value: float, data_type: aclDataType) -> bool:
    """True if a 16-bit float represents the value within an absolute tolerance. False for NaN and infinity."""
    with np.errstate(all="ignore"):
        single = np.float32(value)
        narrow = np.asarray(single).astype(numpy_dtype(data_type)).astype(np.float32)
        return bool(np.abs(narrow - single) <= _TOLERANCE)


def mixed(high: int, low: int) -> aclDataType | None:
    """Rule S4: `low` changes the category of the type (integer, float, complex), not the width.

    `high` is a tensor and `low` a scalar. Or both are tensors, and `low` has no dimensions.
    """
    if is_complex(high):
        return aclDataType(high)
    if is_complex(low):
        return _partner(high) if is_float(high) else aclDataType(low)
    if is_float(high):
        return aclDataType(high)
    if high == _T.ACL_BOOL or is_float(low):
        return promote(high, low)
    return aclDataType(high)


def _partner(data_type: int) -> aclDataType:
    """The complex type with parts of this float type, or COMPLEX64 if there is none."""
    return {_T.ACL_FLOAT16: _T.ACL_COMPLEX32, _T.ACL_DOUBLE: _T.ACL_COMPLEX128}.get(
        aclDataType(data_type), _T.ACL_COMPLEX64
    )


def mixed_tensors(first: int, first_rank: int, second: int, second_rank: int) -> aclDataType | None:
    """Rule S4 for two tensors. If only one of them has dimensions, the other one changes the category only."""
    if first_rank and not second_rank:
        return mixed(first, second)
    if second_rank and not first_rank:
        return mixed(second, first)
    return promote(first, second)


def lifted(tensor: int, scalar: int) -> aclDataType | None:
    """Rule S5, the rule of PyTorch. A scalar of a higher category gives the default type of its category."""
    if is_complex(tensor):
        return aclDataType(tensor)
    if is_complex(scalar):
        return _partner(tensor) if is_float(tensor) else _T.ACL_COMPLEX64
    if is_float(tensor):
        return aclDataType(tensor)
    if is_float(scalar):
        return None if tensor in _WIDE_UNSIGNED else _T.ACL_FLOAT
    if tensor == _T.ACL_BOOL and is_integer(scalar):
        return None if scalar in _WIDE_UNSIGNED else aclDataType(scalar)
    return aclDataType(tensor)
