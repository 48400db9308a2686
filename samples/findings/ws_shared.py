"""Operators in two streams use the same workspace."""

from ctypes import byref, c_void_p

from acl_runtime import *
from aclnn import aclnnSoftmaxBackward
from samples.findings.common import TRANSPOSED, another_stream, device, plan, tensors


def wrong():
    with device() as one, another_stream() as two, tensors(4, TRANSPOSED) as (gradOutput, output, out1, out2):
        workspace = c_void_p()
        for out, stream in ((out1, one), (out2, two)):
            workspaceSize, executor = plan(gradOutput, output, out)
            if not workspace:
                aclrtMalloc(byref(workspace), workspaceSize, ACL_MEM_MALLOC_HUGE_FIRST)
            aclnnSoftmaxBackward(workspace, workspaceSize, executor, stream)
        aclrtSynchronizeDevice()
        aclrtFree(workspace)


def right():
    with device() as one, another_stream() as two, tensors(4, TRANSPOSED) as (gradOutput, output, out1, out2):
        workspaces = [c_void_p(), c_void_p()]
        for out, stream, workspace in ((out1, one, workspaces[0]), (out2, two, workspaces[1])):
            workspaceSize, executor = plan(gradOutput, output, out)
            aclrtMalloc(byref(workspace), workspaceSize, ACL_MEM_MALLOC_HUGE_FIRST)
            aclnnSoftmaxBackward(workspace, workspaceSize, executor, stream)
        aclrtSynchronizeDevice()
        for workspace in workspaces:
            aclrtFree(workspace)
