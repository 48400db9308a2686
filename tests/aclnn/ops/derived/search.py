"""A good call of a function, and for each of its checks a change that this check refuses first."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from importlib import import_module
from itertools import product
from typing import Any

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.errors import AclError
from acl_runtime.machine.current import installation
from acl_runtime.objects.soc import SOCS, Series, Soc
from aclnn.engine import parameters as kinds
from aclnn.engine.constraints import Empty
from aclnn.engine.declaration import Check, Op, Violation
from aclnn.engine.operator import Operator
from aclnn.engine.plan import Plan
from aclnn.engine.plan_builder import PlanBuilder
from aclnn.engine.planning import Planning
from aclnn.engine.words.types import TypeListed
from aclnn.ops import MODULES
from tests.aclnn.ops.case import A2, A3, A200I, INFERENCE, TRAINING, Meta
from tests.aclnn.ops.derived.values import Call, Number, Values, instance
from tests.aclnn.ops.derived.variants import TYPES, hinted, of, single
from tests.aclnn.ops.good_calls import GOOD, UNREACHED

CHIPS = {SOCS[chip].series: SOCS[chip] for chip in (A2, A3, TRAINING, INFERENCE, A200I)}
"""one chip of each series"""
SHAPES = ((2, 3), (2, 2), (4,), (2, 3, 4, 4), (1, 2, 3), (1,), (), (16, 16), (2, 3, 4, 4, 4))
STEPS = 12
"""so many arguments are changed, at most, until a call is good"""


@dataclass(frozen=True)
class Judged:
    """How far a call gets: the first check that refuses it or ends the checks, and what the check says."""

    at: int
    check: Check | None = None
    violation: Violation | None = None
    problem: str = ""
    """the planner cannot plan it"""
    plan: Plan | None = field(default=None, compare=False)

    @property
    def accepted(self) -> bool:
        return self.plan is not None


@dataclass(frozen=True, eq=False)
class Subject:
    """A function under test, with its good call."""

    name: str
    operator: Operator
    good: Call
    soc: Soc

    def __str__(self) -> str:
        return self.name.removeprefix("aclnn")

    @property
    def op(self) -> type[Op]:
        return self.first.op

    @property
    def first(self) -> Any:
        return self.operator.pairs[self.name][0]

    @property
    def second(self) -> Any:
        return self.operator.pairs[self.name][1]

    def changed(self, changes: Mapping[str, Any]) -> Call:
        return {**self.good, **changes}


@cache
def operators() -> dict[str, Operator]:
    """The operators made from facts, by the names of their functions."""
    found: dict[str, Operator] = {}
    for module, names in MODULES.items():
        for value in vars(import_module(module)).values():
            if isinstance(value, Operator) and value.module == module:
                found |= {name: value for name in value.names if name in names}
    return found


def names() -> list[str]:
    return [name for listed in MODULES.values() for name in listed]


@cache
def subject(name: str) -> Subject:
    """The function, with a good call. AssertionError if there is none."""
    operator = operators()[name]
    op: type[Op] = operator.pairs[name][0].op
    soc = next(soc for series, soc in CHIPS.items() if series in op.series)
    with on(soc):
        call = given(op, GOOD[name]) if name in GOOD else derived(op, operator, soc)
    assert call is not None, f"no good call of {name} is found; write one into tests/aclnn/ops/good_calls.py"
    return Subject(name, operator, call, soc)


def given(op: type[Op], written: Mapping[str, Any]) -> Call:
    """A hand-written good call in the order of the prototype. Optional objects may be left out."""
    assert set(written) <= {param.printed for param in op.params}, f"{op.c_name()} has no such parameters"
    return {param.printed: written.get(param.printed) for param in op.params}


# judging


def judge(op: type[Op], operator: Operator, soc: Soc, call: Mapping[str, Any]) -> Judged:
    """The checks in their order, then the planner."""
    return _judge(op, operator, soc, tuple(call.values()))


@lru_cache(maxsize=20_000)
def _judge(op: type[Op], operator: Operator, soc: Soc, values: tuple[Any, ...]) -> Judged:
    with on(soc):
        made = instance(op, values)
        found = stopped(op, soc, made)
        if found is not None:
            return found
        builder = PlanBuilder(made, soc)
        try:
            operator.plan(Planning(made, builder))
            return Judged(len(ordered(op)) + 1, plan=builder.finish(0))
        except AclError as error:
            return Judged(len(ordered(op)), problem=str(error))


def ordered(op: type[Op]) -> tuple[Check, ...]:
    """The checks in their order: those that a twin in place makes first, then the others."""
    return (*op.first_checks, *op.checks)


def stopped(op: type[Op], soc: Soc, made: Op) -> Judged | None:
    """The check that refuses a call, or ends the checks; None if all pass."""
    for at, check in enumerate(ordered(op)):
        if isinstance(check, Empty):
            if check.holds(made):
                return Judged(at, check)
        elif (violation := check.judge(made, soc)) is not None:
            return Judged(at, check, violation)
    return None


@contextmanager
def on(soc: Soc) -> Iterator[None]:
    """The current machine, if it is of this product, or else another one. Checks and planners may look at it."""
    current = installation.current
    if current is not None and current.soc is soc:
        yield
    else:
        with Machine(soc.name):
            yield


def crashing(subject: Subject, call: Mapping[str, Any]) -> Judged | None:
    """As `judge`; None if a check or the planner fails with another exception. `test_contract.py` finds these."""
    try:
        return judge(subject.op, subject.operator, subject.soc, call)
    except Exception:
        return None


def accepted(subject: Subject, call: Mapping[str, Any], soc: Soc | None = None) -> bool:
    """Does the first phase accept it?"""
    return judge(subject.op, subject.operator, soc or subject.soc, call).accepted


# good calls


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
    return {each.printed: _start(each, soc, shape, dtype, optional=optional) for each in op.params}


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
        kinds.Flag: False, kinds.Double: 1.0, kinds.Float: 1.0, kinds.Text: "mean",
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
    """Changes that may help: of the parameters of the check that refuses, then of all others."""
    first = state.check.params if state.check is not None else ()
    yield from single(op, call, first, state.violation)
    yield from single(op, call, [param for param in op.params if param not in first])


# breakers


@cache
def breakers(name: str, *, unreached: bool = False) -> dict[Check, Call]:
    """For each check the call that it refuses first. An `Empty` ends the checks. Checks of the table UNREACHED are
    searched for only if `unreached`."""
    found: dict[Check, Call] = {}
    this = subject(name)
    with on(this.soc):
        for at, check in enumerate(ordered(this.op)):
            skipped = not unreached and (name, check.sentence) in UNREACHED
            call = None if skipped else breaker(this, at, check)
            if call is not None:
                found[check] = call
    return found


def breaker(this: Subject, at: int, check: Check) -> Call | None:
    """One change, or two of which the second makes the checks before this one pass."""
    earlier: list[tuple[Call, Judged]] = []
    passing: list[tuple[Call, Judged]] = []

    def speaks(call: Call) -> bool:
        try:
            state = stopped(this.op, this.soc, instance(this.op, call.values()))
        except Exception:  # as in `crashing`
            return False
        if state is None:
            passing.append((call, Judged(len(ordered(this.op)))))
        elif state.at < at:
            earlier.append((call, state))
        return state is not None and state.check is check

    for changes in single(this.op, this.good, check.params):
        if speaks(call := this.changed(changes)):
            return call
    first = [*earlier, *passing]
    for call, state in first:
        for changes in hinted(this.op, call, state.violation):
            if speaks(call | changes):
                return call | changes
    if implied(this, check):
        return None
    for base in bases(this):
        for changes in single(this.op, base, check.params):
            if speaks(base | changes):
                return base | changes
    tried = 0
    for call, state in first:
        for changes in fixes(this.op, call, state):
            tried += 1
            if speaks(call | changes):
                return call | changes
            if tried > MOST_TRIES:
                return None
    return None


@cache
def bases(this: Subject) -> list[Call]:
    """Other good calls, in which all tensors of one shape have another shape, one value is another one, or all data
    types are another one."""
    found: list[Call] = []
    types: list[Call] = []
    for changes in single(this.op, this.good, this.op.params):
        state = crashing(this, this.changed(changes))
        if state is not None and state.accepted:
            (types if _changes_type(this.good, changes) else found).append(this.changed(changes))
    every = [
        call
        for call in types
        if all(_dtype(call[name]) != _dtype(value) for name, value in this.good.items() if isinstance(value, Meta))
    ]
    return found[:MOST_BASES] + every[:MOST_BASES]


MOST_BASES = 40
TYPE_ONLY = re.compile(r"promote to one data type$|can be cast to|are a pair that|have one data type$")
"""sentences of checks that look at data types and at nothing else"""


def implied(this: Subject, check: Check) -> bool:
    """Do all combinations of listed data types pass a check of data types, so that the lists leave it nothing to
    refuse?"""
    params = [param for param in check.params if isinstance(param, kinds.Elements | kinds.ScalarIn)]
    if not TYPE_ONLY.search(check.sentence) or len(params) < len(check.params) or not params:
        return False
    lists = [[typed(this.good[each.printed], dtype) for dtype in _types(each, this)] for each in params]
    for values in product(*lists):
        changes = {param.printed: value for param, value in zip(params, values, strict=True)}
        if check.judge(instance(this.op, this.changed(changes).values()), this.soc) is not None:
            return False
    return True


def _types(param: Any, this: Subject) -> tuple[int, ...]:
    return listed(this, this.soc.series).get(param.printed, tuple(aclDataType))


def _changes_type(good: Call, changes: Mapping[str, Any]) -> bool:
    return any(value is None or _dtype(value) != _dtype(good[name]) for name, value in changes.items())


MOST_TRIES = 1500
"""so many pairs of changes are tried for a check"""


# data types


def with_dtype(this: Subject, name: str, dtype: int, soc: Soc) -> Call | None:
    """A good call in which this parameter has this data type; None if the search finds none."""
    with on(soc):
        return _with_dtype(this, name, dtype, soc)


def _with_dtype(this: Subject, name: str, dtype: int, soc: Soc) -> Call | None:
    value = this.good[name]
    own = {name: typed(value, dtype)}
    state = _state(this, soc, this.changed(own))
    if state is not None and state.accepted:
        return this.changed(own)
    alike = {other: typed(each, dtype) for other, each in this.good.items() if _dtype(each) == _dtype(value)}
    tensors = {other: typed(each, dtype) for other, each in this.good.items()}
    same = {other: each for other, each in alike.items() if not isinstance(this.good[other], Number)}
    together = [own | alike, own | tensors, own | same]
    for changes in together:
        state = _state(this, soc, this.changed(changes))
        if state is not None and state.accepted:
            return this.changed(changes)
    for changes in (*together, own):
        call = _fixed(this, soc, this.changed(changes), name)
        if call is not None:
            return call
    return None


def _fixed(this: Subject, soc: Soc, call: Call, keep: str) -> Call | None:
    """Repair a call without another change of this parameter."""
    state = _state(this, soc, call)
    others = [param for param in this.op.params if param.printed != keep]
    for _ in range(STEPS):
        if state is None or state.accepted:
            break
        for param in others:
            changed = [call | {param.printed: each} for each in of(param, call[param.printed], {})]
            better = next((each for each in changed if _further(this, soc, each, state)), None)
            if better is not None:
                call, state = better, _state(this, soc, better)
                break
        else:
            return None
    return call if state is not None and state.accepted else None


def _further(this: Subject, soc: Soc, call: Call, than: Judged) -> bool:
    state = _state(this, soc, call)
    return state is not None and state.at > than.at


def _state(this: Subject, soc: Soc, call: Call) -> Judged | None:
    return crashing(replace(this, soc=soc), call)


def typed(value: Any, dtype: int) -> Any:
    """A tensor, scalar, list or data type as a value, with another data type."""
    if isinstance(value, Meta | Number):
        return replace(value, dtype=dtype)
    if isinstance(value, aclDataType):
        return aclDataType(dtype)
    if isinstance(value, tuple):
        return tuple(typed(each, dtype) for each in value)
    return value


def _dtype(value: Any) -> int | None:
    first = value[0] if isinstance(value, tuple) and value else value
    if isinstance(first, aclDataType):
        return first
    return first.dtype if isinstance(first, Meta | Number) else None


def listed(this: Subject, series: Series) -> dict[str, tuple[int, ...]]:
    """The data types of each parameter that the good call gives: those of its check, if there is one, else those of the
    facts. A parameter of which neither lists any is left out."""
    found: dict[str, tuple[int, ...]] = {}
    checked = {check.param.printed: check.dtypes for check in ordered(this.op) if isinstance(check, TypeListed)}
    for param in this.op.params:
        dtypes = checked.get(param.printed) or getattr(param, "dtypes", None)
        value = this.good[param.printed]
        if dtypes is not None and _dtype(value) is not None and dtypes.on(series) != tuple(aclDataType):
            found[param.printed] = dtypes.on(series)
    return found
