"""Shared by activations: scalars are read as FLOAT, floats of 16 bits are rounded once."""

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
    """The values of some attributes; those of scalars are FLOAT."""
    return {name: p.number(name, T.ACL_FLOAT) for name in scalars}


def activation(
    module: str, names: str, formula: Callable[..., Array], doc: str, types: DataTypes, *rules: Relation,
    scalars: tuple[str, ...] = (), compute: Compute | None = None, self: str = "self", out: str = "out",
) -> Operator:  # fmt: skip
    """A function of one tensor and of scalars, and perhaps its twin in place. The checks: `types` of self, then
    `rules`; an empty self ends them. The formula gets the scalars as FLOAT; self is cast to the type that `compute`
    gives."""

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
    """A function of two tensors, which broadcast, and of scalars, which the formula gets as FLOAT. The tensors are cast
    to the data type that the rules say is computed in; without such a rule it is that of the first. `newest`: the
    formula on Ascend 950, if it is another one."""

    def plan(p: Planning) -> None:
        dtype = p.dtype(pair[0]) if p.op.compute is None else p.computed()
        inputs = [p.read(each, dtype) for each in pair]
        shape = broadcast_of(*inputs)
        chosen = newest if newest is not None and p.soc.series is Series.A950 else formula
        p.store(out, p.step(chosen, inputs, shape, dtype, **numbers(p, *scalars)))

    return Operator((f"aclnn{name}",), rules, plan, doc, module)


def one_type_or_float(a: Arguments) -> int:
    """A gradient whose two data types differ is computed in FLOAT."""
    return a.dtype("self") if a.dtype("self") == a.dtype("gradOutput") else T.ACL_FLOAT


def as_float(a: Arguments, name: str) -> float:
    """The value of a scalar as FLOAT; 1 if it has no such value, as planning then fails."""
    try:
        return float(scalar_as(a[name], T.ACL_FLOAT))
    except TypeError:
        return 1.0


def fits_float(name: str) -> Relation:
    """A scalar is read as FLOAT, so it is not complex."""
    complex_ = (T.ACL_COMPLEX64, T.ACL_COMPLEX128, T.ACL_COMPLEX32)

    def bad(a: Arguments) -> Bad:
        return (a.type_name(name), "a data type that can be cast to FLOAT") if a.dtype(name) in complex_ else None

    return demand("{0} can be cast to FLOAT", name, bad=bad, provenance="public")


def not_negative(name: str, flag: str = "") -> Relation:
    """A scalar is not below 0. With a flag, this is checked only if the flag is true."""

    def bad(a: Arguments) -> Bad:
        wrong = as_float(a, name) < 0 and (not flag or a[flag])
        return (as_float(a, name), "a number that is not below 0") if wrong else None

    names = (name, flag) if flag else (name,)
    return demand(f"{{0}} is not below 0{' if {1} is true' if flag else ''}", *names, bad=bad)
