"""LogicalAnd, LogicalOr, LogicalXor and LogicalNot. Every number except 0 is true, also NaN."""

import numpy as np

from aclnn.op import (
    BF16, BOOL, COMPLEX, EVERY, IEEE_FLOATS, INTEGERS, PLAN, WIDE_UNSIGNED, Arguments, Array, Bad, DataTypes, Planning,
    Relation, Series, T, broadcast, computed_in, demand, elementwise, empty, is_complex, listed, may_be_in_place,
    null_status, out_of_place, planned, ranks, ranks_with_gaps, same_shape, with_bf16,
)  # fmt: skip


ANYWHERE = DataTypes((*IEEE_FLOATS, *INTEGERS, *BOOL, *COMPLEX, *BF16))
"""includes BFLOAT16 on every product"""
REAL_ANYWHERE = DataTypes((*IEEE_FLOATS, *INTEGERS, *BOOL, *BF16))
OR_OUT = with_bf16((*IEEE_FLOATS, *INTEGERS, *BOOL, *COMPLEX), {Series.A950: WIDE_UNSIGNED})


def as_bool(a: Arguments) -> int:
    return T.ACL_BOOL


def wide_complex(a: Arguments) -> Bad:
    """Checks that complex tensors have at most 7 dimensions, because an eighth one is for their two parts."""
    ranks = [a.rank(name) for name in ("self", "other") if is_complex(a.dtype(name))]
    return (f"{max(ranks)} dimensions", "at most 7, as it is complex") if max(ranks, default=0) > 7 else None


SHAPES: tuple[Relation, ...] = (
    computed_in(as_bool), ranks("self", "other", least=0, most=8), broadcast("self", "other", into="out"),
    empty("self", "other"),
)  # fmt: skip


@elementwise(
    "aclnnLogicalAnd", "aclnnInplaceLogicalAnd", listed("self", "other", among=ANYWHERE, provenance="public"), *SHAPES
)
def logical_and(self: Array, other: Array) -> Array:
    """out = true where self and other are both true"""
    return np.logical_and(self, other)


@elementwise(
    "aclnnLogicalOr", "aclnnInplaceLogicalOr", null_status(PLAN, "out"), listed("self", "other", among=EVERY),
    out_of_place(listed("out", among=OR_OUT)), *SHAPES,
)  # fmt: skip
def logical_or(self: Array, other: Array) -> Array:
    """out = true where self or other is true"""
    return np.logical_or(self, other)


@elementwise(
    "aclnnLogicalXor", listed("self", "other", "out", among=EVERY), *SHAPES,
    demand("{0} and {1} have at most 7 dimensions where they are complex", "self", "other", bad=wide_complex),
)  # fmt: skip
def logical_xor(self: Array, other: Array) -> Array:
    """out = true where one of self and other is true, and the other one false"""
    return np.not_equal(self, other)


@planned(
    "aclnnLogicalNot", "aclnnInplaceLogicalNot", listed("self", among=REAL_ANYWHERE, provenance="public"),
    out_of_place(listed("out", among=REAL_ANYWHERE, provenance="public")), same_shape("out", "self"),
    ranks_with_gaps("self", "out"), empty("self"), may_be_in_place(),
)  # fmt: skip
def logical_not(p: Planning) -> None:
    """out = true where self is false"""
    x = p.read("self", T.ACL_BOOL)
    p.store("out", p.step(np.logical_not, [x], x.shape, T.ACL_BOOL))
