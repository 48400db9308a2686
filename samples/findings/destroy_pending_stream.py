"""A stream is destroyed before its queued memory set has run."""

from ctypes import byref

from acl_runtime import *
from samples.findings.common import SIZE, buffers, device


def wrong():
    with device(), buffers(1) as (deviceAddr,):
        stream = aclrtStream()
        aclrtCreateStream(byref(stream))
        aclrtMemsetAsync(deviceAddr, SIZE, 0, SIZE, stream)
        aclrtDestroyStream(stream)


def right():
    with device(), buffers(1) as (deviceAddr,):
        stream = aclrtStream()
        aclrtCreateStream(byref(stream))
        aclrtMemsetAsync(deviceAddr, SIZE, 0, SIZE, stream)
        aclrtSynchronizeStream(stream)
        aclrtDestroyStream(stream)
