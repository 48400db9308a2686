"""The formulas of poolings. They combine the elements of each window, dimension by dimension where this is possible.

They work on panels of planes, so that no temporary is larger than a panel, or one plane.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import Any

import numpy as np

from aclnn.op import (
    PANEL, Array, Blending, Shape, Tap, Terms, Windows, apart_from, blended, grid_of, in_memory, in_parts, places,
    repeatable, run_as_written,
)  # fmt: skip

Ufunc = Any
Divisor = Callable[[Sequence[Windows]], Any]
"""function from windows to the divisor of the sum of each window"""


def of_images(attributes: Mapping[str, Any]) -> tuple[int, ...]:
    """The dimensions of the images, which are not cut: the last ones, or those between batch and channels."""
    dims = len(attributes["sizes"] if "sizes" in attributes else attributes["windows"])
    return tuple(range(1, 1 + dims)) if attributes.get("last") else tuple(range(-dims, 0))


def panels(count: int, per_image: int) -> Iterator[slice]:
    """Parts of `count` planes of `per_image` elements."""
    step = max(PANEL // max(per_image, 1), 1)
    yield from (slice(start, start + step) for start in range(0, count, step))


def lowest(dtype: np.dtype[Any]) -> Any:
    """The lowest number of a data type."""
    return dtype.type(-np.inf) if dtype.kind in "fV" else np.iinfo(dtype).min


def planes(x: Array, dims: int) -> Array:
    """A tensor as a list of planes."""
    return x.reshape(prod(x.shape[:-dims]), *x.shape[-dims:])


def outer(counts: Sequence[Array]) -> Array:
    """The product of the counts of each dimension, for each window."""
    product = np.ones(())
    for count in counts:
        product = product[..., None] * count
    return product


def along(x: Array, axis: int, windows: Windows, combine: Ufunc, start: Any) -> Array:
    """Combine the elements of each window in one dimension, tap by tap, or window by window if these are fewer."""
    leading = (slice(None),) * axis
    out = np.full((*x.shape[:axis], len(windows.numbers), *x.shape[axis + 1 :]), start, x.dtype)
    if windows.taps <= len(windows.numbers):
        for which, source in windows.every():
            out[(*leading, which)] = combine(out[(*leading, which)], x[(*leading, source)])
    else:
        for number, first in enumerate(windows.first()):
            end = min(windows.ends[number], windows.starts[number] + windows.taps * windows.step)
            part = x[(*leading, slice(first, max(end, first), windows.step))]
            combine.reduce(part, axis, out=out[(*leading, number)], initial=start)
    return out


@in_parts(of_images)
def largest(x: Array, *, windows: Sequence[Windows], last: bool) -> Array:
    """The largest element of each window, or NaN if the window has one. `last`: the channels come last."""
    if last:
        return np.moveaxis(largest(np.moveaxis(x, -1, 1), windows=windows, last=False), 1, -1)
    images, start = planes(x, len(windows)), lowest(x.dtype)
    out = np.empty((len(images), *grid_of(windows)), x.dtype)
    for part in panels(*_sizes(images)):
        values = images[part]
        for axis, window in enumerate(windows, 1):
            values = along(values, axis, window, np.maximum, start)
        out[part] = values
    return out.reshape(*x.shape[: -len(windows)], *grid_of(windows))


@repeatable
@in_memory
def average(x: Array, *, out: Array, windows: Sequence[Windows], divisor: Divisor) -> None:
    """The sum of each window, divided by its divisor. Sums are float64."""
    x, shares = apart_from([out], x), divisor(windows)
    terms = [Terms(*own.terms()) for own in windows]
    if not blended(Blending.MEAN, x, out, x.ndim - len(windows), terms, shares):
        run_as_written(average_as_written, [x], out, {"windows": windows, "shares": shares})


@in_parts(of_images)
def average_as_written(x: Array, *, windows: Sequence[Windows], shares: Any) -> Array:
    """The formula of `average` in numpy, on panels of planes."""
    images = planes(x, len(windows))
    out = np.empty((len(images), *grid_of(windows)), x.dtype)
    for part in panels(*_sizes(images)):
        sums = images[part].astype(np.float64)
        for axis, window in enumerate(windows, 1):
            sums = along(sums, axis, window, np.add, 0.0)
        out[part] = sums / shares
    return out.reshape(*x.shape[: -len(windows)], *grid_of(windows))


@in_parts(of_images)
def average_back(grad: Array, *, windows: Sequence[Windows], divisor: Divisor, sizes: Shape) -> Array:
    """The gradient of `average`: each window adds its share to its elements."""
    grads, shares = planes(grad, len(windows)), divisor(windows)
    out = np.empty((len(grads), *sizes), grad.dtype)
    for part in panels(len(grads), max(prod(sizes), prod(grads.shape[1:]))):
        sums = grads[part].astype(np.float64) / shares
        for axis, (window, size) in enumerate(zip(windows, sizes, strict=True), 1):
            sums = _spread(sums, axis, window, size)
        out[part] = sums
    return out.reshape(*grad.shape[: -len(windows)], *sizes)


def _spread(x: Array, axis: int, windows: Windows, size: int) -> Array:
    leading = (slice(None),) * axis
    out = np.zeros((*x.shape[:axis], size, *x.shape[axis + 1 :]), x.dtype)
    distinct = (np.diff(windows.starts) > 0).all()  # if so, the targets of one tap are distinct
    if distinct and windows.taps <= len(windows.numbers):
        for which, target in windows.every():
            out[(*leading, target)] += x[(*leading, which)]
    else:
        for number, first in enumerate(windows.first()):
            end = min(windows.ends[number], windows.starts[number] + windows.taps * windows.step)
            out[(*leading, slice(first, max(end, first), windows.step))] += x[(*leading, slice(number, number + 1))]
    return out


@in_parts(of_images)
def largest_places(x: Array, *, windows: Sequence[Windows], whole: Any, last: bool) -> tuple[Array, Array]:
    """The largest element of each window, and its place in the plane; of equal elements the first, or the first NaN."""
    if last:
        values, indices = largest_places(np.moveaxis(x, -1, 1), windows=windows, whole=whole, last=False)
        return np.moveaxis(values, 1, -1), np.moveaxis(indices, 1, -1)
    images, grid = planes(x, len(windows)), grid_of(windows)
    values, indices = np.empty((len(images), *grid), x.dtype), np.empty((len(images), *grid), whole)
    for part in panels(*_sizes(images)):
        _search(images[part], values[part], indices[part], windows)
    shape = (*x.shape[: -len(windows)], *grid)
    return values.reshape(shape), indices.reshape(shape)


def _search(x: Array, values: Array, indices: Array, windows: Sequence[Windows]) -> None:
    """Fill `values` and `indices`, tap by tap, or window by window if the windows are fewer."""
    sizes, taps, grid = x.shape[1:], tuple(each.taps for each in windows), grid_of(windows)
    positions = np.reshape(np.arange(prod(sizes)), sizes)
    if prod(taps) > prod(grid):
        ranges = [[slice(first, min(end, start + side.taps * side.step), side.step)
                   for first, start, end in zip(side.first(), side.starts, side.ends, strict=True)]
                  for side in windows]  # fmt: skip
        flat, most = indices.reshape(len(x), -1), values.reshape(len(x), -1)
        for number, cut in enumerate(product(*ranges)):
            window = x[(slice(None), *cut)].reshape(len(x), -1)
            best = window.argmax(1)
            flat[:, number] = positions[cut].ravel()[best]
            most[:, number] = window[np.arange(len(x)), best]
        return
    values[...] = lowest(x.dtype)
    numbers = np.zeros(values.shape, np.int8 if prod(taps) < np.iinfo(np.int8).max else np.int32)
    every: list[list[Tap]] = [each.every() for each in windows]
    without_nan = x.dtype.kind not in "fV" or not np.isnan(x).any()
    for number, (which, source) in enumerate(map(places, product(*every)), 1):
        some, best, latest = x[(..., *source)], values[(..., *which)], numbers[(..., *which)]
        if without_nan:  # a copy under a random mask would be slower than this arithmetic
            better = some > best
            np.maximum(best, some, out=best)
        else:
            better = ~((some <= best) | np.isnan(best))
            np.copyto(best, some, where=better)
        np.maximum(latest, better.view(np.int8) * numbers.dtype.type(number), out=latest)
        if not np.may_share_memory(best, values):  # windows selected by a list are a copy
            values[(..., *which)], numbers[(..., *which)] = best, latest
    _places_of_taps(numbers, indices, windows, positions)


def _places_of_taps(numbers: Array, indices: Array, windows: Sequence[Windows], positions: Array) -> None:
    """Fill `indices` with the position of each window's tap; taps have numbers from 1. A window without a number has
    its first position."""
    whole = indices.dtype
    strides = [prod(positions.shape[dim + 1 :]) for dim in range(positions.ndim)]
    sides = list(zip(windows, strides, strict=True))
    starts: Array = np.asarray(sum(np.ix_(*(each.starts * stride for each, stride in sides))))
    steps: Array = np.asarray(sum(np.ix_(*(np.arange(each.taps) * each.step * stride for each, stride in sides))))
    np.take(np.append(0, steps).astype(whole), numbers, out=indices, mode="clip")
    indices += starts.astype(whole)
    if not numbers.all():
        np.copyto(indices, positions[np.ix_(*(each.first() for each in windows))], where=numbers == 0, casting="unsafe")


@in_parts(of_images)
def scattered_back(grad: Array, places: Array, *, sizes: Shape, last: bool) -> Array:
    """The gradients, added up at their places in the plane. Places outside of the plane are dropped."""
    if last:
        first = (np.moveaxis(each, -1, 1) for each in (grad, places))
        return np.moveaxis(scattered_back(*first, sizes=sizes, last=False), 1, -1)
    size = prod(sizes)
    grads, indices = (
        grad.reshape(-1, prod(grad.shape[-len(sizes) :])),
        places.reshape(-1, prod(grad.shape[-len(sizes) :])),
    )
    out = np.empty((len(grads), size), grad.dtype)
    for part in panels(len(grads), max(size, grads.shape[1])):
        index, weights = indices[part].astype(np.int64), grads[part].astype(np.float64)
        inside = (index >= 0) & (index < size)
        index += np.arange(len(index))[:, None] * size
        sums = np.bincount(index[inside], weights[inside], len(index) * size)
        out[part] = sums.reshape(-1, size)
    return out.reshape(*grad.shape[: -len(sizes)], *sizes)


def _sizes(x: Array) -> tuple[int, int]:
    return len(x), prod(x.shape[1:])
