"""Sign, magnitude and integer part of one tensor: Neg, Abs, Sign, Square, Floor, Ceil, Round, Trunc, Frac."""

import numpy as np

from aclnn.op import (
    ACLNN_ERR_INNER_NULLPTR, BOOL, COMPLEX, FLOAT_OR_HALF, IEEE_FLOATS, INTEGERS, REAL_FLOAT, WIDE_UNSIGNED, Arguments,
    Array, Bad, Series, T, aclDataType, becomes, demand, dtype_name, is_float, public_format, same_dtype, same_format,
    with_bf16,
)  # fmt: skip
from aclnn.ops.elementwise._family import own_type, unary

SAME_TYPE, PUBLIC = same_dtype("out", as_="self"), public_format("self", "out")
ROUNDED = with_bf16((*IEEE_FLOATS, T.ACL_INT32, T.ACL_INT64))
MEASURED = with_bf16(
    (*IEEE_FLOATS, *INTEGERS, *BOOL),
    {
        Series.A2: (T.ACL_COMPLEX64,),
        Series.A3: (T.ACL_COMPLEX64,),
        Series.A950: (T.ACL_COMPLEX64, T.ACL_COMPLEX32),
    },
)
SIZES = {T.ACL_COMPLEX64: T.ACL_FLOAT, T.ACL_COMPLEX32: T.ACL_FLOAT16}
"""the data type of the absolute value of a complex number"""


def whole(dtype: int) -> bool:
    """True for a data type without fractions, which rounding does not change."""
    return not is_float(dtype)


def size_type(a: Arguments) -> int:
    """The data type of an absolute value."""
    return SIZES.get(aclDataType(a.dtype("self")), a.dtype("self"))


def wrong_size_type(a: Arguments) -> Bad:
    expected_dtype = size_type(a)
    return None if a.dtype("out") == expected_dtype else (a.type_name("out"), dtype_name(expected_dtype))


def in_int32(a: Arguments) -> int:
    """BOOL is computed in INT32."""
    return T.ACL_INT32 if a.dtype("self") == T.ACL_BOOL else a.dtype("self")


def other_type(a: Arguments) -> Bad:
    """Checks the data type of result. `wrong_result_type` checks it for BFLOAT16."""
    same = a.dtype("result") == a.dtype("self") or a.dtype("self") == T.ACL_BF16
    return None if same else (a.type_name("result"), a.type_name("self"))


def wrong_result_type(a: Arguments) -> Bad:
    """Checks that a tensor with elements can be copied to result."""
    fine = a["self"].numel == 0 or a.dtype("result") == a.dtype("self")
    return None if fine else (a.type_name("result"), a.type_name("self"))


def sign_of(x: Array) -> Array:
    """-1, 0 or 1; NaN has the sign 0. The sign of a complex number is the number divided by its magnitude."""
    if x.dtype.kind == "c":
        size = np.abs(x)
        return np.where(size == 0, 0, x / np.where(size == 0, 1, size))
    return (x > 0).astype(x.dtype) - (x < 0).astype(x.dtype)


def squared(x: Array) -> Array:
    return x * x


def fraction(x: Array) -> Array:
    """x without its integer part; 0 for integers."""
    return x - np.trunc(x) if x.dtype.kind == "f" else x - x


def to_decimals(x: Array, *, decimals: int) -> Array:
    """x rounded to `decimals` decimal places, half to even. Negative decimals round to tens, hundreds and so on."""
    if x.dtype.kind == "i":
        return x if decimals >= 0 else to_multiple(x, 10**-decimals) if decimals > -19 else np.zeros_like(x)
    scale = x.dtype.type(f"1e{abs(decimals)}")
    return np.rint(x * scale) / scale if decimals >= 0 else np.rint(x / scale) * scale


def to_multiple(x: Array, unit: int) -> Array:
    """Integers rounded to the nearest multiple of `unit`, half to the even multiple."""
    wide = x.astype(np.int64)
    low = wide // unit
    rest = wide - low * unit
    up = (rest > unit - rest) | ((rest == unit - rest) & (low % 2 == 1))
    return ((low + up) * unit).astype(x.dtype)


neg = unary(
    __name__, "Neg", np.negative, "out = -self",
    with_bf16((T.ACL_INT8, T.ACL_INT32, T.ACL_INT64, *IEEE_FLOATS, *COMPLEX)), becomes("out"),
)  # fmt: skip
abs_ = unary(
    __name__, "Abs", np.abs, "out = the absolute value of self", MEASURED,
    demand("{0} has the data type of {1}, or that of its parts", "out", "self", bad=wrong_size_type),
    same_format("out", "self"), public_format("self"), in_place=False, result=size_type,
    copied=lambda dtype: dtype in (T.ACL_UINT8, T.ACL_BOOL),
)  # fmt: skip
sign = unary(
    __name__, "Sign", sign_of, "result = the sign of self",
    with_bf16((*IEEE_FLOATS, T.ACL_INT32, T.ACL_INT64, *COMPLEX, *BOOL)),
    demand("{0} has the data type of {1}", "result", "self", bad=other_type), compute=in_int32, out="result",
    in_place=False, most=None,
    late=[demand("{0} is BFLOAT16, as {1}", "result", "self", bad=wrong_result_type, status=ACLNN_ERR_INNER_NULLPTR,
                 provenance="public")],
)  # fmt: skip
square = unary(
    __name__, "Square", squared, "out = self * self", with_bf16((*FLOAT_OR_HALF, T.ACL_INT32, T.ACL_INT64)),
    same_format("out", "self"), early=[SAME_TYPE], in_place=False,
)  # fmt: skip
floor = unary(
    __name__, "Floor", np.floor, "out = self rounded down", with_bf16((*IEEE_FLOATS, *INTEGERS, *WIDE_UNSIGNED)),
    early=[SAME_TYPE], late=[PUBLIC], copied=whole,
)  # fmt: skip
ceil = unary(__name__, "Ceil", np.ceil, "out = self rounded up", REAL_FLOAT, early=[SAME_TYPE])
round_ = unary(
    __name__,
    "Round",
    np.rint,
    "out = self rounded to the nearest integer, half to even",
    ROUNDED,
    SAME_TYPE,
    late=[PUBLIC],
    copied=whole,
)
round_decimals = unary(
    __name__, "RoundDecimals", to_decimals, "out = self rounded to `decimals` decimal places, half to even", ROUNDED,
    SAME_TYPE, late=[PUBLIC], attributes=("decimals",),
)  # fmt: skip
trunc = unary(
    __name__, "Trunc", np.trunc, "out = self rounded toward 0",
    with_bf16(FLOAT_OR_HALF, {Series.A950: (T.ACL_INT8, T.ACL_UINT8, T.ACL_INT32)}), SAME_TYPE, copied=whole,
)  # fmt: skip
frac = unary(
    __name__, "Frac", fraction, "out = input - its integer part", with_bf16((*FLOAT_OR_HALF, *INTEGERS)),
    early=[same_dtype("out", as_="input")], name="input", compute=own_type("input"),
)  # fmt: skip
