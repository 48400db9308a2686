"""Runs a route: the worst error by data type, and which mutations it notices.

One mutation changes the steps of the operator. The others are wrong formulas: their results, rounded to the data types
of the outputs, take the place of those of the operator. A result of another shape does not count as noticed, as the
engine refuses it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import wraps
from itertools import chain
from typing import Any

import numpy as np
import pytest

from aclnn.engine.plan import works_in_memory
from aclnn.engine.plan_builder import PlanBuilder, Queued
from tests.derived.good import subject
from tests.derived.judging import Subject
from tests.derived.launching import ready, silent
from tests.oracle.cases import Drawn, cases, exact
from tests.oracle.compare import rounded, share
from tests.oracle.route import Expected, Route, called

MUTATION = "the first element of each step changed by a fiftieth, or by 1"


@dataclass(frozen=True)
class Evidence:
    """The result of the oracle for one function."""

    name: str
    route: str
    """the ways that ran"""
    errors: dict[str, float]
    """the worst error by data type, as a share of the bound"""
    mutations: dict[str, bool]
    """each mutation, and whether it was noticed"""

    @property
    def missed(self) -> list[str]:
        return [name for name, noticed in self.mutations.items() if not noticed]

    @property
    def good(self) -> bool:
        return bool(self.errors) and not self.missed and max(self.errors.values()) <= 1

    def row(self) -> dict[str, Any]:
        """As `aclnn/catalogue/evidence.json` has it."""
        errors = {dtype: round(error, 3) for dtype, error in self.errors.items()}
        return {"function": self.name, "route": self.route, "error": errors, "mutations": list(self.mutations)}


def evidence(name: str, route: Route) -> Evidence:
    """Compare all cases with each way, then see which mutations are noticed."""
    this = subject(name)
    errors: dict[str, float] = {}
    drawn = [(each, exact(each), results(this, each)) for each in cases(this, route)]
    for way in (ways := route.ways()):
        for each, arguments, found in drawn:
            errors[each.label] = max(errors.get(each.label, 0.0), error(this, way, arguments, found))
    way = ways[0]
    with mutated():
        noticed = any(error(this, way, arguments, results(this, each)) > 1 for each, arguments, _ in drawn)
    wrong = {
        name: any(notices(this, way, formula, arguments, found) for _, arguments, found in drawn)
        for name, formula in route.wrong.items()
    }
    return Evidence(name, ", ".join(each.how for each in ways), errors, {MUTATION: noticed, **wrong})


def error(this: Subject, route: Route, arguments: dict[str, Any], found: list[np.ndarray]) -> float:
    """The worst error of the results of one call."""
    wanted = several(route.expected, arguments)
    assert len(found) == len(wanted), f"{this.name} has {len(found)} results, the route {len(wanted)}"
    pairs = [(one, other) for one, other in zip(found, wanted, strict=True) if other is not None]
    return max(share(one, np.asarray(other), route, arguments) for one, other in pairs)


def notices(this: Subject, route: Route, formula: Expected, arguments: dict[str, Any], found: list[np.ndarray]) -> bool:
    """Are the results of a wrong formula, of the same shapes, too far from those of the route?"""
    with np.errstate(all="ignore"):
        given = several(formula, arguments)
    pairs = zip(given, found, strict=True)
    made = [one if each is None else rounded(np.asarray(each), one.dtype) for each, one in pairs]
    same = all(one.shape == other.shape for one, other in zip(made, found, strict=True))
    return same and error(this, route, arguments, made) > 1


def several(formula: Expected, arguments: dict[str, Any]) -> list[Any]:
    found = called(formula, arguments)
    return list(found) if isinstance(found, tuple | list) else [found]


def results(this: Subject, drawn: Drawn) -> list[np.ndarray]:
    """The outputs of a call, in the order of the prototype; the members of a list one after the other."""
    this = replace(this, soc=drawn.chip)
    with silent(this):
        call = ready(this, drawn.call, strided="*" if drawn.strided else None, arrays=drawn.arrays)
        return list(chain.from_iterable(call.outputs().values()))


@contextmanager
def mutated() -> Iterator[None]:
    """Every step gives another first element."""
    add = PlanBuilder._add

    def changed(self: PlanBuilder, step: Queued) -> None:
        add(self, step._replace(kernel=wrong(step.kernel)))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PlanBuilder, "_add", changed)
        yield


def wrong(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """The kernel, with another first element of each result."""

    @wraps(kernel)
    def mutant(*arrays: Any, **attributes: Any) -> Any:
        found = kernel(*arrays, **attributes)
        if works_in_memory(kernel):
            out = attributes["out"]
            for written in out if isinstance(out, list) else [out]:
                written[...] = bent(written)
        if found is None:
            return None  # a step that writes its output itself, or only looks at its inputs
        return tuple(map(bent, found)) if isinstance(found, tuple | list) else bent(found)

    return mutant


def bent(array: Any) -> np.ndarray:
    """Another first element."""
    other = np.array(array, order="C")
    if other.size:
        flat = other.reshape(-1)
        if other.dtype.kind == "b":
            flat[0] = not flat[0]
        elif other.dtype.kind in "iu":
            flat[0] ^= 1
        else:
            flat[0] = (flat[0] * other.dtype.type(1.02)) + other.dtype.type(2.0**-14)
    return other
