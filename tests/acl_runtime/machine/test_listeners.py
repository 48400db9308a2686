"""Listeners of a machine: typed announcements, listeners that override them, bodies that name no check."""

from __future__ import annotations

import ast
from collections.abc import Callable

import pytest

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.checks.access_listeners import AccessListener
from acl_runtime.streams.announcements import Announcer, Listener
from acl_runtime.streams.stream import Stream, Task
from tests.helpers.builders import malloc
from tests.helpers.creating import create_stream, malloc_host
from tests.helpers.machines import board
from tests.helpers.outcomes import ok
from tests.helpers.places import module_files

KEPT = {"order", "teardown", "unchecked", "unasked"}
"""what a machine keeps of them"""


@pytest.mark.parametrize("listener", [Listener, AccessListener])
def test_each_event_happens_somewhere(listener: type) -> None:
    """An event that nothing announces is none."""
    sources = "".join(path.read_text() for path in module_files())
    events = [name for name, each in vars(listener).items() if callable(each) and not name.startswith("_")]
    assert [name for name in events if f"announce.{name}(" not in sources] == []


def test_what_is_overridden_is_heard_in_order() -> None:
    heard: list[str] = []

    class First(Listener):
        def host_read(self, low: int, high: int) -> None:
            heard.append(f"first {low} {high}")

    class Second(First):
        def host_read(self, low: int, high: int) -> None:
            heard.append(f"second {low} {high}")

    events = Announcer([First(), Listener(), Second()])
    events.host_read(1, 2)
    events.closed()
    assert heard == ["first 1 2", "second 1 2"]


class Diary(Listener):
    """Writes down what happens to tasks."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def queueing(self, stream: Stream, task: Task) -> None:
        self.lines.append(f"queueing {task.name} in {stream}")

    def work_begins(self, task: Task) -> None:
        self.lines.append(f"work begins: {task.name}")

    def work_ends(self, task: Task) -> None:
        self.lines.append(f"work ends: {task.name}")

    def task_over(self, task: Task) -> None:
        self.lines.append(f"over: {task.name}")


def test_a_listener_hears_the_life_of_a_task() -> None:
    with board() as machine:
        diary = Diary()
        machine.announce = Announcer([*machine.announce.listeners, diary])
        stream, host, device = create_stream(), malloc_host(64), malloc(64)
        ok(aclrtMemset(device, 64, 1, 64))
        ok(aclrtMemcpyAsync(host, 64, device, 64, ACL_MEMCPY_DEVICE_TO_HOST, stream))  # which writes watched memory
        ok(aclrtLaunchHostFunc(stream, host_function, None))  # which is opaque
        assert diary.lines == ["queueing copy in stream 1", "queueing host function in stream 1"]
        ok(aclrtSynchronizeStream(stream))
        assert diary.lines[2:] == ["work begins: copy", "work ends: copy", "over: host function"]


def host_function(_: object) -> None:
    """Host code that does nothing."""


@pytest.mark.fidelity("`Machine(checks=False)`")
@pytest.mark.parametrize(("checks", "found"), [(True, {"memcpy-kind", "order-teardown"}), (False, set[str]())])
def test_nobody_listens_without_checks(checks: bool, found: set[str]) -> None:
    """A copy whose kind is not what the pointers are, and a stream that is destroyed after its device was reset, break
    nothing."""
    with board(on_undefined="report", checks=checks) as machine:
        assert (machine.announce.listeners == (machine.unchecked, machine.unasked)) == (not checks)
        stream, device, other = create_stream(), malloc(64), malloc(64)
        ok(aclrtMemcpy(device, 64, bytes(64), 64, ACL_MEMCPY_HOST_TO_DEVICE))
        ok(aclrtMemcpy(other, 64, device, 64, ACL_MEMCPY_HOST_TO_DEVICE))
        ok(aclrtResetDevice(0))
        assert aclrtDestroyStream(stream) != 0
        assert {each.id for each in machine.findings} & {"memcpy-kind", "order-teardown"} == found


@pytest.mark.parametrize("checks", [True, False])
@pytest.mark.parametrize("read", [None, aclGetRecentErrMsg, aclrtGetLastError])
def test_reading_an_error_is_heard_with_and_without_checks(read: Callable[..., object] | None, checks: bool) -> None:
    """A failure whose text or code the program reads is no `ignored-ret`; one that it does not read is."""
    with Machine(on_undefined="report", checks=checks) as machine:
        ok(aclInit(None))
        aclrtSetDevice(99)
        if read is not None:
            assert read(*([0] if read is aclrtGetLastError else []))
        ok(aclFinalize())
    assert [each.id for each in machine.findings] == ([] if read else ["ignored-ret"])


def test_no_body_names_a_check() -> None:
    """A body says what happens. It imports no check, and asks the machine for none."""
    rooms = ("acl_runtime/api", "acl_runtime/pyacl", "aclnn/engine", "aclnn/ops")
    for path in module_files(*rooms):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                assert not f"{node.module}.".startswith("acl_runtime.checks."), path
            if isinstance(node, ast.Attribute) and node.attr in KEPT:
                assert ast.unparse(node.value) not in ("machine", "current()"), f"{path}:{node.lineno}"
