"""Routes for elementwise functions whose contract is that of the catalogue: torch, and loops over Python's numbers."""

from __future__ import annotations

import cmath
import math
from collections.abc import Mapping
from functools import reduce
from typing import Any

import numpy as np

from acl_runtime import *
from tests.aclnn.ops.case import Meta
from tests.aclnn.ops.elementwise.routes_combinations import positive
from tests.oracle.extremes import ALL
from tests.oracle.route import Expected, Route, as_tensor, but, by_torch, elements, route, same_type, unit


def sinc(self: float) -> float:
    """The sine of the distance to the nearest whole number, so that pi has no error in it."""
    if not math.isfinite(self):
        return math.nan
    near = round(self)
    angle = math.pi * (self - near)
    return 1.0 if self == 0 else math.sin(angle) / (math.pi * self) * (-1) ** (near % 2)


def torch_sinc(self: np.ndarray) -> Any:
    import torch

    x = as_tensor(self.astype(np.float64))
    near = torch.round(x)
    return (torch.sinc(x - near) * torch.where(x == 0, 1, (x - near) / x) * (1 - 2 * (near % 2))).numpy()


def of_sine(arguments: Mapping[str, Any], exact: np.ndarray, dtype: str) -> Any:
    """8 ulp: the product with pi, the sine and the division have one each and more."""
    return 8 * unit(dtype) * np.abs(exact)


def of_terms(arguments: Mapping[str, Any], exact: np.ndarray, dtype: str) -> Any:
    """4 ulp of the largest terms, where they may cancel."""
    return 4 * unit(dtype) * np.maximum(np.abs(exact), 8)


def digamma(self: float) -> float:
    """By recurrence, then the asymptotic series, of positive numbers."""
    found = 0.0
    while self < 12:
        found, self = found - 1 / self, self + 1
    square = 1 / (self * self)
    series = square * (1 / 12 - square * (1 / 120 - square * (1 / 252 - square * (1 / 240 - square / 132))))
    return found + math.log(self) - 0.5 / self - series


def above(values: np.ndarray) -> np.ndarray:
    return np.abs(values) + 0.25


def folded(function: Any) -> Expected:
    def expected(tensors: list[np.ndarray]) -> Any:
        return reduce(lambda one, other: np.array(_each(function, one, other)), tensors)

    return expected


def _each(function: Any, one: np.ndarray, other: np.ndarray) -> np.ndarray:
    spread = np.broadcast_arrays(one, other)
    flat = [function(*pair) for pair in zip(*(each.ravel() for each in spread), strict=True)]
    return np.array(flat).reshape(spread[0].shape)


def torch_folded(name: str) -> Expected:
    def expected(tensors: list[np.ndarray]) -> Any:
        import torch

        return reduce(getattr(torch, name), map(as_tensor, tensors)).numpy()

    return expected


def of_list(arguments: Mapping[str, Any], exact: np.ndarray, dtype: str) -> Any:
    return 2 * unit(dtype) * sum(np.abs(each) for each in arguments["tensors"])


def plus(one: Any, other: Any) -> Any:
    return one + other


def greater(one: Any, other: Any) -> Any:
    return one if one != one or one > other else other


def less(one: Any, other: Any) -> Any:
    return one if one != one or one < other else other


def first_twice(arguments: Mapping[str, Any]) -> list[np.ndarray]:
    return [arguments["tensors"][0], *arguments["tensors"][:-1]]


def torch_complex(real: np.ndarray, imag: np.ndarray) -> Any:
    import torch

    return torch.complex(as_tensor(real), as_tensor(imag)).numpy()


def torch_polar(input: np.ndarray, angle: np.ndarray) -> Any:
    import torch

    return torch.polar(*(as_tensor(each) for each in (input, angle))).numpy()


def torch_real(self: np.ndarray) -> Any:
    import torch

    return torch.real(as_tensor(self)).numpy()


def torch_gcd(self: np.ndarray, other: np.ndarray) -> Any:
    import torch

    return torch.gcd(*same_type(self, other)).numpy()


def step(input: float, values: float) -> float:
    return values if input == 0 else float(input > 0)


def fixed_step(input: float, values: float) -> float:
    return step(input, 0.5)


def swapped_step(input: float, values: float) -> float:
    return step(values, input)


def turned(input: float, angle: float) -> complex:
    return cmath.rect(input, angle)


def turned_back(input: float, angle: float) -> complex:
    return cmath.rect(input, -angle)


def weighted(x: float, y: float) -> float:
    if y != y or (x == 0):
        return y if y != y else 0.0
    return x * (math.log1p(y) if -1 < y < math.inf else math.inf if y > 0 else -math.inf if y == -1 else math.nan)


def torch_weighted(x: Any, y: Any) -> Any:
    import torch

    return torch.special.xlog1py(as_tensor(x), as_tensor(y)).numpy()


PAIR = {"tensors": (Meta((2, 3)), Meta((3,))), "out": Meta((2, 3))}
ROUTES: tuple[Route, ...] = (
    route("aclnnSinc", "aclnnInplaceSinc", "loop", elements(sinc), bound=of_sine, torch=("torch.sinc", torch_sinc),
          extremes={"self": ("nan", "tiny", "0")},
          wrong={"without pi": elements(lambda self: math.sin(self) / self if self else 1.0),
                 "nothing": lambda self: self}),
    route("aclnnLgamma", "loop", elements(lambda self: math.lgamma(self)), bound=of_terms,
          torch=("torch.lgamma", by_torch("lgamma", "self")),
          values={"self": above}, wrong={"of one more": elements(lambda self: math.lgamma(self + 1))}),
    route("aclnnDigamma", "loop", elements(digamma), bound=of_terms,
          torch=("torch.digamma", by_torch("digamma", "self")), values={"self": above},
          wrong={"of one more": elements(lambda self: digamma(self + 1))}),
    route("aclnnAddN", "loop", folded(plus), bound=of_list, torch=("torch.add", torch_folded("add")),
          wrong={"the first twice": but(folded(plus), tensors=first_twice)}),
    route("aclnnSum", "loop", folded(plus), bound=of_list, torch=("torch.add", torch_folded("add")), also=[PAIR],
          wrong={"the first twice": but(folded(plus), tensors=first_twice)}),
    route("aclnnMaxN", "loop", folded(greater), bound="exact", torch=("torch.maximum", torch_folded("maximum")),
          also=[PAIR], extremes={"tensors": ALL},
          wrong={"the first twice": but(folded(greater), tensors=first_twice), "the smallest": folded(less)}),
    route("aclnnMinN", "loop", folded(less), bound="exact", torch=("torch.minimum", torch_folded("minimum")),
          also=[PAIR], extremes={"tensors": ALL},
          wrong={"the first twice": but(folded(less), tensors=first_twice), "the largest": folded(greater)}),
    route("aclnnComplex", "loop", elements(lambda real, imag: complex(real, imag)), bound="exact",
          torch=("torch.complex", torch_complex), also=[{"imag": Meta((1,))}],
          wrong={"swapped": elements(lambda real, imag: complex(imag, real))}),
    route("aclnnPolar", "loop", elements(turned), bound=of_terms,
          torch=("torch.polar", torch_polar),
          wrong={"the angle negated": elements(turned_back)}),
    route("aclnnReal", "loop", elements(lambda self: complex(self).real), bound="exact",
          torch=("torch.real", torch_real), start={"self": Meta((2, 3), ACL_COMPLEX64)},
          wrong={"magnitude": elements(lambda self: abs(self))}),
    route("aclnnGcd", "loop", elements(lambda self, other: math.gcd(self, other)), bound="exact",
          torch=("torch.gcd", torch_gcd),
          wrong={"the least multiple": elements(lambda self, other: math.lcm(self, other))}),
    route("aclnnHeaviside", "loop", elements(step), bound="exact",
          torch=("torch.heaviside", by_torch("heaviside", "input", "values")),
          values={"input": lambda x: np.round(x)}, extremes={"input": ("nan", "tiny", "0")},
          wrong={"values ignored": elements(fixed_step),
                 "swapped": elements(swapped_step)}),
    route("aclnnXlog1py", "loop", elements(weighted), bound=of_sine, torch=("torch.special.xlog1py", torch_weighted),
          values={"y": positive}, extremes={"x": ("nan", "tiny", "0")},
          wrong={"log of y": elements(lambda x, y: x * math.log(y) if y > 0 else 0.0)}),
)  # fmt: skip
