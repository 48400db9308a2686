"""The memory of an output is allocated while a context of another device is current."""

from ctypes import byref, c_void_p

from acl_runtime import *
from aclnn import aclnnSoftmaxBackward
from samples.findings.common import SHAPE, SIZE, STRIDES, device, plan, tensors


def wrong():
    with device(0) as stream, tensors(2) as (gradOutput, output):
        context0, context1, outDeviceAddr = aclrtContext(), aclrtContext(), c_void_p()
        aclrtGetCurrentContext(byref(context0))
        aclrtCreateContext(byref(context1), 1)  # the new context becomes current
        aclrtMalloc(byref(outDeviceAddr), SIZE, ACL_MEM_MALLOC_HUGE_FIRST)
        aclrtSetCurrentContext(context0)
        out = aclCreateTensor(SHAPE, 2, ACL_FLOAT, STRIDES, 0, ACL_FORMAT_ND, SHAPE, 2, outDeviceAddr)
        workspaceSize, executor = plan(gradOutput, output, out)
        aclnnSoftmaxBackward(None, workspaceSize, executor, stream)
        aclrtSynchronizeStream(stream)
        aclDestroyTensor(out)
        aclrtFree(outDeviceAddr)
        aclrtDestroyContext(context1)


def right():
    with device(0) as stream, tensors(2) as (gradOutput, output):
        context0, context1, outDeviceAddr = aclrtContext(), aclrtContext(), c_void_p()
        aclrtGetCurrentContext(byref(context0))
        aclrtCreateContext(byref(context1), 1)  # the new context becomes current
        aclrtSetCurrentContext(context0)
        aclrtMalloc(byref(outDeviceAddr), SIZE, ACL_MEM_MALLOC_HUGE_FIRST)
        out = aclCreateTensor(SHAPE, 2, ACL_FLOAT, STRIDES, 0, ACL_FORMAT_ND, SHAPE, 2, outDeviceAddr)
        workspaceSize, executor = plan(gradOutput, output, out)
        aclnnSoftmaxBackward(None, workspaceSize, executor, stream)
        aclrtSynchronizeStream(stream)
        aclDestroyTensor(out)
        aclrtFree(outDeviceAddr)
        aclrtDestroyContext(context1)
