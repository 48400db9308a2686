"""An output begins in the middle of an input."""

from ctypes import byref, c_void_p

from acl_runtime import *
from aclnn import aclnnSoftmaxBackward
from samples.findings.common import SHAPE, SIZE, STRIDES, device, plan, tensors


def wrong():
    with device() as stream, tensors(1) as (output,):
        deviceAddr = c_void_p()
        aclrtMalloc(byref(deviceAddr), 2 * SIZE, ACL_MEM_MALLOC_HUGE_FIRST)
        aclrtMemset(deviceAddr, 2 * SIZE, 0, 2 * SIZE)
        gradOutput = aclCreateTensor(SHAPE, 2, ACL_FLOAT, STRIDES, 0, ACL_FORMAT_ND, SHAPE, 2, deviceAddr)
        out = aclCreateTensor(SHAPE, 2, ACL_FLOAT, STRIDES, 0, ACL_FORMAT_ND, SHAPE, 2, deviceAddr.value + SIZE // 2)
        workspaceSize, executor = plan(gradOutput, output, out)
        aclnnSoftmaxBackward(None, workspaceSize, executor, stream)
        aclrtSynchronizeStream(stream)
        aclDestroyTensor(gradOutput)
        aclDestroyTensor(out)
        aclrtFree(deviceAddr)


def right():
    with device() as stream, tensors(1) as (output,):
        deviceAddr = c_void_p()
        aclrtMalloc(byref(deviceAddr), 2 * SIZE, ACL_MEM_MALLOC_HUGE_FIRST)
        aclrtMemset(deviceAddr, 2 * SIZE, 0, 2 * SIZE)
        gradOutput = aclCreateTensor(SHAPE, 2, ACL_FLOAT, STRIDES, 0, ACL_FORMAT_ND, SHAPE, 2, deviceAddr)
        out = aclCreateTensor(SHAPE, 2, ACL_FLOAT, STRIDES, 0, ACL_FORMAT_ND, SHAPE, 2, deviceAddr.value + SIZE)
        workspaceSize, executor = plan(gradOutput, output, out)
        aclnnSoftmaxBackward(None, workspaceSize, executor, stream)
        aclrtSynchronizeStream(stream)
        aclDestroyTensor(gradOutput)
        aclDestroyTensor(out)
        aclrtFree(deviceAddr)
