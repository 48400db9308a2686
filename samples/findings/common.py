"""The common part of the programs in this folder: setup and release around the calls that a program is about.

Statuses are not checked here, for brevity; samples/*.py show how to check each.
"""

import sys
from contextlib import contextmanager
from ctypes import byref, c_uint32, c_uint64, c_void_p
from pathlib import Path
from typing import NamedTuple

import numpy as np

from acl_runtime import *
from aclnn import aclnnSoftmaxBackwardGetWorkspaceSize

SHAPE = [4, 4]
STRIDES = [4, 1]
TRANSPOSED = [1, 4]
COUNT = 16
SIZE = 64
VALUES = np.arange(COUNT, dtype=np.float32)


@contextmanager
def device(deviceId=0):
    """Initialise, set a device, create a stream; the reverse at the end of the block."""
    aclInit(None)
    aclrtSetDevice(deviceId)
    stream = aclrtStream()
    aclrtCreateStream(byref(stream))
    yield stream
    aclrtDestroyStream(stream)
    aclrtResetDevice(deviceId)
    aclFinalize()


@contextmanager
def another_stream():
    """A second stream on the same device."""
    stream = aclrtStream()
    aclrtCreateStream(byref(stream))
    yield stream
    aclrtDestroyStream(stream)


@contextmanager
def buffers(count):
    """Buffers of SIZE bytes in device memory, filled by the host."""
    deviceAddrs = [c_void_p() for _ in range(count)]
    for deviceAddr in deviceAddrs:
        aclrtMalloc(byref(deviceAddr), SIZE, ACL_MEM_MALLOC_HUGE_FIRST)
        aclrtMemcpy(deviceAddr, SIZE, VALUES, SIZE, ACL_MEMCPY_HOST_TO_DEVICE)
    yield deviceAddrs
    for deviceAddr in deviceAddrs:
        aclrtFree(deviceAddr)


@contextmanager
def threads_take_turns():
    """Let Python switch threads very often, so that two threads collide even in a short program."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        yield
    finally:
        sys.setswitchinterval(interval)


@contextmanager
def pinned():
    """SIZE bytes of pinned host memory."""
    hostPtr = c_void_p()
    aclrtMallocHost(byref(hostPtr), SIZE)
    yield hostPtr
    aclrtFreeHost(hostPtr)


@contextmanager
def tensors(count=3, strides=STRIDES):
    """Tensors with memory of their own, such as gradOutput, output and out. `strides`: strides of the first tensor."""
    with buffers(count) as deviceAddrs:
        created = []
        for deviceAddr in deviceAddrs:
            created += [aclCreateTensor(SHAPE, 2, ACL_FLOAT, strides, 0, ACL_FORMAT_ND, SHAPE, 2, deviceAddr)]
            strides = STRIDES
        yield created
        for tensor in created:
            aclDestroyTensor(tensor)


def plan(gradOutput, output, out):
    """The first phase of aclnnSoftmaxBackward, which asks for a workspace if gradOutput is transposed."""
    workspaceSize, executor = c_uint64(0), aclOpExecutor()
    aclnnSoftmaxBackwardGetWorkspaceSize(gradOutput, output, 1, out, byref(workspaceSize), byref(executor))
    return workspaceSize.value, executor


class Rank(NamedTuple):
    """One of two ranks: its communicator, a stream and a buffer of SIZE bytes on its device."""

    comm: HcclComm
    stream: aclrtStream
    buf: c_void_p


@contextmanager
def two_ranks(destroyed=True):
    """The ranks 0 and 1 of a communicator, on the devices 0 and 1. One thread calls for both."""
    aclInit(None)
    comms, ranks = (HcclComm * 2)(), []
    for number in range(2):
        aclrtSetDevice(number)
        stream, buf = aclrtStream(), c_void_p()
        aclrtCreateStream(byref(stream))
        aclrtMalloc(byref(buf), SIZE, ACL_MEM_MALLOC_HUGE_FIRST)
        aclrtMemcpy(buf, SIZE, VALUES, SIZE, ACL_MEMCPY_HOST_TO_DEVICE)
        ranks.append((stream, buf))
    HcclCommInitAll(2, [0, 1], comms)
    yield [Rank(comm, *rank) for comm, rank in zip(comms, ranks, strict=True)]
    for number, (stream, buf) in enumerate(ranks):
        aclrtSetDevice(number)
        if destroyed:
            HcclCommDestroy(comms[number])
        aclrtFree(buf)
        aclrtDestroyStream(stream)
        aclrtResetDevice(number)
        aclrtResetDevice(number)
    aclFinalize()


def all_reduce(rank):
    """Queue the sum of the buffers of both ranks."""
    return HcclAllReduce(rank.buf, rank.buf, COUNT, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, rank.comm, rank.stream)


def load(name):
    """Load a model of the folder models, where a JSON file beside it says what it is. Return its id."""
    modelId = c_uint32()
    aclmdlLoadFromFile(str(Path(__file__).parent / "models" / name), byref(modelId))
    return modelId


@contextmanager
def data_set(*deviceAddrs, size=SIZE):
    """A data set whose data buffers have `size` bytes."""
    dataset = aclmdlCreateDataset()
    for deviceAddr in deviceAddrs:
        aclmdlAddDatasetBuffer(dataset, aclCreateDataBuffer(deviceAddr, size))
    yield dataset
    for i in range(aclmdlGetDatasetNumBuffers(dataset)):
        aclDestroyDataBuffer(aclmdlGetDatasetBuffer(dataset, i))
    aclmdlDestroyDataset(dataset)
