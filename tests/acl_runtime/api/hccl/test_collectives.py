"""The results of the operations of all ranks: "hccl.h, results on rank r", against numpy."""

from __future__ import annotations

from ctypes import c_uint64
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from acl_runtime import *
from tests.helpers.ranks import SCHEDULES, floats, queued, world

FP32 = HCCL_DATA_TYPE_FP32
TYPES = {
    HCCL_DATA_TYPE_INT8: np.int8, HCCL_DATA_TYPE_INT16: np.int16, HCCL_DATA_TYPE_INT32: np.int32,
    HCCL_DATA_TYPE_INT64: np.int64, HCCL_DATA_TYPE_FP16: np.float16, HCCL_DATA_TYPE_FP32: np.float32,
    HCCL_DATA_TYPE_BFP16: ml_dtypes.bfloat16,
}  # fmt: skip
JOINS = {
    HCCL_REDUCE_SUM: np.add, HCCL_REDUCE_PROD: np.multiply, HCCL_REDUCE_MAX: np.maximum, HCCL_REDUCE_MIN: np.minimum,
}  # fmt: skip
SIZES = pytest.mark.parametrize("size", [1, 2, 3])
EACH = pytest.mark.parametrize("schedule", SCHEDULES)


def values(size: int, count: int, dtype: Any = np.float32, seed: int = 1) -> Any:
    return np.random.default_rng(seed).integers(-9, 9, (size, count)).astype(dtype)


def arrays(*numbers: int) -> Any:
    return (c_uint64 * len(numbers))(*numbers)


@EACH
@SIZES
def test_all_reduce_gives_the_sum_to_every_rank(size: int, schedule: str) -> None:
    given = values(size, 5)
    with world(size, schedule) as (_, ranks):
        out = [rank.empty(20) for rank in ranks]
        for rank in ranks:
            send = rank.put(given[rank.number])
            queued(HcclAllReduce(send, out[rank.number], 5, FP32, HCCL_REDUCE_SUM, rank.comm, rank.stream))
        for rank in ranks:
            assert rank.get(out[rank.number], 5, np.float32).tolist() == given.sum(0).tolist()


@pytest.mark.fidelity("sums of the ranks")
@pytest.mark.parametrize("op", JOINS)
@pytest.mark.parametrize("dtype", TYPES)
def test_reductions_go_in_the_order_of_the_ranks(dtype: int, op: int) -> None:
    """Elements of 16 bits are computed in FLOAT and rounded once; integers wrap (ours)."""
    kind = TYPES[HcclDataType(dtype)]
    if op == HCCL_REDUCE_PROD and dtype in (HCCL_DATA_TYPE_INT16, HCCL_DATA_TYPE_BFP16):
        return  # refused: test_products
    given = (values(3, 7, np.float32, seed=dtype + 5) * 11.3).astype(kind)
    wide = np.float32 if np.dtype(kind).itemsize == 2 and np.dtype(kind).kind != "i" else kind
    with np.errstate(all="ignore"):
        expected = JOINS[op](JOINS[op](given[0].astype(wide), given[1].astype(wide)), given[2].astype(wide)).astype(
            kind
        )
    with world(3) as (_, ranks):
        out = [rank.put(given[rank.number]) for rank in ranks]
        for rank in ranks:
            place = out[rank.number]
            queued(HcclAllReduce(place, place, 7, dtype, op, rank.comm, rank.stream))
        for rank in ranks:
            assert rank.get(out[rank.number], 7, kind).tobytes() == expected.tobytes()


@EACH
@pytest.mark.parametrize("root", [0, 2])
def test_operations_with_a_root(schedule: str, root: int) -> None:
    """Reduce leaves the recvBuf of other ranks as it is; Scatter takes a null sendBuf from them."""
    given = values(3, 6)
    with world(3, schedule) as (_, ranks):
        sums, buffers, parts = ([rank.put(np.full(6, -1, np.float32)) for rank in ranks] for _ in range(3))
        for rank in ranks:
            send, at = rank.put(given[rank.number]), rank.number
            queued(HcclReduce(send, sums[at], 6, FP32, HCCL_REDUCE_MAX, root, rank.comm, rank.stream))
            if at == root:
                buffers[at] = rank.put(given[root])
            queued(HcclBroadcast(buffers[at], 6, FP32, root, rank.comm, rank.stream))
            source = send if at == root else None
            queued(HcclScatter(source, parts[at], 2, FP32, root, rank.comm, rank.stream))
        for rank in ranks:
            at = rank.number
            expected = given.max(0) if at == root else np.full(6, -1)
            assert rank.get(sums[at], 6, np.float32).tolist() == expected.tolist()
            assert rank.get(buffers[at], 6, np.float32).tolist() == given[root].tolist()
            assert rank.get(parts[at], 2, np.float32).tolist() == given[root][2 * at : 2 * at + 2].tolist()


@EACH
@pytest.mark.parametrize("in_place", [False, True])
def test_all_gather_and_reduce_scatter(schedule: str, in_place: bool) -> None:
    """Public clients (FSDP) pass the rank's own block of the larger buffer."""
    given = values(3, 6)
    with world(3, schedule) as (_, ranks):
        gathered, scattered = [], []
        for rank in ranks:
            at = rank.number
            whole, send = rank.empty(3 * 8), rank.put(given[at])
            part = rank.put(given[at][:2])
            if in_place:
                part = whole + 8 * at
                assert aclrtMemcpy(part, 8, given[at], 8, ACL_MEMCPY_HOST_TO_DEVICE) == ACL_SUCCESS
            out = send + 8 * at if in_place else rank.empty(8)
            queued(HcclAllGather(part, whole, 2, FP32, rank.comm, rank.stream))
            queued(HcclReduceScatter(send, out, 2, FP32, HCCL_REDUCE_SUM, rank.comm, rank.stream))
            gathered.append(whole)
            scattered.append(out)
        for rank in ranks:
            at = rank.number
            assert rank.get(gathered[at], 6, np.float32).tolist() == given[:, :2].ravel().tolist()
            assert rank.get(scattered[at], 2, np.float32).tolist() == given.sum(0)[2 * at : 2 * at + 2].tolist()


@EACH
def test_blocks_of_different_sizes(schedule: str) -> None:
    counts, places = [2, 0, 3], [1, 3, 3]
    given = values(3, 6)
    with world(3, schedule) as (_, ranks):
        gathered, scattered = [], []
        for rank in ranks:
            at, own = rank.number, counts[rank.number]
            whole, part = rank.put(np.zeros(6, np.float32)), rank.empty(12)
            send = rank.put(given[at])
            queued(HcclAllGatherV(send, own, whole, arrays(*counts), arrays(*places), FP32, rank.comm, rank.stream))
            blocks = arrays(*counts), arrays(*places)
            queued(HcclReduceScatterV(send, *blocks, part, own, FP32, HCCL_REDUCE_SUM, rank.comm, rank.stream))
            gathered.append(whole)
            scattered.append(part)
        expected = np.zeros(6, np.float32)
        for at in range(3):
            expected[places[at] : places[at] + counts[at]] = given[at][: counts[at]]
        for rank in ranks:
            at, own = rank.number, counts[rank.number]
            assert rank.get(gathered[at], 6, np.float32).tolist() == expected.tolist()
            assert rank.get(scattered[at], own, np.float32).tolist() == given.sum(0)[places[at] :][:own].tolist()


@EACH
def test_exchanges(schedule: str) -> None:
    """HcclAlltoAll, and the same with counts of each rank's own, and with a matrix of counts."""
    given, matrix = values(2, 6), [[1, 2], [3, 0]]
    with world(2, schedule) as (_, ranks):
        out: list[list[int]] = []
        for rank in ranks:
            at = rank.number
            send, places = rank.put(given[at]), [rank.put(np.zeros(6, np.float32)) for _ in range(3)]
            sends, receives = matrix[at], [row[at] for row in matrix]
            queued(HcclAlltoAll(send, 3, FP32, places[0], 3, FP32, rank.comm, rank.stream))
            there, here = (arrays(*sends), arrays(3, 0)), (arrays(*receives), arrays(2, 0))
            queued(HcclAlltoAllV(send, *there, FP32, places[1], *here, FP32, rank.comm, rank.stream))
            queued(HcclAlltoAllVC(send, arrays(*matrix[0], *matrix[1]), FP32, places[2], FP32, rank.comm, rank.stream))
            out.append(places)
        for rank in ranks:
            at, receives = rank.number, [row[rank.number] for row in matrix]
            equal = np.concatenate([given[0][3 * at : 3 * at + 3], given[1][3 * at : 3 * at + 3]])
            assert rank.get(out[at][0], 6, np.float32).tolist() == equal.tolist()
            own = np.zeros(6, np.float32)
            own[2 : 2 + receives[0]] = given[0][(3, 0)[at] :][: receives[0]]
            own[0 : receives[1]] = given[1][(3, 0)[at] :][: receives[1]]
            assert rank.get(out[at][1], 6, np.float32).tolist() == own.tolist()
            packed = [given[i][sum(matrix[i][:at]) :][: matrix[i][at]] for i in range(2)]
            assert rank.get(out[at][2], sum(receives), np.float32).tolist() == np.concatenate(packed).tolist()


def test_the_figures_of_the_small_checks() -> None:
    """ "n=2, fp32: all_reduce SUM of [1,2] and [10,20] -> [11,22] on both"; "reduce_scatter_tensor n=2" """
    with world(2) as (_, (first, second)):
        a, b = first.put(floats(1, 2, 3, 4)), second.put(floats(10, 20, 30, 40))
        for rank, place in ((first, a), (second, b)):
            out = place + 8 * rank.number
            queued(HcclReduceScatter(place, out, 2, FP32, HCCL_REDUCE_SUM, rank.comm, rank.stream))
        assert first.get(a, 2, np.float32).tolist() == [11, 22]
        assert second.get(b + 8, 2, np.float32).tolist() == [33, 44]
