"""Normalisations: what the derived tests do not reach, and figures by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.case import A2, A200I, A950, Meta, board
from tests.derived.good import subject
from tests.derived.launching import planned
from tests.derived.values import Values
from tests.helpers.temporaries import FEW, LARGE, temporaries, tensor

INVALID, HALF, F32 = ACLNN_ERR_PARAM_INVALID, ACL_FLOAT16, np.float32


def status(name: str, chip: str = A2, **changes: Any) -> int:
    this = subject(f"aclnn{name}")
    with board(chip):
        return planned(this, this.changed(changes)).status


FIVE = Meta((4, 3, 2, 1, 1))
ON_950: list[tuple[str, dict[str, Any]]] = [
    *(("BatchNormBackward", {name: Meta((3,), HALF)})
      for name in ("weight", "runningMean", "runningVar", "saveMean", "saveInvstd")),
    ("BatchNormBackward", {"gradInput": Meta((4, 3, 2), HALF)}),
    ("BatchNormBackward", {"gradOut": FIVE, "input": FIVE, "gradInput": FIVE}),
    *(("BatchNormBackward", {name: Meta((1, 3))}) for name in ("saveMean", "saveInvstd", "gradWeight", "gradBias")),
    *(("LayerNorm", {name: Meta((1, 5))}) for name in ("meanOutOptional", "rstdOutOptional")),
]  # fmt: skip


@pytest.mark.parametrize(("name", "changes"), ON_950, ids="".join)
def test_checks_on_950_only(name: str, changes: dict[str, Any]) -> None:
    assert status(name, A950, **changes) == INVALID
    assert status(name, A2, **changes) != INVALID


def test_statistics_of_no_elements() -> None:
    """The mean of no elements is 0, and rstd is NaN."""
    x, column = np.zeros((2, 0), F32), np.ones((2, 1), F32)
    with Machine():
        _, mean, rstd = run(aclnnLayerNorm, x, [0], None, None, 1e-5, x.copy(), column.copy(), column.copy())
        assert np.array_equal(mean, 0 * column)
        assert np.isnan(rstd).all()
        x, pair = np.zeros((2, 4, 0), F32), np.ones((2, 2), F32)
        _, mean, rstd = run(aclnnGroupNorm, x, None, None, 2, 4, 0, 2, 1e-5, x.copy(), pair.copy(), pair.copy())
        assert np.array_equal(mean, 0 * pair)
        assert np.isnan(rstd).all()


@pytest.mark.fidelity("aclnnLayerNormBackward without rows")
def test_no_rows_give_zero_gradients() -> None:
    x, column, vector = np.zeros((0, 3), F32), np.zeros((0, 1), F32), np.ones(3, F32)
    given = [x, x, [3], column, column, None, None, [True, True, True], x.copy(), vector.copy(), vector.copy()]
    with Machine():
        _, weight, bias = run(aclnnLayerNormBackward, *given)
    assert np.array_equal([weight, bias], np.zeros((2, 3)))


def test_no_columns_write_nothing() -> None:
    empty = {name: Meta((5, 0)) for name in ("gradOut", "input", "gradInputOut")}
    vectors = {name: Meta((0,)) for name in ("weightOptional", "biasOptional", "gradWeightOut", "gradBiasOut")}
    assert status("LayerNormBackward", normalizedShape=Values((0,)), **empty, **vectors) == ACL_SUCCESS


def test_add_rms_norm_without_rstd_out() -> None:
    """Then the data type has 16 bits, and gamma is one row."""
    names = ("x1", "x2", "yOut", "xOut")
    halves = {name: Meta((5, 3), HALF) for name in names}
    row = Meta((1, 3), HALF)
    assert status("AddRmsNorm", rstdOut=None, **halves, gamma=row) == ACL_SUCCESS
    assert status("AddRmsNorm", rstdOut=None, **halves | {"xOut": None}, gamma=row) == ACL_SUCCESS
    assert status("AddRmsNorm", xOut=None) == ACLNN_ERR_PARAM_NULLPTR
    assert status("AddRmsNorm", rstdOut=None, gamma=Meta((1, 3))) == INVALID
    deep = {name: Meta((1, 5, 3), HALF) for name in names}
    assert status("AddRmsNorm", rstdOut=None, **deep, gamma=Meta((1, 1, 3), HALF)) == INVALID


@pytest.mark.fidelity("statistics of RmsNorm and AddRmsNorm")
def test_rms_norm_writes_the_statistics_to_the_begin_of_a_larger_tensor() -> None:
    """Each dimension of rstdOut is that of x, or 1."""
    x, rstd = np.array([[3, 3], [4, 4]], F32), np.zeros((2, 2), F32)
    with Machine():
        y, rstd = run(aclnnRmsNorm, x, np.ones(2, F32), 0.0, np.empty_like(x), rstd)
    assert np.allclose(y, 1)
    assert np.allclose(rstd.ravel()[:2], [1 / 3, 1 / 4])


@pytest.mark.parametrize(("chip", "saved"), [(A2, 1.0), (A950, 1 / np.sqrt(1.5))], ids=["A2", "950"])
def test_saved_statistics_of_batch_norm_by_product(chip: str, saved: float) -> None:
    """Before Ascend 950 saveInvstd is the variance. runningVar gets the unbiased one."""
    x, one = np.array([[1], [3]], F32), np.ones(1, F32)
    given = [x, None, None, 0 * one, one.copy(), True, 0.5, 0.5, np.empty_like(x), one.copy(), one.copy()]
    with Machine(chip):
        running, var, _, mean, invstd = run(aclnnBatchNorm, *given)
    assert np.allclose([running, var, mean, invstd], [[1], [1.5], [2], [saved]])


def test_layers_without_weight_need_no_large_temporaries() -> None:
    """A null weight and a null bias are tensors of ones and zeros."""
    sizes = [LARGE[1]]
    found = temporaries(
        aclnnLayerNorm, lambda: tensor(*LARGE), lambda: aclCreateIntArray(sizes, 1), lambda: None, lambda: None,
        lambda: 1e-5, lambda: tensor(*LARGE), lambda: None, lambda: None,
    )  # fmt: skip
    assert found < FEW


@pytest.mark.fidelity("operators that a device refused (Topk, Gather, Flip and nine more on 310B)")
@pytest.mark.parametrize(
    ("dtype", "expected"), [(HALF, ACL_SUCCESS), (ACL_FLOAT, ACLNN_ERR_INNER_NULLPTR), (ACL_BF16, INVALID)]
)
def test_layer_norm_on_310b_is_float16(dtype: int, expected: int) -> None:
    """ "LayerNorm: FLOAT16 works, FLOAT 561103" on a device (public)."""
    rows, vectors = ("input", "out"), ("weightOptional", "biasOptional")
    given = {**dict.fromkeys(rows, Meta((5, 3), dtype)), **dict.fromkeys(vectors, Meta((3,), dtype))}
    assert status("LayerNorm", A200I, **given, meanOutOptional=None, rstdOutOptional=None) == expected
