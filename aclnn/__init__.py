"""The operator library: for each operator its two C functions.

    ops/     the operators, one file each: declaration, plan, formula
    engine/  from a declaration to its two functions, and from a call of these to bytes in memory
    op       all names that the file of an operator imports
    tools/   the command, the toolkit for C and C++, pages and stubs made of the declarations

`Op`, `two_phase` and `kernel` are public. An operator in your own project works like these: it imports from `aclnn.op`,
as `aclnn docs adding-an-op` shows.

Names are imported lazily: the module of a name is loaded at the first use of that name.
"""

from collections.abc import Mapping
from typing import Final

from acl_runtime.on_demand import on_demand
from aclnn.ops import function, names

HOMES: Final[Mapping[str, tuple[str, ...]]] = {
    "aclnn.ops.batch_norm_reduce_backward": (
        "aclnnBatchNormReduceBackward",
        "aclnnBatchNormReduceBackwardGetWorkspaceSize",
    ),
    "aclnn.ops.cross_entropy_loss_grad": (
        "aclnnCrossEntropyLossGrad",
        "aclnnCrossEntropyLossGradGetWorkspaceSize",
    ),
    "aclnn.ops.embedding_dense_backward": (
        "aclnnEmbeddingDenseBackward",
        "aclnnEmbeddingDenseBackwardGetWorkspaceSize",
    ),
    "aclnn.ops.prelu_backward": (
        "aclnnPreluBackward",
        "aclnnPreluBackwardGetWorkspaceSize",
    ),
    "aclnn.ops.softmax_backward": (
        "aclnnSoftmaxBackward",
        "aclnnSoftmaxBackwardGetWorkspaceSize",
    ),
    "aclnn.engine.on_host.base": (
        "aclnnInit",
        "aclnnFinalize",
    ),
    "aclnn.engine.declaration": ("Op",),
    "aclnn.engine.two_phase": ("two_phase",),
    "aclnn.engine.kernels": ("kernel",),
    "acl_runtime.version": ("__version__",),
    # of aclnn/acl_meta.h, and the statuses
    "acl_runtime": (
        "aclBoolArray",
        "aclCreateBoolArray",
        "aclCreateFloatArray",
        "aclCreateIntArray",
        "aclCreateScalar",
        "aclCreateScalarList",
        "aclCreateTensor",
        "aclCreateTensorList",
        "aclDestroyAclOpExecutor",
        "aclDestroyBoolArray",
        "aclDestroyFloatArray",
        "aclDestroyIntArray",
        "aclDestroyScalar",
        "aclDestroyScalarList",
        "aclDestroyTensor",
        "aclDestroyTensorList",
        "aclFloatArray",
        "aclGetBoolArraySize",
        "aclGetDataType",
        "aclGetFloatArraySize",
        "aclGetFormat",
        "aclGetIntArraySize",
        "aclGetRawTensorAddr",
        "aclGetScalarListSize",
        "aclGetStorageShape",
        "aclGetTensorListSize",
        "aclGetViewOffset",
        "aclGetViewShape",
        "aclGetViewStrides",
        "aclInitTensor",
        "aclIntArray",
        "ACLNN_ERR_INNER",
        "ACLNN_ERR_INNER_ATTR_LEN_NOT_ENOUGH",
        "ACLNN_ERR_INNER_ATTR_NUM_OUT_OF_BOUND",
        "ACLNN_ERR_INNER_CREATE_EXECUTOR",
        "ACLNN_ERR_INNER_FIND_KERNEL_ERROR",
        "ACLNN_ERR_INNER_INFERSHAPE_ERROR",
        "ACLNN_ERR_INNER_INPUT_JSON_IS_NULL",
        "ACLNN_ERR_INNER_INPUT_NUM_IN_JSON_TOO_LARGE",
        "ACLNN_ERR_INNER_INVALID_IMPL_MODE",
        "ACLNN_ERR_INNER_JSON_DTYPE_INVALID",
        "ACLNN_ERR_INNER_JSON_FORMAT_INVALID",
        "ACLNN_ERR_INNER_JSON_VALUE_NOT_FOUND",
        "ACLNN_ERR_INNER_KEY_CONFILICT",
        "ACLNN_ERR_INNER_KEY_CONFLICT",
        "ACLNN_ERR_INNER_LOAD_JSON_FAILED",
        "ACLNN_ERR_INNER_NOT_TRANS_EXECUTOR",
        "ACLNN_ERR_INNER_NULLPTR",
        "ACLNN_ERR_INNER_OP_FILE_INVALID",
        "ACLNN_ERR_INNER_OPP_KERNEL_PKG_NOT_FOUND",
        "ACLNN_ERR_INNER_OPP_PATH_NOT_FOUND",
        "ACLNN_ERR_INNER_STATIC_BLOCK_DIM_INVALID",
        "ACLNN_ERR_INNER_STATIC_WORKSPACE_INVALID",
        "ACLNN_ERR_INNER_TILING_ERROR",
        "ACLNN_ERR_INNER_WRONG_ATTR_INFO_SIZE",
        "ACLNN_ERR_PARAM_INVALID",
        "ACLNN_ERR_PARAM_NULLPTR",
        "ACLNN_ERR_RUNTIME_ERROR",
        "ACLNN_SUCCESS",
        "aclOpExecutor",
        "aclScalar",
        "aclScalarList",
        "aclSetAclOpExecutorRepeatable",
        "AclSetDynamicInputTensorAddr",
        "aclSetDynamicInputTensorAddr",
        "AclSetDynamicOutputTensorAddr",
        "aclSetDynamicOutputTensorAddr",
        "AclSetDynamicTensorAddr",
        "aclSetDynamicTensorAddr",
        "AclSetInputTensorAddr",
        "aclSetInputTensorAddr",
        "AclSetOutputTensorAddr",
        "aclSetOutputTensorAddr",
        "aclSetRawTensorAddr",
        "AclSetTensorAddr",
        "aclSetTensorAddr",
        "aclTensor",
        "aclTensorList",
    ),
}

__getattr__, __dir__ = on_demand(__name__, HOMES, values=("acl_runtime",), made=names, make=function)
