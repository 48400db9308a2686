"""QuantMatmulAllReduce and WeightQuantMatmulAllReduce: sums over all ranks of products with quantised factors."""

from typing import Final

import numpy as np

from aclnn.op import (
    Arguments, Array, Bad, Operand, Planning, Relation, T, demand, lacks, listed, may_be_null, numpy_dtype,
    planned, ranks, required, same_dtype, same_shape, shape,
)  # fmt: skip
from aclnn.ops.collective._family import (
    DENSE, GROUP, INNER, NARROW, STREAM_MODE, SUM, columns, flat, matrices, product, rows_of, scale_count,
)  # fmt: skip
from aclnn.ops.collective._kernels import Received, added
from aclnn.ops.collective.sum_products import PLAIN, result, total
from aclnn.ops.matmul._quantised_weights import multiply_quantised

LEAST, MOST = -128, 127


def name_of(a: Arguments, name: str) -> str:
    """The name of an optional tensor in this version."""
    return name if a.has(name) else f"{name}Optional"


def given(a: Arguments, name: str) -> bool:
    own = name_of(a, name)
    return a.has(own) and a.given(own)


def other_scales(a: Arguments, name: str) -> Bad:
    count, n = a[name].numel, a.shape("x2")[-1]
    return None if count in (1, n) else (f"{count} numbers", f"1 or {n}")


def lone_scale(a: Arguments) -> Bad:
    alone = given(a, "commQuantScale1") != given(a, "commQuantScale2")
    return ("one of both scales", "both or none") if alone else None


def of_floats(a: Arguments) -> bool:
    return a.dtype("x1") not in NARROW


def contract(scale: str, row_scale: str = "", optional: str = "Optional", comm: bool = False) -> tuple[Relation, ...]:
    """The checks, in their order. `scale`, `row_scale`: the scales of columns and rows. `comm`: with the scales of what
    travels."""
    bias, addend = f"bias{optional}", f"x3{optional}"
    travelling = ("commQuantScale1Optional", "commQuantScale2Optional") if comm else ()
    others = (bias, addend, scale, *([row_scale] if row_scale else []), *travelling)
    row_checks = (
        demand("{0} has a number for each row of x1", row_scale, bad=lambda a: scale_count(a, row_scale)),
    ) if row_scale else ()  # fmt: skip
    return (
        may_be_null(bias, addend), listed("x1", "x2", *others, "output"), SUM, STREAM_MODE, PLAIN,
        same_dtype(addend, as_="output"), same_shape(addend, as_="output"),
        ranks("x1", least=2, most=3), matrices("x2"), INNER, columns(bias),
        demand("{0} has one number, or one for each column of x2", scale, bad=lambda a: other_scales(a, scale)),
        *row_checks,
        *(same_dtype(name, as_="output") for name in travelling),
        *((demand("the scales of what travels are both given with {0}, or both null", "x1", bad=lone_scale,
                  broken="only one of the scales of what travels is given"),) if comm else ()),
        shape("output", "{0} has the rows of x1 and the columns of x2", result), DENSE, GROUP,
    )  # fmt: skip


@planned("aclnnQuantMatmulAllReduce", *contract("dequantScale", optional=""))
def quant_matmul_all_reduce(p: Planning) -> None:
    """output = the sum of dequantScale * (x1 @ x2 + bias) + x3 over all ranks"""
    plan_quantised(p, "dequantScale")


@planned("aclnnQuantMatmulAllReduceV2", *contract("dequantScale", "pertokenScaleOptional"))
def quant_matmul_all_reduce_v2(p: Planning) -> None:
    """output = the sum of pertokenScale * dequantScale * (x1 @ x2 + bias) + x3 over all ranks"""
    plan_quantised(p, "dequantScale", "pertokenScaleOptional")


@planned("aclnnQuantMatmulAllReduceV3", *contract("dequantScale", "pertokenScaleOptional", comm=True))
def quant_matmul_all_reduce_v3(p: Planning) -> None:
    """Like aclnnQuantMatmulAllReduceV2. With commQuantScale1 and 2 the results of the ranks travel as INT8."""
    plan_quantised(p, "dequantScale", "pertokenScaleOptional")


@planned(
    "aclnnQuantMatmulAllReduceV4", "aclnnQuantMatmulAllReduceV5",
    required("x2Scale"), *contract("x2Scale", "x1ScaleOptional", comm=True), same_dtype("x2", as_="x1"),
    lacks("factors of floats", of_floats),
)  # fmt: skip
def quant_matmul_all_reduce_v4(p: Planning) -> None:
    """Like aclnnQuantMatmulAllReduceV3, with other names: x1Scale for each row, x2Scale for each column."""
    plan_quantised(p, "x2Scale", "x1ScaleOptional")


def plan_quantised(p: Planning, scale: str, row_scale: str = "") -> None:
    has_addend, x1 = given(p, "x3"), rows_of(p, p.read("x1"))
    rows = flat(p, row_scale) if row_scale and p.given(row_scale) else None
    own = product(p, x1, T.ACL_FLOAT if has_addend else p.dtype("output"), bias=name_of(p, "bias"), row_scale=rows,
                  scale=scale)  # fmt: skip
    if not given(p, "commQuantScale1"):
        whole = total(p, own, name_of(p, "x3") if has_addend else "")
    else:
        whole = travelling_total(p, own, name_of(p, "x3") if has_addend else "")
    p.store("output", p.builder.reshape(whole, p.shape("output")))


def travelling_total(p: Planning, own: Operand, addend: str) -> Operand:
    """The sum of what travels as INT8, scaled back."""
    scales = [flat(p, f"commQuantScale{number}Optional") for number in (1, 2)]
    added_to = [rows_of(p, p.read(addend))] if addend else []
    short = p.step(shortened, [own, scales[0], *added_to], own.shape, T.ACL_INT8)
    first, second = (p.builder.cast(scale, T.ACL_FLOAT) for scale in scales)
    ratio = p.step(np.divide, [first, second], first.shape, T.ACL_FLOAT)
    whole = p.step(summed_short, [short, ratio], own.shape, T.ACL_INT8, moves=True,
                   exchange=p.meets("group", product=own.shape))  # fmt: skip
    return p.step(scaled_back, [whole, second], own.shape, p.dtype("output"))


def shortened(y: Array, scale: Array, *addend: Array) -> Array:
    whole = y + addend[0] if addend else y
    return _saturated(whole / scale)


def summed_short(received: Received) -> Array:
    """The sum of INT8 values, in the scale of the sum."""
    return _saturated(added([own.astype(np.float32) for own, _ in received]) * received[0][1])


def scaled_back(short: Array, scale: Array) -> Array:
    return short.astype(np.float32) * scale


def _saturated(values: Array) -> Array:
    return np.clip(np.rint(values), LEAST, MOST).astype(np.int8)


# a quantised weight


def wrong_groups(a: Arguments) -> Bad:
    size, k = a["antiquantGroupSize"], a.shape("x1")[-1]
    good = size == 0 or (size % 32 == 0 and 32 <= size < k)
    return None if good else (size, f"0, or a multiple of 32 from 32 to {k - 1}")


def wrong_weight_scale(a: Arguments) -> Bad:
    size, (k, n) = a["antiquantGroupSize"], a.shape("x2")
    shape = a.shape("antiquantScale")
    allowed = ((-(-k // size), n),) if size else ((1,), (n,), (1, n))
    return None if shape in allowed else (list(shape), " or ".join(str(list(each)) for each in allowed))


WEIGHT: Final = (
    may_be_null("bias", "antiquantOffset", "x3"),
    listed("x1"), listed("x2", among=NARROW),
    *(same_dtype(name, as_="x1") for name in ("antiquantScale", "antiquantOffset", "bias", "x3", "output")), SUM,
    STREAM_MODE, PLAIN,
    same_shape("x3", as_="output"), ranks("x1", least=2, most=3), matrices("x2"), INNER, columns("bias"),
    demand("{0} has one number, or one for each column, or for each group", "antiquantScale", bad=wrong_weight_scale),
    demand("{0} is 0, or a multiple of 32 below the inner size", "antiquantGroupSize", bad=wrong_groups),
    same_shape("antiquantOffset", as_="antiquantScale"),
    shape("output", "{0} has the rows of x1 and the columns of x2", result), DENSE, GROUP,
)  # fmt: skip


@planned("aclnnWeightQuantMatmulAllReduce", "aclnnWeightQuantMatmulAllReduceV2", *WEIGHT)
def weight_quant_matmul_all_reduce(p: Planning) -> None:
    """output = the sum of x1 @ ((x2 + antiquantOffset) * antiquantScale) + bias + x3 over all ranks"""
    has_addend = p.given("x3")
    own = weighted(p, T.ACL_FLOAT if has_addend else p.dtype("output"))
    p.store("output", p.builder.reshape(total(p, own, "x3" if has_addend else ""), p.shape("output")))


def weighted(p: Planning, dtype: int) -> Operand:
    """The product of a matrix with a quantised weight, plus the bias."""
    names = [name for name in ("antiquantScale", "antiquantOffset", "bias") if p.given(name)]
    x1 = rows_of(p, p.read("x1"))
    weight = p.read("x2", nz=True) if p.dtype("x2") == T.ACL_INT4 else p.builder.view(p["x2"])
    shape = x1.shape[0], weight.shape[-1]
    return p.step(multiply_quantised, [x1, weight, *map(p.read, names)], shape, dtype, names=tuple(names), swapped=(),
                  group=p["antiquantGroupSize"], dtype=numpy_dtype(p.dtype("x1")))  # fmt: skip
