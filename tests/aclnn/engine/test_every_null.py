"""Null pointers in the first phase of every operator: tensors, masked outputs, out-pointers."""

from __future__ import annotations

import re
from typing import Any

import pytest

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.objects.executor_life import Family
from tests.aclnn.ops.case import A2, Case, Meta, call_with_null, f32
from tests.aclnn.ops.cases import (
    BATCH_NORM,
    CASES,
    CROSS_ENTROPY,
    EMBEDDING,
    PRELU,
    SOFTMAX,
    every_case,
    every_composite,
    every_needed,
    needed,
)
from tests.helpers.builders import UNTOUCHED

NULLPTR = ACLNN_ERR_PARAM_NULLPTR

# null pointers


@pytest.mark.fidelity("aclnnPreluBackward, name of the fourth parameter")
@every_needed
def test_null_tensor_is_161001_and_named(machine: Machine, case: Case, name: str) -> None:
    """Each document: "返回161001(ACLNN_ERR_PARAM_NULLPTR):传入的...是空指针". All masks are on."""
    planned = case.plan({name: None})
    assert planned.status == NULLPTR
    assert re.search(rf"\(parameter: {name}, found: null, allowed: .+, SoC: {A2} ", planned.text), planned.text
    assert planned.workspace_size == UNTOUCHED
    assert not planned.executor


@every_case
def test_first_null_in_the_order_of_the_parameters_is_named(machine: Machine, case: Case) -> None:
    names = needed(case)
    for i, name in enumerate(names):
        text = case.plan(dict.fromkeys(names[i:])).text
        assert re.search(rf"\b{name}\b", text), text
        assert not any(re.search(rf"\b{other}\b", text) for other in names[i + 1 :]), text


NULL_TEXTS = {
    SOFTMAX: ("EZ1001", "Expected a proper Tensor but got null for argument {}."),
    PRELU: ("EZ1001", "Expected a proper Tensor but got null for argument {}."),
    # "the null checks return 161001 but log class 5, so the recorded item is EZ9999, not EZ1001"
    BATCH_NORM: ("EZ9999", "Expected a proper Tensor but got null for argument {}."),
    # "4.1 Phase 1, generated: required tensors NULL -> 161001, text ..."
    CROSS_ENTROPY: ("", "Check {} != nullptr failed"),
    EMBEDDING: ("EZ1001", "Expected a proper Tensor but got null for argument {}."),
}


@pytest.mark.fidelity("aclnnBatchNormReduceBackward, texts of null tensors")
@pytest.mark.parametrize(("case", "words"), NULL_TEXTS.items(), ids=str)
def test_null_tensor_has_the_words_of_the_library(machine: Machine, case: Case, words: tuple[str, str]) -> None:
    code, sentence = words
    for name in needed(case):
        text = case.plan({name: None}).text
        assert code in text
        assert sentence.format(name) in text


OPTIONAL = [
    pytest.param(case, param.name, id=f"{case}-{param.name}")
    for case in CASES
    for param in case.op.tensors
    if param.optional
]


@pytest.mark.parametrize(("case", "name"), OPTIONAL)
def test_optional_tensor_may_be_null(machine: Machine, case: Case, name: str) -> None:
    assert case.plan({name: None}).status == ACL_SUCCESS


MASKED = {"sumDy": "inputG", "sumDyXmu": "inputG", "gradWeight": "weightG", "gradBias": "biasG"}


def test_masks_are_those_of_the_document() -> None:
    """The document of aclnnBatchNormReduceBackward: "如果inputG为True则输出"."""
    masked = {p.name: p.when.name for case in CASES for p in case.op.tensors if p.when is not None}
    assert masked == MASKED


@pytest.mark.parametrize(("name", "mask"), MASKED.items())
@pytest.mark.parametrize(
    "value",
    [
        pytest.param(None, id="null"),
        pytest.param(aclTensor(0xDEAD), id="no-handle-at-all"),
        pytest.param(Meta((2,), ACL_DOUBLE), id="data-type"),
        pytest.param(f32(7), id="shape"),
        pytest.param(f32(2, format=ACL_FORMAT_FRACTAL_NZ), id="format"),
    ],
)
def test_disabled_output_is_not_inspected(machine: Machine, name: str, mask: str, value: Any) -> None:
    """ "A disabled output is neither inspected nor written: null, wrong dtype, wrong shape, private format"."""
    assert BATCH_NORM.plan({name: value, mask: False}).status == ACL_SUCCESS


@every_case
@pytest.mark.parametrize("nulls", [("workspaceSize",), ("executor",), ("workspaceSize", "executor")], ids="+".join)
def test_null_out_pointer_is_161001_and_named(machine: Machine, case: Case, nulls: tuple[str, ...]) -> None:
    status, text = call_with_null(case, *nulls)
    assert status == NULLPTR
    assert nulls[-1] in text  # a generated operator looks at the executor pointer first


@every_composite
@pytest.mark.parametrize("null", ["workspaceSize", "executor"])
def test_composite_looks_at_out_pointers_before_tensors(machine: Machine, case: Case, null: str) -> None:
    """ "executor pointer or workspaceSize pointer null (framework prologue, before everything else)"."""
    assert case.op.family is Family.COMPOSITE
    status, text = call_with_null(case, null, changes=dict.fromkeys(needed(case)))
    assert status == NULLPTR
    assert "executor or workspaceSize is nullptr" in text
    assert needed(case)[0] not in text
