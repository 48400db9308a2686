"""A workspace is allocated and freed for each of many operators."""

from ctypes import byref, c_void_p

from acl_runtime import *
from aclnn import aclnnSoftmaxBackward
from samples.findings.common import TRANSPOSED, device, plan, tensors


def wrong():
    with device() as stream, tensors(strides=TRANSPOSED) as (gradOutput, output, out):
        workspace = c_void_p()
        for _ in range(100):
            workspaceSize, executor = plan(gradOutput, output, out)
            aclrtMalloc(byref(workspace), workspaceSize, ACL_MEM_MALLOC_HUGE_FIRST)
            aclnnSoftmaxBackward(workspace, workspaceSize, executor, stream)
            aclrtSynchronizeStream(stream)
            aclrtFree(workspace)


def right():
    with device() as stream, tensors(strides=TRANSPOSED) as (gradOutput, output, out):
        workspace = c_void_p()
        for _ in range(100):
            workspaceSize, executor = plan(gradOutput, output, out)
            if not workspace:
                aclrtMalloc(byref(workspace), workspaceSize, ACL_MEM_MALLOC_HUGE_FIRST)
            aclnnSoftmaxBackward(workspace, workspaceSize, executor, stream)
        aclrtSynchronizeStream(stream)
        aclrtFree(workspace)
