"""Contracts of the forms of QuantMatmulV5 for floats of 8 bits or less, which Ascend 950 has."""

from typing import Final

from aclnn.op import HALVES, Arguments, Bad, Relation, Shape, T, demand, listed, one_of, only_if, ranks, shape
from aclnn.ops.blocks._contract import BLOCK, GROUP_SIZE, scale_shape
from aclnn.ops.matmul._family import PACKED_SCALES
from aclnn.ops.matmul._quant_contract import matrix, of_columns, other_inner
from aclnn.ops.matmul._quant_forms import INVALID, OF_BLOCKS, OF_PRODUCT, needed, unused
from aclnn.ops.matmul._shared_scales import inner_axis

FLOAT8: Final = (T.ACL_FLOAT8_E4M3FN, T.ACL_FLOAT8_E5M2)
FLOAT4, SHARED = T.ACL_FLOAT4_E2M1, T.ACL_FLOAT8_E8M0
SMALL: Final = (*FLOAT8, T.ACL_HIFLOAT8, FLOAT4)
OUTS: Final = (T.ACL_FLOAT16, T.ACL_BF16, T.ACL_FLOAT)
PLAIN_GROUPS: Final = (0, BLOCK, GROUP_SIZE)
"""groupSize of blocks of 32 elements; a field that is 0 follows from the shapes, and is 1"""


def is_small(a: Arguments) -> bool:
    """False beside a weight of FLOAT, which carries floats of 4 bits."""
    return (a.dtype("x1") in SMALL and a.dtype("x2") != T.ACL_FLOAT) or a.dtype("x2") in SMALL


def is_narrow(a: Arguments) -> bool:
    """True if only the weight has floats of 4 bits."""
    return a.dtype("x1") != FLOAT4 and a.dtype("x2") == FLOAT4


def is_even(a: Arguments) -> bool:
    """True if a factor has floats of 8 bits or less, and `is_narrow` is false."""
    return is_small(a) and not is_narrow(a)


def shares(a: Arguments) -> bool:
    """True if the scales are FLOAT8_E8M0, powers of two that blocks of elements share."""
    return a.dtype("x2Scale") == SHARED


def in_floats_of_blocks(a: Arguments) -> bool:
    """True if both factors are floats whose blocks have scales of FLOAT."""
    return a.dtype("x2Scale") == T.ACL_FLOAT and a.rank("x2Scale") > 1


def of_rows_and_columns(a: Arguments) -> bool:
    """True if the scales belong to rows and columns, or to whole matrices."""
    return not shares(a) and not in_floats_of_blocks(a)


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


def other_rows_of_scales(a: Arguments) -> Bad:
    m, shape = matrix(a, "x1")[0], a.shape("x1Scale")
    return None if shape in ((m,), (1,)) else (list(shape), f"[{m}] or [1]")


def shared_scales(name: str) -> Relation:
    def expected_shape(a: Arguments) -> Shape:
        return scale_shape(a.shape(name), inner_axis(a, name), BLOCK)

    return shape(f"{name}Scale", "{0} has a pair of scales for each two blocks", expected_shape)


def wrong_narrow_bias(a: Arguments) -> Bad:
    n, shape = matrix(a, "x2")[1], a.shape("bias")
    return None if shape in ((n,), (1, n)) else (list(shape), [1, n])


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
            demand("{0} has the data type of out", "bias", bad=other_bias_type),
            demand("{0} has a number for each column", "bias", "x2", bad=wrong_narrow_bias)),
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
    only_if("blocks of 32 elements share scales", shares, one_of("groupSize", *PLAIN_GROUPS),
            *map(shared_scales, ("x1", "x2"))),
    only_if("blocks have scales of FLOAT", in_floats_of_blocks, *OF_BLOCKS),
    only_if("rows and columns have scales", of_rows_and_columns, of_columns("x2Scale"),
            demand("{0} has a number for each row, or one", "x1Scale", "x1", bad=other_rows_of_scales)),
    *OF_PRODUCT,
)  # fmt: skip
SMALL_FORMS: Final = (
    only_if("a factor has floats of 8 bits or less", is_small,
            demand("{0} and x2 are a pair that the product has", "x1", "x2", bad=unpaired_types)),
    only_if("the weight has 4 bits beside 8", is_narrow, *NARROW),
    only_if("both factors have floats of as many bits", is_even, *EVEN),
)  # fmt: skip
