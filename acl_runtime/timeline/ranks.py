"""The traces of several ranks as one: on one time axis, with rows for each rank.

Each process has a clock of its own, on which it does not see how long it waits for the others. So the times of a rank
are shifted, from each meeting on, until the meeting begins at the same time on all of its ranks: that of the latest.
"""

from bisect import bisect_left, bisect_right
from collections import ChainMap, Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, count
from typing import Final, NamedTuple

from acl_runtime.timeline.contents import CallSpan, RankRows, TaskSpan, TraceContents

START: Final = float("-inf")


class Clock:
    """The times of a rank on the common axis."""

    def __init__(self) -> None:
        self._times = [START]
        self._shifts = [0.0]

    def meet(self, time: float, common: float) -> None:
        """From this time on, the clock is as late as the common time."""
        if common - time > self._shifts[-1]:
            self._times.append(time)
            self._shifts.append(common - time)

    def before(self, time: float) -> float:
        """The common time of an instant; at the beginning of a meeting, when the rank had come to it."""
        return round(time + self._shifts[max(bisect_left(self._times, time) - 1, 0)], 3)

    def after(self, time: float) -> float:
        """The common time of an instant; at the beginning of a meeting, when all ranks had come to it."""
        return round(time + self._shifts[bisect_right(self._times, time) - 1], 3)


class First(NamedTuple):
    """The numbers before those of a rank: of its threads, devices and tasks."""

    thread: int
    device: int
    task: int

    def behind(self, rank: TraceContents) -> "First":
        """The numbers before those of the next rank."""
        threads, tasks = max(rank.threads, default=0), max((task.id for task in rank.tasks), default=0)
        return First(self.thread + threads, self.device + len(rank.devices), self.task + tasks)


def merged(traces: Sequence[TraceContents]) -> TraceContents:
    """The contents of the traces of several ranks, in the order of the ranks."""
    ranks = sorted(traces, key=lambda trace: int(trace.about.rank or 0))
    firsts = list(accumulate(ranks, First.behind, initial=First(0, 0, 0)))
    parts = [_common(*facts) for facts in zip(count(), ranks, clocks(ranks), firsts, strict=False)]
    calls = sorted(
        (call for part in parts for call in part.calls), key=lambda call: (call.ended, call.rank, call.order)
    )
    orders = {(call.rank, call.order): order for order, call in enumerate(calls, 1)}
    findings = [
        finding._replace(order=orders.get((number, finding.order or 0)))
        for number, part in enumerate(parts)
        for finding in part.findings
    ]
    marks = [
        mark._replace(order=orders.get((number, mark.order or 0)), last=orders.get((number, mark.last or 0)))
        for number, part in enumerate(parts)
        for mark in part.marks
    ]
    about = ranks[0].about
    return TraceContents(
        tuple(device for part in parts for device in part.devices),
        dict(ChainMap(*(dict(part.threads) for part in reversed(parts)))),
        dict(ChainMap(*(dict(part.streams) for part in reversed(parts)))),
        list(_ordered(calls, parts)),
        [task for part in parts for task in part.tasks],
        [finding._replace(number=number) for number, finding in enumerate(findings, 1)],
        marks=marks,
        about=about._replace(program=f"{len(ranks)} ranks of {about.program}" if about.program else "", rank=""),
        ranks=[row for part in parts for row in part.ranks],
    )


def _ordered(calls: Iterable[CallSpan], parts: Sequence[TraceContents]) -> Iterator[CallSpan]:
    """The calls with their new order, and with the memory in use of the devices of all ranks."""
    memory = [(0,) * len(part.devices) for part in parts]
    for order, call in enumerate(calls, 1):
        used = None
        if call.memory is not None:
            memory[call.rank] = call.memory
            used = tuple(size for sizes in memory for size in sizes)
        yield call._replace(order=order, memory=used)


def _common(number: int, rank: TraceContents, clock: Clock, first: First) -> TraceContents:
    """The contents of a rank with the common times. Only its calls have the order that they had."""
    name = f"rank {rank.about.rank or number}"

    def task(one: TaskSpan) -> TaskSpan:
        start = clock.after(one.start) if one.meetings else clock.before(one.start)
        return one._replace(
            id=first.task + one.id, device=first.device + one.device, rank=number, start=start,
            end=round(start + one.end - one.start, 3), submitted=clock.before(one.submitted),
        )  # fmt: skip

    def call(one: CallSpan) -> CallSpan:
        return one._replace(
            row=first.thread + one.row, rank=number, tasks=tuple(first.task + id for id in one.tasks),
            began=clock.before(one.began), ended=clock.before(one.ended),
        )  # fmt: skip

    devices = range(first.device, first.device + len(rank.devices))
    threads = {first.thread + row: thread for row, thread in rank.threads.items()}
    return rank._replace(
        devices=tuple(f"{name}: {device}" for device in rank.devices),
        threads=threads,
        streams={(first.device + device, row): stream for (device, row), stream in rank.streams.items()},
        calls=[call(one) for one in rank.calls],
        tasks=[task(one) for one in rank.tasks],
        findings=[one._replace(time=clock.before(one.time)) for one in rank.findings],
        marks=[
            one._replace(domain=f"{name}: {one.domain}", began=clock.before(one.began), ended=clock.before(one.ended))
            for one in rank.marks
        ],
        ranks=[RankRows(name, frozenset(threads), devices)],
    )


def clocks(ranks: Sequence[TraceContents]) -> list[Clock]:
    """The clock of each rank."""
    results = [Clock() for _ in ranks]
    waiting = [deque(sorted((task.start, name) for task in rank.tasks for name in task.meetings)) for rank in ranks]
    missing = Counter(name for queue in waiting for _, name in queue)
    """how many ranks have not come to a meeting yet, by its name"""
    came = dict[str, list[tuple[int, float]]]()
    stopped = set[int]()
    """the ranks that have come to a meeting, and wait there"""
    while True:
        for number, queue in enumerate(waiting):
            if queue and number not in stopped:
                time, name = queue.popleft()
                stopped.add(number)
                missing[name] -= 1
                came.setdefault(name, []).append((number, time))
        if not came:
            return results
        # if traces are not whole, or meetings of two streams cross, the first one takes place without a rank
        name = min(came, key=lambda name: (missing[name], min(results[at].before(time) for at, time in came[name])))
        parties = came.pop(name)
        common = max(results[number].after(time) for number, time in parties)
        for number, time in parties:
            results[number].meet(time, common)
            stopped.discard(number)
