"""An asynchronous copy starts from plain host memory, and so is not asynchronous."""

from acl_runtime import *
from samples.findings.common import SIZE, VALUES, buffers, device, pinned


def wrong():
    with device() as stream, buffers(1) as (deviceAddr,):
        aclrtMemcpyAsync(deviceAddr, SIZE, VALUES, SIZE, ACL_MEMCPY_HOST_TO_DEVICE, stream)
        aclrtSynchronizeStream(stream)


def right():
    with device() as stream, buffers(1) as (deviceAddr,), pinned() as hostPtr:
        aclrtMemcpyAsync(deviceAddr, SIZE, hostPtr, SIZE, ACL_MEMCPY_HOST_TO_DEVICE, stream)
        aclrtSynchronizeStream(stream)
