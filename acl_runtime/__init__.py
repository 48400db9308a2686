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
from acl_runtime.api.callback import (
    aclrtLaunchCallback,
    aclrtLaunchHostFunc,
    aclrtProcessReport,
    aclrtSubscribeReport,
    aclrtUnSubscribeReport,
)
from acl_runtime.api.context import aclrtCreateContext, aclrtDestroyContext, aclrtSetCurrentContext
from acl_runtime.api.copy import aclrtMemcpy
from acl_runtime.api.device import (
    aclrtResetDevice,
    aclrtResetDeviceForce,
    aclrtSetDevice,
    aclrtSynchronizeDevice,
    aclrtSynchronizeDeviceWithTimeout,
)
from acl_runtime.api.errors import aclGetRecentErrMsg
from acl_runtime.api.event import (
    aclrtCreateEvent,
    aclrtCreateEventExWithFlag,
    aclrtCreateEventWithFlag,
    aclrtDestroyEvent,
    aclrtRecordEvent,
    aclrtRecordEventWithFlag,
    aclrtResetEvent,
    aclrtSetOpWaitTimeout,
    aclrtStreamWaitEvent,
    aclrtStreamWaitEventWithFlag,
    aclrtStreamWaitEventWithTimeout,
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
from acl_runtime.api.init import aclFinalize, aclInit
from acl_runtime.api.memory import aclrtFree, aclrtMalloc
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
