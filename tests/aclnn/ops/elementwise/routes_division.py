"""Routes for `aclnn.ops.elementwise.division` and `remainder`: torch, and loops over Python's numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tests.oracle.extremes import ALL
from tests.oracle.route import Route, elements, nonzero, route, same_type


def quotient(self: Any, other: Any) -> Any:
    """As floats divide; by zero too."""
    if other == 0:
        return float("nan") if self == 0 or self != self else float("inf") * (1 if self > 0 else -1)
    return self / other


def torch_div(self: Any, other: Any) -> Any:
    import torch

    one, two = (each if each.is_complex() else each.double() for each in same_type(self, other))
    return torch.div(one, two).numpy()


def whole_quotient(self: Any, other: Any) -> Any:
    """As integers divide in Python."""
    return quotient(self, other) if isinstance(self, complex) else float(np.floor(quotient(self, other)))


def no_zero_divided(self: Any, other: Any) -> Any:
    return quotient(self, other) if other else self


def rounded(rounding: Callable[[Any], Any]) -> Callable[[Any, Any], Any]:
    """The quotient as an integer; of integers by 0, 0."""

    def computed(self: Any, other: Any) -> Any:
        if isinstance(self, int) and isinstance(other, int):
            return rounding(self, other) if other else 0
        found = quotient(self, other)
        return float(rounding(found, 1)) if math.isfinite(found) else found

    return computed


def toward_0(x: Any, y: Any) -> Any:
    return x // y + (x % y != 0 and (x < 0) != (y < 0)) if isinstance(x, int) else math.trunc(x / y)


def down(x: Any, y: Any) -> Any:
    return x // y


def by_mode(self: Any, other: Any, mode: int) -> Any:
    return (quotient, rounded(toward_0), rounded(down))[mode](self, other)


def torch_by_mode(self: Any, other: Any, mode: int) -> Any:
    import torch

    one, two = (each if each.is_complex() else each.double() for each in same_type(self, other))
    return torch.div(one, two, rounding_mode=(None, "trunc", "floor")[mode]).numpy()


def torch_floor(self: Any, other: Any) -> Any:
    return torch_by_mode(self, other, 2)


def next_integer(arguments: Mapping[str, Any], exact: np.ndarray, dtype: str) -> Any:
    """The quotient is rounded before it is rounded to an integer."""
    unit = {"float16": 2.0**-10, "bfloat16": 2.0**-7}.get(dtype, 2.0**-23)
    return (arguments.get("mode", 2) != 0) * 1.0 + 4 * np.abs(exact) * unit


def remainder(self: Any, other: Any) -> Any:
    """As Python's, but of integers by 0 self."""
    if isinstance(self, int) and isinstance(other, int):
        return self % other if other else self
    if other == 0 or not math.isfinite(self) or other != other:
        return math.nan
    return self % other


def fmod(self: Any, other: Any) -> Any:
    if isinstance(self, int) and isinstance(other, int):
        return int(math.fmod(self, other)) if other else self
    return math.nan if other == 0 or not math.isfinite(self) else math.fmod(self, other)


def torch_of(name: str) -> tuple[str, Any]:
    def expected(self: Any, other: Any) -> np.ndarray:
        import torch

        one, two = same_type(self, other)
        return getattr(torch, name)(one.double(), two.double()).numpy()

    return f"torch.{name}", expected


def near(arguments: Mapping[str, Any], exact: np.ndarray, dtype: str) -> Any:
    """A remainder beside 0 is rounded to one beside other."""
    return 4 * 2.0**-23 * np.abs(np.asarray(arguments["other"])) + np.zeros(exact.shape)


QUOTIENT = {
    "operands swapped": elements(lambda self, other: quotient(other, self)),
    "quotient rounded down": elements(whole_quotient),
}
BOTH = {"self": ALL, "other": ALL}
DIVISOR = {"other": nonzero}
ROUTES: tuple[Route, ...] = (
    route("aclnnDivs", "aclnnInplaceDivs", "loop", elements(quotient), torch=("torch.div", torch_div), wrong=QUOTIENT,
          extremes=BOTH),
    route("aclnnDiv", "aclnnInplaceDiv", "loop", elements(quotient), values=DIVISOR, torch=("torch.div", torch_div),
          wrong={**QUOTIENT, "division by zero left out": elements(no_zero_divided)}, extremes=BOTH),
    route("aclnnDivMod", "aclnnInplaceDivMod", "aclnnDivMods", "aclnnInplaceDivMods", "loop", elements(by_mode),
          values=DIVISOR, also=[{"mode": 1}, {"mode": 2}], bound=next_integer, torch=("torch.div", torch_by_mode),
          wrong={"mode ignored": elements(quotient), "always down": elements(rounded(down))}),
    route("aclnnFloorDivide", "aclnnInplaceFloorDivide", "aclnnFloorDivides", "aclnnInplaceFloorDivides", "loop",
          elements(rounded(down)), values=DIVISOR, bound=next_integer, torch=("torch.div", torch_floor),
          wrong={"toward 0": elements(rounded(toward_0)),
                 "swapped": elements(lambda self, other: rounded(down)(other, self or 1))}),
    route("aclnnRemainderTensorTensor", "aclnnInplaceRemainderTensorTensor", "aclnnRemainderTensorScalar",
          "aclnnInplaceRemainderTensorScalar", "aclnnRemainderScalarTensor", "loop", elements(remainder),
          values=DIVISOR, bound=near, torch=torch_of("remainder"),
          wrong={"the sign of self": elements(fmod), "swapped": elements(lambda self, other: remainder(other, self))}),
    route("aclnnFmodTensor", "aclnnInplaceFmodTensor", "aclnnFmodScalar", "aclnnInplaceFmodScalar", "loop",
          elements(fmod), values=DIVISOR, torch=torch_of("fmod"), bound=near,
          wrong={"the sign of other": elements(remainder), "swapped": elements(lambda self, other: fmod(other, self))}),
)  # fmt: skip
