"""hccl/hccl.h: operations of all ranks, with equal counts. Each is a task of the caller's stream."""

import acl_runtime.abi.c as c
from acl_runtime.api.hccl.buffers import whole
from acl_runtime.api.hccl.checks import (
    QUEUES,
    communicator_of,
    count_in_range,
    not_null,
    queue_of,
    rank_in_range,
    refuse,
    skipped,
)
from acl_runtime.api.hccl.launching import launch, queue, request_of
from acl_runtime.api.hccl.products import check_moved, check_reduced
from acl_runtime.boundary import acl_api
from acl_runtime.collective.operation import Entry
from acl_runtime.machine.current import current
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
    if skipped(count, comm):
        return
    if current().soc.series is Series.A950:
        not_null(stream=stream, comm=comm, sendBuf=sendBuf, recvBuf=recvBuf)
    not_null(comm=comm, sendBuf=sendBuf, recvBuf=recvBuf, stream=stream)
    count_in_range(count)
    check_reduced(dataType, op)
    communicator = communicator_of(comm)
    request = request_of(communicator, count, dataType, op=op)
    queue(communicator, stream, request, whole(sendBuf, count, "sendBuf"), whole(recvBuf, count, "recvBuf"))


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
    if skipped(count, comm):
        return
    not_null(comm=comm, sendBuf=sendBuf, recvBuf=recvBuf, stream=stream)
    count_in_range(count)
    check_reduced(dataType, op)
    communicator = communicator_of(comm)
    rank_in_range(root, communicator, "root")
    request = request_of(communicator, count, dataType, op=op, root=root)
    received = count if communicator.rank == root else 0
    queue(communicator, stream, request, whole(sendBuf, count, "sendBuf"), whole(recvBuf, received, "recvBuf"))


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
    if skipped(count, comm):
        return
    not_null(stream=stream, comm=comm, buf=buf)
    count_in_range(count)
    check_moved(dataType)
    communicator = communicator_of(comm)
    rank_in_range(root, communicator, "root")
    request = request_of(communicator, count, dataType, root=root)
    sent = count if communicator.rank == root else 0
    queue(communicator, stream, request, whole(buf, sent, "buf"), whole(buf, count - sent, "buf"))


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
    if skipped(sendCount, comm):
        return
    not_null(comm=comm, sendBuf=sendBuf, recvBuf=recvBuf, stream=stream)
    count_in_range(sendCount, "sendCount")
    check_moved(dataType)
    communicator = communicator_of(comm)
    request = request_of(communicator, sendCount, dataType)
    received = sendCount * communicator.size
    queue(communicator, stream, request, whole(sendBuf, sendCount, "sendBuf"), whole(recvBuf, received, "recvBuf"))


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
    if skipped(recvCount, comm):
        return
    not_null(stream=stream, comm=comm, sendBuf=sendBuf, recvBuf=recvBuf)
    count_in_range(recvCount, "recvCount")
    check_reduced(dataType, op)
    communicator = communicator_of(comm)
    request = request_of(communicator, recvCount, dataType, op=op)
    sent = recvCount * communicator.size
    queue(communicator, stream, request, whole(sendBuf, sent, "sendBuf"), whole(recvBuf, recvCount, "recvBuf"))


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
    if skipped(recvCount, comm):
        return
    not_null(stream=stream, comm=comm, recvBuf=recvBuf)
    communicator = communicator_of(comm)
    is_root = communicator.rank == root
    if is_root:
        not_null(sendBuf=sendBuf)
    count_in_range(recvCount, "recvCount")
    check_moved(dataType)
    rank_in_range(root, communicator, "root")
    request = request_of(communicator, recvCount, dataType, root=root)
    sent = recvCount * communicator.size if is_root else 0
    queue(communicator, stream, request, whole(sendBuf, sent, "sendBuf"), whole(recvBuf, recvCount, "recvBuf"))


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
    if not recvCount and skipped(sendCount, comm):
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
    request, count = request_of(communicator, sendCount, sendType), sendCount * communicator.size
    queue(communicator, stream, request, whole(sendBuf, count, "sendBuf"), whole(recvBuf, count, "recvBuf"))


@acl_api("hccl/hccl_comm.h", also=QUEUES, resource=True, pyacl=None)
def HcclBarrier(comm: c.HcclComm, stream: c.aclrtStream) -> c.HcclResult:
    """Queue a barrier: later tasks of the stream wait until the streams of all ranks have reached it. The host does not
    wait. With a single rank nothing is queued.

    Returns:
        HCCL_SUCCESS: queued.
    """
    not_null(stream=stream, comm=comm)
    communicator = communicator_of(comm)
    queue, item = queue_of(stream, communicator), Entry((), communicator.rank, request_of(communicator))
    if communicator.size > 1:
        launch(communicator, queue, [item], (), 0)
