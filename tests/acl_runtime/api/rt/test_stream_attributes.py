"""Attributes of streams: number, priority, flags, and how many streams are left (public)."""

from collections.abc import Callable
from ctypes import byref, c_int32, c_uint32, c_void_p, sizeof
from typing import Any

import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.helpers.creating import create_context, create_stream
from tests.helpers.host_threads import in_thread
from tests.helpers.machines import board
from tests.helpers.outcomes import assert_status, finding_of, ok

LEVEL = ACL_RT_THREAD_LEVEL


def number(stream: aclrtStream | None) -> int:
    found = c_int32(-5)
    ok(aclrtStreamGetId(stream, byref(found)))
    return found.value


def priority(stream: aclrtStream | None) -> int:
    found = c_uint32(77)
    ok(aclrtStreamGetPriority(stream, byref(found)))
    return found.value


def default_stream() -> aclrtStream:
    stream = aclrtStream()
    ok(aclrtCtxGetCurrentDefaultStream(byref(stream)))
    return stream


# numbers


def test_ids_are_small_integers_per_device(two: Machine) -> None:
    """ "Small integers per device; the first explicit stream commonly gets 1 or 2", here 1; free ones come back, the
    lowest first (ours)."""
    ok(aclrtSetDevice(0))
    streams = [create_stream() for _ in range(3)]
    assert [number(stream) for stream in [None, *streams]] == [0, 1, 2, 3]
    assert number(default_stream()) == 0
    ok(aclrtSetDevice(1))
    assert [number(None), number(create_stream())] == [0, 1]
    ok(aclrtSetDevice(0))
    for gone in (streams[1], streams[0]):
        ok(aclrtDestroyStream(gone))
    assert [number(create_stream()) for _ in range(3)] == [1, 2, 4]
    create_context(0)
    assert number(None) == 5


def left() -> int:
    count = c_uint32(77)
    ok(aclrtGetStreamAvailableNum(byref(count)))
    return count.value


LIMITS = {
    "Ascend910B1": 1984, "Ascend910_9391": 1984, "Ascend950DT_950x": 1984, "Ascend910A": 2048, "Ascend310P3": 1024,
    "Ascend310B1": 512,
}  # fmt: skip


@pytest.mark.parametrize("soc", LIMITS)
def test_each_product_has_its_own_number_of_streams(soc: str) -> None:
    """1984 (A2, A3, 950), 2048 (910 training), 1024 (310P), 512 (310B) (public); then 207008, for both creators."""
    with board(soc=soc):
        assert left() == LIMITS[soc]
        last = [create_stream() for _ in range(LIMITS[soc])][-1]
        assert left() == 0
        for create in (aclrtCreateStream, lambda stream: aclrtCreateStreamWithConfig(stream, 0, 0)):
            stream = aclrtStream(5)
            status = create(byref(stream))
            assert_status(status, ACL_ERROR_RT_NO_STREAM_RESOURCE, "(EE1023)", str(LIMITS[soc]), soc)
            assert (stream, aclrtGetLastError(LEVEL)) == (5, ACL_ERROR_RT_NO_STREAM_RESOURCE)
        ok(aclrtDestroyStream(last))
        assert left() == 1


# outputs

GETTERS: dict[str, tuple[Callable[..., int], type[Any], str]] = {
    "aclrtStreamGetId": (aclrtStreamGetId, c_int32, "streamId"),
    "aclrtStreamGetPriority": (aclrtStreamGetPriority, c_uint32, "priority"),
    "aclrtStreamGetFlags": (aclrtStreamGetFlags, c_uint32, "flags"),
    "aclrtStreamQuery": (aclrtStreamQuery, c_int32, "status"),
    "aclrtGetStreamAvailableNum": (lambda _, out: aclrtGetStreamAvailableNum(out), c_uint32, "streamCount"),
}


@pytest.mark.parametrize(("call", "kind", "parameter"), GETTERS.values(), ids=GETTERS)
def test_a_null_output_is_100000(machine: Machine, call: Callable[..., int], kind: type[Any], parameter: str) -> None:
    """ "Null output -> 100000", before the context check (public)."""
    assert_status(call(None, None), ACL_ERROR_INVALID_PARAM, "(EH0008)", parameter)
    assert in_thread(lambda: call(None, None)) == ACL_ERROR_INVALID_PARAM
    assert aclrtGetLastError(LEVEL) == ACL_SUCCESS


@pytest.mark.parametrize(("call", "kind", "parameter"), GETTERS.values(), ids=GETTERS)
def test_output_stays_when_there_is_no_context(
    machine: Machine, call: Callable[..., int], kind: type[Any], parameter: str
) -> None:
    out = kind(55)
    assert in_thread(lambda: call(None, byref(out))) == ACL_ERROR_RT_CONTEXT_NULL
    assert out.value == 55


# attributes

ATTRIBUTES: dict[str, tuple[int, str, int, tuple[int, ...]]] = {
    "1 failure mode": (ACL_STREAM_ATTR_FAILURE_MODE, "failureMode", 0, (0, 1)),
    "2 overflow check": (ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK, "overflowSwitch", 0, (1, 0)),
    "3 user tag": (ACL_STREAM_ATTR_USER_CUSTOM_TAG, "userCustomTag", 0, (9, 0xFFFF_FFFF, 0)),
    "4 cache op info": (ACL_STREAM_ATTR_CACHE_OP_INFO, "cacheOpInfoSwitch", 0, (1, 0)),
    "5 priority": (ACL_STREAM_ATTR_PRIORITY, "streamPriority", 0, (7, 3, 0)),
}


def attribute(stream: aclrtStream | None, which: int, field: str) -> int:
    value = aclrtStreamAttrValue()
    ok(aclrtGetStreamAttribute(stream, which, byref(value)))
    return getattr(value, field)


@pytest.mark.parametrize(("which", "field", "first", "values"), ATTRIBUTES.values(), ids=ATTRIBUTES)
@pytest.mark.parametrize("null", [False, True], ids=["explicit", "null-is-default"])
def test_an_attribute_is_set_and_read_back_for_one_stream(
    machine: Machine, which: int, field: str, first: int, values: tuple[int, ...], null: bool
) -> None:
    """Attributes 1 to 5, set and read back; for one stream only; null is the default stream (public)."""
    other = create_stream()
    stream = None if null else create_stream()
    same = default_stream() if null else stream
    assert attribute(stream, which, field) == first
    for value in values:
        given = aclrtStreamAttrValue()
        setattr(given, field, value)
        ok(aclrtSetStreamAttribute(stream, which, byref(given)))
        assert attribute(same, which, field) == value
        assert attribute(other, which, field) == first


def test_attributes_and_functions_are_about_the_same_things(machine: Machine) -> None:
    stream, switch = create_stream(), c_uint32(7)
    ok(aclrtSetStreamOverflowSwitch(stream, 1))
    assert attribute(stream, ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK, "overflowSwitch") == 1
    ok(aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK, byref(aclrtStreamAttrValue())))
    ok(aclrtGetStreamOverflowSwitch(stream, byref(switch)))
    assert switch.value == 0
    ok(aclrtSetStreamFailureMode(stream, 1))
    assert attribute(stream, ACL_STREAM_ATTR_FAILURE_MODE, "failureMode") == 1
    ok(aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_PRIORITY, byref(aclrtStreamAttrValue(streamPriority=9))))
    assert priority(stream) == 7 == attribute(stream, ACL_STREAM_ATTR_PRIORITY, "streamPriority"), "clamped"


@pytest.mark.parametrize("call", [aclrtSetStreamAttribute, aclrtGetStreamAttribute], ids=lambda call: call.__name__)
class TestAttributeRefusals:
    @pytest.mark.parametrize("which", [0, 6, -1, 99])
    def test_an_unknown_attribute_is_107000(self, machine: Machine, call: Callable[..., int], which: int) -> None:
        """ "Unknown -> 107000". The text lists the known ones."""
        value = aclrtStreamAttrValue(failureMode=5)
        status = call(create_stream(), which, byref(value))
        assert_status(status, ACL_ERROR_RT_PARAM_INVALID, "(EE1003)", "stmAttrType", str(which), "[1, 2, 3, 4, 5]")
        assert (aclrtGetLastError(LEVEL), value.failureMode) == (ACL_ERROR_RT_PARAM_INVALID, 5)

    def test_a_null_value_is_100000(self, machine: Machine, call: Callable[..., int]) -> None:
        """ "Null value -> 100000", before all checks of the runtime layer."""
        assert_status(call(0x1234, 99, None), ACL_ERROR_INVALID_PARAM, "(EH0008)", "value")
        assert in_thread(lambda: call(None, 1, None)) == ACL_ERROR_INVALID_PARAM

    def test_value_that_is_no_memory_is_a_finding(self, machine: Machine, call: Callable[..., int]) -> None:
        id, message = finding_of(lambda: call(None, ACL_STREAM_ATTR_USER_CUSTOM_TAG, c_void_p(0x1000)))
        assert (id, f"{sizeof(aclrtStreamAttrValue)} bytes" in message) == ("host-overrun", True)


def test_overflow_switch_neither_0_nor_1_is_100000(machine: Machine) -> None:
    """ "Switch flag must be 0 or 1 else 100000" (public), also as an attribute (ours)."""
    given = aclrtStreamAttrValue(overflowSwitch=2)
    status = aclrtSetStreamAttribute(None, ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK, byref(given))
    assert_status(status, ACL_ERROR_INVALID_PARAM, "(EH0007)", "overflowSwitch", "2", "0 or 1")
    assert attribute(None, ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK, "overflowSwitch") == 0


def test_stop_mode_does_not_go_back_by_attribute_207000(machine: Machine) -> None:
    """ "Stop back to continue -> 207000 (EE1016)", whichever way it is set."""
    ok(aclrtSetStreamFailureMode(None, 1))
    status = aclrtSetStreamAttribute(None, ACL_STREAM_ATTR_FAILURE_MODE, byref(aclrtStreamAttrValue()))
    assert_status(status, ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "(EE1016)", "continue")
