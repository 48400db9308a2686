"""An executor is destroyed although its launch has used it up."""

from ctypes import byref, c_uint64

from acl_runtime import *
from aclnn import aclnnSoftmaxBackward, aclnnSoftmaxBackwardGetWorkspaceSize
from samples.findings.common import device, tensors


def wrong():
    with device() as stream, tensors() as (gradOutput, output, out):
        workspaceSize, executor = c_uint64(0), aclOpExecutor()
        aclnnSoftmaxBackwardGetWorkspaceSize(gradOutput, output, 1, out, byref(workspaceSize), byref(executor))
        aclnnSoftmaxBackward(None, 0, executor, stream)
        aclrtSynchronizeStream(stream)
        aclDestroyAclOpExecutor(executor)


def right():
    with device() as stream, tensors() as (gradOutput, output, out):
        workspaceSize, executor = c_uint64(0), aclOpExecutor()
        aclnnSoftmaxBackwardGetWorkspaceSize(gradOutput, output, 1, out, byref(workspaceSize), byref(executor))
        aclnnSoftmaxBackward(None, 0, executor, stream)
        aclrtSynchronizeStream(stream)
