"""For each check of a function a call that this check refuses first."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from itertools import product
from typing import Any

from acl_runtime import *
from acl_runtime.headers.enums import aclDataType
from aclnn.engine import parameters as kinds
from aclnn.engine.constraints import Empty
from aclnn.engine.declaration import Check
from tests.aclnn.ops.case import Meta
from tests.aclnn.ops.good_calls import UNREACHED
from tests.derived.data_types import listed
from tests.derived.good import fixes, subject
from tests.derived.judging import Judged, Subject, crashing, on, ordered, stopped
from tests.derived.values import Call, dtype_of, instance, typed
from tests.derived.variants import hinted, single


@cache
def breakers(name: str, *, unreached: bool = False) -> dict[Check, Call]:
    """For each check the call that it refuses first. An `Empty` ends the checks. Checks of the table UNREACHED are
    searched for only if `unreached`."""
    found: dict[Check, Call] = {}
    this = subject(name)
    with on(this.soc):
        for at, check in enumerate(ordered(this.op)):
            again = check.sentence in {each.sentence for each in found}  # a twin in place may make it first, too
            skipped = again or (not unreached and (name, check.sentence) in UNREACHED)
            call = None if skipped else breaker(this, at, check)
            if call is not None:
                found[check] = call
    return found


def breaker(this: Subject, at: int, check: Check) -> Call | None:
    """One change, or two of which the second makes the checks before this one pass."""
    changed: list[Call] = []
    for changes in single(this.op, this.good, check.params):
        if speaks(this, at, check, call := this.changed(changes)):
            return call
        changed.append(call)
    # what ends these calls instead: an earlier check, or nothing
    states = [(call, _state(this, call)) for call in changed]
    ends = len(ordered(this.op))
    earlier = [(call, state) for call, state in states if state is not None and state.at < at]
    passing = [(call, state) for call, state in states if state is not None and state.at == ends]
    first = [*earlier, *passing]
    for call, state in first:
        for changes in hinted(this.op, call, state.violation):
            if speaks(this, at, check, call | changes):
                return call | changes
    if implied(this, check):
        return None
    for base in bases(this):
        for changes in single(this.op, base, check.params):
            if speaks(this, at, check, base | changes):
                return base | changes
    tried = 0
    for call, state in first:
        for changes in fixes(this.op, call, state):
            tried += 1
            if speaks(this, at, check, call | changes):
                return call | changes
            if tried > MOST_TRIES:
                return None
    return None


def changed(this: Subject, call: Call) -> Call:
    """The arguments of a call that are not those of the good call."""
    return {name: value for name, value in call.items() if value != this.good[name]}


def speaks(this: Subject, at: int, check: Check, call: Call) -> bool:
    """Is this check the first that refuses the call, or ends the checks? It is asked alone before, as most calls pass
    it."""
    try:
        made = instance(this.op, call.values())
        silent = not check.holds(made, this.soc) if isinstance(check, Empty) else check.judge(made, this.soc) is None
    except Exception:  # as in `crashing`; an earlier check may keep the call from it
        silent = False
    state = None if silent else _state(this, call)
    return state is not None and state.check is check


def _state(this: Subject, call: Call) -> Judged | None:
    """How far the checks let a call get; None if one of them fails with another exception, as in `crashing`."""
    try:
        state = stopped(this.op, this.soc, instance(this.op, call.values()))
    except Exception:
        return None
    return state or Judged(len(ordered(this.op)))


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
        if all(dtype_of(call[name]) != dtype_of(value) for name, value in this.good.items() if isinstance(value, Meta))
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
    return any(value is None or dtype_of(value) != dtype_of(good[name]) for name, value in changes.items())


MOST_TRIES = 1500
"""so many pairs of changes are tried for a check"""
