"""Good calls of operators where the search of `derived` finds none, and checks that it does not reach.

Those of the five documents are in their cases. Each family can have a module `good_calls` beside its tests, with some
of these tables. Objects that may be null can be left out of a call.

    GOOD = {"aclnnFoo": {"self": Meta((2, 3)), "dims": Values((0,)), "out": Meta((2, 3))}}
        by function, the arguments under the names of the prototype
    UNREACHED = {("aclnnFoo", "dims has no duplicates"): "test_a_dimension_comes_once"}
        function and sentence of a check that no call of the search reaches: the test that reaches it, or the reason
    LAID_OUT = {"aclnnFoo": "its weight takes more memory than its view"}
        functions that need memory which the tests of `derived` do not give, so these do not launch them: the reason.
        They have tests of their own
    DENSE = {("aclnnFoo", "out"): "the function refuses one with gaps"}
        function and tensor that never has gaps: the reason
    BY_PRODUCT = {("aclnnFoo", Series.A950): {"out": Meta((2, 5))}}
        function and product on which the good call needs these changes
    UNTYPED = {("aclnnFoo", "self", "ACL_BF16"): "listed everywhere, and its step cannot be planned on two products"}
        function, parameter and data type that its check, or else the facts, list on some product, but that no call of
        the search has: the reason
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from acl_runtime.objects.soc import Series
from tests.aclnn.ops.cases import CASES

TESTS = Path(__file__).parent


def gathered(name: str) -> dict[Any, Any]:
    """One table of all families."""
    found: dict[Any, Any] = {}
    for module in sorted(TESTS.glob("*/good_calls.py")):
        table = getattr(import_module(f"tests.aclnn.ops.{module.parent.name}.good_calls"), name, {})
        assert not found.keys() & table.keys(), f"two rows for {found.keys() & table.keys()}"
        found |= table
    return found


GOOD: Mapping[str, Mapping[str, Any]] = gathered("GOOD") | {case.name: case.metas() for case in CASES}
UNREACHED: Mapping[tuple[str, str], str] = gathered("UNREACHED")
LAID_OUT: Mapping[str, str] = gathered("LAID_OUT")
BY_PRODUCT: Mapping[tuple[str, Series], Mapping[str, Any]] = gathered("BY_PRODUCT")
DENSE: Mapping[tuple[str, str], str] = gathered("DENSE")
UNTYPED: Mapping[tuple[str, str, str], str] = gathered("UNTYPED")
