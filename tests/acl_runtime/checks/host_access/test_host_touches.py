"""Accesses of the host to pinned memory while a copy uses it: "host read before sync" (ours) and "change pinned host
buffer before MemcpyAsync done" (4), by code that calls nothing of the API."""

from __future__ import annotations

import ctypes
import mmap
import os
import platform
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from ctypes import byref, c_uint8
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Finding, Machine, UndefinedBehaviour
from acl_runtime.checks.host_access import guard
from tests.helpers.builders import malloc
from tests.helpers.creating import create_stream, malloc_host
from tests.helpers.host_threads import in_thread
from tests.helpers.machines import SCHEDULES
from tests.helpers.outcomes import ok
from tests.helpers.own_process import program

PAGE = mmap.PAGESIZE
FEW = 64
pytestmark = pytest.mark.skipif(not guard.possible(), reason="pages can be guarded on 64-bit Linux only")
every_schedule = pytest.mark.parametrize("schedule", SCHEDULES)


class Copy:
    """A copy on its way between pinned memory and a device."""

    def __init__(self, size: int = FEW, kind: int = ACL_MEMCPY_DEVICE_TO_HOST) -> None:
        aclrtSetDevice(0)
        self.size, self.kind = size, kind
        self.stream = create_stream()
        self.device, self.address = malloc(size), malloc_host(size)
        ok(aclrtMemset(self.device, size, 7, size))
        self.array = np.ctypeslib.as_array((c_uint8 * size).from_address(self.address))
        self.array[:] = 1
        self.launch()

    def launch(self, low: int = 0, high: int | None = None) -> None:
        """A part of it is copied, or all."""
        count = (self.size if high is None else high) - low
        ends = [self.address + low, self.device + low]
        target, source = ends if self.kind == ACL_MEMCPY_DEVICE_TO_HOST else ends[::-1]
        ok(aclrtMemcpyAsync(target, count, source, count, self.kind, self.stream))


def found(work: Callable[[Copy], object], schedule: str = "late", **options: Any) -> list[Finding]:
    """The findings of a machine that only reports, when the host does this while a copy is queued."""
    with Machine(schedule=schedule, seed=5, on_undefined="report") as machine:
        copy = Copy(**options)
        work(copy)
        ok(aclrtSynchronizeStream(copy.stream))
        return machine.findings.worth_telling


def by_the_system(copy: Copy) -> list[int]:
    """The bytes, which a call of the operating system reads: it would fail with EFAULT, were they guarded."""
    end, start = os.pipe()
    with open(end, "rb") as read, open(start, "wb", buffering=0) as write:
        write.write(memoryview(copy.array))
        return list(read.read(copy.size))


WAYS_TO_READ: dict[str, Callable[[Copy], object]] = {
    "ctypes.string_at": lambda copy: ctypes.string_at(copy.address, 4),
    "an element of an array": lambda copy: copy.array[5],
    "a sum": lambda copy: copy.array.sum(),
    "a copy": lambda copy: copy.array.copy(),
    "a list of a ctypes array": lambda copy: list((c_uint8 * 4).from_address(copy.address)),
    "bytes of a memoryview": lambda copy: bytes(memoryview(copy.array)[8:]),
    "its last byte": lambda copy: copy.array[-1],
    "comparing": lambda copy: (copy.array == 7).all(),
    "memmove": lambda copy: ctypes.memmove((c_uint8 * 4)(), copy.address, 4),
    "another thread": lambda copy: in_thread(lambda: copy.array.sum()),
}
WAYS_TO_WRITE: dict[str, Callable[[Copy], object]] = {
    "ctypes.memset": lambda copy: ctypes.memset(copy.address, 9, 4),
    "an element of an array": lambda copy: copy.array.__setitem__(5, 9),
    "all of an array": lambda copy: copy.array.fill(9),
    "a ctypes array": lambda copy: (c_uint8 * 4).from_address(copy.address).__setitem__(1, 9),
    "another thread": lambda copy: in_thread(lambda: copy.array.fill(9)),
}


@pytest.mark.fidelity("pinned memory that the host changes or reads itself while a copy has it")
@pytest.mark.parametrize("way", WAYS_TO_READ)
def test_reading_what_a_copy_still_writes(way: str) -> None:
    for schedule, size in zip(SCHEDULES, (FEW, PAGE, 3 * PAGE + 5, FEW), strict=True):
        (finding,) = found(WAYS_TO_READ[way], schedule, size=size)
        assert (finding.id, finding.level) == ("read-before-sync", "error")
        assert finding.call == "the host's own code"
        assert os.path.basename(finding.site.rpartition(":")[0]) == os.path.basename(__file__)
        assert "the host reads pinned host memory 1" in finding.what
        assert "which copy in stream 1 writes (dst)" in finding.what
        assert [past.what.split(" (")[0] for past in finding.history] == [
            "copy in stream 1 was launched", "pinned host memory 1", "stream 1 was waited for",
        ]  # fmt: skip


@pytest.mark.fidelity("pinned memory that the host changes or reads itself while a copy has it")
@every_schedule
@pytest.mark.parametrize("kind", [ACL_MEMCPY_DEVICE_TO_HOST, ACL_MEMCPY_HOST_TO_DEVICE], ids=["target", "source"])
def test_changing_what_a_copy_uses(kind: int, schedule: str) -> None:
    """ "change/free pinned host buffer before MemcpyAsync done", with the line that did it."""
    for way in WAYS_TO_WRITE.values():
        (finding,) = found(way, schedule, kind=kind)
        assert finding.id == "pinned-reuse"
        assert os.path.basename(finding.site.rpartition(":")[0]) == os.path.basename(__file__)
        assert "the host changes pinned host memory 1" in finding.what


@pytest.mark.fidelity("pinned memory that the host changes or reads itself while a copy has it")
def test_the_line_is_that_of_the_program() -> None:
    """Not that of numpy, nor that of the call that waits; what is behind + is the byte."""
    touched: list[int] = []

    def read(copy: Copy) -> None:
        touched.append(sys._getframe().f_lineno + 1)
        copy.array[10:].sum()

    (finding,) = found(read)
    assert finding.site == f"{__file__}:{touched[0]}"
    assert "pinned host memory 1 (64 bytes) + 0xa," in finding.what
    assert finding.history[-1].site != finding.site


@pytest.mark.fidelity("pinned memory that the host changes or reads itself while a copy has it")
def test_it_is_raised_by_the_call_that_waits() -> None:
    with Machine() as machine:
        copy = Copy()
        assert copy.array[0] == 1, "what a device would give: nothing is there yet"
        with pytest.raises(UndefinedBehaviour) as raised:
            aclrtSynchronizeStream(copy.stream)
        assert raised.value.finding.id == "read-before-sync"
        ok(aclrtSynchronizeStream(copy.stream))
        assert copy.array[0] == 7
    assert [each.id for each in machine.findings if each.level == "error"] == ["read-before-sync"]


def unwaited(free: str, **options: Any) -> list[str]:
    """The findings of a program that reads the target of a copy, frees memory of the copy, and waits for nothing."""
    with Machine(**options) as machine:
        copy = Copy()
        assert copy.array[0] == 1
        with suppress(UndefinedBehaviour):
            ok(aclrtFree(copy.device) if free == "device" else aclrtFreeHost(copy.address))
        ok(aclrtDestroyStream(copy.stream))
    return [finding.id for finding in machine.findings if finding.level == "error"]


@pytest.mark.fidelity("pinned memory that the host changes or reads itself while a copy has it")
@pytest.mark.parametrize("on_undefined", ["report", "raise"])
@pytest.mark.parametrize("free", ["device", "pinned"])
def test_a_free_without_a_wait_reports_the_early_read(free: str, on_undefined: str) -> None:
    """The read and the free miss the same wait, so that is one finding, about the read."""
    assert unwaited(free, on_undefined=on_undefined) == ["read-before-sync"]


def test_an_early_read_that_is_allowed_leaves_the_early_free() -> None:
    with Machine(on_undefined="report") as machine, machine.allow("read-before-sync", reason="a test"):
        copy = Copy()
        assert copy.array[0] == 1
        ok(aclrtFree(copy.device))
        ok(aclrtDestroyStream(copy.stream))
    assert [finding.id for finding in machine.findings if finding.level == "error"] == ["io-freed-early"]


def test_a_read_beside_a_copy_hides_no_later_read() -> None:
    """The copy uses all of one page and a part of the next one. The rest of that page is free for the host."""

    def program() -> list[str]:
        with Machine(on_undefined="report") as machine:
            aclrtSetDevice(0)
            stream, device, address = create_stream(), malloc(3 * PAGE), malloc_host(3 * PAGE)
            ok(aclrtMemset(device, 3 * PAGE, 7, 3 * PAGE))
            values = np.ctypeslib.as_array((c_uint8 * (3 * PAGE)).from_address(address))
            ok(aclrtMemcpyAsync(address, PAGE + 5, device, PAGE + 5, ACL_MEMCPY_DEVICE_TO_HOST, stream))
            beside = values[PAGE + 5]
            findings = [beside, values[10]] and machine.findings.worth_telling
            assert findings == [], "it is reported by the call that waits"
            ok(aclrtSynchronizeStream(stream))
            return [finding.id for finding in machine.findings.worth_telling]

    assert program() == ["read-before-sync"]


def test_a_loop_of_reads_is_told_once() -> None:
    def polls(copy: Copy) -> None:
        for _ in range(100):
            assert copy.array[0] == 1

    assert [finding.id for finding in found(polls)] == ["read-before-sync"]


def test_what_only_changes_to_the_same_is_no_change() -> None:
    for kind in (ACL_MEMCPY_DEVICE_TO_HOST, ACL_MEMCPY_HOST_TO_DEVICE):
        assert found(lambda copy: copy.array.fill(1), kind=kind) == []


def test_where_no_fault_tells_whether_it_was_a_write(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on aarch64. A source may be read, so who met its guard wrote."""
    monkeypatch.setitem(guard.CONTEXT_OFFSETS, platform.machine(), (guard.CONTEXT_OFFSETS[platform.machine()][0], None))
    assert found(lambda copy: copy.array.fill(1), kind=ACL_MEMCPY_HOST_TO_DEVICE) == []
    (finding,) = found(lambda copy: copy.array.fill(9), kind=ACL_MEMCPY_HOST_TO_DEVICE)
    assert finding.id == "pinned-reuse"
    (finding,) = found(lambda copy: copy.array[5])
    assert finding.id == "read-before-sync"


def _event(copy: Copy) -> aclrtEvent:
    event = aclrtEvent()
    ok(aclrtCreateEvent(byref(event)))
    ok(aclrtRecordEvent(event, copy.stream))
    return event


def _poll(copy: Copy, query: Callable[[Any, Any], int], handle: Any) -> None:
    status = ctypes.c_int32(-1)
    while query(handle, byref(status)) == 0 and status.value == (0 if query is aclrtQueryEventStatus else 1):
        pass


def _by_another_stream(copy: Copy) -> None:
    other = create_stream()
    ok(aclrtStreamWaitEvent(other, _event(copy)))
    ok(aclrtSynchronizeStream(other))


def _by_a_function(copy: Copy) -> None:
    """A function of the host's that the stream runs behind the copy tells the program."""
    ran = threading.Event()
    ok(aclrtLaunchHostFunc(copy.stream, lambda _: ran.set(), None))
    ok(aclrtSynchronizeStream(copy.stream))
    assert ran.is_set()


def _by_another_thread(copy: Copy) -> None:
    in_thread(lambda: aclrtSetDevice(0) or ok(aclrtSynchronizeStream(copy.stream)))


WAITS: dict[str, Callable[[Copy], object]] = {
    "aclrtSynchronizeStream": lambda copy: ok(aclrtSynchronizeStream(copy.stream)),
    "aclrtSynchronizeStreamWithTimeout": lambda copy: ok(aclrtSynchronizeStreamWithTimeout(copy.stream, 1000)),
    "aclrtSynchronizeDevice": lambda copy: ok(aclrtSynchronizeDevice()),
    "aclrtSynchronizeEvent": lambda copy: ok(aclrtSynchronizeEvent(_event(copy))),
    "aclrtQueryEventStatus": lambda copy: _poll(copy, aclrtQueryEventStatus, _event(copy)),
    "aclrtStreamQuery": lambda copy: _poll(copy, aclrtStreamQuery, copy.stream),
    "another stream": _by_another_stream,
    "a function of the host's": _by_a_function,
    "another thread": _by_another_thread,
}


@pytest.mark.parametrize("wait", WAITS)
def test_after_the_wait_the_host_does_what_it_likes(wait: str) -> None:
    def right(copy: Copy) -> None:
        for _ in range(3):
            WAITS[wait](copy)
            assert copy.array.tolist() == [7] * copy.size
            copy.array.fill(3)
            assert by_the_system(copy) == [3] * copy.size
            copy.launch()
        WAITS[wait](copy)

    assert [found(right, schedule) for schedule in SCHEDULES] == [[]] * len(SCHEDULES)


@every_schedule
def test_a_destroyed_stream_was_waited_for(schedule: str) -> None:
    with Machine(schedule=schedule, seed=5) as machine:
        copy = Copy()
        ok(aclrtDestroyStream(copy.stream))
        assert copy.array.tolist() == [7] * FEW
        assert machine.findings.worth_telling == []


@every_schedule
def test_a_function_behind_the_copy_may_read(schedule: str) -> None:
    """Work before a function in its stream is over when it runs, also for a thread that the function informs."""
    seen: list[list[int]] = []

    def right(copy: Copy) -> None:
        ok(aclrtLaunchHostFunc(copy.stream, lambda _: seen.append(copy.array.tolist()), None))

    assert found(right, schedule) == []
    assert seen == [[7] * FEW]


@every_schedule
def test_a_source_may_be_read(schedule: str) -> None:
    assert found(lambda copy: copy.array.sum(), schedule, kind=ACL_MEMCPY_HOST_TO_DEVICE) == []


@pytest.mark.parametrize("half", [32, PAGE, PAGE + 8])
def test_the_other_half_of_a_buffer_is_free(half: int) -> None:
    """ "Correct double-buffered pipelines stay silent", where both buffers share pages too."""
    with Machine() as machine:
        copy = Copy(2 * half)
        ok(aclrtSynchronizeStream(copy.stream))
        for turn in range(4):
            ours, theirs = (0, half) if turn % 2 else (half, 0)
            copy.launch(theirs, theirs + half)
            assert copy.array[ours : ours + half].sum() >= 0
            copy.array[ours : ours + half] = turn
            ok(aclrtSynchronizeStream(copy.stream))
        assert machine.findings.worth_telling == []


@pytest.mark.fidelity("pinned memory whose pages cannot be guarded")
@pytest.mark.parametrize(
    ("size", "low", "high"),
    [(FEW, 0, 40), (FEW, 8, 48), (FEW, 31, 64), (PAGE, 0, PAGE // 2 + 1), (3 * PAGE, 9, 2 * PAGE)],
)
def test_an_early_read_of_a_copy_below_a_page(size: int, low: int, high: int) -> None:
    """Memory of which all copies begin at one address and have the larger part, as that of a framework, which rounds
    its sizes up to powers of two."""

    def found_at(at: int) -> list[str]:
        with Machine(on_undefined="report") as machine:
            aclrtSetDevice(0)
            stream, device, address = create_stream(), malloc(size), malloc_host(size)
            ok(aclrtMemset(device, size, 7, size))
            values = np.ctypeslib.as_array((c_uint8 * size).from_address(address))
            count = high - low
            ok(aclrtMemcpyAsync(address + low, count, device, count, ACL_MEMCPY_DEVICE_TO_HOST, stream))
            assert values[at] == 0, "stale"
            ok(aclrtSynchronizeStream(stream))
            return [finding.id for finding in machine.findings.worth_telling]

    assert [found_at(at) for at in (low, high - 1)] == [["read-before-sync"]] * 2
    assert [found_at(at) for at in (low - 1, high) if 0 <= at < size] == [[]] * ((low > 0) + (high < size))


@pytest.mark.fidelity("pinned memory whose pages cannot be guarded")
@pytest.mark.parametrize(("size", "high"), [(2 * PAGE, 100), (FEW, FEW // 2)])
def test_the_system_may_use_the_larger_part_beside_a_copy(size: int, high: int) -> None:
    """A small result at the begin of memory into which the program reads a file: the call would fail with EFAULT."""
    pipe = os.pipe()
    with Machine() as machine, open(pipe[0], "rb", buffering=0) as read, open(pipe[1], "wb", buffering=0) as write:
        aclrtSetDevice(0)
        stream, device, address = create_stream(), malloc(size), malloc_host(size)
        ok(aclrtMemset(device, size, 7, size))
        ok(aclrtMemcpyAsync(address, high, device, high, ACL_MEMCPY_DEVICE_TO_HOST, stream))
        rest = (c_uint8 * 16).from_address(address + high)
        write.write(bytes([3] * 16))
        assert read.readinto(rest) == 16
        assert write.write(rest) == 16
        ok(aclrtSynchronizeStream(stream))
        assert list(rest) == [3] * 16
        assert machine.findings.worth_telling == []


def test_registered_memory_shares_its_pages_with_other_things() -> None:
    """So it is not guarded; what is written there is seen by its bytes."""
    with Machine() as machine:
        aclrtSetDevice(0)
        stream, device, host = create_stream(), malloc(PAGE), np.zeros(4 * PAGE, np.uint8)
        ok(aclrtMemset(device, PAGE, 7, PAGE))
        start = -host.ctypes.data % PAGE
        mapped = ctypes.c_void_p()
        ok(aclrtHostRegister(host.ctypes.data + start, PAGE, ACL_HOST_REGISTER_MAPPED, byref(mapped)))
        ok(aclrtMemcpyAsync(host.ctypes.data + start, PAGE, device, PAGE, ACL_MEMCPY_DEVICE_TO_HOST, stream))
        assert host.sum() == 0
        ok(aclrtSynchronizeStream(stream))
        assert host.sum() == 7 * PAGE
        ok(aclrtHostUnregister(host.ctypes.data + start))
        assert machine.findings.worth_telling == []


@pytest.mark.fidelity("pinned memory whose pages cannot be guarded")
@pytest.mark.parametrize(("way", "ids"), [("read", []), ("change", ["pinned-reuse"])])
def test_without_a_guard_a_change_is_seen_by_its_bytes_and_a_read_is_not(way: str, ids: list[str]) -> None:
    """Of registered memory, while a copy out of it is queued."""
    with Machine(on_undefined="report") as machine:
        aclrtSetDevice(0)
        stream, device, host = create_stream(), malloc(PAGE), np.ones(4 * PAGE, np.uint8)
        start, mapped = -host.ctypes.data % PAGE, ctypes.c_void_p()
        ok(aclrtHostRegister(host.ctypes.data + start, PAGE, ACL_HOST_REGISTER_MAPPED, byref(mapped)))
        ok(aclrtMemcpyAsync(device, PAGE, host.ctypes.data + start, PAGE, ACL_MEMCPY_HOST_TO_DEVICE, stream))
        if way == "read":
            assert host.sum() == 4 * PAGE
        else:
            host[start] = 2
        ok(aclrtSynchronizeStream(stream))
        ok(aclrtHostUnregister(host.ctypes.data + start))
        assert [finding.id for finding in machine.findings.worth_telling if finding.level == "error"] == ids


@pytest.mark.fidelity("a system call on pinned memory that a queued copy has")
def test_a_system_call_on_guarded_pages_fails() -> None:
    """The kernel answers EFAULT and raises no fault, so the guard does not see it."""
    pipe = os.pipe()

    def writes_out(copy: Copy) -> None:
        with pytest.raises(OSError, match="Bad address"):
            os.write(pipe[1], copy.array[:64])

    try:
        assert found(writes_out) == []
    finally:
        for end in pipe:
            os.close(end)


def test_no_guard_without_the_checks() -> None:
    with Machine(checks=False) as machine:
        copy = Copy()
        assert copy.array[0] == 1
        ok(aclrtSynchronizeStream(copy.stream))
        assert machine.findings.worth_telling == []


def test_memory_is_free_when_its_machine_is_gone() -> None:
    """Even if nobody waited for the copy; a freed buffer as well."""
    with Machine(on_undefined="report"):
        copy, other = Copy(), Copy()
        ok(aclrtFreeHost(other.address))
        assert other.array[0] == 0
    copy.array.fill(2)
    assert copy.array.sum() == 2 * FEW


def test_more_copies_than_can_be_guarded() -> None:
    """Some are not guarded then; nothing else changes."""
    with Machine() as machine:
        copies = [Copy(PAGE) for _ in range(guard.MOST + 50)]
        for copy in copies:
            ok(aclrtSynchronizeStream(copy.stream))
            assert copy.array.sum() == 7 * PAGE
        assert machine.findings.worth_telling == []


def test_a_copy_back_may_be_copied_on_at_once() -> None:
    """The stream itself uses the memory, behind what writes it."""
    with Machine() as machine:
        copy, second = Copy(), malloc(FEW)
        ok(aclrtMemcpyAsync(second, FEW, copy.address, FEW, ACL_MEMCPY_HOST_TO_DEVICE, copy.stream))
        copy.launch()
        ok(aclrtSynchronizeStream(copy.stream))
        assert by_the_system(copy) == [7] * FEW
        assert copy.array.tolist() == [7] * FEW
        assert machine.read(second, FEW, "u1").tolist() == [7] * FEW
        assert machine.findings.worth_telling == []


@every_schedule
def test_two_copies_into_one_buffer(schedule: str) -> None:
    with Machine(schedule=schedule, seed=5) as machine:
        copy = Copy()
        copy.launch()
        ok(aclrtSynchronizeStream(copy.stream))
        assert by_the_system(copy) == [7] * FEW
        assert machine.findings.worth_telling == []


START = """
def start():
    aclrtSetDevice(0)
    stream, host, device = aclrtStream(), c_void_p(), c_void_p()
    aclrtCreateStream(byref(stream))
    aclrtMallocHost(byref(host), 64)
    aclrtMalloc(byref(device), 64, 0)
    aclrtMemset(device, 64, 7, 64)
    aclrtMemcpyAsync(host, 64, device, 64, ACL_MEMCPY_DEVICE_TO_HOST, stream)
    return stream, host, device
"""
"""a copy on its way into pinned memory"""
EARLY = (
    START
    + """
import faulthandler
{before}
with Machine(on_undefined="report") as machine:
    stream, host, device = start()
    {within}
    string_at(host.value, 1)
    aclrtSynchronizeStream(stream)
    print(*(each.id for each in machine.findings))
{after}
"""
)


def test_other_faults_go_to_who_was_there_before() -> None:
    """A null pointer still ends the program, and Python's faulthandler tells where."""
    for places in ({"within": "string_at(8)"}, {"after": "string_at(8)"}):
        given = {"before": "faulthandler.enable()", "within": "", "after": ""} | places
        ran = program(EARLY.format(**given))
        assert ran.returncode == -11, ran.stderr
        assert ran.stderr.startswith("Fatal Python error: Segmentation fault")
    ran = program(EARLY.format(before="", within="", after="string_at(8)"))
    assert (ran.returncode, ran.stderr) == (-11, "")
    assert ran.stdout.startswith("read-before-sync")


def test_a_fault_handler_that_comes_later_is_passed() -> None:
    """It reports a fault and passes it on; the program goes on."""
    ran = program(EARLY.format(before="", within="faulthandler.enable()", after=""))
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith("read-before-sync")


def test_another_handler_is_not_taken_away() -> None:
    """A handler that was installed later gets the faults: nothing is guarded any more, as nothing would lift the
    guard."""
    within = """
    import signal
    aclrtSynchronizeStream(stream)
    signal.signal(signal.SIGSEGV, lambda *_: print("hit"))
    aclrtMemcpyAsync(host, 64, device, 64, ACL_MEMCPY_DEVICE_TO_HOST, stream)
"""
    ran = program(EARLY.format(before="", within=within.strip(), after=""))
    assert (ran.returncode, ran.stdout) == (0, "\n"), ran.stderr


@pytest.mark.parametrize(
    ("within", "after"),
    [
        ("import os; os.kill(os.getpid(), 11)", ""),
        ("import signal; aclrtSynchronizeStream(stream); signal.raise_signal(11)", ""),
        ("", "import os; os.kill(os.getpid(), 11)"),
    ],
    ids=["sent in flight", "raised", "sent behind the machine"],
)
def test_a_signal_that_is_sent_arrives(within: str, after: str) -> None:
    ran = program(EARLY.format(before="", within=within, after=after))
    assert (ran.returncode, ran.stderr) == (-11, "")


NESTED = (
    START
    + """
with Machine(on_undefined="report") as outer:
    stream, host, device = start()
    with Machine(on_undefined="report") as inner:
        other, second, device = start()
        string_at(host.value, 1)
        string_at(second.value, 1)
        aclrtSynchronizeStream(other)
        other, second, device = start()
        string_at(second.value, 1)
        aclrtSynchronizeStream(other)
    aclrtSynchronizeStream(stream)
    print(*(each.id for each in outer.findings), [each.id for each in inner.findings if each.level == "error"])
"""
)


def test_a_machine_within_another() -> None:
    """A read of the outer one's memory is reported there; the inner one guards its next copies again."""
    ran = program(NESTED)
    assert (ran.returncode, ran.stdout) == (0, "read-before-sync ['read-before-sync']\n"), ran.stderr


PROFILED = """
def profile(frame, event, argument):
    if frame.f_code.co_name == "_fault" and event == "call":
        string_at(second.value, 1)
with Machine(on_undefined="report") as machine:
    aclrtSetDevice(0)
    stream, first, second, device = aclrtStream(), c_void_p(), c_void_p(), c_void_p()
    aclrtCreateStream(byref(stream))
    aclrtMalloc(byref(device), 64, 0)
    aclrtMemset(device, 64, 7, 64)
    for host in first, second:
        aclrtMallocHost(byref(host), 64)
        aclrtMemcpyAsync(host, 64, device, 64, ACL_MEMCPY_DEVICE_TO_HOST, stream)
    import sys
    sys.setprofile(profile)
    string_at(first.value, 1)
    sys.setprofile(None)
    aclrtSynchronizeStream(stream)
    print(*(each.id for each in machine.findings if each.level == "error"))
"""


def test_what_runs_within_the_handler_may_touch_too() -> None:
    """A finalizer, a signal's handler, or a profiler of the program's: two lines that read are two findings."""
    ran = program(PROFILED)
    assert (ran.returncode, ran.stdout) == (0, "read-before-sync read-before-sync\n"), ran.stderr


def test_a_thread_of_a_library_that_reads() -> None:
    """Python runs nothing there: the line is that of the program, which waits for it."""
    lib = ctypes.CDLL(None)
    started = ctypes.c_ulong()

    def read(copy: Copy) -> None:
        lib.pthread_create.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
        assert not lib.pthread_create(byref(started), None, ctypes.cast(lib.strlen, ctypes.c_void_p), copy.address)
        assert not lib.pthread_join(started, None)

    (finding,) = found(read)
    assert (finding.id, os.path.basename(finding.site.rpartition(":")[0])) == (
        "read-before-sync", os.path.basename(__file__),
    )  # fmt: skip


FORKED = """
    def forked(work):
        pid = os.fork()
        if not pid:
            os._exit(work())
        assert os.waitpid(pid, 0)[1] == 0
    forked(lambda: string_at(host.value, 1)[0])
    assert aclrtSynchronizeStream(stream) == 0
    forked(lambda: memset(host.value, 9, 1) and 0)
    print(string_at(host.value, 2))
"""


@pytest.mark.fidelity("pinned memory in a forked child")
def test_a_forked_child_shares_it() -> None:
    """It may read what its parent may not yet, whose work is not its business."""
    text = EARLY.format(before="import os", within=FORKED.strip(), after="").replace(
        "    string_at(host.value, 1)\n", ""
    )
    ran = program(text)
    assert (ran.returncode, ran.stdout) == (0, "b'\\t\\x07'\n\n"), ran.stderr
