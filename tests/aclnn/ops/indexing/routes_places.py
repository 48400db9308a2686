"""Routes for diagonals, slices and the next step of a generation: loops over positions, and torch."""

from __future__ import annotations

from typing import Any

import numpy as np

from acl_runtime import *
from tests.aclnn.ops.case import Meta
from tests.derived.values import Values
from tests.oracle.route import Route, as_tensor, but, route


def diagonal(self: Any, fillValue: Any, wrap: bool) -> Any:
    out = self.copy()
    rows, columns = self.shape[0], self.shape[-1]
    for place in np.ndindex(*self.shape):
        again = wrap and self.ndim == 2 and rows > columns and place[0] % (columns + 1) == place[1]
        if again or len(set(place)) == 1:
            out[place] = fillValue
    return out


def diagonal_by_torch(self: Any, fillValue: Any, wrap: bool) -> Any:
    return as_tensor(self).fill_diagonal_(fillValue, wrap=wrap).numpy()


def assigned(varRef: Any, inputValue: Any, begin: Any, end: Any, strides: Any, axesOptional: Any) -> Any:
    out, places = varRef.copy(), [list(range(size)) for size in varRef.shape]
    for at, axis in enumerate(range(len(begin)) if axesOptional is None else axesOptional):
        size = varRef.shape[axis]
        low, high = (each + size if each < 0 else each for each in (begin[at], end[at]))
        places[axis] = list(range(max(low, 0), min(high, size), strides[at]))
    for place in np.ndindex(*inputValue.shape):
        out[tuple(each[i] for each, i in zip(places, place, strict=True))] = inputValue[place]
    return out


def assigned_by_torch(varRef: Any, inputValue: Any, begin: Any, end: Any, strides: Any, axesOptional: Any) -> Any:
    out = as_tensor(varRef)
    parts = [slice(None)] * out.ndim
    for at, axis in enumerate(range(len(begin)) if axesOptional is None else axesOptional):
        parts[axis] = slice(begin[at], end[at], strides[at])
    out[tuple(parts)] = as_tensor(inputValue)
    return out.numpy()


def advanced(
    inputTokens: Any, sampledTokenIds: Any, inputPositions: Any, seqLens: Any, slotMapping: Any, blockTables: Any,
    numQueries: int, blockSize: int,
) -> Any:  # fmt: skip
    tokens, positions, lengths, slots = (each.copy() for each in (inputTokens, inputPositions, seqLens, slotMapping))
    for i in range(numQueries):
        n = int(seqLens[i])
        tokens[i], positions[i], lengths[i] = sampledTokenIds[i, 0], n, n + 1
        slots[i] = blockTables[i, n // blockSize] * blockSize + n % blockSize
    return tokens, positions, lengths, slots


def advanced_by_torch(
    inputTokens: Any, sampledTokenIds: Any, inputPositions: Any, seqLens: Any, slotMapping: Any, blockTables: Any,
    numQueries: int, blockSize: int,
) -> Any:  # fmt: skip
    changed = [as_tensor(each) for each in (inputTokens, inputPositions, seqLens, slotMapping)]
    n, tables = changed[2][:numQueries].clone(), as_tensor(blockTables)[:numQueries]
    blocks = tables.gather(1, (n // blockSize)[:, None])[:, 0]
    new = (as_tensor(sampledTokenIds)[:, 0], n, n + 1, blocks * blockSize + n % blockSize)
    for tensor, values in zip(changed, new, strict=True):
        tensor[:numQueries] = values.reshape(-1, *[1] * (tensor.ndim - 1))
    return tuple(each.numpy() for each in changed)


def lengths(x: np.ndarray) -> Any:
    return np.abs(x) * 5 % 16


SLICED = {"varRef": Meta((5, 4, 6)), "inputValue": Meta((4, 4, 6)), "begin": Values((-9,)), "end": Values((-1,)),
          "strides": Values((1,)), "axesOptional": None}  # fmt: skip
ROUTES: tuple[Route, ...] = (
    route("aclnnInplaceFillDiagonal", "loop", diagonal, bound="exact",
          torch=("torch.fill_diagonal_", diagonal_by_torch),
          also=[{"wrap": False}, {"selfRef": Meta((3, 7))}, {"selfRef": Meta((4, 4, 4))}],
          wrong={"never again": but(diagonal, wrap=False), "one more": but(
              diagonal, fillValue=lambda given: given["fillValue"] + 1)}),
    route("aclnnStridedSliceAssignV2", "loop", assigned, bound="exact", torch=("torch.setitem", assigned_by_torch),
          also=[SLICED], wrong={"backwards": but(assigned, inputValue=lambda given: given["inputValue"][::-1])}),
    route("aclnnAdvanceStep", "loop", advanced, bound="exact", values={"seqLens": lengths},
          also=[{"inputPositions": Meta((4, 1), ACL_INT64)}], torch=("torch.gather", advanced_by_torch),
          wrong={"the first block": but(advanced, blockTables=lambda given: given["blockTables"][:, :1].repeat(
              given["blockTables"].shape[1], 1))}),
)  # fmt: skip
