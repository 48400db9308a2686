# Rendered from the declarations by `python -m aclnn.render`; do not edit.

from collections.abc import Sequence
from ctypes import c_char_p, c_int32, c_int64, c_uint64, c_void_p
from typing import SupportsIndex
from acl_runtime.arguments import BoolArray, FloatArray, Int64Array, Int64Pointer, Output, Source, Target
from acl_runtime.enums import *
from acl_runtime.errors import Finding as Finding, UndefinedBehaviour as UndefinedBehaviour
from acl_runtime.handles import aclBoolArray as aclBoolArray, aclDataBuffer as aclDataBuffer, aclFloatArray as aclFloatArray, aclIntArray as aclIntArray, aclOpExecutor as aclOpExecutor, aclrtContext as aclrtContext, aclrtEvent as aclrtEvent, aclrtExceptionInfo as aclrtExceptionInfo, aclrtStream as aclrtStream, aclrtStreamConfigHandle as aclrtStreamConfigHandle, aclScalar as aclScalar, aclScalarList as aclScalarList, aclTensor as aclTensor, aclTensorList as aclTensorList
from acl_runtime.machine.machine import Machine as Machine
from acl_runtime.statuses import *
from acl_runtime.structs import *

def aclrtCreateContext(context: Output[aclrtContext], deviceId: SupportsIndex) -> int:
    """aclError aclrtCreateContext(aclrtContext *context, int32_t deviceId)

    Create a context on device `deviceId`, with a default stream of its own, and make it current.

    It holds the device, even without aclrtSetDevice.

    Returns:
        ACL_SUCCESS (0): `*context` is the new, current context.
        ACL_ERROR_INVALID_PARAM (100000): `context` is null.
        ACL_ERROR_RT_INVALID_DEVICEID (107001): `deviceId` is not in [0, number of devices).
    """

def aclrtDestroyContext(context: aclrtContext | c_void_p | int | None) -> int:
    """aclError aclrtDestroyContext(aclrtContext context)

    Destroy a context made by aclrtCreateContext, with its streams; what is queued in them is dropped.

    Device memory stays. If the context was current on the calling thread, the thread has none afterwards.

    Returns:
        ACL_SUCCESS (0): destroyed.
        ACL_ERROR_INVALID_PARAM (100000): `context` is null.
        ACL_ERROR_RT_CONTEXT_NULL (107002): `context` was destroyed, is no context, or is a default context.
    """

def aclrtSetCurrentContext(context: aclrtContext | c_void_p | int | None) -> int:
    """aclError aclrtSetCurrentContext(aclrtContext context)

    Make `context` current for the calling thread; the thread's device becomes that of the context.

    Returns:
        ACL_SUCCESS (0): the context is current.
        ACL_ERROR_INVALID_PARAM (100000): `context` is null.
        ACL_ERROR_RT_PARAM_INVALID (107000): `context` was destroyed, or is no context.
    """

def aclrtMemcpy(dst: Target, destMax: SupportsIndex, src: Source, count: SupportsIndex, kind: SupportsIndex) -> int:
    """aclError aclrtMemcpy(void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind)

    Copy `count` bytes at once, between host and device in any direction; no stream is waited for.

    The sides are found from the addresses; `kind` must exist but does not decide. `destMax` is the room at `dst`.

    Returns:
        ACL_SUCCESS (0): copied; also for `count` 0, when nothing else is checked.
        ACL_ERROR_INVALID_PARAM (100000): `dst` or `src` is null, or `kind` is not one of 0 to 5.
        ACL_ERROR_RT_PARAM_INVALID (107000): `destMax` is 0 or less than `count`, or an address is no live device memory.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
    """

def aclrtResetDevice(deviceId: SupportsIndex) -> int:
    """aclError aclrtResetDevice(int32_t deviceId)

    Take one reference back; at the last one wait for the work of the default context and release it.

    The default stream and every stream created in the default context go away, and the calling thread has no
    default context any more; explicit contexts stay. Device memory is released with the last holder.

    Returns:
        ACL_SUCCESS (0): one reference less.
        ACL_ERROR_RT_INVALID_DEVICEID (107001): `deviceId` is not in [0, number of devices).
        ACL_ERROR_RT_CONTEXT_RELEASE_ERROR (507007): the device was never set, or reset more often than set.
    """

def aclrtSetDevice(deviceId: SupportsIndex) -> int:
    """aclError aclrtSetDevice(int32_t deviceId)

    Open device `deviceId` if needed and make its default context current for the calling thread.

    Every call counts one reference, taken back by aclrtResetDevice. Other devices stay open.

    Returns:
        ACL_SUCCESS (0): the device's default context is current.
        ACL_ERROR_RT_INVALID_DEVICEID (107001): `deviceId` is not in [0, number of devices).
    """

def aclGetRecentErrMsg() -> str | None:
    """const char *aclGetRecentErrMsg()

    The text of the errors that the calling thread has not read yet, None if there are none. Reading empties.

    The first line tells code and reason of the oldest error, the trace lists the others (layout of CANN 9.1).
    """

def AclSetDynamicInputTensorAddr(executor: aclOpExecutor | c_void_p | None, irIndex: SupportsIndex, relativeIndex: SupportsIndex, tensors: aclTensorList | c_void_p | None, addr: Source) -> int:
    """aclnnStatus AclSetDynamicInputTensorAddr(aclOpExecutor *executor, size_t irIndex, const size_t relativeIndex, aclTensorList *tensors, void *addr)

    Give member `relativeIndex` of the tensor list that is input `irIndex` a new address.

    Returns:
        ACLNN_SUCCESS (0): the next launch uses the address.
        ACLNN_ERR_INNER_NULLPTR (561103): the list, the member or `executor` is null.
        ACLNN_ERR_PARAM_INVALID (161002): the list has no such member; generated operators: no such input.
        ACLNN_ERR_RUNTIME_ERROR (361001): a handle is gone, and the machine only reports.
    """

def AclSetDynamicOutputTensorAddr(executor: aclOpExecutor | c_void_p | None, irIndex: SupportsIndex, relativeIndex: SupportsIndex, tensors: aclTensorList | c_void_p | None, addr: Source) -> int:
    """aclnnStatus AclSetDynamicOutputTensorAddr(aclOpExecutor *executor, size_t irIndex, const size_t relativeIndex, aclTensorList *tensors, void *addr)

    Give member `relativeIndex` of the tensor list that is output `irIndex` a new address.

    Returns:
        ACLNN_SUCCESS (0): the next launch uses the address.
        ACLNN_ERR_INNER_NULLPTR (561103): the list, the member or `executor` is null.
        ACLNN_ERR_PARAM_INVALID (161002): the list has no such member; generated operators: no such output.
        ACLNN_ERR_RUNTIME_ERROR (361001): a handle is gone, and the machine only reports.
    """

def AclSetDynamicTensorAddr(executor: aclOpExecutor | c_void_p | None, irIndex: SupportsIndex, relativeIndex: SupportsIndex, tensors: aclTensorList | c_void_p | None, addr: Source) -> int:
    """aclnnStatus AclSetDynamicTensorAddr(aclOpExecutor *executor, size_t irIndex, const size_t relativeIndex, aclTensorList *tensors, void *addr)

    As aclSetDynamicInputTensorAddr; `irIndex` counts the inputs first, then the outputs.

    Returns:
        ACLNN_SUCCESS (0): the next launch uses the address.
        ACLNN_ERR_INNER_NULLPTR (561103): the list or `executor` is null.
        ACLNN_ERR_PARAM_INVALID (161002): the list has no such member; generated operators: no such argument.
        ACLNN_ERR_RUNTIME_ERROR (361001): a handle is gone or a member is null, and the machine only reports.
    """

def AclSetInputTensorAddr(executor: aclOpExecutor | c_void_p | None, index: SupportsIndex, tensor: aclTensor | c_void_p | None, addr: Source) -> int:
    """aclnnStatus AclSetInputTensorAddr(aclOpExecutor *executor, const size_t index, aclTensor *tensor, void *addr)

    Give input `index` of a repeatable executor a new address; `tensor` is the one it was planned with.

    Returns:
        ACLNN_SUCCESS (0): the next launch uses the address.
        ACLNN_ERR_INNER_NULLPTR (561103): `tensor` is null, or `executor` is (the tensor then has its new address).
        ACLNN_ERR_PARAM_INVALID (161002): generated operators: no such index, or the tensor was null in the first phase.
        ACLNN_ERR_RUNTIME_ERROR (361001): a handle is gone, and the machine only reports.
    """

def AclSetOutputTensorAddr(executor: aclOpExecutor | c_void_p | None, index: SupportsIndex, tensor: aclTensor | c_void_p | None, addr: Source) -> int:
    """aclnnStatus AclSetOutputTensorAddr(aclOpExecutor *executor, const size_t index, aclTensor *tensor, void *addr)

    Give output `index` of a repeatable executor a new address; `tensor` is the one it was planned with.

    Returns:
        ACLNN_SUCCESS (0): the next launch uses the address.
        ACLNN_ERR_INNER_NULLPTR (561103): `tensor` is null, or `executor` is (the tensor then has its new address).
        ACLNN_ERR_PARAM_INVALID (161002): generated operators: no such index, or the tensor was null in the first phase.
        ACLNN_ERR_RUNTIME_ERROR (361001): a handle is gone, and the machine only reports.
    """

def AclSetTensorAddr(executor: aclOpExecutor | c_void_p | None, index: SupportsIndex, tensor: aclTensor | c_void_p | None, addr: Source) -> int:
    """aclnnStatus AclSetTensorAddr(aclOpExecutor *executor, const size_t index, aclTensor *tensor, void *addr)

    As aclSetInputTensorAddr; `index` counts the inputs first, then the outputs.

    Returns:
        ACLNN_SUCCESS (0): the next launch uses the address.
        ACLNN_ERR_INNER_NULLPTR (561103): `tensor` is null, or `executor` is (the tensor then has its new address).
        ACLNN_ERR_PARAM_INVALID (161002): generated operators: no such index, or the tensor was null in the first phase.
        ACLNN_ERR_RUNTIME_ERROR (361001): a handle is gone, and the machine only reports.
    """

def aclDestroyAclOpExecutor(executor: aclOpExecutor | c_void_p | None) -> int:
    """aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor *executor)

    Destroy a repeatable executor, or one that was never launched. After a normal launch it is gone already.

    Returns:
        ACLNN_SUCCESS (0): destroyed.
        ACLNN_ERR_INNER_NULLPTR (561103): `executor` is null.
        ACLNN_ERR_INNER (561000): the handle is of another kind.
        ACLNN_ERR_RUNTIME_ERROR (361001): `executor` is gone, and the machine only reports.
    """

def aclSetAclOpExecutorRepeatable(executor: aclOpExecutor | c_void_p | None) -> int:
    """aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor *executor)

    Let the executor be launched any number of times, with the tensors' addresses of each launch.

    To be called right after the first phase; aclDestroyAclOpExecutor must then end it, before its tensors end.

    Returns:
        ACLNN_SUCCESS (0): the executor is repeatable.
        ACLNN_ERR_INNER_NULLPTR (561103): `executor` is null.
        ACLNN_ERR_RUNTIME_ERROR (361001): `executor` is gone, and the machine only reports.
    """

def aclSetDynamicInputTensorAddr(executor: aclOpExecutor | c_void_p | None, irIndex: SupportsIndex, relativeIndex: SupportsIndex, tensors: aclTensorList | c_void_p | None, addr: Source) -> int:
    """aclnnStatus aclSetDynamicInputTensorAddr(aclOpExecutor *executor, size_t irIndex, const size_t relativeIndex, aclTensorList *tensors, void *addr)

    Give member `relativeIndex` of the tensor list that is input `irIndex` a new address.

    Returns:
        ACLNN_SUCCESS (0): the next launch uses the address.
        ACLNN_ERR_INNER_NULLPTR (561103): the list, the member or `executor` is null.
        ACLNN_ERR_PARAM_INVALID (161002): the list has no such member; generated operators: no such input.
        ACLNN_ERR_RUNTIME_ERROR (361001): a handle is gone, and the machine only reports.
    """

def aclSetDynamicOutputTensorAddr(executor: aclOpExecutor | c_void_p | None, irIndex: SupportsIndex, relativeIndex: SupportsIndex, tensors: aclTensorList | c_void_p | None, addr: Source) -> int:
    """aclnnStatus aclSetDynamicOutputTensorAddr(aclOpExecutor *executor, size_t irIndex, const size_t relativeIndex, aclTensorList *tensors, void *addr)

    Give member `relativeIndex` of the tensor list that is output `irIndex` a new address.

    Returns:
        ACLNN_SUCCESS (0): the next launch uses the address.
        ACLNN_ERR_INNER_NULLPTR (561103): the list, the member or `executor` is null.
        ACLNN_ERR_PARAM_INVALID (161002): the list has no such member; generated operators: no such output.
        ACLNN_ERR_RUNTIME_ERROR (361001): a handle is gone, and the machine only reports.
    """

def aclSetDynamicTensorAddr(executor: aclOpExecutor | c_void_p | None, irIndex: SupportsIndex, relativeIndex: SupportsIndex, tensors: aclTensorList | c_void_p | None, addr: Source) -> int:
    """aclnnStatus aclSetDynamicTensorAddr(aclOpExecutor *executor, size_t irIndex, const size_t relativeIndex, aclTensorList *tensors, void *addr)

    As aclSetDynamicInputTensorAddr; `irIndex` counts the inputs first, then the outputs.

    Returns:
        ACLNN_SUCCESS (0): the next launch uses the address.
        ACLNN_ERR_INNER_NULLPTR (561103): the list or `executor` is null.
        ACLNN_ERR_PARAM_INVALID (161002): the list has no such member; generated operators: no such argument.
        ACLNN_ERR_RUNTIME_ERROR (361001): a handle is gone or a member is null, and the machine only reports.
    """

def aclSetInputTensorAddr(executor: aclOpExecutor | c_void_p | None, index: SupportsIndex, tensor: aclTensor | c_void_p | None, addr: Source) -> int:
    """aclnnStatus aclSetInputTensorAddr(aclOpExecutor *executor, const size_t index, aclTensor *tensor, void *addr)

    Give input `index` of a repeatable executor a new address; `tensor` is the one it was planned with.

    Returns:
        ACLNN_SUCCESS (0): the next launch uses the address.
        ACLNN_ERR_INNER_NULLPTR (561103): `tensor` is null, or `executor` is (the tensor then has its new address).
        ACLNN_ERR_PARAM_INVALID (161002): generated operators: no such index, or the tensor was null in the first phase.
        ACLNN_ERR_RUNTIME_ERROR (361001): a handle is gone, and the machine only reports.
    """

def aclSetOutputTensorAddr(executor: aclOpExecutor | c_void_p | None, index: SupportsIndex, tensor: aclTensor | c_void_p | None, addr: Source) -> int:
    """aclnnStatus aclSetOutputTensorAddr(aclOpExecutor *executor, const size_t index, aclTensor *tensor, void *addr)

    Give output `index` of a repeatable executor a new address; `tensor` is the one it was planned with.

    Returns:
        ACLNN_SUCCESS (0): the next launch uses the address.
        ACLNN_ERR_INNER_NULLPTR (561103): `tensor` is null, or `executor` is (the tensor then has its new address).
        ACLNN_ERR_PARAM_INVALID (161002): generated operators: no such index, or the tensor was null in the first phase.
        ACLNN_ERR_RUNTIME_ERROR (361001): a handle is gone, and the machine only reports.
    """

def aclSetTensorAddr(executor: aclOpExecutor | c_void_p | None, index: SupportsIndex, tensor: aclTensor | c_void_p | None, addr: Source) -> int:
    """aclnnStatus aclSetTensorAddr(aclOpExecutor *executor, const size_t index, aclTensor *tensor, void *addr)

    As aclSetInputTensorAddr; `index` counts the inputs first, then the outputs.

    Returns:
        ACLNN_SUCCESS (0): the next launch uses the address.
        ACLNN_ERR_INNER_NULLPTR (561103): `tensor` is null, or `executor` is (the tensor then has its new address).
        ACLNN_ERR_PARAM_INVALID (161002): generated operators: no such index, or the tensor was null in the first phase.
        ACLNN_ERR_RUNTIME_ERROR (361001): a handle is gone, and the machine only reports.
    """

def aclFinalize() -> int:
    """aclError aclFinalize()

    Undo aclInit, whatever its count. Streams, memory and contexts are neither checked nor released.

    Returns:
        ACL_SUCCESS (0): finalised; also the first time without any aclInit.
        ACL_ERROR_REPEAT_FINALIZE (100037): already finalised, with no aclInit since.
    """

def aclInit(configPath: str | bytes | c_char_p | None) -> int:
    """aclError aclInit(const char *configPath)

    Initialise, once per process. `configPath` names a JSON file, or is null or empty for the defaults.

    No other function insists on it (runtime rules, 1.3).

    Returns:
        ACL_SUCCESS (0): initialised.
        ACL_ERROR_REPEAT_INITIALIZE (100002): already initialised; counted, nothing else happens, nothing is recorded.
        ACL_ERROR_INVALID_FILE (100003): the file cannot be read.
        ACL_ERROR_PARSE_FILE (100006): the file is not JSON, or `{` or `[` are nested deeper than 10.
        ACL_ERROR_INVALID_DUMP_CONFIG (100009): a bad value in the section `dump`.
        ACL_ERROR_INVALID_PARAM (100000): `err_msg_mode` or `event_mode` is neither "0" nor "1", or the content differs from
            that of the first successful aclInit.
        ACL_ERROR_FAILURE (500001): a bad default device, stack size or print fifo size.
    """

def aclrtFree(devPtr: Source) -> int:
    """aclError aclrtFree(void *devPtr)

    Free device memory at once: no stream is waited for, no context is needed.

    Returns:
        ACL_SUCCESS (0): freed.
        ACL_ERROR_INVALID_PARAM (100000): `devPtr` is null.
        ACL_ERROR_RT_PARAM_INVALID (107000): `devPtr` is no start of live device memory: freed already, inside an
            allocation, or memory of the host.
    """

def aclrtMalloc(devPtr: Output[c_void_p], size: SupportsIndex, policy: SupportsIndex) -> int:
    """aclError aclrtMalloc(void **devPtr, size_t size, aclrtMemMallocPolicy policy)

    Reserve `size` bytes of memory on the device of the current context and write the address to `*devPtr`.

    The address is a multiple of 512; `roundup(size, 32) + 32` bytes are taken. The contents are undefined (here:
    0xFF, NaN in every float type). `policy` chooses the page size; unknown values mean the default.

    Returns:
        ACL_SUCCESS (0): `*devPtr` is the address.
        ACL_ERROR_INVALID_PARAM (100000): `devPtr` is null, or `size` is 0 or near SIZE_MAX.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_RT_MEMORY_ALLOCATION (207001): the device (or the host under the emulator) has not that much left;
            `*devPtr` is null.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000): the policy asks for 1 GiB pages, which only A3 has.
    """

def aclrtCreateStream(stream: Output[aclrtStream]) -> int:
    """aclError aclrtCreateStream(aclrtStream *stream)

    Create a stream in the current context. It does not synchronise with the default stream.

    Returns:
        ACL_SUCCESS (0): `*stream` is the new stream.
        ACL_ERROR_INVALID_PARAM (100000): `stream` is null.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_RT_NO_STREAM_RESOURCE (207008): the device has no stream left (1984 on A2 and A3, 2048 on the training
            series, 1024 on the inference series, 512 on 200I/500 A2).
    """

def aclrtDestroyStream(stream: aclrtStream | c_void_p | int | None) -> int:
    """aclError aclrtDestroyStream(aclrtStream stream)

    Wait for what is queued in the stream, then destroy it.

    Returns:
        ACL_SUCCESS (0): destroyed.
        ACL_ERROR_INVALID_PARAM (100000): `stream` is null (the default stream cannot be destroyed).
        ACL_ERROR_RT_INVALID_HANDLE (107017): the handle was destroyed, or is no stream.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_RT_STREAM_CONTEXT (107003): the stream belongs to another context.
    """

def aclrtSynchronizeStream(stream: aclrtStream | c_void_p | int | None) -> int:
    """aclError aclrtSynchronizeStream(aclrtStream stream)

    Block until all tasks submitted to the stream are done; null is the default stream of the current context.

    The stream may belong to another context than the thread's.

    Returns:
        ACL_SUCCESS (0): everything is done.
        ACL_ERROR_RT_INVALID_HANDLE (107017): the handle was destroyed, or is no stream.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_RT_AICORE_EXCEPTION (507015): a task failed on the device.
        ACL_ERROR_RT_VECTOR_CORE_EXCEPTION (507035): a task failed on a vector core of the device.
    """

def aclCreateTensor(viewDims: Int64Array, viewDimsNum: SupportsIndex, dataType: SupportsIndex, stride: Int64Array, offset: SupportsIndex, format: SupportsIndex, storageDims: Int64Array, storageDimsNum: SupportsIndex, tensorData: Source) -> aclTensor:
    """aclTensor *aclCreateTensor(const int64_t *viewDims, uint64_t viewDimsNum, aclDataType dataType, const int64_t *stride, int64_t offset, aclFormat format, const int64_t *storageDims, uint64_t storageDimsNum, void *tensorData)

    A tensor: a view (shape, strides, offset, in elements) of device memory that it does not own.

    Null strides mean row-major ones of the view. Nothing else is checked here; an operator checks what it needs.
    The result is null if a shape is null while its count is not 0.
    """

def aclDestroyTensor(tensor: aclTensor | c_void_p | None) -> int:
    """aclnnStatus aclDestroyTensor(const aclTensor *tensor)

    Destroy a tensor; its device memory stays. Destroying it twice is undefined.

    Returns:
        ACLNN_SUCCESS (0): destroyed, or `tensor` is null.
        ACLNN_ERR_RUNTIME_ERROR (361001): already gone, and the machine only reports.
    """

def aclGetDataType(tensor: aclTensor | c_void_p | None, dataType: Output[c_int32]) -> int:
    """aclnnStatus aclGetDataType(const aclTensor *tensor, aclDataType *dataType)

    The data type, an aclDataType; ACL_DT_UNDEFINED "if not representable".

    Returns:
        ACLNN_SUCCESS (0): told.
        ACLNN_ERR_PARAM_NULLPTR (161001): an argument is null.
        ACLNN_ERR_RUNTIME_ERROR (361001): `tensor` is gone, and the machine only reports.
    """

def aclGetFormat(tensor: aclTensor | c_void_p | None, format: Output[c_int32]) -> int:
    """aclnnStatus aclGetFormat(const aclTensor *tensor, aclFormat *format)

    The view format, an aclFormat.

    Returns:
        ACLNN_SUCCESS (0): told.
        ACLNN_ERR_PARAM_NULLPTR (161001): an argument is null.
        ACLNN_ERR_RUNTIME_ERROR (361001): `tensor` is gone, and the machine only reports.
    """

def aclGetRawTensorAddr(tensor: aclTensor | c_void_p | None, addr: Output[c_void_p]) -> int:
    """aclnnStatus aclGetRawTensorAddr(const aclTensor *tensor, void **addr)

    The base address of the tensor, without the offset.

    Returns:
        ACLNN_SUCCESS (0): told.
        ACLNN_ERR_PARAM_NULLPTR (161001): an argument is null.
        ACLNN_ERR_RUNTIME_ERROR (361001): `tensor` is gone, and the machine only reports.
    """

def aclGetStorageShape(tensor: aclTensor | c_void_p | None, storageDims: Output[Int64Pointer], storageDimsNum: Output[c_uint64]) -> int:
    """aclnnStatus aclGetStorageShape(const aclTensor *tensor, int64_t **storageDims, uint64_t *storageDimsNum)

    The storage shape, in a new array as with aclGetViewShape.

    Returns:
        ACLNN_SUCCESS (0): told.
        ACLNN_ERR_PARAM_NULLPTR (161001): an argument is null.
        ACLNN_ERR_RUNTIME_ERROR (361001): `tensor` is gone, and the machine only reports.
    """

def aclGetViewOffset(tensor: aclTensor | c_void_p | None, offset: Output[c_int64]) -> int:
    """aclnnStatus aclGetViewOffset(const aclTensor *tensor, int64_t *offset)

    The offset of the view in its storage, in elements.

    Returns:
        ACLNN_SUCCESS (0): told.
        ACLNN_ERR_PARAM_NULLPTR (161001): an argument is null.
        ACLNN_ERR_RUNTIME_ERROR (361001): `tensor` is gone, and the machine only reports.
    """

def aclGetViewShape(tensor: aclTensor | c_void_p | None, viewDims: Output[Int64Pointer], viewDimsNum: Output[c_uint64]) -> int:
    """aclnnStatus aclGetViewShape(const aclTensor *tensor, int64_t **viewDims, uint64_t *viewDimsNum)

    The view shape: `*viewDims` points to a new array of `*viewDimsNum` sizes, which lives as long as the machine.

    Returns:
        ACLNN_SUCCESS (0): told.
        ACLNN_ERR_PARAM_NULLPTR (161001): an argument is null.
        ACLNN_ERR_RUNTIME_ERROR (361001): `tensor` is gone, and the machine only reports.
    """

def aclGetViewStrides(tensor: aclTensor | c_void_p | None, stridesValue: Output[Int64Pointer], stridesNum: Output[c_uint64]) -> int:
    """aclnnStatus aclGetViewStrides(const aclTensor *tensor, int64_t **stridesValue, uint64_t *stridesNum)

    The strides, in elements, in a new array as with aclGetViewShape.

    Returns:
        ACLNN_SUCCESS (0): told.
        ACLNN_ERR_PARAM_NULLPTR (161001): an argument is null.
        ACLNN_ERR_RUNTIME_ERROR (361001): `tensor` is gone, and the machine only reports.
    """

def aclInitTensor(tensor: aclTensor | c_void_p | None, viewDims: Int64Array, viewDimsNum: SupportsIndex, dataType: SupportsIndex, stride: Int64Array, offset: SupportsIndex, format: SupportsIndex, storageDims: Int64Array, storageDimsNum: SupportsIndex, tensorDataAddr: Source) -> int:
    """aclnnStatus aclInitTensor(aclTensor *tensor, const int64_t *viewDims, uint64_t viewDimsNum, aclDataType dataType, const int64_t *stride, int64_t offset, aclFormat format, const int64_t *storageDims, uint64_t storageDimsNum, void *tensorDataAddr)

    Set a tensor anew. Null (or empty) shapes and a null address keep the old ones; data type, format and offset
    are always overwritten; null strides become row-major ones of the view.

    Returns:
        ACLNN_SUCCESS (0): set.
        ACLNN_ERR_PARAM_NULLPTR (161001): `tensor` is null.
        ACLNN_ERR_RUNTIME_ERROR (361001): `tensor` is gone, and the machine only reports.
    """

def aclSetRawTensorAddr(tensor: aclTensor | c_void_p | None, addr: Source) -> int:
    """aclnnStatus aclSetRawTensorAddr(aclTensor *tensor, void *addr)

    Set the base address; null is accepted. Not between the two phases of a call.

    Returns:
        ACLNN_SUCCESS (0): set.
        ACLNN_ERR_PARAM_NULLPTR (161001): `tensor` is null.
        ACLNN_ERR_RUNTIME_ERROR (361001): `tensor` is gone, and the machine only reports.
    """

def aclCreateBoolArray(value: BoolArray, size: SupportsIndex) -> aclBoolArray:
    """aclBoolArray *aclCreateBoolArray(const bool *value, uint64_t size)

    An array with a copy of `size` bool values; empty if `value` is null or `size` is 0.
    """

def aclCreateFloatArray(value: FloatArray, size: SupportsIndex) -> aclFloatArray:
    """aclFloatArray *aclCreateFloatArray(const float *value, uint64_t size)

    An array with a copy of `size` float values; empty if `value` is null or `size` is 0.
    """

def aclCreateIntArray(value: Int64Array, size: SupportsIndex) -> aclIntArray:
    """aclIntArray *aclCreateIntArray(const int64_t *value, uint64_t size)

    An array with a copy of `size` int64_t values; empty if `value` is null or `size` is 0.
    """

def aclCreateScalar(value: Source, dataType: SupportsIndex) -> aclScalar:
    """aclScalar *aclCreateScalar(void *value, aclDataType dataType)

    A scalar with a copy of the value that `value` points to.

    The result is null if `value` is null or a scalar cannot have the data type (text: EZ1006).
    """

def aclCreateScalarList(value: Sequence[aclScalar | c_void_p | None] | None, size: SupportsIndex) -> aclScalarList:
    """aclScalarList *aclCreateScalarList(const aclScalar *const *value, uint64_t size)

    A list of the given scalars (their handles, not copies); destroying it destroys them.
    """

def aclCreateTensorList(value: Sequence[aclTensor | c_void_p | None] | None, size: SupportsIndex) -> aclTensorList:
    """aclTensorList *aclCreateTensorList(const aclTensor *const *value, uint64_t size)

    A list of the given tensors (their handles, not copies); destroying it destroys them.
    """

def aclDestroyBoolArray(array: aclBoolArray | c_void_p | None) -> int:
    """aclnnStatus aclDestroyBoolArray(const aclBoolArray *array)

    Destroy an array. Destroying it twice is undefined.

    Returns:
        ACLNN_SUCCESS (0): destroyed, or `array` is null.
        ACLNN_ERR_RUNTIME_ERROR (361001): already gone, and the machine only reports.
    """

def aclDestroyFloatArray(array: aclFloatArray | c_void_p | None) -> int:
    """aclnnStatus aclDestroyFloatArray(const aclFloatArray *array)

    Destroy an array. Destroying it twice is undefined.

    Returns:
        ACLNN_SUCCESS (0): destroyed, or `array` is null.
        ACLNN_ERR_RUNTIME_ERROR (361001): already gone, and the machine only reports.
    """

def aclDestroyIntArray(array: aclIntArray | c_void_p | None) -> int:
    """aclnnStatus aclDestroyIntArray(const aclIntArray *array)

    Destroy an array. Destroying it twice is undefined.

    Returns:
        ACLNN_SUCCESS (0): destroyed, or `array` is null.
        ACLNN_ERR_RUNTIME_ERROR (361001): already gone, and the machine only reports.
    """

def aclDestroyScalar(scalar: aclScalar | c_void_p | None) -> int:
    """aclnnStatus aclDestroyScalar(const aclScalar *scalar)

    Destroy a scalar. Destroying it twice is undefined.

    Returns:
        ACLNN_SUCCESS (0): destroyed, or `scalar` is null.
        ACLNN_ERR_RUNTIME_ERROR (361001): already gone, and the machine only reports.
    """

def aclDestroyScalarList(array: aclScalarList | c_void_p | None) -> int:
    """aclnnStatus aclDestroyScalarList(const aclScalarList *array)

    Destroy a list and every member; members must not be destroyed on their own.

    Returns:
        ACLNN_SUCCESS (0): destroyed, or `array` is null.
        ACLNN_ERR_RUNTIME_ERROR (361001): the list or a member is already gone, and the machine only reports.
    """

def aclDestroyTensorList(array: aclTensorList | c_void_p | None) -> int:
    """aclnnStatus aclDestroyTensorList(const aclTensorList *array)

    Destroy a list and every member; members must not be destroyed on their own.

    Returns:
        ACLNN_SUCCESS (0): destroyed, or `array` is null.
        ACLNN_ERR_RUNTIME_ERROR (361001): the list or a member is already gone, and the machine only reports.
    """

def aclGetBoolArraySize(array: aclBoolArray | c_void_p | None, size: Output[c_uint64]) -> int:
    """aclnnStatus aclGetBoolArraySize(const aclBoolArray *array, uint64_t *size)

    How many values the array has.

    Returns:
        ACLNN_SUCCESS (0): told.
        ACLNN_ERR_PARAM_NULLPTR (161001): an argument is null.
        ACLNN_ERR_RUNTIME_ERROR (361001): `array` is gone, and the machine only reports.
    """

def aclGetFloatArraySize(array: aclFloatArray | c_void_p | None, size: Output[c_uint64]) -> int:
    """aclnnStatus aclGetFloatArraySize(const aclFloatArray *array, uint64_t *size)

    How many values the array has.

    Returns:
        ACLNN_SUCCESS (0): told.
        ACLNN_ERR_PARAM_NULLPTR (161001): an argument is null.
        ACLNN_ERR_RUNTIME_ERROR (361001): `array` is gone, and the machine only reports.
    """

def aclGetIntArraySize(array: aclIntArray | c_void_p | None, size: Output[c_uint64]) -> int:
    """aclnnStatus aclGetIntArraySize(const aclIntArray *array, uint64_t *size)

    How many values the array has.

    Returns:
        ACLNN_SUCCESS (0): told.
        ACLNN_ERR_PARAM_NULLPTR (161001): an argument is null.
        ACLNN_ERR_RUNTIME_ERROR (361001): `array` is gone, and the machine only reports.
    """

def aclGetScalarListSize(scalarList: aclScalarList | c_void_p | None, size: Output[c_uint64]) -> int:
    """aclnnStatus aclGetScalarListSize(const aclScalarList *scalarList, uint64_t *size)

    How many members the list has.

    Returns:
        ACLNN_SUCCESS (0): told.
        ACLNN_ERR_PARAM_NULLPTR (161001): an argument is null.
        ACLNN_ERR_RUNTIME_ERROR (361001): `scalarList` is gone, and the machine only reports.
    """

def aclGetTensorListSize(tensorList: aclTensorList | c_void_p | None, size: Output[c_uint64]) -> int:
    """aclnnStatus aclGetTensorListSize(const aclTensorList *tensorList, uint64_t *size)

    How many members the list has.

    Returns:
        ACLNN_SUCCESS (0): told.
        ACLNN_ERR_PARAM_NULLPTR (161001): an argument is null.
        ACLNN_ERR_RUNTIME_ERROR (361001): `tensorList` is gone, and the machine only reports.
    """
