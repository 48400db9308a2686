"""The functions without a formula, each with a good call. It follows from the facts, as there are few checks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.objects.soc import Soc
from aclnn.catalogue.index import names, single_phase
from aclnn.engine.declaration import Op
from aclnn.engine.on_host.function import HostFunction
from aclnn.engine.operator import Operator
from aclnn.engine.parameters import Elements
from aclnn.ops import EXACT, homes
from aclnn.ops.contracts import without_formula
from tests.aclnn.ops.case import Meta, board
from tests.aclnn.ops.good_calls import GOOD
from tests.derived.good import chip, given, repaired, start
from tests.derived.judging import Subject, on
from tests.derived.values import Call

RANKS = (2, 3, 4, 1, 0)


def missing() -> list[str]:
    """The names of the operators that have no formula."""
    have = homes().keys() | EXACT
    return [name for name in names() if name not in have and name not in single_phase()]


def missing_on_host() -> dict[str, HostFunction]:
    """The functions without a second phase and without a formula."""
    found = {name: without_formula(name) for name in names() if name in single_phase() and name not in homes()}
    return {name: value for name, value in found.items() if isinstance(value, HostFunction)}


def operator(name: str) -> Operator:
    found = without_formula(name)
    assert isinstance(found, Operator)
    return found


@cache
def by_chip() -> dict[Soc, list[Subject]]:
    """All functions without a formula, by a product that has them."""
    where: dict[Soc, list[str]] = defaultdict(list)
    for name in missing():
        where[_chip(name)].append(name)
    return {soc: list(map(bare, listed)) for soc, listed in where.items()}


def _chip(name: str) -> Soc:
    return chip(operator(name).pairs[name][0].op)


@cache
def bare(name: str) -> Subject:
    """A function without a formula."""
    return _subject(name, _chip(name))


def _subject(name: str, soc: Soc) -> Subject:
    made = operator(name)
    op: type[Op] = made.pairs[name][0].op
    with on(soc):
        call = given(op, GOOD[name]) if name in GOOD else _good(op, made, soc)
    assert call is not None, f"no good call of {name} is found"
    return Subject(name, made, call, soc)


def _good(op: type[Op], made: Operator, soc: Soc) -> Call | None:
    """Tensors of one shape, or of the nearest rank that their document allows, and of one data type where it is
    listed. Arguments that a check still refuses are repaired."""
    for optional in (True, False):
        for rank in RANKS:
            for dtype in (ACL_FLOAT16, ACL_FLOAT, ACL_INT32):
                call = start(op, soc, (2,) * rank, dtype, optional=optional)
                found = repaired(op, made, soc, _ranked(op, call))
                if found is not None:
                    return found
    return None


def _ranked(op: type[Op], call: Call) -> Call:
    return {param.printed: _of_rank(param, call[param.printed]) for param in op.params}


def _of_rank(param: Any, value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(_of_rank(param, each) for each in value)
    if isinstance(value, Meta) and isinstance(param, Elements):
        rank = min(max(len(value.shape), param.rank.start), param.rank.stop - 1)
        return replace(value, shape=(2,) * rank)
    return value


def boards(**options: Any) -> Iterator[tuple[Machine, list[Subject]]]:
    """A machine of each product, one after the other, with the functions to try on it."""
    for soc, listed in by_chip().items():
        with board(soc.name, **options) as machine:
            yield machine, listed
