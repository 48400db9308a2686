"""Taps: the input elements, and their weights, whose sum is an element of the resized dimension.

All functions that interpolate are sums of few weighted elements, dimension by dimension. The gradient is such a sum
too: it has the same taps, listed by input element.
"""

from collections.abc import Callable, Sequence
from math import prod
from typing import NamedTuple

import numpy as np

from aclnn.op import (
    PANEL, Array, Blending, Terms, apart_from, blended, in_memory, in_parts, repeatable, run_as_written,
)  # fmt: skip

Shape = tuple[int, ...]


class Taps(NamedTuple):
    """The places, the weights and the number of the terms of each element of the result."""

    places: Array
    weights: Array
    counts: Array

    def transposed(self, size: int) -> "Taps":
        """The taps of the gradient: for each of `size` input elements, the elements of the result with that term."""
        rows, columns = np.nonzero(np.array(range(self.places.shape[1])) < self.counts[:, None])
        places, weights = self.places[rows, columns], self.weights[rows, columns]
        order: Array = np.argsort(places, kind="stable")
        counts = np.bincount(places, minlength=size)
        inside = np.arange(len(order)) - np.repeat(np.cumsum(counts) - counts, counts)
        table = np.zeros((size, int(counts.max(initial=0))), np.int64)
        factors = np.zeros(table.shape)
        table[places[order], inside], factors[places[order], inside] = rows[order], weights[order]
        return Taps(table, factors, counts)


def _all(places: Array, weights: Array) -> Taps:
    return Taps(places, weights, np.full(len(places), places.shape[1]))


def ratio(size: int, out_size: int, scale: float, *, align: bool = False) -> float:
    """The real scale: the number of input elements for one element of the result."""
    if align:
        return (size - 1) / (out_size - 1) if out_size > 1 else 0.0
    return 1 / scale if scale > 0 else size / out_size


def nearest(size: int, out_size: int, scale: float = 0.0, *, middle: float = 0.0) -> Array:
    """The place of the input for each place of the result, by a ratio in FLOAT. `middle`: 0.5 takes the middle of each
    place of the result, 0 its beginning."""
    step = np.float32(ratio(size, out_size, scale))
    positions = (np.arange(out_size, dtype=np.float32) + np.float32(middle)) * step
    return _inside(np.floor(positions), size)


def _inside(places: Array, size: int) -> Array:
    """Places as indices of the input: the nearest ones for places beyond its border, 0 for NaN."""
    return np.clip(np.nan_to_num(places.astype(np.float64)), 0, size - 1).astype(np.int64)


def of_nearest(size: int, out_size: int, scale: float = 0.0, *, middle: float = 0.0) -> Taps:
    places = nearest(size, out_size, scale, middle=middle)[:, None]
    return _all(places, np.ones(places.shape))


def linear(size: int, out_size: int, scale: float = 0.0, *, align: bool = False, middle: float = 0.5) -> Taps:
    """The taps of two neighbours. `middle`: the position of a value inside its element."""
    step, numbers = ratio(size, out_size, scale, align=align), np.arange(out_size)
    source = numbers * step if align else np.maximum((numbers + middle) * step - middle, 0.0)
    first = _inside(source, size)
    places = np.stack([first, np.minimum(first + 1, size - 1)], 1)
    behind = np.clip(source - first, 0.0, 1.0)
    return _all(places, np.stack([1 - behind, behind], 1))


def keys(distance: Array, a: float) -> Array:
    """The cubic convolution."""
    x = np.abs(distance)
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    far = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
    return np.where(x <= 1, near, np.where(x < 2, far, 0.0))


def cubic(size: int, out_size: int, scale: float = 0.0, *, align: bool = False) -> Taps:
    """The taps of four neighbours. Beyond the border, the elements of the border are repeated."""
    step, numbers = ratio(size, out_size, scale, align=align), np.arange(out_size)
    source = numbers * step if align else (numbers + 0.5) * step - 0.5
    around = np.floor(source)[:, None] + np.arange(-1, 3)
    return _all(_inside(around, size), keys(source[:, None] - around, -0.75))


def antialiased(
    size: int, out_size: int, scale: float, *, align: bool, half: float, filter: Callable[[Array], Array]
) -> Taps:
    """The taps of a filter, which is stretched to `ratio` input elements if that is above 1. `half`: half of the width
    of `filter`."""
    step = ratio(size, out_size, scale, align=align)
    wide = max(step, 1.0)
    centre = (np.arange(out_size) + 0.5) * step
    first, end = (_inside(centre + edge * wide + 0.5, size + 1) for edge in (-half, half))
    counts = np.maximum(end - first, 0)
    places = first[:, None] + np.arange(int(counts.max(initial=0)))
    weights = np.where(places < (first + counts)[:, None], filter((places - centre[:, None] + 0.5) / wide), 0.0)
    sums = weights.sum(1, keepdims=True)
    return Taps(np.minimum(places, size - 1), weights / np.where(sums == 0, 1.0, sums), counts)


def triangle(distance: Array) -> Array:
    return np.maximum(1 - np.abs(distance), 0.0)


def smooth(distance: Array) -> Array:
    return keys(distance, -0.5)


# kernels


@repeatable
@in_memory
def resampled(x: Array, *, out: Array, axes: Shape, taps: Sequence[Taps]) -> None:
    """The weighted sums, dimension by dimension."""
    x = apart_from([out], x)
    terms = [Terms(each.places.T, each.counts, each.weights.T) for each in taps]
    if not blended(Blending.WEIGHTED, x, out, axes[0], terms):
        run_as_written(resampled_as_written, [x], out, {"axes": axes, "taps": taps})


@in_parts("axes")
def resampled_as_written(x: Array, *, axes: Shape, taps: Sequence[Taps]) -> Array:
    """The formula of `resampled` in numpy, on panels of images."""
    shape, first = x.shape, axes[0]
    images = x.reshape(prod(shape[:first]), *shape[first:])
    out_sizes = [len(tap.counts) for tap in taps]
    sizes = [*images.shape[1 : 1 + len(taps)]]
    out = np.empty((len(images), *out_sizes, *images.shape[1 + len(taps) :]), x.dtype)
    step = max(PANEL // max(prod(map(max, sizes, out_sizes)) * prod(shape[axes[-1] + 1 :]), 1), 1)
    for start in range(0, len(images), step):
        values = images[start : start + step]
        for axis, axis_taps in enumerate(taps, 1):
            values = _along(values, axis, axis_taps)
        out[start : start + step] = values
    return out.reshape(*shape[:first], *out.shape[1:])


def _along(x: Array, axis: int, taps: Taps) -> Array:
    leading, column = (slice(None),) * axis, (-1, *(1 for _ in range(x.ndim - axis - 1)))
    out = np.zeros((*x.shape[:axis], len(taps.counts), *x.shape[axis + 1 :]), x.dtype)
    for number in range(taps.places.shape[1]):
        present = np.flatnonzero(taps.counts > number)
        weights = taps.weights[present, number].astype(x.dtype).reshape(column)
        terms = np.take(x, taps.places[present, number], axis) * weights
        if len(present) == len(taps.counts):
            out += terms
        else:
            out[(*leading, present)] += terms
    return out


@repeatable
@in_memory
def picked(x: Array, *, out: Array, axes: Shape, picks: Sequence[Array]) -> None:
    """One input element for each element of the result, copied bit for bit."""
    x = apart_from([out], x)
    terms = [Terms(places[None], np.ones(len(places), np.int32)) for places in picks]
    if not blended(Blending.PICKED, x, out, axes[0], terms):
        run_as_written(picked_as_written, [x], out, {"axes": axes, "picks": picks}, narrow=False)


@in_parts("axes")
def picked_as_written(x: Array, *, axes: Shape, picks: Sequence[Array]) -> Array:
    """The formula of `picked` in numpy, dimension by dimension."""
    for axis, places in zip(axes, picks, strict=True):
        x = np.take(x, places, axis)
    return x
