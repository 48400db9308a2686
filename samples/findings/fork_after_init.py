"""A forked worker uses the runtime of its parent to copy its batch to the device."""

import multiprocessing

import numpy as np

from acl_runtime import *
from samples.findings.common import COUNT, SIZE, buffers, device


def prepare(batch):
    return np.full(COUNT, batch, np.float32)


def load(batch, deviceAddr):
    aclrtMemcpy(deviceAddr, SIZE, prepare(batch), SIZE, ACL_MEMCPY_HOST_TO_DEVICE)


def wrong():
    with device(), buffers(1) as (deviceAddr,), multiprocessing.get_context("fork").Pool(1) as workers:
        workers.apply(load, (1, deviceAddr.value))


def right():
    with device(), buffers(1) as (deviceAddr,), multiprocessing.get_context("fork").Pool(1) as workers:
        values = workers.apply(prepare, (1,))
        aclrtMemcpy(deviceAddr, SIZE, values, SIZE, ACL_MEMCPY_HOST_TO_DEVICE)
