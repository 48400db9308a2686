"""A stream is destroyed while a memory set is in it that nobody has waited for."""

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
