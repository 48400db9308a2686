"""An index names row 4 of a table that has the rows 0 to 3."""

from ctypes import byref, c_uint64, c_void_p

import numpy as np

from acl_runtime import *
from aclnn import aclnnEmbeddingDenseBackward, aclnnEmbeddingDenseBackwardGetWorkspaceSize
from samples.findings.common import SIZE, buffers, device, tensors


def wrong():
    with device() as stream, tensors(2) as (grad, out), buffers(1) as (indicesAddr,):
        rows = np.array([0, 1, 2, 4])
        aclrtMemcpy(indicesAddr, SIZE, rows, rows.nbytes, ACL_MEMCPY_HOST_TO_DEVICE)
        indices = aclCreateTensor([4], 1, ACL_INT64, [1], 0, ACL_FORMAT_ND, [4], 1, indicesAddr)
        workspaceSize, executor, workspace = c_uint64(0), aclOpExecutor(), c_void_p()
        aclnnEmbeddingDenseBackwardGetWorkspaceSize(
            grad, indices, 4, -1, False, out, byref(workspaceSize), byref(executor)
        )
        aclrtMalloc(byref(workspace), workspaceSize.value, ACL_MEM_MALLOC_HUGE_FIRST)
        aclnnEmbeddingDenseBackward(workspace, workspaceSize.value, executor, stream)
        aclrtSynchronizeStream(stream)
        aclrtFree(workspace)
        aclDestroyTensor(indices)


def right():
    with device() as stream, tensors(2) as (grad, out), buffers(1) as (indicesAddr,):
        rows = np.array([0, 1, 2, 3])
        aclrtMemcpy(indicesAddr, SIZE, rows, rows.nbytes, ACL_MEMCPY_HOST_TO_DEVICE)
        indices = aclCreateTensor([4], 1, ACL_INT64, [1], 0, ACL_FORMAT_ND, [4], 1, indicesAddr)
        workspaceSize, executor, workspace = c_uint64(0), aclOpExecutor(), c_void_p()
        aclnnEmbeddingDenseBackwardGetWorkspaceSize(
            grad, indices, 4, -1, False, out, byref(workspaceSize), byref(executor)
        )
        aclrtMalloc(byref(workspace), workspaceSize.value, ACL_MEM_MALLOC_HUGE_FIRST)
        aclnnEmbeddingDenseBackward(workspace, workspaceSize.value, executor, stream)
        aclrtSynchronizeStream(stream)
        aclrtFree(workspace)
        aclDestroyTensor(indices)
