"""An executor is made repeatable too late: after the first phase of another executor."""

from ctypes import byref, c_uint64

from acl_runtime import *
from aclnn import aclnnSoftmaxBackwardGetWorkspaceSize
from samples.findings.common import device, tensors


def wrong():
    with device(), tensors(4) as (gradOutput, output, out1, out2):
        workspaceSize, executors = c_uint64(0), [aclOpExecutor(), aclOpExecutor()]
        for out, executor in zip((out1, out2), executors, strict=True):
            aclnnSoftmaxBackwardGetWorkspaceSize(gradOutput, output, 1, out, byref(workspaceSize), byref(executor))
        for executor in executors:
            aclSetAclOpExecutorRepeatable(executor)
        for executor in executors:
            aclDestroyAclOpExecutor(executor)


def right():
    with device(), tensors(4) as (gradOutput, output, out1, out2):
        workspaceSize, executors = c_uint64(0), [aclOpExecutor(), aclOpExecutor()]
        for out, executor in zip((out1, out2), executors, strict=True):
            aclnnSoftmaxBackwardGetWorkspaceSize(gradOutput, output, 1, out, byref(workspaceSize), byref(executor))
            aclSetAclOpExecutorRepeatable(executor)
        for executor in executors:
            aclDestroyAclOpExecutor(executor)
