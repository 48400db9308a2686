"""Shared by the reductions: a step over the dimensions that a parameter names, and the p-norm."""

from typing import Any

import numpy as np

from aclnn.op import Array, Kernel, Operand, Planning, reduced, total


def over(
    p: Planning, kernel: Kernel, x: Operand, dims: str, dtype: int, *, reference: str = "self", keepdims: bool,
    noop: str = "", **attributes: Any,
) -> Operand:  # fmt: skip
    """Plans one step over the dimensions of `reference` that the parameter `dims` names. A 0-d tensor counts as a
    tensor with one dimension."""
    axes, x = p.axes(dims, reference, noop) if x.shape else (0,), p.one_dimension(x)
    shape = reduced(x.shape, axes, keepdims=keepdims)
    return p.step(kernel, [x], shape, dtype, axes=axes, keepdims=keepdims, **attributes)


def p_norm(x: Array, *, power: float, axes: tuple[int, ...], keepdims: bool) -> Array:
    """The p-norm: (sum |x|^p)^(1/p). The power 0 counts the nonzero elements, infinity takes the largest |x|, and
    -infinity the smallest."""
    if power == 0:
        return total(x != 0, axes, keepdims=keepdims, dtype=np.dtype(np.float32))
    if power == 2:
        return np.sqrt(total(x * x, axes, keepdims=keepdims))
    if power == np.inf:
        return np.max(np.abs(x), axes, keepdims=keepdims)
    if power == -np.inf:
        return np.min(np.abs(x), axes, keepdims=keepdims)
    if power == 1:
        return total(np.abs(x), axes, keepdims=keepdims)
    return total(np.abs(x) ** np.float32(power), axes, keepdims=keepdims) ** np.float32(1 / power)
