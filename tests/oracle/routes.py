"""The routes of all functions: the tables ROUTES in `tests/aclnn/ops/*/routes*.py`, beside the tests of each family.

A function without one is tried with the function of torch of the same name: aclnnFooBar is `foo_bar`."""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module

from aclnn.engine.parameters import Param
from tests.aclnn.ops.good_calls import LAID_OUT, TESTS
from tests.derived.good import subject
from tests.derived.judging import documented, names
from tests.oracle.route import Route, by_torch


@cache
def routes() -> dict[str, Route]:
    """By function."""
    found: dict[str, Route] = {}
    for module in sorted(TESTS.glob("*/routes*.py")):
        for each in import_module(f"tests.aclnn.ops.{module.parent.name}.{module.stem}").ROUTES:
            assert not found.keys() & set(each.names), f"two routes for {found.keys() & set(each.names)}"
            found |= dict.fromkeys(each.names, each)
    return found


def compared() -> list[str]:
    """The functions that the oracle compares: those that `tests.derived` can launch. The five with a class have the
    figures of their documents."""
    return sorted(name for name in names() if documented(name) and name not in LAID_OUT)


def route_of(name: str) -> Route:
    """The route of a function."""
    return routes().get(name) or same_name(name)


def same_name(name: str) -> Route:
    """The function of torch with this name, called with the inputs in their order."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.removeprefix("aclnn").removeprefix("Inplace")).lower()
    inputs = [param.printed for param in subject(name).op.params if not _output(param)]
    return Route((name,), f"torch.{words}", by_torch(words, *inputs))


def _output(param: Param[object]) -> bool:
    return getattr(param, "writes", False) and not getattr(param, "reads", False)
