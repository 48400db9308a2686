"""An executor that aclnnRelu planned is launched by aclnnInplaceRelu."""

from ctypes import byref, c_uint64

from acl_runtime import *
from aclnn import aclnnInplaceRelu, aclnnRelu, aclnnReluGetWorkspaceSize
from samples.findings.common import device, tensors


def wrong():
    with device() as stream, tensors(2) as (self, out):
        workspaceSize, executor = c_uint64(0), aclOpExecutor()
        aclnnReluGetWorkspaceSize(self, out, byref(workspaceSize), byref(executor))
        aclnnInplaceRelu(None, 0, executor, stream)
        aclrtSynchronizeStream(stream)


def right():
    with device() as stream, tensors(2) as (self, out):
        workspaceSize, executor = c_uint64(0), aclOpExecutor()
        aclnnReluGetWorkspaceSize(self, out, byref(workspaceSize), byref(executor))
        aclnnRelu(None, 0, executor, stream)
        aclrtSynchronizeStream(stream)
