"""Things left behind when a machine ends: one finding for each line that made it, none for what goes with something
else (ours)."""

from collections.abc import Callable
from ctypes import byref
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Finding, Machine
from tests.helpers.builders import malloc, meta
from tests.helpers.creating import create_context, create_stream, event_of, malloc_host
from tests.helpers.memory.virtual_memory import PAGE, on_host, physical, reserve
from tests.helpers.outcomes import ok

HERE = "test_leaks.py:"


def left(program: Callable[[], object]) -> list[Finding]:
    """The findings at the end of a program that does nothing else wrong."""
    with Machine() as machine:
        ok(aclInit(None))
        ok(aclrtSetDevice(0))
        program()
        ok(aclFinalize())
    return [finding for finding in machine.findings if finding.id != "device-not-reset"]


def registered() -> np.ndarray:
    memory = np.zeros(4096, np.uint8)
    ok(aclrtHostRegisterV2(memory, 4096, ACL_HOST_REG_PINNED))
    return memory


# how it is made, how it goes, the finding where it stays, its words
OBJECTS: dict[str, tuple[Callable[[], Any], Callable[[Any], int], str, str]] = {
    "device memory": (lambda: malloc(64), aclrtFree, "mem-leaked", "3 x 64 bytes of device 0"),
    "host memory": (lambda: malloc_host(64), aclrtFreeHost, "host-mem-leaked", "3 x 64 bytes of pinned host memory"),
    "registered memory": (
        registered, aclrtHostUnregister, "host-mem-leaked", "3 x 4096 bytes of registered host memory",
    ),
    "streams": (create_stream, aclrtDestroyStream, "stream-leaked", "3 streams"),
    "events": (lambda: event_of(aclrtCreateEvent), aclrtDestroyEvent, "event-leaked", "3 events"),
    "contexts": (create_context, aclrtDestroyContext, "context-leaked", "3 contexts"),
    "tensors": (lambda: meta([1]), aclDestroyTensor, "tensor-leaked", "3 tensors"),
}  # fmt: skip


def default_stream() -> None:
    stream = aclrtStream()
    ok(aclrtCtxGetCurrentDefaultStream(byref(stream)))


def mapped_memory_of_the_host() -> None:
    handle, address = physical(given=on_host()), reserve(PAGE)
    ok(aclrtMapMem(address, PAGE, 0, handle, 0))
    ok(aclrtFreePhysical(handle))


PARTS: dict[Callable[[], None], list[str]] = {default_stream: [], mapped_memory_of_the_host: ["mem-leaked"]}


@pytest.mark.parametrize(("program", "ids"), PARTS.items(), ids=[each.__name__ for each in PARTS])
def test_what_goes_with_something_else_is_no_leak_of_its_own(program: Callable[[], None], ids: list[str]) -> None:
    """A default stream goes with its context, memory of the host that is mapped with its reservation (ours)."""
    assert [finding.id for finding in left(program)] == ids


@pytest.mark.parametrize("name", OBJECTS)
def test_one_finding_for_each_line(name: str) -> None:
    """How many, and where they were made (ours)."""
    make, _, id, words = OBJECTS[name]
    (finding,) = left(lambda: [make() for _ in range(3)])
    assert (finding.id, finding.level) == (id, "warning")
    assert words in finding.what
    assert len(finding.history) == 1
    assert ".py:" in finding.history[0].site


@pytest.mark.parametrize("name", OBJECTS)
def test_what_was_destroyed_is_not_left(name: str) -> None:
    """The good twin (ours)."""
    make, destroy, *_ = OBJECTS[name]

    def program() -> None:
        for _ in range(3):
            ok(destroy(make()))

    assert left(program) == []


def test_a_device_set_more_often_than_reset_is_found() -> None:
    """How many too many, and who set it first; the good twin resets as often (ours)."""
    with Machine() as machine:
        ok(aclInit(None))
        for _ in range(3):
            ok(aclrtSetDevice(0))
        ok(aclrtResetDevice(0))
    (finding,) = machine.findings
    assert (finding.id, finding.level) == ("device-not-reset", "warning")
    assert "aclrtSetDevice(0) was called twice more than aclrtResetDevice(0)" in finding.what
    assert [HERE in past.site for past in finding.history] == [True]
    with Machine() as machine:
        ok(aclInit(None))
        for call in (aclrtSetDevice, aclrtSetDevice, aclrtResetDevice, aclrtResetDevice):
            ok(call(0))
    assert machine.findings == []


def scalar() -> Any:
    return aclCreateScalar(bytes(4), ACL_FLOAT)


LISTS: dict[str, tuple[Callable[[], Any], Callable[..., Any], Callable[[Any], int]]] = {
    "tensor list": (lambda: meta([1]), aclCreateTensorList, aclDestroyTensorList),
    "scalar list": (scalar, aclCreateScalarList, aclDestroyScalarList),
}


@pytest.mark.parametrize("kind", LISTS)
def test_members_go_with_their_list(kind: str) -> None:
    """A list that is left behind is reported, its members are not: destroying it destroys them (ours)."""
    make, create, _ = LISTS[kind]
    (finding,) = left(lambda: create([make(), make()], 2))
    assert finding.id == "tensor-leaked"
    assert kind in finding.what


@pytest.mark.parametrize("kind", LISTS)
def test_a_destroyed_list_leaves_no_members(kind: str) -> None:
    """The good twin (ours)."""
    make, create, destroy = LISTS[kind]
    assert left(lambda: ok(destroy(create([make(), make()], 2)))) == []


def test_what_is_no_member_is_left_as_well() -> None:
    """A list, and a tensor that is in none (ours)."""

    def program() -> None:
        aclCreateTensorList([meta([1])], 1)
        meta([1])

    assert [(finding.id, finding.what.partition(" ")[0]) for finding in left(program)] == [
        ("tensor-leaked", "tensor")
    ] * 2
    assert sorted("tensor list" in finding.what for finding in left(program)) == [False, True]
