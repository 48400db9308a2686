"""The output lies on device 1, but the operator runs on device 0."""

from ctypes import byref, c_void_p

from acl_runtime import *
from aclnn import aclnnSoftmaxBackward
from samples.findings.common import SIZE, CreateAclTensor, device, plan, tensors


def wrong():
    with device(0) as stream, tensors(2) as (gradOutput, output):
        outDeviceAddr = c_void_p()
        aclrtSetDevice(1)
        aclrtMalloc(byref(outDeviceAddr), SIZE, ACL_MEM_MALLOC_HUGE_FIRST)
        aclrtSetDevice(0)
        out = CreateAclTensor(outDeviceAddr)
        workspaceSize, executor = plan(gradOutput, output, out)
        aclnnSoftmaxBackward(None, workspaceSize, executor, stream)
        aclrtSynchronizeStream(stream)
        aclDestroyTensor(out)
        aclrtFree(outDeviceAddr)
        aclrtResetDevice(1)


def right():
    with device(0) as stream, tensors(2) as (gradOutput, output):
        outDeviceAddr = c_void_p()
        aclrtMalloc(byref(outDeviceAddr), SIZE, ACL_MEM_MALLOC_HUGE_FIRST)
        out = CreateAclTensor(outDeviceAddr)
        workspaceSize, executor = plan(gradOutput, output, out)
        aclnnSoftmaxBackward(None, workspaceSize, executor, stream)
        aclrtSynchronizeStream(stream)
        aclDestroyTensor(out)
        aclrtFree(outDeviceAddr)
