"""Routes for `aclnn.ops.recurrent`: torch, and loops over samples and steps."""

from __future__ import annotations

from collections.abc import Callable
from math import exp, tanh
from typing import Any

import numpy as np

from tests.aclnn.ops.case import Meta
from tests.aclnn.ops.recurrent.good_calls import LISTS, B, H, T, X, params
from tests.aclnn.ops.recurrent.good_calls import lstm as good_lstm
from tests.aclnn.ops.recurrent.good_calls import lstm_backward as good_backward
from tests.oracle.route import Route, as_tensor, but, route

Given = dict[str, Any]


GATES = ("i", "g", "f", "o", "h", "c", "tanhc")


def sigmoid(x: float) -> float:
    return 1 / (1 + exp(-x))


def lstm_cell(x: np.ndarray, h: np.ndarray, c: np.ndarray, *params: np.ndarray) -> list[np.ndarray]:
    """One sample at one step: i, g, f, o, h, c, tanh(c)."""
    w_ih, w_hh, *biases = params
    size = len(h)
    rows: list[list[float]] = []
    for at in range(size):
        i, f, g, o = (
            float(w_ih[row] @ x + w_hh[row] @ h + sum(bias[row] for bias in biases))
            for row in range(at, 4 * size, size)
        )
        i, f, g, o = sigmoid(i), sigmoid(f), tanh(g), sigmoid(o)
        new = f * float(c[at]) + i * g
        rows.append([i, g, f, o, o * tanh(new), new, tanh(new)])
    return list(np.array(rows).T)


def lstm(given: Given, cell: Callable[..., Any] = lstm_cell) -> list[Any]:
    """Every tensor that the forward function writes."""
    x = np.swapaxes(given["input"], 0, 1) if given["batchFirst"] else given["input"]
    directions, each = 2 if given["bidirectional"] else 1, 4 if given["hasBias"] else 2
    lists: list[list[np.ndarray]] = []
    for layer in range(given["numLayers"]):
        outputs: list[np.ndarray] = []
        for direction in range(directions):
            at = layer * directions + direction
            own, size = given["params"][at * each :][:each], given["hy"].shape[2]
            found = np.zeros((7, *x.shape[:2], size))
            for sample in range(x.shape[1]):
                states = [given["hx"][which][at][sample] if given["hx"] else np.zeros(size) for which in (0, 1)]
                for t in sorted(range(len(x)), reverse=bool(direction)):
                    found[:, t, sample] = cell(x[t, sample], *states, *own)
                    states = list(found[4:6, t, sample])
            lists.append(list(found))
            outputs.append(found[4])
        x = np.concatenate(outputs, axis=2)
    last = [[each[which][0 if at % directions else -1] for at, each in enumerate(lists)] for which in (4, 5)]
    output = np.swapaxes(x, 0, 1) if given["batchFirst"] else x
    gates = [each[which] for which in range(7) for each in lists]
    return [output, *map(np.array, last), *(gates if given["train"] else [])]


def torch_lstm(**given: Any) -> list[Any]:
    """output, hy and cy; torch has no gates."""
    import torch

    x, states = as_tensor(given["input"]), given["hx"]
    if not states:
        states = [np.zeros(given["hy"].shape)] * 2
    output, hy, cy = torch.lstm(
        x, [as_tensor(each) for each in states], [as_tensor(each) for each in given["params"]], given["hasBias"],
        given["numLayers"], 0.0, False, given["bidirectional"], given["batchFirst"],
    )  # fmt: skip
    gates = [None] * (7 * given["hy"].shape[0])
    return [output.numpy(), hy.numpy(), cy.numpy(), *(gates if given["train"] else [])]


def loop(formula: Callable[..., Any], **cell: Any) -> Callable[..., Any]:
    return lambda **given: formula(given, **cell)


def gates_swapped(x: np.ndarray, h: np.ndarray, c: np.ndarray, *params: np.ndarray) -> list[np.ndarray]:
    """The blocks in the order i, g, f, o."""

    def other(rows: np.ndarray) -> np.ndarray:
        i, f, g, o = np.split(rows, 4)
        return np.concatenate([i, g, f, o])

    return lstm_cell(x, h, c, *map(other, params))


def of_half(arguments: Given, exact: np.ndarray, dtype: str) -> Any:
    """A few roundings of numbers up to 4, at each step."""
    return {"float16": 2.0**-8}.get(dtype, 2.0**-18) * np.maximum(np.abs(exact), 1)


def lstm_backward(given: Given, twice: float = 1) -> list[Any]:
    """The derivatives, sample by sample, in the order of the outputs. `twice`: a mistake in the derivative of g."""
    swap = given["batchFirst"]
    x, dy = (np.swapaxes(given[name], 0, 1) if swap else given[name] for name in ("input", "dy"))
    directions, each, size = 2 if given["bidirectional"] else 1, 4 if given["hasBias"] else 2, given["dh"].shape[2]
    dparams = [np.zeros_like(each) for each in given["params"]]
    firsts = np.zeros((2, *given["dh"].shape))
    for layer in reversed(range(given["numLayers"])):
        cells = [layer * directions + direction for direction in range(directions)]
        below = x if not layer else np.concatenate([given["h"][at - directions] for at in cells], axis=2)
        dx = np.zeros_like(below)
        for direction, at in enumerate(cells):
            w_ih, w_hh = given["params"][at * each :][:2]
            for sample in range(x.shape[1]):
                i, g, f, o, h, c, tanh_c = (given[name][at][:, sample] for name in GATES)
                dh, dc = given["dh"][at][sample], given["dc"][at][sample]
                steps = sorted(range(len(x)), reverse=not direction)
                for t, earlier in zip(steps, [*steps[1:], None], strict=True):
                    h_before = h[earlier] if earlier is not None else given["hx"][0][at][sample]
                    c_before = c[earlier] if earlier is not None else given["hx"][1][at][sample]
                    dh = dh + dy[t, sample, direction * size :][:size]
                    dc = dc + dh * o[t] * (1 - tanh_c[t] ** 2)
                    d_i, d_f = dc * g[t] * i[t] * (1 - i[t]), dc * c_before * f[t] * (1 - f[t])
                    d_g, d_o = dc * i[t] * (1 - twice * g[t] ** 2), dh * tanh_c[t] * o[t] * (1 - o[t])
                    gates = np.concatenate([d_i, d_f, d_g, d_o])
                    dx[t, sample] += gates @ w_ih
                    dparams[at * each] += np.outer(gates, below[t, sample])
                    dparams[at * each + 1] += np.outer(gates, h_before)
                    for bias in range(at * each + 2, (at + 1) * each):
                        dparams[bias] += gates
                    dh, dc = gates @ w_hh, dc * f[t]
                firsts[:, at, sample] = dh, dc
        dy = dx
    return [np.swapaxes(dy, 0, 1) if swap else dy, *firsts, *dparams]


def of_sums(arguments: Given, exact: np.ndarray, dtype: str) -> Any:
    """A few roundings of sums whose terms are as large as the results."""
    return 2.0**-17 * max(float(np.abs(exact).max(initial=0)), 1)


SMALL = {"params": lambda x: x / 4}
WITHOUT_LISTS = {"train": False, **dict.fromkeys(LISTS)}
ROUTES: tuple[Route, ...] = (
    route("aclnnLSTM", "loop", loop(lstm), torch=("torch.lstm", torch_lstm), bound=of_half, values=SMALL,
          also=[good_lstm(2, 2), good_lstm(1, 2, **WITHOUT_LISTS), {"hx": None},
                good_lstm(2, hasBias=False, params=params(2, 1, bias=False)),
                good_lstm(batchFirst=True, input=Meta((B, T, X)), output=Meta((B, T, H)))],
          wrong={"order of gates": loop(lstm, cell=gates_swapped),
                 "zeros as first states": but(loop(lstm), hx=None),
                 "input reversed": but(loop(lstm), input=lambda given: given["input"][::-1])}),
    route("aclnnLstmBackward", "loop", loop(lstm_backward), bound=of_sums,
          values={name: lambda x: np.tanh(x) for name in ("params", "i", "g", "f", "o", "h", "c", "tanhc")},
          also=[good_backward(2, 2),
                good_backward(2, hasBias=False, params=params(2, 1, bias=False), dparamsOut=params(2, 1, bias=False)),
                good_backward(batchFirst=True, input=Meta((B, T, X)), dy=Meta((B, T, H)), dxOut=Meta((B, T, X)))],
          wrong={"derivative of g": loop(lstm_backward, twice=2.0), "i and f swapped": but(
                     loop(lstm_backward), i=lambda given: given["f"], f=lambda given: given["i"]),
                 "first state ignored": but(loop(lstm_backward), hx=lambda given: [0 * each for each in given["hx"]])}),
)  # fmt: skip
