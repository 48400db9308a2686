"""`machine.chrome_trace()`: rows for threads and streams, arrows from launch to run, memory in use."""

import json
import runpy
from collections import defaultdict
from ctypes import byref, c_int32
from pathlib import Path
from typing import Any

import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.helpers.builders import malloc
from tests.helpers.creating import create_stream
from tests.helpers.machines import SCHEDULES
from tests.helpers.outcomes import ok

SAMPLES = Path(__file__).resolve().parents[3] / "samples"
Event = dict[str, Any]


def trace_of(sample: str, **options: Any) -> tuple[list[Event], Machine]:
    program = runpy.run_path(str(SAMPLES / f"{sample}.py"), run_name="sample")
    with Machine(**options) as machine:
        program["main"]()
    events: Any = machine.chrome_trace()["traceEvents"]
    return events, machine


def named(events: list[Event], kind: str) -> dict[tuple[int, int], str]:
    return {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == f"{kind}_name"}


@pytest.fixture(scope="module")
def two_devices() -> tuple[list[Event], Machine]:
    return trace_of("devices_and_threads", device_count=2)


@pytest.fixture(scope="module")
def copies() -> tuple[list[Event], Machine]:
    return trace_of("asynchronous_copies")


def test_each_thread_and_stream_has_a_row(two_devices: tuple[list[Event], Machine]) -> None:
    """The host and each device are processes; each thread and each stream has a row. Thread names with a number that
    Python counts are replaced, as they differ between runs."""
    events, _ = two_devices
    processes = named(events, "process")
    assert list(processes.values()) == ["host", "device 0 (Ascend910B1)", "device 1 (Ascend910B1)"]
    rows = [(processes[pid, 0], name) for (pid, _), name in named(events, "thread").items()]
    assert {name for place, name in rows if place == "host"} == {"MainThread", "thread 2", "thread 3"}
    # (either thread may be the first to create its stream)
    streams = {place: name for place, name in rows if place != "host"}
    assert streams.keys() == {"device 0 (Ascend910B1)", "device 1 (Ascend910B1)"}
    assert sorted(streams.values()) == ["stream 1", "stream 2"]
    assert len(rows) == 5


def test_every_event_is_in_a_named_row(two_devices: tuple[list[Event], Machine]) -> None:
    events, _ = two_devices
    rows = named(events, "thread")
    assert all((event["pid"], event["tid"]) in rows for event in events if event["ph"] in "Xsf")


def test_every_call_and_every_task_is_there(copies: tuple[list[Event], Machine]) -> None:
    """Tasks have their simulated times to the nanosecond, their status, and the line of the launch."""
    events, machine = copies
    slices = [event for event in events if event["ph"] == "X"]
    assert [event["name"] for event in slices if event["pid"] == 1] == machine.calls.names()
    tasks = [event for event in slices if event["pid"] == 2]
    ran = {task.id: task for task in machine.tasks}
    assert {event["args"]["task"] for event in tasks} == set(ran)
    for event in tasks:
        task = ran[event["args"]["task"]]
        assert (event["name"], event["ts"]) == (task.name, round(task.start, 3))
        assert event["ts"] + event["dur"] == pytest.approx(task.end, abs=0.001)
        assert event["args"]["status"] == "ACL_SUCCESS"
        assert "asynchronous_copies.py:" in event["args"]["site"]


@pytest.mark.parametrize("which", ["two_devices", "copies"])
def test_slices_of_a_row_follow_each_other(which: str, request: pytest.FixtureRequest) -> None:
    events, _ = request.getfixturevalue(which)
    ends: dict[tuple[int, int], float] = defaultdict(float)
    for event in events:
        if event["ph"] == "X":
            row = event["pid"], event["tid"]
            assert event["dur"] > 0
            assert event["ts"] >= ends[row] - 1e-6
            ends[row] = event["ts"] + event["dur"]


def test_calls_take_no_time_except_waits(copies: tuple[list[Event], Machine]) -> None:
    """Calls of one instant are drawn a nanosecond wide, side by side; a wait is drawn as long as it took."""
    events, machine = copies
    host = [event for event in events if event["ph"] == "X" and event["pid"] == 1]
    for event, call in zip(host, machine.calls, strict=True):
        assert (event["dur"] > 0.0015) == (call.time > call.began)
        assert call.began - 0.001 <= event["ts"] <= call.began + 0.05, "its arguments have the exact time"


def test_arrows_lead_from_the_launch_to_the_run(copies: tuple[list[Event], Machine]) -> None:
    """Every arrow has both ends, each inside its slice, and never leads backwards; ids count from 1."""
    events, machine = copies
    slices = [event for event in events if event["ph"] == "X"]
    starts = {event["id"]: event for event in events if event["ph"] == "s"}
    ends = {event["id"]: event for event in events if event["ph"] == "f"}
    assert set(starts) == set(ends) == set(range(1, len(machine.tasks) + 1))

    def around(arrow: Event) -> Event:
        (found,) = [
            each
            for each in slices
            if (each["pid"], each["tid"]) == (arrow["pid"], arrow["tid"])
            and each["ts"] <= arrow["ts"] < each["ts"] + each["dur"] - 1e-6
        ]
        return found

    launches = {task: call.function for call in machine.calls for task in call.tasks}
    for id, start in starts.items():
        assert start["ts"] <= ends[id]["ts"]
        assert around(start)["name"] == launches[id]
        assert around(ends[id])["args"]["task"] == id


def test_memory_in_use_is_a_counter_of_each_device() -> None:
    with Machine(device_count=2) as machine:
        for device in (0, 1):
            ok(aclrtSetDevice(device))
            first, second = malloc(1000), malloc(1000)
            ok(aclrtFree(first))
            ok(aclrtFree(second))
    events: Any = machine.chrome_trace()["traceEvents"]
    for device in (0, 1):
        counter = [event for event in events if event["ph"] == "C" and event["pid"] == 2 + device]
        used = [event["args"]["bytes"] for event in counter]
        assert used == [0, used[1], 2 * used[1], used[1], 0]
        assert [event["ts"] for event in counter] == sorted(event["ts"] for event in counter)


def test_calls_of_a_callback_lie_inside_the_call_that_ran_it() -> None:
    def callback(_: object) -> None:
        ok(aclrtGetDevice(byref(c_int32())))

    with Machine() as machine:
        ok(aclrtSetDevice(0))
        stream = create_stream()
        ok(aclrtLaunchHostFunc(stream, callback, None))
        ok(aclrtSynchronizeStream(stream))
    events: Any = machine.chrome_trace()["traceEvents"]
    *_, outer, inner = [event for event in events if event["ph"] == "X" and event["pid"] == 1]
    assert (outer["name"], inner["name"]) == ("aclrtSynchronizeStream", "aclrtGetDevice")
    assert outer["ts"] <= inner["ts"] < inner["ts"] + inner["dur"] <= outer["ts"] + outer["dur"]


def test_failed_calls_have_their_status() -> None:
    events, _ = trace_of("error_handling")
    statuses = {event["args"]["status"] for event in events if event["ph"] == "X"}
    assert {"ACL_ERROR_RT_CONTEXT_NULL", "ACL_ERROR_RT_INVALID_HANDLE", "ACL_ERROR_RT_EVENT_SYNC_TIMEOUT"} <= statuses


def test_a_launch_that_never_ran_has_no_arrow() -> None:
    with Machine() as machine:
        ok(aclrtSetDevice(0))
        ok(aclrtMemsetAsync(malloc(64), 64, 0, 64, None))
    events: Any = machine.chrome_trace()["traceEvents"]
    assert not [event for event in events if event["ph"] in "sf"]


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_the_same_program_gives_the_same_trace(schedule: str) -> None:
    """It contains no real time, process id or host address."""
    first, second = (
        json.dumps(trace_of("streams_and_events", schedule=schedule, seed=1)[1].chrome_trace()) for _ in range(2)
    )
    assert first == second
    assert "0x7f" not in first


def test_the_trace_is_written_to_a_file(tmp_path: Path) -> None:
    with Machine() as machine:
        ok(aclrtSetDevice(0))
    machine.write_trace(tmp_path / "trace.json")
    assert json.loads((tmp_path / "trace.json").read_text(encoding="utf-8")) == machine.chrome_trace()
