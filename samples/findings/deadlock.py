"""The host waits for a stream that waits for an event, which the host records only afterwards."""

from ctypes import byref

from acl_runtime import *
from samples.findings.common import another_stream, device


def wrong():
    with device() as stream, another_stream() as other:
        event = aclrtEvent()
        aclrtCreateEventWithFlag(byref(event), ACL_EVENT_SYNC)
        aclrtStreamWaitEvent(stream, event)
        aclrtSynchronizeStream(stream)
        aclrtRecordEvent(event, other)
        aclrtSynchronizeDevice()
        aclrtDestroyEvent(event)


def right():
    with device() as stream, another_stream() as other:
        event = aclrtEvent()
        aclrtCreateEventWithFlag(byref(event), ACL_EVENT_SYNC)
        aclrtStreamWaitEvent(stream, event)
        aclrtRecordEvent(event, other)
        aclrtSynchronizeStream(stream)
        aclrtSynchronizeDevice()
        aclrtDestroyEvent(event)
