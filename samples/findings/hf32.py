"""A product of matrices is allowed to run in HFLOAT32, but this emulator computes it in FLOAT by default."""

from ctypes import byref, c_uint64

from acl_runtime import *
from aclnn import aclnnMmGetWorkspaceSize
from samples.findings.common import device, tensors

KEEP_DTYPE, ALLOW_FP32_DOWN_PRECISION = 0, 1


def wrong():
    with device(), tensors() as (self, mat2, out):
        workspaceSize, executor = c_uint64(0), aclOpExecutor()
        aclnnMmGetWorkspaceSize(self, mat2, out, ALLOW_FP32_DOWN_PRECISION, byref(workspaceSize), byref(executor))
        aclDestroyAclOpExecutor(executor)


def right():
    with device(), tensors() as (self, mat2, out):
        workspaceSize, executor = c_uint64(0), aclOpExecutor()
        aclnnMmGetWorkspaceSize(self, mat2, out, KEEP_DTYPE, byref(workspaceSize), byref(executor))
        aclDestroyAclOpExecutor(executor)
