"""Scalars, arrays and lists: creation, sizes, destruction (public)."""

from collections.abc import Callable
from ctypes import byref, c_double, c_float, c_int64, c_uint64
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.objects.handle_table import Scalar
from tests.conftest import check_documented
from tests.helpers.builders import meta
from tests.helpers.outcomes import assert_status, finding_of, text

SCALARS: dict[str, tuple[Any, int, bytes]] = {
    "byref(c_float)": (byref(c_float(1)), ACL_FLOAT, b"\0\0\x80?"),
    "c_double": (c_double(1), ACL_DOUBLE, b"\0\0\0\0\0\0\xf0?"),
    "a numpy array": (np.array([3, 4]), ACL_INT64, b"\3\0\0\0\0\0\0\0"),
    "bytes": (b"\1", ACL_BOOL, b"\1"),
    "bfloat16": (np.ones(1, ml_dtypes.bfloat16), ACL_BF16, b"\x80?"),
    "complex": (np.array([1 + 2j]), ACL_COMPLEX128, np.array([1 + 2j]).tobytes()),
}


@pytest.mark.parametrize(("value", "dtype", "held"), SCALARS.values(), ids=SCALARS)
def test_a_scalar_copies_the_bytes_of_its_type(machine: Machine, value: Any, dtype: int, held: bytes) -> None:
    """The value is copied, as many bytes as its data type has (public)."""
    scalar = aclCreateScalar(value, dtype)
    found = machine.handles.find(scalar.value or 0, Scalar)
    assert found is not None
    assert (found.value, found.dtype) == (held, dtype)
    assert aclDestroyScalar(scalar) == ACLNN_SUCCESS


def test_a_scalar_is_a_copy(machine: Machine) -> None:
    """The source buffer may change or die (public)."""
    value = c_int64(5)
    scalar = aclCreateScalar(byref(value), ACL_INT64)
    value.value = 6
    found = machine.handles.find(scalar.value or 0, Scalar)
    assert found is not None
    assert int.from_bytes(found.value, "little") == 5


def test_a_scalar_of_a_null_value_is_null(machine: Machine) -> None:
    """Value NULL -> NULL, silently (public)."""
    assert not aclCreateScalar(None, ACL_FLOAT)
    assert aclGetRecentErrMsg() is None


@pytest.mark.parametrize("dtype", [ACL_STRING, ACL_COMPLEX32, ACL_INT4, ACL_UINT1, ACL_DT_UNDEFINED, 42], ids=repr)
def test_a_scalar_of_an_unsupported_type_is_null_with_ez1006(machine: Machine, dtype: int) -> None:
    """NULL, and an EZ1006 with an EZ9999 behind it (public)."""
    assert not aclCreateScalar(bytes(16), dtype)
    found = text()
    assert "(EZ1006)" in found.splitlines()[0]
    assert "DT_FLOAT,DT_FLOAT16," in found
    assert found.splitlines()[-1] == "        aclCreateScalar error."


@pytest.mark.parametrize("dtype", [0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 16, 17, 27, *range(34, 42)])
def test_a_scalar_accepts_the_documented_types(machine: Machine, dtype: int) -> None:
    """The accepted data types (public)."""
    assert aclCreateScalar(bytes(16), dtype)


def test_scalar_from_too_small_an_object(machine: Machine) -> None:
    """Where the size of the host object is known, a read beyond it is host-overrun (ours)."""
    id, message = finding_of(lambda: aclCreateScalar(byref(c_float(1)), ACL_DOUBLE))
    assert (id, "value has 4 bytes, but 8 are read" in message) == ("host-overrun", True)
    id, message = finding_of(lambda: aclCreateScalar(0x10, ACL_FLOAT))
    assert (id, "value" in message) == ("host-overrun", True)


@pytest.mark.parametrize("value", [c_float(1), 0x10], ids=["too small", "wild"])
def test_a_scalar_past_its_host_memory_is_null_in_report_mode(value: Any) -> None:
    """A device would crash: here aclCreateScalar does nothing and returns null (ours)."""
    with Machine(on_undefined="report") as machine:
        assert not aclCreateScalar(value, ACL_DOUBLE)
        assert [finding.id for finding in machine.findings.worth_telling] == ["host-overrun"]


Calls = tuple[Callable[..., Any], Callable[..., int], Callable[..., int]]
ARRAYS: dict[str, Calls] = {
    "IntArray": (aclCreateIntArray, aclGetIntArraySize, aclDestroyIntArray),
    "FloatArray": (aclCreateFloatArray, aclGetFloatArraySize, aclDestroyFloatArray),
    "BoolArray": (aclCreateBoolArray, aclGetBoolArraySize, aclDestroyBoolArray),
}
LISTS: dict[str, Calls] = {
    "TensorList": (aclCreateTensorList, aclGetTensorListSize, aclDestroyTensorList),
    "ScalarList": (aclCreateScalarList, aclGetScalarListSize, aclDestroyScalarList),
}
EVERY = ARRAYS | LISTS


def members(kind: str) -> list[Any]:
    if kind == "TensorList":
        return [meta([1]), None, meta([2])]
    return [aclCreateScalar(bytes(4), ACL_FLOAT), None, aclScalar()] if kind == "ScalarList" else [1, 0, 1]


@pytest.mark.parametrize("kind", EVERY)
def test_null_or_size_0_makes_an_empty_array(machine: Machine, kind: str) -> None:
    """NULL or size 0 -> a valid empty array. Else its size is the count, not the length (public)."""
    create, size_of, destroy = EVERY[kind]
    values = members(kind)
    for given, count, size in ((values, 3, 3), (values, 2, 2), (values, 0, 0), (None, 0, 0), (None, 3, 0)):
        made, written = create(given, count), c_uint64(99)
        assert made
        assert size_of(made, byref(written)) == ACLNN_SUCCESS
        assert written.value == size
    assert destroy(made) == ACLNN_SUCCESS


@pytest.mark.parametrize("kind", EVERY)
def test_getters_refuse_null_and_destroyers_take_it(machine: Machine, kind: str) -> None:
    """Getters: any NULL -> 161001; destroy: NULL -> 0 (public)."""
    create, size_of, destroy = EVERY[kind]
    assert_status(size_of(None, byref(c_uint64())), ACLNN_ERR_PARAM_NULLPTR, "(EZ1011)", size_of.__name__)
    assert_status(size_of(create(None, 0), None), ACLNN_ERR_PARAM_NULLPTR, "(EZ1011)", "size")
    assert destroy(None) == ACLNN_SUCCESS


@pytest.mark.parametrize("kind", [*EVERY, "Scalar"])
def test_destroying_a_value_twice_is_undefined(machine: Machine, kind: str) -> None:
    """Undefined: a finding that names the line of the first destruction (public; ours)."""
    destroy = EVERY[kind][2] if kind in EVERY else aclDestroyScalar
    made = EVERY[kind][0](members(kind), 3) if kind in EVERY else aclCreateScalar(bytes(4), ACL_FLOAT)
    assert destroy(made) == ACLNN_SUCCESS
    id, message = finding_of(lambda: destroy(made))
    assert id == "tensor-double-destroy"
    assert "destroyed at" in message
    assert "test_values.py:" in message


def test_a_list_takes_its_members_along(machine: Machine) -> None:
    """Destroying a list destroys every member, tolerates null members, and destroys a member once even if it is listed
    twice (public)."""
    tensor, other = meta([1]), meta([2])
    assert aclDestroyTensorList(aclCreateTensorList([tensor, None, tensor], 3)) == ACLNN_SUCCESS
    id, message = finding_of(lambda: aclGetViewShape(tensor, None, None))
    assert (id, "destroyed with tensor list 1" in message) == ("dead-handle", True)
    assert aclDestroyTensor(other) == ACLNN_SUCCESS
    assert not [finding for finding in machine.findings if finding.level == "warning"]


def test_a_list_whose_member_is_gone(machine: Machine) -> None:
    """Members must not be destroyed separately; the call that raises had no effect (public)."""
    tensors = [meta([1]), meta([2])]
    made = aclCreateTensorList(tensors, 2)
    aclDestroyTensor(tensors[1])
    id, message = finding_of(lambda: aclDestroyTensorList(made))
    assert id == "tensor-double-destroy"
    assert "tensor list 1" in message
    assert "test_values.py:" in message
    assert aclGetTensorListSize(made, byref(c_uint64())) == aclDestroyTensor(tensors[0]) == ACLNN_SUCCESS


def test_a_dead_value_is_361001_in_report_mode() -> None:
    """A call with a dead object has no effect and returns 361001 (ours)."""
    with Machine(on_undefined="report") as machine:
        for create, size_of, destroy in EVERY.values():
            made = create(None, 0)
            assert destroy(made) == ACLNN_SUCCESS
            assert_status(size_of(made, byref(c_uint64())), ACLNN_ERR_RUNTIME_ERROR, "is gone")
            assert_status(destroy(made), ACLNN_ERR_RUNTIME_ERROR, "is gone")
        assert len(machine.findings) == 2 * len(EVERY)
    check_documented(machine)
