"""Contracts of the forms of QuantMatmulV5 that have no kernel: INT8 with a weight of INT4 and yOffset, and floats of 8
bits or less on Ascend 950."""

from typing import Final

from aclnn.op import (
    ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR, HALVES, Arguments, Bad, Relation, Shape, T, demand, listed,
    one_of, only_if, ranks, shape, with_elements,
)  # fmt: skip
from aclnn.ops.matmul._family import PACKED_SCALES
from aclnn.ops.matmul._quant_contract import INT8, matrix, other_inner, packed, result

INVALID = ACLNN_ERR_PARAM_INVALID
FLOAT8: Final = (T.ACL_FLOAT8_E4M3FN, T.ACL_FLOAT8_E5M2)
FLOAT4, SHARED = T.ACL_FLOAT4_E2M1, T.ACL_FLOAT8_E8M0
SMALL: Final = (*FLOAT8, T.ACL_HIFLOAT8, FLOAT4)
OUTS: Final = (T.ACL_FLOAT16, T.ACL_BF16, T.ACL_FLOAT)
GROUP: Final = 256
"""rows of the weight that share a scale, in the form with yOffset"""
BLOCK: Final = 32
"""elements that share a scale, in the forms of Ascend 950"""


def unused(name: str, status: int = ACLNN_ERR_PARAM_NULLPTR) -> Relation:
    """Checks that a tensor of other forms is null, or empty."""

    def bad(a: Arguments) -> Bad:
        return ("a tensor", "null") if a[name].numel else None

    return demand("{0} is null or empty", name, bad=bad, status=status)


def needed(name: str, beside: str = "x1") -> Relation:
    """Checks that a tensor which the form needs is given. The status is 161002."""

    def bad(a: Arguments) -> Bad:
        return None if a.given(name) else (f"a call without {name}", name)

    return demand(f"{{0}} is given with {name}", beside, bad=bad)


# INT8 with a weight of INT4


def is_mixed(a: Arguments) -> bool:
    """True if x1 is INT8, x2 is INT4 and yOffset is given."""
    return a.dtype("x1") == INT8 and packed(a, "x2") and a.given("yOffset")


def in_groups(a: Arguments) -> bool:
    return a["groupSize"] != 0


def token_shape(a: Arguments) -> Shape:
    rows = matrix(a, "x1")[:1]
    return (*rows, 1) if in_groups(a) else rows


def group_shape(a: Arguments) -> Shape:
    k, n = matrix(a, "x2")
    return (-(-k // GROUP), n) if in_groups(a) else (n,)


MIXED: Final = only_if(
    "x1 is INT8, x2 is INT4 and yOffset is given", is_mixed, needed("x1Scale"), unused("bias", INVALID),
    listed("x1Scale", "yOffset", among=(T.ACL_FLOAT,)), listed("x2Scale", among=(T.ACL_UINT64,)),
    listed("out", among=(T.ACL_FLOAT16, T.ACL_BF16)), ranks("x1", "x2", "out", least=2, most=2),
    with_elements("x1"), with_elements("x2"), one_of("groupSize", 0, GROUP),
    demand("{0} has as many columns as x2 has rows", "x1", "x2", bad=other_inner),
    shape("x1Scale", "{0} has a number for each row", token_shape),
    shape("x2Scale", "{0} has a number for each column, or group", group_shape),
    shape("yOffset", "{0} has a number for each column", lambda a: matrix(a, "x2")[1:]),
    shape("out", "{0} has the shape of the product", result),
)  # fmt: skip


# floats of 8 bits or less


def is_small(a: Arguments) -> bool:
    return a.dtype("x1") in SMALL or a.dtype("x2") in SMALL


def is_narrow(a: Arguments) -> bool:
    """True if only the weight has floats of 4 bits."""
    return a.dtype("x1") != FLOAT4 and a.dtype("x2") == FLOAT4


def is_even(a: Arguments) -> bool:
    """True if a factor has floats of 8 bits or less, and `is_narrow` is false."""
    return is_small(a) and not is_narrow(a)


def shares(a: Arguments) -> bool:
    """True if the scales are FLOAT8_E8M0, powers of two that blocks of elements share."""
    return a.dtype("x2Scale") == SHARED


def unpaired_types(a: Arguments) -> Bad:
    first, second = a.dtype("x1"), a.dtype("x2")
    good = first == second or {first, second} <= set(FLOAT8) or (first, second) == (T.ACL_FLOAT8_E4M3FN, FLOAT4)
    return None if good else (f"{a.type_name('x1')} and {a.type_name('x2')}", "one type, FLOAT8, or E4M3FN and E2M1")


def other_scales(a: Arguments) -> Bad:
    """Checks that the scales of both factors have one data type. Packed scales exclude x1Scale."""
    scale, token = a.dtype("x2Scale"), a.given("x1Scale")
    if scale in PACKED_SCALES:
        return ("x1Scale", "no x1Scale with packed scales") if token else None
    good = scale in (T.ACL_FLOAT, SHARED) and token and a.dtype("x1Scale") == scale
    return None if good else (a.type_name("x2Scale"), "the data type of x1Scale: FLOAT or FLOAT8_E8M0")


def other_narrow_scales(a: Arguments) -> Bad:
    if shares(a):
        good = a.given("x1Scale") and a.dtype("x1Scale") == SHARED
        return None if good else (a.type_name("x2Scale"), "that of x1Scale")
    good = a.dtype("x2Scale") in HALVES and not a.given("x1Scale")
    return None if good else (a.type_name("x2Scale"), "FLOAT8_E8M0 for both, or 16 bits without x1Scale")


def odd_rows(a: Arguments) -> Bad:
    k = matrix(a, "x1")[1]
    return (k, "an even number, not 2") if a.dtype("x1") == FLOAT4 and (k % 2 or k == 2) else None


def part_blocks(a: Arguments) -> Bad:
    k = matrix(a, "x1")[1]
    return None if k and k % (2 * BLOCK) == 0 else (k, f"a multiple of {2 * BLOCK}")


def pairs_of(name: str) -> Relation:
    """Checks that scales have one number for each 32 elements of a row. FLOAT8_E8M0 scales are stored in pairs."""

    def expected_shape(a: Arguments) -> Shape | None:
        rows, k = matrix(a, "x1")[0] if name == "x1Scale" else matrix(a, "x2")[1], matrix(a, "x1")[1]
        return (rows, k // (2 * BLOCK), 2) if shares(a) else (rows, k // BLOCK)

    return shape(name, "{0} has a scale for each block", expected_shape)


def dense(name: str) -> Relation:
    def bad(a: Arguments) -> Bad:
        return None if a[name].contiguous else (f"strides {list(a[name].strides)}", "a dense tensor")

    return demand("{0} is dense", name, bad=bad, provenance="public")


def other_bias_type(a: Arguments) -> Bad:
    return None if a.dtype("bias") == a.dtype("out") else (a.type_name("bias"), a.type_name("out"))


NARROW: Final = (
    unused("x2Offset"), unused("yOffset"),
    ranks("x1", "x2", "out", least=2, most=2), one_of("transposeX1", False), one_of("transposeX2", True),
    one_of("groupSize", BLOCK),
    demand("{0} is the data type of the scales of the form", "x2Scale", bad=other_narrow_scales),
    demand("the rows of {0} are whole blocks", "x1", bad=part_blocks),
    demand("{0} has as many columns as x2 has rows", "x1", "x2", bad=other_inner),
    dense("x1Scale"), dense("x2Scale"), pairs_of("x2Scale"), pairs_of("x1Scale"),
    only_if("blocks share scales", shares, unused("yScale", INVALID),
            demand("{0} has the data type of out", "bias", bad=other_bias_type)),
    only_if("groups have scales of 16 bits", lambda a: not shares(a), needed("yScale"), unused("bias", INVALID),
            listed("yScale", among=(T.ACL_UINT64,)),
            shape("yScale", "{0} has a number for each column", lambda a: (1, matrix(a, "x2")[1]))),
)  # fmt: skip
EVEN: Final = (
    demand("{0} is the data type of both scales, or packed", "x2Scale", bad=other_scales),
    listed("bias", among=(T.ACL_FLOAT,)),
    only_if("scales are not packed", lambda a: a.dtype("x2Scale") not in PACKED_SCALES, listed("out", among=OUTS)),
    demand("the rows of {0} of FLOAT4 are whole bytes", "x1", bad=odd_rows),
    demand("{0} has as many columns as x2 has rows", "x1", "x2", bad=other_inner),
)  # fmt: skip
SMALL_FORMS: Final = (
    only_if("a factor has floats of 8 bits or less", is_small,
            demand("{0} and x2 are a pair that the product has", "x1", "x2", bad=unpaired_types)),
    only_if("the weight has 4 bits beside 8", is_narrow, *NARROW),
    only_if("both factors have floats of as many bits", is_even, *EVEN),
)  # fmt: skip
