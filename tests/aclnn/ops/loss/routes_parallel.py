"""Routes for the cross entropies of a parallel vocabulary: loops over rows."""

from __future__ import annotations

from math import exp, log
from typing import Any

import numpy as np

from acl_runtime import *
from tests.aclnn.ops.case import Meta
from tests.oracle.route import Route, as_tensor, but, route


def share(
    vocabParallelLogits: np.ndarray, target: np.ndarray, globalLogitsMax: np.ndarray, vocabStartIndex: int,
    vocabEndIndex: int,
) -> list[np.ndarray]:  # fmt: skip
    logits = vocabParallelLogits.reshape(-1, vocabParallelLogits.shape[-1])
    rows: list[tuple[float, float, list[float], int, int]] = []
    for row, label, most in zip(logits, target.ravel(), globalLogitsMax.ravel(), strict=True):
        masked = not vocabStartIndex <= label < vocabEndIndex
        offset = 0 if masked else int(label) - vocabStartIndex
        powers = [exp(each - most) for each in row]
        rows.append((0.0 if masked else row[offset] - most, sum(powers), powers, offset, int(masked)))
    shapes = [target.shape, target.shape, vocabParallelLogits.shape, target.shape, target.shape]
    return [np.array(each).reshape(wanted) for each, wanted in zip(zip(*rows, strict=True), shapes, strict=True)]


def loss(
    logitsMax: np.ndarray, sumExpLogits: np.ndarray, predictedLogits: np.ndarray,
    vocabParallelLogitsOptional: np.ndarray | None, softMaxOutOptional: Any,
) -> list[Any]:  # fmt: skip
    found = [log(total) - one for total, one in zip(sumExpLogits, predictedLogits, strict=True)]
    if softMaxOutOptional is None:
        return [np.array(found)]
    assert vocabParallelLogitsOptional is not None
    rows = zip(vocabParallelLogitsOptional, logitsMax, sumExpLogits, strict=True)
    return [np.array(found), np.array([[exp(each - most) / total for each in row] for row, most, total in rows])]


def torch_loss(
    logitsMax: Any, sumExpLogits: Any, predictedLogits: Any, vocabParallelLogitsOptional: Any, softMaxOutOptional: Any
) -> list[Any]:
    most, total = as_tensor(logitsMax), as_tensor(sumExpLogits)
    found = [(total.log() - as_tensor(predictedLogits)).numpy()]
    if softMaxOutOptional is not None:
        logits = as_tensor(vocabParallelLogitsOptional)
        found.append(((logits - most[:, None]).exp() / total[:, None]).numpy())
    return found


def labels(x: np.ndarray) -> np.ndarray:
    """Within the classes from 2 to 17, and beside them."""
    return np.resize([17, 2, 18, 1, 5, 30], x.shape)


ROUTES: tuple[Route, ...] = (
    route("aclnnCrossEntropySumExpAndIndexLogit", "loop", share, bound="composite", values={"target": labels},
          also=[{"vocabParallelLogits": Meta((2, 3, 32)), "expLogitsOut": Meta((2, 3, 32)), "vocabEndIndex": 34}],
          wrong={"another start": but(share, vocabStartIndex=3), "another end": but(share, vocabEndIndex=17),
                 "no maximum": but(share, globalLogitsMax=lambda given: 0 * given["globalLogitsMax"])}),
    route("aclnnFusedCrossEntropyLossWithMaxSum", "loop", loss, bound="composite", torch=("torch.exp", torch_loss),
          values={"sumExpLogits": lambda x: np.abs(x) + 1},
          also=[{"vocabParallelLogitsOptional": None, "softMaxOutOptional": None},
                {"vocabParallelLogitsOptional": Meta((3, 4), ACL_FLOAT16)}],
          wrong={"no maximum": but(loss, logitsMax=lambda given: 0 * given["logitsMax"]),
                 "no logarithm": but(loss, sumExpLogits=lambda given: np.exp(given["sumExpLogits"]))}),
)  # fmt: skip
