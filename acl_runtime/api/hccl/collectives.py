"""hccl/hccl.h: operations of all ranks, with equal counts. Each is a task of the caller's stream."""

import acl_runtime.abi.c as c
from acl_runtime.abi.pointers import Address
from acl_runtime.api.hccl.checks import (
    QUEUES,
    buffer_of,
    communicator_of,
    count_in_range,
    not_null,
    queue_of,
    rank_in_range,
    reads,
    refuse,
    size_of,
)
from acl_runtime.api.hccl.launching import Item, launch, request_of
from acl_runtime.api.hccl.products import check_moved, check_reduced
from acl_runtime.boundary import acl_api
from acl_runtime.collective.ranks import Communicator
from acl_runtime.collective.requests import Request
from acl_runtime.collective.transfers import (
    all_gather,
    all_reduce,
    all_to_all,
    broadcast,
    nothing,
    reduce,
    reduce_scatter,
    scatter,
)
from acl_runtime.machine.current import current
from acl_runtime.memory.ranges import Use
from acl_runtime.objects.soc import Series

HEADER = "hccl/hccl.h"


@acl_api(HEADER, also=QUEUES, resource=True, pyacl=None)
def HcclAllReduce(
    sendBuf: c.void_p,
    recvBuf: c.void_p,
    count: c.uint64_t,
    dataType: c.HcclDataType,
    op: c.HcclReduceOp,
    comm: c.HcclComm,
    stream: c.aclrtStream,
) -> c.HcclResult:
    """Queue a reduction: `recvBuf` of each rank gets the sum, product, maximum or minimum of `sendBuf` of all ranks.
    The two buffers may be the same.

    Returns:
        HCCL_SUCCESS: queued; or `count` is 0, and nothing happens.
    """
    if _skipped(count, comm):
        return
    if current().soc.series is Series.A950:
        not_null(stream=stream, comm=comm, sendBuf=sendBuf, recvBuf=recvBuf)
    not_null(comm=comm, sendBuf=sendBuf, recvBuf=recvBuf, stream=stream)
    count_in_range(count)
    check_reduced(dataType, op)
    communicator = communicator_of(comm)
    request = request_of(communicator, all_reduce, count, dataType, op=op)
    _queue(communicator, stream, request, (sendBuf, count), (recvBuf, count))


@acl_api(HEADER, also=QUEUES, resource=True, pyacl=None)
def HcclReduce(
    sendBuf: c.void_p,
    recvBuf: c.void_p,
    count: c.uint64_t,
    dataType: c.HcclDataType,
    op: c.HcclReduceOp,
    root: c.uint32_t,
    comm: c.HcclComm,
    stream: c.aclrtStream,
) -> c.HcclResult:
    """Queue a reduction: `recvBuf` of the rank `root` gets the sum, product, maximum or minimum of `sendBuf` of all
    ranks. The `recvBuf` of the others stays as it is, and may not be null either.

    Returns:
        HCCL_SUCCESS: queued; or `count` is 0, and nothing happens.
    """
    if _skipped(count, comm):
        return
    not_null(comm=comm, sendBuf=sendBuf, recvBuf=recvBuf, stream=stream)
    count_in_range(count)
    check_reduced(dataType, op)
    communicator = communicator_of(comm)
    rank_in_range(root, communicator, "root")
    request = request_of(communicator, reduce, count, dataType, op=op, root=root)
    is_root = communicator.rank == root
    _queue(communicator, stream, request, (sendBuf, count), (recvBuf, count if is_root else 0))


@acl_api(HEADER, also=QUEUES, resource=True, pyacl=None)
def HcclBroadcast(
    buf: c.void_p,
    count: c.uint64_t,
    dataType: c.HcclDataType,
    root: c.uint32_t,
    comm: c.HcclComm,
    stream: c.aclrtStream,
) -> c.HcclResult:
    """Queue a copy of `buf` of the rank `root` to `buf` of all ranks.

    Returns:
        HCCL_SUCCESS: queued; or `count` is 0, and nothing happens.
    """
    if _skipped(count, comm):
        return
    not_null(stream=stream, comm=comm, buf=buf)
    count_in_range(count)
    check_moved(dataType)
    communicator = communicator_of(comm)
    rank_in_range(root, communicator, "root")
    request = request_of(communicator, broadcast, count, dataType, root=root)
    is_root = communicator.rank == root
    _queue(
        communicator, stream, request, (buf, count if is_root else 0), (buf, 0 if is_root else count), ("buf", "buf")
    )


@acl_api(HEADER, also=QUEUES, resource=True, pyacl=None)
def HcclAllGather(
    sendBuf: c.void_p,
    recvBuf: c.void_p,
    sendCount: c.uint64_t,
    dataType: c.HcclDataType,
    comm: c.HcclComm,
    stream: c.aclrtStream,
) -> c.HcclResult:
    """Queue a collection: `recvBuf` of each rank gets `sendBuf` of all ranks, one behind the other. `sendBuf` may be
    the rank's own block of `recvBuf`.

    Returns:
        HCCL_SUCCESS: queued; or `sendCount` is 0, and nothing happens.
    """
    if _skipped(sendCount, comm):
        return
    not_null(comm=comm, sendBuf=sendBuf, recvBuf=recvBuf, stream=stream)
    count_in_range(sendCount, "sendCount")
    check_moved(dataType)
    communicator = communicator_of(comm)
    request = request_of(communicator, all_gather, sendCount, dataType)
    _queue(communicator, stream, request, (sendBuf, sendCount), (recvBuf, sendCount * communicator.size))


@acl_api(HEADER, also=QUEUES, resource=True, pyacl=None)
def HcclReduceScatter(
    sendBuf: c.void_p,
    recvBuf: c.void_p,
    recvCount: c.uint64_t,
    dataType: c.HcclDataType,
    op: c.HcclReduceOp,
    comm: c.HcclComm,
    stream: c.aclrtStream,
) -> c.HcclResult:
    """Queue a reduction of which each rank gets a part: `recvBuf` of rank r gets the reduction of block r of `sendBuf`
    of all ranks. `recvBuf` may be the rank's own block of `sendBuf`.

    Returns:
        HCCL_SUCCESS: queued; or `recvCount` is 0, and nothing happens.
    """
    if _skipped(recvCount, comm):
        return
    not_null(stream=stream, comm=comm, sendBuf=sendBuf, recvBuf=recvBuf)
    count_in_range(recvCount, "recvCount")
    check_reduced(dataType, op)
    communicator = communicator_of(comm)
    request = request_of(communicator, reduce_scatter, recvCount, dataType, op=op)
    _queue(communicator, stream, request, (sendBuf, recvCount * communicator.size), (recvBuf, recvCount))


@acl_api(HEADER, also=QUEUES, resource=True, pyacl=None)
def HcclScatter(
    sendBuf: c.void_p,
    recvBuf: c.void_p,
    recvCount: c.uint64_t,
    dataType: c.HcclDataType,
    root: c.uint32_t,
    comm: c.HcclComm,
    stream: c.aclrtStream,
) -> c.HcclResult:
    """Queue a distribution: `recvBuf` of rank r gets block r of `sendBuf` of the rank `root`. On other ranks `sendBuf`
    may be null.

    Returns:
        HCCL_SUCCESS: queued; or `recvCount` is 0, and nothing happens.
    """
    if _skipped(recvCount, comm):
        return
    not_null(stream=stream, comm=comm, recvBuf=recvBuf)
    communicator = communicator_of(comm)
    is_root = communicator.rank == root
    if is_root:
        not_null(sendBuf=sendBuf)
    count_in_range(recvCount, "recvCount")
    check_moved(dataType)
    rank_in_range(root, communicator, "root")
    request = request_of(communicator, scatter, recvCount, dataType, root=root)
    sent = recvCount * communicator.size if is_root else 0
    _queue(communicator, stream, request, (sendBuf, sent), (recvBuf, recvCount))


@acl_api(HEADER, also=QUEUES, resource=True, pyacl=None)
def HcclAlltoAll(
    sendBuf: c.const_void_p,
    sendCount: c.uint64_t,
    sendType: c.HcclDataType,
    recvBuf: c.const_void_p,
    recvCount: c.uint64_t,
    recvType: c.HcclDataType,
    comm: c.HcclComm,
    stream: c.aclrtStream,
) -> c.HcclResult:
    """Queue an exchange: block i of `recvBuf` of rank r gets block r of `sendBuf` of rank i. The counts are those of
    one block.

    Returns:
        HCCL_SUCCESS: queued; or both counts are 0, and nothing happens.
        HCCL_E_PARA: the two counts, or the two types, differ; the buffers are the same; a count is greater than
            0x7FFFFFFFF; the ranks ask for different things; or a handle or an address is not that of a live object.
    """
    if not recvCount and _skipped(sendCount, comm):
        return
    not_null(sendBuf=sendBuf, recvBuf=recvBuf)
    if sendCount != recvCount:
        raise refuse(recvCount, "recvCount", f"sendCount, {sendCount}")
    if sendType != recvType:
        raise refuse(recvType, "recvType", f"sendType, {sendType}")
    not_null(stream=stream, comm=comm)
    if sendBuf.value == recvBuf.value:
        raise refuse(f"{recvBuf.value:#x}", "recvBuf", "another buffer than sendBuf")
    check_moved(sendType, "sendType")
    count_in_range(sendCount, "sendCount")
    communicator = communicator_of(comm)
    request, whole = request_of(communicator, all_to_all, sendCount, sendType), sendCount * communicator.size
    _queue(communicator, stream, request, (sendBuf, whole), (recvBuf, whole))


@acl_api("hccl/hccl_comm.h", also=QUEUES, resource=True, pyacl=None)
def HcclBarrier(comm: c.HcclComm, stream: c.aclrtStream) -> c.HcclResult:
    """Queue a barrier: later tasks of the stream wait until the streams of all ranks have reached it. The host does not
    wait.

    Returns:
        HCCL_SUCCESS: queued.
    """
    not_null(stream=stream, comm=comm)
    communicator = communicator_of(comm)
    request = request_of(communicator, nothing)
    launch(communicator, queue_of(stream, communicator), [Item((), communicator.rank, request)], (), 0)


def _skipped(count: int, comm: int) -> bool:
    """True for a call without elements: it succeeds before any other check, and takes no part."""
    if count == 0 and comm:
        machine = current()
        communicator = machine.handles.find(comm, Communicator)
        if communicator is not None:
            communicator.skip(machine.thread().call)
    return count == 0


def _queue(
    communicator: Communicator,
    stream: int,
    request: Request,
    send: tuple[Address, int],
    recv: tuple[Address, int],
    names: tuple[str, str] = ("sendBuf", "recvBuf"),
) -> None:
    """Find the memory of an operation, and queue it. `send`, `recv`: the addresses with the numbers of elements."""
    queue, size = queue_of(stream, communicator), size_of(request.dtype or 0)
    sent, received = send[1] * size, recv[1] * size
    request.send = buffer_of(communicator, send[0], sent, names[0], write=False)
    request.recv = buffer_of(communicator, recv[0], received, names[1], write=True)
    if request.send is not None and request.recv is not None and (send[0].value, sent) == (recv[0].value, received):
        ranges = (request.recv.range(received, Use.UPDATE),)
    else:
        ranges = reads(request.send, sent) + reads(request.recv, received)
    launch(communicator, queue, [Item((), communicator.rank, request)], ranges, max(sent, received))
