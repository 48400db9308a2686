"""A route for ApplyAdamWQuant: element by element."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np

from tests.oracle.route import Route, but, route


def adam_w_quant(**given: Any) -> list[np.ndarray]:
    x, block, t = given["varRef"].ravel(), given["blockSize"], int(np.ravel(given["step"])[0])
    beta1, beta2 = given["beta1"], given["beta2"]
    moments = [
        np.array([levels[int(byte)] * most[at // block] for at, byte in enumerate(given[name].ravel())])
        for name, levels, most in (("mRef", given["qmapM"], given["absmaxMRef"]),
                                   ("vRef", given["qmapV"], given["absmaxVRef"]))
    ]  # fmt: skip
    g = given["grad"].ravel() * given["gnormScale"]
    m, v = moments[0] * beta1 + g * (1 - beta1), moments[1] * beta2 + g * g * (1 - beta2)
    new = [
        each * (1 - given["lr"] * given["weightDecay"])
        - given["lr"] / (1 - beta1**t) * one / (sqrt(two) / sqrt(1 - beta2**t) + given["eps"])
        for each, one, two in zip(x, m, v, strict=True)
    ]
    mosts = [[max(abs(each[at : at + block])) for at in range(0, len(x), block)] for each in (m, v)]
    bytes_ = [
        [int(np.argmin(np.abs(levels - value / most[at // block]))) for at, value in enumerate(each)]
        for each, most, levels in zip((m, v), mosts, (given["qmapM"], given["qmapV"]), strict=True)
    ]
    shape = given["varRef"].shape
    return [np.array(new).reshape(shape), *(np.array(each).reshape(shape) for each in bytes_), *map(np.array, mosts)]


def signed(x: np.ndarray) -> np.ndarray:
    return np.linspace(-1, 1, x.size).reshape(x.shape)


def unsigned(x: np.ndarray) -> np.ndarray:
    """Not in order."""
    return np.linspace(0, 1, x.size)[np.arange(x.size) * 77 % x.size].reshape(x.shape)


def bytes_of(x: np.ndarray) -> np.ndarray:
    return (np.arange(x.size) * 41 % 256).reshape(x.shape)


VALUES = {"qmapM": signed, "qmapV": unsigned, "m": bytes_of, "v": bytes_of, "absmaxM": np.abs, "absmaxV": np.abs,
          "step": lambda step: np.abs(step) + 1}  # fmt: skip
ROUTES: tuple[Route, ...] = (
    route("aclnnApplyAdamWQuant", "loop", adam_w_quant, bound="composite", values=VALUES, groups=[["varRef", "grad"]],
          also=[{"blockSize": 3}, {"quantModeOptional": None}],
          wrong={"no decay": but(adam_w_quant, weightDecay=0.0),
                 "gradients not scaled": but(adam_w_quant, gnormScale=1.0),
                 "one block": but(adam_w_quant, absmaxVRef=lambda given: given["absmaxVRef"][:1].repeat(2))}),
)  # fmt: skip
