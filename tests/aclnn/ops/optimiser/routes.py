"""Routes for `aclnn.ops.optimiser`: torch, and a loop over elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.oracle.route import Route, as_tensor, but, route


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


def torch_scale(
    currentScale: Any, growthTracker: Any, foundInf: Any, growthFactor: float, backoffFactor: float, growthInterval: int
) -> list[Any]:
    """By the function that torch.amp.GradScaler calls."""
    import torch

    scale, found = (as_tensor(each).to(torch.float32, copy=True) for each in (currentScale, foundInf))
    steps = as_tensor(growthTracker).to(torch.int32, copy=True)
    torch._amp_update_scale_(scale, steps, found, growthFactor, backoffFactor, growthInterval)
    return [scale.numpy(), steps.numpy()]


def scale_after(
    currentScale: Any, growthTracker: Any, foundInf: Any, growthFactor: float, backoffFactor: float, growthInterval: int
) -> list[Any]:
    """By cases, in Python numbers."""
    scale, steps = float(currentScale.item()), int(growthTracker.item()) + 1
    if foundInf.item() != 0:
        scale, steps = scale * backoffFactor, 0
    elif steps >= growthInterval:
        scale, steps = scale * growthFactor, 0
    return [np.full_like(currentScale, scale), np.full_like(growthTracker, steps)]


POSITIVE = dict.fromkeys(("v", "maxGradNormOptional", "counter", "weightOptional", "step"), np.abs)


BETAS = {"lr": 0.01, "beta1": 0.9, "beta2": 0.99, "weightDecay": 0.1, "eps": 1e-6}

FEW_STEPS = {"growthTracker": lambda x: np.abs(x) % 3, "foundInf": lambda x: np.maximum(x, 0)}
SCALING = {"growthFactor": 2.0, "backoffFactor": 0.5, "growthInterval": 2}

ROUTES: tuple[Route, ...] = (
    route("aclnnApplyAdamWV2", "loop", adam_w, bound="composite", values=POSITIVE,
          start=BETAS, also=[{"maximize": True}, {"amsgrad": True}],
          torch=("torch.optim.AdamW", torch_adam_w), extremes={"grad": ("nan", "tiny", "0")},
          wrong={"step counted from 0": but(adam_w, step=lambda arguments: arguments["step"] - 1),
                 "maximize ignored": but(adam_w, maximize=False),
                 "betas swapped": but(adam_w, beta1=BETAS["beta2"], beta2=BETAS["beta1"]),
                 "decay left out": but(adam_w, weightDecay=0.0)}),
    route("aclnnAmpUpdateScale", "cases", scale_after, start=SCALING, values=FEW_STEPS,
          also=[{**SCALING, "growthInterval": 1}, {**SCALING, "growthInterval": 3}],
          torch=("torch.amp", torch_scale),
          wrong={"factors swapped": but(scale_after, growthFactor=0.5, backoffFactor=2.0),
                 "never grown": but(scale_after, growthInterval=1 << 40)}),
)  # fmt: skip
