"""Powers: a tensor or a scalar to the power of a tensor or a scalar.

Powers of integers wrap. A negative power of 1 or -1 is 1 or -1, and that of any other integer is 0. Ascend 950 refuses
a negative integer as scalar exponent of integers.
"""

import numpy as np

from aclnn.op import (
    EVERY, Arguments, Array, Bad, Planning, Relation, Series, T, array_dtype, becomes, broadcast, broadcast_of,
    computed_in, demand, empty, is_complex, is_float, is_integer, listed, may_be_in_place, only_on, planned, promote,
    promoted, ranks, same_shape, scalar_as, together, with_scalar_950,
)  # fmt: skip


A950 = Series.A950


def power(base: Array, exponent: Array) -> Array:
    """base to the power exponent. A negative power of an integer is rounded toward 0."""
    if base.dtype.kind not in "iu":
        return np.power(base, exponent)
    whole = np.power(base, np.maximum(exponent, 0))
    if base.dtype.kind == "u":
        return whole
    units = np.where(base == 1, 1, np.where(base == -1, 1 - 2 * (exponent & 1), 0))
    return np.where(exponent < 0, units.astype(base.dtype), whole)


def both_bool(a: Arguments) -> Bad:
    both = a.dtype("self") == a.dtype("exponent") == T.ACL_BOOL
    return ("DT_BOOL for both", "another data type for one") if both else None


def with_number(tensor: int, scalar: int, out: int) -> int | None:
    """The data type of a tensor and a scalar before Ascend 950. A float tensor keeps its data type."""
    if is_complex(scalar) or is_complex(tensor):
        return promote(tensor, scalar)
    if is_float(tensor):
        return tensor
    if scalar == T.ACL_DOUBLE and out == T.ACL_FLOAT:
        return T.ACL_FLOAT
    return promote(tensor, scalar) if is_float(scalar) or tensor == T.ACL_BOOL else tensor


def of_tensor(a: Arguments) -> int | None:
    if a.soc.series is A950:
        return with_scalar_950(a.dtype("self"), a.dtype("exponent"))
    if (a.dtype("exponent"), a.dtype("out")) == (T.ACL_DOUBLE, T.ACL_FLOAT):
        return promote(T.ACL_FLOAT, a.dtype("self")) if is_complex(a.dtype("self")) else T.ACL_FLOAT
    return with_number(a.dtype("self"), a.dtype("exponent"), a.dtype("out"))


def of_scalar(a: Arguments) -> int | None:
    scalar, tensor = a.dtype("self"), a.dtype("exponent")
    if a.soc.series is A950:
        return with_scalar_950(tensor, scalar)
    if (tensor, a.dtype("out")) == (T.ACL_DOUBLE, T.ACL_FLOAT):
        return T.ACL_FLOAT
    return with_number(tensor, scalar, a.dtype("out"))


def refused_exponent(a: Arguments) -> Bad:
    """Checks that, for integers on Ascend 950, the exponent is not below 0 and fits the data type."""
    computed = of_tensor(a)
    if computed is None or not is_integer(computed):
        return None
    value, converted = a["exponent"].item(), int(scalar_as(a["exponent"], computed))
    if isinstance(value, complex) or (int(value) >= 0 and int(value) == converted):
        return None
    ends = np.iinfo(array_dtype(computed))
    return value, f"[0, {ends.max}]"


TYPE_RULES = (
    listed("self", "exponent", among=EVERY, provenance="public"),
    demand("{0} and {1} are not both BOOL", "self", "exponent", bad=both_bool),
)  # fmt: skip


def raised(p: Planning) -> None:
    """Plan out = self to the power exponent; either may be a tensor or a scalar."""
    dtype = p.computed()
    x, y = p.operand("self", dtype), p.operand("exponent", dtype)
    p.store("out", p.step(power, [x, y], broadcast_of(x, y), dtype))


def scalar_form(compute: object, tensor: str) -> tuple[Relation, ...]:
    """The relations of a form with a scalar. Out must suit the promoted data type and that of the computation."""
    return (
        *TYPE_RULES, together(lambda a: a.promoted("self", "exponent"), "self", "exponent"),
        becomes("out", of=("self", "exponent")), computed_in(compute), becomes("out"),  # pyright: ignore[reportArgumentType]
        ranks(tensor, least=0, most=8), same_shape("out", tensor), empty(tensor), may_be_in_place(),
    )  # fmt: skip


@planned(
    "aclnnPowTensorTensor", "aclnnInplacePowTensorTensor", *TYPE_RULES, promoted("self", "exponent"), becomes("out"),
    ranks("self", "exponent", least=0, most=8), broadcast("self", "exponent", into="out"), empty("self", "exponent"),
    may_be_in_place(),
)  # fmt: skip
def pow_tensor_tensor(p: Planning) -> None:
    """out = self to the power exponent"""
    raised(p)


@planned(
    "aclnnPowTensorScalar", "aclnnInplacePowTensorScalar", *scalar_form(of_tensor, "self"),
    only_on(A950, demand("{0} is an integer that {1} can be raised to", "exponent", "self", bad=refused_exponent)),
)  # fmt: skip
def pow_tensor_scalar(p: Planning) -> None:
    """out = self to the power exponent, a scalar"""
    raised(p)


@planned("aclnnPowScalarTensor", *scalar_form(of_scalar, "exponent"))
def pow_scalar_tensor(p: Planning) -> None:
    """out = self, a scalar, to the power exponent"""
    raised(p)
