"""The C types of parameters and results.

A function of the API is written once, as a Python `def` whose annotations are names of this module:

    @acl_api("acl/acl_rt.h")
    def aclrtMalloc(devPtr: c.void_pp, size: c.size_t, policy: c.aclrtMemMallocPolicy) -> c.aclError: ...

Each name is `Annotated[type of the value that the body receives, CType]`. `CType` is in `acl_runtime.abi.conversions`.
"""

import ctypes
from ctypes import c_float, c_int32, c_int64, c_uint32, c_uint64, c_void_p
from typing import Annotated, Any

import acl_runtime.headers.handles as h
import acl_runtime.headers.hccl as hccl
import acl_runtime.headers.structs as s
from acl_runtime.abi.conversions import (
    AddressArray,
    Anything,
    Array,
    ArrayOfArrays,
    CString,
    CType,
    Enum,
    Function,
    FunctionParameter,
    HandleArray,
    Integer,
    MetaHandleType,
    Output,
    Pointer,
    Real,
    Result,
    RuntimeHandleType,
    Structs,
    TextArray,
    UnionByValue,
    Variadic,
)
from acl_runtime.abi.pointers import Address, Given, Out, Values

__all__ = ["CType", "Result", "of"]


def of(annotation: Any) -> Any:
    """The CType of a name of this module."""
    return annotation.__metadata__[0]


_U64 = (c_uint64, ctypes.c_ulonglong)
_I64 = (c_int64, ctypes.c_longlong)

# numbers
int_ = Annotated[int, Integer("int", 32, signed=True)]
int8_t = Annotated[int, Integer("int8_t", 8, signed=True)]
int16_t = Annotated[int, Integer("int16_t", 16, signed=True)]
uint8_t = Annotated[int, Integer("uint8_t", 8, signed=False)]
mstxRangeId = Annotated[int, Integer("mstxRangeId", 64, signed=False)]
size_t = Annotated[int, Integer("size_t", 64, signed=False)]
int32_t = Annotated[int, Integer("int32_t", 32, signed=True)]
uint32_t = Annotated[int, Integer("uint32_t", 32, signed=False)]
int64_t = Annotated[int, Integer("int64_t", 64, signed=True)]
uint64_t = Annotated[int, Integer("uint64_t", 64, signed=False)]
const_size_t = Annotated[int, Integer("const size_t", 64, signed=False)]
float_ = Annotated[float, Real("float")]
aclFloat16 = Annotated[int, Integer("aclFloat16", 16, signed=False)]
# enums
aclDataType = Annotated[int, Enum("aclDataType")]
aclFormat = Annotated[int, Enum("aclFormat")]
aclLogLevel = Annotated[int, Enum("aclLogLevel")]
aclSysParamOpt = Annotated[int, Enum("aclSysParamOpt")]
aclCannAttr = Annotated[int, Enum("aclCannAttr")]
aclDeviceInfo = Annotated[int, Enum("aclDeviceInfo")]
aclCANNPackageName = Annotated[int, Enum("aclCANNPackageName")]
aclRegisterCallbackType = Annotated[int, Enum("aclRegisterCallbackType")]
aclrtMemMallocPolicy = Annotated[int, Enum("aclrtMemMallocPolicy")]
aclmdlRICaptureMode = Annotated[int, Enum("aclmdlRICaptureMode")]
aclrtMemcpyKind = Annotated[int, Enum("aclrtMemcpyKind")]
aclrtTsId = Annotated[int, Enum("aclrtTsId")]
aclrtDevAttr = Annotated[int, Enum("aclrtDevAttr")]
aclrtDevFeatureType = Annotated[int, Enum("aclrtDevFeatureType")]
aclrtDevResLimitType = Annotated[int, Enum("aclrtDevResLimitType")]
aclrtFloatOverflowMode = Annotated[int, Enum("aclrtFloatOverflowMode")]
aclrtStreamAttr = Annotated[int, Enum("aclrtStreamAttr")]
aclrtStreamConfigAttr = Annotated[int, Enum("aclrtStreamConfigAttr")]
aclmdlConfigAttr = Annotated[int, Enum("aclmdlConfigAttr")]
aclmdlExecConfigAttr = Annotated[int, Enum("aclmdlExecConfigAttr")]
aclAippInputFormat = Annotated[int, Enum("aclAippInputFormat")]
aclrtMemAttr = Annotated[int, Enum("aclrtMemAttr")]
aclrtMemGranularityOptions = Annotated[int, Enum("aclrtMemGranularityOptions")]
aclrtMemHandleType = Annotated[int, Enum("aclrtMemHandleType")]
aclrtIpcMemAttrType = Annotated[int, Enum("aclrtIpcMemAttrType")]
aclrtMemSharedHandleType = Annotated[int, Enum("aclrtMemSharedHandleType")]
aclrtHostRegisterType = Annotated[int, Enum("aclrtHostRegisterType")]
aclrtFuncAttribute = Annotated[int, Enum("aclrtFuncAttribute")]
aclrtReduceKind = Annotated[int, Enum("aclrtReduceKind")]
aclrtCallbackBlockType = Annotated[int, Enum("aclrtCallbackBlockType")]
aclrtLastErrLevel = Annotated[int, Enum("aclrtLastErrLevel")]
aclMemType = Annotated[int, Enum("aclMemType")]
aclopEngineType = Annotated[int, Enum("aclopEngineType")]
aclopCompileType = Annotated[int, Enum("aclopCompileType")]
aclCompileOpt = Annotated[int, Enum("aclCompileOpt")]
aclOpCompileFlag = Annotated[int, Enum("aclOpCompileFlag")]
aclprofAicoreMetrics = Annotated[int, Enum("aclprofAicoreMetrics")]
aclprofConfigType = Annotated[int, Enum("aclprofConfigType")]
aclprofStepTag = Annotated[int, Enum("aclprofStepTag")]
acldumpType = Annotated[int, Enum("acldumpType")]
HcclConfig = Annotated[int, Enum("HcclConfig")]
HcclConfigValue = Annotated[int, UnionByValue("HcclConfigValue", hccl.HcclConfigValue)]
HcclDataType = Annotated[int, Enum("HcclDataType")]
HcclReduceOp = Annotated[int, Enum("HcclReduceOp")]
HcclResult_code = Annotated[int, Enum("HcclResult")]
# text
const_char_p = Annotated[str | None, CString("const char *")]
char_p = Annotated[str | None, CString("char *")]
kernel_info = Annotated[str | None, CString("const void *")]
# memory
void_p = Annotated[Address, Pointer("void *", target=True)]
const_void_const_p = Annotated[Address, Pointer("const void *const", target=False)]
const_char_const_p = Annotated[str | None, CString("const char *const")]
source_void_p = Annotated[Address, Pointer("void *", target=False)]
const_void_p = Annotated[Address, Pointer("const void *", target=False)]
source_int32_t_p = Annotated[Address, Pointer("int32_t *", target=False)]
const_char_bytes = Annotated[Address, Pointer("const char *", target=False)]
const_uint64_p = Annotated[Address, Pointer("const uint64_t *", target=False)]
const_VOID_PTR = Annotated[Address, Pointer("const VOID_PTR", target=False)]
const_MsprofApi_p = Annotated[Address, Pointer("const struct MsprofApi *", target=False)]
const_aclprofAicoreEvents_p = Annotated[Address, Pointer("const aclprofAicoreEvents *", target=False)]
const_mstxMemHeapDesc_t_p = Annotated[Address, Pointer("const mstxMemHeapDesc_t *", target=False)]
const_mstxMemRegionsRegisterBatch_t_p = Annotated[
    Address, Pointer("const mstxMemRegionsRegisterBatch_t *", target=False)
]
const_mstxMemRegionsUnregisterBatch_t_p = Annotated[
    Address, Pointer("const mstxMemRegionsUnregisterBatch_t *", target=False)
]
const_mstxMemPermissionsAssignBatch_t_p = Annotated[
    Address, Pointer("const mstxMemPermissionsAssignBatch_t *", target=False)
]
target_int64_t_p = Annotated[Address, Pointer("int64_t *", target=True)]
aclrtStreams = Annotated[Address, Pointer("aclrtStream *", target=True)]
aclmdlRITasks = Annotated[Address, Pointer("aclmdlRITask *", target=True)]
HcclComm_array = Annotated[Address, Pointer("HcclComm *", target=True)]
target_char_p = Annotated[Address, Pointer("char *", target=True)]
# outputs
void_pp = Annotated[Out[int], Output("void **", "c_void_p", c_void_p, refused=(h.Handle,))]
int32_t_p = Annotated[Out[int], Output("int32_t *", "c_int32", c_int32)]
uint32_t_p = Annotated[Out[int], Output("uint32_t *", "c_uint32", c_uint32)]
uint32_t_const_p = Annotated[Out[int], Output("uint32_t *const ", "c_uint32", c_uint32)]
int64_t_p = Annotated[Out[int], Output("int64_t *", "c_int64", *_I64)]
uint64_t_p = Annotated[Out[int], Output("uint64_t *", "c_uint64", *_U64)]
size_t_p = Annotated[Out[int], Output("size_t *", "c_uint64", *_U64)]
float_p = Annotated[Out[float], Output("float *", "c_float", c_float)]
int64_t_pp = Annotated[
    Out[int],
    Output("int64_t **", "Int64Pointer", ctypes.POINTER(c_int64), ctypes.POINTER(ctypes.c_longlong)),
]
aclCannAttr_pp = Annotated[
    Out[int], Output("const aclCannAttr **", "Int32Pointer", ctypes.POINTER(c_int32), c_void_p, refused=(h.Handle,))
]
aclDataType_p = Annotated[Out[int], Output("aclDataType *", "c_int32", c_int32)]
aclFormat_p = Annotated[Out[int], Output("aclFormat *", "c_int32", c_int32)]
aclrtRunMode_p = Annotated[Out[int], Output("aclrtRunMode *", "c_int32", c_int32)]
aclrtDeviceStatus_p = Annotated[Out[int], Output("aclrtDeviceStatus *", "c_int32", c_int32)]
aclrtFloatOverflowMode_p = Annotated[Out[int], Output("aclrtFloatOverflowMode *", "c_int32", c_int32)]
aclrtStreamStatus_p = Annotated[Out[int], Output("aclrtStreamStatus *", "c_int32", c_int32)]
aclrtEventStatus_p = Annotated[Out[int], Output("aclrtEventStatus *", "c_int32", c_int32)]
aclrtEventRecordedStatus_p = Annotated[Out[int], Output("aclrtEventRecordedStatus *", "c_int32", c_int32)]
aclrtEventWaitStatus_p = Annotated[Out[int], Output("aclrtEventWaitStatus *", "c_int32", c_int32)]
_RUNTIME = (h.MetaHandle,)
aclmdlInputAippType_p = Annotated[Out[int], Output("aclmdlInputAippType *", "c_int32", c_int32)]
aclrtStream_p = Annotated[Out[int], Output("aclrtStream *", "aclrtStream", h.aclrtStream, c_void_p, refused=_RUNTIME)]
aclrtEvent_p = Annotated[Out[int], Output("aclrtEvent *", "aclrtEvent", h.aclrtEvent, c_void_p, refused=_RUNTIME)]
HcclComm_p = Annotated[Out[int], Output("HcclComm *", "HcclComm", h.HcclComm, c_void_p, refused=_RUNTIME)]
HcclResult_p = Annotated[Out[int], Output("HcclResult *", "c_int32", c_int32)]
HcclCommStatus_p = Annotated[Out[int], Output("HcclCommStatus *", "c_int32", c_int32)]
bool_p = Annotated[Out[bool], Output("bool *", "c_bool", ctypes.c_bool)]
aclrtContext_p = Annotated[
    Out[int], Output("aclrtContext *", "aclrtContext", h.aclrtContext, c_void_p, refused=_RUNTIME)
]
_NOT_EXECUTOR = (h.RuntimeHandle, h.aclTensor, h.aclScalar, h.aclIntArray, h.aclFloatArray, h.aclBoolArray,
                 h.aclTensorList, h.aclScalarList, h.aclDataBuffer, h.aclrtExceptionInfo,
                 h.aclrtStreamConfigHandle, h.aclTensorDesc, h.aclopAttr, h.aclopHandle, h.aclGraphDumpOption,
                 h.aclprofConfig, h.aclprofStepInfo, h.aclmdlDesc, h.aclmdlDataset, h.aclmdlConfigHandle,
                 h.aclmdlExecConfigHandle, h.aclmdlAIPP)  # fmt: skip
aclrtDrvMemHandle_p = Annotated[
    Out[int], Output("aclrtDrvMemHandle *", "aclrtDrvMemHandle", h.aclrtDrvMemHandle, c_void_p, refused=_RUNTIME)
]
aclrtTaskGrp_p = Annotated[
    Out[int], Output("aclrtTaskGrp *", "aclrtTaskGrp", h.aclrtTaskGrp, c_void_p, refused=_RUNTIME)
]
aclmdlRICaptureStatus_p = Annotated[Out[int], Output("aclmdlRICaptureStatus *", "c_int32", c_int32)]
aclmdlRICaptureMode_p = Annotated[Out[int], Output("aclmdlRICaptureMode *", "c_int32", c_int32)]
aclmdlRITaskType_p = Annotated[Out[int], Output("aclmdlRITaskType *", "c_int32", c_int32)]
aclmdlRI_p = Annotated[Out[int], Output("aclmdlRI *", "aclmdlRI", h.aclmdlRI, c_void_p, refused=_RUNTIME)]
aclrtBinHandle_p = Annotated[
    Out[int], Output("aclrtBinHandle *", "aclrtBinHandle", h.aclrtBinHandle, c_void_p, refused=_RUNTIME)
]
aclrtFuncHandle_p = Annotated[
    Out[int], Output("aclrtFuncHandle *", "aclrtFuncHandle", h.aclrtFuncHandle, c_void_p, refused=_RUNTIME)
]
aclrtArgsHandle_p = Annotated[
    Out[int], Output("aclrtArgsHandle *", "aclrtArgsHandle", h.aclrtArgsHandle, c_void_p, refused=_RUNTIME)
]
aclrtParamHandle_p = Annotated[
    Out[int], Output("aclrtParamHandle *", "aclrtParamHandle", h.aclrtParamHandle, c_void_p, refused=_RUNTIME)
]
aclOpExecutor_pp = Annotated[
    Out[int],
    Output("aclOpExecutor **", "aclOpExecutor", h.aclOpExecutor, c_void_p, refused=_NOT_EXECUTOR),
]
_NOT_TENSOR_DESC = (h.RuntimeHandle, h.aclTensor, h.aclopHandle, h.aclopAttr)
aclopHandle_pp = Annotated[
    Out[int],
    Output("aclopHandle **", "aclopHandle", h.aclopHandle, c_void_p, refused=(h.RuntimeHandle, h.aclTensorDesc)),
]
aclTensorDesc_pp = Annotated[
    Out[int], Output("aclTensorDesc **", "aclTensorDesc", h.aclTensorDesc, c_void_p, refused=_NOT_TENSOR_DESC)
]
# structs
aclrtPtrAttributes_p = Annotated[Address, Structs("aclrtPtrAttributes *", s.aclrtPtrAttributes)]
aclrtPhysicalMemProp_p = Annotated[Address, Structs("aclrtPhysicalMemProp *", s.aclrtPhysicalMemProp)]
const_aclrtPhysicalMemProp_p = Annotated[Address, Structs("const aclrtPhysicalMemProp *", s.aclrtPhysicalMemProp)]
aclrtMemAccessDesc_p = Annotated[Address, Structs("aclrtMemAccessDesc *", s.aclrtMemAccessDesc)]
aclrtMemLocation_p = Annotated[Address, Structs("aclrtMemLocation *", s.aclrtMemLocation)]
aclrtMallocConfig_p = Annotated[Address, Structs("aclrtMallocConfig *", s.aclrtMallocConfig)]
aclrtBinaryLoadOptions_p = Annotated[Address, Structs("aclrtBinaryLoadOptions *", s.aclrtBinaryLoadOptions)]
aclrtLaunchKernelAttrId = Annotated[int, Enum("aclrtLaunchKernelAttrId")]
aclrtLaunchKernelAttrValue_p = Annotated[Address, Structs("aclrtLaunchKernelAttrValue *", s.aclrtLaunchKernelAttrValue)]
aclrtLaunchKernelCfg_p = Annotated[Address, Structs("aclrtLaunchKernelCfg *", s.aclrtLaunchKernelCfg)]
aclrtPlaceHolderInfo_p = Annotated[Address, Structs("aclrtPlaceHolderInfo *", s.aclrtPlaceHolderInfo)]
const_aclrtBinaryLoadOptions_p = Annotated[Address, Structs("const aclrtBinaryLoadOptions *", s.aclrtBinaryLoadOptions)]
aclrtMemUsageInfo_p = Annotated[Address, Structs("aclrtMemUsageInfo *", s.aclrtMemUsageInfo)]
aclrtMemcpyBatchAttr_p = Annotated[Address, Structs("aclrtMemcpyBatchAttr *", s.aclrtMemcpyBatchAttr)]
aclrtUtilizationInfo_p = Annotated[Address, Structs("aclrtUtilizationInfo *", s.aclrtUtilizationInfo)]
aclrtUuid_p = Annotated[Address, Structs("aclrtUuid *", s.aclrtUuid)]
aclrtStreamAttrValue_p = Annotated[Address, Structs("aclrtStreamAttrValue *", s.aclrtStreamAttrValue)]
aclrtErrorInfo_p = Annotated[Address, Structs("aclrtErrorInfo *", s.aclrtErrorInfo)]
HcclRootInfo_p = Annotated[Address, Structs("HcclRootInfo *", hccl.HcclRootInfo)]
const_HcclRootInfo_p = Annotated[Address, Structs("const HcclRootInfo *", hccl.HcclRootInfo)]
HcclCommConfig_p = Annotated[Address, Structs("HcclCommConfig *", hccl.HcclCommConfig)]
const_HcclCommConfig_p = Annotated[Address, Structs("const HcclCommConfig *", hccl.HcclCommConfig)]
HcclSendRecvItem_p = Annotated[Address, Structs("HcclSendRecvItem *", hccl.HcclSendRecvItem)]
HcclConfigValue_p = Annotated[Address, Structs("HcclConfigValue *", hccl.HcclConfigValue)]
aclCANNPackageVersion_p = Annotated[Address, Structs("aclCANNPackageVersion *", s.aclCANNPackageVersion)]
aclmdlIODims_p = Annotated[Address, Structs("aclmdlIODims *", s.aclmdlIODims)]
const_aclmdlIODims_p = Annotated[Address, Structs("const aclmdlIODims *", s.aclmdlIODims)]
aclmdlIODimsRange_p = Annotated[Address, Structs("aclmdlIODimsRange *", s.aclmdlIODimsRange)]
aclmdlBatch_p = Annotated[Address, Structs("aclmdlBatch *", s.aclmdlBatch)]
aclmdlHW_p = Annotated[Address, Structs("aclmdlHW *", s.aclmdlHW)]
# arrays
const_int64_t_p = Annotated[Values, Array("const int64_t *", _I64, "int64", "Int64Array")]
size_t_array = Annotated[Values, Array("size_t *", _U64, "uint64", "SizeArray")]
const_float_p = Annotated[Values, Array("const float *", (c_float,), "float32", "FloatArray")]
const_bool_p = Annotated[Values, Array("const bool *", (ctypes.c_bool,), "bool", "BoolArray")]
const_uint8_t_p = Annotated[Values, Array("const uint8_t *", (ctypes.c_uint8,), "uint8", "UInt8Array")]
const_int_p = Annotated[Values, Array("const int *", (c_int32,), "int32", "Int32Array")]
int32_t_array = Annotated[Values, Array("int32_t *", (c_int32,), "int32", "Int32Array")]
uint32_t_array = Annotated[Values, Array("uint32_t *", (c_uint32,), "uint32", "UInt32Array")]
const_int64_t_const_p_array = Annotated[
    Values, ArrayOfArrays("const int64_t *const []", Array("const int64_t *", _I64, "int64", "Int64Array"))
]
const_aclDataType_array = Annotated[Values, Array("const aclDataType []", (c_int32,), "int32", "Int32Array")]
int64_t_pairs = Annotated[Values, Array("int64_t [][2]", _I64, "int64", "Int64Array")]
const_char_pp = Annotated[Values, TextArray("const char **")]
void_p_targets = Annotated[Values, AddressArray("void **", target=True)]
void_p_sources = Annotated[Values, AddressArray("void **", target=False)]
aclTensors = Annotated[Values, HandleArray("const aclTensor *const *", h.aclTensor)]
aclScalars = Annotated[Values, HandleArray("const aclScalar *const *", h.aclScalar)]
const_aclTensorDesc_const_p_array = Annotated[Values, HandleArray("const aclTensorDesc *const []", h.aclTensorDesc)]
aclTensorDesc_p_array = Annotated[Values, HandleArray("aclTensorDesc *[]", h.aclTensorDesc)]
const_aclDataBuffer_const_p_array = Annotated[Values, HandleArray("const aclDataBuffer *const []", h.aclDataBuffer)]
aclDataBuffer_const_p_array = Annotated[Values, HandleArray("aclDataBuffer *const []", h.aclDataBuffer)]
aclDataBuffer_p_array = Annotated[Values, HandleArray("aclDataBuffer *[]", h.aclDataBuffer)]
# callback functions, and the arguments that are passed on to them
_USER_DATA = Anything("void *")
_STATUS = Result("aclError", "int", status=True)
aclrtCallback = Annotated[Given, Function("aclrtCallback", None, ("userData", _USER_DATA))]
aclrtHostFunc = Annotated[Given, Function("aclrtHostFunc", None, ("args", _USER_DATA))]
aclrtExceptionInfoCallback = Annotated[
    Given,
    Function(
        "aclrtExceptionInfoCallback",
        None,
        ("exceptionInfo", MetaHandleType("aclrtExceptionInfo *", h.aclrtExceptionInfo)),
    ),
]
aclnnEmulatorKernelFunction = Annotated[
    Given, Function("aclnnEmulatorKernelFunction", None, ("launch", _USER_DATA), ("data", _USER_DATA))
]
aclInitCallbackFunc = Annotated[
    Given,
    Function(
        "aclInitCallbackFunc",
        _STATUS,
        ("configStr", CString("const char *")),
        ("len", Integer("size_t", 64, signed=False)),
        ("userData", _USER_DATA),
    ),
]
aclFinalizeCallbackFunc = Annotated[Given, Function("aclFinalizeCallbackFunc", _STATUS, ("userData", _USER_DATA))]
ProfCommandHandle = Annotated[
    Given,
    Function(
        "ProfCommandHandle",
        Result("int32_t", "int"),
        ("type", Integer("uint32_t", 32, signed=False)),
        ("data", _USER_DATA),
        ("len", Integer("uint32_t", 32, signed=False)),
    ),
]
acldumpCallback = Annotated[
    Given,
    FunctionParameter(
        "int32_t (*const {})(const acldumpChunk *, int32_t)",
        Result("int32_t", "int"),
        ("chunk", _USER_DATA),
        ("length", Integer("int32_t", 32, signed=True)),
    ),
]
user_data = Annotated[Given, _USER_DATA]
variadic = Annotated[Given, Variadic()]
# handles
aclrtStream = Annotated[int, RuntimeHandleType("aclrtStream")]
HcclComm = Annotated[int, RuntimeHandleType("HcclComm")]
const_aclrtStream = Annotated[int, RuntimeHandleType("const aclrtStream")]
aclrtContext = Annotated[int, RuntimeHandleType("aclrtContext")]
aclrtEvent = Annotated[int, RuntimeHandleType("aclrtEvent")]
aclrtDrvMemHandle = Annotated[int, RuntimeHandleType("aclrtDrvMemHandle")]
aclrtTaskGrp = Annotated[int, RuntimeHandleType("aclrtTaskGrp")]
aclmdlRITask = Annotated[int, RuntimeHandleType("aclmdlRITask")]
aclmdlRI = Annotated[int, RuntimeHandleType("aclmdlRI")]
aclrtBinHandle = Annotated[int, RuntimeHandleType("aclrtBinHandle")]
const_aclrtBinHandle = Annotated[int, RuntimeHandleType("const aclrtBinHandle")]
aclrtFuncHandle = Annotated[int, RuntimeHandleType("aclrtFuncHandle")]
const_aclrtFuncHandle = Annotated[int, RuntimeHandleType("const aclrtFuncHandle")]
aclrtBinary = Annotated[int, RuntimeHandleType("aclrtBinary")]
const_aclrtBinary = Annotated[int, RuntimeHandleType("const aclrtBinary")]
aclrtArgsHandle = Annotated[int, RuntimeHandleType("aclrtArgsHandle")]
aclrtParamHandle = Annotated[int, RuntimeHandleType("aclrtParamHandle")]
mstxDomainHandle_t = Annotated[int, RuntimeHandleType("mstxDomainHandle_t")]
mstxMemHeapHandle_t = Annotated[int, RuntimeHandleType("mstxMemHeapHandle_t")]
aclTensorDesc_p = Annotated[int, MetaHandleType("aclTensorDesc *", h.aclTensorDesc)]
const_aclTensorDesc_p = Annotated[int, MetaHandleType("const aclTensorDesc *", h.aclTensorDesc)]
aclopAttr_p = Annotated[int, MetaHandleType("aclopAttr *", h.aclopAttr)]
aclopHandle_p = Annotated[int, MetaHandleType("aclopHandle *", h.aclopHandle)]
const_aclopAttr_p = Annotated[int, MetaHandleType("const aclopAttr *", h.aclopAttr)]
const_aclGraphDumpOption_p = Annotated[int, MetaHandleType("const aclGraphDumpOption *", h.aclGraphDumpOption)]
const_aclprofConfig_p = Annotated[int, MetaHandleType("const aclprofConfig *", h.aclprofConfig)]
aclprofStepInfo_p = Annotated[int, MetaHandleType("aclprofStepInfo *", h.aclprofStepInfo)]
aclTensor_p = Annotated[int, MetaHandleType("aclTensor *", h.aclTensor)]
const_aclTensor_p = Annotated[int, MetaHandleType("const aclTensor *", h.aclTensor)]
const_aclScalar_p = Annotated[int, MetaHandleType("const aclScalar *", h.aclScalar)]
const_aclIntArray_p = Annotated[int, MetaHandleType("const aclIntArray *", h.aclIntArray)]
const_aclFloatArray_p = Annotated[int, MetaHandleType("const aclFloatArray *", h.aclFloatArray)]
const_aclBoolArray_p = Annotated[int, MetaHandleType("const aclBoolArray *", h.aclBoolArray)]
aclTensorList_p = Annotated[int, MetaHandleType("aclTensorList *", h.aclTensorList)]
const_aclTensorList_p = Annotated[int, MetaHandleType("const aclTensorList *", h.aclTensorList)]
const_aclScalarList_p = Annotated[int, MetaHandleType("const aclScalarList *", h.aclScalarList)]
aclOpExecutor_p = Annotated[int, MetaHandleType("aclOpExecutor *", h.aclOpExecutor)]
aclDataBuffer_p = Annotated[int, MetaHandleType("aclDataBuffer *", h.aclDataBuffer)]
const_aclDataBuffer_p = Annotated[int, MetaHandleType("const aclDataBuffer *", h.aclDataBuffer)]
const_aclrtExceptionInfo_p = Annotated[int, MetaHandleType("const aclrtExceptionInfo *", h.aclrtExceptionInfo)]
aclrtStreamConfigHandle_p = Annotated[int, MetaHandleType("aclrtStreamConfigHandle *", h.aclrtStreamConfigHandle)]
const_aclrtStreamConfigHandle_p = Annotated[
    int, MetaHandleType("const aclrtStreamConfigHandle *", h.aclrtStreamConfigHandle)
]
aclmdlDesc_p = Annotated[int, MetaHandleType("aclmdlDesc *", h.aclmdlDesc)]
const_aclmdlDesc_p = Annotated[int, MetaHandleType("const aclmdlDesc *", h.aclmdlDesc)]
aclmdlDataset_p = Annotated[int, MetaHandleType("aclmdlDataset *", h.aclmdlDataset)]
const_aclmdlDataset_p = Annotated[int, MetaHandleType("const aclmdlDataset *", h.aclmdlDataset)]
aclmdlConfigHandle_p = Annotated[int, MetaHandleType("aclmdlConfigHandle *", h.aclmdlConfigHandle)]
const_aclmdlConfigHandle_p = Annotated[int, MetaHandleType("const aclmdlConfigHandle *", h.aclmdlConfigHandle)]
aclmdlExecConfigHandle_p = Annotated[int, MetaHandleType("aclmdlExecConfigHandle *", h.aclmdlExecConfigHandle)]
const_aclmdlExecConfigHandle_p = Annotated[
    int, MetaHandleType("const aclmdlExecConfigHandle *", h.aclmdlExecConfigHandle)
]
aclmdlAIPP_p = Annotated[int, MetaHandleType("aclmdlAIPP *", h.aclmdlAIPP)]
const_aclmdlAIPP_p = Annotated[int, MetaHandleType("const aclmdlAIPP *", h.aclmdlAIPP)]
# results
aclError = Annotated[None, Result("aclError", "int", status=True)]
aclnnStatus = Annotated[None, Result("aclnnStatus", "int", status=True)]
void_result = Annotated[None, Result("void", "None")]
text_result = Annotated[str, Result("const char *", "str", str)]
const_char_p_result = Annotated[str | None, Result("const char *", "str | None")]
void_p_result = Annotated[int | None, Result("void *", "int | None")]
int32_t_result = Annotated[int, Result("int32_t", "int", int)]
uint32_t_result = Annotated[int, Result("uint32_t", "int", int)]
int64_t_result = Annotated[int, Result("int64_t", "int", int)]
size_t_result = Annotated[int, Result("size_t", "int", int)]
float_result = Annotated[float, Result("float", "float", float)]
uint64_t_result = Annotated[int, Result("uint64_t", "int", int)]
mstxRangeId_result = Annotated[int, Result("mstxRangeId", "int", int)]
aclDataType_result = Annotated[int, Result("aclDataType", "int", lambda: -1)]
aclFormat_result = Annotated[int, Result("aclFormat", "int", lambda: -1)]
rtError = Annotated[None, Result("int32_t", "int", status=True)]
HcclResult = Annotated[None, Result("HcclResult", "int", status=True)]
new_mstxDomainHandle_t = Annotated[
    h.mstxDomainHandle_t, Result("mstxDomainHandle_t", "mstxDomainHandle_t", h.mstxDomainHandle_t)
]
new_mstxMemHeapHandle_t = Annotated[
    h.mstxMemHeapHandle_t, Result("mstxMemHeapHandle_t", "mstxMemHeapHandle_t", h.mstxMemHeapHandle_t)
]
new_aclrtBinary = Annotated[h.aclrtBinary, Result("aclrtBinary", "aclrtBinary", h.aclrtBinary)]
new_aclTensorDesc = Annotated[h.aclTensorDesc, Result("aclTensorDesc *", "aclTensorDesc", h.aclTensorDesc)]
new_aclopAttr = Annotated[h.aclopAttr, Result("aclopAttr *", "aclopAttr", h.aclopAttr)]
new_aclGraphDumpOption = Annotated[
    h.aclGraphDumpOption, Result("aclGraphDumpOption *", "aclGraphDumpOption", h.aclGraphDumpOption)
]
new_aclprofConfig = Annotated[h.aclprofConfig, Result("aclprofConfig *", "aclprofConfig", h.aclprofConfig)]
new_aclprofStepInfo = Annotated[h.aclprofStepInfo, Result("aclprofStepInfo *", "aclprofStepInfo", h.aclprofStepInfo)]
aclFloat16_result = Annotated[int, Result("aclFloat16", "int", int)]
new_aclTensor = Annotated[h.aclTensor, Result("aclTensor *", "aclTensor", h.aclTensor)]
new_aclScalar = Annotated[h.aclScalar, Result("aclScalar *", "aclScalar", h.aclScalar)]
new_aclIntArray = Annotated[h.aclIntArray, Result("aclIntArray *", "aclIntArray", h.aclIntArray)]
new_aclFloatArray = Annotated[h.aclFloatArray, Result("aclFloatArray *", "aclFloatArray", h.aclFloatArray)]
new_aclBoolArray = Annotated[h.aclBoolArray, Result("aclBoolArray *", "aclBoolArray", h.aclBoolArray)]
new_aclTensorList = Annotated[h.aclTensorList, Result("aclTensorList *", "aclTensorList", h.aclTensorList)]
new_aclScalarList = Annotated[h.aclScalarList, Result("aclScalarList *", "aclScalarList", h.aclScalarList)]
new_aclDataBuffer = Annotated[h.aclDataBuffer, Result("aclDataBuffer *", "aclDataBuffer", h.aclDataBuffer)]
new_aclrtStreamConfigHandle = Annotated[
    h.aclrtStreamConfigHandle, Result("aclrtStreamConfigHandle *", "aclrtStreamConfigHandle", h.aclrtStreamConfigHandle)
]
new_aclmdlDesc = Annotated[h.aclmdlDesc, Result("aclmdlDesc *", "aclmdlDesc", h.aclmdlDesc)]
new_aclmdlConfigHandle = Annotated[
    h.aclmdlConfigHandle, Result("aclmdlConfigHandle *", "aclmdlConfigHandle", h.aclmdlConfigHandle)
]
new_aclmdlExecConfigHandle = Annotated[
    h.aclmdlExecConfigHandle, Result("aclmdlExecConfigHandle *", "aclmdlExecConfigHandle", h.aclmdlExecConfigHandle)
]
new_aclmdlAIPP = Annotated[h.aclmdlAIPP, Result("aclmdlAIPP *", "aclmdlAIPP", h.aclmdlAIPP)]
new_aclmdlDataset = Annotated[h.aclmdlDataset, Result("aclmdlDataset *", "aclmdlDataset", h.aclmdlDataset)]
