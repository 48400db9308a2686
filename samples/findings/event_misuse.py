"""A stream waits for an event that is recorded only afterwards."""

from ctypes import byref

from acl_runtime import *
from samples.findings.common import another_stream, device


def wrong():
    with device() as stream, another_stream() as other:
        event = aclrtEvent()
        aclrtCreateEventExWithFlag(byref(event), ACL_EVENT_SYNC)
        aclrtStreamWaitEvent(other, event)
        aclrtRecordEvent(event, stream)
        aclrtSynchronizeDevice()
        aclrtDestroyEvent(event)


def right():
    with device() as stream, another_stream() as other:
        event = aclrtEvent()
        aclrtCreateEventExWithFlag(byref(event), ACL_EVENT_SYNC)
        aclrtRecordEvent(event, stream)
        aclrtStreamWaitEvent(other, event)
        aclrtSynchronizeDevice()
        aclrtDestroyEvent(event)
