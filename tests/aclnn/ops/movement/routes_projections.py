"""Routes for projections and permutations: loops over heads, and torch."""

from __future__ import annotations

from typing import Any

import numpy as np

from acl_runtime import *
from tests.aclnn.ops.case import Meta
from tests.derived.values import Values
from tests.oracle.route import Route, as_tensor, but, route


def by_head(qkv: Any, qkvBias: Any, numHeads: int) -> Any:
    batch, tokens, columns = qkv.shape
    size = columns // 3 // numHeads
    out = np.zeros((3, batch, numHeads, tokens, size), qkv.dtype)
    for third, head, at in np.ndindex(3, numHeads, size):
        column = (third * numHeads + head) * size + at
        values = qkv[:, :, column] + qkvBias[column]
        out[third, :, head, :, at] = values / np.sqrt(qkv.dtype.type(size)) if third == 0 else values
    return tuple(out)


def by_head_by_torch(qkv: Any, qkvBias: Any, numHeads: int) -> Any:
    shifted = as_tensor(qkv) + as_tensor(qkvBias)
    parts = [each.unflatten(-1, (numHeads, -1)).transpose(1, 2).contiguous() for each in shifted.chunk(3, -1)]
    return tuple(each.numpy() for each in (parts[0] / parts[0].shape[-1] ** 0.5, *parts[1:]))


def turned(x: Any, perm: Any, shape: Any, transpose_first: bool) -> Any:
    if transpose_first:
        return permuted(x, perm).reshape(shape)
    return permuted(x.reshape(shape), perm)


def permuted(x: Any, perm: Any) -> Any:
    out = np.empty([x.shape[axis] for axis in perm], x.dtype)
    for place in np.ndindex(*out.shape):
        source = [0] * x.ndim
        for axis, at in zip(perm, place, strict=True):
            source[axis] = at
        out[place] = x[tuple(source)]
    return out


def turned_by_torch(x: Any, perm: Any, shape: Any, transpose_first: bool) -> Any:
    given = as_tensor(x)
    found = given.permute(*perm).reshape(shape) if transpose_first else given.reshape(shape).permute(*perm)
    return found.contiguous().numpy()


FIRST = {"transpose_first": True, "perm": Values((1, 0)), "shape": Values((2, 3, 4)), "out": Meta((2, 3, 4))}
ROUTES: tuple[Route, ...] = (
    route("aclnnTransformBiasRescaleQkv", "loop", by_head, bound="elementwise", torch=("torch.chunk", by_head_by_torch),
          wrong={"no bias": but(by_head, qkvBias=lambda given: given["qkvBias"] * 0)}),
    route("aclnnConfusionTranspose", "loop", turned, bound="exact", torch=("torch.permute", turned_by_torch),
          also=[FIRST], wrong={"backwards": but(turned, x=lambda given: given["x"][::-1])}),
)  # fmt: skip
