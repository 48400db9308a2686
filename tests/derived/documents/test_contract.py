"""The first phase of the operators of the five documents, held against their cases: prototypes, the checks in their
order, calls that each check refuses, null tensors, masks, products.

`tests/derived` goes through the rules that follow from the declarations, as for every operator."""

from __future__ import annotations

import re
from typing import Any

import pytest

import aclnn
from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.objects.soc import SOCS
from aclnn.engine.constraints import Empty
from tests.aclnn.ops.case import A200I, INFERENCE, Breaker, Case, Meta, board, f32
from tests.aclnn.ops.cases import (
    BATCH_NORM,
    CASES,
    CROSS_ENTROPY,
    EMBEDDING,
    PRELU,
    SOFTMAX,
    every_case,
    every_check,
    needed,
    refusals,
)
from tests.derived.values import instance
from tests.helpers.builders import UNTOUCHED, Planned
from tests.helpers.operator_launches import assert_consumed, assert_works, error_text, ready

NULLPTR = ACLNN_ERR_PARAM_NULLPTR
INVALID = ACLNN_ERR_PARAM_INVALID


def test_every_operator_with_a_class_of_its_own_has_a_case() -> None:
    ops = {value.op for value in (getattr(aclnn, name) for name in aclnn.__all__) if hasattr(value, "op")}
    assert {op for op in ops if not op.from_facts} == {case.op for case in CASES}


@every_case
def test_good_call_gives_its_results(machine: Machine, case: Case) -> None:
    assert_works(ready(case))
    assert machine.findings == []


@pytest.mark.fidelity(
    "aclnnSoftmaxBackward, type of dim",
    "aclnnPreluBackward, name of the fourth parameter",
    "aclnnCrossEntropyLossGrad, xGradOut",
    "aclnnEmbeddingDenseBackward, name of the first phase",
)
@every_case
def test_prototype_is_that_of_the_document(case: Case) -> None:
    """The lines of "接口原型" in the documents; only the blanks around `*` differ between them."""
    header, *prototypes = case.prototypes
    declared = case.first.c, case.second.c
    assert [each.header for each in declared] == [header, header]
    assert [blanks(each.prototype) for each in declared] == [blanks(line) for line in prototypes]


def blanks(prototype: str) -> str:
    return re.sub(r"\s*(\*+)\s*", r" \1", prototype)


# the checks and their breakers


@every_case
def test_declared_checks_are_those_of_the_contract_in_its_order(case: Case) -> None:
    """A check without a breaker fails here, and so does one in another place, or with another status."""
    assert [check.sentence for check in case.op.checks] == list(case.breakers)
    for check in case.op.checks:
        statuses = {breaker.status for breaker in case.breakers[check.sentence]}
        assert statuses == ({ACL_SUCCESS} if isinstance(check, Empty) else {*check.statuses()}), check.sentence


@pytest.mark.fidelity(
    "aclnnBatchNormReduceBackward: shapes of gradOut and input, sizes of mean and invstd",
    "demands without a status in their document",
    "aclnnSoftmaxBackward, negative dim",
    "aclnnBatchNormReduceBackward, formats",
    "aclnnBatchNormReduceBackward, outputs of C elements in several dimensions",
    "out-parameters of aclnnCrossEntropyLossGrad's failing first phase",
)
@every_check
def test_breaker_is_refused(case: Case, sentence: str) -> None:
    """Status and text of each check: "then ours: parameter, found, allowed, SoC". "On failure: both *executor and
    *workspaceSize untouched"; for CrossEntropyLossGrad too. Where another check speaks first, this one speaks alone."""
    for breaker in case.breakers[sentence]:
        with board(breaker.soc) as machine:
            planned = case.plan(breaker.changes)
            if not breaker.behind:
                assert_refused(breaker, planned)
                continue
            (before,) = breaker.behind
            speaks = next(each for each in case.breakers[before] if each.changes == breaker.changes)
            assert_refused(speaks, planned)
            check = next(each for each in case.op.checks if each.sentence == sentence)
            violation = check.judge(instance(case.op, (case.metas() | breaker.changes).values()), machine.soc)
            assert violation is not None
            assert (violation.parameter, violation.found) == (breaker.parameter, breaker.found)


def assert_refused(breaker: Breaker, planned: Planned) -> None:
    assert planned.status == breaker.status, planned.text
    if breaker.status == ACL_SUCCESS:
        assert planned.text == ""
        assert planned.workspace_size == 0
        assert planned.executor
        return
    facts = re.search(r"\(parameter: (\w+), found: (.*?), allowed: (.*?), SoC: (\S+)", planned.text)
    assert facts, planned.text
    parameter, value, allowed, soc = facts.groups()
    assert parameter == breaker.parameter
    assert value.startswith(breaker.found), value
    assert breaker.allowed in allowed, allowed
    assert soc == breaker.soc
    assert (planned.workspace_size, bool(planned.executor)) == (UNTOUCHED, False)


# null tensors and masks

NULL_TEXTS = {
    SOFTMAX: ("EZ1001", "Expected a proper Tensor but got null for argument {}."),
    PRELU: ("EZ1001", "Expected a proper Tensor but got null for argument {}."),
    # "the null checks return 161001 but log class 5, so the recorded item is EZ9999, not EZ1001"
    BATCH_NORM: ("EZ9999", "Expected a proper Tensor but got null for argument {}."),
    # "4.1 Phase 1, generated: required tensors NULL -> 161001, text ..."
    CROSS_ENTROPY: ("", "Check {} != nullptr failed"),
    EMBEDDING: ("EZ1001", "Expected a proper Tensor but got null for argument {}."),
}


@pytest.mark.fidelity(
    "aclnnBatchNormReduceBackward, texts of null tensors", "aclnnPreluBackward, name of the fourth parameter"
)
@pytest.mark.parametrize(("case", "words"), NULL_TEXTS.items(), ids=str)
def test_null_tensor_has_the_words_of_the_library(machine: Machine, case: Case, words: tuple[str, str]) -> None:
    """Each document: "返回161001(ACLNN_ERR_PARAM_NULLPTR):传入的...是空指针". All masks are on."""
    code, sentence = words
    for name in needed(case):
        planned = case.plan({name: None})
        assert planned.status == NULLPTR
        assert code in planned.text
        assert sentence.format(name) in planned.text


@every_case
def test_optional_tensor_may_be_null(machine: Machine, case: Case) -> None:
    for param in case.op.tensors:
        if param.optional:
            assert case.plan({param.name: None}).status == ACL_SUCCESS


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


# products


@pytest.mark.fidelity("Atlas A3", "aclnnPreluBackward, products", "products without the operator")
@every_case
def test_first_phase_on_every_product(case: Case) -> None:
    for soc in SOCS:
        with board(soc):
            planned = case.plan()
        if SOCS[soc].series in case.products:
            assert planned.status == ACL_SUCCESS, soc
            continue
        assert planned.status == case.elsewhere, soc
        if case.elsewhere != ACL_SUCCESS:
            assert soc in planned.text
            assert all(series.value in planned.text for series in case.products), planned.text
            assert planned.workspace_size == UNTOUCHED, soc
            assert not planned.executor, soc


@pytest.mark.parametrize("case", [SOFTMAX, PRELU, BATCH_NORM, EMBEDDING], ids=str)
def test_arguments_are_checked_before_the_product(case: Case) -> None:
    """ "The 161001/161002 checks run normally"; only then the missing kernel shows."""
    with board(A200I):
        for name in needed(case):
            assert case.plan({name: None}).status == NULLPTR
        assert case.plan(refusals(case)[0][1].changes).status == INVALID


@pytest.mark.fidelity("aclnnPreluBackward, products", "products without the operator")
@pytest.mark.parametrize(
    ("case", "soc"), [(SOFTMAX, A200I), (PRELU, INFERENCE), (PRELU, A200I)], ids=lambda value: str(value)
)
def test_missing_kernel_shows_at_the_launch(case: Case, soc: str) -> None:
    """SoftmaxBackward and PreluBackward: "phase 1 still returns 0, and phase 2 returns 561000"."""
    with board(soc):
        call = ready(case)
        assert call.launch() == ACLNN_ERR_INNER
        text = error_text()
        assert soc in text
        assert all(series.value in text for series in case.op.series)
        assert_consumed(call)
