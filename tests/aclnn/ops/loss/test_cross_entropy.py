"""CrossEntropyLoss: values row by row with math.fsum, ignored rows, refusals in their order."""

from __future__ import annotations

from math import exp, fsum, log, nan
from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16

from acl_runtime import *
from acl_runtime import Machine, UndefinedBehaviour
from aclnn import *
from aclnn.testing import run
from tests.helpers.refusals import Mistake, Of, pairs, planned_with, rules

FIRST = aclnnCrossEntropyLossGetWorkspaceSize
INVALID, NULL, TILING = ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_INNER_TILING_ERROR
STEP = {np.float32: 2.0**-22, np.float16: 2.0**-11, bfloat16: 2.0**-8}
IGNORED = -100


def loss(
    x: np.ndarray, target: Any, weight: np.ndarray | None = None, reduction: str | None = "mean",
    ignored: int = IGNORED, smoothing: float = 0.0,
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """lossOut and logProbOut."""
    rows = x.shape[0]
    one = rows if reduction == "none" else 1
    outputs = [np.empty(shape, x.dtype) for shape in (one, x.shape, one, rows)]
    labels = np.asarray(target, np.int64)
    found = run(aclnnCrossEntropyLoss, x, labels, weight, reduction, ignored, smoothing, 0.0, False, *outputs)
    return found[0], found[1]


def exact(
    x: np.ndarray, target: Any, weight: np.ndarray | None, reduction: str, ignored: int, smoothing: float
) -> tuple[Any, np.ndarray]:
    """The definition, row by row."""
    classes = x.shape[1]
    log_prob, losses, weights = np.zeros(x.shape), [], []
    w = [1.0] * classes if weight is None else [float(each) for each in weight]
    for row, label in enumerate(target):
        values = [float(each) for each in x[row]]
        whole = fsum(exp(each - max(values)) for each in values)
        log_prob[row] = [each - max(values) - log(whole) for each in values]
        if label == ignored:
            losses.append(0.0)
            continue
        smooth = -fsum(each * value for each, value in zip(w, log_prob[row], strict=True))
        losses.append((1 - smoothing) * -w[label] * log_prob[row][label] + smoothing / classes * smooth)
        weights.append(w[label])
    if reduction == "none":
        return np.array(losses), log_prob
    return fsum(losses) / (fsum(weights) if reduction == "mean" else 1), log_prob


@pytest.mark.parametrize("dtype", STEP, ids=lambda each: np.dtype(each).name)
@pytest.mark.parametrize("reduction", ["none", "sum", "mean"])
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weight"])
@pytest.mark.parametrize("smoothing", [0.0, 0.3, 1.0], ids=str)
@pytest.mark.parametrize("ignored", [IGNORED, 2])
def test_values_follow_the_definition(
    machine: Machine, dtype: Any, reduction: str, weighted: bool, smoothing: float, ignored: int
) -> None:  # fmt: skip
    rng = np.random.default_rng(21)
    x = (rng.standard_normal((7, 5)) * 3).astype(dtype)
    target = rng.integers(0, 5, 7)
    target[0] = ignored
    weight = rng.uniform(0.2, 2, 5).astype(np.float32) if weighted else None
    found, log_prob = loss(np.asfortranarray(x), target, weight, reduction, ignored, smoothing)
    wanted, logs = exact(x, target, weight, reduction, ignored, smoothing)
    bound = STEP[dtype] * 10
    np.testing.assert_allclose(log_prob.astype(np.float64), logs, atol=bound, rtol=bound)
    np.testing.assert_allclose(found.astype(np.float64), np.broadcast_to(wanted, found.shape), atol=bound, rtol=bound)


def test_null_reduction_means_mean(machine: Machine) -> None:
    x = np.arange(6, dtype=np.float32).reshape(2, 3) ** 2
    np.testing.assert_array_equal(loss(x, [0, 1], reduction=None)[0], loss(x, [0, 1], reduction="mean")[0])


def test_the_mean_of_ignored_rows_is_nan_and_their_sum_0(machine: Machine) -> None:
    """ "0/0 -> NaN when all rows ignored"; logProbOut is written for ignored rows too."""
    x = np.zeros((2, 4), np.float32)
    found, log_prob = loss(x, [IGNORED] * 2)
    np.testing.assert_array_equal(found, nan)
    np.testing.assert_allclose(log_prob, log(0.25), rtol=1e-6)
    np.testing.assert_array_equal(loss(x, [IGNORED] * 2, reduction="sum")[0], 0)


def test_an_infinite_loss_of_an_ignored_row_does_not_count(machine: Machine) -> None:
    x = np.array([[0, -np.inf], [0, 0]], np.float32)
    np.testing.assert_allclose(loss(x, [1, 0], ignored=1)[0], log(2), rtol=1e-6)
    np.testing.assert_array_equal(loss(x, [1, 0], reduction="none")[0][0], np.inf)


@pytest.mark.parametrize("label", [-1, 3], ids=str)
def test_a_target_out_of_range_is_found_when_it_is_read(machine: Machine, label: int) -> None:
    legal = rf"target\[1\] is {label}, legal values are 0 to 2, or -100"
    with pytest.raises(UndefinedBehaviour, match=legal) as caught:
        loss(np.zeros((2, 3), np.float32), [0, label])
    assert caught.value.finding.id == "index-range"


def test_zloss_outputs_are_not_written(machine: Machine) -> None:
    x = np.zeros((2, 3), np.float32)
    found = run(
        aclnnCrossEntropyLoss, x, np.zeros(2, np.int64), None, "mean", IGNORED, 0.0, 1.0, True,
        *(np.empty(shape, np.float32) for shape in (1, (2, 3), 1, 2)),
    )  # fmt: skip
    assert np.isnan(found[2]).all()  # as fresh device memory is
    assert np.isnan(found[3]).all()


def test_large_inputs_have_the_values_of_their_rows(machine: Machine) -> None:
    rng = np.random.default_rng(22)
    x, target = rng.standard_normal((800, 700)).astype(np.float32), rng.integers(0, 700, 800)
    found, log_prob = loss(x, target, reduction="none")
    for row in (0, 400, 799):
        one, logs = loss(x[row : row + 1], target[row : row + 1], reduction="none")
        assert found[row] == one
        np.testing.assert_array_equal(log_prob[row], logs[0])


GOOD: dict[str, Any] = {
    "input": Of((4, 3)), "target": Of((4,), ACL_INT64), "weightOptional": Of((3,)), "reductionOptional": "mean",
    "ignoreIndex": IGNORED, "labelSmoothing": 0.0, "lseSquareScaleForZloss": 0.0, "returnZloss": False,
    "lossOut": Of((1,)), "logProbOut": Of((4, 3)), "zlossOut": Of((1,)), "lseForZlossOut": Of((4,)),
}  # fmt: skip
OUTPUTS = ("lossOut", "logProbOut", "zlossOut", "lseForZlossOut")
MISTAKES = [
    *(Mistake(f"{name} is null", NULL, name, **{name: None}) for name in ("input", "target", *OUTPUTS)),
    Mistake("input has a type of the list", INVALID, "input", input=Of((4, 3), ACL_DOUBLE)),
    Mistake("target is INT64", INVALID, "target", target=Of((4,), ACL_INT32)),
    Mistake("weight is FLOAT", INVALID, "weightOptional", weightOptional=Of((3,), ACL_FLOAT16)),
    *(
        Mistake(f"{name} has the type of input", INVALID, name, **{name: Of(GOOD[name].shape, ACL_FLOAT16)})
        for name in OUTPUTS
    ),
    Mistake("reduction is one of three", TILING, "reductionOptional", reductionOptional="MEAN"),
    Mistake("labelSmoothing is not negative", TILING, "labelSmoothing", labelSmoothing=-0.1),
    Mistake("labelSmoothing is at most 1", TILING, "labelSmoothing", labelSmoothing=1.5),
    Mistake("labelSmoothing is no NaN", TILING, "labelSmoothing", labelSmoothing=nan),
    Mistake("input has 2 dimensions", TILING, "input", input=Of((4,))),
    Mistake("target has 1 dimension", TILING, "target", target=Of((4, 1), ACL_INT64)),
    Mistake("weight has 1 dimension", TILING, "weightOptional", weightOptional=Of((1, 3))),
    Mistake("there is a class", TILING, "input", input=Of((4, 0))),
    Mistake("target has N elements", TILING, "target", target=Of((5,), ACL_INT64)),
    Mistake("weight has C elements", TILING, "weightOptional", weightOptional=Of((4,))),
    Mistake("a mean has one element in one dimension", TILING, "lossOut", lossOut=Of(())),
    Mistake("logProbOut has the shape of input", TILING, "logProbOut", logProbOut=Of((3, 4))),
]


@pytest.mark.parametrize("mistake", MISTAKES, ids=rules)
def test_refusals(machine: Machine, mistake: Mistake) -> None:
    assert planned_with(FIRST, GOOD).status == ACL_SUCCESS
    if mistake.status != NULL:
        mistake.found(FIRST, GOOD)
        return
    planned = planned_with(FIRST, GOOD | mistake.changes)
    assert planned.status == NULL
    assert f"Check {mistake.parameter} != nullptr failed" in planned.text


def test_refusals_come_in_order(machine: Machine) -> None:
    for pair in pairs([each for each in MISTAKES if each.status != NULL]):
        one, other = pair.values
        one.found(FIRST, GOOD, other)


@pytest.mark.parametrize(("reduction", "shape"), [("none", (1,)), ("none", (4, 1)), ("sum", (4,)), ("mean", ())])
def test_the_shape_of_the_loss_follows_the_reduction(machine: Machine, reduction: str, shape: Any) -> None:
    changes = {"reductionOptional": reduction, "lossOut": Of(shape)}
    Mistake("", TILING, "lossOut", **changes).found(FIRST, GOOD)


def test_it_computes_on_products_that_no_document_lists() -> None:
    """An everyday operator (ours), although the registrations of its kernels leave Atlas inference products out."""
    with Machine(soc="Ascend310P3"):
        aclrtSetDevice(0)
        assert planned_with(FIRST, GOOD).status == ACL_SUCCESS
