"""The sums of a convolution and of its gradients, by BLAS on panels of columns.

Windows slide over the larger one of two tensors. `gathered` computes the smaller tensor, `scattered` computes the
larger one, and `correlated` computes the gradient of the weight. A convolution is `gathered`, and the gradient of its
input `scattered`. A transposed convolution is `scattered`, and the gradient of its input `gathered`.

The compiled evaluator computes these functions; the numpy formulas replace it where it is missing. Both also multiply
the zeros of the padding, so that an infinite weight gives NaN there.
"""

from collections.abc import Sequence
from itertools import product
from math import prod

import numpy as np

from aclnn.op import (
    PANEL, Array, Shape, ConvolutionResult, Tap, Windows, apart_from, boxes, convolved, grid_of, in_memory, places,
    repeatable, store, total, widen,
)  # fmt: skip


@repeatable
@in_memory
def gathered(
    x: Array, weight: Array, bias: Array | None = None, *, out: Array, windows: Sequence[Windows], groups: int
) -> None:  # fmt: skip
    """out[n, co, o] = bias[co] + the sum of x[n, ci, places of window o] * weight[co, ci, ...]"""
    x = apart_from([out], x)
    if convolved(ConvolutionResult.SMALL, x, out, weight, bias, windows=windows, groups=groups):
        return
    x, weight, count = widen(x), widen(weight), len(weight)
    per_group = weight.reshape(groups, count // groups, prod(weight.shape[1:]))
    for place, part in _panels((len(x), *grid_of(windows)), max(per_group.shape[2] * groups, count), windows):
        product = np.matmul(per_group, _columns(x[place[0]], part, groups))
        product = product.reshape(len(product), count, *grid_of(part))
        store(_with_bias(product, bias), out[(place[0], slice(None), *place[1:])])


@repeatable
@in_memory
def scattered(
    x: Array, weight: Array, bias: Array | None = None, *, out: Array, windows: Sequence[Windows], groups: int
) -> None:  # fmt: skip
    """out[n, co, places of window i] += x[n, ci, i] * weight[ci, co, ...]"""
    if out.dtype != np.float32 or not out.flags.c_contiguous:
        wide: Array = np.empty(out.shape, np.float32)
        scattered(x, weight, bias, out=wide, windows=windows, groups=groups)
        store(wide, out)
        return
    x = apart_from([out], x)
    if convolved(ConvolutionResult.LARGE, out, x, weight, bias, windows=windows, groups=groups):
        return
    x, weight = widen(x), widen(weight)
    count, channels, sizes = len(x), weight.shape[1], out.shape[2:]
    sums = out.reshape(count, groups, channels, *sizes)
    sums[...] = 0
    per_group = np.swapaxes(weight.reshape(groups, len(weight) // groups, prod(weight.shape[1:])), 1, 2)
    taps = weight.shape[2:]
    for place, part in _panels((count, *x.shape[2:]), max(per_group.shape[1] * groups, len(weight)), windows):
        panel = x[(place[0], slice(None), *place[1:])]
        product = np.matmul(per_group, panel.reshape(len(panel), groups, len(weight) // groups, prod(grid_of(part))))
        product = product.reshape(len(panel), groups, channels, *taps, *grid_of(part))
        target = sums[place[0]]
        for number, (which, source) in _taps(part):
            target[(..., *source)] += product[(slice(None), slice(None), slice(None), *number, *which)]
    _with_bias(out, bias)


@repeatable
@in_memory
def correlated(x: Array, grad: Array, *, out: Array, windows: Sequence[Windows], groups: int) -> None:
    """The gradient of the weight of `gathered`: weight[co, ci, k] = the sum of x[n, ci, place k] * grad[n, co, o]"""
    if not out.flags.c_contiguous:
        dense: Array = np.empty(out.shape, out.dtype)
        correlated(x, grad, out=dense, windows=windows, groups=groups)
        out[...] = dense
        return
    x, grad = apart_from([out], x), apart_from([out], grad)
    if convolved(ConvolutionResult.WEIGHT, x, grad, out, windows=windows, groups=groups):
        return
    x, grad = widen(x), widen(grad)
    channels, grid, taps = x.shape[1] // groups, grad.shape[2:], tuple(window.taps for window in windows)
    sums = out.reshape(groups, grad.shape[1] // groups, channels * prod(taps))
    sums[...] = 0
    for n in range(len(x)):
        for place, part in _panels((1, *grid), channels * groups * prod(taps), windows):
            panel = grad[(n, slice(None), *place[1:])]
            columns = _columns(x[n : n + 1], part, groups)[0]
            sums += np.matmul(
                panel.reshape(groups, len(panel) // groups, prod(grid_of(part))), np.swapaxes(columns, 1, 2)
            )


def _with_bias(sums: Array, bias: Array | None) -> Array:
    """Add the bias of each channel to the sums, in place."""
    if bias is not None:
        sums += bias.reshape(-1, *(1,) * (sums.ndim - 2))
    return sums


def by_channel(grad: Array) -> Array:
    """The gradient of the bias: the sum of `grad` for each channel."""
    return total(grad, (0, *range(2, grad.ndim)))


def _panels(grid: Shape, per_position: int, windows: Sequence[Windows]):
    """Boxes of positions (image, place), each with its windows. `per_position`: the elements that a position needs."""
    for place in boxes(grid, PANEL // max(per_position, 1)):
        yield place, [window.part(cut) for window, cut in zip(windows, place[1:], strict=True)]


def _taps(windows: Sequence[Windows]):
    """Each tap (an element of the kernel) by its indices: the windows that contain it, and its places in the tensor."""
    taps: list[list[Tap]] = [window.every() for window in windows]
    for number in product(*(range(window.taps) for window in windows)):
        yield number, places([taps_of[k] for taps_of, k in zip(taps, number, strict=True)])


def _columns(x: Array, windows: Sequence[Windows], groups: int) -> Array:
    """A column for each window, as (image, group, channel and tap, window). Taps outside of the image are zeros."""
    count, channels, *sizes = x.shape
    whole = x.reshape(count, groups, channels // groups, *sizes)
    taps, grid = tuple(window.taps for window in windows), grid_of(windows)
    out = np.zeros((*whole.shape[:3], *taps, *grid), x.dtype)
    for number, (which, source) in _taps(windows):
        out[(slice(None), slice(None), slice(None), *number, *which)] = whole[(..., *source)]
    return out.reshape(count, groups, channels // groups * prod(taps), prod(grid))
