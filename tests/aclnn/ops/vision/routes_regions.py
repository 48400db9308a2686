"""Routes for regions of images: loops over samples, bins and pixels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from math import ceil, floor
from typing import Any

import numpy as np

from acl_runtime import *
from tests.oracle.route import Route, but, of_terms, route


def bound(arguments: Mapping[str, Any], exact: np.ndarray, dtype: str) -> Any:
    """Weights whose sum is 1, times pixels."""
    tensor = arguments.get("self", arguments.get("gradOutput"))
    return of_terms(4 * np.abs(tensor).max(initial=0.0), 64, dtype)


def numbered(values: np.ndarray) -> np.ndarray:
    """Boxes (n, 5): the number of one of two images, then corners around it."""
    return np.concatenate([values[:, :1] > 0, around(values[:, 1:])], 1)


def around(values: np.ndarray) -> np.ndarray:
    """Boxes (n, 4), some partly outside of the image, some without an extent."""
    low = values[:, :2] * 2 + 1
    return np.concatenate([low, low + np.where(values[:, 2:] > -1, np.abs(values[:, 2:]) * 4, 0)], 1)


def neighbours(at: float, size: int) -> list[tuple[int, float]]:
    """The pixels beside a place, and their weights."""
    if not -1 <= at <= size:
        return []
    at = max(at, 0)
    low = min(floor(at), size - 1)
    return [(low, 1.0)] if low == size - 1 else [(low, 1 - (at - low)), (low + 1, at - low)]


def sides(low: float, high: float, count: int, ratio: int, least: float) -> list[list[float]]:
    """The places of the samples of each bin along one dimension."""
    step = max(high - low, least) / count if least else (high - low) / count
    ratio = ratio or max(ceil(step), 0)
    return [[low + at * step + (i + 0.5) * step / ratio for i in range(ratio)] for at in range(count)]


def bins(box: Any, shape: Any, ratio: int, scale: float, aligned: bool) -> Iterator[tuple[tuple[int, int], list[Any]]]:
    """Each bin, with its samples: each is a list of rows, columns and weights."""
    x1, y1, x2, y2 = (float(each) * scale - 0.5 * aligned for each in box)
    down, across = (sides(*ends, count, ratio, 0 if aligned else 1)
                    for ends, count in (((y1, y2), shape[0]), ((x1, x2), shape[1])))  # fmt: skip
    for row, column in np.ndindex(*shape[:2]):
        yield (
            (row, column),
            [
                [
                    (y, x, one * other)
                    for y, one in neighbours(at, shape[2])
                    for x, other in neighbours(beside, shape[3])
                ]
                for at, beside in product(down[row], across[column])
            ],
        )


def aligned_regions(
    self: Any, rois: Any, batchIndices: Any, mode: str, outputHeight: int, outputWidth: int, samplingRatio: int,
    spatialScale: float, aligned: bool = False,
) -> Any:  # fmt: skip
    out = np.zeros((len(rois), self.shape[1], outputHeight, outputWidth))
    size = (outputHeight, outputWidth, *self.shape[2:])
    for r, c in np.ndindex(out.shape[:2]):
        image = self[batchIndices[r], c]
        for at, samples in bins(rois[r], size, samplingRatio, spatialScale, aligned):
            values = [sum(image[y, x] * weight for y, x, weight in each) for each in samples]
            if values:
                out[(r, c, *at)] = sum(values) / len(values) if mode == "avg" else max(values)
    return out


def second(
    self: Any, boxes: Any, pooledHeight: int, pooledWidth: int, spatialScale: float, samplingRatio: int, aligned: bool
) -> Any:
    return aligned_regions(self, boxes[:, 1:], boxes[:, 0].astype(int), "avg", pooledHeight, pooledWidth, samplingRatio,
                           spatialScale, aligned)  # fmt: skip


def gradient(
    gradOutput: Any, boxes: Any, inputShape: Any, pooledHeight: int, pooledWidth: int, spatialScale: float,
    samplingRatio: int, aligned: bool,
) -> Any:  # fmt: skip
    found = np.zeros(inputShape)
    for r, c in np.ndindex(gradOutput.shape[:2]):
        image, size = found[int(boxes[r, 0]), c], (pooledHeight, pooledWidth, *inputShape[2:])
        for at, samples in bins(boxes[r, 1:], size, samplingRatio, spatialScale, aligned):
            for y, x, weight in (place for each in samples for place in each):
                image[y, x] += gradOutput[(r, c, *at)] * weight / len(samples)
    return found


def part(low: float, high: float, count: int, at: int, size: int) -> range:
    """The pixels of a bin along one dimension."""
    width = (high - low) / count
    if width <= 0:
        return range(0)
    return range(min(max(floor(low + at * width), 0), size), min(max(ceil(low + (at + 1) * width), 0), size))


def largest(
    x: Any, rois: Any, pooled_h: int, pooled_w: int, spatial_scale_h: float, spatial_scale_w: float, *, more: int = 1
) -> Any:
    y = np.zeros((len(rois), x.shape[1], pooled_h, pooled_w))
    argmax = np.full(y.shape, -1)
    for r, c, i, j in np.ndindex(*y.shape):
        number, x1, y1, x2, y2 = rois[r].tolist()
        rows = part(y1 * spatial_scale_h, (y2 + more) * spatial_scale_h, pooled_h, i, x.shape[2])
        columns = part(x1 * spatial_scale_w, (x2 + more) * spatial_scale_w, pooled_w, j, x.shape[3])
        for row, column in product(rows, columns):
            value = x[int(number), c, row, column]
            if argmax[r, c, i, j] < 0 or value > y[r, c, i, j]:
                y[r, c, i, j], argmax[r, c, i, j] = value, row * x.shape[3] + column
    return y, argmax


def added(gradOutput: Any, gradInputRef: Any, rois: Any, argmax: Any) -> Any:
    found = gradInputRef.copy()
    for r, c, i, j in np.ndindex(*gradOutput.shape):
        if argmax[r, c, i, j] >= 0:
            found[int(rois[r, 0]), c].reshape(-1)[argmax[r, c, i, j]] += gradOutput[r, c, i, j]
    return found


ROUTES: list[Route] = [
    route(
        "aclnnRoiAlign", "loop", aligned_regions, bound=bound, values={"rois": around},
        also=[{"mode": "max"}, {"samplingRatio": 0, "spatialScale": 1.0}, {"samplingRatio": 0, "mode": "max"}],
        wrong={"half a pixel less": but(aligned_regions, aligned=lambda a: True),
               "the mean always": but(aligned_regions, mode=lambda a: "avg")},
    ),
    route(
        "aclnnRoiAlignV2", "loop", second, bound=bound, values={"boxes": numbered},
        also=[{"aligned": False}, {"samplingRatio": 0, "spatialScale": 1.0}],
        wrong={"never aligned": but(second, aligned=lambda a: False),
               "one sample": but(second, samplingRatio=lambda a: 1)},
    ),
    route(
        "aclnnRoiAlignV2Backward", "loop", gradient, bound=bound, values={"boxes": numbered},
        also=[{"aligned": False}, {"samplingRatio": 0, "spatialScale": 1.0}],
        wrong={"never aligned": but(gradient, aligned=lambda a: False)},
    ),
    route(
        "aclnnRoiPoolingWithArgMax", "loop", largest, positions=True, bound="exact", values={"rois": numbered},
        also=[{"spatial_scale_w": 1.0}], wrong={"without the last pixel": but(largest, more=lambda a: 0)},
    ),
    route(
        "aclnnRoiPoolingGradWithArgMax", "loop", added, bound=bound,
        values={"rois": numbered, "argmax": lambda values: values % 31 - 1},
        wrong={"from zeros": but(added, gradInputRef=lambda a: 0 * a["gradInputRef"])},
    ),
]  # fmt: skip
