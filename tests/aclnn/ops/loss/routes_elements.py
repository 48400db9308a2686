"""Routes for losses of elements, of rows and of classes: torch, and loops."""

from __future__ import annotations

from math import exp, log1p
from typing import Any

import numpy as np

from tests.aclnn.ops.case import Meta
from tests.oracle.route import Route, as_tensor, but, elements, of_terms, route

HOW = {0: "none", 1: "mean", 2: "sum"}


def reduced(loss: np.ndarray, reduction: int) -> np.ndarray:
    return loss if reduction == 0 else np.asarray(loss.sum() / loss.size if reduction == 1 else loss.sum())


def by_torch(name: str) -> tuple[str, Any]:
    def expected(self: np.ndarray, target: np.ndarray, reduction: int) -> np.ndarray:
        import torch

        x, y = as_tensor(self), as_tensor(target)
        if x.is_floating_point() or y.is_floating_point():
            x, y = x.double(), y.double()
        else:
            found = (x - y).abs()
            return (found.sum() if reduction == 2 else found).numpy()
        return getattr(torch.nn.functional, name)(x, y, reduction=HOW[reduction]).numpy()

    return f"torch.nn.functional.{name}", expected


def mse(self: np.ndarray, target: np.ndarray, reduction: int) -> np.ndarray:
    return reduced(elements(lambda self, target: (self - target) ** 2)(self=self, target=target), reduction)


def l1(self: np.ndarray, target: np.ndarray, reduction: int) -> np.ndarray:
    if self.dtype.kind == target.dtype.kind == "i":
        return reduced(np.abs(self - target), reduction)  # differences wrap
    return reduced(elements(lambda self, target: abs(self - target))(self=self, target=target), reduction)


def mse_backward(gradOutput: np.ndarray, self: np.ndarray, target: np.ndarray, reduction: int) -> np.ndarray:
    return 2 * gradOutput * (self - target) / (self.size if reduction == 1 else 1)


def torch_mse_backward(gradOutput: np.ndarray, self: np.ndarray, target: np.ndarray, reduction: int) -> Any:
    import torch

    given = (as_tensor(each) for each in (gradOutput, self, target))
    return torch.ops.aten.mse_loss_backward(*given, reduction).numpy()


def logits(
    self: np.ndarray, target: np.ndarray, weightOptional: np.ndarray | None, posWeightOptional: np.ndarray | None,
    reduction: int,
) -> np.ndarray:  # fmt: skip
    def one(x: float, t: float, w: float, p: float) -> float:
        return w * ((1 - t) * (x + log1p(exp(-x))) + p * t * log1p(exp(-x)))

    w = np.ones(()) if weightOptional is None else weightOptional
    p = np.ones(()) if posWeightOptional is None else posWeightOptional
    return reduced(elements(one)(x=self, t=target, w=w, p=p), reduction)


def torch_logits(
    self: np.ndarray, target: np.ndarray, weightOptional: np.ndarray | None, posWeightOptional: np.ndarray | None,
    reduction: int,
) -> np.ndarray:  # fmt: skip
    from torch.nn.functional import binary_cross_entropy_with_logits as of

    x, t, w, p = (as_tensor(each) for each in (self, target, weightOptional, posWeightOptional))
    return of(x, t, w, reduction=HOW[reduction], pos_weight=p).numpy()


def rows(features: np.ndarray, labels: np.ndarray) -> list[np.ndarray]:
    logs = features - np.logaddexp.reduce(features, axis=1, keepdims=True)
    return [-(labels * logs).sum(1), np.exp(logs) - labels]


def torch_rows(features: np.ndarray, labels: np.ndarray) -> list[np.ndarray]:
    from torch.nn.functional import cross_entropy, softmax

    x, t = as_tensor(features), as_tensor(labels)
    return [cross_entropy(x, t, reduction="none").numpy(), (softmax(x, 1) - t).numpy()]


def nll(
    self: np.ndarray, target: np.ndarray, weight: np.ndarray, reduction: int, ignoreIndex: int
) -> list[Any]:  # fmt: skip
    """Label by label. Without reduction the second output is not written."""
    x, labels = np.atleast_2d(self), np.atleast_1d(target).tolist()
    w = np.array([0.0 if each == ignoreIndex else weight[each] for each in labels])
    loss = np.array([-w[at] * x[at, each] if w[at] else 0.0 for at, each in enumerate(labels)])
    if reduction == 0:
        return [loss.reshape(np.shape(target)), None]
    with np.errstate(invalid="ignore"):
        return [np.asarray(loss.sum() / (w.sum() if reduction == 1 else 1)), np.asarray(w.sum())]


def torch_nll(
    self: np.ndarray, target: np.ndarray, weight: np.ndarray, reduction: int, ignoreIndex: int
) -> list[Any]:  # fmt: skip
    import torch

    x, labels, w = as_tensor(self), as_tensor(target).long(), as_tensor(weight)
    loss, whole = torch.ops.aten.nll_loss_forward(x, labels, w, reduction, ignoreIndex)
    return [loss.numpy(), whole.numpy() if reduction else None]


def nll_backward(
    gradOutput: np.ndarray, self: np.ndarray, target: np.ndarray, weight: np.ndarray, reduction: int,
    ignoreIndex: int, totalWeight: np.ndarray,
) -> np.ndarray:  # fmt: skip
    found = np.zeros(np.atleast_2d(self).shape)
    labels = np.atleast_1d(target).tolist()
    g = np.broadcast_to(gradOutput.reshape(-1), len(labels)) / (totalWeight.reshape(()) if reduction == 1 else 1)
    for at, label in enumerate(labels):
        if label != ignoreIndex:
            found[at, label] = -g[at] * weight[label]
    return found.reshape(self.shape)


def torch_nll_backward(
    gradOutput: np.ndarray, self: np.ndarray, target: np.ndarray, weight: np.ndarray, reduction: int,
    ignoreIndex: int, totalWeight: np.ndarray,
) -> np.ndarray:  # fmt: skip
    import torch

    g, x, w, whole = (as_tensor(each) for each in (gradOutput, self, weight, totalWeight))
    g = g if reduction == 0 and x.ndim == 2 else g.reshape(())
    labels = as_tensor(target).long()
    return torch.ops.aten.nll_loss_backward(g, x, labels, w, reduction, ignoreIndex, whole.reshape(())).numpy()


def rows_of(x: np.ndarray) -> np.ndarray:
    """A row of classes for each pixel."""
    return np.moveaxis(x, 1, -1).reshape(-1, x.shape[1])


def nll_2d(
    self: np.ndarray, target: np.ndarray, weight: np.ndarray, reduction: int, ignoreIndex: int
) -> list[Any]:  # fmt: skip
    loss, whole = nll(rows_of(self), target.reshape(-1), weight, reduction, ignoreIndex)
    return [loss.reshape(target.shape) if reduction == 0 else loss, whole]


def torch_nll_2d(
    self: np.ndarray, target: np.ndarray, weight: np.ndarray, reduction: int, ignoreIndex: int
) -> list[Any]:  # fmt: skip
    import torch

    x, labels, w = as_tensor(self), as_tensor(target).long(), as_tensor(weight)
    loss, whole = torch.ops.aten.nll_loss2d_forward(x, labels, w, reduction, ignoreIndex)
    return [loss.numpy(), whole.numpy() if reduction else None]


def nll_2d_backward(
    gradOutput: np.ndarray, self: np.ndarray, target: np.ndarray, weight: np.ndarray, reduction: int,
    ignoreIndex: int, totalWeight: np.ndarray,
) -> np.ndarray:  # fmt: skip
    found = nll_backward(gradOutput, rows_of(self), target.reshape(-1), weight, reduction, ignoreIndex, totalWeight)
    return np.moveaxis(found.reshape(*target.shape, -1), -1, 1)


def torch_nll_2d_backward(
    gradOutput: np.ndarray, self: np.ndarray, target: np.ndarray, weight: np.ndarray, reduction: int,
    ignoreIndex: int, totalWeight: np.ndarray,
) -> np.ndarray:  # fmt: skip
    import torch

    g, x, w, whole = (as_tensor(each) for each in (gradOutput, self, weight, totalWeight))
    g = g if reduction == 0 else g.reshape(())
    labels = as_tensor(target).long()
    return torch.ops.aten.nll_loss2d_backward(g, x, labels, w, reduction, ignoreIndex, whole.reshape(())).numpy()


def near(arguments: Any, exact: np.ndarray, dtype: str) -> Any:
    """Differences and products of the arguments, added up."""
    largest = max(float(np.abs(each).max(initial=1)) for each in arguments.values() if isinstance(each, np.ndarray))
    count = max(each.size for each in arguments.values() if isinstance(each, np.ndarray))
    return of_terms(count * (1 + largest) ** 3, count, "float32")


ONE = Meta(())
BOTH = [{"reduction": 1, "out": ONE}, {"reduction": 2, "out": ONE}]
PAIR = {"self": Meta((2, 3)), "target": Meta((2, 3)), "reduction": 0, "out": Meta((2, 3))}
SCORES, LABELS, WEIGHT = Meta((3, 4)), Meta((3,), 9), Meta((4,))
IMAGES, PIXELS = Meta((2, 4, 1, 3)), Meta((2, 1, 3), 9)
NLL = {"self": SCORES, "target": LABELS, "weight": WEIGHT, "reduction": 1, "ignoreIndex": -100}
ROUTES: tuple[Route, ...] = (
    route("aclnnMseLoss", "loop", mse, bound=near, torch=by_torch("mse_loss"), start=PAIR, also=BOTH,
          wrong={"magnitudes": l1, "no mean": but(mse, reduction=lambda a: 2 * (a["reduction"] > 0))}),
    route("aclnnL1Loss", "loop", l1, bound=near, torch=by_torch("l1_loss"), start=PAIR, also=BOTH,
          wrong={"squares": mse, "no mean": but(l1, reduction=lambda a: 2 * (a["reduction"] > 0))}),
    route("aclnnMseLossBackward", "loop", mse_backward, bound=near,
          torch=("torch.ops.aten.mse_loss_backward", torch_mse_backward), also=[{"reduction": 1}, {"reduction": 2}],
          wrong={"no factor of 2": lambda **a: mse_backward(**{k: a[k] for k in (
              "gradOutput", "self", "target", "reduction")}) / 2}),
    route("aclnnBinaryCrossEntropyWithLogits", "loop", logits, bound=near,
          torch=("torch.nn.functional.binary_cross_entropy_with_logits", torch_logits), start=PAIR,
          also=[*BOTH, {"weightOptional": None}, {"posWeightOptional": None},
                {"weightOptional": Meta((3,)), "posWeightOptional": Meta((1,))}],
          wrong={"weight forgotten": but(logits, weightOptional=None),
                 "positive weight forgotten": but(logits, posWeightOptional=None)}),
    route("aclnnSoftmaxCrossEntropyWithLogits", "log-sum-exp", rows, bound=near,
          torch=("torch.nn.functional.cross_entropy", torch_rows),
          wrong={"gradient is not less the labels": lambda features, labels: [
              rows(features, labels)[0], rows(features, labels)[1] + labels]}),
    route("aclnnNLLLoss", "loop", nll, bound=near, torch=("torch.ops.aten.nll_loss_forward", torch_nll),
          start={**NLL, "out": ONE, "totalWeightOut": ONE},
          also=[{"reduction": 0, "out": Meta((3,))}, {"reduction": 2}, {"ignoreIndex": 1}],
          wrong={"mean of rows": lambda **a: [nll(**{k: a[k] for k in NLL} | {"reduction": 2})[0] / 3, None],
                 "nothing is ignored": but(nll, ignoreIndex=-100)}),
    route("aclnnNLLLossBackward", "loop", nll_backward, bound=near,
          torch=("torch.ops.aten.nll_loss_backward", torch_nll_backward),
          start={**NLL, "gradOutput": ONE, "totalWeight": ONE, "out": SCORES},
          values={"totalWeight": lambda x: np.abs(x) + 1},
          also=[{"reduction": 0, "gradOutput": Meta((3,))}, {"reduction": 2}, {"ignoreIndex": 1}],
          wrong={"not divided": but(nll_backward, reduction=2),
                 "nothing is ignored": but(nll_backward, ignoreIndex=-100)}),
    route("aclnnNLLLoss2d", "loop", nll_2d, bound=near, torch=("torch.ops.aten.nll_loss2d_forward", torch_nll_2d),
          start={**NLL, "self": IMAGES, "target": PIXELS, "out": ONE, "totalWeightOut": ONE},
          also=[{"reduction": 0, "out": Meta((2, 1, 3))}, {"reduction": 2}, {"ignoreIndex": 1}],
          wrong={"nothing is ignored": but(nll_2d, ignoreIndex=-100),
                 "sum in place of the mean": but(nll_2d, reduction=lambda a: 2 if a["reduction"] else 0)}),
    route("aclnnNLLLoss2dBackward", "loop", nll_2d_backward, bound=near,
          torch=("torch.ops.aten.nll_loss2d_backward", torch_nll_2d_backward),
          start={**NLL, "self": IMAGES, "target": PIXELS, "gradOutput": ONE, "totalWeight": ONE, "out": IMAGES},
          values={"totalWeight": lambda x: np.abs(x) + 1},
          also=[{"reduction": 0, "gradOutput": Meta((2, 1, 3))}, {"reduction": 2}, {"ignoreIndex": 1}],
          wrong={"not divided": but(nll_2d_backward, reduction=2),
                 "nothing is ignored": but(nll_2d_backward, ignoreIndex=-100)}),
)  # fmt: skip
