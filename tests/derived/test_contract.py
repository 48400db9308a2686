"""The first phase of every operator made from facts: prototype, null pointers, checks, products."""

from __future__ import annotations

import re
from ctypes import byref, c_uint64
from typing import Any

import pytest

from acl_runtime import *
from acl_runtime.objects.soc import Series
from aclnn.catalogue.facts import facts
from aclnn.engine.constraints import Empty
from aclnn.engine.declaration import Check
from aclnn.engine.parameters import Param
from tests.aclnn.ops.case import Meta, board
from tests.aclnn.ops.good_calls import GOOD, LAID_OUT, UNREACHED, UNTYPED
from tests.derived.breakers import breakers, implied
from tests.derived.catalogued import missing
from tests.derived.data_types import listed
from tests.derived.good import on_product, subject
from tests.derived.judging import CHIPS, Subject, elsewhere, gated, judge, names, on, ordered
from tests.derived.launching import handle, planned
from tests.derived.values import dtype_of, instance
from tests.derived.variants import single
from tests.helpers.builders import UNTOUCHED, Planned

NULLPTR = ACLNN_ERR_PARAM_NULLPTR
INVALID = ACLNN_ERR_PARAM_INVALID
TILING = ACLNN_ERR_INNER_TILING_ERROR
KERNEL = ACLNN_ERR_INNER_NULLPTR
FACTS = re.compile(r"\(parameter: ([\w\[\]]+), found: (.+?), allowed: (.+?), SoC: (\w+)", re.DOTALL)


every_name = pytest.mark.functions(names())
every_launch = pytest.mark.functions([name for name in names() if name not in LAID_OUT])


def blanks(prototype: str) -> str:
    return re.sub(r"\s*(\*+)\s*", r" \1", prototype)


@every_name
def test_prototypes_are_those_of_the_facts(name: str) -> None:
    of, this = facts(name), subject(name)
    stream = "const aclrtStream stream" if of.const_stream else "aclrtStream stream"
    given = ", ".join(f"{each.type} {each.name}" for each in of.params)
    outs = "uint64_t *workspaceSize, aclOpExecutor **executor"
    first = f"aclnnStatus {name}GetWorkspaceSize({given}, {outs})"
    size = f"{'const ' if of.const_workspace_size else ''}uint64_t {of.workspace_size_name}"
    second = f"aclnnStatus {name}(void *workspace, {size}, aclOpExecutor *executor, {stream})"
    assert [this.first.c.header, this.second.c.header] == [of.header, of.header]
    assert blanks(this.first.c.prototype).removesuffix(";") == blanks(first)
    assert blanks(this.second.c.prototype).removesuffix(";") == blanks(second)


@every_name
def test_a_null_pointer_is_161001_and_named(name: str) -> None:
    """Of several null pointers the first one in the order of the function is named."""
    this = subject(name)
    call = instance(this.op, this.good.values())
    with board(this.soc.name):
        for param in this.op.objects:
            answer = planned(this, this.changed({param.printed: None}))
            if param.needed(call):
                assert_null(answer, param.printed, null_status(this, param.printed))
            elif answer.status != ACL_SUCCESS:  # it may be null in other calls
                assert answer.status in (INVALID, NULLPTR, TILING, KERNEL)
                assert_untouched(answer)
        order = [param.printed for param in (*this.op.first_nulls, *this.op.null_checked) if param.needed(call)]
        assert order, "a function without a needed handle has nothing to do"
        assert_null(planned(this, this.changed(dict.fromkeys(order))), order[0], null_status(this, order[0]))


@pytest.mark.functions([name for name in names() if any("List" in each.type for each in facts(name).params)])
def test_a_null_member_of_a_list_is_161001(name: str) -> None:
    this = subject(name)
    listed = [param for param in this.op.params if isinstance(this.good[param.printed], tuple)]
    assert listed
    with board(this.soc.name):
        for param in listed:
            value = this.good[param.printed]
            arguments = {each.printed: handle(each, this.good[each.printed]) for each in this.op.params}
            create = aclCreateTensorList if isinstance(value[0], Meta) else aclCreateScalarList
            arguments[param.printed] = create([handle(param, value[0]), None], 2)
            size, executor = c_uint64(UNTOUCHED), aclOpExecutor()
            assert this.first(*arguments.values(), byref(size), byref(executor)) == NULLPTR
            assert f"{param.printed}[1]" in (aclGetRecentErrMsg() or "")


@every_name
def test_null_out_pointers_are_161001(name: str) -> None:
    this = subject(name)
    with board(this.soc.name):
        for missing in ("workspaceSize", "executor"):
            size, executor = c_uint64(UNTOUCHED), aclOpExecutor()
            outs = {"workspaceSize": byref(size), "executor": byref(executor)} | {missing: None}
            arguments = [handle(param, this.good[param.printed]) for param in this.op.params]
            assert this.first(*arguments, *outs.values()) == NULLPTR
            assert missing in (aclGetRecentErrMsg() or "")
            assert (size.value, bool(executor)) == (UNTOUCHED, False)


@every_name
def test_every_check_has_a_breaker(name: str) -> None:
    """A breaker is a call that this check refuses first. A check of data types may have nothing to refuse, as far as
    the lists before it go."""
    this, found = subject(name), breakers(name)
    reached = {check.sentence for check in ordered(this.op) if check in found or implied(this, check)}
    missing = {check.sentence for check in ordered(this.op)} - reached
    assert missing == {sentence for function, sentence in UNREACHED if function == name}


@every_name
def test_a_breaker_is_refused_with_status_and_facts(name: str) -> None:
    this = subject(name)
    with board(this.soc.name) as machine:
        for check, call in breakers(name).items():
            answer = planned(this, call)
            if isinstance(check, Empty):
                assert answer.status == ACL_SUCCESS, answer.text
                assert check.plan is not None or answer.workspace_size == 0
                continue
            assert answer.status == check.status, (check, answer.text)
            assert_facts(check, answer.text, this)
            assert_untouched(answer)
        assert machine.findings == []


@every_name
def test_no_change_of_the_good_call_makes_a_check_fail_otherwise(name: str) -> None:
    """A check answers with a status, and the planner with one of its own; no exception of Python comes out."""
    this, wrong = subject(name), set[str]()
    with on(this.soc):
        for changes in single(this.op, this.good, this.op.params):
            try:
                judge(this.op, this.operator, this.soc, this.changed(changes))
            except Exception as error:
                wrong.add(f"{type(error).__name__}: {error} after {changes}")
    assert sorted(wrong)[:3] == []


def assert_facts(check: Check, text: str, this: Subject) -> None:
    """ "(parameter: ..., found: ..., allowed: ..., SoC: ...)"."""
    found = FACTS.search(text)
    assert found, text
    parameter, _, _, soc = found.groups()
    assert parameter.partition("[")[0] in allowed_names(check.params, this), text
    assert soc == this.soc.name


def allowed_names(params: tuple[Param[Any], ...], this: Subject) -> set[str]:
    """A relation may name any of its parameters, or the tensors that it compares them with."""
    return {param.printed for param in params or this.op.params}


@pytest.mark.fidelity(
    "a product that no document lists for an operator",
    "operators that a device refused (Topk, Gather, Flip and nine more on 310B)",
)
@every_name
def test_the_good_call_is_accepted_on_each_product_of_the_facts_and_refused_on_the_others(name: str) -> None:
    """Where it computes although no document lists the product, an advice says so."""
    this = subject(name)
    for series, soc in CHIPS.items():
        support = facts(name).support(series)
        good = on_product(this, series)
        if not (fits(good, series) or gated(this.op, series)):
            continue  # its data types do not exist there
        with board(soc.name) as machine:
            answer = planned(this, good.good)
        check = judge(this.op, this.operator, soc, good.good).check
        if support.computes:
            assert answer.status == ACL_SUCCESS, answer.text
            advice = [each for each in machine.findings if each.id == "unsupported-product"]
            assert len(advice) == (not support.listed)
        elif not gated(this.op, series) and check is not None and not isinstance(check, Empty):
            assert answer.status == check.status_on(series)  # it is looked at before the kernel
        else:
            assert answer.status == elsewhere(this.op, series), answer.text
            assert all(each.value in answer.text for each in Series if facts(name).support(each).listed), answer.text
            assert_untouched(answer)


def fits(this: Subject, series: Series) -> bool:
    """Has the good call data types that the product has, too?"""
    return all(dtype_of(this.good[name]) in types for name, types in listed(this, series).items())


def null_status(this: Subject, name: str) -> int:
    return this.op.null_statuses.get(name, this.op.null_status)


def assert_null(answer: Planned, name: str, status: int = NULLPTR) -> None:
    assert answer.status == status, answer.text
    assert f"parameter: {name}, found: null" in answer.text
    assert_untouched(answer)


def assert_untouched(answer: Planned) -> None:
    assert (answer.workspace_size, bool(answer.executor)) == (UNTOUCHED, False)


def test_tables_name_functions_that_are_made_from_facts() -> None:
    tables = {*GOOD, *(name for name, _ in UNREACHED), *(name for name, _, _ in UNTYPED)}
    assert tables <= {*names(), *missing()}, "a function is misspelt, or has a class of its own"
