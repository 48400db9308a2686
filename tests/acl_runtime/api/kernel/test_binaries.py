"""Binaries with device kernels, and the kernels in them (public)."""

import ctypes
from collections.abc import Callable
from ctypes import byref, c_void_p
from typing import Any

import pytest

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.objects.elf import functions
from tests.helpers.kernel_binaries import elf, function, load
from tests.helpers.outcomes import assert_status, finding_of, ok

LAZY, MAGIC, CPU_MODE = 1, 2, 3


def options(*pairs: tuple[int, int]) -> aclrtBinaryLoadOptions:
    made = (aclrtBinaryLoadOption * max(len(pairs), 1))()
    for each, (kind, value) in zip(made, pairs, strict=False):
        each.type, each.value.magic = kind, value
    return aclrtBinaryLoadOptions(made, len(pairs))


def addresses(handle: aclrtFuncHandle) -> tuple[bool, bool]:
    """Has the kernel an address for cube cores, and one for vector cores?"""
    cube, vector = c_void_p(), c_void_p()
    ok(aclrtGetFunctionAddr(handle, byref(cube), byref(vector)))
    assert cube.value != vector.value
    return bool(cube.value), bool(vector.value)


def test_a_kernel_is_found_by_its_name_and_has_one_handle() -> None:
    """ "Same name twice gives the same function"; no context is needed."""
    with Machine():
        binary = load("add_custom", "mul_custom")
        assert function(binary, "add_custom") == function(binary, "add_custom") != function(binary, "mul_custom")
        missing = aclrtFuncHandle(5)
        status = aclrtBinaryGetFunction(binary, "datum", byref(missing))
        assert_status(status, ACL_ERROR_RT_PARAM_INVALID, "datum", "add_custom, mul_custom")
        assert not missing


def test_the_parts_of_a_mixed_kernel_are_one_kernel(machine: Machine) -> None:
    """ "the side the kernel lacks is null"."""
    binary = load("both_mix_aic", "both_mix_aiv", "plain", "cube_mix_aic", "vector_mix_aiv")
    assert addresses(function(binary, "both")) == (True, True)
    assert addresses(function(binary, "plain")) == (True, False)
    assert addresses(function(binary, "cube")) == (True, False)
    assert addresses(function(binary, "vector")) == (False, True)
    assert addresses(function(binary, "vector_mix_aiv")) == (False, True)


@pytest.mark.fidelity("data that are loaded as a kernel binary")
def test_any_data_are_accepted(machine: Machine) -> None:
    handle = aclrtBinHandle()
    ok(aclrtBinaryLoadFromData(b"no ELF", 6, None, byref(handle)))
    status = aclrtBinaryGetFunction(handle, "add_custom", byref(aclrtFuncHandle()))
    assert_status(status, ACL_ERROR_RT_PARAM_INVALID, "add_custom", "no names")
    machine.kernels["add_custom"] = print
    assert function(handle, "add_custom")


@pytest.mark.parametrize("cut", range(0, 300, 7))
def test_an_elf_file_that_is_cut_off_has_no_kernels(cut: int) -> None:
    whole = elf("add_custom")
    assert functions(whole) == ("add_custom",)
    assert functions(whole[:cut]) == ()


@pytest.mark.fidelity("the order of checks of aclrtBinaryLoadFromData")
def test_arguments_of_loading(machine: Machine) -> None:
    handle, data = aclrtBinHandle(), elf("k")
    assert_status(aclrtBinaryLoadFromData(None, 0, None, None), ACL_ERROR_INVALID_PARAM, "data")
    assert_status(aclrtBinaryLoadFromData(data, 0, None, None), ACL_ERROR_INVALID_PARAM, "binHandle")
    assert_status(aclrtBinaryLoadFromData(data, 0, None, byref(handle)), ACL_ERROR_RT_PARAM_INVALID, "length")
    assert finding_of(lambda: aclrtBinaryLoadFromData(b"1234", 9, None, byref(handle)))[0] == "host-overrun"
    assert not handle


@pytest.mark.parametrize(
    ("given", "good"),
    [
        (options((LAZY, 0)), True),
        (options((LAZY, 1), (MAGIC, ACL_RT_BINARY_MAGIC_ELF_AICORE)), True),
        (options((MAGIC, ACL_RT_BINARY_MAGIC_ELF_CUBE_CORE)), True),
        (options((CPU_MODE, 2)), True),
        (options(), True),
        (options((LAZY, 2)), False),
        (options((MAGIC, 1)), False),
        (options((CPU_MODE, 1)), False),
        (options((4, 0)), False),
        (options((LAZY, 0), (0, 0)), False),
        (aclrtBinaryLoadOptions(None, 1), False),
    ],
)
def test_options_are_judged(machine: Machine, given: aclrtBinaryLoadOptions, good: bool) -> None:
    handle, data = aclrtBinHandle(), elf("k")
    status = aclrtBinaryLoadFromData(data, len(data), byref(given), byref(handle))
    assert status == (ACL_SUCCESS if good else ACL_ERROR_RT_PARAM_INVALID)
    assert bool(handle) is good


def test_a_wild_number_of_options_is_found(machine: Machine) -> None:
    """Each option is read by itself."""
    one = options((LAZY, 0))
    page = ctypes.create_string_buffer(64)
    wild = aclrtBinaryLoadOptions(ctypes.cast(c_void_p(16), ctypes.POINTER(aclrtBinaryLoadOption)), (1 << 64) - 1)
    assert (
        finding_of(lambda: aclrtBinaryLoadFromData(b"k", 1, byref(wild), byref(aclrtBinHandle())))[0] == "host-overrun"
    )
    del one, page


def test_a_binary_for_vector_cores(machine: Machine) -> None:
    handle, data = aclrtBinHandle(), elf("k")
    chosen = options((MAGIC, ACL_RT_BINARY_MAGIC_ELF_VECTOR_CORE))
    ok(aclrtBinaryLoadFromData(data, len(data), byref(chosen), byref(handle)))
    assert addresses(function(handle, "k")) == (False, True)


def test_a_kernel_of_the_ai_cpu_has_no_address(machine: Machine) -> None:
    handle, data = aclrtBinHandle(), elf("k")
    ok(aclrtBinaryLoadFromData(data, len(data), byref(options((CPU_MODE, 2))), byref(handle)))
    status = aclrtGetFunctionAddr(function(handle, "k"), byref(c_void_p()), byref(c_void_p()))
    assert_status(status, ACL_ERROR_RT_PARAM_INVALID, "AI CPU")


@pytest.mark.parametrize(
    ("call", "word"),
    [
        (lambda binary, kernel: aclrtBinaryGetFunction(None, None, None), "binHandle"),
        (lambda binary, kernel: aclrtBinaryGetFunction(binary, None, None), "kernelName"),
        (lambda binary, kernel: aclrtBinaryGetFunction(binary, "k", None), "funcHandle"),
        (lambda binary, kernel: aclrtGetFunctionAddr(None, None, None), "funcHandle"),
        (lambda binary, kernel: aclrtGetFunctionAddr(kernel, None, None), "aicAddr"),
        (lambda binary, kernel: aclrtGetFunctionAddr(kernel, byref(c_void_p()), None), "aivAddr"),
        (lambda binary, kernel: aclrtBinaryUnLoad(None), "binHandle"),
    ],
)
def test_nulls_in_the_order_of_the_parameters(machine: Machine, call: Callable[..., Any], word: str) -> None:
    binary = load("k")
    assert_status(call(binary, function(binary, "k")), ACL_ERROR_INVALID_PARAM, "(EH0008)", word)


def test_a_dead_or_foreign_handle_is_107017(machine: Machine) -> None:
    """ "All function handles of it become invalid"."""
    binary, other = load("k"), load("k")
    kernel, kept = function(binary, "k"), function(other, "k")
    ok(aclrtBinaryUnLoad(binary))
    outs = byref(c_void_p()), byref(c_void_p())
    assert_status(aclrtBinaryUnLoad(binary), ACL_ERROR_RT_INVALID_HANDLE, "kernel binary 1", "unloaded")
    assert_status(aclrtBinaryGetFunction(binary, "k", byref(aclrtFuncHandle())), ACL_ERROR_RT_INVALID_HANDLE)
    assert_status(aclrtGetFunctionAddr(kernel, *outs), ACL_ERROR_RT_INVALID_HANDLE, "unloaded with kernel binary 1")
    assert_status(aclrtGetFunctionAddr(other, *outs), ACL_ERROR_RT_INVALID_HANDLE, "it is no live kernel function")
    ok(aclrtGetFunctionAddr(kept, *outs))
