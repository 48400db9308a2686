"""A callback of a stream queues the next task itself."""

from threading import Event

from acl_runtime import *
from samples.findings.common import SIZE, buffers, device


def wrong():
    with device() as stream, buffers(1) as (deviceAddr,):

        def done(userData):
            aclrtMemsetAsync(deviceAddr, SIZE, 1, SIZE, stream)

        aclrtMemsetAsync(deviceAddr, SIZE, 0, SIZE, stream)
        aclrtLaunchHostFunc(stream, done, None)
        aclrtSynchronizeStream(stream)


def right():
    with device() as stream, buffers(1) as (deviceAddr,):
        finished = Event()

        def done(userData):
            finished.set()

        aclrtMemsetAsync(deviceAddr, SIZE, 0, SIZE, stream)
        aclrtLaunchHostFunc(stream, done, None)
        aclrtSynchronizeStream(stream)
        if finished.is_set():
            aclrtMemsetAsync(deviceAddr, SIZE, 1, SIZE, stream)
        aclrtSynchronizeStream(stream)
