"""An input is allocated, but nothing is copied to it."""

from ctypes import byref, c_void_p

from acl_runtime import *
from aclnn import aclnnSoftmaxBackward
from samples.findings.common import SHAPE, SIZE, STRIDES, device, plan, tensors


def wrong():
    with device() as stream, tensors(2) as (output, out):
        deviceAddr = c_void_p()
        aclrtMalloc(byref(deviceAddr), SIZE, ACL_MEM_MALLOC_HUGE_FIRST)
        gradOutput = aclCreateTensor(SHAPE, 2, ACL_FLOAT, STRIDES, 0, ACL_FORMAT_ND, SHAPE, 2, deviceAddr)
        workspaceSize, executor = plan(gradOutput, output, out)
        aclnnSoftmaxBackward(None, workspaceSize, executor, stream)
        aclrtSynchronizeStream(stream)
        aclDestroyTensor(gradOutput)
        aclrtFree(deviceAddr)


def right():
    with device() as stream, tensors(2) as (output, out):
        deviceAddr = c_void_p()
        aclrtMalloc(byref(deviceAddr), SIZE, ACL_MEM_MALLOC_HUGE_FIRST)
        aclrtMemset(deviceAddr, SIZE, 0, SIZE)
        gradOutput = aclCreateTensor(SHAPE, 2, ACL_FLOAT, STRIDES, 0, ACL_FORMAT_ND, SHAPE, 2, deviceAddr)
        workspaceSize, executor = plan(gradOutput, output, out)
        aclnnSoftmaxBackward(None, workspaceSize, executor, stream)
        aclrtSynchronizeStream(stream)
        aclDestroyTensor(gradOutput)
        aclrtFree(deviceAddr)
