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
"""classes up to which it is quicker to go through the labels than to sort each row"""
END = -1
"""the label after the last one of a row"""


def no_classes(a: Arguments) -> Bad:
    found = a.shape("self")
    return (list(found), "classes") if found and found[-1] == 0 else None


def not_of_self(a: Arguments) -> Bad:
    """At most one dimension: as many elements. Two: the same shape."""
    found, wanted = a.shape("target"), a.shape("self")
    same = prod(found) == prod(wanted) if max(len(found), len(wanted)) < 2 else found == wanted
    return None if same else (list(found), list(wanted))


def by_rows(a: Arguments) -> bool:
    return a["reduction"] == Reduction.NONE and a.rank("self") == 2


def not_of_losses(a: Arguments) -> Bad:
    found = a.shape("out")
    if by_rows(a):
        return None if found == a.shape("self")[:1] else (list(found), list(a.shape("self")[:1]))
    return None if len(found) < 2 and prod(found) == 1 else (list(found), "one element, at most one dimension")


def shape_of_target(a: Arguments) -> Shape | None:
    """Without rows, any shape of at most two dimensions and no elements will do."""
    nothing = prod(a.shape("self")) == 0 and a["isTarget"].numel == 0 and a.rank("isTarget") <= 2
    return None if nothing else a.shape("target")


@planned(
    "aclnnMultilabelMarginLoss", listed("self", among=SHORT_FLOAT, provenance="public"),
    listed("target", among=(T.ACL_INT64, T.ACL_INT32), provenance="public"), same_dtype("out", "self"),
    same_dtype("isTarget", "self"), ranks("self", "target", least=0, most=2),
    demand("{0} has classes", "self", bad=no_classes),
    demand("{0} has the shape of {1}", "target", "self", bad=not_of_self),
    demand("{0} has an element for each row of {1}, or one", "out", "self", bad=not_of_losses),
    shape("isTarget", "{0} has the shape of target", shape_of_target), empty("self"),
)  # fmt: skip
def multilabel_margin_loss(p: Planning) -> None:
    """isTarget = 1 for the classes that target names before the first -1 of a row, else 0; out = the sum of max(0, 1 -
    self[i] + self[j]) over the classes i that are named and j that are not, divided by the number of classes; or the
    mean of the rows (1), or their sum (every other value of reduction)"""
    x, target = p.read("self"), p.read("target")
    classes = prod(x.shape[-1:])
    p.builder.launch(check_range, [target], [], name="target", count=classes, besides=END)
    rows, wanted = prod(x.shape[:-1]), p.shape("self")[:1] if by_rows(p) else ()
    x, target = (p.builder.reshape(each, (rows, classes)) for each in (x, target))
    named = p.step(names, [target], x.shape, x.dtype)
    each = p.step(margins, [x, target], (rows,), T.ACL_FLOAT)
    reduction = p["reduction"] if p["reduction"] == Reduction.MEAN or by_rows(p) else Reduction.SUM
    loss = p.step(whole_loss, [each], wanted, x.dtype, reduction=reduction)
    p.store("out", p.builder.reshape(loss, p.shape("out")))
    p.store("isTarget", p.builder.reshape(named, p.shape("isTarget")))


def whole_loss(each: Array, *, reduction: int) -> Array:
    return reduced_loss(each, reduction)


def counted(target: Array) -> Array:
    """Which labels come before the first -1 of their row. One out of range, which is found before, ends a row too."""
    return np.logical_and.accumulate((target >= 0) & (target < target.shape[1]), 1)


def named_by(target: Array, there: Array) -> Array:
    named = np.zeros(target.shape, bool)
    named[np.nonzero(there)[0], target[there]] = True
    return named


@in_parts(first=1)
def names(target: Array) -> Array:
    return named_by(target, counted(target)).astype(np.float32)


@in_parts(first=1)
def margins(x: Array, target: Array) -> Array:
    """The loss of each row. A label that comes twice counts twice."""
    there = counted(target)
    named = named_by(target, there)
    compute = by_labels if x.shape[1] <= FEW or not np.isfinite(x).all() else by_order
    return compute(x, target, there, named) / np.float32(x.shape[1])


def by_labels(x: Array, target: Array, there: Array, named: Array) -> Array:
    """All rows at a time, label by label."""
    loss = np.zeros(len(x), np.float32)
    for at in range(x.shape[1]):
        own = np.take_along_axis(x, np.where(there[:, at], target[:, at], 0)[:, None], 1)
        share = np.where(named, np.float32(0), np.maximum(1 - own + x, 0))
        loss += np.where(there[:, at], total(share, 1), np.float32(0))
    return loss


def by_order(x: Array, target: Array, there: Array, named: Array) -> Array:
    """Row by row, all labels at a time: in ascending order, the classes with a share are the last ones."""
    loss = np.empty(len(x), np.float32)
    for at, row in enumerate(x):
        others: Array = np.sort(row[~named[at]]).astype(np.float64)
        own: Array = row[target[at][there[at]]].astype(np.float64)
        sums = np.append(np.cumsum(others[::-1])[::-1], 0)  # of each one and those behind it
        first = cast("Array", np.searchsorted(others, np.subtract(own, 1), side="right"))
        loss[at] = ((len(others) - first) * (1 - own) + sums[first]).sum()
    return loss
