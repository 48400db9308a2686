"""Shared by activations: scalars are read as FLOAT, floats of 16 bits are rounded once."""

from collections.abc import Callable
from typing import Any

import numpy as np

from acl_runtime.headers.dtypes import Array
from acl_runtime.headers.enums import aclDataType
from aclnn.engine.operator import Operator
from aclnn.engine.parameters import DataTypes
from aclnn.engine.planning import Planning
from aclnn.engine.relation import Compute, Relation
from aclnn.engine.words.types import computed_in, listed
from aclnn.engine.words.values import empty, may_be_in_place

T = aclDataType


def sigmoid(x: Array) -> Array:
    """1 / (1 + exp(-x))"""
    return 1 / (1 + np.exp(-x))


def numbers(p: Planning, *scalars: str) -> dict[str, Any]:
    """The values of scalars as FLOAT, and of other attributes as they are."""
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
