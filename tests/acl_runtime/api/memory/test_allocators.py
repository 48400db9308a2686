"""Allocators of the program: descriptions and registrations; nothing here calls their functions."""

from __future__ import annotations

import ctypes
from ctypes import CFUNCTYPE, byref, c_void_p

import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.acl_runtime.api.product_families import described
from tests.helpers.outcomes import assert_status, finding_of, ok

STREAM = 0x1234
"""any number: "the stream pointer is only a map key" """


def ask(stream: int = STREAM) -> tuple[int, list[c_void_p]]:
    """The status, and the outputs: description, object, the functions."""
    outs = [aclrtAllocatorDesc(), aclrtAllocator(), *(c_void_p() for _ in range(4))]
    return aclrtAllocatorGetByStream(stream, *map(byref, outs)), outs  # type: ignore[arg-type]


@pytest.mark.fidelity("allocators of the program")
def test_the_last_registration_of_a_stream_wins(machine: Machine) -> None:
    first, second = described(), described()
    ok(aclrtAllocatorSetObjToDesc(second, 2))
    ok(aclrtAllocatorRegister(STREAM, first))
    ok(aclrtAllocatorRegister(STREAM, second))
    ok(aclrtAllocatorDestroyDesc(second))
    status, outs = ask()
    ok(status)
    assert [bool(out) for out in outs] == [True, True, True, True, False, True]
    assert (outs[0], outs[1].value) == (second, 2)
    ok(aclrtAllocatorUnregister(STREAM))
    ok(aclrtAllocatorUnregister(STREAM))
    assert_status(ask()[0], ACL_ERROR_INVALID_PARAM)


def test_the_functions_come_back_as_they_were(machine: Machine) -> None:
    made, called = described(), list[int]()
    alloc = CFUNCTYPE(c_void_p, c_void_p, ctypes.c_size_t)(lambda allocator, size: called.append(size) or 7)
    ok(aclrtAllocatorSetAllocFuncToDesc(made, alloc))
    ok(aclrtAllocatorSetAllocAdviseFuncToDesc(made, lambda allocator, size, addr: addr))
    ok(aclrtAllocatorRegister(STREAM, made))
    _, outs = ask()
    assert outs[2].value == ctypes.cast(alloc, c_void_p).value
    advise = CFUNCTYPE(c_void_p, c_void_p, ctypes.c_size_t, c_void_p)(outs[4].value or 0)
    assert advise(1, 2, 99) == 99
    assert called == []


def test_refusals_are_100000(machine: Machine) -> None:
    made, function = aclrtAllocatorCreateDesc(), print
    for status in (
        aclrtAllocatorDestroyDesc(None),
        aclrtAllocatorSetObjToDesc(None, 1),
        aclrtAllocatorSetObjToDesc(made, None),
        aclrtAllocatorSetAllocFuncToDesc(None, function),
        aclrtAllocatorSetAllocFuncToDesc(made, None),
        aclrtAllocatorSetFreeFuncToDesc(made, None),
        aclrtAllocatorSetAllocAdviseFuncToDesc(made, None),
        aclrtAllocatorSetGetAddrFromBlockFuncToDesc(made, None),
        aclrtAllocatorRegister(None, made),
        aclrtAllocatorRegister(STREAM, None),
        aclrtAllocatorRegister(STREAM, made),
        aclrtAllocatorUnregister(None),
        aclrtAllocatorGetByStream(STREAM, None, None, None, None, None, None),
        aclrtAllocatorGetByStream(None, byref(aclrtAllocatorDesc()), None, None, None, None, None),
        ask()[0],
    ):
        assert_status(status, ACL_ERROR_INVALID_PARAM)


def test_a_dead_description_is_found(machine: Machine) -> None:
    made = described()
    ok(aclrtAllocatorDestroyDesc(made))
    assert finding_of(lambda: aclrtAllocatorRegister(STREAM, made))[0] == "dead-handle"
