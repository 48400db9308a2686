"""Routes for `aclnn.ops.indexing`: torch, and loops over indices."""

from __future__ import annotations

from typing import Any

import numpy as np

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


ROUTES: tuple[Route, ...] = (
    route("aclnnNonzero", "loop", nonzero, bound="exact", values={"self": np.rint}, positions=True,
          torch=("torch.nonzero", torch_nonzero), extremes={"self": ALL},
          wrong={"column-major order": nonzero_column_major,
                 "coordinates from the last dimension on": nonzero_reversed}),
    route("aclnnEmbedding", "loop", embedding, bound="exact", torch=("torch.embedding", torch_embedding),
          extremes={"weight": ALL}, also=[{"weight": Meta((5, 4)), "out": Meta((2, 3, 4))}],
          wrong={"the next row": embedding_next_row, "one index for all": embedding_first_index}),
)  # fmt: skip
