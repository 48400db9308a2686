"""The order of the checks: "order of checks in the calls", 910, A2 and A3; those of 950 where they differ.

Each row has a good call of one operation, and its mistakes in the order in which they are found. A call with several
mistakes returns the result of the first.
"""

from __future__ import annotations

from collections.abc import Callable
from ctypes import c_uint64
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from tests.helpers.ranks import Rank, world

FP32, BIG, SUM = HCCL_DATA_TYPE_FP32, 0x7FFFFFFFF + 1, HCCL_REDUCE_SUM
PTR, PARA, LACKS = HCCL_E_PTR, HCCL_E_PARA, HCCL_E_NOT_SUPPORT
Arguments = dict[str, Any]
Mistakes = list[tuple[Arguments, int]]
null = {name: ({name: None}, PTR) for name in (
    "comm", "stream", "sendBuf", "recvBuf", "buf", "sendCounts", "sdispls", "recvCounts", "rdispls", "recvDispls",
    "sendDispls", "sendCountMatrix", "sendRecvInfo",
)}  # fmt: skip
TYPE, OP = ({"dataType": 12}, LACKS), ({"op": 4}, LACKS)
PAIR = ({"dataType": HCCL_DATA_TYPE_BFP16, "op": HCCL_REDUCE_PROD}, LACKS)
SEND_TYPE = ({"sendType": 12, "recvType": 12}, LACKS)
ROOT = ({"root": 2}, PARA)


def one(*numbers: int) -> Any:
    return (c_uint64 * len(numbers))(*numbers)


def items(**changed: int) -> Any:
    values = {"sendRecvType": HCCL_SEND, "count": 1, "dataType": FP32, "remoteRank": 0, "buf": 64, **changed}
    return (HcclSendRecvItem * 1)(HcclSendRecvItem(**values))


ROWS: dict[str, tuple[Callable[..., int], Arguments, Mistakes]] = {
    "AllReduce": (
        HcclAllReduce, {"count": 2, "dataType": FP32, "op": SUM},
        [null["comm"], null["sendBuf"], null["recvBuf"], null["stream"], ({"count": BIG}, PARA), TYPE, OP, PAIR],
    ),
    "Reduce": (
        HcclReduce, {"count": 2, "dataType": FP32, "op": SUM, "root": 0},
        [null["comm"], null["sendBuf"], null["recvBuf"], null["stream"], ({"count": BIG}, PARA), TYPE, OP, PAIR, ROOT],
    ),
    "Broadcast": (
        HcclBroadcast, {"count": 2, "dataType": FP32, "root": 0},
        [null["stream"], null["comm"], null["buf"], ({"count": BIG}, PARA), TYPE, ROOT],
    ),
    "AllGather": (
        HcclAllGather, {"sendCount": 2, "dataType": FP32},
        [null["comm"], null["sendBuf"], null["recvBuf"], null["stream"], ({"sendCount": BIG}, PARA), TYPE],
    ),
    "ReduceScatter": (
        HcclReduceScatter, {"recvCount": 2, "dataType": FP32, "op": SUM},
        [null["stream"], null["comm"], null["sendBuf"], null["recvBuf"], ({"recvCount": BIG}, PARA), TYPE, OP, PAIR],
    ),
    "Scatter": (
        HcclScatter, {"recvCount": 2, "dataType": FP32, "root": 0},
        [null["stream"], null["comm"], null["recvBuf"], null["sendBuf"], ({"recvCount": BIG}, PARA), TYPE],
    ),
    "AllGatherV": (
        HcclAllGatherV, {"sendCount": 2, "recvCounts": one(2), "recvDispls": one(0), "dataType": FP32},
        [null["recvCounts"], null["recvDispls"], null["comm"], null["stream"], null["sendBuf"],
         ({"sendCount": BIG}, PARA), TYPE, ({"recvCounts": one(BIG)}, PARA), null["recvBuf"], ({"sendCount": 1}, PARA)],
    ),
    "ReduceScatterV": (
        HcclReduceScatterV, {"recvCount": 2, "sendCounts": one(2), "sendDispls": one(0), "dataType": FP32, "op": SUM},
        [null["stream"], null["sendCounts"], null["sendDispls"], null["comm"], null["recvBuf"],
         ({"recvCount": BIG}, PARA), TYPE, OP, PAIR, ({"sendCounts": one(BIG)}, PARA), null["sendBuf"],
         ({"recvCount": 1}, PARA)],
    ),
    "AlltoAll": (
        HcclAlltoAll, {"sendCount": 2, "sendType": FP32, "recvCount": 2, "recvType": FP32},
        [null["sendBuf"], null["recvBuf"], ({"recvCount": 1}, PARA), ({"recvType": 0}, PARA), null["stream"],
         null["comm"], ({"recvBuf": "sendBuf"}, PARA), SEND_TYPE],
    ),
    "AlltoAllV": (
        HcclAlltoAllV, {"sendCounts": one(2), "sdispls": one(0), "sendType": FP32, "recvCounts": one(2),
                        "rdispls": one(0), "recvType": FP32},
        [null["sendCounts"], null["sdispls"], null["recvCounts"], null["rdispls"], null["stream"], null["comm"],
         ({"recvBuf": "sendBuf"}, PARA), ({"sendCounts": one(BIG)}, PARA), null["sendBuf"], SEND_TYPE],
    ),
    "AlltoAllVC": (
        HcclAlltoAllVC, {"sendCountMatrix": one(2), "sendType": FP32, "recvType": FP32},
        [null["sendCountMatrix"], null["comm"], null["stream"], ({"recvBuf": "sendBuf"}, PARA), SEND_TYPE],
    ),
    "Send": (
        HcclSend, {"count": 2, "dataType": FP32, "destRank": 0},
        [null["comm"], null["sendBuf"], null["stream"], ({"count": BIG}, PARA), TYPE, ({"destRank": 1}, PARA)],
    ),
    "Recv": (
        HcclRecv, {"count": 2, "dataType": FP32, "srcRank": 0},
        [null["comm"], null["recvBuf"], null["stream"], ({"count": BIG}, PARA), TYPE, ({"srcRank": 1}, PARA)],
    ),
    "BatchSendRecv": (
        HcclBatchSendRecv, {"sendRecvInfo": items(), "itemNum": 1},
        [null["comm"], null["stream"], null["sendRecvInfo"], ({"sendRecvInfo": items(dataType=12)}, LACKS),
         ({"sendRecvInfo": items(count=BIG)}, PARA), ({"sendRecvInfo": items(remoteRank=1)}, PARA)],
    ),
    "Barrier": (HcclBarrier, {}, [null["stream"], null["comm"]]),
}  # fmt: skip


def touched(change: Arguments) -> set[str]:
    """The arguments that a change sets, or needs as they are."""
    return {*change, *("sendBuf" for value in change.values() if isinstance(value, str))}


def call(rank: Rank, name: str, *changes: Arguments) -> int:
    """Make a call with these changes of the good arguments."""
    function, good, _ = ROWS[name]
    places = {each: rank.put(np.zeros(8, np.float32)) for each in ("sendBuf", "recvBuf", "buf")}
    known: Arguments = {**places, "comm": rank.comm, "stream": rank.stream, **good}
    for change in changes:
        known |= {key: places[value] if value == "sendBuf" else value for key, value in change.items()}
    names = [key for key, _ in function.c.parameters]  # type: ignore[attr-defined]
    result = function(*(known[key] for key in names))
    aclGetRecentErrMsg()
    return result


@pytest.mark.parametrize("name", ROWS)
def test_each_mistake_has_its_result_and_the_first_one_counts(name: str) -> None:
    mistakes = ROWS[name][2]
    with world(1) as (_, (rank,)):
        for change, result in mistakes:
            assert call(rank, name, change) == result, change
        for (first, result), (second, _) in combinations(mistakes, 2):
            if touched(first).isdisjoint(touched(second)) and PAIR[0] not in (first, second):
                assert call(rank, name, second, first) == result, (first, second)


@pytest.mark.parametrize("name", ["AllReduce", "Reduce", "Broadcast", "AllGather", "ReduceScatter", "Scatter", "Send",
                                  "Recv", "AlltoAll"])  # fmt: skip
def test_count_0_succeeds_before_any_other_check(name: str) -> None:
    function, good, _ = ROWS[name]
    zero = {key: 0 for key in good if key.lower().endswith("count")}
    names = [key for key, _ in function.c.parameters]  # type: ignore[attr-defined]
    with world(1):
        assert function(*({**good, **zero}.get(key, 0) for key in names)) == HCCL_SUCCESS


def test_counts_that_are_all_0_succeed_before_the_null_test_of_the_other_buffer() -> None:
    with world(1) as (_, (rank,)):
        for name, nothing in (("AllGatherV", {"recvCounts": one(0), "recvBuf": None, "sendCount": 0}),
                              ("ReduceScatterV", {"sendCounts": one(0), "sendBuf": None, "recvCount": 0})):  # fmt: skip
            assert call(rank, name, nothing) == HCCL_SUCCESS
        assert call(rank, "BatchSendRecv", {"itemNum": 0}) == HCCL_SUCCESS
        assert call(rank, "BatchSendRecv", {"itemNum": 0, "comm": None}) == HCCL_E_PTR


def test_950_looks_at_the_stream_first_and_at_the_number_of_items_before_nulls() -> None:
    with world(1, soc="Ascend950PR_9599") as (_, (rank,)):
        assert HcclAllReduce(None, None, 1, FP32, SUM, rank.comm, None) == HCCL_E_PTR
        assert "stream" in (aclGetRecentErrMsg() or "")
        assert call(rank, "BatchSendRecv", {"itemNum": 0, "comm": None}) == HCCL_SUCCESS


def test_the_root_may_be_any_rank_and_no_other_number() -> None:
    with world(1) as (_, (rank,)):
        assert call(rank, "Scatter", {"root": 1}) == HCCL_E_PARA
        assert call(rank, "Broadcast", {"root": 0}) == HCCL_SUCCESS
