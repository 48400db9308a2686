"""The common part of the programs in this folder: lines that every host program has."""

from ctypes import byref, c_uint64, c_void_p

import numpy as np

from acl_runtime import *
from aclnn import aclnnSoftmaxBackwardGetWorkspaceSize


def check(ret, what):
    """CHECK_RET: stop at the first call that fails."""
    if ret != ACL_SUCCESS:
        raise RuntimeError(f"{what} failed. ERROR: {ret}: {aclGetRecentErrMsg()}")


def start():
    check(aclInit(None), "aclInit")
    check(aclrtSetDevice(0), "aclrtSetDevice")
    stream = aclrtStream()
    check(aclrtCreateStream(byref(stream)), "aclrtCreateStream")
    return stream


def finish(stream):
    check(aclrtDestroyStream(stream), "aclrtDestroyStream")
    check(aclrtResetDevice(0), "aclrtResetDevice")
    check(aclFinalize(), "aclFinalize")


def device_memory(size):
    address = c_void_p()
    check(aclrtMalloc(byref(address), size, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc")
    return address


def on_device(values):
    """Device memory with the values of an array."""
    address = device_memory(values.nbytes)
    check(aclrtMemcpy(address, values.nbytes, values, values.nbytes, ACL_MEMCPY_HOST_TO_DEVICE), "aclrtMemcpy")
    return address


def tensor(address, shape, strides=None):
    """A float tensor over device memory: dense, or a view with these strides."""
    return aclCreateTensor(shape, len(shape), ACL_FLOAT, strides, 0, ACL_FORMAT_ND, shape, len(shape), address)


class Softmax:
    """The gradient of a softmax over rows of 4 elements, with memory for 4 rows.

    The incoming gradient is transposed, so the operator first copies it to a workspace.
    """

    def __init__(self, rows=4):
        self.memory = []
        for value in (1, 0.25, 0):
            self.memory.append(on_device(np.full((4, 4), value, np.float32)))
        self.grad = tensor(self.memory[0], [rows, 4], strides=[1, rows])
        self.output, self.out = tensor(self.memory[1], [rows, 4]), tensor(self.memory[2], [rows, 4])

    def plan(self):
        """The first phase: size of the workspace, and the executor."""
        size, executor = c_uint64(0), aclOpExecutor()
        ret = aclnnSoftmaxBackwardGetWorkspaceSize(self.grad, self.output, 1, self.out, byref(size), byref(executor))
        check(ret, "aclnnSoftmaxBackwardGetWorkspaceSize")
        return size.value, executor

    def close(self):
        for each in (self.grad, self.output, self.out):
            check(aclDestroyTensor(each), "aclDestroyTensor")
        for each in self.memory:
            check(aclrtFree(each), "aclrtFree")
