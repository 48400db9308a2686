"""Diag, Eye, Arange, Range, Linspace, LogSpace, OneHot, Stack, ChunkCat: rules that no table has."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.case import A2, A950, INFERENCE, TRAINING, Meta
from tests.derived.values import Number
from tests.helpers.changed_calls import INVALID, UNPLANNED, assert_nothing_to_do, assert_refused, changed
from tests.helpers.refusals import Number as ScalarOf
from tests.helpers.refusals import Of, status_of


def test_zeros_of_a_complex_type_are_refused() -> None:
    complex64 = {"self": Meta((0,), ACL_COMPLEX64), "out": Meta((1, 1), ACL_COMPLEX64)}
    assert_refused("aclnnDiag", INVALID, "out", **complex64, diagonal=1)


@pytest.mark.parametrize(("shape", "diagonal"), [((0,), 0), ((2, 3), 3), ((2, 3), -2)])
def test_a_diagonal_that_is_not_there_needs_no_work(shape: tuple[int, ...], diagonal: int) -> None:
    assert_nothing_to_do("aclnnDiag", self=Meta(shape), diagonal=diagonal, out=Meta((7,)))


def test_the_matrix_of_an_empty_row_is_zero() -> None:
    with Machine():
        assert not run(aclnnDiag, np.empty(0, np.float32), 2, np.ones((2, 2), np.float32)).any()


def test_a_matrix_without_rows_needs_no_work() -> None:
    assert_nothing_to_do("aclnnEye", n=0, out=Meta((0, 3)))


@pytest.mark.parametrize("diagonal", [-(1 << 62), 1 << 62])
def test_any_diagonal_will_do(diagonal: int) -> None:
    x = np.ones((2, 3), np.float32)
    with Machine():
        kept = run(aclnnTril, x, diagonal, np.empty_like(x)).all()
        assert kept == (diagonal > 0)
        assert run(aclnnTriu, x, diagonal, np.empty_like(x)).all() == (diagonal < 0)


def scalar(value: Any, dtype: Any = np.float32) -> Any:
    return np.asarray(value, dtype)[()]


def test_an_output_that_is_too_long_keeps_its_end_and_a_short_one_cuts_the_series() -> None:
    with Machine():
        long = run(aclnnArange, scalar(0), scalar(3), scalar(1), np.empty(5, np.float32))
        assert long[:3].tolist() == [0, 1, 2]
        assert np.isnan(long[3:]).all(), "they have what fresh memory has"
        assert run(aclnnArange, scalar(0), scalar(9), scalar(1), np.empty(2, np.float32)).tolist() == [0, 1]


@pytest.mark.parametrize(
    "changes",
    [{"step": Number(0)}, {"step": Number(-1)}, {"step": Number(0.5), "out": Meta((3,), ACL_INT32)}],
    ids=["zero", "the other way", "0.5 read as an integer"],
)
def test_a_step_that_leads_nowhere_is_refused(changes: dict[str, Any]) -> None:
    assert_refused("aclnnArange", INVALID, "step", **changes)
    assert_refused("aclnnRange", INVALID, "step", **changes)


@pytest.mark.fidelity("aclnnArange and aclnnRange with an end or a start that is not finite")
def test_a_series_without_an_end_is_not_planned() -> None:
    assert_refused("aclnnArange", UNPLANNED, "no length", end=Number(float("inf")))


def test_a_range_of_floats_includes_its_end() -> None:
    with Machine():
        assert run(aclnnRange, scalar(1), scalar(2), scalar(0.5), np.empty(3, np.float32)).tolist() == [1, 1.5, 2]


@pytest.mark.fidelity("aclnnRange of DOUBLE with a negative step")
@pytest.mark.parametrize("sign", [1, -1])
def test_a_range_of_doubles_reaches_an_end_that_division_misses(sign: int) -> None:
    """0.3 / 0.1 is a little less than 3."""
    ends = np.float64(0), np.float64(0.3 * sign), np.float64(0.1 * sign)
    with Machine():
        found = run(aclnnRange, *ends, np.full(4, 9.0))
    np.testing.assert_allclose(found, np.arange(4) * ends[2])


def test_ends_are_cast_to_the_type_of_out_before_numbers_are_spaced() -> None:
    with Machine():
        found = run(aclnnLinspace, scalar(0.9), scalar(4.9), 3, np.empty(3, np.int32))
    assert found.tolist() == [0, 2, 4]


def test_one_number_is_the_start() -> None:
    with Machine():
        assert run(aclnnLinspace, scalar(3), scalar(9), 1, np.empty(1, np.float32)).tolist() == [3]


def test_a_value_that_is_no_class_has_no_mark() -> None:
    values, on, off = np.array([-1, 1, 7]), np.array([5], np.float32), np.array([2], np.float32)
    with Machine():
        found = run(aclnnOneHot, values, 2, on, off, -1, np.empty((3, 2), np.float32))
    assert found.tolist() == [[2, 2], [2, 5], [2, 2]]


def test_seven_dimensions_are_the_most_on_950() -> None:
    eight = {"self": Meta((1,) * 8, ACL_INT64), "out": Meta((*(1,) * 8, 4))}
    assert_refused("aclnnOneHot", INVALID, "self", A950, **eight)


@pytest.mark.fidelity("aclnnStack without tensors, aclnnChunkCat without chunks")
def test_no_tensors_are_not_stacked() -> None:
    assert_refused("aclnnStack", INVALID, "tensors", tensors=())


def test_a_null_list_of_stack_is_561103() -> None:
    assert changed("aclnnStack", tensors=None).status == UNPLANNED


@pytest.mark.fidelity("aclnnStack without tensors, aclnnChunkCat without chunks")
def test_chunk_cat_knows_one_dimension_and_looks_at_it_first() -> None:
    assert_refused("aclnnChunkCat", INVALID, "dim", dim=1, tensors=None)
    assert_refused("aclnnChunkCat", INVALID, "numChunks", numChunks=0)


@pytest.mark.fidelity("aclnnStack without tensors, aclnnChunkCat without chunks")
def test_the_last_chunk_is_filled_up_with_zeros() -> None:
    with Machine():
        found = run(aclnnChunkCat, [np.arange(1, 4, dtype=np.float32)], 0, 2, np.empty((2, 2), np.float32))
    assert found.tolist() == [[1, 2], [3, 0]]


@pytest.mark.parametrize("soc", [TRAINING, INFERENCE, A2])
def test_one_hot_of_bytes_is_for_950(soc: str) -> None:
    bytes_, marks, out = Of((2,), ACL_UINT8), Of((1,), ACL_INT8), Of((2, 3), ACL_INT8)
    assert status_of("aclnnOneHot", bytes_, 3, Of((1,)), Of((1,)), -1, Of((2, 3)), soc=soc) == INVALID
    assert status_of("aclnnOneHot", Of((2,), ACL_INT32), 3, marks, marks, -1, out, soc=soc) == INVALID
    assert status_of("aclnnOneHot", bytes_, 3, marks, marks, -1, out, soc=A950) == ACL_SUCCESS


@pytest.mark.parametrize(("soc", "status"), [(A2, ACL_SUCCESS), (TRAINING, INVALID)])
def test_int64_numbers_at_equal_distances(soc: str, status: int) -> None:
    ends = (ScalarOf(0, np.float32), ScalarOf(4, np.float32))
    assert status_of("aclnnLinspace", *ends, 2, Of((2,), ACL_INT64), soc=soc) == status


def test_numbers_are_stacked() -> None:
    """Tensors without dimensions, as in torch.stack of losses."""
    with Machine():
        found = run(aclnnStack, [np.array(3, np.float32), np.array(-1, np.float32)], 0, np.empty(2, np.float32))
    assert found.tolist() == [3, -1]
