"""Relations, steps and formulas that normalisations share."""

from math import prod
from typing import Final

import numpy as np

from aclnn.op import (
    ACLNN_ERR_PARAM_INVALID, Arguments, Array, Bad, Check, Op, Operand, Planning, Relation, Rule, Shape, Soc, Violation,
    aclDataType, demand, dtype_name, filled, only_if, shape, total,
)  # fmt: skip


FLOAT: Final = aclDataType.ACL_FLOAT


def trailing(name: str, reference: str, *, status: int = ACLNN_ERR_PARAM_INVALID) -> Relation:
    """Checks that a tensor has the last dimensions of another tensor."""

    def expected_shape(a: Arguments) -> Shape:
        return a.shape(reference)[max(a.rank(reference) - a.rank(name), 0) :]

    return shape(name, f"{{0}} has the last dimensions of {reference}", expected_shape, status=status)


def not_above(name: str, reference: str, *, status: int = ACLNN_ERR_PARAM_INVALID) -> Relation:
    """Checks that a tensor has at most as many dimensions as another tensor."""

    def bad(a: Arguments) -> Bad:
        return (
            None
            if a.rank(name) <= a.rank(reference)
            else (list(a.shape(name)), f"at most {a.rank(reference)} dimensions")
        )

    return demand("{0} has at most as many dimensions as {1}", name, reference, bad=bad, status=status)


def float_or(name: str, as_: str, *, provenance: str = "public") -> Relation:
    """Checks that a tensor is FLOAT, or has the data type of another tensor."""

    def bad(a: Arguments) -> Bad:
        good = a.dtype(name) in (FLOAT, a.dtype(as_))
        allowed = " or ".join(dict.fromkeys((dtype_name(FLOAT), a.type_name(as_))))
        return None if good else (a.type_name(name), allowed)

    return demand("{0} has the data type FLOAT or that of {1}", name, as_, bad=bad, provenance=provenance)


def statistics(name: str, reference: str, scale: str, *, status: int) -> Relation:
    """Checks that each dimension of a tensor of statistics has the size of the same dimension of the input, or 1."""

    def bad(a: Arguments) -> Bad:
        whole, shape = a.shape(reference), a.shape(name)
        good = len(shape) <= len(whole) and all(own in (1, each) for own, each in zip(shape, whole, strict=False))
        lead = whole[: len(whole) - a.rank(scale)]
        expected_shape = (*lead, *(1,) * a.rank(scale))
        return (
            None if good and prod(shape) >= prod(lead) else (list(shape), f"{list(expected_shape)}, or as {reference}")
        )

    return demand(
        "{0} has the dimensions of {1} or 1, and room for the statistics", name, reference, bad=bad, status=status
    )


def has_flags(
    mask: str, count: int, *, status: int = ACLNN_ERR_PARAM_INVALID, provenance: str = "document"
) -> Relation:  # fmt: skip
    """Checks that a mask has `count` flags."""

    def bad(a: Arguments) -> Bad:
        flag_count = len(a[mask].values)
        return None if flag_count == count else (f"{flag_count} flags", f"{count} flags")

    return demand(f"{{0}} has {count} flags", mask, bad=bad, status=status, provenance=provenance)


def flagged(mask: str, *outs: str, status: int) -> Relation:
    """Checks that an output whose flag is true is not null."""

    def checks(op: type[Op]) -> list[Check]:
        def refuse(call: Op, soc: Soc) -> Violation | None:
            a = Arguments(call, soc)
            for flag, out in zip(a[mask].values, outs, strict=False):
                if flag and not a.given(out):
                    return Violation(
                        f"Expected a proper Tensor but got null for argument {out}.", out, "null", "a tensor"
                    )
            return None

        params = [op.named(name) for name in (mask, *outs)]
        return [Rule(f"the outputs that {mask} names are not null", refuse, *params, status=status)]

    return Relation(checks)


def if_flagged(mask: str, flag: int, *relations: Relation) -> Relation:
    """The checks of these relations, if this flag of a mask is true."""
    return only_if(f"{mask}[{flag}]", lambda a: a[mask].values[flag], *relations)


def wants(a: Arguments, mask: str, flag: int) -> bool:
    """True if this flag of a mask is true."""
    return bool(a[mask].values[flag])


def constants(p: Planning, **values: float) -> None:
    """Fill outputs, unless they are null, with one value each."""
    for name, value in values.items():
        if p.given(name):
            p.fill(name, value)


def or_constant(p: Planning, name: str, size: int, value: float) -> Operand:
    """An optional tensor as FLOAT with one dimension. If it is null, all elements are `value`."""
    if not p.given(name):
        return p.step(filled, [], (size,), FLOAT, value=np.float32(value), sizes=(size,))
    return p.builder.reshape(p.read(name, FLOAT), (size,))


def moments(x: Array, axes: int | tuple[int, ...], eps: float) -> tuple[Array, Array, Array]:
    """The distances from the mean, the mean, and 1 / sqrt(var + eps), where var is the mean of squared distances."""
    mean = average(x, axes)
    off = x - mean
    return off, mean, 1 / np.sqrt(average(off * off, axes) + np.float32(eps))


def average(x: Array, axes: int | tuple[int, ...]) -> Array:
    """The mean over dimensions, which keep the size 1."""
    count = prod(x.shape[axis] for axis in ((axes,) if isinstance(axes, int) else axes))
    return total(x, axes, keepdims=True) / np.float32(count)


def slope_of_normalised(g: Array, h: Array, rstd: Array, axes: int | tuple[int, ...]) -> Array:
    """The gradient of x, where g is the gradient of h = (x - mean) * rstd, with mean and rstd over `axes`."""
    return (g - average(g, axes) - h * average(g * h, axes)) * rstd


def store_statistics(p: Planning, name: str, result: Operand) -> None:
    """Store the statistics of rows. A larger tensor gets them at its beginning."""
    if p.given(name):
        if p[name].numel == prod(result.shape):
            p.store(name, p.builder.reshape(result, p.shape(name)))
        else:
            p.builder.launch(copied, [result], [p.builder.room(p[name], result.shape)])


def copied(x: Array) -> Array:
    return x
