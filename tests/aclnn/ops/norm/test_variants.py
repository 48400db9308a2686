"""Variants and gradients of normalisations: what the derived tests do not reach, and figures by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.case import A2, A950, Meta, board
from tests.aclnn.ops.norm.good_calls import ALL, GROUPS
from tests.derived.good import subject
from tests.derived.launching import planned
from tests.derived.values import Values

INVALID, TILING, HALF, BF16, F32 = (
    ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_INNER_TILING_ERROR, ACL_FLOAT16, ACL_BF16, np.float32,
)  # fmt: skip


def plan(name: str, chip: str = A2, **changes: Any) -> tuple[int, int]:
    """Status and size of the workspace."""
    this = subject(f"aclnn{name}")
    with board(chip):
        found = planned(this, this.changed(changes))
        return found.status, found.workspace_size


def sized(shape: tuple[int, ...], *names: str) -> dict[str, Meta]:
    return dict.fromkeys(names, Meta(shape))


PAIR, NONE = (0, 2), (0, 4, 3)
ENDS: list[tuple[str, str, dict[str, Any]]] = [
    ("GroupNormSilu", A950, sized(NONE, "self", "out") | sized(PAIR, "meanOut", "rstdOut")),
    ("GroupNormSiluV2", A950, sized(NONE, "self", "out") | sized(PAIR, "meanOut", "rstdOut")),
    ("GroupNormSwish", A2, sized(NONE, "x", "yOut") | sized(PAIR, "meanOut", "rstdOut")),
    ("GroupNormSwishGrad", A2, sized((0,), "gamma", "beta", "dgammaOut", "dbetaOut")
     | sized((0, 0, 3), "dy", "x", "dxOut") | sized(PAIR, "mean", "rstd")),
    ("RmsNormGrad", A2, sized((5, 0), "dy", "x", "dxOut") | sized((0,), "gamma", "dgammaOut")),
    ("AddLayerNorm", A2, sized((0, 3), "x1", "x2", "yOut", "xOut") | sized((0, 1), "meanOut", "rstdOut")),
    ("AddLayerNormGrad", A2, sized((5, 0), "dy", "x1", "x2", "dsumOptional", "dxOut")
     | sized((0,), "gamma", "dgammaOut", "dbetaOut")),
    ("DeepNorm", A2, sized((0, 3), "x", "gx", "yOut") | sized((0, 1), "meanOut", "rstdOut")),
    ("DeepNormGrad", A2, sized((5, 0), "dy", "x", "gx", "dxOut", "dgxOut")
     | sized((0,), "gamma", "dgammaOut", "dbetaOut")),
    ("SyncBatchNormGatherStats", A2, sized((2, 0), "totalSum", "totalSquareSum")
     | sized((0,), "mean", "variance", "batchMean", "batchInvstd")),
    ("LayerNormWithImplMode", A2, sized((0, 3), "input", "out") | sized((0, 1), "meanOutOptional", "rstdOutOptional")),
]  # fmt: skip


@pytest.mark.parametrize(("name", "chip", "changes"), ENDS, ids=lambda each: each if isinstance(each, str) else "")
def test_without_elements_there_is_nothing_to_do(name: str, chip: str, changes: dict[str, Any]) -> None:
    assert plan(name, chip, **changes) == (ACL_SUCCESS, 0)


REFUSED: list[tuple[str, int, dict[str, Any]]] = [
    *((name, INVALID, {"group": 3}) for name in ("GroupNormSilu", "GroupNormSiluV2")),
    *((name, INVALID, sized(NONE, "self", "out") | sized(PAIR, "meanOut", "rstdOut"))
      for name in ("GroupNormSilu", "GroupNormSiluV2")),
    ("AddLayerNorm", INVALID, {"x1": Meta((5, 3), HALF), "x2": Meta((5, 3), BF16)}),
    ("AddLayerNorm", TILING, sized((5, 0), "x1", "x2", "yOut", "xOut") | sized((0,), "gamma", "beta", "biasOptional")),
    ("AddLayerNormGrad", TILING, sized((0, 3), "dy", "x1", "x2", "dsumOptional", "dxOut")
     | sized((0, 1), "mean", "rstd")),
    ("DeepNorm", TILING, sized((5, 0), "x", "gx", "yOut") | sized((0,), "gamma", "beta")),
    ("DeepNormGrad", TILING, sized((0, 3), "dy", "x", "gx", "dxOut", "dgxOut") | sized((0, 1), "mean", "rstd")),
]  # fmt: skip


@pytest.mark.parametrize(("name", "status", "changes"), REFUSED, ids=lambda each: each if isinstance(each, str) else "")
def test_refusals_of_two_changes(name: str, status: int, changes: dict[str, Any]) -> None:
    if "group" in changes:  # the statistics have a column for each group
        changes = changes | sized((2, 3), "meanOut", "rstdOut")
    assert plan(name, **changes)[0] == status


@pytest.mark.parametrize("name", ["LayerNormWithImplMode"])
@pytest.mark.parametrize("out", ["meanOutOptional", "rstdOutOptional"])
def test_statistics_are_checked_on_950_only(name: str, out: str) -> None:
    assert plan(name, A950, **{out: Meta((1, 5))})[0] == INVALID
    assert plan(name, A2, **{out: Meta((1, 5))})[0] != INVALID


def test_statistics_of_no_columns() -> None:
    x, column = np.zeros((2, 0), F32), np.ones((2, 1), F32)
    with Machine():
        for function, more in ((aclnnLayerNormWithImplMode, (0,)), (aclnnFastLayerNorm, ())):
            given = [x.copy(), column.copy(), column.copy()]
            _, mean, rstd = run(function, x, [0], None, None, 1e-5, *given, *more)
            assert np.array_equal(mean, 0 * column)
            assert np.isnan(rstd).all()


def test_fast_layer_norm_does_not_cast_its_output() -> None:
    assert plan("FastLayerNorm", out=Meta((5, 3), HALF))[0] == ACLNN_ERR_INNER_NULLPTR


@pytest.mark.fidelity("aclnnGroupNormBackward without elements on Ascend 950")
@pytest.mark.parametrize(("chip", "left"), [(A2, np.nan), (A950, 0.0)], ids=["A2", "950"])
def test_group_norm_backward_without_elements(chip: str, left: float) -> None:
    """On Ascend 950 the gradients of gamma and beta are 0; elsewhere the memory keeps its fill."""
    x, pair, four = np.zeros((2, 4, 0), F32), np.ones((2, 2), F32), np.full(4, 7, F32)
    with Machine(chip):
        given = [x, x, pair, pair, None, 2, 4, 0, 2, [True, True, True], x.copy(), four.copy(), four.copy()]
        _, gamma, beta = run(aclnnGroupNormBackward, *given)
    assert np.array_equal([gamma, beta], np.full((2, 4), left), equal_nan=True)


def test_group_norm_backward_has_room_for_so_many_channels() -> None:
    wide = {"N": 1, "C": 8001, "HxW": 1, "group": 1, "gamma": None, "outputMask": Values((True, False, False)),
            "gradGammaOut": None, "gradBetaOut": None, **sized((1, 8001), "gradOut", "input", "gradInput"),
            **sized((1, 1), "mean", "rstd")}  # fmt: skip
    assert plan("GroupNormBackward", A2, **wide)[0] == INVALID
    assert plan("GroupNormBackward", A950, **wide)[0] == ACL_SUCCESS


def test_group_norm_backward_takes_float_statistics_on_950() -> None:
    halves = {name: Meta(GROUPS.shape, HALF) for name in ("gradOut", "input", "gradInput")}
    assert plan("GroupNormBackward", A950, **halves, outputMask=ALL)[0] == ACL_SUCCESS
    assert plan("GroupNormBackward", A2, **halves, outputMask=ALL)[0] == INVALID


@pytest.mark.fidelity("outputs that a flag leaves out")
def test_outputs_that_a_flag_leaves_out() -> None:
    """xOut of AddLayerNorm, and the gradients of gamma and beta of GroupNormSwish, keep the fill of the memory."""
    x, three = np.array([[1, 2, 6]], F32), np.ones(3, F32)
    one = np.empty((1, 1), F32)
    with Machine():
        found = run(aclnnAddLayerNorm, x, x, three, three, None, 0.0, False, x.copy(), one, one.copy(), x.copy())
        assert np.isnan(found[-1]).all()
        assert np.array_equal(found[1], [[6]])
        pair, four, group = np.ones((2, 2), F32), np.full(4, 7, F32), np.ones((2, 4, 3), F32)
        given = [group, pair, pair, group, four, four, 2, None, 1.0, False, False, group.copy(), four.copy(), four]
        _, gamma, beta = run(aclnnGroupNormSwishGrad, *given)
    assert np.isnan([gamma, beta]).all()


def test_inplace_add_rms_norm_of_many_rows() -> None:
    """Both tensors are read before either is written."""
    random = np.random.default_rng(3)
    one, other = random.standard_normal((2, 600, 900)).astype(F32)
    gamma, column = np.ones(900, F32), np.empty((600, 1), F32)
    with Machine():
        y, x, rstd = run(aclnnInplaceAddRmsNorm, one.copy(), other.copy(), gamma, 0.0, column)
    assert np.array_equal(x, one + other)
    wanted = 1 / np.sqrt((x.astype(float) ** 2).mean(1, keepdims=True))
    assert np.allclose(rstd, wanted, rtol=1e-6)
    assert np.allclose(y, x * wanted, rtol=1e-5)


@pytest.mark.fidelity("running values of aclnnBatchNormGatherStatsWithCounts")
def test_running_mean_comes_with_running_var() -> None:
    assert plan("BatchNormGatherStatsWithCounts", runningVar=None)[0] == ACLNN_ERR_PARAM_NULLPTR
    assert plan("BatchNormGatherStatsWithCounts", runningMean=None, runningVar=None)[0] == ACL_SUCCESS


def test_the_pieces_of_synchronised_batch_norm_make_batch_norm() -> None:
    """Two devices with halves of a batch have the results of one with all of it."""
    x = np.random.default_rng(5).standard_normal((6, 3, 4)).astype(F32)
    three, counts = np.ones(3, F32), np.array([8, 16], F32)
    with Machine():
        parts = [run(aclnnBatchNormStats, part, 1e-5, three.copy(), three.copy()) for part in (x[:2], x[2:])]
        means, roots = (np.stack([each[at] for each in parts]) for at in (0, 1))
        given = [x[:2], means, roots, 0 * three, three.copy(), 0.5, 1e-5, counts, three.copy(), three.copy()]
        running, var, mean, invstd = run(aclnnBatchNormGatherStatsWithCounts, *given)
        y = run(aclnnBatchNormElemt, x[:2], None, None, mean, invstd, 1e-5, x[:2].copy())
    middle, spread = x.mean((0, 2)), x.astype(float).var((0, 2))
    assert np.allclose(mean, middle, atol=1e-6)
    assert np.allclose(invstd, 1 / np.sqrt(spread + 1e-5), rtol=1e-5)
    assert np.allclose(running, middle / 2, atol=1e-6)
    assert np.allclose(var, 0.5 + spread * 24 / 23 / 2, rtol=1e-5)
    assert np.allclose(y, (x[:2] - middle[:, None]) / np.sqrt(spread + 1e-5)[:, None], atol=1e-5)


@pytest.mark.parametrize("shape", [(2, 4, 8, 4), (2, 8, 2, 4), (1, 1, 1, 1)])
def test_instance_norm_takes_few_channels_and_places(shape: tuple[int, ...]) -> None:
    """Its kernel reads 32 bytes at a time, and no test of the host demands as many (public)."""
    statistics = (*shape[:2], 1, 1)
    changes = {**sized(shape, "x", "y"), **sized(statistics, "mean", "variance"), **sized(shape[1:2], "gamma", "beta")}
    assert plan("InstanceNorm", "Ascend310P3", **changes)[0] == ACL_SUCCESS


def test_renorm_by_hand() -> None:
    """Rows whose norm is above the limit are scaled down to it."""
    x = np.array([[3, 4], [0.3, 0.4]], F32)
    with Machine():
        assert np.allclose(run(aclnnRenorm, x, 2.0, 0, 1.0, np.empty_like(x)), [[0.6, 0.8], [0.3, 0.4]])
        assert np.allclose(run(aclnnRenorm, x, np.inf, 0, 1.0, np.empty_like(x)), [[0.75, 1], [0.3, 0.4]])
        assert np.allclose(run(aclnnRenorm, x, 0.0, 0, 1.0, np.empty_like(x)), x / 2)


@pytest.mark.fidelity("smallest norm in aclnnRenorm")
def test_smallest_norm_of_renorm() -> None:
    """Zeros stay zeros, and a limit below the smallest norm makes numbers smaller still."""
    with Machine():
        for dtype, least in ((F32, 1e-12), (np.float16, 1e-7)):
            x = np.array([[0, 0], [0, least / 2]], dtype)
            found = run(aclnnRenorm, x, 2.0, 0, float(least) / 4, np.empty_like(x)).astype(float)
            assert np.allclose(found / least, [[0, 0], [0, 1 / 8]], atol=0.3 if dtype is not F32 else 1e-6)


@pytest.mark.fidelity("modes of aclnnLayerNormWithImplMode")
def test_modes_of_layer_norm_have_one_result() -> None:
    x = np.random.default_rng(4).standard_normal((5, 7)).astype(np.float16)
    column = np.empty((5, 1), np.float16)
    with Machine():
        found = [
            run(aclnnLayerNormWithImplMode, x, [7], None, None, 1e-5, x.copy(), column.copy(), column.copy(), mode)
            for mode in (0, 1, 2)
        ]
    for each in found[1:]:
        assert all(np.array_equal(one, other) for one, other in zip(each, found[0], strict=True))


@pytest.mark.fidelity("outputs that are all masked off")
def test_group_norm_backward_without_a_true_flag() -> None:
    x, pair, four = np.ones((2, 4, 3), F32), np.ones((2, 2), F32), np.full(4, 7, F32)
    with Machine():
        given = [x, x, pair, pair, four, 2, 4, 3, 2, [False, False, False], x.copy(), four.copy(), four.copy()]
        assert all(np.isnan(each).all() for each in run(aclnnGroupNormBackward, *given))
