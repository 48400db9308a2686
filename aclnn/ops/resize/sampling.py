"""Sampling of images and volumes at arbitrary positions: GridSampler2D, GridSampler3D; and AffineGrid, which computes a
grid of positions.

The last dimension of a grid is (x, y) or (x, y, z): -1 and 1 are the ends of the image, with alignCorners the middles
of its first and last elements. Samples outside of the image are 0, or their position is moved to the border or
mirrored.
"""

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from typing import NamedTuple

import numpy as np

from aclnn.op import (
    NEWER, PANEL, PART, Arguments, Array, Bad, Operator, Planning, Relation, aclDataType, demand, empty, in_memory,
    in_range, listed, planned, ranks, same_dtype, shape, store, widen, with_elements,
)  # fmt: skip
from aclnn.ops.resize._family import LAST, Shape, arranged, formats, lead, sizes
from aclnn.ops.resize.taps import keys

ZEROS, BORDER, REFLECTION = 0, 1, 2
LINEAR, NEAREST, CUBIC = 0, 1, 2


class Term(NamedTuple):
    """One neighbour of each sample in one dimension. Outside of the image it is element 0 with the weight 0."""

    places: Array
    weights: Array
    inside: Array


def on_image(grid: Array, size: int, *, align: bool, padding: int) -> Array:
    """Coordinates from -1 to 1 as positions in a dimension."""
    place = (grid + 1) / 2 * (size - 1) if align else ((grid + 1) * size - 1) / 2
    return moved_inside(place, size, align=align, padding=padding)


def moved_inside(place: Array, size: int, *, align: bool, padding: int) -> Array:
    """The positions, moved inside as the padding mode says. BORDER moves NaN to position 0, as PyTorch does."""
    if padding == REFLECTION:
        place = mirrored(place, size, align=align)[0]
    return place if padding == ZEROS else np.minimum(np.fmax(place, 0), size - 1)


def mirrored(place: Array, size: int, *, align: bool) -> tuple[Array, Array]:
    """The positions reflected at both ends, and the derivative of each reflected position: 1, -1 or 0."""
    low, span = (0.0, size - 1) if align else (-0.5, size)
    if not span:
        return np.zeros_like(place), np.zeros_like(place)
    turns = np.floor(np.abs(place - low) / span)
    rest, even = np.abs(place - low) - turns * span, turns % 2 == 0
    sign = np.where(even == (place >= low), 1.0, -1.0)
    return np.where(even, rest + low, span - rest + low), sign.astype(place.dtype)


def terms(place: Array, size: int, *, mode: int, align: bool, padding: int) -> list[Term]:
    """The neighbours of each sample in one dimension, with weight 0 outside of it."""
    if mode == NEAREST:
        return [_inside(np.rint(place), np.ones_like(place), size)]
    first = np.floor(place)
    if mode == LINEAR:
        part = place - first
        return [_inside(first, 1 - part, size), _inside(first + 1, part, size)]
    around = [first + step for step in (-1, 0, 1, 2)]
    weights = [keys(place - i, -0.75).astype(place.dtype) for i in around]
    return [_inside(moved_inside(i, size, align=align, padding=padding), weight, size)
            for i, weight in zip(around, weights, strict=True)]  # fmt: skip


def _inside(place: Array, weight: Array, size: int) -> Term:
    inside = (place >= 0) & (place <= size - 1)  # NaN is outside
    return Term(np.where(inside, place, 0).astype(np.int64), np.where(inside, weight, 0), inside)


def sampled(x: Array, grid: Array, *, mode: int, padding: int, align: bool, last: bool) -> Array:
    """Weighted sums of the neighbours of each position, panel by panel."""
    if last:
        first = sampled(np.moveaxis(x, -1, 1), grid, mode=mode, padding=padding, align=align, last=False)
        return np.moveaxis(first, 1, -1)
    count, channels, *extent = x.shape
    out = np.zeros((count, channels, prod(grid.shape[1:-1])), x.dtype)
    flat = x.reshape(count, channels, prod(extent))
    for n, part in product(range(count), parts(out.shape[2], channels)):
        places = grid[n].reshape(-1, len(extent))[part]
        for chosen in mixed(places, extent, mode=mode, padding=padding, align=align):
            index, weight = (
                index_of([each.places for each in chosen], extent),
                np.prod([each.weights for each in chosen], 0),
            )
            out[n, :, part] += np.where(weight == 0, 0, flat[n][:, index] * weight)
    return out.reshape(count, channels, *grid.shape[1:-1])


def parts(count: int, channels: int) -> Iterator[slice]:
    """Panels of samples."""
    step = max(PANEL // max(channels, 1), 1)
    return (slice(start, start + step) for start in range(0, count, step))


def mixed(grid: Array, extent: Sequence[int], *, mode: int, padding: int, align: bool) -> Iterator[tuple[Term, ...]]:
    """The neighbours of each sample in an image, each as one term for each dimension."""
    first = ZEROS if mode == CUBIC else padding  # each of the four neighbours is moved inside by itself
    lists = [terms(on_image(grid[:, axis], size, align=align, padding=first), size, mode=mode, align=align,
                   padding=padding) for axis, size in enumerate(reversed(extent))]  # fmt: skip
    return product(*reversed(lists))


def index_of(places: Sequence[Array], extent: Sequence[int]) -> Array:
    """The indices of elements in the flat image."""
    index = np.zeros(len(places[0]), np.int64)
    for place, size in zip(places, extent, strict=True):
        index = index * size + place
    return index


# the checks


def same_batch(name: str) -> Relation:
    def bad(a: Arguments) -> Bad:
        batch, expected_batch = a.shape(name)[0], a.shape("input")[0]
        return None if batch == expected_batch else (list(a.shape(name)), f"a batch of {expected_batch}, as input")

    return demand("{0} has the batch of input", name, "input", bad=bad)


def empty_image(a: Arguments) -> Bad:
    image_sizes = sizes(a, "input")[-2:]
    return (list(a.shape("input")), "images with elements") if 0 in image_sizes else None


def coordinates(dims: int) -> Relation:
    def bad(a: Arguments) -> Bad:
        size = a.shape("grid")[-1]
        return None if size == dims else (f"{size} coordinates", f"{dims}")

    return demand("{0} has a coordinate for each dimension", "grid", bad=bad)


def result(a: Arguments) -> Shape:
    return arranged(a, "out", [*lead(a, "input"), *a.shape("grid")[1:-1]])


def cubic_elsewhere(a: Arguments) -> Bad:
    """Checks that there is a kernel for four neighbours: not before Atlas A2, and not for DOUBLE."""
    fits = a["interpolationMode"] != CUBIC or (a.soc.series in NEWER and a.dtype("input") != aclDataType.ACL_DOUBLE)
    return None if fits else (CUBIC, "0 or 1 for this data type and product")


def sampler(dims: int, *middle: Relation) -> Operator:
    def plan(p: Planning) -> None:
        last = p["input"].storage_format in LAST
        inputs = [p.read("input"), p.read("grid")]
        p.store("out", p.step(sampled, inputs, result(p), inputs[0].dtype, mode=p["interpolationMode"],
                              padding=p["paddingMode"], align=p["alignCorners"], last=last))  # fmt: skip

    plan.__doc__ = (
        "out = input at the positions of grid: interpolationMode 0 interpolates linearly, 1 takes the nearest"
        + (", 2 interpolates with four neighbours" if dims == 2 else "")
    )
    return planned(
        f"aclnnGridSampler{dims}D", listed("input"), same_dtype("grid", as_="input"), same_dtype("out", as_="input"),
        *middle, ranks("input", "grid", "out"), same_batch("grid"),
        demand("{0} has elements in its images", "input", bad=empty_image), coordinates(dims),
        shape("out", "{0} has the channels of input at the places of grid", result), empty("input", "grid"),
    )(plan)  # fmt: skip


grid_sampler_2d = sampler(
    2, in_range("interpolationMode", 0, 2), in_range("paddingMode", 0, 2),
    demand("{0} has a kernel", "interpolationMode", "input", bad=cubic_elsewhere),
)  # fmt: skip
grid_sampler_3d = sampler(
    3, formats(3, "input", "out"), in_range("paddingMode", 0, 2), in_range("interpolationMode", 0, 1),
)  # fmt: skip


# the grid


def affine_shape(a: Arguments) -> Shape:
    values = a["size"].values
    return (values[0], *values[2:], len(values) - 2)


def theta_shape(a: Arguments) -> Shape:
    dims = len(a["size"].values) - 2
    return (a["size"].values[0], dims, dims + 1)


def four_or_five(a: Arguments) -> Bad:
    size = a["size"].values
    return None if len(size) in (4, 5) and min(size) > 0 else (list(size), "4 or 5 sizes above 0")


@planned(
    "aclnnAffineGrid", listed("theta"), same_dtype("out", as_="theta"),
    with_elements("theta"),
    demand("{0} has four or five sizes", "size", bad=four_or_five),
    shape("theta", "{0} has a matrix for each image", theta_shape),
    shape("out", "{0} has the coordinates of each place", affine_shape),
)  # fmt: skip
def affine_grid(p: Planning) -> None:
    """out = the positions of the elements of an image of `size`, after the affine transformation by theta"""
    theta, shape = p.read("theta"), affine_shape(p)
    p.store("out", p.step(transformed, [theta], shape, theta.dtype, align=p["alignCorners"]))


@in_memory
def transformed(theta: Array, *, out: Array, align: bool) -> None:
    """The transformed positions, computed for a part of the first dimension at a time, for all images."""
    extent = out.shape[1:-1]
    axes = [np.linspace(-1, 1, size) * (1 if align else (size - 1) / size) if size > 1 else np.zeros(1)
            for size in extent]  # fmt: skip
    matrices = np.swapaxes(widen(theta), 1, 2)
    step = max(1, PART // (len(theta) * prod(extent[1:])))
    for low in range(0, extent[0], step):
        part = out[:, low : low + step]
        grid = np.meshgrid(axes[0][low : low + step], *axes[1:], indexing="ij")
        points = [each.reshape(-1) for each in reversed(grid)]
        base = np.stack([*points, np.ones(points[0].size)], 1).astype(matrices.dtype)
        store(np.matmul(base, matrices).reshape(part.shape), part)
