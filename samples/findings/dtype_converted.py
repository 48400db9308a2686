"""The gradient is float16, and the output is float32."""

from ctypes import byref, c_uint64

from acl_runtime import *
from aclnn import aclnnEmbeddingDenseBackwardGetWorkspaceSize
from samples.findings.common import SHAPE, STRIDES, buffers, device


def wrong():
    with device(), buffers(3) as (gradAddr, indicesAddr, outAddr):
        grad = aclCreateTensor(SHAPE, 2, ACL_FLOAT16, STRIDES, 0, ACL_FORMAT_ND, SHAPE, 2, gradAddr)
        indices = aclCreateTensor([4], 1, ACL_INT64, [1], 0, ACL_FORMAT_ND, [4], 1, indicesAddr)
        out = aclCreateTensor(SHAPE, 2, ACL_FLOAT, STRIDES, 0, ACL_FORMAT_ND, SHAPE, 2, outAddr)
        workspaceSize, executor = c_uint64(0), aclOpExecutor()
        aclnnEmbeddingDenseBackwardGetWorkspaceSize(
            grad, indices, 4, -1, False, out, byref(workspaceSize), byref(executor)
        )
        aclDestroyAclOpExecutor(executor)
        for tensor in (grad, indices, out):
            aclDestroyTensor(tensor)


def right():
    with device(), buffers(3) as (gradAddr, indicesAddr, outAddr):
        grad = aclCreateTensor(SHAPE, 2, ACL_FLOAT16, STRIDES, 0, ACL_FORMAT_ND, SHAPE, 2, gradAddr)
        indices = aclCreateTensor([4], 1, ACL_INT64, [1], 0, ACL_FORMAT_ND, [4], 1, indicesAddr)
        out = aclCreateTensor(SHAPE, 2, ACL_FLOAT16, STRIDES, 0, ACL_FORMAT_ND, SHAPE, 2, outAddr)
        workspaceSize, executor = c_uint64(0), aclOpExecutor()
        aclnnEmbeddingDenseBackwardGetWorkspaceSize(
            grad, indices, 4, -1, False, out, byref(workspaceSize), byref(executor)
        )
        aclDestroyAclOpExecutor(executor)
        for tensor in (grad, indices, out):
            aclDestroyTensor(tensor)
