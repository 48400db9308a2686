"""A callback of a stream copies the result back itself."""

from threading import Event

import numpy as np

from acl_runtime import *
from samples.findings.common import COUNT, SIZE, buffers, device


def wrong():
    with device() as stream, buffers(1) as (deviceAddr,):
        result = np.zeros(COUNT, np.float32)

        def done(userData):
            aclrtMemcpy(result, SIZE, deviceAddr, SIZE, ACL_MEMCPY_DEVICE_TO_HOST)

        aclrtMemsetAsync(deviceAddr, SIZE, 0, SIZE, stream)
        aclrtLaunchHostFunc(stream, done, None)
        aclrtSynchronizeStream(stream)


def right():
    with device() as stream, buffers(1) as (deviceAddr,):
        result, finished = np.zeros(COUNT, np.float32), Event()

        def done(userData):
            finished.set()

        aclrtMemsetAsync(deviceAddr, SIZE, 0, SIZE, stream)
        aclrtLaunchHostFunc(stream, done, None)
        aclrtSynchronizeStream(stream)
        if finished.is_set():
            aclrtMemcpy(result, SIZE, deviceAddr, SIZE, ACL_MEMCPY_DEVICE_TO_HOST)
