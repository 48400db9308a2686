"""Routes for `aclnn.ops.loss`: torch, and a loop over rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.oracle.route import Route, as_tensor, but, called, route


def torch_cross_entropy(
    input: Any, target: Any, weightOptional: Any, reductionOptional: str | None, ignoreIndex: int,
    labelSmoothing: float, zlossOut: Any, lseForZlossOut: Any,
) -> list[Any]:  # fmt: skip
    """The loss and the logarithms; the other outputs are not written."""
    from torch.nn.functional import cross_entropy, log_softmax

    scores, weight = as_tensor(input), as_tensor(weightOptional)
    loss = cross_entropy(
        scores, as_tensor(target), None if weight is None else weight.to(scores.dtype),
        reduction=reductionOptional or "mean", ignore_index=ignoreIndex, label_smoothing=labelSmoothing,
    )  # fmt: skip
    given = [each for each in (zlossOut, lseForZlossOut) if each is not None]
    return [loss.reshape(-1).numpy(), log_softmax(scores, 1).numpy(), *(None for _ in given)]


def cross_entropy(
    input: np.ndarray, target: np.ndarray, weightOptional: np.ndarray | None, reductionOptional: str | None,
    ignoreIndex: int, labelSmoothing: float, zlossOut: Any, lseForZlossOut: Any,
) -> list[Any]:  # fmt: skip
    """Row by row, with the wanted distribution over the classes in place of a label."""
    rows, classes = input.shape
    weight = np.ones(classes) if weightOptional is None else weightOptional
    logs = input - np.logaddexp.reduce(input, axis=1, keepdims=True)
    losses, shares = [], []
    for row in range(rows):
        counted = target[row] != ignoreIndex
        wanted = (1 - labelSmoothing) * np.eye(classes)[target[row]] + labelSmoothing / classes
        losses.append(-(wanted * weight * logs[row]).sum() if counted else 0.0)
        shares.append(weight[target[row]] if counted else 0.0)
    loss = np.array(losses)
    if reductionOptional != "none":
        loss = loss.sum(keepdims=True)
        if reductionOptional != "sum":
            with np.errstate(invalid="ignore"):
                loss = loss / np.sum(shares)
    given = [each for each in (zlossOut, lseForZlossOut) if each is not None]
    return [loss, logs, *(None for _ in given)]


def mean_of_rows(**arguments: Any) -> Any:
    """The mean by the number of rows, whatever their weights are."""
    loss, *rest = called(cross_entropy, arguments)
    if arguments["reductionOptional"] in ("none", "sum"):
        return [loss, *rest]
    total = called(cross_entropy, {**arguments, "reductionOptional": "sum"})[0]
    return [total / len(arguments["target"]), *rest]


POSITIVE = dict.fromkeys(("v", "maxGradNormOptional", "counter", "weightOptional", "step"), np.abs)


LOSSES = [
    {"reductionOptional": "none"}, {"reductionOptional": "sum"}, {"labelSmoothing": 0.0, "ignoreIndex": -100},
    {"labelSmoothing": 0.25, "ignoreIndex": 1, "reductionOptional": "none"},
    {"labelSmoothing": 0.25, "ignoreIndex": -100, "weightOptional": None},
]  # fmt: skip

ROUTES: tuple[Route, ...] = (
    route("aclnnCrossEntropyLoss", "loop", cross_entropy, bound="composite", values=POSITIVE, also=LOSSES,
          torch=("torch.cross_entropy", torch_cross_entropy), extremes={"input": ("large", "tiny", "0")},
          wrong={"ignored rows counted": but(cross_entropy, ignoreIndex=-100),
                 "label smoothing ignored": but(cross_entropy, labelSmoothing=0.0),
                 "weights ignored": but(cross_entropy, weightOptional=None),
                 "mean by the number of rows": mean_of_rows}),
)  # fmt: skip
