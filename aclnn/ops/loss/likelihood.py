"""NLLLoss and its gradient: the negative log-probability of the target class."""

from math import prod
from typing import Any

import numpy as np

from aclnn.op import (
    SHORT_FLOAT, Arguments, Array, Bad, Planning, Relation, Shape, T, castable, check_range, demand, empty, in_parts,
    listed, one_element, planned, ranks, same_dtype, shape, total,
)  # fmt: skip
from aclnn.ops.loss._family import REDUCTION_RULE, Reduction, empty_loss

LABELS = listed("target", among=(T.ACL_INT64, T.ACL_INT32, T.ACL_UINT8), provenance="public")
CLASSES = shape("weight", "{0} has an element for each class", lambda a: a.shape("self")[-1:])


def wrong_label_shape(a: Arguments) -> Bad:
    """Checks that target has a label for each row of self. If self is 1-d, it is one row, and target is 0-d."""
    expected_shape = a.shape("self")[:-1]
    return None if a.shape("target") == expected_shape else (list(a.shape("target")), list(expected_shape))


def wrong_label_shape_or_count(a: Arguments) -> Bad:
    """Like `wrong_label_shape`, but also accepts one dimension with as many labels as the first size of self."""
    both = a.shape("self"), a.shape("target")
    return None if len(both[1]) == 1 and both[1][0] == both[0][0] else wrong_label_shape(a)


def one_for_each(name: str) -> Relation:
    """Checks for a loss for each row if self is 2-d and there is no reduction, else for one element."""

    def bad(a: Arguments) -> Bad:
        shape = a.shape(name)
        if a["reduction"] == Reduction.NONE and a.rank("self") == 2:
            expected_shape: Shape = a.shape("self")[:1]
            return None if shape == expected_shape else (list(shape), list(expected_shape))
        return None if len(shape) < 2 and prod(shape) == 1 else (list(shape), "one element, at most one dimension")

    return demand("{0} has an element for each row, or one", name, bad=bad)


def no_classes(a: Arguments) -> Bad:
    return (list(a.shape("self")), "classes") if a.shape("self")[-1] == 0 and a["target"].numel else None


def checked_labels(p: Planning, classes: int) -> Any:
    """The target, after a queued step that checks its labels."""
    target = p.read("target")
    p.builder.launch(check_range, [target], [], name="target", count=classes, besides=p["ignoreIndex"])
    return target


def labels(p: Planning) -> Any:
    """The checked target; the classes are in the last dimension of self."""
    return checked_labels(p, p.shape("self")[-1])


@planned(
    "aclnnNLLLoss", same_dtype("weight", "self"), castable("self", "out"), castable("self", "totalWeightOut"),
    listed("self", among=SHORT_FLOAT, provenance="public"), LABELS, REDUCTION_RULE, ranks("self", least=1, most=2),
    ranks("target", least=0, most=1),
    demand("{0} has a label for each row of {1}", "target", "self", bad=wrong_label_shape), CLASSES,
    one_for_each("out"),
    one_element("totalWeightOut"), demand("{0} has classes", "self", bad=no_classes),
    empty_loss("self", outs=("out", "totalWeightOut")),
)  # fmt: skip
def nll_loss(p: Planning) -> None:
    """out = -w * self[n, target[n]], where w = weight[target[n]], or 0 if target[n] is ignoreIndex. Reduction 2 sums
    these; reduction 1 divides the sum by totalWeightOut = the sum of w. Without reduction totalWeightOut is not
    written."""
    x, weight, target = p.read("self"), p.read("weight"), labels(p)
    none = p["reduction"] == Reduction.NONE
    result = p.shape("target") if none else ()
    loss, weights = p.steps(
        likelihood, [x, target, weight], [(result, x.dtype), ((), x.dtype)], reduction=p["reduction"],
        ignored=p["ignoreIndex"],
    )  # fmt: skip
    p.store("out", p.builder.reshape(loss, p.shape("out")))
    if not none:
        p.store("totalWeightOut", p.builder.reshape(weights, p.shape("totalWeightOut")))


def chosen(target: Array, classes: int, ignored: int) -> tuple[Array, Array]:
    """A mask of the rows that count, and the classes of all rows. Ignored labels and labels out of range do not
    count."""
    counts = (target >= 0) & (target < classes) & (target != ignored)
    return counts, np.where(counts, target, 0)


def likelihood(x: Array, target: Array, weight: Array, *, reduction: int, ignored: int) -> tuple[Array, Array]:
    counts, label = chosen(target, weight.size, ignored)
    w = weight[label]
    if x.ndim == 2 and label.ndim == 1:
        loss = -w * x[np.arange(len(label)), label]
    else:
        loss = -w * np.take_along_axis(x, label[..., None], -1)[..., 0]
    if not np.logical_and.reduce(counts, None):
        w, loss = (np.where(counts, each, np.float32(0)) for each in (w, loss))
    weights = total(w, None)
    if reduction != Reduction.NONE:
        loss = total(loss, None)
    if reduction == Reduction.MEAN and not (x.ndim == 1 and not counts):
        loss = loss / weights
    return np.asarray(loss), weights


@planned(
    "aclnnNLLLossBackward", *(same_dtype(name, "self") for name in ("weight", "gradOutput", "totalWeight")),
    castable("self", "out"), listed("self", among=SHORT_FLOAT, provenance="public"), LABELS, REDUCTION_RULE,
    ranks("self", least=1, most=2), ranks("target", least=0, most=1),
    demand("{0} has a label for each row of {1}", "target", "self", bad=wrong_label_shape_or_count), CLASSES,
    one_element("totalWeight"), one_for_each("gradOutput"),
    shape("out", "{0} has the shape of self", lambda a: a.shape("self")), empty("self"),
)  # fmt: skip
def nll_loss_backward(p: Planning) -> None:
    """out = -gradOutput * weight[c] in the column c = target[n], unless c is ignoreIndex; 0 elsewhere. If reduction is
    the mean, out is divided by totalWeight"""
    inputs = [p.read("gradOutput"), labels(p), p.read("weight"), p.read("totalWeight")]
    shape = p.shape("self")
    result = p.step(
        in_columns, inputs, shape, p.dtype("self"), mean=p["reduction"] == Reduction.MEAN, ignored=p["ignoreIndex"],
        sizes=None if len(shape) == 2 else shape,
    )  # fmt: skip
    p.store("out", result)


@in_parts(first=1, whole=[2, 3])
def in_columns(
    g: Array, target: Array, weight: Array, whole: Array, *, mean: bool, ignored: int, sizes: Shape | None = None
) -> Array:  # fmt: skip
    """The gradient, with one element in each row and 0 elsewhere. `sizes`: the shape of a result without rows."""
    counts, label = chosen(target, weight.size, ignored)
    g = g / whole.reshape(()) if mean else g
    share = -(g if g.size > 1 else g.reshape(())) * weight[label]
    out = np.zeros((*label.shape, weight.size), np.float32)
    np.put_along_axis(out, label[..., None], np.where(counts, share, np.float32(0))[..., None], -1)
    return out if sizes is None else out.reshape(sizes)
