"""Races: their effect on the call that makes them, their report, and which work is known to be over (ours)."""

from __future__ import annotations

import re
import threading
from ctypes import byref, c_int
from itertools import pairwise

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.acl_runtime.checks.races.race_twins import N, copy, edge, event, fetch, memory
from tests.helpers.creating import create_stream, pinned
from tests.helpers.machines import board
from tests.helpers.outcomes import finding_of, ok

SCHEDULES = pytest.mark.parametrize("schedule", ["late", "eager", "threads", "random"])


def ids(machine: Machine) -> list[str]:
    return [finding.id for finding in machine.findings.worth_telling]


@SCHEDULES
def test_an_event_that_is_recorded_too_early_is_named(schedule: str) -> None:
    """The last record that the second stream awaits, with its line (ours)."""
    with board(schedule):
        shared, other, a, b = memory(), memory(bytes([9]) * N), create_stream(), create_stream()
        early = event()
        ok(aclrtRecordEvent(early, a))
        copy(shared, memory(), a)
        ok(aclrtStreamWaitEvent(b, early))
        found, text = finding_of(lambda: aclrtMemcpyAsync(shared, N, other, N, ACL_MEMCPY_DEVICE_TO_DEVICE, b))
        assert found == "xstream-race"
        assert "stream 2 waits for event 1, which was recorded in stream 1 before copy." in text
        assert re.search(r"event 1 was recorded in stream 1 at \S*test_order_of_accesses.py:\d+", text)
        ok(aclrtRecordEvent(early, a))
        ok(aclrtStreamWaitEvent(b, early))
        copy(shared, other, b)


@SCHEDULES
def test_the_call_that_is_raised_had_no_effect(schedule: str) -> None:
    with board(schedule):
        shared, other, a, b = memory(), memory(bytes([9]) * N), create_stream(), create_stream()
        copy(shared, memory(), a)
        found, text = finding_of(lambda: aclrtMemcpyAsync(shared, N, other, N, ACL_MEMCPY_DEVICE_TO_DEVICE, b))
        assert found == "xstream-race"
        for words in ("stream 1", "stream 2", "(write after write)", "no event leads from stream 1 to stream 2",
                      "copy in stream 1 was launched at", "was allocated at", "aclrtStreamWaitEvent"):  # fmt: skip
            assert words in text
        ok(aclrtSynchronizeStream(a))
        ok(aclrtSynchronizeStream(b))
        back = bytearray(N)
        ok(aclrtMemcpy(back, N, shared, N, ACL_MEMCPY_DEVICE_TO_HOST))
        assert bytes(back) == bytes(range(N))


@pytest.mark.parametrize("kind", ["read after write", "write after read", "write after write"])
def test_the_kind_of_a_race_is_told(kind: str) -> None:
    second, first = (each.strip() == "write" for each in kind.split("after"))
    with board():
        shared, other, third = memory(), memory(), memory()
        copy(*((shared, other) if first else (other, shared)), create_stream())
        stream = create_stream()
        assert f"({kind})" in finding_of(lambda: copy(*((shared, third) if second else (third, shared)), stream))[1]
        ok(aclrtSynchronizeDevice())


def test_a_loop_is_told_once() -> None:
    """A machine that only reports lists two lines once for each pair of streams and roles, and no consequences."""
    with board(on_undefined="report") as machine:
        shared, other, a, b = memory(), memory(), create_stream(), create_stream()
        for _ in range(5):
            ok(aclrtMemcpyAsync(shared, N, other, N, ACL_MEMCPY_DEVICE_TO_DEVICE, a))
            ok(aclrtMemcpyAsync(other + 0, N, shared, N, ACL_MEMCPY_DEVICE_TO_DEVICE, b))
            ok(aclrtSynchronizeDevice())
        assert ids(machine) == ["xstream-race"]


@SCHEDULES
@pytest.mark.parametrize("waits", [True, False])
def test_a_loop_that_changes_pinned_memory_is_told_once(schedule: str, waits: bool) -> None:
    """Two buffers in turn, each filled again before its last copy was waited for: one line, one finding."""
    with board(schedule, on_undefined="report") as machine:
        buffers, target, stream = [pinned(np.zeros(N // 4, np.float32)) for _ in range(2)], memory(), create_stream()
        for turn in range(6):
            address, values = buffers[turn % 2]
            values[:] = turn
            copy(target, address, stream)
            if waits:
                ok(aclrtSynchronizeStream(stream))
        ok(aclrtSynchronizeStream(stream))
        assert ids(machine) == ([] if waits else ["pinned-reuse"])


@SCHEDULES
@pytest.mark.parametrize("waits", [True, False])
def test_what_is_freed_too_early_is_told_once(schedule: str, waits: bool) -> None:
    """One wait is missing: the first free tells it, those behind it do not, and neither do other rounds of a loop."""
    with board(schedule, on_undefined="report") as machine:
        stream = create_stream()
        for _ in range(3):
            target, source = memory(), memory()
            copy(target, source, stream)
            if waits:
                ok(aclrtSynchronizeStream(stream))
            for address in (target, source):
                ok(aclrtFree(address))
        assert ids(machine) == ([] if waits else ["io-freed-early"])
        ok(aclrtSynchronizeStream(stream))
        late = memory()
        copy(late, memory(), stream)
        fetch(late)
        assert ids(machine)[-1:] == ["read-before-sync"], "another mistake later on is reported"
        ok(aclrtSynchronizeStream(stream))


@SCHEDULES
@pytest.mark.parametrize("order", ["read, value", "value, read"])
def test_a_read_by_the_host_of_what_a_stream_writes_behind_a_wait(schedule: str, order: str) -> None:
    """Behind a wait for a value, the copy is ordered after the host's actions before it queued the value. It is not
    ordered after later ones. The line of the finding is the host's, also where only the value shows it."""
    with board(schedule, on_undefined="report") as machine:
        cell, target, source = memory(bytes(8)), memory(), memory()
        stream, other = create_stream(), create_stream()
        ok(aclrtValueWait(cell, 1, ACL_STREAM_WAIT_VALUE_EQ, stream))
        copy(target, source, stream)
        for step in order.split(", "):
            if step == "value":
                ok(aclrtValueWrite(cell, 1, 0, other))
            else:
                fetch(target)
        ok(aclrtSynchronizeDevice())
        if order == "read, value":
            assert ids(machine) == []
        else:
            (found,) = machine.findings.worth_telling
            assert (found.id, found.call) == ("read-before-sync", "aclrtMemcpy")
            assert f"aclrtMemcpy of the host reads the {N} bytes" in found.what
            assert "which copy in stream 1 writes (dst); nothing orders the two (read after write)" in found.what
            assert found.history[0].what == "copy in stream 1 was launched"
            assert found.site.endswith(f"race_twins.py:{fetch.__code__.co_firstlineno + 1}")


@pytest.mark.fidelity("what follows from a race")
def test_what_follows_from_a_race_is_no_news() -> None:
    """The second stream is then taken to come after the first, and the host to have waited: one missing edge, one
    finding."""
    with board(on_undefined="report") as machine:
        one, two, a, b = memory(), memory(), create_stream(), create_stream()
        copy(one, memory(), a)
        copy(two, memory(), a)
        copy(memory(), two, b)
        copy(memory(), one, b)
        assert ids(machine) == ["xstream-race"]
        ok(aclrtSynchronizeDevice())
        copy(one, memory(), a)
        copy(two, memory(), a)
        fetch(one)
        ok(aclrtMemset(two, N, 0, N))
        ok(aclrtFree(one))
        assert ids(machine) == ["xstream-race", "read-before-sync"]
        ok(aclrtSynchronizeDevice())


def test_a_clean_up_after_a_failed_wait_is_no_news(machine: Machine) -> None:
    """The program did wait; the wait raised for another reason."""
    source, stream, mark = memory(), create_stream(), event()
    copy(memory(), source, stream)
    ok(aclrtStreamWaitEvent(stream, mark))
    assert finding_of(lambda: aclrtSynchronizeStream(stream))[0] == "deadlock"
    ok(aclrtFree(source))
    assert ids(machine) == ["deadlock"]


@pytest.mark.fidelity("threads of the host")
def test_threads_of_the_host_are_taken_as_ordered() -> None:
    """Host threads synchronise in ways that are not seen here: a wait on one of them counts for all."""
    with board("threads") as machine:
        context, done, stream, target = aclrtContext(), threading.Event(), create_stream(), memory()
        ok(aclrtGetCurrentContext(byref(context)))

        def worker() -> None:
            ok(aclrtSetCurrentContext(context))
            copy(target, memory(), stream)
            ok(aclrtSynchronizeStream(stream))
            done.set()

        thread = threading.Thread(target=worker)
        thread.start()
        done.wait()
        fetch(target)
        thread.join()
        assert ids(machine) == []


@pytest.mark.fidelity("a host function that has run")
def test_a_function_of_the_host_may_tell_the_host() -> None:
    """It has run: so has all that is before it, and whoever calls afterwards may know."""
    with board("threads") as machine:
        ran, stream, target = threading.Event(), create_stream(), memory()
        copy(target, memory(), stream)
        ok(aclrtLaunchHostFunc(stream, lambda _: ran.set(), None))
        ran.wait()
        fetch(target)
        assert ids(machine) == []
        copy(target, memory(), stream)
        assert finding_of(lambda: fetch(target))[0] == "read-before-sync"
        ok(aclrtSynchronizeDevice())


@pytest.mark.fidelity("what counts as ordered")
@pytest.mark.parametrize("schedule", ["late", "eager", "random"])
def test_a_function_of_the_host_that_tells_nobody(schedule: str) -> None:
    """The host calls on without a wait: the function, if it ran, ran during that call."""
    with board(schedule) as machine:
        stream, target = create_stream(), memory()
        copy(target, memory(), stream)
        ok(aclrtLaunchHostFunc(stream, lambda _: None, None))
        assert finding_of(lambda: fetch(target))[0] == "read-before-sync"
        ok(aclrtSynchronizeDevice())
        assert ids(machine) == ["read-before-sync"]


@pytest.mark.fidelity("a host function that has run")
@pytest.mark.parametrize("schedule", ["late", "eager", "random", "threads"])
def test_a_race_past_a_host_function_that_has_not_run_is_found(schedule: str) -> None:
    """The other stream waits for an event of the wrong stream. Under `threads` the function runs on, so that it cannot
    have informed the host."""
    with board(schedule, on_undefined="report") as machine:
        tells, first, second, middle, mark = threading.Event(), create_stream(), create_stream(), memory(), event()
        copy(middle, memory(), first)
        ok(aclrtLaunchHostFunc(first, lambda _: tells.wait() if schedule == "threads" else None, None))
        ok(aclrtRecordEvent(mark, second))
        ok(aclrtStreamWaitEvent(second, mark))
        copy(memory(), middle, second)
        tells.set()
        ok(aclrtSynchronizeDevice())
        assert ids(machine) == ["xstream-race"]


@pytest.mark.fidelity("what counts as ordered")
def test_a_wait_that_was_over_in_time() -> None:
    """aclrtSynchronizeStreamWithTimeout that succeeded has waited, one that did not has not."""
    with board(on_undefined="report") as machine:
        stream, target = create_stream(), memory()
        copy(target, memory(), stream)
        ok(aclrtSynchronizeStreamWithTimeout(stream, 1000))
        fetch(target)
        assert ids(machine) == []
        ok(aclrtStreamWaitEvent(stream, event()))
        copy(target, memory(), stream)
        assert aclrtSynchronizeStreamWithTimeout(stream, 1) == ACL_ERROR_RT_STREAM_SYNC_TIMEOUT
        assert machine.happens_before.unfinished(machine.stream(stream.value or 0, "test"))


@pytest.mark.fidelity("what counts as ordered")
def test_the_time_of_an_event_tells_that_it_ran(machine: Machine) -> None:
    """aclrtQueryEventWaitStatus and aclrtEventGetTimestamp: who gets an answer knows."""
    stream, target, mark, status = create_stream(), memory(), event(), c_int()
    copy(target, memory(), stream)
    ok(aclrtRecordEvent(mark, stream))
    ok(aclrtQueryEventStatus(mark, byref(status)))
    while status.value != ACL_EVENT_RECORDED_STATUS_COMPLETE:
        ok(aclrtQueryEventStatus(mark, byref(status)))
    fetch(target)
    assert ids(machine) == []


def test_an_edge_through_an_operator_free_stream(machine: Machine) -> None:
    """Knowledge goes along a chain of streams with nothing in them but events."""
    streams = [create_stream() for _ in range(5)]
    target = memory()
    copy(target, memory(), streams[0])
    for before, after in pairwise(streams):
        edge(before, after)
    ok(aclrtSynchronizeStream(streams[-1]))
    fetch(target)
    ok(aclrtFree(target))
    assert ids(machine) == []


def test_what_a_stream_did_is_over_when_it_is_gone(machine: Machine) -> None:
    """aclrtDestroyStreamForce drops what is queued: nothing uses the memory any more."""
    machine.allow("work-dropped", reason="that is the point")
    stream, source = create_stream(), memory()
    copy(memory(), source, stream)
    ok(aclrtDestroyStreamForce(stream))
    ok(aclrtFree(source))
    assert ids(machine) == []


@pytest.mark.parametrize("streams", [3, 12])
def test_the_host_hands_on_what_it_learns_of_many_streams(machine: Machine, streams: int) -> None:
    """The host waits for some streams, then another one uses what they wrote, in turn and again and again."""
    first, *others = (create_stream() for _ in range(streams))
    target, shared = memory(), [memory() for _ in others]
    for _ in range(3):
        copy(target, memory(), first)
        for each, stream in zip(shared, others, strict=True):
            copy(each, memory(), stream)
            ok(aclrtSynchronizeStream(stream))
        ok(aclrtSynchronizeStream(first))
        for each in shared:
            copy(target, each, first)
        for stream in others:
            edge(stream, first)
        ok(aclrtSynchronizeStream(first))
        fetch(target)
        for each in shared:
            fetch(each)
    assert ids(machine) == []


def test_memory_that_is_freed_behind_two_waits(machine: Machine) -> None:
    """The task behind the first wait is over, so the finding names the one behind the second wait."""
    stream, opened, between, closed, shared = create_stream(), event(), event(), event(), memory()
    ok(aclrtStreamWaitEvent(stream, opened))
    ok(aclrtMemsetAsync(shared, N // 2, 1, N // 2, stream))
    ok(aclrtRecordEvent(between, stream))
    ok(aclrtStreamWaitEvent(stream, closed))
    copy(memory(), shared + N // 2, stream, N // 2)
    ok(aclrtRecordEvent(opened, None))
    ok(aclrtSynchronizeEvent(between))
    id, text = finding_of(lambda: aclrtFree(shared))
    assert id == "io-freed-early"
    assert "the src of copy in stream 1" in text
    ok(aclrtRecordEvent(closed, None))
    ok(aclrtSynchronizeDevice())


@pytest.mark.fidelity("`Machine(checks=False)`")
def test_without_checks_only_what_breaks_is_found() -> None:
    with board(checks=False) as machine:
        stream, target = create_stream(), memory()
        copy(target, memory(), stream)
        fetch(target)
        ok(aclrtFree(target))
        ok(aclrtSynchronizeStream(stream))
        assert ids(machine) == []


def test_many_ranges_of_one_allocation() -> None:
    """A pool: thousands of pieces of one allocation, in flight at once, are kept apart."""
    with board(on_undefined="report") as machine:
        pool, stream = memory(np.zeros(64 * 1000, np.uint8).tobytes()), create_stream()
        for i in range(500):
            copy(pool + 64 * i, pool + 64 * (500 + i), stream, 64)
        copy(pool + 64 * 500, pool, create_stream(), 1)
        ok(aclrtSynchronizeDevice())
        assert ids(machine) == ["xstream-race"]
