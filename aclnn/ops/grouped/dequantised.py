"""QuantMatmulDequant and its grouped forms: rows of FLOAT16 are quantised, multiplied, and scaled back."""

from typing import Final

import numpy as np

from aclnn.op import (
    ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR, TILING, Arguments, Array, Bad, Operand, Planning, Relation, Shape,
    T, demand, lacks, listed, one_of, planned, ranks, shape,
)  # fmt: skip
from aclnn.ops.grouped._family import ENDS
from aclnn.ops.grouped._plans import plan_groups
from aclnn.ops.grouped._stored import dense, spread, wrong_storage
from aclnn.ops.matmul._family import swapped
from aclnn.ops.matmul._quantised_products import multiply_integers

FLOAT, INT8 = T.ACL_FLOAT, T.ACL_INT8
UNIT: Final = 16
"""rows and columns of a weight come in multiples of this"""
LARGEST: Final = 127
MODE: Final = "xQuantMode"
PER_TOKEN, PER_TENSOR = "pertoken", "pertensor"
SCALE, SMOOTH, WEIGHT_SCALE = "xScaleOptional", "smoothScaleOptional", "weightScale"
RESERVED: Final = ("biasOptional", "xOffsetOptional")


def mode(a: Arguments) -> str:
    """The quantisation of x; null is one scale for each row."""
    return a[MODE] or PER_TOKEN


def grouped(a: Arguments) -> bool:
    return a.has("groupList")


def weight_shape(a: Arguments) -> Shape:
    """The shape of the weight, whose rows belong to the columns of the result."""
    matrix = a.shape("out")[1], a.shape("x")[1]
    return (a.shape(WEIGHT_SCALE)[0], *matrix) if grouped(a) else matrix


def is_null(name: str, status: int) -> Relation:
    return demand("{0} is null", name, bad=lambda a: (list(a.shape(name)), "null"), status=status)


def rank_of(a: Arguments) -> int:
    """The dimensions of the weight."""
    return 3 if grouped(a) else 2


def other_rank(a: Arguments) -> Bad:
    rank = rank_of(a)
    good = a.rank("weight") == rank or spread(a["weight"], rank)
    return None if good else (f"{a.rank('weight')} dimensions", f"{rank}, or the {rank + 2} of FRACTAL_NZ")


def part_block(a: Arguments) -> Bad:
    shape = a.shape("weight")
    good = spread(a["weight"], rank_of(a)) or not any(size % UNIT for size in shape[-2:])
    return None if good else (list(shape), f"multiples of {UNIT}")


def other_weight(a: Arguments) -> Bad:
    expected = weight_shape(a)
    if spread(a["weight"], len(expected)):
        return wrong_storage(a, "weight", expected)
    return None if a.shape("weight") == expected else (list(a.shape("weight")), list(expected))


def not_stored(a: Arguments) -> Bad:
    """Checks the storage. The dimensions of the other tensors are checked later."""
    usual = a.rank("x") == a.rank("out") == a.rank(WEIGHT_SCALE) == 2
    return wrong_storage(a, "weight", weight_shape(a)) if usual else None


def columns(a: Arguments) -> Shape:
    """The shape of the scales of the weight."""
    return (*a.shape(WEIGHT_SCALE)[:-1], a.shape("out")[1])


def scale_shape(a: Arguments) -> Shape:
    return a.shape("x")[:1] if mode(a) == PER_TOKEN else (1,)


def without_tensor_scale(a: Arguments) -> bool:
    return mode(a) == PER_TENSOR and not a.given(SCALE)


def mixed_scales(a: Arguments) -> bool:
    """True if INT64 scales, which contain the scale of x, are beside a scale of x for each row, or the reverse."""
    packed, half = a.dtype(WEIGHT_SCALE) == T.ACL_INT64, a.given(SCALE) and a.dtype(SCALE) == T.ACL_FLOAT16
    return packed != half or (packed and mode(a) != PER_TENSOR)


LACKS = (
    lacks("one scale of x that is not given", without_tensor_scale),
    lacks("an INT64 weightScale and another xScale than one FLOAT16, or this xScale and a FLOAT weightScale",
          mixed_scales),
)  # fmt: skip


def contract(
    *of_weight: Relation, status: int, groups: tuple[Relation, ...] = (), sizes: tuple[Relation, ...] = ()
) -> tuple[Relation, ...]:
    """The relations of a form. `status`: the answer to a tensor that is reserved. `sizes`: those of a weight that is
    perhaps not in FRACTAL_NZ."""
    return (
        *LACKS, *(is_null(name, status) for name in RESERVED),
        listed("x", "weight", WEIGHT_SCALE, SCALE, SMOOTH, "out"), one_of("transposeWeight", True), *of_weight,
        ranks("x", "out", WEIGHT_SCALE, SCALE, SMOOTH, status=TILING), *groups,
        one_of(MODE, PER_TOKEN, PER_TENSOR, status=TILING),
        *sizes,
        shape(WEIGHT_SCALE, "{0} has a number for each column of out", columns, status=TILING),
        shape(SCALE, "{0} has a number for each row of x, or one", scale_shape, status=TILING),
        shape(SMOOTH, "{0} has a number for each column of x", lambda a: a.shape("x")[1:], status=TILING),
        shape("out", "{0} has the rows of x", lambda a: (a.shape("x")[0], a.shape("out")[1]), status=TILING),
    )  # fmt: skip


DENSE = (
    demand("{0} has the dimensions of matrices, or of their storage", "weight", bad=other_rank),
    demand(f"the sizes of {{0}} are multiples of {UNIT}", "weight", bad=part_block),
)
SIZES = (demand("{0} has the sizes of x and out", "weight", "x", "out", bad=other_weight, status=TILING),)
STORED = (
    demand("{0} has the dimensions of matrices, or of their storage", "weight", bad=other_rank),
    demand("{0} is in FRACTAL_NZ", "weight", "x", "out", bad=not_stored),
)
GROUPS = (
    listed("groupList"), ranks("groupList", status=TILING),
    shape("groupList", "{0} has the end of each group", lambda a: a.shape(WEIGHT_SCALE)[:1], status=TILING),
)  # fmt: skip


@planned("aclnnQuantMatmulDequant", *contract(*DENSE, status=ACLNN_ERR_PARAM_NULLPTR, sizes=SIZES))
def quant_matmul_dequant(p: Planning) -> None:
    """s = xScale, or the largest |x * smoothScale| of each row / 127; q = round(x * smoothScale * (1 / s)), saturated
    to INT8; out = (q @ weight.T) * weightScale * s. An INT64 weightScale has the bits of a FLOAT that contains s."""
    q, scales, names = quantised(p)
    weight = swapped(dense(p, "weight", weight_shape(p)))
    out = p.step(multiply_integers, [q, weight, *scales], p.shape("out"), p.dtype("out"), names=names)
    p.store("out", out)


@planned(
    "aclnnQuantGroupedMatmulDequant", *contract(*DENSE, status=ACLNN_ERR_PARAM_INVALID, groups=GROUPS, sizes=SIZES)
)
def quant_grouped_matmul_dequant(p: Planning) -> None:
    """Like aclnnQuantMatmulDequant, with a weight for each group of rows. groupList has the end of each group. Rows
    behind the last group are not changed."""
    multiplied(p)


@planned("aclnnQuantGroupedMatmulDequantWeightNZ", *contract(*STORED, status=ACLNN_ERR_PARAM_INVALID, groups=GROUPS))
def quant_grouped_matmul_dequant_weight_nz(p: Planning) -> None:
    """Like aclnnQuantGroupedMatmulDequant, where weight is in FRACTAL_NZ"""
    multiplied(p)


def multiplied(p: Planning) -> None:
    q, scales, names = quantised(p)
    weight = swapped(dense(p, "weight", weight_shape(p)))
    lists = {"weight": [weight], **{name: [scale] for name, scale in zip(names, scales, strict=True)}}
    plan_groups(p, q, p.read("groupList"), lists, [p.builder.written(p["out"])], multiply_integers, {"names": names},
                name="groupList", kind=ENDS, number=p.shape("groupList")[0])  # fmt: skip


def quantised(p: Planning) -> tuple[Operand, list[Operand], tuple[str, ...]]:
    """x in INT8; the scales of its product, and their names."""
    smooth = [p.read(SMOOTH)] if p.given(SMOOTH) else []
    scale = [p.read(SCALE)] if p.given(SCALE) else []
    rows = p.shape("x")[0]
    q, own = p.steps(by_rows, [p.read("x"), *scale, *smooth], [(p.shape("x"), INT8), ((rows,), FLOAT)],
                     scaled=bool(scale))  # fmt: skip
    if p.dtype(WEIGHT_SCALE) != T.ACL_INT64:
        return q, [p.read(WEIGHT_SCALE), own], ("scale", "pertoken")
    return q, [p.step(low_float, [p.read(WEIGHT_SCALE)], p.shape(WEIGHT_SCALE), FLOAT)], ("scale",)


def by_rows(x: Array, *others: Array, scaled: bool) -> tuple[Array, Array]:
    """Rows in INT8, and their scales. `scaled`: True if the first of `others` has the scales; the last one may have
    factors of columns. A row of zeros has the scale 0."""
    smooth = others[scaled:]
    x = x * smooth[0] if smooth else x
    largest = np.abs(x).max(1, initial=0) / np.float32(LARGEST)
    scale = np.broadcast_to(others[0].astype(np.float32), x.shape[:1]) if scaled else largest
    divisors: Array = np.where(scale == 0, np.float32(1), scale)
    inverse: Array = np.divide(np.float32(1), divisors)
    return np.clip(np.rint(x * inverse[:, None]), -LARGEST - 1, LARGEST), scale


def low_float(packed: Array) -> Array:
    """The FLOAT in the low half of each word."""
    return packed.view(np.uint64).astype(np.uint32).view(np.float32)
