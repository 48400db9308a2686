"""A first phase fails, and the second one gets the old value of the executor variable."""

from ctypes import byref, c_uint64

from acl_runtime import *
from aclnn import aclnnSoftmaxBackward, aclnnSoftmaxBackwardGetWorkspaceSize
from samples.findings.common import device, tensors


def wrong():
    with device() as stream, tensors() as (gradOutput, output, out):
        ret, workspaceSize, executor = ACL_SUCCESS, c_uint64(0), aclOpExecutor()
        for dim in (1, 2):  # there is no dimension 2
            ret |= aclnnSoftmaxBackwardGetWorkspaceSize(
                gradOutput, output, dim, out, byref(workspaceSize), byref(executor)
            )
            ret |= aclnnSoftmaxBackward(None, 0, executor, stream)
        aclrtSynchronizeStream(stream)


def right():
    with device() as stream, tensors() as (gradOutput, output, out):
        ret, workspaceSize, executor = ACL_SUCCESS, c_uint64(0), aclOpExecutor()
        for dim in (1, 2):  # there is no dimension 2
            ret = aclnnSoftmaxBackwardGetWorkspaceSize(
                gradOutput, output, dim, out, byref(workspaceSize), byref(executor)
            )
            if ret == ACL_SUCCESS:
                aclnnSoftmaxBackward(None, 0, executor, stream)
        aclrtSynchronizeStream(stream)
