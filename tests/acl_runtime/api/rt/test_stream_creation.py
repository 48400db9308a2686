"""Streams made with a priority and flags (public)."""

from ctypes import byref, c_int32, c_uint32

import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.helpers.builders import malloc
from tests.helpers.creating import create_stream
from tests.helpers.host_threads import in_thread
from tests.helpers.machines import board
from tests.helpers.outcomes import assert_status, ok

LEVEL = ACL_RT_THREAD_LEVEL


def configured(priority: int, flag: int) -> aclrtStream:
    stream = aclrtStream()
    ok(aclrtCreateStreamWithConfig(byref(stream), priority, flag))
    return stream


def priority(stream: aclrtStream | None) -> int:
    found = c_uint32(77)
    ok(aclrtStreamGetPriority(stream, byref(found)))
    return found.value


def flags(stream: aclrtStream | None) -> int:
    found = c_uint32(77)
    ok(aclrtStreamGetFlags(stream, byref(found)))
    return found.value


def test_a_null_output_is_100000_before_all_else(machine: Machine) -> None:
    """ "Same errors as create": null first, then the product, then the context, then the number of streams left."""
    assert_status(aclrtCreateStreamWithConfig(None, 0, ACL_STREAM_HUGE), ACL_ERROR_INVALID_PARAM, "(EH0008)", "stream")
    assert in_thread(lambda: aclrtCreateStreamWithConfig(None, 0, 0)) == ACL_ERROR_INVALID_PARAM


def test_creating_without_a_context_is_107002(machine: Machine) -> None:
    def work() -> None:
        stream = aclrtStream(5)
        assert_status(aclrtCreateStreamWithConfig(byref(stream), 0, 0), ACL_ERROR_RT_CONTEXT_NULL, "(EE1018)")
        assert (stream, aclrtGetLastError(LEVEL)) == (5, ACL_ERROR_RT_CONTEXT_NULL)

    in_thread(work)


def test_a_stream_has_the_default_priority_and_flags(machine: Machine) -> None:
    """ "Default priority, default flags (no fast launch)" (public), also of the default stream."""
    for stream in (create_stream(), None):
        assert (priority(stream), flags(stream)) == (0, 0)


@pytest.mark.parametrize(("given", "kept"), [(0, 0), (3, 3), (7, 7), (8, 7), (0xFFFF_FFFF, 7)])
def test_priority_is_clamped(machine: Machine, given: int, kept: int) -> None:
    """ "Priority is clamped/reserved (0-7)"."""
    assert priority(configured(given, 0)) == kept


KNOWN = {
    "fast launch": (ACL_STREAM_FAST_LAUNCH, 1),
    "fast sync": (ACL_STREAM_FAST_SYNC, 2),
    "both": (ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC, 3),
    "persistent": (ACL_STREAM_PERSISTENT, 4),
    "AI CPU schedule": (ACL_STREAM_CPU_SCHEDULE, 0x10),
    "device use only": (ACL_STREAM_DEVICE_USE_ONLY, 0x20),
}


@pytest.mark.parametrize(("flag", "bits"), KNOWN.values(), ids=KNOWN)
def test_the_flags_are_the_documented_bits(machine: Machine, flag: int, bits: int) -> None:
    """The bits of the flag (public)."""
    assert flags(configured(0, flag)) == bits == flag


def test_unknown_flag_bits_are_ignored(machine: Machine) -> None:
    """ "The ACL layer translates the six known bits one by one and GetFlags translates back" (public): 0x100 reads as
    0."""
    assert flags(configured(0, 0x100)) == 0
    stream = configured(0, 0x8000_0100 | ACL_STREAM_FAST_LAUNCH)
    assert flags(stream) == ACL_STREAM_FAST_LAUNCH
    cell = malloc(1)
    ok(aclrtMemsetAsync(cell, 1, 7, 1, stream))
    ok(aclrtSynchronizeStream(stream))
    assert machine.read(cell, 1, "u1") == 7


@pytest.mark.parametrize(
    ("soc", "status"),
    [(soc, ACL_SUCCESS) for soc in ("Ascend910A", "Ascend910B1", "Ascend910_9391", "Ascend310B1")]
    + [("Ascend310P3", ACL_ERROR_RT_FEATURE_NOT_SUPPORT)],
)
def test_huge_streams_207000_where_unsupported(soc: str, status: int) -> None:
    """ "Only 310P answers 207000 EE1006" (public)."""
    with board(soc=soc):
        stream = aclrtStream(5)
        found = aclrtCreateStreamWithConfig(byref(stream), 0, ACL_STREAM_HUGE | ACL_STREAM_FAST_SYNC)
        assert_status(found, status, *(("(EE1006)", "huge", soc) if status else ()))
        assert aclrtGetLastError(LEVEL) == status
        assert (stream == 5) == bool(status)


@pytest.mark.fidelity("tasks of persistent, AI CPU and device-only streams")
@pytest.mark.parametrize("flag", [ACL_STREAM_PERSISTENT, ACL_STREAM_CPU_SCHEDULE, ACL_STREAM_DEVICE_USE_ONLY])
@pytest.mark.parametrize("schedule", ["late", "eager", "random", "threads"])
def test_tasks_of_a_model_are_not_run_nor_waited_for(schedule: str, flag: int) -> None:
    """ "4 persistent (tasks belong to a model; not executed on submit)"; "persistent, AI-CPU-scheduled or device-only
    stream: 0 immediately without waiting" (public); synchronising the device skips them (3.2)."""
    with board(schedule) as machine:
        stream, cell, status = configured(0, flag), malloc(1), c_int32(-1)
        ok(aclrtMemsetAsync(cell, 1, 7, 1, stream))
        ok(aclrtSynchronizeStream(stream))
        ok(aclrtSynchronizeStreamWithTimeout(stream, 1))
        ok(aclrtSynchronizeDevice())
        ok(aclrtStreamQuery(stream, byref(status)))
        assert status.value == ACL_STREAM_STATUS_NOT_READY
        assert machine.read(cell, 1, "u1") == 0xFF
        assert machine.clock.now == 0
