"""Streams made from a set of options (public). Only the library of one small product has these functions; here they
work on every product (ours)."""

from collections.abc import Callable
from ctypes import byref, c_size_t, c_uint32, c_uint64, c_void_p
from typing import Any

import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.helpers.builders import malloc
from tests.helpers.creating import create_stream
from tests.helpers.host_threads import in_thread
from tests.helpers.machines import board
from tests.helpers.outcomes import assert_status, finding_of, ok

ADDRESS, SIZE, FLAG, PRIORITY = (
    ACL_RT_STREAM_WORK_ADDR_PTR,
    ACL_RT_STREAM_WORK_SIZE,
    ACL_RT_STREAM_FLAG,
    ACL_RT_STREAM_PRIORITY,
)


def configured(handle: aclrtStreamConfigHandle | None) -> tuple[int, int]:
    """Priority and flags of a stream made with these options."""
    stream, priority, flags = aclrtStream(), c_uint32(77), c_uint32(77)
    ok(aclrtCreateStreamV2(byref(stream), handle))
    ok(aclrtStreamGetPriority(stream, byref(priority)))
    ok(aclrtStreamGetFlags(stream, byref(flags)))
    return priority.value, flags.value


def test_a_stream_gets_the_options_of_its_configuration(machine: Machine) -> None:
    """ "Options 0 work address (pointer size), 1 work size (size_t), 2 flag (size_t), 3 priority (uint32)"; the last
    setting counts."""
    handle = aclrtCreateStreamConfigHandle()
    assert isinstance(handle, aclrtStreamConfigHandle)
    assert handle
    assert configured(handle) == (0, 0)
    ok(aclrtSetStreamConfigOpt(handle, ADDRESS, byref(c_void_p(malloc(1024))), 8))
    ok(aclrtSetStreamConfigOpt(handle, SIZE, byref(c_size_t(1024)), 8))
    for flag in (ACL_STREAM_PERSISTENT, ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC):
        ok(aclrtSetStreamConfigOpt(handle, FLAG, byref(c_size_t(flag)), 8))
    for priority in (0, 7, 5):
        ok(aclrtSetStreamConfigOpt(handle, PRIORITY, byref(c_uint32(priority)), 4))
    assert configured(handle) == (5, ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC)
    assert configured(handle) == (5, 3), "a set of options serves many streams"
    assert configured(aclrtCreateStreamConfigHandle()) == (0, 0), "each set has its own"
    ok(aclrtDestroyStreamConfigHandle(handle))


@pytest.mark.parametrize("soc", ["Ascend910B1", "Ascend910_9391", "Ascend910A", "Ascend310P3", "Ascend310B1"])
def test_every_product_has_them(soc: str) -> None:
    """Ours: the libraries of most products do not export these functions."""
    with board(soc=soc):
        handle = aclrtCreateStreamConfigHandle()
        ok(aclrtSetStreamConfigOpt(handle, PRIORITY, byref(c_uint32(3)), 4))
        assert configured(handle) == (3, 0)
        ok(aclrtDestroyStreamConfigHandle(handle))


def test_null_options_are_the_defaults(machine: Machine) -> None:
    """ "V2 with a null handle means default options"."""
    assert configured(None) == configured(aclrtStreamConfigHandle()) == (0, 0)


def test_streams_outlive_their_options(machine: Machine) -> None:
    handle, stream = aclrtCreateStreamConfigHandle(), aclrtStream()
    ok(aclrtCreateStreamV2(byref(stream), handle))
    ok(aclrtDestroyStreamConfigHandle(handle))
    ok(aclrtDestroyStream(stream))


VALUE = byref(c_uint64(1))
NULLS: dict[str, tuple[Callable[[aclrtStreamConfigHandle], int], str]] = {
    "handle-100000": (lambda _: aclrtSetStreamConfigOpt(None, 99, None, 0), "handle"),
    "value-100000": (lambda handle: aclrtSetStreamConfigOpt(handle, 99, None, 0), "attrValue"),
    "destroy-100000": (lambda _: aclrtDestroyStreamConfigHandle(None), "handle"),
    "output-100000": (lambda handle: aclrtCreateStreamV2(None, handle), "stream"),
    "output-and-options-100000": (lambda _: aclrtCreateStreamV2(None, None), "stream"),
}


@pytest.mark.parametrize(("call", "parameter"), NULLS.values(), ids=NULLS)
def test_null_handles_and_values_are_100000(
    machine: Machine, call: Callable[[aclrtStreamConfigHandle], int], parameter: str
) -> None:
    """ "Null handle or null value -> 100000 [...]; null output -> 100000; destroying null -> 100000"; no context is
    needed for these checks."""
    handle = aclrtCreateStreamConfigHandle()
    assert_status(call(handle), ACL_ERROR_INVALID_PARAM, "(EH0008)", f"{parameter} cannot be a NULL pointer")
    assert in_thread(lambda: call(handle)) == ACL_ERROR_INVALID_PARAM


WRONG: dict[str, tuple[int, Any, int, tuple[str, ...]]] = {
    "unknown-attribute-100000": (4, VALUE, 8, ("attr", "4", "0 to 3")),
    "negative-attribute-100000": (-1, VALUE, 8, ("attr", "-1")),
    "attribute-before-size-100000": (99, VALUE, 0, ("attr", "99")),
    "address-of-4-bytes-100000": (ADDRESS, VALUE, 4, ("valueSize", "8 bytes")),
    "work-size-of-4-bytes-100000": (SIZE, VALUE, 4, ("valueSize", "8 bytes")),
    "flag-of-4-bytes-100000": (FLAG, VALUE, 4, ("valueSize", "8 bytes")),
    "priority-of-8-bytes-100000": (PRIORITY, VALUE, 8, ("valueSize", "4 bytes")),
    "size-0-100000": (PRIORITY, VALUE, 0, ("valueSize", "0")),
    "priority-above-7-100000": (PRIORITY, byref(c_uint32(8)), 4, ("attrValue", "8", "0 to 7")),
}


@pytest.mark.parametrize(("attr", "value", "size", "words"), WRONG.values(), ids=WRONG)
def test_an_unknown_option_or_a_wrong_size_is_100000(
    machine: Machine, attr: int, value: Any, size: int, words: tuple[str, ...]
) -> None:
    """ "Wrong valueSize, unknown attribute [...] -> 100000"; a priority out of its bounds too (ours). Nothing is
    set."""
    handle = aclrtCreateStreamConfigHandle()
    assert_status(aclrtSetStreamConfigOpt(handle, attr, value, size), ACL_ERROR_INVALID_PARAM, "(EH0007)", *words)
    assert configured(handle) == (0, 0)


def test_creation_fails_like_aclrtCreateStream(machine: Machine) -> None:
    def work() -> None:
        stream = aclrtStream(5)
        status = aclrtCreateStreamV2(byref(stream), aclrtCreateStreamConfigHandle())
        assert_status(status, ACL_ERROR_RT_CONTEXT_NULL, "(EE1018)", "no valid context")
        assert stream == 5

    in_thread(work)


def test_creating_with_no_stream_left_is_207008() -> None:
    with board(soc="Ascend310B1"):
        for _ in range(512):
            create_stream()
        status = aclrtCreateStreamV2(byref(aclrtStream()), None)
        assert_status(status, ACL_ERROR_RT_NO_STREAM_RESOURCE, "(EE1023)", "512")


def test_huge_streams_207000_where_unsupported() -> None:
    """ "8 huge (207000 where unsupported)", however the flag is given: "only on 310P" (public)."""
    with board(soc="Ascend310P3"):
        handle, stream = aclrtCreateStreamConfigHandle(), aclrtStream(5)
        ok(aclrtSetStreamConfigOpt(handle, FLAG, byref(c_size_t(ACL_STREAM_HUGE)), 8))
        assert_status(aclrtCreateStreamV2(byref(stream), handle), ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "(EE1006)", "huge")
        assert stream == 5


USES: dict[str, Callable[[Any], int]] = {
    "aclrtSetStreamConfigOpt": lambda handle: aclrtSetStreamConfigOpt(handle, PRIORITY, VALUE, 4),
    "aclrtDestroyStreamConfigHandle": aclrtDestroyStreamConfigHandle,
    "aclrtCreateStreamV2": lambda handle: aclrtCreateStreamV2(byref(aclrtStream()), handle),
}


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_destroyed_options_are_a_finding(machine: Machine, use: Callable[[Any], int]) -> None:
    """A struct pointer that dangles: undefined (ours); no status is documented."""
    handle = aclrtCreateStreamConfigHandle()
    ok(aclrtDestroyStreamConfigHandle(handle))
    id, message = finding_of(lambda: use(handle))
    assert id == "dead-handle"
    for word in ("handle", "stream config 1", "created at", "destroyed at"):
        assert word in message


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_a_machine_that_reports_answers_107000(use: Callable[[Any], int]) -> None:
    """CRASH rows "do nothing and return [...] 107000 otherwise" (ours)."""
    with board(on_undefined="report"):
        handle = aclrtCreateStreamConfigHandle()
        ok(aclrtDestroyStreamConfigHandle(handle))
        assert use(handle) == ACL_ERROR_RT_PARAM_INVALID


def test_another_handle_does_not_compile(machine: Machine) -> None:
    """aclrtStreamConfigHandle is a struct, not `void *`."""
    with pytest.raises(TypeError, match="handle"):
        aclrtDestroyStreamConfigHandle(create_stream())  # type: ignore[arg-type]


def test_value_that_is_no_memory_is_a_finding(machine: Machine) -> None:
    handle = aclrtCreateStreamConfigHandle()
    for pointer in (c_void_p(0x1000), bytes(2)):
        call = lambda pointer=pointer: aclrtSetStreamConfigOpt(handle, PRIORITY, pointer, 4)  # noqa: E731
        id, message = finding_of(call)
        assert (id, "attrValue" in message) == ("host-overrun", True)
    assert aclrtSetStreamConfigOpt(handle, PRIORITY, bytes([6, 0, 0, 0]), 4) == ACL_SUCCESS
    assert configured(handle) == (6, 0)
