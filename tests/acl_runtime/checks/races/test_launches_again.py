"""A launch like an earlier one, in memory that one stream alone has accessed, is not compared with each access there.
Nothing else differs: the same findings, and the same unfinished accesses are remembered for the launches to come."""

from __future__ import annotations

import random
from collections.abc import Iterator
from ctypes import byref, c_uint64
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.checks.races import happens_before
from acl_runtime.checks.races.accesses import ACCESSES, Access
from acl_runtime.checks.uninitialised.unwritten import written
from aclnn import *
from tests.helpers.builders import malloc
from tests.helpers.captures import captured
from tests.helpers.creating import create_stream, event_of
from tests.helpers.outcomes import ok

SIZE = 32
"""bytes of a block of memory: eight float32"""
BLOCKS, LAUNCHES, STEPS, PROGRAMS = 3, 5, 150, 20


class Program:
    """A few launches, again and again in a random order, with copies, events and waits in between. `state` is all that
    is found and remembered."""

    def __init__(self, machine: Machine, seed: int, streams: int) -> None:
        self.machine, self.random, self.looks = machine, random.Random(seed), random.Random(seed)
        self.blocks = [malloc(SIZE) for _ in range(BLOCKS)]
        self.streams = [create_stream() for _ in range(streams)]
        for block in self.blocks[1:]:  # nobody writes the last bytes of the first one
            ok(aclrtMemset(block, SIZE, 0, SIZE))
        ok(aclrtMemset(self.blocks[0], SIZE, 0, SIZE - 8))
        self.unrecorded: list[aclrtEvent] = []
        self.one = aclCreateScalar(np.ones(1, np.int64), ACL_INT64)
        self.tensors = {
            kind: [self.tensor(block, *layout) for block in self.blocks]
            for kind, layout in {
                "whole": ([4, 2], [2, 1], 0, ACL_FLOAT),
                "turned": ([4, 2], [1, 4], 0, ACL_FLOAT),
                "half": ([2, 2], [2, 1], 4, ACL_FLOAT),
                "wide": ([4], [1], 0, ACL_INT64),
            }.items()
        }

        self.workspace = malloc(1024)
        self.launches = [self.random.choice([self.softmax, self.add])() for _ in range(LAUNCHES)]

    def tensor(self, block: int, shape: list[int], strides: list[int], offset: int, dtype: int) -> aclTensor:
        storage = [4 if dtype == ACL_INT64 else 8]
        return aclCreateTensor(shape, len(shape), dtype, strides, offset, ACL_FORMAT_ND, storage, 1, block)

    def step(self) -> None:
        """One call, or the two of a launch."""
        weights = {self.launch: 40, self.copy: 1, self.fetch: 1, self.order: 3, self.wait: 6}
        self.random.choices([*weights], weights=[*weights.values()])[0]()

    def launch(self) -> None:
        first, second, *arguments = self.random.choice(self.launches)
        size, executor = c_uint64(), aclOpExecutor()
        assert first(*arguments, byref(size), byref(executor)) == 0, aclGetRecentErrMsg()
        stream = self.streams[-(self.random.random() < 0.05)]
        ok(second(self.workspace, size.value, executor, stream))

    def softmax(self) -> tuple[Any, ...]:
        out, *given = self.random.sample(range(BLOCKS), BLOCKS)
        a, b = (self.tensors[self.random.choice(["whole", "whole", "turned"])][at] for at in given)
        return aclnnSoftmaxBackwardGetWorkspaceSize, aclnnSoftmaxBackward, a, b, 1, self.tensors["whole"][out]

    def add(self) -> tuple[Any, ...]:
        kind = self.random.choice(["whole", "whole", "half", "wide"])
        a, b = self.random.sample(self.tensors[kind], 2)
        return aclnnInplaceAddGetWorkspaceSize, aclnnInplaceAdd, a, b, self.one

    def copy(self) -> None:
        """From the host, of float32 or of float64."""
        dtype = self.random.choice([np.float32, np.float64])
        values = np.ones(SIZE // np.dtype(dtype).itemsize, dtype)
        ok(aclrtMemcpy(self.random.choice(self.blocks), SIZE, values, SIZE, ACL_MEMCPY_HOST_TO_DEVICE))

    def fetch(self) -> None:
        ok(aclrtMemcpy(bytearray(SIZE), SIZE, self.random.choice(self.blocks), SIZE, ACL_MEMCPY_DEVICE_TO_HOST))

    def order(self) -> None:
        """The last stream waits for the first one. The event is recorded before, or some calls later."""
        if not self.unrecorded and len(self.streams) > 1:
            self.unrecorded.append(event_of(aclrtCreateEventWithFlag, ACL_EVENT_SYNC))
            if self.random.random() < 0.5:
                ok(aclrtRecordEvent(self.unrecorded[0], self.streams[0]))
            ok(aclrtStreamWaitEvent(self.streams[-1], self.unrecorded[0]))
        else:
            self.record()

    def record(self) -> None:
        while self.unrecorded:
            ok(aclrtRecordEvent(self.unrecorded.pop(), self.streams[0]))

    def wait(self) -> None:
        stream = self.random.choice(self.streams)
        if stream is not self.streams[0]:
            self.record()  # else it would wait for ever
        ok(aclrtSynchronizeStream(stream))

    def state(self) -> Iterator[object]:
        look = self.looks.random() < 0.1
        for finding in self.machine.findings:
            yield finding.id, finding.what
        for block in self.blocks:
            memory = self.machine.memory_at(block)
            piece = memory.holding(block) if memory is not None else None
            assert piece is not None
            yield list(written(piece).bytes)
            accesses = ACCESSES.of(piece)
            if accesses is not None and look:  # a look stores the accesses of repeated launches
                for at in range(block, block + SIZE):
                    yield [described(each, block) for each in accesses.touching(at, at + 1) if not self.over(each)]

    def over(self, access: Access) -> bool:
        """True if the host knows that the access is over: then it may be forgotten, or not."""
        return self.machine.happens_before.host.knows(access.action.agent, access.action.number)


def described(access: Access, block: int) -> object:
    """An access, without the addresses of this machine."""
    action, range = access.action, (access.low - block, access.high - block)
    return access.use, access.role, range, str(action.agent), action.number, action.taint


def states(seed: int, streams: int) -> Iterator[list[object]]:
    with Machine(on_undefined="report") as machine:
        ok(aclrtSetDevice(0))
        program = Program(machine, seed, streams)
        for _ in range(STEPS):
            program.step()
            yield list(program.state())


@pytest.mark.parametrize("streams", [1, 2])
def test_the_same_is_found_and_remembered_without_the_fast_path(monkeypatch: pytest.MonkeyPatch, streams: int) -> None:
    original, taken = happens_before._continues, 0

    def counted(*given: Any, **named: Any) -> bool:
        nonlocal taken
        answer = original(*given, **named)
        taken += answer
        return answer

    for seed in range(PROGRAMS):
        monkeypatch.setattr(happens_before, "_continues", counted)
        found = list(states(seed, streams))
        monkeypatch.setattr(happens_before, "_continues", lambda *_, **_named: False)
        for step, (one, other) in enumerate(zip(found, states(seed, streams), strict=True)):
            assert one == other, f"seed {seed}, step {step}"
    assert taken > PROGRAMS * STEPS / 15


@pytest.mark.parametrize("waits", [False, True])
def test_a_launch_in_a_pool_that_another_stream_uses(machine: Machine, waits: bool) -> None:
    """One stream launches again and again in one half of an allocation. Another stream changes that half in order. Then
    the first one works in the other half, and launches once more, with or without a wait."""
    machine.findings.raises = False
    one, other = create_stream(), create_stream()
    pool, source = malloc(8 * SIZE), malloc(SIZE)
    for address, size in ((pool, 8 * SIZE), (source, SIZE)):
        ok(aclrtMemset(address, size, 0, size))
    halves = [[tensor_at(pool + SIZE * at) for at in places] for places in ((0, 1), (4, 5))]
    for half in (0, 0, 0, 1, 1, 1):
        magnitude(*halves[half], one)
    order(one, other)
    ok(aclrtMemcpyAsync(pool, SIZE, source, SIZE, ACL_MEMCPY_DEVICE_TO_DEVICE, other))
    if waits:
        order(other, one)
    ok(aclrtMemcpyAsync(pool + 7 * SIZE, SIZE, source, SIZE, ACL_MEMCPY_DEVICE_TO_DEVICE, one))
    magnitude(*halves[0], one)
    assert [finding.id for finding in machine.findings.worth_telling] == ([] if waits else ["xstream-race"])
    ok(aclrtSynchronizeDevice())


@pytest.mark.parametrize("waits", [False, True])
def test_the_same_launch_in_another_stream(machine: Machine, waits: bool) -> None:
    """Nobody has used the memory since the last launch like it, but that one was in another stream."""
    machine.findings.raises = False
    one, other = create_stream(), create_stream()
    source, target = malloc(SIZE), malloc(SIZE)
    ok(aclrtMemset(source, SIZE, 0, SIZE))
    x, out = tensor_at(source), tensor_at(target)
    for stream in (one, one, one, other):
        if stream is other and waits:
            order(one, other)
        magnitude(x, out, stream)
    assert [finding.id for finding in machine.findings.worth_telling] == ([] if waits else ["xstream-race"])
    ok(aclrtSynchronizeDevice())


@pytest.mark.parametrize("waits", [False, True])
def test_an_executed_model_after_a_wait(machine: Machine, waits: bool) -> None:
    """The accesses of an execution are forgotten when the host has waited for it. The next execution repeats it, and
    has accesses again."""
    machine.findings.raises = False
    one, other = create_stream(), create_stream()
    pool, source = malloc(4 * SIZE), malloc(SIZE)
    for address, size in ((pool, 4 * SIZE), (source, SIZE)):
        ok(aclrtMemset(address, size, 0, size))
    x, out, another = (tensor_at(pool + SIZE * at) for at in range(3))
    model = captured(one, lambda: magnitude(x, out, one))
    for again in range(5):
        ok(aclmdlRIExecuteAsync(model, one))
        if again < 3:  # a launch between two executions: the second one is compared as a launch
            magnitude(another, out, one)
        ok(aclrtSynchronizeStream(one))
    ok(aclmdlRIExecuteAsync(model, one))
    if waits:
        order(one, other)
    ok(aclrtMemcpyAsync(pool + SIZE, SIZE, source, SIZE, ACL_MEMCPY_DEVICE_TO_DEVICE, other))
    assert [finding.id for finding in machine.findings.worth_telling] == ([] if waits else ["xstream-race"])
    ok(aclrtSynchronizeDevice())
    ok(aclmdlRIDestroy(model))


@pytest.mark.parametrize("waits", [False, True])
def test_repeated_launches_after_a_wait_for_an_event(machine: Machine, waits: bool) -> None:
    """The host waits for an event behind some of the launches. Those after it are not over."""
    machine.findings.raises = False
    one, other = create_stream(), create_stream()
    pool, source = malloc(4 * SIZE), malloc(SIZE)
    for address, size in ((pool, 4 * SIZE), (source, SIZE)):
        ok(aclrtMemset(address, size, 0, size))
    x, out, another, last = (tensor_at(pool + SIZE * at) for at in range(4))
    event = event_of(aclrtCreateEventWithFlag, ACL_EVENT_SYNC)
    for _ in range(4):
        magnitude(out, another, one)
        magnitude(x, out, one)
    magnitude(x, last, one)  # a new launch stores the accesses of those before it
    ok(aclrtRecordEvent(event, one))
    magnitude(out, another, one)
    if waits:
        ok(aclrtRecordEvent(event, one))
    ok(aclrtSynchronizeEvent(event))
    ok(aclrtMemcpyAsync(pool + SIZE, SIZE, source, SIZE, ACL_MEMCPY_DEVICE_TO_DEVICE, other))
    assert [finding.id for finding in machine.findings.worth_telling] == ([] if waits else ["xstream-race"])
    ok(aclrtSynchronizeDevice())


def tensor_at(address: int) -> aclTensor:
    return aclCreateTensor([8], 1, ACL_FLOAT, None, 0, ACL_FORMAT_ND, [8], 1, address)


def magnitude(x: aclTensor, out: aclTensor, stream: aclrtStream) -> None:
    size, executor = c_uint64(), aclOpExecutor()
    ok(aclnnAbsGetWorkspaceSize(x, out, byref(size), byref(executor)))
    ok(aclnnAbs(None, size.value, executor, stream))


def order(before: aclrtStream, after: aclrtStream) -> None:
    event = event_of(aclrtCreateEventWithFlag, ACL_EVENT_SYNC)
    ok(aclrtRecordEvent(event, before))
    ok(aclrtStreamWaitEvent(after, event))
