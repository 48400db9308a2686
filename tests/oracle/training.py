"""Routes for losses, normalisations and optimisers: torch, which has most of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.oracle.route import Route, as_tensor, route


def cross_entropy(
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


def adam_w(
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


POSITIVE = dict.fromkeys(("v", "maxGradNormOptional", "counter", "weightOptional", "step"), np.abs)
BETAS = {"lr": 0.01, "beta1": 0.9, "beta2": 0.99, "weightDecay": 0.1, "eps": 1e-6}
ROUTES: tuple[Route, ...] = (
    route("aclnnCrossEntropyLoss", "torch.cross_entropy", cross_entropy, bound="composite", values=POSITIVE,
          also=[{"reductionOptional": "none"}, {"reductionOptional": "sum"}]),
    route("aclnnApplyAdamWV2", "torch.optim.AdamW", adam_w, bound="composite", values=POSITIVE,
          start=BETAS, also=[{"maximize": True}, {"amsgrad": True}]),
    route("aclnnBatchNormElemtBackward", "loop", batch_norm_elemt_backward, bound="composite", values=POSITIVE),
)  # fmt: skip
