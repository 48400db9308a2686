"""The calls of an operator, as objects of JSON."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, pairwise
from typing import Any

from acl_runtime.objects.handle_table import row_major
from aclnn.engine.constraints import Empty
from aclnn.engine.parameters import BoolArrayIn, FloatArrayIn, Param, ScalarListIn
from aclnn.tools.conformance.recorder.arguments import CODES
from tests.aclnn.ops.case import Meta
from tests.aclnn.ops.good_calls import LAID_OUT
from tests.derived import catalogued
from tests.derived.breakers import breakers, changed
from tests.derived.good import subject
from tests.derived.judging import Subject, needed
from tests.derived.judging import names as with_formula
from tests.derived.launching import is_laid_out, launchable, values
from tests.derived.values import Call, Number, Values, tensors

MOST_BYTES = 1 << 14
"""of all tensors of a call that is launched"""
MOST_ORDERS = 3


def names() -> list[str]:
    """The operators with and without a formula."""
    return [*with_formula(), *catalogued.missing()]


def calls(name: str) -> Iterator[dict[str, Any]]:
    """All calls of an operator."""
    formula = name in with_formula()
    this = subject(name) if formula else catalogued.bare(name)
    launch = formula and small(this)
    yield encoded(this, "a good call", this.good, launch=launch)
    for param in needed(this):
        yield encoded(this, f"{param.printed} is null", this.changed({param.printed: None}))
    if not formula:
        return
    broken = breakers(name)
    for at, (check, call) in enumerate(broken.items()):
        yield encoded(this, f"check {at}: {check.sentence}", call)
    yield from islice(orders(this, {check: call for check, call in broken.items() if not isinstance(check, Empty)}),
                      MOST_ORDERS)  # fmt: skip


def orders(this: Subject, broken: dict[Any, Call]) -> Iterator[dict[str, Any]]:
    """Two neighbouring checks, both broken."""
    for (first, one), (second, two) in pairwise(broken.items()):
        changes = changed(this, one), changed(this, two)
        if not changes[0].keys() & changes[1].keys():
            about = f"order: {first.sentence}, and {second.sentence}"
            yield encoded(this, about, this.changed(changes[0] | changes[1]))


def small(this: Subject) -> bool:
    """Can it be launched with little memory, and do its results follow from its arguments?"""
    given = [each for listed in tensors(this.good).values() for each in listed]
    if this.name in LAID_OUT or not launchable(this.good) or any(map(is_laid_out, given)):
        return False
    if any(each.strides or each.offset or each.storage for each in given):
        return False
    sizes = [values("", param, each).nbytes for param in this.op.params
             for each in tensors(this.good).get(param.printed, [])]  # fmt: skip
    return sum(sizes) <= MOST_BYTES


def encoded(this: Subject, about: str, call: Call, *, launch: bool = False) -> dict[str, Any]:
    """A call as `aclnn/tools/conformance/recorder/calls.py` describes it."""
    arguments = [argument(this.name, param, call[param.printed], launch=launch) for param in this.op.params]
    return {
        "id": f"{this.name}: {about}", "function": this.name, "kind": "operator", "arguments": arguments,
        **({"launch": True} if launch else {}),
    }  # fmt: skip


def argument(name: str, param: Param[Any], value: Any, *, launch: bool = False) -> Any:
    """One argument, with the name of its kind first."""
    if value is None:
        return None
    if isinstance(value, Meta):
        return tensor(f"{name} {param.printed}", param, value, launch=launch)
    if isinstance(value, Number):
        return ["scalar", int(value.dtype), value.array().tobytes().hex()]
    if isinstance(value, Values):
        kinds = {FloatArrayIn: "floats", BoolArrayIn: "bools"}
        return [kinds.get(type(param), "ints"), list(value.values)]
    if isinstance(value, tuple):
        kind = "scalars" if isinstance(param, ScalarListIn) else "tensors"
        return [kind, [argument(f"{name} {at}", param, each, launch=launch) for at, each in enumerate(value)]]
    if isinstance(value, str):
        return ["text", value]
    return [CODES[param.ctype.raw], value]


def tensor(seed: str, param: Param[Any], value: Meta, *, launch: bool) -> list[Any]:
    """A tensor. Its values depend on its name alone."""
    storage = value.shape if value.storage is None else value.storage
    strides = row_major(value.shape) if value.strides is None else value.strides
    data = values(seed, param, value).tobytes().hex() if launch else None
    return ["tensor", list(value.shape), int(value.dtype), int(value.format), list(strides), value.offset,
            list(storage), data]  # fmt: skip
