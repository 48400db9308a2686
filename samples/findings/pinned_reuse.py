"""Pinned host memory is changed before the copy that reads it has run."""

from ctypes import c_float

from acl_runtime import *
from samples.findings.common import COUNT, SIZE, buffers, device, pinned


def wrong():
    with device() as stream, pinned() as hostPtr, buffers(1) as (deviceAddr,):
        values = (c_float * COUNT).from_address(hostPtr.value)
        for batch in range(2):
            values[:] = [batch + 1] * COUNT
            aclrtMemcpyAsync(deviceAddr, SIZE, hostPtr, SIZE, ACL_MEMCPY_HOST_TO_DEVICE, stream)
        aclrtSynchronizeStream(stream)


def right():
    with device() as stream, pinned() as hostPtr, buffers(1) as (deviceAddr,):
        values = (c_float * COUNT).from_address(hostPtr.value)
        for batch in range(2):
            values[:] = [batch + 1] * COUNT
            aclrtMemcpyAsync(deviceAddr, SIZE, hostPtr, SIZE, ACL_MEMCPY_HOST_TO_DEVICE, stream)
            aclrtSynchronizeStream(stream)
