"""Bitwise and, or, xor and not, and shifts, of integers in two's complement. BOOL has one bit."""

from typing import Any

import numpy as np

from aclnn.op import (
    ACLNN_ERR_INNER_NULLPTR, BOOL, INTEGERS, WIDE_UNSIGNED, Arguments, Array, Compute, DataTypes, Operator, Planning,
    Relation, Series, T, becomes, broadcast, broadcast_of, computed_in, empty, listed, may_be_in_place, null_status,
    planned, promote, promoted, public_format, ranks, same_dtype, same_shape, together,
)  # fmt: skip
from aclnn.ops.comparison._family import by_product, store_result
from aclnn.ops.elementwise._family import with_number

A950 = Series.A950
BIT_TYPES = (*INTEGERS, *BOOL)
U16 = (T.ACL_UINT16,)
AND = DataTypes((*BIT_TYPES, *U16))
OR = DataTypes((*BIT_TYPES, *WIDE_UNSIGNED))
OR_SCALAR = by_product((*BIT_TYPES, *U16), (*BIT_TYPES, *WIDE_UNSIGNED), (*BIT_TYPES, *U16))
XOR = by_product(BIT_TYPES, (*BIT_TYPES, *WIDE_UNSIGNED), BIT_TYPES)
SHIFTED = DataTypes((*INTEGERS, *WIDE_UNSIGNED))


def with_small_number(a: Arguments) -> int | None:
    """The promoted data type. Before Ascend 950, an INT64 scalar counts as INT32 if its value fits. On Ascend 950, only
    BOOL tensors promote; others keep their data type."""
    tensor, scalar = a.dtype("self"), a.dtype("other")
    promoted = promote(tensor, scalar)
    if a.soc.series is A950:
        return tensor if tensor != T.ACL_BOOL and promoted is not None else promoted
    if scalar == T.ACL_INT64 and -(2**31) <= a["other"].item() < 2**31:
        return promote(tensor, T.ACL_INT32)
    return promoted


def combined(stem: str, formula: np.ufunc, *checks: Relation) -> Operator:
    """An operator of two operands, and its form in place."""

    def plan(p: Planning) -> None:
        store_result(p, formula, p.computed(), p.computed())

    doc = f"out = self and other combined by {formula.__name__.replace('_', ' ')}"
    return Operator((f"aclnn{stem}", f"aclnnInplace{stem}"), checks, plan, doc, __name__)


def of_tensors(types: DataTypes, *formats: Relation) -> tuple[Relation, ...]:
    return (
        listed("self", "other", among=types), promoted("self", "other"), becomes("out"), *formats,
        ranks("self", "other", "out", least=0, most=8), broadcast("self", "other", into="out"), empty("self", "other"),
    )  # fmt: skip


def of_number(types: DataTypes, compute: Compute, *formats: Relation) -> tuple[Relation, ...]:
    return (
        listed("self", "other", among=types), computed_in(compute), together(compute), becomes("out"), *formats,
        same_shape("out", "self"), ranks("self", least=0, most=8), empty("self"),
    )  # fmt: skip


FORMATS = public_format("self", "other", "out")
and_tensor = combined("BitwiseAndTensor", np.bitwise_and, *of_tensors(AND, FORMATS))
and_tensor_out = combined("BitwiseAndTensorOut", np.bitwise_and, *of_tensors(AND, FORMATS))
and_scalar = combined("BitwiseAndScalar", np.bitwise_and, *of_number(AND, with_number, public_format("self", "out")))
or_tensor = combined("BitwiseOrTensor", np.bitwise_or, *of_tensors(OR))
or_scalar = combined("BitwiseOrScalar", np.bitwise_or, *of_number(OR_SCALAR, with_small_number))
xor_tensor = combined("BitwiseXorTensor", np.bitwise_xor, *of_tensors(XOR))
xor_scalar = combined("BitwiseXorScalar", np.bitwise_xor, *of_number(XOR, with_small_number))


@planned(
    "aclnnBitwiseNot", null_status(ACLNN_ERR_INNER_NULLPTR), listed("self", among=XOR), same_dtype("out", as_="self"),
    public_format("self", "out"), ranks("self", "out", least=0, most=8), same_shape("out", "self"), empty("self"),
    may_be_in_place(),
)  # fmt: skip
def bitwise_not(p: Planning) -> None:
    """out = self with all bits inverted"""
    x = p.read("self")
    p.store("out", p.step(np.invert, [x], x.shape, x.dtype))


def shifted_left(x: Array, count: Array) -> Array:
    """x << count. The result is 0 if count is negative, or not below the width of the data type, as in numpy."""
    return np.left_shift(x, count)


def shifted_right(x: Array, count: Array) -> Array:
    """x >> count. A negative count is read as 0; a large one is read as the width - 1, as in numpy."""
    return np.right_shift(x, np.maximum(count, 0))


def shift(p: Planning, formula: Any, name: str) -> None:
    """out = the tensor with this name, shifted by shiftBits."""
    dtype = p.computed()
    x, count = p.read(name, dtype), p.operand("shiftBits", dtype)
    p.store("out", p.step(formula, [x, count], broadcast_of(x, count), dtype))


@planned(
    "aclnnLeftShift", listed("self", "shiftBits", "out", among=SHIFTED), ranks("self", "shiftBits", least=0, most=8),
    broadcast("self", "shiftBits", into="out"), public_format("self", "shiftBits", "out"), empty("self", "shiftBits"),
    promoted("self", "shiftBits"), may_be_in_place(),
)  # fmt: skip
def left_shift(p: Planning) -> None:
    """out = self << shiftBits"""
    shift(p, shifted_left, "self")


@planned(
    "aclnnLeftShifts", listed("self", "shiftBits", "out", among=SHIFTED), ranks("self", least=0, most=8),
    same_shape("out", "self"), public_format("self", "out"), empty("self"), promoted("self", "shiftBits"),
    may_be_in_place(),
)  # fmt: skip
def left_shifts(p: Planning) -> None:
    """out = self << shiftBits, where shiftBits is a scalar"""
    shift(p, shifted_left, "self")


@planned(
    "aclnnRightShift", listed("input", "shiftBits", "out", among=SHIFTED), ranks("input", "shiftBits", least=0, most=8),
    broadcast("input", "shiftBits", into="out"), empty("input", "shiftBits"), promoted("input", "shiftBits"),
    may_be_in_place(),
)  # fmt: skip
def right_shift(p: Planning) -> None:
    """out = input >> shiftBits; the sign is kept"""
    shift(p, shifted_right, "input")
