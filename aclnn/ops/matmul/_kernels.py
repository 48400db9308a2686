"""The kernels of matrix products. They work in memory, in panels: `aclnn.engine.numbers.panels`."""

from typing import Any

import numpy as np

from aclnn.op import Array, Combination, in_memory, multiply_in_panels, repeatable, widened


Dtype = np.dtype[Any] | None


@repeatable
@in_memory
def multiply(
    first: Array, second: Array, *addend: Array, out: Array, hf32: bool = False, through: Dtype = None, alpha: Any = 1,
    beta: Any = 1, summed: Dtype = None,
) -> None:  # fmt: skip
    """out = alpha * (first @ second) + beta * addend, or without addend alpha * (first @ second). The product is
    rounded to `through`, and the sum to `summed`."""
    if first.ndim == 1:
        first, out = first[None], out[..., None, :]
    if second.ndim == 1:
        second, out = second[:, None], out[..., None]
    plus = np.broadcast_to(addend[0], out.shape) if addend else None
    first, second = with_size(first, -2, out.shape[-2]), with_size(second, -1, out.shape[-1])
    combination = Combination(plus, alpha, beta, through, summed)
    load = hfloat32 if hf32 else widened
    multiply_in_panels(first, second, out, load=load, epilogue=None if combination.plain else combination)


def with_size(factor: Array, axis: int, size: int) -> Array:
    """A factor broadcast to a size along one dimension."""
    if factor.shape[axis] == size:
        return factor
    shape = list(factor.shape)
    shape[axis] = size
    return np.broadcast_to(factor, shape)


def hfloat32(values: Array) -> Array:
    """float32 rounded to 11 bits of mantissa, half to even. NaN stays NaN."""
    values = widened(values)
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    odd = (bits >> np.uint32(12)) & np.uint32(1)
    near = ((bits + np.uint32(0x7FF) + odd) & np.uint32(0xFFFFF000)).view(np.float32)
    return np.where(np.isnan(values), values, near)
