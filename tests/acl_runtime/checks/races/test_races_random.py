"""Random programs of streams, events and copies. Each program also builds a graph of its happens-before order. A race
must be found exactly when the graph has one (ours)."""

from __future__ import annotations

import os
import random
from dataclasses import dataclass, field

import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.helpers.builders import malloc
from tests.helpers.creating import create_stream, event_of
from tests.helpers.outcomes import ok

SIZE = 64
PROGRAMS = int(os.environ.get("ACLNN_SEEDS", "20"))
RACES = {"xstream-race", "read-before-sync", "io-freed-early"}


@dataclass
class Graph:
    """The happens-before order of a program. `before[i]` has a bit for each thing that is over before thing i begins. A
    thing is a task, or an action of the host."""

    before: list[int] = field(default_factory=list[int])
    uses: list[tuple[int, int, int, bool]] = field(default_factory=list[tuple[int, int, int, bool]])
    """(thing, buffer, a bit for each of its bytes, does it write)"""

    def add(self, *after: int | None) -> int:
        """Add a thing that comes after the given ones. Returns its number."""
        known = 0
        for each in after:
            if each is not None:
                known |= self.before[each] | 1 << each
        self.before.append(known)
        return len(self.before) - 1

    def races(self) -> bool:
        """Are there two things that clash, and that nothing orders?"""
        return any(
            buffer == other and mine & theirs and (writes or also) and not self.ordered(one, two)
            for i, (one, buffer, mine, writes) in enumerate(self.uses)
            for two, other, theirs, also in self.uses[:i]
            if one != two
        )

    def ordered(self, one: int, two: int) -> bool:
        return bool(self.before[one] >> two & 1 or self.before[two] >> one & 1)


def bits(low: int, high: int) -> int:
    """A bit for each byte of [low, high)."""
    return (1 << high) - (1 << low)


class Program:
    """A random program. Each step runs a call, and adds it to the graph."""

    def __init__(self, seed: int, streams: int, buffers: int, *, careful: float) -> None:
        self.random = random.Random(seed)
        self.careful = careful
        self.streams = [create_stream() for _ in range(streams)]
        self.buffers = [malloc(SIZE) for _ in range(buffers)]
        self.graph = Graph()
        self.host: int | None = self.graph.add()
        self.last: list[int | None] = [None] * streams
        for buffer in self.buffers:
            ok(aclrtMemset(buffer, SIZE, 0, SIZE))

    def step(self) -> None:
        self.random.choices(
            [self.copy, self.order, self.synchronise, self.read, self.write], weights=[8, 4 + 8 * self.careful, 1, 1, 1]
        )[0]()

    def _range(self) -> tuple[int, int, int]:
        low = self.random.randrange(SIZE)
        return self.random.randrange(len(self.buffers)), low, self.random.randrange(low + 1, SIZE + 1)

    def copy(self) -> None:
        """A device to device copy in one of the streams."""
        stream = self.random.randrange(len(self.streams))
        source, low, high = self._range()
        target = (source + 1) % len(self.buffers)
        at = self.random.randrange(SIZE - (high - low) + 1)
        count = high - low
        kind = ACL_MEMCPY_DEVICE_TO_DEVICE
        where = self.buffers[target] + at
        ok(aclrtMemcpyAsync(where, count, self.buffers[source] + low, count, kind, self.streams[stream]))
        self.last[stream] = self.graph.add(self.host, self.last[stream])
        self.graph.uses.append((self.last[stream], source, bits(low, high), False))
        self.graph.uses.append((self.last[stream], target, bits(at, at + count), True))

    def order(self) -> None:
        """Later tasks of one stream wait for another stream, by an event. In three of ten cases the wait is queued
        before the record."""
        before, after = self.random.sample(range(len(self.streams)), 2)
        event = event_of(aclrtCreateEventWithFlag, ACL_EVENT_SYNC)
        early = self.random.random() < 0.3
        if early:
            ok(aclrtStreamWaitEvent(self.streams[after], event))
        ok(aclrtRecordEvent(event, self.streams[before]))
        if not early:
            ok(aclrtStreamWaitEvent(self.streams[after], event))
        self.last[after] = self.graph.add(self.host, self.last[after], self.last[before])
        if self.random.random() < 0.3:
            ok(aclrtSynchronizeEvent(event))
            self.host = self.graph.add(self.host, self.last[before])

    def synchronise(self) -> None:
        stream = self.random.randrange(len(self.streams))
        ok(aclrtSynchronizeStream(self.streams[stream]))
        self.host = self.graph.add(self.host, self.last[stream])

    def read(self) -> None:
        buffer, low, high = self._range()
        ok(aclrtMemcpy(bytearray(SIZE), SIZE, self.buffers[buffer] + low, high - low, ACL_MEMCPY_DEVICE_TO_HOST))
        self.host = self.graph.add(self.host)
        self.graph.uses.append((self.host, buffer, bits(low, high), False))

    def write(self) -> None:
        buffer, low, high = self._range()
        ok(aclrtMemset(self.buffers[buffer] + low, SIZE, 1, high - low))
        self.host = self.graph.add(self.host)
        self.graph.uses.append((self.host, buffer, bits(low, high), True))


@pytest.mark.parametrize("schedule", ["late", "eager", "random"])
@pytest.mark.parametrize("careful", [0.0, 1.0, 3.0])
def test_races_are_found_exactly_when_the_graph_has_one(careful: float, schedule: str) -> None:
    found = 0
    for seed in range(PROGRAMS):
        draw = random.Random(seed)
        with Machine(schedule=schedule, seed=seed, on_undefined="report") as machine:
            aclrtSetDevice(0)
            program = Program(seed, draw.randrange(2, 5), draw.randrange(2, 6), careful=careful)
            for step in range(draw.randrange(4, 40)):
                program.step()
                reported = {finding.id for finding in machine.findings if finding.level == "error"}
                assert reported <= RACES
                assert bool(reported) == program.graph.races(), f"seed {seed}, step {step}: {machine.findings}"
                if reported:
                    found += 1
                    break
            ok(aclrtSynchronizeDevice())
    assert found


class Blocks:
    """A random program that is nearly right: streams copy blocks of one matrix, to it or from it. Before a copy its
    stream mostly waits for each stream whose copies it clashes with."""

    PITCH = 8
    EDGES = (0, 2, 4, 6, 8)

    def __init__(self, seed: int, streams: int) -> None:
        self.random = random.Random(seed)
        self.streams = [create_stream() for _ in range(streams)]
        self.matrix, self.source, *self.targets = (malloc(SIZE) for _ in range(2 + streams))
        for each in (self.matrix, self.source):
            ok(aclrtMemset(each, SIZE, 0, SIZE))
        self.graph = Graph()
        self.last: list[int | None] = [None] * streams
        self.stream_of: dict[int, int] = {}

    def step(self) -> None:
        stream, writes = self.random.randrange(len(self.streams)), self.random.random() < 0.6
        (top, bottom), (left, right) = (sorted(self.random.sample(self.EDGES, 2)) for _ in range(2))
        block = sum(bits(row * self.PITCH + left, row * self.PITCH + right) for row in range(top, bottom))
        mine = self.graph.before[self.last[stream]] | 1 << self.last[stream] if self.last[stream] is not None else 0
        clashing = {
            self.stream_of[thing]
            for thing, _, theirs, also in self.graph.uses
            if block & theirs and (writes or also) and not mine >> thing & 1
        }
        for other in sorted(clashing - {stream}):
            if self.random.random() < 0.95:
                self._wait(stream, other)
        at = self.matrix + top * self.PITCH + left
        to, source = (at, self.source) if writes else (self.targets[stream], at)
        pitch, kind = self.PITCH, ACL_MEMCPY_DEVICE_TO_DEVICE
        ok(aclrtMemcpy2dAsync(to, pitch, source, pitch, right - left, bottom - top, kind, self.streams[stream]))
        self._add(stream, self.last[stream])
        self.graph.uses.append((len(self.graph.before) - 1, 0, block, writes))

    def _wait(self, after: int, before: int) -> None:
        event = event_of(aclrtCreateEventWithFlag, ACL_EVENT_SYNC)
        ok(aclrtRecordEvent(event, self.streams[before]))
        ok(aclrtStreamWaitEvent(self.streams[after], event))
        self._add(after, self.last[after], self.last[before])

    def _add(self, stream: int, *after: int | None) -> None:
        self.last[stream] = thing = self.graph.add(*after)
        self.stream_of[thing] = stream


def test_races_of_blocks_are_found_exactly_when_they_share_bytes() -> None:
    """Blocks of a matrix are rows with gaps between them. Only their own bytes count, however many accesses to bytes
    beside them, before them and behind them are remembered."""
    found = 0
    for seed in range(4 * PROGRAMS):
        with Machine(on_undefined="report") as machine:
            aclrtSetDevice(0)
            program = Blocks(seed, 2 + seed % 11)
            for step in range(30):
                program.step()
                reported = {finding.id for finding in machine.findings if finding.level == "error"}
                assert bool(reported) == program.graph.races(), f"seed {seed}, step {step}: {machine.findings}"
                if reported:
                    found += 1
                    break
            ok(aclrtSynchronizeDevice())
    assert PROGRAMS < found < 4 * PROGRAMS, "some programs are right, some are not"
