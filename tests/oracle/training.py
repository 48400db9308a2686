"""Routes for losses, normalisations and optimisers: torch, and loops over rows, elements or channels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tests.oracle.route import Expected, Route, as_tensor, called, route


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


def torch_adam_w(
    var: Any, m: Any, v: Any, maxGradNormOptional: Any, grad: Any, step: Any, lr: float, beta1: float,
    beta2: float, weightDecay: float, eps: float, amsgrad: bool, maximize: bool,
) -> list[Any]:  # fmt: skip
    """One step of torch.optim.AdamW from this state."""
    import torch

    tensor = torch.nn.Parameter(as_tensor(var).clone())
    tensor.grad = as_tensor(grad)
    options = {"betas": (beta1, beta2), "eps": eps, "weight_decay": weightDecay, "amsgrad": amsgrad}
    optimiser = torch.optim.AdamW([tensor], lr=lr, maximize=maximize, foreach=False, **options)
    state = {"step": torch.tensor(float(np.ravel(step)[0])), "exp_avg": m, "exp_avg_sq": v}
    if amsgrad:
        state["max_exp_avg_sq"] = maxGradNormOptional
    optimiser.state[tensor] = {name: as_tensor(value).clone() for name, value in state.items()}
    optimiser.step()
    after = optimiser.state[tensor]
    found = [tensor.detach(), after["exp_avg"], after["exp_avg_sq"], after.get("max_exp_avg_sq")]
    return [None if each is None else each.numpy() for each in found[: 3 + (maxGradNormOptional is not None)]]


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


def adam_w(
    var: np.ndarray, m: np.ndarray, v: np.ndarray, maxGradNormOptional: np.ndarray | None, grad: np.ndarray, step: Any,
    lr: float, beta1: float, beta2: float, weightDecay: float, eps: float, amsgrad: bool, maximize: bool,
) -> list[Any]:  # fmt: skip
    """Element by element, in the order of the paper: decay, moments, their corrections, the step."""
    t = float(np.ravel(step)[0]) + 1
    after = [np.array(each) for each in (var, m, v)]
    most = None if maxGradNormOptional is None else np.array(maxGradNormOptional)
    for at in np.ndindex(var.shape):
        slope = -grad[at] if maximize else grad[at]
        first = beta1 * m[at] + (1 - beta1) * slope
        second = beta2 * v[at] + (1 - beta2) * slope**2
        if amsgrad and most is not None:
            most[at] = second if second > most[at] or second != second else most[at]
        used = most[at] if amsgrad and most is not None else second
        change = first / (1 - beta1**t) / (np.sqrt(used / (1 - beta2**t)) + eps)
        for array, value in zip(
            after, (var[at] - lr * weightDecay * var[at] - lr * change, first, second), strict=True
        ):
            array[at] = value
    return after if most is None else [*after, most if amsgrad else None]


def by_autograd(
    gradOut: Any, input: Any, mean: Any, invstd: Any, weight: Any, sumDy: Any, sumDyXmu: Any, counter: Any
) -> Any:
    """Torch's gradient of a quadratic function of input. Its CPU has no such operator."""
    import torch

    given = (as_tensor(each) for each in (gradOut, mean, invstd, sumDy, sumDyXmu, counter))
    dy, middle, scale, one, two, count = given
    x, n = as_tensor(input).requires_grad_(), count.sum()
    factor = scale if weight is None else scale * as_tensor(weight)
    lanes, slopes = x.movedim(1, -1), dy.movedim(1, -1)
    centred = lanes - middle
    value = factor * (slopes * lanes - one / n * lanes - scale**2 * two / n * centred**2 / 2)
    return torch.autograd.grad(value.sum(), x)[0].numpy()


def batch_norm_elemt_backward(
    gradOut: np.ndarray, input: np.ndarray, mean: Any, invstd: Any, weight: Any, sumDy: Any, sumDyXmu: Any,
    counter: np.ndarray,
) -> np.ndarray:  # fmt: skip
    """Channel by channel: the gradient, less its projections on 1 and on the centred input."""
    out, n = np.empty(np.shape(gradOut), np.result_type(gradOut)), counter.sum()
    for c in range(input.shape[1]):
        scale = invstd[c] if weight is None else invstd[c] * weight[c]
        slope = invstd[c] ** 2 * sumDyXmu[c] / n
        out[:, c] = scale * gradOut[:, c] - scale * slope * input[:, c] - scale * (sumDy[c] / n - slope * mean[c])
    return out


def but(formula: Expected, **changed: Any) -> Expected:
    """The formula of other arguments. A function is called with all of them."""

    def wrong(**arguments: Any) -> Any:
        other = {name: each(arguments) if callable(each) else each for name, each in changed.items()}
        return called(formula, {**arguments, **other})

    return wrong


def mean_of_rows(**arguments: Any) -> Any:
    """The mean by the number of rows, whatever their weights are."""
    loss, *rest = called(cross_entropy, arguments)
    if arguments["reductionOptional"] in ("none", "sum"):
        return [loss, *rest]
    total = called(cross_entropy, {**arguments, "reductionOptional": "sum"})[0]
    return [total / len(arguments["target"]), *rest]


def of_this_device(arguments: Mapping[str, Any]) -> Any:
    """The elements of a channel of this input, in place of all devices' elements."""
    x = arguments["input"]
    return np.array([x.size / x.shape[1]])


POSITIVE = dict.fromkeys(("v", "maxGradNormOptional", "counter", "weightOptional", "step"), np.abs)
BETAS = {"lr": 0.01, "beta1": 0.9, "beta2": 0.99, "weightDecay": 0.1, "eps": 1e-6}
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
    route("aclnnApplyAdamWV2", "loop", adam_w, bound="composite", values=POSITIVE,
          start=BETAS, also=[{"maximize": True}, {"amsgrad": True}],
          torch=("torch.optim.AdamW", torch_adam_w), extremes={"grad": ("nan", "tiny", "0")},
          wrong={"step counted from 0": but(adam_w, step=lambda arguments: arguments["step"] - 1),
                 "maximize ignored": but(adam_w, maximize=False),
                 "betas swapped": but(adam_w, beta1=BETAS["beta2"], beta2=BETAS["beta1"]),
                 "decay left out": but(adam_w, weightDecay=0.0)}),
    route("aclnnBatchNormElemtBackward", "loop", batch_norm_elemt_backward, bound="composite", values=POSITIVE,
          torch=("torch.autograd", by_autograd), extremes={"gradOut": ("nan", "tiny", "0")},
          wrong={"the elements of this device counted": but(batch_norm_elemt_backward, counter=of_this_device),
                 "weight ignored": but(batch_norm_elemt_backward, weight=None),
                 "the two sums swapped": but(
                     batch_norm_elemt_backward,
                     sumDy=lambda arguments: arguments["sumDyXmu"], sumDyXmu=lambda arguments: arguments["sumDy"])}),
)  # fmt: skip
