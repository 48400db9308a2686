"""A call gives the same statuses, texts, results and findings without the caches of `aclnn.engine.memo`.

`memo.keep` is the only function that puts an entry into a cache. So a test that replaces it turns all caches off. Other
tests read the sources, to show that there is no cache besides these.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterator
from ctypes import byref, c_uint64
from pathlib import Path
from typing import Any

import pytest

import aclnn
from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.headers.statuses import Status
from aclnn.engine import first_phase, memo, second_phase
from aclnn.engine.memo import Launched, Repeated
from aclnn.engine.plan import Plan
from tests.aclnn.ops.case import A2, Case, board
from tests.aclnn.ops.cases import CASES, every_case
from tests.helpers.builders import OnDevice
from tests.helpers.operator_launches import ROOM, Ready, assert_results, placed, planned

TIMES = 3
"""how often each call is made; from the second time on it can come from a cache"""
NOT_ALIKE = re.compile(r"\[PID: \d+\] \S+ ")
Told = tuple[Any, ...]


def forget(*_: object) -> None:
    """Replaces `keep`, and caches nothing."""


def transcript(case: Case, **options: Any) -> tuple[list[Told], Machine]:
    """Everything that host code sees of an operator's calls. These are good calls, repeated and on other tensors; calls
    that each check refuses; and launches with mistakes."""
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
    for _ in range(2):  # by now this call is in a cache
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
def test_a_call_gives_the_same_without_the_caches(case: Case, schedule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kept: set[type] = set()
    monkeypatch.setattr(memo, "keep", noting(memo.keep, kept))
    expected, remembering = transcript(case, schedule=schedule)
    assert remembering.plans
    assert remembering.repeated
    assert kept == {Plan, Launched, Repeated}
    monkeypatch.setattr(memo, "keep", forget)
    again, forgetful = transcript(case, schedule=schedule)
    assert not forgetful.plans
    assert not forgetful.repeated
    assert again == expected


def noting(keep: Callable[..., None], kept: set[type]) -> Callable[..., None]:
    """A `keep` that also adds the type of each entry to `kept`."""

    def note(shelf: dict[Any, Any], key: Any, value: Any, most: int) -> None:
        kept.add(type(value))
        keep(shelf, key, value, most)

    return note


def test_the_caches_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call that is like an earlier one is neither decided nor bound again. Without the caches it is."""
    (case,) = (each for each in CASES if each.name == "aclnnSoftmaxBackward")
    asked: list[str] = []
    for module, name in ((first_phase, "decide"), (second_phase, "bind")):
        story = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *given, name=name, story=story: (asked.append(name), story(*given))[1])

    def calls() -> list[str]:
        asked.clear()
        with board():
            for _ in range(2):  # the second tensors are like the first: they share the plan, but not its addresses
                arguments = placed(case)
                for _ in range(TIMES):
                    assert planned(case, arguments).launch() == ACL_SUCCESS
        return asked

    assert calls() == ["decide", "bind", "bind"]
    monkeypatch.setattr(memo, "keep", forget)
    assert calls() == ["decide", "bind"] * TIMES * 2


STORY = [
    path
    for room in ("engine", "ops")
    for path in sorted(Path(aclnn.__file__ or "").parent.joinpath(room).glob("*.py"))
    if path.stem != "memo"
]
CACHES = {"plans", "repeated", "bindings"}


@pytest.mark.parametrize("path", STORY, ids=lambda path: path.stem)
def test_there_is_no_cache_outside_of_the_memo(path: Path) -> None:
    """No other module of the engine or the operators uses a cache of Python (`functools.cache` and the like), or the
    dicts of the memo. There are three exceptions. The module of `Plan` makes the dict `bindings`; the module of
    `Operator` makes the functions of an operator once; the package of the operators reads the lists of the families
    once."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    named = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    named |= {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    once = {"operator": {"cached_property"}, "ops": {"cache"}}
    name = path.parent.name if path.stem == "__init__" else path.stem
    assert named & {"cache", "lru_cache", "cached_property"} == once.get(name, set())
    assert named & CACHES == ({"bindings"} if path.stem == "plan" else set())


def test_the_memo_fills_its_caches_in_keep_alone() -> None:
    """Only `keep` assigns to an item of a cache, and it does so once."""
    tree = ast.parse(inspect.getsource(memo))
    (keeper,) = (node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "keep")

    def stored(where: ast.AST) -> list[ast.Subscript]:
        found = (node for node in ast.walk(where) if isinstance(node, ast.Subscript))
        return [node for node in found if isinstance(node.ctx, ast.Store)]

    assert len(stored(keeper)) == 1
    places = [node for node in stored(tree) if node not in stored(keeper)]
    assert {ast.unparse(node) for node in places} == {"things[place]"}  # the objects of the call at hand
    written = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    assert written & {"setdefault", "update", "cache", "lru_cache"} == set()


@pytest.mark.parametrize("most", [1, 2])
def test_a_full_cache_is_emptied(most: int) -> None:
    shelf: dict[int, str] = {}
    for number in range(5):
        memo.keep(shelf, number, str(number), most)
        assert shelf[number] == str(number)
        assert len(shelf) <= most
