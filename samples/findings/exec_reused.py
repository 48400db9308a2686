"""An executor is launched twice, although it was not made repeatable."""

from ctypes import byref, c_uint64

from acl_runtime import *
from aclnn import aclnnSoftmaxBackward, aclnnSoftmaxBackwardGetWorkspaceSize
from samples.findings.common import device, tensors


def wrong():
    with device() as stream, tensors() as (gradOutput, output, out):
        workspaceSize, executor = c_uint64(0), aclOpExecutor()
        aclnnSoftmaxBackwardGetWorkspaceSize(gradOutput, output, 1, out, byref(workspaceSize), byref(executor))
        for _ in range(2):
            aclnnSoftmaxBackward(None, 0, executor, stream)
        aclrtSynchronizeStream(stream)


def right():
    with device() as stream, tensors() as (gradOutput, output, out):
        workspaceSize, executor = c_uint64(0), aclOpExecutor()
        aclnnSoftmaxBackwardGetWorkspaceSize(gradOutput, output, 1, out, byref(workspaceSize), byref(executor))
        aclSetAclOpExecutorRepeatable(executor)
        for _ in range(2):
            aclnnSoftmaxBackward(None, 0, executor, stream)
        aclrtSynchronizeStream(stream)
        aclDestroyAclOpExecutor(executor)
