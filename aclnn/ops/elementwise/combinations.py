"""Elementwise functions of several tensors: Lerp, Addcmul, Addcdiv, SWhere and MaskedScale."""

from typing import Any

import numpy as np

from aclnn.op import (
    BF16, BOOL, COMPLEX, HALVES, IEEE_FLOATS, INTEGERS, NEWER, REAL_FLOAT, SHORT_FLOAT, WIDE_UNSIGNED, Array, DataTypes,
    Planning, Relation, Series, T, becomes, broadcast, broadcast_of, computed_among, empty, is_float, listed,
    may_be_in_place, nulls, out_of_place, planned, promoted, public_format, ranks, ranks_with_gaps, same_dtype,
    same_shape, with_bf16,
)  # fmt: skip
from aclnn.ops.elementwise.division import toward_0


def between(start: Array, end: Array, weight: Array) -> Array:
    """Interpolate from the nearer end, so that a weight of 1 gives exactly `end`."""
    return np.where(weight < 0.5, start + weight * (end - start), end - (1 - weight) * (end - start))


@planned(
    "aclnnLerp", "aclnnInplaceLerp", listed("self", among=SHORT_FLOAT), same_dtype("end", "self"),
    same_dtype("weight", "self"), same_dtype("out", "self"), broadcast("self", "end", "weight", into="out"),
    ranks_with_gaps("self", "end", "weight", "out"), empty("self"), may_be_in_place(),
)  # fmt: skip
def lerp(p: Planning) -> None:
    """out = self + weight * (end - self)"""
    x, y, weight = p.read("self"), p.read("end"), p.read("weight")
    p.store("out", p.step(between, [x, y, weight], broadcast_of(x, y, weight), x.dtype))


@planned(
    "aclnnLerps", "aclnnInplaceLerps", listed("self", "end", among=SHORT_FLOAT), same_dtype("end", "self"),
    out_of_place(listed("out", among=REAL_FLOAT)), broadcast("self", "end", into="out"),
    ranks_with_gaps("self", "end", "out"), empty("self"), may_be_in_place(),
)  # fmt: skip
def lerps(p: Planning) -> None:
    """out = self + weight * (end - self), where weight is a scalar"""
    x, y = p.read("self"), p.read("end")
    weight = p.constant("weight", T.ACL_FLOAT if p.soc.series is Series.A950 else x.dtype)
    p.store("out", p.step(between, [x, y, weight], broadcast_of(x, y), x.dtype))


def with_product(x: Array, tensor1: Array, two: Array, value: Array) -> Array:
    return x + value * tensor1 * two


def with_quotient(x: Array, tensor1: Array, two: Array, value: Array) -> Array:
    """x + value * tensor1 / two. Integer quotients are rounded toward 0; integers divided by 0 give 0."""
    if x.dtype.kind == "f":
        return x + value * (tensor1 / two)
    return x + value * toward_0(tensor1, two)


def added(p: Planning, formula: Any) -> None:
    """Plan out = formula(self, tensor1, tensor2, value). On Ascend 950, value is FLOAT beside floats of 16 bits."""
    dtype = p.computed()
    in_float = p.soc.series is Series.A950 and p.dtype("self") in HALVES and is_float(p.dtype("value"))
    inputs = [p.read(name, dtype) for name in ("self", "tensor1", "tensor2")]
    value = p.constant("value", T.ACL_FLOAT if in_float and dtype in HALVES else dtype)
    p.store("out", p.step(formula, [*inputs, value], broadcast_of(*inputs), dtype))


MULTIPLIED = with_bf16((*IEEE_FLOATS, T.ACL_INT32, T.ACL_INT64, T.ACL_INT8, T.ACL_UINT8))
DIVIDED = with_bf16((*IEEE_FLOATS, T.ACL_INT64))
THREE = ("self", "tensor1", "tensor2")


def three(types: DataTypes) -> tuple[Relation, ...]:
    return listed(*THREE, among=types), promoted(*THREE), computed_among(types, *THREE), becomes("out")


@planned(
    "aclnnAddcmul", "aclnnInplaceAddcmul", *three(MULTIPLIED), public_format(*THREE, "out"),
    ranks(*THREE, least=0, most=8), broadcast(*THREE, into="out"), empty(*THREE), may_be_in_place(),
)  # fmt: skip
def addcmul(p: Planning) -> None:
    """out = self + value * tensor1 * tensor2"""
    added(p, with_product)


@planned(
    "aclnnAddcdiv", "aclnnInplaceAddcdiv", listed(*THREE, among=DIVIDED), promoted(*THREE), becomes("out"),
    ranks(*THREE, "out", least=0, most=8), broadcast(*THREE, into="out"), empty(*THREE), may_be_in_place(),
)  # fmt: skip
def addcdiv(p: Planning) -> None:
    """out = self + value * tensor1 / tensor2"""
    added(p, with_quotient)


CHOSEN = DataTypes(
    (*IEEE_FLOATS, *INTEGERS, *BOOL, *COMPLEX, *WIDE_UNSIGNED), dict.fromkeys((*NEWER, Series.INFERENCE), BF16)
)
CONDITION = (T.ACL_BOOL, T.ACL_UINT8)
ALL_THREE = ("self", "other", "condition")


def chosen(condition: Array, self: Array, other: Array) -> Array:
    return np.where(condition != 0, self, other)


@planned(
    "aclnnSWhere", nulls("self", "other", "condition", "out"), listed("self", "other", "out", among=CHOSEN),
    listed("condition", among=CONDITION), ranks(*ALL_THREE, least=0, most=8), broadcast(*ALL_THREE, into="out"),
    empty(*ALL_THREE), may_be_in_place(),
)  # fmt: skip
def s_where(p: Planning) -> None:
    """out = condition ? self : other, in the data type that both promote to"""
    dtype, bools = p.promoted("self", "other"), p.dtype("self") == p.dtype("other") == T.ACL_BOOL
    if dtype is None or (bools and p.dtype("out") != T.ACL_BOOL):
        raise p.builder.failed(f"Select of {p.type_name('self')} and {p.type_name('other')} is not supported.")
    inputs = [p.read("condition"), p.read("self", dtype), p.read("other", dtype)]
    p.store("out", p.step(chosen, inputs, broadcast_of(*inputs), dtype))


def masked_and_scaled(x: Array, mask: Array, *, scale: np.float32) -> Array:
    return x * mask.astype(np.float32) * scale


@planned(
    "aclnnMaskedScale", listed("self", "mask", "out"), same_dtype("out", "self"), same_shape("mask", "self"),
    same_shape("out", "self"), empty("self"),
)  # fmt: skip
def masked_scale(p: Planning) -> None:
    """out = self * mask * scale, rounded once"""
    x, mask = p.read("self"), p.read("mask")
    p.store("out", p.step(masked_and_scaled, [x, mask], x.shape, x.dtype, scale=np.float32(p["scale"])))
