# Rendered from the declarations by `python -m aclnn.render`; do not edit.

from ctypes import c_char_p
from aclnn.stubs.cv_image import *
from aclnn.stubs.cv_objdetect import *
from aclnn.stubs.math_conversion import *
from aclnn.stubs.math_math import *
from aclnn.stubs.math_random import *
from aclnn.stubs.nn_activation import *
from aclnn.stubs.nn_control import *
from aclnn.stubs.nn_conv import *
from aclnn.stubs.nn_foreach import *
from aclnn.stubs.nn_index import *
from aclnn.stubs.nn_loss import *
from aclnn.stubs.nn_matmul import *
from aclnn.stubs.nn_norm import *
from aclnn.stubs.nn_optim import *
from aclnn.stubs.nn_pooling import *
from aclnn.stubs.nn_quant import *
from aclnn.stubs.nn_rnn import *
from aclnn.stubs.nn_vfusion import *
from aclnn.stubs.transformer_attention import *
from aclnn.stubs.transformer_ffn import *
from aclnn.stubs.transformer_gmm import *
from aclnn.stubs.transformer_mamba import *
from aclnn.stubs.transformer_mc2 import *
from aclnn.stubs.transformer_mhc import *
from aclnn.stubs.transformer_moe import *
from aclnn.stubs.transformer_posembedding import *
from acl_runtime import (
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
    ACLNN_ERR_INNER_OPP_KERNEL_PKG_NOT_FOUND as ACLNN_ERR_INNER_OPP_KERNEL_PKG_NOT_FOUND,
    ACLNN_ERR_INNER_OPP_PATH_NOT_FOUND as ACLNN_ERR_INNER_OPP_PATH_NOT_FOUND,
    ACLNN_ERR_INNER_OP_FILE_INVALID as ACLNN_ERR_INNER_OP_FILE_INVALID,
    ACLNN_ERR_INNER_STATIC_BLOCK_DIM_INVALID as ACLNN_ERR_INNER_STATIC_BLOCK_DIM_INVALID,
    ACLNN_ERR_INNER_STATIC_WORKSPACE_INVALID as ACLNN_ERR_INNER_STATIC_WORKSPACE_INVALID,
    ACLNN_ERR_INNER_TILING_ERROR as ACLNN_ERR_INNER_TILING_ERROR,
    ACLNN_ERR_INNER_WRONG_ATTR_INFO_SIZE as ACLNN_ERR_INNER_WRONG_ATTR_INFO_SIZE,
    ACLNN_ERR_PARAM_INVALID as ACLNN_ERR_PARAM_INVALID,
    ACLNN_ERR_PARAM_NULLPTR as ACLNN_ERR_PARAM_NULLPTR,
    ACLNN_ERR_RUNTIME_ERROR as ACLNN_ERR_RUNTIME_ERROR,
    ACLNN_SUCCESS as ACLNN_SUCCESS,
    AclSetDynamicInputTensorAddr as AclSetDynamicInputTensorAddr,
    AclSetDynamicOutputTensorAddr as AclSetDynamicOutputTensorAddr,
    AclSetDynamicTensorAddr as AclSetDynamicTensorAddr,
    AclSetInputTensorAddr as AclSetInputTensorAddr,
    AclSetOutputTensorAddr as AclSetOutputTensorAddr,
    AclSetTensorAddr as AclSetTensorAddr,
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
    aclOpExecutor as aclOpExecutor,
    aclScalar as aclScalar,
    aclScalarList as aclScalarList,
    aclSetAclOpExecutorRepeatable as aclSetAclOpExecutorRepeatable,
    aclSetDynamicInputTensorAddr as aclSetDynamicInputTensorAddr,
    aclSetDynamicOutputTensorAddr as aclSetDynamicOutputTensorAddr,
    aclSetDynamicTensorAddr as aclSetDynamicTensorAddr,
    aclSetInputTensorAddr as aclSetInputTensorAddr,
    aclSetOutputTensorAddr as aclSetOutputTensorAddr,
    aclSetRawTensorAddr as aclSetRawTensorAddr,
    aclSetTensorAddr as aclSetTensorAddr,
    aclTensor as aclTensor,
    aclTensorList as aclTensorList,
)
from aclnn.engine.declaration import Op as Op
from aclnn.engine.kernels import kernel as kernel
from aclnn.engine.two_phase import two_phase as two_phase
from acl_runtime.version import __version__ as __version__

def aclnnInit(configPath: str | bytes | c_char_p | None) -> int:
    """aclnnStatus aclnnInit(const char *configPath)

    Initialise the operator library. aclInit does the same, and both may be called.

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
