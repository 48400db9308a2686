"""aclnnCrossEntropyLossGrad: the gradient of cross entropy for the log-probabilities."""

from typing import Any, cast

import numpy as np

from acl_runtime import ACL_BF16, ACL_FLOAT, ACL_FLOAT16, ACL_INT64
from acl_runtime.headers.dtypes import Array, format_name
from acl_runtime.memory.sizes import round_up
from acl_runtime.objects.executor_life import Family
from acl_runtime.objects.soc import Series, Soc
from aclnn.engine.constraints import (
    POLICY,
    TILING,
    Empty,
    Listed,
    MustBeNull,
    OneOf,
    Rank,
    Rule,
    SameDtype,
    SameShape,
    ShapeIs,
    Violation,
)
from aclnn.engine.declaration import Op, Products
from aclnn.engine.fast import from_elements
from aclnn.engine.parameters import DataTypes, Double, Int64, OptionalTensorIn, TensorIn, TensorOut, TensorParam, Text
from aclnn.engine.plan_builder import PlanBuilder
from aclnn.engine.steps.indices import check_range
from aclnn.engine.two_phase import two_phase

TYPES = DataTypes((ACL_FLOAT16, ACL_FLOAT, ACL_BF16))
LABELS = ("ND", "NCL", "NCHW", "NHWC", "NCDHW")
SYSTEM_WORKSPACE = 16 << 20
N_LIMIT = 200_000


def labelled(param: TensorParam[Any]) -> Rule:
    def judge(call: "CrossEntropyLossGrad", soc: Soc) -> Violation | None:
        found = format_name(call.__dict__[param.name].format)
        if found in LABELS:
            return None
        return Violation(f"Format {found} of tensor {param} is not supported.", param.name, found, ", ".join(LABELS))

    return Rule("the format of {0} is one of " + ", ".join(LABELS), judge, param, provenance="public")


def ignores_a_class(call: "CrossEntropyLossGrad", soc: Soc) -> Violation | None:
    """ "数值必须小于C，当小于零时视为无忽略标签"; C is the last dimension of logProb."""
    shape, found = call.logProb.shape, call.ignoreIndex
    if not shape or found < shape[-1]:
        return None
    words = f"Value {found} for parameter ignoreIndex is invalid. Reason: it must be less than C."
    return Violation(words, "ignoreIndex", found, f"below {shape[-1]}, as logProb has {shape[-1]} classes")


def has_classes(call: "CrossEntropyLossGrad", soc: Soc) -> Violation | None:
    shape = call.logProb.shape
    if len(shape) != 2 or shape[1]:
        return None
    return Violation("The number of classes must not be 0.", "logProb", list(shape), "(N, C) with C above 0")


def grad_loss_fits(call: "CrossEntropyLossGrad", soc: Soc) -> Violation | None:
    found, n = call.gradLoss.shape, call.logProb.shape[0]
    if found == (n,) if call.reductionOptional == "none" else found in ((), (1,)):
        return None
    wanted = f"[{n}]" if call.reductionOptional == "none" else "0 dimensions, or one element in one"
    words = f"Shape {list(found)} of gradLoss does not fit reduction {call.reductionOptional or 'mean'}."
    return Violation(words, "gradLoss", list(found), wanted)


def sized(param: TensorParam[Any], axis: int, letter: str) -> ShapeIs:
    sentence = f"{{0}} has {letter} elements, as dimension {axis} of logProb"
    return ShapeIs(sentence, param, wanted=lambda call: (call.logProb.shape[axis],), status=TILING, provenance="public")


def few_rows(call: "CrossEntropyLossGrad", soc: Soc) -> Violation | None:
    n = call.logProb.shape[0]
    if n < N_LIMIT:
        return None
    return Violation(f"logProb has {n} rows.", "logProb", f"N = {n}", f"N < {N_LIMIT}")


class CrossEntropyLossGrad(Op):
    """out[i, c] = s_i * exp(logProb[i, c]) - (s_i if c is target[i] else 0), with s_i = weight[target[i]] * g_i;
    g_i = gradLoss[i] for "none", gradLoss for "sum", gradLoss / (sum of the weights of all rows) for "mean"

    A row whose target is ignoreIndex has g_i = 0 and does not count in the sum; a negative ignoreIndex ignores
    nothing. The subtraction comes after the product. A null reduction means "mean".
    """

    header = "aclnnop/aclnn_cross_entropy_loss_grad.h"
    family = Family.GENERATED
    series = (Series.A2, Series.A3, Series.A950)
    elsewhere = Products.NOTICED_AT_ONCE

    gradLoss = TensorIn(TYPES, rank=range(2), shape='(N) for "none", else 0-d or (1)', doc="gradient of the loss")
    logProb = TensorIn(
        TYPES, rank=range(2, 3), shape="(N, C), C > 0, N < 200000", doc="log-softmax of the forward pass"
    )
    target = TensorIn(DataTypes((ACL_INT64,)), rank=range(1, 2), shape="(N)", doc="class of each row, in [0, C)")
    weightOptional = OptionalTensorIn(
        DataTypes((ACL_FLOAT,)), rank=range(1, 2), shape="(C)", doc="weight of each class"
    )
    gradZlossOptional = OptionalTensorIn(TYPES, doc="not supported: null")
    lseForZlossOptional = OptionalTensorIn(TYPES, doc="not supported: null")
    reductionOptional = Text(doc='"none", "mean" or "sum"; null means "mean"')
    ignoreIndex = Int64(doc="target value of rows to ignore, less than C; negative: none")
    labelSmoothing = Double(doc="only 0.0 is supported")
    lseSquareScaleForZloss = Double(doc="only 0.0 is supported")
    out = TensorOut(TYPES, rank=range(2, 3), shape="(N, C)", const=True, doc="gradient of logProb")

    checks = (
        Listed(gradLoss), SameDtype(logProb, gradLoss), Listed(target), SameDtype(out, gradLoss),
        labelled(gradLoss), labelled(logProb), labelled(target), labelled(out),
        Listed(weightOptional, POLICY).answers(TILING, on=Series.A950),
        MustBeNull(gradZlossOptional, POLICY), MustBeNull(lseForZlossOptional, POLICY),
        OneOf(labelSmoothing, 0.0, provenance=POLICY), OneOf(lseSquareScaleForZloss, 0.0, provenance=POLICY),
        OneOf(reductionOptional, "none", "mean", "sum", None, provenance=POLICY).answers(TILING, on=Series.A950),
        Rule("ignoreIndex is less than C", ignores_a_class, ignoreIndex, logProb, provenance=POLICY),
        Rule("logProb has at least one class", has_classes, logProb, status=TILING, provenance=POLICY),
        Empty(out),
        Rank(logProb, status=TILING, provenance=POLICY), Rank(target, status=TILING, provenance=POLICY),
        Rank(weightOptional, status=TILING, provenance=POLICY),
        sized(target, 0, "N"), sized(weightOptional, 1, "C"),
        SameShape(out, logProb, status=TILING, provenance=POLICY),
        Rule(
            'gradLoss has shape (N) for "none", else () or (1)', grad_loss_fits, gradLoss, reductionOptional,
            status=TILING, provenance=POLICY,
        ),
        Rule("logProb has less than 200000 rows", few_rows, logProb, status=TILING, provenance=POLICY),
    )  # fmt: skip


def plan(call: CrossEntropyLossGrad, builder: PlanBuilder) -> None:
    builder.scratch = SYSTEM_WORKSPACE + round_up(4 * builder.soc.vector_cores, 32)
    target = builder.contiguous(call.target)
    inputs = [builder.contiguous(call.gradLoss), builder.contiguous(call.logProb), target]
    if call.weightOptional is not None:
        inputs.append(builder.contiguous(call.weightOptional))
    ignored = call.ignoreIndex if call.ignoreIndex >= 0 else None
    count = call.logProb.shape[1]
    why = f"As ignoreIndex is negative ({call.ignoreIndex}), no target is ignored."
    builder.launch(
        check_range, (target,), (), name="target", count=count, besides=ignored, unheeded=(call.ignoreIndex, why)
    )
    result = builder.alloc(call.out.shape, call.out.dtype)
    builder.launch(cross_entropy_grad, inputs, (result,), reduction=call.reductionOptional or "mean", ignored=ignored)
    builder.view_copy(result, call.out)


def cross_entropy_grad(
    grad: Array, log_prob: Array, target: Array, weight: Array | None = None, *, reduction: str,
    ignored: int | None,
) -> Array:  # fmt: skip
    """exp(logProb) * s, minus s at the target."""
    rows, classes = log_prob.shape
    given = (grad, target) if weight is None else (grad, target, weight)
    s, label, by = of_rows(*given, classes=classes, reduction=reduction, ignored=ignored)
    out = np.exp(log_prob) * s.reshape(-1, 1)
    every = cast("Array", np.arange(rows))
    out[every, label] -= by
    return out


@from_elements
def of_rows(
    grad: Array, target: Array, weight: Array | None = None, *, classes: int, reduction: str, ignored: int | None
) -> tuple[Array, Array, Array]:
    """s, the class, and what is subtracted there, of each row; (mask * loss) first, then the weight, as the contract
    orders them. A target out of range, which is found before, has the class 0, where nothing is subtracted."""
    legal = (target >= 0) & (target < classes)
    label = np.where(legal, target, 0)
    counted = legal if ignored is None else legal & (target != ignored)
    if weight is None:
        omega: Any = np.float32(1)
        weights: Any = np.float32(np.count_nonzero(counted))
    else:
        omega = weight[label]
        weights = np.where(counted, omega, np.float32(0)).sum(dtype=np.float64).astype(np.float32)
    loss: Array = grad / weights if reduction == "mean" else grad
    s: Array = omega * (counted.astype(np.float32) * loss)
    return s, label, np.where(legal, s, np.float32(0))


aclnnCrossEntropyLossGradGetWorkspaceSize, aclnnCrossEntropyLossGrad = two_phase(CrossEntropyLossGrad, plan)
