"""A second stream reads the bytes that the first one writes, and no event orders the two."""

from ctypes import byref

from acl_runtime import *
from samples.findings.common import SIZE, another_stream, buffers, device


def wrong():
    with device() as stream, another_stream() as other, buffers(3) as (source, middle, target):
        aclrtMemcpyAsync(middle, SIZE, source, SIZE, ACL_MEMCPY_DEVICE_TO_DEVICE, stream)
        aclrtMemcpyAsync(target, SIZE, middle, SIZE, ACL_MEMCPY_DEVICE_TO_DEVICE, other)
        aclrtSynchronizeDevice()


def right():
    with device() as stream, another_stream() as other, buffers(3) as (source, middle, target):
        event = aclrtEvent()
        aclrtCreateEventExWithFlag(byref(event), ACL_EVENT_SYNC)
        aclrtMemcpyAsync(middle, SIZE, source, SIZE, ACL_MEMCPY_DEVICE_TO_DEVICE, stream)
        aclrtRecordEvent(event, stream)
        aclrtStreamWaitEvent(other, event)
        aclrtMemcpyAsync(target, SIZE, middle, SIZE, ACL_MEMCPY_DEVICE_TO_DEVICE, other)
        aclrtSynchronizeDevice()
        aclrtDestroyEvent(event)
