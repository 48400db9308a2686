"""The Python values that parameters of C pointer types accept and refuse (ours)."""

import array
from collections.abc import Callable
from ctypes import (
    CFUNCTYPE,
    POINTER,
    Structure,
    addressof,
    byref,
    c_char,
    c_char_p,
    c_float,
    c_int32,
    c_uint64,
    c_void_p,
    cast,
    create_string_buffer,
    pointer,
)
from typing import Any, ClassVar

import ml_dtypes
import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.helpers.builders import malloc
from tests.helpers.outcomes import finding_of


class Pair(Structure):
    _fields_: ClassVar = [("x", c_float), ("y", c_float)]


KEPT = create_string_buffer(b"\0\0\x80?\0\0\x80?", 8)  # two times 1.0f
ONES = np.ones(2, np.float32)
SOURCES: dict[str, Callable[[], Any]] = {
    "an int": lambda: addressof(KEPT),
    "c_void_p": lambda: c_void_p(addressof(KEPT)),
    "byref(x)": lambda: byref(KEPT),
    "pointer(x)": lambda: pointer(KEPT),
    "cast pointer": lambda: cast(KEPT, POINTER(c_float)),
    "c_char_p": lambda: c_char_p(KEPT.raw),
    "a ctypes array": lambda: (c_float * 2)(1, 1),
    "a ctypes structure": lambda: Pair(1, 1),
    "a ctypes number": lambda: c_uint64(0x3F800000_3F800000),
    "bytes": lambda: KEPT.raw,
    "bytearray": lambda: bytearray(KEPT.raw),
    "memoryview": lambda: memoryview(KEPT.raw),
    "array.array": lambda: array.array("f", [1, 1]),
    "ndarray": lambda: np.ones(2, np.float32),
    "a two-dimensional ndarray": lambda: np.ones((2, 1), np.float32),
    "a contiguous slice": lambda: np.ones(8, np.float32)[3:5],
    "a read-only ndarray": lambda: np.broadcast_to(ONES, (1, 2))[0],
    "a numpy scalar": lambda: np.complex64(1 + 1j),
    "ndarray of bfloat16": lambda: np.frombuffer(KEPT.raw, ml_dtypes.bfloat16),
}
READ_ONLY = ("bytes", "memoryview", "a read-only ndarray", "a numpy scalar", "ndarray of bfloat16", "c_char_p")


@pytest.mark.parametrize("value", SOURCES.values(), ids=SOURCES)
def test_every_value_with_an_address_may_be_a_source(machine: Machine, value: Callable[[], Any]) -> None:
    """`const void *` accepts every value that has an address (ours)."""
    address = malloc(8)
    assert aclrtMemcpy(address, 8, value(), 8, ACL_MEMCPY_DEFAULT) == ACL_SUCCESS
    assert machine.read(address, 2, "f4").tolist() == [1, 1]


@pytest.mark.parametrize("name", [name for name in SOURCES if name not in READ_ONLY])
def test_every_writable_value_with_an_address_may_be_a_target(machine: Machine, name: str) -> None:
    """`void *` accepts every value that has an address and can be written (ours)."""
    value, address, check = SOURCES[name](), malloc(8), malloc(8)
    aclrtMemcpy(address, 8, b"\0\0\x80?\0\0\x80?", 8, ACL_MEMCPY_DEFAULT)
    assert aclrtMemcpy(value, 8, bytes(8), 8, ACL_MEMCPY_DEFAULT) == ACL_SUCCESS
    assert aclrtMemcpy(check, 8, value, 8, ACL_MEMCPY_DEFAULT) == ACL_SUCCESS
    assert not machine.read(check, 8, "u1").any()
    assert aclrtMemcpy(value, 8, address, 8, ACL_MEMCPY_DEFAULT) == ACL_SUCCESS
    assert aclrtMemcpy(check, 8, value, 8, ACL_MEMCPY_DEFAULT) == ACL_SUCCESS
    assert machine.read(check, 2, "f4").tolist() == [1, 1]


def test_an_array_of_any_dtype_is_passed_by_address(machine: Machine) -> None:
    """The dtype of an ndarray does not matter (ours)."""
    values, address = np.zeros(4, ml_dtypes.bfloat16), malloc(8)
    assert aclrtMemcpy(address, 8, np.full(4, 1.5, ml_dtypes.bfloat16), 8, ACL_MEMCPY_DEFAULT) == ACL_SUCCESS
    assert aclrtMemcpy(values, 8, address, 8, ACL_MEMCPY_DEFAULT) == ACL_SUCCESS
    assert values.astype(np.float32).tolist() == machine.read(address, 4, ACL_BF16).astype("f4").tolist() == [1.5] * 4


def copy(dst: Any, src: Any) -> Callable[[], object]:
    return lambda: aclrtMemcpy(dst, 8, src, 8, ACL_MEMCPY_DEFAULT)


def out(**pointers: Any) -> Callable[[], object]:
    return lambda: aclrtMalloc(pointers["devPtr"], 8, ACL_MEM_MALLOC_HUGE_FIRST)


# what does not compile in C -> TypeError with these words
REFUSED: dict[str, tuple[Callable[[], object], tuple[str, ...]]] = {
    "read-only bytes as target": (copy(b"12345678", 1), ("parameter dst (void *)", "read-only")),
    "a read-only ndarray as target": (copy(np.broadcast_to(ONES, (1, 2)), 1), ("parameter dst", "read-only")),
    "a strided ndarray": (copy(np.zeros(8, "u1"), np.zeros(16, "u1")[::2]), ("src (const void *)", "ascontiguous")),
    "a Fortran-ordered ndarray": (copy(np.zeros((2, 4), "u1", order="F"), 1), ("parameter dst", "C-contiguous")),
    "a list as void *": (copy([1.0], 1), ("parameter dst", "np.array")),
    "a str as const void *": (copy(1, "12345678"), ("parameter src", "b'...'")),
    "a float as const void *": (copy(1, 2.0), ("parameter src", "float 2.0")),
    "byref forgotten": (out(devPtr=c_void_p()), ("devPtr (void **)", "forgot byref?")),
    "a pointer to another type": (out(devPtr=byref(c_uint64())), ("devPtr", "c_void_p()", "c_ulong")),
    "a pointer to a handle": (out(devPtr=byref(aclTensor())), ("devPtr", "c_void_p()", "aclTensor")),
    "a number as void **": (out(devPtr=5), ("devPtr", "byref(x)", "int 5")),
    "a float as int": (lambda: aclrtSetDevice(0.0), ("deviceId (int32_t)", "an integer", "float 0.0")),
    "a str as int": (lambda: aclrtSetDevice("0"), ("deviceId", "an integer")),
    "None as int": (lambda: aclrtSetDevice(None), ("deviceId", "an integer")),
    "a pointer as int": (lambda: aclrtSetDevice(byref(c_int32())), ("deviceId", "x.value")),
    "a pointer to a stream": (lambda: aclrtSynchronizeStream(byref(c_void_p())), ("stream", "pass x itself")),
    "a number as const char *": (lambda: aclInit(1), ("configPath (const char *)", "str, bytes or None")),
    "too few arguments": (lambda: aclrtMemcpy(1, 2, 3, 4), ("5 arguments, got 4", "missing kind")),
    "too many arguments": (lambda: aclrtSetDevice(0, 1), ("1 argument, got 2",)),
    "an unknown keyword": (lambda: aclrtSetDevice(device=0), ("deviceId", "unexpected device")),
    "floats in an int64_t array": (lambda: aclCreateIntArray([1.5], 1), ("value (const int64_t *)", "an integer")),
    "an ndarray of another type": (lambda: aclCreateIntArray(np.ones(1, "i4"), 1), ("value", "int64", "int32")),
    "a strided ndarray as int64_t array": (lambda: aclCreateIntArray(np.ones(4, "i8")[::2], 2), ("value", "C-cont")),
    "an int as int64_t array": (lambda: aclCreateIntArray(4, 1), ("value", "a list")),
    "a str as float array": (lambda: aclCreateFloatArray(["1"], 1), ("value (const float *)", "a number")),
    "float64 as float array": (lambda: aclCreateFloatArray(np.ones(1), 1), ("value", "float32", "float64")),
    "floats in a bool array": (lambda: aclCreateBoolArray([1.0], 1), ("value (const bool *)", "a bool")),
}  # fmt: skip


@pytest.mark.parametrize(("call", "words"), REFUSED.values(), ids=REFUSED)
def test_what_c_would_refuse_is_a_type_error_and_not_recorded(
    machine: Machine, call: Callable[[], object], words: tuple[str, ...]
) -> None:
    """TypeError that names the parameter and the fix, and the prototype; nothing is recorded (ours)."""
    with pytest.raises(TypeError) as error:
        call()
    for word in (*words, "("):
        assert word in str(error.value)
    assert len(machine.calls) == 1, "only the aclrtSetDevice of the fixture"
    assert aclGetRecentErrMsg() is None


def test_a_null_pointer_to_a_function_is_null(machine: Machine) -> None:
    """A variable of a type of functions that was never set (ours)."""
    unset = CFUNCTYPE(None, c_void_p)()
    for null in (None, 0, unset):
        assert aclrtLaunchHostFunc(None, null, None) == ACL_ERROR_RT_PARAM_INVALID


def test_an_array_of_another_struct_is_a_type_error(machine: Machine) -> None:
    """A C compiler would refuse it (ours)."""
    for wrong in ((aclrtMemLocation * 2)(), byref(aclrtMemLocation()), pointer(aclrtMemLocation())):
        with pytest.raises(TypeError, match=r"parameter desc .* expects .*aclrtMemAccessDesc"):
            aclrtMemSetAccess(1, 1, wrong, 1)


def test_an_object_over_memory_that_is_not_there_is_probed(machine: Machine) -> None:
    """ctypes' from_address makes an object that owns no memory. Copying it is `host-overrun`, not a crash."""
    wild = (c_char * 8).from_address(0x1000)
    address = malloc(8)
    assert finding_of(lambda: aclrtMemcpy(address, 8, wild, 8, ACL_MEMCPY_HOST_TO_DEVICE))[0] == "host-overrun"
    assert finding_of(lambda: aclrtMemcpy(wild, 8, address, 8, ACL_MEMCPY_DEVICE_TO_HOST))[0] == "host-overrun"
    kept = bytearray(8)
    over = (c_char * 8).from_buffer(kept)
    assert aclrtMemcpy(over, 8, address, 8, ACL_MEMCPY_DEVICE_TO_HOST) == ACL_SUCCESS
    assert kept == b"\xff" * 8
