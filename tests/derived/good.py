"""A good call of each function: a hand-written one, or one that is found by search."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from acl_runtime import *
from acl_runtime.headers.enums import aclDataType
from acl_runtime.objects.soc import Series, Soc
from aclnn.engine import parameters as kinds
from aclnn.engine.declaration import Op
from aclnn.engine.operator import Operator
from tests.aclnn.ops.case import Meta
from tests.aclnn.ops.good_calls import BY_PRODUCT, GOOD
from tests.derived.judging import CHIPS, Judged, Subject, crashing, on, operators
from tests.derived.values import Call, Number, Values
from tests.derived.variants import TYPES, single

SHAPES = ((2, 3), (2, 2), (4,), (2, 3, 4, 4), (1, 2, 3), (1,), (), (16, 16), (2, 3, 4, 4, 4))
STEPS = 12
"""so many arguments are changed, at most, until a call is good"""


@cache
def subject(name: str) -> Subject:
    """The function, with a good call. AssertionError if there is none."""
    operator = operators()[name]
    op: type[Op] = operator.pairs[name][0].op
    soc = chip(op)
    with on(soc):
        call = given(op, GOOD[name]) if name in GOOD else derived(op, operator, soc)
    assert call is not None, f"no good call of {name} is found; write one into tests/aclnn/ops/<family>/good_calls.py"
    return Subject(name, operator, call, soc)


def chip(op: type[Op]) -> Soc:
    """A product that computes the function; one that a document lists, if there is any."""
    return min((CHIPS[each] for each in op.series), key=lambda soc: soc.series in op.undocumented)


def on_product(this: Subject, series: Series) -> Subject:
    """The function, with the good call of a product."""
    return replace(this, good=this.changed(BY_PRODUCT.get((this.name, series), {})))


def given(op: type[Op], written: Mapping[str, Any]) -> Call:
    """A hand-written good call in the order of the prototype. Optional objects may be left out."""
    assert set(written) <= {param.printed for param in op.params}, f"{op.c_name()} has no such parameters"
    return {param.printed: written.get(param.printed) for param in op.params}


def derived(op: type[Op], operator: Operator, soc: Soc) -> Call | None:
    """Arguments are tried in a fixed order, and repaired, until the first phase accepts them."""
    for optional in (True, False):
        for shape in SHAPES:
            for dtype in TYPES[:3]:
                call = start(op, soc, shape, dtype, optional=optional)
                found = repaired(op, operator, soc, call)
                if found is not None:
                    return found
    return None


def start(op: type[Op], soc: Soc, shape: tuple[int, ...], dtype: int, *, optional: bool) -> Call:
    """All tensors have one shape, and this data type where it is listed."""
    masks = {each.when: True for each in op.tensors if each.when is not None}  # all masked outputs are given
    return {each.printed: masks.get(each, _start(each, soc, shape, dtype, optional=optional)) for each in op.params}


def _start(param: Any, soc: Soc, shape: tuple[int, ...], dtype: int, *, optional: bool) -> Any:
    if getattr(param, "optional", False) and not optional:
        return None
    if isinstance(param, kinds.Elements):
        allowed = param.dtypes.on(soc.series) or (ACL_FLOAT,)
        meta = Meta(shape, dtype if dtype in allowed else allowed[0])
        return (meta, meta) if isinstance(param, kinds.TensorListParam) else meta
    by_kind: dict[type, Any] = {
        kinds.ScalarIn: Number(1, ACL_FLOAT), kinds.ScalarListIn: (Number(1, ACL_FLOAT), Number(2, ACL_FLOAT)),
        kinds.IntArrayIn: Values((0,)), kinds.FloatArrayIn: Values((1.0,)), kinds.BoolArrayIn: Values((True,)),
        kinds.Flag: False, kinds.Double: 1.0, kinds.Float: 1.0, kinds.String: "mean",
    }  # fmt: skip
    if isinstance(param, kinds.DataType):
        return aclDataType(dtype)
    return by_kind.get(type(param), 0)


def repaired(op: type[Op], operator: Operator, soc: Soc, call: Call) -> Call | None:
    """Change one argument after the other, so that each change gets the call further through the checks."""
    subject = Subject(op.c_name(), operator, call, soc)
    state = crashing(subject, call)
    for _ in range(STEPS):
        if state is None:
            return None
        if state.accepted:
            return call
        for changes in fixes(op, call, state):
            better = crashing(subject, call | changes)
            if better is not None and better.at > state.at:
                call, state = call | changes, better
                break
        else:
            return None
    return call if state is not None and state.accepted else None


def fixes(op: type[Op], call: Call, state: Judged) -> Iterator[dict[str, Any]]:
    """Changes that may help: of the parameters of the check that refuses, then of all others; masks last."""
    first = state.check.params if state.check is not None else ()
    masks = [each.when for each in op.tensors]
    yield from single(op, call, first, state.violation)
    yield from single(op, call, sorted((param for param in op.params if param not in first), key=masks.__contains__))
