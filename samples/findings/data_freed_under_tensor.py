"""The memory of a tensor is freed before the operator is launched."""

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
        aclrtFree(outDeviceAddr)
        aclnnSoftmaxBackward(None, workspaceSize, executor, stream)
        aclrtSynchronizeStream(stream)
        aclDestroyTensor(out)


def right():
    with device() as stream, tensors(2) as (gradOutput, output):
        outDeviceAddr = c_void_p()
        aclrtMalloc(byref(outDeviceAddr), SIZE, ACL_MEM_MALLOC_HUGE_FIRST)
        out = aclCreateTensor(SHAPE, 2, ACL_FLOAT, STRIDES, 0, ACL_FORMAT_ND, SHAPE, 2, outDeviceAddr)
        workspaceSize, executor = plan(gradOutput, output, out)
        aclnnSoftmaxBackward(None, workspaceSize, executor, stream)
        aclrtSynchronizeStream(stream)
        aclDestroyTensor(out)
        aclrtFree(outDeviceAddr)
