"""CdistBackward: the gradient of distances between the rows of two matrices."""

from math import prod
from typing import Any

import numpy as np

from aclnn.op import (
    Arguments, Array, Bad, Planning, Shape, demand, empty, in_memory, listed, planned, ranks, row_slices, same_dtype,
    same_shape, shape, store, widen,
)  # fmt: skip

TENSORS = ("x1", "x2", "cdist", "out")


def distances(a: Arguments) -> Shape:
    return *a.shape("x1")[:-1], a.shape("x2")[-2]


def other_matrices(a: Arguments) -> Bad:
    first, second = a.shape("x1"), a.shape("x2")
    good = first[:-2] == second[:-2] and first[-1:] == second[-1:]
    return None if good else (list(second), f"{list(first)}, but for the rows")


@planned(
    "aclnnCdistBackward", listed("grad"), *(same_dtype(name, "grad") for name in TENSORS),
    ranks("grad", "x1", "x2", least=2, most=7),
    demand("{0} has matrices like {1}", "x2", "x1", bad=other_matrices), same_shape("out", "x1"),
    shape("grad", "{0} has an element for each pair of rows", distances), same_shape("cdist", "grad"), empty("out"),
)  # fmt: skip
def cdist_backward(p: Planning) -> None:
    """out = the sum over the rows of x2 of grad * the slope of the distance, of the differences d = x1 - x2: sign(d) *
    |d|^(p - 1) / cdist^(p - 1); for an infinite p, sign(d) where |d| is cdist. A distance of 0 and a p of 0 give 0."""
    tensors = [p.read(name) for name in ("grad", "x1", "x2", "cdist")]
    count = prod(p.shape("x1")[:-2])
    stacks = [p.builder.reshape(each, (count, *each.shape[-2:])) for each in tensors]
    out = p.step(slopes, stacks, stacks[1].shape, p.dtype("out"), power=p["p"])
    p.store("out", p.builder.reshape(out, p.shape("out")))


@in_memory
def slopes(grad: Array, x1: Array, x2: Array, cdist: Array, *, out: Array, power: float) -> None:
    for number in range(len(out)):
        right = widen(x2[number])
        for part in row_slices(out.shape[1], max(right.size, 1)):
            off = widen(x1[number, part])[:, None] - right
            scale, distance = widen(grad[number, part])[..., None], widen(cdist[number, part])[..., None]
            store((scale * slope(off, distance, power)).sum(1), out[number, part])


def slope(off: Array, distance: Array, power: float) -> Any:
    sign, size = np.sign(off), np.abs(off)
    if power == 0:
        return np.zeros_like(off)
    if power == 1:
        return sign
    if np.isinf(power):
        return np.where(size == distance, sign, np.float32(0))
    exponent = np.float32(power - 1)
    defined = (distance != 0) & ((size != 0) | (power > 1))
    safe = np.where(defined, distance, np.float32(1)), np.where(defined, size, np.float32(1))
    return np.where(defined, sign * safe[1] ** exponent / safe[0] ** exponent, np.float32(0))
