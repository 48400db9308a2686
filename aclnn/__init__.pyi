# Rendered from the declarations by `python -m aclnn.render`; do not edit.

from ctypes import c_char_p, c_int32, c_uint64, c_void_p
from typing import SupportsIndex
from acl_runtime.abi.arguments import Int64Pointer, Output, Target
from acl_runtime import aclrtStream
from acl_runtime import (
    aclBoolArray as aclBoolArray,
    aclCreateBoolArray as aclCreateBoolArray,
    aclCreateFloatArray as aclCreateFloatArray,
    aclCreateIntArray as aclCreateIntArray,
    aclCreateScalar as aclCreateScalar,
    aclCreateScalarList as aclCreateScalarList,
    aclCreateTensor as aclCreateTensor,
    aclCreateTensorList as aclCreateTensorList,
    aclDestroyAclOpExecutor as aclDestroyAclOpExecutor,
    aclDestroyBoolArray as aclDestroyBoolArray,
    aclDestroyFloatArray as aclDestroyFloatArray,
    aclDestroyIntArray as aclDestroyIntArray,
    aclDestroyScalar as aclDestroyScalar,
    aclDestroyScalarList as aclDestroyScalarList,
    aclDestroyTensor as aclDestroyTensor,
    aclDestroyTensorList as aclDestroyTensorList,
    aclFloatArray as aclFloatArray,
    aclGetBoolArraySize as aclGetBoolArraySize,
    aclGetDataType as aclGetDataType,
    aclGetFloatArraySize as aclGetFloatArraySize,
    aclGetFormat as aclGetFormat,
    aclGetIntArraySize as aclGetIntArraySize,
    aclGetRawTensorAddr as aclGetRawTensorAddr,
    aclGetScalarListSize as aclGetScalarListSize,
    aclGetStorageShape as aclGetStorageShape,
    aclGetTensorListSize as aclGetTensorListSize,
    aclGetViewOffset as aclGetViewOffset,
    aclGetViewShape as aclGetViewShape,
    aclGetViewStrides as aclGetViewStrides,
    aclInitTensor as aclInitTensor,
    aclIntArray as aclIntArray,
    ACLNN_ERR_INNER as ACLNN_ERR_INNER,
    ACLNN_ERR_INNER_ATTR_LEN_NOT_ENOUGH as ACLNN_ERR_INNER_ATTR_LEN_NOT_ENOUGH,
    ACLNN_ERR_INNER_ATTR_NUM_OUT_OF_BOUND as ACLNN_ERR_INNER_ATTR_NUM_OUT_OF_BOUND,
    ACLNN_ERR_INNER_CREATE_EXECUTOR as ACLNN_ERR_INNER_CREATE_EXECUTOR,
    ACLNN_ERR_INNER_FIND_KERNEL_ERROR as ACLNN_ERR_INNER_FIND_KERNEL_ERROR,
    ACLNN_ERR_INNER_INFERSHAPE_ERROR as ACLNN_ERR_INNER_INFERSHAPE_ERROR,
    ACLNN_ERR_INNER_INPUT_JSON_IS_NULL as ACLNN_ERR_INNER_INPUT_JSON_IS_NULL,
    ACLNN_ERR_INNER_INPUT_NUM_IN_JSON_TOO_LARGE as ACLNN_ERR_INNER_INPUT_NUM_IN_JSON_TOO_LARGE,
    ACLNN_ERR_INNER_INVALID_IMPL_MODE as ACLNN_ERR_INNER_INVALID_IMPL_MODE,
    ACLNN_ERR_INNER_JSON_DTYPE_INVALID as ACLNN_ERR_INNER_JSON_DTYPE_INVALID,
    ACLNN_ERR_INNER_JSON_FORMAT_INVALID as ACLNN_ERR_INNER_JSON_FORMAT_INVALID,
    ACLNN_ERR_INNER_JSON_VALUE_NOT_FOUND as ACLNN_ERR_INNER_JSON_VALUE_NOT_FOUND,
    ACLNN_ERR_INNER_KEY_CONFILICT as ACLNN_ERR_INNER_KEY_CONFILICT,
    ACLNN_ERR_INNER_KEY_CONFLICT as ACLNN_ERR_INNER_KEY_CONFLICT,
    ACLNN_ERR_INNER_LOAD_JSON_FAILED as ACLNN_ERR_INNER_LOAD_JSON_FAILED,
    ACLNN_ERR_INNER_NOT_TRANS_EXECUTOR as ACLNN_ERR_INNER_NOT_TRANS_EXECUTOR,
    ACLNN_ERR_INNER_NULLPTR as ACLNN_ERR_INNER_NULLPTR,
    ACLNN_ERR_INNER_OP_FILE_INVALID as ACLNN_ERR_INNER_OP_FILE_INVALID,
    ACLNN_ERR_INNER_OPP_KERNEL_PKG_NOT_FOUND as ACLNN_ERR_INNER_OPP_KERNEL_PKG_NOT_FOUND,
    ACLNN_ERR_INNER_OPP_PATH_NOT_FOUND as ACLNN_ERR_INNER_OPP_PATH_NOT_FOUND,
    ACLNN_ERR_INNER_STATIC_BLOCK_DIM_INVALID as ACLNN_ERR_INNER_STATIC_BLOCK_DIM_INVALID,
    ACLNN_ERR_INNER_STATIC_WORKSPACE_INVALID as ACLNN_ERR_INNER_STATIC_WORKSPACE_INVALID,
    ACLNN_ERR_INNER_TILING_ERROR as ACLNN_ERR_INNER_TILING_ERROR,
    ACLNN_ERR_INNER_WRONG_ATTR_INFO_SIZE as ACLNN_ERR_INNER_WRONG_ATTR_INFO_SIZE,
    ACLNN_ERR_PARAM_INVALID as ACLNN_ERR_PARAM_INVALID,
    ACLNN_ERR_PARAM_NULLPTR as ACLNN_ERR_PARAM_NULLPTR,
    ACLNN_ERR_RUNTIME_ERROR as ACLNN_ERR_RUNTIME_ERROR,
    ACLNN_SUCCESS as ACLNN_SUCCESS,
    aclOpExecutor as aclOpExecutor,
    aclScalar as aclScalar,
    aclScalarList as aclScalarList,
    aclSetAclOpExecutorRepeatable as aclSetAclOpExecutorRepeatable,
    AclSetDynamicInputTensorAddr as AclSetDynamicInputTensorAddr,
    aclSetDynamicInputTensorAddr as aclSetDynamicInputTensorAddr,
    AclSetDynamicOutputTensorAddr as AclSetDynamicOutputTensorAddr,
    aclSetDynamicOutputTensorAddr as aclSetDynamicOutputTensorAddr,
    AclSetDynamicTensorAddr as AclSetDynamicTensorAddr,
    aclSetDynamicTensorAddr as aclSetDynamicTensorAddr,
    AclSetInputTensorAddr as AclSetInputTensorAddr,
    aclSetInputTensorAddr as aclSetInputTensorAddr,
    AclSetOutputTensorAddr as AclSetOutputTensorAddr,
    aclSetOutputTensorAddr as aclSetOutputTensorAddr,
    aclSetRawTensorAddr as aclSetRawTensorAddr,
    AclSetTensorAddr as AclSetTensorAddr,
    aclSetTensorAddr as aclSetTensorAddr,
    aclTensor as aclTensor,
    aclTensorList as aclTensorList,
)
from aclnn.engine.declaration import Op as Op
from aclnn.engine.two_phase import two_phase as two_phase
from acl_runtime.version import __version__ as __version__

def aclnnBatchNormReduceBackward(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int:
    """aclnnStatus aclnnBatchNormReduceBackward(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, const aclrtStream stream)

    Queue what aclnnBatchNormReduceBackwardGetWorkspaceSize planned. The result is there when the stream has run it.

    Args:
        workspace: device memory of at least the size that the first phase reported; null if that is 0.
        workspaceSize: its size in bytes.
        executor: the plan; used up by the call unless aclSetAclOpExecutorRepeatable was called.
        stream: null means the default stream of the current context.

    Returns:
        ACL_SUCCESS (0): queued, not finished.
        ACLNN_ERR_PARAM_NULLPTR (161001): executor is null; or workspaceSize is not 0 and workspace is null (the executor is destroyed).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context; the stream was destroyed or aborted, or belongs to another context; a task failed in stop mode (in all of these the executor is used up); or a real call would crash, and the machine only reports.
    """

def aclnnBatchNormReduceBackwardGetWorkspaceSize(gradOut: aclTensor | c_void_p | None, input: aclTensor | c_void_p | None, mean: aclTensor | c_void_p | None, invstd: aclTensor | c_void_p | None, weight: aclTensor | c_void_p | None, inputG: bool, weightG: bool, biasG: bool, sumDy: aclTensor | c_void_p | None, sumDyXmu: aclTensor | c_void_p | None, gradWeight: aclTensor | c_void_p | None, gradBias: aclTensor | c_void_p | None, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """aclnnStatus aclnnBatchNormReduceBackwardGetWorkspaceSize(const aclTensor *gradOut, const aclTensor *input, const aclTensor *mean, const aclTensor *invstd, const aclTensor *weight, const bool inputG, const bool weightG, const bool biasG, aclTensor *sumDy, aclTensor *sumDyXmu, aclTensor *gradWeight, aclTensor *gradBias, uint64_t *workspaceSize, aclOpExecutor **executor)

    sumDy = sum(gradOut), sumDyXmu = sum(gradOut * (input - mean)),
    gradWeight = sumDyXmu * invstd, gradBias = sumDy

    Each sum is over every dimension but 1, the channel, whatever the format. They are sums, not averages
    (docs/fidelity.md). A masked-out output is neither looked at nor written; `weight` influences nothing.

    Check the arguments and plan the call; nothing is computed. Null out-pointers are refused.

    Args:
        gradOut: input; gradient from the layer above; shape as input.
        input: input; input of the forward pass; dimension 1 is the channel.
        mean: input; mean of each channel; shape (C), C = channels of input.
        invstd: input; 1 / standard deviation of each channel; shape (C), C = channels of input.
        weight: optional input; scale of each channel; not needed, not checked; shape (C), C = channels of input.
        inputG: are sumDy and sumDyXmu wanted?.
        weightG: is gradWeight wanted?.
        biasG: is gradBias wanted?.
        sumDy: output; sum of gradOut; shape (C), C = channels of input; needed, and looked at, only if inputG is true.
        sumDyXmu: output; sum of gradOut * (input - mean); shape (C), C = channels of input; needed, and looked at, only if inputG is true.
        gradWeight: output; gradient of the scale; shape (C), C = channels of input; needed, and looked at, only if weightG is true.
        gradBias: output; gradient of the offset; shape (C), C = channels of input; needed, and looked at, only if biasG is true.
        workspaceSize: receives the bytes of workspace that the second phase needs.
        executor: receives the plan; the second phase uses it up.

    Returns:
        ACL_SUCCESS (0): checked and planned.
        ACLNN_ERR_PARAM_NULLPTR (161001): one of
            - gradOut, input, mean, invstd, workspaceSize or executor is null
            - sumDy is null though inputG is true
            - sumDyXmu is null though inputG is true
            - gradWeight is null though weightG is true
            - gradBias is null though biasG is true
        ACLNN_ERR_PARAM_INVALID (161002): one of
            - this does not hold: the data type of gradOut is one that its product supports
            - this does not hold: the data type of input is one that its product supports
            - this does not hold: the data type of mean is one that its product supports
            - this does not hold: the data type of invstd is one that its product supports
            - this does not hold: gradOut has the data type of input
            - this does not hold: the data type of sumDy is one that its product supports
            - this does not hold: the data type of sumDyXmu is one that its product supports
            - this does not hold: the data type of gradWeight is one that its product supports
            - this does not hold: the data type of gradBias is one that its product supports
            - this does not hold: gradOut has the format of input
            - this does not hold: the format of gradOut is not a private one
            - this does not hold: the format of input is not a private one
            - this does not hold: the format of mean is not a private one
            - this does not hold: the format of invstd is not a private one
            - this does not hold: the format of sumDy is not a private one
            - this does not hold: the format of sumDyXmu is not a private one
            - this does not hold: the format of gradWeight is not a private one
            - this does not hold: the format of gradBias is not a private one
            - this does not hold: gradOut has 2 to 8 dimensions
            - this does not hold: input has 2 to 8 dimensions
            - this does not hold: input has at least one channel
            - this does not hold: sumDy has one dimension, of as many elements as input has channels
            - this does not hold: sumDyXmu has one dimension, of as many elements as input has channels
            - this does not hold: gradWeight has one dimension, of as many elements as input has channels
            - this does not hold: gradBias has one dimension, of as many elements as input has channels
        ACLNN_ERR_INNER_NULLPTR (561103): one of
            - this does not hold: gradOut has the shape of input
            - this does not hold: mean has as many elements as input has channels
            - this does not hold: invstd has as many elements as input has channels
            - this does not hold: invstd is ND or has the format of gradWeight
            - a step cannot be planned (strides that leave the storage, a cast that does not exist)
            - the product does not support the operator
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context, or a tensor is gone and the machine only reports.
    """

def aclnnCrossEntropyLossGrad(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int:
    """aclnnStatus aclnnCrossEntropyLossGrad(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream)

    Queue what aclnnCrossEntropyLossGradGetWorkspaceSize planned. The result is there when the stream has run it.

    Args:
        workspace: device memory of at least the size that the first phase reported; null if that is 0.
        workspaceSize: its size in bytes.
        executor: the plan; used up by the call unless aclSetAclOpExecutorRepeatable was called.
        stream: null means the default stream of the current context.

    Returns:
        ACL_SUCCESS (0): queued, not finished.
        ACLNN_ERR_PARAM_NULLPTR (161001): executor is null; or workspaceSize is not 0 and workspace is null (the executor is kept).
        ACLNN_ERR_PARAM_INVALID (161002): workspaceSize is less than the first phase reported.
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context; the stream was destroyed or aborted, or belongs to another context; a task failed in stop mode (in all of these the executor is used up); or a real call would crash, and the machine only reports.
    """

def aclnnCrossEntropyLossGradGetWorkspaceSize(gradLoss: aclTensor | c_void_p | None, logProb: aclTensor | c_void_p | None, target: aclTensor | c_void_p | None, weightOptional: aclTensor | c_void_p | None, gradZlossOptional: aclTensor | c_void_p | None, lseForZlossOptional: aclTensor | c_void_p | None, reductionOptional: str | bytes | c_char_p | None, ignoreIndex: SupportsIndex, labelSmoothing: float, lseSquareScaleForZloss: float, out: aclTensor | c_void_p | None, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """aclnnStatus aclnnCrossEntropyLossGradGetWorkspaceSize(const aclTensor *gradLoss, const aclTensor *logProb, const aclTensor *target, const aclTensor *weightOptional, const aclTensor *gradZlossOptional, const aclTensor *lseForZlossOptional, char *reductionOptional, int64_t ignoreIndex, double labelSmoothing, double lseSquareScaleForZloss, const aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor)

    out[i, c] = s_i * exp(logProb[i, c]) - (s_i if c is target[i] else 0), with s_i = weight[target[i]] * g_i;
    g_i = gradLoss[i] for "none", gradLoss for "sum", gradLoss / (sum of the weights of all rows) for "mean"

    A row whose target is ignoreIndex has g_i = 0 and does not count in the sum; a negative ignoreIndex ignores
    nothing. The subtraction comes after the product. A null reduction means "mean".

    Check the arguments and plan the call; nothing is computed. Null out-pointers are refused.

    Args:
        gradLoss: input; gradient of the loss; shape (N) for "none", else 0-d or (1).
        logProb: input; log-softmax of the forward pass; shape (N, C), C > 0, N < 200000.
        target: input; class of each row, in [0, C); shape (N).
        weightOptional: optional input; weight of each class; shape (C).
        gradZlossOptional: optional input; not supported: null.
        lseForZlossOptional: optional input; not supported: null.
        reductionOptional: "none", "mean" or "sum"; null means "mean".
        ignoreIndex: target value of rows to ignore, less than C; negative: none.
        labelSmoothing: only 0.0 is supported.
        lseSquareScaleForZloss: only 0.0 is supported.
        out: output; gradient of logProb; shape (N, C).
        workspaceSize: receives the bytes of workspace that the second phase needs.
        executor: receives the plan; the second phase uses it up.

    Returns:
        ACL_SUCCESS (0): checked and planned.
        ACLNN_ERR_PARAM_NULLPTR (161001): one of
            - gradLoss, logProb, target, out, workspaceSize or executor is null
            - the product does not support the operator
        ACLNN_ERR_PARAM_INVALID (161002): one of
            - this does not hold: the data type of gradLoss is one that its product supports
            - this does not hold: logProb has the data type of gradLoss
            - this does not hold: the data type of target is one that its product supports
            - this does not hold: out has the data type of gradLoss
            - this does not hold: the format of gradLoss is one of ND, NCL, NCHW, NHWC, NCDHW
            - this does not hold: the format of logProb is one of ND, NCL, NCHW, NHWC, NCDHW
            - this does not hold: the format of target is one of ND, NCL, NCHW, NHWC, NCDHW
            - this does not hold: the format of out is one of ND, NCL, NCHW, NHWC, NCDHW
            - this does not hold: the data type of weightOptional is one that its product supports
            - this does not hold: gradZlossOptional is null
            - this does not hold: lseForZlossOptional is null
            - this does not hold: labelSmoothing is 0.0
            - this does not hold: lseSquareScaleForZloss is 0.0
            - this does not hold: reductionOptional is 'none' or 'mean' or 'sum' or null
            - this does not hold: ignoreIndex is less than C
        ACLNN_ERR_INNER_TILING_ERROR (561002): one of
            - this does not hold: logProb has at least one class
            - this does not hold: logProb has exactly 2 dimensions
            - this does not hold: target has exactly 1 dimension
            - this does not hold: weightOptional has exactly 1 dimension
            - this does not hold: target has N elements, as dimension 0 of logProb
            - this does not hold: weightOptional has C elements, as dimension 1 of logProb
            - this does not hold: out has the shape of logProb
            - this does not hold: gradLoss has shape (N) for "none", else () or (1)
            - this does not hold: logProb has less than 200000 rows
        ACLNN_ERR_INNER_NULLPTR (561103): a step cannot be planned (strides that leave the storage, a cast that does not exist).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context, or a tensor is gone and the machine only reports.
    """

def aclnnEmbeddingDenseBackward(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int:
    """aclnnStatus aclnnEmbeddingDenseBackward(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, const aclrtStream stream)

    Queue what aclnnEmbeddingDenseBackwardGetWorkspaceSize planned. The result is there when the stream has run it.

    Args:
        workspace: device memory of at least the size that the first phase reported; null if that is 0.
        workspaceSize: its size in bytes.
        executor: the plan; used up by the call unless aclSetAclOpExecutorRepeatable was called.
        stream: null means the default stream of the current context.

    Returns:
        ACL_SUCCESS (0): queued, not finished.
        ACLNN_ERR_PARAM_NULLPTR (161001): executor is null; or workspaceSize is not 0 and workspace is null (the executor is destroyed).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context; the stream was destroyed or aborted, or belongs to another context; a task failed in stop mode (in all of these the executor is used up); or a real call would crash, and the machine only reports.
    """

def aclnnEmbeddingDenseBackwardGetWorkspaceSize(grad: aclTensor | c_void_p | None, indices: aclTensor | c_void_p | None, numWeights: SupportsIndex, paddingIdx: SupportsIndex, scaleGradByFreq: bool, out: aclTensor | c_void_p | None, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """aclnnStatus aclnnEmbeddingDenseBackwardGetWorkspaceSize(const aclTensor *grad, const aclTensor *indices, uint64_t numWeights, uint64_t paddingIdx, bool scaleGradByFreq, const aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor)

    out[j] = sum of the rows i of grad with indices[i] = j; 0 for j = paddingIdx

    grad is read as (M, D) with D its last dimension, indices as (M). With scaleGradByFreq each sum is multiplied by
    1 / (number of its rows). out is overwritten. paddingIdx counts as signed: negative or beyond numWeights, it has
    no effect. Indices of other types than integers are truncated toward zero. On A2 and A3 they are sorted in the
    workspace, unless D <= 512, numWeights <= 2^24 and the option ACL_OPT_DETERMINISTIC is 0.

    Check the arguments and plan the call; nothing is computed. Null out-pointers are refused.

    Args:
        grad: input; gradient of the looked-up rows; shape (..., D), as many rows as indices.
        indices: input; for each row of grad, the row of out, in [0, numWeights).
        numWeights: rows of out.
        paddingIdx: row that stays 0.
        scaleGradByFreq: divide each row by how often it was looked up?.
        out: output; gradient of the table; shape (numWeights, D).
        workspaceSize: receives the bytes of workspace that the second phase needs.
        executor: receives the plan; the second phase uses it up.

    Returns:
        ACL_SUCCESS (0): checked and planned.
        ACLNN_ERR_PARAM_NULLPTR (161001): grad, indices, out, workspaceSize or executor is null.
        ACLNN_ERR_PARAM_INVALID (161002): one of
            - this does not hold: the data type of grad is one that its product supports
            - this does not hold: the data type of indices is one that its product supports
            - this does not hold: the data type of out is one that its product supports
            - this does not hold: grad has 2 to 8 dimensions
            - this does not hold: indices has 1 to 8 dimensions
            - this does not hold: out has at most 8 dimensions
            - this does not hold: indices has one element for each row of grad
            - this does not hold: out has exactly 2 dimensions
            - this does not hold: out has numWeights rows as long as the last dimension of grad
            - this does not hold: the format of grad is not a private one
            - this does not hold: the format of indices is not a private one
            - this does not hold: the format of out is not a private one
        ACLNN_ERR_INNER_NULLPTR (561103): one of
            - this does not hold: with scaleGradByFreq there is at least one row of out
            - this does not hold: with scaleGradByFreq on the training series a row of grad fits into a core
            - a step cannot be planned (strides that leave the storage, a cast that does not exist)
            - the product does not support the operator
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context, or a tensor is gone and the machine only reports.
    """

def aclnnPreluBackward(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int:
    """aclnnStatus aclnnPreluBackward(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream)

    Queue what aclnnPreluBackwardGetWorkspaceSize planned. The result is there when the stream has run it.

    Args:
        workspace: device memory of at least the size that the first phase reported; null if that is 0.
        workspaceSize: its size in bytes.
        executor: the plan; used up by the call unless aclSetAclOpExecutorRepeatable was called.
        stream: null means the default stream of the current context.

    Returns:
        ACL_SUCCESS (0): queued, not finished.
        ACLNN_ERR_PARAM_NULLPTR (161001): executor is null; or workspaceSize is not 0 and workspace is null (the executor is destroyed).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context; the stream was destroyed or aborted, or belongs to another context; a task failed in stop mode (in all of these the executor is used up); or a real call would crash, and the machine only reports.
        ACLNN_ERR_INNER (561000): the product does not support the operator.
    """

def aclnnPreluBackwardGetWorkspaceSize(gradOutput: aclTensor | c_void_p | None, self: aclTensor | c_void_p | None, weight: aclTensor | c_void_p | None, gradIntput: aclTensor | c_void_p | None, gradWeight: aclTensor | c_void_p | None, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """aclnnStatus aclnnPreluBackwardGetWorkspaceSize(const aclTensor *gradOutput, const aclTensor *self, const aclTensor *weight, aclTensor *gradIntput, aclTensor *gradWeight, uint64_t *workspaceSize, aclOpExecutor **executor)

    gradInput = gradOutput where self > 0, weight * gradOutput elsewhere;
    gradWeight = sum of gradOutput * self where self <= 0, over every dimension but 1 (over all for one weight)

    At 0 and for NaN the slope is the weight. gradOutput is broadcast to self before the sum. For float16 each term of
    gradWeight is rounded before the sum, and the sum again.

    Check the arguments and plan the call; nothing is computed. Null out-pointers are refused.

    Args:
        gradOutput: input; gradient from the layer above; shape as self, or broadcasts to it.
        self: input; input of the forward pass.
        weight: input; slopes; shape one element, or one per channel of self.
        gradIntput: output; gradient of self; shape as self.
        gradWeight: output; gradient of weight; shape weight of one element: as weight; else (channels).
        workspaceSize: receives the bytes of workspace that the second phase needs.
        executor: receives the plan; the second phase uses it up.

    Returns:
        ACL_SUCCESS (0): checked and planned.
        ACLNN_ERR_PARAM_NULLPTR (161001): gradOutput, self, weight, gradInput, gradWeight, workspaceSize or executor is null.
        ACLNN_ERR_PARAM_INVALID (161002): one of
            - this does not hold: the data type of self is one that its product supports
            - this does not hold: gradOutput has the data type of self
            - this does not hold: weight has the data type of self
            - this does not hold: gradInput has the data type of self
            - this does not hold: gradWeight has the data type of self
            - this does not hold: gradOutput has at most 8 dimensions
            - this does not hold: self has at most 8 dimensions
            - this does not hold: weight has at most 8 dimensions
            - this does not hold: gradInput has at most 8 dimensions
            - this does not hold: gradWeight has at most 8 dimensions
            - this does not hold: gradInput has the shape of self
            - this does not hold: weight has one element, or one per channel of self
            - this does not hold: gradWeight has the shape of a weight of one element, or else one dimension of as many elements
            - this does not hold: gradOutput broadcasts to self
        ACLNN_ERR_INNER_NULLPTR (561103): a step cannot be planned (strides that leave the storage, a cast that does not exist).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context, or a tensor is gone and the machine only reports.
    """

def aclnnSoftmaxBackward(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int:
    """aclnnStatus aclnnSoftmaxBackward(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream)

    Queue what aclnnSoftmaxBackwardGetWorkspaceSize planned. The result is there when the stream has run it.

    Args:
        workspace: device memory of at least the size that the first phase reported; null if that is 0.
        workspaceSize: its size in bytes.
        executor: the plan; used up by the call unless aclSetAclOpExecutorRepeatable was called.
        stream: null means the default stream of the current context.

    Returns:
        ACL_SUCCESS (0): queued, not finished.
        ACLNN_ERR_PARAM_NULLPTR (161001): executor is null; or workspaceSize is not 0 and workspace is null (the executor is destroyed).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context; the stream was destroyed or aborted, or belongs to another context; a task failed in stop mode (in all of these the executor is used up); or a real call would crash, and the machine only reports.
        ACLNN_ERR_INNER (561000): the product does not support the operator.
    """

def aclnnSoftmaxBackwardGetWorkspaceSize(gradOutput: aclTensor | c_void_p | None, output: aclTensor | c_void_p | None, dim: SupportsIndex, out: aclTensor | c_void_p | None, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """aclnnStatus aclnnSoftmaxBackwardGetWorkspaceSize(const aclTensor *gradOutput, const aclTensor *output, int64_t dim, aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor)

    out = (gradOutput - sum(gradOutput * output, dim)) * output

    The formula is applied as it stands: `output` need not be a softmax. 0-d tensors count as one-dimensional.

    Check the arguments and plan the call; nothing is computed. Null out-pointers are refused.

    Args:
        gradOutput: input; gradient from the layer above.
        output: input; what the forward softmax returned; shape as gradOutput.
        dim: dimension the forward pass normalised over; negative counts from the end.
        out: output; gradient of the forward input; other data types by automatic cast; shape as gradOutput.
        workspaceSize: receives the bytes of workspace that the second phase needs.
        executor: receives the plan; the second phase uses it up.

    Returns:
        ACL_SUCCESS (0): checked and planned.
        ACLNN_ERR_PARAM_NULLPTR (161001): gradOutput, output, out, workspaceSize or executor is null.
        ACLNN_ERR_PARAM_INVALID (161002): one of
            - this does not hold: the data type of gradOutput is one that its product supports
            - this does not hold: the data type of output is one that its product supports
            - this does not hold: output has the data type of gradOutput
            - this does not hold: dim is a dimension of gradOutput
            - this does not hold: gradOutput has at most 8 dimensions
            - this does not hold: output has the shape of gradOutput
            - this does not hold: out has the shape of gradOutput
        ACLNN_ERR_INNER_NULLPTR (561103): a step cannot be planned (strides that leave the storage, a cast that does not exist).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context, or a tensor is gone and the machine only reports.
    """

def aclnnInit(configPath: str | bytes | c_char_p | None) -> int:
    """aclnnStatus aclnnInit(const char *configPath)

    Initialise the operator library. aclInit does it too, and both may be called.

    A missing or malformed configuration file is not an error: "NULL, empty, missing file and malformed JSON all leave
    debug off and still succeed".

    Returns:
        ACLNN_SUCCESS (0): always.
    """

def aclnnFinalize() -> int:
    """aclnnStatus aclnnFinalize()

    Finalise the operator library.

    Returns:
        ACLNN_SUCCESS (0): always.
    """

def aclnnAdd(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int:
    """aclnnStatus aclnnAdd(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream)

    Queue what aclnnAddGetWorkspaceSize planned. The result is there when the stream has run it.

    Args:
        workspace: device memory of at least the size that the first phase reported; null if that is 0.
        workspaceSize: its size in bytes.
        executor: the plan; used up by the call unless aclSetAclOpExecutorRepeatable was called.
        stream: null means the default stream of the current context.

    Returns:
        ACL_SUCCESS (0): queued, not finished.
        ACLNN_ERR_PARAM_NULLPTR (161001): executor is null; or workspaceSize is not 0 and workspace is null (the executor is destroyed).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context; the stream was destroyed or aborted, or belongs to another context; a task failed in stop mode (in all of these the executor is used up); or a real call would crash, and the machine only reports.
    """

def aclnnAddGetWorkspaceSize(self: aclTensor | c_void_p | None, other: aclTensor | c_void_p | None, alpha: aclScalar | c_void_p | None, out: aclTensor | c_void_p | None, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """aclnnStatus aclnnAddGetWorkspaceSize(const aclTensor *self, const aclTensor *other, const aclScalar *alpha, aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor)

    out = self + alpha * other

    Check the arguments and plan the call; nothing is computed. Null out-pointers are refused.

    Args:
        self: input.
        other: input.
        alpha: aclScalar.
        out: output.
        workspaceSize: receives the bytes of workspace that the second phase needs.
        executor: receives the plan; the second phase uses it up.

    Returns:
        ACL_SUCCESS (0): checked and planned.
        ACLNN_ERR_PARAM_NULLPTR (161001): self, other, out, alpha, workspaceSize or executor is null.
        ACLNN_ERR_PARAM_INVALID (161002): one of
            - this does not hold: the product has the operator
            - this does not hold: the data type of self is one that its product supports
            - this does not hold: the data type of other is one that its product supports
            - this does not hold: self and other promote to one data type
            - this does not hold: alpha can be cast to the data type that is computed in
            - this does not hold: the result can be cast to the data type of out
            - this does not hold: self has at most 8 dimensions
            - this does not hold: other has at most 8 dimensions
            - this does not hold: the shapes of self and other broadcast
            - this does not hold: out has the shape that self and other broadcast to
        ACLNN_ERR_INNER_NULLPTR (561103): a step cannot be planned (strides that leave the storage, a cast that does not exist).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context, or a tensor is gone and the machine only reports.
    """

def aclnnInplaceAdd(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int:
    """aclnnStatus aclnnInplaceAdd(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream)

    Queue what aclnnInplaceAddGetWorkspaceSize planned. The result is there when the stream has run it.

    Args:
        workspace: device memory of at least the size that the first phase reported; null if that is 0.
        workspaceSize: its size in bytes.
        executor: the plan; used up by the call unless aclSetAclOpExecutorRepeatable was called.
        stream: null means the default stream of the current context.

    Returns:
        ACL_SUCCESS (0): queued, not finished.
        ACLNN_ERR_PARAM_NULLPTR (161001): executor is null; or workspaceSize is not 0 and workspace is null (the executor is destroyed).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context; the stream was destroyed or aborted, or belongs to another context; a task failed in stop mode (in all of these the executor is used up); or a real call would crash, and the machine only reports.
    """

def aclnnInplaceAddGetWorkspaceSize(selfRef: aclTensor | c_void_p | None, other: aclTensor | c_void_p | None, alpha: aclScalar | c_void_p | None, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """aclnnStatus aclnnInplaceAddGetWorkspaceSize(const aclTensor *selfRef, const aclTensor *other, const aclScalar *alpha, uint64_t *workspaceSize, aclOpExecutor **executor)

    out = self + alpha * other

    Check the arguments and plan the call; nothing is computed. Null out-pointers are refused.

    Args:
        selfRef: in-place tensor.
        other: input.
        alpha: aclScalar.
        workspaceSize: receives the bytes of workspace that the second phase needs.
        executor: receives the plan; the second phase uses it up.

    Returns:
        ACL_SUCCESS (0): checked and planned.
        ACLNN_ERR_PARAM_NULLPTR (161001): selfRef, other, alpha, workspaceSize or executor is null.
        ACLNN_ERR_PARAM_INVALID (161002): one of
            - this does not hold: the product has the operator
            - this does not hold: the data type of selfRef is one that its product supports
            - this does not hold: the data type of other is one that its product supports
            - this does not hold: selfRef and other promote to one data type
            - this does not hold: alpha can be cast to the data type that is computed in
            - this does not hold: the result can be cast to the data type of selfRef
            - this does not hold: selfRef has at most 8 dimensions
            - this does not hold: other has at most 8 dimensions
            - this does not hold: the shapes of selfRef and other broadcast
            - this does not hold: selfRef has the shape that selfRef and other broadcast to
        ACLNN_ERR_INNER_NULLPTR (561103): a step cannot be planned (strides that leave the storage, a cast that does not exist).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context, or a tensor is gone and the machine only reports.
    """

def aclnnAdds(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int:
    """aclnnStatus aclnnAdds(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream)

    Queue what aclnnAddsGetWorkspaceSize planned. The result is there when the stream has run it.

    Args:
        workspace: device memory of at least the size that the first phase reported; null if that is 0.
        workspaceSize: its size in bytes.
        executor: the plan; used up by the call unless aclSetAclOpExecutorRepeatable was called.
        stream: null means the default stream of the current context.

    Returns:
        ACL_SUCCESS (0): queued, not finished.
        ACLNN_ERR_PARAM_NULLPTR (161001): executor is null; or workspaceSize is not 0 and workspace is null (the executor is destroyed).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context; the stream was destroyed or aborted, or belongs to another context; a task failed in stop mode (in all of these the executor is used up); or a real call would crash, and the machine only reports.
    """

def aclnnAddsGetWorkspaceSize(self: aclTensor | c_void_p | None, other: aclScalar | c_void_p | None, alpha: aclScalar | c_void_p | None, out: aclTensor | c_void_p | None, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """aclnnStatus aclnnAddsGetWorkspaceSize(const aclTensor *self, const aclScalar *other, const aclScalar *alpha, aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor)

    out = self + alpha * other, where other is a scalar

    Check the arguments and plan the call; nothing is computed. Null out-pointers are refused.

    Args:
        self: input.
        other: aclScalar.
        alpha: aclScalar.
        out: output.
        workspaceSize: receives the bytes of workspace that the second phase needs.
        executor: receives the plan; the second phase uses it up.

    Returns:
        ACL_SUCCESS (0): checked and planned.
        ACLNN_ERR_PARAM_NULLPTR (161001): self, out, other, alpha, workspaceSize or executor is null.
        ACLNN_ERR_PARAM_INVALID (161002): one of
            - this does not hold: the product has the operator
            - this does not hold: the data type of self is one that its product supports
            - this does not hold: alpha can be cast to the data type that is computed in
            - this does not hold: the result can be cast to the data type of out
            - this does not hold: self has at most 8 dimensions
            - this does not hold: out has the shape of self
        ACLNN_ERR_INNER_NULLPTR (561103): a step cannot be planned (strides that leave the storage, a cast that does not exist).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context, or a tensor is gone and the machine only reports.
    """

def aclnnInplaceAdds(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int:
    """aclnnStatus aclnnInplaceAdds(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream)

    Queue what aclnnInplaceAddsGetWorkspaceSize planned. The result is there when the stream has run it.

    Args:
        workspace: device memory of at least the size that the first phase reported; null if that is 0.
        workspaceSize: its size in bytes.
        executor: the plan; used up by the call unless aclSetAclOpExecutorRepeatable was called.
        stream: null means the default stream of the current context.

    Returns:
        ACL_SUCCESS (0): queued, not finished.
        ACLNN_ERR_PARAM_NULLPTR (161001): executor is null; or workspaceSize is not 0 and workspace is null (the executor is destroyed).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context; the stream was destroyed or aborted, or belongs to another context; a task failed in stop mode (in all of these the executor is used up); or a real call would crash, and the machine only reports.
    """

def aclnnInplaceAddsGetWorkspaceSize(selfRef: aclTensor | c_void_p | None, other: aclScalar | c_void_p | None, alpha: aclScalar | c_void_p | None, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """aclnnStatus aclnnInplaceAddsGetWorkspaceSize(const aclTensor *selfRef, const aclScalar *other, const aclScalar *alpha, uint64_t *workspaceSize, aclOpExecutor **executor)

    out = self + alpha * other, where other is a scalar

    Check the arguments and plan the call; nothing is computed. Null out-pointers are refused.

    Args:
        selfRef: in-place tensor.
        other: aclScalar.
        alpha: aclScalar.
        workspaceSize: receives the bytes of workspace that the second phase needs.
        executor: receives the plan; the second phase uses it up.

    Returns:
        ACL_SUCCESS (0): checked and planned.
        ACLNN_ERR_PARAM_NULLPTR (161001): selfRef, other, alpha, workspaceSize or executor is null.
        ACLNN_ERR_PARAM_INVALID (161002): one of
            - this does not hold: the product has the operator
            - this does not hold: the data type of selfRef is one that its product supports
            - this does not hold: alpha can be cast to the data type that is computed in
            - this does not hold: the result can be cast to the data type of selfRef
            - this does not hold: selfRef has at most 8 dimensions
        ACLNN_ERR_INNER_NULLPTR (561103): a step cannot be planned (strides that leave the storage, a cast that does not exist).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context, or a tensor is gone and the machine only reports.
    """

def aclnnSub(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int:
    """aclnnStatus aclnnSub(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream)

    Queue what aclnnSubGetWorkspaceSize planned. The result is there when the stream has run it.

    Args:
        workspace: device memory of at least the size that the first phase reported; null if that is 0.
        workspaceSize: its size in bytes.
        executor: the plan; used up by the call unless aclSetAclOpExecutorRepeatable was called.
        stream: null means the default stream of the current context.

    Returns:
        ACL_SUCCESS (0): queued, not finished.
        ACLNN_ERR_PARAM_NULLPTR (161001): executor is null; or workspaceSize is not 0 and workspace is null (the executor is destroyed).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context; the stream was destroyed or aborted, or belongs to another context; a task failed in stop mode (in all of these the executor is used up); or a real call would crash, and the machine only reports.
    """

def aclnnSubGetWorkspaceSize(self: aclTensor | c_void_p | None, other: aclTensor | c_void_p | None, alpha: aclScalar | c_void_p | None, out: aclTensor | c_void_p | None, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """aclnnStatus aclnnSubGetWorkspaceSize(const aclTensor *self, const aclTensor *other, const aclScalar *alpha, aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor)

    out = self - alpha * other

    Check the arguments and plan the call; nothing is computed. Null out-pointers are refused.

    Args:
        self: input.
        other: input.
        alpha: aclScalar.
        out: output.
        workspaceSize: receives the bytes of workspace that the second phase needs.
        executor: receives the plan; the second phase uses it up.

    Returns:
        ACL_SUCCESS (0): checked and planned.
        ACLNN_ERR_PARAM_NULLPTR (161001): self, other, out, alpha, workspaceSize or executor is null.
        ACLNN_ERR_PARAM_INVALID (161002): one of
            - this does not hold: the product has the operator
            - this does not hold: the data type of self is one that its product supports
            - this does not hold: the data type of other is one that its product supports
            - this does not hold: self and other promote to one data type
            - this does not hold: alpha can be cast to the data type that is computed in
            - this does not hold: the result can be cast to the data type of out
            - this does not hold: self has at most 8 dimensions
            - this does not hold: other has at most 8 dimensions
            - this does not hold: the shapes of self and other broadcast
            - this does not hold: out has the shape that self and other broadcast to
        ACLNN_ERR_INNER_NULLPTR (561103): a step cannot be planned (strides that leave the storage, a cast that does not exist).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context, or a tensor is gone and the machine only reports.
    """

def aclnnInplaceSub(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int:
    """aclnnStatus aclnnInplaceSub(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream)

    Queue what aclnnInplaceSubGetWorkspaceSize planned. The result is there when the stream has run it.

    Args:
        workspace: device memory of at least the size that the first phase reported; null if that is 0.
        workspaceSize: its size in bytes.
        executor: the plan; used up by the call unless aclSetAclOpExecutorRepeatable was called.
        stream: null means the default stream of the current context.

    Returns:
        ACL_SUCCESS (0): queued, not finished.
        ACLNN_ERR_PARAM_NULLPTR (161001): executor is null; or workspaceSize is not 0 and workspace is null (the executor is destroyed).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context; the stream was destroyed or aborted, or belongs to another context; a task failed in stop mode (in all of these the executor is used up); or a real call would crash, and the machine only reports.
    """

def aclnnInplaceSubGetWorkspaceSize(selfRef: aclTensor | c_void_p | None, other: aclTensor | c_void_p | None, alpha: aclScalar | c_void_p | None, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """aclnnStatus aclnnInplaceSubGetWorkspaceSize(aclTensor *selfRef, const aclTensor *other, const aclScalar *alpha, uint64_t *workspaceSize, aclOpExecutor **executor)

    out = self - alpha * other

    Check the arguments and plan the call; nothing is computed. Null out-pointers are refused.

    Args:
        selfRef: in-place tensor.
        other: input.
        alpha: aclScalar.
        workspaceSize: receives the bytes of workspace that the second phase needs.
        executor: receives the plan; the second phase uses it up.

    Returns:
        ACL_SUCCESS (0): checked and planned.
        ACLNN_ERR_PARAM_NULLPTR (161001): selfRef, other, alpha, workspaceSize or executor is null.
        ACLNN_ERR_PARAM_INVALID (161002): one of
            - this does not hold: the product has the operator
            - this does not hold: the data type of selfRef is one that its product supports
            - this does not hold: the data type of other is one that its product supports
            - this does not hold: selfRef and other promote to one data type
            - this does not hold: alpha can be cast to the data type that is computed in
            - this does not hold: the result can be cast to the data type of selfRef
            - this does not hold: selfRef has at most 8 dimensions
            - this does not hold: other has at most 8 dimensions
            - this does not hold: the shapes of selfRef and other broadcast
            - this does not hold: selfRef has the shape that selfRef and other broadcast to
        ACLNN_ERR_INNER_NULLPTR (561103): a step cannot be planned (strides that leave the storage, a cast that does not exist).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context, or a tensor is gone and the machine only reports.
    """

def aclnnMul(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int:
    """aclnnStatus aclnnMul(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream)

    Queue what aclnnMulGetWorkspaceSize planned. The result is there when the stream has run it.

    Args:
        workspace: device memory of at least the size that the first phase reported; null if that is 0.
        workspaceSize: its size in bytes.
        executor: the plan; used up by the call unless aclSetAclOpExecutorRepeatable was called.
        stream: null means the default stream of the current context.

    Returns:
        ACL_SUCCESS (0): queued, not finished.
        ACLNN_ERR_PARAM_NULLPTR (161001): executor is null; or workspaceSize is not 0 and workspace is null (the executor is destroyed).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context; the stream was destroyed or aborted, or belongs to another context; a task failed in stop mode (in all of these the executor is used up); or a real call would crash, and the machine only reports.
    """

def aclnnMulGetWorkspaceSize(self: aclTensor | c_void_p | None, other: aclTensor | c_void_p | None, out: aclTensor | c_void_p | None, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """aclnnStatus aclnnMulGetWorkspaceSize(const aclTensor *self, const aclTensor *other, aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor)

    out = self * other

    Check the arguments and plan the call; nothing is computed. Null out-pointers are refused.

    Args:
        self: input.
        other: input.
        out: output.
        workspaceSize: receives the bytes of workspace that the second phase needs.
        executor: receives the plan; the second phase uses it up.

    Returns:
        ACL_SUCCESS (0): checked and planned.
        ACLNN_ERR_PARAM_NULLPTR (161001): self, other, out, workspaceSize or executor is null.
        ACLNN_ERR_PARAM_INVALID (161002): one of
            - this does not hold: the product has the operator
            - this does not hold: the data type of self is one that its product supports
            - this does not hold: the data type of other is one that its product supports
            - this does not hold: the data type of out is one that its product supports
            - this does not hold: self and other promote to one data type
            - this does not hold: the result can be cast to the data type of out
            - this does not hold: self has at most 8 dimensions
            - this does not hold: other has at most 8 dimensions
            - this does not hold: the shapes of self and other broadcast
            - this does not hold: out has the shape that self and other broadcast to
        ACLNN_ERR_INNER_NULLPTR (561103): a step cannot be planned (strides that leave the storage, a cast that does not exist).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context, or a tensor is gone and the machine only reports.
    """

def aclnnInplaceMul(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int:
    """aclnnStatus aclnnInplaceMul(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream)

    Queue what aclnnInplaceMulGetWorkspaceSize planned. The result is there when the stream has run it.

    Args:
        workspace: device memory of at least the size that the first phase reported; null if that is 0.
        workspaceSize: its size in bytes.
        executor: the plan; used up by the call unless aclSetAclOpExecutorRepeatable was called.
        stream: null means the default stream of the current context.

    Returns:
        ACL_SUCCESS (0): queued, not finished.
        ACLNN_ERR_PARAM_NULLPTR (161001): executor is null; or workspaceSize is not 0 and workspace is null (the executor is destroyed).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context; the stream was destroyed or aborted, or belongs to another context; a task failed in stop mode (in all of these the executor is used up); or a real call would crash, and the machine only reports.
    """

def aclnnInplaceMulGetWorkspaceSize(selfRef: aclTensor | c_void_p | None, other: aclTensor | c_void_p | None, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """aclnnStatus aclnnInplaceMulGetWorkspaceSize(aclTensor *selfRef, const aclTensor *other, uint64_t *workspaceSize, aclOpExecutor **executor)

    out = self * other

    Check the arguments and plan the call; nothing is computed. Null out-pointers are refused.

    Args:
        selfRef: in-place tensor.
        other: input.
        workspaceSize: receives the bytes of workspace that the second phase needs.
        executor: receives the plan; the second phase uses it up.

    Returns:
        ACL_SUCCESS (0): checked and planned.
        ACLNN_ERR_PARAM_NULLPTR (161001): selfRef, other, workspaceSize or executor is null.
        ACLNN_ERR_PARAM_INVALID (161002): one of
            - this does not hold: the product has the operator
            - this does not hold: the data type of selfRef is one that its product supports
            - this does not hold: the data type of other is one that its product supports
            - this does not hold: selfRef and other promote to one data type
            - this does not hold: the result can be cast to the data type of selfRef
            - this does not hold: the shapes of selfRef and other broadcast
            - this does not hold: selfRef has the shape that selfRef and other broadcast to
        ACLNN_ERR_INNER_NULLPTR (561103): a step cannot be planned (strides that leave the storage, a cast that does not exist).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context, or a tensor is gone and the machine only reports.
    """

def aclnnMuls(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int:
    """aclnnStatus aclnnMuls(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream)

    Queue what aclnnMulsGetWorkspaceSize planned. The result is there when the stream has run it.

    Args:
        workspace: device memory of at least the size that the first phase reported; null if that is 0.
        workspaceSize: its size in bytes.
        executor: the plan; used up by the call unless aclSetAclOpExecutorRepeatable was called.
        stream: null means the default stream of the current context.

    Returns:
        ACL_SUCCESS (0): queued, not finished.
        ACLNN_ERR_PARAM_NULLPTR (161001): executor is null; or workspaceSize is not 0 and workspace is null (the executor is destroyed).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context; the stream was destroyed or aborted, or belongs to another context; a task failed in stop mode (in all of these the executor is used up); or a real call would crash, and the machine only reports.
    """

def aclnnMulsGetWorkspaceSize(self: aclTensor | c_void_p | None, other: aclScalar | c_void_p | None, out: aclTensor | c_void_p | None, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """aclnnStatus aclnnMulsGetWorkspaceSize(const aclTensor *self, const aclScalar *other, aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor)

    out = self * other, where other is a scalar

    Check the arguments and plan the call; nothing is computed. Null out-pointers are refused.

    Args:
        self: input.
        other: aclScalar.
        out: output.
        workspaceSize: receives the bytes of workspace that the second phase needs.
        executor: receives the plan; the second phase uses it up.

    Returns:
        ACL_SUCCESS (0): checked and planned.
        ACLNN_ERR_PARAM_NULLPTR (161001): self, out, other, workspaceSize or executor is null.
        ACLNN_ERR_PARAM_INVALID (161002): one of
            - this does not hold: the product has the operator
            - this does not hold: the data type of self is one that its product supports
            - this does not hold: the data type of out is one that its product supports
            - this does not hold: out has the shape of self
        ACLNN_ERR_INNER_NULLPTR (561103): a step cannot be planned (strides that leave the storage, a cast that does not exist).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context, or a tensor is gone and the machine only reports.
    """

def aclnnInplaceMuls(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int:
    """aclnnStatus aclnnInplaceMuls(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream)

    Queue what aclnnInplaceMulsGetWorkspaceSize planned. The result is there when the stream has run it.

    Args:
        workspace: device memory of at least the size that the first phase reported; null if that is 0.
        workspaceSize: its size in bytes.
        executor: the plan; used up by the call unless aclSetAclOpExecutorRepeatable was called.
        stream: null means the default stream of the current context.

    Returns:
        ACL_SUCCESS (0): queued, not finished.
        ACLNN_ERR_PARAM_NULLPTR (161001): executor is null; or workspaceSize is not 0 and workspace is null (the executor is destroyed).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context; the stream was destroyed or aborted, or belongs to another context; a task failed in stop mode (in all of these the executor is used up); or a real call would crash, and the machine only reports.
    """

def aclnnInplaceMulsGetWorkspaceSize(selfRef: aclTensor | c_void_p | None, other: aclScalar | c_void_p | None, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """aclnnStatus aclnnInplaceMulsGetWorkspaceSize(aclTensor *selfRef, const aclScalar *other, uint64_t *workspaceSize, aclOpExecutor **executor)

    out = self * other, where other is a scalar

    Check the arguments and plan the call; nothing is computed. Null out-pointers are refused.

    Args:
        selfRef: in-place tensor.
        other: aclScalar.
        workspaceSize: receives the bytes of workspace that the second phase needs.
        executor: receives the plan; the second phase uses it up.

    Returns:
        ACL_SUCCESS (0): checked and planned.
        ACLNN_ERR_PARAM_NULLPTR (161001): selfRef, other, workspaceSize or executor is null.
        ACLNN_ERR_PARAM_INVALID (161002): one of
            - this does not hold: the product has the operator
            - this does not hold: the data type of selfRef is one that its product supports
        ACLNN_ERR_INNER_NULLPTR (561103): a step cannot be planned (strides that leave the storage, a cast that does not exist).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context, or a tensor is gone and the machine only reports.
    """

def aclnnDiv(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int:
    """aclnnStatus aclnnDiv(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream)

    Queue what aclnnDivGetWorkspaceSize planned. The result is there when the stream has run it.

    Args:
        workspace: device memory of at least the size that the first phase reported; null if that is 0.
        workspaceSize: its size in bytes.
        executor: the plan; used up by the call unless aclSetAclOpExecutorRepeatable was called.
        stream: null means the default stream of the current context.

    Returns:
        ACL_SUCCESS (0): queued, not finished.
        ACLNN_ERR_PARAM_NULLPTR (161001): executor is null; or workspaceSize is not 0 and workspace is null (the executor is destroyed).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context; the stream was destroyed or aborted, or belongs to another context; a task failed in stop mode (in all of these the executor is used up); or a real call would crash, and the machine only reports.
    """

def aclnnDivGetWorkspaceSize(self: aclTensor | c_void_p | None, other: aclTensor | c_void_p | None, out: aclTensor | c_void_p | None, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """aclnnStatus aclnnDivGetWorkspaceSize(const aclTensor *self, const aclTensor *other, aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor)

    out = self / other

    Check the arguments and plan the call; nothing is computed. Null out-pointers are refused.

    Args:
        self: input.
        other: input.
        out: output.
        workspaceSize: receives the bytes of workspace that the second phase needs.
        executor: receives the plan; the second phase uses it up.

    Returns:
        ACL_SUCCESS (0): checked and planned.
        ACLNN_ERR_PARAM_NULLPTR (161001): self, other, out, workspaceSize or executor is null.
        ACLNN_ERR_PARAM_INVALID (161002): one of
            - this does not hold: the product has the operator
            - this does not hold: the shapes of self and other broadcast
            - this does not hold: out has the shape that self and other broadcast to
            - this does not hold: the data type of other is one that its product supports
            - this does not hold: the data type of self is one that its product supports
            - this does not hold: self and other promote to one data type
            - this does not hold: the result can be cast to the data type of out
            - this does not hold: self has at most 8 dimensions
            - this does not hold: other has at most 8 dimensions
            - this does not hold: the format of self is not a private one
            - this does not hold: the format of other is not a private one
        ACLNN_ERR_INNER_NULLPTR (561103): a step cannot be planned (strides that leave the storage, a cast that does not exist).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context, or a tensor is gone and the machine only reports.
    """

def aclnnInplaceDiv(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int:
    """aclnnStatus aclnnInplaceDiv(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream)

    Queue what aclnnInplaceDivGetWorkspaceSize planned. The result is there when the stream has run it.

    Args:
        workspace: device memory of at least the size that the first phase reported; null if that is 0.
        workspaceSize: its size in bytes.
        executor: the plan; used up by the call unless aclSetAclOpExecutorRepeatable was called.
        stream: null means the default stream of the current context.

    Returns:
        ACL_SUCCESS (0): queued, not finished.
        ACLNN_ERR_PARAM_NULLPTR (161001): executor is null; or workspaceSize is not 0 and workspace is null (the executor is destroyed).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context; the stream was destroyed or aborted, or belongs to another context; a task failed in stop mode (in all of these the executor is used up); or a real call would crash, and the machine only reports.
    """

def aclnnInplaceDivGetWorkspaceSize(selfRef: aclTensor | c_void_p | None, other: aclTensor | c_void_p | None, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """aclnnStatus aclnnInplaceDivGetWorkspaceSize(aclTensor *selfRef, const aclTensor *other, uint64_t *workspaceSize, aclOpExecutor **executor)

    out = self / other

    Check the arguments and plan the call; nothing is computed. Null out-pointers are refused.

    Args:
        selfRef: in-place tensor.
        other: input.
        workspaceSize: receives the bytes of workspace that the second phase needs.
        executor: receives the plan; the second phase uses it up.

    Returns:
        ACL_SUCCESS (0): checked and planned.
        ACLNN_ERR_PARAM_NULLPTR (161001): selfRef, other, workspaceSize or executor is null.
        ACLNN_ERR_PARAM_INVALID (161002): one of
            - this does not hold: the product has the operator
            - this does not hold: the shapes of selfRef and other broadcast
            - this does not hold: selfRef has the shape that selfRef and other broadcast to
            - this does not hold: the data type of other is one that its product supports
            - this does not hold: the data type of selfRef is one that its product supports
            - this does not hold: selfRef and other promote to one data type
            - this does not hold: the result can be cast to the data type of selfRef
            - this does not hold: selfRef has at most 8 dimensions
            - this does not hold: other has at most 8 dimensions
            - this does not hold: the format of selfRef is not a private one
            - this does not hold: the format of other is not a private one
        ACLNN_ERR_INNER_NULLPTR (561103): a step cannot be planned (strides that leave the storage, a cast that does not exist).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context, or a tensor is gone and the machine only reports.
    """

def aclnnTransMatmulWeight(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int:
    """aclnnStatus aclnnTransMatmulWeight(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream)

    Queue what aclnnTransMatmulWeightGetWorkspaceSize planned. The result is there when the stream has run it.

    Args:
        workspace: device memory of at least the size that the first phase reported; null if that is 0.
        workspaceSize: its size in bytes.
        executor: the plan; used up by the call unless aclSetAclOpExecutorRepeatable was called.
        stream: null means the default stream of the current context.

    Returns:
        ACL_SUCCESS (0): queued, not finished.
        ACLNN_ERR_PARAM_NULLPTR (161001): executor is null; or workspaceSize is not 0 and workspace is null (the executor is destroyed).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context; the stream was destroyed or aborted, or belongs to another context; a task failed in stop mode (in all of these the executor is used up); or a real call would crash, and the machine only reports.
    """

def aclnnTransMatmulWeightGetWorkspaceSize(mmWeightRef: aclTensor | c_void_p | None, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """aclnnStatus aclnnTransMatmulWeightGetWorkspaceSize(aclTensor *mmWeightRef, uint64_t *workspaceSize, aclOpExecutor **executor)

    mmWeightRef in FRACTAL_NZ, in its own memory, which must have room for the padding
    (aclnnCalculateMatmulWeightSize). The first phase changes the storage format and the storage shape of the tensor;
    its view stays.

    Check the arguments and plan the call; nothing is computed. Null out-pointers are refused.

    Args:
        mmWeightRef: in-place tensor.
        workspaceSize: receives the bytes of workspace that the second phase needs.
        executor: receives the plan; the second phase uses it up.

    Returns:
        ACL_SUCCESS (0): checked and planned.
        ACLNN_ERR_PARAM_NULLPTR (161001): mmWeightRef, workspaceSize or executor is null.
        ACLNN_ERR_PARAM_INVALID (161002): one of
            - this does not hold: the product has the operator
            - this does not hold: the data type of mmWeightRef is one that its product supports
            - this does not hold: the storage format of mmWeightRef is ND
            - this does not hold: mmWeightRef has at most 8 dimensions
            - this does not hold: mmWeightRef has as many dimensions as the product supports
        ACLNN_ERR_INNER_NULLPTR (561103): a step cannot be planned (strides that leave the storage, a cast that does not exist).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context, or a tensor is gone and the machine only reports.
    """

def aclnnNpuFormatCast(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int:
    """aclnnStatus aclnnNpuFormatCast(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream)

    Queue what aclnnNpuFormatCastGetWorkspaceSize planned. The result is there when the stream has run it.

    Args:
        workspace: device memory of at least the size that the first phase reported; null if that is 0.
        workspaceSize: its size in bytes.
        executor: the plan; used up by the call unless aclSetAclOpExecutorRepeatable was called.
        stream: null means the default stream of the current context.

    Returns:
        ACL_SUCCESS (0): queued, not finished.
        ACLNN_ERR_PARAM_NULLPTR (161001): executor is null; or workspaceSize is not 0 and workspace is null (the executor is destroyed).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context; the stream was destroyed or aborted, or belongs to another context; a task failed in stop mode (in all of these the executor is used up); or a real call would crash, and the machine only reports.
    """

def aclnnNpuFormatCastGetWorkspaceSize(srcTensor: aclTensor | c_void_p | None, dstTensor: aclTensor | c_void_p | None, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """aclnnStatus aclnnNpuFormatCastGetWorkspaceSize(const aclTensor *srcTensor, aclTensor *dstTensor, uint64_t *workspaceSize, aclOpExecutor **executor)

    dstTensor = srcTensor in the format of dstTensor: to FRACTAL_NZ, or from it. The first phase gives dstTensor the
    view of srcTensor. (The other private formats are not computed: 561103.)

    Check the arguments and plan the call; nothing is computed. Null out-pointers are refused.

    Args:
        srcTensor: input.
        dstTensor: output.
        workspaceSize: receives the bytes of workspace that the second phase needs.
        executor: receives the plan; the second phase uses it up.

    Returns:
        ACL_SUCCESS (0): checked and planned.
        ACLNN_ERR_PARAM_NULLPTR (161001): srcTensor, dstTensor, workspaceSize or executor is null.
        ACLNN_ERR_PARAM_INVALID (161002): one of
            - this does not hold: the product has the operator
            - this does not hold: the data type of srcTensor is one that its product supports
            - this does not hold: the data type of dstTensor is one that its product supports
            - this does not hold: srcTensor is contiguous
            - this does not hold: dstTensor is contiguous
            - this does not hold: dstTensor has the data type of srcTensor
            - this does not hold: srcTensor can be cast to the format of dstTensor
            - this does not hold: dstTensor has the storage shape of its format
        ACLNN_ERR_INNER_NULLPTR (561103): a step cannot be planned (strides that leave the storage, a cast that does not exist).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context, or a tensor is gone and the machine only reports.
    """

def aclnnMatmul(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int:
    """aclnnStatus aclnnMatmul(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream)

    Queue what aclnnMatmulGetWorkspaceSize planned. The result is there when the stream has run it.

    Args:
        workspace: device memory of at least the size that the first phase reported; null if that is 0.
        workspaceSize: its size in bytes.
        executor: the plan; used up by the call unless aclSetAclOpExecutorRepeatable was called.
        stream: null means the default stream of the current context.

    Returns:
        ACL_SUCCESS (0): queued, not finished.
        ACLNN_ERR_PARAM_NULLPTR (161001): executor is null; or workspaceSize is not 0 and workspace is null (the executor is destroyed).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context; the stream was destroyed or aborted, or belongs to another context; a task failed in stop mode (in all of these the executor is used up); or a real call would crash, and the machine only reports.
    """

def aclnnMatmulGetWorkspaceSize(self: aclTensor | c_void_p | None, mat2: aclTensor | c_void_p | None, out: aclTensor | c_void_p | None, cubeMathType: SupportsIndex, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """aclnnStatus aclnnMatmulGetWorkspaceSize(const aclTensor *self, const aclTensor *mat2, aclTensor *out, int8_t cubeMathType, uint64_t *workspaceSize, aclOpExecutor **executor)

    out = self @ mat2, as numpy's matmul. out may have any shape with as many elements.

    Check the arguments and plan the call; nothing is computed. Null out-pointers are refused.

    Args:
        self: input.
        mat2: input.
        out: output.
        cubeMathType: int8_t.
        workspaceSize: receives the bytes of workspace that the second phase needs.
        executor: receives the plan; the second phase uses it up.

    Returns:
        ACL_SUCCESS (0): checked and planned.
        ACLNN_ERR_PARAM_NULLPTR (161001): self, mat2, out, workspaceSize or executor is null.
        ACLNN_ERR_PARAM_INVALID (161002): one of
            - this does not hold: the product has the operator
            - this does not hold: the data type of self is one that its product supports
            - this does not hold: the data type of mat2 is one that its product supports
            - this does not hold: the data type of out is one that its product supports
            - this does not hold: cubeMathType is a value that the product has for these inputs
            - this does not hold: mat2 in FRACTAL_NZ has the data type of self
            - this does not hold: self has at most 6 dimensions
            - this does not hold: mat2 has at most 6 dimensions
            - this does not hold: self has 1 to 6 dimensions
            - this does not hold: mat2 has 1 to 6 dimensions
            - this does not hold: the last size of self is the inner size of mat2
            - this does not hold: the batches of self and mat2 broadcast
            - this does not hold: the format of self is not a private one
            - this does not hold: the format of out is not a private one
        ACLNN_ERR_INNER_NULLPTR (561103): a step cannot be planned (strides that leave the storage, a cast that does not exist).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context, or a tensor is gone and the machine only reports.
    """

def aclnnMm(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int:
    """aclnnStatus aclnnMm(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream)

    Queue what aclnnMmGetWorkspaceSize planned. The result is there when the stream has run it.

    Args:
        workspace: device memory of at least the size that the first phase reported; null if that is 0.
        workspaceSize: its size in bytes.
        executor: the plan; used up by the call unless aclSetAclOpExecutorRepeatable was called.
        stream: null means the default stream of the current context.

    Returns:
        ACL_SUCCESS (0): queued, not finished.
        ACLNN_ERR_PARAM_NULLPTR (161001): executor is null; or workspaceSize is not 0 and workspace is null (the executor is destroyed).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context; the stream was destroyed or aborted, or belongs to another context; a task failed in stop mode (in all of these the executor is used up); or a real call would crash, and the machine only reports.
    """

def aclnnMmGetWorkspaceSize(self: aclTensor | c_void_p | None, mat2: aclTensor | c_void_p | None, out: aclTensor | c_void_p | None, cubeMathType: SupportsIndex, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """aclnnStatus aclnnMmGetWorkspaceSize(const aclTensor *self, const aclTensor *mat2, aclTensor *out, int8_t cubeMathType, uint64_t *workspaceSize, aclOpExecutor **executor)

    out = self @ mat2, of two matrices

    Check the arguments and plan the call; nothing is computed. Null out-pointers are refused.

    Args:
        self: input.
        mat2: input.
        out: output.
        cubeMathType: int8_t.
        workspaceSize: receives the bytes of workspace that the second phase needs.
        executor: receives the plan; the second phase uses it up.

    Returns:
        ACL_SUCCESS (0): checked and planned.
        ACLNN_ERR_PARAM_NULLPTR (161001): self, mat2, out, workspaceSize or executor is null.
        ACLNN_ERR_PARAM_INVALID (161002): one of
            - this does not hold: the product has the operator
            - this does not hold: the data type of self is one that its product supports
            - this does not hold: the data type of mat2 is one that its product supports
            - this does not hold: the data type of out is one that its product supports
            - this does not hold: cubeMathType is a value that the product has for these inputs
            - this does not hold: mat2 has exactly 2 dimensions
            - this does not hold: self has exactly 2 dimensions
            - this does not hold: the last size of self is the inner size of mat2
            - this does not hold: out has exactly 2 dimensions
            - this does not hold: out has the rows of self and the columns of mat2
        ACLNN_ERR_INNER_NULLPTR (561103): a step cannot be planned (strides that leave the storage, a cast that does not exist).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context, or a tensor is gone and the machine only reports.
    """

def aclnnCat(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int:
    """aclnnStatus aclnnCat(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, const aclrtStream stream)

    Queue what aclnnCatGetWorkspaceSize planned. The result is there when the stream has run it.

    Args:
        workspace: device memory of at least the size that the first phase reported; null if that is 0.
        workspaceSize: its size in bytes.
        executor: the plan; used up by the call unless aclSetAclOpExecutorRepeatable was called.
        stream: null means the default stream of the current context.

    Returns:
        ACL_SUCCESS (0): queued, not finished.
        ACLNN_ERR_PARAM_NULLPTR (161001): executor is null; or workspaceSize is not 0 and workspace is null (the executor is destroyed).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context; the stream was destroyed or aborted, or belongs to another context; a task failed in stop mode (in all of these the executor is used up); or a real call would crash, and the machine only reports.
    """

def aclnnCatGetWorkspaceSize(tensors: aclTensorList | c_void_p | None, dim: SupportsIndex, out: aclTensor | c_void_p | None, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """aclnnStatus aclnnCatGetWorkspaceSize(const aclTensorList *tensors, int64_t dim, aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor)

    out = the tensors joined along dim

    Check the arguments and plan the call; nothing is computed. Null out-pointers are refused.

    Args:
        tensors: list of inputs.
        dim: int64_t.
        out: output.
        workspaceSize: receives the bytes of workspace that the second phase needs.
        executor: receives the plan; the second phase uses it up.

    Returns:
        ACL_SUCCESS (0): checked and planned.
        ACLNN_ERR_PARAM_NULLPTR (161001): tensors_, out, workspaceSize or executor is null.
        ACLNN_ERR_PARAM_INVALID (161002): one of
            - this does not hold: the product has the operator
            - this does not hold: the data type of tensors is one that its product supports
            - this does not hold: the data type of out is one that its product supports
            - this does not hold: tensors promote to one data type
            - this does not hold: the result can be cast to the data type of out
            - this does not hold: the format of the first of tensors is not a private one
            - this does not hold: tensors and out have one format
            - this does not hold: the first of tensors has at most 8 dimensions
            - this does not hold: dim is a dimension of the tensors
            - this does not hold: tensors have one number of dimensions
            - this does not hold: tensors differ in size only along dim
            - this does not hold: out has the shape of the tensors together
        ACLNN_ERR_INNER_NULLPTR (561103): a step cannot be planned (strides that leave the storage, a cast that does not exist).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context, or a tensor is gone and the machine only reports.
    """

def aclnnSplitTensor(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int:
    """aclnnStatus aclnnSplitTensor(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream)

    Queue what aclnnSplitTensorGetWorkspaceSize planned. The result is there when the stream has run it.

    Args:
        workspace: device memory of at least the size that the first phase reported; null if that is 0.
        workspaceSize: its size in bytes.
        executor: the plan; used up by the call unless aclSetAclOpExecutorRepeatable was called.
        stream: null means the default stream of the current context.

    Returns:
        ACL_SUCCESS (0): queued, not finished.
        ACLNN_ERR_PARAM_NULLPTR (161001): executor is null; or workspaceSize is not 0 and workspace is null (the executor is destroyed).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context; the stream was destroyed or aborted, or belongs to another context; a task failed in stop mode (in all of these the executor is used up); or a real call would crash, and the machine only reports.
    """

def aclnnSplitTensorGetWorkspaceSize(self: aclTensor | c_void_p | None, splitSections: SupportsIndex, dim: SupportsIndex, out: aclTensorList | c_void_p | None, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """aclnnStatus aclnnSplitTensorGetWorkspaceSize(const aclTensor *self, uint64_t splitSections, int64_t dim, aclTensorList *out, uint64_t *workspaceSize, aclOpExecutor **executor)

    out = pieces of self, each splitSections long along dim; tensors that are left over stay as they are

    Check the arguments and plan the call; nothing is computed. Null out-pointers are refused.

    Args:
        self: input.
        splitSections: uint64_t.
        dim: int64_t.
        out: list of outputs.
        workspaceSize: receives the bytes of workspace that the second phase needs.
        executor: receives the plan; the second phase uses it up.

    Returns:
        ACL_SUCCESS (0): checked and planned.
        ACLNN_ERR_PARAM_NULLPTR (161001): self, out, workspaceSize or executor is null.
        ACLNN_ERR_PARAM_INVALID (161002): one of
            - this does not hold: the product has the operator
            - this does not hold: the data type of self is one that its product supports
            - this does not hold: the data type of out is one that its product supports
            - this does not hold: the tensors of out have one data type
            - this does not hold: self has 1 to 8 dimensions
            - this does not hold: the tensors of out have 0 to 8 dimensions
            - this does not hold: dim is a dimension of self
            - this does not hold: splitSections is a length for self
            - this does not hold: out has a tensor for each piece
            - this does not hold: out have the shapes of the pieces
        ACLNN_ERR_INNER_NULLPTR (561103): a step cannot be planned (strides that leave the storage, a cast that does not exist).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context, or a tensor is gone and the machine only reports.
    """

def aclnnSort(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int:
    """aclnnStatus aclnnSort(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, const aclrtStream stream)

    Queue what aclnnSortGetWorkspaceSize planned. The result is there when the stream has run it.

    Args:
        workspace: device memory of at least the size that the first phase reported; null if that is 0.
        workspaceSize: its size in bytes.
        executor: the plan; used up by the call unless aclSetAclOpExecutorRepeatable was called.
        stream: null means the default stream of the current context.

    Returns:
        ACL_SUCCESS (0): queued, not finished.
        ACLNN_ERR_PARAM_NULLPTR (161001): executor is null; or workspaceSize is not 0 and workspace is null (the executor is destroyed).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context; the stream was destroyed or aborted, or belongs to another context; a task failed in stop mode (in all of these the executor is used up); or a real call would crash, and the machine only reports.
    """

def aclnnSortGetWorkspaceSize(self: aclTensor | c_void_p | None, stable: bool, dim: SupportsIndex, descending: bool, valuesOut: aclTensor | c_void_p | None, indicesOut: aclTensor | c_void_p | None, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """aclnnStatus aclnnSortGetWorkspaceSize(const aclTensor *self, bool stable, int64_t dim, bool descending, aclTensor *valuesOut, aclTensor *indicesOut, uint64_t *workspaceSize, aclOpExecutor **executor)

    valuesOut = self sorted along dim, indicesOut = the positions that the values had. NaN counts as the largest
    value. Equal values stay in their order, also if `stable` is false and if `descending` is true.

    Check the arguments and plan the call; nothing is computed. Null out-pointers are refused.

    Args:
        self: input.
        stable: bool.
        dim: int64_t.
        descending: bool.
        valuesOut: output.
        indicesOut: output.
        workspaceSize: receives the bytes of workspace that the second phase needs.
        executor: receives the plan; the second phase uses it up.

    Returns:
        ACL_SUCCESS (0): checked and planned.
        ACLNN_ERR_PARAM_NULLPTR (161001): self, valuesOut, indicesOut, workspaceSize or executor is null.
        ACLNN_ERR_PARAM_NULLPTR (161001): this does not hold: valuesOut has the data type of self if dim has the size 1.
        ACLNN_ERR_PARAM_INVALID (161002): one of
            - this does not hold: the product has the operator
            - this does not hold: the data type of self is one that its product supports
            - this does not hold: the data type of valuesOut is one that its product supports
            - this does not hold: the data type of indicesOut is one that its product supports
            - this does not hold: dim is a dimension of self
            - this does not hold: valuesOut has the shape of self
            - this does not hold: indicesOut has the shape of self
        ACLNN_ERR_INNER_NULLPTR (561103): a step cannot be planned (strides that leave the storage, a cast that does not exist).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context, or a tensor is gone and the machine only reports.
    """

def aclnnNonzero(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int:
    """aclnnStatus aclnnNonzero(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream)

    Queue what aclnnNonzeroGetWorkspaceSize planned. The result is there when the stream has run it.

    Args:
        workspace: device memory of at least the size that the first phase reported; null if that is 0.
        workspaceSize: its size in bytes.
        executor: the plan; used up by the call unless aclSetAclOpExecutorRepeatable was called.
        stream: null means the default stream of the current context.

    Returns:
        ACL_SUCCESS (0): queued, not finished.
        ACLNN_ERR_PARAM_NULLPTR (161001): executor is null; or workspaceSize is not 0 and workspace is null (the executor is destroyed).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context; the stream was destroyed or aborted, or belongs to another context; a task failed in stop mode (in all of these the executor is used up); or a real call would crash, and the machine only reports.
    """

def aclnnNonzeroGetWorkspaceSize(self: aclTensor | c_void_p | None, out: aclTensor | c_void_p | None, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """aclnnStatus aclnnNonzeroGetWorkspaceSize(const aclTensor *self, aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor)

    out = the coordinates of the elements of self that are not zero, a row for each, in row-major order. The view
    shape of out becomes (count, rank) when the operator has run. NaN is not zero, -0.0 is zero.

    Check the arguments and plan the call; nothing is computed. Null out-pointers are refused.

    Args:
        self: input.
        out: output.
        workspaceSize: receives the bytes of workspace that the second phase needs.
        executor: receives the plan; the second phase uses it up.

    Returns:
        ACL_SUCCESS (0): checked and planned.
        ACLNN_ERR_PARAM_NULLPTR (161001): self, out, workspaceSize or executor is null.
        ACLNN_ERR_PARAM_INVALID (161002): one of
            - this does not hold: the product has the operator
            - this does not hold: the data type of self is one that its product supports
            - this does not hold: the data type of out is one that its product supports
            - this does not hold: self has at most 8 dimensions
            - this does not hold: out has at most 8 dimensions
            - this does not hold: no dimension of self is above 2^31 - 1
        ACLNN_ERR_INNER_NULLPTR (561103): a step cannot be planned (strides that leave the storage, a cast that does not exist).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context, or a tensor is gone and the machine only reports.
    """

def aclnnCast(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int:
    """aclnnStatus aclnnCast(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream)

    Queue what aclnnCastGetWorkspaceSize planned. The result is there when the stream has run it.

    Args:
        workspace: device memory of at least the size that the first phase reported; null if that is 0.
        workspaceSize: its size in bytes.
        executor: the plan; used up by the call unless aclSetAclOpExecutorRepeatable was called.
        stream: null means the default stream of the current context.

    Returns:
        ACL_SUCCESS (0): queued, not finished.
        ACLNN_ERR_PARAM_NULLPTR (161001): executor is null; or workspaceSize is not 0 and workspace is null (the executor is destroyed).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context; the stream was destroyed or aborted, or belongs to another context; a task failed in stop mode (in all of these the executor is used up); or a real call would crash, and the machine only reports.
    """

def aclnnCastGetWorkspaceSize(self: aclTensor | c_void_p | None, dtype: SupportsIndex, out: aclTensor | c_void_p | None, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """aclnnStatus aclnnCastGetWorkspaceSize(const aclTensor *self, const aclDataType dtype, aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor)

    out = self as dtype, which has to be the data type of out

    Check the arguments and plan the call; nothing is computed. Null out-pointers are refused.

    Args:
        self: input.
        dtype: aclDataType.
        out: output.
        workspaceSize: receives the bytes of workspace that the second phase needs.
        executor: receives the plan; the second phase uses it up.

    Returns:
        ACL_SUCCESS (0): checked and planned.
        ACLNN_ERR_PARAM_NULLPTR (161001): self, out, workspaceSize or executor is null.
        ACLNN_ERR_PARAM_INVALID (161002): one of
            - this does not hold: the product has the operator
            - this does not hold: the data type of self is one that its product supports
            - this does not hold: the data type of dtype is one that its product supports
            - this does not hold: self has at most 8 dimensions
            - this does not hold: out has the shape of self
        ACLNN_ERR_INNER_NULLPTR (561103): a step cannot be planned (strides that leave the storage, a cast that does not exist).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context, or a tensor is gone and the machine only reports.
    """

def aclnnInplaceCopy(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int:
    """aclnnStatus aclnnInplaceCopy(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, const aclrtStream stream)

    Queue what aclnnInplaceCopyGetWorkspaceSize planned. The result is there when the stream has run it.

    Args:
        workspace: device memory of at least the size that the first phase reported; null if that is 0.
        workspaceSize: its size in bytes.
        executor: the plan; used up by the call unless aclSetAclOpExecutorRepeatable was called.
        stream: null means the default stream of the current context.

    Returns:
        ACL_SUCCESS (0): queued, not finished.
        ACLNN_ERR_PARAM_NULLPTR (161001): executor is null; or workspaceSize is not 0 and workspace is null (the executor is destroyed).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context; the stream was destroyed or aborted, or belongs to another context; a task failed in stop mode (in all of these the executor is used up); or a real call would crash, and the machine only reports.
    """

def aclnnInplaceCopyGetWorkspaceSize(selfRef: aclTensor | c_void_p | None, src: aclTensor | c_void_p | None, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """aclnnStatus aclnnInplaceCopyGetWorkspaceSize(aclTensor *selfRef, const aclTensor *src, uint64_t *workspaceSize, aclOpExecutor **executor)

    selfRef = src, which may broadcast

    Check the arguments and plan the call; nothing is computed. Null out-pointers are refused.

    Args:
        selfRef: output.
        src: input.
        workspaceSize: receives the bytes of workspace that the second phase needs.
        executor: receives the plan; the second phase uses it up.

    Returns:
        ACL_SUCCESS (0): checked and planned.
        ACLNN_ERR_PARAM_NULLPTR (161001): selfRef, src, workspaceSize or executor is null.
        ACLNN_ERR_PARAM_INVALID (161002): one of
            - this does not hold: the product has the operator
            - this does not hold: the data type of selfRef is one that its product supports
            - this does not hold: the data type of src is one that its product supports
            - this does not hold: selfRef has at most 8 dimensions
            - this does not hold: src has at most 8 dimensions
            - this does not hold: src broadcasts to the shape of selfRef
        ACLNN_ERR_INNER_NULLPTR (561103): a step cannot be planned (strides that leave the storage, a cast that does not exist).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context, or a tensor is gone and the machine only reports.
    """

def aclnnInplaceZero(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int:
    """aclnnStatus aclnnInplaceZero(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream)

    Queue what aclnnInplaceZeroGetWorkspaceSize planned. The result is there when the stream has run it.

    Args:
        workspace: device memory of at least the size that the first phase reported; null if that is 0.
        workspaceSize: its size in bytes.
        executor: the plan; used up by the call unless aclSetAclOpExecutorRepeatable was called.
        stream: null means the default stream of the current context.

    Returns:
        ACL_SUCCESS (0): queued, not finished.
        ACLNN_ERR_PARAM_NULLPTR (161001): executor is null; or workspaceSize is not 0 and workspace is null (the executor is destroyed).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context; the stream was destroyed or aborted, or belongs to another context; a task failed in stop mode (in all of these the executor is used up); or a real call would crash, and the machine only reports.
    """

def aclnnInplaceZeroGetWorkspaceSize(selfRef: aclTensor | c_void_p | None, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """aclnnStatus aclnnInplaceZeroGetWorkspaceSize(aclTensor *selfRef, uint64_t *workspaceSize, aclOpExecutor **executor)

    selfRef = 0

    Check the arguments and plan the call; nothing is computed. Null out-pointers are refused.

    Args:
        selfRef: output.
        workspaceSize: receives the bytes of workspace that the second phase needs.
        executor: receives the plan; the second phase uses it up.

    Returns:
        ACL_SUCCESS (0): checked and planned.
        ACLNN_ERR_PARAM_NULLPTR (161001): selfRef, workspaceSize or executor is null.
        ACLNN_ERR_PARAM_INVALID (161002): one of
            - this does not hold: the product has the operator
            - this does not hold: the data type of selfRef is one that its product supports
        ACLNN_ERR_INNER_NULLPTR (561103): a step cannot be planned (strides that leave the storage, a cast that does not exist).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context, or a tensor is gone and the machine only reports.
    """

def aclnnInplaceFillScalar(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int:
    """aclnnStatus aclnnInplaceFillScalar(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream)

    Queue what aclnnInplaceFillScalarGetWorkspaceSize planned. The result is there when the stream has run it.

    Args:
        workspace: device memory of at least the size that the first phase reported; null if that is 0.
        workspaceSize: its size in bytes.
        executor: the plan; used up by the call unless aclSetAclOpExecutorRepeatable was called.
        stream: null means the default stream of the current context.

    Returns:
        ACL_SUCCESS (0): queued, not finished.
        ACLNN_ERR_PARAM_NULLPTR (161001): executor is null; or workspaceSize is not 0 and workspace is null (the executor is destroyed).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context; the stream was destroyed or aborted, or belongs to another context; a task failed in stop mode (in all of these the executor is used up); or a real call would crash, and the machine only reports.
    """

def aclnnInplaceFillScalarGetWorkspaceSize(selfRef: aclTensor | c_void_p | None, value: aclScalar | c_void_p | None, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """aclnnStatus aclnnInplaceFillScalarGetWorkspaceSize(aclTensor *selfRef, const aclScalar *value, uint64_t *workspaceSize, aclOpExecutor **executor)

    selfRef = value

    Check the arguments and plan the call; nothing is computed. Null out-pointers are refused.

    Args:
        selfRef: output.
        value: aclScalar.
        workspaceSize: receives the bytes of workspace that the second phase needs.
        executor: receives the plan; the second phase uses it up.

    Returns:
        ACL_SUCCESS (0): checked and planned.
        ACLNN_ERR_PARAM_NULLPTR (161001): selfRef, value, workspaceSize or executor is null.
        ACLNN_ERR_PARAM_INVALID (161002): one of
            - this does not hold: the product has the operator
            - this does not hold: the data type of selfRef is one that its product supports
            - this does not hold: selfRef and value promote to one data type
            - this does not hold: selfRef has at most 8 dimensions
        ACLNN_ERR_INNER_NULLPTR (561103): a step cannot be planned (strides that leave the storage, a cast that does not exist).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context, or a tensor is gone and the machine only reports.
    """

def aclnnRelu(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int:
    """aclnnStatus aclnnRelu(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, const aclrtStream stream)

    Queue what aclnnReluGetWorkspaceSize planned. The result is there when the stream has run it.

    Args:
        workspace: device memory of at least the size that the first phase reported; null if that is 0.
        workspaceSize: its size in bytes.
        executor: the plan; used up by the call unless aclSetAclOpExecutorRepeatable was called.
        stream: null means the default stream of the current context.

    Returns:
        ACL_SUCCESS (0): queued, not finished.
        ACLNN_ERR_PARAM_NULLPTR (161001): executor is null; or workspaceSize is not 0 and workspace is null (the executor is destroyed).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context; the stream was destroyed or aborted, or belongs to another context; a task failed in stop mode (in all of these the executor is used up); or a real call would crash, and the machine only reports.
    """

def aclnnReluGetWorkspaceSize(self: aclTensor | c_void_p | None, out: aclTensor | c_void_p | None, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """aclnnStatus aclnnReluGetWorkspaceSize(const aclTensor *self, const aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor)

    out = max(self, 0). UINT8 is copied; in place there is nothing to do then.

    Check the arguments and plan the call; nothing is computed. Null out-pointers are refused.

    Args:
        self: input.
        out: output.
        workspaceSize: receives the bytes of workspace that the second phase needs.
        executor: receives the plan; the second phase uses it up.

    Returns:
        ACL_SUCCESS (0): checked and planned.
        ACLNN_ERR_PARAM_NULLPTR (161001): self, out, workspaceSize or executor is null.
        ACLNN_ERR_PARAM_INVALID (161002): one of
            - this does not hold: the product has the operator
            - this does not hold: the data type of self is one that its product supports
            - this does not hold: the data type of out is one that its product supports
            - this does not hold: out has the data type of self
            - this does not hold: self has at most 8 dimensions
            - this does not hold: out has the shape of self
        ACLNN_ERR_INNER_NULLPTR (561103): a step cannot be planned (strides that leave the storage, a cast that does not exist).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context, or a tensor is gone and the machine only reports.
    """

def aclnnInplaceRelu(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int:
    """aclnnStatus aclnnInplaceRelu(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, const aclrtStream stream)

    Queue what aclnnInplaceReluGetWorkspaceSize planned. The result is there when the stream has run it.

    Args:
        workspace: device memory of at least the size that the first phase reported; null if that is 0.
        workspaceSize: its size in bytes.
        executor: the plan; used up by the call unless aclSetAclOpExecutorRepeatable was called.
        stream: null means the default stream of the current context.

    Returns:
        ACL_SUCCESS (0): queued, not finished.
        ACLNN_ERR_PARAM_NULLPTR (161001): executor is null; or workspaceSize is not 0 and workspace is null (the executor is destroyed).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context; the stream was destroyed or aborted, or belongs to another context; a task failed in stop mode (in all of these the executor is used up); or a real call would crash, and the machine only reports.
    """

def aclnnInplaceReluGetWorkspaceSize(selfRef: aclTensor | c_void_p | None, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """aclnnStatus aclnnInplaceReluGetWorkspaceSize(aclTensor *selfRef, uint64_t *workspaceSize, aclOpExecutor **executor)

    out = max(self, 0). UINT8 is copied; in place there is nothing to do then.

    Check the arguments and plan the call; nothing is computed. Null out-pointers are refused.

    Args:
        selfRef: in-place tensor.
        workspaceSize: receives the bytes of workspace that the second phase needs.
        executor: receives the plan; the second phase uses it up.

    Returns:
        ACL_SUCCESS (0): checked and planned.
        ACLNN_ERR_PARAM_NULLPTR (161001): selfRef, workspaceSize or executor is null.
        ACLNN_ERR_PARAM_INVALID (161002): one of
            - this does not hold: the product has the operator
            - this does not hold: the data type of selfRef is one that its product supports
            - this does not hold: selfRef has at most 8 dimensions
        ACLNN_ERR_INNER_NULLPTR (561103): a step cannot be planned (strides that leave the storage, a cast that does not exist).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context, or a tensor is gone and the machine only reports.
    """

def aclnnSoftmax(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int:
    """aclnnStatus aclnnSoftmax(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream)

    Queue what aclnnSoftmaxGetWorkspaceSize planned. The result is there when the stream has run it.

    Args:
        workspace: device memory of at least the size that the first phase reported; null if that is 0.
        workspaceSize: its size in bytes.
        executor: the plan; used up by the call unless aclSetAclOpExecutorRepeatable was called.
        stream: null means the default stream of the current context.

    Returns:
        ACL_SUCCESS (0): queued, not finished.
        ACLNN_ERR_PARAM_NULLPTR (161001): executor is null; or workspaceSize is not 0 and workspace is null (the executor is destroyed).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context; the stream was destroyed or aborted, or belongs to another context; a task failed in stop mode (in all of these the executor is used up); or a real call would crash, and the machine only reports.
    """

def aclnnSoftmaxGetWorkspaceSize(self: aclTensor | c_void_p | None, dim: SupportsIndex, out: aclTensor | c_void_p | None, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """aclnnStatus aclnnSoftmaxGetWorkspaceSize(const aclTensor *self, int64_t dim, aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor)

    out = exp(self - max) / the sum of these, along dim, in the data type of self

    Check the arguments and plan the call; nothing is computed. Null out-pointers are refused.

    Args:
        self: input.
        dim: int64_t.
        out: output.
        workspaceSize: receives the bytes of workspace that the second phase needs.
        executor: receives the plan; the second phase uses it up.

    Returns:
        ACL_SUCCESS (0): checked and planned.
        ACLNN_ERR_PARAM_NULLPTR (161001): self, out, workspaceSize or executor is null.
        ACLNN_ERR_PARAM_INVALID (161002): one of
            - this does not hold: the product has the operator
            - this does not hold: the data type of self is one that its product supports
            - this does not hold: the data type of out is one that its product supports
            - this does not hold: dim is a dimension of self
            - this does not hold: self has at most 8 dimensions
            - this does not hold: out has the shape of self
        ACLNN_ERR_INNER_NULLPTR (561103): a step cannot be planned (strides that leave the storage, a cast that does not exist).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context, or a tensor is gone and the machine only reports.
    """

def aclnnLogSoftmax(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int:
    """aclnnStatus aclnnLogSoftmax(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream)

    Queue what aclnnLogSoftmaxGetWorkspaceSize planned. The result is there when the stream has run it.

    Args:
        workspace: device memory of at least the size that the first phase reported; null if that is 0.
        workspaceSize: its size in bytes.
        executor: the plan; used up by the call unless aclSetAclOpExecutorRepeatable was called.
        stream: null means the default stream of the current context.

    Returns:
        ACL_SUCCESS (0): queued, not finished.
        ACLNN_ERR_PARAM_NULLPTR (161001): executor is null; or workspaceSize is not 0 and workspace is null (the executor is destroyed).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context; the stream was destroyed or aborted, or belongs to another context; a task failed in stop mode (in all of these the executor is used up); or a real call would crash, and the machine only reports.
    """

def aclnnLogSoftmaxGetWorkspaceSize(self: aclTensor | c_void_p | None, dim: SupportsIndex, out: aclTensor | c_void_p | None, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """aclnnStatus aclnnLogSoftmaxGetWorkspaceSize(const aclTensor *self, int64_t dim, aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor)

    out = self - max - log(the sum of exp(self - max)), along dim, in the data type of out

    Check the arguments and plan the call; nothing is computed. Null out-pointers are refused.

    Args:
        self: input.
        dim: int64_t.
        out: output.
        workspaceSize: receives the bytes of workspace that the second phase needs.
        executor: receives the plan; the second phase uses it up.

    Returns:
        ACL_SUCCESS (0): checked and planned.
        ACLNN_ERR_PARAM_NULLPTR (161001): self, out, workspaceSize or executor is null.
        ACLNN_ERR_PARAM_INVALID (161002): one of
            - this does not hold: the product has the operator
            - this does not hold: dim is a dimension of self
            - this does not hold: the data type of self is one that its product supports
            - this does not hold: the data type of out is one that its product supports
            - this does not hold: the data type of self can be cast to that of out
            - this does not hold: self has at most 8 dimensions
            - this does not hold: out has the shape of self
        ACLNN_ERR_INNER_NULLPTR (561103): a step cannot be planned (strides that leave the storage, a cast that does not exist).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context, or a tensor is gone and the machine only reports.
    """

def aclnnEmbedding(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int:
    """aclnnStatus aclnnEmbedding(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, const aclrtStream stream)

    Queue what aclnnEmbeddingGetWorkspaceSize planned. The result is there when the stream has run it.

    Args:
        workspace: device memory of at least the size that the first phase reported; null if that is 0.
        workspaceSize: its size in bytes.
        executor: the plan; used up by the call unless aclSetAclOpExecutorRepeatable was called.
        stream: null means the default stream of the current context.

    Returns:
        ACL_SUCCESS (0): queued, not finished.
        ACLNN_ERR_PARAM_NULLPTR (161001): executor is null; or workspaceSize is not 0 and workspace is null (the executor is destroyed).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context; the stream was destroyed or aborted, or belongs to another context; a task failed in stop mode (in all of these the executor is used up); or a real call would crash, and the machine only reports.
    """

def aclnnEmbeddingGetWorkspaceSize(weight: aclTensor | c_void_p | None, indices: aclTensor | c_void_p | None, out: aclTensor | c_void_p | None, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """aclnnStatus aclnnEmbeddingGetWorkspaceSize(const aclTensor *weight, const aclTensor *indices, const aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor)

    out = the rows of weight at the positions of indices

    Check the arguments and plan the call; nothing is computed. Null out-pointers are refused.

    Args:
        weight: input.
        indices: input.
        out: output.
        workspaceSize: receives the bytes of workspace that the second phase needs.
        executor: receives the plan; the second phase uses it up.

    Returns:
        ACL_SUCCESS (0): checked and planned.
        ACLNN_ERR_PARAM_NULLPTR (161001): weight, indices, out, workspaceSize or executor is null.
        ACLNN_ERR_PARAM_INVALID (161002): one of
            - this does not hold: the product has the operator
            - this does not hold: the data type of weight is one that its product supports
            - this does not hold: the data type of out is one that its product supports
            - this does not hold: out has the data type of weight
            - this does not hold: the data type of indices is one that its product supports
            - this does not hold: weight has at most 8 dimensions
            - this does not hold: indices has at most 8 dimensions
            - this does not hold: out has at most 8 dimensions
            - this does not hold: out has one dimension more than indices
            - this does not hold: out has the dimensions of indices, then one of any size
        ACLNN_ERR_INNER_NULLPTR (561103): a step cannot be planned (strides that leave the storage, a cast that does not exist).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context, or a tensor is gone and the machine only reports.
    """

def aclnnCrossEntropyLoss(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int:
    """aclnnStatus aclnnCrossEntropyLoss(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream)

    Queue what aclnnCrossEntropyLossGetWorkspaceSize planned. The result is there when the stream has run it.

    Args:
        workspace: device memory of at least the size that the first phase reported; null if that is 0.
        workspaceSize: its size in bytes.
        executor: the plan; used up by the call unless aclSetAclOpExecutorRepeatable was called.
        stream: null means the default stream of the current context.

    Returns:
        ACL_SUCCESS (0): queued, not finished.
        ACLNN_ERR_PARAM_NULLPTR (161001): executor is null; or workspaceSize is not 0 and workspace is null (the executor is kept).
        ACLNN_ERR_PARAM_INVALID (161002): workspaceSize is less than the first phase reported.
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context; the stream was destroyed or aborted, or belongs to another context; a task failed in stop mode (in all of these the executor is used up); or a real call would crash, and the machine only reports.
    """

def aclnnCrossEntropyLossGetWorkspaceSize(input: aclTensor | c_void_p | None, target: aclTensor | c_void_p | None, weightOptional: aclTensor | c_void_p | None, reductionOptional: str | bytes | c_char_p | None, ignoreIndex: SupportsIndex, labelSmoothing: float, lseSquareScaleForZloss: float, returnZloss: bool, lossOut: aclTensor | c_void_p | None, logProbOut: aclTensor | c_void_p | None, zlossOut: aclTensor | c_void_p | None, lseForZlossOut: aclTensor | c_void_p | None, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """aclnnStatus aclnnCrossEntropyLossGetWorkspaceSize(const aclTensor *input, const aclTensor *target, const aclTensor *weightOptional, char *reductionOptional, int64_t ignoreIndex, double labelSmoothing, double lseSquareScaleForZloss, bool returnZloss, const aclTensor *lossOut, const aclTensor *logProbOut, const aclTensor *zlossOut, const aclTensor *lseForZlossOut, uint64_t *workspaceSize, aclOpExecutor **executor)

    logProbOut = log_softmax(input); lossOut = the cross entropy with the classes in target

    With w = weightOptional[target], or 1, and 0 for rows whose target is ignoreIndex: the loss of a row is
    (1 - labelSmoothing) * -w * logProb[target], plus labelSmoothing / C * the sum of -weight * logProb over the classes
    of rows that are not ignored. "mean", which null means too, divides the sum of the losses by that of w. zlossOut and
    lseForZlossOut have to be there; they are not written.

    Check the arguments and plan the call; nothing is computed. Null out-pointers are refused.

    Args:
        input: input.
        target: input.
        weightOptional: optional input.
        reductionOptional: char.
        ignoreIndex: int64_t.
        labelSmoothing: double.
        lseSquareScaleForZloss: double.
        returnZloss: bool.
        lossOut: output.
        logProbOut: output.
        zlossOut: output.
        lseForZlossOut: output.
        workspaceSize: receives the bytes of workspace that the second phase needs.
        executor: receives the plan; the second phase uses it up.

    Returns:
        ACL_SUCCESS (0): checked and planned.
        ACLNN_ERR_PARAM_NULLPTR (161001): input, target, lossOut, logProbOut, zlossOut, lseForZlossOut, workspaceSize or executor is null.
        ACLNN_ERR_PARAM_INVALID (161002): one of
            - this does not hold: the product has the operator
            - this does not hold: the data type of input is one that its product supports
            - this does not hold: the data type of target is one that its product supports
            - this does not hold: the data type of weightOptional is one that its product supports
            - this does not hold: lossOut has the data type of input
            - this does not hold: logProbOut has the data type of input
            - this does not hold: zlossOut has the data type of input
            - this does not hold: lseForZlossOut has the data type of input
        ACLNN_ERR_INNER_TILING_ERROR (561002): one of
            - this does not hold: reductionOptional is one of None, 'mean', 'sum', 'none'
            - this does not hold: labelSmoothing lies in [0.0, 1.0]
            - this does not hold: input has exactly 2 dimensions
            - this does not hold: target has exactly 1 dimension
            - this does not hold: weightOptional has exactly 1 dimension
            - this does not hold: input has at least one class
            - this does not hold: target has an element for each row of input
            - this does not hold: weightOptional has an element for each class
            - this does not hold: lossOut has an element for each row, or one if they are reduced
            - this does not hold: logProbOut has the shape of input
        ACLNN_ERR_INNER_NULLPTR (561103): a step cannot be planned (strides that leave the storage, a cast that does not exist).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context, or a tensor is gone and the machine only reports.
    """

def aclnnBatchNormElemtBackward(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int:
    """aclnnStatus aclnnBatchNormElemtBackward(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, const aclrtStream stream)

    Queue what aclnnBatchNormElemtBackwardGetWorkspaceSize planned. The result is there when the stream has run it.

    Args:
        workspace: device memory of at least the size that the first phase reported; null if that is 0.
        workspaceSize: its size in bytes.
        executor: the plan; used up by the call unless aclSetAclOpExecutorRepeatable was called.
        stream: null means the default stream of the current context.

    Returns:
        ACL_SUCCESS (0): queued, not finished.
        ACLNN_ERR_PARAM_NULLPTR (161001): executor is null; or workspaceSize is not 0 and workspace is null (the executor is destroyed).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context; the stream was destroyed or aborted, or belongs to another context; a task failed in stop mode (in all of these the executor is used up); or a real call would crash, and the machine only reports.
    """

def aclnnBatchNormElemtBackwardGetWorkspaceSize(gradOut: aclTensor | c_void_p | None, input: aclTensor | c_void_p | None, mean: aclTensor | c_void_p | None, invstd: aclTensor | c_void_p | None, weight: aclTensor | c_void_p | None, sumDy: aclTensor | c_void_p | None, sumDyXmu: aclTensor | c_void_p | None, counter: aclTensor | c_void_p | None, gradInput: aclTensor | c_void_p | None, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """aclnnStatus aclnnBatchNormElemtBackwardGetWorkspaceSize(const aclTensor *gradOut, const aclTensor *input, const aclTensor *mean, const aclTensor *invstd, const aclTensor *weight, const aclTensor *sumDy, const aclTensor *sumDyXmu, aclTensor *counter, aclTensor *gradInput, uint64_t *workspaceSize, aclOpExecutor **executor)

    gradInput = (gradOut - sumDy / n - (input - mean) * invstd^2 * sumDyXmu / n) * invstd * weight, n = the sum of
    counter. Dimension 1 has the channels; a null weight is 1.

    Check the arguments and plan the call; nothing is computed. Null out-pointers are refused.

    Args:
        gradOut: input.
        input: input.
        mean: input.
        invstd: input.
        weight: optional input.
        sumDy: input.
        sumDyXmu: input.
        counter: input.
        gradInput: output.
        workspaceSize: receives the bytes of workspace that the second phase needs.
        executor: receives the plan; the second phase uses it up.

    Returns:
        ACL_SUCCESS (0): checked and planned.
        ACLNN_ERR_PARAM_NULLPTR (161001): gradOut, input, mean, invstd, sumDy, sumDyXmu, counter, gradInput, workspaceSize or executor is null.
        ACLNN_ERR_PARAM_INVALID (161002): one of
            - this does not hold: the product has the operator
            - this does not hold: the data type of gradOut is one that its product supports
            - this does not hold: the data type of input is one that its product supports
            - this does not hold: the data type of mean is one that its product supports
            - this does not hold: the data type of invstd is one that its product supports
            - this does not hold: the data type of sumDy is one that its product supports
            - this does not hold: the data type of sumDyXmu is one that its product supports
            - this does not hold: the data type of weight is one that its product supports
            - this does not hold: the data type of counter is one that its product supports
            - this does not hold: the data type of gradInput is one that its product supports
            - this does not hold: the format of gradOut is not a private one
            - this does not hold: the format of input is not a private one
            - this does not hold: the format of gradInput is not a private one
            - this does not hold: input has 2 to 8 dimensions
            - this does not hold: input has channels
            - this does not hold: gradOut has the shape of input
            - this does not hold: gradInput has the shape of input
            - this does not hold: mean has one element for each channel
            - this does not hold: invstd has one element for each channel
            - this does not hold: sumDy has one element for each channel
            - this does not hold: sumDyXmu has one element for each channel
            - this does not hold: weight has one element for each channel
            - this does not hold: counter has at most 8 dimensions
        ACLNN_ERR_INNER_NULLPTR (561103): a step cannot be planned (strides that leave the storage, a cast that does not exist).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context, or a tensor is gone and the machine only reports.
    """

def aclnnApplyAdamWV2(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int:
    """aclnnStatus aclnnApplyAdamWV2(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream)

    Queue what aclnnApplyAdamWV2GetWorkspaceSize planned. The result is there when the stream has run it.

    Args:
        workspace: device memory of at least the size that the first phase reported; null if that is 0.
        workspaceSize: its size in bytes.
        executor: the plan; used up by the call unless aclSetAclOpExecutorRepeatable was called.
        stream: null means the default stream of the current context.

    Returns:
        ACL_SUCCESS (0): queued, not finished.
        ACLNN_ERR_PARAM_NULLPTR (161001): executor is null; or workspaceSize is not 0 and workspace is null (the executor is destroyed).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context; the stream was destroyed or aborted, or belongs to another context; a task failed in stop mode (in all of these the executor is used up); or a real call would crash, and the machine only reports.
    """

def aclnnApplyAdamWV2GetWorkspaceSize(varRef: aclTensor | c_void_p | None, mRef: aclTensor | c_void_p | None, vRef: aclTensor | c_void_p | None, maxGradNormOptionalRef: aclTensor | c_void_p | None, grad: aclTensor | c_void_p | None, step: aclTensor | c_void_p | None, lr: float, beta1: float, beta2: float, weightDecay: float, eps: float, amsgrad: bool, maximize: bool, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """aclnnStatus aclnnApplyAdamWV2GetWorkspaceSize(aclTensor *varRef, aclTensor *mRef, aclTensor *vRef, aclTensor *maxGradNormOptionalRef, const aclTensor *grad, const aclTensor *step, float lr, float beta1, float beta2, float weightDecay, float eps, bool amsgrad, bool maximize, uint64_t *workspaceSize, aclOpExecutor **executor)

    One step of AdamW: with t = step + 1, and g = -grad if maximize,

    var = var * (1 - lr * weightDecay); m = m + (g - m) * (1 - beta1); v = v * beta2 + g * g * (1 - beta2);
    var = var - lr / (1 - beta1^t) * m / (sqrt(u) / sqrt(1 - beta2^t) + eps), where u is v. With amsgrad
    maxGradNorm = max(maxGradNorm, v), and u is that; without, maxGradNorm stays.

    Check the arguments and plan the call; nothing is computed. Null out-pointers are refused.

    Args:
        varRef: in-place tensor.
        mRef: in-place tensor.
        vRef: in-place tensor.
        maxGradNormOptionalRef: in-place tensor; may be null.
        grad: input.
        step: input.
        lr: float.
        beta1: float.
        beta2: float.
        weightDecay: float.
        eps: float.
        amsgrad: bool.
        maximize: bool.
        workspaceSize: receives the bytes of workspace that the second phase needs.
        executor: receives the plan; the second phase uses it up.

    Returns:
        ACL_SUCCESS (0): checked and planned.
        ACLNN_ERR_PARAM_NULLPTR (161001): varRef, mRef, vRef, grad, step, workspaceSize or executor is null.
        ACLNN_ERR_PARAM_INVALID (161002): one of
            - this does not hold: the product has the operator
            - this does not hold: the data type of varRef is one that its product supports
            - this does not hold: the data type of mRef is one that its product supports
            - this does not hold: the data type of vRef is one that its product supports
            - this does not hold: the data type of maxGradNormOptionalRef is one that its product supports
            - this does not hold: the data type of grad is one that its product supports
            - this does not hold: the data type of step is one that its product supports
            - this does not hold: mRef has the shape of varRef
            - this does not hold: vRef has the shape of varRef
            - this does not hold: maxGradNormOptionalRef has the shape of varRef
            - this does not hold: grad has the shape of varRef
            - this does not hold: step has one element
        ACLNN_ERR_INNER_NULLPTR (561103): a step cannot be planned (strides that leave the storage, a cast that does not exist).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context, or a tensor is gone and the machine only reports.
    """

def aclnnReduceSum(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int:
    """aclnnStatus aclnnReduceSum(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream)

    Queue what aclnnReduceSumGetWorkspaceSize planned. The result is there when the stream has run it.

    Args:
        workspace: device memory of at least the size that the first phase reported; null if that is 0.
        workspaceSize: its size in bytes.
        executor: the plan; used up by the call unless aclSetAclOpExecutorRepeatable was called.
        stream: null means the default stream of the current context.

    Returns:
        ACL_SUCCESS (0): queued, not finished.
        ACLNN_ERR_PARAM_NULLPTR (161001): executor is null; or workspaceSize is not 0 and workspace is null (the executor is destroyed).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context; the stream was destroyed or aborted, or belongs to another context; a task failed in stop mode (in all of these the executor is used up); or a real call would crash, and the machine only reports.
    """

def aclnnReduceSumGetWorkspaceSize(self: aclTensor | c_void_p | None, dims: aclIntArray | c_void_p | None, keepDims: bool, dtype: SupportsIndex, out: aclTensor | c_void_p | None, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """aclnnStatus aclnnReduceSumGetWorkspaceSize(const aclTensor *self, const aclIntArray *dims, bool keepDims, aclDataType dtype, aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor)

    out = the sum of self as dtype over dims; no dims means all dimensions. dtype BOOL: is any not 0?

    Check the arguments and plan the call; nothing is computed. Null out-pointers are refused.

    Args:
        self: input.
        dims: aclIntArray.
        keepDims: bool.
        dtype: aclDataType.
        out: output.
        workspaceSize: receives the bytes of workspace that the second phase needs.
        executor: receives the plan; the second phase uses it up.

    Returns:
        ACL_SUCCESS (0): checked and planned.
        ACLNN_ERR_PARAM_NULLPTR (161001): self, out, dims, workspaceSize or executor is null.
        ACLNN_ERR_PARAM_INVALID (161002): one of
            - this does not hold: the product has the operator
            - this does not hold: the data type of self is one that its product supports
            - this does not hold: the data type of out is one that its product supports
            - this does not hold: the data type of dtype is one that its product supports
            - this does not hold: out has the data type of dtype
            - this does not hold: self has at most 8 dimensions
            - this does not hold: dims are dimensions of self, each once
            - this does not hold: the data type of out is real if self is empty
            - this does not hold: out has the shape that is left of self
        ACLNN_ERR_INNER_NULLPTR (561103): a step cannot be planned (strides that leave the storage, a cast that does not exist).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context, or a tensor is gone and the machine only reports.
    """

def aclnnMean(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int:
    """aclnnStatus aclnnMean(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream)

    Queue what aclnnMeanGetWorkspaceSize planned. The result is there when the stream has run it.

    Args:
        workspace: device memory of at least the size that the first phase reported; null if that is 0.
        workspaceSize: its size in bytes.
        executor: the plan; used up by the call unless aclSetAclOpExecutorRepeatable was called.
        stream: null means the default stream of the current context.

    Returns:
        ACL_SUCCESS (0): queued, not finished.
        ACLNN_ERR_PARAM_NULLPTR (161001): executor is null; or workspaceSize is not 0 and workspace is null (the executor is destroyed).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context; the stream was destroyed or aborted, or belongs to another context; a task failed in stop mode (in all of these the executor is used up); or a real call would crash, and the machine only reports.
    """

def aclnnMeanGetWorkspaceSize(self: aclTensor | c_void_p | None, dim: aclIntArray | c_void_p | None, keepDim: bool, dtype: SupportsIndex, out: aclTensor | c_void_p | None, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """aclnnStatus aclnnMeanGetWorkspaceSize(const aclTensor *self, const aclIntArray *dim, bool keepDim, aclDataType dtype, aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor)

    out = the mean of self as dtype over dim; no dim means all dimensions

    Check the arguments and plan the call; nothing is computed. Null out-pointers are refused.

    Args:
        self: input.
        dim: aclIntArray.
        keepDim: bool.
        dtype: aclDataType.
        out: output.
        workspaceSize: receives the bytes of workspace that the second phase needs.
        executor: receives the plan; the second phase uses it up.

    Returns:
        ACL_SUCCESS (0): checked and planned.
        ACLNN_ERR_PARAM_NULLPTR (161001): self, out, dim, workspaceSize or executor is null.
        ACLNN_ERR_PARAM_INVALID (161002): one of
            - this does not hold: the product has the operator
            - this does not hold: the data type of self is one that its product supports
            - this does not hold: the data type of dtype is one that its product supports
            - this does not hold: the data type of out is one that its product supports
            - this does not hold: the data type of self can be cast to that of dtype
            - this does not hold: the data type of dtype can be cast to that of out
            - this does not hold: dim are dimensions of self, each once
            - this does not hold: self has at most 8 dimensions
            - this does not hold: out has at most 8 dimensions
            - this does not hold: the data type of out is real if self is empty
            - this does not hold: out has the shape that is left of self
        ACLNN_ERR_INNER_NULLPTR (561103): a step cannot be planned (strides that leave the storage, a cast that does not exist).
        ACLNN_ERR_RUNTIME_ERROR (361001): the thread has no current context, or a tensor is gone and the machine only reports.
    """

def aclnnCalculateMatmulWeightSize(tensorShape: aclIntArray | c_void_p | None, weightTensorSize: Output[c_uint64]) -> int:
    """aclnnStatus aclnnCalculateMatmulWeightSize(const aclIntArray *tensorShape, uint64_t *weightTensorSize)

    The number of elements of a FLOAT16 weight of `tensorShape` in FRACTAL_NZ, padding included: the last two
    dimensions count as multiples of 16.

    Returns:
        ACL_SUCCESS (0): the results are written.
        ACLNN_ERR_PARAM_NULLPTR (161001): one of
            - this does not hold: tensorShape is not null
            - this does not hold: weightTensorSize is not null
        ACLNN_ERR_PARAM_INVALID (161002): one of
            - this does not hold: tensorShape has as many dimensions as the product supports
        ACLNN_ERR_RUNTIME_ERROR (361001): one of
            - an argument is gone and the machine only reports
    """

def aclnnCalculateMatmulWeightSizeV2(tensorShape: aclIntArray | c_void_p | None, dataType: SupportsIndex, weightTensorSize: Output[c_uint64]) -> int:
    """aclnnStatus aclnnCalculateMatmulWeightSizeV2(const aclIntArray *tensorShape, aclDataType dataType, uint64_t *weightTensorSize)

    The number of elements of a weight of `tensorShape` in FRACTAL_NZ, padding included. The last dimension counts as
    a multiple of 16 for FLOAT16 and BFLOAT16, and of 32 for any other data type.

    Returns:
        ACL_SUCCESS (0): the results are written.
        ACLNN_ERR_RUNTIME_ERROR (361001): one of
            - this does not hold: the product supports the function
            - an argument is gone and the machine only reports
        ACLNN_ERR_PARAM_NULLPTR (161001): one of
            - this does not hold: tensorShape is not null
            - this does not hold: weightTensorSize is not null
        ACLNN_ERR_PARAM_INVALID (161002): one of
            - this does not hold: tensorShape has 2 to 6 dimensions
            - this does not hold: tensorShape has no dimension of size 0
    """

def aclnnNpuFormatCastCalculateSizeAndFormat(srcTensor: aclTensor | c_void_p | None, dstFormat: SupportsIndex, additionalDtype: SupportsIndex, dstShape: Output[Int64Pointer], dstShapeSize: Output[c_uint64], actualFormat: Output[c_int32]) -> int:
    """aclnnStatus aclnnNpuFormatCastCalculateSizeAndFormat(const aclTensor *srcTensor, const int dstFormat, int additionalDtype, int64_t **dstShape, uint64_t *dstShapeSize, int *actualFormat)

    The shape and the format of the storage of a tensor that aclnnNpuFormatCast can write `srcTensor` to. A block has
    as many elements of `additionalDtype` as 32 bytes hold.

    Returns:
        ACL_SUCCESS (0): the results are written.
        ACLNN_ERR_PARAM_INVALID (161002): one of
            - this does not hold: the product supports the function
            - this does not hold: srcTensor is not null
            - this does not hold: the data type of srcTensor is one that its product supports
            - this does not hold: additionalDtype is -1 or a data type of srcTensor
            - this does not hold: srcTensor has a rank that fits both formats
        ACLNN_ERR_PARAM_NULLPTR (161001): one of
            - this does not hold: dstShape is not null
            - this does not hold: dstShapeSize is not null
            - this does not hold: actualFormat is not null
        ACLNN_ERR_RUNTIME_ERROR (361001): one of
            - this does not hold: the format of srcTensor can be cast to dstFormat
            - this does not hold: srcTensor is not empty
            - an argument is gone and the machine only reports
    """
