"""aclnnCrossEntropyLossGrad: the gradient of cross entropy for the log-probabilities."""

from typing import Any, cast

import numpy as np

from aclnn.op import (
    ACL_BF16, ACL_FLOAT, ACL_FLOAT16, ACL_INT64, POLICY, TILING, Arguments, Array, Bad, DataTypes, Double, Int64, Op,
    OptionalTensorIn, Planning, Products, Relation, Series, TensorIn, TensorOut, Text, answers, check_range, demand,
    empty, format_name, eager, generated, listed, may_be_in_place, one_of, planned, ranks, round_up, same_dtype,
    same_shape, shape,
)  # fmt: skip


FLOAT_TYPES = DataTypes((ACL_FLOAT16, ACL_FLOAT, ACL_BF16))
LABELS = ("ND", "NCL", "NCHW", "NHWC", "NCDHW")
SYSTEM_WORKSPACE = 16 << 20
N_LIMIT = 200_000


class CrossEntropyLossGrad(Op):
    header = "aclnnop/aclnn_cross_entropy_loss_grad.h"
    series = (Series.A2, Series.A3, Series.A950)
    elsewhere = Products.NOTICED_AT_ONCE

    gradLoss = TensorIn(FLOAT_TYPES, rank=range(2), shape='(N) for "none", else 0-d or (1)', doc="gradient of the loss")
    logProb = TensorIn(
        FLOAT_TYPES, rank=range(2, 3), shape="(N, C), C > 0, N < 200000", doc="log-softmax of the forward pass"
    )
    target = TensorIn(DataTypes((ACL_INT64,)), rank=range(1, 2), shape="(N)", doc="class of each row, in [0, C)")
    weightOptional = OptionalTensorIn(
        DataTypes((ACL_FLOAT,)), rank=range(1, 2), shape="(C)", doc="weight of each class"
    )
    gradZlossOptional = OptionalTensorIn(FLOAT_TYPES, doc="not supported: null")
    lseForZlossOptional = OptionalTensorIn(FLOAT_TYPES, doc="not supported: null")
    reductionOptional = Text(doc='"none", "mean" or "sum"; null means "mean"')
    ignoreIndex = Int64(doc="target value of rows to ignore, less than C; negative: none")
    labelSmoothing = Double(doc="only 0.0 is supported")
    lseSquareScaleForZloss = Double(doc="only 0.0 is supported")
    out = TensorOut(FLOAT_TYPES, rank=range(2, 3), shape="(N, C)", const=True, doc="gradient of logProb")


def labelled(name: str) -> Relation:
    def bad(a: Arguments) -> Bad:
        label, allowed = format_name(a[name].format), ", ".join(LABELS)
        return None if label in LABELS else (label, allowed, f"Format {label} of tensor {name} is not supported.")

    return demand("the format of {0} is one of " + ", ".join(LABELS), name, bad=bad, provenance="public")


def null(name: str) -> Relation:
    def bad(a: Arguments) -> Bad:
        return a[name], "null", f"{name} is not supported yet."

    return demand("{0} is null", name, bad=bad, provenance=POLICY)


def not_below_c(a: Arguments) -> Bad:
    """Checks ignoreIndex ("数值必须小于C，当小于零时视为无忽略标签"); C is the last dimension of logProb."""
    sizes, ignore_index = a.shape("logProb"), a["ignoreIndex"]
    if not sizes or ignore_index < sizes[-1]:
        return None
    words = f"Value {ignore_index} for parameter ignoreIndex is invalid. Reason: it must be less than C."
    return ignore_index, f"below {sizes[-1]}, as logProb has {sizes[-1]} classes", words


def no_classes(a: Arguments) -> Bad:
    sizes = a.shape("logProb")
    if len(sizes) != 2 or sizes[1]:
        return None
    return list(sizes), "(N, C) with C above 0", "The number of classes must not be 0."


def sized(name: str, axis: int, letter: str) -> Relation:
    sentence = f"{{0}} has {letter} elements, as dimension {axis} of logProb"
    return shape(name, sentence, lambda a: (a.shape("logProb")[axis],), status=TILING, provenance="public")


def wrong_grad_loss(a: Arguments) -> Bad:
    shape, n, reduction = a.shape("gradLoss"), a.shape("logProb")[0], a["reductionOptional"]
    if shape == (n,) if reduction == "none" else shape in ((), (1,)):
        return None
    expected = f"[{n}]" if reduction == "none" else "0 dimensions, or one element in one"
    return list(shape), expected, f"Shape {list(shape)} of gradLoss does not fit reduction {reduction or 'mean'}."


def too_many_rows(a: Arguments) -> Bad:
    n = a.shape("logProb")[0]
    return None if n < N_LIMIT else (f"N = {n}", f"N < {N_LIMIT}", f"logProb has {n} rows.")


@planned(
    CrossEntropyLossGrad, generated(),
    listed("gradLoss"), same_dtype("logProb", "gradLoss"), listed("target"), same_dtype("out", "gradLoss"),
    *map(labelled, ("gradLoss", "logProb", "target", "out")),
    answers(TILING, Series.A950, listed("weightOptional", provenance=POLICY)),
    null("gradZlossOptional"), null("lseForZlossOptional"),
    one_of("labelSmoothing", 0.0, provenance=POLICY), one_of("lseSquareScaleForZloss", 0.0, provenance=POLICY),
    answers(TILING, Series.A950, one_of("reductionOptional", "none", "mean", "sum", None, provenance=POLICY)),
    demand("{0} is less than C", "ignoreIndex", "logProb", bad=not_below_c, provenance=POLICY),
    demand("{0} has at least one class", "logProb", bad=no_classes, status=TILING, provenance=POLICY),
    empty("out"),
    ranks("logProb", "target", "weightOptional", status=TILING, provenance=POLICY),
    sized("target", 0, "N"), sized("weightOptional", 1, "C"),
    same_shape("out", "logProb", status=TILING, provenance=POLICY),
    demand('{0} has shape (N) for "none", else () or (1)', "gradLoss", bad=wrong_grad_loss, status=TILING,
           provenance=POLICY),
    demand("{0} has less than 200000 rows", "logProb", bad=too_many_rows, status=TILING, provenance=POLICY),
    may_be_in_place(),
)  # fmt: skip
def cross_entropy_loss_grad(p: Planning) -> None:
    """out[i, c] = s_i * exp(logProb[i, c]) - (s_i if c is target[i] else 0), with s_i = weight[target[i]] * g_i;
    g_i = gradLoss[i] for "none", gradLoss for "sum", gradLoss / (sum of the weights of all rows) for "mean"

    A row whose target is ignoreIndex has g_i = 0, and its weight is not in the sum. If ignoreIndex is negative, no row
    is ignored. The subtraction comes after the product. A null reduction means "mean".
    """
    p.builder.scratch = SYSTEM_WORKSPACE + round_up(4 * p.soc.vector_cores, 32)
    target = p.read("target")
    inputs = [p.read("gradLoss"), p.read("logProb"), target]
    if p.given("weightOptional"):
        inputs.append(p.read("weightOptional"))
    index = p["ignoreIndex"]
    ignored = index if index >= 0 else None
    unheeded = index, f"As ignoreIndex is negative ({index}), no target is ignored."
    count = p.shape("logProb")[1]
    p.builder.launch(check_range, (target,), (), name="target", count=count, besides=ignored, unheeded=unheeded)
    reduction = p["reductionOptional"] or "mean"
    p.store("out", p.step(cross_entropy_grad, inputs, p.shape("out"), p.dtype("out"), reduction=reduction,
                          ignored=ignored))  # fmt: skip


def cross_entropy_grad(
    grad: Array, log_prob: Array, target: Array, weight: Array | None = None, *, reduction: str,
    ignored: int | None,
) -> Array:  # fmt: skip
    """exp(logProb) * s, minus s at the target class."""
    rows, classes = log_prob.shape
    inputs = (grad, target) if weight is None else (grad, target, weight)
    s, label, subtracted = row_terms(*inputs, classes=classes, reduction=reduction, ignored=ignored)
    out = np.exp(log_prob) * s.reshape(-1, 1)
    row_numbers = cast("Array", np.arange(rows))
    out[row_numbers, label] -= subtracted
    return out


@eager
def row_terms(
    grad: Array, target: Array, weight: Array | None = None, *, classes: int, reduction: str, ignored: int | None
) -> tuple[Array, Array, Array]:
    """For each row: s, the class, and the number to subtract at the class. s is weight * (mask * loss), in the order of
    the contract. A target out of range, which `check_range` reports, gets class 0 and subtracts 0."""
    legal = (target >= 0) & (target < classes)
    label = np.where(legal, target, 0)
    counts = legal if ignored is None else legal & (target != ignored)
    if weight is None:
        omega: Any = np.float32(1)
        weights: Any = np.float32(np.count_nonzero(counts))
    else:
        omega = weight[label]
        weights = np.where(counts, omega, np.float32(0)).sum(dtype=np.float64).astype(np.float32)
    loss: Array = grad / weights if reduction == "mean" else grad
    s: Array = omega * (counts.astype(np.float32) * loss)
    return s, label, np.where(legal, s, np.float32(0))


aclnnCrossEntropyLossGradGetWorkspaceSize, aclnnCrossEntropyLossGrad = cross_entropy_loss_grad.pairs[
    "aclnnCrossEntropyLossGrad"
]
