"""The host lays out a weight in FRACTAL_NZ, and then scales it by a tensor in ND on the same memory."""

from ctypes import byref, c_float, c_uint64, c_void_p

import numpy as np

from acl_runtime import *
from aclnn import *
from samples.findings.common import device

SHAPE = [32, 32]
WEIGHT = np.ones(SHAPE, np.float16)


def weight(deviceAddr):
    return aclCreateTensor(SHAPE, 2, ACL_FLOAT16, None, 0, ACL_FORMAT_ND, SHAPE, 2, deviceAddr)


def lay_out(deviceAddr, stream):
    tensor, workspaceSize, executor = weight(deviceAddr), c_uint64(0), aclOpExecutor()
    aclnnTransMatmulWeightGetWorkspaceSize(tensor, byref(workspaceSize), byref(executor))
    workspace = c_void_p()
    aclrtMalloc(byref(workspace), workspaceSize.value, ACL_MEM_MALLOC_HUGE_FIRST)
    aclnnTransMatmulWeight(workspace, workspaceSize.value, executor, stream)
    aclrtSynchronizeStream(stream)
    aclrtFree(workspace)
    aclDestroyTensor(tensor)


def scale(deviceAddr, stream):
    tensor, other, executor = weight(deviceAddr), aclCreateScalar(byref(c_float(0.5)), ACL_FLOAT), aclOpExecutor()
    aclnnInplaceMulsGetWorkspaceSize(tensor, other, byref(c_uint64(0)), byref(executor))
    aclnnInplaceMuls(None, 0, executor, stream)
    aclrtSynchronizeStream(stream)
    aclDestroyScalar(other)
    aclDestroyTensor(tensor)


def wrong():
    with device() as stream:
        deviceAddr = c_void_p()
        aclrtMalloc(byref(deviceAddr), WEIGHT.nbytes, ACL_MEM_MALLOC_HUGE_FIRST)
        aclrtMemcpy(deviceAddr, WEIGHT.nbytes, WEIGHT, WEIGHT.nbytes, ACL_MEMCPY_HOST_TO_DEVICE)
        lay_out(deviceAddr, stream)
        scale(deviceAddr, stream)
        aclrtFree(deviceAddr)


def right():
    with device() as stream:
        deviceAddr = c_void_p()
        aclrtMalloc(byref(deviceAddr), WEIGHT.nbytes, ACL_MEM_MALLOC_HUGE_FIRST)
        aclrtMemcpy(deviceAddr, WEIGHT.nbytes, WEIGHT, WEIGHT.nbytes, ACL_MEMCPY_HOST_TO_DEVICE)
        scale(deviceAddr, stream)
        lay_out(deviceAddr, stream)
        aclrtFree(deviceAddr)
