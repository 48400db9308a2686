"""Routes for `aclnn.ops.elementwise.conversion`: torch for Cast, and the values themselves. `compare` rounds them."""

from __future__ import annotations

from typing import Any

import numpy as np

from acl_runtime.headers.dtypes import numpy_dtype
from tests.oracle.extremes import ALL
from tests.oracle.route import Route, as_tensor, route


def same(self: np.ndarray) -> np.ndarray:
    return self


def torch_cast(self: np.ndarray, dtype: int) -> np.ndarray:
    """As torch converts, then in 64 bits again. Torch has the other data types under the same names as numpy."""
    import torch

    to = numpy_dtype(dtype)
    assert to is not None
    if self.dtype.kind == "c" and to.kind != "c" and to.kind != "b":
        self = self.real
    found = as_tensor(self).to(getattr(torch, to.name))
    if found.is_complex():
        return found.to(torch.complex128).numpy()
    if to.kind == "b":
        return found.numpy()
    return found.to(torch.float64 if found.is_floating_point() else torch.int64).numpy()


def spread(self: np.ndarray, src: np.ndarray) -> np.ndarray:
    return src + np.zeros(self.shape, src.dtype)


def torch_copy(self: np.ndarray, src: np.ndarray) -> np.ndarray:
    given = as_tensor(src)
    return given.new_empty(self.shape).copy_(given).numpy()


def zeros(self: np.ndarray) -> np.ndarray:
    return np.zeros(self.shape)


def one_value(self: np.ndarray, value: Any) -> np.ndarray:
    return np.array([value] * self.size).reshape(self.shape)


def to_nearest(self: np.ndarray, dtype: int) -> np.ndarray:
    to = numpy_dtype(dtype)
    return np.rint(self) if to is not None and to.kind in "iu" and self.dtype.kind == "f" else self


def bits_cut_off(self: np.ndarray, dtype: int) -> np.ndarray:
    """Floats lose the bits that the narrower data type has no place for; they are not rounded."""
    to = numpy_dtype(dtype)
    kept = {"float16": 42, "bfloat16": 45}.get(to.name if to is not None else "")
    if kept is None or self.dtype.kind != "f":
        return self
    return (self.view(np.int64) & ~((1 << kept) - 1)).view(np.float64)


def by_low_bit(self: np.ndarray, dtype: int) -> np.ndarray:
    """To BOOL: is it odd?"""
    to = numpy_dtype(dtype)
    odd = to is not None and to.kind == "b" and self.dtype.kind in "fiu"
    return np.nan_to_num(self).astype(np.int64) % 2 if odd else self


def first_source(self: np.ndarray, src: np.ndarray) -> np.ndarray:
    return np.full(self.shape, src.ravel()[0]) if src.size else spread(self, src)


def unchanged(self: np.ndarray) -> np.ndarray:
    return self


POSITIVE = {"self": np.abs, "src": np.abs}
"""a conversion of negative floats to unsigned integers has rules of its own, with tests of their own"""
ROUTES: tuple[Route, ...] = (
    route("aclnnCast", "identity", same, bound="exact", values=POSITIVE, groups=[["self"], ["dtype", "out"]],
          torch=("torch.Tensor.to", torch_cast), extremes={"self": ALL},
          wrong={"to integers by the nearest": to_nearest, "bits cut off in place of rounding": bits_cut_off,
                 "to BOOL by the lowest bit": by_low_bit}),
    route("aclnnInplaceCopy", "identity", spread, bound="exact", values=POSITIVE, groups=[["self"], ["src"]],
          torch=("torch.Tensor.copy_", torch_copy), extremes={"src": ALL},
          wrong={"nothing copied": lambda self, src: self, "the first element everywhere": first_source}),
    route("aclnnInplaceZero", "identity", zeros, bound="exact",
          wrong={"nothing written": unchanged, "ones": lambda self: np.ones(self.shape)}),
    route("aclnnInplaceFillScalar", "loop", one_value, bound="exact",
          wrong={"nothing written": lambda self, value: self, "added to self": lambda self, value: self + value}),
)  # fmt: skip
