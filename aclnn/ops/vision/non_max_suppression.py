"""NonMaxSuppression: keeps the boxes with the largest scores among overlapping ones, for each image and class."""

from collections.abc import Callable
from itertools import product
from typing import Final

import numpy as np

from aclnn.op import (
    ACLNN_ERR_PARAM_NULLPTR, Arguments, Array, Bad, Planning, Relation, aclDataType, before_nulls, demand, empty,
    in_range, listed, planned, ranks, same_dtype, stored_in,
)  # fmt: skip
from aclnn.ops.vision._family import ND, same_size, size_of

MOST_BOXES: Final = 700
"""the largest number of boxes of a class"""
THRESHOLD, LEAST, COUNT = "iouThreshold", "scoreThreshold", "maxOutputBoxesPerClass"


def first_of(name: str, words: str, fits: Callable[[float], bool]) -> Relation:
    """Checks the first value of an array. `words` describe the accepted values."""

    def bad(a: Arguments) -> Bad:
        values = a[name].values if a.given(name) else ()
        return (list(values), words) if values and not fits(values[0]) else None

    return demand(f"the first value of {{0}} is {words}", name, bad=bad)


def filled(name: str) -> Relation:
    def bad(a: Arguments) -> Bad:
        return None if a[name].values else ("no value", "one value")

    return demand("{0} has a value", name, bad=bad, status=ACLNN_ERR_PARAM_NULLPTR)


@planned(
    "aclnnNonMaxSuppression",
    before_nulls((), first_of(COUNT, f"at most {MOST_BOXES}", lambda count: count <= MOST_BOXES)),
    filled(COUNT), filled(THRESHOLD), filled(LEAST), listed("boxes"), same_dtype("scores", as_="boxes"),
    listed("selectedIndices"), first_of(THRESHOLD, "from 0 to 1", lambda value: 0 <= value <= 1),
    stored_in(ND, "boxes", "scores", "selectedIndices"), ranks("boxes", "scores", "selectedIndices"),
    same_size("scores", "boxes"), same_size("scores", "boxes", axis=2, reference_axis=1), size_of("boxes", 2, 4),
    size_of("selectedIndices", 1, 3), in_range("centerPointBox", 0, 1), empty("selectedIndices"),
)  # fmt: skip
def non_max_suppression(p: Planning) -> None:
    """selectedIndices = rows of image, class and box, in descending order of scores, without boxes that overlap an
    earlier one by more than iouThreshold"""
    inputs = [p.read("boxes"), p.read("scores")]
    first = {name: p[name].values[0] for name in (COUNT, THRESHOLD, LEAST)}
    shape = p.shape("selectedIndices")
    result = p.step(selected, inputs, shape, aclDataType.ACL_INT32, rows=shape[0], most=max(first[COUNT], 0),
                    limit=first[THRESHOLD], least=first[LEAST], centred=p["centerPointBox"] == 1)  # fmt: skip
    p.store("selectedIndices", result)


def selected(
    boxes: Array, scores: Array, *, rows: int, most: int, limit: float, least: float, centred: bool
) -> Array:  # fmt: skip
    """The rows of the selected boxes. A box whose score is not above `least`, and a row without a box, are -1."""
    result = np.full((rows, 3), -1, np.int32)
    row = 0
    for image, kind in product(*map(range, scores.shape[:2])):
        low, high = sides(boxes[image], centred=centred)
        for box in chosen(low, high, scores[image, kind], most=most, limit=limit):
            if row == rows:
                return result
            if scores[image, kind, box] > least:
                result[row] = image, kind, box
            row += 1
    return result


def sides(boxes: Array, *, centred: bool) -> tuple[Array, Array]:
    """The two corners of each box."""
    first, second = boxes[:, :2], boxes[:, 2:]
    if centred:
        return first - second / 2, first + second / 2
    return np.minimum(first, second), np.maximum(first, second)


def chosen(low: Array, high: Array, scores: Array, *, most: int, limit: float) -> list[int]:
    """The chosen boxes, in descending order of their scores. A box that overlaps an earlier one too much is dropped."""
    order = np.argsort(-scores, kind="stable")
    areas = (high - low).prod(1)
    taken: list[int] = []
    while order.size and len(taken) < most:
        box, order = int(order[0]), order[1:]
        taken.append(box)
        common = np.minimum(high[box], high[order]) - np.maximum(low[box], low[order])
        shared = np.maximum(common, 0).prod(1)
        order = order[~(shared > (areas[box] + areas[order]) * np.float32(limit / (1 + limit)))]
    return taken
