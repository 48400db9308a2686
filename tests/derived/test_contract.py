"""The first phase of every operator: prototype, null pointers, checks, products."""

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
from aclnn.tools.exports import operators as exported
from tests.aclnn.ops.case import Meta, board
from tests.aclnn.ops.good_calls import GOOD, UNREACHED, UNTYPED
from tests.derived.breakers import breakers, implied
from tests.derived.catalogued import missing
from tests.derived.data_types import listed
from tests.derived.functions import every_name
from tests.derived.good import on_product, subject
from tests.derived.judging import (
    CHIPS,
    Subject,
    accepted,
    c_types,
    documented,
    elsewhere,
    gated,
    judge,
    names,
    needed,
    null_status,
    on,
    ordered,
)
from tests.derived.launching import handle, planned
from tests.derived.values import dtype_of, instance
from tests.derived.variants import single
from tests.helpers.builders import UNTOUCHED, Planned

NULLPTR = ACLNN_ERR_PARAM_NULLPTR
INVALID = ACLNN_ERR_PARAM_INVALID
TILING = ACLNN_ERR_INNER_TILING_ERROR
KERNEL = ACLNN_ERR_INNER_NULLPTR
FACTS = re.compile(r"\(parameter: ([\w\[\]]+), found: (.+?), allowed: (.+?), SoC: (\w+)", re.DOTALL)


def blanks(prototype: str) -> str:
    return re.sub(r"\s*(\*+)\s*", r" \1", prototype)


def test_every_operator_with_a_formula_is_tested() -> None:
    """But those of a user's own program, which ACLNN_OPERATORS names."""
    assert set(names()) >= {name for name, op in exported().items() if op.has_kernel}


@pytest.mark.parametrize("name", names())
def test_every_operator_has_a_good_call(name: str) -> None:
    this = subject(name)
    assert accepted(this, this.good)


@pytest.mark.functions([name for name in names() if documented(name)])
def test_prototypes_are_those_of_the_facts(name: str) -> None:
    """Those of the documents stand in `tests/derived/documents`."""
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
                assert_null(answer, param, this)
            elif answer.status != ACL_SUCCESS:  # it may be null in other calls
                assert answer.status in (INVALID, NULLPTR, TILING, KERNEL)
                assert_untouched(answer)
        order = needed(this)
        assert order, "a function without a needed handle has nothing to do"
        for at, first in enumerate(order):
            assert_null(planned(this, this.changed({each.printed: None for each in order[at:]})), first, this)


@pytest.mark.functions([name for name in names() if any("List" in each for each in c_types(name).values())])
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
def test_every_check_has_a_breaker(name: str) -> None:
    """A breaker is a call that this check refuses first. A check of data types may have nothing to refuse, as far as
    the lists before it go."""
    this, found = subject(name), breakers(name)
    reached = {check.sentence for check in ordered(this.op) if check in found or implied(this, check)}
    missing = {check.sentence for check in ordered(this.op)} - reached
    assert missing == {sentence for function, sentence in UNREACHED if function == name}


@every_name
def test_a_breaker_is_refused_with_status_and_facts(name: str) -> None:
    this, found = subject(name), breakers(name)  # the search has a machine of its own
    with board(this.soc.name) as machine:
        for check, call in found.items():
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
    return {str(param) for param in params or this.op.params}


@pytest.mark.fidelity(
    "a product that no document lists for an operator",
    "operators that a device refused (Topk, Gather, Flip and nine more on 310B)",
)
@every_name
def test_the_good_call_is_accepted_on_each_product_of_the_facts_and_refused_on_the_others(name: str) -> None:
    """Where it computes although no document lists the product, an advice says so."""
    this = subject(name)
    for series, soc in CHIPS.items():
        good = on_product(this, series)
        if not (fits(good, series) or gated(this.op, series)):
            continue  # its data types do not exist there
        with board(soc.name) as machine:
            answer = planned(this, good.good)
        check = judge(this.op, this.operator, soc, good.good).check
        if series in this.op.series:
            assert answer.status == ACL_SUCCESS, answer.text
            advice = [each for each in machine.findings if each.id == "unsupported-product"]
            assert len(advice) == (series in this.op.undocumented)
        elif not gated(this.op, series) and check is not None and not isinstance(check, Empty):
            assert answer.status == check.status_on(series)  # it is looked at before the kernel
        else:
            assert answer.status == elsewhere(this.op, series), answer.text
            documented = [each.value for each in this.op.series if each not in this.op.undocumented]
            if answer.status != ACL_SUCCESS:  # else its launch refuses it
                assert all(each in answer.text for each in documented), answer.text
                assert_untouched(answer)


def fits(this: Subject, series: Series) -> bool:
    """Has the good call data types that the product has, too?"""
    return all(dtype_of(this.good[name]) in types for name, types in listed(this, series).items())


def assert_null(answer: Planned, param: Param[Any], this: Subject) -> None:
    assert answer.status == null_status(this, param.printed), answer.text
    assert f"parameter: {param}, found: null" in answer.text
    assert_untouched(answer)


def assert_untouched(answer: Planned) -> None:
    assert (answer.workspace_size, bool(answer.executor)) == (UNTOUCHED, False)


def test_tables_name_functions_with_a_formula() -> None:
    tables = {*GOOD, *(name for name, _ in UNREACHED), *(name for name, _, _ in UNTYPED)}
    assert tables <= {*names(), *missing()}, "a function is misspelt"
