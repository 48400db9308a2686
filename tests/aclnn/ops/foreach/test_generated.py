"""Foreach functions that the library generates: what the derived tests do not reach, and figures by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.case import A2, A950, Meta, board
from tests.aclnn.ops.foreach.good_calls import TABLED, composite
from tests.derived.good import subject
from tests.derived.launching import planned
from tests.derived.values import Number
from tests.helpers.builders import malloc, on_device, plan

GENERATED = [name for name in (*TABLED, "aclnnForeachNorm") if not composite(name)]
TWO_LISTS = ("aclnnForeachMaximumList", "aclnnForeachMinimumList", "aclnnForeachPowList")
INVALID = ACLNN_ERR_PARAM_INVALID
TILING = ACLNN_ERR_INNER_TILING_ERROR


def status(name: str, lists: tuple[Meta, ...], chip: str = "", **changes: Any) -> int:
    """Of the good call, with other tensors in each list."""
    this = subject(name)
    tensors = {key: value for key, value in this.good.items() if isinstance(value, tuple) and key != "scalars"}
    with board(chip or this.soc.name):
        return planned(this, this.changed({**dict.fromkeys(tensors, lists), **changes})).status


@pytest.mark.parametrize("name", GENERATED)
def test_empty_tensors_leave_nothing_to_do(name: str) -> None:
    out = (Meta((0,)), Meta((0,)))
    changes = {"out": (Meta((1,)), Meta((1,)))} if name == "aclnnForeachNorm" else {}
    assert status(name, out, **changes) == ACL_SUCCESS


@pytest.mark.parametrize("name", TWO_LISTS)
def test_nine_dimensions_are_561002(name: str) -> None:
    assert status(name, (Meta((1,) * 8),)) == ACL_SUCCESS
    assert status(name, (Meta((1,) * 9),)) == TILING


@pytest.mark.parametrize(("count", "wanted"), [(256, ACL_SUCCESS), (257, TILING)])
def test_256_tensors_are_the_most(count: int, wanted: int) -> None:
    assert status("aclnnForeachAbs", (Meta((1,)),) * count) == wanted


@pytest.mark.parametrize("chip", [A2, A950], ids=["A2", "950"])
def test_a_list_without_tensors_is_refused(chip: str) -> None:
    assert status("aclnnForeachAbs", (), chip) == TILING


def test_out_has_at_least_the_elements_of_its_input() -> None:
    assert status("aclnnForeachAbs", (Meta((6,)),), out=(Meta((2, 3)),)) == ACL_SUCCESS
    assert status("aclnnForeachAbs", (Meta((6,)),), out=(Meta((7,)),)) == ACL_SUCCESS
    assert status("aclnnForeachAbs", (Meta((6,)),), out=(Meta((5,)),)) == TILING


def test_tensors_of_one_list_have_one_data_type() -> None:
    both = (Meta((2,)), Meta((2,), ACL_FLOAT16))
    assert status("aclnnForeachAbs", both) == TILING


def test_a_double_scalar_becomes_a_float() -> None:
    doubles = (Number(3, ACL_DOUBLE),)
    assert status("aclnnForeachDivScalarList", (Meta((2,)),), scalars=doubles) == ACL_SUCCESS
    assert status("aclnnForeachDivScalarList", (Meta((2,)),), scalars=(Number(3, ACL_INT64),)) == INVALID
    assert status("aclnnForeachDivScalarList", (Meta((2,)),), scalars=doubles * 2) == TILING


@pytest.mark.parametrize("bad", [np.inf, np.nan])
def test_an_infinite_gradient_sets_the_flag_and_all_are_unscaled(bad: float) -> None:
    grads = [np.array([2, 4], np.float16), np.array([bad], np.float16)]
    with Machine():
        unscaled, flag = run(
            aclnnForeachNonFiniteCheckAndUnscale, grads, np.zeros(1, np.float32), np.array([0.5], np.float32)
        )
    assert (list(unscaled[0]), list(flag)) == ([1, 2], [1])


@pytest.mark.parametrize("before", [0, 1])
def test_finite_gradients_leave_the_flag_alone(before: int) -> None:
    with Machine():
        _, flag = run(
            aclnnForeachNonFiniteCheckAndUnscale, [np.ones(2, np.float32)], np.array([before], np.float32),
            np.ones(1, np.float32),
        )  # fmt: skip
    assert list(flag) == [before]


@pytest.mark.parametrize(("base", "exponent", "wanted"), [(2, 10, 1024), (3, -1, 0), (-1, -3, -1), (1, -5, 1)])
def test_integer_powers(base: int, exponent: int, wanted: int) -> None:
    x, out = [np.array([base], np.int32)], [np.empty(1, np.int32)]
    with Machine():
        (found,) = run(aclnnForeachPowScalarList, x, [exponent], out)
    assert found == wanted


@pytest.mark.parametrize("name", ["aclnnForeachSqrt", "aclnnForeachAbs"])
def test_each_output_may_be_exactly_its_input(name: str) -> None:
    """As the optimisers of PyTorch do."""
    first, second = globals()[f"{name}GetWorkspaceSize"], globals()[name]
    with board() as machine:
        x = on_device(np.array([4.0], np.float32))
        again = aclCreateTensor([1], 1, ACL_FLOAT, [1], 0, ACL_FORMAT_ND, [1], 1, x.address)
        ready = plan(first, aclCreateTensorList([x.handle], 1), aclCreateTensorList([again], 1))
        workspace = malloc(ready.workspace_size) if ready.workspace_size else None
        assert second(workspace, ready.workspace_size, ready.executor, None) == ACL_SUCCESS
        assert aclrtSynchronizeStream(None) == ACL_SUCCESS
        assert x.read() == (2 if name == "aclnnForeachSqrt" else 4)
        assert machine.findings == []


@pytest.mark.parametrize("format", [77, -1, 2**31 - 1])
def test_a_format_that_does_not_exist_is_not_private(format: int) -> None:
    """ "any non-private label is accepted"; a NZ label is refused. (ours)"""
    tensors = (Meta((2,), format=format),)
    assert status("aclnnForeachMaximumScalarV2", tensors) == ACL_SUCCESS
    assert status("aclnnForeachMaximumScalarV2", (Meta((2,), format=ACL_FORMAT_FRACTAL_NZ),)) == INVALID
