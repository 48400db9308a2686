"""Functions and data of callbacks and host functions: what they may be, and do (public; ours)."""

import threading
from collections.abc import Iterator
from ctypes import CFUNCTYPE, POINTER, addressof, byref, c_int, c_int32, c_void_p, cast, pointer, py_object
from functools import partial
from threading import get_ident
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.helpers.creating import create_stream
from tests.helpers.host_threads import Host, in_thread, wait
from tests.helpers.machines import SCHEDULES, board
from tests.helpers.outcomes import errors, ok

NO_BLOCK, BLOCK = ACL_CALLBACK_NO_BLOCK, ACL_CALLBACK_BLOCK


@pytest.fixture(params=SCHEDULES)
def each(request: pytest.FixtureRequest) -> Iterator[Machine]:
    """A machine of each schedule, device 0 set."""
    with board(request.param) as machine:
        yield machine
    assert not errors(machine)


def served_stream() -> aclrtStream:
    """A stream that the calling thread serves."""
    stream = create_stream()
    ok(aclrtSubscribeReport(get_ident(), stream))
    return stream


def device() -> int:
    number = c_int32(-1)
    status = aclrtGetDevice(byref(number))
    return number.value if status == 0 else status


def test_a_callback_asks_for_the_device(two: Machine) -> None:
    """It runs on the subscribed thread, with that thread's current context, or none."""
    seen: list[int] = []
    ok(aclrtSetDevice(1))
    stream = served_stream()
    ok(aclrtLaunchCallback(lambda _: seen.append(device()), None, NO_BLOCK, stream))
    ok(aclrtSynchronizeStream(stream))
    ok(aclrtProcessReport(100))
    ok(aclrtUnSubscribeReport(get_ident(), stream))

    def serve() -> None:
        wait(begin)
        ok(aclrtProcessReport(-1))

    begin = threading.Event()
    host = Host(serve)
    ok(aclrtSubscribeReport(host.number, stream))
    ok(aclrtLaunchCallback(lambda _: seen.append(device()), None, BLOCK, stream))
    begin.set()
    ok(aclrtSynchronizeStream(stream))
    host.end()
    assert seen == [1, ACL_ERROR_RT_CONTEXT_NULL]


def test_a_callback_waits_for_a_thread_that_calls(each: Machine) -> None:
    """The machine is not locked meanwhile."""
    seen: list[int] = []
    stream = served_stream()
    ok(aclrtLaunchCallback(lambda _: seen.append(in_thread(lambda: aclrtSetDevice(0))), None, BLOCK, stream))
    ok(aclrtProcessReport(-1))
    ok(aclrtSynchronizeStream(stream))
    assert seen == [0]


class Anything:
    """Any object of a program's."""


DATA = [None, 0, 7, -1, 2**64 - 1, 1.5, "text", b"bytes", [1, 2], {"a": 1}, object(), Anything(), np.arange(3),
        c_int(3), pointer(c_int(4)), byref(c_int(5)), c_void_p(9), aclrtStream(), len]  # fmt: skip


@pytest.mark.parametrize("data", DATA, ids=lambda data: type(data).__name__)
@pytest.mark.parametrize("native", [False, True], ids=["python", "ctypes"])
def test_user_data_comes_back_as_given(machine: Machine, data: Any, native: bool) -> None:
    """ "userData comes back as given" (ours), the same object."""
    seen: list[Any] = []
    fn = CFUNCTYPE(None, py_object)(seen.append) if native else seen.append
    stream, other = served_stream(), create_stream()
    ok(aclrtLaunchCallback(fn, data, NO_BLOCK, stream))
    ok(aclrtProcessReport(-1))
    ok(aclrtLaunchHostFunc(other, fn, data))
    ok(aclrtSynchronizeStream(other))
    assert [each is data for each in seen] == [True, True]


def test_a_ctypes_callback_gets_its_data_as_an_address(machine: Machine) -> None:
    """`void (*)(void *)`: what C passes as an address arrives as one, and what is there can be changed."""
    seen: list[int | None] = []
    native = CFUNCTYPE(None, c_void_p)

    def increment(address: int) -> None:
        cast(address, POINTER(c_int)).contents.value += 1

    note, bump, number, stream = native(seen.append), native(increment), c_int(4), served_stream()
    for data in (None, 7, c_void_p(9), 2**64 - 1):
        ok(aclrtLaunchCallback(note, data, NO_BLOCK, stream))
    for data in (byref(number), pointer(number), addressof(number)):
        ok(aclrtLaunchCallback(bump, data, NO_BLOCK, stream))
    ok(aclrtSynchronizeStream(stream))
    ok(aclrtProcessReport(-1))
    assert (seen, number.value) == ([None, 7, 9, 2**64 - 1], 7)


@pytest.mark.parametrize(
    "wrong", [5, "print", Anything(), int, c_int], ids=["number", "text", "object", "type", "c_int"]
)
def test_what_is_no_function_is_a_type_error(machine: Machine, wrong: Any) -> None:
    """The C compiler would refuse it; the text names the parameter (ours)."""
    stream = served_stream()
    for call in (
        partial(aclrtLaunchCallback, wrong, None, BLOCK, stream),
        partial(aclrtLaunchHostFunc, None, wrong, 0),
    ):
        with pytest.raises(TypeError, match=r"parameter fn .*expects a function, or None"):
            call()
    ok(aclrtSynchronizeStream(stream))
