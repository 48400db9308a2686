"""The names that the two packages export. Each C function is declared once, with its prototype and help text."""

from __future__ import annotations

import enum
import inspect
import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

import acl_runtime
import aclnn
from acl_runtime.headers import statuses
from acl_runtime.headers.handles import Handle
from acl_runtime.headers.statuses import name_of
from aclnn.catalogue.index import single_phase
from aclnn.tools.pages import readme
from tests.helpers.places import ROOT

SAMPLES_NEED = """
aclInit aclFinalize aclrtSetDevice aclrtResetDevice aclrtCreateContext aclrtSetCurrentContext aclrtDestroyContext
aclrtCreateStream aclrtDestroyStream aclrtSynchronizeStream aclrtMalloc aclrtFree aclrtMemcpy aclGetRecentErrMsg
""".split()
BEYOND = """
aclFinalizeReference aclInitCallbackRegister aclInitCallbackUnRegister aclFinalizeCallbackRegister
aclFinalizeCallbackUnRegister aclrtResetDeviceForce aclrtGetDevice aclrtGetDeviceCount aclrtGetRunMode aclrtGetSocName
aclrtSynchronizeDevice aclrtSynchronizeDeviceWithTimeout aclrtSetTsDevice aclrtGetDeviceInfo aclGetDeviceCapability
aclrtGetDeviceCapability aclrtDeviceCanAccessPeer aclrtDeviceEnablePeerAccess aclrtDeviceDisablePeerAccess
aclrtDevicePeerAccessStatus aclrtQueryDeviceStatus aclrtDeviceGetStreamPriorityRange aclrtDeviceGetUuid
aclrtGetDeviceUtilizationRate aclrtSetDeviceSatMode aclrtGetDeviceSatMode aclrtGetOverflowStatus
aclrtResetOverflowStatus aclrtSetStreamOverflowSwitch aclrtGetStreamOverflowSwitch aclrtGetDeviceResLimit
aclrtSetDeviceResLimit aclrtResetDeviceResLimit aclrtGetStreamResLimit aclrtSetStreamResLimit aclrtResetStreamResLimit
aclrtUseStreamResInCurrentThread aclrtUnuseStreamResInCurrentThread aclrtGetResInCurrentThread aclrtGetSysParamOpt
aclrtSetSysParamOpt aclrtGetCurrentContext aclrtCtxGetSysParamOpt aclrtCtxSetSysParamOpt
aclrtCtxGetCurrentDefaultStream aclrtGetPrimaryCtxState aclrtCreateStreamWithConfig aclrtCreateStreamConfigHandle
aclrtSetStreamConfigOpt aclrtDestroyStreamConfigHandle aclrtCreateStreamV2 aclrtDestroyStreamForce
aclrtSynchronizeStreamWithTimeout aclrtStreamQuery aclrtStreamGetId aclrtStreamGetPriority aclrtStreamGetFlags
aclrtGetStreamAvailableNum aclrtSetStreamAttribute aclrtGetStreamAttribute aclrtSetStreamFailureMode aclrtStreamAbort
aclrtCreateEvent aclrtCreateEventWithFlag aclrtCreateEventExWithFlag aclrtDestroyEvent aclrtRecordEvent
aclrtRecordEventWithFlag aclrtStreamWaitEvent aclrtStreamWaitEventWithTimeout aclrtStreamWaitEventWithFlag
aclrtResetEvent aclrtQueryEventStatus aclrtQueryEvent aclrtQueryEventWaitStatus aclrtSynchronizeEvent
aclrtSynchronizeEventWithTimeout aclrtEventElapsedTime aclrtEventGetTimestamp aclrtGetEventId aclrtGetEventAvailNum
aclrtSetOpWaitTimeout aclrtMallocAlign32 aclrtMallocCached aclrtMemFlush aclrtMemInvalidate aclrtMallocWithCfg
aclrtMallocForTaskScheduler aclrtMallocHostWithCfg aclrtFreeWithDevSync aclrtGetMemInfo aclrtGetMemUsageInfo
aclrtReserveMemAddress aclrtReleaseMemAddress aclrtMapMem aclrtMemMapNoAccess aclrtUnmapMem aclrtMemSetAccess
aclrtMemGetAccess aclrtMemRetainAllocationHandle aclrtMemGetAllocationGranularity aclrtMallocPhysical
aclrtFreePhysical aclrtMemGetAllocationPropertiesFromHandle aclrtMemExportToShareableHandle
aclrtMemExportToShareableHandleV2 aclrtMemSetPidToShareableHandle aclrtMemSetPidToShareableHandleV2
aclrtMemImportFromShareableHandle aclrtMemImportFromShareableHandleV2 aclrtDeviceGetBareTgid
aclrtCheckMemType aclrtMemGetAddressRange aclrtPointerGetAttributes aclrtMallocHost aclrtFreeHost
aclrtFreeHostWithDevSync aclrtHostRegister aclrtHostRegisterV2 aclrtHostGetDevicePointer aclrtHostUnregister
aclrtMemcpyAsync aclrtMemcpyAsyncWithCondition aclrtMemcpy2d aclrtMemcpy2dAsync aclrtMemset aclrtMemsetAsync
aclrtMemsetD32 aclrtMemsetD32Async aclrtMemcpyBatch aclrtMemcpyBatchV2 aclrtMemcpyBatchAsync aclrtMemcpyBatchAsyncV2
aclrtReduceAsync aclrtValueWrite aclrtValueWait aclrtSubscribeReport aclrtLaunchCallback aclrtProcessReport
aclrtUnSubscribeReport aclrtLaunchHostFunc aclrtGetLastError aclrtPeekAtLastError aclrtSetExceptionInfoCallback
aclrtExceptionInfoCallbackRegister aclrtExceptionInfoCallbackUnregister aclrtGetTaskIdFromExceptionInfo
aclrtGetStreamIdFromExceptionInfo aclrtGetThreadIdFromExceptionInfo aclrtGetDeviceIdFromExceptionInfo
aclrtGetErrorCodeFromExceptionInfo aclrtGetErrorVerbose aclrtDeviceTaskAbort aclrtGetVersion aclsysGetVersionStr
aclsysGetVersionNum aclsysGetCANNVersion aclGetCannAttributeList aclGetCannAttribute aclDataTypeSize aclFloat16ToFloat
aclFloatToFloat16 aclCreateDataBuffer aclDestroyDataBuffer aclUpdateDataBuffer aclGetDataBufferAddr
aclGetDataBufferSizeV2 aclGetDataBufferSize aclAppLog aclrtSetOpExecuteTimeOut aclrtSetOpExecuteTimeOutWithMs
aclrtSetOpExecuteTimeOutV2 aclrtGetOpTimeOutInterval aclrtGetOpExecuteTimeout
aclmdlRICaptureBegin aclmdlRICaptureEnd aclmdlRIExecuteAsync aclmdlRIDestroy
""".split()
BEFORE_ACLNN = """
aclCreateTensorDesc aclDestroyTensorDesc aclGetTensorDescType aclGetTensorDescFormat aclGetTensorDescNumDims
aclGetTensorDescDimV2 aclSetTensorShape aclSetTensorFormat aclSetTensorDescName aclSetTensorPlaceMent
aclSetTensorConst aclGetTensorDescAddress aclGetTensorDescByIndex aclopInferShape
aclGetTensorDescDim aclGetTensorDescDimRange aclGetTensorDescElementCount
aclGetTensorDescName aclGetTensorDescSize aclTransTensorDescFormat aclSetTensorDynamicInput aclSetTensorOriginFormat
aclSetTensorOriginShape aclSetTensorShapeRange aclSetTensorStorageFormat aclSetTensorStorageShape
aclSetTensorValueRange aclopSetAttrListDataType aclopSetAttrListString aclopCompile aclopExecute aclopExecuteV2
aclopCreateHandle aclopDestroyHandle aclopExecWithHandle aclopLoad aclopSetMaxOpQueueNum aclopSetModelDir
aclopCreateAttr aclopDestroyAttr aclopSetAttrBool aclopSetAttrInt aclopSetAttrFloat
aclopSetAttrString aclopSetAttrDataType aclopSetAttrListBool aclopSetAttrListInt aclopSetAttrListFloat
aclopSetAttrListListInt aclopCompileAndExecute aclopCompileAndExecuteV2 aclGenGraphAndDumpForOp aclCreateGraphDumpOpt
aclDestroyGraphDumpOpt aclopSetCompileFlag aclSetCompileopt aclGetCompileoptSize aclGetCompileopt aclprofInit
aclprofFinalize aclprofCreateConfig aclprofDestroyConfig aclprofStart aclprofStop aclprofSetConfig
aclprofCreateStepInfo aclprofDestroyStepInfo aclprofGetStepTimestamp aclprofCreateStamp aclprofDestroyStamp
aclprofSetStampTraceMessage aclprofMark aclprofPush aclprofPop aclprofRangeStart aclprofRangeStop aclprofMarkEx
mstxMarkA mstxRangeStartA mstxRangeEnd mstxDomainCreateA mstxDomainDestroy mstxDomainMarkA mstxDomainRangeStartA
mstxDomainRangeEnd mstxGetToolId mstxMemHeapRegister mstxMemHeapUnregister mstxMemRegionsRegister
mstxMemRegionsUnregister mstxMemPermissionsAssign MsprofRegisterCallback MsprofReportApi MsprofReportCompactInfo
MsprofReportAdditionalInfo MsprofGetHashId MsprofSysCycleTime aclmdlInitDump aclmdlSetDump aclmdlFinalizeDump
acldumpRegCallback acldumpUnregCallback aclopStartDumpArgs aclopStopDumpArgs acldumpGetPath aclrtBinaryLoadFromData
aclrtBinaryUnLoad aclrtBinaryGetFunction aclrtGetFunctionAddr rtDevBinaryRegister rtFunctionRegister rtKernelLaunch
rtGetC2cCtrlAddr HcclSetConfig
""".split()
"""functions of other headers: the single-operator interface, profiling, dump, marks, kernels"""
BEYOND += BEFORE_ACLNN
META = """
aclCreateTensor aclDestroyTensor aclInitTensor aclGetViewShape aclGetStorageShape aclGetViewStrides aclGetViewOffset
aclGetFormat aclGetDataType aclGetRawTensorAddr aclSetRawTensorAddr aclCreateScalar aclDestroyScalar
aclCreateIntArray aclDestroyIntArray aclGetIntArraySize aclCreateFloatArray aclDestroyFloatArray
aclGetFloatArraySize aclCreateBoolArray aclDestroyBoolArray aclGetBoolArraySize aclCreateTensorList
aclDestroyTensorList aclGetTensorListSize aclCreateScalarList aclDestroyScalarList aclGetScalarListSize
aclSetAclOpExecutorRepeatable aclDestroyAclOpExecutor aclSetInputTensorAddr aclSetOutputTensorAddr aclSetTensorAddr
aclSetDynamicInputTensorAddr aclSetDynamicOutputTensorAddr aclSetDynamicTensorAddr AclSetInputTensorAddr
AclSetOutputTensorAddr AclSetTensorAddr AclSetDynamicInputTensorAddr AclSetDynamicOutputTensorAddr
AclSetDynamicTensorAddr
""".split()
ONE_PHASE = single_phase()
PAIRS = [name for name in aclnn.__all__ if hasattr(getattr(aclnn, name), "op")]


def functions(module: Any) -> dict[str, Callable[..., Any]]:
    return {name: getattr(module, name) for name in module.__all__ if hasattr(getattr(module, name), "c")}


ALL = functions(acl_runtime) | functions(aclnn)


def test_acl_runtime_exports_the_functions_of_its_headers_and_no_more() -> None:
    assert sorted(functions(acl_runtime)) == sorted(SAMPLES_NEED + BEYOND + META)


@pytest.mark.fidelity("aclDumpOpTensors, aclnnReselectStaticKernel, aclnnReselectStaticKernelWithPath")
def test_aclnn_exports_the_pairs_and_again_the_object_functions() -> None:
    assert sorted(functions(aclnn)) == sorted([*PAIRS, *ONE_PHASE, "aclnnInit", "aclnnFinalize", *META])
    assert {"aclnnSoftmaxBackward", "aclnnSoftmaxBackwardGetWorkspaceSize"} <= set(PAIRS)
    for name in PAIRS:
        assert f"{name.removesuffix('GetWorkspaceSize')}GetWorkspaceSize" in PAIRS
    for name in META:
        assert getattr(aclnn, name) is getattr(acl_runtime, name)
    assert aclnn.ACLNN_ERR_PARAM_INVALID == acl_runtime.ACLNN_ERR_PARAM_INVALID == 161002
    assert aclnn.aclTensor is acl_runtime.aclTensor


@pytest.mark.parametrize("name", ["Machine", "UndefinedBehaviour", "Finding"])
def test_names_of_ours_come_by_name_and_not_by_star(name: str) -> None:
    assert hasattr(acl_runtime, name)
    assert name not in acl_runtime.__all__


def test_every_status_is_exported_by_its_header_name() -> None:
    assert acl_runtime.ACL_ERROR_RT_PARAM_INVALID == 107000
    assert acl_runtime.ACLNN_ERR_INNER_STATIC_BLOCK_DIM_INVALID == 561119
    assert acl_runtime.ACLNN_SUCCESS == acl_runtime.ACL_SUCCESS == 0
    assert sum(name.startswith(("ACL_ERROR_", "ACLNN_")) for name in acl_runtime.__all__) > 270


def test_enum_values_are_bare_and_through_their_enum() -> None:
    assert acl_runtime.ACL_FLOAT is acl_runtime.aclDataType.ACL_FLOAT
    assert acl_runtime.ACL_BF16 == 27
    assert acl_runtime.ACL_MEMCPY_DEVICE_TO_HOST == 2


def test_enum_values_without_the_prefix_come_only_through_their_enum() -> None:
    values = [getattr(acl_runtime, name) for name in acl_runtime.__all__]
    enums = [value for value in values if isinstance(value, type) and issubclass(value, enum.IntEnum)]
    bare = {member.name for each in enums for member in each if not member.name.startswith("ACL_")}
    assert bare
    assert not bare & set(acl_runtime.__all__)


@pytest.mark.parametrize("name", ["aclmdlInputAippType", "HcclReduceOp"])
def test_enums_of_headers_without_functions_here_are_not_exported(name: str) -> None:
    assert not hasattr(acl_runtime, name)


FIDELITY = (ROOT / "docs" / "fidelity.md").read_text(encoding="utf-8")


@pytest.mark.fidelity("models, other kernel functions, the rest of capture and the other names below")
def test_names_beyond_the_emulator_do_not_exist() -> None:
    """The fidelity page lists and counts them."""
    listed = re.findall(r"`(acl\w+)`", FIDELITY.partition("functions below are declared")[2])
    assert f"The {len(listed)} functions below are declared" in FIDELITY
    assert len(set(listed)) == len(listed) > 200
    assert not [name for name in listed if hasattr(acl_runtime, name)]


def test_the_fidelity_page_counts_the_functions_of_the_runtime() -> None:
    """The number of functions, and of those that are always refused: their help text has no success."""
    refused = [
        name
        for name in BEYOND
        if "ACL_ERROR_API_NOT_SUPPORT" in (ALL[name].__doc__ or "") and "ACL_SUCCESS" not in (ALL[name].__doc__ or "")
    ]
    assert f"{len(SAMPLES_NEED) + len(BEYOND)} functions of the runtime" in FIDELITY
    assert f"{len(SAMPLES_NEED)} that the documents' programs call, and {len(BEYOND)} beyond" in FIDELITY
    assert f"{len(refused)} of them answer `ACL_ERROR_API_NOT_SUPPORT`" in FIDELITY
    for name in refused:
        assert f"`{name}`" in FIDELITY


@pytest.mark.parametrize(
    ("page", "words"),
    [
        ("docs/cpp.md", "the {runtime} functions of the runtime, the {objects} of"),
        ("docs/zh/cpp.md", "运行时的 {runtime} 个函数，`aclnn/acl_meta.h` 和 `aclnn/aclnn_base.h` 的 {objects} 个函数"),
    ],
)
def test_the_page_about_c_counts_the_functions(page: str, words: str) -> None:
    """The READMEs have the sum, which does not count the emulator's own functions for tests in C."""
    runtime, objects = len(SAMPLES_NEED) + len(BEYOND), len([*META, "aclnnInit", "aclnnFinalize"])
    assert words.format(runtime=runtime, objects=objects) in (ROOT / page).read_text(encoding="utf-8")
    assert readme.counts()["runtime"] == runtime + objects


def test_help_shows_prototype_meaning_and_statuses() -> None:
    for name, function in ALL.items():
        doc = inspect.getdoc(function) or ""
        assert doc.startswith(function.c.prototype), name  # type: ignore[attr-defined]
        assert len(doc.splitlines()) > 2, name
        if function.c.result.spelling == "HcclResult":  # type: ignore[attr-defined]
            assert re.findall(r"^    HCCL_SUCCESS \(0\): ", doc, re.MULTILINE)
        elif function.c.result.status:  # type: ignore[attr-defined]
            listed = re.findall(r"^\s+(ACL\w+) \((\d+)\):", doc.partition("Returns:")[2], re.MULTILINE)
            assert listed, f"{name}: no statuses"
            assert not re.findall(r"^    ACL\w+$", doc, re.MULTILINE), f"{name}: a status without a reason"
            assert all(getattr(acl_runtime, status) == int(number) for status, number in listed), name
        else:
            assert "Returns:" not in doc, name


def test_a_status_that_is_only_named_has_its_usual_reason() -> None:
    """It stands once, in USUAL_REASONS; a function that gives a reason of its own keeps it."""
    assert "ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context." in help_of("aclrtStreamQuery")
    assert "ACL_ERROR_RT_CONTEXT_NULL (107002): `context` was destroyed" in help_of("aclrtDestroyContext")
    given = Counter(reason for function in ALL.values() for _, reason in function.c.reasons)  # type: ignore[attr-defined]
    assert all(given[reason] > 10 for reason in statuses.USUAL_REASONS.values())


def help_of(name: str) -> str:
    return inspect.getdoc(ALL[name]) or ""


def test_the_header_is_stated() -> None:
    headers = {name: function.c.header for name, function in ALL.items()}  # type: ignore[attr-defined]
    expected = {
        "aclnnBatchNormReduceBackward": "aclnnop/aclnn_batch_norm_backward_reduce.h",  # not derivable from the name
        "aclrtMalloc": "acl/acl_rt.h",
        "aclCreateTensor": "aclnn/acl_meta.h",
        "aclnnInit": "aclnn/aclnn_base.h",
    }
    assert {name: headers[name] for name in expected} == expected
    for name, header in headers.items():
        assert re.fullmatch(r"(acl|aclnn|aclnnop|hccl|mstx|toolchain)/\w+\.h", header), f"{name}: {header}"


@pytest.mark.parametrize(
    ("name", "prototype"),
    [
        ("aclInit", "aclError aclInit(const char *configPath)"),
        ("aclFinalize", "aclError aclFinalize()"),
        ("aclrtCreateContext", "aclError aclrtCreateContext(aclrtContext *context, int32_t deviceId)"),
        ("aclrtMalloc", "aclError aclrtMalloc(void **devPtr, size_t size, aclrtMemMallocPolicy policy)"),
        (
            "aclrtMemcpy",
            "aclError aclrtMemcpy(void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind)",
        ),
        ("aclGetRecentErrMsg", "const char *aclGetRecentErrMsg()"),
        (
            "aclCreateTensor",
            "aclTensor *aclCreateTensor(const int64_t *viewDims, uint64_t viewDimsNum, aclDataType dataType, "
            "const int64_t *stride, int64_t offset, aclFormat format, const int64_t *storageDims, "
            "uint64_t storageDimsNum, void *tensorData)",
        ),
        ("aclDestroyTensor", "aclnnStatus aclDestroyTensor(const aclTensor *tensor)"),
        ("aclCreateTensorList", "aclTensorList *aclCreateTensorList(const aclTensor *const *value, uint64_t size)"),
        (
            "aclSetInputTensorAddr",
            "aclnnStatus aclSetInputTensorAddr(aclOpExecutor *executor, const size_t index, aclTensor *tensor, "
            "void *addr)",
        ),
    ],
)
def test_the_prototype_is_that_of_the_header(name: str, prototype: str) -> None:
    assert ALL[name].c.prototype == prototype  # type: ignore[attr-defined]


def test_a_status_tells_its_name() -> None:
    with acl_runtime.Machine():
        status = acl_runtime.aclrtSetDevice(99)
    assert repr(status) == "ACL_ERROR_RT_INVALID_DEVICEID (107001)"
    assert f"{status}" == "107001" == "%d" % status
    assert name_of(0) == "ACL_SUCCESS"
    assert name_of(424242) == "unknown status"


def test_every_handle_type_is_there() -> None:
    names = {name for name in acl_runtime.__all__ if isinstance(getattr(acl_runtime, name), type)}
    handles = {name for name in names if issubclass(getattr(acl_runtime, name), Handle)}
    assert handles == set(
        "aclrtStream aclrtContext aclrtEvent aclTensor aclScalar aclIntArray aclFloatArray aclBoolArray aclTensorList "
        "aclScalarList aclOpExecutor aclDataBuffer aclrtExceptionInfo aclrtStreamConfigHandle "
        "aclrtDrvMemHandle aclTensorDesc aclopAttr aclopHandle aclGraphDumpOption aclprofConfig aclprofStepInfo "
        "aclmdlRI aclrtBinHandle aclrtFuncHandle mstxDomainHandle_t mstxMemHeapHandle_t".split()
    )
