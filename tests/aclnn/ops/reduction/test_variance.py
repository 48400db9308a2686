"""Var, Std and their kin: dimensions that are null, results without enough elements, the mean in between."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.helpers.refusals import Of, status_of

INVALID, A950 = ACLNN_ERR_PARAM_INVALID, "Ascend950PR_9599"
X = np.array([[1, 2, 4], [1, 1, 1]], np.float32)


@pytest.mark.parametrize("dims", [None, [], [0, 1], [-1, 0]], ids=str)
def test_null_and_no_dims_mean_all(machine: Machine, dims: list[int] | None) -> None:
    wanted = np.var(X.astype(np.float64), ddof=1)
    for function, value in ((aclnnVarCorrection, wanted), (aclnnStd, wanted**0.5)):
        assert np.isclose(run(function, X, dims, 1, False, np.empty((), np.float32)), value)
    assert run(aclnnVar, X, dims, False, True, np.empty((1, 1), np.float32)).shape == (1, 1)


@pytest.mark.parametrize("dims", [None, [], [0, 1]], ids=str)
def test_std_leaves_shapes_of_all_dims_to_the_copy(dims: list[int] | None) -> None:
    """ "dim null or empty: Std and StdMeanCorrection then skip the shape test"."""
    copied = not dims
    assert status_of("aclnnStd", Of((2, 3)), dims, 1, False, Of((2,))) == (
        ACLNN_ERR_INNER_NULLPTR if copied else INVALID
    )
    assert status_of("aclnnStd", Of((2, 3)), dims, 1, False, Of((1,))) == (ACL_SUCCESS if copied else INVALID)
    assert status_of("aclnnVarCorrection", Of((2, 3)), dims, 1, False, Of((2,))) == INVALID


def spread(soc: str, function: Any, x: np.ndarray, correction: Any) -> float:
    outs = [np.empty((), np.float32) for _ in range(2 if function in (aclnnVarMean, aclnnStdMeanCorrection) else 1)]
    with Machine(soc):
        found = run(function, x, None, correction, False, *outs)
    return (found[0] if len(outs) > 1 else found).item()


FEW: list[Any] = [
    # values, correction: the fixed result, that of the formula
    ([5.0], 1, np.nan, np.nan), ([5.0], 2, np.nan, np.nan), ([5.0, 5.0], 2, np.inf, np.nan),
    ([5.0, 6.0], 2, np.inf, np.inf), ([5.0, 6.0], 3, np.inf, np.inf), ([5.0, 5.0], 1, 0, 0),
    ([5.0], 0, 0, 0), ([1.0, 3.0], -2, 0.5, 0.5),
]  # fmt: skip


@pytest.mark.parametrize(("values", "correction", "fixed", "formula"), FEW)
def test_results_without_enough_elements(values: list[float], correction: int, fixed: float, formula: float) -> None:
    """N = 1 gives NaN, other N up to the correction infinity; on Ascend 950 some functions have no fixed results."""
    x = np.array(values, np.float32)
    assert np.array_equal(spread("Ascend910B1", aclnnVarCorrection, x, correction), fixed, equal_nan=True)
    assert np.array_equal(spread(A950, aclnnVarCorrection, x, correction), fixed, equal_nan=True)
    assert np.array_equal(spread("Ascend910B1", aclnnVarMean, x, correction), fixed, equal_nan=True)
    assert np.array_equal(spread(A950, aclnnVarMean, x, correction), formula, equal_nan=True)
    assert np.array_equal(spread(A950, aclnnStd, x, correction), np.sqrt(np.float32(fixed)), equal_nan=True)


def test_one_element_without_bias_is_0_by_0() -> None:
    assert np.isnan(spread("Ascend910B1", aclnnVar, np.array([5], np.float32), True))
    assert spread("Ascend910B1", aclnnVar, np.array([5], np.float32), False) == 0


def test_the_mean_is_right_beside_an_infinite_variance(machine: Machine) -> None:
    outs = np.empty(2, np.float32), np.empty(2, np.float32)
    found = run(aclnnStdMeanCorrection, X, [1], 3, False, *outs)
    assert [each.tolist() for each in found] == [[np.inf, np.inf], [np.float32(7 / 3), 1]]


def test_no_elements_give_nan(machine: Machine) -> None:
    outs = np.zeros(2, np.float32), np.zeros(2, np.float32)
    for found in run(aclnnVarMean, np.empty((2, 0), np.float32), [1], 1, False, *outs):
        assert np.isnan(found).all()


def test_the_mean_of_16_bits_is_rounded_before_the_second_pass() -> None:
    """ "the mean is a tensor of self's type"; on Ascend 950 everything is FLOAT."""
    x = np.array([2048, 2049.5, 2050], np.float32).astype(np.float16)
    exact = np.var(x.astype(np.float64))
    found = {}
    for soc in ("Ascend910B1", A950):
        with Machine(soc):
            found[soc] = run(aclnnVarCorrection, x, [0], 0, False, np.empty((), np.float16)).item()
    rounded = float(np.mean((x.astype(np.float64) - np.float64(np.float16(x.astype(np.float64).mean()))) ** 2))
    assert found == {"Ascend910B1": float(np.float16(rounded)), A950: float(np.float16(exact))}
    assert rounded != exact


@pytest.mark.fidelity("aclnnVarMean of BFLOAT16 on A2 and A3")
def test_bfloat16_of_var_mean() -> None:
    half = Of((2, 3), ACL_BF16)
    outs = (Of((2,), ACL_BF16), Of((2,), ACL_BF16))
    assert status_of("aclnnVarMean", half, [1], 1, False, *outs) == INVALID
    assert status_of("aclnnVarMean", half, [1], 1, False, *outs, soc=A950) == ACL_SUCCESS


def test_data_types_of_std_and_mean_differ_on_950_only() -> None:
    outs = (Of((2,), ACL_FLOAT16), Of((2,)))
    assert status_of("aclnnStdMeanCorrection", Of((2, 3)), [1], 1, False, *outs) == INVALID
    assert status_of("aclnnStdMeanCorrection", Of((2, 3)), [1], 1, False, *outs, soc=A950) == ACL_SUCCESS
