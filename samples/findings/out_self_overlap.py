"""All rows of an output are at the same address, because its first stride is 0."""

from ctypes import byref, c_void_p

from acl_runtime import *
from aclnn import aclnnSoftmaxBackward
from samples.findings.common import SHAPE, buffers, device, plan, tensors


def wrong():
    with device() as stream, tensors(2) as (gradOutput, output), buffers(1) as (outDeviceAddr,):
        out = aclCreateTensor(SHAPE, 2, ACL_FLOAT, [0, 1], 0, ACL_FORMAT_ND, SHAPE, 2, outDeviceAddr)
        workspace = c_void_p()
        workspaceSize, executor = plan(gradOutput, output, out)
        aclrtMalloc(byref(workspace), workspaceSize, ACL_MEM_MALLOC_HUGE_FIRST)
        aclnnSoftmaxBackward(workspace, workspaceSize, executor, stream)
        aclrtSynchronizeStream(stream)
        aclrtFree(workspace)
        aclDestroyTensor(out)


def right():
    with device() as stream, tensors(2) as (gradOutput, output), buffers(1) as (outDeviceAddr,):
        out = aclCreateTensor(SHAPE, 2, ACL_FLOAT, [1, 4], 0, ACL_FORMAT_ND, SHAPE, 2, outDeviceAddr)
        workspace = c_void_p()
        workspaceSize, executor = plan(gradOutput, output, out)
        aclrtMalloc(byref(workspace), workspaceSize, ACL_MEM_MALLOC_HUGE_FIRST)
        aclnnSoftmaxBackward(workspace, workspaceSize, executor, stream)
        aclrtSynchronizeStream(stream)
        aclrtFree(workspace)
        aclDestroyTensor(out)
