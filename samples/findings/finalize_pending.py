"""A program calls aclFinalize before a queued memory set has run."""

from acl_runtime import *
from samples.findings.common import SIZE, buffers


def wrong():
    aclInit(None)
    aclrtSetDevice(0)
    with buffers(1) as (deviceAddr,):
        aclrtMemsetAsync(deviceAddr, SIZE, 0, SIZE, None)
        aclFinalize()
        aclrtSynchronizeDevice()
    aclrtResetDevice(0)


def right():
    aclInit(None)
    aclrtSetDevice(0)
    with buffers(1) as (deviceAddr,):
        aclrtMemsetAsync(deviceAddr, SIZE, 0, SIZE, None)
        aclrtSynchronizeDevice()
    aclrtResetDevice(0)
    aclFinalize()
