"""Lists of data types that many functions share. With `with_bf16` they have BFLOAT16 on products from A2 on.

The library checks these lists; some documents list fewer types.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from acl_runtime.headers.enums import aclDataType
from acl_runtime.objects.soc import NEWER, Series
from aclnn.engine.parameters import FLOATS, DataTypes

_T = aclDataType
Types = tuple[aclDataType, ...]
BF16: Final[Types] = (_T.ACL_BF16,)
IEEE_FLOATS: Final[Types] = (_T.ACL_FLOAT, _T.ACL_FLOAT16, _T.ACL_DOUBLE)
"""without BFLOAT16, which IEEE 754 does not have"""
FLOAT_OR_HALF: Final[Types] = (_T.ACL_FLOAT, _T.ACL_FLOAT16)
HALVES: Final[Types] = (_T.ACL_FLOAT16, *BF16)
UP_TO_32_BITS: Final[Types] = (*FLOAT_OR_HALF, *BF16)
"""BFLOAT16 is listed on every product, as in HALVES"""
COMPLEX: Final[Types] = (_T.ACL_COMPLEX64, _T.ACL_COMPLEX128)
INTEGERS: Final[Types] = (_T.ACL_INT8, _T.ACL_INT16, _T.ACL_INT32, _T.ACL_INT64, _T.ACL_UINT8)
BOOL: Final[Types] = (_T.ACL_BOOL,)
WIDE_UNSIGNED: Final[Types] = (_T.ACL_UINT16, _T.ACL_UINT32, _T.ACL_UINT64)


def with_bf16(types: Sequence[aclDataType], on: Mapping[Series, Sequence[aclDataType]] | None = None) -> DataTypes:
    """The types, and BFLOAT16 from A2 on. `on`: further types, by product series."""
    more = {series: (*(BF16 if series in NEWER else ()), *(on or {}).get(series, ())) for series in Series}
    return DataTypes(types, more)


EVERY: Final = with_bf16((*IEEE_FLOATS, *INTEGERS, *BOOL, *COMPLEX))
REAL: Final = with_bf16((*IEEE_FLOATS, *INTEGERS, *BOOL))
REAL_OR_UNSIGNED: Final = with_bf16((*IEEE_FLOATS, *INTEGERS, *BOOL, *WIDE_UNSIGNED))
REAL_FLOAT: Final = with_bf16(IEEE_FLOATS)
FLOAT_OR_COMPLEX: Final = with_bf16((*IEEE_FLOATS, *COMPLEX))
"""floats of 16 to 64 bits, and complex types"""
SHORT_FLOAT: Final = FLOATS
"""floats of 16 and 32 bits"""
SHORT_FLOAT_OR_WHOLE: Final = with_bf16((*FLOAT_OR_HALF, *INTEGERS, *BOOL))
