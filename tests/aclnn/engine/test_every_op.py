"""The rules of the first phase of every operator, derived from its declaration and from `cases.py`.

The facts come from the operators' contracts: "1. Interface", "4. Phase 1: ordered checks", "5. Phase 1 checks, in the
order of the public implementation"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import Any

import pytest

import aclnn
from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.objects.soc import SOCS
from aclnn import Op, two_phase
from aclnn.engine.constraints import Empty
from tests.aclnn.ops.case import A200I, Breaker, Case, board
from tests.aclnn.ops.cases import (
    BATCH_NORM,
    CASES,
    EMBEDDING,
    PRELU,
    SOFTMAX,
    every_case,
    every_check,
    every_needed,
    needed,
    refusals,
)
from tests.derived.good import subject
from tests.derived.judging import accepted
from tests.derived.judging import names as derived_names
from tests.helpers.builders import UNTOUCHED, Planned, plan
from tests.helpers.host_threads import in_thread

NULLPTR = ACLNN_ERR_PARAM_NULLPTR
INVALID = ACLNN_ERR_PARAM_INVALID

# declarations


def test_every_operator_has_a_case() -> None:
    ops = {value.op for value in (getattr(aclnn, name) for name in aclnn.__all__) if hasattr(value, "op")}
    assert {op for op in ops if not op.from_facts} == {case.op for case in CASES}
    assert {op.c_name() for op in ops if op.from_facts and op.has_kernel} == set(derived_names())


@pytest.mark.parametrize("name", derived_names())
def test_every_operator_made_from_facts_has_a_good_call(name: str) -> None:
    """`tests/derived` goes through their rules."""
    this = subject(name)
    assert accepted(this, this.good)


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


@every_case
def test_declared_checks_are_those_of_the_contract_in_its_order(case: Case) -> None:
    """A check without a breaker fails here, and so does one in another place."""
    assert [check.sentence for check in case.op.checks] == list(case.breakers)


@every_case
def test_every_check_has_the_status_of_its_breakers(case: Case) -> None:
    for check in case.op.checks:
        statuses = {breaker.status for breaker in case.breakers[check.sentence]}
        assert statuses == ({ACL_SUCCESS} if isinstance(check, Empty) else {*check.statuses()}), check.sentence


# the good call and its breakers


@every_case
def test_good_call_is_planned(machine: Machine, case: Case) -> None:
    planned = case.plan()
    assert (planned.status, planned.text) == (ACL_SUCCESS, "")
    assert planned.executor
    assert planned.workspace_size != UNTOUCHED
    assert machine.findings == []


def judge(case: Case, breaker: Breaker, pair: Sequence[Any] | None = None) -> Planned:
    """The first phase of a breaker; `pair` instead of the operator's own functions."""
    with board(breaker.soc):
        return plan((pair or (case.first,))[0], *case.arguments(breaker.changes))


@pytest.mark.fidelity(
    "aclnnBatchNormReduceBackward: shapes of gradOut and input, sizes of mean and invstd",
    "demands without a status in their document",
    "aclnnSoftmaxBackward, negative dim",
    "aclnnBatchNormReduceBackward, formats",
    "aclnnBatchNormReduceBackward, outputs of C elements in several dimensions",
)
@every_check
def test_breaker_is_refused(case: Case, sentence: str) -> None:
    """Status and text of each check: "then ours: parameter, found, allowed, SoC"."""
    for breaker in case.breakers[sentence]:
        assert_refused(breaker, judge(case, breaker, without(case, breaker.behind)))


def assert_refused(breaker: Breaker, planned: Planned) -> None:
    assert planned.status == breaker.status, planned.text
    if breaker.status == ACL_SUCCESS:
        assert planned.text == ""
        assert planned.workspace_size == 0
        return
    facts = re.search(r"\(parameter: (\w+), found: (.*?), allowed: (.*?), SoC: (\S+)", planned.text)
    assert facts, planned.text
    parameter, value, allowed, soc = facts.groups()
    assert parameter == breaker.parameter
    assert value.startswith(breaker.found), value
    assert breaker.allowed in allowed, allowed
    assert soc == breaker.soc


@pytest.mark.fidelity("out-parameters of aclnnCrossEntropyLossGrad's failing first phase")
@every_check
def test_out_parameters_stay_untouched_on_failure(case: Case, sentence: str) -> None:
    """ "On failure: both *executor and *workspaceSize untouched"; for CrossEntropyLossGrad too."""
    for breaker in case.breakers[sentence]:
        planned = judge(case, breaker)
        if planned.status == ACL_SUCCESS:
            assert planned.executor, breaker
        else:
            assert planned.workspace_size == UNTOUCHED, breaker
            assert not planned.executor, breaker


def without(case: Case, sentences: Sequence[str]) -> Sequence[Any]:
    """The two functions of a copy of the operator that lacks some checks."""
    checks = tuple(check for check in case.op.checks if check.sentence not in sentences)
    assert len(checks) == len(case.op.checks) - len(sentences)
    copy: type[Op] = type(case.op.__name__, (case.op,), {"checks": checks})
    return two_phase(copy, case.second.planner)


def outcome(case: Case, breaker: Breaker, pair: Sequence[Any]) -> tuple[Any, ...]:
    """Status, text (without process and time) and workspace of a call; an operator that lacks a check may crash."""
    try:
        planned = judge(case, breaker, pair)
    except Exception as error:  # e.g. an IndexError for a dimension that nobody asked for
        return (type(error).__name__,)
    text = re.sub(r"\[PID: \d+\] \S+ ", "", planned.text)
    return planned.status, text, planned.workspace_size


@every_check
def test_no_check_can_be_left_out(case: Case, sentence: str) -> None:
    """Without any one check, some breaker of it fares otherwise."""
    assert any(
        outcome(case, breaker, without(case, breaker.behind))
        != outcome(case, breaker, without(case, (*breaker.behind, sentence)))
        for breaker in case.breakers[sentence]
    )


@every_case
def test_a_check_that_cannot_speak_first_is_said_to_be_behind_another(case: Case) -> None:
    for breaker in (breaker for breakers in case.breakers.values() for breaker in breakers):
        for other in breaker.behind:
            speaks = next(each for each in case.breakers[other] if each.changes == breaker.changes)
            assert speaks.parameter in judge(case, breaker).text, breaker


# no context, other products


@pytest.mark.fidelity("first phase without a current context")
@every_case
def test_without_a_context_the_first_phase_is_361001(machine: Machine, case: Case) -> None:
    planned = in_thread(case.plan)
    assert planned.status == ACLNN_ERR_RUNTIME_ERROR
    assert "context" in planned.text
    assert planned.workspace_size == UNTOUCHED
    assert not planned.executor


@pytest.mark.fidelity("first phase without a current context")
@every_check
def test_parameters_are_checked_before_the_context(case: Case, sentence: str) -> None:
    """ "Phase 1 checks its parameters with device 0's product, then 361001"."""
    for breaker in case.breakers[sentence]:
        with board(breaker.soc):
            planned = in_thread(partial(case.plan, breaker.changes))
        assert planned.status == (breaker.status or ACLNN_ERR_RUNTIME_ERROR), breaker


@every_needed
def test_null_is_told_before_the_context(machine: Machine, case: Case, name: str) -> None:
    assert in_thread(lambda: case.plan({name: None})).status == NULLPTR


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
