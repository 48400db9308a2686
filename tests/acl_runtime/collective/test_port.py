"""The port of the meeting place: ranks of another process may stand behind it, which messages of bytes represent."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import byref
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.collective.buffers import Received
from acl_runtime.collective.local_place import LocalPlace
from acl_runtime.collective.meeting import Meeting
from acl_runtime.collective.peers import Arrived, Member
from acl_runtime.collective.ranks import Communicator, Ranks, Trouble
from acl_runtime.collective.requests import Request
from acl_runtime.collective.settings import Settings
from acl_runtime.errors import Past
from acl_runtime.streams.stream import Device
from acl_runtime.text import Text
from tests.helpers.outcomes import assert_status
from tests.helpers.ranks import SCHEDULES, Rank, floats, ids, new_root, queued

Packed = dict[str, Any]
FP32, SUM = HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM


class Distant:
    """A rank of another process, as its messages describe it."""

    creation = Past(Text("rank 1 was created"), "other.py:1")
    chip = 7

    def __init__(self, *, lives: bool = True) -> None:
        self.lives = lives

    def waits(self) -> bool:
        return False

    def alive(self) -> bool:
        return self.lives

    def excused(self, key: tuple[int, ...]) -> bool:
        return False

    def last_calls(self) -> list[Past]:
        return [Past(Text("rank 1 has ended"), "other.py:9")]


class Messages(LocalPlace):
    """A place whose second rank is in another process. Each arrival is sent to `answer`."""

    answer: Callable[[Meeting, Packed, bytes], None]
    ranks: Ranks

    def __init__(self, machine: Machine, distant: Distant) -> None:
        super().__init__(machine)
        self.distant = distant

    def join(self, root: bytes, size: int, rank: int, device: Device, settings: Settings) -> Communicator:
        communicator = super().join(root, size, rank, device, settings)
        self.ranks = communicator.ranks
        self.ranks.members[1] = self.distant
        return communicator

    def arrived(self, meeting: Meeting, member: Member) -> None:
        request = meeting.parties[0].request
        raw = b"" if request.send is None else request.send.read(0, 8).tobytes()
        self.answer(meeting, request.packed(), raw)

    def come(self, meeting: Meeting, request: Packed, raw: bytes) -> None:
        """Rank 1 arrives with this message."""
        theirs = Request.unpacked({**request, "rank": 1}, Received(np.frombuffer(raw, np.uint8)))
        self.enter(meeting.ranks, meeting.key, 1, theirs, Arrived(0.0))


def first_rank(machine: Machine, distant: Distant) -> tuple[Messages, Rank]:
    """Rank 0 of two, of which the other one has joined by a message."""
    place = machine.meeting_place = Messages(machine, distant)
    aclrtSetDevice(0)
    root, comm = new_root(), HcclComm()
    queued(HcclCommInitRootInfo(2, byref(root), 0, byref(comm)))
    return place, Rank(0, comm)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_rank_of_another_process_takes_part_by_messages(schedule: str) -> None:
    """The arrival of rank 0 sends its request and its bytes; the answer has those of rank 1."""
    with Machine(schedule=schedule, device_count=2) as machine:
        place, rank = first_rank(machine, Distant())
        sent: list[tuple[str, list[float]]] = []

        def answer(meeting: Meeting, request: Packed, raw: bytes) -> None:
            values = np.frombuffer(raw, np.float32)
            sent.append((Request.unpacked(request).function, values.tolist()))
            place.come(meeting, request, (values * 10).tobytes())

        place.answer = answer
        memory = rank.put(floats(1, 2))
        queued(rank.all_reduce(memory, 2))
        if schedule == "late":
            assert not sent  # nothing needs the others yet
        assert rank.get(memory, 2, np.float32).tolist() == [11, 22]
        place.answer = lambda meeting, request, _: place.come(meeting, request, floats(5, 6).tobytes())
        queued(HcclBroadcast(memory, 2, FP32, 1, rank.comm, rank.stream))
        assert rank.get(memory, 2, np.float32).tolist() == [5, 6]
        assert sent == [("HcclAllReduce", [1, 2])]
        assert not ids(machine, "error")


def test_a_message_is_a_demand() -> None:
    """Under `late` the stream runs up to the meeting, and no further, when the other rank needs it."""
    with Machine(device_count=2) as machine:
        place, rank = first_rank(machine, Distant())
        sent: list[bytes] = []
        place.answer = lambda _meeting, request, _raw: sent.append(request)
        memory, other = rank.put(floats(1)), rank.put(floats(7))
        for target in (memory, other):
            assert aclrtMemcpyAsync(target, 4, other, 4, ACL_MEMCPY_DEVICE_TO_DEVICE, rank.stream) == ACL_SUCCESS
            queued(rank.all_reduce(memory, 1))
        request = Request("HcclAllReduce", 1, "other.py:1", 1, FP32, SUM, send=Received(floats(3).tobytes()))
        meeting, _ = place.enter(place.ranks, (1,), 1, request, Arrived(0.0))
        assert not sent
        machine.scheduler.advance(meeting.sources)
        assert len(sent) == 1
        assert machine.read(memory, 1, np.float32).tolist() == [7]


def test_a_trouble_that_is_found_later_is_reported_by_the_task() -> None:
    """A message says that the other rank asks for something else: the stream fails, and one finding names both."""
    with Machine(device_count=2, on_undefined="report") as machine:
        place, rank = first_rank(machine, Distant())
        place.answer = lambda meeting, request, raw: place.come(meeting, {**request, "count": 3}, raw)
        memory = rank.put(floats(1, 2))
        queued(rank.all_reduce(memory, 2))
        assert_status(aclrtSynchronizeStream(rank.stream), ACL_ERROR_RT_FFTS_PLUS_TIMEOUT, "(EI0005)", "the count")
        assert ids(machine, "error") == ["collective-mismatch"]


@pytest.mark.parametrize("news", ["broken", "gone"])
def test_a_rank_of_another_process_that_ends_is_absent(news: str) -> None:
    with Machine(device_count=2, on_undefined="report") as machine:
        place, rank = first_rank(machine, Distant(lives=False))

        def answer(meeting: Meeting, request: Packed, raw: bytes) -> None:
            if news == "broken":
                place.ranks.break_(Trouble("EI0002", Text("rank 1 has died"), "collective-absent"))
            else:
                place.ranks.left[1] = Past(Text("rank 1 has died"), "other.py:9")

        place.answer = answer
        queued(HcclBarrier(rank.comm, rank.stream))
        assert aclrtSynchronizeStream(rank.stream) == ACL_ERROR_RT_FFTS_PLUS_TIMEOUT
        assert ids(machine, "error") == ["collective-absent"]


def test_a_rank_of_another_process_that_lives_is_late(monkeypatch: pytest.MonkeyPatch) -> None:
    """No thread of this process can help; the wait lasts for HCCL_EXEC_TIMEOUT, unless the rank ends."""
    with Machine(device_count=2, on_undefined="report", patience=0.01) as machine:
        distant = Distant()
        place, rank = first_rank(machine, distant)
        asked: list[bool] = []

        def alive() -> bool:
            asked.append(True)
            return len(asked) < 3

        distant.alive = alive  # type: ignore[method-assign]
        place.answer = lambda _meeting, _request, _raw: None
        queued(HcclBarrier(rank.comm, rank.stream))
        assert aclrtSynchronizeStream(rank.stream) == ACL_ERROR_RT_FFTS_PLUS_TIMEOUT
        assert ids(machine, "error") == ["collective-absent"]
        assert len(asked) >= 3
