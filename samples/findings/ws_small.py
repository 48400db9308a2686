"""The workspace has half of the bytes that the first phase asked for."""

from ctypes import byref, c_uint64, c_void_p

from acl_runtime import *
from aclnn import aclnnSoftmaxBackward, aclnnSoftmaxBackwardGetWorkspaceSize
from samples.findings.common import TRANSPOSED, device, tensors


def wrong():
    with device() as stream, tensors(strides=TRANSPOSED) as (gradOutput, output, out):
        workspaceSize, executor, workspace = c_uint64(0), aclOpExecutor(), c_void_p()
        aclnnSoftmaxBackwardGetWorkspaceSize(gradOutput, output, 1, out, byref(workspaceSize), byref(executor))
        aclrtMalloc(byref(workspace), workspaceSize.value // 2, ACL_MEM_MALLOC_HUGE_FIRST)
        aclnnSoftmaxBackward(workspace, workspaceSize.value, executor, stream)
        aclrtSynchronizeStream(stream)
        aclrtFree(workspace)


def right():
    with device() as stream, tensors(strides=TRANSPOSED) as (gradOutput, output, out):
        workspaceSize, executor, workspace = c_uint64(0), aclOpExecutor(), c_void_p()
        aclnnSoftmaxBackwardGetWorkspaceSize(gradOutput, output, 1, out, byref(workspaceSize), byref(executor))
        aclrtMalloc(byref(workspace), workspaceSize.value, ACL_MEM_MALLOC_HUGE_FIRST)
        aclnnSoftmaxBackward(workspace, workspaceSize.value, executor, stream)
        aclrtSynchronizeStream(stream)
        aclrtFree(workspace)
