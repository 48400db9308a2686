"""Routes for MaxUnpool and its gradients: loops over elements, and torch."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from acl_runtime import *
from tests.aclnn.ops.case import Meta
from tests.oracle.route import Route, as_tensor, but, route


def unpool(self: Any, indices: Any, outputSize: Any) -> Any:
    dims = len(outputSize)
    out = np.zeros((*self.shape[:-dims], prod(outputSize)), self.dtype)
    for place in np.ndindex(*self.shape):
        out[(*place[:-dims], int(indices[place]))] = self[place]
    return out.reshape(*self.shape[:-dims], *outputSize)


def unpool_by_torch(self: Any, indices: Any, outputSize: Any) -> Any:
    import torch

    x, places, dims = as_tensor(self), as_tensor(indices), len(outputSize)
    flat = torch.zeros(*x.shape[:-dims], prod(outputSize), dtype=x.dtype)
    found = flat.scatter(-1, places.flatten(-dims), x.flatten(-dims))
    return found.reshape(*x.shape[:-dims], *outputSize).numpy()


def backward(gradOutput: Any, indices: Any, outputSize: Any) -> Any:
    dims = len(outputSize)
    flat = gradOutput.reshape(*gradOutput.shape[:-dims], -1)
    out = np.zeros(indices.shape, gradOutput.dtype)
    for place in np.ndindex(*indices.shape):
        out[place] = flat[(*place[:-dims], int(indices[place]))]
    return out


def backward_by_torch(gradOutput: Any, indices: Any, outputSize: Any) -> Any:
    dims = len(outputSize)
    found = as_tensor(gradOutput).flatten(-dims).gather(-1, as_tensor(indices).flatten(-dims))
    return found.reshape(indices.shape).numpy()


def different(x: np.ndarray) -> np.ndarray:
    """Places that differ within a plane, in no order."""
    flat = x.reshape(-1, prod(x.shape[-2 if x.ndim < 5 else -3 :]))
    order = np.argsort(flat * 31 + np.arange(flat.shape[1]) * 7 % 11, 1, kind="stable")
    return np.argsort(order, 1, kind="stable").reshape(x.shape)


def reversed_(given: dict[str, Any]) -> Any:
    return given["indices"][..., ::-1]


FLAT = (3, 2, 3)
ROUTES: tuple[Route, ...] = (
    route("aclnnMaxUnpool2d", "loop", unpool, bound="exact", values={"indices": different},
          groups=[("self", "out"), ("indices",)], torch=("torch.scatter", unpool_by_torch),
          also=[{"self": Meta(FLAT), "indices": Meta(FLAT, ACL_INT64), "out": Meta((3, 4, 4))}],
          wrong={"backwards": but(unpool, indices=reversed_)}),
    route("aclnnMaxUnpool3d", "loop", unpool, bound="exact", values={"indices": different},
          groups=[("self", "outRef"), ("indices",)], torch=("torch.scatter", unpool_by_torch),
          wrong={"backwards": but(unpool, indices=reversed_)}),
    route("aclnnMaxUnpool2dBackward", "loop", backward, bound="exact", values={"indices": different},
          groups=[("gradOutput", "self", "out"), ("indices",)], torch=("torch.gather", backward_by_torch),
          wrong={"backwards": but(backward, indices=reversed_)}),
    route("aclnnMaxUnpool3dBackward", "loop", backward, bound="exact", values={"indices": different},
          groups=[("gradOutput", "self", "out")], torch=("torch.gather", backward_by_torch),
          wrong={"backwards": but(backward, indices=reversed_)}),
)  # fmt: skip
