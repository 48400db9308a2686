"""aclTensor: creation, aclInitTensor, getters, setters (public)."""

import ctypes
import mmap
from collections.abc import Callable, Sequence
from ctypes import POINTER, byref, c_int32, c_int64, c_uint64, c_void_p
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine, UndefinedBehaviour
from acl_runtime.boundary import for_c
from aclnn import *
from tests.conftest import check_documented
from tests.helpers.builders import malloc, meta, plan
from tests.helpers.outcomes import assert_status, finding_of


def described(tensor: aclTensor) -> dict[str, Any]:
    """The results of all getters."""
    found: dict[str, Any] = {}
    for name, getter in (
        ("shape", aclGetViewShape), ("strides", aclGetViewStrides), ("storage", aclGetStorageShape),
    ):  # fmt: skip
        values, count = POINTER(c_int64)(), c_uint64(99)
        assert getter(tensor, byref(values), byref(count)) == ACLNN_SUCCESS
        found[name] = values[: count.value]
    offset, format, dtype, address = c_int64(), c_int32(), c_int32(), c_void_p()
    assert aclGetViewOffset(tensor, byref(offset)) == aclGetFormat(tensor, byref(format)) == ACLNN_SUCCESS
    assert aclGetDataType(tensor, byref(dtype)) == aclGetRawTensorAddr(tensor, byref(address)) == ACLNN_SUCCESS
    return found | {"offset": offset.value, "format": format.value, "dtype": dtype.value, "address": address.value}


def create(
    shape: Sequence[int] | None = (2, 3), num: int = 2, dtype: int = ACL_FLOAT16,
    strides: Sequence[int] | None = (4, 1), offset: int = 5, format: int = ACL_FORMAT_NCHW,
    storage: Sequence[int] | None = (20,), storage_num: int = 1, address: Any = 0x1000,
) -> aclTensor:  # fmt: skip
    return aclCreateTensor(shape, num, dtype, strides, offset, format, storage, storage_num, address)


FULL = {"shape": [2, 3], "strides": [4, 1], "storage": [20], "offset": 5, "format": ACL_FORMAT_NCHW,
        "dtype": ACL_FLOAT16, "address": 0x1000}  # fmt: skip
CREATED: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "as given": ({}, {}),
    "stride null -> row-major of the view": ({"strides": None}, {"strides": [3, 1]}),
    "rank 0: null with num 0": ({"shape": None, "num": 0, "strides": None}, {"shape": [], "strides": []}),
    "rank 0: an empty list": ({"shape": (), "num": 0, "strides": ()}, {"shape": [], "strides": []}),
    "storage null with num 0": ({"storage": None, "storage_num": 0}, {"storage": []}),
    "tensorData null": ({"address": None}, {"address": None}),
    "negative dims, strides and offset are not checked": (
        {"shape": (2, -3), "strides": (-4, 1), "offset": -5}, {"shape": [2, -3], "strides": [-4, 1], "offset": -5},
    ),
    "a view outside its storage is not checked": ({"offset": 10**6}, {"offset": 10**6}),
    "num 0 reads no shape": ({"num": 0}, {"shape": [], "strides": []}),
    "row-major of an empty shape": ({"shape": (2, 0), "strides": None}, {"shape": [2, 0], "strides": [0, 1]}),
}  # fmt: skip


@pytest.mark.parametrize(("arguments", "changed"), CREATED.values(), ids=CREATED)
def test_a_tensor_remembers_what_it_was_created_with(
    machine: Machine, arguments: dict[str, Any], changed: dict[str, Any]
) -> None:
    """A tensor keeps the values of its arguments (public)."""
    tensor = create(**arguments)
    assert tensor
    assert described(tensor) == FULL | changed
    assert not machine.findings.worth_telling


@pytest.mark.parametrize(
    "arguments", [{"shape": None}, {"storage": None}], ids=["viewDims null, num > 0", "storageDims null, num > 0"]
)
def test_create_refuses_silently(machine: Machine, arguments: dict[str, Any]) -> None:
    """Null dims with a count: NULL, and no error text is recorded (public)."""
    assert not create(**arguments)
    assert aclGetRecentErrMsg() is None
    assert not machine.findings.worth_telling


def test_arrays_are_copied(machine: Machine) -> None:
    """Every array argument is copied, so its owner may change or free it (public)."""
    shape, strides, storage = [2, 3], np.array([4, 1]), (c_int64 * 1)(20)
    tensor = aclCreateTensor(shape, 2, ACL_FLOAT16, strides, 5, ACL_FORMAT_NCHW, storage, 1, 0x1000)
    shape[0], strides[0], storage[0] = 7, 7, 7
    assert described(tensor) == FULL


REINITIALISED: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "everything": (
        {"shape": [6], "strides": [2], "storage": [12], "address": 0x2000},
        {"shape": [6], "strides": [2], "storage": [12], "address": 0x2000},
    ),
    "viewDims null keeps the old view shape": ({"shape": None}, {"strides": [3, 1]}),
    "viewDims with num 0 keeps the old view shape": ({"shape": []}, {"strides": [3, 1]}),
    "stride null -> row-major of the new shape": ({"shape": [3, 4]}, {"shape": [3, 4], "strides": [4, 1]}),
    "storageDims null keeps the old storage shape": ({"storage": None}, {"strides": [3, 1]}),
    "a null address keeps the old one": ({"address": None}, {"strides": [3, 1]}),
}  # fmt: skip


@pytest.mark.parametrize(("given", "changed"), REINITIALISED.values(), ids=REINITIALISED)
def test_init_tensor_keeps_what_is_null(machine: Machine, given: dict[str, Any], changed: dict[str, Any]) -> None:
    """aclInitTensor keeps what is null; data type, format and offset are always overwritten (public)."""
    values = {"shape": None, "strides": None, "storage": None, "address": None} | given
    shape, storage = values["shape"], values["storage"]
    tensor = create()
    status = aclInitTensor(
        tensor, shape, len(shape or ()), ACL_FLOAT, values["strides"], 0, ACL_FORMAT_NHWC, storage, len(storage or ()),
        values["address"],
    )  # fmt: skip
    assert status == ACLNN_SUCCESS
    assert described(tensor) == FULL | {"dtype": ACL_FLOAT, "offset": 0, "format": ACL_FORMAT_NHWC} | changed


FAR = 4096


@pytest.mark.parametrize("apart", [4, 64, FAR], ids=["side by side", "64 values apart", "far apart"])
@pytest.mark.parametrize("first", range(3), ids=["shape first", "strides first", "storage first"])
def test_a_caller_in_c_passes_three_arrays(machine: Machine, apart: int, first: int) -> None:
    """They are read by one system call where they lie together, in any order."""
    memory, values = np.full(3 * FAR, -1, np.int64), [(2, 3), (6, 2), (24,)]
    starts = [(number + first) % 3 * apart for number in range(3)]
    for start, each in zip(starts, values, strict=True):
        memory[start : start + len(each)] = each
    view, strides, storage = (memory.ctypes.data + 8 * start for start in starts)
    tensor = for_c(aclCreateTensor)(view, 2, ACL_FLOAT, strides, 1, ACL_FORMAT_ND, storage, 1, None)
    found = described(tensor)
    assert (found["shape"], found["strides"], found["storage"], found["offset"]) == ([2, 3], [6, 2], [24], 1)


def test_an_array_of_a_caller_in_c_that_cannot_be_read(machine: Machine) -> None:
    """The two arrays beside it can: it begins behind the last page."""
    with mmap.mmap(-1, 2 * mmap.PAGESIZE) as pages:
        start = ctypes.addressof(ctypes.c_char.from_buffer(pages))
        assert ctypes.CDLL(None).mprotect(ctypes.c_void_p(start + mmap.PAGESIZE), mmap.PAGESIZE, 0) == 0
        end = start + mmap.PAGESIZE
        create_ = for_c(aclCreateTensor)
        assert create_(end - 32, 2, ACL_FLOAT, end - 16, 0, ACL_FORMAT_ND, end - 48, 1, None)
        with pytest.raises(UndefinedBehaviour, match="storageDims holds 0 value"):
            create_(end - 32, 2, ACL_FLOAT, end - 16, 0, ACL_FORMAT_ND, end, 1, None)


def init(tensor: aclTensor | None, storage: Sequence[int] = (2,), num: int = 1) -> int:
    return aclInitTensor(tensor, [2], 1, ACL_FLOAT, None, 0, ACL_FORMAT_ND, storage, num, None)


def test_init_of_a_null_tensor_is_161001(machine: Machine) -> None:
    """Tensor NULL -> 161001 (public)."""
    assert_status(init(None), ACLNN_ERR_PARAM_NULLPTR, "tensor")


def test_init_that_raises_has_no_effect(machine: Machine) -> None:
    """A call that raises undefined behaviour has no effect (ours)."""
    tensor = create()
    assert finding_of(lambda: init(tensor, storage=[2], num=2))[0] == "host-overrun"
    assert described(tensor) == FULL


def test_init_with_strides_of_a_shape_that_is_kept(machine: Machine) -> None:
    """The old shape stays, and a later use of the tensor raises no internal error of the emulator (ours)."""
    tensor, other = meta([2, 3]), meta([2, 3])
    status = aclInitTensor(tensor, None, 0, ACL_FLOAT, [3, 1], 0, ACL_FORMAT_ND, None, 0, None)
    assert status == ACLNN_SUCCESS
    assert described(tensor)["shape"] == [2, 3]
    assert isinstance(plan(aclnnSoftmaxBackwardGetWorkspaceSize, tensor, other, 0, other).status, int)


def test_the_raw_address_is_without_the_offset(machine: Machine) -> None:
    """The raw address does not include the offset. It can be set, also to null (public)."""
    address, tensor = malloc(64), create()
    for value, expected in ((address, address), (c_void_p(address + 32), address + 32), (None, None)):
        assert aclSetRawTensorAddr(tensor, value) == ACLNN_SUCCESS
        assert described(tensor) == FULL | {"address": expected}
    assert_status(aclSetRawTensorAddr(None, address), ACLNN_ERR_PARAM_NULLPTR, "(EZ1011)", "tensor")


GETTERS: dict[str, tuple[Callable[..., int], list[str]]] = {
    "aclGetViewShape": (aclGetViewShape, ["viewDims", "viewDimsNum"]),
    "aclGetStorageShape": (aclGetStorageShape, ["storageDims", "storageDimsNum"]),
    "aclGetViewStrides": (aclGetViewStrides, ["stridesValue", "stridesNum"]),
    "aclGetViewOffset": (aclGetViewOffset, ["offset"]),
    "aclGetFormat": (aclGetFormat, ["format"]),
    "aclGetDataType": (aclGetDataType, ["dataType"]),
    "aclGetRawTensorAddr": (aclGetRawTensorAddr, ["addr"]),
}


@pytest.mark.parametrize(("getter", "outputs"), GETTERS.values(), ids=GETTERS)
def test_getters_refuse_null(machine: Machine, getter: Callable[..., int], outputs: list[str]) -> None:
    """Any NULL argument -> 161001, and nothing is written (public)."""
    assert_status(getter(None, *[None] * len(outputs)), ACLNN_ERR_PARAM_NULLPTR, getter.__name__, "tensor")
    for missing in range(len(outputs)):
        pointers: list[Any] = [POINTER(c_int64)(), c_uint64(99)] if len(outputs) == 2 else [None]
        given = [None if i == missing else byref(pointer) for i, pointer in enumerate(pointers)]
        assert_status(getter(create(), *given), ACLNN_ERR_PARAM_NULLPTR, getter.__name__, outputs[missing])
        assert len(outputs) == 1 or (not pointers[0] and pointers[1].value == 99)


def test_destroying_a_null_tensor_succeeds(machine: Machine) -> None:
    """NULL -> 0 (public)."""
    assert aclDestroyTensor(None) == aclDestroyTensor(aclTensor()) == ACLNN_SUCCESS
    assert aclGetRecentErrMsg() is None


def test_a_dead_tensor_is_361001_in_report_mode() -> None:
    """A call with a dead tensor has no effect and returns 361001 (ours)."""
    with Machine(on_undefined="report") as machine:
        tensor, offset = create(), c_int64(99)
        assert aclDestroyTensor(tensor) == ACLNN_SUCCESS
        assert_status(aclGetViewOffset(tensor, byref(offset)), ACLNN_ERR_RUNTIME_ERROR, "tensor 1")
        assert offset.value == 99
        assert init(tensor) == aclSetRawTensorAddr(tensor, None) == aclDestroyTensor(tensor) == ACLNN_ERR_RUNTIME_ERROR
        found = [finding.id for finding in machine.findings.worth_telling]
        assert found == ["dead-handle"] * 3 + ["tensor-double-destroy"]
    check_documented(machine)
