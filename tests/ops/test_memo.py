"""The story of a call runs the same without what is remembered: the same statuses, texts, results and findings.

`keep` in `aclnn.engine.memo` is the one function through which anything is remembered, so a test that takes it away
turns all caches off.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from ctypes import byref, c_uint64
from typing import Any

import pytest

from acl_runtime import (
    ACL_SUCCESS,
    Machine,
    aclDestroyTensor,
    aclGetRecentErrMsg,
    aclOpExecutor,
    aclrtFree,
    aclrtMemset,
    aclrtSynchronizeStream,
    aclSetAclOpExecutorRepeatable,
)
from acl_runtime.headers.statuses import Status
from aclnn.engine import first_phase, memo, second_phase
from tests.builders import OnDevice
from tests.ops.cases import A2, CASES, Case, board, every_case
from tests.ops.launches import ROOM, Ready, assert_results, placed, planned

TIMES = 3
"""a call is made so often: from the second time on it can be known"""
NOT_ALIKE = re.compile(r"\[PID: \d+\] \S+ ")
Told = tuple[Any, ...]


def forget(*_: object) -> None:
    """In place of `keep`."""


def transcript(case: Case, **options: Any) -> tuple[list[Told], Machine]:
    """What host code sees of an operator's calls: good ones, repeated, on other tensors; those that each check refuses;
    launches with mistakes in them."""
    with board(on_undefined="report", min_workspace=ROOM, **options) as machine:
        seen = [*good_calls(case), *refused_calls(case), *wrong_launches(case)]
        seen += [(finding.id, finding.what, finding.call) for finding in machine.findings]
        seen += [(call.function, call.result) for call in machine.calls if isinstance(call.result, Status)]
    return seen, machine


def text() -> str:
    return NOT_ALIKE.sub("", aclGetRecentErrMsg() or "")


def good_calls(case: Case) -> Iterator[Told]:
    for _ in range(2):  # other tensors, the same kind of call
        arguments = placed(case)
        for _ in range(TIMES):
            call = planned(case, arguments)
            assert call.launch() == aclrtSynchronizeStream(None) == ACL_SUCCESS, text()
            results = call.results()
            assert_results(results, case)
            yield "good", call.size, *((name, found.tobytes()) for name, found in results.items())
            for name in results:  # the next call has to write them
                written = call.tensors[name]
                nbytes = written.storage.nbytes
                assert aclrtMemset(written.address, nbytes, 0xAB, nbytes) == ACL_SUCCESS
    call = planned(case, arguments)
    yield "repeatable", aclSetAclOpExecutorRepeatable(call.executor)
    for _ in range(TIMES):
        yield "again", call.launch(), aclrtSynchronizeStream(None)


def refused_calls(case: Case) -> Iterator[Told]:
    for sentence, breakers in case.breakers.items():
        for breaker in breakers:
            if breaker.soc != A2:
                continue
            for _ in range(2):
                answer = case.plan(breaker.changes)
                yield sentence, answer.status, NOT_ALIKE.sub("", answer.text), answer.workspace_size


def wrong_launches(case: Case) -> Iterator[Told]:
    def launched(what: str, call: Ready) -> Told:
        return what, call.launch(), aclrtSynchronizeStream(None), text()

    arguments = placed(case)
    for _ in range(2):
        call = planned(case, arguments)
        call.size -= bool(call.size)
        yield launched("small workspace", call)
    for _ in range(2):
        yield "used up", call.launch(), text()
    call = planned(case, arguments)
    yield "freed workspace", aclrtFree(call.workspace) if call.workspace else None
    yield launched("freed workspace", call)
    tensors = [each for each in arguments.values() if isinstance(each, OnDevice)]
    for _ in range(2):  # known to be right by now
        yield launched("good", planned(case, arguments))
    call = planned(case, arguments)
    assert aclrtFree(tensors[0].address) == ACL_SUCCESS
    yield launched("freed input", call)
    call = planned(case, arguments)
    assert aclDestroyTensor(tensors[0].handle) == ACL_SUCCESS
    yield launched("destroyed tensor", call)
    handles = [each.handle if isinstance(each, OnDevice) else each for each in arguments.values()]
    size, executor = c_uint64(), aclOpExecutor()
    for _ in range(2):
        yield "dead handle", case.first(*handles, byref(size), byref(executor)), text()


@every_case
@pytest.mark.parametrize("schedule", ["late", "eager"])
def test_a_call_is_the_same_without_what_is_remembered(
    case: Case, schedule: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    told, remembering = transcript(case, schedule=schedule)
    assert remembering.plans
    assert bool(remembering.repeated) == case.op.exact
    monkeypatch.setattr(memo, "keep", forget)
    again, forgetful = transcript(case, schedule=schedule)
    assert not forgetful.plans
    assert not forgetful.repeated
    assert again == told


def test_the_caches_are_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call that is like an earlier one is neither decided nor bound again, but where nothing is remembered."""
    (case,) = (each for each in CASES if each.name == "aclnnSoftmaxBackward")
    asked: list[str] = []
    for module, name in ((first_phase, "decide"), (second_phase, "bind")):
        story = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *given, name=name, story=story: (asked.append(name), story(*given))[1])

    def calls() -> list[str]:
        asked.clear()
        with board():
            arguments = placed(case)
            for _ in range(TIMES):
                assert planned(case, arguments).launch() == ACL_SUCCESS
        return asked

    assert calls() == ["decide", "bind"]
    monkeypatch.setattr(memo, "keep", forget)
    assert calls() == ["decide", "bind"] * TIMES


@pytest.mark.parametrize("most", [1, 2])
def test_a_full_shelf_is_emptied(most: int) -> None:
    shelf: dict[int, str] = {}
    for number in range(5):
        memo.keep(shelf, number, str(number), most)
        assert shelf[number] == str(number)
        assert len(shelf) <= most
