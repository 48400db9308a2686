"""INT4 in memory: two elements in a byte, "even index in the low nibble" (ours). Operators of the test copy and add
such tensors, and compute them from others and others from them, as quantisation does."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from acl_runtime import *
from acl_runtime.headers.dtypes import data_type_of
from aclnn.engine.numbers.casting import unpack_int4
from aclnn.engine.operator import planned
from aclnn.engine.planning import Planning
from tests.helpers.builders import malloc, meta, plan
from tests.helpers.machines import SCHEDULES, board
from tests.helpers.outcomes import ok
from tests.helpers.weights import fetched, filled, launch_pair

SHAPES = [(), (1,), (2,), (7,), (3, 5), (4, 6), (2, 3, 9)]


def doubled(x: np.ndarray) -> np.ndarray:
    return x + x


@planned("aclnnNeg")
def copy(p: Planning) -> None:
    """out = self, in the data type of out."""
    p.store("out", p.read("self"))


def same(x: np.ndarray) -> np.ndarray:
    return x


@planned("aclnnExp")
def convert(p: Planning) -> None:
    """out = self, in the data type of out, by a kernel of the operator."""
    p.store("out", p.step(same, [p.read("self")], p.shape("self"), p.dtype("out")))


@planned("aclnnAbs")
def twice(p: Planning) -> None:
    """out = self + self, by way of the workspace."""
    first = p.step(doubled, [p.read("self")], p.shape("self"), p.dtype("self"))
    p.store("out", p.step(doubled, [first], p.shape("self"), p.dtype("self")))


def packed_by_hand(values: np.ndarray, start: int = 0, size: int = 0, rest: int = 0) -> np.ndarray:
    """The bytes of these elements from element `start` on, nibble by nibble; the others are `rest`."""
    flat = values.reshape(-1).tolist()
    nibbles = [rest] * max(start + len(flat) + (start + len(flat)) % 2, 2 * size)
    nibbles[start : start + len(flat)] = [value & 15 for value in flat]
    return np.array([low | high << 4 for low, high in zip(nibbles[::2], nibbles[1::2], strict=True)], np.uint8)


def some(shape: Sequence[int], seed: int = 0) -> np.ndarray:
    return np.random.default_rng([seed, *shape]).integers(-8, 8, shape, np.int8)


def int4(address: int, shape: Sequence[int], *, offset: int = 0, strides: Sequence[int] | None = None) -> aclTensor:
    storage = [prod(shape) + offset]
    given = None if strides is None else list(strides)
    return aclCreateTensor(list(shape), len(shape), ACL_INT4, given, offset, ACL_FORMAT_ND, storage, 1, address)


def dense(address: int, shape: Sequence[int], dtype: Any) -> aclTensor:
    kind = data_type_of(np.dtype(dtype))
    return aclCreateTensor(list(shape), len(shape), kind, None, 0, ACL_FORMAT_ND, list(shape), len(shape), address)


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_a_tensor_is_read_and_written_in_packed_form(shape: tuple[int, ...], schedule: str) -> None:
    values = some(shape)
    bytes_ = packed_by_hand(values)
    with board(schedule, on_undefined="raise"):
        target = malloc(bytes_.nbytes)
        launch_pair(twice.pairs["aclnnAbs"], int4(filled(bytes_), shape), int4(target, shape))
        found = unpack_int4(fetched(target, bytes_.shape, np.uint8), values.size)
        expected = [((4 * value + 8) & 15) - 8 for value in values.reshape(-1).tolist()]
        assert found.tolist() == expected


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.float16, ml_dtypes.bfloat16, np.float32])
def test_a_kernel_that_reads_int4_gets_the_values(dtype: Any) -> None:
    values = some((3, 5))
    with board(on_undefined="raise"):
        target = malloc(15 * np.dtype(dtype).itemsize)
        given = int4(filled(packed_by_hand(values)), values.shape)
        launch_pair(convert.pairs["aclnnExp"], given, dense(target, values.shape, dtype))
        assert fetched(target, values.shape, dtype).astype(np.float32).tolist() == values.tolist()


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.float16, np.float32])
def test_a_kernel_that_writes_int4_gives_the_values(dtype: Any) -> None:
    values = some((3, 5))
    with board(on_undefined="raise"):
        target = malloc(8)
        launch_pair(convert.pairs["aclnnExp"], dense(filled(values.astype(dtype)), values.shape, dtype),
                    int4(target, values.shape))  # fmt: skip
        assert unpack_int4(fetched(target, (8,), np.uint8), 15).tolist() == values.reshape(-1).tolist()


@pytest.mark.fidelity("a strided view of an INT4 tensor")
@pytest.mark.parametrize("start", [0, 1, 2, 5])
@pytest.mark.parametrize("count", [1, 2, 4, 7])
def test_an_offset_counts_elements_and_the_neighbours_in_a_byte_stay(start: int, count: int) -> None:
    values = some((count,))
    before = np.full(8, 0x99, np.uint8)
    with board(on_undefined="raise"):
        target = filled(before)
        source = int4(filled(packed_by_hand(values, start)), (count,), offset=start)
        launch_pair(copy.pairs["aclnnNeg"], source, int4(target, (count,), offset=start))
        assert fetched(target, (8,), np.uint8).tolist() == packed_by_hand(values, start, 8, 9).tolist()


def test_an_odd_number_of_elements_needs_the_byte_of_the_last_one() -> None:
    """5 elements take 3 bytes, which are all that is allocated: nothing reaches out of them."""
    with board(on_undefined="raise") as machine:
        source = filled(packed_by_hand(some((5,))))
        launch_pair(copy.pairs["aclnnNeg"], int4(source, (5,)), int4(malloc(3), (5,)))
        assert list(machine.findings) == []


@pytest.mark.parametrize(("count", "found"), [(6, []), (7, ["storage-exceeds-alloc"])])
def test_the_storage_is_measured_in_half_bytes(count: int, found: list[str]) -> None:
    with board(on_undefined="report") as machine:
        target = malloc(4)
        launch_pair(copy.pairs["aclnnNeg"], int4(filled(np.zeros(3, np.uint8)), (count,)), int4(target, (count,)))
        assert [finding.id for finding in machine.findings] == found


def test_unwritten_bytes_of_a_packed_tensor_are_found() -> None:
    with board(on_undefined="report") as machine:
        source = malloc(4)
        ok(aclrtMemset(source, 3, 0, 3))
        launch_pair(copy.pairs["aclnnNeg"], int4(source, (6,)), int4(malloc(4), (6,)))
        assert [finding.id for finding in machine.findings] == []
        launch_pair(copy.pairs["aclnnNeg"], int4(source, (7,)), int4(malloc(4), (7,)))
        assert [finding.id for finding in machine.findings] == ["uninit-read"]


@pytest.mark.fidelity("a strided view of an INT4 tensor")
@pytest.mark.parametrize("which", ["self", "out"])
def test_a_strided_view_is_refused(which: str) -> None:
    with board():
        views = {each: int4(malloc(8), (4, 4), strides=(1, 4) if each == which else None) for each in ("self", "out")}
        planned = plan(copy.pairs["aclnnNeg"][0], views["self"], views["out"])
        assert planned.status == ACLNN_ERR_INNER_NULLPTR
        assert "INT4" in planned.text


def test_a_large_tensor_is_not_computed_in_tiles_of_bytes() -> None:
    values = some((1 << 19,))
    with board(on_undefined="raise"):
        bytes_ = packed_by_hand(values)
        target = malloc(values.size)
        launch_pair(convert.pairs["aclnnExp"], int4(filled(bytes_), values.shape), dense(target, values.shape, np.int8))
        assert np.array_equal(fetched(target, values.shape, np.int8), values)


# 8-bit floats


@pytest.mark.parametrize("dtype", [ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2])
@pytest.mark.parametrize("other", [np.float32, np.float16, ml_dtypes.bfloat16])
def test_a_kernel_between_an_8_bit_float_and_a_wider_one(dtype: Any, other: Any) -> None:
    values = np.random.default_rng(0).uniform(-8, 8, (5, 7)).astype(other)
    narrow = values.astype(np.float32).astype(dtype)
    with board(on_undefined="raise"):
        target, back = malloc(35), malloc(values.nbytes)
        eight = dense(target, values.shape, dtype)
        launch_pair(convert.pairs["aclnnExp"], dense(filled(values), values.shape, other), eight)
        assert fetched(target, values.shape, dtype).tobytes() == narrow.tobytes()
        launch_pair(convert.pairs["aclnnExp"], eight, dense(back, values.shape, other))
        assert fetched(back, values.shape, other).tobytes() == narrow.astype(np.float32).astype(other).tobytes()


@pytest.mark.parametrize("other", [ACL_INT4, ACL_FLOAT8_E5M2, ACL_FLOAT8_E4M3FN])
@pytest.mark.parametrize("there", [True, False], ids=["to it", "from it"])
def test_the_cast_of_the_library_has_neither_int4_nor_8_bit_floats(other: int, there: bool) -> None:
    """ "Any other pair makes the step return null": 561103."""
    with board():
        types = (ACL_FLOAT, other) if there else (other, ACL_FLOAT)
        planned = plan(copy.pairs["aclnnNeg"][0], *(meta([4], each) for each in types))
        assert planned.status == ACLNN_ERR_INNER_NULLPTR
        assert "Cast of out from" in planned.text
