"""Builders of operators, and relations, that the modules of activations share."""

from collections.abc import Callable
from typing import Any

import numpy as np

from aclnn.op import (
    Arguments, Array, Bad, Compute, DataTypes, Operator, Planning, Relation, Series, T, broadcast_of, computed_in,
    demand, empty, listed, may_be_in_place, scalar_as,
)  # fmt: skip


def sigmoid(x: Array) -> Array:
    """1 / (1 + exp(-x))"""
    return 1 / (1 + np.exp(-x))


def numbers(p: Planning, *scalars: str) -> dict[str, Any]:
    """Attributes by name; scalars are cast to FLOAT."""
    return {name: p.number(name, T.ACL_FLOAT) for name in scalars}


def activation(
    module: str, names: str, formula: Callable[..., Array], doc: str, types: DataTypes, *rules: Relation,
    scalars: tuple[str, ...] = (), compute: Compute | None = None, self: str = "self", out: str = "out",
) -> Operator:  # fmt: skip
    """An operator of one tensor and of scalars; `names` may include its form in place. It checks `types` of self, then
    `rules`, and then returns early if self is empty. The formula gets the scalars as FLOAT, and self in the data type
    that `compute` returns."""

    def plan(p: Planning) -> None:
        x = p.read(self, p.computed())
        p.store(out, p.step(formula, [x], x.shape, x.dtype, **numbers(p, *scalars)))

    relations = (
        computed_in(compute or (lambda a: a.dtype(self))), listed(self, among=types, provenance="public"), *rules,
        empty(self), may_be_in_place(),
    )  # fmt: skip
    return Operator(tuple(f"aclnn{name}" for name in names.split()), relations, plan, doc, module)


def gradient(
    module: str, name: str, formula: Callable[..., Array], doc: str, *rules: Relation,
    scalars: tuple[str, ...] = (), pair: tuple[str, str] = ("gradOutput", "self"), out: str = "gradInput",
    newest: Callable[..., Array] | None = None,
) -> Operator:  # fmt: skip
    """An operator of two tensors that broadcast, and of scalars, which the formula gets as FLOAT. The tensors are cast
    to the data type of computation that a rule sets, or else to the data type of the first one. `newest`: another
    formula, for Ascend 950."""

    def plan(p: Planning) -> None:
        dtype = p.dtype(pair[0]) if p.op.compute is None else p.computed()
        inputs = [p.read(name, dtype) for name in pair]
        shape = broadcast_of(*inputs)
        kernel = newest if newest is not None and p.soc.series is Series.A950 else formula
        p.store(out, p.step(kernel, inputs, shape, dtype, **numbers(p, *scalars)))

    return Operator((f"aclnn{name}",), rules, plan, doc, module)


def one_type_or_float(a: Arguments) -> int:
    """A gradient whose two data types differ is computed in FLOAT."""
    return a.dtype("self") if a.dtype("self") == a.dtype("gradOutput") else T.ACL_FLOAT


def as_float(a: Arguments, name: str) -> float:
    """The value of a scalar as FLOAT; 1 for a complex scalar, for which planning fails later."""
    try:
        return float(scalar_as(a[name], T.ACL_FLOAT))
    except TypeError:
        return 1.0


def fits_float(name: str) -> Relation:
    """Checks that a scalar is not complex, because it is read as FLOAT."""
    complex_ = (T.ACL_COMPLEX64, T.ACL_COMPLEX128, T.ACL_COMPLEX32)

    def bad(a: Arguments) -> Bad:
        return (a.type_name(name), "a data type that can be cast to FLOAT") if a.dtype(name) in complex_ else None

    return demand("{0} can be cast to FLOAT", name, bad=bad, provenance="public")


def not_negative(name: str, flag: str = "") -> Relation:
    """Checks that a scalar is not below 0; if `flag` is given, only in calls where that argument is true."""

    def bad(a: Arguments) -> Bad:
        wrong = as_float(a, name) < 0 and (not flag or a[flag])
        return (as_float(a, name), "a number that is not below 0") if wrong else None

    names = (name, flag) if flag else (name,)
    return demand(f"{{0}} is not below 0{' if {1} is true' if flag else ''}", *names, bad=bad)
