"""The host copies float64, the default type of numpy, into the memory of an ACL_FLOAT tensor."""

import numpy as np

from acl_runtime import *
from aclnn import aclnnSoftmaxBackward
from samples.findings.common import COUNT, SHAPE, SIZE, STRIDES, buffers, device, plan


def wrong():
    values = np.linspace(0, 1, COUNT)
    with device() as stream, buffers(3) as deviceAddrs:
        aclrtMemcpy(deviceAddrs[0], SIZE, values, SIZE, ACL_MEMCPY_HOST_TO_DEVICE)
        made = [aclCreateTensor(SHAPE, 2, ACL_FLOAT, STRIDES, 0, ACL_FORMAT_ND, SHAPE, 2, each) for each in deviceAddrs]
        _, executor = plan(*made)
        aclnnSoftmaxBackward(None, 0, executor, stream)
        aclrtSynchronizeStream(stream)
        for tensor in made:
            aclDestroyTensor(tensor)


def right():
    values = np.linspace(0, 1, COUNT, dtype=np.float32)
    with device() as stream, buffers(3) as deviceAddrs:
        aclrtMemcpy(deviceAddrs[0], SIZE, values, SIZE, ACL_MEMCPY_HOST_TO_DEVICE)
        made = [aclCreateTensor(SHAPE, 2, ACL_FLOAT, STRIDES, 0, ACL_FORMAT_ND, SHAPE, 2, each) for each in deviceAddrs]
        _, executor = plan(*made)
        aclnnSoftmaxBackward(None, 0, executor, stream)
        aclrtSynchronizeStream(stream)
        for tensor in made:
            aclDestroyTensor(tensor)
