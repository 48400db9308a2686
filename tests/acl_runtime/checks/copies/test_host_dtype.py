"""The advice `host-dtype`, "for every mismatch that array and tensor show; never for arrays of bytes, unsigned of the
same width, INT32 under INT4, 64-bit scales" (ours)."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import c_double
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from tests.helpers.builders import OnDevice, malloc, on_device, plan, run
from tests.helpers.creating import create_stream, malloc_host
from tests.helpers.machines import SCHEDULES, board
from tests.helpers.memory.ways_to_copy import AT_ONCE, COPIES, Copy
from tests.helpers.outcomes import ok
from tests.helpers.stream_gate import Gate

H2D, D2D = ACL_MEMCPY_HOST_TO_DEVICE, ACL_MEMCPY_DEVICE_TO_DEVICE
VALUES = np.linspace(0, 1, 16)
SIZE = VALUES.nbytes
EACH_SCHEDULE = pytest.mark.parametrize("schedule", SCHEDULES)


def softmax(address: int, dtype: int = ACL_FLOAT, *, stream: Any = None, wait: bool = True) -> None:
    """A launch whose gradient is there."""
    grad = aclCreateTensor([16], 1, dtype, None, 0, ACL_FORMAT_ND, [16], 1, address)
    ones = np.ones(16, np.float32 if dtype == ACL_FLOAT else np.float16)
    planned = plan(aclnnSoftmaxBackwardGetWorkspaceSize, grad, on_device(ones), 0, on_device(ones))
    assert planned.status == ACL_SUCCESS, planned.text
    workspace = malloc(planned.workspace_size) if planned.workspace_size else None
    ok(aclnnSoftmaxBackward(workspace, planned.workspace_size, planned.executor, stream))
    if wait:
        ok(aclrtSynchronizeStream(stream))


def embedding(indices: aclTensor | OnDevice) -> None:
    """A launch that reads indices."""
    grad, out = on_device(np.ones((16, 4), np.float32)), on_device(np.zeros((16, 4), np.float32))
    first, second = aclnnEmbeddingDenseBackwardGetWorkspaceSize, aclnnEmbeddingDenseBackward
    run(first, second, grad, indices, 16, -1, False, out)


def advice(machine: Machine) -> list[str]:
    """The advice about data types, which fails no test."""
    found = [finding for finding in machine.findings if finding.id == "host-dtype"]
    assert [finding.level for finding in found] == ["advice"] * len(found)
    return [finding.what for finding in found]


def filled(values: np.ndarray = VALUES, copy: Copy = AT_ONCE["aclrtMemcpy"]) -> int:
    """Device memory that an array was copied to; its address."""
    address = malloc(SIZE)
    ok(copy(address, values, values.nbytes))
    return address


@pytest.mark.fidelity("an array of the host in a tensor of another data type")
@EACH_SCHEDULE
@pytest.mark.parametrize("copy", COPIES.values(), ids=COPIES)
def test_float64_where_a_float_tensor_reads(copy: Copy, schedule: str) -> None:
    with board(schedule) as machine:
        softmax(filled(copy=copy))
        (finding,) = [each for each in machine.findings if each.id == "host-dtype"]
    assert "reads input `gradOutput` as DT_FLOAT (4 bytes an element)" in finding.what
    assert "an array of float64 (8 bytes an element)" in finding.what
    assert "np.float32" in finding.hint
    assert finding.call == "aclnnSoftmaxBackward"
    assert "128 bytes" in finding.history[0].what
    assert copy.__code__.co_filename in finding.history[0].site  # the line of the copy


def test_the_hint_names_numpys_type_of_the_tensor(machine: Machine) -> None:
    """The hint names numpy's type of the tensor; int64 is reported like float64."""
    ok(aclrtSetDevice(0))
    softmax(filled(), ACL_FLOAT16)
    indices = filled(np.zeros(16, np.int64))
    embedding(aclCreateTensor([16], 1, ACL_INT32, None, 0, ACL_FORMAT_ND, [16], 1, indices))
    found = [each for each in machine.findings if each.id == "host-dtype"]
    assert [("np.float16" in found[0].hint), ("np.int32" in found[1].hint)] == [True, True]
    assert "DT_FLOAT16 (2 bytes an element)" in found[0].what
    assert "array of int64" in found[1].what


RIGHT: dict[str, Any] = {
    "float32": VALUES.astype(np.float32),
    "bytes": VALUES.tobytes(),
    "a view of bytes": VALUES.view(np.uint8),
    "a memoryview": memoryview(VALUES),
    "ctypes": (c_double * 16)(),
    "an address": VALUES.ctypes.data,
    "half as many numbers of another type": VALUES.view(np.complex128),
    "unsigned numbers, which somebody chose": VALUES.view(np.uint64),
}


@pytest.mark.parametrize("source", RIGHT.values(), ids=RIGHT)
def test_no_other_source_is_looked_at(machine: Machine, source: Any) -> None:
    """Only an array says what it holds: "arrays of bytes never"."""
    ok(aclrtSetDevice(0))
    address = malloc(SIZE)
    ok(aclrtMemcpy(address, SIZE, source, 64, H2D))
    softmax(address)
    assert advice(machine) == []


NARROW = (
    ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_INT8, ACL_UINT8, ACL_INT16, ACL_UINT16, ACL_INT32, ACL_UINT32, ACL_BOOL,
)  # fmt: skip
READABLE = (*NARROW, ACL_INT64, ACL_UINT64, ACL_DOUBLE, ACL_COMPLEX64)
MISREAD: dict[str, tuple[int, ...]] = {
    "float64": (*NARROW, ACL_INT64),
    "int64": (*NARROW, ACL_DOUBLE),
    "float32": (ACL_FLOAT16, ACL_BF16, ACL_INT8, ACL_UINT8, ACL_INT16, ACL_UINT16, ACL_INT32, ACL_BOOL),
    "int32": (ACL_FLOAT,),
    "float16": (ACL_BF16,),
    "bfloat16": (ACL_FLOAT16,),
    "uint8": (), "int8": (), "bool": (), "uint16": (), "uint32": (), "uint64": (), "int16": (), "complex64": (),
}  # fmt: skip


@pytest.mark.fidelity("an array of the host in a tensor of another data type")
@pytest.mark.parametrize("name", MISREAD)
def test_an_array_in_a_tensor_of_each_type(name: str) -> None:
    """Bit patterns, packed numbers and pairs are meant; a smaller or another kind of number is not."""
    found: list[int] = []
    for dtype in READABLE:
        with board() as machine:
            address, values = malloc(512), np.ones(64, name)
            ok(aclrtMemset(address, 512, 0, 512))
            ok(aclrtMemcpy(address, 512, values, values.nbytes, H2D))
            tensor = aclCreateTensor([4], 1, dtype, None, 0, ACL_FORMAT_ND, [4], 1, address)
            run(aclnnCastGetWorkspaceSize, aclnnCast, tensor, ACL_FLOAT, on_device(np.ones(4, np.float32)))
            found += [dtype] * len(advice(machine))
    assert found == [dtype for dtype in READABLE if dtype in MISREAD[name]]


def test_elements_of_8_bytes_are_what_was_meant() -> None:
    """int64 indices, and doubles, which are indices too: the first use decides."""
    with board() as machine:
        embedding(on_device(np.zeros(16, np.int64)))
        assert advice(machine) == []
    with board() as machine:
        indices = filled(np.zeros(16))
        embedding(aclCreateTensor([16], 1, ACL_DOUBLE, None, 0, ACL_FORMAT_ND, [16], 1, indices))
        embedding(aclCreateTensor([16], 1, ACL_INT32, None, 0, ACL_FORMAT_ND, [16], 1, indices))
        assert advice(machine) == []


OVERWRITES: dict[str, Callable[[int], int]] = {
    "aclrtMemcpy of float32": lambda at: aclrtMemcpy(at, SIZE, VALUES.astype(np.float32), 64, H2D),
    "aclrtMemcpy of the device": lambda at: aclrtMemcpy(at, SIZE, on_device(np.ones(16, np.float32)).address, 64, D2D),
    "aclrtMemset": lambda at: aclrtMemset(at, SIZE, 0, SIZE),
    "aclrtMemsetAsync": lambda at: aclrtMemsetAsync(at, SIZE, 0, SIZE, None),
    "a part of it": lambda at: aclrtMemset(at, SIZE, 0, 4),
}


@EACH_SCHEDULE
@pytest.mark.parametrize("write", OVERWRITES.values(), ids=OVERWRITES)
def test_what_is_overwritten_is_forgotten(write: Callable[[int], int], schedule: str) -> None:
    with board(schedule) as machine:
        address = filled()
        ok(write(address))
        softmax(address)
        assert advice(machine) == []


def test_an_array_that_an_operator_overwrites_is_not_found(machine: Machine) -> None:
    """np.zeros is float64 too: what an operator writes over is no matter."""
    ok(aclrtSetDevice(0))
    ones, address = on_device(np.ones(16, np.float32)), filled(np.zeros(16))
    out = aclCreateTensor([16], 1, ACL_FLOAT, None, 0, ACL_FORMAT_ND, [16], 1, address)
    run(aclnnSoftmaxBackwardGetWorkspaceSize, aclnnSoftmaxBackward, ones, ones, 0, out)
    softmax(address)
    assert advice(machine) == []


def test_memory_that_was_freed_and_other_bytes(machine: Machine) -> None:
    ok(aclrtSetDevice(0))
    ok(aclrtFree(filled()))
    address = malloc(2 * SIZE)
    ok(aclrtMemset(address, 2 * SIZE, 0, 2 * SIZE))
    ok(aclrtMemcpy(address + SIZE, SIZE, VALUES, SIZE, H2D))
    softmax(address)
    assert advice(machine) == []
    softmax(address + SIZE)
    assert len(advice(machine)) == 1


def test_a_loop_is_told_once_and_each_line_is(machine: Machine) -> None:
    """By the line of the copy; and where all launches are alike, of which the second is not looked at in full."""
    ok(aclrtSetDevice(0))
    address, right = malloc(SIZE), VALUES.astype(np.float32)
    ones = on_device(right)
    grad = aclCreateTensor([16], 1, ACL_FLOAT, None, 0, ACL_FORMAT_ND, [16], 1, address)
    for turn in range(6):
        if turn < 3:
            ok(aclrtMemcpy(address, SIZE, right, 64, H2D))
        else:
            ok(aclrtMemcpy(address, SIZE, VALUES, 64, H2D))
        run(aclnnSoftmaxBackwardGetWorkspaceSize, aclnnSoftmaxBackward, grad, ones, 0, ones)
        assert len(advice(machine)) == (turn >= 3)
    ok(aclrtMemcpy(address, SIZE, VALUES, 64, H2D))
    run(aclnnSoftmaxBackwardGetWorkspaceSize, aclnnSoftmaxBackward, grad, ones, 0, ones)
    assert len(advice(machine)) == 2


@EACH_SCHEDULE
def test_the_order_is_that_of_the_stream(schedule: str) -> None:
    """A launch in front of the queued copy read what was there before, though it runs when the copy is queued."""
    with board(schedule) as machine:
        stream, address = create_stream(), filled(VALUES.astype(np.float32))
        host = np.frombuffer((c_double * 16).from_address(malloc_host(SIZE)), np.float64)
        gate = Gate(stream)
        softmax(address, stream=stream, wait=False)
        ok(aclrtMemcpyAsync(address, SIZE, host, SIZE, H2D, stream))
        gate.open()
        ok(aclrtSynchronizeStream(stream))
        assert advice(machine) == []
        softmax(address, stream=stream)
        assert len(advice(machine)) == 1


def test_it_can_be_allowed(machine: Machine) -> None:
    ok(aclrtSetDevice(0))
    with machine.allow("host-dtype", reason="the halves are meant") as allowance:
        softmax(filled())
    assert (advice(machine), allowance.times) == ([], 1)


def test_without_checks_nothing_is_found() -> None:
    with board(checks=False) as machine:
        softmax(filled())
        assert advice(machine) == []
