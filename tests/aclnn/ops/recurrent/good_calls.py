"""Good calls that a search does not find, and checks that it does not reach: see `tests.aclnn.ops.good_calls`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from acl_runtime import *
from tests.aclnn.ops.case import Meta

T, B, I, H = 3, 2, 4, 5
LISTS = ("iOut", "jOut", "fOut", "oOut", "hOut", "cOut", "tanhCOut")


def params(layers: int, directions: int, *, bias: bool = True, gates: int = 4) -> tuple[Meta, ...]:
    found: list[Meta] = []
    for cell in range(layers * directions):
        width = I if cell < directions else directions * H
        found += [Meta((gates * H, width)), Meta((gates * H, H)), *([Meta((gates * H,))] * 2 if bias else [])]
    return tuple(found)


def lstm(layers: int = 1, directions: int = 1, **more: Any) -> dict[str, Any]:
    cells = layers * directions
    state = Meta((cells, B, H))
    return {
        "input": Meta((T, B, I)), "params": params(layers, directions), "hx": (state, state), "hasBias": True,
        "numLayers": layers, "dropout": 0.0, "train": True, "bidirectional": directions == 2, "batchFirst": False,
        "output": Meta((T, B, directions * H)), "hy": state, "cy": state,
        **dict.fromkeys(LISTS, (Meta((T, B, H)),) * cells), **more,
    }  # fmt: skip


def labelled(value: Any) -> Any:
    """Tensors of three dimensions have the format NCL."""
    if isinstance(value, tuple):
        return tuple(map(labelled, value))
    return replace(value, format=ACL_FORMAT_NCL) if isinstance(value, Meta) and len(value.shape) == 3 else value


def lstm_backward(layers: int = 1, directions: int = 1, **more: Any) -> dict[str, Any]:
    cells, of_params = layers * directions, params(layers, directions)
    state = Meta((cells, B, H))
    found = {
        "input": Meta((T, B, I)), "hx": (state, state), "params": of_params, "dy": Meta((T, B, directions * H)),
        "dh": state, "dc": state, **dict.fromkeys(("i", "g", "f", "o", "h", "c", "tanhc"), (Meta((T, B, H)),) * cells),
        "hasBias": True, "numLayers": layers, "dropout": 0.0, "train": True, "bidirectional": directions == 2,
        "batchFirst": False, "dxOut": Meta((T, B, I)), "dhPrevOut": state, "dcPrevOut": state, "dparamsOut": of_params,
        **more,
    }  # fmt: skip
    return {name: labelled(value) for name, value in found.items()}


GOOD = {"aclnnLSTM": lstm(), "aclnnLstmBackward": lstm_backward()}
