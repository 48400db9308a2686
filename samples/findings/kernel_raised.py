"""The user's kernel for aclnnErf returns a result whose data type is not the data type of the output."""

from ctypes import byref, c_uint64, c_void_p
from math import erf

import numpy as np

from acl_runtime import *
from aclnn import aclnnErf, aclnnErfGetWorkspaceSize, kernel
from samples.findings.common import device, tensors


def launch(stream, self, out):
    workspaceSize, executor, workspace = c_uint64(0), aclOpExecutor(), c_void_p()
    aclnnErfGetWorkspaceSize(self, out, byref(workspaceSize), byref(executor))
    if workspaceSize.value > 0:
        aclrtMalloc(byref(workspace), workspaceSize.value, ACL_MEM_MALLOC_HUGE_FIRST)
    aclnnErf(workspace, workspaceSize.value, executor, stream)
    aclrtSynchronizeStream(stream)
    if workspaceSize.value > 0:
        aclrtFree(workspace)


def wrong():
    @kernel("aclnnErf")
    def erf_of_all(self):
        return np.array([erf(x) for x in self.reshape(-1)]).reshape(self.shape)  # float64

    with device() as stream, tensors(2) as (self, out):
        launch(stream, self, out)


def right():
    @kernel("aclnnErf")
    def erf_of_all(self):
        return np.array([erf(x) for x in self.reshape(-1)], self.dtype).reshape(self.shape)

    with device() as stream, tensors(2) as (self, out):
        launch(stream, self, out)
