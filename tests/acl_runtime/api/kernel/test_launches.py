"""Launches of kernels by handle: statuses, arguments, place holders, configurations, captured launches (public)."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from ctypes import byref, c_uint32, c_uint64, c_void_p
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Kernel, Machine, Reads, Updates, Writes
from tests.helpers.builders import malloc
from tests.helpers.creating import create_stream
from tests.helpers.kernel_binaries import elf, function, load
from tests.helpers.machines import SCHEDULES, board
from tests.helpers.outcomes import assert_status, finding_of, ok

COUNT = 8
ADD = {
    "x": Reads(np.float32, "count"), "y": Reads(np.float32, "count"), "z": Writes(np.float32, "count"),
    "count": np.uint32,
}  # fmt: skip
BAD = ACL_ERROR_RT_PARAM_INVALID


def add(x: Any, y: Any, z: Any, count: int) -> None:
    z[:] = x + y


def double(launch: Any) -> None:
    """x *= 2, for the first float."""
    (x,) = launch.arguments[:1]
    launch.write(x, launch.read(x, 1, np.float32) * 2)


def address(pointer: c_void_p) -> int:
    return int(getattr(pointer, "value", pointer))


def filled(*values: float) -> int:
    data = np.array(values, np.float32)
    pointer = malloc(data.nbytes)
    ok(aclrtMemcpy(pointer, data.nbytes, data, data.nbytes, ACL_MEMCPY_HOST_TO_DEVICE))
    return address(pointer)


def kernel(name: str = "k") -> aclrtFuncHandle:
    return function(load(name), name)


def arguments(handle: aclrtFuncHandle, *values: Any) -> aclrtArgsHandle:
    """A complete list of these values of ctypes."""
    made = aclrtArgsHandle()
    ok(aclrtKernelArgsInit(handle, byref(made)))
    for value in values:
        ok(aclrtKernelArgsAppend(made, byref(value), ctypes.sizeof(value), byref(aclrtParamHandle())))
    ok(aclrtKernelArgsFinalize(made))
    return made


def config(*attributes: tuple[int, int]) -> aclrtLaunchKernelCfg:
    made = (aclrtLaunchKernelAttr * max(len(attributes), 1))()
    for each, (id, value) in zip(made, attributes, strict=False):
        each.id, each.value.localMemorySize = id, value
    return aclrtLaunchKernelCfg(made, len(attributes))


# the ways to launch


def by_list(handle: aclrtFuncHandle, stream: Any, values: list[Any]) -> int:
    return aclrtLaunchKernelWithConfig(handle, 1, stream, None, arguments(handle, *values), None)


def block(values: list[Any]) -> np.ndarray[Any, Any]:
    return np.frombuffer(b"".join(bytes(value).ljust(8, b"\0") for value in values), np.uint8).copy()


def by_host_block(handle: aclrtFuncHandle, stream: Any, values: list[Any]) -> int:
    raw = block(values)
    return aclrtLaunchKernelWithHostArgs(handle, 1, stream, None, raw, raw.nbytes, None, 0)


def by_array(handle: aclrtFuncHandle, stream: Any, values: list[Any]) -> int:
    return aclrtLaunchKernelWithArgsArray(handle, 1, stream, None, [byref(value) for value in values])


def in_device_memory(handle: aclrtFuncHandle, stream: Any, values: list[Any]) -> int:
    raw = block(values)
    pointer = malloc(raw.nbytes)
    ok(aclrtMemcpy(pointer, raw.nbytes, raw, raw.nbytes, ACL_MEMCPY_HOST_TO_DEVICE))
    assert aclrtLaunchKernelV2(handle, 0, pointer, raw.nbytes, None, stream) == BAD
    return aclrtLaunchKernel(handle, 1, pointer, raw.nbytes, stream)


WAYS = (by_list, by_host_block, by_array, in_device_memory)


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("launch", WAYS)
def test_a_kernel_with_a_signature_gets_arrays(launch: Callable[..., int], schedule: str) -> None:
    with board(schedule) as machine:
        machine.kernels["add"] = Kernel(add, ADD)
        x, y, z = filled(1, 2, 3), filled(10, 20, 30), address(malloc(12))
        stream, handle = create_stream(), kernel("add")
        ok(launch(handle, stream, [c_uint64(x), c_uint64(y), c_uint64(z), c_uint32(3)]))
        ok(aclrtSynchronizeStream(stream))
        assert machine.read(z, 3, np.float32).tolist() == [11.0, 22.0, 33.0]


def test_a_function_of_blocks(machine: Machine) -> None:
    """`x[b] += 1` for each block b."""

    def one(block: Any, x: Any) -> None:
        x[block.index] += 10 * block.count

    machine.kernels["k"] = Kernel(one, {"x": Updates(np.float32, "blocks")}, by_block=True)
    x, handle = filled(1, 2, 3, 4), kernel()
    ok(aclrtLaunchKernelWithConfig(handle, 3, None, None, arguments(handle, c_uint64(x)), None))
    ok(aclrtSynchronizeDevice())
    assert machine.read(x, 4, np.float32).tolist() == [31.0, 32.0, 33.0, 4.0]


def test_a_count_in_memory_and_a_null_pointer(machine: Machine) -> None:
    seen: list[Any] = []
    parameters = {"x": Reads(np.float32, "n"), "n": Reads(np.int32, 1), "bias": Reads(np.float32, 1)}
    machine.kernels["k"] = Kernel(lambda *values: seen.append(values), parameters)
    handle, made, place = kernel(), aclrtArgsHandle(), aclrtParamHandle()
    ok(aclrtKernelArgsInit(handle, byref(made)))
    ok(aclrtKernelArgsAppend(made, byref(c_uint64(filled(1, 2, 3))), 8, byref(aclrtParamHandle())))
    ok(aclrtKernelArgsAppendPlaceHolder(made, byref(place)))
    ok(aclrtKernelArgsAppend(made, byref(c_uint64(0)), 8, byref(aclrtParamHandle())))
    buffer = c_void_p()
    ok(aclrtKernelArgsGetPlaceHolderBuffer(made, place, 4, byref(buffer)))
    ctypes.c_int32.from_address(buffer.value or 0).value = 2
    ok(aclrtKernelArgsFinalize(made))
    ok(aclrtLaunchKernelWithConfig(handle, 1, None, None, made, None))
    ctypes.c_int32.from_address(buffer.value or 0).value = 3  # "arguments are copied before the call returns"
    used = machine.devices[0].memory.used
    ok(aclrtSynchronizeDevice())
    ((x, n, bias),) = seen
    assert (x.tolist(), n.tolist(), bias) == ([1.0, 2.0], [2], None)
    assert machine.devices[0].memory.used == used, "the data of place holders take no device memory"
    with pytest.raises(ValueError, match="read-only"):
        x[0] = 1


def test_place_holders_of_a_host_block(machine: Machine) -> None:
    """ "writes at addrOffset the device address of block + dataOffset"."""
    seen: list[Any] = []
    machine.kernels["k"] = lambda launch: seen.extend(launch.read(launch.arguments[1], 2, np.int32))
    raw = np.frombuffer(block([c_uint64(7), c_uint64(0)]).tobytes() + bytes([5, 0, 0, 0, 6, 0, 0, 0]), np.uint8)
    place = aclrtPlaceHolderInfo(8, 16)
    ok(aclrtLaunchKernelWithHostArgs(kernel(), 1, None, None, raw, raw.nbytes, byref(place), 1))
    ok(aclrtSynchronizeDevice())
    assert seen == [5, 6]


def test_the_list_of_a_thread_begins_anew(machine: Machine) -> None:
    """ "the next Init of the same thread reuses it and empties the earlier list"."""
    handle, one, two, old = kernel(), aclrtArgsHandle(), aclrtArgsHandle(), aclrtParamHandle()
    ok(aclrtKernelArgsInit(handle, byref(one)))
    ok(aclrtKernelArgsAppend(one, byref(c_uint64(1)), 8, byref(old)))
    ok(aclrtKernelArgsInit(handle, byref(two)))
    assert one == two
    assert_status(aclrtKernelArgsParaUpdate(two, old, byref(c_uint64(1)), 8), ACL_ERROR_RT_INVALID_HANDLE)


def test_an_argument_is_updated(machine: Machine) -> None:
    """ "Finalize must be called again"."""
    seen: list[tuple[int, ...]] = []
    machine.kernels["k"] = lambda launch: seen.append(launch.arguments)
    handle, made, parameter = kernel(), aclrtArgsHandle(), aclrtParamHandle()
    ok(aclrtKernelArgsInit(handle, byref(made)))
    ok(aclrtKernelArgsAppend(made, byref(c_uint32(1)), 4, byref(aclrtParamHandle())))
    ok(aclrtKernelArgsAppend(made, byref(c_uint64(2)), 8, byref(parameter)))
    for value in (2, 3):
        ok(aclrtKernelArgsParaUpdate(made, parameter, byref(c_uint64(value)), 8))
        status = aclrtLaunchKernelWithConfig(handle, 1, None, None, made, None)
        assert_status(status, BAD, "(EE1017)", "aclrtKernelArgsFinalize")
        ok(aclrtKernelArgsFinalize(made))
        ok(aclrtLaunchKernelWithConfig(handle, 1, None, None, made, None))
    ok(aclrtSynchronizeDevice())
    assert seen == [(1, 2), (1, 3)]


@pytest.mark.fidelity("argument lists in memory of the program")
def test_a_list_in_memory_of_the_program(machine: Machine) -> None:
    seen: list[int] = []
    machine.kernels["k"] = Kernel(lambda a, b: seen.extend((a, b)), {"a": np.int64, "b": np.int32})
    handle, sizes = kernel(), [c_uint64(), c_uint64()]
    ok(aclrtKernelArgsGetHandleMemSize(handle, byref(sizes[0])))
    ok(aclrtKernelArgsGetMemSize(handle, 12, byref(sizes[1])))
    memory = [ctypes.create_string_buffer(size.value) for size in sizes]
    made = aclrtArgsHandle(ctypes.addressof(memory[0]))
    for values in ((1, 2), (3, 4)):
        ok(aclrtKernelArgsInitByUserMem(handle, made, memory[1], sizes[1].value))
        for value, size in zip(values, (8, 4), strict=True):
            ok(aclrtKernelArgsAppend(made, byref(c_uint64(value)), size, byref(aclrtParamHandle())))
        status = aclrtKernelArgsAppend(made, byref(c_uint64(5)), 8, byref(aclrtParamHandle()))
        assert_status(status, BAD, "at most 2")
        ok(aclrtKernelArgsFinalize(made))
        ok(aclrtLaunchKernelWithConfig(handle, 1, None, None, made, None))
    ok(aclrtSynchronizeDevice())
    assert seen == [1, 2, 3, 4]


def test_the_buffers_of_place_holders_are_in_memory_of_the_program(machine: Machine) -> None:
    seen: list[int] = []
    machine.kernels["k"] = Kernel(
        lambda a, b: seen.extend((*a, *b)), {"a": Reads(np.int32, 1), "b": Reads(np.int32, 1)}
    )
    handle, memory, record = kernel(), np.zeros(64, np.uint8), np.zeros(1024, np.uint8)
    made = aclrtArgsHandle(record.ctypes.data)
    ok(aclrtKernelArgsInitByUserMem(handle, made, memory, memory.nbytes))
    places = [aclrtParamHandle(), aclrtParamHandle()]
    for place in places:
        ok(aclrtKernelArgsAppendPlaceHolder(made, byref(place)))
    for number, place in enumerate(places):
        buffer = c_void_p()
        ok(aclrtKernelArgsGetPlaceHolderBuffer(made, place, 4, byref(buffer)))
        start = (buffer.value or 0) - memory.ctypes.data
        assert 0 <= start <= memory.nbytes - 4
        memory[start : start + 4].view(np.int32)[0] = number + 5
    status = aclrtKernelArgsGetPlaceHolderBuffer(made, places[0], 64, byref(c_void_p()))
    assert_status(status, BAD, "dataSize")
    ok(aclrtKernelArgsFinalize(made))
    ok(aclrtLaunchKernelWithConfig(handle, 1, None, None, made, None))
    ok(aclrtSynchronizeDevice())
    assert seen == [5, 6]


@pytest.mark.fidelity("memory that a kernel's function does not access")
def test_memory_beside_an_access_counts_as_written(machine: Machine) -> None:
    """Two arguments in one allocation: the function accesses the first."""
    machine.kernels["k"] = Kernel(lambda x, y: None, {"x": Writes(np.float32, 4), "y": np.uint64})
    memory, host, handle = malloc(32), np.zeros(4, np.float32), kernel()
    ok(by_list(handle, None, [c_uint64(address(memory)), c_uint64(address(memory) + 16)]))
    ok(aclrtSynchronizeDevice())
    ok(aclrtMemcpy(host, 16, address(memory) + 16, 16, ACL_MEMCPY_DEVICE_TO_HOST))
    assert not machine.findings


def test_a_list_has_limits(machine: Machine) -> None:
    """At most 128 parameters and 64 KiB."""
    handle, made, out = kernel(), aclrtArgsHandle(), aclrtParamHandle()
    ok(aclrtKernelArgsInit(handle, byref(made)))
    for _ in range(128):
        ok(aclrtKernelArgsAppend(made, byref(c_uint64(1)), 8, byref(out)))
    assert_status(aclrtKernelArgsAppend(made, byref(c_uint64(1)), 8, byref(out)), BAD, "128")
    ok(aclrtKernelArgsInit(handle, byref(made)))
    large = np.zeros(64 * 1024 + 1, np.uint8)
    assert_status(aclrtKernelArgsAppend(made, large, large.nbytes, byref(out)), BAD, "65536")
    ok(aclrtKernelArgsAppend(made, large, large.nbytes - 1, byref(out)))
    assert_status(aclrtKernelArgsAppendPlaceHolder(made, byref(out)), BAD, "65536")


def test_the_arguments_of_the_ai_cpu_are_packed(machine: Machine) -> None:
    seen: list[bytes] = []
    machine.kernels["cpu"] = lambda launch: seen.append(launch.raw)
    option = (aclrtBinaryLoadOption * 1)()
    option[0].type, option[0].value.cpuKernelMode = 3, 2
    binary, handle = aclrtBinHandle(), aclrtFuncHandle()
    data = elf("other")
    ok(aclrtBinaryLoadFromData(data, len(data), byref(aclrtBinaryLoadOptions(option, 1)), byref(binary)))
    ok(aclrtRegisterCpuFunc(binary, "RunCpuKernel", "cpu", byref(handle)))
    made = arguments(handle, ctypes.c_uint8(1), ctypes.c_uint16(2), ctypes.c_uint8(3))
    ok(aclrtLaunchKernelWithConfig(handle, 1, None, None, made, None))
    ok(aclrtSynchronizeDevice())
    assert seen == [bytes([1, 2, 0, 3])]
    assert_status(aclrtLaunchKernelWithArgsArray(handle, 1, None, None, []), ACL_ERROR_RT_FEATURE_NOT_SUPPORT)


# refusals, in the order of the checks

NAMES = """
    aclrtKernelArgsInit aclrtKernelArgsInitByUserMem aclrtKernelArgsGetHandleMemSize aclrtKernelArgsGetMemSize
    aclrtKernelArgsAppend aclrtKernelArgsAppendPlaceHolder aclrtKernelArgsGetPlaceHolderBuffer
    aclrtKernelArgsParaUpdate aclrtKernelArgsFinalize aclrtLaunchKernelWithConfig
    aclrtLaunchKernelWithHostArgs aclrtLaunchKernelWithArgsArray aclrtLaunchKernel
    """.split()


def calls(handle: aclrtFuncHandle) -> dict[str, list[tuple[Callable[[], int], int, str]]]:
    """For each function: calls that break one check more each time, from the first check on."""
    memory, out, made, place = c_uint64(), aclrtParamHandle(), arguments(handle, c_uint64(1)), aclrtParamHandle()
    null, zero, args = None, c_void_p(), byref(c_uint64(1))
    fresh = aclrtArgsHandle()

    def again() -> aclrtArgsHandle:
        ok(aclrtKernelArgsInit(handle, byref(fresh)))
        ok(aclrtKernelArgsAppendPlaceHolder(fresh, byref(place)))
        ok(aclrtKernelArgsAppend(fresh, args, 8, byref(out)))
        return fresh

    invalid, dead, off = ACL_ERROR_INVALID_PARAM, ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_FEATURE_NOT_SUPPORT
    return {
        "aclrtKernelArgsInit": [
            (lambda: aclrtKernelArgsInit(null, null), invalid, "funcHandle"),
            (lambda: aclrtKernelArgsInit(handle, null), invalid, "argsHandle"),
            (lambda: aclrtKernelArgsInit(aclrtFuncHandle(64), byref(made)), dead, "funcHandle"),
        ],
        "aclrtKernelArgsInitByUserMem": [
            (lambda: aclrtKernelArgsInitByUserMem(null, null, null, 0), invalid, "funcHandle"),
            (lambda: aclrtKernelArgsInitByUserMem(handle, null, null, 0), invalid, "argsHandle"),
            (lambda: aclrtKernelArgsInitByUserMem(handle, made, null, 0), invalid, "userHostMem"),
            (lambda: aclrtKernelArgsInitByUserMem(handle, made, byref(memory), 0), invalid, "actualArgsSize"),
        ],
        "aclrtKernelArgsGetHandleMemSize": [
            (lambda: aclrtKernelArgsGetHandleMemSize(null, null), invalid, "funcHandle"),
            (lambda: aclrtKernelArgsGetHandleMemSize(handle, null), invalid, "memSize"),
        ],
        "aclrtKernelArgsGetMemSize": [
            (lambda: aclrtKernelArgsGetMemSize(null, 0, null), invalid, "funcHandle"),
            (lambda: aclrtKernelArgsGetMemSize(handle, 0, null), invalid, "actualArgsSize"),
        ],
        "aclrtKernelArgsAppend": [
            (lambda: aclrtKernelArgsAppend(null, null, 0, null), invalid, "argsHandle"),
            (lambda: aclrtKernelArgsAppend(made, null, 0, null), invalid, "param"),
            (lambda: aclrtKernelArgsAppend(made, args, 0, null), invalid, "paramSize"),
            (lambda: aclrtKernelArgsAppend(made, args, 8, null), invalid, "paramHandle"),
            (lambda: aclrtKernelArgsAppend(aclrtArgsHandle(64), args, 8, byref(out)), dead, "argsHandle"),
            (lambda: aclrtKernelArgsAppend(made, args, 8, byref(out)), off, "(EE1016)"),
        ],
        "aclrtKernelArgsAppendPlaceHolder": [
            (lambda: aclrtKernelArgsAppendPlaceHolder(null, null), invalid, "argsHandle"),
            (lambda: aclrtKernelArgsAppendPlaceHolder(made, null), invalid, "paramHandle"),
            (lambda: aclrtKernelArgsAppendPlaceHolder(made, byref(out)), off, "(EE1016)"),
        ],
        "aclrtKernelArgsGetPlaceHolderBuffer": [
            (lambda: aclrtKernelArgsGetPlaceHolderBuffer(null, null, 0, null), invalid, "argsHandle"),
            (lambda: aclrtKernelArgsGetPlaceHolderBuffer(again(), null, 0, null), invalid, "paramHandle"),
            (lambda: aclrtKernelArgsGetPlaceHolderBuffer(fresh, place, 0, null), invalid, "dataSize"),
            (lambda: aclrtKernelArgsGetPlaceHolderBuffer(fresh, place, 8, null), invalid, "bufferAddr"),
            (lambda: aclrtKernelArgsGetPlaceHolderBuffer(fresh, out, 8, byref(zero)), BAD, "a place holder"),
            (lambda: aclrtKernelArgsGetPlaceHolderBuffer(fresh, place, 65536, byref(zero)), BAD, "dataSize"),
            (lambda: aclrtKernelArgsGetPlaceHolderBuffer(fresh, place, 8, byref(zero)), 0, ""),
            (lambda: aclrtKernelArgsAppend(fresh, args, 8, byref(out)), off, "place holder"),
            (lambda: aclrtKernelArgsFinalize(fresh), 0, ""),
            (lambda: aclrtKernelArgsGetPlaceHolderBuffer(fresh, place, 8, byref(zero)), off, "complete"),
        ],
        "aclrtKernelArgsParaUpdate": [
            (lambda: aclrtKernelArgsParaUpdate(null, null, null, 0), invalid, "argsHandle"),
            (lambda: aclrtKernelArgsParaUpdate(again(), null, null, 0), invalid, "paramHandle"),
            (lambda: aclrtKernelArgsParaUpdate(fresh, place, null, 0), invalid, "param"),
            (lambda: aclrtKernelArgsParaUpdate(fresh, place, args, 0), invalid, "paramSize"),
            (lambda: aclrtKernelArgsParaUpdate(fresh, aclrtParamHandle(64), args, 8), dead, "paramHandle"),
            (lambda: aclrtKernelArgsParaUpdate(fresh, place, args, 8), BAD, "no place holder"),
            (lambda: aclrtKernelArgsParaUpdate(fresh, out, args, 4), BAD, "paramSize"),
        ],
        "aclrtKernelArgsFinalize": [
            (lambda: aclrtKernelArgsFinalize(null), invalid, "argsHandle"),
            (lambda: aclrtKernelArgsFinalize(aclrtArgsHandle(64)), dead, "argsHandle"),
        ],
        "aclrtLaunchKernelWithConfig": [
            (lambda: aclrtLaunchKernelWithConfig(null, 0, null, null, null, 1), invalid, "funcHandle"),
            (lambda: aclrtLaunchKernelWithConfig(handle, 0, null, null, null, 1), invalid, "numBlocks"),
            (lambda: aclrtLaunchKernelWithConfig(handle, 1, null, null, null, 1), invalid, "argsHandle"),
            (lambda: aclrtLaunchKernelWithConfig(handle, 1, null, null, made, 1), invalid, "reserve"),
        ],
        "aclrtLaunchKernelWithHostArgs": [
            (lambda: aclrtLaunchKernelWithHostArgs(null, 0, null, null, null, 0, null, 1), invalid, "funcHandle"),
            (lambda: aclrtLaunchKernelWithHostArgs(handle, 0, null, null, null, 0, null, 1), invalid, "hostArgs"),
            (lambda: aclrtLaunchKernelWithHostArgs(handle, 0, null, null, args, 8, null, 1), BAD, "numBlocks"),
            (lambda: aclrtLaunchKernelWithHostArgs(handle, 1, null, null, args, 0, null, 1), BAD, "argsSize"),
            (lambda: aclrtLaunchKernelWithHostArgs(handle, 1, null, null, args, 8, null, 1), BAD, "placeHolderArray"),
            (
                lambda: aclrtLaunchKernelWithHostArgs(
                    handle, 1, null, null, args, 8, byref(aclrtPlaceHolderInfo(8, 0)), 1
                ),
                BAD,
                "addrOffset",
            ),
            (
                lambda: aclrtLaunchKernelWithHostArgs(
                    handle, 1, null, null, args, 8, byref(aclrtPlaceHolderInfo(0, 8)), 1
                ),
                BAD,
                "dataOffset",
            ),
        ],
        "aclrtLaunchKernelWithArgsArray": [
            (lambda: aclrtLaunchKernelWithArgsArray(null, 0, null, null, null), invalid, "func"),
            (lambda: aclrtLaunchKernelWithArgsArray(handle, 0, null, null, null), invalid, "numBlocks"),
            (lambda: aclrtLaunchKernelWithArgsArray(handle, 1, null, null, null), BAD, "Kernel(...)"),
        ],
        "aclrtLaunchKernel": [
            (lambda: aclrtLaunchKernel(null, 0, null, 0, null), invalid, "funcHandle"),
            (lambda: aclrtLaunchKernel(handle, 0, null, 0, null), invalid, "argsData"),
            (lambda: aclrtLaunchKernel(handle, 0, filled(1), 0, null), BAD, "numBlocks"),
            (lambda: aclrtLaunchKernel(handle, 1, filled(1), 0, null), BAD, "argsSize"),
        ],
    }


@pytest.mark.parametrize("name", NAMES)
def test_refusals_in_their_order(machine: Machine, name: str) -> None:
    assert list(calls(kernel())) == NAMES
    for call, status, word in calls(kernel())[name]:
        if status:
            assert_status(call(), status, word)
        else:
            ok(call())
    assert not machine.tasks


@pytest.mark.fidelity("configurations of launches")
@pytest.mark.parametrize(
    ("attributes", "good"),
    [
        ((), True), (((1, 2),), True), (((1, 3),), False), (((5, 1), (6, 1), (9, 1)), True), (((5, 2),), False),
        (((6, 2),), False), (((9, 2),), False), (((7, 5),), True), (((8, 5),), True), (((7, 5), (8, 5)), False),
        (((2, 9), (3, 1), (4, 7), (77, 5)), True),
    ],
)  # fmt: skip
def test_configurations(machine: Machine, attributes: tuple[tuple[int, int], ...], good: bool) -> None:
    """ "unknown ids ignored"; ids 7 and 8 exclude each other."""
    machine.kernels["k"] = print
    handle, raw = kernel(), c_uint64(1)
    status = aclrtLaunchKernelWithHostArgs(handle, 1, None, byref(config(*attributes)), byref(raw), 8, None, 0)
    assert status == (ACL_SUCCESS if good else BAD)
    ok(aclrtSynchronizeDevice())
    status = aclrtLaunchKernelWithHostArgs(
        handle, 1, None, byref(aclrtLaunchKernelCfg(None, 1)), byref(raw), 8, None, 0
    )
    assert_status(status, BAD, "cfg->attrs")


def test_a_mixed_kernel_on_310p_needs_two_attributes() -> None:
    with Machine(soc="Ascend310P3") as machine:
        aclrtSetDevice(0)
        machine.kernels["mixed"] = machine.kernels["plain"] = print
        binary, raw = load("mixed_mix_aic", "mixed_mix_aiv", "plain"), c_uint64(1)
        for name, attributes, status in (
            ("plain", (), ACL_SUCCESS), ("mixed", (), BAD), ("mixed", ((3, 0),), BAD),
            ("mixed", ((3, 0), (4, 0)), ACL_SUCCESS),
        ):  # fmt: skip
            cfg = byref(config(*attributes))
            handle = function(binary, name)
            assert aclrtLaunchKernelWithHostArgs(handle, 1, None, cfg, byref(raw), 8, None, 0) == status


def test_dead_kernels_and_streams(machine: Machine) -> None:
    binary, raw, stream = load("k"), c_uint64(1), create_stream()
    handle = function(binary, "k")
    ok(aclrtDestroyStream(stream))
    status = aclrtLaunchKernelWithHostArgs(handle, 1, stream, None, byref(raw), 8, None, 0)
    assert_status(status, ACL_ERROR_RT_INVALID_HANDLE, "stream 1")
    ok(aclrtBinaryUnLoad(binary))
    status = aclrtLaunchKernelWithHostArgs(handle, 1, None, None, byref(raw), 8, None, 0)
    assert_status(status, ACL_ERROR_RT_INVALID_HANDLE, "kernel function 1")


# checks


@pytest.mark.finds("kernel-arguments")
@pytest.mark.parametrize("launch", [by_list, by_host_block, in_device_memory])
def test_arguments_are_checked_against_the_signature(launch: Callable[..., int]) -> None:
    with Machine(on_undefined="report") as machine:
        aclrtSetDevice(0)
        machine.kernels["add"] = Kernel(add, ADD)
        ok(launch(kernel("add"), None, [c_uint64(filled(1)), c_uint64(filled(2))]))
        assert aclrtSynchronizeDevice() == ACL_ERROR_RT_AICORE_EXCEPTION
        (found,) = [each for each in machine.findings if each.level == "error"]
        assert found.id == "kernel-arguments"
        assert "passes 16 bytes" in found.what
        assert "takes 32 bytes: x (8), y (8), z (8), count (4)" in found.what


def test_declared_accesses_are_checked(machine: Machine) -> None:
    machine.kernels["add"] = Kernel(add, ADD)
    x, y, z, handle = filled(1, 2), filled(3), filled(4, 5), kernel("add")
    ok(by_list(handle, None, [c_uint64(x), c_uint64(y), c_uint64(z), c_uint32(2)]))
    id, text = finding_of(aclrtSynchronizeDevice)
    assert (id, "y of add" in text) == ("memcpy-size", True)


def test_a_kernel_on_mapped_memory_of_the_host(machine: Machine) -> None:
    """Its writes are no changes by the host."""
    machine.kernels["k"] = double
    host, place, handle = np.array([1], np.float32), c_void_p(), kernel()
    ok(aclrtHostRegister(host, 4, ACL_HOST_REGISTER_MAPPED, byref(place)))
    ok(by_list(handle, None, [c_uint64(place.value or 0)]))
    ok(aclrtSynchronizeDevice())
    assert host[0] == 2
    assert not machine.findings
    ok(aclrtHostUnregister(host))


@pytest.mark.finds("uninit-read")
def test_a_read_of_memory_that_nobody_wrote(machine: Machine) -> None:
    machine.kernels["add"] = Kernel(add, ADD)
    x, y, z, handle = filled(1, 2), address(malloc(8)), filled(4, 5), kernel("add")
    ok(by_list(handle, None, [c_uint64(x), c_uint64(y), c_uint64(z), c_uint32(2)]))
    ok(aclrtSynchronizeDevice())
    assert "uninit-read" in [each.id for each in machine.findings]


@pytest.mark.fidelity("memory that a kernel's function does not access")
@pytest.mark.parametrize("replaced", [True, False])
def test_memory_that_is_not_declared_counts_as_written(replaced: bool) -> None:
    with Machine() as machine:
        aclrtSetDevice(0)
        if replaced:
            machine.kernels["k"] = Kernel(lambda out: None, {"out": np.uint64})
        out, host = malloc(16), np.zeros(4, np.float32)
        ok(by_list(kernel(), None, [c_uint64(address(out))]))
        assert aclrtSynchronizeDevice() == (0 if replaced else ACL_ERROR_RT_AICORE_EXCEPTION)
        ok(aclrtMemcpy(host, 16, out, 16, ACL_MEMCPY_DEVICE_TO_HOST))
        assert "uninit-read" not in [each.id for each in machine.findings]


@pytest.mark.fidelity("a trap of a device kernel")
@pytest.mark.parametrize(("soc", "status"), [("Ascend910B1", 507035), ("Ascend310P3", 507015), ("Ascend910A", 507015)])
def test_a_trap_fails_the_task(soc: str, status: int) -> None:
    with Machine(soc=soc) as machine:
        aclrtSetDevice(0)
        machine.kernels["k"] = lambda launch: launch.fail()
        ok(by_list(kernel(), None, [c_uint64(1)]))
        assert_status(aclrtSynchronizeDevice(), status, "the device kernel k ended in a trap")


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("second", ["kernel", "memset", "host"])
def test_accesses_that_nothing_orders_are_a_race(schedule: str, second: str) -> None:
    """Of two kernels, of a kernel and another task, and of a kernel and the host."""
    with board(schedule) as machine:
        machine.kernels["k"] = Kernel(lambda x: None, {"x": Updates(np.float32, 2)})
        memory, one, other, handle = filled(1, 2), create_stream(), create_stream(), kernel()

        def run() -> None:
            ok(by_list(handle, one, [c_uint64(memory)]))
            if second == "kernel":
                ok(by_list(handle, other, [c_uint64(memory)]))
            elif second == "memset":
                ok(aclrtMemsetAsync(memory, 8, 0, 8, other))
            else:
                ok(aclrtMemcpy(np.zeros(2, np.float32), 8, memory, 8, ACL_MEMCPY_DEVICE_TO_HOST))
            ok(aclrtSynchronizeStream(other))
            ok(aclrtSynchronizeStream(one))

        assert finding_of(run)[0] == ("read-before-sync" if second == "host" else "xstream-race")
        aclrtSynchronizeDevice()


@pytest.mark.fidelity("exception information about kernels")
@pytest.mark.parametrize("launch", [by_list, in_device_memory])
def test_an_exception_callback_gets_kernel_and_arguments(machine: Machine, launch: Callable[..., int]) -> None:
    seen: list[Any] = []

    def callback(info: Any) -> None:
        address, size, failed = c_void_p(), c_uint32(), aclrtFuncHandle()
        ok(aclrtGetArgsFromExceptionInfo(info, byref(address), byref(size)))
        ok(aclrtGetFuncHandleFromExceptionInfo(info, byref(failed)))
        seen.extend(
            (machine.read(address, size.value, np.uint8).tobytes(), failed, aclrtGetTaskIdFromExceptionInfo(info))
        )

    machine.kernels["k"] = lambda launched: launched.fail()
    handle, last, stream = kernel(), c_uint32(), create_stream()
    ok(aclrtGetThreadLastTaskId(byref(last)))
    assert last.value == 0xFFFF_FFFF
    ok(aclrtExceptionInfoCallbackRegister(callback))
    ok(launch(handle, stream, [c_uint64(7), c_uint64(8)]))
    ok(aclrtGetThreadLastTaskId(byref(last)))
    assert aclrtSynchronizeStream(stream) == ACL_ERROR_RT_VECTOR_CORE_EXCEPTION
    assert seen == [block([c_uint64(7), c_uint64(8)]).tobytes(), handle, last.value]
    assert_status(aclrtGetThreadLastTaskId(None), ACL_ERROR_INVALID_PARAM, "taskId")
    assert aclrtGetArgsFromExceptionInfo(None, None, None) == -1
    assert aclrtGetFuncHandleFromExceptionInfo(None, None) == -1


@pytest.mark.fidelity("exception information about kernels")
def test_the_failure_of_an_operator_has_no_arguments(machine: Machine) -> None:
    seen: list[Any] = []

    def callback(info: Any) -> None:
        place, size, failed = byref(c_void_p()), byref(c_uint32()), aclrtFuncHandle(5)
        seen.append(aclrtGetArgsFromExceptionInfo(info, None, size))
        seen.append(aclrtGetArgsFromExceptionInfo(info, place, size))
        seen.append(aclrtGetFuncHandleFromExceptionInfo(info, None))
        seen.append(aclrtGetFuncHandleFromExceptionInfo(info, byref(failed)))
        seen.append(bool(failed))

    machine.fail("aclrtMemsetAsync", device=True)
    ok(aclrtExceptionInfoCallbackRegister(callback))
    ok(aclrtMemsetAsync(malloc(4), 4, 0, 4, None))
    assert aclrtSynchronizeDevice() != 0
    assert seen == [ACL_ERROR_INVALID_PARAM, -1, ACL_ERROR_INVALID_PARAM, BAD, False]


def test_a_kernel_takes_simulated_time(machine: Machine) -> None:
    machine.kernels["k"] = Kernel(lambda x: None, {"x": np.uint64}, microseconds=2e6)
    stream = create_stream()
    ok(by_list(kernel(), stream, [c_uint64(1)]))
    assert aclrtSynchronizeStreamWithTimeout(stream, 1000) == ACL_ERROR_RT_STREAM_SYNC_TIMEOUT
    ok(aclrtSynchronizeStream(stream))
    assert machine.clock.now >= 2e6


# captures


def test_a_captured_launch_runs_at_each_execution(machine: Machine) -> None:
    machine.kernels["k"] = double
    x, stream, model, handle = filled(1), create_stream(), aclmdlRI(), kernel()
    ok(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL))
    ok(by_list(handle, stream, [c_uint64(x)]))
    ok(aclmdlRICaptureEnd(stream, byref(model)))
    for _ in range(3):
        ok(aclmdlRIExecuteAsync(model, stream))
    ok(aclrtSynchronizeStream(stream))
    assert machine.read(x, 1, np.float32)[0] == 8
    ok(aclmdlRIDestroy(model))


def test_place_holders_stay_for_each_execution(machine: Machine) -> None:
    seen: list[int] = []
    machine.kernels["k"] = Kernel(lambda n: seen.append(int(n[0])), {"n": Reads(np.int32, 1)})
    stream, model, handle, made, place = create_stream(), aclmdlRI(), kernel(), aclrtArgsHandle(), aclrtParamHandle()
    ok(aclrtKernelArgsInit(handle, byref(made)))
    ok(aclrtKernelArgsAppendPlaceHolder(made, byref(place)))
    buffer = c_void_p()
    ok(aclrtKernelArgsGetPlaceHolderBuffer(made, place, 4, byref(buffer)))
    ctypes.c_int32.from_address(buffer.value or 0).value = 9
    ok(aclrtKernelArgsFinalize(made))
    ok(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL))
    ok(aclrtLaunchKernelWithConfig(handle, 1, stream, None, made, None))
    ok(aclmdlRICaptureEnd(stream, byref(model)))
    for _ in range(2):
        ok(aclmdlRIExecuteAsync(model, stream))
    ok(aclrtSynchronizeStream(stream))
    assert seen == [9, 9]
    ok(aclmdlRIDestroy(model))


def test_an_update_of_a_task_group_replaces_the_arguments(machine: Machine) -> None:
    machine.kernels["k"] = double
    x, y = filled(1), filled(1)
    stream, other, model, group, handle = create_stream(), create_stream(), aclmdlRI(), aclrtTaskGrp(), kernel()
    ok(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL))
    ok(aclmdlRICaptureTaskGrpBegin(stream))
    ok(by_list(handle, stream, [c_uint64(x)]))
    ok(aclmdlRICaptureTaskGrpEnd(stream, byref(group)))
    ok(aclmdlRICaptureEnd(stream, byref(model)))
    ok(aclmdlRIExecuteAsync(model, stream))
    ok(aclrtSynchronizeStream(stream))
    ok(aclmdlRICaptureTaskUpdateBegin(other, group))
    ok(by_list(handle, other, [c_uint64(y)]))
    ok(aclmdlRICaptureTaskUpdateEnd(other))
    ok(aclrtSynchronizeStream(other))
    ok(aclmdlRIExecuteAsync(model, stream))
    ok(aclrtSynchronizeStream(stream))
    assert [machine.read(each, 1, np.float32)[0] for each in (x, y)] == [2, 2]
    ok(aclmdlRIDestroy(model))


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_arguments_in_no_device_memory_fail_the_task(schedule: str) -> None:
    with board(schedule, on_undefined="report"):
        values, stream, handle = np.zeros(8, np.uint8), create_stream(), function(load("k"), "k")
        ok(aclrtLaunchKernel(handle, 1, values, 8, stream))
        assert_status(aclrtSynchronizeStream(stream), ACL_ERROR_RT_AICORE_EXCEPTION, "where no device memory is")
