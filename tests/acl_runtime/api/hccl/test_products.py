"""Data types and reductions by product: "Types", "op, restriction"."""

from __future__ import annotations

from ctypes import c_uint64

import numpy as np
import pytest

from acl_runtime import *
from tests.helpers.ranks import Rank, world

CHIPS = {"910": "Ascend910A", "300I Duo": "Ascend310P3", "A2": "Ascend910B1", "A3": "Ascend910_9391",
         "950": "Ascend950PR_9599"}  # fmt: skip
EVERYWHERE = "INT8 UINT8 INT16 UINT16 INT32 UINT32 INT64 UINT64 FP16 FP32 FP64"
MOVED = {
    "910": EVERYWHERE, "300I Duo": EVERYWHERE, "A2": f"{EVERYWHERE} BFP16", "A3": f"{EVERYWHERE} BFP16",
    "950": f"{EVERYWHERE} BFP16 HIF8 FP8E4M3 FP8E5M2 FP8E8M0",
}  # fmt: skip
REDUCED = {
    "910": "INT8 INT32 INT64 FP16 FP32", "300I Duo": "INT8 INT16 INT32 FP16 FP32",
    "A2": "INT8 INT16 INT32 INT64 FP16 FP32 BFP16", "A3": "INT8 INT16 INT32 INT64 FP16 FP32 BFP16",
    "950": "INT8 INT16 INT32 INT64 FP16 FP32 BFP16 UINT64 FP64",
}  # fmt: skip
SCATTERED_ON_A2 = "INT8 INT16 INT32 FP16 FP32 BFP16"


def types(text: str) -> set[int]:
    return {HcclDataType[f"HCCL_DATA_TYPE_{name}"] for name in text.split()}


def accepted(result: int) -> bool:
    assert result in (HCCL_SUCCESS, HCCL_E_NOT_SUPPORT)
    aclGetRecentErrMsg()
    return result == HCCL_SUCCESS


def scatters(rank: Rank, at: int, dtype: int, op: int = HCCL_REDUCE_SUM) -> bool:
    counts, places = (c_uint64 * 1)(1), (c_uint64 * 1)(0)
    return accepted(HcclReduceScatterV(at, counts, places, at + 64, 1, dtype, op, rank.comm, rank.stream))


@pytest.mark.parametrize("product", CHIPS)
def test_the_data_types_of_a_product(product: str) -> None:
    with world(1, soc=CHIPS[product]) as (_, (rank,)):
        at, every = rank.put(np.zeros(32, np.float32)), list(HcclDataType)
        moves = {dtype for dtype in every if accepted(HcclBroadcast(at, 1, dtype, 0, rank.comm, rank.stream))}
        assert moves == types(MOVED[product])
        reduces = {dtype for dtype in every if accepted(rank.all_reduce(at, 1, dtype))}
        assert reduces == types(REDUCED[product])
        parts = {dtype for dtype in every if scatters(rank, at, dtype)}
        assert parts == types(SCATTERED_ON_A2 if product == "A2" else REDUCED[product])
        assert aclrtSynchronizeStream(rank.stream) == ACL_SUCCESS


@pytest.mark.parametrize("product", CHIPS)
def test_the_pairs_of_data_type_and_reduction(product: str) -> None:
    with world(1, soc=CHIPS[product]) as (_, (rank,)):
        at = rank.put(np.zeros(32, np.float32))
        for dtype in types(REDUCED[product]):
            for op in (HCCL_REDUCE_SUM, HCCL_REDUCE_PROD, HCCL_REDUCE_MAX, HCCL_REDUCE_MIN):
                result = accepted(HcclAllReduce(at, at + 64, 1, dtype, op, rank.comm, rank.stream))
                small = dtype in (HCCL_DATA_TYPE_INT16, HCCL_DATA_TYPE_BFP16)
                if product == "300I Duo":
                    assert result == (op == HCCL_REDUCE_SUM or dtype != HCCL_DATA_TYPE_INT16), (dtype, op)
                else:
                    assert result == (op != HCCL_REDUCE_PROD or not small), (dtype, op)
        products = scatters(rank, at, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_PROD)
        assert products == (product in ("910", "950"))
        assert scatters(rank, at, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_MAX) == (product != "300I Duo")
        assert aclrtSynchronizeStream(rank.stream) == ACL_SUCCESS
