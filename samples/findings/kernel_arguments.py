"""The list of arguments lacks the last parameter of the kernel, the number of elements."""

from ctypes import byref, c_uint32, c_uint64, sizeof

import numpy as np

from acl_runtime import *
from acl_runtime import Kernel, Updates
from aclnn import kernel
from samples.findings.common import COUNT, buffers, device


def double(x, count):
    x *= 2


PARAMETERS = {"x": Updates(np.float32, "count"), "count": np.uint32}


def launch(stream, *values):
    kernel("double")(Kernel(double, PARAMETERS))
    binHandle, funcHandle, argsHandle = aclrtBinHandle(), aclrtFuncHandle(), aclrtArgsHandle()
    aclrtBinaryLoadFromData(b"any data", 8, None, byref(binHandle))
    aclrtBinaryGetFunction(binHandle, "double", byref(funcHandle))
    aclrtKernelArgsInit(funcHandle, byref(argsHandle))
    for value in values:
        aclrtKernelArgsAppend(argsHandle, byref(value), sizeof(value), byref(aclrtParamHandle()))
    aclrtKernelArgsFinalize(argsHandle)
    aclrtLaunchKernelWithConfig(funcHandle, 1, stream, None, argsHandle, None)
    aclrtSynchronizeStream(stream)
    aclrtBinaryUnLoad(binHandle)


def wrong():
    with device() as stream, buffers(1) as (x,):
        launch(stream, c_uint64(x.value))


def right():
    with device() as stream, buffers(1) as (x,):
        launch(stream, c_uint64(x.value), c_uint32(COUNT))
