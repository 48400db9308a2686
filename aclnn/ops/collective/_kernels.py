"""The kernels behind a meeting of ranks. `received` has the inputs of the step of each rank."""

from collections.abc import Sequence

import numpy as np

from aclnn.op import Array, widen


Received = Sequence[tuple[Array, ...]]


def gathered(received: Received) -> tuple[Array, ...]:
    """The rows of all ranks, in their order; of each input."""
    return tuple(np.concatenate(parts) for parts in zip(*received, strict=True))


def summed(received: Received) -> Array:
    """The sum of the arrays of all ranks, in FLOAT."""
    return added([own for (own,) in received])


def scattered(received: Received, *, rank: int) -> Array:
    """The rows of this rank of the sum of all ranks, in FLOAT."""
    return added([np.split(own, len(received))[rank] for (own,) in received])


def exchanged(received: Received, *, rank: int) -> Array:
    """The block of rows for this rank of each rank, side by side."""
    return np.concatenate([np.split(own, len(received))[rank] for (own,) in received], 1)


def stacked(received: Received, *, rank: int) -> Array:
    """The block of columns for this rank of each rank, one below the other."""
    return np.concatenate([np.split(own, len(received), 1)[rank] for (own,) in received])


def added(arrays: Sequence[Array]) -> Array:
    """The sum in FLOAT, in the order of the arrays."""
    first, *others = arrays
    result = widen(first).astype(np.float32)
    for each in others:
        result += widen(each)
    return result


def plus(x: Array, y: Array) -> Array:
    return x + y
