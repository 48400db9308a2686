"""Elementwise functions whose contract is that of the catalogue: what the derived tests do not reach, and figures."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.case import A950, Meta, board
from tests.derived.good import subject
from tests.derived.launching import planned

F32 = np.float32


def plan(name: str, **changes: Any) -> tuple[int, int]:
    this = subject(f"aclnn{name}")
    with board(this.soc.name):
        found = planned(this, this.changed(changes))
        return found.status, found.workspace_size


LISTS = ("AddN", "Sum", "MaxN", "MinN")


@pytest.mark.parametrize("name", LISTS)
def test_lists_without_elements_need_no_work(name: str) -> None:
    empty = Meta((0, 3))
    assert plan(name, tensors=(empty, empty), out=empty) == (ACL_SUCCESS, 0)


@pytest.mark.fidelity("functions whose contract is only the catalogue")
def test_types_come_before_shapes() -> None:
    """Of a wrong data type and a wrong shape the data type is found."""
    with board():
        this = subject("aclnnMaxN")
        both = {"out": Meta((5, 7), ACL_DOUBLE)}
        assert "data type" in planned(this, this.changed(both)).text.lower().replace("dtype", "data type")
        assert planned(this, this.changed(both)).status == ACLNN_ERR_PARAM_INVALID


def test_lists_broadcast(machine: Machine) -> None:
    one, other, out = np.array([[1], [5]], F32), np.array([2, 4, np.nan], F32), np.empty((2, 3), F32)
    assert np.array_equal(run(aclnnMaxN, [one, other], out), [[2, 4, np.nan], [5, 5, np.nan]], equal_nan=True)
    assert np.array_equal(run(aclnnMinN, [one, other], out), [[1, 1, np.nan], [2, 4, np.nan]], equal_nan=True)
    small = np.array([100, -100], np.int8)
    assert run(aclnnSum, [small, small], np.empty(2, np.int8)).tolist() == [-56, 56]
    assert run(aclnnAddN, [one, one, one], np.empty_like(one)).tolist() == [[3], [15]]


def test_special_values(machine: Machine) -> None:
    x = np.array([0, 1, -2, 0.5, 1e6], F32)
    assert np.allclose(run(aclnnSinc, x, np.empty_like(x)), [1, 0, 0, 2 / np.pi, 0])
    assert np.isnan(run(aclnnSinc, np.array([np.inf, np.nan], F32), np.empty(2, F32))).all()
    one = np.array([0, 0, 0, 2, -2, np.nan], F32)
    other = np.array([7, np.nan, -1, 1, 1, 1], F32)
    wanted = [7, np.nan, -1, 1, 0, 0]
    assert np.array_equal(run(aclnnHeaviside, one, other, np.empty_like(one)), wanted, equal_nan=True)


def test_xlog1py_is_0_where_its_factor_is() -> None:
    with Machine(A950):
        x, y = np.array([0, 0, 2], F32), np.array([-1, np.nan, 0], F32)
        assert np.array_equal(run(aclnnXlog1py, x, y, np.empty_like(x)), [0, np.nan, 0], equal_nan=True)


def test_parts_of_complex_numbers(machine: Machine) -> None:
    """Each type of parts has one complex type."""
    z = run(aclnnComplex, np.array([1, 2], F32), np.array([3], F32), np.empty(2, np.complex64))
    assert z.tolist() == [1 + 3j, 2 + 3j]
    two = np.array([1, 2], np.float64)
    assert run(aclnnComplex, two, two, np.empty(2, np.complex128)).tolist() == [1 + 1j, 2 + 2j]
    halves = dict.fromkeys(("real", "imag"), Meta((2,), ACL_FLOAT16))
    assert plan("Complex", **halves, out=Meta((2,), ACL_COMPLEX32))[0] == ACL_SUCCESS
    assert run(aclnnReal, z, np.empty(2, F32)).tolist() == [1, 2]
    assert np.allclose(run(aclnnPolar, np.array([2], F32), np.array([np.pi / 2], F32), z[:1].copy()), 2j, atol=1e-6)
    assert plan("Real", self=Meta((2,), ACL_COMPLEX64), out=Meta((2,), ACL_DOUBLE))[0] == ACLNN_ERR_PARAM_INVALID
