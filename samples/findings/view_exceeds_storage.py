"""A view of 16 elements begins at element 8 of a storage of 16 elements."""

from acl_runtime import *
from aclnn import aclnnSoftmaxBackward
from samples.findings.common import SHAPE, STRIDES, buffers, device, plan, tensors


def wrong():
    with device() as stream, tensors(2) as (gradOutput, output), buffers(1) as (outDeviceAddr,):
        offset = 8
        out = aclCreateTensor(SHAPE, 2, ACL_FLOAT, STRIDES, offset, ACL_FORMAT_ND, [16], 1, outDeviceAddr)
        workspaceSize, executor = plan(gradOutput, output, out)
        aclnnSoftmaxBackward(None, workspaceSize, executor, stream)
        aclrtSynchronizeStream(stream)
        aclDestroyTensor(out)


def right():
    with device() as stream, tensors(2) as (gradOutput, output), buffers(1) as (outDeviceAddr,):
        offset = 0
        out = aclCreateTensor(SHAPE, 2, ACL_FLOAT, STRIDES, offset, ACL_FORMAT_ND, [16], 1, outDeviceAddr)
        workspaceSize, executor = plan(gradOutput, output, out)
        aclnnSoftmaxBackward(None, workspaceSize, executor, stream)
        aclrtSynchronizeStream(stream)
        aclDestroyTensor(out)
