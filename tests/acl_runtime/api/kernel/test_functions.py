"""Binaries of files and of host memory, and what a program can ask about their kernels (public)."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Callable
from ctypes import byref, c_int64, c_uint64, c_void_p
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Kernel, Machine, Reads
from acl_runtime.objects.elf import is_library, variables
from tests.acl_runtime.api.kernel.test_binaries import options
from tests.helpers.kernel_binaries import elf, function, load, register
from tests.helpers.outcomes import assert_status, finding_of, ok

INVALID, BAD, DEAD = ACL_ERROR_INVALID_PARAM, ACL_ERROR_RT_PARAM_INVALID, ACL_ERROR_RT_INVALID_HANDLE
LAZY, MAGIC, CPU_MODE = 1, 2, 3


def of_the_ai_cpu(name: str = "cpu") -> tuple[aclrtBinHandle, aclrtFuncHandle]:
    data, binary, handle = elf("k"), aclrtBinHandle(), aclrtFuncHandle()
    ok(aclrtBinaryLoadFromData(data, len(data), byref(options((CPU_MODE, 2))), byref(binary)))
    ok(aclrtRegisterCpuFunc(binary, "RunCpuKernel", name, byref(handle)))
    return binary, handle


# files


def test_a_binary_of_a_file(tmp_path: Path) -> None:
    """No context is needed."""
    path, binary = tmp_path / "kernels.o", aclrtBinHandle()
    path.write_bytes(elf("add_custom"))
    with Machine():
        ok(aclrtBinaryLoadFromFile(str(path), None, byref(binary)))
        assert function(binary, "add_custom")


@pytest.mark.parametrize(
    ("content", "chosen", "words"),
    [
        (None, (), ("(EE1012)", "kernels.o", "cannot be read")),
        (b"text", (), ("an ELF file",)),
        (b"", (), ("an ELF file",)),
        (elf("k"), ((LAZY, 2),), ("0 or 1",)),
        (elf("k"), ((MAGIC, ACL_RT_BINARY_MAGIC_ELF_AICORE),), (".type",)),
        (elf("k"), ((CPU_MODE, 2),), ("0 or 1",)),
    ],
)
def test_files_that_are_refused(
    machine: Machine, tmp_path: Path, content: bytes | None, chosen: tuple[tuple[int, int], ...], words: tuple[str, ...]
) -> None:
    path, binary = tmp_path / "kernels.o", aclrtBinHandle()
    if content is not None:
        path.write_bytes(content)
    status = aclrtBinaryLoadFromFile(str(path), byref(options(*chosen)), byref(binary))
    assert_status(status, BAD, *words)
    assert not binary


def test_a_folder_and_a_device_are_no_binaries(machine: Machine, tmp_path: Path) -> None:
    for path in (str(tmp_path), "/dev/zero", ""):
        status = aclrtBinaryLoadFromFile(path, None, byref(aclrtBinHandle()))
        assert_status(status, BAD, "(EE1012)", "cannot be read")


def test_a_description_of_kernels_of_the_ai_cpu_is_no_elf_file(machine: Machine, tmp_path: Path) -> None:
    path, binary = tmp_path / "kernels.json", aclrtBinHandle()
    path.write_text("{}")
    ok(aclrtBinaryLoadFromFile(str(path), byref(options((CPU_MODE, 0))), byref(binary)))
    ok(aclrtRegisterCpuFunc(binary, "RunCpuKernel", "k", byref(aclrtFuncHandle())))


def test_a_library_for_this_host_is_opened(machine: Machine, tmp_path: Path) -> None:
    """Its static constructors register C++ functions; here one leaves a mark in the environment of C."""
    if shutil.which("gcc") is None:
        pytest.skip("no gcc here")
    source, path, binary = tmp_path / "k.c", tmp_path / "k.o", aclrtBinHandle()
    source.write_text(
        "#include <stdlib.h>\nvoid add_custom(void) {}\nint number = 7;\n"
        '__attribute__((constructor)) static void opened(void) { setenv("KERNELS_OPENED", "yes", 1); }\n'
    )
    subprocess.run(["gcc", "-shared", "-fPIC", str(source), "-o", str(path)], check=True)
    data = path.read_bytes()
    assert is_library(data)
    assert not is_library(data[:18] + b"\0\0" + data[20:]), "a library for another processor"
    assert variables(data)["number"] == (7).to_bytes(4, "little")
    ok(aclrtBinaryLoadFromFile(str(path), None, byref(binary)))
    assert function(binary, "add_custom")
    getenv = ctypes.CDLL(None).getenv
    getenv.restype = ctypes.c_char_p
    assert getenv(b"KERNELS_OPENED") == b"yes"
    ctypes.CDLL(None).unsetenv(b"KERNELS_OPENED")


# data


def test_a_binary_of_host_memory(machine: Machine) -> None:
    """ "keeps the pointer only, data must stay"."""
    data, handle = np.frombuffer(elf("before"), np.uint8).copy(), aclrtBinHandle()
    binary = aclrtCreateBinary(data, data.nbytes)
    data[:] = np.frombuffer(elf("other_"), np.uint8)
    ok(aclrtBinaryLoad(binary, byref(handle)))
    ok(aclrtDestroyBinary(binary))
    assert function(handle, "other_")
    assert not aclrtCreateBinary(None, 5)
    assert finding_of(lambda: aclrtBinaryLoad(binary, byref(handle)))[0] == "dead-handle"


def test_arguments_of_loading_host_memory(machine: Machine) -> None:
    handle = aclrtBinHandle()
    assert_status(aclrtBinaryLoad(None, None), INVALID, "binary")
    empty = aclrtCreateBinary(b"x", 0)
    assert_status(aclrtBinaryLoad(empty, None), INVALID, "binHandle")
    assert_status(aclrtBinaryLoad(empty, byref(handle)), BAD, "dataLen")
    assert_status(aclrtDestroyBinary(None), INVALID, "binary")
    ok(aclrtDestroyBinary(empty))


def test_310b_loads_no_host_memory() -> None:
    with Machine(soc="Ascend310B1"):
        binary = aclrtCreateBinary(b"k", 1)
        assert aclrtBinaryLoad(binary, byref(aclrtBinHandle())) == ACL_ERROR_RT_FEATURE_NOT_SUPPORT
        ok(aclrtDestroyBinary(binary))


# kernels


@pytest.mark.fidelity("attributes of kernels")
def test_a_kernel_by_its_number(machine: Machine) -> None:
    binary, handle = load("add_1", "add_12", "mul"), aclrtFuncHandle()
    ok(aclrtBinaryGetFunctionByEntry(binary, 12, byref(handle)))
    assert handle == function(binary, "add_12")
    assert_status(aclrtBinaryGetFunctionByEntry(binary, 2, byref(handle)), BAD, "(EE1011)", "_2")
    cpu, _ = of_the_ai_cpu()
    assert_status(aclrtBinaryGetFunctionByEntry(cpu, 1, byref(handle)), BAD, "AI CPU")


def test_a_kernel_by_its_number_needs_a_context() -> None:
    with Machine():
        status = aclrtBinaryGetFunctionByEntry(load("k_1"), 1, byref(aclrtFuncHandle()))
        assert status == ACL_ERROR_RT_CONTEXT_NULL


def test_a_kernel_by_its_symbol(machine: Machine) -> None:
    binary, handle = register(0x1234, "k"), aclrtFuncHandle()
    ok(aclrtGetFuncBySymbol(0x1234, byref(handle)))
    assert handle == function(aclrtBinHandle(binary.value), "k")
    assert_status(aclrtGetFuncBySymbol(1, byref(handle)), ACL_ERROR_RT_INVALID_DEVICE_FUNCTION, "0x1")
    assert rtDevBinaryUnRegister(binary) == ACL_SUCCESS
    assert_status(rtDevBinaryUnRegister(binary), DEAD, "unloaded")
    assert_status(rtDevBinaryUnRegister(None), DEAD)
    assert_status(aclrtGetFuncBySymbol(0x1234, byref(handle)), ACL_ERROR_RT_INVALID_DEVICE_FUNCTION)
    register(0x1234, "k")  # the address is free again


def test_name_and_binary_of_a_kernel(machine: Machine) -> None:
    binary, text, other = load("add_custom"), ctypes.create_string_buffer(16), aclrtBinHandle()
    handle = function(binary, "add_custom")
    ok(aclrtGetFunctionName(handle, 11, text))
    assert text.value == b"add_custom"
    assert_status(aclrtGetFunctionName(handle, 10, text), BAD, "at least 11")
    ok(aclrtFunctionGetBinary(handle, byref(other)))
    assert other == binary


KINDS = {
    "both": ("both_mix_aic", "both_mix_aiv", ACL_KERNEL_TYPE_MIX), "cube": ("cube_mix_aic", "x", ACL_KERNEL_TYPE_CUBE),
    "vector": ("vector_mix_aiv", "x", ACL_KERNEL_TYPE_VECTOR), "plain": ("plain", "x", ACL_KERNEL_TYPE_AICORE),
}  # fmt: skip


@pytest.mark.fidelity("attributes of kernels")
@pytest.mark.parametrize("name", KINDS)
def test_attributes_and_sizes(machine: Machine, name: str) -> None:
    *symbols, kind = KINDS[name]
    handle, value, sizes = function(load(*symbols), name), c_int64(9), (c_uint64(), c_uint64())
    for attribute, expected in ((1, kind), (2, 0), (3, 0)):
        ok(aclrtGetFunctionAttribute(handle, attribute, byref(value)))
        assert value.value == expected
    assert_status(aclrtGetFunctionAttribute(handle, 4, byref(value)), BAD, "attrType")
    ok(aclrtGetFunctionSize(handle, *map(byref, sizes)))
    parts = kind != ACL_KERNEL_TYPE_VECTOR, kind in (ACL_KERNEL_TYPE_VECTOR, ACL_KERNEL_TYPE_MIX)
    assert tuple(map(bool, (sizes[0].value, sizes[1].value))) == parts


@pytest.mark.parametrize("soc", ["Ascend910A", "Ascend310B1"])
def test_older_products_have_neither_sizes_nor_ratios(soc: str) -> None:
    with Machine(soc=soc):
        handle = function(load("k"), "k")
        status = aclrtGetFunctionAttribute(handle, ACL_FUNC_ATTR_KERNEL_RATIO, byref(c_int64()))
        assert_status(status, ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "mixed")
        status = aclrtGetFunctionSize(handle, byref(c_uint64()), byref(c_uint64()))
        assert status == ACL_ERROR_RT_FEATURE_NOT_SUPPORT
        ok(aclrtGetFunctionAttribute(handle, ACL_FUNC_ATTR_KERNEL_TYPE, byref(c_int64())))


def test_a_kernel_of_the_ai_cpu(machine: Machine) -> None:
    _, handle = of_the_ai_cpu()
    value = c_int64()
    ok(aclrtGetFunctionAttribute(handle, ACL_FUNC_ATTR_KERNEL_TYPE, byref(value)))
    assert value.value == ACL_KERNEL_TYPE_AICPU
    assert_status(aclrtGetFunctionSize(handle, byref(c_uint64()), byref(c_uint64())), BAD, "AI CPU")
    assert aclrtFunctionGetParamCount(handle, byref(c_uint64())) == ACL_ERROR_RT_FEATURE_NOT_SUPPORT
    status = aclrtRegisterCpuFunc(load("k"), "RunCpuKernel", "k", byref(aclrtFuncHandle()))
    assert_status(status, BAD, "AI CPU")


@pytest.mark.fidelity("parameters of kernels")
def test_the_function_that_replaces_a_kernel_states_its_parameters(machine: Machine) -> None:
    machine.kernels["k"] = Kernel(print, {"a": np.uint8, "b": Reads(np.int32, 1), "c": np.dtype("u8,u4")})
    handle, count, offset, size = function(load("k", "plain"), "k"), c_uint64(), c_uint64(), c_uint64()
    ok(aclrtFunctionGetParamCount(handle, byref(count)))
    assert count.value == 3
    for index, expected in enumerate([(0, 1), (8, 8), (16, 12)]):
        ok(aclrtFunctionGetParamInfo(handle, index, byref(offset), byref(size)))
        assert (offset.value, size.value) == expected
    assert_status(aclrtFunctionGetParamInfo(handle, 3, byref(offset), byref(size)), BAD, "(EE1003)", "[0, 3)")
    machine.kernels["plain"] = print
    status = aclrtFunctionGetParamCount(function(load("plain"), "plain"), byref(count))
    assert_status(status, BAD, 'machine.kernels["plain"] = Kernel(...)')


def test_data_and_variables_of_a_binary_are_in_the_addresses_of_the_device(machine: Machine) -> None:
    binary, place, size = load("k"), c_void_p(), c_uint64()
    ok(aclrtBinaryGetDevAddress(binary, byref(place), byref(size)))
    assert machine.read(place, size.value, np.uint8).tobytes() == elf("k")
    used = machine.devices[0].memory.used
    for _ in range(2):
        ok(aclrtBinaryGetGlobal(binary, "datum", byref(place), byref(size)))
        assert size.value == 8
        value = machine.read(place, 1, np.uint64)[0]
        word = np.array([value + 1], np.uint64)
        ok(aclrtMemcpy(place, 8, word, 8, ACL_MEMCPY_HOST_TO_DEVICE))
    ok(aclrtBinaryGetGlobal(binary, "datum", byref(place), None))
    ok(aclrtBinaryGetGlobal(binary, "datum", None, byref(size)))
    assert machine.read(place, 1, np.uint64)[0] == value + 1
    assert machine.devices[0].memory.used == used
    assert_status(aclrtBinaryGetGlobal(binary, "k", byref(place), None), ACL_ERROR_RT_SYMBOL_NOT_FOUND, "k")
    cpu, _ = of_the_ai_cpu()
    assert aclrtBinaryGetGlobal(cpu, "datum", byref(place), None) == ACL_ERROR_RT_FEATURE_NOT_SUPPORT


def test_data_of_a_binary_need_a_context() -> None:
    with Machine():
        binary, place, size = load("k"), byref(c_void_p()), byref(c_uint64())
        assert aclrtBinaryGetDevAddress(binary, place, size) == ACL_ERROR_RT_CONTEXT_NULL
        assert aclrtBinaryGetGlobal(binary, "datum", place, size) == ACL_ERROR_RT_CONTEXT_NULL


SIZE = byref(c_uint64())


@pytest.mark.parametrize(
    ("call", "status", "word"),
    [
        (lambda b, f: aclrtBinaryLoadFromFile(None, None, None), INVALID, "binPath"),
        (lambda b, f: aclrtBinaryLoadFromFile("x", None, None), INVALID, "binHandle"),
        (lambda b, f: aclrtBinaryGetFunctionByEntry(None, 0, None), INVALID, "binHandle"),
        (lambda b, f: aclrtBinaryGetFunctionByEntry(b, 0, None), INVALID, "funcHandle"),
        (lambda b, f: aclrtRegisterCpuFunc(None, None, None, None), INVALID, "handle"),
        (lambda b, f: aclrtRegisterCpuFunc(b, None, None, None), INVALID, "funcName"),
        (lambda b, f: aclrtRegisterCpuFunc(b, "f", None, None), INVALID, "kernelName"),
        (lambda b, f: aclrtRegisterCpuFunc(b, "f", "k", None), INVALID, "funcHandle"),
        (lambda b, f: aclrtGetFunctionSize(None, None, None), BAD, "funcHandle"),
        (lambda b, f: aclrtGetFunctionSize(f, None, None), BAD, "aicSize"),
        (lambda b, f: aclrtGetFunctionSize(f, SIZE, None), BAD, "aivSize"),
        (lambda b, f: aclrtGetFunctionName(None, 0, None), INVALID, "name"),
        (lambda b, f: aclrtGetFunctionName(None, 0, ctypes.create_string_buffer(2)), BAD, "funcHandle"),
        (lambda b, f: aclrtGetFunctionAttribute(None, 0, None), INVALID, "funcHandle"),
        (lambda b, f: aclrtGetFunctionAttribute(f, 0, None), INVALID, "attrValue"),
        (lambda b, f: aclrtFunctionGetBinary(None, None), BAD, "funcHandle"),
        (lambda b, f: aclrtFunctionGetBinary(f, None), BAD, "binHandle"),
        (lambda b, f: aclrtFunctionGetParamCount(None, None), INVALID, "func"),
        (lambda b, f: aclrtFunctionGetParamCount(f, None), INVALID, "paramCount"),
        (lambda b, f: aclrtFunctionGetParamInfo(None, 0, None, None), INVALID, "func"),
        (lambda b, f: aclrtFunctionGetParamInfo(f, 0, None, None), INVALID, "paramOffset"),
        (lambda b, f: aclrtFunctionGetParamInfo(f, 0, SIZE, None), INVALID, "paramSize"),
        (lambda b, f: aclrtGetFuncBySymbol(None, None), INVALID, "symbol"),
        (lambda b, f: aclrtGetFuncBySymbol(1, None), INVALID, "funcHandle"),
        (lambda b, f: aclrtBinaryGetDevAddress(None, None, None), INVALID, "binHandle"),
        (lambda b, f: aclrtBinaryGetDevAddress(b, None, None), BAD, "binAddr"),
        (lambda b, f: aclrtBinaryGetDevAddress(b, byref(c_void_p()), None), BAD, "binSize"),
        (lambda b, f: aclrtBinaryGetGlobal(None, None, None, None), INVALID, "binHandle"),
        (lambda b, f: aclrtBinaryGetGlobal(b, None, None, None), INVALID, "name"),
        (lambda b, f: aclrtBinaryGetGlobal(b, "datum", None, None), INVALID, "dptr"),
    ],
)
def test_nulls_in_the_order_of_the_checks(machine: Machine, call: Callable[..., Any], status: int, word: str) -> None:
    binary = load("k")
    assert_status(call(binary, function(binary, "k")), status, word)


def test_dead_handles(machine: Machine) -> None:
    binary = load("k")
    handle = function(binary, "k")
    ok(aclrtBinaryUnLoad(binary))
    place = byref(c_void_p())
    for call in (
        lambda: aclrtBinaryGetFunctionByEntry(binary, 0, byref(aclrtFuncHandle())),
        lambda: aclrtRegisterCpuFunc(binary, "f", "k", byref(aclrtFuncHandle())),
        lambda: aclrtGetFunctionSize(handle, SIZE, SIZE),
        lambda: aclrtGetFunctionName(handle, 9, ctypes.create_string_buffer(9)),
        lambda: aclrtGetFunctionAttribute(handle, 1, byref(c_int64())),
        lambda: aclrtFunctionGetBinary(handle, byref(aclrtBinHandle())),
        lambda: aclrtFunctionGetParamCount(handle, SIZE),
        lambda: aclrtFunctionGetParamInfo(handle, 0, SIZE, SIZE),
        lambda: aclrtBinaryGetDevAddress(binary, place, SIZE),
        lambda: aclrtBinaryGetGlobal(binary, "datum", place, SIZE),
    ):
        assert_status(call(), DEAD, "unloaded")
