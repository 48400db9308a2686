"""Remainder, whose result has the sign of the divisor, and Fmod, whose result has the sign of the dividend.

Both return the dividend for an integer divided by 0, as the documents say; on Ascend 950, Remainder returns -1.
"""

from typing import Any

import numpy as np

from aclnn.op import (
    ACLNN_ERR_INNER_NULLPTR, IEEE_FLOATS, Arguments, Array, Bad, Planning, Relation, Series, Shape, T, becomes,
    broadcast, broadcast_of, broadcast_shape, computed_among, computed_in, demand, empty, is_complex, is_float, listed,
    may_be_in_place, mixed, null_status, nulls, only_on, out_of_place, planned, promote, promoted, ranks, same_shape,
    shape, together, with_bf16,
)  # fmt: skip
from aclnn.ops.elementwise._family import with_number

A950 = Series.A950
DIVIDED = with_bf16((T.ACL_INT32, T.ACL_INT64, *IEEE_FLOATS))
FMOD = with_bf16((*IEEE_FLOATS, T.ACL_INT32, T.ACL_INT8, T.ACL_UINT8, T.ACL_INT64))
ONE_ELEMENT = ((), (1,))


def floor_remainder(self: Array, other: Array, *, by_0: int | None) -> Array:
    """The remainder with the sign of other."""
    return of_integers(np.remainder(self, other), self, other, by_0)


def of_integers(result: Array, self: Array, other: Array, by_0: int | None) -> Array:
    """The result; but for integers divided by 0, `by_0`, or self if `by_0` is None."""
    if result.dtype.kind == "f":
        return result
    return np.where(other == 0, self if by_0 is None else result.dtype.type(by_0), result)


def trunc_remainder(self: Array, other: Array, *, by_0: int | None) -> Array:
    """The remainder with the sign of self."""
    return of_integers(np.fmod(self, other), self, other, by_0)


def store_remainder(p: Planning, formula: Any, by_0: int | None = None) -> None:
    """Plan out = formula(self, other); either may be a tensor or a scalar."""
    dtype = p.computed()
    x, y = p.operand("self", dtype), p.operand("other", dtype)
    p.store("out", p.step(formula, [x, y], broadcast_of(x, y), dtype, by_0=by_0))


def remainder(p: Planning) -> None:
    store_remainder(p, floor_remainder, -1 if p.soc.series is A950 else None)


def complex_operand(a: Arguments) -> Bad:
    dtype_names = [a.type_name(name) for name in ("self", "other") if is_complex(a.dtype(name))]
    return (dtype_names[0], "a real data type") if dtype_names else None


def tensor_first(a: Arguments) -> int | None:
    """The data type before Ascend 950: that of a float tensor, or of an integer tensor beside an integer; else the
    promoted one."""
    tensor, scalar = a.dtype("self"), a.dtype("other")
    if a.soc.series is A950:
        return mixed(tensor, scalar)
    both = not is_float(tensor) and (is_float(scalar) or tensor == T.ACL_BOOL)
    return promote(tensor, scalar) if both else tensor


def of_out(a: Arguments) -> int | None:
    """The data type of out; on Ascend 950, the promoted data type of the tensor and the scalar."""
    return mixed(a.dtype("other"), a.dtype("self")) if a.soc.series is A950 else a.dtype("out")


def one_element(a: Arguments) -> Shape | None:
    """The shape of out. Before Ascend 950, a result of one element may have the shape () or (1)."""
    expected_shape = broadcast_shape(a.shape("self"), a.shape("other"))
    any_rank = a.soc.series is not A950 and not a.op.twin() and {expected_shape, a.shape("out")} <= set(ONE_ELEMENT)
    return None if any_rank else expected_shape


BOTH_REAL = demand("{0} and {1} are real", "self", "other", bad=complex_operand)


@planned(
    "aclnnRemainderTensorTensor", "aclnnInplaceRemainderTensorTensor", promoted("self", "other"), becomes("out"),
    computed_among(DIVIDED), broadcast("self", "other"),
    shape("out", "{0} has the shape that self and other broadcast to", one_element),
    ranks("self", "other", least=0, most=8), empty("self", "other"), may_be_in_place(),
)  # fmt: skip
def remainder_tensor_tensor(p: Planning) -> None:
    """out = self - floor(self / other) * other"""
    remainder(p)


@planned(
    "aclnnRemainderTensorScalar", "aclnnInplaceRemainderTensorScalar", same_shape("out", "self"), BOTH_REAL,
    computed_in(tensor_first), together(tensor_first), computed_among(DIVIDED), becomes("out"),
    ranks("self", least=0, most=8), empty("self"), may_be_in_place(),
)  # fmt: skip
def remainder_tensor_scalar(p: Planning) -> None:
    """out = self - floor(self / other) * other, where other is a scalar"""
    remainder(p)


@planned(
    "aclnnRemainderScalarTensor", null_status(ACLNN_ERR_INNER_NULLPTR), same_shape("out", "other"), BOTH_REAL,
    computed_in(of_out), together(of_out), only_on(A950, becomes("out")),
    listed("out", among=DIVIDED, provenance="public"), ranks("other", least=0, most=8), empty("other"),
    may_be_in_place(),
)  # fmt: skip
def remainder_scalar_tensor(p: Planning) -> None:
    """out = self - floor(self / other) * other, where self is a scalar"""
    remainder(p)


FMOD_TYPES: tuple[Relation, ...] = (listed("self", "other", among=FMOD), out_of_place(listed("out", among=FMOD)))


@planned(
    "aclnnFmodTensor", "aclnnInplaceFmodTensor", *FMOD_TYPES, promoted("self", "other"), computed_among(FMOD),
    ranks("self", "other", least=0, most=8), broadcast("self", "other", into="out"), empty("self", "other"),
    may_be_in_place(),
)  # fmt: skip
def fmod_tensor(p: Planning) -> None:
    """out = self - trunc(self / other) * other"""
    store_remainder(p, trunc_remainder)


@planned(
    "aclnnFmodScalar", "aclnnInplaceFmodScalar", nulls("other", "self", "out"),
    null_status(ACLNN_ERR_INNER_NULLPTR, "other"), *FMOD_TYPES, computed_in(with_number), together(with_number),
    computed_among(FMOD), ranks("self", least=0, most=8), same_shape("out", "self"), empty("self"), may_be_in_place(),
)  # fmt: skip
def fmod_scalar(p: Planning) -> None:
    """out = self - trunc(self / other) * other, where other is a scalar"""
    store_remainder(p, trunc_remainder)
