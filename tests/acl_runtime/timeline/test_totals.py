"""Sums over a trace, and the comparison of two traces."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.timeline.__main__ import main
from acl_runtime.timeline.compare import compared
from acl_runtime.timeline.contents import TraceContents
from acl_runtime.timeline.read import read
from acl_runtime.timeline.totals import by_function, by_line, by_task, peak
from acl_runtime.timeline.write import as_html
from tests.helpers.builders import malloc
from tests.helpers.creating import create_stream
from tests.helpers.outcomes import ok

TAKEN = (1 << 20) + 32
"""aclrtMalloc takes 32 bytes more than it is asked for"""


def program(sets: int = 2, size: int = 1 << 20, *, leaks: bool = False) -> Machine:
    """Some memory sets in a stream, of 2 us each with the default size."""
    with Machine(trace=True, on_undefined="report") as machine:
        ok(aclrtSetDevice(0))
        stream, memory = create_stream(), malloc(size)
        for _ in range(sets):
            ok(aclrtMemsetAsync(memory, size, 0, size, stream))
        ok(aclrtSynchronizeStream(stream))
        assert aclrtMemset(memory, 4, 0, 0) is not None
        assert aclrtFree(None) != ACL_SUCCESS
        if not leaks:
            ok(aclrtFree(memory))
        ok(aclrtDestroyStream(stream))
        ok(aclrtResetDevice(0))
    return machine


def contents(machine: Machine) -> TraceContents:
    return read(machine.chrome_trace())


def test_tasks_by_name() -> None:
    (each,) = by_task(contents(program(3)))
    assert (each.name, each.times, each.failed) == ("memory set", 3, 0)
    assert each.time == pytest.approx(3 * each.longest, abs=0.01)
    assert each.longest > 1  # a microsecond, and more for the bytes


def test_calls_by_function_have_their_failures_and_waits() -> None:
    found = {each.name: each for each in by_function(contents(program(3)))}
    assert (found["aclrtMemsetAsync"].times, found["aclrtMemsetAsync"].time) == (3, 0)
    assert (found["aclrtFree"].times, found["aclrtFree"].failed) == (2, 1)
    assert found["aclrtSynchronizeStream"].time > 3  # it waited for the three tasks
    assert next(iter(found)) == "aclrtSynchronizeStream"  # the longest wait comes first


def test_memory_by_the_line_that_allocated_it() -> None:
    (line,) = by_line(contents(program(1, 1 << 20)))
    assert line.bytes == TAKEN
    assert re.search(r"\.py:\d+$", line.site)
    assert peak(contents(program(1, 1 << 20))) == TAKEN


def test_memory_of_a_line_has_its_most_in_use_and_what_is_left() -> None:
    """Lines that allocate through the same helper have rows of their own."""
    with Machine(trace=True, on_undefined="report") as machine:
        ok(aclrtSetDevice(0))
        for number in range(3):
            address = malloc(1 << 20)
            if number < 2:
                ok(aclrtFree(address))
        kept = [malloc(64) for _ in range(2)]
        ok(aclrtFree(kept[0]))
    first, second = by_line(contents(machine))
    assert (first.times, first.bytes, first.most, first.left) == (3, 3 * TAKEN, TAKEN, TAKEN)
    assert first.site == second.site
    assert "aclrtMalloc(" in first.code
    assert [re.sub(r".*/|\d+$", "", each.callers[0]) for each in (first, second)] == ["test_totals.py:"] * 2
    assert first.callers != second.callers
    assert (second.times, second.most, second.left) == (2, second.bytes, second.bytes // 2)


def test_a_reset_of_the_device_frees_the_memory_of_all_lines() -> None:
    with Machine(trace=True) as machine:
        ok(aclrtSetDevice(0))
        malloc(1 << 20), malloc(64)
        ok(aclrtResetDeviceForce(0))
    lines = by_line(contents(machine))
    assert [(each.most == each.bytes > 0, each.left) for each in lines] == [(True, 0)] * len(lines) != []


def test_the_page_has_the_sums() -> None:
    page = as_html(program().chrome_trace())
    for title in ("Tasks by name", "Calls by function", "Memory by the line that allocated it"):
        assert f"{title} as a table" in page
    assert f"{TAKEN:,}" in page


def test_two_traces_are_compared() -> None:
    old, new = contents(program(2)), contents(program(3, 1 << 21, leaks=True))
    lines = compared(old, new).splitlines()
    assert any(line.startswith("tasks: memory set: 2 -> 3x") for line in lines)
    assert any(line.startswith("calls: aclrtFree: 2 -> 1x") for line in lines)
    assert "findings: mem-leaked: 0 -> 1x" in lines
    assert f"memory at most: {TAKEN:,} bytes -> {TAKEN + (1 << 20):,} bytes" in lines


def test_the_comparison_names_another_schedule_and_lines_that_allocate_more() -> None:
    """A line is known by its code, as its number changes with the lines above it."""
    old, new = contents(program(1)), contents(program(1, 1 << 21))
    about = new.about._replace(schedule="random", seed="7")
    lines = compared(old, new._replace(about=about)).splitlines()
    assert lines[:2] == ["schedule: late -> random", "seed: (none) -> 7"]
    (memory,) = [line for line in lines if line.startswith("memory of ")]
    assert re.fullmatch(rf"memory of .*\.py: .*aclrtMalloc.*: {TAKEN:,} -> {TAKEN + (1 << 20):,} bytes", memory), memory
    moved = [call._replace(site=re.sub(r"\d+$", "1", call.site)) for call in old.calls]
    assert not compared(old, old._replace(calls=moved)).count("memory of")


def test_equal_traces_have_no_difference() -> None:
    nothing = "no difference in tasks, calls, findings, simulated time and memory"
    assert compared(contents(program()), contents(program())) == nothing


def test_the_command_compares_two_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old, new = tmp_path / "old.json", tmp_path / "new.json"
    program(2).write_trace(old)
    program(3).write_trace(new)
    assert main([str(old), str(new), "--compare"]) == 0
    assert "aclrtMemsetAsync: 2 -> 3x" in capsys.readouterr().out
