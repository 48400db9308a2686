"""Lists of tensors, kinds of products and shapes of GroupedMatmul, for all of its versions."""

from enum import Enum
from typing import Final

from aclnn.op import UP_TO_32_BITS, Arguments, Shape, T, Tensor, stands_for_null


FLOAT, HALF, BF16, INT8, INT4, INT32 = T.ACL_FLOAT, T.ACL_FLOAT16, T.ACL_BF16, T.ACL_INT8, T.ACL_INT4, T.ACL_INT32
NARROW: Final = {T.ACL_FLOAT8_E4M3FN, T.ACL_FLOAT8_E5M2, T.ACL_HIFLOAT8, T.ACL_FLOAT4_E2M1}
OPTIONALS: Final = (
    "biasOptional", "scaleOptional", "offsetOptional", "antiquantScaleOptional", "antiquantOffsetOptional",
    "perTokenScaleOptional",
)  # fmt: skip
"""the optional lists of tensors"""
GROUPS: Final = "groupListOptional"
ENDS, COUNTS, SPARSE = 0, 1, 2
"""the values of groupListType: ends of groups; numbers of rows; pairs of a group and its number of rows"""
APART, ROWS, INNER = -1, 0, 2
"""the values of groupType: separate products; the rows of x are split; the inner dimension is split"""


class Factors(Enum):
    """The kinds of factors of a product."""

    FLOATS = "floats"
    INTEGERS = "INT8, with or without a scale"
    ANTIQUANT = "floats, and a weight that is quantised"
    INT4 = "INT4, also eight in an INT32"
    OTHER = "floats of 8 bits and less"


def packed(a: Arguments) -> bool:
    """True if a tensor has eight INT4 in an INT32."""
    return INT32 in {tensor.dtype for name in ("x", "weight") for tensor in a[name]}


def out_name(a: Arguments) -> str:
    """The list of results: `y` up to the third version."""
    return "out" if a.has("out") else "y"


def members(a: Arguments, name: str) -> tuple[Tensor, ...]:
    """The tensors of a list; none if the list is null, or has one tensor of the shape (0,)."""
    tensors: tuple[Tensor, ...] = (a[name] or ()) if a.has(name) else ()
    return () if len(tensors) == 1 and stands_for_null(tensors[0]) else tensors


def value(a: Arguments, name: str, default: int = 0) -> int:
    """The value of a number; the default in versions without it."""
    return a[name] if a.has(name) else default


def group_type(a: Arguments) -> int:
    """The group type. The first version has no such parameter: its products are separate if all lists have one tensor,
    or if x and y have several."""
    if a.has("groupType"):
        return a["groupType"]
    lengths = [len(a[name]) for name in ("x", "weight", out_name(a))]
    return APART if max(lengths) == 1 or min(lengths[0], lengths[2]) > 1 else ROWS


def kind(a: Arguments) -> Factors | None:
    """The kind of factors; None if there is no such product."""
    x, weight = a["x"][0].dtype, a["weight"][0].dtype
    if x == weight and x in UP_TO_32_BITS:
        return Factors.FLOATS
    if x in (HALF, BF16) and weight in (INT8, INT4):
        return Factors.ANTIQUANT
    if (x, weight) == (INT8, INT8):
        return Factors.INTEGERS
    if x in (INT8, INT4, INT32, HALF, BF16) and weight in (INT4, INT32):
        return Factors.INT4
    return Factors.OTHER if NARROW & {x, weight} else None


def count(a: Arguments) -> int:
    """The number of groups."""
    if group_type(a) == INNER:
        return a[out_name(a)][0].shape[0]
    weight = a["weight"]
    return weight[0].shape[0] if len(weight) == 1 and len(weight[0].shape) == 3 else len(weight)


def columns(a: Arguments, group: int = 0) -> int:
    """The columns of the weight of a group."""
    return a["weight"][group if len(a["weight"]) > 1 else 0].shape[-1]


def of_columns(a: Arguments) -> list[Shape]:
    """The shapes of tensors with a value for each column: of a single tensor, or of each tensor in a list."""
    groups, weight = count(a), a["weight"]
    if len(weight) == 1 and len(weight[0].shape) == 3:
        return [(groups, columns(a))]
    return [(columns(a, i),) for i in range(groups)]
