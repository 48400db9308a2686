"""DynamicRNN and its relatives: forward by a loop, gradients by differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acl_runtime import Machine
from tests.helpers.named_operators import Array, by_name

T, B, N, H = 3, 2, 3, 2
GENERATOR = np.random.default_rng(11)
X, W_X, W_H, BIAS = (GENERATOR.standard_normal(shape).astype(np.float32) for shape in
                     ((T, B, N), (N, 4 * H), (H, 4 * H), (4 * H,)))  # fmt: skip
H0, C0 = (GENERATOR.standard_normal((1, B, H)).astype(np.float32) for _ in "hc")
LIVE = np.array([[1, 1], [1, 1], [1, 0]], np.float16)
MASK = np.repeat(LIVE[:, :, None], H, 2)
GATES = ("i", "j", "f", "o")


def sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def network(
    x: Array, w_x: Array, w_h: Array, bias: Array, h: Array, c: Array, order: str, live: Array, *, reverse: bool
) -> dict[str, Array]:  # fmt: skip
    """All results, by the formula of an LSTM cell, in float64."""
    made: dict[str, Array] = {name: np.zeros((T, B, H)) for name in ("y", "h", "c", *GATES, "tanhc")}
    h, c = h[0].astype(np.float64), c[0].astype(np.float64)
    for t in range(T)[::-1] if reverse else range(T):
        parts = np.split(x[t].astype(np.float64) @ w_x + h @ w_h + bias, 4, -1)
        gates = {name: parts[order.replace("c", "j").index(name)] for name in GATES}
        gates = {name: np.tanh(each) if name == "j" else sigmoid(each) for name, each in gates.items()}
        on = live[t][:, None] != 0
        new = gates["f"] * c + gates["i"] * gates["j"]
        out = gates["o"] * np.tanh(new)
        tanh = np.tanh(new)
        c, h = np.where(on, new, c), np.where(on, out, h)
        for name, value in {**gates, "tanhc": tanh, "h": h, "c": c, "y": np.where(on, out, 0)}.items():
            made[name][t] = value
    return made


CALLS = [
    ("DynamicRNN", "ifjo", False, False), ("DynamicRNN", "ijfo", True, False), ("DynamicRNN", "ifjo", True, True),
    ("DynamicRNNV2", "ifco", False, False),
]  # fmt: skip


@pytest.mark.parametrize(("type", "order", "masked", "reverse"), CALLS)
def test_forward(machine: Machine, type: str, order: str, masked: bool, reverse: bool) -> None:
    weights = [np.concatenate([W_X, W_H])] if type == "DynamicRNN" else [W_X, W_H]
    attributes: dict[str, Any] = {"gate_order": order, "direction": "REDIRECTIONAL" if reverse else "UNIDIRECTIONAL"}
    results = [np.empty((T, B, H), np.float32)] * 8
    found = by_name(type, [X, *weights, BIAS, MASK if masked else None, H0, C0], results, **attributes)
    live = LIVE if masked else np.ones_like(LIVE)
    expected = network(X, W_X, W_H, BIAS, H0, C0, order, live, reverse=reverse)
    names = ("y", "h", "c", *GATES, "tanhc")
    for name, each in zip(names, found, strict=True):
        on = (live != 0)[:, :, None] if name in (*GATES, "tanhc") else True
        assert np.allclose(np.where(on, each, 0), np.where(on, expected[name], 0), atol=1e-5), name


def differences(given: dict[str, Array], slopes: dict[str, Array], **how: Any) -> dict[str, Array]:
    """The derivatives of the sum of slope times result, for each input."""

    def total(values: dict[str, Array]) -> float:
        made = network(**values, **how)
        last = 0 if how["reverse"] else -1
        ends = (made["h"][last] * slopes["dh"]).sum() + (made["c"][last] * slopes["dc"]).sum()
        return float((made["y"] * slopes["dy"]).sum() + ends)

    found: dict[str, Array] = {}
    for name, value in given.items():
        found[name] = np.zeros(value.shape)
        for at in np.ndindex(value.shape):
            sides = []
            for step in (1e-5, -1e-5):
                moved = value.astype(np.float64)
                moved[at] += step
                sides.append(total({**given, name: moved}))
            found[name][at] = (sides[0] - sides[1]) / 2e-5
    return found


@pytest.mark.parametrize(("type", "order", "masked", "reverse"), CALLS)
def test_backward(machine: Machine, type: str, order: str, masked: bool, reverse: bool) -> None:
    live = LIVE if masked else np.ones_like(LIVE)
    how: dict[str, Any] = {"order": order, "live": live, "reverse": reverse}
    given = {"x": X, "w_x": W_X, "w_h": W_H, "bias": BIAS, "h": H0, "c": C0}
    made = {name: each.astype(np.float32) for name, each in network(**given, **how).items()}
    slopes = {name: GENERATOR.standard_normal(shape).astype(np.float32) for name, shape in
              {"dy": (T, B, H), "dh": (B, H), "dc": (B, H)}.items()}  # fmt: skip
    both = np.concatenate([W_X, W_H])
    weights = [both, BIAS] if type == "DynamicRNN" else [W_X, W_H]
    inputs = [X, *weights, made["y"], H0[0], C0[0], made["h"], made["c"], *slopes.values(),
              *(made[name] for name in (*GATES, "tanhc"))]  # fmt: skip
    # op-plugin gives a scalar for a mask that is missing
    inputs += [MASK if masked else np.zeros((), np.float32), *(np.zeros((), np.float32) for _ in range(4))]
    outputs = [both] if type == "DynamicRNN" else [W_X, W_H]
    attributes: dict[str, Any] = {"gate_order": order, "direction": "REDIRECTIONAL" if reverse else "UNIDIRECTIONAL"}
    found = by_name(f"{type}Grad", inputs, [*outputs, BIAS, X, H0[0], C0[0]], cell_type=True, **attributes)
    expected = differences(given, slopes, **how)
    turned = [np.concatenate([expected["w_x"], expected["w_h"]])]
    wanted = turned if type == "DynamicRNN" else [expected["w_x"], expected["w_h"]]
    rest = [expected["bias"], expected["x"], expected["h"][0], expected["c"][0]]
    for name, each, right in zip(("w", "w", "b", "x", "h", "c"), found, [*wanted, *rest], strict=False):
        assert np.allclose(each, right, atol=1e-4), name
    assert len(found) == len(wanted) + len(rest)
