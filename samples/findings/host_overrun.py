"""A copy back writes 64 bytes into an array of 16."""

import numpy as np

from acl_runtime import *
from samples.findings.common import COUNT, SIZE, buffers, device


def wrong():
    with device(), buffers(1) as (deviceAddr,):
        result = np.zeros(COUNT, np.uint8)
        aclrtMemcpy(result, SIZE, deviceAddr, SIZE, ACL_MEMCPY_DEVICE_TO_HOST)


def right():
    with device(), buffers(1) as (deviceAddr,):
        result = np.zeros(COUNT, np.float32)
        aclrtMemcpy(result, SIZE, deviceAddr, SIZE, ACL_MEMCPY_DEVICE_TO_HOST)
