"""A stream is destroyed by force while work is queued in it behind a wait."""

from ctypes import byref

from acl_runtime import *
from samples.findings.common import SIZE, buffers, device


def wrong():
    with device() as stream, buffers(1) as (deviceAddr,):
        event, waiting = aclrtEvent(), aclrtStream()
        aclrtCreateEventWithFlag(byref(event), ACL_EVENT_SYNC)
        aclrtCreateStream(byref(waiting))
        aclrtStreamWaitEvent(waiting, event)
        aclrtMemsetAsync(deviceAddr, SIZE, 0, SIZE, waiting)
        aclrtDestroyStreamForce(waiting)
        aclrtRecordEvent(event, stream)
        aclrtSynchronizeStream(stream)
        aclrtDestroyEvent(event)


def right():
    with device() as stream, buffers(1) as (deviceAddr,):
        event, waiting = aclrtEvent(), aclrtStream()
        aclrtCreateEventWithFlag(byref(event), ACL_EVENT_SYNC)
        aclrtCreateStream(byref(waiting))
        aclrtStreamWaitEvent(waiting, event)
        aclrtMemsetAsync(deviceAddr, SIZE, 0, SIZE, waiting)
        aclrtRecordEvent(event, stream)
        aclrtSynchronizeStream(waiting)
        aclrtDestroyStreamForce(waiting)
        aclrtDestroyEvent(event)
