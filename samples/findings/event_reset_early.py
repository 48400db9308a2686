"""An event is reset in the stream that recorded it, while another stream waits for it."""

from ctypes import byref

from acl_runtime import *
from samples.findings.common import another_stream, device


def wrong():
    with device() as stream, another_stream() as other:
        event = aclrtEvent()
        aclrtCreateEvent(byref(event))
        aclrtRecordEvent(event, stream)
        aclrtStreamWaitEvent(other, event)
        aclrtResetEvent(event, stream)
        aclrtSynchronizeDevice()
        aclrtDestroyEvent(event)


def right():
    with device() as stream, another_stream() as other:
        event = aclrtEvent()
        aclrtCreateEvent(byref(event))
        aclrtRecordEvent(event, stream)
        aclrtStreamWaitEvent(other, event)
        aclrtResetEvent(event, other)
        aclrtSynchronizeDevice()
        aclrtDestroyEvent(event)
