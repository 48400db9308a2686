"""Figures of aclnnCrossEntropyLossGrad: out = s * exp(logProb), minus s at the target.

The operator's contract: "3. Definition" with its edge rules, "6. Precision", "8. Sample output"."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16

from acl_runtime import *
from acl_runtime import Machine, UndefinedBehaviour
from aclnn import *
from tests.aclnn.ops.case import A3, Meta, board, f16
from tests.aclnn.ops.case_cross_entropy_loss_grad import CROSS_ENTROPY
from tests.helpers.builders import OnDevice, malloc, meta, on_device, plan, run

PAIR = aclnnCrossEntropyLossGradGetWorkspaceSize, aclnnCrossEntropyLossGrad
P = np.array([[0.1, 0.2, 0.7], [0.25, 0.25, 0.5], [0.6, 0.3, 0.1], [0.2, 0.3, 0.5]])
TARGET = (2, 1, 0, 1)
W = np.array([0.5, 2, 1.5], np.float32)


def arguments(
    grad: Any, log_prob: np.ndarray, target: Any, weight: np.ndarray | None, reduction: Any, ignore: int
) -> list[Any]:
    """The call on the device; the last argument is out."""
    log_prob = np.asarray(log_prob)
    grads = on_device(np.asarray(grad, log_prob.dtype))
    weights = None if weight is None else on_device(weight)
    out = on_device(np.full_like(log_prob, 7))
    return [grads, on_device(log_prob), on_device(np.array(target, np.int64)), weights, None, None, reduction, ignore,
            0.0, 0.0, out]  # fmt: skip


def gradient(
    grad: Any, log_prob: Any, target: Any, weight: np.ndarray | None = None, *, reduction: Any = "sum",
    ignore: int = -100,
) -> np.ndarray:  # fmt: skip
    """The operator on dense tensors of logProb's data type."""
    call = arguments(grad, log_prob, target, weight, reduction, ignore)
    run(*PAIR, *call)
    return call[-1].read()


def f32(values: object) -> np.ndarray:
    return np.array(values, np.float32)


# check vectors

ZERO = (0, 0, 0)
VECTORS = [
    ("none", None, -100, [(0.1, 0.2, -0.3), (0.5, -1.5, 1), (0.4, -0.3, -0.1), (0.1, -0.35, 0.25)]),
    ("none", None, 1, [(0.1, 0.2, -0.3), ZERO, (0.4, -0.3, -0.1), ZERO]),
    ("none", W, -100, [(0.15, 0.3, -0.45), (1, -3, 2), (0.2, -0.15, -0.05), (0.2, -0.7, 0.5)]),
    ("none", W, 1, [(0.15, 0.3, -0.45), ZERO, (0.2, -0.15, -0.05), ZERO]),
    ("sum", None, -100, [(0.2, 0.4, -0.6), (0.5, -1.5, 1), (-0.8, 0.6, 0.2), (0.4, -1.4, 1)]),
    ("sum", None, 1, [(0.2, 0.4, -0.6), ZERO, (-0.8, 0.6, 0.2), ZERO]),
    ("sum", W, -100, [(0.3, 0.6, -0.9), (1, -3, 2), (-0.4, 0.3, 0.1), (0.8, -2.8, 2)]),
    ("sum", W, 1, [(0.3, 0.6, -0.9), ZERO, (-0.4, 0.3, 0.1), ZERO]),
    ("mean", None, -100, [(0.05, 0.1, -0.15), (0.125, -0.375, 0.25), (-0.2, 0.15, 0.05), (0.1, -0.35, 0.25)]),
    ("mean", None, 1, [(0.1, 0.2, -0.3), ZERO, (-0.4, 0.3, 0.1), ZERO]),
    ("mean", W, -100, [(0.05, 0.1, -0.15), (1 / 6, -0.5, 1 / 3), (-1 / 15, 0.05, 1 / 60), (2 / 15, -7 / 15, 1 / 3)]),
    ("mean", W, 1, [(0.15, 0.3, -0.45), ZERO, (-0.2, 0.15, 0.05), ZERO]),
]


@pytest.mark.parametrize(
    ("reduction", "weight", "ignore", "rows"),
    VECTORS,
    ids=[
        f"{reduction}-{'weight' if weight is not None else 'plain'}-{ignore}"
        for reduction, weight, ignore, _ in VECTORS
    ],
)
def test_the_check_vectors_are_reproduced(
    machine: Machine, reduction: str, weight: np.ndarray | None, ignore: int, rows: Any
) -> None:
    grad = [1, 2, -1, 0.5] if reduction == "none" else 2
    out = gradient(grad, np.log(P).astype(np.float32), TARGET, weight, reduction=reduction, ignore=ignore)
    np.testing.assert_allclose(out, rows, atol=4e-7)


def test_figures_of_the_documents_sample(machine: Machine) -> None:
    out = gradient(0.1, np.full((2, 3), -0.2, np.float32), (0, 0), np.ones(3, np.float32), reduction="mean")
    printed = [f"{value:f}" for value in out.ravel()]
    assert printed == ["-0.009063", "0.040937", "0.040937"] * 2


# arguments


@pytest.mark.fidelity("aclnnCrossEntropyLossGrad, null reduction")
@pytest.mark.parametrize("reduction", [None, "mean", b"mean"], ids=repr)
def test_null_reduction_means_mean(machine: Machine, reduction: Any) -> None:
    """ "reductionOptional: null means mean"."""
    out = gradient(2, np.zeros((4, 3), np.float32), TARGET, reduction=reduction)
    np.testing.assert_array_equal(out[0], [0.5, 0.5, 0])


@pytest.mark.fidelity("aclnnCrossEntropyLossGrad, gradLoss for mean and sum")
@pytest.mark.parametrize("reduction", ["mean", "sum"])
def test_gradloss_of_one_element_in_one_dimension(machine: Machine, reduction: str) -> None:
    """Accepted for "mean" and "sum" (docs/fidelity.md): public samples pass it; the document asks for 0 dimensions."""
    log_prob = np.log(P).astype(np.float32)
    np.testing.assert_array_equal(
        gradient([2], log_prob, TARGET, reduction=reduction), gradient(2, log_prob, TARGET, reduction=reduction)
    )


@pytest.mark.parametrize("reduction", ["None", "SUM", "mean ", "", "batchmean"])
def test_unknown_reduction_is_161002(machine: Machine, reduction: str) -> None:
    planned = plan(
        PAIR[0],
        meta(()),
        meta((2, 3)),
        meta((2,), ACL_INT64),
        None,
        None,
        None,
        reduction,
        -100,
        0.0,
        0.0,
        meta((2, 3)),
    )
    assert planned.status == ACLNN_ERR_PARAM_INVALID
    assert repr(reduction) in planned.text


def test_an_excluded_value_is_told_with_the_documents_sentence(machine: Machine) -> None:
    """ "doc sentence" (ours)."""
    tensors = meta(()), meta((2, 3)), meta((2,), ACL_INT64)
    planned = plan(PAIR[0], *tensors, None, None, None, "sum", -100, 0.5, 0.0, meta((2, 3)))
    assert planned.status == ACLNN_ERR_PARAM_INVALID
    assert "Value 0.5 for parameter labelSmoothing is invalid. Reason: only 0.0 is supported." in planned.text


@pytest.mark.fidelity("aclnnCrossEntropyLossGrad, labelSmoothing of 1e-60")
@pytest.mark.parametrize("parameter", ["labelSmoothing", "lseSquareScaleForZloss"])
@pytest.mark.parametrize(
    ("value", "status"),
    [(0.0, ACL_SUCCESS), (-0.0, ACL_SUCCESS), (1e-60, ACLNN_ERR_PARAM_INVALID), (-1e-60, ACLNN_ERR_PARAM_INVALID)],
)
def test_a_value_that_a_float_cannot_hold_is_not_0(
    machine: Machine, parameter: str, value: float, status: int
) -> None:  # fmt: skip
    """ "当前仅支持输入0.0", of the double that is passed: narrowed to a float, 1e-60 would be 0."""
    assert np.float32(value) == 0
    assert CROSS_ENTROPY.plan({parameter: value}).status == status


UNCHECKED: dict[str, tuple[dict[str, Any], int]] = {  # what the document demands, and its library does not look at
    "data type of weightOptional": ({"weightOptional": f16(3)}, ACLNN_ERR_PARAM_INVALID),
    "gradZlossOptional": ({"gradZlossOptional": Meta(())}, ACLNN_ERR_PARAM_INVALID),
    "lseForZlossOptional": ({"lseForZlossOptional": Meta((2,))}, ACLNN_ERR_PARAM_INVALID),
    "labelSmoothing": ({"labelSmoothing": 0.5}, ACLNN_ERR_PARAM_INVALID),
    "lseSquareScaleForZloss": ({"lseSquareScaleForZloss": 0.5}, ACLNN_ERR_PARAM_INVALID),
    "an unknown reduction": ({"reductionOptional": "max"}, ACLNN_ERR_PARAM_INVALID),
    "ignoreIndex": ({"ignoreIndex": 3}, ACLNN_ERR_PARAM_INVALID),
    "C of 0": ({"logProb": Meta((2, 0)), "out": Meta((2, 0))}, ACLNN_ERR_INNER_TILING_ERROR),
    "rank of logProb": ({"logProb": Meta((2, 3, 1))}, ACLNN_ERR_INNER_TILING_ERROR),
    "rank of target": ({"target": Meta((2, 1), ACL_INT64)}, ACLNN_ERR_INNER_TILING_ERROR),
    "rank of weightOptional": ({"weightOptional": Meta((3, 1))}, ACLNN_ERR_INNER_TILING_ERROR),
    "shape of out": ({"out": Meta((3, 2))}, ACLNN_ERR_INNER_TILING_ERROR),
    "shape of gradLoss": ({"gradLoss": Meta((2,))}, ACLNN_ERR_INNER_TILING_ERROR),
    "N": (
        {"logProb": Meta((200_000, 3)), "target": Meta((200_000,), ACL_INT64), "out": Meta((200_000, 3))},
        ACLNN_ERR_INNER_TILING_ERROR,
    ),
}


@pytest.mark.fidelity("aclnnCrossEntropyLossGrad: what its A2/A3 library does not check")
@pytest.mark.parametrize(("changes", "status"), UNCHECKED.values(), ids=UNCHECKED)
def test_what_the_library_does_not_check(machine: Machine, changes: dict[str, Any], status: int) -> None:
    """Values are refused with the status of a parameter, shapes with that of the kernel that cannot be planned."""
    assert CROSS_ENTROPY.plan(changes).status == status


@pytest.mark.parametrize("n", [1, 199_999])
def test_1_to_199999_rows_are_allowed(machine: Machine, n: int) -> None:
    """ "N < 200000"."""
    tensors = meta(()), meta((n, 3)), meta((n,), ACL_INT64)
    planned = plan(PAIR[0], *tensors, None, None, None, "sum", -100, 0.0, -0.0, meta((n, 3)))
    assert planned.status == ACL_SUCCESS


# ignoreIndex


def test_ignored_row_is_zero_and_does_not_count(machine: Machine) -> None:
    """ "ignoreIndex >= 0: excluded from the mean denominator, its weight included nowhere"."""
    out = gradient(3, np.zeros((3, 2), np.float32), (0, 1, 0), f32([1, 100]), reduction="mean", ignore=1)
    np.testing.assert_array_equal(out, [[0, 1.5], [0, 0], [0, 1.5]])


def test_zeros_of_an_ignored_row_have_the_sign_of_the_loss(machine: Machine) -> None:
    """ "If L < 0 the entries are -0 except the target entry (+0)"."""
    out = gradient(-1, np.zeros((2, 3), np.float32), (1, 0), ignore=1)
    assert np.signbit(out[0]).tolist() == [True, False, True]
    out = gradient(1, np.zeros((2, 3), np.float32), (1, 0), ignore=1)
    assert not np.signbit(out[0]).any()


@pytest.mark.parametrize(
    ("ignore", "status"),
    [(2, ACL_SUCCESS), (3, ACLNN_ERR_PARAM_INVALID), (4, ACLNN_ERR_PARAM_INVALID), (2**63 - 1, ACLNN_ERR_PARAM_INVALID),
     (-1, ACL_SUCCESS), (-(2**63), ACL_SUCCESS)],
)  # fmt: skip
def test_ignoreindex_is_less_than_c(machine: Machine, ignore: int, status: int) -> None:
    """ "数值必须小于C，当小于零时视为无忽略标签": for 3 classes at most 2."""
    call = arguments(1, np.zeros((2, 3), np.float32), (0, 1), None, "mean", ignore)
    planned = plan(PAIR[0], *call)
    assert planned.status == status
    if status:
        assert f"Value {ignore} for parameter ignoreIndex is invalid. Reason: it must be less than C." in planned.text
        assert "allowed: below 3, as logProb has 3 classes" in planned.text


def test_ignoreindex_that_no_row_has(machine: Machine) -> None:
    out = gradient(1, np.zeros((2, 3), np.float32), (0, 0), reduction="mean", ignore=2)
    np.testing.assert_array_equal(out, [[0, 0.5, 0.5]] * 2)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float16, bfloat16], ids=lambda dtype: np.dtype(dtype).name)
def test_all_rows_ignored_is_nan_for_mean(machine: Machine, dtype: Any, weighted: bool) -> None:
    """ "Mean, sum of m * w = 0: no guard [...] all rows ignored: every element of out is NaN (0 * Inf)"."""
    weight = np.ones(3, np.float32) if weighted else None
    out = gradient(1, np.zeros((2, 3), dtype), (1, 1), weight, reduction="mean", ignore=1)
    assert np.isnan(out.astype(np.float32)).all()
    assert not gradient(1, np.zeros((2, 3), dtype), (1, 1), weight, reduction="sum", ignore=1).any()


def test_all_weights_zero_is_nan_for_mean(machine: Machine) -> None:
    """ "All selected weights 0: every element of out is NaN"."""
    out = gradient(1, np.zeros((2, 3), np.float32), (1, 1), f32([1, 0, 1]), reduction="mean")
    assert np.isnan(out).all()


def test_weights_that_cancel_give_inf_and_nan(machine: Machine) -> None:
    """ "If non-zero weights cancel to 0: s = +-Inf, row = +-Inf where exp > 0, target element NaN"."""
    out = gradient(1, np.zeros((2, 3), np.float32), (0, 1), f32([1, -1, 5]), reduction="mean")
    np.testing.assert_array_equal(out, [[np.nan, np.inf, np.inf], [-np.inf, np.nan, -np.inf]])


def test_negative_weights_are_allowed(machine: Machine) -> None:
    out = gradient(1, np.zeros((1, 2), np.float32), (0,), f32([-2, 1]), reduction="sum")
    np.testing.assert_array_equal(out, [[0, -2]])


@pytest.mark.parametrize("value", [np.inf, np.nan])
def test_ignored_row_with_infinite_loss_or_weight_is_nan(machine: Machine, value: float) -> None:
    """ "If L or weight[t] is Inf/NaN the row is NaN"."""
    zero = np.zeros((2, 2), np.float32)
    assert np.isnan(gradient([value, 1], zero, (1, 0), reduction="none", ignore=1)[0]).all()
    assert np.isnan(gradient(1, zero, (1, 0), f32([1, value]), ignore=1)[0]).all()


def test_an_ignored_row_is_masked_before_its_weight_multiplies(machine: Machine) -> None:
    """ "(m * L) first, then * weight": 0 * 1e10, although 1e38 * 1e10 is Inf."""
    out = gradient([1e38, 1], np.zeros((2, 2), np.float32), (1, 0), f32([1, 1e10]), reduction="none", ignore=1)
    np.testing.assert_array_equal(out, [[0, 0], [0, 1]])


def test_nan_and_inf_of_logprob(machine: Machine) -> None:
    """exp(-Inf) = 0 gives 0; exp(Inf) = Inf gives Inf, and NaN in an ignored row."""
    log_prob = f32([[-np.inf, np.inf, np.nan, 0], [np.inf, 0, 0, 0]])
    out = gradient(2, log_prob, (3, 1), ignore=1)
    np.testing.assert_array_equal(out, [[0, np.inf, np.nan, 0], [np.nan, 0, 0, 0]])


# precision


def test_the_loss_is_divided_before_the_weight_multiplies(machine: Machine) -> None:
    """ "(m * L) first, then * weight": fl(fl(1/6) * 5) is one bit above fl(5/6)."""
    out = gradient(1, np.zeros((2, 2), np.float32), (0, 1), f32([5, 1]), reduction="mean")
    assert hex(out[0, 1].view(np.uint32)) == "0x3f555556"
    assert hex(np.float32(5 / 6).view(np.uint32)) == "0x3f555555"


def test_the_subtraction_comes_after_the_product(machine: Machine) -> None:
    """ "Two roundings, not a difference of factors"."""
    log_prob = np.full((1, 2), -33 / 64, np.float32)
    p = gradient(1, log_prob, (0,))[0, 1]
    s = np.float32(1.7)
    found = gradient(s, log_prob, (0,))[0, 0]
    assert found == p * s - s
    assert found != s * (p - np.float32(1))


@pytest.mark.parametrize("dtype", [np.float16, bfloat16], ids=lambda dtype: np.dtype(dtype).name)
def test_16_bit_is_computed_in_float_and_rounded_once(machine: Machine, dtype: Any) -> None:
    rng = np.random.default_rng(6)
    log_prob = rng.uniform(-6, 0, (40, 7)).astype(np.float32).astype(dtype)
    target = rng.integers(0, 7, 40)
    out = gradient(np.asarray(0.7, np.float32).astype(dtype), log_prob, target)
    in_float = gradient(
        np.asarray(0.7, np.float32).astype(dtype).astype(np.float32), log_prob.astype(np.float32), target
    )
    np.testing.assert_array_equal(out, in_float.astype(dtype))


def test_weight_is_float_whatever_the_others_are(machine: Machine) -> None:
    """1/3 is no float16: the weight is not narrowed."""
    out = gradient(np.float16(300), np.zeros((1, 2), np.float16), (0,), f32([1 / 3, 1]))
    np.testing.assert_array_equal(out, [[0, np.float16(np.float32(300) * np.float32(1 / 3))]])


# target out of range

BAD = {"negative": -1, "C": 3, "beyond-32-bits": 2**40, "beyond-float": -(2**62)}


@pytest.mark.fidelity("a target or index out of range")
@pytest.mark.parametrize("value", BAD.values(), ids=BAD)
@pytest.mark.parametrize("weighted", [False, True])
def test_a_target_out_of_range_is_index_range(machine: Machine, value: int, weighted: bool) -> None:
    """Finding index-range: "position, value, legal range"; it shows when the task runs."""
    call = arguments(1, np.zeros((3, 3), np.float32), (0, 2, value), W if weighted else None, "sum", -100)
    planned = plan(PAIR[0], *call)
    workspace = malloc(planned.workspace_size)
    assert PAIR[1](workspace, planned.workspace_size, planned.executor, None) == ACL_SUCCESS
    with pytest.raises(UndefinedBehaviour) as caught:
        aclrtSynchronizeStream(None)
    assert caught.value.finding.id == "index-range"
    assert f"target[2] is {value}, legal values are 0 to 2" in caught.value.finding.message


@pytest.mark.fidelity("aclnnCrossEntropyLossGrad, negative ignoreIndex")
def test_negative_ignoreindex_ignores_nothing(machine: Machine) -> None:
    """ "ignoreIndex < 0: nothing is ignored, and target must be in [0, C)": not even a target that equals it."""
    call = arguments(1, np.zeros((2, 3), np.float32), (-100, 0), None, "sum", -100)
    with pytest.raises(UndefinedBehaviour, match=r"target\[0\] is -100") as caught:
        run(*PAIR, *call)
    assert caught.value.finding.what.endswith("As ignoreIndex is negative (-100), no target is ignored.")


def test_a_target_that_nobody_meant_to_ignore(machine: Machine) -> None:
    """The good twin of the text: ignoreIndex has nothing to do with it."""
    with pytest.raises(UndefinedBehaviour, match=r"target\[0\] is 3") as caught:
        run(*PAIR, *arguments(1, np.zeros((2, 3), np.float32), (3, 0), None, "sum", -100))
    assert "ignoreIndex" not in caught.value.finding.what


@pytest.mark.fidelity("a target or index out of range")
@pytest.mark.parametrize("reduction", ["none", "sum"])
def test_target_out_of_range_in_a_machine_that_reports(reduction: str) -> None:
    """ "In report mode the element is dropped and the next synchronise returns 507035"."""
    with board(on_undefined="report") as machine:
        call = arguments(
            [1, 1, 1] if reduction == "none" else 1, np.zeros((3, 3), np.float32), (0, 7, 2), None, reduction, -100
        )
        planned = plan(PAIR[0], *call)
        workspace = malloc(planned.workspace_size)
        assert PAIR[1](workspace, planned.workspace_size, planned.executor, None) == ACL_SUCCESS
        assert aclrtSynchronizeStream(None) == ACL_ERROR_RT_VECTOR_CORE_EXCEPTION
        assert "target[1] is 7" in (aclGetRecentErrMsg() or "")
        assert [finding.id for finding in machine.findings] == ["index-range"]
        assert aclrtSynchronizeStream(None) == ACL_SUCCESS
        out: OnDevice = call[-1]
        np.testing.assert_array_equal(out.read()[[0, 2]], [[0, 1, 1], [1, 1, 0]])


# tensors


def test_a3_computes_as_a2(machine: Machine) -> None:
    log_prob = np.log(P).astype(np.float32)
    here = gradient(2, log_prob, TARGET, W, reduction="mean")
    with board(A3):
        there = gradient(2, log_prob, TARGET, W, reduction="mean")
    assert here.tobytes() == there.tobytes()


@pytest.mark.fidelity("a strided out of aclnnCrossEntropyLossGrad")
def test_strided_output_is_written_through_its_strides(machine: Machine) -> None:
    """ "Strided outputs are written through their strides, bytes outside the view stay untouched": here too."""
    log_prob = np.log(P).astype(np.float32)
    call = arguments(2, log_prob, TARGET, W, "mean", -100)
    call[-1] = out = on_device(np.zeros((4, 3), np.float32), strides=(1, 5), offset=3, tail=2)
    run(*PAIR, *call)
    assert out.read().tobytes() == gradient(2, log_prob, TARGET, W, reduction="mean").tobytes()
    outside = np.ones(out.storage.shape, bool)
    out.view(outside)[...] = False
    assert (out.read_storage()[outside] == 7).all()


def test_empty_batch_writes_nothing(machine: Machine) -> None:
    """ "N = 0 (or any empty out): success, workspace 0, nothing launched"."""
    call = arguments(1, np.zeros((0, 3), np.float32), (), W, "mean", -100)
    assert plan(PAIR[0], *call).workspace_size == 0
    run(*PAIR, *call)
    assert machine.findings == []
