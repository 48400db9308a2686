"""A program needs memory for 16 elements, but passes the number of elements as the number of bytes."""

from ctypes import byref, c_void_p

from acl_runtime import *
from aclnn import aclnnSoftmaxBackward
from samples.findings.common import COUNT, SHAPE, SIZE, STRIDES, device, plan, tensors


def wrong():
    with device() as stream, tensors(2) as (gradOutput, output):
        outDeviceAddr = c_void_p()
        aclrtMalloc(byref(outDeviceAddr), COUNT, ACL_MEM_MALLOC_HUGE_FIRST)
        out = aclCreateTensor(SHAPE, 2, ACL_FLOAT, STRIDES, 0, ACL_FORMAT_ND, SHAPE, 2, outDeviceAddr)
        workspaceSize, executor = plan(gradOutput, output, out)
        aclnnSoftmaxBackward(None, workspaceSize, executor, stream)
        aclrtSynchronizeStream(stream)
        aclDestroyTensor(out)
        aclrtFree(outDeviceAddr)


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
