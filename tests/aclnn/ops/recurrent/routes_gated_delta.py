"""Routes for `aclnn.ops.recurrent.gated_delta`: token by token and head by head."""

from __future__ import annotations

from typing import Any

import numpy as np

from acl_runtime import *
from tests.aclnn.ops.case import Meta
from tests.oracle.route import Route, but, route


def steps(given: dict[str, Any], head: int, state: np.ndarray, token: int) -> tuple[np.ndarray, np.ndarray]:
    """The state after a token, and the output."""
    group = given["value"].shape[1] // given["key"].shape[1]
    k, q = (given[name][token, head // group] for name in ("key", "query"))
    g = given.get("g") if "g" in given else given.get("gOptional")
    if g is not None:
        state = state * np.exp(g[token, head])
    if given.get("gk") is not None:
        state = state * np.exp(given["gk"][token, head])
    state = state + given["beta"][token, head] * np.outer(given["value"][token, head] - state @ k, k)
    return state, state @ (q * np.asarray(given["scaleValue"], q.dtype))


def recurrent(**given: Any) -> Any:
    cache, out = given["stateRef"].copy(), np.zeros(given["value"].shape, given["value"].dtype)
    indices, accepted, start = given["ssmStateIndices"], given["numAcceptedTokens"], 0
    for b, length in enumerate(given["actualSeqLengths"]):
        first = indices[start + (int(accepted[b]) - 1 if accepted is not None else 0)]
        for head in range(out.shape[1]):
            state = given["stateRef"][first, head]
            for token in range(start, start + int(length)):
                state, out[token, head] = steps(given, head, state, token)
                cache[indices[token], head] = state
        start += int(length)
    return cache, out


def chunk(**given: Any) -> Any:
    out, final, start = np.zeros(given["value"].shape, given["value"].dtype), given["initialState"].copy(), 0
    for b, length in enumerate(given["actualSeqLengths"]):
        for head in range(out.shape[1]):
            for token in range(start, start + int(length)):
                final[b, head], out[token, head] = steps(given, head, final[b, head], token)
        start += int(length)
    return out, final


def fewer(given: dict[str, Any]) -> Any:
    """Gates that forget less."""
    g = given["g"] if "g" in given else given["gOptional"]
    return None if g is None else g / 2


def small(x: np.ndarray) -> np.ndarray:
    return x / 4


VALUES = {
    "actualSeqLengths": lambda x: np.resize([3, 2, 0, 0, 0, 0, 0], x.shape),
    "ssmStateIndices": lambda x: np.arange(x.size)[::-1], "numAcceptedTokens": lambda x: np.resize([2, 1], x.shape),
    "g": lambda x: -np.abs(x), "gk": lambda x: -np.abs(x), "gOptional": lambda x: -np.abs(x), "key": small,
    "query": small, "beta": lambda x: np.abs(x) / 4,
}  # fmt: skip
STATES = ("stateRef", "initialState", "finalState")
WIDE = {name: Meta((2, 4, 6, 3)) for name in STATES[1:]}
ROUTES: tuple[Route, ...] = (
    route("aclnnRecurrentGatedDeltaRule", "loop", recurrent, bound="composite", values=VALUES, groups=[("query",)],
          also=[{"g": None, "gk": None, "numAcceptedTokens": None}, {"stateRef": Meta((6, 4, 6, 3))}],
          wrong={"scale left out": but(recurrent, scaleValue=1.0), "half of the gate": but(recurrent, g=fewer),
                 "the first state of a batch": but(recurrent, numAcceptedTokens=None)}),
    route("aclnnChunkGatedDeltaRule", "loop", chunk, bound="composite", values=VALUES, groups=[("query",)],
          also=[{"gOptional": None}, WIDE],
          wrong={"scale left out": but(chunk, scaleValue=1.0), "half of the gate": but(chunk, gOptional=fewer)}),
)  # fmt: skip
