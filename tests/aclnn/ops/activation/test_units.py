"""Gelu and its like, pieces, gates and gradients: rules that no table has, and special values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.case import A2, Meta
from tests.helpers.refusals import Mistake, Number, Of, assert_order, status_of
from tests.helpers.temporaries import FEW, LARGE, temporaries, tensor

INVALID, NULL = ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR
A950 = "Ascend950PR_9599"
SPECIAL = np.array([np.nan, -np.inf, np.inf, -3, 3, 0], np.float32)


def test_ends_of_pieces(machine: Machine) -> None:
    """NaN stays NaN; the bounds of hardswish belong to the outer pieces."""
    out = np.empty_like(SPECIAL)
    np.testing.assert_array_equal(run(aclnnHardswish, SPECIAL, out), [np.nan, 0, np.inf, 0, 3, 0])
    np.testing.assert_array_equal(run(aclnnHardsigmoid, SPECIAL, out), [np.nan, 0, 1, 0, 1, 0.5])
    found = run(aclnnInplaceThreshold, SPECIAL, np.float32(0), np.float32(7))
    np.testing.assert_array_equal(found, [np.nan, 7, np.inf, 7, 3, 7])
    found = run(aclnnThresholdBackward, SPECIAL + 1, SPECIAL, np.float32(0), out)
    np.testing.assert_array_equal(found, [np.nan, 0, np.inf, 0, 4, 0])


def test_hardsigmoid_of_int32_is_truncated(machine: Machine) -> None:
    x = np.array([-9, 0, 2, 3, 9], np.int32)
    np.testing.assert_array_equal(run(aclnnHardsigmoid, x, np.empty_like(x)), [0, 0, 0, 1, 1])


@pytest.mark.parametrize("name", ["alpha", "inputScale"])
def test_elu_with_an_infinite_scalar(machine: Machine, name: str) -> None:
    """ "the code computes scale * (x > 0 ? x : -alpha)"."""
    values = {"alpha": np.float32(2), "scale": np.float32(3), "inputScale": np.float32(1), name: np.float32(np.inf)}
    x = np.array([-1, 2], np.float32)
    np.testing.assert_array_equal(run(aclnnElu, x, *values.values(), x.copy()), [-3 * values["alpha"], 6])


def test_scalars_are_read_as_float32(machine: Machine) -> None:
    """They are not rounded to the data type of self."""
    x = np.array([-256.0], bfloat16)
    found = run(aclnnLeakyRelu, x, np.float32(0.1001), np.empty(1, np.float32))
    assert found[0] == bfloat16(-256 * np.float32(0.1001))
    assert status_of("aclnnElu", Of((2,)), *[Number(1j, np.complex64)] * 3, Of((2,))) == INVALID


def test_gelu_backward_at_infinities(machine: Machine) -> None:
    """ "x=+Inf gives dy, x=-Inf gives 0"."""
    x = np.array([np.inf, -np.inf, 1e30, -1e30], np.float32)
    np.testing.assert_array_equal(run(aclnnGeluBackward, np.full(4, 5, np.float32), x, np.empty_like(x)), [5, 0, 5, 0])


@pytest.mark.parametrize("approximate", [0, 2, -1])
def test_gelu_v2_has_erf_for_any_number_but_1(machine: Machine, approximate: int) -> None:
    x = np.array([1, -1], np.float32)
    np.testing.assert_allclose(run(aclnnGeluV2, x, approximate, x.copy()), [0.8413447, -0.15865526], rtol=2e-7)
    np.testing.assert_allclose(run(aclnnGeluV2, x, 1, x.copy()), [0.841192, -0.158808], rtol=1e-6)


def test_int64_of_threshold_backward() -> None:
    for soc, limit, wanted in [(A950, 0, 0), (A950, 1, INVALID), (A2, 0, INVALID)]:
        tensor = Of((2,), ACL_INT64)
        assert status_of("aclnnThresholdBackward", tensor, tensor, Number(limit), tensor, soc=soc) == wanted


def test_mixed_types_of_silu_backward() -> None:
    half, single = Of((2,), ACL_FLOAT16), Of((2,))
    for soc, out, wanted in [(A950, single, 0), (A950, half, INVALID), (A2, single, INVALID)]:
        assert status_of("aclnnSiluBackward", half, single, out, soc=soc) == wanted
    assert status_of("aclnnSiluBackward", half, half, single, soc=A950) == INVALID
    assert status_of("aclnnSiluBackward", Of((1,)), single, single, soc=A950) == 0
    assert status_of("aclnnSiluBackward", Of((3,)), single, single, soc=A950) == INVALID
    assert status_of("aclnnSiluBackward", Of((1,)), single, Of((1,)), soc=A950) == INVALID


def test_an_empty_gradient_of_log_softmax_ends_the_checks() -> None:
    values = (Of((0, 3), ACL_INT32), Of((0, 3)), 9, Of((5,)))
    assert status_of("aclnnLogSoftmaxBackward", *values) == 0
    assert status_of("aclnnLogSoftmaxBackward", *values, soc=A950) == INVALID
    good = (Of((0, 3)), Of((0, 3)), 1, Of((0, 3)))
    assert status_of("aclnnLogSoftmaxBackward", *good, soc=A950) == 0


def test_log_softmax_backward_of_one_element(machine: Machine) -> None:
    g, y = np.array(3, np.float32), np.array(0, np.float32)
    assert run(aclnnLogSoftmaxBackward, g, y, -1, np.empty((), np.float32)) == 0


def test_refusals_of_log_softmax_backward_come_in_order() -> None:
    good = {"gradOutput": Meta((2, 3)), "output": Meta((2, 3)), "dim": 1, "out": Meta((2, 3))}
    mistakes = [
        Mistake("output is null", NULL, "output", output=None),
        Mistake("gradOutput is null", NULL, "gradOutput", gradOutput=None),
        Mistake("out is null", NULL, "out", out=None),
        Mistake("type of gradOutput", INVALID, "gradOutput", gradOutput=Meta((2, 3), ACL_DOUBLE)),
        Mistake("type of output", INVALID, "output", output=Meta((2, 3), ACL_INT8)),
        Mistake("shape of out", INVALID, "out", out=Meta((3, 2))),
        Mistake("dim", INVALID, "dim", dim=2),
    ]
    assert_order(aclnnLogSoftmaxBackwardGetWorkspaceSize, good, mistakes)


GATES: dict[str, Any] = {"x": Meta((2, 4)), "dim": 1, "out": Meta((2, 2))}


@pytest.mark.fidelity("an out of aclnnSwiGlu that is not a half of x")
def test_refusals_of_swi_glu_come_in_order() -> None:
    mistakes = [
        Mistake("type", INVALID, "x", x=Meta((2, 4), ACL_DOUBLE)),
        Mistake("dim", ACLNN_ERR_INNER_TILING_ERROR, "dim", dim=2),
        Mistake("shape of out", ACLNN_ERR_INNER_TILING_ERROR, "out", out=Meta((2, 3))),
    ]
    assert_order(aclnnSwiGluGetWorkspaceSize, GATES, mistakes[:2])
    assert status_of("aclnnSwiGlu", Of((2, 3)), 1, Of((2, 1))) == ACLNN_ERR_INNER_TILING_ERROR
    assert status_of("aclnnSwiGlu", Of((2, 4)), 1, Of((2, 3))) == ACLNN_ERR_INNER_TILING_ERROR


@pytest.mark.fidelity("a self of aclnnGeGlu and aclnnGeGluV3 without dimensions")
def test_ge_glu_by_hand(machine: Machine) -> None:
    """The left half is the gate of aclnnGeGluV3 if that is asked for, else the right one."""
    x = np.array([[1, 2, -1, 3]], np.float32)
    out, gelu = np.empty((1, 2), np.float32), np.empty((1, 2), np.float32)
    of = {1: 0.8413447, 2: 1.9544997, -1: -0.15865526, 3: 2.9959503}
    found = run(aclnnGeGluV3, x, -1, 0, True, out, gelu)
    np.testing.assert_allclose(found[0], [[-of[1], 3 * of[2]]], rtol=1e-6)
    np.testing.assert_allclose(found[1], [[of[1], of[2]]], rtol=1e-6)
    found = run(aclnnGeGlu, x, -1, 0, out, gelu)
    np.testing.assert_allclose(found[0], [[of[-1], 2 * of[3]]], rtol=1e-6)
    assert status_of("aclnnGeGlu", Of(()), 0, 0, Of(()), Of(())) == 0
    assert status_of("aclnnGeGlu", Of((4,)), 0, 2, Of((2,)), Of((2,))) == INVALID


def test_gates_need_no_large_temporaries() -> None:
    half = (LARGE[0], LARGE[1] // 2)
    given = [lambda: tensor(*LARGE), lambda: -1]
    assert temporaries(aclnnSwiGlu, *given, lambda: tensor(*half)) < FEW
    outputs = [lambda: tensor(*half)] * 2
    assert temporaries(aclnnGeGluV3, *given, lambda: 1, lambda: True, *outputs) < FEW


@pytest.mark.parametrize("dim", [0, 1])
def test_halves_of_a_strided_tensor(machine: Machine, dim: int) -> None:
    x = np.arange(-6, 6, dtype=np.float32).reshape(2, 6).T[:4]
    one, other = np.split(x.astype(np.float64), 2, dim)
    found = run(aclnnSwiGlu, x, dim, np.empty(one.shape, np.float32))
    np.testing.assert_allclose(found, one / (1 + np.exp(-one)) * other, rtol=1e-6)
