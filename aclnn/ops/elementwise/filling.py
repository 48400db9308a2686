"""Functions that replace elements: masked fill, fill with the element of a tensor, fill with 1, NanToNum."""

import numpy as np

from aclnn.op import (
    BOOL, EVERY, FLOAT_OR_HALF, REAL, SHORT_FLOAT_OR_WHOLE, Arguments, Array, Bad, Planning, T, broadcast_into, demand,
    empty, is_float, listed, may_be_in_place, overwrites, planned, ranks, same_dtype, with_bf16,
)  # fmt: skip
from aclnn.ops.elementwise._family import own_type, unary
from aclnn.ops.elementwise.conversion import spread

MASKED = with_bf16((*FLOAT_OR_HALF, T.ACL_INT32, T.ACL_INT64, T.ACL_INT8, *BOOL))


def masked(self: Array, mask: Array, value: Array) -> Array:
    return np.where(mask != 0, value, self)


def fill_masked(p: Planning) -> None:
    """selfRef = mask ? value : selfRef, where value has the data type of selfRef."""
    x, dtype = p.read("selfRef"), p.dtype("selfRef")
    p.store("selfRef", p.step(masked, [x, p.read("mask"), p.operand("value", dtype)], x.shape, dtype))


@planned(
    "aclnnInplaceMaskedFillScalar", listed("selfRef", among=MASKED), listed("mask", among=BOOL),
    ranks("selfRef", "mask", least=0, most=8),
    broadcast_into("mask", "selfRef"), empty("selfRef", "mask"), may_be_in_place(),
)  # fmt: skip
def masked_fill_scalar(p: Planning) -> None:
    """selfRef = value, a scalar, where mask is true; mask may broadcast"""
    fill_masked(p)


@planned(
    "aclnnInplaceMaskedFillTensor", listed("selfRef", "value", among=MASKED), listed("mask", among=BOOL),
    ranks("selfRef", "mask", least=0, most=8), ranks("value", least=0, most=0), broadcast_into("mask", "selfRef"),
    empty("selfRef", "mask"), may_be_in_place(),
)  # fmt: skip
def masked_fill_tensor(p: Planning) -> None:
    """selfRef = value, a tensor of one element, where mask is true; mask may broadcast"""
    fill_masked(p)


def too_many(a: Arguments) -> Bad:
    return None if a.shape("value") in ((), (1,)) else (list(a.shape("value")), "[] or [1]")


@planned(
    "aclnnInplaceFillTensor", overwrites("selfRef"), listed("selfRef", among=EVERY), ranks("selfRef", least=0, most=8),
    demand("{0} has one element, in one dimension or none", "value", bad=too_many), empty("selfRef"), may_be_in_place(),
)  # fmt: skip
def fill_tensor(p: Planning) -> None:
    """selfRef = value, a tensor of one element"""
    value, target = p.read("value", p.dtype("selfRef")), p.shape("selfRef")
    if value.shape and not target:
        value = p.builder.reshape(value, ())
    p.store("selfRef", p.step(spread, [value], target, value.dtype, moves=True, sizes=target))


@planned(
    "aclnnInplaceOne", overwrites("selfRef"), listed("selfRef", among=REAL), ranks("selfRef", least=0, most=8),
    empty("selfRef"),
)  # fmt: skip
def one(p: Planning) -> None:
    """selfRef = 1"""
    p.fill("selfRef", 1)


def numbers_only(x: Array, *, nan: float, posinf: float, neginf: float) -> Array:
    """x with other numbers in place of NaN, inf and -inf."""
    kind = x.dtype.type
    finite = np.where(x == np.inf, kind(posinf), np.where(x == -np.inf, kind(neginf), x))
    return np.where(np.isnan(x), kind(nan), finite)


nan_to_num = unary(
    __name__, "NanToNum", numbers_only, "out = self, with other numbers in place of NaN and infinity",
    SHORT_FLOAT_OR_WHOLE, early=[same_dtype("out", as_="self")], compute=own_type(),
    copied=lambda dtype: not is_float(dtype), attributes=("nan", "posinf", "neginf"),
)  # fmt: skip
