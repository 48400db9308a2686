"""Routes for `aclnn.ops.elementwise`: combinations and filling: torch, and loops over Python's numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tests.oracle.extremes import ALL
from tests.oracle.route import Route, as_tensor, elements, route, same_type, unit

inf, nan = math.inf, math.nan
Bound = Callable[[Mapping[str, Any], np.ndarray, str], Any]


# three tensors


def between(self: Any, end: Any, weight: Any) -> Any:
    return (1 - weight) * self + weight * end


def torch_lerp(self: np.ndarray, end: np.ndarray, weight: Any) -> np.ndarray:
    import torch

    return torch.lerp(as_tensor(self), as_tensor(end), as_tensor(weight)).numpy()


def of_terms(*names: str) -> Bound:
    """The terms may cancel: 8 ulp of the largest one."""

    def bound(arguments: Mapping[str, Any], exact: np.ndarray, dtype: str) -> Any:
        given = [np.abs(np.asarray(arguments[name])).astype(float) for name in names]
        product = np.ones(()) if len(given) == 1 else np.multiply.reduce(np.broadcast_arrays(*given[1:]))
        return 8 * unit(dtype) * (given[0] + product + np.abs(exact))

    return bound


def near_quotient(arguments: Mapping[str, Any], exact: np.ndarray, dtype: str) -> Any:
    with np.errstate(all="ignore"):
        term = np.abs(arguments["value"] * arguments["tensor1"] / arguments["tensor2"])
    return 8 * unit(dtype) * (np.abs(arguments["self"]) + term)


def with_product(self: Any, tensor1: Any, tensor2: Any, value: Any) -> Any:
    return self + value * tensor1 * tensor2


def with_quotient(self: Any, tensor1: Any, tensor2: Any, value: Any) -> Any:
    if isinstance(tensor1, int):
        return self + value * (int(tensor1 / tensor2) if tensor2 else 0)
    return self + value * (tensor1 / tensor2)


def torch_addcmul(self: Any, tensor1: Any, tensor2: Any, value: Any) -> np.ndarray:
    import torch

    return torch.addcmul(*same_type(self, tensor1, tensor2), value=value).numpy()


def torch_addcdiv(self: Any, tensor1: Any, tensor2: Any, value: Any) -> np.ndarray:
    """Integers by the loop, as torch refuses them."""
    import torch

    if self.dtype.kind == "i":
        loop = elements(with_quotient)
        return loop(self=self, tensor1=tensor1, tensor2=tensor2, value=value)
    return torch.addcdiv(*same_type(self, tensor1, tensor2), value=value).numpy()


def choice(condition: Any, self: Any, other: Any) -> Any:
    return self if condition else other


def torch_where(condition: np.ndarray, self: np.ndarray, other: np.ndarray) -> np.ndarray:
    import torch

    return torch.where(as_tensor(condition != 0), *same_type(self, other)).numpy()


def nonzero(values: np.ndarray) -> np.ndarray:
    return np.where(values == 0, np.ones((), values.dtype), values)


def positive(values: np.ndarray) -> np.ndarray:
    return nonzero(np.abs(values))


# filling


def masked(self: Any, mask: Any, value: Any) -> Any:
    return value if mask else self


def torch_masked(self: np.ndarray, mask: np.ndarray, value: Any) -> np.ndarray:
    import torch

    target = as_tensor(self).clone()
    return target.masked_fill_(as_tensor(mask), torch.as_tensor(np.asarray(value)).to(target.dtype)).numpy()


def one_value(self: np.ndarray, value: np.ndarray) -> np.ndarray:
    return np.array([np.ravel(value)[0]] * self.size).reshape(self.shape)


def replaced(self: Any, nan: Any, posinf: Any, neginf: Any) -> Any:
    if isinstance(self, bool | int):
        return self
    return nan if self != self else posinf if self == inf else neginf if self == -inf else self


def torch_nan_to_num(self: np.ndarray, nan: float, posinf: float, neginf: float) -> np.ndarray:
    import torch

    return torch.nan_to_num(as_tensor(self), nan, posinf, neginf).numpy()


EXTREME = {"self": ALL}


def torch_masked_scale(self: Any, mask: Any, scale: float) -> Any:
    return (as_tensor(self) * as_tensor(mask) * scale).numpy()


BOTH = {"self": ALL, "other": ALL}
ROUTES: tuple[Route, ...] = (
    route("aclnnLerp", "aclnnInplaceLerp", "aclnnLerps", "aclnnInplaceLerps", "loop", elements(between),
          bound=of_terms("self", "weight", "end"), torch=("torch.lerp", torch_lerp),
          wrong={"ends swapped": elements(lambda self, end, weight: between(end, self, weight)),
                 "the weight added": elements(lambda self, end, weight: self + weight)}),
    route("aclnnAddcmul", "aclnnInplaceAddcmul", "loop", elements(with_product),
          bound=of_terms("self", "tensor1", "tensor2", "value"), torch=("torch.addcmul", torch_addcmul),
          wrong={"value ignored": elements(lambda self, tensor1, tensor2: self + tensor1 * tensor2),
                 "value of self": elements(lambda self, tensor1, tensor2, value: value * self + tensor1 * tensor2)}),
    route("aclnnAddcdiv", "aclnnInplaceAddcdiv", "loop", elements(with_quotient), bound=near_quotient,
          values={"tensor2": nonzero}, torch=("torch.addcdiv", torch_addcdiv),
          wrong={"value ignored": elements(lambda self, tensor1, tensor2: with_quotient(self, tensor1, tensor2, 1)),
                 "the product": elements(with_product)}),
    route("aclnnSWhere", "loop", elements(choice), bound="exact", torch=("torch.where", torch_where), extremes=BOTH,
          groups=[["condition"], ["self", "other", "out"]],
          wrong={"swapped": elements(lambda condition, self, other: choice(condition, other, self))}),
    route("aclnnInplaceMaskedFillScalar", "aclnnInplaceMaskedFillTensor", "loop", elements(masked), bound="exact",
          torch=("torch.masked_fill_", torch_masked), extremes=EXTREME, groups=[["selfRef", "value"]],
          wrong={"the others filled": elements(lambda self, mask, value: masked(self, not mask, value)),
                 "all filled": elements(lambda self, value: value)}),
    route("aclnnInplaceFillTensor", "loop", one_value, bound="exact",
          wrong={"nothing written": lambda self: self, "added": lambda self, value: self + value}),
    route("aclnnInplaceOne", "loop", lambda self: np.ones(self.shape), bound="exact",
          wrong={"nothing written": lambda self: self, "zeros": lambda self: np.zeros(self.shape)}),
    route("aclnnNanToNum", "aclnnInplaceNanToNum", "loop", elements(replaced), bound="exact", extremes=EXTREME,
          start={"nan": 2.0, "posinf": 3.0, "neginf": -4.0}, torch=("torch.nan_to_num", torch_nan_to_num),
          wrong={"infinities swapped": elements(lambda self, nan, posinf, neginf: replaced(self, nan, neginf, posinf)),
                 "nothing replaced": lambda self: self}),
    route("aclnnMaskedScale", "loop", elements(lambda self, mask, scale: self * mask * scale), bound="composite",
          groups=[["self", "out"], ["mask"]], start={"scale": 2.5}, torch=("torch.mul", torch_masked_scale),
          wrong={"no scale": elements(lambda self, mask: self * mask),
                 "no mask": elements(lambda self, scale: self * scale)}),
)  # fmt: skip
