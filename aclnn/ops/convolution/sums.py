"""The sums of a convolution and of its gradients, by BLAS on panels of columns.

All three take the same windows, which slide over the larger tensor. `gathered` goes from there to the smaller one,
`scattered` the other way, and `correlated` gives the gradient of the weight. A convolution gathers, and the gradient of
its input is scattered; a transposed one scatters, and the gradient of its input is gathered.
"""

from collections.abc import Sequence
from itertools import product
from math import prod

import numpy as np

from aclnn.op import PANEL, Array, Shape, Tap, Windows, boxes, grid_of, places, total


def gathered(x: Array, weight: Array, bias: Array | None = None, *, windows: Sequence[Windows], groups: int) -> Array:
    """out[n, co, o] = bias[co] + the sum of x[n, ci, places of window o] * weight[co, ci, ...]"""
    grid = grid_of(windows)
    out = np.empty((len(x), len(weight), *grid), x.dtype)
    per_group = weight.reshape(groups, len(weight) // groups, prod(weight.shape[1:]))
    if weight.shape[1] == 1:
        _depthwise(x, per_group, out, windows)
    else:
        for place, some in _panels((len(x), *grid), max(per_group.shape[2] * groups, len(weight)), windows):
            columns = _columns(x[place[0]], some, groups)
            product = np.matmul(per_group, columns)
            out[(place[0], slice(None), *place[1:])] = product.reshape(len(product), len(weight), *grid_of(some))
    if bias is not None:
        out += bias.reshape(-1, *(1 for _ in windows))
    return out


def scattered(
    x: Array, weight: Array, bias: Array | None = None, *, windows: Sequence[Windows], groups: int, sizes: Shape
) -> Array:
    """out[n, co, places of window i] += x[n, ci, i] * weight[ci, co, ...]"""
    count, channels = len(x), weight.shape[1]
    out = np.zeros((count, groups, channels, *sizes), x.dtype)
    per_group = np.swapaxes(weight.reshape(groups, len(weight) // groups, prod(weight.shape[1:])), 1, 2)
    taps = weight.shape[2:]
    for place, some in _panels((count, *x.shape[2:]), max(per_group.shape[1] * groups, len(weight)), windows):
        panel = x[(place[0], slice(None), *place[1:])]
        product = np.matmul(per_group, panel.reshape(len(panel), groups, len(weight) // groups, prod(grid_of(some))))
        product = product.reshape(len(panel), groups, channels, *taps, *grid_of(some))
        target = out[place[0]]
        for number, (which, source) in _taps(some):
            target[(..., *source)] += product[(slice(None), slice(None), slice(None), *number, *which)]
    out = out.reshape(count, groups * channels, *sizes)
    if bias is not None:
        out += bias.reshape(-1, *(1 for _ in windows))
    return out


def correlated(x: Array, slope: Array, *, windows: Sequence[Windows], groups: int) -> Array:
    """The gradient of the weight of `gathered`: weight[co, ci, k] = the sum of x[n, ci, place k] * slope[n, co, o]"""
    channels, grid, taps = x.shape[1] // groups, slope.shape[2:], tuple(each.taps for each in windows)
    out = np.zeros((groups, slope.shape[1] // groups, channels * prod(taps)), x.dtype)
    for n in range(len(x)):
        for place, some in _panels((1, *grid), channels * groups * prod(taps), windows):
            panel = slope[(n, slice(None), *place[1:])]
            columns = _columns(x[n : n + 1], some, groups)[0]
            out += np.matmul(
                panel.reshape(groups, len(panel) // groups, prod(grid_of(some))), np.swapaxes(columns, 1, 2)
            )
    return out.reshape(slope.shape[1], channels, *taps)


def by_channel(slope: Array) -> Array:
    """The gradient of the bias."""
    return total(slope, (0, *range(2, slope.ndim)))


def _panels(grid: Shape, per_place: int, windows: Sequence[Windows]):
    """Boxes of positions (image, place), and their windows; `per_place`: elements that a position takes."""
    for place in boxes(grid, PANEL // max(per_place, 1)):
        yield place, [own.part(cut) for own, cut in zip(windows, place[1:], strict=True)]


def _taps(windows: Sequence[Windows]):
    """The places in a window by their numbers: the windows that have it, and where it is."""
    taps: list[list[Tap]] = [each.every() for each in windows]
    for number in product(*(range(each.taps) for each in windows)):
        yield number, places([own[k] for own, k in zip(taps, number, strict=True)])


def _columns(x: Array, windows: Sequence[Windows], groups: int) -> Array:
    """A column for each window: (image, group, channel and place in the window, window). Zeros where there is none."""
    count, channels, *sizes = x.shape
    whole = x.reshape(count, groups, channels // groups, *sizes)
    taps, grid = tuple(each.taps for each in windows), grid_of(windows)
    out = np.zeros((*whole.shape[:3], *taps, *grid), x.dtype)
    for number, (which, source) in _taps(windows):
        out[(slice(None), slice(None), slice(None), *number, *which)] = whole[(..., *source)]
    return out.reshape(count, groups, channels // groups * prod(taps), prod(grid))


def _depthwise(x: Array, weight: Array, out: Array, windows: Sequence[Windows]) -> None:
    """Each group has one channel: sums of multiples of x, shifted."""
    groups, many, _ = weight.shape
    for place, some in _panels((len(x), *grid_of(windows)), groups * many, windows):
        panel = x[place[0], :, None]
        sums = np.zeros((len(panel), groups, many, *grid_of(some)), x.dtype)
        for k, (_, (which, source)) in enumerate(_taps(some)):
            factor = weight[:, :, k].reshape(groups, many, *(1 for _ in windows))
            sums[(..., *which)] += panel[(..., *source)] * factor
        out[(place[0], slice(None), *place[1:])] = sums.reshape(len(panel), groups * many, *grid_of(some))
