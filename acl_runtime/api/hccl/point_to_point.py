"""hccl/hccl.h: transfers from one rank to another."""

from typing import Final

import acl_runtime.abi.c as c
from acl_runtime.abi.pointers import Address
from acl_runtime.api.hccl.buffers import memory_of, ranges_of, whole
from acl_runtime.api.hccl.checks import (
    QUEUES,
    communicator_of,
    count_in_range,
    not_null,
    queue_of,
    rank_in_range,
    refuse,
    size_of,
    skipped,
)
from acl_runtime.api.hccl.launching import launch, request_of
from acl_runtime.api.hccl.products import check_moved
from acl_runtime.api.memory.buffers import load
from acl_runtime.boundary import acl_api
from acl_runtime.collective.operation import Entry
from acl_runtime.collective.ranks import Communicator
from acl_runtime.headers.hccl import HcclResult, HcclSendRecvItem, HcclSendRecvType
from acl_runtime.machine.current import current
from acl_runtime.memory.ranges import Range
from acl_runtime.objects.soc import Series

HEADER: Final = "hccl/hccl.h"
SENDER: Final = 0
RECEIVER: Final = 1
"""the seats of a transfer"""


@acl_api(HEADER, also=QUEUES, resource=True, pyacl=None)
def HcclSend(
    sendBuf: c.void_p,
    count: c.uint64_t,
    dataType: c.HcclDataType,
    destRank: c.uint32_t,
    comm: c.HcclComm,
    stream: c.aclrtStream,
) -> c.HcclResult:
    """Queue a transfer to another rank. The task ends when the other rank has received. Sends from one rank to another
    meet its receives in order.

    Returns:
        HCCL_SUCCESS: queued; or `count` is 0, and nothing happens.
    """
    _transfer(sendBuf, count, dataType, destRank, comm, stream, seat=SENDER)


@acl_api(HEADER, also=QUEUES, resource=True, pyacl=None)
def HcclRecv(
    recvBuf: c.void_p,
    count: c.uint64_t,
    dataType: c.HcclDataType,
    srcRank: c.uint32_t,
    comm: c.HcclComm,
    stream: c.aclrtStream,
) -> c.HcclResult:
    """Queue the receipt of what another rank sends.

    Returns:
        HCCL_SUCCESS: queued; or `count` is 0, and nothing happens.
    """
    _transfer(recvBuf, count, dataType, srcRank, comm, stream, seat=RECEIVER)


@acl_api(HEADER, also=QUEUES, resource=True, pyacl=None)
def HcclBatchSendRecv(
    sendRecvInfo: c.HcclSendRecvItem_p, itemNum: c.uint32_t, comm: c.HcclComm, stream: c.aclrtStream
) -> c.HcclResult:
    """Queue several sends and receives as one task. They do not wait for each other.

    Returns:
        HCCL_SUCCESS: queued; or `itemNum` is 0, and nothing happens.
    """
    if not itemNum and current().soc.series is Series.A950:
        return
    not_null(comm=comm, stream=stream, sendRecvInfo=sendRecvInfo)
    if not itemNum:
        return
    entries = load(sendRecvInfo, HcclSendRecvItem * itemNum, "sendRecvInfo", HcclResult.HCCL_E_PARA)  # type: ignore[type-var]
    communicator = communicator_of(comm)
    for entry in entries:
        check_moved(entry.dataType, "sendRecvInfo->dataType")
        count_in_range(entry.count, "sendRecvInfo->count")
        rank_in_range(entry.remoteRank, communicator, "sendRecvInfo->remoteRank")
        if entry.sendRecvType not in (HcclSendRecvType.HCCL_SEND, HcclSendRecvType.HCCL_RECV):
            raise refuse(entry.sendRecvType, "sendRecvInfo->sendRecvType", "HCCL_SEND or HCCL_RECV")
    queue, items, ranges = queue_of(stream, communicator), list[Entry](), list[Range]()
    for entry in entries:
        if entry.count:
            pointer, peer, seat = Address(entry.buf or 0), entry.remoteRank, int(entry.sendRecvType)
            not_null(**{"sendRecvInfo->buf": pointer})
            item, used = _item(communicator, pointer, entry.count, entry.dataType, peer, seat, "sendRecvInfo->buf")
            items.append(item)
            ranges += used
    if items:
        nbytes = sum(used.high - used.low for used in ranges)
        launch(communicator, queue, items, tuple(ranges), nbytes)


def _transfer(pointer: Address, count: int, dtype: int, peer: int, comm: int, stream: int, *, seat: int) -> None:
    if skipped(count, comm):
        return
    name, rank = ("sendBuf", "destRank") if seat == SENDER else ("recvBuf", "srcRank")
    not_null(comm=comm, **{name: pointer}, stream=stream)
    count_in_range(count)
    check_moved(dtype)
    communicator = communicator_of(comm)
    rank_in_range(peer, communicator, rank)
    queue = queue_of(stream, communicator)
    item, ranges = _item(communicator, pointer, count, dtype, peer, seat, name)
    launch(communicator, queue, [item], ranges, count * size_of(dtype))


def _item(
    communicator: Communicator, pointer: Address, count: int, dtype: int, peer: int, seat: int, name: str
) -> tuple[Entry, tuple[Range, ...]]:
    """One side of a transfer, with the range of memory that it uses."""
    layout, rank, size = whole(pointer, count, name), communicator.rank, size_of(dtype)
    memory = memory_of(communicator, layout, size, write=seat == RECEIVER)
    request = request_of(communicator, count, dtype)
    request.send, request.recv = (memory, None) if seat == SENDER else (None, memory)
    ends = (rank, peer) if seat == SENDER else (peer, rank)
    return Entry(ends, seat, request), ranges_of(None, layout, memory, layout, size)
