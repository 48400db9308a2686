"""Routes for `aclnn.ops.elementwise.powers` and `bounds`: torch, and loops over Python's numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from tests.oracle.extremes import ALL
from tests.oracle.route import Route, elements, route, same_type, unit


def power(self: Any, exponent: Any) -> Any:
    """As C's pow; of integers to a negative power what is left of the fraction."""
    if isinstance(self, complex) or isinstance(exponent, complex):
        return self**exponent if self != 0 or exponent != 0 else 1 + 0j
    if isinstance(self, int) and isinstance(exponent, int):
        return self**exponent if exponent >= 0 else {1: 1, -1: 1 - 2 * (exponent % 2)}.get(self, 0)
    try:
        return math.pow(self, exponent)
    except OverflowError:
        return -math.inf if self < 0 and exponent % 2 == 1 else math.inf
    except ValueError:
        return math.inf if self == 0 else math.nan


def torch_power(self: Any, exponent: Any) -> np.ndarray:
    """In 64 bits; integers by the loop, as torch refuses negative powers."""
    import torch

    one, two = same_type(self, exponent)
    if not one.is_floating_point() and not one.is_complex():
        return elements(power)(self=np.asarray(self), exponent=np.asarray(exponent))
    return torch.pow(one, two).numpy()


def conditioned(arguments: Mapping[str, Any], exact: np.ndarray, dtype: str) -> Any:
    """Of complex numbers the logarithm of the base is rounded, then multiplied with the exponent."""
    size = 2 * unit(dtype) * np.abs(exact)
    if exact.dtype.kind != "c":
        return size
    with np.errstate(all="ignore"):
        logarithm = np.abs(np.log(np.abs(arguments["self"]) + 1e-300)) + np.pi
    return size * (1 + np.abs(arguments["exponent"]) * logarithm)


def small(values: np.ndarray) -> np.ndarray:
    """Powers of these stay finite."""
    return values if values.dtype.kind in "fc" else values % 4


def clamped(arguments: dict[str, Any], low: str, high: str) -> np.ndarray:
    """Element by element, by comparisons."""
    x = arguments["self"]
    given = {name: arguments.get(name) for name in (low, high)}
    shapes = [np.shape(x), *(np.shape(each) for each in given.values() if each is not None)]
    x = np.array(np.broadcast_to(x, np.broadcast_shapes(*shapes)))
    for name, value in given.items():
        if value is not None:
            limit = np.broadcast_to(value, x.shape)
            x = np.where((x < limit) if name == low else (x > limit), limit, x)
            x = np.where(limit != limit, np.nan, x) if x.dtype.kind == "f" else x
    return x


def by_loop(**arguments: Any) -> np.ndarray:
    return clamped(arguments, "clipValueMin", "max" if "max" in arguments else "clipValueMax")


def by_torch(**arguments: Any) -> np.ndarray:
    import torch

    low, high = arguments.get("clipValueMin"), arguments.get("max", arguments.get("clipValueMax"))
    given = [np.asarray(each) for each in (arguments["self"], low, high) if each is not None]
    x, *limits = same_type(*given)
    limits = iter(limits)
    return torch.clamp(x, None if low is None else next(limits), None if high is None else next(limits)).numpy()


def swapped(**arguments: Any) -> np.ndarray:
    """The limits exchanged."""
    own = "max" if "max" in arguments else "clipValueMax"
    turned = {"self": arguments["self"], "clipValueMin": arguments.get(own), own: arguments.get("clipValueMin")}
    return clamped(turned, "clipValueMin", own)


def unbounded(**arguments: Any) -> np.ndarray:
    return arguments["self"]


def torch_of(name: str) -> tuple[str, Any]:
    def expected(self: Any, other: Any) -> np.ndarray:
        import torch

        return getattr(torch, name)(*same_type(self, other)).numpy()

    return f"torch.{name}", expected


def larger(self: Any, other: Any) -> Any:
    return self if self != self or self > other else other


def smaller(self: Any, other: Any) -> Any:
    return self if self != self or self < other else other


POWERS = ("TensorTensor", "TensorScalar", "ScalarTensor")
BOTH = {"self": ALL, "other": ALL}
ROUTES: tuple[Route, ...] = (
    route(*(f"aclnnPow{each}" for each in POWERS), *(f"aclnnInplacePow{each}" for each in POWERS[:2]), "loop",
          elements(power), values={"exponent": small}, bound=conditioned, torch=("torch.pow", torch_power),
          wrong={"the product": elements(lambda self, exponent: self * exponent),
                 "swapped": elements(lambda self, exponent: power(exponent, self) if abs(self) < 99 else 0)}),
    route("aclnnMaximum", "loop", elements(larger), torch=torch_of("maximum"), bound="exact", extremes=BOTH,
          wrong={"the smaller": elements(smaller), "NaN lost": lambda self, other: np.fmax(self, other)}),
    route("aclnnMinimum", "loop", elements(smaller), torch=torch_of("minimum"), bound="exact", extremes=BOTH,
          wrong={"the larger": elements(larger), "NaN lost": lambda self, other: np.fmin(self, other)}),
    route("aclnnClamp", "aclnnClampTensor", "comparisons", by_loop, torch=("torch.clamp", by_torch), bound="exact",
          extremes={"self": ALL}, wrong={"limits swapped": swapped, "not bounded": unbounded},
          also=[{"clipValueMin": None}, {"clipValueMax": None}]),
    route("aclnnClampMin", "aclnnClampMinTensor", "aclnnInplaceClampMinTensor", "aclnnClampMax", "aclnnInplaceClampMax",
          "aclnnClampMaxTensor", "aclnnInplaceClampMaxTensor", "comparisons", by_loop, torch=("torch.clamp", by_torch),
          bound="exact", extremes={"self": ALL}, wrong={"the other way": swapped, "not bounded": unbounded}),
)  # fmt: skip
