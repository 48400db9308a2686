"""RoiAlign and RoiAlignV2: regions of images, cut into bins, with the mean or the largest of the samples of each bin;
and the gradient of V2."""

from collections.abc import Iterator
from itertools import product
from typing import Any, Final

import numpy as np

from aclnn.op import (
    Arguments, Array, Bad, Operand, Planning, Relation, Shape, aclDataType, all_of, check_range, demand, empty, filling,
    listed, planned, ranks, same_dtype, shape, stored_in,
)  # fmt: skip
from aclnn.ops.vision._family import NCHW, ND, mode, region_result, same_size, size_of, value
from aclnn.ops.vision._samples import Samples, samples

TINY: Final = 2.0**-126
"""the smallest normal FLOAT"""
INT32: Final = aclDataType.ACL_INT32


def regions(
    boxes: Array, numbers: Array, image: Shape, bins: Shape, *, ratio: int, scale: float, shift: float, least: float
) -> Iterator[tuple[int, int, Samples, Samples]]:
    """Each box whose image exists: its number, the number of the image, and the samples by row and by column."""
    corners = boxes.astype(np.float64) * scale - shift
    for box in np.nonzero((numbers >= 0) & (numbers < image[0]))[0]:
        left, top, right, bottom = map(float, corners[box])
        rows = samples(top, bottom, ratio, bins[0], image[2], least=least)
        yield int(box), int(numbers[box]), rows, samples(left, right, ratio, bins[1], image[3], least=least)


def averaged(self: Array, boxes: Array, numbers: Array, *, bins: Shape, **where: Any) -> Array:
    """The mean of the samples of each bin; 0 for a bin without samples."""
    result = np.zeros((len(boxes), self.shape[1], *bins), self.dtype)
    for box, image, rows, columns in regions(boxes, numbers, self.shape, bins, **where):
        sides = (each.weights() / max(each.ratio, 1) for each in (rows, columns))
        down, across = (side.astype(self.dtype) for side in sides)
        result[box] = down @ self[image] @ across.T
    return result


def spread(gradient: Array, boxes: Array, numbers: Array, *, shape: Shape, **where: Any) -> Array:
    """The gradient of `averaged`: each pixel gets its share of the gradient of each bin."""
    result = np.zeros(shape, gradient.dtype)
    for box, image, rows, columns in regions(boxes, numbers, shape, gradient.shape[2:], **where):
        sides = (each.weights() / max(each.ratio, 1) for each in (rows, columns))
        down, across = (side.astype(gradient.dtype) for side in sides)
        result[image] += down.T @ gradient[box] @ across
    return result


def largest(self: Array, boxes: Array, numbers: Array, *, bins: Shape, **where: Any) -> Array:
    """The largest sample of each bin; 0 for a bin without samples. A sample outside of the image is 0."""
    result = np.zeros((len(boxes), self.shape[1], *bins), self.dtype)
    for box, image, rows, columns in regions(boxes, numbers, self.shape, bins, **where):
        for row, column in product(*map(range, bins)):
            top, bottom, down = rows.ends(row)
            left, right, across = columns.ends(column)
            if len(top) and len(left):
                upper, lower = (_between(self[image][:, line], left, right, across) for line in (top, bottom))
                part = down.astype(self.dtype)[:, None]
                best = (upper * (1 - part) + lower * part).max((1, 2))
                inside = rows.inside(row) and columns.inside(column)
                result[box, :, row, column] = best if inside else np.maximum(best, 0)
    return result


def _between(lines: Array, left: Array, right: Array, part: Array) -> Array:
    """Values interpolated between the pixels `left` and `right` of lines of an image."""
    weight = part.astype(lines.dtype)
    return lines[:, :, left] * (1 - weight) + lines[:, :, right] * weight


def image_number(boxes: Array) -> Array:
    """The number of the image of each box, which is the first of its five values."""
    first = np.floor(boxes[:, 0].astype(np.float64))
    return np.clip(np.nan_to_num(first, nan=-1), -(2**31), 2**31 - 1).astype(np.int32)


# RoiAlign


def empty_image(a: Arguments) -> Bad:
    sizes = [a.shape("self")[axis] for axis in (0, 2, 3)]
    return None if 0 not in sizes else (list(a.shape("self")), "images with elements")


def float_types(first: str, *others: str) -> Relation:
    return all_of(listed(first), *(same_dtype(each, as_=first) for each in others))


@planned(
    "aclnnRoiAlign", float_types("self", "rois", "out"), listed("batchIndices"),
    stored_in(NCHW, "self", "out"), stored_in(ND, "rois", "batchIndices"), ranks("self", "rois", "batchIndices", "out"),
    same_size("batchIndices", "rois"), size_of("rois", 1, 4),
    shape("out", "{0} has a region for each of rois", lambda a: region_result(
        a, "self", "rois", "outputHeight", "outputWidth")),
    mode("avg", "max"), value("samplingRatio", "not negative", lambda ratio: ratio >= 0),
    value("spatialScale", "above 0", lambda scale: scale > 0), empty("self", "out"),
)  # fmt: skip
def roi_align(p: Planning) -> None:
    """out = the mean, or the largest, of the samples of each bin of the regions rois of self"""
    x, rois, numbers = p.read("self"), p.read("rois"), p.read("batchIndices")
    p.builder.launch(check_range, [numbers], [], name=p.name("batchIndices"), count=x.shape[0])
    kernel = averaged if p["mode"] == "avg" else largest
    p.store("out", p.step(kernel, [x, rois, numbers], p.shape("out"), x.dtype, bins=p.shape("out")[2:],
                          ratio=p["samplingRatio"], scale=p["spatialScale"], shift=0.0, least=1.0))  # fmt: skip


# RoiAlignV2


def numbered(p: Planning, count: int) -> tuple[Operand, Operand]:
    """The corners of boxes, and the numbers of their images."""
    boxes = p.read("boxes")
    numbers = p.step(image_number, [boxes], boxes.shape[:1], INT32)
    p.builder.launch(check_range, [numbers], [], name=p.name("boxes"), count=count)
    return p.step(corners_of, [boxes], (boxes.shape[0], 4), boxes.dtype), numbers


def corners_of(boxes: Array) -> Array:
    return boxes[:, 1:]


def where(p: Planning) -> dict[str, Any]:
    """The attributes of a kernel that determine the samples."""
    aligned = p["aligned"]
    return {"ratio": p["samplingRatio"], "scale": p["spatialScale"], "shift": 0.5 if aligned else 0.0,
            "least": 0.0 if aligned else 1.0}  # fmt: skip


POOLED: Final = (
    value("samplingRatio", "not negative", lambda ratio: ratio >= 0),
    value("spatialScale", "above the smallest normal FLOAT", lambda scale: scale > TINY),
)


@planned(
    "aclnnRoiAlignV2", float_types("self", "boxes", "out"), stored_in(NCHW, "self", "out"), stored_in(ND, "boxes"),
    ranks("self", "boxes", "out"), demand("{0} has elements in its images", "self", bad=empty_image),
    size_of("boxes", 1, 5),
    shape("out", "{0} has a region for each of boxes", lambda a: region_result(
        a, "self", "boxes", "pooledHeight", "pooledWidth")),
    *POOLED, empty("self", "boxes", plan=filling("out", 0)),
)  # fmt: skip
def roi_align_v2(p: Planning) -> None:
    """out = the mean of the samples of each bin of the regions boxes of self"""
    x = p.read("self")
    corners, numbers = numbered(p, x.shape[0])
    p.store("out", p.step(averaged, [x, corners, numbers], p.shape("out"), x.dtype, bins=p.shape("out")[2:],
                          **where(p)))  # fmt: skip


def four(a: Arguments) -> Bad:
    sizes = a["inputShape"].values
    return None if len(sizes) == 4 else (f"{len(sizes)} sizes", "4")


def pooled(a: Arguments) -> Shape:
    return (a.shape("boxes")[0], a.shape("gradOutput")[1], a["pooledHeight"], a["pooledWidth"])


@planned(
    "aclnnRoiAlignV2Backward", listed("gradOutput", "boxes", "gradInput"), stored_in(NCHW, "gradOutput", "gradInput"),
    stored_in(ND, "boxes"), ranks("gradOutput", "boxes"), size_of("boxes", 1, 5),
    demand("{0} has 4 sizes", "inputShape", bad=four),
    shape("gradOutput", "{0} has a region for each of boxes", pooled), ranks("gradInput"),
    same_size("gradInput", "gradOutput", axis=1),
    shape("gradInput", "{0} has the shape inputShape", lambda a: a["inputShape"].values),
    *POOLED, empty("gradOutput", "boxes", plan=filling("gradInput", 0)),
)  # fmt: skip
def roi_align_v2_backward(p: Planning) -> None:
    """gradInput = the gradient of aclnnRoiAlignV2 with respect to the images"""
    gradient, out = p.read("gradOutput"), p.shape("gradInput")
    corners, numbers = numbered(p, out[0])
    p.store("gradInput", p.step(spread, [gradient, corners, numbers], out, gradient.dtype, shape=out, **where(p)))
