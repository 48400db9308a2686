"""mstx: marks and ranges of the program, in the trace and in the picture."""

import json
from ctypes import byref, c_uint64
from pathlib import Path
from typing import Any

import pytest

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.timeline.read import read
from tests.helpers.creating import create_stream
from tests.helpers.outcomes import finding_of, ok

IGNORED = [None, "", "=x", "+x", "-x", "@x"]


def recorded(machine: Machine) -> list[tuple[str, str, float, float | None]]:
    return [(each.domain, each.message, each.began, each.ended) for each in machine.marks]


@pytest.mark.fidelity("marks of mstx without a profiler")
def test_marks_and_ranges_are_recorded_with_one_count(machine: Machine) -> None:
    """ "a new id, counted up from 1 per process (shared with marks)"; "ranges may overlap"."""
    first = mstxRangeStartA("first", None)
    mstxMarkA("here", None)
    machine.clock.advance(3)
    second = mstxRangeStartA("second", None)
    mstxRangeEnd(first)
    machine.clock.advance(4)
    mstxRangeEnd(second)
    assert (first, second) == (1, 3)
    assert recorded(machine) == [
        ("default", "first", 0.0, 3.0),
        ("default", "here", 0.0, None),
        ("default", "second", 3.0, 7.0),
    ]


@pytest.mark.parametrize("message", IGNORED)
def test_some_messages_are_ignored(machine: Machine, message: str | None) -> None:
    """ "null, empty, or beginning with =, +, - or @: the call does nothing (start: 0)"."""
    stream, domain = create_stream(), mstxDomainCreateA("mine")
    mstxMarkA(message, stream)
    mstxDomainMarkA(domain, message, stream)
    assert mstxRangeStartA(message, stream) == mstxDomainRangeStartA(domain, message, stream) == 0
    ok(aclrtSynchronizeStream(stream))
    assert not machine.tasks
    assert recorded(machine) == []


def test_a_stream_is_marked_in_its_order(machine: Machine) -> None:
    """ "with a stream a task at the start and one at the end"; End takes no stream."""
    stream = create_stream()
    mstxMarkA("m", stream)
    id = mstxRangeStartA("r", stream)
    mstxRangeEnd(id)
    ok(aclrtSynchronizeStream(stream))
    assert [task.name for task in machine.tasks] == ["mark 'm'", "start of range 'r'", "end of range 'r'"]


def test_a_name_is_one_domain_while_it_exists(machine: Machine) -> None:
    """ "The same name again gives the same handle while it exists"."""
    one, again, other = mstxDomainCreateA("a"), mstxDomainCreateA("a"), mstxDomainCreateA("b")
    assert one == again != other
    mstxDomainDestroy(one)
    assert mstxDomainCreateA("a") != one


@pytest.mark.parametrize("name", [*IGNORED, "default", "x" * 1024])
def test_some_names_give_null(machine: Machine, name: str | None) -> None:
    assert not mstxDomainCreateA(name)
    assert mstxDomainCreateA("x" * 1023)


def test_a_range_ends_in_its_own_domain_only(machine: Machine) -> None:
    """ "id unknown or of another domain: error in the log, nothing"."""
    domain = mstxDomainCreateA("mine")
    id = mstxDomainRangeStartA(domain, "r", None)
    mstxRangeEnd(id)
    mstxDomainRangeEnd(domain, 0)
    mstxDomainRangeEnd(domain, id + 1)
    assert recorded(machine) == [("mine", "r", 0.0, None)]
    machine.clock.advance(2)
    mstxDomainRangeEnd(domain, id)
    mstxDomainRangeEnd(domain, id)
    assert recorded(machine) == [("mine", "r", 0.0, 2.0)]


def test_a_domain_that_is_gone_is_ignored(machine: Machine) -> None:
    """ "removes the handle; later calls with it: warning, nothing, 0"."""
    domain = mstxDomainCreateA("mine")
    mstxDomainDestroy(domain)
    mstxDomainDestroy(domain)
    mstxDomainMarkA(domain, "m", None)
    assert mstxDomainRangeStartA(domain, "r", None) == 0
    mstxDomainRangeEnd(domain, 1)
    assert recorded(machine) == []
    assert machine.findings == []


@pytest.mark.fidelity("a mark of mstx in a stream that is gone")
def test_a_dead_stream_is_found(machine: Machine) -> None:
    stream = create_stream()
    id = mstxRangeStartA("r", stream)
    ok(aclrtDestroyStreamForce(stream))
    assert finding_of(lambda: mstxMarkA("m", stream))[0] == "dead-handle"
    mstxRangeEnd(id)
    assert recorded(machine) == [("default", "r", 0.0, 0.0)]


@pytest.mark.fidelity("marks of mstx without a profiler")
def test_the_tool_is_the_profiler_and_there_is_no_memory_tool(machine: Machine) -> None:
    id, domain = c_uint64(7), mstxDomainCreateA("mine")
    mstxGetToolId(byref(id))
    mstxGetToolId(None)
    assert id.value == 0x1000
    assert not mstxMemHeapRegister(domain, None)
    mstxMemHeapUnregister(domain, None)
    mstxMemRegionsRegister(domain, None)
    mstxMemRegionsUnregister(domain, None)
    mstxMemPermissionsAssign(domain, None)


def traced(machine: Machine) -> None:
    """Two domains, a range that overlaps another, and one that goes on."""
    stream, domain = create_stream(), mstxDomainCreateA("train")
    outer = mstxDomainRangeStartA(domain, "step <1>", stream)
    inner = mstxDomainRangeStartA(domain, "forward", None)
    mstxMarkA("here", None)
    machine.clock.advance(2)
    mstxDomainRangeEnd(domain, outer)
    machine.clock.advance(2)
    mstxDomainRangeEnd(domain, inner)
    mstxRangeStartA("goes on", None)
    ok(aclrtSynchronizeStream(stream))


def test_the_trace_has_them_in_a_process_of_their_own(machine: Machine) -> None:
    traced(machine)
    events: list[dict[str, Any]] = json.loads(json.dumps(machine.chrome_trace()))["traceEvents"]
    mine = [event for event in events if event["pid"] == 0]
    assert {event["args"]["name"] for event in mine if event["ph"] == "M"} == {"marks and ranges", "train", "default"}
    found = [(event["ph"], event["name"], event["ts"]) for event in mine if event["ph"] in "bei"]
    assert found[:5] == [
        ("b", "step <1>", 0.0),
        ("e", "step <1>", 2.0),
        ("b", "forward", 0.0),
        ("e", "forward", 4.0),
        ("i", "here", 0.0),
    ]
    contents = read(machine.chrome_trace())
    assert [(mark.domain, mark.message, mark.open) for mark in contents.marks] == [
        ("train", "step <1>", False),
        ("train", "forward", False),
        ("default", "here", False),
        ("default", "goes on", True),
    ]


def test_the_picture_has_a_row_for_each_domain(machine: Machine, tmp_path: Path) -> None:
    traced(machine)
    machine.write_timeline(tmp_path / "picture.svg")
    picture = (tmp_path / "picture.svg").read_text(encoding="utf-8")
    assert "marks and ranges" in picture
    assert "range: step &lt;1&gt;\nfrom 0 µs to 2 µs" in picture
    assert "range: goes on\nfrom 4 µs which goes on" in picture
    assert "mark: here\nat 0 µs" in picture
    machine.write_timeline(tmp_path / "part.svg", start=3, end=5)
    part = (tmp_path / "part.svg").read_text(encoding="utf-8")
    assert "range: forward" in part
    assert "mark: here" not in part


def test_a_program_without_marks_has_no_such_rows(machine: Machine, tmp_path: Path) -> None:
    ok(aclrtSynchronizeDevice())
    assert not [event for event in machine.chrome_trace()["traceEvents"] if event["pid"] == 0]  # type: ignore[attr-defined]
    machine.write_timeline(tmp_path / "picture.svg")
    assert "marks and ranges" not in (tmp_path / "picture.svg").read_text(encoding="utf-8")
