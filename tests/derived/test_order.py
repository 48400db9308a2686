"""The order in which the first phase of every operator looks at things: out-pointers, null tensors, checks, context."""

from __future__ import annotations

from ctypes import byref, c_uint64
from dataclasses import replace
from itertools import pairwise

import pytest

from acl_runtime import *
from acl_runtime.objects.executor_life import Family
from acl_runtime.objects.handle_table import row_major
from aclnn.engine.constraints import Empty
from aclnn.engine.parameters import Elements
from tests.aclnn.ops.case import Meta, board
from tests.derived.breakers import breakers, changed
from tests.derived.functions import every_name
from tests.derived.good import subject
from tests.derived.judging import Subject, crashing, judge, needed, null_status, stopped
from tests.derived.launching import handle, planned
from tests.derived.values import Call, instance
from tests.helpers.builders import UNTOUCHED
from tests.helpers.host_threads import in_thread
from tests.helpers.operator_launches import error_text

NULLPTR = ACLNN_ERR_PARAM_NULLPTR
RUNTIME = ACLNN_ERR_RUNTIME_ERROR
PLAN = ACLNN_ERR_INNER_NULLPTR
OUTS = [("workspaceSize",), ("executor",), ("workspaceSize", "executor")]


@every_name
def test_null_out_pointers_are_161001_in_their_place(name: str) -> None:
    """Of a composite "before everything else": also before null tensors, which a generated operator looks at first."""
    this = subject(name)
    nulls = this.changed({param.printed: None for param in this.op.objects if param not in this.op.first_nulls})
    with board(this.soc.name):
        for missing in OUTS:
            assert f"{missing[-1]}" in without(this, this.good, missing)
        if this.op.first_checks:
            return  # they come before the out-pointers, and may refuse a null tensor
        text = without(this, nulls, ("workspaceSize", "executor"), null_status(this, needed(this)[0].printed))
        if this.op.family is Family.COMPOSITE:
            assert "executor or workspaceSize is nullptr" in text
        else:
            assert needed(this)[0].printed in text


def without(this: Subject, call: Call, missing: tuple[str, ...], status: int = NULLPTR) -> str:
    """The text of a first phase that lacks out-pointers."""
    size, executor = c_uint64(UNTOUCHED), aclOpExecutor()
    outs = {"workspaceSize": byref(size), "executor": byref(executor)} | dict.fromkeys(missing)
    found = this.first(*(handle(param, call[param.printed]) for param in this.op.params), *outs.values())
    assert found in (NULLPTR, status)
    assert (size.value, bool(executor)) == (UNTOUCHED, False)
    return error_text()


@pytest.mark.fidelity("first phase without a current context")
@every_name
def test_arguments_are_checked_before_the_context(name: str) -> None:
    """ "Phase 1 checks its parameters with device 0's product, then 361001"."""
    this = subject(name)
    null = needed(this)[0].printed
    calls = [(this.good, RUNTIME), (this.changed({null: None}), null_status(this, null))]
    calls += [(call, RUNTIME if isinstance(check, Empty) else check.status_on(this.soc.series))
              for check, call in breakers(name).items()]  # fmt: skip
    with board(this.soc.name):
        answers = in_thread(lambda: [planned(this, call) for call, _ in calls])
    for answer, (_, status) in zip(answers, calls, strict=True):
        assert answer.status == status, answer.text
        assert (answer.workspace_size, bool(answer.executor)) == (UNTOUCHED, False)
    assert "context" in answers[0].text


@every_name
def test_of_two_violations_the_first_is_reported(name: str) -> None:
    """Two calls that two checks refuse, in one call: status and facts are those of the check that comes first."""
    this = subject(name)
    found = [(check, call) for check, call in breakers(name).items() if not isinstance(check, Empty)]
    with board(this.soc.name):
        for (_, first), (_, second) in pairwise(found):
            changes = changed(this, first), changed(this, second)
            call = this.changed(changes[0] | changes[1])
            if changes[0].keys() & changes[1].keys() or crashing(this, call) is None:
                continue
            state = stopped(this.op, this.soc, instance(this.op, call.values()))
            if state is not None and state.check is not None and state.violation is not None:
                answer = planned(this, call)
                assert answer.status == state.check.status_on(this.soc.series), answer.text
                assert f"parameter: {state.violation.parameter}, found: " in answer.text


@pytest.mark.fidelity("addresses of tensors")
@every_name
def test_a_strided_input_outside_its_storage_is_561103(name: str) -> None:
    """Building blocks, Contiguous: "lowest/highest reachable element outside storage"."""
    this = subject(name)
    with board(this.soc.name):
        for param in this.op.params:
            value = this.good[param.printed]
            if not (isinstance(param, Elements) and param.reads and isinstance(value, Meta) and value.shape):
                continue
            strides = tuple(2 * step for step in row_major(value.shape))
            last = sum((size - 1) * step for size, step in zip(value.shape, strides, strict=True))
            loose = replace(value, strides=strides, storage=(last + 1,))
            if copied(this, this.changed({param.printed: loose})) <= copied(this, this.good):
                continue  # it has to be dense, or is read where it lies
            for storage, offset in ((last, 0), (last + 1, 1), (last + 2, -1)):
                beyond = replace(loose, storage=(storage,), offset=offset)
                answer = planned(this, this.changed({param.printed: beyond}))
                assert answer.status == PLAN, answer.text
                assert str(param) in answer.text
                assert answer.workspace_size == UNTOUCHED


def copied(this: Subject, call: Call) -> int:
    """The bytes of the workspace, which has the copies of strided inputs; 0 if the call is refused."""
    state = judge(this.op, this.operator, this.soc, call)
    return state.plan.workspace_size if state.plan is not None else 0
