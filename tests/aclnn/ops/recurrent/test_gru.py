"""GRU and the cell of an LSTM: derivatives, and what their calls refuse."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.case import Meta, board
from tests.aclnn.ops.recurrent.good_calls import BIAS, GATES, GRU_LISTS, STATE, B, H, T, X, bidirection_v2
from tests.aclnn.ops.recurrent.good_calls import gru as good_gru
from tests.aclnn.ops.recurrent.good_calls import gru_backward as good_backward
from tests.aclnn.ops.recurrent.test_lstm import drawn
from tests.derived.good import subject
from tests.derived.launching import planned

NULL, INVALID, TILING = ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_INNER_TILING_ERROR
STEP = 2.0**-7


def forward(x: np.ndarray, hx: np.ndarray, params: list[np.ndarray], directions: int, *, train: bool) -> list[Any]:
    """output, hy, and the lists, of two layers."""
    cells = 2 * directions
    lists = [[np.zeros((T, B, H), np.float32) for _ in range(cells)] if train else None for _ in GRU_LISTS]
    output = np.zeros((T, B, directions * H), np.float32)
    return run(
        aclnnGRU, x, params, hx, None, True, 2, 0.0, train, directions == 2, False, output, np.zeros_like(hx), *lists
    )


@pytest.mark.parametrize("directions", [1, 2])
def test_backward_has_the_differences_of_forward(machine: Machine, directions: int) -> None:
    """Along random directions, of two layers."""
    shapes = [each.shape for each in good_gru(2, directions)["params"]]
    x, hx, dy, dh = drawn([(T, B, X), (2 * directions, B, H), (T, B, directions * H), (2 * directions, B, H)], 20)
    params = drawn(shapes, 21)
    lists = forward(x, hx, params, directions, train=True)[2:]
    dx, dhx, dparams = run(
        aclnnGRUBackward, x, params, hx, dy, dh, *lists, None, True, 2, directions == 2, False, np.zeros_like(x),
        np.zeros_like(hx), [np.zeros_like(each) for each in params],
    )  # fmt: skip

    def value(sign: int, at: int, way: np.ndarray) -> float:
        given = (x, hx, *params)
        moved = [
            (each + sign * STEP * way if place == at else each).astype(np.float32) for place, each in enumerate(given)
        ]
        results = forward(moved[0], moved[1], moved[2:], directions, train=False)[:2]
        return sum(float((one.astype(np.float64) * other).sum()) for one, other in zip(results, (dy, dh), strict=True))

    for at, slope in enumerate((dx, dhx, *dparams)):
        (way,) = drawn([slope.shape], 200 + at)
        difference = (value(1, at, way) - value(-1, at, way)) / (2 * STEP)
        assert abs(difference - float((slope * way).sum())) < 4e-3 * max(1, abs(difference)), at


def test_the_cell_is_a_step_of_the_lstm(machine: Machine) -> None:
    """And its way back has the differences."""
    given, hidden = drawn([(B, 4 * H), (B, 4 * H)], 30)
    c, dh, dc = drawn([(B, H)] * 3, 31)
    biases = drawn([(4 * H,)] * 2, 32)

    def step(given: np.ndarray, c: np.ndarray) -> Any:
        outs = np.empty_like(c), np.empty_like(c), np.empty_like(given)
        return run(aclnnThnnFusedLstmCell, given, hidden, c, *biases, *outs)

    _, new, storage = step(given, c)
    slopes = run(
        aclnnThnnFusedLstmCellBackward, dh, dc, c, new, storage, True, np.empty_like(given), np.empty_like(c),
        np.empty_like(biases[0]),
    )  # fmt: skip
    np.testing.assert_allclose(slopes[2], slopes[0].sum(axis=0), atol=1e-6)
    for slope, at in ((slopes[0], 0), (slopes[1], 1)):
        (way,) = drawn([slope.shape], 33)
        moves = [sign * np.float32(STEP) * way for sign in (1, -1)]
        found = [step(given, c + each) if at else step(given + each, c) for each in moves]
        ends = [float((h.astype(np.float64) * dh).sum() + (new.astype(np.float64) * dc).sum()) for h, new, _ in found]
        assert abs((ends[0] - ends[1]) / (2 * STEP) - float((slope * way).sum())) < 4e-3


def status(name: str, **changes: Any) -> int:
    this = subject(name)
    with board(this.soc.name):
        return planned(this, this.changed(changes)).status


SHORT = {"input": Meta((0, B, X)), "output": Meta((0, B, H)), **dict.fromkeys(GRU_LISTS, (Meta((0, B, H)),))}
LENGTHS = Meta((T,), ACL_INT64)
CALLS: dict[str, tuple[str, int, dict[str, Any]]] = {
    "batchSizes before null": ("GRU", INVALID, {"batchSizes": LENGTHS, "input": None}),
    "no elements": ("GRU", ACL_SUCCESS, SHORT),
    "no first states": ("GRU", ACL_SUCCESS, {"hx": None}),
    "lists without train": ("GRU", ACL_SUCCESS, {"train": False, "rOut": None, "hOut": (Meta((9,)),)}),
    "a null list with train": ("GRU", NULL, {"zOut": None}),
    "BFLOAT16": ("GRU", INVALID, {"input": Meta((T, B, X), ACL_BF16)}),
    "way back, batchSizes": ("GRUBackward", INVALID, {"batchSizes": LENGTHS}),
    "way back, no elements": ("GRUBackward", INVALID, {"input": Meta((0, B, X))}),
    "way back, format": ("GRUBackward", INVALID, {"dy": Meta((T, B, H), format=ACL_FORMAT_NCHW)}),
    "way back, dy": ("GRUBackward", NULL, {"dy": None}),
    "way back, shape of a parameter": (
        "GRUBackward", ACLNN_ERR_INNER_NULLPTR,
        {"params": (replace(good_backward()["params"][0], shape=(3 * H, X + 1)), *good_backward()["params"][1:])},
    ),
    "way back, shape of its derivative": (
        "GRUBackward", ACLNN_ERR_INNER_NULLPTR,
        {"dparamsOut": (replace(good_backward()["params"][0], shape=(3 * H, X + 1)), *good_backward()["params"][1:])},
    ),
    "two layers": ("BidirectionLSTM", TILING, {"numLayers": 2}),
    "batch first": ("BidirectionLSTM", TILING, {"batchFirst": True}),
    "no bias with isbias": ("BidirectionLSTM", NULL, {"bHhReverseOptional": None}),
    "no weights for the way back": ("BidirectionLSTM", NULL, {"wIhReverseOptional": None, "isbias": False}),
    "no bias without isbias": ("BidirectionLSTM", ACL_SUCCESS, {"bIhOptional": None, "isbias": False}),
    "a bias of any shape without isbias": (
        "BidirectionLSTM", ACL_SUCCESS, {"bIhOptional": Meta((9,), ACL_FLOAT16), "isbias": False},
    ),
    "FLOAT": ("BidirectionLSTM", INVALID, {"x": Meta((T, B, X))}),
    "the shape of a weight": ("BidirectionLSTM", TILING, {"wHh": Meta((4 * H, H + 1), ACL_FLOAT16)}),
    "one bias": ("ThnnFusedLstmCell", NULL, {"hiddenBiasOptional": None}),
    "no bias": ("ThnnFusedLstmCell", ACL_SUCCESS, {"inputBiasOptional": None, "hiddenBiasOptional": None}),
    "no gates, before ranks": ("ThnnFusedLstmCell", ACL_SUCCESS, {"inputGates": Meta((0,)), "cx": Meta((9,))}),
    "gradBias null": ("ThnnFusedLstmCellBackward", NULL, {"gradBiasOut": None, "hasBias": False}),
    "gradBias of any shape": ("ThnnFusedLstmCellBackward", ACL_SUCCESS, {"gradBiasOut": Meta((1,)), "hasBias": False}),
    "gradHy null": ("ThnnFusedLstmCellBackward", NULL, {"gradHyOptional": None}),
}  # fmt: skip


@pytest.mark.fidelity("aclnnBidirectionLSTM: a null tensor that isbias or bidirection makes needed")
@pytest.mark.parametrize(("name", "wanted", "changes"), CALLS.values(), ids=CALLS)
def test_calls_and_their_statuses(name: str, wanted: int, changes: dict[str, Any]) -> None:
    assert status(f"aclnn{name}") == ACL_SUCCESS
    assert status(f"aclnn{name}", **changes) == wanted


def test_without_a_bias_its_derivative_stays(machine: Machine) -> None:
    given = drawn([each.shape for each in (STATE, STATE, STATE, STATE, GATES)], 3)
    outs = [np.empty(each.shape, np.float32) for each in (GATES, STATE, BIAS)]
    *_, bias = run(aclnnThnnFusedLstmCellBackward, *given, False, *outs)
    assert np.isnan(bias).all(), "not the fill of fresh memory"


PACKED: dict[str, tuple[int, dict[str, Any]]] = {
    "one layer": (TILING, {"numLayers": 2}),
    "no bias with isbias": (NULL, {"bHhReverseOptional": None}),
    "no weights for the way back": (NULL, {"wIhReverseOptional": None, "isbias": False}),
    "lengths are INT32": (INVALID, {"batchSizeOptional": Meta((T,), ACL_INT64)}),
    "a length for each step": (TILING, {"batchSizeOptional": Meta((T + 1,), ACL_INT32)}),
    "packed, three dimensions": (TILING, {"packed": True}),
    "packed counts only with lengths": (ACL_SUCCESS, {"packed": True, "batchSizeOptional": None}),
    "packed": (ACL_SUCCESS, bidirection_v2(packed=True, rows=4)),
}


@pytest.mark.parametrize(("wanted", "changes"), PACKED.values(), ids=PACKED)
def test_calls_of_v2_and_their_statuses(wanted: int, changes: dict[str, Any]) -> None:
    assert status("aclnnBidirectionLSTMV2", **changes) == wanted
