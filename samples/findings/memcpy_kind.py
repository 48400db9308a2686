"""A copy from the device to the host has the kind of a copy from the host to the device."""

import numpy as np

from acl_runtime import *
from samples.findings.common import COUNT, SIZE, buffers, device


def wrong():
    with device(), buffers(1) as (deviceAddr,):
        result = np.zeros(COUNT, np.float32)
        aclrtMemcpy(result, SIZE, deviceAddr, SIZE, ACL_MEMCPY_HOST_TO_DEVICE)


def right():
    with device(), buffers(1) as (deviceAddr,):
        result = np.zeros(COUNT, np.float32)
        aclrtMemcpy(result, SIZE, deviceAddr, SIZE, ACL_MEMCPY_DEVICE_TO_HOST)
