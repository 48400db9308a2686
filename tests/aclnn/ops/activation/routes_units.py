"""Routes for gelu, gates, pieces and gradients: loops over Python's numbers, and torch."""

from __future__ import annotations

from math import erfc, exp, expm1, inf, isnan, log1p, pi, sqrt, tanh
from typing import Any

import numpy as np

from tests.aclnn.ops.case import Meta
from tests.derived.values import Number
from tests.oracle.extremes import ALL
from tests.oracle.route import Route, as_tensor, but, called, elements, route, unit

MODERATE = ("nan", "inf", "tiny", "-tiny", "0")
"""without numbers at which torch multiplies 0 by infinity"""


def power(x: float) -> float:
    return exp(x) if x < 700 else inf


def logistic(x: float) -> float:
    return x if isnan(x) else 1 / (1 + power(-x))


def silu(self: float) -> float:
    return self * logistic(self)


def softplus(x: float) -> float:
    return x if x > 700 else log1p(exp(x))


def mish(self: float) -> float:
    return self * tanh(softplus(self))


def log_sigmoid(self: float) -> float:
    return -softplus(-self)


def gelu(x: float) -> float:
    return 0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3)))


def gelu_sigmoid(self: float) -> float:
    return self * logistic(2 * sqrt(2 / pi) * (self + 0.044715 * self**3)) if abs(self) < 1e99 else max(self, 0.0)


def gelu_v2(x: float, approximate: int) -> float:
    return gelu_sigmoid(x) if approximate == 1 else 0.5 * x * erfc(-x / sqrt(2))


def selu(self: float) -> float:
    return 1.0507009873554805 * (self if self > 0 else 1.6732632423543772 * expm1(self))


def leaky(self: float, negativeSlope: float) -> float:
    return self if self > 0 else self * float(np.float32(negativeSlope))


def elu(self: float, alpha: float, scale: float, inputScale: float) -> float:
    return float(np.float32(scale)) * (self if self > 0 else float(alpha) * expm1(self * float(inputScale)))


def hard_sigmoid(self: Any) -> Any:
    found = self if self != self else min(max(self / 6 + 0.5, 0.0), 1.0)
    return int(found) if isinstance(self, int) else found


def hard_swish(self: float) -> float:
    return 0.0 if self <= -3 else self if self >= 3 else self * (self + 3) / 6


def soft(self: float, beta: float, threshold: float) -> float:
    beta, threshold = (float(np.float32(each)) for each in (beta, threshold))
    return self if beta * self > threshold else softplus(beta * self) / beta


def limited(self: Any, threshold: float, value: float) -> Any:
    kind = type(self)
    return kind(value) if self <= kind(threshold) else self


def limited_backward(gradOutput: Any, self: Any, threshold: float) -> Any:
    return type(gradOutput)(0) if self <= threshold else gradOutput


def silu_backward(gradOutput: float, self: float) -> float:
    s = logistic(self)
    return gradOutput * s * (1 + self * (1 - s))


def gelu_backward(gradOutput: float, self: float) -> float:
    u = sqrt(2 / pi) * (self + 0.044715 * self**3)
    inner = 0.5 * self * (1 - tanh(u) ** 2) * sqrt(2 / pi) * (1 + 3 * 0.044715 * self**2)
    return gradOutput * (0.5 * (1 + tanh(u)) + inner)


def erf_backward(gradOutput: float, self: float) -> float:
    slope = self * exp(-self * self / 2) / sqrt(2 * pi)
    return gradOutput * (0.5 * erfc(-self / sqrt(2)) + slope)


def log_softmax_backward(gradOutput: np.ndarray, output: np.ndarray, dim: int) -> np.ndarray:
    share = gradOutput.sum(dim, keepdims=True) if gradOutput.ndim else gradOutput
    return gradOutput - np.exp(output) * share


def swi_glu(x: np.ndarray, dim: int) -> np.ndarray:
    one, other = np.split(x, 2, dim)
    return elements(lambda self: silu(self))(self=one) * other


def ge_glu(self: np.ndarray, dim: int, approximate: int) -> list[np.ndarray]:
    return ge_glu_v3(self, dim, approximate, False)


def ge_glu_v3(self: np.ndarray, dim: int, approximate: int, activateLeft: bool) -> list[np.ndarray]:
    one, other = np.split(self, 2, dim)
    gate, factor = (one, other) if activateLeft else (other, one)
    gelu = elements(gelu_v2)(x=gate, approximate=approximate)
    return [gelu * factor, gelu]


def function(name: str, tensor: str = "self", **fixed: Any) -> tuple[str, Any]:
    """A function of torch.nn.functional, of one tensor, in 64 bits where it has floats."""

    def expected(**given: Any) -> Any:
        import torch

        x = as_tensor(given[tensor])
        x = x if x.is_complex() or x.is_floating_point() else x.double()
        found = getattr(torch.nn.functional, name, None) or getattr(torch, name)
        return found(x, **fixed).numpy()

    return f"torch.{name}", expected


def gradient(name: str, formula: Any) -> tuple[str, Any]:
    """torch's own gradient of a function."""

    def expected(**given: Any) -> Any:
        import torch

        tensor = "output" if "output" in given else "self"
        x = as_tensor(given[tensor]).requires_grad_()
        g = as_tensor(given["gradOutput"])
        found = formula(torch.nn.functional, x)
        return torch.autograd.grad(found, x, g.expand(found.shape))[0].numpy()

    return f"gradient of torch.{name}", expected


def wrong(**formulas: Any) -> dict[str, Any]:
    return {name.replace("_", " "): elements(each) for name, each in formulas.items()}


def near(*names: str, of_result: bool = True) -> Any:
    """A share of the result that grows with the square of these tensors, as the error of an exponential does; or of the
    gradient that comes in. torch loses digits far below 0: an absolute share."""

    def bound(arguments: Any, exact: np.ndarray, dtype: str) -> Any:
        largest = max(float(np.square(arguments[each][np.isfinite(arguments[each])]).max(initial=0)) for each in names)
        scale = np.abs(exact) if of_result else np.abs(arguments["gradOutput"])
        size = 1 + min(largest, 1e4)
        return 4 * unit(dtype) * size * scale + 1e-14 * size

    return bound


def one(stem: str, formula: Any, torch: tuple[str, Any], mistakes: dict[str, Any], **options: Any) -> Route:
    names = [f"aclnn{each}" for each in stem.split()]
    return route(*names, "loop", elements(formula), **{"bound": "composite"} | options, torch=torch, wrong=mistakes)


def gates(name: str, formula: Any) -> Route:
    def swapped(**arguments: Any) -> Any:
        return called(formula, {**arguments, "self": np.roll(arguments["self"], 1, arguments["dim"])})

    return route(name, "loop", formula, bound=near("self"), start=HALVED, also=[{"approximate": 1}, {"dim": -1}],
                 wrong={"another cut": swapped,
                        "the other gelu": but(formula, approximate=lambda a: 1 - a["approximate"])},
                 torch=("torch.nn.functional.gelu", torch_gates))  # fmt: skip


def torch_gates(
    self: np.ndarray, dim: int, approximate: int, activateLeft: bool = False, **others: Any
) -> list[np.ndarray]:  # fmt: skip
    from torch.nn.functional import gelu

    halves = [as_tensor(each) for each in np.split(self, 2, dim)]
    gate, factor = halves if activateLeft else halves[::-1]
    found = gelu(gate, approximate="tanh" if approximate else "none")
    return [(found * factor).numpy(), found.numpy()]


def torch_gelu(x: np.ndarray, approximate: int) -> np.ndarray:
    from torch.nn.functional import gelu

    return gelu(as_tensor(x), approximate="tanh" if approximate == 1 else "none").numpy()


def torch_leaky(self: np.ndarray, negativeSlope: float) -> np.ndarray:
    from torch.nn.functional import leaky_relu

    return leaky_relu(as_tensor(self), float(np.float32(negativeSlope))).numpy()


def torch_soft(self: np.ndarray, beta: float, threshold: float) -> np.ndarray:
    from torch.nn.functional import softplus

    return softplus(as_tensor(self), float(np.float32(beta)), float(np.float32(threshold))).numpy()


def torch_limited(self: np.ndarray, threshold: float, value: float) -> np.ndarray:
    from torch.nn.functional import threshold as of

    return of(as_tensor(self), threshold, value).numpy()


def torch_glu(x: np.ndarray, dim: int) -> np.ndarray:
    from torch.nn.functional import silu

    one, other = (as_tensor(each) for each in np.split(x, 2, dim))
    return (silu(one) * other).numpy()


def torch_elu(self: np.ndarray, alpha: float, scale: float, inputScale: float) -> np.ndarray:
    import torch

    return torch.ops.aten.elu(as_tensor(self), float(alpha), float(scale), float(inputScale)).numpy()


HALVED = {"self": Meta((3, 4)), "dim": 1, "out": Meta((3, 2)), "outGelu": Meta((3, 2))}


def aten(name: str) -> Any:
    """A gradient that takes the output of the forward."""

    def expected(gradOutput: Any, output: Any) -> Any:
        import torch

        return getattr(torch.ops.aten, name)(as_tensor(gradOutput), as_tensor(output)).numpy()

    return expected


ROUTES: tuple[Route, ...] = (
    one("Silu", silu, function("silu"), wrong(no_factor=lambda self: logistic(self)), extremes={"self": MODERATE}),
    one("Gelu", gelu_sigmoid, function("gelu", approximate="tanh"),
        wrong(with_erf=lambda self: gelu_v2(self, 0), a_cruder_one=lambda self: self * logistic(1.702 * self)),
        extremes={"self": MODERATE}, bound=near("self")),
    one("GeluV2", gelu_v2, ("torch.nn.functional.gelu", torch_gelu),
        wrong(always_tanh=lambda x: gelu_v2(x, 1), always_erf=lambda x: gelu_v2(x, 0)),
        also=[{"approximate": 1}, {"approximate": 7}], extremes={"x": MODERATE}, bound=near("x")),
    route("aclnnFastGelu", "loop", elements(lambda self: self * logistic(1.702 * self)), bound="composite",
          wrong=wrong(with_erf=lambda self: gelu_v2(self, 0)), extremes={"self": MODERATE}),
    one("Mish InplaceMish", mish, function("mish"), wrong(silu=silu), extremes={"self": MODERATE}),
    one("LogSigmoid", log_sigmoid, function("logsigmoid"), wrong(another_sign=lambda self: softplus(self)),
        extremes={"self": ("nan", "inf", "tiny", "0")}),
    one("Selu InplaceSelu", selu, function("selu"),
        wrong(elu=lambda self: self if self > 0 else expm1(self)), extremes={"self": MODERATE}),
    one("LeakyRelu InplaceLeakyRelu", leaky, ("torch.nn.functional.leaky_relu", torch_leaky),
        wrong(below_the_slope=lambda self, negativeSlope: self * negativeSlope), extremes={"self": ALL},
        start={"negativeSlope": Number(0.25)}),
    one("Elu InplaceElu", elu, ("torch.ops.aten.elu", torch_elu),
        wrong(input_not_scaled=lambda self, alpha, scale: elu(self, alpha, scale, 1.0),
              result_not_scaled=lambda self, alpha, inputScale: elu(self, alpha, 1.0, inputScale)),
        start={"alpha": Number(1.5), "scale": Number(0.75), "inputScale": Number(2.0)}, extremes={"self": ALL}),
    one("Hardsigmoid InplaceHardsigmoid", hard_sigmoid, function("hardsigmoid"),
        wrong(relu6=lambda self: min(max(self, 0), 1)), bound=lambda a, exact, dtype: 4 * unit(dtype),
        extremes={"self": ALL}),
    one("Hardswish InplaceHardswish", hard_swish, function("hardswish"),
        wrong(unbounded=lambda self: self * (self + 3) / 6),
        extremes={"self": ("nan", "tiny", "-tiny", "0")}),
    one("Softplus", soft, ("torch.nn.functional.softplus", torch_soft),
        wrong(no_threshold=lambda self, beta: soft(self, beta, 1e9),
              no_beta=lambda self, threshold: soft(self, 1, threshold)),
        start={"beta": Number(0.5), "threshold": Number(0.75)}, extremes={"self": ALL}, bound=near("self")),
    one("Threshold InplaceThreshold", limited, ("torch.nn.functional.threshold", torch_limited),
        wrong(NaN_replaced=lambda self, threshold, value: self if self > threshold else value,
              value_0=lambda self, threshold: limited(self, threshold, 0)),
        start={"threshold": Number(1.0), "value": Number(3.0)}, extremes={"self": ALL}, bound="exact"),
    route("aclnnThresholdBackward", "loop", elements(limited_backward),
          wrong=wrong(below=lambda gradOutput, self, threshold: 0 * gradOutput if self > threshold else gradOutput,
                      NaN_stops=lambda gradOutput, self, threshold: (
                          gradOutput if self > threshold else 0 * gradOutput)),
          start={"threshold": Number(1.0)}, extremes={"self": ALL}, bound="exact"),
    one("SiluBackward", silu_backward, gradient("silu", lambda torch, x: torch.silu(x)),
        wrong(only_the_gate=lambda gradOutput, self: gradOutput * logistic(self)), extremes={"gradOutput": MODERATE},
        bound=near("self", of_result=False)),
    one("GeluBackward", gelu_backward, gradient("gelu", lambda torch, x: torch.gelu(x, approximate="tanh")),
        wrong(with_erf=erf_backward), extremes={"gradOutput": MODERATE},
        bound=near("self", of_result=False)),
    route("aclnnTanhBackward", "loop", elements(lambda gradOutput, output: gradOutput * (1 - output) * (1 + output)),
          torch=("torch.ops.aten.tanh_backward", aten("tanh_backward")),
          wrong=wrong(of_the_input=lambda gradOutput, output: gradOutput * (1 - tanh(output) ** 2)),
          values={"output": lambda y: np.clip(y, -0.75, 0.75)}),
    route("aclnnSigmoidBackward", "loop", elements(lambda gradOutput, output: gradOutput * output * (1 - output)),
          wrong=wrong(of_tanh=lambda gradOutput, output: gradOutput * (1 - output * output)),
          values={"output": lambda y: np.clip(y, 0.25, 0.75)}),
    route("aclnnLogSoftmaxBackward", "loop", log_softmax_backward, bound="composite", also=[{"dim": -1}],
          wrong={"not shared": lambda gradOutput, output: gradOutput - np.exp(output)}),
    route("aclnnSwiGlu", "loop", swi_glu, bound="composite", also=[{"dim": -1}],
          torch=("torch.nn.functional.silu", torch_glu),
          wrong={"the other half is the gate": lambda x, dim: swi_glu(np.roll(x, x.shape[dim] // 2, dim), dim)}),
    gates("aclnnGeGlu", ge_glu), gates("aclnnGeGluV3", ge_glu_v3),
)  # fmt: skip
