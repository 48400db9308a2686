"""Routes for overlaps, suppression, blended images, Resize, Rasterizer and ThreeInterpolateBackward: loops over boxes,
pixels, triangles and points."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from math import atan2, floor, pi
from struct import pack, unpack
from typing import Any

import numpy as np

from acl_runtime import *
from tests.aclnn.ops.case import Meta
from tests.derived.values import Values
from tests.oracle.route import Bound, Route, but, of_terms, route


def terms(size: float) -> Bound:
    """The bound of results of about 1 that are differences and quotients of numbers below `size`."""

    def bound(arguments: Mapping[str, Any], exact: np.ndarray, dtype: str) -> Any:
        return of_terms(size * (1 + np.abs(exact)), 16, dtype)

    return bound


# overlaps


def corners(values: np.ndarray) -> np.ndarray:
    """Boxes from a corner to a second one behind it, which mean something as a centre and sizes, too."""
    first, second = np.split(values, 2, -1)
    return np.concatenate([first, 0.5 + np.abs(first) + np.abs(second)], -1)


def columns(values: np.ndarray) -> np.ndarray:
    return corners(values.T).T


def shared(one: Any, other: Any, eps: float = 0.0) -> float:
    sides = [max(min(one[at + 2], other[at + 2]) - max(one[at], other[at]) + eps, 0) for at in (0, 1)]
    return sides[0] * sides[1]


def area(box: Any, eps: float = 0.0) -> float:
    return (box[2] - box[0] + eps) * (box[3] - box[1] + eps)


def overlap(one: Any, other: Any, mode: str, eps: float = 0.0) -> float:
    common = shared(one, other, eps)
    return common / (area(one, eps) + area(other, eps) - common if mode == "iou" else area(other, eps))


def iou(bBoxes: Any, gtBoxes: Any, mode: str, eps: float, aligned: bool) -> Any:
    if aligned:
        return np.array([[overlap(*pair, mode, eps)] for pair in zip(bBoxes, gtBoxes, strict=True)])
    return np.array([[overlap(one, other, mode, eps) for other in gtBoxes] for one in bBoxes])


def as_corners(box: Any) -> list[float]:
    x, y, w, h = box
    return [x - w / 2, y - h / 2, x + w / 2, y + h / 2]


def ciou(bBoxes: Any, gtBoxes: Any, trans: bool, mode: str) -> Any:
    sides = as_corners if trans else list
    rows = [of_pair(sides(one), sides(other), mode) for one, other in zip(bBoxes.T, gtBoxes.T, strict=True)]
    return np.array([[row[0] for row in rows]]), np.array([[row[1] for row in rows]])


def of_pair(one: list[float], other: list[float], mode: str) -> tuple[float, float]:
    angle = atan2(other[2] - other[0], other[3] - other[1]) - atan2(one[2] - one[0], one[3] - one[1])
    found, v = overlap(one, other, mode), 4 / pi**2 * angle**2
    middle = sum((one[at] + one[at + 2] - other[at] - other[at + 2]) ** 2 for at in (0, 1)) / 4
    around = sum((max(one[at + 2], other[at + 2]) - min(one[at], other[at])) ** 2 for at in (0, 1))
    return found - middle / around - v * v / (1 - found + v), angle


def suppressed(
    boxes: Any, scores: Any, maxOutputBoxesPerClass: Any, iouThreshold: Any, scoreThreshold: Any, centerPointBox: int,
    selectedIndices: Any,
) -> Any:  # fmt: skip
    rows: list[list[int]] = []
    for b, c in product(range(len(boxes)), range(scores.shape[1])):
        given = boxes[b].tolist()
        sides = [as_corners(box) if centerPointBox else [*map(min, box[:2], box[2:]), *map(max, box[:2], box[2:])]
                 for box in given]  # fmt: skip
        left, taken = sorted(range(len(given)), key=lambda at, b=b, c=c: (-scores[b, c, at], at)), 0
        while left and taken < maxOutputBoxesPerClass[0]:
            box, taken = left[0], taken + 1
            rows.append([b, c, box] if scores[b, c, box] > scoreThreshold[0] else [-1] * 3)
            left = [at for at in left[1:] if overlap(sides[box], sides[at], "iou") <= iouThreshold[0]]
    return np.array((rows + [[-1] * 3] * len(selectedIndices))[: len(selectedIndices)])


# images


def half(value: float) -> float:
    """The nearest FLOAT16."""
    return float(unpack("e", pack("e", value))[0])


def mixture(below: float, above: float, share: float) -> float:
    """below - below * share + above * share, each step in FLOAT16."""
    return half(half(below - half(below * share)) + half(above * share))


def each_element(function: Callable[..., float], *images: np.ndarray) -> np.ndarray:
    spread = np.broadcast_arrays(*images)
    rows = zip(*(each.ravel().tolist() for each in spread), strict=True)
    return np.array([function(*row) for row in rows]).reshape(spread[0].shape)


def replaced(bkg: Any, src: Any, mask: Any, dtypes: Mapping[str, str]) -> Any:
    found = each_element(mixture, bkg, src, mask)
    return np.array([round(each) for each in found.ravel()]).reshape(found.shape) if dtypes["bkg"] == "uint8" else found


def blended(rgb: Any, alpha: Any, frame: Any) -> Any:
    return each_element(lambda above, part, below: round(mixture(below, above, half(part / 255))), rgb, alpha, frame)


def dimmed(rgb: Any, alpha: Any, rounded: Callable[[float], int] = floor) -> Any:
    return each_element(lambda colour, part: rounded(half(colour * half(part / 255))), rgb, alpha)


def bright(values: np.ndarray) -> np.ndarray:
    return values.astype(np.int64) * 25 % 256


def pixels(values: np.ndarray) -> np.ndarray:
    """Bytes become bright ones; floats stay."""
    return values if values.dtype.kind == "f" else bright(values)


def fraction(values: np.ndarray) -> np.ndarray:
    return np.abs(values) % 1


# meshes and points


def before_the_eye(values: np.ndarray) -> np.ndarray:
    return np.concatenate([values[:, :3], 1 + np.abs(values[:, 3:])], 1)


def drawn(v: Any, f: Any, width: int, height: int, *, correct: bool = True) -> Any:
    """Each pixel looks for its triangle; a point is inside if it lies on the same side of the three edges."""
    screen = [((x / w * 0.5 + 0.5) * (width - 1) + 0.5, (0.5 + 0.5 * y / w) * (height - 1) + 0.5, z / w * 0.49999 + 0.5)
              for x, y, z, w in v.tolist()]  # fmt: skip
    numbers, shares = np.zeros((height, width), np.int64), np.zeros((height, width, 3))
    for row, column in np.ndindex(height, width):
        nearest = np.inf
        for number, face in enumerate(f.tolist()):
            edges = [side((column + 0.5, row + 0.5), screen[face[at - 2]], screen[face[at - 1]]) for at in range(3)]
            whole = sum(edges)
            if whole == 0 or min(edges) * max(edges) < 0:
                continue
            parts = [edge / whole for edge in edges]
            depth = sum(part * screen[at][2] for part, at in zip(parts, face, strict=True))
            if depth < nearest:
                nearest, numbers[row, column] = depth, number + 1
                near = [part / v[at, 3] if correct else part for part, at in zip(parts, face, strict=True)]
                shares[row, column] = [each / sum(near) for each in near]
    return numbers, shares


def points(arguments: Mapping[str, Any], exact: np.ndarray, dtype: str) -> Any:
    """All points may be interpolated from the same three."""
    count = arguments["idx"][0].size
    return of_terms(count * np.abs(arguments["grad_x"]).max() * np.abs(arguments["weight"]).max(), count, dtype)


def side(point: Any, one: Any, other: Any) -> float:
    return (one[0] - point[0]) * (other[1] - point[1]) - (other[0] - point[0]) * (one[1] - point[1])


def spread(grad_x: Any, idx: Any, weight: Any, m: int, *, terms: int = 3) -> Any:
    out = np.zeros((*grad_x.shape[:2], m, *grad_x.shape[3:]))
    for b, c, i, t in np.ndindex(*grad_x.shape[:3], terms):
        out[b, c, idx[b, i, t]] += grad_x[b, c, i] * weight[b, i, t]
    return out


ROUTES: list[Route] = [
    route(
        "aclnnIou", "loop", iou, bound=terms(8), values={"bBoxes": corners, "gtBoxes": corners},
        also=[{"mode": "iof"}, {"eps": 1.0}, {"aligned": True, "gtBoxes": Meta((3, 4)), "overlap": Meta((3, 1))}],
        wrong={"eps for nothing": but(iou, eps=lambda a: 0.0), "iou always": but(iou, mode=lambda a: "iou")},
    ),
    route(
        "aclnnCIoU", "loop", ciou, bound=terms(64), values={"bBoxes": columns, "gtBoxes": columns},
        also=[{"trans": False}, {"mode": "iof"}],
        wrong={"corners always": but(ciou, trans=lambda a: False)},
    ),
    route(
        "aclnnNonMaxSuppression", "loop", suppressed, positions=True, values={"boxes": corners},
        also=[{"centerPointBox": 1, "iouThreshold": Values((0.1,))}, {"scoreThreshold": Values((-9.0,))},
              {"maxOutputBoxesPerClass": Values((4,)), "iouThreshold": Values((0.2,))}],
        wrong={"no limit of overlaps": but(suppressed, iouThreshold=lambda a: [1.0]),
               "no limit of scores": but(suppressed, scoreThreshold=lambda a: [-99.0])},
    ),
    route("aclnnBackgroundReplace", "loop", replaced, bound="exact", groups=[["bkg", "src", "out"]],
          values={"bkg": pixels, "src": pixels, "mask": fraction},
          wrong={"src alone": but(replaced, bkg=lambda a: 0 * a["bkg"])}),
    route("aclnnBlendImagesCustom", "loop", blended, values=dict.fromkeys(("rgb", "alpha", "frame"), bright),
          wrong={"images change places": but(blended, rgb=lambda a: a["frame"], frame=lambda a: a["rgb"])}),
    route("aclnnMrgbaCustom", "loop", dimmed, values=dict.fromkeys(("rgb", "alpha"), bright),
          wrong={"to the nearest": but(dimmed, rounded=lambda a: round)}),
    route(
        "aclnnRasterizer", "loop", drawn, bound=terms(64),
        values={"v": before_the_eye, "f": lambda values: values % 5},
        wrong={"no perspective": but(drawn, correct=lambda a: False)},
    ),
    route(
        "aclnnThreeInterpolateBackward", "loop", spread, bound=points,
        values={"idx": lambda values: values % 4}, wrong={"two of three points": but(spread, terms=lambda a: 2)},
    ),
]  # fmt: skip
