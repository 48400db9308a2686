"""RReluWithNoise and its twin in place: rules that no table has."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.case import Meta
from tests.helpers.refusals import Mistake, Number, assert_order

INVALID, NULL = ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR
SEED, OFFSET = 3, 4


@pytest.mark.fidelity("the random numbers of aclnnRReluWithNoise")
def test_slopes_are_uniform_numbers(machine: Machine) -> None:
    """Those of aclnnInplaceUniform, in FLOAT."""
    x = -np.ones(5000, np.float32)
    noise, out = run(aclnnRReluWithNoise, x, np.empty_like(x), 0.25, 0.5, True, SEED, OFFSET, np.empty_like(x))
    np.testing.assert_array_equal(noise, run(aclnnInplaceUniform, np.empty_like(x), 0.25, 0.5, SEED, OFFSET))
    np.testing.assert_array_equal(out, -noise)
    assert 0.25 <= noise.min() < 0.251
    assert 0.499 < noise.max() < 0.5


@pytest.mark.fidelity("0 in aclnnRReluWithNoise")
def test_0_and_nan_have_the_slope_1(machine: Machine) -> None:
    x = np.array([0, np.nan, -1], np.float32)
    noise = run(aclnnRReluWithNoise, x, np.zeros_like(x), 0.25, 0.5, True, SEED, OFFSET, np.empty_like(x))[0]
    np.testing.assert_array_equal(noise == 1, [True, True, False])


def test_further_elements_of_noise_stay(machine: Machine) -> None:
    x, more = np.ones((2, 2), np.float32), np.arange(6, dtype=np.float32)
    noise = run(aclnnInplaceRReluWithNoise, x, more, 0.25, 0.5, True, SEED, OFFSET)[1]
    np.testing.assert_array_equal(noise, [1, 1, 1, 1, 4, 5])


def test_noise_stays_without_training(machine: Machine) -> None:
    x, one = np.array([-4, 4], np.float32), np.full(1, 7, np.float32)
    noise, out = run(aclnnRReluWithNoise, x, one, 0.25, 0.5, False, SEED, OFFSET, np.empty_like(x))
    np.testing.assert_array_equal(noise, [7])
    np.testing.assert_array_equal(out, [-1.5, 4])


def test_refusals_come_in_order() -> None:
    half = Meta((2, 3), ACL_FLOAT16)
    good: dict[str, Any] = {
        "self": Meta((2, 3)), "noise": Meta((2, 3)), "lower": Number(0.25), "upper": Number(0.5), "training": True,
        "seed": 3, "offset": 4, "out": Meta((2, 3)),
    }  # fmt: skip
    mistakes = [
        *(Mistake(f"{name} is null", NULL, name, **{name: None})
          for name in ("self", "noise", "lower", "upper", "out")),
        *(Mistake(f"type of {name}", INVALID, name, **{name: Meta((2, 3), ACL_INT32)}) for name in ("self", "noise")),
        Mistake("type of lower", INVALID, "lower", lower=Number(1, np.int32)),
        Mistake("noise of another type", INVALID, "noise", noise=half),
        Mistake("out of another type", INVALID, "out", out=half),
        Mistake("shape of out", INVALID, "out", out=Meta((3, 2))),
        Mistake("a small noise", INVALID, "noise", noise=Meta((5,))),
    ]  # fmt: skip
    assert_order(aclnnRReluWithNoiseGetWorkspaceSize, good, mistakes)
