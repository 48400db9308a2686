"""The simulated AscendCL runtime. `from acl_runtime import *` is the `#include "acl/acl.h"` of a port.

statuses enums handles      the numbers, enums and handle types of the headers
api/                        the C functions, one file per chapter of the headers
machine/                    what they work on: devices, memory, streams, handles, findings
boundary c pointers         how a Python call becomes a C call
"""

# pyright: reportUnusedImport=false
# (what is imported here is exported, by the prefix of its name)

import acl_runtime.enums as enums
import acl_runtime.statuses as statuses
import acl_runtime.structs as structs
from acl_runtime.api.attributes import aclGetCannAttribute, aclGetCannAttributeList
from acl_runtime.api.callback import (
    aclrtLaunchCallback,
    aclrtLaunchHostFunc,
    aclrtProcessReport,
    aclrtSubscribeReport,
    aclrtUnSubscribeReport,
)
from acl_runtime.api.cell import (
    aclrtReduceAsync,
    aclrtValueWait,
    aclrtValueWrite,
)
from acl_runtime.api.context import (
    aclrtCreateContext,
    aclrtCtxGetCurrentDefaultStream,
    aclrtDestroyContext,
    aclrtGetCurrentContext,
    aclrtGetPrimaryCtxState,
    aclrtSetCurrentContext,
)
from acl_runtime.api.copy import aclrtMemcpy
from acl_runtime.api.copy_2d import (
    aclrtMemcpy2d,
    aclrtMemcpy2dAsync,
)
from acl_runtime.api.copy_async import (
    aclrtMemcpyAsync,
    aclrtMemcpyAsyncWithCondition,
)
from acl_runtime.api.copy_batch import (
    aclrtMemcpyBatch,
    aclrtMemcpyBatchAsync,
    aclrtMemcpyBatchAsyncV2,
    aclrtMemcpyBatchV2,
)
from acl_runtime.api.data_buffer import (
    aclCreateDataBuffer,
    aclDestroyDataBuffer,
    aclGetDataBufferAddr,
    aclGetDataBufferSize,
    aclGetDataBufferSizeV2,
    aclUpdateDataBuffer,
)
from acl_runtime.api.device import (
    aclrtResetDevice,
    aclrtResetDeviceForce,
    aclrtSetDevice,
    aclrtSynchronizeDevice,
    aclrtSynchronizeDeviceWithTimeout,
)
from acl_runtime.api.device_info import (
    aclGetDeviceCapability,
    aclrtDeviceGetStreamPriorityRange,
    aclrtDeviceGetUuid,
    aclrtGetDevice,
    aclrtGetDeviceCapability,
    aclrtGetDeviceCount,
    aclrtGetDeviceInfo,
    aclrtGetDeviceUtilizationRate,
    aclrtGetRunMode,
    aclrtGetSocName,
    aclrtQueryDeviceStatus,
    aclrtSetTsDevice,
)
from acl_runtime.api.errors import (
    aclGetRecentErrMsg,
    aclrtDeviceTaskAbort,
    aclrtGetErrorVerbose,
    aclrtGetLastError,
    aclrtPeekAtLastError,
)
from acl_runtime.api.event import (
    aclrtCreateEvent,
    aclrtCreateEventExWithFlag,
    aclrtCreateEventWithFlag,
    aclrtDestroyEvent,
)
from acl_runtime.api.event_query import (
    aclrtEventElapsedTime,
    aclrtEventGetTimestamp,
    aclrtGetEventAvailNum,
    aclrtGetEventId,
    aclrtQueryEvent,
    aclrtQueryEventStatus,
    aclrtQueryEventWaitStatus,
    aclrtSynchronizeEvent,
    aclrtSynchronizeEventWithTimeout,
)
from acl_runtime.api.event_record import (
    aclrtRecordEvent,
    aclrtRecordEventWithFlag,
    aclrtResetEvent,
)
from acl_runtime.api.event_wait import (
    aclrtSetOpWaitTimeout,
    aclrtStreamWaitEvent,
    aclrtStreamWaitEventWithFlag,
    aclrtStreamWaitEventWithTimeout,
)
from acl_runtime.api.exception import (
    aclrtExceptionInfoCallbackRegister,
    aclrtExceptionInfoCallbackUnregister,
    aclrtGetDeviceIdFromExceptionInfo,
    aclrtGetErrorCodeFromExceptionInfo,
    aclrtGetStreamIdFromExceptionInfo,
    aclrtGetTaskIdFromExceptionInfo,
    aclrtGetThreadIdFromExceptionInfo,
    aclrtSetExceptionInfoCallback,
)
from acl_runtime.api.executor import (
    AclSetDynamicInputTensorAddr,
    AclSetDynamicOutputTensorAddr,
    AclSetDynamicTensorAddr,
    AclSetInputTensorAddr,
    AclSetOutputTensorAddr,
    AclSetTensorAddr,
    aclDestroyAclOpExecutor,
    aclSetAclOpExecutorRepeatable,
    aclSetDynamicInputTensorAddr,
    aclSetDynamicOutputTensorAddr,
    aclSetDynamicTensorAddr,
    aclSetInputTensorAddr,
    aclSetOutputTensorAddr,
    aclSetTensorAddr,
)
from acl_runtime.api.host_memory import aclrtFreeHost, aclrtFreeHostWithDevSync, aclrtMallocHost, aclrtMallocHostWithCfg
from acl_runtime.api.host_register import (
    aclrtHostGetDevicePointer,
    aclrtHostRegister,
    aclrtHostRegisterV2,
    aclrtHostUnregister,
)
from acl_runtime.api.init import aclFinalize, aclFinalizeReference, aclInit
from acl_runtime.api.init_callbacks import (
    aclFinalizeCallbackRegister,
    aclFinalizeCallbackUnRegister,
    aclInitCallbackRegister,
    aclInitCallbackUnRegister,
)
from acl_runtime.api.limits import (
    aclrtGetDeviceResLimit,
    aclrtGetResInCurrentThread,
    aclrtGetStreamResLimit,
    aclrtResetDeviceResLimit,
    aclrtResetStreamResLimit,
    aclrtSetDeviceResLimit,
    aclrtSetStreamResLimit,
    aclrtUnuseStreamResInCurrentThread,
    aclrtUseStreamResInCurrentThread,
)
from acl_runtime.api.log import aclAppLog
from acl_runtime.api.memory import (
    aclrtFree,
    aclrtFreeWithDevSync,
    aclrtMalloc,
    aclrtMallocAlign32,
    aclrtMallocCached,
    aclrtMallocForTaskScheduler,
    aclrtMallocWithCfg,
    aclrtMemFlush,
    aclrtMemInvalidate,
)
from acl_runtime.api.memory_info import (
    aclrtCheckMemType,
    aclrtGetMemInfo,
    aclrtGetMemUsageInfo,
    aclrtMemGetAddressRange,
    aclrtPointerGetAttributes,
)
from acl_runtime.api.memset import (
    aclrtMemset,
    aclrtMemsetAsync,
    aclrtMemsetD32,
    aclrtMemsetD32Async,
)
from acl_runtime.api.options import (
    aclrtCtxGetSysParamOpt,
    aclrtCtxSetSysParamOpt,
    aclrtGetSysParamOpt,
    aclrtSetSysParamOpt,
)
from acl_runtime.api.overflow import (
    aclrtGetDeviceSatMode,
    aclrtGetOverflowStatus,
    aclrtGetStreamOverflowSwitch,
    aclrtResetOverflowStatus,
    aclrtSetDeviceSatMode,
    aclrtSetStreamOverflowSwitch,
)
from acl_runtime.api.peer import (
    aclrtDeviceCanAccessPeer,
    aclrtDeviceDisablePeerAccess,
    aclrtDeviceEnablePeerAccess,
    aclrtDevicePeerAccessStatus,
)
from acl_runtime.api.stream import (
    aclrtCreateStream,
    aclrtCreateStreamWithConfig,
    aclrtDestroyStream,
    aclrtDestroyStreamForce,
    aclrtStreamAbort,
    aclrtStreamQuery,
    aclrtSynchronizeStream,
    aclrtSynchronizeStreamWithTimeout,
)
from acl_runtime.api.stream_attributes import (
    aclrtGetStreamAttribute,
    aclrtGetStreamAvailableNum,
    aclrtSetStreamAttribute,
    aclrtSetStreamFailureMode,
    aclrtStreamGetFlags,
    aclrtStreamGetId,
    aclrtStreamGetPriority,
)
from acl_runtime.api.stream_config import (
    aclrtCreateStreamConfigHandle,
    aclrtCreateStreamV2,
    aclrtDestroyStreamConfigHandle,
    aclrtSetStreamConfigOpt,
)
from acl_runtime.api.tensor import (
    aclCreateTensor,
    aclDestroyTensor,
    aclGetDataType,
    aclGetFormat,
    aclGetRawTensorAddr,
    aclGetStorageShape,
    aclGetViewOffset,
    aclGetViewShape,
    aclGetViewStrides,
    aclInitTensor,
    aclSetRawTensorAddr,
)
from acl_runtime.api.timeouts import (
    aclrtGetOpExecuteTimeout,
    aclrtGetOpTimeOutInterval,
    aclrtSetOpExecuteTimeOut,
    aclrtSetOpExecuteTimeOutV2,
    aclrtSetOpExecuteTimeOutWithMs,
)
from acl_runtime.api.values import (
    aclCreateBoolArray,
    aclCreateFloatArray,
    aclCreateIntArray,
    aclCreateScalar,
    aclCreateScalarList,
    aclCreateTensorList,
    aclDestroyBoolArray,
    aclDestroyFloatArray,
    aclDestroyIntArray,
    aclDestroyScalar,
    aclDestroyScalarList,
    aclDestroyTensorList,
    aclGetBoolArraySize,
    aclGetFloatArraySize,
    aclGetIntArraySize,
    aclGetScalarListSize,
    aclGetTensorListSize,
)
from acl_runtime.api.values_of_types import aclDataTypeSize, aclFloat16ToFloat, aclFloatToFloat16
from acl_runtime.api.version import aclrtGetVersion, aclsysGetCANNVersion, aclsysGetVersionNum, aclsysGetVersionStr
from acl_runtime.enums import *
from acl_runtime.errors import Finding as Finding
from acl_runtime.errors import UndefinedBehaviour as UndefinedBehaviour
from acl_runtime.handles import (
    aclBoolArray,
    aclDataBuffer,
    aclFloatArray,
    aclIntArray,
    aclOpExecutor,
    aclrtContext,
    aclrtEvent,
    aclrtExceptionInfo,
    aclrtStream,
    aclrtStreamConfigHandle,
    aclScalar,
    aclScalarList,
    aclTensor,
    aclTensorList,
)
from acl_runtime.machine.machine import Machine as Machine
from acl_runtime.statuses import *
from acl_runtime.structs import *

_OF_TYPES = {*enums.__all__, *structs.__all__}
__all__ = [
    *enums.__all__,
    *statuses.__all__,
    *structs.__all__,
    *(name for name in globals() if name.startswith(("acl", "Acl")) and name not in _OF_TYPES),
]
