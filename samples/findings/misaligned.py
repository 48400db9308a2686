"""A tensor begins 4 bytes after the start of its memory."""

from ctypes import byref, c_void_p

from acl_runtime import *
from aclnn import aclnnSoftmaxBackward
from samples.findings.common import SHAPE, SIZE, STRIDES, device, plan, tensors


def wrong():
    with device() as stream, tensors(2) as (gradOutput, output):
        deviceAddr = c_void_p()
        aclrtMalloc(byref(deviceAddr), 2 * SIZE, ACL_MEM_MALLOC_HUGE_FIRST)
        out = aclCreateTensor(SHAPE, 2, ACL_FLOAT, STRIDES, 0, ACL_FORMAT_ND, SHAPE, 2, deviceAddr.value + 4)
        workspaceSize, executor = plan(gradOutput, output, out)
        aclnnSoftmaxBackward(None, workspaceSize, executor, stream)
        aclrtSynchronizeStream(stream)
        aclDestroyTensor(out)
        aclrtFree(deviceAddr)


def right():
    with device() as stream, tensors(2) as (gradOutput, output):
        deviceAddr = c_void_p()
        aclrtMalloc(byref(deviceAddr), 2 * SIZE, ACL_MEM_MALLOC_HUGE_FIRST)
        out = aclCreateTensor(SHAPE, 2, ACL_FLOAT, STRIDES, 0, ACL_FORMAT_ND, SHAPE, 2, deviceAddr.value + 32)
        workspaceSize, executor = plan(gradOutput, output, out)
        aclnnSoftmaxBackward(None, workspaceSize, executor, stream)
        aclrtSynchronizeStream(stream)
        aclDestroyTensor(out)
        aclrtFree(deviceAddr)
