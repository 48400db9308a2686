"""A copy to the host gets the number of elements of the array as its count, not the number of bytes."""

import numpy as np

from acl_runtime import *
from samples.findings.common import COUNT, SIZE, buffers, device


def wrong():
    with device(), buffers(1) as (deviceAddr,):
        result = np.zeros(COUNT, np.float32)
        aclrtMemcpy(result, SIZE, deviceAddr, result.size, ACL_MEMCPY_DEVICE_TO_HOST)


def right():
    with device(), buffers(1) as (deviceAddr,):
        result = np.zeros(COUNT, np.float32)
        part = result[:4]  # right: only a part of the array is copied
        aclrtMemcpy(part, part.nbytes, deviceAddr, part.nbytes, ACL_MEMCPY_DEVICE_TO_HOST)
        aclrtMemcpy(result, result.nbytes, deviceAddr, result.nbytes, ACL_MEMCPY_DEVICE_TO_HOST)
