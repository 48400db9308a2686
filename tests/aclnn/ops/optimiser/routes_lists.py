"""Routes for the optimisers of lists, and for those whose numbers are tensors: torch, and loops over elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.aclnn.ops.optimiser.good_calls import SETTINGS
from tests.aclnn.ops.optimiser.routes import adam_w, torch_adam_w
from tests.oracle.route import Route, as_tensor, but, route

Given = dict[str, Any]


def number(x: Any) -> float:
    return float(np.ravel(x)[0])


def unit(x: np.ndarray) -> np.ndarray:
    """Numbers from 0.05 to 0.95."""
    return 0.5 + 0.45 * np.tanh(x)


# lists


def each_adam_w(one: Any) -> Any:
    """The step of one tensor, for lists: parameters, averages of gradients and squares, the largest ones."""

    def expected(**given: Any) -> list[Any]:
        settings = {name: given[name] for name in (*SETTINGS, "amsgrad", "maximize")}
        found: list[Any] = []
        names = ("params", "expAvgs", "expAvgSqs", "maxExpAvgSqs", "grads", "stateSteps")
        for var, m, v, most, grad, step in zip(*(given[name] for name in names), strict=True):
            if number(given["foundInfOptional"]) == 1:
                found.append([var, m, v, most])
            else:
                found.append(one(var, m, v, most, grad / number(given["gradScaleOptional"]), step, **settings))
        return [each[at] for at in range(4) for each in found]

    return expected


def sgd(
    params: list[np.ndarray], grads: list[np.ndarray], momentumBufferListOptional: Any, gradScaleOptional: np.ndarray,
    weightDecay: float, momentum: float, lr: float, dampening: float, nesterov: bool, maximize: bool, isFirstStep: bool,
) -> list[Any]:  # fmt: skip
    found: list[list[np.ndarray]] = []
    for at, (x, grad) in enumerate(zip(params, grads, strict=True)):
        scaled = grad / number(gradScaleOptional)
        g = (-scaled if maximize else scaled) + weightDecay * x
        if momentum:
            kept = g if isFirstStep else momentum * momentumBufferListOptional[at] + (1 - dampening) * g
            found.append([x - lr * (g + momentum * kept if nesterov else kept), scaled, kept])
        else:
            found.append([x - lr * g, scaled])
    return [each[at] for at in range(len(found[0])) for each in found]


def torch_sgd(
    params: list[np.ndarray], grads: list[np.ndarray], momentumBufferListOptional: Any, gradScaleOptional: np.ndarray,
    weightDecay: float, momentum: float, lr: float, dampening: float, nesterov: bool, maximize: bool, isFirstStep: bool,
) -> list[Any]:  # fmt: skip
    """A step of torch.optim.SGD from this state."""
    import torch

    found: list[list[Any]] = []
    for at, (x, grad) in enumerate(zip(params, grads, strict=True)):
        tensor = torch.nn.Parameter(as_tensor(x).clone())
        scaled = grad / number(gradScaleOptional)
        tensor.grad = as_tensor(scaled)
        optimiser = torch.optim.SGD([tensor], lr=lr, momentum=momentum, dampening=dampening, weight_decay=weightDecay,
                                    nesterov=nesterov, maximize=maximize, foreach=False)  # fmt: skip
        if momentum and not isFirstStep:
            optimiser.state[tensor]["momentum_buffer"] = as_tensor(momentumBufferListOptional[at]).clone()
        optimiser.step()
        kept = [optimiser.state[tensor]["momentum_buffer"].numpy()] if momentum else []
        found.append([tensor.detach().numpy(), scaled, *kept])
    return [each[at] for at in range(len(found[0])) for each in found]


# numbers that are tensors


def apply_adam_w(given: Given) -> list[Any]:
    """By the step of aclnnApplyAdamWV2 where the powers are those of a step; else by the formula."""
    lr, decay, beta1, beta2, eps, one, two = (
        number(given[name]) for name in ("lr", "weightDecay", "beta1", "beta2", "eps", "beta1Power", "beta2Power")
    )
    g = -given["grad"] if given["maximize"] else given["grad"]
    m = beta1 * given["m"] + (1 - beta1) * g
    v = beta2 * given["v"] + (1 - beta2) * g**2
    most = np.maximum(v, given["maxGradNormOptional"]) if given["amsgrad"] else v
    change = m / (1 - one * beta1) / (np.sqrt(most / (1 - two * beta2)) + eps)
    return [given["var"] * (1 - lr * decay) - lr * change, m, v]


def apply_adam(given: Given, nesterov: Any = None) -> list[Any]:
    one, two, lr, beta1, beta2, eps = (
        number(given[name]) for name in ("beta1Power", "beta2Power", "lr", "beta1", "beta2", "epsilon")
    )
    m = beta1 * given["m"] + (1 - beta1) * given["grad"]
    v = beta2 * given["v"] + (1 - beta2) * given["grad"] ** 2
    ahead = given["useNesterov"] if nesterov is None else nesterov
    direction = beta1 * m + (1 - beta1) * given["grad"] if ahead else m
    return [given["var"] - lr * np.sqrt(1 - two) / (1 - one) * direction / (np.sqrt(v) + eps), m, v]


def ema_adam(
    grad: np.ndarray, var: np.ndarray, m: np.ndarray, v: np.ndarray, s: np.ndarray, step: Any, lr: float,
    emaDecay: float, beta1: float, beta2: float, eps: float, mode: int, biasCorrection: bool, weightDecay: float,
) -> list[np.ndarray]:  # fmt: skip
    t = number(step)
    c1, c2 = (1 - beta1**t, 1 - beta2**t) if biasCorrection else (1, 1)
    g = grad + weightDecay * var * (mode == 0)
    m, v = beta1 * m + (1 - beta1) * g, beta2 * v + (1 - beta2) * g**2
    var = var - lr * (m / c1 / (np.sqrt(v / c2) + eps) + weightDecay * var * (mode == 1))
    return [var, m, v, emaDecay * s + (1 - emaDecay) * var]


def loop(formula: Any, **more: Any) -> Any:
    return lambda **given: formula(given, **more)


def rounding(arguments: Given, exact: np.ndarray, dtype: str) -> Any:
    """A few roundings of numbers as large as the results, or as the state."""
    return 2.0**-19 * (np.abs(exact) + 10)


POSITIVE = dict.fromkeys(("v", "expAvgSqs", "maxExpAvgSqs", "maxGradNormOptional"), np.abs)
NUMBERS = dict.fromkeys(("beta1Power", "beta2Power", "lr", "weightDecay", "beta1", "beta2", "eps", "epsilon"), unit)
STEPS = {"step": lambda x: np.abs(x) + 1, "stateSteps": lambda x: np.ceil(np.abs(x))}
SCALE = {"gradScaleOptional": lambda x: unit(x), "foundInfOptional": lambda x: np.zeros_like(x)}

ROUTES: tuple[Route, ...] = (
    route("aclnnFusedAdamw", "loop", each_adam_w(adam_w), torch=("torch.optim.AdamW", each_adam_w(torch_adam_w)),
          bound=rounding, values={**POSITIVE, **STEPS, **SCALE}, also=[{"maximize": True}],
          wrong={"not scaled": but(each_adam_w(adam_w), gradScaleOptional=1.0),
                 "betas swapped": but(each_adam_w(adam_w), beta1=0.99, beta2=0.9),
                 "decay left out": but(each_adam_w(adam_w), weightDecay=0.0)}),
    route("aclnnFusedSgd", "loop", sgd, torch=("torch.optim.SGD", torch_sgd), bound=rounding, values=SCALE,
          also=[{"maximize": True, "nesterov": False}, {"isFirstStep": True},
                {"nesterov": False, "dampening": 0.5},
                {"nesterov": False, "momentum": 0.0, "momentumBufferListOptionalRef": None}],
          wrong={"not scaled": but(sgd, gradScaleOptional=1.0), "always first": but(sgd, isFirstStep=True),
                 "no momentum ahead": but(sgd, nesterov=False)}),
    route("aclnnApplyAdamW", "formula", loop(apply_adam_w), bound="composite", values={**POSITIVE, **NUMBERS},
          also=[{"maximize": True}, {"amsgrad": True}],
          wrong={"powers of the step": but(loop(apply_adam_w), beta1Power=lambda given: given["beta1"] ** 2),
                 "decay left out": but(loop(apply_adam_w), weightDecay=0.0)}),
    route("aclnnApplyAdam", "formula", loop(apply_adam), bound=rounding, values={**POSITIVE, **NUMBERS},
          also=[{"useNesterov": True}], wrong={"always ahead": loop(apply_adam, nesterov=True)}),
    route("aclnnApplyFusedEmaAdam", "formula", ema_adam, bound=rounding, values={**POSITIVE, **STEPS},
          also=[{"mode": 1}, {"biasCorrection": False}],
          wrong={"the other decay": but(ema_adam, mode=lambda given: 1 - given["mode"]),
                 "no correction": but(ema_adam, biasCorrection=False), "no average": but(ema_adam, emaDecay=0.0)}),
)  # fmt: skip
