"""LogSumExp, ReduceLogSum, norms and distances: rules of their contracts that no table has."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.helpers.refusals import Number, Of, status_of
from tests.helpers.temporaries import FEW, LARGE, temporaries, tensor

INVALID, A950 = ACLNN_ERR_PARAM_INVALID, "Ascend950PR_9599"
FAILED = ACLNN_ERR_INNER_NULLPTR
INF, NAN = float("inf"), float("nan")


def test_log_sum_exp_of_infinities_and_large_numbers(machine: Machine) -> None:
    rows = np.array([[-INF, -INF], [INF, 1], [NAN, INF], [1000, 1000], [-1000, -1000], [0, -INF]], np.float32)
    found = run(aclnnLogSumExp, rows, [1], False, np.empty(6, np.float32))
    wanted = [-INF, INF, NAN, 1000 + np.log(2), -1000 + np.log(2), 0]
    assert np.allclose(found, wanted, equal_nan=True)
    assert run(aclnnLogSumExp, np.empty((0, 2), np.float32), [0], False, np.zeros(2, np.float32)).tolist() == [-INF] * 2


def test_a_private_format_is_refused_on_950_only() -> None:
    private = Of((16, 16), ACL_FLOAT, ACL_FORMAT_FRACTAL_NZ)
    assert status_of("aclnnLogSumExp", private, [1], False, Of((16,)), soc=A950) == INVALID
    assert status_of("aclnnLogSumExp", private, [1], False, Of((16,))) == ACL_SUCCESS


def test_logarithms_of_sums(machine: Machine) -> None:
    x = np.array([[1, 1], [-1, -1], [1, -1]], np.float32)
    found = run(aclnnReduceLogSum, x, [1], False, False, np.empty(3, np.float32))
    assert np.array_equal(found, [np.float32(np.log(2)), NAN, -INF], equal_nan=True)
    assert np.array_equal(run(aclnnReduceLogSum, x, [], False, True, np.empty((3, 2), np.float32)), x)
    assert run(aclnnReduceLogSum, np.empty((0, 2), np.float32), [0], False, False, np.ones(2, np.float32)).tolist() == [
        0,
        0,
    ]


def test_the_result_of_reduce_log_sum_is_not_cast() -> None:
    assert status_of("aclnnReduceLogSum", Of((2, 3)), [0], False, False, Of((3,), ACL_FLOAT16)) == FAILED


@pytest.mark.parametrize(
    ("p", "wanted"),
    [(0, 2), (1, 7), (2, 5), (INF, 4), (-INF, 0), (3, 91 ** (1 / 3)), (-1, 0), (2147483647, 4), (-2147483648, 0)],
)
def test_every_order_of_a_norm(machine: Machine, p: float, wanted: float) -> None:
    """ "plus and minus inf may also be written as 2147483647 and -2147483648"."""
    x = np.array([3, -4, 0], np.float32)
    for scalar in (np.float32(p), np.float64(p)):
        assert np.isclose(run(aclnnNorm, x, scalar, [], False, np.empty((), np.float32)), wanted)
        assert np.isclose(
            run(aclnnLinalgVectorNorm, x, scalar, [0], False, ACL_FLOAT, np.empty((), np.float32)), wanted
        )


def test_norms_count_nan_and_show_it(machine: Machine) -> None:
    x = np.array([NAN, 0, 1], np.float32)
    assert run(aclnnNorm, x, np.float32(0), [], False, np.empty((), np.float32)) == 2
    for p in (1, 2, INF, -INF):
        assert np.isnan(run(aclnnNorm, x, np.float32(p), [], False, np.empty((), np.float32)))


def test_a_norm_of_nothing_is_0(machine: Machine) -> None:
    for p in (0, 2, -INF):
        assert run(
            aclnnNorm, np.empty((2, 0), np.float32), np.float32(p), [1], False, np.ones(2, np.float32)
        ).tolist() == [0, 0]


def test_data_types_of_norms_by_product() -> None:
    """Before Ascend 950 it is enough that self and out promote."""
    p = Number(2)
    whole = Of((2, 3), ACL_INT32)
    assert status_of("aclnnNorm", whole, p, [1], False, Of((2,))) == ACL_SUCCESS
    assert status_of("aclnnNorm", whole, p, [1], False, Of((2,)), soc=A950) == INVALID
    assert status_of("aclnnNorm", Of((2, 3)), p, [1], False, Of((2,), ACL_DOUBLE)) == ACL_SUCCESS
    assert status_of("aclnnNorm", Of((2, 3)), p, [1], False, Of((2,), ACL_DOUBLE), soc=A950) == INVALID
    half, wide = Of((2, 3), ACL_FLOAT16), Of((2,), ACL_BF16)
    assert status_of("aclnnLinalgVectorNorm", half, p, [1], False, ACL_BF16, wide) == ACL_SUCCESS
    assert status_of("aclnnLinalgVectorNorm", half, p, [1], False, ACL_BF16, wide, soc=A950) == INVALID
    assert status_of("aclnnLinalgVectorNorm", half, p, [1], False, ACL_FLOAT, Of((2,)), soc=A950) == ACL_SUCCESS


def test_no_complex_result() -> None:
    out = Of((2,), ACL_COMPLEX64)
    assert status_of("aclnnLinalgVectorNorm", Of((2, 3)), Number(2), [1], False, ACL_COMPLEX64, out) == INVALID
    assert status_of("aclnnNorm", Of((2, 3)), Number(2), [1], False, out) == ACL_SUCCESS


@pytest.mark.parametrize(
    ("p", "mode", "status"),
    [(2.0, 2, ACL_SUCCESS), (2.0, 0, INVALID), (2.0 + 5e-7, 1, INVALID), (2.1, 0, ACL_SUCCESS), (NAN, 2, INVALID),
     (-1.0, 2, INVALID), (0.0, 0, ACL_SUCCESS), (INF, 1, ACL_SUCCESS)],
    ids=str,
)  # fmt: skip
def test_orders_of_cdist(p: float, mode: int, status: int) -> None:
    """ "p = 2.0 requires compute_mode 2"."""
    assert status_of("aclnnCdist", Of((3, 2)), Of((4, 2)), p, mode, Of((3, 4))) == status


def test_empty_rows_and_empty_sets_of_rows(machine: Machine) -> None:
    out = np.full((3, 4), 7, np.float32)
    nothing = np.empty((3, 0), np.float32), np.empty((4, 0), np.float32)
    assert not run(aclnnCdist, *nothing, 1.0, 0, out).any()
    none = np.empty((0, 2), np.float32), np.ones((4, 2), np.float32)
    assert run(aclnnCdist, *none, 1.0, 0, np.empty((0, 4), np.float32)).size == 0
    assert run(aclnnPdist, nothing[0], 1.0, np.ones(3, np.float32)).tolist() == [0, 0, 0]
    assert run(aclnnPdist, np.ones((1, 2), np.float32), 1.0, np.ones(0, np.float32)).size == 0


def test_the_shape_of_distances_is_left_to_the_copy() -> None:
    assert status_of("aclnnCdist", Of((3, 2)), Of((4, 2)), 1.0, 0, Of((4, 3))) == FAILED
    assert status_of("aclnnPdist", Of((3, 2)), 1.0, Of((4,))) == INVALID


@pytest.mark.fidelity("NaN in a distance")
def test_a_distance_with_nan_is_nan(machine: Machine) -> None:
    x = np.array([[NAN, 1], [2, 3]], np.float32)
    for p in (0.0, 1.0, 3.0, INF):
        found = run(aclnnCdist, x, x[1:], p, 0, np.empty((2, 1), np.float32))
        assert np.array_equal(found, [[NAN], [0]], equal_nan=True)
        assert np.isnan(run(aclnnPdist, x, p, np.empty(1, np.float32))).all()


@pytest.mark.fidelity("checks of aclnnPdistForward")
@pytest.mark.parametrize(("p", "status"), [(2, ACL_SUCCESS), (-1, INVALID), (NAN, INVALID)])
def test_orders_of_pdist_forward(p: float, status: int) -> None:
    assert status_of("aclnnPdistForward", Of((3, 2)), Number(p), Of((3,), ACL_FLOAT16)) == status


def batch(shape: tuple[int, ...]) -> Any:
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


def test_batches_of_rows_broadcast(machine: Machine) -> None:
    one, two = batch((2, 1, 3, 2)), batch((4, 2, 2))
    found = run(aclnnCdist, one, two, 1.0, 0, np.empty((2, 4, 3, 2), np.float32))
    assert np.array_equal(found, np.abs(one[..., :, None, :] - two[..., None, :, :]).sum(-1))
    assert status_of("aclnnCdist", Of((2, 3, 2)), Of((3, 3, 2)), 1.0, 0, Of((3, 3, 3))) == INVALID


@pytest.mark.parametrize("kept", [False, True])
def test_log_sum_exp_needs_no_large_temporaries(kept: bool) -> None:
    shape = (LARGE[0], 1) if kept else (LARGE[0],)
    given = [lambda: tensor(*LARGE), lambda: aclCreateIntArray([1], 1), lambda: kept, lambda: tensor(*shape)]
    assert temporaries(aclnnLogSumExp, *given) < FEW
