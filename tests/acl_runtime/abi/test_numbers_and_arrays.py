"""Numbers, which wrap as in C; arrays with a count in another parameter; enum out-parameters (ours)."""

from collections.abc import Callable
from ctypes import (
    POINTER,
    byref,
    c_bool,
    c_float,
    c_int32,
    c_int64,
    c_uint8,
    c_uint32,
    c_uint64,
    c_void_p,
    cast,
    pointer,
)
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.helpers.builders import malloc, meta
from tests.helpers.outcomes import finding_of

DEVICE, HOST = aclrtMemLocation(0, ACL_MEM_LOCATION_TYPE_DEVICE), aclrtMemLocation(0, ACL_MEM_LOCATION_TYPE_HOST)


class Index:
    """Any class with __index__ is a number."""

    def __index__(self) -> int:
        return 0


NUMBERS: dict[str, tuple[Any, int]] = {
    "a numpy integer": (np.int64(0), ACL_SUCCESS),
    "an object with __index__": (Index(), ACL_SUCCESS),
    "a ctypes integer": (c_int32(0), ACL_SUCCESS),
    "2**32 wraps to 0": (2**32, ACL_SUCCESS),
    "2**32 - 1 wraps to -1": (2**32 - 1, ACL_ERROR_RT_INVALID_DEVICEID),
    "-2**32 wraps to 0": (-(2**32), ACL_SUCCESS),
}


@pytest.mark.parametrize(("number", "status"), NUMBERS.values(), ids=NUMBERS)
def test_an_int32_takes_any_index_and_wraps_to_its_width(machine: Machine, number: Any, status: int) -> None:
    """Any object with __index__ is accepted, and wrapped to the width as in C (ours)."""
    assert aclrtSetDevice(number) == status


def test_size_t_is_unsigned_and_int64_is_signed(machine: Machine) -> None:
    """size_t is unsigned, int64_t signed: the same bits mean other numbers (ours)."""
    pointer_ = c_void_p()
    assert aclrtMalloc(byref(pointer_), 2**64, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_ERROR_INVALID_PARAM
    assert aclrtMalloc(byref(pointer_), 2**64 + 64, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS
    offset = c_int64()
    assert aclGetViewOffset(meta([1], offset=2**64 - 3), byref(offset)) == ACL_SUCCESS
    assert offset.value == -3


# a function, the number of a parameter, an argument, and the value that the function gets
VALUES: dict[str, tuple[Callable[..., int], int, Any, Any]] = {
    "int32_t 2**31": (aclrtSetDevice, 0, 2**31, -(2**31)),
    "int32_t 2**32 - 1": (aclrtSetDevice, 0, 2**32 - 1, -1),
    "int32_t -2**31 - 1": (aclrtSetDevice, 0, -(2**31) - 1, 2**31 - 1),
    "int32_t -2**31": (aclrtSetDevice, 0, -(2**31), -(2**31)),
    "int64_t 2**63": (aclCreateTensor, 4, 2**63, -(2**63)),
    "int64_t 2**64 - 1": (aclCreateTensor, 4, 2**64 - 1, -1),
    "uint64_t -1": (aclCreateTensor, 1, -1, 2**64 - 1),
    "uint64_t 2**63": (aclCreateTensor, 1, 2**63, 2**63),
    "an address of 65 bits": (aclrtFree, 0, 2**64 + 16, 16),
    "a handle of 65 bits": (aclrtSynchronizeStream, 0, 2**64, 0),
    "a null handle": (aclrtSynchronizeStream, 0, aclrtStream(), 0),
    "None for a handle": (aclrtSynchronizeStream, 0, None, 0),
    "a text with a NUL": (aclAppLog, 1, "one\0two", "one"),
    "bytes with a NUL": (aclAppLog, 1, b"one\0two", "one"),
}
GOOD: dict[Callable[..., int], list[Any]] = {
    aclrtSetDevice: [0], aclrtFree: [None], aclrtSynchronizeStream: [None],
    aclAppLog: [ACL_INFO, "f", "f.cpp", 1, "text"],
    aclCreateTensor: [[1], 0, ACL_FLOAT, None, 0, ACL_FORMAT_ND, [1], 0, None],
}  # fmt: skip


@pytest.mark.parametrize(("function", "at", "argument", "value"), VALUES.values(), ids=VALUES)
def test_a_function_gets_the_value_that_c_would_pass(function: Any, at: int, argument: Any, value: Any) -> None:
    """Numbers wrap to the width and the sign of the type, and a text ends at its NUL. `machine.calls` has the value
    (ours)."""
    with Machine(on_undefined="report") as machine:
        aclrtSetDevice(0)
        function(*GOOD[function][:at], argument, *GOOD[function][at + 1 :])
        assert machine.calls[-1].arguments[at] == value


def test_enums_take_any_int_and_give_c_int32(machine: Machine) -> None:
    """Enums take any int; enum out-parameters are c_int32 (ours; public)."""
    found = c_int32(77)
    for data_type, returned in ((ACL_BF16, ACL_BF16), (27, ACL_BF16), (12345, ACL_DT_UNDEFINED), (2**32, ACL_FLOAT)):
        assert aclGetDataType(meta([1], data_type), byref(found)) == ACL_SUCCESS
        assert found.value == returned
    assert aclGetFormat(meta([1], format=ACL_FORMAT_NCHW), byref(found)) == ACL_SUCCESS
    assert found.value == ACL_FORMAT_NCHW
    with pytest.raises(TypeError, match=r"parameter dataType .*c_int32"):
        aclGetDataType(meta([1]), byref(c_int64()))
    with pytest.raises(TypeError, match=r"parameter format .*c_int32"):
        aclGetFormat(meta([1]), byref(c_uint8()))


def test_keywords_are_the_names_of_the_prototype(machine: Machine) -> None:
    """The parameters of a function can be passed by name (ours)."""
    assert aclrtSetDevice(deviceId=0) == aclrtSynchronizeStream(stream=None) == ACL_SUCCESS
    with pytest.raises(TypeError, match=r"takes 1 argument, got 2; unexpected device"):
        aclrtSetDevice(0, device=0)


def shape_of(tensor: aclTensor, getter: Callable[..., int] = aclGetViewShape) -> list[int]:
    values, count = POINTER(c_int64)(), c_uint64(99)
    assert getter(tensor, byref(values), byref(count)) == ACL_SUCCESS
    return values[: count.value]


ARRAYS: dict[str, Any] = {
    "a list": [2, 3],
    "a tuple": (2, 3),
    "a list longer than its count": [2, 3, 99],
    "numpy integers in a list": [np.int32(2), np.int64(3)],
    "an int64 ndarray": np.array([2, 3]),
    "a ctypes array": (c_int64 * 2)(2, 3),
    "a longer ctypes array": (c_int64 * 4)(2, 3, 4, 5),
    "a cast pointer": cast((c_int64 * 2)(2, 3), POINTER(c_int64)),
    "values that wrap": [2**64 + 2, 2**64 + 3],
}


@pytest.mark.parametrize("values", ARRAYS.values(), ids=ARRAYS)
def test_an_int64_array_may_be_a_list_a_tuple_or_an_array(machine: Machine, values: Any) -> None:
    """`const int64_t *` takes lists, tuples, numpy and ctypes arrays (ours)."""
    tensor = aclCreateTensor(values, 2, ACL_FLOAT, values, 0, ACL_FORMAT_ND, values, 2, None)
    assert shape_of(tensor) == shape_of(tensor, aclGetViewStrides) == [2, 3]


def create(viewDims: Any, stride: Any, storageDims: Any) -> aclTensor:
    return aclCreateTensor(viewDims, 2, ACL_FLOAT, stride, 0, ACL_FORMAT_ND, storageDims, 2, None)


SHORT: dict[str, Any] = {
    "a list": [2],
    "an empty tuple": (),
    "an ndarray": np.array([2]),
    "a ctypes array": (c_int64 * 1)(2),
    "a wild pointer": cast(c_void_p(0x10), POINTER(c_int64)),
}


@pytest.mark.parametrize("values", SHORT.values(), ids=SHORT)
@pytest.mark.parametrize("parameter", ["viewDims", "stride", "storageDims"])
def test_an_array_shorter_than_its_count(machine: Machine, parameter: str, values: Any) -> None:
    """It is undefined behaviour: the library would read past its end (ours)."""
    arrays = {"viewDims": [1, 1], "stride": [1, 1], "storageDims": [1, 1]} | {parameter: values}
    id, message = finding_of(lambda: create(**arrays))
    assert id == "host-overrun"
    assert f"{parameter} holds " in message
    assert "the call says 2" in message


@pytest.mark.parametrize("parameter", ["viewDims", "stride", "storageDims"])
def test_a_short_array_in_report_mode(parameter: str) -> None:
    """host-overrun is a CRASH row: the creator does nothing and returns null (ours)."""
    arrays = {"viewDims": [1, 1], "stride": [1, 1], "storageDims": [1, 1]} | {parameter: [1]}
    with Machine(on_undefined="report") as machine:
        tensor = create(**arrays)
        assert [finding.id for finding in machine.findings.worth_telling] == ["host-overrun"]
        assert not tensor


VALUE_ARRAYS: dict[str, tuple[Callable[..., Any], Callable[..., int], Any]] = {
    "float: list of numbers": (aclCreateFloatArray, aclGetFloatArraySize, [1, 2.5]),
    "float: float32 ndarray": (aclCreateFloatArray, aclGetFloatArraySize, np.ones(2, np.float32)),
    "float: ctypes array": (aclCreateFloatArray, aclGetFloatArraySize, (c_float * 2)(1, 2)),
    "bool: list": (aclCreateBoolArray, aclGetBoolArraySize, [True, False]),
    "bool: list of ints": (aclCreateBoolArray, aclGetBoolArraySize, [1, 0]),
    "bool: ndarray": (aclCreateBoolArray, aclGetBoolArraySize, np.ones(2, np.bool_)),
    "bool: ctypes array": (aclCreateBoolArray, aclGetBoolArraySize, (c_bool * 2)(True)),
    "int: ndarray": (aclCreateIntArray, aclGetIntArraySize, np.arange(2)),
}


@pytest.mark.parametrize(("create", "size_of", "values"), VALUE_ARRAYS.values(), ids=VALUE_ARRAYS)
def test_other_array_parameters_take_the_same_kinds(
    machine: Machine, create: Callable[..., Any], size_of: Callable[..., int], values: Any
) -> None:
    """Arrays of float, bool and int accept lists, numpy arrays and ctypes arrays too (ours)."""
    size = c_uint64()
    assert size_of(create(values, 2), byref(size)) == ACL_SUCCESS
    assert size.value == 2
    id, message = finding_of(lambda: create(values, 3))
    assert id == "host-overrun"
    assert "value holds 2 values, but the call says 3" in message


POINTERS = pytest.mark.parametrize("refer", [byref, pointer], ids=["byref", "pointer"])


@POINTERS
def test_a_pointer_to_one_value_is_an_array_of_one(machine: Machine, refer: Callable[[Any], Any]) -> None:
    """It is the `&x` of C, for dims, strides and values of every type."""
    size, stride = c_int64(5), c_int64(2)
    tensor = aclCreateTensor(refer(size), 1, ACL_FLOAT, refer(stride), 0, ACL_FORMAT_ND, refer(size), 1, None)
    assert (shape_of(tensor), shape_of(tensor, aclGetViewStrides)) == ([5], [2])
    for create, value in ((aclCreateIntArray, size), (aclCreateFloatArray, c_float(2)), (aclCreateBoolArray, c_bool())):
        assert create(refer(value), 1)
        id, message = finding_of(lambda create=create, value=value: create(refer(value), 2))
        assert (id, "value holds 1 value, but the call says 2" in message) == ("host-overrun", True)


@POINTERS
def test_a_pointer_to_a_handle_is_a_list_of_one(machine: Machine, refer: Callable[[Any], Any]) -> None:
    """`aclCreateTensorList(&tensor, 1)`; a plain c_void_p stands for any handle (ours)."""
    tensor, value, size = meta([1]), c_float(2), c_uint64()
    scalar = c_void_p(aclCreateScalar(byref(value), ACL_FLOAT).value)
    tensors, scalars = aclCreateTensorList(refer(tensor), 1), aclCreateScalarList(refer(scalar), 1)
    assert aclGetTensorListSize(tensors, byref(size)) == ACL_SUCCESS
    assert size.value == 1
    assert aclDestroyTensorList(tensors) == aclDestroyScalarList(scalars) == ACL_SUCCESS
    assert finding_of(lambda: aclDestroyTensor(tensor))[0] == "tensor-double-destroy"  # it was the member
    with pytest.raises(TypeError, match=r"array of aclTensor, byref\(x\), pointer\(x\), or None"):
        aclCreateTensorList(refer(scalars), 1)


@POINTERS
def test_a_pointer_to_an_address_is_a_list_of_one(machine: Machine, refer: Callable[[Any], Any]) -> None:
    """`void **` and `size_t *` that are read: a batch of one copy."""
    assert aclrtSetDevice(0) == ACL_SUCCESS
    memory, values, found = c_void_p(malloc(8)), np.array([1, 2], np.float32), np.zeros(2, np.float32)
    here, there, size, first = c_void_p(values.ctypes.data), c_void_p(found.ctypes.data), c_uint64(8), c_uint64(0)
    for dst, src, sides in ((memory, here, (DEVICE, HOST)), (there, memory, (HOST, DEVICE))):
        attr = aclrtMemcpyBatchAttr(*sides)
        ret = aclrtMemcpyBatchV2(refer(dst), refer(size), refer(src), refer(size), 1, byref(attr), refer(first), 1)
        assert ret == ACL_SUCCESS
    assert found.tolist() == [1, 2]
    result = c_uint32(9)
    assert aclrtCheckMemType(refer(memory), 1, ACL_RT_MEM_TYPE_DEV, byref(result), 0) == ACL_SUCCESS
    assert result.value == 1


@POINTERS
def test_a_pointer_to_another_type_is_a_type_error(machine: Machine, refer: Callable[[Any], Any]) -> None:
    """The C compiler would refuse it (ours)."""
    with pytest.raises(TypeError, match=r"int64, byref\(x\), pointer\(x\), or None; got"):
        aclCreateIntArray(refer(c_int32(1)), 1)
    with pytest.raises(TypeError, match=r"or None; pass the array itself; got"):
        aclCreateIntArray(refer((c_int64 * 2)(1, 2)), 2)  # an `int64_t (*)[2]`
    with pytest.raises(TypeError, match=r"a list, a tuple or a ctypes array of addresses, byref"):
        aclrtCheckMemType(refer(meta([1])), 1, ACL_RT_MEM_TYPE_DEV, byref(c_uint32()), 0)


def test_byref_of_memory_that_ctypes_does_not_keep_is_probed(machine: Machine) -> None:
    """It is treated as a bare pointer, for which the number of values is not known."""
    values = (c_int64 * 2)(7, 8)
    assert aclCreateIntArray(byref(c_int64.from_buffer(values)), 2)
    assert finding_of(lambda: aclCreateIntArray(byref(c_int64.from_address(0x10)), 1))[0] == "host-overrun"


def test_arrays_given_back_live_as_long_as_the_machine(machine: Machine) -> None:
    """aclGetViewShape and the like fill a POINTER(c_int64), which stays valid after the tensor (ours)."""
    tensor, values, count = meta([4, 5, 6]), POINTER(c_int64)(), c_uint64()
    assert aclGetViewShape(tensor, byref(values), byref(count)) == ACL_SUCCESS
    assert aclDestroyTensor(tensor) == ACL_SUCCESS
    for _ in range(100):
        shape_of(meta([7, 8, 9]))
    assert values[:3] == [4, 5, 6]
