"""acl/acl_base_rt.h: sizes of data types, half precision."""

import math
import struct
from ctypes import c_float
from typing import Final

import acl_runtime.abi.c as c
from acl_runtime.boundary import acl_api
from acl_runtime.headers.dtype_names import bits
from acl_runtime.headers.enums import aclDataType as T

HEADER: Final = "acl/acl_base_rt.h"
NO_SIZE: Final = (T.ACL_DT_UNDEFINED, T.ACL_STRING)
NOT_PACKED: Final = (T.ACL_UINT1, T.ACL_INT4)
OTHERS: Final = 8
"""bytes of "everything unknown, and the 6-bit/4-bit float types" """
LARGEST_HALF: Final = 65504.0


@acl_api(HEADER)
def aclDataTypeSize(dataType: c.aclDataType) -> c.size_t_result:
    """The size of one element in bytes: 1 for UINT1 and INT4, 0 for STRING and UNDEFINED, 8 for the floats of 4 and 6
    bits and for every number that is no data type."""
    if dataType in NO_SIZE:
        return 0
    if dataType in NOT_PACKED:
        return 1
    whole, rest = divmod(bits(dataType), 8)
    return OTHERS if rest or dataType not in KNOWN else whole


KNOWN: Final = frozenset(T)


@acl_api(HEADER)
def aclFloat16ToFloat(value: c.aclFloat16) -> c.float_result:
    """The float of a 16-bit pattern. Infinity and NaN do not exist, so 0x7C00 is 65536."""
    sign = -1.0 if value & 0x8000 else 1.0
    exponent, fraction = value >> 10 & 0x1F, value & 0x3FF
    if exponent:
        return sign * math.ldexp(0x400 + fraction, exponent - 25)
    return sign * math.ldexp(fraction, -24)


@acl_api(HEADER)
def aclFloatToFloat16(value: c.float_) -> c.aclFloat16_result:
    """The 16-bit pattern of a float, rounded to nearest even, with subnormals. Infinity, NaN and numbers above 65504
    become 0x7BFF, or 0xFBFF with a negative sign."""
    number = c_float(value).value
    if not abs(number) <= LARGEST_HALF:
        number = math.copysign(LARGEST_HALF, number)
    return int.from_bytes(struct.pack("<e", number), "little")
