"""RoiPoolingWithArgMax: the largest pixel of each bin of regions of images, and its place; and the gradient."""

from collections.abc import Iterator
from itertools import product
from math import prod
from typing import Final

import numpy as np

from aclnn.op import (
    Array, Planning, Relation, aclDataType, all_of, check_range, demand, empty, listed, planned, ranks, same_dtype,
    same_shape, shape, stored_in,
)  # fmt: skip
from aclnn.ops.vision._family import NCHW, ND, region_result, same_size, size_of, value
from aclnn.ops.vision.roi_align import image_number

MOST_ROWS: Final = 1024
"""the largest number of regions, and of images"""
INT32: Final = aclDataType.ACL_INT32


def few_rows(*names: str) -> Relation:
    def rule_of(name: str) -> Relation:
        return demand(
            f"{{0}} has at most {MOST_ROWS} elements in dimension 0", name,
            bad=lambda a: None if a.shape(name)[0] <= MOST_ROWS else (list(a.shape(name)), f"at most {MOST_ROWS}"),
        )  # fmt: skip

    return all_of(*map(rule_of, names))


def positive(*names: str) -> Relation:
    return all_of(*(value(name, "above 0", lambda number: number > 0) for name in names))


@planned(
    "aclnnRoiPoolingWithArgMax", listed("x"), same_dtype("rois", as_="x"),
    same_dtype("y", as_="x"), listed("argmax"), stored_in(NCHW, "x", "y", "argmax"), stored_in(ND, "rois"),
    ranks("x", "rois", "y", "argmax"), size_of("rois", 1, 5), few_rows("x", "rois"),
    shape("y", "{0} has a region for each of rois", lambda a: region_result(a, "x", "rois", "pooled_h", "pooled_w")),
    same_shape("argmax", as_="y"), positive("pooled_h", "pooled_w", "spatial_scale_h", "spatial_scale_w"),
    empty("x", "rois"),
)  # fmt: skip
def roi_pooling_with_arg_max(p: Planning) -> None:
    """y = the largest pixel of each bin of the regions rois of x; argmax = its place in the image, or -1"""
    x, rois = p.read("x"), p.read("rois")
    numbers = p.step(image_number, [rois], rois.shape[:1], INT32)
    p.builder.launch(check_range, [numbers], [], name=p.name("rois"), count=x.shape[0])
    y, argmax = p.steps(pooled, [x, rois, numbers], [(p.shape("y"), x.dtype), (p.shape("y"), INT32)],
                        bins=p.shape("y")[2:], scales=(p["spatial_scale_h"], p["spatial_scale_w"]))  # fmt: skip
    p.store("y", y)
    p.store("argmax", argmax)


def pooled(
    x: Array, rois: Array, numbers: Array, *, bins: tuple[int, int], scales: tuple[float, float]
) -> tuple[Array, Array]:
    shape = (len(rois), x.shape[1], *bins)
    result, places = np.zeros(shape, x.dtype), np.full(shape, -1, np.int32)
    for box in np.nonzero((numbers >= 0) & (numbers < len(x)))[0]:
        left, top, right, bottom = map(float, rois[box, 1:])
        rows = list(spans(top * scales[0], (bottom + 1) * scales[0], bins[0], x.shape[2]))
        columns = list(spans(left * scales[1], (right + 1) * scales[1], bins[1], x.shape[3]))
        for row, column in product(*map(range, bins)):
            low, high = rows[row] if rows else (0, 0)
            first, last = columns[column] if columns else (0, 0)
            if low < high and first < last:
                part = x[numbers[box], :, low:high, first:last].reshape(x.shape[1], -1)
                best = part.argmax(1)
                result[box, :, row, column] = part[np.arange(len(part)), best]
                down, across = np.divmod(best, last - first)
                places[box, :, row, column] = (low + down) * x.shape[3] + first + across
    return result, places


def spans(low: float, high: float, count: int, size: int) -> Iterator[tuple[int, int]]:
    """The pixels of each bin along one dimension. A region without extent has none."""
    width = float(np.float32((high - low) / count))
    if not 0 < width < np.inf:
        return
    for number in range(count):
        first, last = np.floor(low + number * width), np.ceil(low + (number + 1) * width)
        yield int(np.clip(first, 0, size)), int(np.clip(last, 0, size))


@planned(
    "aclnnRoiPoolingGradWithArgMax", listed("gradOutput"), same_dtype("gradInputRef", as_="gradOutput"),
    same_dtype("rois", as_="gradOutput"), listed("argmax"), stored_in(NCHW, "gradOutput", "gradInputRef", "argmax"),
    stored_in(ND, "rois"), ranks("gradOutput", "rois", "gradInputRef", "argmax"), few_rows("rois", "gradInputRef"),
    same_size("gradOutput", "rois"), size_of("rois", 1, 5), same_shape("argmax", as_="gradOutput"),
    positive("pooledH", "pooledW"), empty("gradOutput"),
)  # fmt: skip
def roi_pooling_grad_with_arg_max(p: Planning) -> None:
    """gradInputRef += gradOutput at the places argmax of the images of rois"""
    gradient, rois, places, old_gradient = (p.read(name) for name in ("gradOutput", "rois", "argmax", "gradInputRef"))
    numbers = p.step(image_number, [rois], rois.shape[:1], INT32)
    p.builder.launch(check_range, [numbers], [], name=p.name("rois"), count=old_gradient.shape[0])
    height, width = old_gradient.shape[2:4]
    p.builder.launch(check_range, [places], [], name=p.name("argmax"), count=height * width, besides=-1)
    p.store(
        "gradInputRef", p.step(added, [old_gradient, gradient, numbers, places], old_gradient.shape, old_gradient.dtype)
    )


def added(old_gradient: Array, gradient: Array, numbers: Array, places: Array) -> Array:
    result = np.array(old_gradient)
    flat = result.reshape(*old_gradient.shape[:2], prod(old_gradient.shape[2:]))
    for box in np.nonzero((numbers >= 0) & (numbers < len(old_gradient)))[0]:
        for channel in range(old_gradient.shape[1]):
            positions = places[box, channel].ravel()
            usable = (positions >= 0) & (positions < flat.shape[2])
            np.add.at(flat[numbers[box], channel], positions[usable], gradient[box, channel].ravel()[usable])
    return result
