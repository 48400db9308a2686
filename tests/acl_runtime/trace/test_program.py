"""The program, the schedule and the seed in a trace, and the lines of code that its events name."""

from __future__ import annotations

import os
import subprocess
import sys
from ctypes import byref, c_void_p
from pathlib import Path
from typing import Any

import pytest

import acl_runtime.trace.program as program
from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.process import Process
from tests.helpers.outcomes import ok


def about(machine: Machine) -> dict[str, Any]:
    found: Any = machine.chrome_trace()["otherData"]
    return {key: value for key, value in found.items() if key != "lines"}


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, {"schedule": "late"}),
        ({"schedule": "random", "seed": 3}, {"schedule": "random", "seed": 3}),
        ({"schedule": "random"}, {"schedule": "random"}),
        ({"schedule": "eager", "seed": 3}, {"schedule": "eager"}),
    ],
    ids=["late", "random with a seed", "random without a seed", "a seed of another schedule means nothing"],
)
def test_a_trace_has_the_test_the_schedule_and_the_seed(
    options: dict[str, Any], expected: dict[str, object], request: pytest.FixtureRequest
) -> None:
    with Machine(**options) as machine:
        pass
    assert about(machine) == {"program": request.node.nodeid, **expected}


@pytest.mark.parametrize(
    ("arguments", "in_c", "expected"),
    [
        (["/home/someone/host.py", "--fast"], False, "host.py"),
        (["-c"], False, ""),
        ([""], False, ""),
        ([], False, ""),
        ([""], True, os.path.basename(os.path.realpath(sys.executable))),
        (["/home/someone/host.cpp"], True, "host.cpp"),
    ],
    ids=["a file", "python -c", "a terminal", "none", "a program in C", "aclnn run host.cpp"],
)
@pytest.mark.skipif(not os.path.exists(program.EXECUTABLE), reason="only Linux names the executable in /proc")
def test_a_program_is_named_by_its_file(
    arguments: list[str], in_c: bool, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    process = Process()
    process.program = object() if in_c else None  # type: ignore[assignment]
    monkeypatch.setattr(program, "process", process)
    monkeypatch.setattr(sys, "argv", arguments)
    monkeypatch.delenv(program.TEST)
    assert program.program_name() == expected


def test_a_program_outside_of_pytest_is_named_in_its_page(tmp_path: Path) -> None:
    (tmp_path / "host.py").write_text(
        "from acl_runtime import *\nfrom acl_runtime import Machine\n"
        "with Machine() as machine:\n    aclInit(None)\n    aclFinalize()\nmachine.write_timeline('t.html')\n"
    )
    environment = {key: value for key, value in os.environ.items() if key != program.TEST}
    subprocess.run([sys.executable, "host.py"], cwd=tmp_path, env=environment, check=True)
    assert "<h1>Timeline of host.py</h1>" in (tmp_path / "t.html").read_text(encoding="utf-8")


def test_a_trace_has_each_line_of_the_program_once() -> None:
    """Its form for people, and its code."""
    with Machine(trace=True) as machine:
        ok(aclrtSetDevice(0))
        for _ in range(3):
            ok(aclrtSetDevice(0))  # several times
        ok(aclrtResetDeviceForce(0))
    trace: Any = machine.chrome_trace()
    sites = {event["args"]["site"] for event in trace["traceEvents"] if event["ph"] == "X"}
    lines = trace["otherData"]["lines"]
    assert set(lines) == sites
    assert [code for _, code in lines.values()] == [
        "ok(aclrtSetDevice(0))",
        "ok(aclrtSetDevice(0))  # several times",
        "ok(aclrtResetDeviceForce(0))",
    ]
    assert all(site.endswith(shown) for site, (shown, _) in lines.items())


def test_a_range_names_the_calls_that_began_and_ended_it() -> None:
    with Machine() as machine:
        ok(aclrtSetDevice(0))
        first = mstxRangeStartA("first", None)
        mstxRangeStartA("goes on", None)
        mstxMarkA("here", None)
        mstxRangeEnd(first)
        ok(aclrtResetDevice(0))
    trace: Any = machine.chrome_trace()
    marks = [event for event in trace["traceEvents"] if event.get("cat") == "mark" and event["ph"] != "e"]
    assert [(each["name"], each["args"]["order"], each["args"].get("last")) for each in marks] == [
        ("first", 2, 5),
        ("goes on", 3, None),
        ("here", 4, None),
    ]


def test_a_mark_of_a_call_that_is_no_longer_kept_names_no_call() -> None:
    with Machine() as machine:
        ok(aclrtSetDevice(0))
        mstxMarkA("here", None)
        ok(aclrtResetDevice(0))
    last = list(machine.calls)[-1]
    machine.calls.clear()
    machine.calls.append(last)
    trace: Any = machine.chrome_trace()
    (mark,) = [event for event in trace["traceEvents"] if event.get("cat") == "mark"]
    assert "order" not in mark["args"]


def test_calls_that_allocate_and_free_name_their_block() -> None:
    with Machine(trace=True) as machine:
        ok(aclrtSetDevice(0))
        blocks = [c_void_p(), c_void_p()]
        for each in blocks:
            ok(aclrtMalloc(byref(each), 64, ACL_MEM_MALLOC_HUGE_FIRST))
        ok(aclrtFree(blocks[1]))
        ok(aclrtResetDeviceForce(0))
    trace: Any = machine.chrome_trace()
    facts = [event["args"] for event in trace["traceEvents"] if event["ph"] == "X"]
    one, two = (machine.names.of(each.value or 0) for each in blocks)
    assert [each.get("block") for each in facts] == [None, one, two, two, None]
