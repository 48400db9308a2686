"""Good calls that a search does not find, and checks that it does not reach: see `tests.aclnn.ops.good_calls`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from acl_runtime import *
from aclnn import aclnnLSTMGetWorkspaceSize
from aclnn.engine.declaration import Check
from tests.aclnn.ops.case import Meta

T, B, X, H = 3, 2, 4, 5
GRU_LISTS = ("rOut", "zOut", "nOut", "hnOut", "hOut")
LISTS = ("iOut", "jOut", "fOut", "oOut", "hOut", "cOut", "tanhCOut")


def params(layers: int, directions: int, *, bias: bool = True, gates: int = 4) -> tuple[Meta, ...]:
    found: list[Meta] = []
    for cell in range(layers * directions):
        width = X if cell < directions else directions * H
        found += [Meta((gates * H, width)), Meta((gates * H, H)), *([Meta((gates * H,))] * 2 if bias else [])]
    return tuple(found)


def lstm(layers: int = 1, directions: int = 1, **more: Any) -> dict[str, Any]:
    cells = layers * directions
    state = Meta((cells, B, H))
    return {
        "input": Meta((T, B, X)), "params": params(layers, directions), "hx": (state, state), "hasBias": True,
        "numLayers": layers, "dropout": 0.0, "train": True, "bidirectional": directions == 2, "batchFirst": False,
        "output": Meta((T, B, directions * H)), "hy": state, "cy": state,
        **dict.fromkeys(LISTS, (Meta((T, B, H)),) * cells), **more,
    }  # fmt: skip


def lstm_checks() -> tuple[Check, ...]:
    return aclnnLSTMGetWorkspaceSize.op.checks


def labelled(value: Any) -> Any:
    """Tensors of three dimensions have the format NCL."""
    if isinstance(value, tuple):
        return tuple(map(labelled, value))
    return replace(value, format=ACL_FORMAT_NCL) if isinstance(value, Meta) and len(value.shape) == 3 else value


def lstm_backward(layers: int = 1, directions: int = 1, **more: Any) -> dict[str, Any]:
    cells, of_params = layers * directions, params(layers, directions)
    state = Meta((cells, B, H))
    found = {
        "input": Meta((T, B, X)), "hx": (state, state), "params": of_params, "dy": Meta((T, B, directions * H)),
        "dh": state, "dc": state, **dict.fromkeys(("i", "g", "f", "o", "h", "c", "tanhc"), (Meta((T, B, H)),) * cells),
        "hasBias": True, "numLayers": layers, "dropout": 0.0, "train": True, "bidirectional": directions == 2,
        "batchFirst": False, "dxOut": Meta((T, B, X)), "dhPrevOut": state, "dcPrevOut": state, "dparamsOut": of_params,
        **more,
    }  # fmt: skip
    return {name: labelled(value) for name, value in found.items()}


def gru(layers: int = 1, directions: int = 1, **more: Any) -> dict[str, Any]:
    cells = layers * directions
    state = Meta((cells, B, H))
    return {
        "input": Meta((T, B, X)), "params": params(layers, directions, gates=3), "hx": state, "hasBias": True,
        "numLayers": layers, "dropout": 0.0, "train": True, "bidirection": directions == 2, "batchFirst": False,
        "output": Meta((T, B, directions * H)), "hy": state,
        **dict.fromkeys(GRU_LISTS, (Meta((T, B, H)),) * cells), **more,
    }  # fmt: skip


def gru_backward(layers: int = 1, directions: int = 1, **more: Any) -> dict[str, Any]:
    cells, of_params = layers * directions, params(layers, directions, gates=3)
    state = Meta((cells, B, H))
    return {
        "input": Meta((T, B, X)), "params": of_params, "hx": state, "dy": Meta((T, B, directions * H)), "dh": state,
        **dict.fromkeys(("r", "z", "n", "hn", "h"), (Meta((T, B, H)),) * cells), "hasBias": True, "numLayers": layers,
        "bidirection": directions == 2, "batchFirst": False, "dxOut": Meta((T, B, X)), "dhPrevOut": state,
        "dparamsOut": of_params, **more,
    }  # fmt: skip


def bidirection(directions: int = 1, **more: Any) -> dict[str, Any]:
    state, bias = Meta((directions, B, H), HALF), Meta((4 * H,), HALF)
    w_ih, w_hh = Meta((4 * H, X), HALF), Meta((4 * H, H), HALF)
    back = {"wIhReverseOptional": w_ih, "wHhReverseOptional": w_hh, "bIhReverseOptional": bias,
            "bHhReverseOptional": bias}  # fmt: skip
    return {
        "x": Meta((T, B, X), HALF), "initH": state, "initC": state, "wIh": w_ih, "wHh": w_hh, "bIhOptional": bias,
        "bHhOptional": bias, **(back if directions == 2 else dict.fromkeys(back)), "numLayers": 1, "isbias": True,
        "batchFirst": False, "bidirection": directions == 2, "yOut": Meta((T, B, directions * H), HALF),
        "outputHOut": state, "outputCOut": state, **more,
    }  # fmt: skip


def bidirection_v2(*, packed: bool = False, rows: int = 0) -> dict[str, Any]:
    """The lengths come before the flags."""
    call = bidirection(2)
    given = dict(list(call.items())[:11]) | {"batchSizeOptional": Meta((T,), ACL_INT32)}
    given |= dict(list(call.items())[11:15]) | {"packed": packed} | dict(list(call.items())[15:])
    if packed:
        given |= {"x": Meta((rows, X), HALF), "yOut": Meta((rows, 2 * H), HALF)}
    return given


HALF = ACL_FLOAT16
STATE, GATES, BIAS = Meta((B, H)), Meta((B, 4 * H)), Meta((4 * H,))
BRAIN = ACL_BF16
DELTA = {
    "query": Meta((5, 2, 3), BRAIN), "key": Meta((5, 2, 3), BRAIN), "value": Meta((5, 4, 6), BRAIN),
    "beta": Meta((5, 4), BRAIN), "actualSeqLengths": Meta((2,), ACL_INT32), "scaleValue": 0.5,
    "out": Meta((5, 4, 6), BRAIN),
}  # fmt: skip
GOOD = {
    "aclnnRecurrentGatedDeltaRule": {
        **DELTA, "stateRef": Meta((6, 4, 6, 3), BRAIN), "ssmStateIndices": Meta((5,), ACL_INT32), "g": Meta((5, 4)),
        "gk": Meta((5, 4, 3)), "numAcceptedTokens": Meta((2,), ACL_INT32),
    },
    "aclnnChunkGatedDeltaRule": {
        **DELTA, "initialState": Meta((2, 4, 6, 3), BRAIN), "gOptional": Meta((5, 4)),
        "finalState": Meta((2, 4, 6, 3), BRAIN),
    },
    "aclnnLSTM": lstm(), "aclnnLstmBackward": lstm_backward(), "aclnnGRU": gru(), "aclnnGRUBackward": gru_backward(),
    "aclnnBidirectionLSTM": bidirection(2), "aclnnBidirectionLSTMV2": bidirection_v2(),
    "aclnnThnnFusedLstmCell": {
        "inputGates": GATES, "hiddenGates": GATES, "cx": STATE, "inputBiasOptional": BIAS, "hiddenBiasOptional": BIAS,
        "hyOut": STATE, "cyOut": STATE, "storageOut": GATES,
    },
    "aclnnThnnFusedLstmCellBackward": {
        "gradHyOptional": STATE, "gradCOptional": STATE, "cx": STATE, "cy": STATE, "storage": GATES, "hasBias": True,
        "gradGatesOut": GATES, "gradCxOut": STATE, "gradBiasOut": BIAS,
    },
}  # fmt: skip
NOTHING = "if input is empty the checks end here (workspace 0, nothing is written)"
REACHED = ("hx has as many tensors", "input has the right number")
UNREACHED = {
    **{(name, f"the tensors that {flag} makes needed are not null"): test
       for flag in ("isbias", "bidirection")
       for name, test in (("aclnnBidirectionLSTM", "test_calls_and_their_statuses"),
                          ("aclnnBidirectionLSTMV2", "test_calls_of_v2_and_their_statuses"))},
    ("aclnnGRU", NOTHING): "test_calls_and_their_statuses",
    **{("aclnnLSTM", check.sentence): "test_refusals_of_forward" for check in lstm_checks()
       if "(if batchSizes is given)" in check.sentence and not check.sentence.startswith(REACHED)},
    **{("aclnnLSTM", check.sentence): "test_ascend_950_refuses_private_formats" for check in lstm_checks()
       if "private" in check.sentence},
    **{("aclnnLSTM", check.sentence): "test_forward_accepts" for check in lstm_checks()
       if check.sentence.startswith("if input has no elements")},
    **{("aclnnLstmBackward", sentence): "test_backward_without_layers_or_elements" for sentence in (
        "batchSizesOptional has the format NCL if it has three dimensions, else ND",
        "batchSizesOptional has the right number of dimensions", "numLayers is positive",
        "if a tensor that is read has no elements, the checks end here (workspace 0, nothing is written)")},
}  # fmt: skip
"""with batchSizes, ranks and shapes change together, which is more than the search changes at a time"""
