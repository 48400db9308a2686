"""The order of the checks that the five documents state, and the words of the library."""

from __future__ import annotations

import re

import pytest

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.objects.executor_life import Family
from tests.aclnn.ops.case import A2, TRAINING, Case, Changes, Meta, board, call_with_null, f16, f32, i64
from tests.aclnn.ops.cases import BATCH_NORM, CROSS_ENTROPY, EMBEDDING, PRELU, SOFTMAX

NULLPTR = ACLNN_ERR_PARAM_NULLPTR
INVALID = ACLNN_ERR_PARAM_INVALID
TILING = ACLNN_ERR_INNER_TILING_ERROR
PLAN = ACLNN_ERR_INNER_NULLPTR

NINE = f32(*[1] * 9)
DOUBLE = Meta((4, 2), ACL_DOUBLE)
ORDER = {  # what the contracts state: (operator, changes, status, who is named)
    "null-before-data-types": (SOFTMAX, {"gradOutput": DOUBLE, "out": None}, NULLPTR, "out"),
    "softmax-empty-before-data-types": (SOFTMAX, {"gradOutput": Meta((0, 2), ACL_INT8), "dim": 9}, ACL_SUCCESS, ""),
    "softmax-null-before-empty": (SOFTMAX, {"gradOutput": f32(0, 2), "out": None}, NULLPTR, "out"),
    "softmax-gradoutput-before-output": (
        SOFTMAX, {"gradOutput": DOUBLE, "output": Meta((4, 2), ACL_INT32)}, INVALID, "gradOutput"
    ),
    "softmax-list-before-equality": (SOFTMAX, {"output": DOUBLE}, INVALID, "not implemented for DT_DOUBLE"),
    "softmax-data-types-before-dim": (SOFTMAX, {"output": f16(4, 2), "dim": 5}, INVALID, "parameter: output"),
    "softmax-dim-before-rank": (SOFTMAX, {"gradOutput": NINE, "dim": 9}, INVALID, "parameter: dim"),
    "softmax-rank-before-shapes": (SOFTMAX, {"gradOutput": NINE}, INVALID, "parameter: gradOutput"),
    "softmax-output-before-out": (SOFTMAX, {"output": f32(3), "out": f32(3)}, INVALID, "parameter: output"),
    "prelu-null-before-data-types": (PRELU, {"self": DOUBLE, "gradWeight": None}, NULLPTR, "gradWeight"),
    "prelu-data-types-before-ranks": (
        PRELU, {"gradWeight": f16(3), "gradOutput": NINE}, INVALID, "parameter: gradWeight"
    ),
    "prelu-self-before-others": (PRELU, {"self": DOUBLE, "gradOutput": f16(2, 3)}, INVALID, "parameter: self"),
    "prelu-ranks-before-shapes": (
        PRELU, {"gradWeight": NINE, "gradInput": f32(3, 2)}, INVALID, "parameter: gradWeight"
    ),
    "prelu-gradinput-before-weight": (
        PRELU, {"gradInput": f32(3, 2), "weight": f32(2)}, INVALID, "parameter: gradInput"
    ),
    "prelu-weight-before-gradweight": (PRELU, {"weight": f32(2), "gradWeight": f32(2)}, INVALID, "parameter: weight"),
    "prelu-gradweight-before-broadcast": (
        PRELU, {"gradWeight": f32(2), "gradOutput": f32(5, 5)}, INVALID, "parameter: gradWeight"
    ),
    "prelu-every-check-before-empty": (
        PRELU, {"self": f32(0, 3), "gradInput": f32(0, 3), "gradOutput": f32(2, 3)}, INVALID, "parameter: gradOutput"
    ),
    "batch-norm-null-before-format": (
        BATCH_NORM, {"sumDyXmu": None, "gradOut": f32(4, 2, format=ACL_FORMAT_NC1HWC0)}, NULLPTR, "sumDyXmu"
    ),
    "batch-norm-equal-types-before-outputs": (
        BATCH_NORM, {"gradOut": f16(4, 2), "sumDy": Meta((2,), ACL_DOUBLE)}, INVALID, "parameter: gradOut"
    ),
    "batch-norm-data-types-before-formats": (
        BATCH_NORM,
        {"gradBias": Meta((2,), ACL_DOUBLE), "gradOut": f32(4, 2, format=ACL_FORMAT_NCHW)},
        INVALID, "parameter: gradBias",
    ),
    "batch-norm-formats-before-ranks": (
        BATCH_NORM, {"gradBias": f32(2, format=ACL_FORMAT_FRACTAL_Z), "input": NINE}, INVALID, "parameter: gradBias"
    ),
    "batch-norm-channels-before-outputs": (
        BATCH_NORM, {"input": f32(4, 0), "gradOut": f32(4, 0), "sumDy": f32(3)}, INVALID, "parameter: input"
    ),
    "batch-norm-channels-before-empty": (
        BATCH_NORM, {"input": f32(0, 0), "gradOut": f32(0, 0)}, INVALID, "parameter: input"
    ),
    "batch-norm-outputs-before-empty": (
        BATCH_NORM, {"input": f32(0, 2), "gradOut": f32(0, 2), "gradBias": f32(3)}, INVALID, "parameter: gradBias"
    ),
    "cross-entropy-null-before-data-types": (
        CROSS_ENTROPY, {"gradLoss": Meta((), ACL_DOUBLE), "out": None}, NULLPTR, "out"
    ),
    "cross-entropy-copies-before-data-types": (
        CROSS_ENTROPY, {"gradLoss": Meta((), ACL_DOUBLE), "target": Meta((2,), ACL_INT64, strides=(2,))}, PLAN, "target"
    ),
    "cross-entropy-data-types-before-labels": (
        CROSS_ENTROPY, {"out": f16(2, 3), "gradLoss": f32(format=ACL_FORMAT_NDHWC)}, INVALID, "found: DT_FLOAT16"
    ),
    "cross-entropy-values-before-classes": (
        CROSS_ENTROPY, {"reductionOptional": "max", "logProb": f32(2, 0)}, INVALID, "parameter: reductionOptional"
    ),
    "cross-entropy-reduction-before-ignoreindex": (
        CROSS_ENTROPY, {"reductionOptional": "max", "ignoreIndex": 3}, INVALID, "parameter: reductionOptional"
    ),
    "cross-entropy-ignoreindex-before-classes": (
        CROSS_ENTROPY, {"ignoreIndex": 0, "logProb": f32(2, 0)}, INVALID, "parameter: ignoreIndex"
    ),
    "cross-entropy-ignoreindex-before-empty": (
        CROSS_ENTROPY, {"ignoreIndex": 3, "out": f32(0, 3)}, INVALID, "parameter: ignoreIndex"
    ),
    "cross-entropy-ignoreindex-before-ranks": (
        CROSS_ENTROPY, {"ignoreIndex": 1, "logProb": f32(2, 3, 1)}, INVALID, "parameter: ignoreIndex"
    ),
    "cross-entropy-classes-before-empty": (
        CROSS_ENTROPY, {"logProb": f32(2, 0), "out": f32(2, 0)}, TILING, "parameter: logProb"
    ),
    "cross-entropy-data-types-before-empty": (
        CROSS_ENTROPY, {"out": Meta((0, 3), ACL_FLOAT16)}, INVALID, "parameter: out"
    ),
    "cross-entropy-empty-before-shapes": (CROSS_ENTROPY, {"out": f32(0, 3), "target": i64(9, 9)}, ACL_SUCCESS, ""),
    "embedding-null-before-data-types": (EMBEDDING, {"grad": Meta((2, 3), ACL_DOUBLE), "out": None}, NULLPTR, "out"),
    "embedding-data-types-before-ranks": (
        EMBEDDING, {"out": Meta((4, 3), ACL_BOOL), "grad": NINE}, INVALID, "parameter: out"
    ),
    "embedding-ranks-before-shapes": (
        EMBEDDING, {"out": f32(*[4] * 9), "indices": i64(5)}, INVALID, "found: 9 dimensions"
    ),
    "embedding-count-before-out": (EMBEDDING, {"indices": i64(5), "out": f32(5)}, INVALID, "parameter: indices"),
    "embedding-shapes-before-formats": (
        EMBEDDING, {"out": f32(5, 3), "grad": f32(2, 3, format=ACL_FORMAT_FRACTAL_NZ)}, INVALID, "parameter: out"
    ),
    "embedding-formats-before-empty": (
        EMBEDDING, {"grad": f32(0, 3), "indices": i64(0, format=ACL_FORMAT_FRACTAL_NZ)}, INVALID, "parameter: indices"
    ),
}  # fmt: skip


@pytest.mark.parametrize(("case", "changes", "status", "words"), ORDER.values(), ids=ORDER)
def test_order_that_the_contract_states(
    machine: Machine, case: Case, changes: Changes, status: int, words: str
) -> None:
    planned = case.plan(changes)
    assert planned.status == status, planned.text
    assert words in planned.text


BEYOND = Meta((2,), ACL_INT64, strides=(2,))  # strided, and it reaches element 2 of a storage of 2
GENERATED_ORDER = {  # "null tensors; product; executor pointer; planning of copies; workspaceSize pointer; the rest"
    "tensor-before-executor": (A2, ("executor",), {"out": None}, NULLPTR, "out"),
    "tensor-before-product": (TRAINING, (), {"out": None}, NULLPTR, "out"),
    "product-before-executor": (TRAINING, ("executor",), {}, NULLPTR, TRAINING),
    "executor-before-copies": (A2, ("executor",), {"target": BEYOND}, NULLPTR, "executor"),
    "copies-before-workspacesize": (A2, ("workspaceSize",), {"target": BEYOND}, PLAN, "target"),
    "workspacesize-before-data-types": (
        A2, ("workspaceSize",), {"target": Meta((2,), ACL_INT32)}, NULLPTR, "workspaceSize"
    ),
}  # fmt: skip


@pytest.mark.parametrize(("soc", "nulls", "changes", "status", "words"), GENERATED_ORDER.values(), ids=GENERATED_ORDER)
def test_order_of_a_generated_operator(
    soc: str, nulls: tuple[str, ...], changes: Changes, status: int, words: str
) -> None:
    """aclnnCrossEntropyLossGrad: "executor and workspaceSize pointers are tested after the tensors here"."""
    assert CROSS_ENTROPY.op.family is Family.GENERATED
    with board(soc):
        found, text = call_with_null(CROSS_ENTROPY, *nulls, changes=changes)
    assert found == status
    assert re.search(rf"\b{words}\b", text), text


# words of the library: "Op-check texts recorded under EZ1001"

WORDS = {
    "data-type": (
        EMBEDDING, {"grad": Meta((2, 3), ACL_DOUBLE)},
        "Tensor grad not implemented for DT_DOUBLE, should be in dtype support list "
        "[DT_FLOAT,DT_FLOAT16,DT_BFLOAT16,].",
    ),
    "same-shape": (
        SOFTMAX, {"output": f32(2, 4)},
        "Expected tensor for output to have same size as tensor for gradOutput, but [2, 4] does not equal [4, 2].",
    ),
    "given-shape": (
        BATCH_NORM, {"sumDy": f32(3)}, "Expected tensor for sumDy to have same size as [2], but got [3].",
    ),
    "exact-rank": (EMBEDDING, {"out": f32(4, 3, 1)}, "Expected 2 dimension input, but got out with sizes [4, 3, 1]."),
    "max-rank": (PRELU, {"gradOutput": NINE}, "The gradOutput tensor cannot be larger than 8 dimensions."),
    "min-rank": (BATCH_NORM, {"input": f32(8)}, "The input tensor must have at least 2 dimensions."),
    "softmax-dim": (SOFTMAX, {"dim": -3}, "provided dim -3 not in the range of input size 2."),
    "prelu-weight": (PRELU, {"weight": f32(2)}, "the number of weight elements must be 1 or self channel size"),
    "embedding-shapes": (EMBEDDING, {"indices": i64(5)}, "grad shape [2, 3] is not match with indices shape [5]."),
    "broadcast": (
        PRELU, {"gradOutput": f32(2, 2)},
        "The size of tensor gradOutput [2, 2] must match the size of tensor self [2, 3].",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("case", "changes", "words"), WORDS.values(), ids=WORDS)
def test_texts_begin_with_the_words_of_the_library(machine: Machine, case: Case, changes: Changes, words: str) -> None:
    text = case.plan(changes).text
    assert words in text
    assert "EZ1001" in text
