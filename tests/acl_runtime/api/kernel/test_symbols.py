"""Variables of compiled-in kernels, by the host addresses that stand for them (public, and ours where marked)."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import byref, c_uint64, c_void_p
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.api.kernel.compiled_in import register_again, register_variable
from acl_runtime.objects.binaries import Binary, CompiledIn
from tests.helpers.builders import malloc
from tests.helpers.creating import create_stream, pinned
from tests.helpers.kernel_binaries import register
from tests.helpers.machines import SCHEDULES, board
from tests.helpers.outcomes import assert_status, finding_of, ok

SYMBOL, STUB = 0x5000, 0x4000
FIRST = np.array([1, 2, 3, 4], np.int32)
H2D, D2H, DEFAULT = ACL_MEMCPY_HOST_TO_DEVICE, ACL_MEMCPY_DEVICE_TO_HOST, ACL_MEMCPY_DEFAULT


def variable(machine: Machine) -> c_void_p:
    """Register a binary whose kernel `k` has the variable `v` of four integers. Returns the handle of the binary."""
    handle = register(STUB, "k")
    binary = machine.handles.find(handle.value or 0, Binary)
    assert binary is not None
    register_variable(machine, binary, SYMBOL, "v", FIRST.tobytes())
    return handle


def read() -> list[int]:
    """The value of the variable on the current device."""
    values = np.zeros(4, np.int32)
    ok(aclrtMemcpyFromSymbol(values, SYMBOL, 16, 0, D2H))
    return values.tolist()


def add_sum(launch: Any) -> None:
    """v[0] = sum(v)"""
    address = launch.variable("v")
    launch.write(address, launch.read(address, 4, np.int32).sum(keepdims=True, dtype=np.int32))


def test_a_variable_has_its_first_value_on_each_device() -> None:
    with Machine(device_count=2) as machine:
        variable(machine)
        places: list[int] = []
        for device, first in ((0, 1), (1, 1), (0, 9)):
            ok(aclrtSetDevice(device))
            place, size = c_void_p(), c_uint64()
            ok(aclrtGetSymbolAddress(SYMBOL, byref(place)))
            ok(aclrtGetSymbolSize(SYMBOL, byref(size)))
            assert size.value == 16
            assert machine.read(place, 4, np.int32).tolist() == [first, 2, 3, 4]
            places.append(place.value or 0)
            ok(aclrtMemcpyToSymbol(SYMBOL, np.int32([9]), 4, 0, H2D))
        assert places[0] == places[2] != places[1]
        assert machine.devices[0].memory.used == 0


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_kernel_and_queued_copies_use_a_variable_in_the_order_of_the_stream(schedule: str) -> None:
    with board(schedule) as machine:
        variable(machine)
        machine.kernels["k"] = add_sum
        stream, (host, floats) = create_stream(), pinned(np.zeros(3, np.float32))
        words = floats.view(np.int32)
        words[:2] = 10, 20
        ok(aclrtMemcpyToSymbolAsync(SYMBOL, host, 8, 8, H2D, stream))
        assert rtKernelLaunch(STUB, 1, None, 0, None, stream) == ACL_SUCCESS
        ok(aclrtMemcpyFromSymbolAsync(host + 8, SYMBOL, 4, 0, DEFAULT, stream))
        ok(aclrtSynchronizeStream(stream))
        assert words[2] == 33
        assert read() == [33, 2, 10, 20]


def test_a_copy_from_the_device(machine: Machine) -> None:
    """ACL_MEMCPY_DEFAULT leaves the direction to the addresses."""
    variable(machine)
    memory = malloc(8)
    ok(aclrtMemcpy(memory, 8, np.int32([7, 8]), 8, H2D))
    ok(aclrtMemcpyToSymbol(SYMBOL, memory, 8, 4, DEFAULT))
    assert read() == [1, 7, 8, 4]


def test_two_kernels_that_nothing_orders_race_for_a_variable(machine: Machine) -> None:
    variable(machine)
    machine.kernels["k"] = add_sum
    for _ in range(2):
        assert rtKernelLaunch(STUB, 1, None, 0, None, create_stream()) == ACL_SUCCESS
    assert finding_of(aclrtSynchronizeDevice)[0] == "xstream-race"


def test_a_kernel_without_the_variable(machine: Machine) -> None:
    variable(machine)
    machine.kernels["k"] = lambda launch: launch.variable("w")
    assert rtKernelLaunch(STUB, 1, None, 0, None, None) == ACL_SUCCESS
    finding = finding_of(aclrtSynchronizeDevice)
    assert finding[0] == "kernel-raised"
    assert "the binary of k has no variable w" in finding[1]


COPIES: dict[str, Callable[..., int]] = {
    "to": lambda symbol, other, count, offset, kind: aclrtMemcpyToSymbol(symbol, other, count, offset, kind or H2D),
    "to, queued": lambda symbol, other, count, offset, kind: aclrtMemcpyToSymbolAsync(
        symbol, other, count, offset, kind or H2D, None
    ),
    "from": lambda symbol, other, count, offset, kind: aclrtMemcpyFromSymbol(other, symbol, count, offset, kind or D2H),
    "from, queued": lambda symbol, other, count, offset, kind: aclrtMemcpyFromSymbolAsync(
        other, symbol, count, offset, kind or D2H, None
    ),
}


@pytest.mark.parametrize("name", COPIES)
def test_checks_of_copies(machine: Machine, name: str) -> None:
    """ "count 0 -> 0 before any other check; nulls; kind other than the matching direction or DEFAULT 100000; look-up;
    offset + count beyond the symbol 100000"."""
    variable(machine)
    call, memory = COPIES[name], np.zeros(4, np.int32)
    other = "src" if name.startswith("to") else "dst"
    invalid = ACL_ERROR_INVALID_PARAM
    ok(call(None, None, 0, 99, 77))
    assert_status(call(None, None, 4, 99, 77), invalid, "symbol" if other == "src" else "dst")
    assert_status(call(None, memory, 4, 99, 77), invalid, "symbol")
    assert_status(call(1, None, 4, 99, 77), invalid, other)
    for kind in (77, ACL_MEMCPY_DEVICE_TO_DEVICE, D2H if other == "src" else H2D):
        assert_status(call(1, memory, 4, 99, kind), invalid, "kind")
    assert_status(call(1, memory, 4, 99, 0), ACL_ERROR_RT_INVALID_SYMBOL, "0x1")
    assert_status(call(SYMBOL, memory, 4, 13, 0), invalid, "offset + count", "16")
    ok(call(SYMBOL, memory, 4, 12, 0))


def test_checks_of_queries(machine: Machine) -> None:
    place, size = byref(c_void_p()), byref(c_uint64())
    for call, out in ((aclrtGetSymbolAddress, place), (aclrtGetSymbolSize, size)):
        assert_status(call(None, None), ACL_ERROR_INVALID_PARAM, "symbol")
        assert_status(call(SYMBOL, None), ACL_ERROR_INVALID_PARAM, "devPtr" if out is place else "size")
        assert_status(call(SYMBOL, out), ACL_ERROR_RT_INVALID_SYMBOL, "0x5000")


@pytest.mark.fidelity("variables of compiled-in kernels")
def test_statuses_of_addresses_without_a_variable(machine: Machine) -> None:
    """An address that stands for a kernel is no symbol (107043); the variable of an unloaded binary is not found
    (107042)."""
    binary, size = variable(machine), byref(c_uint64())
    assert_status(aclrtGetSymbolSize(STUB, size), ACL_ERROR_RT_INVALID_SYMBOL, "0x4000")
    assert rtDevBinaryUnRegister(binary) == ACL_SUCCESS
    assert_status(aclrtGetSymbolSize(SYMBOL, size), ACL_ERROR_RT_SYMBOL_NOT_FOUND, "variable v was unloaded")
    variable(machine)  # the address is free again
    ok(aclrtGetSymbolSize(SYMBOL, size))


@pytest.mark.fidelity("variables of compiled-in kernels")
def test_an_address_on_a_device_needs_a_context() -> None:
    with Machine() as machine:
        variable(machine)
        ok(aclrtGetSymbolSize(SYMBOL, byref(c_uint64())))
        assert aclrtGetSymbolAddress(SYMBOL, byref(c_void_p())) == ACL_ERROR_RT_CONTEXT_NULL
        assert aclrtMemcpyToSymbol(SYMBOL, FIRST, 4, 0, H2D) == ACL_ERROR_RT_CONTEXT_NULL


def test_another_machine_of_the_process_has_the_variables_too() -> None:
    """Static constructors register them only once."""
    with Machine() as machine:
        variable(machine)
        old = machine.part(CompiledIn)
    with Machine() as machine:
        register_again(machine, old)
        ok(aclrtSetDevice(0))
        assert read() == FIRST.tolist()
        ok(aclrtResetDevice(0))


def test_a_device_that_was_reset_has_the_variable_again(machine: Machine) -> None:
    variable(machine)
    assert read() == FIRST.tolist()
    ok(aclrtResetDevice(0))
    ok(aclrtSetDevice(0))
    assert read() == FIRST.tolist()
