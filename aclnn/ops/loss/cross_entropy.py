"""CrossEntropyLoss: the cross entropy of logits and classes."""

import numpy as np

from aclnn.op import (
    TILING, Arguments, Array, Bad, DataTypes, Planning, Series, Shape, T, check_range, demand, generated, in_range,
    listed, log_softmax_along, one_of, planned, ranks, same_dtype, shape, tiled, total, widen,
)  # fmt: skip


SYSTEM_WORKSPACE = 16 << 20
TARGETS = DataTypes((T.ACL_INT64,), {Series.A950: (T.ACL_INT32,)})
OUTPUTS = ("lossOut", "logProbOut", "zlossOut", "lseForZlossOut")


def no_classes(a: Arguments) -> Bad:
    shape = a.shape("input")
    return None if shape[1] else (list(shape), "(N, C) with C above 0")


def loss_shape(a: Arguments) -> Shape:
    """The shape of lossOut: an element for each row, or one element in one dimension."""
    return (a.shape("input")[0],) if a["reductionOptional"] == "none" else (1,)


@planned(
    "aclnnCrossEntropyLoss", generated(),
    listed("input"), listed("target", among=TARGETS, provenance="public"), listed("weightOptional"),
    *(same_dtype(out, "input") for out in OUTPUTS),
    one_of("reductionOptional", None, "mean", "sum", "none", status=TILING, provenance="public"),
    in_range("labelSmoothing", 0.0, 1.0, status=TILING, provenance="public"),
    ranks("input", "target", "weightOptional", status=TILING),
    demand("{0} has at least one class", "input", bad=no_classes, status=TILING, provenance="ours"),
    shape("target", "{0} has an element for each row of input", lambda a: a.shape("input")[:1], status=TILING),
    shape("weightOptional", "{0} has an element for each class", lambda a: a.shape("input")[1:], status=TILING),
    shape("lossOut", "{0} has an element for each row, or one if they are reduced", loss_shape, status=TILING),
    shape("logProbOut", "{0} has the shape of input", lambda a: a.shape("input"), status=TILING),
)  # fmt: skip
def cross_entropy_loss(p: Planning) -> None:
    """logProbOut = log_softmax(input); lossOut = the cross entropy with the classes in target

    With w = weightOptional[target], or 1, and 0 for rows whose target is ignoreIndex: the loss of a row is
    (1 - labelSmoothing) * -w * logProb[target], plus labelSmoothing / C * the sum of -weight * logProb over the classes
    of rows that are not ignored. "mean" divides the sum of the losses by the sum of w; null is read as "mean". zlossOut
    and lseForZlossOut must be given; they are not written.
    """
    p.builder.scratch = SYSTEM_WORKSPACE
    scores, target = p.read("input"), p.read("target")
    weights = [p.read("weightOptional")] if p.given("weightOptional") else []
    rows, classes = scores.shape
    p.builder.launch(check_range, [target], [], name="target", count=classes, besides=p["ignoreIndex"])
    reduction, smoothing = p["reductionOptional"] or "mean", p["labelSmoothing"]
    log_prob = p.step(log_softmax_along, [scores], scores.shape, T.ACL_FLOAT, axis=1)
    results = p.steps(at_target, [log_prob, target, *weights], [((rows,), T.ACL_FLOAT)] * 3, ignored=p["ignoreIndex"])
    if smoothing:
        results.append(p.step(of_all_classes, [log_prob, *weights], (rows,), T.ACL_FLOAT))
    result = p.step(reduced, results, (rows,) if reduction == "none" else (1,), scores.dtype, reduction=reduction,
                    smoothing=smoothing, classes=classes)  # fmt: skip
    p.store("lossOut", result)
    p.store("logProbOut", log_prob)


def of_all_classes(log_prob: Array, weight: Array | None = None) -> Array:
    """The part that labelSmoothing adds to each row."""
    return -total(log_prob if weight is None else weight * log_prob, 1)


def picked(
    log_prob: Array, target: Array, weight: Array | None = None, *, ignored: int
) -> tuple[Array, Array, Array]:  # fmt: skip
    """The weighted loss of each row, its weight, and 1 for a valid target, else 0. Targets that are ignored or out of
    range are not valid; an earlier step reports targets out of range."""
    rows, classes = log_prob.shape
    counts = (target >= 0) & (target < classes) & (target != ignored)
    label = np.where(counts, target, 0)
    factor = np.float32(1) if weight is None else widen(weight)[label]
    w = np.where(counts, factor, np.float32(0))
    loss = -w * np.where(counts, log_prob[np.arange(rows), label], np.float32(0))
    return loss, w, counts.astype(np.float32)


at_target = tiled(picked)(picked)


def reduced(
    loss: Array, w: Array, valid: Array, smooth: Array | None = None, *, reduction: str, smoothing: float,
    classes: int,
) -> Array:  # fmt: skip
    """The losses of the rows, their sum, or their weighted mean."""
    loss, w = (np.where(valid != 0, values, np.float32(0)) for values in (loss, w))
    if smooth is not None:
        smoothing_loss = np.where(valid != 0, smooth, np.float32(0))
        loss = loss * np.float32(1 - smoothing) + smoothing_loss * np.float32(smoothing / classes)
    if reduction != "none":
        loss = total(loss, 0, keepdims=True)
    if reduction == "mean":
        loss = loss / total(w, 0, keepdims=True)
    return loss
