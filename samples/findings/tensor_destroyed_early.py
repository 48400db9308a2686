"""A tensor is destroyed between the two phases."""

from ctypes import byref, c_uint64

from acl_runtime import *
from aclnn import aclnnSoftmaxBackward, aclnnSoftmaxBackwardGetWorkspaceSize
from samples.findings.common import SHAPE, STRIDES, buffers, device, tensors


def wrong():
    with device() as stream, tensors(2) as (gradOutput, output), buffers(1) as (outDeviceAddr,):
        workspaceSize, executor = c_uint64(0), aclOpExecutor()
        out = aclCreateTensor(SHAPE, 2, ACL_FLOAT, STRIDES, 0, ACL_FORMAT_ND, SHAPE, 2, outDeviceAddr)
        aclnnSoftmaxBackwardGetWorkspaceSize(gradOutput, output, 1, out, byref(workspaceSize), byref(executor))
        aclDestroyTensor(out)
        aclnnSoftmaxBackward(None, 0, executor, stream)
        aclrtSynchronizeStream(stream)


def right():
    with device() as stream, tensors(2) as (gradOutput, output), buffers(1) as (outDeviceAddr,):
        workspaceSize, executor = c_uint64(0), aclOpExecutor()
        out = aclCreateTensor(SHAPE, 2, ACL_FLOAT, STRIDES, 0, ACL_FORMAT_ND, SHAPE, 2, outDeviceAddr)
        aclnnSoftmaxBackwardGetWorkspaceSize(gradOutput, output, 1, out, byref(workspaceSize), byref(executor))
        aclnnSoftmaxBackward(None, 0, executor, stream)
        aclDestroyTensor(out)
        aclrtSynchronizeStream(stream)
