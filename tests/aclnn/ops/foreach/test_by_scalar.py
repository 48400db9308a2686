"""Foreach functions with a host scalar: what the derived tests do not reach, and figures by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.case import A2, A950, Meta, board
from tests.aclnn.ops.foreach.good_calls import BY_LIST
from tests.derived.good import subject
from tests.derived.launching import planned
from tests.derived.values import Number

INVALID = ACLNN_ERR_PARAM_INVALID
BY_TENSOR = ("aclnnForeachAddScalarV2", "aclnnForeachMulScalarV2", "aclnnForeachSqrt")


def status(name: str, chip: str = A2, **changes: Any) -> int:
    this = subject(name)
    lists = {
        key: changes["lists"] for key, value in this.good.items() if isinstance(value, tuple) and "lists" in changes
    }
    changes.pop("lists", None)
    with board(chip):
        return planned(this, this.changed({**lists, **changes})).status


@pytest.mark.parametrize("name", [*BY_LIST, *BY_TENSOR])
def test_lists_without_tensors_are_accepted(name: str) -> None:
    assert status(name, lists=()) == ACL_SUCCESS


@pytest.mark.parametrize("name", BY_LIST)
def test_nine_dimensions_are_refused(name: str) -> None:
    assert status(name, lists=(Meta((1,) * 8),)) == ACL_SUCCESS
    assert status(name, lists=(Meta((1,) * 9),)) == INVALID


def test_lists_of_other_lengths() -> None:
    """AddScalarV2 tests lengths together with null pointers."""
    one = (Meta((2,)),)
    assert status("aclnnForeachMulScalarV2", x=one, out=one * 2) == INVALID
    assert status("aclnnForeachAddScalarV2", x=one, out=one * 2) == ACLNN_ERR_PARAM_NULLPTR


@pytest.mark.parametrize(("chip", "wanted"), [(A2, INVALID), (A950, ACL_SUCCESS)], ids=["A2", "950"])
def test_a_float_scalar_for_half_tensors(chip: str, wanted: int) -> None:
    halves = (Meta((2,), ACL_FLOAT16),)
    assert status("aclnnForeachAddScalarV2", chip, lists=halves, scalar=Number(1, ACL_FLOAT)) == wanted
    assert status("aclnnForeachAddScalarV2", chip, lists=halves, scalar=Number(1, ACL_DOUBLE)) == ACL_SUCCESS


@pytest.mark.parametrize("dtype", [ACL_INT32, ACL_INT64], ids=["INT32", "INT64"])
def test_integers_take_an_integer_scalar(dtype: int) -> None:
    assert status("aclnnForeachAddScalarV2", lists=(Meta((2,), ACL_INT32),), scalar=Number(1, dtype)) == ACL_SUCCESS
    assert status("aclnnForeachAddScalarV2", lists=(Meta((2,)),), scalar=Number(1, dtype)) == INVALID


@pytest.mark.fidelity("FLOAT16 in Foreach functions")
def test_half_is_rounded_once() -> None:
    """In two roundings the product would lose the bit that decides."""
    x1, x2 = np.array([2.0**-11], np.float16), np.array([1 + 2.0**-10], np.float16)
    with Machine():
        found = run(aclnnForeachAddListV2, [x1], [x2], x2[0], [np.empty_like(x1)])
    assert np.ravel(found)[0] == 1 + 3 * 2.0**-10
