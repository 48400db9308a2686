"""Routes for `aclnn.ops.elementwise.arithmetic`: torch, and loops over Python's numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tests.oracle.extremes import ALL
from tests.oracle.route import Route, elements, nonzero, route, same_type, unit


def quotient(self: Any, other: Any) -> Any:
    """As floats divide; by zero too."""
    if other == 0:
        return float("nan") if self == 0 or self != self else float("inf") * (1 if self > 0 else -1)
    return self / other


def difference(self: Any, other: Any, alpha: Any) -> Any:
    """Of bools, whether they differ."""
    return self != (other and alpha) if isinstance(self, bool) else self - alpha * other


def mul(self: Any, other: Any) -> Any:
    """Bools stay bools."""
    return self and other if isinstance(self, bool) else self * other


def total(self: Any, other: Any, alpha: Any) -> Any:
    """Of bools, whether one is true."""
    return self or (other and alpha) if isinstance(self, bool) else self + alpha * other


def torch_add(self: Any, other: Any, alpha: Any) -> Any:
    import torch

    return torch.add(*same_type(self, other), alpha=alpha).numpy()


def torch_sub(self: Any, other: Any, alpha: Any) -> Any:
    """Torch does not subtract bools; it has `logical_xor` for them."""
    import torch

    one, two = same_type(self, other)
    if one.dtype == torch.bool:
        return torch.logical_xor(one, two & bool(alpha)).numpy()
    return torch.sub(one, two, alpha=alpha).numpy()


def torch_mul(self: Any, other: Any) -> Any:
    import torch

    return torch.mul(*same_type(self, other)).numpy()


def torch_div(self: Any, other: Any) -> Any:
    import torch

    one, two = (each if each.is_complex() else each.double() for each in same_type(self, other))
    return torch.div(one, two).numpy()


def two_steps(arguments: Mapping[str, Any], exact: np.ndarray, dtype: str) -> Any:
    """2 ulp of the larger term, as the terms may cancel. Of 16 bits, the product is rounded once more."""
    product = np.abs(np.asarray(arguments["alpha"] * arguments["other"]))
    step = {"float16": 2.0**-10, "bfloat16": 2.0**-7}.get(dtype, 0.0) if arguments["alpha"] != 1 else 0.0
    return 2 * unit(dtype) * (np.abs(arguments["self"]) + product) + product * step


def alpha_ignored(self: Any, other: Any, alpha: Any) -> Any:
    return total(self, other, type(alpha)(1))


def alpha_of_self(self: Any, other: Any, alpha: Any) -> Any:
    return total(other, self, alpha)


def alpha_ignored_in_difference(self: Any, other: Any, alpha: Any) -> Any:
    return difference(self, other, type(alpha)(1))


def operands_of_difference_swapped(self: Any, other: Any, alpha: Any) -> Any:
    return difference(other, self, alpha)


def whole_quotient(self: Any, other: Any) -> Any:
    """As integers divide in Python."""
    return quotient(self, other) if isinstance(self, complex) else float(np.floor(quotient(self, other)))


def no_zero_divided(self: Any, other: Any) -> Any:
    return quotient(self, other) if other else self


BOTH = {"self": ALL, "other": ALL}
SUM = {"alpha ignored": elements(alpha_ignored), "alpha multiplies self": elements(alpha_of_self)}
DIFFERENCE = {
    "alpha ignored": elements(alpha_ignored_in_difference),
    "operands swapped": elements(operands_of_difference_swapped),
}
PRODUCT = {
    "sum in place of the product": elements(lambda self, other: total(self, other, True)),
    "NaN and infinity replaced by 0": lambda self, other: np.nan_to_num(np.multiply(self, other), posinf=0, neginf=0),
}
QUOTIENT = {
    "operands swapped": elements(lambda self, other: quotient(other, self)),
    "quotient rounded down": elements(whole_quotient),
}
ROUTES: tuple[Route, ...] = (
    route("aclnnAdd", "aclnnInplaceAdd", "aclnnAdds", "aclnnInplaceAdds", "loop", elements(total), bound=two_steps,
          torch=("torch.add", torch_add), wrong=SUM, extremes=BOTH),
    route("aclnnSub", "aclnnInplaceSub", "loop", elements(difference), bound=two_steps,
          torch=("torch.sub", torch_sub), wrong=DIFFERENCE, extremes=BOTH),
    route("aclnnMul", "aclnnInplaceMul", "aclnnMuls", "aclnnInplaceMuls", "loop", elements(mul),
          torch=("torch.mul", torch_mul), wrong=PRODUCT, extremes=BOTH),
    route("aclnnDiv", "aclnnInplaceDiv", "loop", elements(quotient), values={"other": nonzero},
          torch=("torch.div", torch_div),
          wrong={**QUOTIENT, "division by zero left out": elements(no_zero_divided)}, extremes=BOTH),
)  # fmt: skip
