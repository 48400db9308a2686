"""Routes for losses of sets of labels: torch, and a loop."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.aclnn.ops.case import Meta
from tests.aclnn.ops.loss.routes_elements import near
from tests.oracle.route import Route, as_tensor, but, route


def labels_of(row: np.ndarray) -> list[int]:
    """Those before the first -1."""
    labels = row.tolist()
    return labels[: labels.index(-1)] if -1 in labels else labels


def margins(self: np.ndarray, target: np.ndarray, reduction: int) -> list[np.ndarray]:
    losses, named = [], np.zeros(np.atleast_2d(self).shape)
    for at, (x, row) in enumerate(zip(np.atleast_2d(self), np.atleast_2d(target), strict=True)):
        labels = labels_of(row)
        named[at, labels] = 1
        others = [each for each in range(x.size) if each not in labels]
        losses.append(sum(max(0.0, 1 - x[own] + x[other]) for own in labels for other in others) / x.size)
    loss = np.array(losses)
    whole = loss.mean() if reduction == 1 else loss.sum()
    return [loss if reduction == 0 and self.ndim == 2 else np.asarray(whole), named.reshape(target.shape)]


def torch_margins(self: np.ndarray, target: np.ndarray, reduction: int) -> list[Any]:
    import torch

    loss, named = torch.ops.aten.multilabel_margin_loss_forward(as_tensor(self), as_tensor(target).long(), reduction)
    return [loss.numpy(), named.numpy()]


ROW = Meta((4,))
ROUTES: tuple[Route, ...] = (
    route("aclnnMultilabelMarginLoss", "loop", margins, bound=near,
          torch=("torch.ops.aten.multilabel_margin_loss_forward", torch_margins),
          start={"self": Meta((3, 4)), "target": Meta((3, 4), 9), "reduction": 1, "out": Meta(()),
                 "isTarget": Meta((3, 4))},
          values={"target": lambda x: x % 5 - 1},
          also=[{"reduction": 0, "out": Meta((3,))}, {"reduction": 2},
                {"self": ROW, "target": Meta((4,), 9), "isTarget": ROW, "reduction": 0}],
          wrong={"all labels count": but(margins, target=lambda a: np.where(a["target"] < 0, 0, a["target"])),
                 "sum in place of the mean": but(margins, reduction=lambda a: 2 if a["reduction"] else 0)}),
)  # fmt: skip
