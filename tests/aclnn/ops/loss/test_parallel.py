"""Cross entropies of a parallel vocabulary: rules that no table has."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.case import A950, Meta
from tests.helpers.refusals import Mistake, answer, assert_in_order, assert_order, assert_refused

INVALID, NULL = ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR


def test_two_devices_have_the_loss_of_all_classes() -> None:
    """Each device has 8 classes. Their sums are added up, as a program does by communication."""
    generator = np.random.default_rng(5)
    logits, labels = generator.standard_normal((3, 16)).astype(np.float32), np.array([1, 8, 15], np.int32)
    most, sums, predicted = logits.max(1), np.zeros(3, np.float32), np.zeros(3, np.float32)
    with Machine(A950):
        for start in (0, 8):
            rows = np.empty(3, np.float32)
            found = run(
                aclnnCrossEntropySumExpAndIndexLogit, logits[:, start : start + 8], labels, most, start, start + 8,
                rows, rows.copy(), np.empty((3, 8), np.float32), np.empty(3, np.int32), np.empty(3, np.int32),
            )  # fmt: skip
            predicted += found[0]
            sums += found[1]
            np.testing.assert_array_equal(found[4], (labels < start) | (labels >= start + 8))
        loss, softmax = run(
            aclnnFusedCrossEntropyLossWithMaxSum, most, sums, predicted, 0.0, None, None, logits[:, :8],
            np.empty(3, np.float32), np.empty((3, 8), np.float32),
        )  # fmt: skip
    powers = np.exp(logits.astype(np.float64))
    chances = powers / powers.sum(1, keepdims=True)
    np.testing.assert_allclose(loss, -np.log(chances[np.arange(3), labels]), rtol=1e-5)
    np.testing.assert_allclose(softmax, chances[:, :8], rtol=1e-5)


ROWS = Meta((2,), ACL_INT32)
SHARE: dict[str, Any] = {
    "vocabParallelLogits": Meta((2, 16)), "target": ROWS, "globalLogitsMax": Meta((2,)), "vocabStartIndex": 2,
    "vocabEndIndex": 18, "predictedLogitsOut": Meta((2,)), "sumExpLogitsOut": Meta((2,)),
    "expLogitsOut": Meta((2, 16)), "targetOffsetOut": ROWS, "targetMaskOut": ROWS,
}  # fmt: skip


@pytest.mark.fidelity("the checks of aclnnCrossEntropySumExpAndIndexLogit")
def test_refusals_of_the_share_come_in_order() -> None:
    mistakes = [
        Mistake("target is null", NULL, "target", target=None),
        Mistake("rank", INVALID, "vocabParallelLogits", vocabParallelLogits=Meta((16,))),
        Mistake("shape of target", INVALID, "target", target=Meta((3,), ACL_INT32)),
        Mistake("shape of globalLogitsMax", INVALID, "globalLogitsMax", globalLogitsMax=Meta((3,))),
        Mistake("no class", INVALID, "vocabStartIndex", vocabStartIndex=18),
        Mistake("classes", INVALID, "vocabParallelLogits", vocabEndIndex=19),
        Mistake("type of logits", INVALID, "vocabParallelLogits", vocabParallelLogits=Meta((2, 16), ACL_FLOAT16)),
        Mistake("type of target", INVALID, "target", target=Meta((2,), ACL_INT64)),
        Mistake("shape of expLogits", INVALID, "expLogitsOut", expLogitsOut=Meta((2, 8))),
    ]
    assert_in_order(aclnnCrossEntropySumExpAndIndexLogitGetWorkspaceSize, SHARE, mistakes[:1], A950)
    for one in mistakes:
        assert_refused(aclnnCrossEntropySumExpAndIndexLogitGetWorkspaceSize, SHARE, one, A950)


@pytest.mark.parametrize("rows", [(2, 12), (0, 16)], ids=["part of a block", "no rows"])
def test_rows_of_logits(rows: tuple[int, int]) -> None:
    count = rows[0]
    changes = {
        name: Meta(rows if "Logits" in name and len(each.shape) == 2 else (count,), each.dtype)
        for name, each in SHARE.items() if isinstance(each, Meta)
    }  # fmt: skip
    good = {**SHARE, **changes, "vocabEndIndex": 2 + rows[1]}
    mistake = Mistake("rows", INVALID, "vocabParallelLogits")
    if rows == (2, 12):  # 48 bytes
        good["vocabParallelLogits"], good["globalLogitsMax"] = Meta(rows, ACL_BF16), Meta((2,), ACL_BF16)
    assert_refused(aclnnCrossEntropySumExpAndIndexLogitGetWorkspaceSize, good, mistake, A950)


LOSS: dict[str, Any] = {
    "logitsMax": Meta((3,)), "sumExpLogits": Meta((3,)), "predictedLogits": Meta((3,)), "labelSmoothing": 0.0,
    "inputOptional": None, "weightOptional": None, "vocabParallelLogitsOptional": Meta((3, 4)), "lossOut": Meta((3,)),
    "softMaxOutOptional": Meta((3, 4)),
}  # fmt: skip


def test_refusals_of_the_loss_come_in_order() -> None:
    mistakes = [
        Mistake("logitsMax is null", NULL, "logitsMax", logitsMax=None),
        Mistake("no softMaxOut beside logits", NULL, "softMaxOutOptional", softMaxOutOptional=None),
        Mistake("type of logitsMax", INVALID, "logitsMax", logitsMax=Meta((3,), ACL_FLOAT16)),
        Mistake("type of logits", INVALID, "vocabParallelLogitsOptional",
                vocabParallelLogitsOptional=Meta((3, 4), ACL_INT32)),
        Mistake("rank of logitsMax", INVALID, "logitsMax", logitsMax=Meta((3, 1))),
        Mistake("shape of sumExpLogits", INVALID, "sumExpLogits", sumExpLogits=Meta((4,))),
        Mistake("rows of logits", INVALID, "vocabParallelLogitsOptional", vocabParallelLogitsOptional=Meta((4, 4))),
        Mistake("label smoothing", INVALID, "labelSmoothing", labelSmoothing=0.5),
    ]  # fmt: skip
    assert_order(aclnnFusedCrossEntropyLossWithMaxSumGetWorkspaceSize, LOSS, mistakes)


def test_without_logits_there_is_no_softmax() -> None:
    found = answer(aclnnFusedCrossEntropyLossWithMaxSumGetWorkspaceSize, LOSS, {
        "vocabParallelLogitsOptional": None, "softMaxOutOptional": None,
    })  # fmt: skip
    assert found.status == ACL_SUCCESS, found.text
