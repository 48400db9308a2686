"""A workspace is freed while its operator may still run."""

from ctypes import byref, c_void_p

from acl_runtime import *
from aclnn import aclnnSoftmaxBackward
from samples.findings.common import TRANSPOSED, device, plan, tensors


def wrong():
    with device() as stream, tensors(strides=TRANSPOSED) as (gradOutput, output, out):
        workspaceSize, executor = plan(gradOutput, output, out)
        workspace = c_void_p()
        aclrtMalloc(byref(workspace), workspaceSize, ACL_MEM_MALLOC_HUGE_FIRST)
        aclnnSoftmaxBackward(workspace, workspaceSize, executor, stream)
        aclrtFree(workspace)
        aclrtSynchronizeStream(stream)


def right():
    with device() as stream, tensors(strides=TRANSPOSED) as (gradOutput, output, out):
        workspaceSize, executor = plan(gradOutput, output, out)
        workspace = c_void_p()
        aclrtMalloc(byref(workspace), workspaceSize, ACL_MEM_MALLOC_HUGE_FIRST)
        aclnnSoftmaxBackward(workspace, workspaceSize, executor, stream)
        aclrtSynchronizeStream(stream)
        aclrtFree(workspace)
