"""Overlaps of boxes, and regions of images, by name."""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from acl_runtime.headers.dtypes import Array
from acl_runtime.headers.enums import aclDataType
from acl_runtime.objects.handle_table import Tensor
from aclnn.by_name.call import Named
from aclnn.by_name.row import Required, row
from aclnn.by_name.shapes_of_windows import overlaps
from aclnn.by_name.uses import affine, check_shapes, computed, in_float, rounded_into

T = aclDataType
TINY: Final = 1e-16
"""a number that is added to the area of the union, so that no divisor is 0"""


def iou(n: Named) -> None:
    """common area / area of the union, with mode iof / area of the second box: arithmetic of aclnn"""
    boxes, others = (in_float(n, n[name]) for name in ("bboxes", "gtboxes"))
    y, eps = n["overlap"], n["eps"]
    if n["aligned"]:
        raise n.refused("this emulator compares all pairs: aligned has to be false")
    columns = [
        _sides(n, each, (each.shape[0], 1) if i else (1, each.shape[0])) for i, each in enumerate((boxes, others))
    ]
    rounded_into(n, y, lambda wide: _overlap(n, columns, eps, n["mode"], wide))


def _sides(n: Named, boxes: Tensor, shape: tuple[int, int]) -> list[Tensor]:
    """x0, y0, x1 and y1 of all boxes, as a row or as a column."""
    return [n.viewed(boxes, shape, [4 * (size > 1) for size in shape], i) for i in range(4)]


def _overlap(n: Named, columns: list[list[Tensor]], eps: float, mode: str, y: Tensor) -> None:
    if mode not in ("iou", "iof"):
        raise n.refused(f"mode is {mode!r}, and has to be iou or iof")

    def area(box: list[Tensor]) -> Tensor:
        sides = [affine(n, computed(n, "aclnnSub", box[i + 2], box[i], 1), 1, eps) for i in range(2)]
        return computed(n, "aclnnMul", *sides)

    box, others = columns
    common = _common(n, box, others)
    whole = area(others)
    if mode == "iou":
        whole = computed(n, "aclnnSub", computed(n, "aclnnAdd", area(box), whole, 1), common, 1)
    n.aclnn("aclnnDiv", common, whole, y)


def _common(n: Named, box: list[Tensor], others: list[Tensor]) -> Tensor:
    """The common area of boxes."""
    sides: list[Tensor] = []
    for index in range(2):
        end, start = (computed(n, f"aclnn{name}", box[place], others[place])
                      for name, place in (("Minimum", index + 2), ("Maximum", index)))  # fmt: skip
        sides.append(computed(n, "aclnnRelu", computed(n, "aclnnSub", end, start, 1)))
    return computed(n, "aclnnMul", *sides)


# GIoU: boxes are columns of four rows, x0, y0, x1 and y1, or with `trans` the centre, the width and the height


def general(n: Named) -> None:
    """common / union - (hull - union) / hull, computed by a kernel without aclnn"""
    boxes, others = _columns(n)
    check_shapes(n, overlap=overlaps(n))
    result = n.like(n["overlap"], boxes.dtype)
    n.step(general_overlap, [boxes, others], result, centred=n["trans"], crossed=n["is_cross"])
    n.aclnn("aclnnCast", result, n["overlap"].dtype, n["overlap"])


def general_gradient(n: Named) -> None:
    """the derivative of GIoU for both boxes, computed by a kernel without aclnn"""
    if n["is_cross"]:
        raise n.refused("this emulator has the derivative of pairs only: is_cross has to be false")
    boxes = _columns(n)
    inputs = [n.viewed(in_float(n, n["dy"]), overlaps(n)), *boxes]  # torch_npu passes dy as a column
    check_shapes(n, dbboxes=n["bboxes"].shape, dgtboxes=n["gtboxes"].shape)
    outs = n["dbboxes"], n["dgtboxes"]
    for side, out in enumerate(outs):
        wide = n.like(out, inputs[1].dtype)
        n.step(overlap_slopes, inputs, wide, centred=n["trans"], side=side)
        n.aclnn("aclnnCast", wide, out.dtype, out)


def _columns(n: Named) -> tuple[Tensor, Tensor]:
    boxes, others = (in_float(n, n[name]) for name in ("bboxes", "gtboxes"))
    shapes = boxes.shape, others.shape
    if n["mode"] != "iou" or any(len(shape) != 2 or shape[0] != 4 for shape in shapes):
        raise n.refused("this emulator computes boxes of 4 rows in the mode iou")
    if (boxes.dtype, others.dtype) != (T.ACL_FLOAT, T.ACL_FLOAT):
        raise n.refused("bboxes and gtboxes have to be FLOAT, FLOAT16 or BFLOAT16")
    if not n["is_cross"] and boxes.shape != others.shape:
        raise n.refused("pairs of boxes are as many as the others: is_cross has to be true")
    return boxes, others


def corners(boxes: Array, *, centred: bool) -> tuple[Array, Array]:
    """The low and the high ends, each [2, N]."""
    if not centred:
        return boxes[:2], boxes[2:]
    return boxes[:2] - boxes[2:] / 2, boxes[:2] + boxes[2:] / 2


def general_overlap(boxes: Array, others: Array, *, centred: bool, crossed: bool) -> Array:
    """GIoU of each pair. `crossed`: of each box with each of `others`, one row for each of `others`."""
    if crossed:
        boxes, others = boxes[:, None, :], others[:, :, None]
    (low, high), (start, end) = (corners(each, centred=centred) for each in (boxes, others))
    sides = np.maximum(np.minimum(high, end) - np.maximum(low, start), 0)
    common, hull = np.prod(sides, 0), np.prod(np.maximum(high, end) - np.minimum(low, start), 0)
    union = np.prod(high - low, 0) + np.prod(end - start, 0) - common + TINY
    result: Array = common / union - (hull - union) / hull
    return result if crossed else result[None]


def overlap_slopes(dy: Array, boxes: Array, others: Array, *, centred: bool, side: int) -> Array:
    """The derivative of GIoU of pairs, for `boxes` if `side` is 0, for `others` if it is 1."""
    pair = (boxes, others)[:: -1 if side else 1]
    (low, high), (start, end) = (corners(each, centred=centred) for each in pair)
    length, sides = np.minimum(high, end) - np.maximum(low, start), high - low
    common, spans = np.maximum(length, 0), np.maximum(high, end) - np.minimum(low, start)
    overlap, hull = np.prod(common, 0), np.prod(spans, 0)
    union = np.prod(sides, 0) + np.prod(end - start, 0) - overlap + TINY
    of_union = 1 / hull - overlap / union**2
    of_length = (1 / union - of_union) * common[::-1] * (length > 0)
    of_span, of_side = -union / hull**2 * spans[::-1], of_union * sides[::-1]
    of_high = of_length * _first(end - high) + of_span * _first(high - end) + of_side
    of_low = -of_length * _first(low - start) - of_span * _first(start - low) - of_side
    slopes = (of_low + of_high, (of_high - of_low) / 2) if centred else (of_low, of_high)
    result: Array = dy * np.concatenate(slopes)
    return result


def _first(lead: Array) -> Array:
    """The derivative of min(a, b) by a if `lead` is b - a, and of max(a, b) if it is a - b; a half if both are
    equal."""
    return np.where(lead > 0, 1, np.where(lead < 0, 0, np.float32(0.5)))


# ROIAlign: a region is a row with the number of an image and four corners


def regions(n: Named) -> None:
    """aclnnRoiAlignV2"""
    if n["pool_mode"] != "avg":
        raise n.refused(f"pool_mode is {n['pool_mode']!r}; this emulator has avg")
    features, y = map(n.labelled, (n["features"], n["y"]))
    n.aclnn("aclnnRoiAlignV2", features, *_bins(n), n["sample_num"], _is_aligned(n), y)


def regions_gradient(n: Named) -> None:
    """aclnnRoiAlignV2Backward"""
    (rois, *bins), (slopes, out) = _bins(n), map(n.labelled, (n["ydiff"], n["xdiff"]))
    sizes = n.ints("xdiff_shape")
    n.aclnn("aclnnRoiAlignV2Backward", slopes, rois, sizes, *bins, n["sample_num"], _is_aligned(n), out)


def _bins(n: Named) -> tuple[Tensor, int, int, float]:
    if n["rois_n"] is not None:
        raise n.refused("this emulator takes the images of regions from rois: rois_n has to be absent")
    return n["rois"], n["pooled_height"], n["pooled_width"], n["spatial_scale"]


def _is_aligned(n: Named) -> bool:
    """True for roi_end_mode 2, which subtracts a half from corners. Mode 0 keeps corners, with sides of at least 1."""
    if n["roi_end_mode"] not in (0, 2):
        raise n.refused(f"roi_end_mode is {n['roi_end_mode']}; this emulator has the modes 0 and 2")
    return n["roi_end_mode"] == 2


BINS: Final[Mapping[str, Any]] = {
    "spatial_scale": Required(1.0), "pooled_height": Required(1), "pooled_width": Required(1), "sample_num": 2,
    "roi_end_mode": 1,
}  # fmt: skip
PAIRS: Final = {"trans": False, "is_cross": True, "mode": "iou"}
ROWS: Final = (
    row("Iou", "bboxes, gtboxes -> overlap", iou, mode="iou", eps=1.0, aligned=False),
    row("GIoU", "bboxes, gtboxes -> overlap", general, **PAIRS),
    row("GIoUGrad", "dy, bboxes, gtboxes -> dbboxes, dgtboxes", general_gradient, **PAIRS),
    row("ROIAlign", "features, rois, rois_n? -> y", regions, pool_mode="avg", **BINS),
    row("ROIAlignGrad", "ydiff, rois, rois_n? -> xdiff", regions_gradient, xdiff_shape=Required(()), **BINS),
)
