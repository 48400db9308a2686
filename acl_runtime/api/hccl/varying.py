"""hccl/hccl.h: operations of all ranks in which the blocks have sizes of their own."""

from collections.abc import Mapping, Sequence
from typing import Final

import acl_runtime.abi.c as c
from acl_runtime.abi.pointers import Address
from acl_runtime.api.hccl.buffers import BufferBlocks, whole
from acl_runtime.api.hccl.checks import (
    QUEUES,
    communicator_of,
    count_in_range,
    counts_of,
    not_null,
    refuse,
    size_of,
    skipped,
)
from acl_runtime.api.hccl.launching import queue, request_of
from acl_runtime.api.hccl.products import check_moved, check_reduced
from acl_runtime.boundary import acl_api
from acl_runtime.collective.ranks import Communicator
from acl_runtime.collective.transfers import packed

HEADER: Final = "hccl/hccl.h"


@acl_api(HEADER, also=QUEUES, resource=True, pyacl=None)
def HcclAllGatherV(
    sendBuf: c.void_p,
    sendCount: c.uint64_t,
    recvBuf: c.void_p,
    recvCounts: c.const_void_p,
    recvDispls: c.const_void_p,
    dataType: c.HcclDataType,
    comm: c.HcclComm,
    stream: c.aclrtStream,
) -> c.HcclResult:
    """Queue HcclAllGather with a number of elements for each rank, and a displacement of its block in `recvBuf`. Both
    are arrays of uint64_t in host memory, and equal on all ranks.

    Returns:
        HCCL_SUCCESS: queued; or all counts are 0, and nothing happens.
        HCCL_E_PARA: `sendCount` is not the rank's own count; a count is greater than 0x7FFFFFFFF; the ranks ask for
            different things; or a handle or an address is not that of a live object.
    """
    not_null(recvCounts=recvCounts, recvDispls=recvDispls, comm=comm, stream=stream, sendBuf=sendBuf)
    count_in_range(sendCount, "sendCount")
    check_moved(dataType)
    communicator = communicator_of(comm)
    counts, displacements = _arrays(communicator, recvCounts, recvDispls, "recv")
    if skipped(sum(counts), comm):
        return
    not_null(recvBuf=recvBuf)
    if sendCount != counts[communicator.rank]:
        raise refuse(sendCount, "sendCount", f"recvCounts[{communicator.rank}], {counts[communicator.rank]}")
    request = request_of(
        communicator, sum(counts), dataType, receives=counts, places=((), displacements),
        counts={"recvCounts": counts, "recvDispls": displacements},
    )  # fmt: skip
    blocks = BufferBlocks(recvBuf, tuple(zip(displacements, counts, strict=True)), "recvBuf")
    queue(communicator, stream, request, whole(sendBuf, sendCount, "sendBuf"), blocks)


@acl_api(HEADER, also=QUEUES, resource=True, pyacl=None)
def HcclReduceScatterV(
    sendBuf: c.void_p,
    sendCounts: c.const_void_p,
    sendDispls: c.const_void_p,
    recvBuf: c.void_p,
    recvCount: c.uint64_t,
    dataType: c.HcclDataType,
    op: c.HcclReduceOp,
    comm: c.HcclComm,
    stream: c.aclrtStream,
) -> c.HcclResult:
    """Queue HcclReduceScatter with a number of elements for each rank, and a displacement of its block in `sendBuf`.
    Both are arrays of uint64_t in host memory, and equal on all ranks.

    Returns:
        HCCL_SUCCESS: queued; or all counts are 0, and nothing happens.
        HCCL_E_PARA: `recvCount` is not the rank's own count; a count is greater than 0x7FFFFFFFF; the ranks ask for
            different things; or a handle or an address is not that of a live object.
    """
    not_null(stream=stream, sendCounts=sendCounts, sendDispls=sendDispls, comm=comm, recvBuf=recvBuf)
    count_in_range(recvCount, "recvCount")
    check_reduced(dataType, op)
    communicator = communicator_of(comm)
    counts, displacements = _arrays(communicator, sendCounts, sendDispls, "send")
    if skipped(sum(counts), comm):
        return
    not_null(sendBuf=sendBuf)
    if recvCount != counts[communicator.rank]:
        raise refuse(recvCount, "recvCount", f"sendCounts[{communicator.rank}], {counts[communicator.rank]}")
    request = request_of(
        communicator, sum(counts), dataType, op=op, sends=counts, places=(displacements, ()),
        counts={"sendCounts": counts, "sendDispls": displacements},
    )  # fmt: skip
    blocks = BufferBlocks(sendBuf, tuple(zip(displacements, counts, strict=True)), "sendBuf")
    queue(communicator, stream, request, blocks, whole(recvBuf, recvCount, "recvBuf"))


@acl_api(HEADER, also=QUEUES, resource=True, pyacl=None)
def HcclAlltoAllV(
    sendBuf: c.const_void_p,
    sendCounts: c.const_void_p,
    sdispls: c.const_void_p,
    sendType: c.HcclDataType,
    recvBuf: c.const_void_p,
    recvCounts: c.const_void_p,
    rdispls: c.const_void_p,
    recvType: c.HcclDataType,
    comm: c.HcclComm,
    stream: c.aclrtStream,
) -> c.HcclResult:
    """Queue HcclAlltoAll with numbers of elements and displacements for each rank: arrays of uint64_t in host memory.
    A rank sends as many elements as the other one awaits.

    Returns:
        HCCL_SUCCESS: queued.
        HCCL_E_PARA: the buffers are the same; the sizes of the two types differ; a count is greater than 0x7FFFFFFFF;
            the ranks ask for different things; or a handle or an address is not that of a live object.
    """
    not_null(sendCounts=sendCounts, sdispls=sdispls, recvCounts=recvCounts, rdispls=rdispls, stream=stream, comm=comm)
    _other_buffer(sendBuf, recvBuf)
    communicator = communicator_of(comm)
    sends, send_places = _arrays(communicator, sendCounts, sdispls, "send", "sdispls")
    receives, recv_places = _arrays(communicator, recvCounts, rdispls, "recv", "rdispls")
    _exchange(
        communicator, stream, (sendBuf, sends, send_places), (recvBuf, receives, recv_places), (sendType, recvType)
    )


@acl_api(HEADER, also=QUEUES, resource=True, pyacl=None)
def HcclAlltoAllVC(
    sendBuf: c.const_void_p,
    sendCountMatrix: c.const_void_p,
    sendType: c.HcclDataType,
    recvBuf: c.const_void_p,
    recvType: c.HcclDataType,
    comm: c.HcclComm,
    stream: c.aclrtStream,
) -> c.HcclResult:
    """Queue HcclAlltoAll with a matrix of counts: rank i sends element [i][j] to rank j. It is an array of uint64_t in
    host memory, and equal on all ranks. The blocks lie one behind the other in the order of the ranks.

    Returns:
        HCCL_SUCCESS: queued.
        HCCL_E_PARA: the buffers are the same; the sizes of the two types differ; a count is greater than 0x7FFFFFFFF;
            the ranks ask for different things; or a handle or an address is not that of a live object.
    """
    not_null(sendCountMatrix=sendCountMatrix, comm=comm, stream=stream)
    _other_buffer(sendBuf, recvBuf)
    communicator = communicator_of(comm)
    size, rank = communicator.size, communicator.rank
    matrix = counts_of(sendCountMatrix, size * size, "sendCountMatrix")
    for count in matrix:
        count_in_range(count, "sendCountMatrix")
    sends, receives = matrix[rank * size : (rank + 1) * size], matrix[rank::size]
    send, recv = (sendBuf, sends, packed(sends)), (recvBuf, receives, packed(receives))
    _exchange(communicator, stream, send, recv, (sendType, recvType), {"sendCountMatrix": matrix})


def _exchange(
    communicator: Communicator,
    stream: int,
    send: tuple[Address, Sequence[int], Sequence[int]],
    recv: tuple[Address, Sequence[int], Sequence[int]],
    types: tuple[int, int],
    equal: Mapping[str, tuple[int, ...]] | None = None,
) -> None:
    """Queue an exchange. `send`, `recv`: the addresses with the counts and displacements of the blocks. `equal`: the
    arguments that are equal on all ranks."""
    send_type, recv_type = types
    for pointer, counts, parameter in ((send[0], send[1], "sendBuf"), (recv[0], recv[1], "recvBuf")):
        if any(counts):
            not_null(**{parameter: pointer})
    check_moved(send_type, "sendType")
    check_moved(recv_type, "recvType")
    if size_of(send_type) != size_of(recv_type):
        raise refuse(recv_type, "recvType", "a type of the same size as sendType")
    request = request_of(
        communicator, 0, send_type, recv_dtype=recv_type, counts=equal or {}, sends=send[1], receives=recv[1],
        places=(send[2], recv[2]),
    )  # fmt: skip
    sent = BufferBlocks(send[0], tuple(zip(send[2], send[1], strict=True)), "sendBuf")
    received = BufferBlocks(recv[0], tuple(zip(recv[2], recv[1], strict=True)), "recvBuf")
    queue(communicator, stream, request, sent, received)


def _other_buffer(send: Address, recv: Address) -> None:
    if send.value and send.value == recv.value:
        raise refuse(f"{recv.value:#x}", "recvBuf", "another buffer than sendBuf")


def _arrays(
    communicator: Communicator, counts: Address, displacements: Address, side: str, second: str = ""
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The counts and the displacements for all ranks."""
    size = communicator.size
    numbers = counts_of(counts, size, f"{side}Counts")
    for number in numbers:
        count_in_range(number, f"{side}Counts")
    return numbers, counts_of(displacements, size, second or f"{side}Displs")
