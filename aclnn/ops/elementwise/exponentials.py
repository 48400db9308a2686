"""Exponentials, logarithms and roots of one tensor.

The functions differ in three ways: the data types that they list, the check of the data type of out, and the data type
in which they compute integers.
"""

import numpy as np

from aclnn.op import (
    BF16, BOOL, COMPLEX, EVERY, FLOAT_OR_COMPLEX, FLOAT_OR_HALF, IEEE_FLOATS, INTEGERS, REAL, REAL_FLOAT, SHORT_FLOAT,
    Arguments, Array, Bad, DataTypes, T, becomes, castable, demand, dtype_name, same_format, same_shape, with_bf16,
)  # fmt: skip
from aclnn.ops.elementwise._family import as_out, float_of, in_float, out_among, unary

FLOAT_OUT = out_among(FLOAT_OR_COMPLEX)


def in_float_or_double(a: Arguments) -> int | None:
    """INT64 is computed in DOUBLE, other integers in FLOAT."""
    return T.ACL_DOUBLE if a.dtype("self") == T.ACL_INT64 else float_of(a.dtype("self"))


def in_float_bf16_too(a: Arguments) -> int | None:
    """BFLOAT16 and integers are computed in FLOAT."""
    return T.ACL_FLOAT if a.dtype("self") == T.ACL_BF16 else float_of(a.dtype("self"))


def wrong_type_of_log10(a: Arguments) -> Bad:
    """Checks that out has the data type of a float input, or FLOAT for an integer input."""
    expected_dtype = float_of(a.dtype("self")) or T.ACL_FLOAT
    return None if a.dtype("out") == expected_dtype else (a.type_name("out"), dtype_name(expected_dtype))


def reciprocal_root(x: Array) -> Array:
    return 1 / np.sqrt(x)


def inverse(x: Array) -> Array:
    return 1 / x


exp = unary(
    __name__, "Exp", np.exp, "out = e to the power self", with_bf16((*IEEE_FLOATS, *COMPLEX, T.ACL_INT64, *BOOL)),
    becomes("out"), compute=in_float(), twin=FLOAT_OR_COMPLEX,
)  # fmt: skip
exp2 = unary(
    __name__, "Exp2", np.exp2, "out = 2 to the power self", REAL, becomes("out"), compute=in_float_bf16_too,
    twin=REAL_FLOAT,
)  # fmt: skip
expm1 = unary(
    __name__, "Expm1", np.expm1, "out = e to the power self, minus 1", with_bf16((*FLOAT_OR_HALF, T.ACL_INT64, *BOOL)),
    becomes("out"), early=[same_shape("out", "self")], compute=in_float(), twin=SHORT_FLOAT,
)  # fmt: skip
log = unary(
    __name__, "Log", np.log, "out = the natural logarithm of self", EVERY, FLOAT_OUT, castable("self", "out"),
    compute=in_float(), twin=FLOAT_OR_COMPLEX,
)  # fmt: skip
log2 = unary(
    __name__, "Log2", np.log2, "out = the logarithm of self to base 2", EVERY, FLOAT_OUT, castable("self", "out"),
    compute=in_float(), twin=FLOAT_OR_COMPLEX,
)  # fmt: skip
log10 = unary(
    __name__, "Log10", np.log10, "out = the logarithm of self to base 10",
    DataTypes((*IEEE_FLOATS, *INTEGERS, *BOOL, *COMPLEX, *BF16)),
    demand("{0} has the data type of {1}, or FLOAT if that is no float", "out", "self", bad=wrong_type_of_log10),
    compute=in_float(), twin=FLOAT_OR_COMPLEX,
)  # fmt: skip
log1p = unary(
    __name__, "Log1p", np.log1p, "out = the natural logarithm of self + 1", REAL, out_among(REAL_FLOAT),
    compute=as_out(), twin=REAL_FLOAT,
)  # fmt: skip
sqrt = unary(
    __name__, "Sqrt", np.sqrt, "out = the square root of self", EVERY, becomes("out"), compute=in_float_or_double,
    twin=FLOAT_OR_COMPLEX,
)  # fmt: skip
rsqrt = unary(
    __name__,
    "Rsqrt",
    reciprocal_root,
    "out = 1 / the square root of self",
    EVERY,
    FLOAT_OUT,
    compute=as_out(),
    twin=FLOAT_OR_COMPLEX,
)
reciprocal = unary(
    __name__, "Reciprocal", inverse, "out = 1 / self", EVERY, FLOAT_OUT, same_format("out", "self"), compute=in_float(),
    twin=FLOAT_OR_COMPLEX,
)  # fmt: skip
