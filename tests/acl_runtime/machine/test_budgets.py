"""Budgets: a device that has less than its chip (ours)."""

from ctypes import byref, c_int64, c_uint32, c_uint64, c_void_p
from typing import Any

import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.helpers.builders import malloc
from tests.helpers.outcomes import assert_status

MIB = 1 << 20


def memory_info() -> tuple[int, int]:
    """Free and total bytes."""
    free, total = c_uint64(), c_uint64()
    assert aclrtGetMemInfo(ACL_HBM_MEM, byref(free), byref(total)) == ACL_SUCCESS
    return free.value, total.value


def streams_left() -> int:
    left = c_uint32()
    assert aclrtGetStreamAvailableNum(byref(left)) == ACL_SUCCESS
    return left.value


def events_left() -> int:
    left = c_uint32()
    assert aclrtGetEventAvailNum(byref(left)) == ACL_SUCCESS
    return left.value


def test_memory_runs_out_as_ever(machine: Machine) -> None:
    """207001 with the ordinary text; what was freed can be had again, and no budget is what the machine had first."""
    first = memory_info()
    machine.budget(memory=MIB)
    pointer = malloc(MIB // 2)
    refused = c_void_p()
    status = aclrtMalloc(byref(refused), MIB // 2, ACL_MEM_MALLOC_HUGE_FIRST)
    assert_status(status, ACL_ERROR_RT_MEMORY_ALLOCATION, "EL0004", f"of {MIB} on device 0", "allocated: ")
    assert aclrtFree(pointer) == ACL_SUCCESS
    assert aclrtFree(malloc(MIB // 2)) == ACL_SUCCESS
    machine.budget(memory=None)
    assert memory_info() == first


def test_queries_agree_with_the_memory(machine: Machine) -> None:
    """Also where more is in use than the budget has: that stays, and nothing is free."""
    pointer, bytes_ = malloc(MIB), c_int64()
    machine.budget(memory=4 * MIB)
    used = machine.devices[0].memory.used
    assert memory_info() == (4 * MIB - used, 4 * MIB)
    assert aclrtGetDeviceInfo(0, ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE, byref(bytes_)) == ACL_SUCCESS
    assert bytes_.value == 4 * MIB
    machine.budget(memory=1)
    assert memory_info() == (0, 1)
    refused = c_void_p()
    status = aclrtMalloc(byref(refused), 32, ACL_MEM_MALLOC_HUGE_FIRST)
    assert_status(status, ACL_ERROR_RT_MEMORY_ALLOCATION, "free 0 of 1")
    assert aclrtFree(pointer) == ACL_SUCCESS


def test_streams_run_out_as_ever(machine: Machine) -> None:
    """Default streams do not count."""
    machine.budget(streams=1)
    one, other = aclrtStream(), aclrtStream()
    assert streams_left() == 1
    assert aclrtCreateStream(byref(one)) == ACL_SUCCESS
    assert streams_left() == 0
    words = ("EE1023", "all 1 streams of device 0")
    assert_status(aclrtCreateStream(byref(other)), ACL_ERROR_RT_NO_STREAM_RESOURCE, *words)
    machine.budget(streams=0)
    assert streams_left() == 0
    assert aclrtDestroyStream(one) == ACL_SUCCESS
    machine.budget(streams=None)
    assert streams_left() == machine.soc.streams


def test_events_run_out_as_ever(machine: Machine) -> None:
    machine.budget(events=1)
    one, other = aclrtEvent(), aclrtEvent()
    assert events_left() == 1
    assert aclrtCreateEvent(byref(one)) == ACL_SUCCESS
    assert events_left() == 0
    words = ("EE1023", "all 1 events of device 0")
    assert_status(aclrtCreateEvent(byref(other)), ACL_ERROR_RT_NO_EVENT_RESOURCE, *words)
    assert aclrtDestroyEvent(one) == ACL_SUCCESS
    assert aclrtCreateEvent(byref(other)) == ACL_SUCCESS
    machine.budget(events=None)
    assert events_left() == machine.soc.events - 1


def test_what_is_not_given_stays(machine: Machine) -> None:
    machine.budget(streams=3)
    machine.budget(events=2)
    machine.budget(memory=MIB)
    assert (streams_left(), events_left(), memory_info()[1]) == (3, 2, MIB)


def test_a_budget_is_one_device_s() -> None:
    with Machine(device_count=2, hbm_bytes=8 * MIB) as machine:
        machine.budget(streams=1, memory=MIB, device=1)
        aclrtSetDevice(0)
        assert streams_left() == machine.soc.streams
        aclrtSetDevice(1)
        assert (streams_left(), memory_info()[1]) == (1, MIB)
        machine.budget(memory=None, device=1)
        assert memory_info()[1] == 8 * MIB


def test_a_negative_budget_or_an_unknown_device_is_refused(machine: Machine) -> None:
    with pytest.raises(ValueError, match="memory=-1"):
        machine.budget(memory=-1)
    with pytest.raises(
        ValueError, match=r"device=1: this machine has 1 device.*; ACL_EMULATOR_DEVICE_COUNT sets the number"
    ):
        machine.budget(memory=1, device=1)


@pytest.mark.parametrize("kind", ["memory", "streams", "events"])
@pytest.mark.parametrize("number", ["1", 1.5])
def test_a_budget_is_a_whole_number(machine: Machine, kind: str, number: object) -> None:
    """And none is set if one of them is wrong."""
    first = memory_info(), streams_left(), events_left()
    budgets: Any = {"memory": 0, "streams": 0, "events": 0, kind: number}
    with pytest.raises(TypeError, match=f"{kind}={number!r}: a whole number"):
        machine.budget(**budgets)
    assert (memory_info(), streams_left(), events_left()) == first
