"""Routes for losses of probabilities and of differences, and for their gradients: torch, and loops."""

from __future__ import annotations

from math import exp, log, nan
from typing import Any

import numpy as np

from tests.aclnn.ops.case import Meta
from tests.aclnn.ops.loss.routes_elements import HOW, near, reduced
from tests.oracle.route import Route, as_tensor, but, elements, route

NO_WEIGHTS = {"weightOptional": None, "posWeightOptional": None}


def of_loss(loss: Any, wanted: str) -> Any:
    """The gradient by torch of a loss of self and target, with respect to one of them, or to all that are stretched.
    Those that are smaller are stretched."""

    def expected(**a: Any) -> np.ndarray:
        import torch

        x, t = (as_tensor(a[name]).double().requires_grad_() for name in ("self", "target"))
        g = as_tensor(a["gradOutput"] if "gradOutput" in a else a["gradOut"])
        shape = torch.broadcast_shapes(x.shape, t.shape, g.shape if wanted == "stretched" else ())
        wide = [each.expand(shape) for each in (x, t)]
        value = loss(*wide, a)
        if a["reduction"] == 1:
            value = value / value.numel()
        if a["reduction"] == 3:
            value = value / value.shape[0]
        source = {"stretched": wide[0], "self": x, "target": t}[wanted]
        return torch.autograd.grad(value, source, g.expand(shape))[0].numpy()

    return f"torch.autograd of {loss.__name__}", expected


def mse_rows(self: np.ndarray, target: np.ndarray, reduction: int) -> np.ndarray:
    square = elements(lambda self, target: (self - target) ** 2)(self=self, target=target)
    return square if reduction == 0 or not square.ndim else sum(square) / (len(square) if reduction == 1 else 1)


def torch_mse_rows(self: np.ndarray, target: np.ndarray, reduction: int) -> np.ndarray:
    square = (as_tensor(self) - as_tensor(target)).square()
    return (square if reduction == 0 else square.mean(0) if reduction == 1 else square.sum(0)).numpy()


def gradient(one: Any) -> Any:
    """A loop; for the mean divided by the number of elements."""

    def expected(self: np.ndarray, target: np.ndarray, reduction: int, **a: Any) -> np.ndarray:
        g = a["gradOutput"] if "gradOutput" in a else a["gradOut"]
        more = {name: a[name] for name in ("beta", "eps") if name in a}
        w, p = (np.ones(()) if a.get(name) is None else a[name] for name in NO_WEIGHTS)
        names = one.__code__.co_varnames[: one.__code__.co_argcount]
        every = {"g": g, "x": self, "t": target, "w": w, "p": p, **more}
        found = elements(one)(**{name: every[name] for name in names})
        return found / (found.size if reduction == 1 else 1)

    return expected


l1_gradient = gradient(lambda g, x, t: g if x > t else -g if x < t else 0.0)
margin_gradient = gradient(lambda g, x, t: -t * g / (1 + exp(x * t)))
probability_gradient = gradient(lambda g, x, t, w: w * g * ((1 - t) / (1 - x) - t / x))
logit_gradient = gradient(lambda g, x, t, w, p: w * g * ((1 - t) / (1 + exp(-x)) - p * t / (1 + exp(x))))
logit_target = gradient(lambda g, x, t, w, p: w * g * (p * log(1 + exp(-x)) - log(1 + exp(x))))
smooth_gradient = gradient(
    lambda g, x, t, beta: g * (x - t) / beta if abs(x - t) < beta else g if x > t else -g if x < t else nan * g
)


def smooth(self: np.ndarray, target: np.ndarray, reduction: int, beta: float) -> np.ndarray:
    def one(x: float, t: float) -> float:
        return (x - t) ** 2 / (2 * beta) if abs(x - t) < beta else abs(x - t) - beta / 2

    return reduced(elements(one)(x=self, t=target), reduction)


def torch_smooth(self: np.ndarray, target: np.ndarray, reduction: int, beta: float) -> np.ndarray:
    from torch.nn.functional import smooth_l1_loss

    return smooth_l1_loss(as_tensor(self), as_tensor(target), reduction=HOW[reduction], beta=beta).numpy()


def smooth_l1_loss(x: Any, t: Any, a: Any) -> Any:
    from torch.nn.functional import smooth_l1_loss

    return smooth_l1_loss(x, t, reduction="none", beta=a["beta"])


def margin(self: np.ndarray, target: np.ndarray, reduction: int) -> np.ndarray:
    return reduced(elements(lambda x, t: log(1 + exp(-t * x)))(x=self, t=target), reduction)


def torch_margin(self: np.ndarray, target: np.ndarray, reduction: int) -> np.ndarray:
    from torch.nn.functional import soft_margin_loss

    return soft_margin_loss(as_tensor(self), as_tensor(target), reduction=HOW[reduction]).numpy()


def entropy(self: np.ndarray, target: np.ndarray, weight: np.ndarray | None, reduction: int) -> np.ndarray:
    w = np.ones(()) if weight is None else weight
    found = elements(lambda x, t, w: -w * (t * log(x) + (1 - t) * log(1 - x)))(x=self, t=target, w=w)
    return reduced(found, reduction)


def torch_entropy(self: np.ndarray, target: np.ndarray, weight: np.ndarray | None, reduction: int) -> np.ndarray:
    from torch.nn.functional import binary_cross_entropy as of

    return of(as_tensor(self), as_tensor(target), as_tensor(weight), reduction=HOW[reduction]).numpy()


def l1_loss(x: Any, t: Any, a: Any) -> Any:
    return (x - t).abs()


def soft_margin_loss(x: Any, t: Any, a: Any) -> Any:
    return (1 + (-x * t).exp()).log()


def binary_cross_entropy(x: Any, t: Any, a: Any) -> Any:
    from torch.nn.functional import binary_cross_entropy

    weight = as_tensor(a["weightOptional"])
    return binary_cross_entropy(x, t, weight, reduction="none")


def binary_cross_entropy_with_logits(x: Any, t: Any, a: Any) -> Any:
    from torch.nn.functional import binary_cross_entropy_with_logits as of

    weight, positive = (as_tensor(a[name]) for name in NO_WEIGHTS)
    return of(x, t, weight, reduction="none", pos_weight=positive)


def kl_one(x: float, t: float, logTarget: bool) -> float:
    return exp(t) * (t - x) if logTarget else t * (log(t) - x)


def kl(self: np.ndarray, target: np.ndarray, reduction: int, logTarget: bool) -> np.ndarray:
    loss = elements(kl_one)(x=self, t=target, logTarget=logTarget)
    return np.asarray(loss.sum() / len(self)) if reduction == 3 else reduced(loss, reduction)


def torch_kl(self: np.ndarray, target: np.ndarray, reduction: int, logTarget: bool) -> np.ndarray:
    from torch.nn.functional import kl_div

    how = "batchmean" if reduction == 3 else HOW[reduction]
    return kl_div(as_tensor(self), as_tensor(target), reduction=how, log_target=logTarget).numpy()


def kl_div(x: Any, t: Any, a: Any) -> Any:
    return t.exp() * (t - x) if a["logTarget"] else t * (t.log() - x)


def kl_gradient(of: str, one: Any) -> Any:
    """A loop that adds each share to the element that it came from."""

    def expected(gradOutput: np.ndarray, self: np.ndarray, target: np.ndarray, reduction: int, logTarget: bool) -> Any:
        wide = np.broadcast_shapes(self.shape, target.shape)
        g, x, t = (np.broadcast_to(each, wide) for each in (gradOutput, self, target))
        source = {"self": self, "target": target}[of]
        home = np.broadcast_to(np.arange(source.size).reshape(source.shape), wide)
        found = np.zeros(source.size)
        for at in np.ndindex(wide):
            found[home[at]] += one(g[at], x[at], t[at], logTarget)
        return found.reshape(source.shape) / (1 if reduction not in (1, 3) else g.size if reduction == 1 else wide[0])

    return expected


kl_of_self = kl_gradient("self", lambda g, x, t, logs: -g * (exp(t) if logs else t))
kl_of_target = kl_gradient(
    "target", lambda g, x, t, logs: g * (exp(t) * (t - x + 1) if logs else log(t) - x + 1)
)  # fmt: skip


def odds(x: np.ndarray, dy: np.ndarray, eps: float) -> np.ndarray:
    def one(x: float, dy: float) -> float:
        if not max(eps, 0) <= x <= 1 - max(eps, 0):
            return nan if eps < 0 else 0.0
        return dy / x + dy / (1 - x)

    return elements(one)(x=x, dy=dy)


def torch_odds(x: np.ndarray, dy: np.ndarray, eps: float) -> np.ndarray:
    import torch

    bound = None if eps < 0 else eps
    return torch.ops.aten.logit_backward(as_tensor(dy), as_tensor(x), bound).numpy()


def inside(values: np.ndarray) -> np.ndarray:
    """In (0, 1), apart from its ends."""
    return 0.1 + 0.8 * np.abs(values) / (1 + np.abs(values))


def small(values: np.ndarray) -> np.ndarray:
    return np.clip(values, -4, 4)


ONE, SOME, ROW = Meta(()), Meta((2, 3)), Meta((3,))
REDUCED = [{"reduction": 1, "out": ONE}, {"reduction": 2, "out": ONE}]
BOTH = [{"reduction": 1}, {"reduction": 2}]
PAIR = {"self": SOME, "target": SOME, "reduction": 0}
INSIDE = {"self": inside, "target": inside}
LOGS, NO_LOGS = {"logTarget": True}, {"logTarget": False}
ROUTES: tuple[Route, ...] = (
    route("aclnnMseLossOut", "loop", mse_rows, bound=near, torch=("torch.Tensor.square", torch_mse_rows),
          start={**PAIR, "out": SOME}, also=[{"reduction": 1, "out": ROW}, {"reduction": 2, "out": ROW}],
          wrong={"no mean": but(mse_rows, reduction=lambda a: 2 * (a["reduction"] > 0))}),
    route("aclnnL1LossBackward", "loop", l1_gradient, bound=near, torch=of_loss(l1_loss, "stretched"),
          start={**PAIR, "gradOutput": SOME, "gradInput": SOME}, also=[*BOTH, {"target": ROW, "gradOutput": ONE}],
          wrong={"no mean": but(l1_gradient, reduction=2)}),
    route("aclnnSmoothL1Loss", "loop", smooth, bound=near, torch=("torch.nn.functional.smooth_l1_loss", torch_smooth),
          start={**PAIR, "beta": 0.5, "result": SOME},
          also=[*({**each, "result": ONE} for each in BOTH), {"beta": 2.0}, {"beta": 0.0}],
          wrong={"beta of 1": but(smooth, beta=1.0)}),
    route("aclnnSmoothL1LossBackward", "loop", smooth_gradient, bound=near,
          torch=of_loss(smooth_l1_loss, "stretched"),
          start={**PAIR, "beta": 0.5, "gradOut": SOME, "gradInput": SOME},
          also=[*BOTH, {"beta": 2.0}, {"target": ROW, "gradOut": ONE}],
          wrong={"beta of 1": but(smooth_gradient, beta=1.0), "no mean": but(smooth_gradient, reduction=2)}),
    route("aclnnSoftMarginLoss", "loop", margin, bound=near, start={**PAIR, "out": SOME}, also=REDUCED,
          values={"self": small, "target": small},
          torch=("torch.nn.functional.soft_margin_loss", torch_margin),
          wrong={"target of 1": but(margin, target=lambda a: np.ones_like(a["target"]))}),
    route("aclnnSoftMarginLossBackward", "loop", margin_gradient, bound=near,
          values={"self": small, "target": small}, torch=of_loss(soft_margin_loss, "stretched"),
          start={**PAIR, "gradOutput": SOME, "out": SOME}, also=[*BOTH, {"target": ROW, "gradOutput": ONE}],
          wrong={"no mean": but(margin_gradient, reduction=2)}),
    route("aclnnBinaryCrossEntropy", "loop", entropy, bound=near, values=INSIDE,
          torch=("torch.nn.functional.binary_cross_entropy", torch_entropy),
          start={**PAIR, "weight": SOME, "out": SOME}, also=[*REDUCED, {"weight": None}, {"weight": ROW}],
          wrong={"weight forgotten": but(entropy, weight=None)}),
    route("aclnnBinaryCrossEntropyBackward", "loop", probability_gradient, bound=near, values=INSIDE,
          torch=of_loss(binary_cross_entropy, "self"),
          start={**PAIR, "gradOutput": SOME, "weightOptional": SOME, "out": SOME},
          also=[*BOTH, {"weightOptional": None}, {"weightOptional": ROW, "gradOutput": ONE}],
          wrong={"weight forgotten": but(probability_gradient, weightOptional=None),
                 "no mean": but(probability_gradient, reduction=2)}),
    *(
        route(f"aclnnBinaryCrossEntropyWithLogits{name}", "loop", way, bound=near, values={"self": small},
              torch=of_loss(binary_cross_entropy_with_logits, of),
              start={**PAIR, "gradOutput": SOME, "weightOptional": SOME, "posWeightOptional": SOME, out: SOME},
              also=[*BOTH, NO_WEIGHTS, {"weightOptional": None},
                    {"weightOptional": ROW, "gradOutput": ONE, "posWeightOptional": ONE}],
              wrong={"weight forgotten": but(way, weightOptional=None),
                     "positive weight forgotten": but(way, posWeightOptional=None)})
        for name, way, of, out in [("Backward", logit_gradient, "self", "out"),
                                   ("TargetBackward", logit_target, "target", "gradTarget")]
    ),
    route("aclnnKlDiv", "loop", kl, bound=near, values={"target": inside}, start={**PAIR, **NO_LOGS, "out": SOME},
          torch=("torch.nn.functional.kl_div", torch_kl),
          also=[*REDUCED, {"reduction": 3, "out": ONE}, LOGS, {"reduction": 3, "out": ONE, **LOGS}],
          wrong={"target is no logarithm": but(kl, logTarget=False), "mean of all": but(
              kl, reduction=lambda a: 1 if a["reduction"] == 3 else a["reduction"])}),
    *(
        route(f"aclnnKlDiv{name}", "loop", way, bound=near, values={"target": inside},
              torch=of_loss(kl_div, of), start={**PAIR, **NO_LOGS, "gradOutput": SOME, out: SOME},
              also=[*BOTH, {"reduction": 3}, LOGS, {"reduction": 3, **LOGS}, {"gradOutput": ONE},
                    {of: ROW, out: ROW}, {of: ROW, out: ROW, "reduction": 1, **LOGS}],
              wrong={"target is no logarithm": but(way, logTarget=False), "no mean": but(way, reduction=0)})
        for name, way, of, out in [("Backward", kl_of_self, "self", "out"),
                                   ("TargetBackward", kl_of_target, "target", "gradTarget")]
    ),
    route("aclnnLogitGrad", "loop", odds, bound=near, values={"x": inside},
          torch=("torch.ops.aten.logit_backward", torch_odds), also=[{"eps": 0.25}, {"eps": -1.0}, {"eps": 0.0}],
          wrong={"no bounds": but(odds, eps=0.0)}),
)  # fmt: skip
