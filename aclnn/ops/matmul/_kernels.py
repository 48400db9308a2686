"""The kernels of matrix products. They work in memory, in panels: `aclnn.engine.numbers.panels`."""

from typing import Any

import numpy as np

from aclnn.op import Array, Place, in_memory, in_panels, rounded, widened


Dtype = np.dtype[Any] | None


@in_memory
def multiply(
    one: Array, other: Array, *addend: Array, out: Array, hf32: bool = False, through: Dtype = None, alpha: Any = 1,
    beta: Any = 1, summed: Dtype = None,
) -> None:  # fmt: skip
    """out = alpha * (one @ other) + beta * addend, or without addend alpha * (one @ other). The product is rounded to
    `through`, and the sum to `summed`."""
    if one.ndim == 1:
        one, out = one[None], out[..., None, :]
    if other.ndim == 1:
        other, out = other[:, None], out[..., None]
    plus = np.broadcast_to(addend[0], out.shape) if addend else None
    one, other = with_size(one, -2, out.shape[-2]), with_size(other, -1, out.shape[-1])

    def finish(product: Array, place: Place) -> Array:
        found = scaled(rounded(product, through), alpha)
        return rounded(found if plus is None else found + scaled(widened(plus[place]), beta), summed)

    needed = plus is not None or through is not None or summed is not None or alpha != 1
    in_panels(one, other, out, load=hfloat32 if hf32 else widened, finish=finish if needed else None)


def with_size(factor: Array, axis: int, size: int) -> Array:
    """A factor that is stretched as its product is."""
    if factor.shape[axis] == size:
        return factor
    shape = list(factor.shape)
    shape[axis] = size
    return np.broadcast_to(factor, shape)


def scaled(values: Array, by: Any) -> Array:
    return values if by == 1 else values * by


def hfloat32(values: Array) -> Array:
    """float32 rounded to 11 bits of mantissa, half to even. NaN stays NaN."""
    values = widened(values)
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    odd = (bits >> np.uint32(12)) & np.uint32(1)
    near = ((bits + np.uint32(0x7FF) + odd) & np.uint32(0xFFFFF000)).view(np.float32)
    return np.where(np.isnan(values), values, near)
