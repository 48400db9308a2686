"""A first phase is called only for the size of the workspace, and its executor is never destroyed."""

from ctypes import byref, c_uint64

from acl_runtime import *
from aclnn import aclnnSoftmaxBackwardGetWorkspaceSize
from samples.findings.common import device, tensors


def wrong():
    with device(), tensors() as (gradOutput, output, out):
        workspaceSize, executor = c_uint64(0), aclOpExecutor()
        aclnnSoftmaxBackwardGetWorkspaceSize(gradOutput, output, 1, out, byref(workspaceSize), byref(executor))


def right():
    with device(), tensors() as (gradOutput, output, out):
        workspaceSize, executor = c_uint64(0), aclOpExecutor()
        aclnnSoftmaxBackwardGetWorkspaceSize(gradOutput, output, 1, out, byref(workspaceSize), byref(executor))
        aclDestroyAclOpExecutor(executor)
