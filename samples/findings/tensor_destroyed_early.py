"""A tensor is destroyed between the two phases."""

from acl_runtime import *
from aclnn import aclnnSoftmaxBackward
from samples.findings.common import CreateAclTensor, buffers, device, plan, tensors


def wrong():
    with device() as stream, tensors(2) as (gradOutput, output), buffers(1) as (outDeviceAddr,):
        out = CreateAclTensor(outDeviceAddr)
        workspaceSize, executor = plan(gradOutput, output, out)
        aclDestroyTensor(out)
        aclnnSoftmaxBackward(None, workspaceSize, executor, stream)
        aclrtSynchronizeStream(stream)


def right():
    with device() as stream, tensors(2) as (gradOutput, output), buffers(1) as (outDeviceAddr,):
        out = CreateAclTensor(outDeviceAddr)
        workspaceSize, executor = plan(gradOutput, output, out)
        aclnnSoftmaxBackward(None, workspaceSize, executor, stream)
        aclDestroyTensor(out)
        aclrtSynchronizeStream(stream)
