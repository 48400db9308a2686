"""Routes for `aclnn.ops.indexing`: torch, and loops over indices."""

from __future__ import annotations

from typing import Any

import numpy as np

from acl_runtime import *
from tests.aclnn.ops.case import Meta
from tests.oracle.extremes import ALL
from tests.oracle.route import Route, as_tensor, route


def nonzero(self: np.ndarray) -> np.ndarray:
    found = [at for at in np.ndindex(self.shape) if self[at] != 0]
    return np.array(found, np.int64).reshape(len(found), self.ndim)


def embedding(weight: np.ndarray, indices: np.ndarray) -> np.ndarray:
    rows = [weight[index] for index in indices.ravel().tolist()]
    return np.array(rows).reshape(*indices.shape, *weight.shape[1:])


def torch_nonzero(self: np.ndarray) -> Any:
    import torch

    return torch.nonzero(as_tensor(self)).numpy()


def torch_embedding(weight: np.ndarray, indices: np.ndarray) -> Any:
    import torch

    return torch.nn.functional.embedding(as_tensor(indices), as_tensor(weight)).numpy()


def nonzero_column_major(self: np.ndarray) -> np.ndarray:
    found = nonzero(self)
    return found[np.lexsort(found.T)] if found.shape[1] else found


def nonzero_reversed(self: np.ndarray) -> np.ndarray:
    return np.flip(nonzero(self), 1)


def embedding_next_row(weight: np.ndarray, indices: np.ndarray) -> np.ndarray:
    return embedding(np.roll(weight, -1, 0), indices)


def embedding_first_index(weight: np.ndarray, indices: np.ndarray) -> np.ndarray:
    return embedding(weight, np.full(indices.shape, indices.ravel()[0]))


def nonzero_columns(self: np.ndarray) -> np.ndarray:
    return nonzero(self).T


def torch_nonzero_columns(self: np.ndarray) -> Any:
    return torch_nonzero(self).T


def masked_select(self: np.ndarray, mask: np.ndarray) -> np.ndarray:
    one, other = np.broadcast_arrays(self, mask)
    pairs = zip(one.ravel().tolist(), other.ravel().tolist(), strict=True)
    return np.array([value for value, chosen in pairs if chosen], self.dtype)


def torch_masked_select(self: np.ndarray, mask: np.ndarray) -> Any:
    import torch

    return torch.masked_select(as_tensor(self), as_tensor(mask != 0)).numpy()


def masked_scatter(self: np.ndarray, mask: np.ndarray, source: np.ndarray) -> np.ndarray:
    out, rest = self.copy(), iter(source.ravel().tolist())
    chosen = np.broadcast_to(mask, self.shape)
    for at in np.ndindex(self.shape):
        if chosen[at]:
            out[at] = next(rest)
    return out


def torch_masked_scatter(self: np.ndarray, mask: np.ndarray, source: np.ndarray) -> Any:
    return as_tensor(self).masked_scatter(as_tensor(mask != 0), as_tensor(source)).numpy()


def masked_where(self: np.ndarray, mask: np.ndarray, source: np.ndarray) -> np.ndarray:
    return np.where(mask, source, self)


def unique(self: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """NaN is a value of its own each time."""
    values = self.ravel().tolist()
    numbers = sorted(range(len(values)), key=lambda at: (values[at] != values[at], values[at], at))
    return runs(numbers, values, self)


def runs(numbers: list[int], values: list[Any], self: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Equal values one after the other count as one."""
    found: list[Any] = []
    counts: list[int] = []
    inverse = [0] * len(values)
    for at in numbers:
        if not found or found[-1] != values[at]:
            found.append(values[at])
            counts.append(0)
        counts[-1] += 1
        inverse[at] = len(found) - 1
    return np.array(found, self.dtype), np.array(inverse).reshape(self.shape), np.array(counts)


def unique_pair(self: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return unique(self)[:2]


def consecutive(self: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return runs(list(range(self.size)), self.ravel().tolist(), self)


def torch_unique(self: np.ndarray) -> tuple[Any, Any, Any]:
    import torch

    found = torch.unique(as_tensor(self), return_inverse=True, return_counts=True)
    return tuple(each.numpy() for each in found)  # pyright: ignore


def torch_unique_pair(self: np.ndarray) -> tuple[Any, Any]:
    return torch_unique(self)[:2]


def torch_consecutive(self: np.ndarray) -> tuple[Any, Any, Any]:
    import torch

    if self.dtype.kind == "c":  # torch has no order for these
        return consecutive(self)
    found = torch.unique_consecutive(as_tensor(self), return_inverse=True, return_counts=True)
    return tuple(each.numpy() for each in found)  # pyright: ignore


def few(values: np.ndarray) -> np.ndarray:
    """Whole numbers, without -0."""
    return np.rint(values.astype(np.float32)) + 0.0 if values.dtype.kind in "fV" else values


def backwards(self: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    found, inverse, _ = unique(self)
    return found, len(found) - 1 - inverse


def backwards_counted(self: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return *backwards(self), unique(self)[2]


ROUTES: tuple[Route, ...] = (
    route("aclnnNonzeroV2", "loop", nonzero_columns, bound="exact", values={"self": np.rint}, positions=True,
          torch=("torch.nonzero", torch_nonzero_columns), extremes={"self": ALL},
          wrong={"column-major order": lambda self: nonzero_column_major(self).T}),
    route("aclnnMaskedSelect", "loop", masked_select, bound="exact", extremes={"self": ALL},
          groups=[["self", "out"], ["mask"]], torch=("torch.masked_select", torch_masked_select),
          also=[{"self": Meta((24,)), "mask": Meta((24,), ACL_BOOL), "out": Meta((24,))}],
          wrong={"the first elements": lambda self, mask: np.broadcast_arrays(self, mask)[0].ravel()[
              : masked_select(self, mask).size]}),
    route("aclnnInplaceMaskedScatter", "loop", masked_scatter, bound="exact", extremes={"self": ALL, "source": ALL},
          groups=[["selfRef", "source"], ["mask"]], torch=("torch.masked_scatter", torch_masked_scatter),
          wrong={"the elements at the same places": masked_where}),
    route("aclnnUnique", "loop", unique_pair, bound="exact", values={"self": few},
          torch=("torch.unique", torch_unique_pair),
          start={"self": Meta((3, 4)), "valueOut": Meta((12,)), "inverseOut": Meta((3, 4), ACL_INT64)},
          groups=[["self", "valueOut"]], wrong={"descending numbers": backwards}),
    route("aclnnUnique2", "loop", unique, bound="exact", values={"self": few}, torch=("torch.unique", torch_unique),
          groups=[["self", "valueOut"]], wrong={"descending numbers": backwards_counted}),
    route("aclnnUniqueDim", "loop", unique, bound="exact", values={"self": few}, torch=("torch.unique", torch_unique),
          groups=[["self", "valueOut"]], wrong={"descending numbers": backwards_counted}),
    route("aclnnUniqueConsecutive", "loop", consecutive, bound="exact", values={"self": few},
          torch=("torch.unique_consecutive", torch_consecutive), also=[{"dim": 1000}],
          groups=[["self", "valueOut"]], wrong={"numbers of the elements": lambda self: (
              consecutive(self)[0], np.arange(self.size).reshape(self.shape), consecutive(self)[2])}),
    route("aclnnNonzero", "loop", nonzero, bound="exact", values={"self": np.rint}, positions=True,
          torch=("torch.nonzero", torch_nonzero), extremes={"self": ALL},
          wrong={"column-major order": nonzero_column_major,
                 "coordinates from the last dimension on": nonzero_reversed}),
    route("aclnnEmbedding", "loop", embedding, bound="exact", torch=("torch.embedding", torch_embedding),
          extremes={"weight": ALL}, also=[{"weight": Meta((5, 4)), "out": Meta((2, 3, 4))}],
          wrong={"the next row": embedding_next_row, "one index for all": embedding_first_index}),
)  # fmt: skip
