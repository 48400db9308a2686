"""Routes for the GRU and for the cell of an LSTM: torch, and loops over samples and steps."""

from __future__ import annotations

from math import tanh
from typing import Any

import numpy as np

from tests.aclnn.ops.case import Meta
from tests.aclnn.ops.recurrent.good_calls import GRU_LISTS, B, H, T, X, params
from tests.aclnn.ops.recurrent.good_calls import bidirection as good_bidirection
from tests.aclnn.ops.recurrent.good_calls import bidirection_v2 as good_bidirection_v2
from tests.aclnn.ops.recurrent.good_calls import gru as good_gru
from tests.aclnn.ops.recurrent.good_calls import gru_backward as good_gru_backward
from tests.aclnn.ops.recurrent.routes import SMALL, Given, loop, lstm, of_half, of_sums, sigmoid
from tests.oracle.route import Route, as_tensor, but, route


def gru_cell(x: np.ndarray, h: np.ndarray, *params: np.ndarray) -> list[np.ndarray]:
    """One sample at one step: r, z, n, hn, h."""
    w_ih, w_hh, *biases = params
    b_ih, b_hh = biases or (np.zeros(len(w_ih)), np.zeros(len(w_ih)))
    size = len(h)
    rows: list[list[float]] = []
    for at in range(size):
        places = range(at, 3 * size, size)
        (x_r, h_r), (x_z, h_z), (x_n, hn) = (
            (float(w_ih[row] @ x + b_ih[row]), float(w_hh[row] @ h + b_hh[row])) for row in places
        )
        r, z = sigmoid(x_r + h_r), sigmoid(x_z + h_z)
        n = tanh(x_n + r * hn)
        rows.append([r, z, n, hn, (1 - z) * n + z * float(h[at])])
    return list(np.array(rows).T)


def gru(given: Given, kept: float = 1) -> list[Any]:
    """Every tensor that the forward function writes. `kept`: a mistake in the state that is kept."""
    x = np.swapaxes(given["input"], 0, 1) if given["batchFirst"] else given["input"]
    directions, each = 2 if given["bidirection"] else 1, 4 if given["hasBias"] else 2
    lists: list[list[np.ndarray]] = []
    for layer in range(given["numLayers"]):
        outputs: list[np.ndarray] = []
        for at in range(layer * directions, (layer + 1) * directions):
            own, size = given["params"][at * each :][:each], given["hy"].shape[2]
            found = np.zeros((5, *x.shape[:2], size))
            for sample in range(x.shape[1]):
                h = given["hx"][at][sample] if given["hx"] is not None else np.zeros(size)
                for t in sorted(range(len(x)), reverse=bool(at % directions)):
                    found[:, t, sample] = gru_cell(x[t, sample], kept * h, *own)
                    h = found[4, t, sample]
            lists.append(list(found))
            outputs.append(found[4])
        x = np.concatenate(outputs, axis=2)
    last = np.array([each[4][0 if at % directions else -1] for at, each in enumerate(lists)])
    gates = [each[which] for which in range(5) for each in lists]
    return [np.swapaxes(x, 0, 1) if given["batchFirst"] else x, last, *(gates if given["train"] else [])]


def torch_gru(**given: Any) -> list[Any]:
    """output and hy; torch has no gates."""
    import torch

    first = np.zeros(given["hy"].shape) if given["hx"] is None else given["hx"]
    output, hy = torch.gru(
        as_tensor(given["input"]), as_tensor(first), [as_tensor(each) for each in given["params"]], given["hasBias"],
        given["numLayers"], 0.0, False, given["bidirection"], given["batchFirst"],
    )  # fmt: skip
    return [output.numpy(), hy.numpy(), *([None] * (5 * len(hy)) if given["train"] else [])]


def gru_backward(given: Given, kept: float = 1) -> list[Any]:
    """The derivatives, sample by sample. `kept`: a mistake in the way back of the state that is kept."""
    swap = given["batchFirst"]
    x, dy = (np.swapaxes(given[name], 0, 1) if swap else given[name] for name in ("input", "dy"))
    directions, each, size = 2 if given["bidirection"] else 1, 4 if given["hasBias"] else 2, given["dh"].shape[2]
    dparams = [np.zeros_like(each) for each in given["params"]]
    first = np.zeros_like(given["dh"])
    for layer in reversed(range(given["numLayers"])):
        cells = range(layer * directions, (layer + 1) * directions)
        below = x if not layer else np.concatenate([given["h"][at - directions] for at in cells], axis=2)
        dx = np.zeros_like(below)
        for direction, at in enumerate(cells):
            w_ih, w_hh = given["params"][at * each :][:2]
            for sample in range(x.shape[1]):
                r, z, n, hn, h = (given[name][at][:, sample] for name in ("r", "z", "n", "hn", "h"))
                dh = given["dh"][at][sample]
                steps = sorted(range(len(x)), reverse=not direction)
                for t, earlier in zip(steps, [*steps[1:], None], strict=True):
                    before = h[earlier] if earlier is not None else given["hx"][at][sample]
                    dh = dh + dy[t, sample, direction * size :][:size]
                    d_n, d_z = dh * (1 - z[t]) * (1 - n[t] ** 2), dh * (before - n[t]) * z[t] * (1 - z[t])
                    d_r = d_n * hn[t] * r[t] * (1 - r[t])
                    of_x, of_h = np.concatenate([d_r, d_z, d_n]), np.concatenate([d_r, d_z, d_n * r[t]])
                    dx[t, sample] += of_x @ w_ih
                    rows = [np.outer(of_x, below[t, sample]), np.outer(of_h, before), of_x, of_h]
                    for place, row in enumerate(rows[:each]):
                        dparams[at * each + place] += row
                    dh = of_h @ w_hh + kept * dh * z[t]
                first[at, sample] = dh
        dy = dx
    return [np.swapaxes(dy, 0, 1) if swap else dy, first, *dparams]


def lstm_step(given: Given, block: int = 1) -> list[Any]:
    """hy, cy and the gates. `block`: the place of f among the blocks."""
    sums = given["inputGates"] + given["hiddenGates"]
    if given["inputBiasOptional"] is not None:
        sums = sums + given["inputBiasOptional"] + given["hiddenBiasOptional"]
    blocks = np.split(sums, 4, axis=1)
    i, f, g, o = (np.vectorize(sigmoid)(blocks[at]) if at != 3 - block else np.tanh(blocks[at])
                  for at in (0, block, 3 - block, 3))  # fmt: skip
    cy = f * given["cx"] + i * g
    return [o * np.tanh(cy), cy, np.concatenate([i, f, g, o] if block == 1 else [i, g, f, o], axis=1)]


def lstm_step_back(given: Given, twice: float = 1) -> list[Any]:
    i, f, g, o = np.split(given["storage"], 4, axis=1)
    tanh_c = np.tanh(given["cy"])
    dh = given["gradHyOptional"]
    dc = given["gradCOptional"] + dh * o * (1 - tanh_c**2)
    gates = np.concatenate([dc * g * i * (1 - i), dc * given["cx"] * f * (1 - f), dc * i * (1 - twice * g**2),
                            dh * tanh_c * o * (1 - o)], axis=1)  # fmt: skip
    return [gates, dc * f, gates.sum(axis=0) if given["hasBias"] else None]


WORDS = ("wIh", "wHh", "bIh", "bHh")


def bidirection(given: Given, back: int = 1) -> list[Any]:
    """The loop of aclnnLSTM with these weights. `back`: which weights the way back has."""
    names = [f"{name}{'Optional' if name[0] == 'b' else ''}" for name in WORDS]
    names += [f"{name}ReverseOptional" if back else names[at] for at, name in enumerate(WORDS)]
    own = [given[name] for name in names if given["isbias"] or name[0] == "w"]
    states = {"hx": [given["initH"], given["initC"]], "hy": given["initH"]}
    flags = {"hasBias": given["isbias"], "bidirectional": given["bidirection"], "train": False}
    return lstm({**given, "input": given["x"], "params": own, **states, **flags})


def bidirection_v2(given: Given, back: int = 1, lengths: bool = True) -> list[Any]:
    """Sample by sample, as long as it lives. `lengths`: are they heeded?"""
    counts = given["batchSizeOptional"]
    if counts is None:
        return bidirection(given, back)
    samples = given["initH"].shape[1]
    counts = counts if lengths else np.full_like(counts, samples)
    x, live = given["x"], [(t, b) for t, count in enumerate(counts) for b in range(min(int(count), samples))]
    if given["packed"]:
        padded = np.zeros((len(counts), samples, x.shape[1]))
        for row, place in zip(x, live, strict=False):
            padded[place] = row
        x = padded
    width = given["yOut"].shape[-1]
    y, states = np.zeros((len(counts), samples, width)), [given["initH"].copy(), given["initC"].copy()]
    for b in range(samples):
        n, own = sum(b < count for count in counts), slice(b, b + 1)
        if n:
            part = {"x": x[:n, own], "initH": given["initH"][:, own], "initC": given["initC"][:, own]}
            y[:n, own], states[0][:, own], states[1][:, own] = bidirection({**given, **part}, back)
    if given["packed"]:
        flat = np.zeros((len(given["x"]), width))
        for at, place in enumerate(live[: len(flat)]):
            flat[at] = y[place]
        y = flat
    return [y, *states]


def fewer(counts: np.ndarray) -> np.ndarray:
    """All samples live at first, then fewer."""
    return np.maximum(B - np.arange(len(counts)), 1)


ROUTES: tuple[Route, ...] = (
    route("aclnnBidirectionLSTMV2", "loop", loop(bidirection_v2), bound=of_half,
          values={"batchSizeOptional": fewer, **{f"{name}{end}": lambda x: x / 4
                  for name in WORDS for end in ("", "Optional", "ReverseOptional")}},
          also=[good_bidirection_v2(packed=True, rows=sum(fewer(np.zeros(T)))), {"batchSizeOptional": None}],
          wrong={"lengths ignored": loop(bidirection_v2, lengths=False),
                 "zeros as first states": but(loop(bidirection_v2), initH=lambda given: 0 * given["initH"])}),
    route("aclnnBidirectionLSTM", "loop", loop(bidirection), bound=of_half, values={f"{name}{end}": lambda x: x / 4
          for name in WORDS for end in ("", "Optional", "ReverseOptional")},
          also=[good_bidirection(), {"isbias": False}],
          wrong={"the same weights on the way back": loop(bidirection, back=0),
                 "zeros as first states": but(loop(bidirection), initH=lambda given: 0 * given["initH"])}),
    route("aclnnGRU", "loop", loop(gru), torch=("torch.gru", torch_gru), bound=of_half, values=SMALL,
          also=[good_gru(2, 2), {"hx": None, "train": False, **dict.fromkeys(GRU_LISTS)},
                good_gru(2, hasBias=False, params=params(2, 1, bias=False, gates=3)),
                good_gru(batchFirst=True, input=Meta((B, T, X)), output=Meta((B, T, H)))],
          wrong={"half of the state": loop(gru, kept=0.5),
                 "input reversed": but(loop(gru), input=lambda given: given["input"][::-1])}),
    route("aclnnGRUBackward", "loop", loop(gru_backward), bound=of_sums,
          values={name: lambda x: np.tanh(x) for name in ("params", "r", "z", "n", "hn", "h")},
          also=[good_gru_backward(2, 2),
                good_gru_backward(2, hasBias=False, params=params(2, 1, bias=False, gates=3),
                                  dparamsOut=params(2, 1, bias=False, gates=3)),
                good_gru_backward(batchFirst=True, input=Meta((B, T, X)), dy=Meta((B, T, H)), dxOut=Meta((B, T, X)))],
          wrong={"half of the state": loop(gru_backward, kept=0.5),
                 "r and z swapped": but(loop(gru_backward), r=lambda given: given["z"], z=lambda given: given["r"])}),
    route("aclnnThnnFusedLstmCell", "loop", loop(lstm_step), bound=of_half,
          also=[dict.fromkeys(("inputBiasOptional", "hiddenBiasOptional"))],
          wrong={"order of gates": loop(lstm_step, block=2), "cx left out": but(loop(lstm_step), cx=0.0)}),
    route("aclnnThnnFusedLstmCellBackward", "loop", loop(lstm_step_back), bound=of_sums, also=[{"hasBias": False}],
          values={"storage": np.tanh},
          wrong={"derivative of g": loop(lstm_step_back, twice=2.0), "gradC left out": but(
                     loop(lstm_step_back), gradCOptional=0.0)}),
)  # fmt: skip
