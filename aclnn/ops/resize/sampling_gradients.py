"""The gradients of GridSampler2D and GridSampler3D, with respect to the image and to the grid."""

from collections.abc import Sequence
from itertools import product
from math import prod
from typing import NamedTuple

import numpy as np

from aclnn.op import (
    Arguments, Array, Operator, Planning, Relation, demand, done, empty, in_parts, in_range, listed, planned, ranks,
    same_dtype, same_shape, shape,
)  # fmt: skip
from aclnn.ops.norm._family import has_flags, wants
from aclnn.ops.resize._family import LAST, Shape, arranged, lead
from aclnn.ops.resize.sampling import (
    CUBIC,
    NEAREST,
    REFLECTION,
    ZEROS,
    coordinates,
    index_of,
    moved_inside,
    mirrored,
    empty_image,
    on_image,
    parts,
    same_batch,
    terms,
)

MASK = "outputMask"
GRADS = ("inputGrad", "gridGrad")


class SlopedTerm(NamedTuple):
    """A `Term` with the slopes of the weights: their derivatives by the coordinate."""

    places: Array
    weights: Array
    inside: Array
    slopes: Array


def sloped_terms(grid: Array, size: int, *, mode: int, padding: int, align: bool) -> list[SlopedTerm]:
    """The neighbours of each sample in one dimension, with the slopes of their weights."""
    free = on_image(grid, size, align=align, padding=ZEROS)
    place = free if mode == CUBIC else moved_inside(free, size, align=align, padding=padding)
    steps = slopes(place, mode) * (((size - 1) if align else size) / 2)
    if mode != CUBIC and padding != ZEROS:
        steps = steps * direction(free, size, align=align, padding=padding)
    plain_terms = terms(place, size, mode=mode, align=align, padding=padding)
    return [SlopedTerm(*term, np.where(term.inside, step, 0)) for term, step in zip(plain_terms, steps, strict=True)]


def slopes(place: Array, mode: int) -> Array:
    """The derivatives of the weights, by element."""
    if mode == NEAREST:
        return np.zeros((1, *place.shape), place.dtype)
    if mode != CUBIC:
        ones = np.ones_like(place)
        return np.stack([-ones, ones])
    part = place - np.floor(place)
    return np.stack([_steep(part - step) for step in (-1, 0, 1, 2)]).astype(place.dtype)


def _steep(distance: Array, a: float = -0.75) -> Array:
    """The derivative of the cubic convolution."""
    x = np.abs(distance)
    near, far = (3 * (a + 2) * x - 2 * (a + 3)) * x, (3 * a * x - 10 * a) * x + 8 * a
    return np.sign(distance) * np.where(x <= 1, near, np.where(x < 2, far, 0.0))


def direction(place: Array, size: int, *, align: bool, padding: int) -> Array:
    """The derivative of a position that was moved inside: 1, -1 if the position was reflected, 0 at the border."""
    sign = np.ones_like(place)
    if padding == REFLECTION:
        place, sign = mirrored(place, size, align=align)
    return np.where((place > 0) & (place < size - 1), sign, 0)  # 0 for NaN


@in_parts(first=1)
def gradients(
    grad: Array, x: Array, grid: Array, *, mode: int, padding: int, align: bool, last: bool
) -> tuple[Array, Array]:
    """The gradients of the image and of the grid."""
    if last:
        front = np.moveaxis(grad, -1, 1), np.moveaxis(x, -1, 1)
        first, places = gradients(*front, grid, mode=mode, padding=padding, align=align, last=False)
        return np.moveaxis(first, 1, -1), places
    count, channels, *extent = x.shape
    size, points = prod(extent), prod(grid.shape[1:-1])
    flat, grads = x.reshape(count, channels, size), grad.reshape(count, channels, points)
    image, grid_sums = np.empty((count, channels, size), x.dtype), np.zeros((count, points, len(extent)), np.float64)
    for n in range(count):
        sums = np.zeros((channels, size), np.float64)
        for part in parts(points, channels):
            near = grid[n].reshape(points, -1)[part]
            own_terms = [sloped_terms(near[:, i], each, mode=mode, padding=padding, align=align)
                   for i, each in enumerate(reversed(extent))]  # fmt: skip
            for chosen in product(*reversed(own_terms)):
                index = index_of([each.places for each in chosen], extent)
                weight = np.prod([each.weights for each in chosen], 0)
                shares = np.where(weight == 0, 0, grads[n][:, part] * weight)
                first = index.min(initial=size)
                for own_sums, share in zip(sums, shares, strict=True):
                    partial_sums = np.bincount(index - first, share.astype(np.float64))
                    own_sums[first : first + partial_sums.size] += partial_sums
                values = (flat[n][:, index].astype(np.float64) * grads[n][:, part]).sum(0)
                for number in range(len(extent)):
                    change = _change(chosen, number)
                    grid_sums[n, part, len(extent) - 1 - number] += np.where(change == 0, 0, values * change)
        image[n] = sums
    return np.reshape(image, x.shape), np.reshape(grid_sums, grid.shape).astype(grid.dtype)


def _change(chosen: Sequence[SlopedTerm], number: int) -> Array:
    """The derivative of the weight of an element by one coordinate."""
    return np.prod([each.slopes if i == number else each.weights for i, each in enumerate(chosen)], 0)


# the contract


def forward_shape(a: Arguments) -> Shape:
    return arranged(a, "gradOutput", [*lead(a, "input"), *a.shape("grid")[1:-1]])


def sampler_back(dims: int, most: int) -> Operator:
    def plan(p: Planning) -> None:
        inputs = [p.read(name) for name in ("gradOutput", "input", "grid")]
        results = [(tensor.shape, tensor.dtype) for tensor in inputs[1:]]
        grads = p.steps(gradients, inputs, results, mode=p["interpolationMode"], padding=p["paddingMode"],
                        align=p["alignCorners"], last=p["input"].storage_format in LAST)  # fmt: skip
        for index, (name, result) in enumerate(zip(GRADS, grads, strict=True)):
            if wants(p, MASK, index):
                p.store(name, result)

    plan.__doc__ = f"inputGrad, gridGrad = the gradients of aclnnGridSampler{dims}D; outputMask selects them"
    same: list[Relation] = [same_dtype(name, as_="input") for name in ("gradOutput", "grid", *GRADS)]
    return planned(
        f"aclnnGridSampler{dims}DBackward",
        done("outputMask is null", MASK, when=lambda a: not a.given(MASK)), *same, listed("input"),
        in_range("interpolationMode", 0, most), in_range("paddingMode", 0, 2), ranks("gradOutput", "input", "grid"),
        same_batch("grid"), demand("{0} has elements in its images", "input", bad=empty_image), coordinates(dims),
        shape("gradOutput", "{0} has the channels of input at the places of grid", forward_shape),
        same_shape("inputGrad", as_="input"), same_shape("gridGrad", as_="grid"),
        has_flags(MASK, 2), empty("gradOutput", "input", "grid"),
        done("outputMask has no true flag", MASK, when=lambda a: not any(a[MASK].values)),
    )(plan)  # fmt: skip


grid_sampler_2d_backward, grid_sampler_3d_backward = sampler_back(2, CUBIC), sampler_back(3, NEAREST)
