"""Contracts of the forms of QuantMatmulV5 for integers whose scales are not those of rows and columns: INT8 with a
weight of INT4 and yOffset, groups of INT4, and blocks of INT8."""

from typing import Final

from aclnn.op import (
    ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR, Arguments, Bad, Relation, Shape, T, demand, listed, one_of,
    only_if, ranks, shape, with_elements,
)  # fmt: skip
from aclnn.ops.matmul._quant_contract import (
    INT4, INT8, INT32, matrix, no_batch, other_bias, other_inner, other_out, packed, result,
)  # fmt: skip

INVALID = ACLNN_ERR_PARAM_INVALID
GROUP: Final = 256
"""rows of the weight that share a scale, in the forms for INT4"""
SQUARE: Final = 128
"""elements of a block that share a scale, in each dimension"""
FIELD: Final = 16
"""bits of groupSize for each of the rows, the columns and the inner dimension"""


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


# groups of INT4


def of_floats(a: Arguments) -> bool:
    return not {a.dtype("x1"), a.dtype("x2")} <= {INT8, INT4, INT32}


def in_groups_of_int4(a: Arguments) -> bool:
    """True if both factors are INT4, and each group of rows of the weight has a scale."""
    if of_floats(a) or a.rank("x2Scale") < 2 or a.rank("x2") < 2:
        return False
    offset, (k, n) = a.given("x2Offset") and a.dtype("x2Offset") == T.ACL_FLOAT16, matrix(a, "x2")
    return packed(a, "x2") and packed(a, "x1") and offset and k % 1024 == n % 256 == 0 < k


def rows_of_scales(a: Arguments) -> Bad:
    m, shape = matrix(a, "x1")[0], a.shape("x1Scale")
    return None if shape in ((m, 1), (m,)) else (list(shape), [m, 1])


def groups_of_scales(a: Arguments) -> Shape:
    k, n = matrix(a, "x2")
    return (n, k // GROUP) if a["transposeX2"] else (k // GROUP, n)


GROUPS: Final = only_if(
    "both factors are INT4, and groups have scales", in_groups_of_int4, needed("x1Scale"), unused("bias", INVALID),
    listed("x1Scale", "x2Scale", among=(T.ACL_FLOAT,)), listed("out", among=(T.ACL_FLOAT16, T.ACL_BF16)),
    ranks("x1", "x2", "out", least=2, most=2), one_of("groupSize", 0, GROUP), one_of("transposeX1", False),
    with_elements("x1"), demand("{0} has as many columns as x2 has rows", "x1", "x2", bad=other_inner),
    demand("{0} has a number for each row", "x1Scale", "x1", bad=rows_of_scales),
    shape("x2Scale", "{0} has a number for each column of each group", groups_of_scales),
    shape("x2Offset", "{0} has a number for each column of each group", groups_of_scales),
    shape("out", "{0} has the shape of the product", result),
)  # fmt: skip


# blocks of INT8, or of floats


def in_blocks_of_int8(a: Arguments) -> bool:
    """True if both factors are INT8, and each block has a scale."""
    if of_floats(a) or a.rank("x2Scale") < 2 or a.rank("x2") < 2:
        return False
    token, (k, n) = a.given("x1Scale") and a.rank("x1Scale") > 1, matrix(a, "x2")
    return a.dtype("x1") == INT8 and not packed(a, "x2") and token and k % 512 == n % 256 == 0 < k


def last_two(a: Arguments, name: str) -> Shape:
    """The last two sizes of the scales of a factor: of its blocks as in a product without transposition."""
    sizes = a.shape(f"{name}Scale")[-2:]
    return sizes[::-1] if a[f"transpose{name.upper()}"] else sizes


def block_sizes(a: Arguments) -> Shape:
    """The rows, columns and inner elements of a block. A field of groupSize that is 0 follows from the shapes."""
    (m, k), n, value = matrix(a, "x1"), matrix(a, "x2")[1], a["groupSize"]
    fields = (value >> 2 * FIELD, value >> FIELD & 2**FIELD - 1, value & 2**FIELD - 1)
    counts = (last_two(a, "x1")[0], last_two(a, "x2")[1], last_two(a, "x1")[1])
    return tuple(
        field or (size // count if count and size % count == 0 else 0)
        for field, size, count in zip(fields, (m, n, k), counts, strict=True)
    )


def other_block_sizes(a: Arguments) -> Bad:
    if min(a.rank("x1Scale"), a.rank("x2Scale")) < 2:
        return f"{a.rank('x1Scale')} dimensions of x1Scale", "at least 2"
    sizes = block_sizes(a)
    good = sizes in ((1, SQUARE, SQUARE), (SQUARE, SQUARE, SQUARE))
    return None if good else (list(sizes), f"[1, {SQUARE}, {SQUARE}] or [{SQUARE}, {SQUARE}, {SQUARE}]")


def scales_of_blocks(name: str) -> Relation:
    def expected_shape(a: Arguments) -> Shape:
        rows, columns, inner = block_sizes(a)
        sizes = (rows, inner) if name == "x1" else (inner, columns)
        counts = tuple(-(-size // block) for size, block in zip(matrix(a, name), sizes, strict=True))
        return (*a.shape(name)[:-2], *(counts[::-1] if a[f"transpose{name.upper()}"] else counts))

    return shape(f"{name}Scale", "{0} has a number for each block", expected_shape)


OF_BLOCKS: Final = (
    demand("{0} and the shapes of the scales are those of blocks", "groupSize", "x1Scale", "x2Scale",
           bad=other_block_sizes),
    scales_of_blocks("x1"), scales_of_blocks("x2"),
)  # fmt: skip
OF_PRODUCT: Final = (
    demand("the batches of {0} and x2 broadcast", "x1", "x2", bad=no_batch),
    demand("{0} has a value for each column, or for each column and matrix", "bias", "x1", "x2", bad=other_bias),
    demand("{0} has the shape of the product", "out", "x1", "x2", bad=other_out),
)  # fmt: skip
BLOCKS: Final = only_if(
    "both factors are INT8, and blocks have scales", in_blocks_of_int8,
    listed("x1Scale", "x2Scale", "bias", among=(T.ACL_FLOAT,)), listed("out", among=(T.ACL_BF16,)),
    demand("{0} has as many columns as x2 has rows", "x1", "x2", bad=other_inner), *OF_BLOCKS, *OF_PRODUCT,
    with_elements("x1"),
)  # fmt: skip
