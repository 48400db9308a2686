"""Routes for `aclnn.ops.elementwise.arithmetic`: torch, and loops over Python's numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tests.oracle.extremes import ALL
from tests.oracle.route import Route, elements, route, same_type, unit


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


def rectified(self: Any, other: Any, alpha: Any, dtypes: Any) -> Any:
    """Of unsigned numbers, the sum as their bits have it."""
    found = self + alpha * other
    return found % 256 if dtypes["self"] == "uint8" else np.where(found < 0, 0, found)


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


def two_steps(arguments: Mapping[str, Any], exact: np.ndarray, dtype: str) -> Any:
    """2 ulp of the larger term, as the terms may cancel. Of 16 bits, the product is rounded once more."""
    product = np.abs(np.asarray(arguments["alpha"] * arguments["other"]))
    step = {"float16": 2.0**-10, "bfloat16": 2.0**-7}.get(dtype, 0.0) if arguments["alpha"] != 1 else 0.0
    return 2 * unit(dtype) * (np.abs(arguments["self"]) + product) + product * step


def reverse(self: Any, other: Any, alpha: Any) -> Any:
    return other - alpha * self


def torch_rsub(self: Any, other: Any, alpha: Any) -> Any:
    import torch

    return torch.rsub(*same_type(self, other), alpha=alpha).numpy()


def two_steps_of_self(arguments: Mapping[str, Any], exact: np.ndarray, dtype: str) -> Any:
    swapped = {**arguments, "self": arguments["other"], "other": arguments["self"]}
    return two_steps(swapped, exact, dtype)


def alpha_ignored(self: Any, other: Any, alpha: Any) -> Any:
    return total(self, other, type(alpha)(1))


def alpha_of_self(self: Any, other: Any, alpha: Any) -> Any:
    return total(other, self, alpha)


def alpha_ignored_in_difference(self: Any, other: Any, alpha: Any) -> Any:
    return difference(self, other, type(alpha)(1))


def operands_of_difference_swapped(self: Any, other: Any, alpha: Any) -> Any:
    return difference(other, self, alpha)


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
ROUTES: tuple[Route, ...] = (
    route("aclnnAdd", "aclnnInplaceAdd", "aclnnAdds", "aclnnInplaceAdds", "loop", elements(total), bound=two_steps,
          torch=("torch.add", torch_add), wrong=SUM, extremes=BOTH),
    route("aclnnAddV3", "aclnnInplaceAddV3", "loop", elements(total), bound=two_steps,
          torch=("torch.add", torch_add), wrong=SUM, extremes={"other": ALL}),
    route("aclnnAddRelu", "aclnnInplaceAddRelu", "numpy", rectified, bound=two_steps, groups=[("self", "other", "out")],
          wrong={"alpha ignored": lambda self, other, dtypes: rectified(self, other, 1, dtypes),
                 "the sum": lambda self, other, alpha: self + alpha * other}),
    route("aclnnRsub", "aclnnRsubs", "loop", elements(reverse), bound=two_steps_of_self,
          torch=("torch.rsub", torch_rsub), extremes=BOTH,
          wrong={"alpha ignored": elements(lambda self, other: other - self), "not reversed": elements(difference)}),
    route("aclnnSub", "aclnnInplaceSub", "aclnnSubs", "aclnnInplaceSubs", "loop", elements(difference), bound=two_steps,
          torch=("torch.sub", torch_sub), wrong=DIFFERENCE, extremes=BOTH),
    route("aclnnMul", "aclnnInplaceMul", "aclnnMuls", "aclnnInplaceMuls", "loop", elements(mul),
          torch=("torch.mul", torch_mul), wrong=PRODUCT, extremes=BOTH),
)  # fmt: skip
