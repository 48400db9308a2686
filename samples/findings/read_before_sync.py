"""A result is copied to the host without waiting for the stream that computes it."""

import numpy as np

from acl_runtime import *
from aclnn import aclnnSoftmaxBackward
from samples.findings.common import COUNT, SHAPE, SIZE, STRIDES, buffers, device, plan, tensors


def wrong():
    with device() as stream, tensors(2) as (gradOutput, output), buffers(1) as (outDeviceAddr,):
        out = aclCreateTensor(SHAPE, 2, ACL_FLOAT, STRIDES, 0, ACL_FORMAT_ND, SHAPE, 2, outDeviceAddr)
        workspaceSize, executor = plan(gradOutput, output, out)
        aclnnSoftmaxBackward(None, workspaceSize, executor, stream)
        result = np.zeros(COUNT, np.float32)
        aclrtMemcpy(result, SIZE, outDeviceAddr, SIZE, ACL_MEMCPY_DEVICE_TO_HOST)
        aclrtSynchronizeStream(stream)
        aclDestroyTensor(out)


def right():
    with device() as stream, tensors(2) as (gradOutput, output), buffers(1) as (outDeviceAddr,):
        out = aclCreateTensor(SHAPE, 2, ACL_FLOAT, STRIDES, 0, ACL_FORMAT_ND, SHAPE, 2, outDeviceAddr)
        workspaceSize, executor = plan(gradOutput, output, out)
        aclnnSoftmaxBackward(None, workspaceSize, executor, stream)
        aclrtSynchronizeStream(stream)
        result = np.zeros(COUNT, np.float32)
        aclrtMemcpy(result, SIZE, outDeviceAddr, SIZE, ACL_MEMCPY_DEVICE_TO_HOST)
        aclDestroyTensor(out)
