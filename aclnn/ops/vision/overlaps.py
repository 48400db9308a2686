"""Overlaps of boxes: Iou and CIoU."""

import numpy as np

from aclnn.op import (
    ACLNN_ERR_INNER_NULLPTR, Arguments, Array, Bad, Planning, Relation, Shape, demand, empty, in_memory, listed,
    planned, ranks, row_slices, same_dtype, shape, store, stored_in, widen,
)  # fmt: skip
from aclnn.ops.vision._family import ND, mode, same_size, size_of, value

MULTIPLE = 1024
"""CIoU takes a multiple of this number of boxes"""


def overlap_shape(a: Arguments) -> Shape:
    return (a.shape("bBoxes")[0], 1 if a["aligned"] else a.shape("gtBoxes")[0])


def wrong_box_count(a: Arguments) -> Bad:
    if not a["aligned"] or a.shape("bBoxes")[0] == a.shape("gtBoxes")[0]:
        return None
    return list(a.shape("gtBoxes")), f"{a.shape('bBoxes')[0]} boxes, as bBoxes, where aligned is true"


@planned(
    "aclnnIou", listed("bBoxes"), same_dtype("gtBoxes", as_="bBoxes"), same_dtype("overlap", as_="bBoxes"),
    stored_in(ND, "bBoxes", "gtBoxes", "overlap"), mode("iou", "iof"),
    value("eps", "not negative", lambda eps: eps >= 0), ranks("bBoxes", "gtBoxes", "overlap"),
    size_of("bBoxes", 1, 4), size_of("gtBoxes", 1, 4),
    demand("{0} has as many boxes as {1} where {2} is true", "gtBoxes", "bBoxes", "aligned", bad=wrong_box_count),
    empty("bBoxes", "gtBoxes"),
    shape("overlap", "{0} has an overlap for each pair of boxes", overlap_shape, status=ACLNN_ERR_INNER_NULLPTR),
)  # fmt: skip
def iou(p: Planning) -> None:
    """overlap = the common area of two boxes, divided by the area of their union in mode iou, and by the area of the
    box of gtBoxes in mode iof"""
    boxes = [p.read("bBoxes"), p.read("gtBoxes")]
    p.store("overlap", p.step(overlaps, boxes, p.shape("overlap"), boxes[0].dtype, by_union=p["mode"] == "iou",
                              eps=p["eps"], aligned=p["aligned"]))  # fmt: skip


@in_memory
def overlaps(boxes: Array, others: Array, *, out: Array, by_union: bool, eps: float, aligned: bool) -> None:
    """The overlaps, computed for some rows at a time."""
    others, margin = widen(others), np.float32(eps)
    for rows in row_slices(len(boxes), out.shape[1]):
        first = widen(boxes[rows])[:, None]
        second = others[rows][:, None] if aligned else others[None]
        low, high = np.maximum(first[..., :2], second[..., :2]), np.minimum(first[..., 2:], second[..., 2:])
        shared = np.maximum(high - low + margin, 0).prod(-1)
        areas = [(each[..., 2:] - each[..., :2] + margin).prod(-1) for each in (first, second)]
        store(shared / ((areas[0] + areas[1] - shared) if by_union else areas[1]), out[rows])


def multiple_of_boxes(name: str) -> Relation:
    def bad(a: Arguments) -> Bad:
        count = a.shape(name)[1]
        return None if count % MULTIPLE == 0 else (f"{count} boxes", f"a multiple of {MULTIPLE}")

    return demand(f"{{0}} has a multiple of {MULTIPLE} boxes", name, bad=bad)


def row_shape(a: Arguments) -> Shape:
    return (1, a.shape("gtBoxes")[1])


@planned(
    "aclnnCIoU", listed("bBoxes"),
    *(same_dtype(name, as_="bBoxes") for name in ("gtBoxes", "overlap", "atanSub")),
    stored_in(ND, "bBoxes", "gtBoxes", "overlap", "atanSub"), mode("iou", "iof"),
    value("isCross", "false", lambda cross: not cross), ranks("bBoxes", "gtBoxes", "overlap", "atanSub"),
    size_of("bBoxes", 0, 4), size_of("gtBoxes", 0, 4), multiple_of_boxes("bBoxes"), multiple_of_boxes("gtBoxes"),
    same_size("gtBoxes", "bBoxes", axis=1), shape("overlap", "{0} has a value for each box", row_shape),
    shape("atanSub", "{0} has a value for each box", row_shape), empty("bBoxes"),
)  # fmt: skip
def ciou(p: Planning) -> None:
    """overlap = iou - the squared distance of the centres over the squared diagonal of both boxes - alpha * v, with
    v = 4 / pi^2 * atanSub^2, alpha = v / (1 - iou + v), atanSub = the difference of the angles of the diagonals"""
    boxes = [p.read("bBoxes"), p.read("gtBoxes")]
    row, dtype = row_shape(p), boxes[0].dtype
    overlap, angle_differences = p.steps(complete, boxes, [(row, dtype), (row, dtype)], centred=p["trans"],
                                         by_union=p["mode"] == "iou")  # fmt: skip
    p.store("overlap", overlap)
    p.store("atanSub", angle_differences)


def complete(boxes: Array, others: Array, *, centred: bool, by_union: bool) -> tuple[Array, Array]:
    (low, high), (other_low, other_high) = (corners(each, centred=centred) for each in (boxes, others))
    sizes, other_sizes = high - low, other_high - other_low
    shared = np.maximum(np.minimum(high, other_high) - np.maximum(low, other_low), 0).prod(0)
    area, other_area = sizes.prod(0), other_sizes.prod(0)
    overlap = shared / ((area + other_area - shared) if by_union else other_area)
    enclosing = np.maximum(high, other_high) - np.minimum(low, other_low)
    distance = (((low + high) - (other_low + other_high)) ** 2).sum(0) / 4
    angle_differences = np.arctan(other_sizes[0] / other_sizes[1]) - np.arctan(sizes[0] / sizes[1])
    v = np.float32(4 / np.pi**2) * angle_differences**2
    result = overlap - distance / (enclosing**2).sum(0) - v / (1 - overlap + v) * v
    return result[None], angle_differences[None]


def corners(boxes: Array, *, centred: bool) -> tuple[Array, Array]:
    """The two corners of boxes that are stored as corners, or as a centre and sizes."""
    first, second = boxes[:2], boxes[2:]
    return (first - second / 2, first + second / 2) if centred else (first, second)
