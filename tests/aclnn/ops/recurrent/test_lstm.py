"""LSTM and its backward: samples of different lengths, derivatives, lists, refusals in order."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.case import A2, A950, Meta, board
from tests.aclnn.ops.recurrent.good_calls import LISTS, B, H, T, X
from tests.aclnn.ops.recurrent.good_calls import lstm as good_lstm
from tests.aclnn.ops.recurrent.good_calls import lstm_backward as good_backward
from tests.derived.good import subject
from tests.derived.launching import planned, read, ready
from tests.derived.values import tensors

NULL, INVALID = ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_PARAM_INVALID
FORWARD, BACKWARD = "aclnnLSTM", "aclnnLstmBackward"


def drawn(shapes: Any, seed: int, dtype: Any = np.float32) -> Any:
    random = np.random.default_rng(seed)
    return [random.normal(0, 0.5, each).astype(dtype) for each in shapes]


def weights(layers: int, directions: int, dtype: Any = np.float32) -> list[np.ndarray]:
    return drawn([each.shape for each in good_lstm(layers, directions)["params"]], 5, dtype)


def forward(
    x: np.ndarray, params: list[np.ndarray], hx: Any, layers: int, directions: int, lengths: Any = None,
    train: bool = True,
) -> list[Any]:  # fmt: skip
    """output, hy, cy, and the lists."""
    cells, dtype, samples = layers * directions, x.dtype, hx[0].shape[1] if hx else B
    steps = x.shape[0] if lengths is None else len(lengths)
    lists = [[np.zeros((steps, samples, H), dtype) for _ in range(cells)] if train else None for _ in LISTS]
    state = np.zeros((cells, samples, H), dtype)
    output = np.zeros((steps, samples, directions * H), dtype)
    batch = None if lengths is None else np.array(lengths, np.int64)
    return run(
        aclnnLSTM, x, params, hx, batch, True, layers, 0.0, train, directions == 2, False, output, state, state.copy(),
        *lists,
    )  # fmt: skip


def test_steps_that_are_not_live_keep_the_states(machine: Machine) -> None:
    """Three samples of 3, 2 and 1 steps, in both directions: each is as if it were alone."""
    lengths, samples, params = [3, 2, 1], [3, 2, 1], weights(1, 2)
    (x,), hx = drawn([(3, 3, X)], 6), drawn([(2, 3, H)] * 2, 7)
    output, hy, cy, *lists = forward(x.reshape(9, X), params, hx, 1, 2, lengths)
    for at, steps in enumerate(samples):
        alone = forward(x[:steps, at : at + 1], params, [each[:, at : at + 1].copy() for each in hx], 1, 2)
        np.testing.assert_allclose(output[:steps, at], alone[0][:, 0], atol=1e-6)
        np.testing.assert_allclose([hy[:, at], cy[:, at]], [alone[1][:, 0], alone[2][:, 0]], atol=1e-6)
        assert not output[steps:, at].any()
        for direction, first in ((0, hy), (1, hx[0])):
            rest = lists[4][direction][steps:, at]
            np.testing.assert_allclose(rest, np.broadcast_to(first[direction, at], rest.shape), atol=1e-6)


@pytest.mark.fidelity("aclnnLSTM: batchSizes without hx, numLayers of 0")
def test_without_first_states_they_are_0(machine: Machine) -> None:
    (x,), params = drawn([(T, B, X)], 8), weights(2, 1)
    zeros = [np.zeros((2, B, H), np.float32)] * 2
    for lengths in (None, [B] * T):
        given = x if lengths is None else x.reshape(-1, X)
        one, other = (forward(given, params, hx, 2, 1, lengths, train=False)[:3] for hx in (None, zeros))
        for found, wanted in zip(one, other, strict=True):
            np.testing.assert_array_equal(found, wanted)


def test_half_states_are_rounded_at_each_step(machine: Machine) -> None:
    (x,), params = drawn([(T, B, X)], 9, np.float16), weights(1, 1, np.float16)
    whole = forward(x, params, None, 1, 1)
    h, c = (whole[3 + LISTS.index(name)][0] for name in ("hOut", "cOut"))
    rest = forward(x[1:], params, [h[:1].copy(), c[:1].copy()], 1, 1)
    np.testing.assert_array_equal(rest[0], whole[0][1:])


def backward(call: dict[str, Any], arrays: dict[str, list[np.ndarray]]) -> list[np.ndarray]:
    """dxOut, dhPrevOut, dcPrevOut and the members of dparamsOut."""
    this = subject(BACKWARD)
    with board(A2):
        made = ready(this, this.changed(call), arrays=arrays)
        made.finish()
        return [read(each) for name in ("dxOut", "dhPrevOut", "dcPrevOut", "dparamsOut") for each in made.tensors[name]]


def packed(call: dict[str, Any]) -> dict[str, Any]:
    """The call with samples of different lengths: sequences have two dimensions and the format ND."""
    flat = {name: (value.shape[0] * value.shape[1], value.shape[2]) for name in ("input", "dy", "dxOut")
            for value in [call[name]]}  # fmt: skip
    changed = {name: Meta(shape) for name, shape in flat.items()}
    return {**call, **changed, "batchSizesOptional": Meta((T,), ACL_INT64)}


@pytest.mark.parametrize("directions", [1, 2])
@pytest.mark.parametrize("lengths", [None, (2, 2, 1)], ids=["", "of other lengths"])
def test_backward_has_the_differences_of_forward(directions: int, lengths: Any) -> None:
    """Along random directions, of two layers."""
    (x,), params, hx = drawn([(T, B, X)], 10), weights(2, directions), drawn([(2 * directions, B, H)] * 2, 11)
    dy, dh, dc = drawn([(T, B, directions * H), *[(2 * directions, B, H)] * 2], 12)
    call = good_backward(2, directions)
    call = call if lengths is None else packed(call)
    with Machine():
        lists = forward(flat(x, lengths), params, hx, 2, directions, lengths)[3:]
    names = dict(zip(("i", "g", "f", "o", "h", "c", "tanhc"), lists, strict=True))
    arrays = {"input": [flat(x, lengths)], "dy": [flat(dy, lengths)], "dh": [dh], "dc": [dc], "hx": hx,
              "params": params, "batchSizesOptional": [np.array(lengths)], **names}  # fmt: skip
    slopes = backward(call, arrays)
    slopes[0] = slopes[0].reshape(x.shape)
    step = 2.0**-7

    def value(sign: int, at: int, way: np.ndarray) -> float:
        moved = [each + sign * step * way if place == at else each for place, each in enumerate((x, *hx, *params))]
        moved = [each.astype(np.float32) for each in moved]
        results = forward(flat(moved[0], lengths), moved[3:], moved[1:3], 2, directions, lengths, train=False)
        pairs = zip(results[:3], (dy, dh, dc), strict=True)
        return sum(float((one.astype(np.float64) * other).sum()) for one, other in pairs)

    with Machine():
        for at, slope in enumerate(slopes):
            (way,) = drawn([slope.shape], 100 + at)
            difference = (value(1, at, way) - value(-1, at, way)) / (2 * step)
            assert abs(difference - float((slope * way).sum())) < 4e-3 * max(1, abs(difference)), at


def flat(x: np.ndarray, lengths: Any) -> np.ndarray:
    return x if lengths is None else x.reshape(T * B, -1)


def status(name: str, call: dict[str, Any], chip: str = A2, **changes: Any) -> int:
    this = subject(name)
    with board(chip):
        return planned(this, this.changed({**call, **changes})).status


def test_null_slopes_are_0() -> None:
    arrays = {name: drawn([each.shape for each in metas], 3) for name, metas in tensors(good_backward()).items()}
    without = dict.fromkeys(("dy", "dc"))
    found = backward(good_backward(**without), arrays)
    wanted = backward(good_backward(), arrays | {name: [0 * each for each in arrays[name]] for name in without})
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(one, other)


LENGTHS = {"batchSizes": Meta((T,), ACL_INT64), "input": Meta((T * B, X))}
WRONG_FORWARD: dict[str, tuple[int, dict[str, Any]]] = {
    "numLayers is 0": (INVALID, {"numLayers": 0, "params": ()}),
    "batchSizes: hx has two tensors": (INVALID, {**LENGTHS, "hx": ()}),
    "batchSizes: numLayers is 0": (INVALID, {**LENGTHS, "numLayers": 0}),
    "batchSizes: input has two dimensions": (INVALID, {**LENGTHS, "input": Meta((T, B, X))}),
    "batchSizes: rows are a multiple of the steps": (INVALID, {**LENGTHS, "input": Meta((T * B + 1, X))}),
    "batchSizes: there are steps": (INVALID, {**LENGTHS, "batchSizes": Meta((0,), ACL_INT64)}),
    "batchSizes: params fit": (INVALID, {**LENGTHS, "params": good_lstm(2)["params"]}),
    "batchSizes: params have their shapes": (INVALID, {**LENGTHS, "input": Meta((T * B, X + 1))}),
    "batchSizes: hy has its shape": (INVALID, {**LENGTHS, "hy": Meta((1, B, H + 1))}),
    "batchSizes: lists have their length": (INVALID, {**LENGTHS, "iOut": (Meta((T, B, H)),) * 2}),
    "batchSizes: lists have their shapes": (INVALID, {**LENGTHS, "cOut": (Meta((B, T, H)),)}),
    "batchSizes is INT64": (INVALID, {**LENGTHS, "batchSizes": Meta((T,), ACL_INT32)}),
    "batchSizes: input is a float": (INVALID, {**LENGTHS, "input": Meta((T * B, X), ACL_DOUBLE)}),
    "batchSizes: cy has the type of input": (INVALID, {**LENGTHS, "cy": Meta((1, B, H), ACL_FLOAT16)}),
    "train: a list is null": (NULL, {"fOut": None}),
    "output is null": (NULL, {"output": None}),
}  # fmt: skip


@pytest.mark.fidelity("aclnnLSTM: batchSizes without hx, numLayers of 0")
@pytest.mark.parametrize(("wanted", "changes"), WRONG_FORWARD.values(), ids=WRONG_FORWARD)
def test_refusals_of_forward(wanted: int, changes: dict[str, Any]) -> None:
    assert status(FORWARD, good_lstm(), **LENGTHS) == ACL_SUCCESS
    assert status(FORWARD, good_lstm(), **changes) == wanted


def test_the_width_of_two_directions_is_even() -> None:
    odd = {"output": Meta((T, B, 2 * H + 1)), **LENGTHS}
    assert status(FORWARD, good_lstm(1, 2), **LENGTHS) == ACL_SUCCESS
    assert status(FORWARD, good_lstm(1, 2), **odd) == INVALID


def test_forward_accepts() -> None:
    """Any list without train; no first states; an input without elements, before shapes are looked at."""
    wrong = (Meta((9,), ACL_INT8),)
    assert status(FORWARD, good_lstm(), train=False, iOut=wrong, cOut=None) == ACL_SUCCESS
    assert status(FORWARD, good_lstm(), hx=()) == status(FORWARD, good_lstm(), hx=None) == ACL_SUCCESS
    assert status(FORWARD, good_lstm(), **{**LENGTHS, "input": Meta((0, X)), "hy": Meta((9,))}) == ACL_SUCCESS
    lists = dict.fromkeys(LISTS, (Meta((0, B, H)),))
    assert status(FORWARD, good_lstm(), input=Meta((0, B, X)), output=Meta((0, B, H)), **lists) == ACL_SUCCESS


@pytest.mark.parametrize(("chip", "wanted"), [(A2, ACL_SUCCESS), (A950, INVALID)], ids=["A2", "950"])
def test_ascend_950_refuses_private_formats(chip: str, wanted: int) -> None:
    for name in ("input", "output", "hy", "cy"):
        given = replace(good_lstm()[name], format=ACL_FORMAT_FRACTAL_NZ)
        assert status(FORWARD, good_lstm(), chip, **{name: given}) == wanted


@pytest.mark.parametrize("name", ["input", "dy", "hx", "i", "dhPrevOut"])
def test_backward_demands_the_format_of_three_dimensions(name: str) -> None:
    given = good_backward()[name]
    plain = tuple(replace(each, format=ACL_FORMAT_ND) for each in (given if isinstance(given, tuple) else (given,)))
    call = good_backward()
    call[name] = plain if isinstance(given, tuple) else plain[0]
    assert status(BACKWARD, call) == INVALID


def test_backward_without_layers_or_elements() -> None:
    lists = dict.fromkeys(("i", "g", "f", "o", "h", "c", "tanhc"), (Meta((0, B, H), format=ACL_FORMAT_NCL),))
    short = {name: replace(good_backward()[name], shape=(0, B, X)) for name in ("input", "dxOut")}
    short["dy"] = replace(good_backward()["dy"], shape=(0, B, H))
    assert status(BACKWARD, good_backward(), **lists, **short) == ACL_SUCCESS
    none = dict.fromkeys(("params", "dparamsOut", "i", "g", "f", "o", "h", "c", "tanhc"), ())
    assert status(BACKWARD, good_backward(), numLayers=0, **none) == INVALID
    assert status(BACKWARD, good_backward(), hx=good_backward()["hx"][:1]) == NULL
    assert status(BACKWARD, packed(good_backward())) == ACL_SUCCESS
    for batch in (Meta((T, 1), ACL_INT64), Meta((T,), ACL_INT64, format=ACL_FORMAT_NCL), Meta((T,), ACL_INT32)):
        assert status(BACKWARD, packed(good_backward()), batchSizesOptional=batch) == INVALID
    assert status(BACKWARD, packed(good_backward()), input=Meta((T, B, X), format=ACL_FORMAT_NCL)) == INVALID


def test_the_member_of_a_list_is_named() -> None:
    this, good = subject(FORWARD), good_lstm(1, 1)
    for wrong, found in ((Meta((4 * H, H + 1)), f"[{4 * H}, {H + 1}]"), (Meta((4 * H, H), ACL_FLOAT16), "DT_FLOAT16"),
                         (Meta((4 * H,)), f"[{4 * H}]")):  # fmt: skip
        params = (good["params"][0], wrong, *good["params"][2:])
        with board(A2):
            text = planned(this, this.changed({**good, "params": params})).text
        assert f"parameter: params, found: params[1] {found}," in text
