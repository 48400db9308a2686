"""Remainder, which has the sign of the divisor, and Fmod, which has that of the dividend.

Of integers by 0 the remainder is the dividend, as their documents say; on Ascend 950 that of Remainder is -1.
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


def in_quotient(self: Array, other: Array, *, by_0: int | None) -> Array:
    """The rest of self, with the sign of other."""
    return of_integers(np.remainder(self, other), self, other, by_0)


def of_integers(result: Array, self: Array, other: Array, by_0: int | None) -> Array:
    """Integers by 0 give self, or `by_0`."""
    if result.dtype.kind == "f":
        return result
    return np.where(other == 0, self if by_0 is None else result.dtype.type(by_0), result)


def of_division(self: Array, other: Array, *, by_0: int | None) -> Array:
    """The rest of self, with the sign of self."""
    return of_integers(np.fmod(self, other), self, other, by_0)


def left(p: Planning, formula: Any, by_0: int | None = None) -> None:
    """out = the formula of self and other, tensors or scalars."""
    dtype = p.computed()
    x, y = p.operand("self", dtype), p.operand("other", dtype)
    p.store("out", p.step(formula, [x, y], broadcast_of(x, y), dtype, by_0=by_0))


def remainder(p: Planning) -> None:
    left(p, in_quotient, -1 if p.soc.series is A950 else None)


def no_complex(a: Arguments) -> Bad:
    dtype_names = [a.type_name(name) for name in ("self", "other") if is_complex(a.dtype(name))]
    return (dtype_names[0], "a real data type") if dtype_names else None


def tensor_first(a: Arguments) -> int | None:
    """A float tensor keeps its data type, and so does an integer tensor beside an integer."""
    tensor, scalar = a.dtype("self"), a.dtype("other")
    if a.soc.series is A950:
        return mixed(tensor, scalar)
    both = not is_float(tensor) and (is_float(scalar) or tensor == T.ACL_BOOL)
    return promote(tensor, scalar) if both else tensor


def of_out(a: Arguments) -> int | None:
    """The data type of out; on Ascend 950 the one that the tensor and the scalar are computed in."""
    return mixed(a.dtype("other"), a.dtype("self")) if a.soc.series is A950 else a.dtype("out")


def one_element(a: Arguments) -> Shape | None:
    """One element may have one dimension or none, before Ascend 950."""
    expected_shape = broadcast_shape(a.shape("self"), a.shape("other"))
    either = a.soc.series is not A950 and not a.op.twin() and {expected_shape, a.shape("out")} <= set(ONE_ELEMENT)
    return None if either else expected_shape


BOTH_REAL = demand("{0} and {1} are real", "self", "other", bad=no_complex)


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
    left(p, of_division)


@planned(
    "aclnnFmodScalar", "aclnnInplaceFmodScalar", nulls("other", "self", "out"),
    null_status(ACLNN_ERR_INNER_NULLPTR, "other"), *FMOD_TYPES, computed_in(with_number), together(with_number),
    computed_among(FMOD), ranks("self", least=0, most=8), same_shape("out", "self"), empty("self"), may_be_in_place(),
)  # fmt: skip
def fmod_scalar(p: Planning) -> None:
    """out = self - trunc(self / other) * other, where other is a scalar"""
    left(p, of_division)
