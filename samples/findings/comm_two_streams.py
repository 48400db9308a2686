"""Two operations of one communicator are in two streams, and no event orders the streams."""

from ctypes import byref

from acl_runtime import *
from samples.findings.common import another_stream, two_ranks


def wrong():
    with two_ranks() as (first, second):
        aclrtSetDevice(0)
        with another_stream() as stream:
            HcclBarrier(first.comm, first.stream)
            HcclBarrier(first.comm, stream)
            for _ in range(2):
                HcclBarrier(second.comm, second.stream)
            for queue in (first.stream, stream, second.stream):
                aclrtSynchronizeStream(queue)
        aclrtResetDevice(0)


def right():
    with two_ranks() as (first, second):
        aclrtSetDevice(0)
        with another_stream() as stream:
            event = aclrtEvent()
            aclrtCreateEvent(byref(event))
            HcclBarrier(second.comm, second.stream)
            HcclBarrier(first.comm, first.stream)
            aclrtRecordEvent(event, first.stream)
            aclrtStreamWaitEvent(stream, event)
            HcclBarrier(first.comm, stream)
            HcclBarrier(second.comm, second.stream)
            for queue in (first.stream, stream, second.stream):
                aclrtSynchronizeStream(queue)
            aclrtDestroyEvent(event)
        aclrtResetDevice(0)
