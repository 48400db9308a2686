"""The memory of an output is freed while the operator may still write it."""

from ctypes import byref, c_void_p

from acl_runtime import *
from aclnn import aclnnSoftmaxBackward
from samples.findings.common import SHAPE, SIZE, STRIDES, device, plan, tensors


def wrong():
    with device() as stream, tensors(2) as (gradOutput, output):
        outDeviceAddr = c_void_p()
        aclrtMalloc(byref(outDeviceAddr), SIZE, ACL_MEM_MALLOC_HUGE_FIRST)
        out = aclCreateTensor(SHAPE, 2, ACL_FLOAT, STRIDES, 0, ACL_FORMAT_ND, SHAPE, 2, outDeviceAddr)
        workspaceSize, executor = plan(gradOutput, output, out)
        aclnnSoftmaxBackward(None, workspaceSize, executor, stream)
        aclDestroyTensor(out)
        aclrtFree(outDeviceAddr)
        aclrtSynchronizeStream(stream)


def right():
    with device() as stream, tensors(2) as (gradOutput, output):
        outDeviceAddr = c_void_p()
        aclrtMalloc(byref(outDeviceAddr), SIZE, ACL_MEM_MALLOC_HUGE_FIRST)
        out = aclCreateTensor(SHAPE, 2, ACL_FLOAT, STRIDES, 0, ACL_FORMAT_ND, SHAPE, 2, outDeviceAddr)
        workspaceSize, executor = plan(gradOutput, output, out)
        aclnnSoftmaxBackward(None, workspaceSize, executor, stream)
        aclDestroyTensor(out)  # allowed: after the launch only the memory is still needed
        aclrtSynchronizeStream(stream)
        aclrtFree(outDeviceAddr)
