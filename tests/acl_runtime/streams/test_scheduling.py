"""When queued work runs: late, eager, random, threads (ours). Programs without a race give one result."""

from __future__ import annotations

import inspect
import os
import random
import sys
import threading
from collections.abc import Callable, Iterator
from ctypes import byref, c_float, c_int32

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.streams import scheduler
from tests.helpers.builders import malloc
from tests.helpers.creating import create_stream, event_of
from tests.helpers.host_threads import in_thread
from tests.helpers.outcomes import text
from tests.helpers.patience import PATIENCE

SCHEDULES = ("late", "eager", "threads", "random")
D2D = 3

SEEDS = int(os.environ.get("ACLNN_SEEDS", "20"))


def create_event() -> aclrtEvent:
    event = aclrtEvent()
    assert aclrtCreateEvent(byref(event)) == ACL_SUCCESS
    return event


@pytest.fixture(params=SCHEDULES)
def each(request: pytest.FixtureRequest) -> Iterator[Machine]:
    """A machine of each schedule, device 0 set."""
    with Machine(schedule=request.param, seed=7) as machine:
        aclrtSetDevice(0)
        yield machine
    assert not [finding for finding in machine.findings if finding.level == "error"]


def ok(status: int) -> None:
    assert status == ACL_SUCCESS, text()


# a random program without races: every access to a buffer is ordered with the conflicting ones before it


class Graph:
    """Streams, buffers, and steps that copy or set a buffer; conflicting steps of different streams are linked by
    events. The result is that of the steps one after the other."""

    STREAMS = 4
    BUFFERS = 5
    SIZE = 16

    def __init__(self, seed: int, steps: int = 24) -> None:
        chosen = random.Random(seed)
        self.steps = [self._step(chosen, number) for number in range(steps)]

    def _step(self, chosen: random.Random, number: int) -> tuple[int, int, int | None, int]:
        target, source = chosen.sample(range(self.BUFFERS), 2)
        return chosen.randrange(self.STREAMS), target, source if chosen.random() < 0.7 else None, number & 0xFF

    def expected(self) -> list[int]:
        buffers = [0] * self.BUFFERS
        for _, target, source, value in self.steps:
            buffers[target] = value if source is None else buffers[source]
        return buffers

    def launch(self) -> list[int]:
        """Queue everything; the addresses of the buffers."""
        streams = [create_stream() for _ in range(self.STREAMS)]
        buffers = [malloc(self.SIZE) for _ in range(self.BUFFERS)]
        for buffer in buffers:
            ok(aclrtMemset(buffer, self.SIZE, 0, self.SIZE))
        last: list[dict[int, aclrtEvent]] = [{} for _ in buffers]
        for stream, target, source, value in self.steps:
            used = [target] if source is None else [target, source]
            for event in {event.value: event for each in used for event in last[each].values()}.values():
                ok(aclrtStreamWaitEvent(streams[stream], event))
            if source is None:
                ok(aclrtMemsetAsync(buffers[target], self.SIZE, value, self.SIZE, streams[stream]))
            else:
                ok(aclrtMemcpyAsync(buffers[target], self.SIZE, buffers[source], self.SIZE, D2D, streams[stream]))
            event = create_event()
            ok(aclrtRecordEvent(event, streams[stream]))
            for each in used:
                last[each][stream] = event
        return buffers


def outcome(machine: Machine, graph: Graph) -> list[int]:
    buffers = graph.launch()
    ok(aclrtSynchronizeDevice())
    found = [machine.read(buffer, graph.SIZE, np.uint8) for buffer in buffers]
    assert all((each == each[0]).all() for each in found)
    return [int(each[0]) for each in found]


@pytest.mark.parametrize("seed", range(30))
def test_cross_stream_event_graphs_give_one_result(each: Machine, seed: int) -> None:
    """ "late, eager and threaded schedules give the same results for a correct program"."""
    graph = Graph(seed)
    assert outcome(each, graph) == graph.expected()


def test_random_schedules_of_a_correct_program_give_one_result() -> None:
    graph = Graph(0, steps=10)
    orders: set[tuple[str, ...]] = set()
    for seed in range(5 * SEEDS):
        with Machine(schedule="random", seed=seed) as machine:
            aclrtSetDevice(0)
            assert outcome(machine, graph) == graph.expected(), f"seed {seed}"
            orders.add(tuple(f"{task.stream} {task.name}" for task in machine.tasks))
    assert len(orders) > SEEDS, "random schedules should differ"


# order


def order_of(schedule: str, seed: int | None) -> list[tuple[str, str, float]]:
    with Machine(schedule=schedule, seed=seed) as machine:
        aclrtSetDevice(0)
        Graph(3).launch()
        ok(aclrtSynchronizeDevice())
        return [(task.stream, task.name, task.end) for task in machine.tasks]


def test_a_late_machine_run_twice_gives_the_same_order() -> None:
    assert order_of("late", None) == order_of("late", None)


def test_the_same_seed_repeats_its_order() -> None:
    assert order_of("random", 11) == order_of("random", 11)
    assert len({tuple(order_of("random", seed)) for seed in range(10)}) > 5


@pytest.mark.fidelity("time")
def test_simulated_times_do_not_depend_on_the_schedule() -> None:
    """Each task advances its stream by 1 us + bytes / 1e12 s, whenever it really runs."""
    times = [sorted(order_of(schedule, 5)) for schedule in SCHEDULES]
    assert times[1:] == times[:-1]


def test_elapsed_time_is_that_of_the_simulated_clock(each: Machine) -> None:
    """ "each task advances its stream by 1 us + bytes / 1e12 s; events [...] carry it"."""
    start, end, milliseconds = create_event(), create_event(), c_float()
    size = 4_000_000
    memory = malloc(size)
    ok(aclrtRecordEvent(start, None))
    ok(aclrtMemsetAsync(memory, size, 1, size, None))
    ok(aclrtRecordEvent(end, None))
    ok(aclrtSynchronizeStream(None))
    ok(aclrtEventElapsedTime(byref(milliseconds), start, end))
    assert milliseconds.value == pytest.approx((1 + 4 + 1) / 1000)
    assert each.clock.now == 7
    each.clock.advance(50)
    ok(aclrtRecordEvent(end, None))
    ok(aclrtSynchronizeEvent(end))
    ok(aclrtEventElapsedTime(byref(milliseconds), start, end))
    assert milliseconds.value == pytest.approx((57 + 1 - 1) / 1000)


def test_the_clock_does_not_run_backwards(machine: Machine) -> None:
    with pytest.raises(ValueError, match="backwards"):
        machine.clock.advance(-1)


# late


def query(stream: aclrtStream) -> int:
    status = c_int32(-1)
    ok(aclrtStreamQuery(stream, byref(status)))
    return status.value


def test_late_a_query_lets_one_task_of_that_stream_run(machine: Machine) -> None:
    """ "a query lets one task of that stream run, then answers, so polling ends"."""
    seen: list[str] = []
    one, other = create_stream(), create_stream()
    for name in "ab":
        ok(aclrtLaunchHostFunc(one, seen.append, name))
    ok(aclrtLaunchHostFunc(other, seen.append, "other"))
    assert not seen
    assert (query(one), seen) == (ACL_STREAM_STATUS_NOT_READY, ["a"])
    assert (query(one), seen) == (ACL_STREAM_STATUS_COMPLETE, ["a", "b"])


def test_late_a_query_of_a_waiting_stream_runs_what_it_waits_for(machine: Machine) -> None:
    seen: list[str] = []
    one, other, event = create_stream(), create_stream(), create_event()
    ok(aclrtLaunchHostFunc(one, seen.append, "first"))
    ok(aclrtRecordEvent(event, one))
    ok(aclrtStreamWaitEvent(other, event))
    ok(aclrtLaunchHostFunc(other, seen.append, "second"))
    answers = [query(other) for _ in range(4)]
    assert answers == [ACL_STREAM_STATUS_NOT_READY] * 3 + [ACL_STREAM_STATUS_COMPLETE]
    assert seen == ["first", "second"]


def test_late_a_synchronise_runs_only_what_its_stream_needs(machine: Machine) -> None:
    seen: list[str] = []
    one, other, third, event = create_stream(), create_stream(), create_stream(), create_event()
    ok(aclrtLaunchHostFunc(one, seen.append, "needed"))
    ok(aclrtRecordEvent(event, one))
    ok(aclrtLaunchHostFunc(one, seen.append, "behind the record"))
    ok(aclrtLaunchHostFunc(third, seen.append, "of another stream"))
    ok(aclrtStreamWaitEvent(other, event))
    ok(aclrtSynchronizeStream(other))
    assert seen == ["needed"]


@pytest.mark.fidelity("20,000 tasks queued in a late machine")
def test_late_keeps_a_bounded_number_of_tasks(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours: with 20,000 tasks queued each launch makes room by running one. (The number is small here.)"""
    assert scheduler.MOST_QUEUED == 20_000
    monkeypatch.setattr(scheduler, "MOST_QUEUED", 200)
    seen: list[int] = []
    for number in range(250):
        ok(aclrtLaunchHostFunc(None, seen.append, number))
    assert seen == list(range(50))


def test_dropped_tasks_make_room(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tasks that an abort discards are not queued any more, so they make no later task run early (ours)."""
    monkeypatch.setattr(scheduler, "MOST_QUEUED", 200)
    seen: list[int] = []
    for stream in (create_stream(), create_stream(), None):
        for number in range(150):
            ok(aclrtLaunchHostFunc(stream, seen.append, number))
        if stream is not None:
            ok(aclrtStreamAbort(stream))
    assert seen == []


@pytest.mark.parametrize("schedule", ["late", "eager", "random"])
def test_a_wait_is_for_what_was_queued_before_it(schedule: str) -> None:
    """While the host waits, another thread queues a task that nothing ends. The wait is not for that one."""
    with Machine(schedule=schedule, seed=0, on_undefined="report") as machine:
        aclrtSetDevice(0)
        context, event = aclrtContext(), event_of(aclrtCreateEventWithFlag, ACL_EVENT_SYNC)
        ok(aclrtGetCurrentContext(byref(context)))

        def queue_more() -> None:
            ok(aclrtSetCurrentContext(context))
            ok(aclrtStreamWaitEvent(None, event))

        ok(aclrtLaunchHostFunc(None, lambda _: in_thread(queue_more), None))
        ok(aclrtSynchronizeStream(None))
        assert machine.findings.worth_telling == []
        ok(aclrtRecordEvent(event, create_stream()))


@pytest.fixture
def few_frames() -> Iterator[None]:
    """A hundred more than there are."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack(0)) + 100)
    yield
    sys.setrecursionlimit(limit)


def test_a_long_chain_of_streams_is_no_recursion(each: Machine, few_frames: None) -> None:
    seen: list[int] = []
    streams = [create_stream() for _ in range(50 if each.options.schedule == "threads" else 150)]
    before: aclrtEvent | None = None
    for number, stream in enumerate(streams):
        if before is not None:
            ok(aclrtStreamWaitEvent(stream, before))
        ok(aclrtLaunchHostFunc(stream, seen.append, number))
        before = create_event()
        ok(aclrtRecordEvent(before, stream))
    ok(aclrtSynchronizeStream(streams[-1]))
    assert seen == list(range(len(streams)))


# waiting for what comes later


def sync_event() -> aclrtEvent:
    event = aclrtEvent()
    ok(aclrtCreateEventWithFlag(byref(event), ACL_EVENT_SYNC))
    return event


def test_a_stream_waits_for_a_record_that_is_queued_later(each: Machine) -> None:
    """ "classic event with SYNC flag -> really waits until someone records it"."""
    seen: list[str] = []
    one, other, event = create_stream(), create_stream(), sync_event()
    ok(aclrtStreamWaitEvent(one, event))
    ok(aclrtLaunchHostFunc(one, seen.append, "after"))
    ok(aclrtLaunchHostFunc(other, seen.append, "before"))
    ok(aclrtRecordEvent(event, other))
    ok(aclrtSynchronizeStream(one))
    assert seen == ["before", "after"]


def test_a_stream_waits_for_a_value_that_another_stream_writes(each: Machine) -> None:
    seen: list[str] = []
    one, other, cell = create_stream(), create_stream(), malloc(8)
    ok(aclrtMemset(cell, 8, 0, 8))
    ok(aclrtValueWait(cell, 5, 1, one))
    ok(aclrtLaunchHostFunc(one, seen.append, "after"))
    ok(aclrtLaunchHostFunc(other, seen.append, "before"))
    ok(aclrtValueWrite(cell, 5, 0, other))
    ok(aclrtSynchronizeStream(one))
    assert seen == ["before", "after"]


def test_a_stream_waits_for_a_value_that_the_host_writes(each: Machine) -> None:
    one, cell = create_stream(), malloc(8)
    ok(aclrtMemset(cell, 8, 0, 8))
    ok(aclrtValueWait(cell, 0x0101010101010101, 1, one))
    assert query(one) == ACL_STREAM_STATUS_NOT_READY
    ok(aclrtMemset(cell, 8, 1, 8))
    ok(aclrtSynchronizeStream(one))


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_wait_is_ended_by_another_host_thread(schedule: str) -> None:
    """No deadlock as long as another thread that called the machine is not in a wait itself."""
    with Machine(schedule=schedule, seed=1) as machine:
        aclrtSetDevice(0)
        one, other, event = create_stream(), create_stream(), sync_event()
        ok(aclrtStreamWaitEvent(one, event))
        called, go = threading.Event(), threading.Event()

        def record() -> None:
            aclrtSetDevice(0)
            called.set()
            assert go.wait(PATIENCE)
            ok(aclrtRecordEvent(event, other))

        thread = threading.Thread(target=record)
        thread.start()
        assert called.wait(PATIENCE)
        threading.Timer(0, go.set).start()
        ok(aclrtSynchronizeStream(one))
        thread.join()
    assert "deadlock" not in [finding.id for finding in machine.findings]


def test_two_host_threads_feed_one_stream(each: Machine) -> None:
    """A stream may be used from several threads; submission is serialised (public)."""
    seen: list[tuple[int, int]] = []
    stream = create_stream()

    def feed(name: int) -> None:
        aclrtSetDevice(0)
        for number in range(100):
            ok(aclrtLaunchHostFunc(stream, seen.append, (name, number)))

    threads = [threading.Thread(target=feed, args=(name,)) for name in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    ok(aclrtSynchronizeStream(stream))
    assert len(seen) == 300
    for name in range(3):
        assert [number for of, number in seen if of == name] == list(range(100))


def pair(work: Callable[[], None]) -> None:
    """Run something twice at once."""
    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
        assert not thread.is_alive()


def test_two_threads_synchronise_the_same_stream(each: Machine) -> None:
    seen: list[int] = []
    stream = create_stream()
    for number in range(200):
        ok(aclrtLaunchHostFunc(stream, seen.append, number))

    def synchronise() -> None:
        aclrtSetDevice(0)
        ok(aclrtSynchronizeStream(stream))
        assert len(seen) == 200

    pair(synchronise)
    assert seen == list(range(200))


def test_polling_a_wait_with_a_timeout_ends(machine: Machine) -> None:
    """The first query does not end it: the host may still record the event. Each takes a simulated millisecond."""
    stream, other, event = create_stream(), create_stream(), sync_event()
    ok(aclrtStreamWaitEventWithTimeout(stream, event, 1))
    assert [query(stream) for _ in range(500)] == [ACL_STREAM_STATUS_NOT_READY] * 500
    ok(aclrtRecordEvent(event, other))
    ok(aclrtSynchronizeStream(stream))
    ok(aclrtStreamWaitEventWithTimeout(stream, sync_event(), 1))
    statuses = [aclrtStreamQuery(stream, byref(c_int32())) for _ in range(1001)]
    assert statuses.count(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT) == 1
    assert query(stream) == ACL_STREAM_STATUS_COMPLETE
