"""MultilabelMarginLoss, a loss of sets of labels."""

from math import prod
from typing import cast

import numpy as np

from aclnn.op import (
    SHORT_FLOAT, Arguments, Array, Bad, Planning, Shape, T, check_range, demand, empty, in_parts, listed, planned,
    ranks, same_dtype, shape, total,
)  # fmt: skip
from aclnn.ops.loss._family import Reduction, reduced_loss

FEW = 64
"""up to this number of classes, a loop over the labels is faster than to sort each row"""
END_OF_LABELS = -1
"""the label after the last one of a row"""


def no_classes(a: Arguments) -> Bad:
    shape = a.shape("self")
    return (list(shape), "classes") if shape and shape[-1] == 0 else None


def wrong_target_shape(a: Arguments) -> Bad:
    """Checks that target has the shape of self; if both have at most one dimension, as many elements are enough."""
    shape, expected_shape = a.shape("target"), a.shape("self")
    same = prod(shape) == prod(expected_shape) if max(len(shape), len(expected_shape)) < 2 else shape == expected_shape
    return None if same else (list(shape), list(expected_shape))


def by_rows(a: Arguments) -> bool:
    return a["reduction"] == Reduction.NONE and a.rank("self") == 2


def wrong_loss_shape(a: Arguments) -> Bad:
    shape = a.shape("out")
    if by_rows(a):
        return None if shape == a.shape("self")[:1] else (list(shape), list(a.shape("self")[:1]))
    return None if len(shape) < 2 and prod(shape) == 1 else (list(shape), "one element, at most one dimension")


def shape_of_target(a: Arguments) -> Shape | None:
    """The shape of isTarget. None, for no check, if self and isTarget are empty and isTarget has up to 2 dimensions."""
    nothing = prod(a.shape("self")) == 0 and a["isTarget"].numel == 0 and a.rank("isTarget") <= 2
    return None if nothing else a.shape("target")


@planned(
    "aclnnMultilabelMarginLoss", listed("self", among=SHORT_FLOAT, provenance="public"),
    listed("target", among=(T.ACL_INT64, T.ACL_INT32), provenance="public"), same_dtype("out", "self"),
    same_dtype("isTarget", "self"), ranks("self", "target", least=0, most=2),
    demand("{0} has classes", "self", bad=no_classes),
    demand("{0} has the shape of {1}", "target", "self", bad=wrong_target_shape),
    demand("{0} has an element for each row of {1}, or one", "out", "self", bad=wrong_loss_shape),
    shape("isTarget", "{0} has the shape of target", shape_of_target), empty("self"),
)  # fmt: skip
def multilabel_margin_loss(p: Planning) -> None:
    """isTarget = 1 for the classes in target before the first -1 of a row, else 0. out = the sum of max(0, 1 - self[i]
    + self[j]) over the classes i in target and the other classes j, divided by the number of classes. reduction 0
    returns a loss for each row, 1 the mean of the rows, every other value their sum"""
    x, target = p.read("self"), p.read("target")
    classes = prod(x.shape[-1:])
    p.builder.launch(check_range, [target], [], name="target", count=classes, besides=END_OF_LABELS)
    rows, shape = prod(x.shape[:-1]), p.shape("self")[:1] if by_rows(p) else ()
    x, target = (p.builder.reshape(operand, (rows, classes)) for operand in (x, target))
    is_target = p.step(target_flags, [target], x.shape, x.dtype)
    row_losses = p.step(margins, [x, target], (rows,), T.ACL_FLOAT)
    reduction = p["reduction"] if p["reduction"] == Reduction.MEAN or by_rows(p) else Reduction.SUM
    loss = p.step(whole_loss, [row_losses], shape, x.dtype, reduction=reduction)
    p.store("out", p.builder.reshape(loss, p.shape("out")))
    p.store("isTarget", p.builder.reshape(is_target, p.shape("isTarget")))


def whole_loss(losses: Array, *, reduction: int) -> Array:
    return reduced_loss(losses, reduction)


def valid_labels(target: Array) -> Array:
    """A mask of the labels before the first -1 of their row. A label out of range ends a row too."""
    return np.logical_and.accumulate((target >= 0) & (target < target.shape[1]), 1)


def flags_of(target: Array, valid: Array) -> Array:
    is_target = np.zeros(target.shape, bool)
    is_target[np.nonzero(valid)[0], target[valid]] = True
    return is_target


@in_parts(first=1)
def target_flags(target: Array) -> Array:
    return flags_of(target, valid_labels(target)).astype(np.float32)


@in_parts(first=1)
def margins(x: Array, target: Array) -> Array:
    """The loss of each row. A label that occurs twice counts twice."""
    valid = valid_labels(target)
    is_target = flags_of(target, valid)
    compute = by_labels if x.shape[1] <= FEW or not np.isfinite(x).all() else by_order
    return compute(x, target, valid, is_target) / np.float32(x.shape[1])


def by_labels(x: Array, target: Array, valid: Array, is_target: Array) -> Array:
    """The loss of each row, by a loop over the labels."""
    loss = np.zeros(len(x), np.float32)
    for column in range(x.shape[1]):
        own_scores = np.take_along_axis(x, np.where(valid[:, column], target[:, column], 0)[:, None], 1)
        share = np.where(is_target, np.float32(0), np.maximum(1 - own_scores + x, 0))
        loss += np.where(valid[:, column], total(share, 1), np.float32(0))
    return loss


def by_order(x: Array, target: Array, valid: Array, is_target: Array) -> Array:
    """The loss of each row, by a sort of its other classes: those with a loss above 0 for a label come last."""
    loss = np.empty(len(x), np.float32)
    for number, row in enumerate(x):
        others: Array = np.sort(row[~is_target[number]]).astype(np.float64)
        own_scores: Array = row[target[number][valid[number]]].astype(np.float64)
        sums = np.append(np.cumsum(others[::-1])[::-1], 0)  # of each element and all elements behind it
        first = cast("Array", np.searchsorted(others, np.subtract(own_scores, 1), side="right"))
        loss[number] = ((len(others) - first) * (1 - own_scores) + sums[first]).sum()
    return loss
