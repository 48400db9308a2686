"""An executor that one operator planned is launched by another."""

from ctypes import byref, c_uint64

from acl_runtime import *
from aclnn import aclnnPreluBackward, aclnnSoftmaxBackward, aclnnSoftmaxBackwardGetWorkspaceSize
from samples.findings.common import device, tensors


def wrong():
    with device() as stream, tensors() as (gradOutput, output, out):
        workspaceSize, executor = c_uint64(0), aclOpExecutor()
        aclnnSoftmaxBackwardGetWorkspaceSize(gradOutput, output, 1, out, byref(workspaceSize), byref(executor))
        aclnnPreluBackward(None, 0, executor, stream)
        aclrtSynchronizeStream(stream)


def right():
    with device() as stream, tensors() as (gradOutput, output, out):
        workspaceSize, executor = c_uint64(0), aclOpExecutor()
        aclnnSoftmaxBackwardGetWorkspaceSize(gradOutput, output, 1, out, byref(workspaceSize), byref(executor))
        aclnnSoftmaxBackward(None, 0, executor, stream)
        aclrtSynchronizeStream(stream)
