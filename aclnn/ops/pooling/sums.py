"""The formulas of poolings: a combination of the places of each window, dimension by dimension where that is possible.

They work on panels of planes, so that no temporary is larger than a panel, or one plane.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import Any

import numpy as np

from aclnn.op import PANEL, Array, Shape, Tap, Windows, grid_of, in_parts, places


Ufunc = Any
Divisor = Callable[[Sequence[Windows]], Any]
"""from windows to the number that the sum of each is divided by"""


def of_images(attributes: Mapping[str, Any]) -> tuple[int, ...]:
    """The dimensions of the images, which all pixels of a result depend on: the last ones, or those between the batch
    and the channels."""
    dims = len(attributes["sizes"] if "sizes" in attributes else attributes["windows"])
    return tuple(range(1, 1 + dims)) if attributes.get("last") else tuple(range(-dims, 0))


def panels(count: int, each: int) -> Iterator[slice]:
    """Parts of `count` planes of `each` elements."""
    step = max(PANEL // max(each, 1), 1)
    yield from (slice(start, start + step) for start in range(0, count, step))


def lowest(dtype: np.dtype[Any]) -> Any:
    """The number that no other is below."""
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


def along(x: Array, at: int, windows: Windows, combine: Ufunc, start: Any) -> Array:
    """Combine the places of each window in one dimension: place by place, or window by window if these are fewer."""
    before = (slice(None),) * at
    out = np.full((*x.shape[:at], len(windows.numbers), *x.shape[at + 1 :]), start, x.dtype)
    if windows.taps <= len(windows.numbers):
        for which, where in windows.every():
            out[(*before, which)] = combine(out[(*before, which)], x[(*before, where)])
    else:
        for number, first in enumerate(windows.first()):
            end = min(windows.ends[number], windows.starts[number] + windows.taps * windows.step)
            part = x[(*before, slice(first, max(end, first), windows.step))]
            combine.reduce(part, at, out=out[(*before, number)], initial=start)
    return out


@in_parts(of_images)
def largest(x: Array, *, windows: Sequence[Windows], last: bool) -> Array:
    """The largest element of each window; NaN if it has one. `last`: the channels come last."""
    if last:
        return np.moveaxis(largest(np.moveaxis(x, -1, 1), windows=windows, last=False), 1, -1)
    given, start = planes(x, len(windows)), lowest(x.dtype)
    out = np.empty((len(given), *grid_of(windows)), x.dtype)
    for part in panels(*_sizes(given)):
        found = given[part]
        for at, each in enumerate(windows, 1):
            found = along(found, at, each, np.maximum, start)
        out[part] = found
    return out.reshape(*x.shape[: -len(windows)], *grid_of(windows))


@in_parts(of_images)
def average(x: Array, *, windows: Sequence[Windows], divisor: Divisor) -> Array:
    """The sum of each window by its divisor. The sums have float64."""
    given, shares = planes(x, len(windows)), divisor(windows)
    out = np.empty((len(given), *grid_of(windows)), x.dtype)
    for part in panels(*_sizes(given)):
        found = given[part].astype(np.float64)
        for at, each in enumerate(windows, 1):
            found = along(found, at, each, np.add, 0.0)
        out[part] = found / shares
    return out.reshape(*x.shape[: -len(windows)], *grid_of(windows))


@in_parts(of_images)
def average_back(slope: Array, *, windows: Sequence[Windows], divisor: Divisor, sizes: Shape) -> Array:
    """The gradient of `average`: each window gives its share to its places."""
    given, shares = planes(slope, len(windows)), divisor(windows)
    out = np.empty((len(given), *sizes), slope.dtype)
    for part in panels(len(given), max(prod(sizes), prod(given.shape[1:]))):
        found = given[part].astype(np.float64) / shares
        for at, (each, size) in enumerate(zip(windows, sizes, strict=True), 1):
            found = _spread(found, at, each, size)
        out[part] = found
    return out.reshape(*slope.shape[: -len(windows)], *sizes)


def _spread(x: Array, at: int, windows: Windows, size: int) -> Array:
    before = (slice(None),) * at
    out = np.zeros((*x.shape[:at], size, *x.shape[at + 1 :]), x.dtype)
    apart = (np.diff(windows.starts) > 0).all()  # then all places of one tap are different ones
    if apart and windows.taps <= len(windows.numbers):
        for which, where in windows.every():
            out[(*before, where)] += x[(*before, which)]
    else:
        for number, first in enumerate(windows.first()):
            end = min(windows.ends[number], windows.starts[number] + windows.taps * windows.step)
            out[(*before, slice(first, max(end, first), windows.step))] += x[(*before, slice(number, number + 1))]
    return out


@in_parts(of_images)
def largest_places(x: Array, *, windows: Sequence[Windows], whole: Any, last: bool) -> tuple[Array, Array]:
    """The largest element of each window, and its place in the plane; of equal ones the first, or the first NaN."""
    if last:
        values, found = largest_places(np.moveaxis(x, -1, 1), windows=windows, whole=whole, last=False)
        return np.moveaxis(values, 1, -1), np.moveaxis(found, 1, -1)
    given, grid = planes(x, len(windows)), grid_of(windows)
    values, found = np.empty((len(given), *grid), x.dtype), np.empty((len(given), *grid), whole)
    for part in panels(*_sizes(given)):
        _search(given[part], values[part], found[part], windows)
    shape = (*x.shape[: -len(windows)], *grid)
    return values.reshape(shape), found.reshape(shape)


def _search(x: Array, values: Array, found: Array, windows: Sequence[Windows]) -> None:
    """Place by place; or window by window, if these are fewer."""
    sizes, taps, grid = x.shape[1:], tuple(each.taps for each in windows), grid_of(windows)
    positions = np.reshape(np.arange(prod(sizes)), sizes)
    if prod(taps) > prod(grid):
        ranges = [[slice(first, min(end, start + own.taps * own.step), own.step)
                   for first, start, end in zip(own.first(), own.starts, own.ends, strict=True)]
                  for own in windows]  # fmt: skip
        flat, most = found.reshape(len(x), -1), values.reshape(len(x), -1)
        for number, cut in enumerate(product(*ranges)):
            own = x[(slice(None), *cut)].reshape(len(x), -1)
            best = own.argmax(1)
            flat[:, number] = positions[cut].ravel()[best]
            most[:, number] = own[np.arange(len(x)), best]
        return
    values[...] = lowest(x.dtype)
    whole = found.dtype
    firsts = np.ix_(*(each.first() for each in windows))
    found[...] = positions[firsts]
    every: list[list[Tap]] = [each.every() for each in windows]
    ordinary = x.dtype.kind not in "fV" or not np.isnan(x).any()
    for which, where in (places(each) for each in product(*every)):
        some, best, at = x[(..., *where)], values[(..., *which)], found[(..., *which)]
        if ordinary:  # by arithmetic, as a copy under a mask is slow where the mask is random
            at += (positions[where].astype(whole) - at) * (some > best)
            np.maximum(best, some, out=best)
        else:
            better = ~((some <= best) | np.isnan(best))
            np.copyto(best, some, where=better)
            np.copyto(at, positions[where], where=better, casting="unsafe")
        if not np.may_share_memory(best, values):  # windows picked by a list are a copy
            values[(..., *which)], found[(..., *which)] = best, at


@in_parts(of_images)
def scattered_back(slope: Array, places: Array, *, sizes: Shape, last: bool) -> Array:
    """Each gradient goes to its place in the plane; several to one place are added up. Places outside are dropped."""
    if last:
        first = (np.moveaxis(each, -1, 1) for each in (slope, places))
        return np.moveaxis(scattered_back(*first, sizes=sizes, last=False), 1, -1)
    size = prod(sizes)
    given, at = (
        slope.reshape(-1, prod(slope.shape[-len(sizes) :])),
        places.reshape(-1, prod(slope.shape[-len(sizes) :])),
    )
    out = np.empty((len(given), size), slope.dtype)
    for part in panels(len(given), max(size, given.shape[1])):
        index, weights = at[part].astype(np.int64), given[part].astype(np.float64)
        inside = (index >= 0) & (index < size)
        index += np.arange(len(index))[:, None] * size
        sums = np.bincount(index[inside], weights[inside], len(index) * size)
        out[part] = sums.reshape(-1, size)
    return out.reshape(*slope.shape[: -len(sizes)], *sizes)


def _sizes(x: Array) -> tuple[int, int]:
    return len(x), prod(x.shape[1:])
