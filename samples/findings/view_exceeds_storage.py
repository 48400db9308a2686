"""A view of 4 x 4 elements with rows of 8 is put on a storage of 16 elements."""

from acl_runtime import *
from aclnn import aclnnSoftmaxBackward
from samples.findings.common import SHAPE, STRIDES, buffers, device, plan, tensors


def wrong():
    with device() as stream, tensors(2) as (gradOutput, output), buffers(1) as (outDeviceAddr,):
        out = aclCreateTensor(SHAPE, 2, ACL_FLOAT, [8, 1], 0, ACL_FORMAT_ND, [16], 1, outDeviceAddr)
        workspaceSize, executor = plan(gradOutput, output, out)
        aclnnSoftmaxBackward(None, workspaceSize, executor, stream)
        aclrtSynchronizeStream(stream)
        aclDestroyTensor(out)


def right():
    with device() as stream, tensors(2) as (gradOutput, output), buffers(1) as (outDeviceAddr,):
        out = aclCreateTensor(SHAPE, 2, ACL_FLOAT, STRIDES, 0, ACL_FORMAT_ND, [16], 1, outDeviceAddr)
        workspaceSize, executor = plan(gradOutput, output, out)
        aclnnSoftmaxBackward(None, workspaceSize, executor, stream)
        aclrtSynchronizeStream(stream)
        aclDestroyTensor(out)
