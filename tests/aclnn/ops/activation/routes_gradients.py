"""Routes for gradients of activations: loops over Python's numbers, and torch."""

from __future__ import annotations

from math import exp, expm1, pi, sqrt, tanh
from typing import Any

import numpy as np

from tests.aclnn.ops.activation.routes_units import (
    MODERATE,
    erf_backward,
    gelu_backward,
    logistic,
    near,
    one,
    softplus,
    wrong,
)
from tests.aclnn.ops.case import Meta
from tests.derived.values import Number
from tests.oracle.extremes import ALL
from tests.oracle.route import Expected, Route, as_tensor, but, elements, route, unit

BOUND = near("self", of_result=False)


def aten(name: str, *arguments: str, **fixed: Any) -> tuple[str, Expected]:
    """A function of torch.ops.aten, with these arguments by position."""

    def expected(**given: Any) -> Any:
        import torch

        found = getattr(torch.ops.aten, name)(*(as_tensor(given[each]) for each in arguments), **fixed)
        return found.numpy()

    return f"torch.ops.aten.{name}", expected


PAIR = ("gradOutput", "self")


def leaky(gradOutput: float, self: float, negativeSlope: float) -> float:
    return gradOutput if self > 0 else gradOutput * float(np.float32(negativeSlope))


def elu(
    gradOutput: float, selfOrResult: float, alpha: float, scale: float, inputScale: float, isResult: bool
) -> float:  # fmt: skip
    if selfOrResult > 0:
        return gradOutput * scale
    below = selfOrResult + alpha * scale if isResult else alpha * scale * exp(selfOrResult * inputScale)
    return gradOutput * inputScale * below


def selu(gradOutput: Any, result: Any) -> float:
    return gradOutput * (1.0507009873554805 if result >= 0 else result + 1.0507009873554805 * 1.6732632423543772)


def hard_sigmoid(gradOutput: float, self: float) -> float:
    return gradOutput / 6 if -3 < self < 3 else 0.0


def hard_swish(gradOutput: float, self: float) -> float:
    return 0.0 if self < -3 else gradOutput if self > 3 else gradOutput * (self / 3 + 0.5)


def hardtanh(gradOutput: float, self: float, min: float, max: float) -> float:
    return 0.0 if self < min or self > max else gradOutput


def below(gradOutput: float, self: float, max: float) -> float:
    return gradOutput if self <= max else 0.0


def shrink(self: float, lambd: float, bias: float) -> float:
    return self - bias if self > lambd else self + bias if self < -lambd else 0.0


def soft(self: float, lambd: float) -> float:
    return shrink(self, lambd, lambd)


def hard(self: float, lambd: float) -> float:
    return self if abs(self) > max(lambd, 0) else 0.0


def outside(gradOutput: float, self: float, lambd: float) -> float:
    return gradOutput if abs(self) > max(lambd, 0) else 0.0


def soft_shrink_backward(gradOutput: np.ndarray, self: np.ndarray, lambda_: float) -> np.ndarray:
    return elements(outside)(gradOutput=gradOutput, self=self, lambd=lambda_)


def torch_soft_shrink_backward(gradOutput: np.ndarray, self: np.ndarray, lambda_: float) -> np.ndarray:
    import torch

    return torch.ops.aten.softshrink_backward(as_tensor(gradOutput), as_tensor(self), lambda_).numpy()


def celu(self: float, alpha: float) -> float:
    return max(self, 0.0) + min(0.0, alpha * expm1(self / alpha)) if abs(self / alpha) < 700 else max(self, -alpha)


def bounds(low: float, high: float, dtypes: Any) -> tuple[Any, Any]:
    """In the data type of self; a negative number as UINT8 has its low bits."""
    name = dtypes["self"]
    return (low, high) if "float" in name else (int(low) % 256, int(high) % 256) if name == "uint8" else (
        int(low), int(high))  # fmt: skip


def clipped(self: Any, clipValueMin: float, clipValueMax: float, dtypes: Any) -> Any:
    low, high = bounds(clipValueMin, clipValueMax, dtypes)
    return min(max(self, low), high) if self == self else self


def no_lower_bound(self: Any, clipValueMax: float, dtypes: Any) -> Any:
    return min(self, bounds(0, clipValueMax, dtypes)[1])


def torch_clipped(self: np.ndarray, clipValueMin: float, clipValueMax: float, dtypes: Any) -> np.ndarray:
    import torch

    return torch.clamp(as_tensor(self), *bounds(clipValueMin, clipValueMax, dtypes)).numpy()


def swish(self: float, betaOptional: float | None) -> float:
    return self * logistic(self * (1 if betaOptional is None else betaOptional))


def swish_backward(gradOutput: float, self: float, betaOptional: float | None) -> float:
    beta = 1 if betaOptional is None else betaOptional
    s = logistic(beta * self)
    return gradOutput * (s + beta * self * s * (1 - s))


def fast_gelu_backward(gradOutput: float, self: float) -> float:
    return swish_backward(gradOutput, self, 1.702)


def mish_backward(gradOutput: float, self: float) -> float:
    t = tanh(softplus(self))
    return gradOutput * (t + self * logistic(self) * (1 - t) * (1 + t))


def gelu_backward_v2(gradOutput: float, self: float, approximate: str) -> float:
    return (gelu_backward if approximate == "tanh" else erf_backward)(gradOutput, self)


def torch_gelu_backward(gradOutput: np.ndarray, self: np.ndarray, approximate: str) -> np.ndarray:
    import torch

    return torch.ops.aten.gelu_backward(as_tensor(gradOutput), as_tensor(self), approximate=approximate).numpy()


def softplus_backward(gradOutput: float, self: float, beta: float, threshold: float) -> float:
    return gradOutput if beta * self > threshold else gradOutput * logistic(beta * self)


def torch_softplus_backward(gradOutput: np.ndarray, self: np.ndarray, beta: float, threshold: float) -> np.ndarray:
    import torch

    x = as_tensor(self).to(torch.float64)
    return torch.ops.aten.softplus_backward(as_tensor(gradOutput), x, beta, threshold).numpy()


def in_float(arguments: Any, exact: np.ndarray, dtype: str) -> Any:
    """DOUBLE is computed in FLOAT too."""
    size = 1 + float(np.square(arguments["self"].astype(np.float64)).max(initial=0)) * arguments["beta"] ** 2
    return 4 * unit("float32") * min(size, 1e4) * np.abs(arguments["gradOutput"])


def squared_relu(input: float) -> float:
    return max(input, 0.0) ** 2


def square(input: float) -> float:
    return input**2


def prelu(self: np.ndarray, weight: np.ndarray) -> np.ndarray:
    slopes = weight.reshape(tuple(-1 if at == 1 else 1 for at in range(self.ndim)) if self.ndim > 1 else (1,))
    return elements(lambda self, slope: self if self > 0 else self * slope)(
        self=self, slope=np.broadcast_to(slopes, self.shape) if self.ndim else slopes.reshape(())
    )


def torch_prelu(self: np.ndarray, weight: np.ndarray) -> np.ndarray:
    import torch

    return torch.prelu(as_tensor(self), as_tensor(weight.reshape(-1))).numpy()


def torch_log_sigmoid(self: np.ndarray) -> list[Any]:
    from torch.nn.functional import logsigmoid

    return [logsigmoid(as_tensor(self)).numpy(), None]


def torch_log_sigmoid_backward(gradOutput: np.ndarray, self: np.ndarray) -> np.ndarray:
    import torch

    x = as_tensor(self)
    _, buffer = torch.ops.aten.log_sigmoid_forward(x)
    return torch.ops.aten.log_sigmoid_backward(as_tensor(gradOutput), x, buffer).numpy()


# gated units


def glu(self: np.ndarray, dim: int) -> np.ndarray:
    one, other = np.split(self, 2, dim)
    return one * elements(logistic)(x=other)


def torch_glu(self: np.ndarray, dim: int) -> np.ndarray:
    from torch.nn.functional import glu as of

    return of(as_tensor(self), dim).numpy()


def gelu_mul(input: np.ndarray, approximateOptional: str | None) -> np.ndarray:
    from math import erfc

    one, other = np.split(input, 2, -1)
    by_tanh = elements(lambda x: x * logistic(2 * sqrt(2 / pi) * (x + 0.044715 * x**3)))
    by_erf = elements(lambda x: 0.5 * x * erfc(-x / sqrt(2)))
    return (by_tanh if approximateOptional == "tanh" else by_erf)(x=one) * other


def torch_gelu_mul(input: np.ndarray, approximateOptional: str | None) -> np.ndarray:
    from torch.nn.functional import gelu

    one, other = (as_tensor(each) for each in np.split(input, 2, -1))
    return (gelu(one, approximate=approximateOptional or "none") * other).numpy()


def glu_backward(gradOut: np.ndarray, self: np.ndarray, dim: int) -> np.ndarray:
    one, other = np.split(self, 2, dim)
    s = elements(logistic)(x=other)
    return np.concatenate((gradOut * s, gradOut * one * s * (1 - s)), dim)


def swi_glu_grad(yGrad: np.ndarray, x: np.ndarray, dim: int) -> np.ndarray:
    one, other = np.split(x, 2, dim)
    slopes = elements(lambda gradOutput, self: swish_backward(gradOutput, self, 1.0))
    return np.concatenate((slopes(gradOutput=yGrad * other, self=one), yGrad * one * elements(logistic)(x=one)), dim)


def torch_swi_glu_grad(yGrad: np.ndarray, x: np.ndarray, dim: int) -> np.ndarray:
    import torch

    given = as_tensor(x).requires_grad_()
    one, other = given.chunk(2, dim)
    return torch.autograd.grad(torch.nn.functional.silu(one) * other, given, as_tensor(yGrad))[0].numpy()


def ge_glu_backward(
    gradOutput: np.ndarray, self: np.ndarray, gelu: np.ndarray, dim: int, approximate: int, activateLeft: bool
) -> np.ndarray:  # fmt: skip
    one, other = np.split(self, 2, dim)
    gate, factor = (one, other) if activateLeft else (other, one)
    slope = elements(gelu_backward if approximate else erf_backward)(gradOutput=np.ones(gate.shape), self=gate)
    both = [gradOutput * gelu, gradOutput * factor * slope]
    return np.concatenate(both[::-1] if activateLeft else both, dim)


def of_halves(*names: str) -> Any:
    """The error of an exponential, in products of these tensors. (Steps of BFLOAT16 are rounded each.)"""

    def bound(arguments: Any, exact: np.ndarray, dtype: str) -> Any:
        largest = np.prod([1 + float(np.abs(arguments[name]).max(initial=0)) for name in names])
        square = 1 + max(float(np.square(arguments[name]).max(initial=0)) for name in names)
        size = 2.0**-9 * largest if dtype == "bfloat16" and "gradOut" in names else unit(dtype) * largest * square
        return 4 * size

    return bound


def modulate(self: np.ndarray, scaleOptional: np.ndarray, shiftOptional: np.ndarray) -> np.ndarray:
    found = np.empty(self.shape)
    for at, batch in enumerate(self):
        for row, values in enumerate(batch):
            found[at, row] = values + values * scaleOptional[at].reshape(-1) + shiftOptional[at].reshape(-1)
    return found


def torch_modulate(self: np.ndarray, scaleOptional: np.ndarray, shiftOptional: np.ndarray) -> np.ndarray:
    import torch

    x, scale, shift = (as_tensor(each) for each in (self, scaleOptional, shiftOptional))
    return torch.stack([torch.addcmul(a + c, a, b) for a, b, c in zip(x, scale, shift, strict=True)]).numpy()


def modulate_backward(grad_output: np.ndarray, input: np.ndarray, scale: np.ndarray) -> list[np.ndarray]:
    scaled = np.einsum("bld,bd->bld", grad_output, scale)
    return [scaled, np.einsum("bld,bld->bd", grad_output, input), np.einsum("bld->bd", grad_output)]


def sums_of_rows(arguments: Any, exact: np.ndarray, dtype: str) -> Any:
    largest = [float(np.abs(arguments[name]).max(initial=1)) for name in ("grad_output", "input", "scale")]
    return 8 * unit("float32") * arguments["input"].shape[1] * np.prod(largest)


def gates(name: str, formula: Expected) -> Route:
    half, whole = Meta((3, 2)), Meta((3, 4))
    return route(name, "loop", formula, bound=of_halves("gradOutput", "self", "gelu"),
                 start={"gradOutput": half, "self": whole, "gelu": half, "dim": 1, "gradInput": whole},
                 also=[{"approximate": 0}, {"dim": -1}, *([{"activateLeft": True}] if "V3" in name else [])],
                 wrong={"the other gelu": but(formula, approximate=lambda a: 1 - a["approximate"]),
                        "gelu is not read": but(formula, gelu=lambda a: 0 * a["gelu"])})  # fmt: skip


def ge_glu_right(
    gradOutput: np.ndarray, self: np.ndarray, gelu: np.ndarray, dim: int, approximate: int
) -> np.ndarray:  # fmt: skip
    return ge_glu_backward(gradOutput, self, gelu, dim, approximate, activateLeft=False)


TYPED = {"beta": Number(0.5), "threshold": Number(0.75)}
ELU = {"alpha": Number(1.5), "scale": Number(0.75), "inputScale": Number(2.0)}
GLU = {"self": Meta((3, 4)), "dim": 1}
MODULATE = {"self": Meta((2, 3, 4)), "out": Meta((2, 3, 4))}
ROUTES: tuple[Route, ...] = (
    one("LeakyReluBackward", leaky, aten("leaky_relu_backward", *PAIR, "negativeSlope", "selfIsResult"),
        wrong(below=lambda gradOutput, self, negativeSlope: leaky(gradOutput, -self, negativeSlope)),
        start={"negativeSlope": Number(0.25)}, extremes={"self": ALL}),
    one("EluBackward", elu,
        aten("elu_backward", "gradOutput", "alpha", "scale", "inputScale", "isResult", "selfOrResult"),
        wrong(input_not_scaled=lambda gradOutput, selfOrResult, alpha, scale, isResult: elu(
            gradOutput, selfOrResult, alpha, scale, 1.0, isResult),
              no_result=lambda gradOutput, selfOrResult, alpha, scale, inputScale: elu(
            gradOutput, selfOrResult, alpha, scale, inputScale, False)),
        start=ELU, also=[{"isResult": True}], bound=near("selfOrResult", of_result=False)),
    route("aclnnSeluBackward", "loop", elements(selu), bound=near("result", of_result=False),
          wrong=wrong(of_self=lambda gradOutput, result: selu(gradOutput, 1.7580993408473768 * expm1(min(result, 0)))),
          extremes={"gradOutput": ("nan", "tiny", "0")}),
    one("HardsigmoidBackward", hard_sigmoid, aten("hardsigmoid_backward", *PAIR),
        wrong(everywhere=lambda gradOutput, self: gradOutput / 6), extremes={"self": ALL}),
    one("HardswishBackward HardswishBackwardV2", hard_swish, aten("hardswish_backward", *PAIR),
        wrong(unbounded=lambda gradOutput, self: gradOutput * (self / 3 + 0.5)), bound=BOUND,
        extremes={"self": ("tiny", "huge", "-huge", "0")}),
    one("HardtanhBackward", hardtanh, aten("hardtanh_backward", *PAIR, "min", "max"),
        wrong(no_lower_bound=below),
        start={"min": Number(-1.0625), "max": Number(1.0625)}, bound="exact",
        extremes={"self": ("inf", "-inf", "tiny", "0")}),
    one("HardshrinkBackward", outside, aten("hardshrink_backward", *PAIR, "lambd"),
        wrong(no_limit=lambda gradOutput: gradOutput), extremes={"self": ("huge", "-huge", "tiny", "0")},
        start={"lambd": Number(0.5)}, bound="exact"),
    route("aclnnSoftshrinkBackward", "loop", soft_shrink_backward, bound="exact",
          torch=("torch.ops.aten.softshrink_backward", torch_soft_shrink_backward), start={"lambda": Number(0.5)},
          wrong={"no limit": but(soft_shrink_backward, **{"lambda": 0.0})},
          extremes={"self": ("huge", "-huge", "tiny")}),
    one("Hardshrink", hard, aten("hardshrink", "self", "lambd"), wrong(soft=soft), start={"lambd": Number(0.5)},
        extremes={"self": ("huge", "-huge", "tiny", "0")}, bound="exact"),
    one("Softshrink", soft, aten("softshrink", "self", "lambd"), wrong(hard=hard), start={"lambd": Number(0.5)},
        extremes={"self": ("huge", "-huge", "tiny", "0")}),
    route("aclnnShrink", "loop", elements(shrink), start={"lambd": Number(0.5), "bias": Number(0.25)},
          wrong=wrong(no_bias=lambda self, lambd: soft(self, lambd), hard=lambda self, lambd: hard(self, lambd)),
          extremes={"self": ALL}),
    one("Celu InplaceCelu", celu, aten("celu", "self", "alpha"), wrong(alpha_1=lambda self: celu(self, 1.0)),
        start={"alpha": Number(1.5)}, extremes={"self": ("tiny", "-tiny", "0")}),
    one("Hardtanh InplaceHardtanh", clipped, ("torch.clamp", torch_clipped),
        wrong(no_lower_bound=no_lower_bound),
        start={"clipValueMin": Number(-1.5), "clipValueMax": Number(2.5)}, extremes={"self": ALL}, bound="exact"),
    route("aclnnLogSigmoidForward", "loop", lambda self: [elements(lambda x: -softplus(-x))(x=self), None],
          bound="composite", torch=("torch.nn.functional.logsigmoid", torch_log_sigmoid),
          wrong={"another sign": lambda self: [elements(lambda x: softplus(-x))(x=self), None]}),
    one("LogSigmoidBackward", lambda gradOutput, self: gradOutput * logistic(-self),
        ("torch.ops.aten.log_sigmoid_backward", torch_log_sigmoid_backward),
        wrong(of_sigmoid=lambda gradOutput, self: gradOutput * logistic(self)), bound=BOUND,
        extremes={"gradOutput": MODERATE}),
    one("MishBackward", mish_backward, aten("mish_backward", *PAIR),
        wrong(of_silu=lambda gradOutput, self: swish_backward(gradOutput, self, 1.0)), bound=BOUND,
        extremes={"gradOutput": MODERATE}),
    one("SoftplusBackward", softplus_backward, ("torch.ops.aten.softplus_backward", torch_softplus_backward),
        wrong(no_threshold=lambda gradOutput, self, beta: softplus_backward(gradOutput, self, beta, 1e9)),
        start=TYPED, bound=in_float),
    route("aclnnSwish", "loop", elements(swish), bound=near("self"),
          also=[{"betaOptional": None}, {"betaOptional": Number(0.5)}],
          wrong=wrong(beta_1=lambda self: swish(self, None)), extremes={"self": MODERATE}),
    route("aclnnSwishBackward", "loop", elements(swish_backward),
          also=[{"betaOptional": None}, {"betaOptional": Number(0.5)}],
          bound=lambda a, exact, dtype: BOUND(a, exact, dtype) * 16,
          wrong=wrong(beta_1=lambda gradOutput, self: swish_backward(gradOutput, self, None))),
    route("aclnnFastGeluBackward", "loop", elements(fast_gelu_backward),
          bound=lambda a, exact, dtype: BOUND(a, exact, dtype) * 4, wrong=wrong(of_gelu=gelu_backward)),
    one("GeluBackwardV2", gelu_backward_v2, ("torch.ops.aten.gelu_backward", torch_gelu_backward),
        wrong(always_erf=erf_backward, always_tanh=gelu_backward), bound=BOUND, also=[{"approximate": "tanh"}],
        start={"approximate": "none"}, extremes={"gradOutput": MODERATE}),
    route("aclnnSquaredRelu", "loop", elements(squared_relu), wrong=wrong(square=square),
          extremes={"input": ("tiny", "-inf", "-huge", "0")}),
    route("aclnnPrelu", "loop", prelu, torch=("torch.prelu", torch_prelu), also=[{"weight": Meta((1,))}],
          wrong={"one slope": lambda self, weight: prelu(self, weight.reshape(-1)[:1])}, extremes={"self": ALL},
          start={"weight": Meta((3,)), "self": Meta((2, 3)), "out": Meta((2, 3))}),
    route("aclnnGlu", "loop", glu, torch=("torch.nn.functional.glu", torch_glu), bound=near("self"),
          start={**GLU, "out": Meta((3, 2))}, also=[{"dim": -1}],
          wrong={"the other half is the gate": lambda self, dim: glu(np.roll(self, self.shape[dim] // 2, dim), dim)}),
    route("aclnnGeluMul", "loop", gelu_mul, torch=("torch.nn.functional.gelu", torch_gelu_mul), bound=near("input"),
          also=[{"approximateOptional": "tanh"}, {"approximateOptional": None}],
          start={"input": Meta((3, 4)), "approximateOptional": "none", "out": Meta((3, 2))},
          wrong={"the other half is the gate": but(
              gelu_mul, input=lambda a: np.roll(a["input"], a["input"].shape[-1] // 2, -1)),
                 "always with erf": but(gelu_mul, approximateOptional=None),
                 "always with tanh": but(gelu_mul, approximateOptional="tanh")}),
    route("aclnnGluBackward", "loop", glu_backward, torch=aten("glu_backward", "gradOut", "self", "dim"),
          bound=of_halves("gradOut", "self"), start={**GLU, "gradOut": Meta((3, 2)), "out": Meta((3, 4))},
          also=[{"dim": -1}],
          wrong={"of the gate alone": lambda gradOut, self, dim: np.concatenate(
              np.split(glu_backward(gradOut, self, dim), 2, dim)[:1] * 2, dim)}),
    route("aclnnSwiGluGrad", "loop", swi_glu_grad, torch=("gradient of torch.nn.functional.silu", torch_swi_glu_grad),
          bound=of_halves("yGrad", "x"), also=[{"dim": -1}],
          start={"yGrad": Meta((3, 2)), "x": Meta((3, 4)), "dim": 1, "out": Meta((3, 4))},
          wrong={"the other half is the gate": lambda yGrad, x, dim: np.roll(
              swi_glu_grad(yGrad, np.roll(x, x.shape[dim] // 2, dim), dim), x.shape[dim] // 2, dim)}),
    gates("aclnnGeGluBackward", ge_glu_right), gates("aclnnGeGluV3Backward", ge_glu_backward),
    route("aclnnModulate", "loop", modulate, torch=("torch.addcmul", torch_modulate), bound="composite",
          start={**MODULATE, "scaleOptional": Meta((2, 4)), "shiftOptional": Meta((2, 4))},
          also=[{"scaleOptional": Meta((2, 1, 4))}],
          wrong={"without 1": lambda self, scaleOptional, shiftOptional: modulate(
              self, scaleOptional - 1, shiftOptional)}),
    route("aclnnModulateBackward", "einsum", modulate_backward, bound=sums_of_rows,
          wrong={"1 is added": but(modulate_backward, scale=lambda a: 1 + a["scale"])}),
)  # fmt: skip
