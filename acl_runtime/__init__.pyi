# Rendered from the declarations by `python -m aclnn.render`; do not edit.

from collections.abc import Callable, Sequence
from ctypes import c_char_p, c_float, c_int32, c_int64, c_uint32, c_uint64, c_void_p
from typing import Any, SupportsIndex
from acl_runtime.arguments import BoolArray, FloatArray, Int32Pointer, Int64Array, Int64Pointer, Output, Referred, SizeArray, Source, Target
from acl_runtime.enums import *
from acl_runtime.errors import Finding as Finding, UndefinedBehaviour as UndefinedBehaviour
from acl_runtime.handles import aclBoolArray as aclBoolArray, aclDataBuffer as aclDataBuffer, aclFloatArray as aclFloatArray, aclIntArray as aclIntArray, aclOpExecutor as aclOpExecutor, aclrtContext as aclrtContext, aclrtEvent as aclrtEvent, aclrtExceptionInfo as aclrtExceptionInfo, aclrtStream as aclrtStream, aclrtStreamConfigHandle as aclrtStreamConfigHandle, aclScalar as aclScalar, aclScalarList as aclScalarList, aclTensor as aclTensor, aclTensorList as aclTensorList
from acl_runtime.machine.machine import Machine as Machine
from acl_runtime.statuses import *
from acl_runtime.structs import *
from acl_runtime.version import __version__ as __version__

def aclGetCannAttribute(cannAttr: SupportsIndex, value: Output[c_int32]) -> int:
    """aclError aclGetCannAttribute(aclCannAttr cannAttr, int32_t *value)

    Does the product have the attribute: 1 or 0. Infinity and NaN (not saturation) and bfloat16 are 1 on Atlas A2
    and A3, 0 elsewhere; compiling just in time is 1 everywhere.

    Returns:
        ACL_SUCCESS (0): the answer is written.
        ACL_ERROR_INVALID_PARAM (100000): `cannAttr` is none of the three, or `value` is null.

    Products: all
    """

def aclGetCannAttributeList(cannAttrList: Output[Int32Pointer], num: Output[c_uint64]) -> int:
    """aclError aclGetCannAttributeList(const aclCannAttr **cannAttrList, size_t *num)

    The attributes that aclGetCannAttribute knows: `*cannAttrList` points to `*num` of them, always the same array.

    Returns:
        ACL_SUCCESS (0): the answer is written.
        ACL_ERROR_INVALID_PARAM (100000): an argument is null.

    Products: all
    """

def aclrtLaunchCallback(fn: Callable[..., Any] | None, userData: Any, blockType: SupportsIndex, stream: aclrtStream | c_void_p | int | None) -> int:
    """aclError aclrtLaunchCallback(aclrtCallback fn, void *userData, aclrtCallbackBlockType blockType, aclrtStream stream)

    Queue a callback: when the stream gets there, `fn(userData)` waits for the subscribed thread, which runs it in
    aclrtProcessReport. With ACL_CALLBACK_BLOCK the stream waits until it has run, with ACL_CALLBACK_NO_BLOCK the
    tasks behind it go on.

    Returns:
        ACL_SUCCESS (0): queued.
        ACL_ERROR_INVALID_PARAM (100000): `blockType` is neither 0 nor 1, or `stream` is null.
        ACL_ERROR_RT_INVALID_HANDLE (107017): the handle was destroyed, or is no stream.
        ACL_ERROR_RT_PARAM_INVALID (107000): `fn` is null.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_RT_STREAM_CONTEXT (107003): the stream belongs to another context.
        ACL_ERROR_RT_STREAM_NO_CB_REG (107015): nobody has subscribed the stream.
        ACL_ERROR_RT_STREAM_ABORT (107023): a stream was aborted.
        ACL_ERROR_RT_AICORE_TIMEOUT (507014): in stop mode: an operator took longer than its limit.
        ACL_ERROR_RT_AICORE_EXCEPTION (507015): in stop mode: a task failed on the device.
        ACL_ERROR_RT_VECTOR_CORE_EXCEPTION (507035): in stop mode: a task failed on a vector core of the device.
        ACL_ERROR_RT_EVENT_SYNC_TIMEOUT (507047): in stop mode: a stream waited for an event longer than its timeout.
        ACL_ERROR_RT_MEMORY_ALLOCATION (207001): in stop mode: the host that runs the emulator has no memory for a task.
        ACL_ERROR_RT_PARAM_INVALID (107000): called in a callback of a stream, and the machine only reports.

    Products: all
    """

def aclrtLaunchHostFunc(stream: aclrtStream | c_void_p | int | None, fn: Callable[..., Any] | None, args: Any) -> int:
    """aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc fn, void *args)

    Queue `fn(args)` as a task of the stream: it runs on the host, in the stream's context, and later tasks of the
    stream wait for it. Nobody has to subscribe. Null is the default stream.

    Returns:
        ACL_SUCCESS (0): queued.
        ACL_ERROR_RT_INVALID_HANDLE (107017): the handle was destroyed, or is no stream.
        ACL_ERROR_RT_PARAM_INVALID (107000): `fn` is null.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_RT_STREAM_CONTEXT (107003): the stream belongs to another context.
        ACL_ERROR_RT_STREAM_SUBSCRIBE (107011): the stream is subscribed with aclrtSubscribeReport.
        ACL_ERROR_RT_STREAM_ABORT (107023): a stream was aborted.
        ACL_ERROR_RT_AICORE_TIMEOUT (507014): in stop mode: an operator took longer than its limit.
        ACL_ERROR_RT_AICORE_EXCEPTION (507015): in stop mode: a task failed on the device.
        ACL_ERROR_RT_VECTOR_CORE_EXCEPTION (507035): in stop mode: a task failed on a vector core of the device.
        ACL_ERROR_RT_EVENT_SYNC_TIMEOUT (507047): in stop mode: a stream waited for an event longer than its timeout.
        ACL_ERROR_RT_MEMORY_ALLOCATION (207001): in stop mode: the host that runs the emulator has no memory for a task.
        ACL_ERROR_RT_PARAM_INVALID (107000): called in a callback of a stream, and the machine only reports.

    Products: all
    """

def aclrtProcessReport(timeout: SupportsIndex) -> int:
    """aclError aclrtProcessReport(int32_t timeout)

    Wait until a callback arrives from one of the streams that the calling thread serves, and run all that arrived,
    in order, on this thread. `timeout` is in milliseconds, -1 for ever; a late machine runs what leads to a callback.

    Where no other host thread lives that could launch a callback, a timeout is over at once.

    Returns:
        ACL_SUCCESS (0): callbacks have run.
        ACL_ERROR_INVALID_PARAM (100000): `timeout` is 0 or less than -1.
        ACL_ERROR_RT_THREAD_SUBSCRIBE (107012): the thread serves no stream.
        ACL_ERROR_RT_REPORT_TIMEOUT (507012): nothing arrived.

    Products: all
    """

def aclrtSubscribeReport(threadId: SupportsIndex, stream: aclrtStream | c_void_p | int | None) -> int:
    """aclError aclrtSubscribeReport(uint64_t threadId, aclrtStream stream)

    Let the host thread `threadId` (pthread_self(), in Python threading.get_ident()) serve the callbacks of a stream.

    Returns:
        ACL_SUCCESS (0): subscribed.
        ACL_ERROR_INVALID_PARAM (100000): `stream` is null: the default stream cannot be subscribed.
        ACL_ERROR_RT_INVALID_HANDLE (107017): the handle was destroyed, or is no stream.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_RT_STREAM_CONTEXT (107003): the stream belongs to another context.
        ACL_ERROR_RT_STREAM_SUBSCRIBE (107011): the stream is subscribed already, or aclrtLaunchHostFunc was used on it.
        ACL_ERROR_RT_THREAD_SUBSCRIBE (107012): the thread serves another device already.

    Products: all
    """

def aclrtUnSubscribeReport(threadId: SupportsIndex, stream: aclrtStream | c_void_p | int | None) -> int:
    """aclError aclrtUnSubscribeReport(uint64_t threadId, aclrtStream stream)

    The thread serves the stream no longer; callbacks that arrived and were not run are dropped, as are those that
    the stream reaches while nobody serves it.

    Returns:
        ACL_SUCCESS (0): unsubscribed.
        ACL_ERROR_INVALID_PARAM (100000): `stream` is null.
        ACL_ERROR_RT_INVALID_HANDLE (107017): the handle was destroyed, or is no stream.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_RT_STREAM_CONTEXT (107003): the stream belongs to another context.
        ACL_ERROR_RT_STREAM_SUBSCRIBE (107011): the stream is not subscribed.
        ACL_ERROR_RT_THREAD_SUBSCRIBE (107012): it is another thread that serves the stream.

    Products: all
    """

def aclrtReduceAsync(dst: Target, src: Source, count: SupportsIndex, kind: SupportsIndex, type: SupportsIndex, stream: aclrtStream | c_void_p | int | None, reserve: Source) -> int:
    """aclError aclrtReduceAsync(void *dst, const void *src, uint64_t count, aclrtReduceKind kind, aclDataType type, aclrtStream stream, void *reserve)

    dst = dst OP src, element by element, when the stream gets there: `count` bytes of FLOAT, on all but the training
    series also of INT8, INT16, INT32 and FLOAT16, on A2 and A3 also of BF16. OP is sum, or max or min on all but the
    inference series. Integers wrap, 16-bit floats are rounded once.

    Returns:
        ACL_SUCCESS (0): queued.
        ACL_ERROR_INVALID_PARAM (100000): `dst` or `src` is null; the type is none of those named and of INT4, UINT8, UINT16 and
            UINT32; `reserve` is not null.
        ACL_ERROR_RT_INVALID_HANDLE (107017): the handle was destroyed, or is no stream.
        ACL_ERROR_RT_PARAM_INVALID (107000): there is no such kind; `count` is 0 or no multiple of the element's size; an address
            is no live device memory.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000): the product has not that kind or that type; or the kind is
            ACL_RT_MEMCPY_SDMA_AUTOMATIC_EQUAL, whose result no document gives.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_RT_STREAM_CONTEXT (107003): the stream belongs to another context.
        ACL_ERROR_RT_STREAM_ABORT (107023): a stream was aborted.
        ACL_ERROR_RT_AICORE_TIMEOUT (507014): in stop mode: an operator took longer than its limit.
        ACL_ERROR_RT_AICORE_EXCEPTION (507015): in stop mode: a task failed on the device.
        ACL_ERROR_RT_VECTOR_CORE_EXCEPTION (507035): in stop mode: a task failed on a vector core of the device.
        ACL_ERROR_RT_EVENT_SYNC_TIMEOUT (507047): in stop mode: a stream waited for an event longer than its timeout.
        ACL_ERROR_RT_MEMORY_ALLOCATION (207001): in stop mode: the host that runs the emulator has no memory for a task.
        ACL_ERROR_RT_PARAM_INVALID (107000): called in a callback of a stream, and the machine only reports.

    Products: all
    """

def aclrtValueWait(devAddr: Target, value: SupportsIndex, flag: SupportsIndex, stream: aclrtStream | c_void_p | int | None) -> int:
    """aclError aclrtValueWait(void *devAddr, uint64_t value, uint32_t flag, aclrtStream stream)

    Let later tasks of the stream wait until a 64-bit cell of device memory, at a multiple of 8, fits: flag
    ACL_STREAM_WAIT_VALUE_GEQ (0): the signed difference cell - value is not negative; _EQ (1): equal; _AND (2): cell &
    value is not 0; _NOR (3): ~(cell | value) is not 0. Null is the default stream.

    Returns:
        ACL_SUCCESS (0): queued.
        ACL_ERROR_INVALID_PARAM (100000): `devAddr` is null, or `flag` is not one of 0 to 3.
        ACL_ERROR_RT_INVALID_HANDLE (107017): the handle was destroyed, or is no stream.
        ACL_ERROR_RT_PARAM_INVALID (107000): `devAddr` is no multiple of 8, or no live device memory.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_RT_STREAM_CONTEXT (107003): the stream belongs to another context.
        ACL_ERROR_RT_STREAM_ABORT (107023): a stream was aborted.
        ACL_ERROR_RT_AICORE_TIMEOUT (507014): in stop mode: an operator took longer than its limit.
        ACL_ERROR_RT_AICORE_EXCEPTION (507015): in stop mode: a task failed on the device.
        ACL_ERROR_RT_VECTOR_CORE_EXCEPTION (507035): in stop mode: a task failed on a vector core of the device.
        ACL_ERROR_RT_EVENT_SYNC_TIMEOUT (507047): in stop mode: a stream waited for an event longer than its timeout.
        ACL_ERROR_RT_MEMORY_ALLOCATION (207001): in stop mode: the host that runs the emulator has no memory for a task.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000): the product does not have the function (see Products).
        ACL_ERROR_RT_PARAM_INVALID (107000): called in a callback of a stream, and the machine only reports.

    Products:
        Atlas A2 training series/Atlas 800I A2 inference products: supported
        Atlas A3 training/inference series: supported
        Atlas training series: ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000)
        Atlas inference series: ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000)
        Atlas 200I/500 A2 inference products: ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000)
    """

def aclrtValueWrite(devAddr: Target, value: SupportsIndex, flag: SupportsIndex, stream: aclrtStream | c_void_p | int | None) -> int:
    """aclError aclrtValueWrite(void *devAddr, uint64_t value, uint32_t flag, aclrtStream stream)

    Write a 64-bit value to a cell of device memory, at a multiple of 8, when the stream gets there. Null is the
    default stream.

    Returns:
        ACL_SUCCESS (0): queued.
        ACL_ERROR_INVALID_PARAM (100000): `devAddr` is null, or `flag` is not 0.
        ACL_ERROR_RT_INVALID_HANDLE (107017): the handle was destroyed, or is no stream.
        ACL_ERROR_RT_PARAM_INVALID (107000): `devAddr` is no multiple of 8, or no live device memory.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_RT_STREAM_CONTEXT (107003): the stream belongs to another context.
        ACL_ERROR_RT_STREAM_ABORT (107023): a stream was aborted.
        ACL_ERROR_RT_AICORE_TIMEOUT (507014): in stop mode: an operator took longer than its limit.
        ACL_ERROR_RT_AICORE_EXCEPTION (507015): in stop mode: a task failed on the device.
        ACL_ERROR_RT_VECTOR_CORE_EXCEPTION (507035): in stop mode: a task failed on a vector core of the device.
        ACL_ERROR_RT_EVENT_SYNC_TIMEOUT (507047): in stop mode: a stream waited for an event longer than its timeout.
        ACL_ERROR_RT_MEMORY_ALLOCATION (207001): in stop mode: the host that runs the emulator has no memory for a task.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000): the product does not have the function (see Products).
        ACL_ERROR_RT_PARAM_INVALID (107000): called in a callback of a stream, and the machine only reports.

    Products:
        Atlas A2 training series/Atlas 800I A2 inference products: supported
        Atlas A3 training/inference series: supported
        Atlas training series: ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000)
        Atlas inference series: ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000)
        Atlas 200I/500 A2 inference products: ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000)
    """

def aclrtCreateContext(context: Output[aclrtContext], deviceId: SupportsIndex) -> int:
    """aclError aclrtCreateContext(aclrtContext *context, int32_t deviceId)

    Create a context on device `deviceId`, with a default stream of its own, and make it current.

    It holds the device, even without aclrtSetDevice.

    Returns:
        ACL_SUCCESS (0): `*context` is the new, current context.
        ACL_ERROR_INVALID_PARAM (100000): `context` is null.
        ACL_ERROR_RT_INVALID_DEVICEID (107001): `deviceId` is not in [0, number of devices).
        ACL_ERROR_RT_NO_STREAM_RESOURCE (207008): the device has no default stream left: as many contexts as it has streams.
        ACL_ERROR_RT_PARAM_INVALID (107000): called in a callback of a stream, and the machine only reports.

    Products: all
    """

def aclrtCtxGetCurrentDefaultStream(stream: Output[aclrtStream]) -> int:
    """aclError aclrtCtxGetCurrentDefaultStream(aclrtStream *stream)

    Tell the handle of the current context's default stream: it does what null does, lives as long as the
    context, and is not to be destroyed.

    Returns:
        ACL_SUCCESS (0): `*stream` is the default stream.
        ACL_ERROR_INVALID_PARAM (100000): `stream` is null.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.

    Products: all
    """

def aclrtDestroyContext(context: aclrtContext | c_void_p | int | None) -> int:
    """aclError aclrtDestroyContext(aclrtContext context)

    Destroy a context made by aclrtCreateContext, with its streams; what is queued in them is dropped.

    Device memory stays. If the context was current on the calling thread, the thread has none afterwards.

    Returns:
        ACL_SUCCESS (0): destroyed.
        ACL_ERROR_INVALID_PARAM (100000): `context` is null.
        ACL_ERROR_RT_CONTEXT_NULL (107002): `context` was destroyed, is no context, or is a default context.
        ACL_ERROR_RT_PARAM_INVALID (107000): called in a callback of a stream, and the machine only reports.

    Products: all
    """

def aclrtGetCurrentContext(context: Output[aclrtContext]) -> int:
    """aclError aclrtGetCurrentContext(aclrtContext *context)

    Tell the current context of the calling thread: after aclrtSetDevice, the default context of the device.
    Without one the answer is quiet: no error text, no last error.

    Returns:
        ACL_SUCCESS (0): `*context` is the context.
        ACL_ERROR_INVALID_PARAM (100000): `context` is null.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.

    Products: all
    """

def aclrtGetPrimaryCtxState(deviceId: SupportsIndex, flags: Output[c_uint32], active: Output[c_int32]) -> int:
    """aclError aclrtGetPrimaryCtxState(int32_t deviceId, uint32_t *flags, int32_t *active)

    Tell whether the default context of a device is there: from the first aclrtSetDevice to the last
    aclrtResetDevice.

    Returns:
        ACL_SUCCESS (0): `*active` is 1 or 0.
        ACL_ERROR_INVALID_PARAM (100000): `flags`, which is reserved, is not null, or `active` is null.
        ACL_ERROR_RT_INVALID_DEVICEID (107001): `deviceId` is not in [0, number of devices).

    Products: all
    """

def aclrtSetCurrentContext(context: aclrtContext | c_void_p | int | None) -> int:
    """aclError aclrtSetCurrentContext(aclrtContext context)

    Make `context` current for the calling thread; the thread's device becomes that of the context.

    Returns:
        ACL_SUCCESS (0): the context is current.
        ACL_ERROR_INVALID_PARAM (100000): `context` is null.
        ACL_ERROR_RT_PARAM_INVALID (107000): `context` was destroyed, or is no context.

    Products: all
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

    Products: all
    """

def aclrtMemcpy2d(dst: Target, dpitch: SupportsIndex, src: Source, spitch: SupportsIndex, width: SupportsIndex, height: SupportsIndex, kind: SupportsIndex) -> int:
    """aclError aclrtMemcpy2d(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height, aclrtMemcpyKind kind)

    Copy `height` rows of `width` bytes at once; rows start every `dpitch` and `spitch` bytes.

    Returns:
        ACL_SUCCESS (0): copied; also for a width or height of 0.
        ACL_ERROR_INVALID_PARAM (100000): `dst` or `src` is null, `width` exceeds a pitch, or `kind` is not one of 1 to 4.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000): `kind` is ACL_MEMCPY_DEVICE_TO_DEVICE (only aclrtMemcpy2dAsync copies so).
        ACL_ERROR_RT_PARAM_INVALID (107000): more than 5,000,000 bytes a row or 5,242,880 rows; both sides are on the host, or
            both on a device; `kind` contradicts the address of plain host memory; an address is no live device memory.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.

    Products: all
    """

def aclrtMemcpy2dAsync(dst: Target, dpitch: SupportsIndex, src: Source, spitch: SupportsIndex, width: SupportsIndex, height: SupportsIndex, kind: SupportsIndex, stream: aclrtStream | c_void_p | int | None) -> int:
    """aclError aclrtMemcpy2dAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height, aclrtMemcpyKind kind, aclrtStream stream)

    Copy `height` rows of `width` bytes when the stream gets there; with plain host memory the call waits for the
    stream and copies before it returns. Null is the default stream.

    Returns:
        ACL_SUCCESS (0): queued or copied; also for a width or height of 0.
        ACL_ERROR_INVALID_PARAM (100000): `dst` or `src` is null, `width` exceeds a pitch, or `kind` is not one of 1 to 4.
        ACL_ERROR_RT_INVALID_HANDLE (107017): the handle was destroyed, or is no stream.
        ACL_ERROR_RT_PARAM_INVALID (107000): more than 5,000,000 bytes a row or 5,242,880 rows; both sides are on the host;
            `kind` contradicts the address of plain host memory; an address is no live device memory.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_RT_STREAM_CONTEXT (107003): the stream belongs to another context.
        ACL_ERROR_RT_STREAM_SYNC_TIMEOUT (507046): the work can never be done (in a machine that only reports).
        ACL_ERROR_RT_STREAM_ABORT (107023): a stream was aborted.
        ACL_ERROR_RT_AICORE_TIMEOUT (507014): in stop mode: an operator took longer than its limit.
        ACL_ERROR_RT_AICORE_EXCEPTION (507015): in stop mode: a task failed on the device.
        ACL_ERROR_RT_VECTOR_CORE_EXCEPTION (507035): in stop mode: a task failed on a vector core of the device.
        ACL_ERROR_RT_EVENT_SYNC_TIMEOUT (507047): in stop mode: a stream waited for an event longer than its timeout.
        ACL_ERROR_RT_MEMORY_ALLOCATION (207001): in stop mode: the host that runs the emulator has no memory for a task.
        ACL_ERROR_RT_PARAM_INVALID (107000): called in a callback of a stream, and the machine only reports.

    Products: all
    """

def aclrtMemcpyAsync(dst: Target, destMax: SupportsIndex, src: Source, count: SupportsIndex, kind: SupportsIndex, stream: aclrtStream | c_void_p | int | None) -> int:
    """aclError aclrtMemcpyAsync(void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind, aclrtStream stream)

    Copy `count` bytes when the stream gets there. Null is the default stream.

    Host memory of aclrtMallocHost (or registered) must stay valid until the stream has executed the copy; with plain
    memory the call waits for the stream and copies before it returns; ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE keeps a copy of
    the source, which may be reused at once.

    Returns:
        ACL_SUCCESS (0): queued or copied; also for `count` 0, when nothing else is checked.
        ACL_ERROR_INVALID_PARAM (100000): `dst` or `src` is null, or `kind` is not one of 0 to 5.
        ACL_ERROR_RT_INVALID_HANDLE (107017): the handle was destroyed, or is no stream.
        ACL_ERROR_RT_PARAM_INVALID (107000): `destMax` is 0 or less than `count`; `kind` contradicts the addresses where plain
            memory is involved; an address is no live device memory.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000): both sides are host memory.
        ACL_ERROR_RT_STREAM_CONTEXT (107003): the stream belongs to another context (queued copies only).
        ACL_ERROR_RT_STREAM_SYNC_TIMEOUT (507046): the work can never be done (in a machine that only reports).
        ACL_ERROR_RT_STREAM_ABORT (107023): a stream was aborted.
        ACL_ERROR_RT_AICORE_TIMEOUT (507014): in stop mode: an operator took longer than its limit.
        ACL_ERROR_RT_AICORE_EXCEPTION (507015): in stop mode: a task failed on the device.
        ACL_ERROR_RT_VECTOR_CORE_EXCEPTION (507035): in stop mode: a task failed on a vector core of the device.
        ACL_ERROR_RT_EVENT_SYNC_TIMEOUT (507047): in stop mode: a stream waited for an event longer than its timeout.
        ACL_ERROR_RT_MEMORY_ALLOCATION (207001): in stop mode: the host that runs the emulator has no memory for a task.
        ACL_ERROR_RT_PARAM_INVALID (107000): called in a callback of a stream, and the machine only reports.

    Products: all
    """

def aclrtMemcpyAsyncWithCondition(dst: Target, destMax: SupportsIndex, src: Source, count: SupportsIndex, kind: SupportsIndex, stream: aclrtStream | c_void_p | int | None) -> int:
    """aclError aclrtMemcpyAsyncWithCondition(void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind, aclrtStream stream)

    aclrtMemcpyAsync that refuses host memory that is not pinned, instead of blocking. Deprecated.

    Returns:
        ACL_SUCCESS (0): queued; also for `count` 0, when nothing else is checked.
        ACL_ERROR_INVALID_PARAM (100000): `dst` or `src` is null, or `kind` is not one of 0 to 5.
        ACL_ERROR_RT_INVALID_HANDLE (107017): the handle was destroyed, or is no stream.
        ACL_ERROR_RT_PARAM_INVALID (107000): `destMax` is 0 or less than `count`; host memory is not pinned (only as a source of
            ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE, which keeps a copy, it need not be), or this kind does not fit the
            addresses; an address is no live device memory.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000): both sides are host memory.
        ACL_ERROR_RT_STREAM_CONTEXT (107003): the stream belongs to another context.
        ACL_ERROR_RT_STREAM_SYNC_TIMEOUT (507046): the work can never be done (in a machine that only reports).
        ACL_ERROR_RT_STREAM_ABORT (107023): a stream was aborted.
        ACL_ERROR_RT_AICORE_TIMEOUT (507014): in stop mode: an operator took longer than its limit.
        ACL_ERROR_RT_AICORE_EXCEPTION (507015): in stop mode: a task failed on the device.
        ACL_ERROR_RT_VECTOR_CORE_EXCEPTION (507035): in stop mode: a task failed on a vector core of the device.
        ACL_ERROR_RT_EVENT_SYNC_TIMEOUT (507047): in stop mode: a stream waited for an event longer than its timeout.
        ACL_ERROR_RT_MEMORY_ALLOCATION (207001): in stop mode: the host that runs the emulator has no memory for a task.
        ACL_ERROR_RT_PARAM_INVALID (107000): called in a callback of a stream, and the machine only reports.

    Products: all
    """

def aclrtMemcpyBatch(dsts: Sequence[Target] | Referred | None, destMaxs: SizeArray, srcs: Sequence[Source] | Referred | None, sizes: SizeArray, numBatches: SupportsIndex, attrs: Target, attrsIndexes: SizeArray, numAttrs: SupportsIndex, failIndex: Output[c_uint64]) -> int:
    """aclError aclrtMemcpyBatch(void **dsts, size_t *destMaxs, void **srcs, size_t *sizes, size_t numBatches, aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes, size_t numAttrs, size_t *failIndex)

    Copy `numBatches` pieces at once, `sizes[i]` bytes from `srcs[i]` to `dsts[i]`, which has room for `destMaxs[i]`.

    `attrs[i]` (of `numAttrs`) tells where the pieces from `attrsIndexes[i]` on lie. The number of the piece that failed
    goes to `*failIndex`, SIZE_MAX if it is none of them.

    Returns:
        ACL_SUCCESS (0): copied; also when all sizes are 0.
        ACL_ERROR_INVALID_PARAM (100000): an array or `failIndex` is null, `numBatches` is 0, a size exceeds its room, or
            reserved bytes of an attribute are not 0.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_RT_PARAM_INVALID (107000): attrsIndexes do not start at 0 and rise; a piece does not lie where its attribute
            says, both its sides are on the host, or an address is no live device memory; an array is shorter than its
            count (in a machine that only reports).
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000): the product does not have the function (see Products).

    Products:
        Atlas A2 training series/Atlas 800I A2 inference products: supported
        Atlas A3 training/inference series: supported
        Atlas training series: ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000)
        Atlas inference series: ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000)
        Atlas 200I/500 A2 inference products: ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000)
    """

def aclrtMemcpyBatchAsync(dsts: Sequence[Target] | Referred | None, destMaxs: SizeArray, srcs: Sequence[Source] | Referred | None, sizes: SizeArray, numBatches: SupportsIndex, attrs: Target, attrsIndexes: SizeArray, numAttrs: SupportsIndex, failIndex: Output[c_uint64], stream: aclrtStream | c_void_p | int | None) -> int:
    """aclError aclrtMemcpyBatchAsync(void **dsts, size_t *destMaxs, void **srcs, size_t *sizes, size_t numBatches, aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes, size_t numAttrs, size_t *failIndex, aclrtStream stream)

    Copy `numBatches` pieces when the stream gets there; with plain host memory the call waits for the stream. Null
    is the default stream.

    Returns:
        ACL_SUCCESS (0): queued or copied; also when all sizes are 0.
        ACL_ERROR_INVALID_PARAM (100000): an array or `failIndex` is null, `numBatches` is 0, a size exceeds its room, or
            reserved bytes of an attribute are not 0.
        ACL_ERROR_RT_INVALID_HANDLE (107017): the handle was destroyed, or is no stream.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_RT_STREAM_CONTEXT (107003): the stream belongs to another context.
        ACL_ERROR_RT_PARAM_INVALID (107000): attrsIndexes do not start at 0 and rise; a piece does not lie where its attribute
            says, both its sides are on the host, or an address is no live device memory; an array is shorter than its
            count (in a machine that only reports).
        ACL_ERROR_RT_STREAM_SYNC_TIMEOUT (507046): the work can never be done (in a machine that only reports).
        ACL_ERROR_RT_STREAM_ABORT (107023): a stream was aborted.
        ACL_ERROR_RT_AICORE_TIMEOUT (507014): in stop mode: an operator took longer than its limit.
        ACL_ERROR_RT_AICORE_EXCEPTION (507015): in stop mode: a task failed on the device.
        ACL_ERROR_RT_VECTOR_CORE_EXCEPTION (507035): in stop mode: a task failed on a vector core of the device.
        ACL_ERROR_RT_EVENT_SYNC_TIMEOUT (507047): in stop mode: a stream waited for an event longer than its timeout.
        ACL_ERROR_RT_MEMORY_ALLOCATION (207001): in stop mode: the host that runs the emulator has no memory for a task.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000): the product does not have the function (see Products).
        ACL_ERROR_RT_PARAM_INVALID (107000): called in a callback of a stream, and the machine only reports.

    Products:
        Atlas A2 training series/Atlas 800I A2 inference products: supported
        Atlas A3 training/inference series: supported
        Atlas training series: ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000)
        Atlas inference series: ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000)
        Atlas 200I/500 A2 inference products: ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000)
    """

def aclrtMemcpyBatchAsyncV2(dsts: Sequence[Target] | Referred | None, destMaxs: SizeArray, srcs: Sequence[Source] | Referred | None, sizes: SizeArray, numBatches: SupportsIndex, attrs: Target, attrsIndexes: SizeArray, numAttrs: SupportsIndex, stream: aclrtStream | c_void_p | int | None) -> int:
    """aclError aclrtMemcpyBatchAsyncV2(void **dsts, size_t *destMaxs, void **srcs, size_t *sizes, size_t numBatches, aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes, size_t numAttrs, aclrtStream stream)

    aclrtMemcpyBatchAsync without `failIndex`.

    Returns:
        ACL_SUCCESS (0): queued or copied; also when all sizes are 0.
        ACL_ERROR_INVALID_PARAM (100000): an array is null, `numBatches` is 0, a size exceeds its room, or reserved bytes of an
            attribute are not 0.
        ACL_ERROR_RT_INVALID_HANDLE (107017): the handle was destroyed, or is no stream.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_RT_STREAM_CONTEXT (107003): the stream belongs to another context.
        ACL_ERROR_RT_PARAM_INVALID (107000): attrsIndexes do not start at 0 and rise; a piece does not lie where its attribute
            says, both its sides are on the host, or an address is no live device memory; an array is shorter than its
            count (in a machine that only reports).
        ACL_ERROR_RT_STREAM_SYNC_TIMEOUT (507046): the work can never be done (in a machine that only reports).
        ACL_ERROR_RT_STREAM_ABORT (107023): a stream was aborted.
        ACL_ERROR_RT_AICORE_TIMEOUT (507014): in stop mode: an operator took longer than its limit.
        ACL_ERROR_RT_AICORE_EXCEPTION (507015): in stop mode: a task failed on the device.
        ACL_ERROR_RT_VECTOR_CORE_EXCEPTION (507035): in stop mode: a task failed on a vector core of the device.
        ACL_ERROR_RT_EVENT_SYNC_TIMEOUT (507047): in stop mode: a stream waited for an event longer than its timeout.
        ACL_ERROR_RT_MEMORY_ALLOCATION (207001): in stop mode: the host that runs the emulator has no memory for a task.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000): the product does not have the function (see Products).
        ACL_ERROR_RT_PARAM_INVALID (107000): called in a callback of a stream, and the machine only reports.

    Products:
        Atlas A2 training series/Atlas 800I A2 inference products: supported
        Atlas A3 training/inference series: supported
        Atlas training series: ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000)
        Atlas inference series: ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000)
        Atlas 200I/500 A2 inference products: ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000)
    """

def aclrtMemcpyBatchV2(dsts: Sequence[Target] | Referred | None, destMaxs: SizeArray, srcs: Sequence[Source] | Referred | None, sizes: SizeArray, numBatches: SupportsIndex, attrs: Target, attrsIndexes: SizeArray, numAttrs: SupportsIndex) -> int:
    """aclError aclrtMemcpyBatchV2(void **dsts, size_t *destMaxs, void **srcs, size_t *sizes, size_t numBatches, aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes, size_t numAttrs)

    aclrtMemcpyBatch without `failIndex`.

    Returns:
        ACL_SUCCESS (0): copied; also when all sizes are 0.
        ACL_ERROR_INVALID_PARAM (100000): an array is null, `numBatches` is 0, a size exceeds its room, or reserved bytes of an
            attribute are not 0.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_RT_PARAM_INVALID (107000): attrsIndexes do not start at 0 and rise; a piece does not lie where its attribute
            says, both its sides are on the host, or an address is no live device memory; an array is shorter than its
            count (in a machine that only reports).
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000): the product does not have the function (see Products).

    Products:
        Atlas A2 training series/Atlas 800I A2 inference products: supported
        Atlas A3 training/inference series: supported
        Atlas training series: ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000)
        Atlas inference series: ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000)
        Atlas 200I/500 A2 inference products: ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000)
    """

def aclCreateDataBuffer(data: Source, size: SupportsIndex) -> aclDataBuffer:
    """aclDataBuffer *aclCreateDataBuffer(void *data, size_t size)

    A pair of an address, which may be null, and a size in bytes. The memory is neither copied nor owned.

    Products: all
    """

def aclDestroyDataBuffer(dataBuffer: aclDataBuffer | c_void_p | None) -> int:
    """aclError aclDestroyDataBuffer(const aclDataBuffer *dataBuffer)

    Destroy the pair; the memory stays. Destroying it twice is undefined.

    Returns:
        ACL_SUCCESS (0): destroyed.
        ACL_ERROR_INVALID_PARAM (100000): `dataBuffer` is null.
        ACL_ERROR_RT_PARAM_INVALID (107000): already gone, and the machine only reports.

    Products: all
    """

def aclGetDataBufferAddr(dataBuffer: aclDataBuffer | c_void_p | None) -> int | None:
    """void *aclGetDataBufferAddr(const aclDataBuffer *dataBuffer)

    The address; None for a null one, or a null buffer.

    Products: all
    """

def aclGetDataBufferSize(dataBuffer: aclDataBuffer | c_void_p | None) -> int:
    """uint32_t aclGetDataBufferSize(const aclDataBuffer *dataBuffer)

    The size in bytes, cut to 32 bits; 0 for a null buffer. Deprecated: use aclGetDataBufferSizeV2.

    Products: all
    """

def aclGetDataBufferSizeV2(dataBuffer: aclDataBuffer | c_void_p | None) -> int:
    """size_t aclGetDataBufferSizeV2(const aclDataBuffer *dataBuffer)

    The size in bytes; 0 for a null buffer.

    Products: all
    """

def aclUpdateDataBuffer(dataBuffer: aclDataBuffer | c_void_p | None, data: Source, size: SupportsIndex) -> int:
    """aclError aclUpdateDataBuffer(aclDataBuffer *dataBuffer, void *data, size_t size)

    Set address and size (in bytes) anew; a null address is accepted.

    Returns:
        ACL_SUCCESS (0): set.
        ACL_ERROR_INVALID_PARAM (100000): `dataBuffer` is null.
        ACL_ERROR_RT_PARAM_INVALID (107000): `dataBuffer` is gone, and the machine only reports.

    Products: all
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
        ACL_ERROR_RT_PARAM_INVALID (107000): called in a callback of a stream, and the machine only reports.

    Products: all
    """

def aclrtResetDeviceForce(deviceId: SupportsIndex) -> int:
    """aclError aclrtResetDeviceForce(int32_t deviceId)

    Take all references of this process back at once, and release the default context as aclrtResetDevice does.

    Where several threads use the device, only the last one should call it.

    Returns:
        ACL_SUCCESS (0): released.
        ACL_ERROR_RT_INVALID_DEVICEID (107001): `deviceId` is not in [0, number of devices).
        ACL_ERROR_RT_CONTEXT_RELEASE_ERROR (507007): the device is not set, or was reset already.
        ACL_ERROR_RT_PARAM_INVALID (107000): called in a callback of a stream, and the machine only reports.

    Products: all
    """

def aclrtSetDevice(deviceId: SupportsIndex) -> int:
    """aclError aclrtSetDevice(int32_t deviceId)

    Open device `deviceId` if needed and make its default context current for the calling thread.

    Every call counts one reference, taken back by aclrtResetDevice. Other devices stay open.

    Returns:
        ACL_SUCCESS (0): the device's default context is current.
        ACL_ERROR_RT_INVALID_DEVICEID (107001): `deviceId` is not in [0, number of devices).

    Products: all
    """

def aclrtSynchronizeDevice() -> int:
    """aclError aclrtSynchronizeDevice()

    Wait for all streams of the thread's current context, not for those of other contexts of the device.

    Returns:
        ACL_SUCCESS (0): everything is done.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_RT_STREAM_SYNC_TIMEOUT (507046): the work can never be done (in a machine that only reports).
        ACL_ERROR_RT_STREAM_ABORT (107023): a stream was aborted.
        ACL_ERROR_RT_AICORE_TIMEOUT (507014): an operator took longer than its limit.
        ACL_ERROR_RT_AICORE_EXCEPTION (507015): a task failed on the device.
        ACL_ERROR_RT_VECTOR_CORE_EXCEPTION (507035): a task failed on a vector core of the device.
        ACL_ERROR_RT_EVENT_SYNC_TIMEOUT (507047): a stream waited for an event longer than its timeout.
        ACL_ERROR_RT_MEMORY_ALLOCATION (207001): the host that runs the emulator has no memory for a task.
        ACL_ERROR_RT_PARAM_INVALID (107000): called in a callback of a stream, and the machine only reports.

    Products: all
    """

def aclrtSynchronizeDeviceWithTimeout(timeout: SupportsIndex) -> int:
    """aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout)

    Wait for all streams of the thread's current context, for at most `timeout` milliseconds of simulated time
    (-1: for ever).

    Returns:
        ACL_SUCCESS (0): everything is done.
        ACL_ERROR_RT_PARAM_INVALID (107000): `timeout` is 0 or less than -1.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_RT_STREAM_SYNC_TIMEOUT (507046): the work needs more time, or can never be done.
        ACL_ERROR_RT_STREAM_ABORT (107023): a stream was aborted.
        ACL_ERROR_RT_AICORE_TIMEOUT (507014): an operator took longer than its limit.
        ACL_ERROR_RT_AICORE_EXCEPTION (507015): a task failed on the device.
        ACL_ERROR_RT_VECTOR_CORE_EXCEPTION (507035): a task failed on a vector core of the device.
        ACL_ERROR_RT_EVENT_SYNC_TIMEOUT (507047): a stream waited for an event longer than its timeout.
        ACL_ERROR_RT_MEMORY_ALLOCATION (207001): the host that runs the emulator has no memory for a task.
        ACL_ERROR_RT_PARAM_INVALID (107000): called in a callback of a stream, and the machine only reports.

    Products: all
    """

def aclGetDeviceCapability(deviceId: SupportsIndex, deviceInfo: SupportsIndex, value: Output[c_int64]) -> int:
    """aclError aclGetDeviceCapability(uint32_t deviceId, aclDeviceInfo deviceInfo, int64_t *value)

    Tell the number of AI cores (0), of vector cores (1), or the bytes of the L2 cache (2) of a device.

    Returns:
        ACL_SUCCESS (0): `*value` is the answer; 0 vector cores where the product has none of its own.
        ACL_ERROR_INVALID_PARAM (100000): `deviceId` is not in [0, number of devices), `deviceInfo` is another number, or
            `value` is null.

    Products: all
    """

def aclrtDeviceGetStreamPriorityRange(leastPriority: Output[c_int32], greatestPriority: Output[c_int32]) -> int:
    """aclError aclrtDeviceGetStreamPriorityRange(int32_t *leastPriority, int32_t *greatestPriority)

    Tell the priorities that a stream may have: from 7, the least urgent, to 0. Either pointer may be null.

    Returns:
        ACL_SUCCESS (0): what is asked for is written.

    Products: all
    """

def aclrtDeviceGetUuid(deviceId: SupportsIndex, uuid: Target) -> int:
    """aclError aclrtDeviceGetUuid(int32_t deviceId, aclrtUuid *uuid)

    Write the 16 bytes that identify a device, whatever number ASCEND_RT_VISIBLE_DEVICES gives it.

    Returns:
        ACL_SUCCESS (0): `*uuid` is written.
        ACL_ERROR_INVALID_PARAM (100000): `uuid` is null.
        ACL_ERROR_RT_INVALID_DEVICEID (107001): `deviceId` is not in [0, number of devices).
        ACL_ERROR_RT_PARAM_INVALID (107000): `uuid` is no memory of the host (in a machine that only reports).
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000): the product does not have the function (see Products).

    Products:
        Atlas A2 training series/Atlas 800I A2 inference products: supported
        Atlas A3 training/inference series: supported
        Atlas training series: ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000)
        Atlas inference series: ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000)
        Atlas 200I/500 A2 inference products: ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000)
    """

def aclrtGetDevice(deviceId: Output[c_int32]) -> int:
    """aclError aclrtGetDevice(int32_t *deviceId)

    Tell the device of the current context. Without one the answer is quiet: no error text, no last error.

    Returns:
        ACL_SUCCESS (0): `*deviceId` is the device.
        ACL_ERROR_INVALID_PARAM (100000): `deviceId` is null.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.

    Products: all
    """

def aclrtGetDeviceCapability(deviceId: SupportsIndex, devFeatureType: SupportsIndex, value: Output[c_int32]) -> int:
    """aclError aclrtGetDeviceCapability(int32_t deviceId, aclrtDevFeatureType devFeatureType, int32_t *value)

    Tell whether a device has a feature: tasks that a running program updates (1), or events of memory queues
    across devices (21). This emulator simulates neither, so the answer is 0.

    Returns:
        ACL_SUCCESS (0): `*value` is ACL_DEV_FEATURE_NOT_SUPPORT.
        ACL_ERROR_INVALID_PARAM (100000): `value` is null, or `devFeatureType` is neither 1 nor 21.
        ACL_ERROR_RT_INVALID_DEVICEID (107001): `deviceId` is not in [0, number of devices).

    Products: all
    """

def aclrtGetDeviceCount(count: Output[c_uint32]) -> int:
    """aclError aclrtGetDeviceCount(uint32_t *count)

    Count the devices that this process may use: those that ASCEND_RT_VISIBLE_DEVICES shows.

    Returns:
        ACL_SUCCESS (0): `*count` devices, numbered from 0.
        ACL_ERROR_INVALID_PARAM (100000): `count` is null.
        ACL_ERROR_RT_NO_DEVICE (207004): there is none.

    Products: all
    """

def aclrtGetDeviceInfo(deviceId: SupportsIndex, attr: SupportsIndex, value: Output[c_int64]) -> int:
    """aclError aclrtGetDeviceInfo(uint32_t deviceId, aclrtDevAttr attr, int64_t *value)

    Tell an attribute of a device: AI, cube and vector cores, device memory and L2 cache in bytes, whether it is
    a part of a device only (never, here). No context is needed.

    Returns:
        ACL_SUCCESS (0): `*value` is the attribute.
        ACL_ERROR_INVALID_PARAM (100000): `value` is null.
        ACL_ERROR_RT_PARAM_INVALID (107000): `deviceId` is not in [0, number of devices), or `attr` is no aclrtDevAttr.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000): the product lacks the attribute, or this emulator does not know it.

    Products: all
    """

def aclrtGetDeviceUtilizationRate(deviceId: SupportsIndex, utilizationInfo: Target) -> int:
    """aclError aclrtGetDeviceUtilizationRate(int32_t deviceId, aclrtUtilizationInfo *utilizationInfo)

    Tell how busy a device is, in percent: a simulated one works only inside calls, so it is always idle. Its
    memory is not measured: -1.

    Returns:
        ACL_SUCCESS (0): `*utilizationInfo` is filled in.
        ACL_ERROR_INVALID_PARAM (100000): `utilizationInfo` is null, or its field utilizationExtend is not.
        ACL_ERROR_RT_INVALID_DEVICEID (107001): `deviceId` is not in [0, number of devices).
        ACL_ERROR_RT_PARAM_INVALID (107000): `utilizationInfo` is no memory of the host (in a machine that only reports).

    Products: all
    """

def aclrtGetRunMode(runMode: Output[c_int32]) -> int:
    """aclError aclrtGetRunMode(aclrtRunMode *runMode)

    Tell where the program runs: here always on a host, ACL_HOST.

    Returns:
        ACL_SUCCESS (0): `*runMode` is an aclrtRunMode.
        ACL_ERROR_INVALID_PARAM (100000): `runMode` is null.

    Products: all
    """

def aclrtGetSocName() -> str | None:
    """const char *aclrtGetSocName()

    The name of the chip, such as `Ascend910B1`, None without a device. It needs neither a set device nor a
    context.

    Products: all
    """

def aclrtQueryDeviceStatus(deviceId: SupportsIndex, deviceStatus: Output[c_int32]) -> int:
    """aclError aclrtQueryDeviceStatus(int32_t deviceId, aclrtDeviceStatus *deviceStatus)

    Tell whether a device works: simulated ones always do, ACL_RT_DEVICE_STATUS_NORMAL (0).

    Returns:
        ACL_SUCCESS (0): `*deviceStatus` is an aclrtDeviceStatus.
        ACL_ERROR_INVALID_PARAM (100000): `deviceStatus` is null.
        ACL_ERROR_RT_INVALID_DEVICEID (107001): `deviceId` is not in [0, number of devices).

    Products: all
    """

def aclrtSetTsDevice(tsId: SupportsIndex) -> int:
    """aclError aclrtSetTsDevice(aclrtTsId tsId)

    Choose a task scheduler of the device. Every product here has one, so a valid id changes nothing.

    Returns:
        ACL_SUCCESS (0): `tsId` is 0 or 1.
        ACL_ERROR_INVALID_PARAM (100000): `tsId` is another number.

    Products: all
    """

def aclGetRecentErrMsg() -> str | None:
    """const char *aclGetRecentErrMsg()

    The text of the errors that the calling thread has not read yet, None if there are none. Reading empties.

    The first line tells code and reason of the oldest error, the trace lists the others (layout of CANN 9.1).

    Products: all
    """

def aclrtDeviceTaskAbort(deviceId: SupportsIndex, timeout: SupportsIndex) -> int:
    """aclError aclrtDeviceTaskAbort(int32_t deviceId, uint32_t timeout)

    Abort what runs on a device, as the first step of its repair: no device here offers that.

    Returns:
        ACL_ERROR_RT_INVALID_DEVICEID (107001): `deviceId` is not in [0, number of devices).
        ACL_ERROR_API_NOT_SUPPORT (200001): always, on the products that have it.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000): the product does not have the function (see Products).

    Products:
        Atlas A2 training series/Atlas 800I A2 inference products: supported
        Atlas A3 training/inference series: supported
        Atlas training series: ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000)
        Atlas inference series: ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000)
        Atlas 200I/500 A2 inference products: ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000)
    """

def aclrtGetErrorVerbose(deviceId: SupportsIndex, errorInfo: Target) -> int:
    """aclError aclrtGetErrorVerbose(int32_t deviceId, aclrtErrorInfo *errorInfo)

    What kind of hardware fault a device has: always none (type ACL_RT_NO_ERROR, everything 0).

    Returns:
        ACL_SUCCESS (0): the answer is written.
        ACL_ERROR_INVALID_PARAM (100000): `errorInfo` is null.
        ACL_ERROR_RT_INVALID_DEVICEID (107001): `deviceId` is not in [0, number of devices).
        ACL_ERROR_RT_PARAM_INVALID (107000): `errorInfo` is no memory that can be written, and the machine only reports.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000): the product does not have the function (see Products).

    Products:
        Atlas A2 training series/Atlas 800I A2 inference products: supported
        Atlas A3 training/inference series: supported
        Atlas training series: ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000)
        Atlas inference series: ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000)
        Atlas 200I/500 A2 inference products: ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000)
    """

def aclrtGetLastError(level: SupportsIndex) -> int:
    """aclError aclrtGetLastError(aclrtLastErrLevel level)

    The status of the calling thread's last failure in the runtime layer, which is then forgotten.

    Calls that succeed do not reset it. Not remembered is what the ACL layer refuses (1000xx), nor what aclnn
    functions return; the runtime calls inside these are.

    Returns:
        ACL_SUCCESS (0): nothing failed since it was asked last.
        ACL_ERROR_INVALID_PARAM (100000): `level` is not ACL_RT_THREAD_LEVEL.
        ACL_ERROR_RT_PARAM_INVALID (107000): a bad argument, or an address that the driver refuses.
        ACL_ERROR_RT_INVALID_DEVICEID (107001): a device that is not there.
        ACL_ERROR_RT_CONTEXT_NULL (107002): no valid context.
        ACL_ERROR_RT_STREAM_CONTEXT (107003): a stream or event of another context.
        ACL_ERROR_RT_STREAM_MODEL (107005): a stream bound to a model, or to none.
        ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID (107006): an event without a time.
        ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL (107007): events in reverse order.
        ACL_ERROR_RT_STREAM_SUBSCRIBE (107011): a stream that is subscribed already, or was not.
        ACL_ERROR_RT_THREAD_SUBSCRIBE (107012): a thread that is not subscribed, or elsewhere.
        ACL_ERROR_RT_STREAM_NO_CB_REG (107015): a host function on a stream nobody subscribed to.
        ACL_ERROR_RT_INVALID_MEMORY_TYPE (107016): a type of memory that does not fit.
        ACL_ERROR_RT_INVALID_HANDLE (107017): a destroyed handle, or one of another kind.
        ACL_ERROR_RT_SYSPARAMOPT_NOT_SET (107021): a system parameter that was never set.
        ACL_ERROR_RT_DEVICE_TASK_ABORT (107022): tasks of the device were aborted.
        ACL_ERROR_RT_STREAM_ABORT (107023): the stream was aborted.
        ACL_ERROR_RT_STREAM_NOT_CAPTURED (107029): a stream that is not being captured.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000): not supported.
        ACL_ERROR_RT_MEMORY_ALLOCATION (207001): no memory left.
        ACL_ERROR_RT_NO_DEVICE (207004): the machine has no device.
        ACL_ERROR_RT_RESOURCE_ALLOC_FAIL (207005): no ids left.
        ACL_ERROR_RT_NO_EVENT_RESOURCE (207007): no events left.
        ACL_ERROR_RT_NO_STREAM_RESOURCE (207008): no streams left.
        ACL_ERROR_RT_INTERNAL_ERROR (507000): an internal error, or an event never recorded.
        ACL_ERROR_RT_CONTEXT_RELEASE_ERROR (507007): a device reset too often, a context that is still used.
        ACL_ERROR_RT_REPORT_TIMEOUT (507012): no callback came in time.
        ACL_ERROR_RT_AICORE_TIMEOUT (507014): an operator ran too long.
        ACL_ERROR_RT_AICORE_EXCEPTION (507015): a task failed on an AI core.
        ACL_ERROR_RT_AICPU_TIMEOUT (507017): an operator ran too long on an AI CPU.
        ACL_ERROR_RT_DEV_SETUP_ERROR (507033): a device could not be opened.
        ACL_ERROR_RT_VECTOR_CORE_EXCEPTION (507035): a task failed on a vector core.
        ACL_ERROR_RT_STREAM_SYNC_TIMEOUT (507046): a stream or device was not done in time.
        ACL_ERROR_RT_EVENT_SYNC_TIMEOUT (507047): an event did not come in time.
        ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED (507910): memory of the host that was registered before.
        ACL_ERROR_HOST_MEMORY_NOT_REGISTERED (507911): memory of the host that is not registered.

    Products: all
    """

def aclrtPeekAtLastError(level: SupportsIndex) -> int:
    """aclError aclrtPeekAtLastError(aclrtLastErrLevel level)

    The status of the calling thread's last failure in the runtime layer, as aclrtGetLastError; it is kept.

    Returns:
        ACL_SUCCESS (0): nothing failed since aclrtGetLastError was called last.
        ACL_ERROR_INVALID_PARAM (100000): `level` is not ACL_RT_THREAD_LEVEL.
        ACL_ERROR_RT_PARAM_INVALID (107000): a bad argument, or an address that the driver refuses.
        ACL_ERROR_RT_INVALID_DEVICEID (107001): a device that is not there.
        ACL_ERROR_RT_CONTEXT_NULL (107002): no valid context.
        ACL_ERROR_RT_STREAM_CONTEXT (107003): a stream or event of another context.
        ACL_ERROR_RT_STREAM_MODEL (107005): a stream bound to a model, or to none.
        ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID (107006): an event without a time.
        ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL (107007): events in reverse order.
        ACL_ERROR_RT_STREAM_SUBSCRIBE (107011): a stream that is subscribed already, or was not.
        ACL_ERROR_RT_THREAD_SUBSCRIBE (107012): a thread that is not subscribed, or elsewhere.
        ACL_ERROR_RT_STREAM_NO_CB_REG (107015): a host function on a stream nobody subscribed to.
        ACL_ERROR_RT_INVALID_MEMORY_TYPE (107016): a type of memory that does not fit.
        ACL_ERROR_RT_INVALID_HANDLE (107017): a destroyed handle, or one of another kind.
        ACL_ERROR_RT_SYSPARAMOPT_NOT_SET (107021): a system parameter that was never set.
        ACL_ERROR_RT_DEVICE_TASK_ABORT (107022): tasks of the device were aborted.
        ACL_ERROR_RT_STREAM_ABORT (107023): the stream was aborted.
        ACL_ERROR_RT_STREAM_NOT_CAPTURED (107029): a stream that is not being captured.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000): not supported.
        ACL_ERROR_RT_MEMORY_ALLOCATION (207001): no memory left.
        ACL_ERROR_RT_NO_DEVICE (207004): the machine has no device.
        ACL_ERROR_RT_RESOURCE_ALLOC_FAIL (207005): no ids left.
        ACL_ERROR_RT_NO_EVENT_RESOURCE (207007): no events left.
        ACL_ERROR_RT_NO_STREAM_RESOURCE (207008): no streams left.
        ACL_ERROR_RT_INTERNAL_ERROR (507000): an internal error, or an event never recorded.
        ACL_ERROR_RT_CONTEXT_RELEASE_ERROR (507007): a device reset too often, a context that is still used.
        ACL_ERROR_RT_REPORT_TIMEOUT (507012): no callback came in time.
        ACL_ERROR_RT_AICORE_TIMEOUT (507014): an operator ran too long.
        ACL_ERROR_RT_AICORE_EXCEPTION (507015): a task failed on an AI core.
        ACL_ERROR_RT_AICPU_TIMEOUT (507017): an operator ran too long on an AI CPU.
        ACL_ERROR_RT_DEV_SETUP_ERROR (507033): a device could not be opened.
        ACL_ERROR_RT_VECTOR_CORE_EXCEPTION (507035): a task failed on a vector core.
        ACL_ERROR_RT_STREAM_SYNC_TIMEOUT (507046): a stream or device was not done in time.
        ACL_ERROR_RT_EVENT_SYNC_TIMEOUT (507047): an event did not come in time.
        ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED (507910): memory of the host that was registered before.
        ACL_ERROR_HOST_MEMORY_NOT_REGISTERED (507911): memory of the host that is not registered.

    Products: all
    """

def aclrtCreateEvent(event: Output[aclrtEvent]) -> int:
    """aclError aclrtCreateEvent(aclrtEvent *event)

    Create an event that streams can record and wait for and that carries the time.

    Returns:
        ACL_SUCCESS (0): `*event` is the new event.
        ACL_ERROR_INVALID_PARAM (100000): `event` is null.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_RT_NO_EVENT_RESOURCE (207007): the device has no event left (65536 on A2, A3 and 200I/500 A2, 65535 on the
            training series, 1023 on the inference series).
        ACL_ERROR_RT_PARAM_INVALID (107000): called in a callback of a stream, and the machine only reports.

    Products: all
    """

def aclrtCreateEventExWithFlag(event: Output[aclrtEvent], flag: SupportsIndex) -> int:
    """aclError aclrtCreateEventExWithFlag(aclrtEvent *event, uint32_t flag)

    Create an event of the new mode, which can be recorded again without a reset. Flags: any of ACL_EVENT_SYNC (1),
    ACL_EVENT_CAPTURE_STREAM_PROGRESS (2), 4 and ACL_EVENT_TIME_LINE (8) or-ed, or ACL_EVENT_IPC (0x40) alone.

    Returns:
        ACL_SUCCESS (0): `*event` is the new event.
        ACL_ERROR_INVALID_PARAM (100000): `event` is null.
        ACL_ERROR_RT_PARAM_INVALID (107000): `flag` is 0, too large, or no legal combination.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000): only A2 and A3 have events between processes (ACL_EVENT_IPC).
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_RT_NO_EVENT_RESOURCE (207007): the device has no event left.
        ACL_ERROR_RT_PARAM_INVALID (107000): called in a callback of a stream, and the machine only reports.

    Products: all
    """

def aclrtCreateEventWithFlag(event: Output[aclrtEvent], flag: SupportsIndex) -> int:
    """aclError aclrtCreateEventWithFlag(aclrtEvent *event, uint32_t flag)

    Create an event with flags: any of ACL_EVENT_SYNC (1), ACL_EVENT_CAPTURE_STREAM_PROGRESS (2), 4 and
    ACL_EVENT_TIME_LINE (8) or-ed, or ACL_EVENT_DEVICE_USE_ONLY (0x10) alone, or ACL_EVENT_EXTERNAL (0x20) alone.

    Returns:
        ACL_SUCCESS (0): `*event` is the new event.
        ACL_ERROR_INVALID_PARAM (100000): `event` is null.
        ACL_ERROR_RT_PARAM_INVALID (107000): `flag` is 0, too large, or no legal combination.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000): only A2, A3 and the inference series have events for the device alone
            (ACL_EVENT_DEVICE_USE_ONLY).
        ACL_ERROR_RT_NO_EVENT_RESOURCE (207007): the device has no event left.
        ACL_ERROR_RT_PARAM_INVALID (107000): called in a callback of a stream, and the machine only reports.

    Products: all
    """

def aclrtDestroyEvent(event: aclrtEvent | c_void_p | int | None) -> int:
    """aclError aclrtDestroyEvent(aclrtEvent event)

    Destroy an event. It returns at once, even if tasks still use the event; these go on.

    Returns:
        ACL_SUCCESS (0): destroyed.
        ACL_ERROR_INVALID_PARAM (100000): `event` is null.
        ACL_ERROR_RT_INVALID_HANDLE (107017): the handle was destroyed, or is no event.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_RT_PARAM_INVALID (107000): called in a callback of a stream, and the machine only reports.

    Products: all
    """

def aclrtEventElapsedTime(ms: Output[c_float], startEvent: aclrtEvent | c_void_p | int | None, endEvent: aclrtEvent | c_void_p | int | None) -> int:
    """aclError aclrtEventElapsedTime(float *ms, aclrtEvent startEvent, aclrtEvent endEvent)

    Write the milliseconds of simulated time between the latest records of two events, negative if the second came
    first.

    Returns:
        ACL_SUCCESS (0): `*ms` is written.
        ACL_ERROR_INVALID_PARAM (100000): a pointer is null.
        ACL_ERROR_RT_INVALID_HANDLE (107017): a handle was destroyed, or is no event.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000): an event is an external one, or for several processes.
        ACL_ERROR_RT_INTERNAL_ERROR (507000): an event was never recorded.
        ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID (107006): an event has no ACL_EVENT_TIME_LINE, or its record has not run yet.

    Products: all
    """

def aclrtEventGetTimestamp(event: aclrtEvent | c_void_p | int | None, timestamp: Output[c_uint64]) -> int:
    """aclError aclrtEventGetTimestamp(aclrtEvent event, uint64_t *timestamp)

    Write the simulated time, in microseconds, at which the latest record of the event ran.

    Returns:
        ACL_SUCCESS (0): `*timestamp` is written.
        ACL_ERROR_INVALID_PARAM (100000): a pointer is null.
        ACL_ERROR_RT_INVALID_HANDLE (107017): the handle was destroyed, or is no event.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000): the event is an external one, or for several processes.
        ACL_ERROR_RT_INTERNAL_ERROR (507000): the event was never recorded.
        ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID (107006): it has no ACL_EVENT_TIME_LINE, or its record has not run yet.

    Products: all
    """

def aclrtGetEventAvailNum(eventCount: Output[c_uint32]) -> int:
    """aclError aclrtGetEventAvailNum(uint32_t *eventCount)

    Write how many events the device of the current context has left.

    Returns:
        ACL_SUCCESS (0): `*eventCount` is written.
        ACL_ERROR_INVALID_PARAM (100000): `eventCount` is null.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.

    Products: all
    """

def aclrtGetEventId(event: aclrtEvent | c_void_p | int | None, eventId: Output[c_uint32]) -> int:
    """aclError aclrtGetEventId(aclrtEvent event, uint32_t *eventId)

    Write the number that the event has on its device: the lowest one that was free.

    Returns:
        ACL_SUCCESS (0): `*eventId` is written.
        ACL_ERROR_INVALID_PARAM (100000): a pointer is null.
        ACL_ERROR_RT_INVALID_HANDLE (107017): the handle was destroyed, or is no event.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000): the event is for several processes.

    Products: all
    """

def aclrtQueryEvent(event: aclrtEvent | c_void_p | int | None, status: Output[c_int32]) -> int:
    """aclError aclrtQueryEvent(aclrtEvent event, aclrtEventStatus *status)

    Write ACL_EVENT_STATUS_COMPLETE (0) when the latest record has run, or when there is none, and NOT_READY (1)
    before. Deprecated: aclrtQueryEventStatus.

    Returns:
        ACL_SUCCESS (0): `*status` is written.
        ACL_ERROR_INVALID_PARAM (100000): a pointer is null.
        ACL_ERROR_RT_INVALID_HANDLE (107017): the handle was destroyed, or is no event.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000): the event is of the new mode, or an external one (ACL_EVENT_EXTERNAL).
        ACL_ERROR_RT_STREAM_ABORT (107023): a stream was aborted.
        ACL_ERROR_RT_AICORE_TIMEOUT (507014): in stop mode: an operator took longer than its limit.
        ACL_ERROR_RT_AICORE_EXCEPTION (507015): in stop mode: a task failed on the device.
        ACL_ERROR_RT_VECTOR_CORE_EXCEPTION (507035): in stop mode: a task failed on a vector core of the device.
        ACL_ERROR_RT_EVENT_SYNC_TIMEOUT (507047): in stop mode: a stream waited for an event longer than its timeout.
        ACL_ERROR_RT_MEMORY_ALLOCATION (207001): in stop mode: the host that runs the emulator has no memory for a task.

    Products: all
    """

def aclrtQueryEventStatus(event: aclrtEvent | c_void_p | int | None, status: Output[c_int32]) -> int:
    """aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus *status)

    Write ACL_EVENT_RECORDED_STATUS_COMPLETE (1) when the latest record has run, NOT_READY (0) before. Never
    recorded: NOT_READY for a classic event, COMPLETE for one of the new mode.

    Returns:
        ACL_SUCCESS (0): `*status` is written.
        ACL_ERROR_INVALID_PARAM (100000): a pointer is null.
        ACL_ERROR_RT_INVALID_HANDLE (107017): the handle was destroyed, or is no event.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000): the event is an external one (ACL_EVENT_EXTERNAL).
        ACL_ERROR_RT_STREAM_ABORT (107023): a stream was aborted.
        ACL_ERROR_RT_AICORE_TIMEOUT (507014): in stop mode: an operator took longer than its limit.
        ACL_ERROR_RT_AICORE_EXCEPTION (507015): in stop mode: a task failed on the device.
        ACL_ERROR_RT_VECTOR_CORE_EXCEPTION (507035): in stop mode: a task failed on a vector core of the device.
        ACL_ERROR_RT_EVENT_SYNC_TIMEOUT (507047): in stop mode: a stream waited for an event longer than its timeout.
        ACL_ERROR_RT_MEMORY_ALLOCATION (207001): in stop mode: the host that runs the emulator has no memory for a task.

    Products: all
    """

def aclrtQueryEventWaitStatus(event: aclrtEvent | c_void_p | int | None, status: Output[c_int32]) -> int:
    """aclError aclrtQueryEventWaitStatus(aclrtEvent event, aclrtEventWaitStatus *status)

    Write ACL_EVENT_WAIT_STATUS_COMPLETE (0) when all waits for the event are over, NOT_READY (1) before.

    Returns:
        ACL_SUCCESS (0): `*status` is written.
        ACL_ERROR_INVALID_PARAM (100000): a pointer is null.
        ACL_ERROR_RT_INVALID_HANDLE (107017): the handle was destroyed, or is no event.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000): the event is of the new mode, or an external one (ACL_EVENT_EXTERNAL).

    Products: all
    """

def aclrtSynchronizeEvent(event: aclrtEvent | c_void_p | int | None) -> int:
    """aclError aclrtSynchronizeEvent(aclrtEvent event)

    Block until the latest record of the event has run; an event that was never recorded is not waited for.

    Returns:
        ACL_SUCCESS (0): it has run, or there is none.
        ACL_ERROR_INVALID_PARAM (100000): `event` is null.
        ACL_ERROR_RT_INVALID_HANDLE (107017): the handle was destroyed, or is no event.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000): the event is an external one (ACL_EVENT_EXTERNAL).
        ACL_ERROR_RT_EVENT_SYNC_TIMEOUT (507047): the record can never run (in a machine that only reports).
        ACL_ERROR_RT_STREAM_ABORT (107023): a stream was aborted.
        ACL_ERROR_RT_AICORE_TIMEOUT (507014): in stop mode: an operator took longer than its limit.
        ACL_ERROR_RT_AICORE_EXCEPTION (507015): in stop mode: a task failed on the device.
        ACL_ERROR_RT_VECTOR_CORE_EXCEPTION (507035): in stop mode: a task failed on a vector core of the device.
        ACL_ERROR_RT_EVENT_SYNC_TIMEOUT (507047): in stop mode: a stream waited for an event longer than its timeout.
        ACL_ERROR_RT_MEMORY_ALLOCATION (207001): in stop mode: the host that runs the emulator has no memory for a task.
        ACL_ERROR_RT_PARAM_INVALID (107000): called in a callback of a stream, and the machine only reports.

    Products: all
    """

def aclrtSynchronizeEventWithTimeout(event: aclrtEvent | c_void_p | int | None, timeout: SupportsIndex) -> int:
    """aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout)

    Block until the latest record of the event has run, for at most `timeout` milliseconds of simulated time (-1: for
    ever).

    Returns:
        ACL_SUCCESS (0): it has run, or there is none.
        ACL_ERROR_INVALID_PARAM (100000): `event` is null.
        ACL_ERROR_RT_INVALID_HANDLE (107017): the handle was destroyed, or is no event.
        ACL_ERROR_RT_PARAM_INVALID (107000): `timeout` is 0 or less than -1 (less than -1 comes before the null event).
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000): the event is an external one (ACL_EVENT_EXTERNAL).
        ACL_ERROR_RT_EVENT_SYNC_TIMEOUT (507047): the record needs more time, or can never run.
        ACL_ERROR_RT_STREAM_ABORT (107023): a stream was aborted.
        ACL_ERROR_RT_AICORE_TIMEOUT (507014): in stop mode: an operator took longer than its limit.
        ACL_ERROR_RT_AICORE_EXCEPTION (507015): in stop mode: a task failed on the device.
        ACL_ERROR_RT_VECTOR_CORE_EXCEPTION (507035): in stop mode: a task failed on a vector core of the device.
        ACL_ERROR_RT_EVENT_SYNC_TIMEOUT (507047): in stop mode: a stream waited for an event longer than its timeout.
        ACL_ERROR_RT_MEMORY_ALLOCATION (207001): in stop mode: the host that runs the emulator has no memory for a task.
        ACL_ERROR_RT_PARAM_INVALID (107000): called in a callback of a stream, and the machine only reports.

    Products: all
    """

def aclrtRecordEvent(event: aclrtEvent | c_void_p | int | None, stream: aclrtStream | c_void_p | int | None) -> int:
    """aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream)

    Queue a record of the event: it is recorded when the stream gets there. A second record replaces the first.
    Null is the default stream.

    Returns:
        ACL_SUCCESS (0): queued.
        ACL_ERROR_INVALID_PARAM (100000): `event` is null.
        ACL_ERROR_RT_INVALID_HANDLE (107017): a handle was destroyed, or is of another kind.
        ACL_ERROR_RT_PARAM_INVALID (107000): the event is for the device alone.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_RT_STREAM_CONTEXT (107003): the stream belongs to another context.
        ACL_ERROR_RT_STREAM_ABORT (107023): a stream was aborted.
        ACL_ERROR_RT_AICORE_TIMEOUT (507014): in stop mode: an operator took longer than its limit.
        ACL_ERROR_RT_AICORE_EXCEPTION (507015): in stop mode: a task failed on the device.
        ACL_ERROR_RT_VECTOR_CORE_EXCEPTION (507035): in stop mode: a task failed on a vector core of the device.
        ACL_ERROR_RT_EVENT_SYNC_TIMEOUT (507047): in stop mode: a stream waited for an event longer than its timeout.
        ACL_ERROR_RT_MEMORY_ALLOCATION (207001): in stop mode: the host that runs the emulator has no memory for a task.
        ACL_ERROR_RT_PARAM_INVALID (107000): called in a callback of a stream, and the machine only reports.

    Products: all
    """

def aclrtRecordEventWithFlag(event: aclrtEvent | c_void_p | int | None, stream: aclrtStream | c_void_p | int | None, flag: SupportsIndex) -> int:
    """aclError aclrtRecordEventWithFlag(aclrtEvent event, aclrtStream stream, uint32_t flag)

    aclrtRecordEvent with ACL_EVENT_RECORD_DEFAULT (0); ACL_EVENT_RECORD_EXTERNAL (1) is for streams being captured,
    which this emulator does not have.

    Returns:
        ACL_SUCCESS (0): queued.
        ACL_ERROR_INVALID_PARAM (100000): `event` is null, or `flag` is neither 0 nor 1.
        ACL_ERROR_RT_INVALID_HANDLE (107017): a handle was destroyed, or is of another kind.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_RT_STREAM_CONTEXT (107003): the stream belongs to another context.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000): flag 1, and the event was not made by aclrtCreateEventExWithFlag with
            ACL_EVENT_SYNC alone.
        ACL_ERROR_RT_PARAM_INVALID (107000): the event is for the device alone; or flag 1 on an event that was recorded with
            flag 0.
        ACL_ERROR_RT_STREAM_NOT_CAPTURED (107029): flag 1, and the stream is not being captured.
        ACL_ERROR_RT_STREAM_ABORT (107023): a stream was aborted.
        ACL_ERROR_RT_AICORE_TIMEOUT (507014): in stop mode: an operator took longer than its limit.
        ACL_ERROR_RT_AICORE_EXCEPTION (507015): in stop mode: a task failed on the device.
        ACL_ERROR_RT_VECTOR_CORE_EXCEPTION (507035): in stop mode: a task failed on a vector core of the device.
        ACL_ERROR_RT_EVENT_SYNC_TIMEOUT (507047): in stop mode: a stream waited for an event longer than its timeout.
        ACL_ERROR_RT_MEMORY_ALLOCATION (207001): in stop mode: the host that runs the emulator has no memory for a task.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000): the product does not have the function (see Products).
        ACL_ERROR_RT_PARAM_INVALID (107000): called in a callback of a stream, and the machine only reports.

    Products:
        Atlas A2 training series/Atlas 800I A2 inference products: supported
        Atlas A3 training/inference series: supported
        Atlas training series: not documented; flag 0 works, flag 1: ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000)
        Atlas inference series: not documented; flag 0 works, flag 1: ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000)
        Atlas 200I/500 A2 inference products: not documented; flag 0 works, flag 1: ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000)
    """

def aclrtResetEvent(event: aclrtEvent | c_void_p | int | None, stream: aclrtStream | c_void_p | int | None) -> int:
    """aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream)

    Queue a reset of a classic event: it is not recorded any more when the stream gets there. Undefined where
    a stream may still wait for it by then: the finding `event-reset-early`.

    Returns:
        ACL_SUCCESS (0): queued.
        ACL_ERROR_INVALID_PARAM (100000): `event` is null.
        ACL_ERROR_RT_INVALID_HANDLE (107017): a handle was destroyed, or is of another kind.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_RT_STREAM_CONTEXT (107003): the stream belongs to another context.
        ACL_ERROR_RT_PARAM_INVALID (107000): the event is for the device alone.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000): the event is of the new mode, or nobody can wait for it.
        ACL_ERROR_RT_STREAM_ABORT (107023): a stream was aborted.
        ACL_ERROR_RT_AICORE_TIMEOUT (507014): in stop mode: an operator took longer than its limit.
        ACL_ERROR_RT_AICORE_EXCEPTION (507015): in stop mode: a task failed on the device.
        ACL_ERROR_RT_VECTOR_CORE_EXCEPTION (507035): in stop mode: a task failed on a vector core of the device.
        ACL_ERROR_RT_EVENT_SYNC_TIMEOUT (507047): in stop mode: a stream waited for an event longer than its timeout.
        ACL_ERROR_RT_MEMORY_ALLOCATION (207001): in stop mode: the host that runs the emulator has no memory for a task.
        ACL_ERROR_RT_PARAM_INVALID (107000): called in a callback of a stream, and the machine only reports.

    Products: all
    """

def aclrtSetOpWaitTimeout(timeout: SupportsIndex) -> int:
    """aclError aclrtSetOpWaitTimeout(uint32_t timeout)

    How many seconds of simulated time a stream waits for an event that has no timeout of its own, on the device of
    the current context; 0, as at first: for ever.

    Returns:
        ACL_SUCCESS (0): set.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000): the product does not have the function (see Products).

    Products:
        Atlas A2 training series/Atlas 800I A2 inference products: supported
        Atlas A3 training/inference series: supported
        Atlas training series: supported
        Atlas inference series: ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000)
        Atlas 200I/500 A2 inference products: supported
    """

def aclrtStreamWaitEvent(stream: aclrtStream | c_void_p | int | None, event: aclrtEvent | c_void_p | int | None) -> int:
    """aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event)

    Later tasks of the stream wait for the latest record that the event has at the call. Null is the default stream.

    An event that was never recorded: one of the new mode is not waited for; a classic one with ACL_EVENT_SYNC is waited
    for until somebody records it.

    Returns:
        ACL_SUCCESS (0): queued, or there is nothing to wait for.
        ACL_ERROR_INVALID_PARAM (100000): `event` is null.
        ACL_ERROR_RT_INVALID_HANDLE (107017): a handle was destroyed, or is of another kind.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_RT_STREAM_CONTEXT (107003): the stream belongs to another context.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000): the event has neither ACL_EVENT_SYNC nor flag 4, so nobody can wait for it.
        ACL_ERROR_RT_PARAM_INVALID (107000): the event is for the device alone, or a classic one without ACL_EVENT_SYNC that was
            never recorded.
        ACL_ERROR_RT_STREAM_ABORT (107023): a stream was aborted.
        ACL_ERROR_RT_AICORE_TIMEOUT (507014): in stop mode: an operator took longer than its limit.
        ACL_ERROR_RT_AICORE_EXCEPTION (507015): in stop mode: a task failed on the device.
        ACL_ERROR_RT_VECTOR_CORE_EXCEPTION (507035): in stop mode: a task failed on a vector core of the device.
        ACL_ERROR_RT_EVENT_SYNC_TIMEOUT (507047): in stop mode: a stream waited for an event longer than its timeout.
        ACL_ERROR_RT_MEMORY_ALLOCATION (207001): in stop mode: the host that runs the emulator has no memory for a task.
        ACL_ERROR_RT_PARAM_INVALID (107000): called in a callback of a stream, and the machine only reports.

    Products: all
    """

def aclrtStreamWaitEventWithFlag(stream: aclrtStream | c_void_p | int | None, event: aclrtEvent | c_void_p | int | None, timeout: SupportsIndex, flag: SupportsIndex) -> int:
    """aclError aclrtStreamWaitEventWithFlag(aclrtStream stream, aclrtEvent event, uint32_t timeout, uint32_t flag)

    aclrtStreamWaitEvent for at most `timeout` seconds (0: for ever), with ACL_EVENT_WAIT_DEFAULT (0);
    ACL_EVENT_WAIT_EXTERNAL (1) is for streams being captured, which this emulator does not have.

    Returns:
        ACL_SUCCESS (0): queued, or there is nothing to wait for.
        ACL_ERROR_INVALID_PARAM (100000): `event` is null, `flag` is neither 0 nor 1, or flag 1 comes with a timeout.
        ACL_ERROR_RT_INVALID_HANDLE (107017): a handle was destroyed, or is of another kind.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_RT_STREAM_CONTEXT (107003): the stream belongs to another context.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000): the event has neither ACL_EVENT_SYNC nor flag 4; or flag 1, and the event was
            not made by aclrtCreateEventExWithFlag with ACL_EVENT_SYNC alone.
        ACL_ERROR_RT_PARAM_INVALID (107000): the event is for the device alone, or a classic one without ACL_EVENT_SYNC that was
            never recorded; or flag 1 on an event that was recorded with flag 0.
        ACL_ERROR_RT_STREAM_NOT_CAPTURED (107029): flag 1, and the stream is not being captured.
        ACL_ERROR_RT_STREAM_ABORT (107023): a stream was aborted.
        ACL_ERROR_RT_AICORE_TIMEOUT (507014): in stop mode: an operator took longer than its limit.
        ACL_ERROR_RT_AICORE_EXCEPTION (507015): in stop mode: a task failed on the device.
        ACL_ERROR_RT_VECTOR_CORE_EXCEPTION (507035): in stop mode: a task failed on a vector core of the device.
        ACL_ERROR_RT_EVENT_SYNC_TIMEOUT (507047): in stop mode: a stream waited for an event longer than its timeout.
        ACL_ERROR_RT_MEMORY_ALLOCATION (207001): in stop mode: the host that runs the emulator has no memory for a task.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000): the product does not have the function (see Products).
        ACL_ERROR_RT_PARAM_INVALID (107000): called in a callback of a stream, and the machine only reports.

    Products:
        Atlas A2 training series/Atlas 800I A2 inference products: supported
        Atlas A3 training/inference series: supported
        Atlas training series: not documented; flag 0 works, flag 1: ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000)
        Atlas inference series: not documented; flag 0 works, flag 1: ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000)
        Atlas 200I/500 A2 inference products: not documented; flag 0 works, flag 1: ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000)
    """

def aclrtStreamWaitEventWithTimeout(stream: aclrtStream | c_void_p | int | None, event: aclrtEvent | c_void_p | int | None, timeout: SupportsIndex) -> int:
    """aclError aclrtStreamWaitEventWithTimeout(aclrtStream stream, aclrtEvent event, int32_t timeout)

    aclrtStreamWaitEvent for at most `timeout` seconds of simulated time (0: for ever), after which the stream fails
    with ACL_ERROR_RT_EVENT_SYNC_TIMEOUT at its next synchronise.

    Returns:
        ACL_SUCCESS (0): queued, or there is nothing to wait for.
        ACL_ERROR_RT_INVALID_HANDLE (107017): a handle was destroyed, or is of another kind.
        ACL_ERROR_RT_PARAM_INVALID (107000): `event` is null, `timeout` is negative, or the event is for the device alone, or a
            classic one without ACL_EVENT_SYNC that was never recorded.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_RT_STREAM_CONTEXT (107003): the stream belongs to another context.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000): the event has neither ACL_EVENT_SYNC nor flag 4.
        ACL_ERROR_RT_STREAM_ABORT (107023): a stream was aborted.
        ACL_ERROR_RT_AICORE_TIMEOUT (507014): in stop mode: an operator took longer than its limit.
        ACL_ERROR_RT_AICORE_EXCEPTION (507015): in stop mode: a task failed on the device.
        ACL_ERROR_RT_VECTOR_CORE_EXCEPTION (507035): in stop mode: a task failed on a vector core of the device.
        ACL_ERROR_RT_EVENT_SYNC_TIMEOUT (507047): in stop mode: a stream waited for an event longer than its timeout.
        ACL_ERROR_RT_MEMORY_ALLOCATION (207001): in stop mode: the host that runs the emulator has no memory for a task.
        ACL_ERROR_RT_PARAM_INVALID (107000): called in a callback of a stream, and the machine only reports.

    Products: all
    """

def aclrtExceptionInfoCallbackRegister(callback: Callable[..., Any] | None) -> int:
    """aclError aclrtExceptionInfoCallbackRegister(aclrtExceptionInfoCallback callback)

    Have `callback(exceptionInfo)` called, besides others, when a task fails on a device; one that is registered
    already is called once.

    Returns:
        ACL_SUCCESS (0): registered.
        ACL_ERROR_RT_PARAM_INVALID (107000): `callback` is null.

    Products: all
    """

def aclrtExceptionInfoCallbackUnregister(callback: Callable[..., Any] | None) -> int:
    """aclError aclrtExceptionInfoCallbackUnregister(aclrtExceptionInfoCallback callback)

    Take a registered callback away; one that is not registered is no error.

    Returns:
        ACL_SUCCESS (0): it is not registered any more.
        ACL_ERROR_RT_PARAM_INVALID (107000): `callback` is null.

    Products: all
    """

def aclrtGetDeviceIdFromExceptionInfo(info: aclrtExceptionInfo | c_void_p | None) -> int:
    """uint32_t aclrtGetDeviceIdFromExceptionInfo(const aclrtExceptionInfo *info)

    The device of the failed task; 0xFFFFFFFF for a null info.

    Products: all
    """

def aclrtGetErrorCodeFromExceptionInfo(info: aclrtExceptionInfo | c_void_p | None) -> int:
    """uint32_t aclrtGetErrorCodeFromExceptionInfo(const aclrtExceptionInfo *info)

    The status that the failed task makes its stream answer with; 0xFFFFFFFF for a null info.

    Products: all
    """

def aclrtGetStreamIdFromExceptionInfo(info: aclrtExceptionInfo | c_void_p | None) -> int:
    """uint32_t aclrtGetStreamIdFromExceptionInfo(const aclrtExceptionInfo *info)

    The id of the failed task's stream; 0xFFFFFFFF for a null info.

    Products: all
    """

def aclrtGetTaskIdFromExceptionInfo(info: aclrtExceptionInfo | c_void_p | None) -> int:
    """uint32_t aclrtGetTaskIdFromExceptionInfo(const aclrtExceptionInfo *info)

    The number of the failed task in its stream; 0xFFFFFFFF for a null info.

    Products: all
    """

def aclrtGetThreadIdFromExceptionInfo(info: aclrtExceptionInfo | c_void_p | None) -> int:
    """uint32_t aclrtGetThreadIdFromExceptionInfo(const aclrtExceptionInfo *info)

    The system's id of the host thread that launched the failed task; 0xFFFFFFFF for a null info.

    Products: all
    """

def aclrtSetExceptionInfoCallback(callback: Callable[..., Any] | None) -> int:
    """aclError aclrtSetExceptionInfoCallback(aclrtExceptionInfoCallback callback)

    Have `callback(exceptionInfo)` called when a task fails on a device. One slot: the last wins, null clears it.

    Deprecated: aclrtExceptionInfoCallbackRegister keeps several.

    Returns:
        ACL_SUCCESS (0): set, or cleared.

    Products: all
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

def aclrtFreeHost(hostPtr: Source) -> int:
    """aclError aclrtFreeHost(void *hostPtr)

    Free pinned host memory at once: no stream is waited for, no context is needed.

    Returns:
        ACL_SUCCESS (0): freed.
        ACL_ERROR_INVALID_PARAM (100000): `hostPtr` is null.
        ACL_ERROR_RT_PARAM_INVALID (107000): `hostPtr` is device memory, or no start of live memory from aclrtMallocHost: freed
            already, inside an allocation, registered, or plain memory of the host.
        ACL_ERROR_RT_PARAM_INVALID (107000): called in a callback of a stream, and the machine only reports.

    Products: all
    """

def aclrtFreeHostWithDevSync(hostPtr: Source) -> int:
    """aclError aclrtFreeHostWithDevSync(void *hostPtr)

    Wait for all streams of the current context as aclrtSynchronizeDevice does, then free pinned host memory.

    What failed in the streams is returned, and the memory then stays.

    Returns:
        ACL_SUCCESS (0): freed.
        ACL_ERROR_INVALID_PARAM (100000): `hostPtr` is null.
        ACL_ERROR_RT_PARAM_INVALID (107000): `hostPtr` is device memory, or no start of live memory from aclrtMallocHost.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_RT_STREAM_SYNC_TIMEOUT (507046): the work can never be done (in a machine that only reports).
        ACL_ERROR_RT_STREAM_ABORT (107023): a stream was aborted.
        ACL_ERROR_RT_AICORE_TIMEOUT (507014): an operator took longer than its limit.
        ACL_ERROR_RT_AICORE_EXCEPTION (507015): a task failed on the device.
        ACL_ERROR_RT_VECTOR_CORE_EXCEPTION (507035): a task failed on a vector core of the device.
        ACL_ERROR_RT_EVENT_SYNC_TIMEOUT (507047): a stream waited for an event longer than its timeout.
        ACL_ERROR_RT_MEMORY_ALLOCATION (207001): the host that runs the emulator has no memory for a task.
        ACL_ERROR_RT_PARAM_INVALID (107000): called in a callback of a stream, and the machine only reports.

    Products: all
    """

def aclrtMallocHost(hostPtr: Output[c_void_p], size: SupportsIndex) -> int:
    """aclError aclrtMallocHost(void **hostPtr, size_t size)

    Allocate `size` bytes of pinned host memory, which the host reads and writes through its address.

    The address is that of a page; `roundup(size, 32)` bytes may be used. The contents are zeros here.

    Returns:
        ACL_SUCCESS (0): `*hostPtr` is the address.
        ACL_ERROR_INVALID_PARAM (100000): `hostPtr` is null, or `size` is 0.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_RT_MEMORY_ALLOCATION (207001): the host does not have that much memory left; `*hostPtr` is null.
        ACL_ERROR_RT_PARAM_INVALID (107000): called in a callback of a stream, and the machine only reports.

    Products: all
    """

def aclrtMallocHostWithCfg(ptr: Output[c_void_p], size: SupportsIndex, cfg: Target) -> int:
    """aclError aclrtMallocHostWithCfg(void **ptr, uint64_t size, aclrtMallocConfig *cfg)

    aclrtMallocHost with attributes in `cfg` (null: none): module and device.

    Returns:
        ACL_SUCCESS (0): `*ptr` is the address.
        ACL_ERROR_INVALID_PARAM (100000): `ptr` is null, `size` is 0, or `cfg` counts attributes but has no array.
        ACL_ERROR_RT_PARAM_INVALID (107000): `cfg` has no array, an attribute is unknown, or it names another device than that
            of the current context.
        ACL_ERROR_API_NOT_SUPPORT (200001): `cfg` asks for an address that is the same on host and device.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_RT_MEMORY_ALLOCATION (207001): the host does not have that much memory left; `*ptr` is null.
        ACL_ERROR_RT_PARAM_INVALID (107000): called in a callback of a stream, and the machine only reports.

    Products: all
    """

def aclrtHostGetDevicePointer(pHost: Source, pDevice: Output[c_void_p], flag: SupportsIndex) -> int:
    """aclError aclrtHostGetDevicePointer(void *pHost, void **pDevice, uint32_t flag)

    Tell the address on the device of registered host memory, or of a byte inside it.

    Returns:
        ACL_SUCCESS (0): `*pDevice` is the address.
        ACL_ERROR_INVALID_PARAM (100000): `pHost` or `pDevice` is null, or `flag`, which is reserved, is not 0.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_RT_PARAM_INVALID (107000): `pHost` lies in no registered memory, or in memory that was only pinned.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000): the product does not have the function (see Products).

    Products:
        Atlas A2 training series/Atlas 800I A2 inference products: supported
        Atlas A3 training/inference series: supported
        Atlas training series: not documented, but it works
        Atlas inference series: ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000)
        Atlas 200I/500 A2 inference products: ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000)
    """

def aclrtHostRegister(ptr: Target, size: SupportsIndex, type: SupportsIndex, devPtr: Output[c_void_p]) -> int:
    """aclError aclrtHostRegister(void *ptr, uint64_t size, aclrtHostRegisterType type, void **devPtr)

    Give `size` bytes of host memory an address on the device of the current context: both sides use the same bytes.

    Copies treat the memory at `ptr` as pinned. It must stay until aclrtHostUnregister.

    Returns:
        ACL_SUCCESS (0): `*devPtr` is the address on the device.
        ACL_ERROR_INVALID_PARAM (100000): `ptr` or `devPtr` is null, `size` is 0, or `type` is no aclrtHostRegisterType.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_RT_PARAM_INVALID (107000): the range is not all memory of the host that can be read and, unless `type` is
            read-only, written.
        ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED (507910): some of the range is registered.
        ACL_ERROR_RT_MEMORY_ALLOCATION (207001): the device has no address left.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000): the product does not have the function (see Products).

    Products:
        Atlas A2 training series/Atlas 800I A2 inference products: supported
        Atlas A3 training/inference series: supported
        Atlas training series: not documented, but it works
        Atlas inference series: ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000)
        Atlas 200I/500 A2 inference products: ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000)
    """

def aclrtHostRegisterV2(ptr: Target, size: SupportsIndex, flag: SupportsIndex) -> int:
    """aclError aclrtHostRegisterV2(void *ptr, uint64_t size, uint32_t flag)

    Register `size` bytes of host memory: `flag` is an or of ACL_HOST_REG_MAPPED, _IOMEMORY, _READONLY (give it an
    address on the device of the current context, which aclrtHostGetDevicePointer gives) and _PINNED.

    Copies treat the memory at `ptr` as pinned. It must stay until aclrtHostUnregister.

    Returns:
        ACL_SUCCESS (0): registered.
        ACL_ERROR_INVALID_PARAM (100000): `ptr` is null, or `size` is 0.
        ACL_ERROR_RT_PARAM_INVALID (107000): `flag` has no known bit or an unknown one, or the range is not all memory of the
            host that can be read and, unless it is read-only, written.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED (507910): some of the range is registered.
        ACL_ERROR_RT_MEMORY_ALLOCATION (207001): the device has no address left.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000): the product does not have the function (see Products).

    Products:
        Atlas A2 training series/Atlas 800I A2 inference products: supported
        Atlas A3 training/inference series: supported
        Atlas training series: not documented, but it works
        Atlas inference series: not documented; ACL_HOST_REG_PINNED alone works, else ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000)
        Atlas 200I/500 A2 inference products: not documented; ACL_HOST_REG_PINNED alone works, else ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000)
    """

def aclrtHostUnregister(ptr: Source) -> int:
    """aclError aclrtHostUnregister(void *ptr)

    End the registration of the host memory that starts at `ptr`; its address on the device is dead afterwards.

    Returns:
        ACL_SUCCESS (0): the memory is the host program's alone again.
        ACL_ERROR_INVALID_PARAM (100000): `ptr` is null.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_HOST_MEMORY_NOT_REGISTERED (507911): `ptr` is no start of registered memory.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000): the product does not have the function (see Products).

    Products:
        Atlas A2 training series/Atlas 800I A2 inference products: supported
        Atlas A3 training/inference series: supported
        Atlas training series: not documented, but it works
        Atlas inference series: not documented; works for memory only pinned, else ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000)
        Atlas 200I/500 A2 inference products: not documented; works for memory only pinned, else ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000)
    """

def aclFinalize() -> int:
    """aclError aclFinalize()

    Undo aclInit, whatever its count. Streams, memory and contexts are neither checked nor released.

    Callbacks of aclFinalizeCallbackRegister run inside it, all of them; the first error of one, whatever its code,
    is returned, and the process is finalised all the same.

    Returns:
        ACL_SUCCESS (0): finalised; also the first time without any aclInit.
        ACL_ERROR_REPEAT_FINALIZE (100037): already finalised, with no aclInit since.
        ACL_ERROR_FAILURE (500001): for instance: a callback returned it.

    Products: all
    """

def aclFinalizeReference(refCount: Output[c_uint64]) -> int:
    """aclError aclFinalizeReference(uint64_t *refCount)

    Take one aclInit back; the last one finalises, as aclFinalize does.

    What is left of the count goes to `*refCount`, which may be null.

    Returns:
        ACL_SUCCESS (0): one less, or finalised.
        ACL_ERROR_REPEAT_FINALIZE (100037): the count was 0.
        ACL_ERROR_FAILURE (500001): for instance: a callback returned it.

    Products: all
    """

def aclInit(configPath: str | bytes | c_char_p | None) -> int:
    """aclError aclInit(const char *configPath)

    Initialise, once per process. `configPath` names a JSON file, or is null or empty for the defaults.

    No other function insists on it. Callbacks of aclInitCallbackRegister run inside it; an
    error of one, whatever its code, ends aclInit with that code, and the process is not initialised.

    Returns:
        ACL_SUCCESS (0): initialised.
        ACL_ERROR_REPEAT_INITIALIZE (100002): already initialised; counted, nothing else happens, nothing is recorded.
        ACL_ERROR_INVALID_FILE (100003): the file cannot be read.
        ACL_ERROR_PARSE_FILE (100006): the file is not JSON, or `{` or `[` are nested deeper than 10.
        ACL_ERROR_INVALID_DUMP_CONFIG (100009): a bad value in the section `dump`.
        ACL_ERROR_INVALID_PARAM (100000): `err_msg_mode` or `event_mode` is neither "0" nor "1", or the content differs from
            that of the first successful aclInit.
        ACL_ERROR_INTERNAL_ERROR (500000): the machine has no device.
        ACL_ERROR_FAILURE (500001): a bad default device, stack size or print fifo size.

    Products: all
    """

def aclFinalizeCallbackRegister(type: SupportsIndex, cbFunc: Callable[..., Any] | None, userData: Any) -> int:
    """aclError aclFinalizeCallbackRegister(aclRegisterCallbackType type, aclFinalizeCallbackFunc cbFunc, void *userData)

    Have `cbFunc(userData)` called by the aclFinalize, or the last aclFinalizeReference, that finalises.

    Of the types 0 to 7 each takes one callback, ACL_REG_TYPE_OTHER any number; called are model, operator executor,
    media (ACL_REG_TYPE_ACL_DVPP), then other.

    Returns:
        ACL_SUCCESS (0): registered.
        ACL_ERROR_INVALID_PARAM (100000): `type` is no aclRegisterCallbackType, or `cbFunc` is null.
        ACL_ERROR_INTERNAL_ERROR (500000): the type has its callback already.

    Products: all
    """

def aclFinalizeCallbackUnRegister(type: SupportsIndex, cbFunc: Callable[..., Any] | None) -> int:
    """aclError aclFinalizeCallbackUnRegister(aclRegisterCallbackType type, aclFinalizeCallbackFunc cbFunc)

    Take a callback of aclFinalizeCallbackRegister back: the first of this type with this function.

    Returns:
        ACL_SUCCESS (0): it will not be called any more.
        ACL_ERROR_INVALID_PARAM (100000): `type` is no aclRegisterCallbackType, or `cbFunc` is null.
        ACL_ERROR_INTERNAL_ERROR (500000): it is not registered for this type.

    Products: all
    """

def aclInitCallbackRegister(type: SupportsIndex, cbFunc: Callable[..., Any] | None, userData: Any) -> int:
    """aclError aclInitCallbackRegister(aclRegisterCallbackType type, aclInitCallbackFunc cbFunc, void *userData)

    Have `cbFunc(config, len, userData)` called by aclInit, which an error ends; while initialised it is called at
    once, and its result ignored.

    `config` is the text of the configuration file, empty without one: bytes for a ctypes function, str for a Python
    one; `len` counts its bytes. Of the types 0 to 7 each takes one callback, ACL_REG_TYPE_OTHER any number. aclInit
    calls model, operator executor (only with a configuration file), media (ACL_REG_TYPE_ACL_DVPP), then other.

    Returns:
        ACL_SUCCESS (0): registered.
        ACL_ERROR_INVALID_PARAM (100000): `type` is no aclRegisterCallbackType, or `cbFunc` is null.
        ACL_ERROR_INTERNAL_ERROR (500000): the type has its callback already.

    Products: all
    """

def aclInitCallbackUnRegister(type: SupportsIndex, cbFunc: Callable[..., Any] | None) -> int:
    """aclError aclInitCallbackUnRegister(aclRegisterCallbackType type, aclInitCallbackFunc cbFunc)

    Take a callback of aclInitCallbackRegister back: the first of this type with this function.

    Returns:
        ACL_SUCCESS (0): it will not be called any more.
        ACL_ERROR_INVALID_PARAM (100000): `type` is no aclRegisterCallbackType, or `cbFunc` is null.
        ACL_ERROR_INTERNAL_ERROR (500000): it is not registered for this type.

    Products: all
    """

def aclrtGetDeviceResLimit(deviceId: SupportsIndex, type: SupportsIndex, value: Output[c_uint32]) -> int:
    """aclError aclrtGetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type, uint32_t *value)

    Tell how many cube (0) or vector (1) cores this process may use of a device: all, unless a limit was set.

    Returns:
        ACL_SUCCESS (0): `*value` is the number of cores.
        ACL_ERROR_INVALID_PARAM (100000): `value` is null.
        ACL_ERROR_RT_PARAM_INVALID (107000): `type` is another number.
        ACL_ERROR_RT_INVALID_DEVICEID (107001): `deviceId` is not in [0, number of devices).

    Products: all
    """

def aclrtGetResInCurrentThread(type: SupportsIndex, value: Output[c_uint32]) -> int:
    """aclError aclrtGetResInCurrentThread(aclrtDevResLimitType type, uint32_t *value)

    Tell how many cube (0) or vector (1) cores launches of the calling thread use on its current device.

    Returns:
        ACL_SUCCESS (0): `*value` is the limit of the stream that the thread adopted, else that of the process, else all.
        ACL_ERROR_INVALID_PARAM (100000): `value` is null.
        ACL_ERROR_RT_PARAM_INVALID (107000): `type` is another number.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.

    Products: all
    """

def aclrtGetStreamResLimit(stream: aclrtStream | c_void_p | int | None, type: SupportsIndex, value: Output[c_uint32]) -> int:
    """aclError aclrtGetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type, uint32_t *value)

    Tell how many cube (0) or vector (1) cores a stream may use: its limit, else that of the process, else all.
    Null is the default stream of the current context.

    Returns:
        ACL_SUCCESS (0): `*value` is the number of cores.
        ACL_ERROR_INVALID_PARAM (100000): `value` is null.
        ACL_ERROR_RT_INVALID_HANDLE (107017): the handle was destroyed, or is no stream.
        ACL_ERROR_RT_PARAM_INVALID (107000): `type` is another number.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.

    Products: all
    """

def aclrtResetDeviceResLimit(deviceId: SupportsIndex) -> int:
    """aclError aclrtResetDeviceResLimit(int32_t deviceId)

    Take back what aclrtSetDeviceResLimit set for a device.

    Returns:
        ACL_SUCCESS (0): the process may use all cores.
        ACL_ERROR_RT_INVALID_DEVICEID (107001): `deviceId` is not in [0, number of devices).

    Products: all
    """

def aclrtResetStreamResLimit(stream: aclrtStream | c_void_p | int | None) -> int:
    """aclError aclrtResetStreamResLimit(aclrtStream stream)

    Take back what aclrtSetStreamResLimit set. Null is the default stream of the current context.

    Returns:
        ACL_SUCCESS (0): the stream has no limit of its own.
        ACL_ERROR_RT_INVALID_HANDLE (107017): the handle was destroyed, or is no stream.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_RT_STREAM_CONTEXT (107003): the stream belongs to another context.

    Products: all
    """

def aclrtSetDeviceResLimit(deviceId: SupportsIndex, type: SupportsIndex, value: SupportsIndex) -> int:
    """aclError aclrtSetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type, uint32_t value)

    Limit the cube (0) or vector (1) cores that later launches of this process use of a device.

    Returns:
        ACL_SUCCESS (0): the limit holds until the next one.
        ACL_ERROR_RT_INVALID_DEVICEID (107001): `deviceId` is not in [0, number of devices).
        ACL_ERROR_RT_PARAM_INVALID (107000): `type` is another number; `value` is 0, or more than the device has.

    Products: all
    """

def aclrtSetStreamResLimit(stream: aclrtStream | c_void_p | int | None, type: SupportsIndex, value: SupportsIndex) -> int:
    """aclError aclrtSetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type, uint32_t value)

    Limit the cube (0) or vector (1) cores of a stream, for threads that adopt it with
    aclrtUseStreamResInCurrentThread. Null is the default stream of the current context.

    Returns:
        ACL_SUCCESS (0): the limit holds until the next one.
        ACL_ERROR_RT_INVALID_HANDLE (107017): the handle was destroyed, or is no stream.
        ACL_ERROR_RT_PARAM_INVALID (107000): `type` is another number; `value` is 0, or more than the device has.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_RT_STREAM_CONTEXT (107003): the stream belongs to another context.

    Products: all
    """

def aclrtUnuseStreamResInCurrentThread(stream: aclrtStream | c_void_p | int | None) -> int:
    """aclError aclrtUnuseStreamResInCurrentThread(aclrtStream stream)

    Take back aclrtUseStreamResInCurrentThread; a stream that the calling thread did not adopt changes nothing.

    Returns:
        ACL_SUCCESS (0): the limits of the stream do not hold for the thread.
        ACL_ERROR_RT_INVALID_HANDLE (107017): the handle was destroyed, or is no stream.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.

    Products: all
    """

def aclrtUseStreamResInCurrentThread(stream: aclrtStream | c_void_p | int | None) -> int:
    """aclError aclrtUseStreamResInCurrentThread(aclrtStream stream)

    Let the limits of a stream hold for what the calling thread launches on that device from now on, instead of
    those of the stream adopted before. Null is the default stream of the current context.

    Returns:
        ACL_SUCCESS (0): the thread adopted the stream.
        ACL_ERROR_RT_INVALID_HANDLE (107017): the handle was destroyed, or is no stream.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.

    Products: all
    """

def aclAppLog(logLevel: SupportsIndex, func: str | bytes | c_char_p | None, file: str | bytes | c_char_p | None, line: SupportsIndex, fmt: str | bytes | c_char_p | None, *args: Any) -> None:
    """void aclAppLog(aclLogLevel logLevel, const char *func, const char *file, uint32_t line, const char *fmt, ...)

    Log a message, formatted as printf does, of at most 1024 bytes.

    It goes to the logger "acl_runtime.app" of Python's logging, and nowhere unless that is configured. A format that
    does not fit its arguments stays as it stands; a level that is no aclLogLevel logs nothing.

    Products: all
    """

def aclrtFree(devPtr: Source) -> int:
    """aclError aclrtFree(void *devPtr)

    Free device memory at once: no stream is waited for, no context is needed.

    Returns:
        ACL_SUCCESS (0): freed.
        ACL_ERROR_INVALID_PARAM (100000): `devPtr` is null.
        ACL_ERROR_RT_PARAM_INVALID (107000): `devPtr` is no start of live device memory: freed already, inside an
            allocation, or memory of the host.
        ACL_ERROR_RT_PARAM_INVALID (107000): called in a callback of a stream, and the machine only reports.

    Products: all
    """

def aclrtFreeWithDevSync(devPtr: Source) -> int:
    """aclError aclrtFreeWithDevSync(void *devPtr)

    Wait for all streams of the current context as aclrtSynchronizeDevice does, then free device memory.

    What failed in the streams is returned, and the memory then stays.

    Returns:
        ACL_SUCCESS (0): freed.
        ACL_ERROR_INVALID_PARAM (100000): `devPtr` is null.
        ACL_ERROR_RT_PARAM_INVALID (107000): `devPtr` is no start of live device memory: freed already, inside an
            allocation, or memory of the host.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_RT_STREAM_SYNC_TIMEOUT (507046): the work can never be done (in a machine that only reports).
        ACL_ERROR_RT_STREAM_ABORT (107023): a stream was aborted.
        ACL_ERROR_RT_AICORE_TIMEOUT (507014): an operator took longer than its limit.
        ACL_ERROR_RT_AICORE_EXCEPTION (507015): a task failed on the device.
        ACL_ERROR_RT_VECTOR_CORE_EXCEPTION (507035): a task failed on a vector core of the device.
        ACL_ERROR_RT_EVENT_SYNC_TIMEOUT (507047): a stream waited for an event longer than its timeout.
        ACL_ERROR_RT_MEMORY_ALLOCATION (207001): the host that runs the emulator has no memory for a task.
        ACL_ERROR_RT_PARAM_INVALID (107000): called in a callback of a stream, and the machine only reports.

    Products: all
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
        ACL_ERROR_RT_MEMORY_ALLOCATION (207001): the device (or the host under the emulator) does not have that much left;
            `*devPtr` is null.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000): the policy asks for 1 GiB pages, which only A2 and A3 have.
        ACL_ERROR_RT_PARAM_INVALID (107000): called in a callback of a stream, and the machine only reports.

    Products: all
    """

def aclrtMallocAlign32(devPtr: Output[c_void_p], size: SupportsIndex, policy: SupportsIndex) -> int:
    """aclError aclrtMallocAlign32(void **devPtr, size_t size, aclrtMemMallocPolicy policy)

    aclrtMalloc without the 32 bytes more: `roundup(size, 32)` bytes are taken.

    Returns:
        ACL_SUCCESS (0): `*devPtr` is the address.
        ACL_ERROR_INVALID_PARAM (100000): `devPtr` is null, or `size` is 0 or near SIZE_MAX.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_RT_MEMORY_ALLOCATION (207001): the device (or the host under the emulator) does not have that much left;
            `*devPtr` is null.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000): the policy asks for 1 GiB pages, which only A2 and A3 have.
        ACL_ERROR_RT_PARAM_INVALID (107000): called in a callback of a stream, and the machine only reports.

    Products: all
    """

def aclrtMallocCached(devPtr: Output[c_void_p], size: SupportsIndex, policy: SupportsIndex) -> int:
    """aclError aclrtMallocCached(void **devPtr, size_t size, aclrtMemMallocPolicy policy)

    aclrtMalloc of memory that goes through the cache of the host where a product has one: aclrtMemFlush and
    aclrtMemInvalidate then keep the two sides equal. Only the policies 0, 1, 2 and 6 differ, others mean the default.

    Returns:
        ACL_SUCCESS (0): `*devPtr` is the address.
        ACL_ERROR_INVALID_PARAM (100000): `devPtr` is null, `size` is 0 or near SIZE_MAX, or `policy` is no aclrtMemMallocPolicy.
        ACL_ERROR_RT_PARAM_INVALID (107000): `size` is more than 2^50 bytes.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_RT_MEMORY_ALLOCATION (207001): the device (or the host under the emulator) does not have that much left;
            `*devPtr` is null.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000): the policy asks for 1 GiB pages, which only A2 and A3 have.
        ACL_ERROR_RT_PARAM_INVALID (107000): called in a callback of a stream, and the machine only reports.

    Products: all
    """

def aclrtMallocForTaskScheduler(devPtr: Output[c_void_p], size: SupportsIndex, policy: SupportsIndex, cfg: Target) -> int:
    """aclError aclrtMallocForTaskScheduler(void **devPtr, size_t size, aclrtMemMallocPolicy policy, aclrtMallocConfig *cfg)

    aclrtMallocWithCfg of memory that the task scheduler of the device can reach, as all memory here.

    Returns:
        ACL_SUCCESS (0): `*devPtr` is the address.
        ACL_ERROR_INVALID_PARAM (100000): `devPtr` is null, `size` is 0 or near SIZE_MAX, or `cfg` counts attributes but has
            no array.
        ACL_ERROR_RT_PARAM_INVALID (107000): `cfg` has no array, an attribute is unknown, or it names another device than that
            of the current context.
        ACL_ERROR_API_NOT_SUPPORT (200001): `cfg` asks for an address that is the same on host and device.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_RT_MEMORY_ALLOCATION (207001): the device (or the host under the emulator) does not have that much left;
            `*devPtr` is null.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000): the policy asks for 1 GiB pages, which only A2 and A3 have.
        ACL_ERROR_RT_PARAM_INVALID (107000): called in a callback of a stream, and the machine only reports.

    Products: all
    """

def aclrtMallocWithCfg(devPtr: Output[c_void_p], size: SupportsIndex, policy: SupportsIndex, cfg: Target) -> int:
    """aclError aclrtMallocWithCfg(void **devPtr, size_t size, aclrtMemMallocPolicy policy, aclrtMallocConfig *cfg)

    aclrtMalloc with attributes in `cfg` (null: none): module and device. `roundup(size, 32)` bytes are taken.

    To the page size in `policy`, a bandwidth and a read-only bit may be or-ed; they change nothing here.

    Returns:
        ACL_SUCCESS (0): `*devPtr` is the address.
        ACL_ERROR_INVALID_PARAM (100000): `devPtr` is null, `size` is 0 or near SIZE_MAX, or `cfg` counts attributes but has
            no array.
        ACL_ERROR_RT_PARAM_INVALID (107000): `cfg` has no array, an attribute is unknown, or it names another device than that
            of the current context.
        ACL_ERROR_API_NOT_SUPPORT (200001): `cfg` asks for an address that is the same on host and device.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_RT_MEMORY_ALLOCATION (207001): the device (or the host under the emulator) does not have that much left;
            `*devPtr` is null.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000): the policy asks for 1 GiB pages, which only A2 and A3 have.
        ACL_ERROR_RT_PARAM_INVALID (107000): called in a callback of a stream, and the machine only reports.

    Products: all
    """

def aclrtMemFlush(devPtr: Source, size: SupportsIndex) -> int:
    """aclError aclrtMemFlush(void *devPtr, size_t size)

    Write the host's cache of memory from aclrtMallocCached back. These products
    have no such cache, so nothing has to be done.

    Returns:
        ACL_SUCCESS (0): nothing had to be done.
        ACL_ERROR_INVALID_PARAM (100000): `devPtr` is null, or `size` is 0.

    Products: all
    """

def aclrtMemInvalidate(devPtr: Source, size: SupportsIndex) -> int:
    """aclError aclrtMemInvalidate(void *devPtr, size_t size)

    Drop the host's cache of memory from aclrtMallocCached. These products have no such cache, so
    nothing has to be done.

    Returns:
        ACL_SUCCESS (0): nothing had to be done.
        ACL_ERROR_INVALID_PARAM (100000): `devPtr` is null, or `size` is 0.

    Products: all
    """

def aclrtCheckMemType(addrList: Sequence[Source] | Referred | None, size: SupportsIndex, memType: SupportsIndex, checkResult: Output[c_uint32], reserve: SupportsIndex) -> int:
    """aclError aclrtCheckMemType(void **addrList, uint32_t size, uint32_t memType, uint32_t *checkResult, uint32_t reserve)

    Tell whether all `size` addresses lie in memory of the kinds in `memType`, an or of ACL_RT_MEM_TYPE_DEV, _DVPP
    and _RSVD: live device memory is of the first, nothing here of the others.

    Returns:
        ACL_SUCCESS (0): `*checkResult` is 1 if they all do, else 0.
        ACL_ERROR_INVALID_PARAM (100000): `addrList` or `checkResult` is null, `size` is 0, `memType` has no known bit or an
            unknown one, or `reserve` is not 0.
        ACL_ERROR_RT_PARAM_INVALID (107000): `addrList` has fewer than `size` elements (in a machine that only reports).

    Products: all
    """

def aclrtGetMemInfo(attr: SupportsIndex, free: Output[c_uint64], total: Output[c_uint64]) -> int:
    """aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t *free, size_t *total)

    Tell free and total bytes of the current device's memory, of all pages or of those of one size.

    The training series, A2 and A3 have HBM, the others DDR; the numbers of the kind that a product lacks are 0. Memory
    shared between devices comes from the same pages.

    Returns:
        ACL_SUCCESS (0): `*free` and `*total` are written.
        ACL_ERROR_INVALID_PARAM (100000): `free` or `total` is null.
        ACL_ERROR_RT_INVALID_MEMORY_TYPE (107016): `attr` is not one of 0 to 17.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.

    Products: all
    """

def aclrtGetMemUsageInfo(deviceId: SupportsIndex, memUsageInfo: Target, inputNum: SupportsIndex, outputNum: Output[c_uint64]) -> int:
    """aclError aclrtGetMemUsageInfo(int32_t deviceId, aclrtMemUsageInfo *memUsageInfo, size_t inputNum, size_t *outputNum)

    Tell how many bytes of a device each module uses now, and used at most. All memory counts for one module, APP.

    Returns:
        ACL_SUCCESS (0): `*outputNum` elements of `memUsageInfo` are written.
        ACL_ERROR_INVALID_PARAM (100000): `memUsageInfo` or `outputNum` is null, or `inputNum`, the room in it, is 0.
        ACL_ERROR_RT_INVALID_DEVICEID (107001): `deviceId` is not in [0, number of devices).
        ACL_ERROR_RT_PARAM_INVALID (107000): `memUsageInfo` is no memory of the host that can be written (in a machine that
            only reports).

    Products: all
    """

def aclrtMemGetAddressRange(ptr: Source, pbase: Output[c_void_p], psize: Output[c_uint64]) -> int:
    """aclError aclrtMemGetAddressRange(void *ptr, void **pbase, size_t *psize)

    Tell start and size (as asked for) of the device memory that `ptr` lies in.

    Returns:
        ACL_SUCCESS (0): `*pbase` and `*psize` are written.
        ACL_ERROR_INVALID_PARAM (100000): `ptr`, `pbase` or `psize` is null.
        ACL_ERROR_RT_PARAM_INVALID (107000): `ptr` lies in no live device memory.

    Products: all
    """

def aclrtPointerGetAttributes(ptr: Source, attributes: Target) -> int:
    """aclError aclrtPointerGetAttributes(const void *ptr, aclrtPtrAttributes *attributes)

    Tell where the memory behind `ptr` lies: host memory that is pinned or registered (type 0), device memory
    (type 1, with the device as id), or any other memory of the host (type 2). It needs no context.

    Returns:
        ACL_SUCCESS (0): `*attributes` is written.
        ACL_ERROR_INVALID_PARAM (100000): `ptr` or `attributes` is null.
        ACL_ERROR_RT_PARAM_INVALID (107000): `ptr` is an address of a device at which no live memory lies.

    Products: all
    """

def aclrtMemset(devPtr: Target, maxCount: SupportsIndex, value: SupportsIndex, count: SupportsIndex) -> int:
    """aclError aclrtMemset(void *devPtr, size_t maxCount, int32_t value, size_t count)

    Write the low 8 bits of `value` to `count` bytes of device or pinned host memory at once; `maxCount` is the room
    at `devPtr`. No stream is waited for.

    Returns:
        ACL_SUCCESS (0): set; also for `count` 0, when nothing else is checked.
        ACL_ERROR_INVALID_PARAM (100000): `devPtr` is null.
        ACL_ERROR_RT_PARAM_INVALID (107000): `count` exceeds `maxCount`, or the address is no live device memory.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.

    Products: all
    """

def aclrtMemsetAsync(devPtr: Target, maxCount: SupportsIndex, value: SupportsIndex, count: SupportsIndex, stream: aclrtStream | c_void_p | int | None) -> int:
    """aclError aclrtMemsetAsync(void *devPtr, size_t maxCount, int32_t value, size_t count, aclrtStream stream)

    Write the low 8 bits of `value` to `count` bytes when the stream gets there. Null is the default stream.

    Returns:
        ACL_SUCCESS (0): queued; also for `count` 0, when nothing else is checked.
        ACL_ERROR_INVALID_PARAM (100000): `devPtr` is null.
        ACL_ERROR_RT_INVALID_HANDLE (107017): the handle was destroyed, or is no stream.
        ACL_ERROR_RT_PARAM_INVALID (107000): `count` exceeds `maxCount`, or the address is no live device memory.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_RT_STREAM_CONTEXT (107003): the stream belongs to another context.
        ACL_ERROR_RT_STREAM_ABORT (107023): a stream was aborted.
        ACL_ERROR_RT_AICORE_TIMEOUT (507014): in stop mode: an operator took longer than its limit.
        ACL_ERROR_RT_AICORE_EXCEPTION (507015): in stop mode: a task failed on the device.
        ACL_ERROR_RT_VECTOR_CORE_EXCEPTION (507035): in stop mode: a task failed on a vector core of the device.
        ACL_ERROR_RT_EVENT_SYNC_TIMEOUT (507047): in stop mode: a stream waited for an event longer than its timeout.
        ACL_ERROR_RT_MEMORY_ALLOCATION (207001): in stop mode: the host that runs the emulator has no memory for a task.
        ACL_ERROR_RT_PARAM_INVALID (107000): called in a callback of a stream, and the machine only reports.

    Products: all
    """

def aclrtMemsetD32(ptr: Target, memSize: SupportsIndex, value: SupportsIndex, N: SupportsIndex) -> int:
    """aclError aclrtMemsetD32(void *ptr, size_t memSize, uint32_t value, size_t N)

    Write the 32-bit `value` `N` times at once; `memSize` is the room at `ptr` in bytes.

    Returns:
        ACL_SUCCESS (0): set; also for `N` 0.
        ACL_ERROR_INVALID_PARAM (100000): `ptr` is null, no multiple of 4, or no live memory of aclrtMalloc or aclrtMallocHost;
            `memSize` is less than 4 N.
        ACL_ERROR_RT_PARAM_INVALID (107000): the host memory at `ptr` has fewer bytes, in a machine that only reports.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.

    Products:
        Atlas A2 training series/Atlas 800I A2 inference products: supported
        Atlas A3 training/inference series: supported
        Atlas training series: not documented, but it works
        Atlas inference series: not documented, but it works
        Atlas 200I/500 A2 inference products: not documented, but it works
    """

def aclrtMemsetD32Async(ptr: Target, memSize: SupportsIndex, value: SupportsIndex, N: SupportsIndex, stream: aclrtStream | c_void_p | int | None) -> int:
    """aclError aclrtMemsetD32Async(void *ptr, size_t memSize, uint32_t value, size_t N, aclrtStream stream)

    Write the 32-bit `value` `N` times when the stream gets there. Null is the default stream.

    Returns:
        ACL_SUCCESS (0): queued; also for `N` 0.
        ACL_ERROR_INVALID_PARAM (100000): `ptr` is null, no multiple of 4, or no live memory of aclrtMalloc or aclrtMallocHost;
            `memSize` is less than 4 N.
        ACL_ERROR_RT_INVALID_HANDLE (107017): the handle was destroyed, or is no stream.
        ACL_ERROR_RT_PARAM_INVALID (107000): the host memory at `ptr` has fewer bytes, in a machine that only reports.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_RT_STREAM_CONTEXT (107003): the stream belongs to another context.
        ACL_ERROR_RT_STREAM_ABORT (107023): a stream was aborted.
        ACL_ERROR_RT_AICORE_TIMEOUT (507014): in stop mode: an operator took longer than its limit.
        ACL_ERROR_RT_AICORE_EXCEPTION (507015): in stop mode: a task failed on the device.
        ACL_ERROR_RT_VECTOR_CORE_EXCEPTION (507035): in stop mode: a task failed on a vector core of the device.
        ACL_ERROR_RT_EVENT_SYNC_TIMEOUT (507047): in stop mode: a stream waited for an event longer than its timeout.
        ACL_ERROR_RT_MEMORY_ALLOCATION (207001): in stop mode: the host that runs the emulator has no memory for a task.
        ACL_ERROR_RT_PARAM_INVALID (107000): called in a callback of a stream, and the machine only reports.

    Products:
        Atlas A2 training series/Atlas 800I A2 inference products: supported
        Atlas A3 training/inference series: supported
        Atlas training series: not documented, but it works
        Atlas inference series: not documented, but it works
        Atlas 200I/500 A2 inference products: not documented, but it works
    """

def aclrtCtxGetSysParamOpt(opt: SupportsIndex, value: Output[c_int64]) -> int:
    """aclError aclrtCtxGetSysParamOpt(aclSysParamOpt opt, int64_t *value)

    Tell a system parameter of the current context: deterministic (0), debug kernel (1), strong consistency (2).

    Returns:
        ACL_SUCCESS (0): `*value` is the parameter.
        ACL_ERROR_INVALID_PARAM (100000): `opt` is another number, or `value` is null.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_RT_SYSPARAMOPT_NOT_SET (107021): it was never set for this context.

    Products: all
    """

def aclrtCtxSetSysParamOpt(opt: SupportsIndex, value: SupportsIndex) -> int:
    """aclError aclrtCtxSetSysParamOpt(aclSysParamOpt opt, int64_t value)

    Set a system parameter of the current context, which counts there instead of that of the process. It changes no
    result, but may change a workspace as aclrtSetSysParamOpt does.

    Returns:
        ACL_SUCCESS (0): set.
        ACL_ERROR_INVALID_PARAM (100000): `opt` is not one of 0 to 2.
        ACL_ERROR_RT_PARAM_INVALID (107000): `value` is not one of 0 to 3 (deterministic), or neither 0 nor 1 (the others).
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.

    Products: all
    """

def aclrtGetSysParamOpt(opt: SupportsIndex, value: Output[c_int64]) -> int:
    """aclError aclrtGetSysParamOpt(aclSysParamOpt opt, int64_t *value)

    Tell a system parameter of the process: deterministic (0), debug kernel (1), strong consistency (2), early
    kernel start (3). One that was never set is 0; those of contexts do not count.

    Returns:
        ACL_SUCCESS (0): `*value` is the parameter.
        ACL_ERROR_INVALID_PARAM (100000): `opt` is another number, or `value` is null.

    Products: all
    """

def aclrtSetSysParamOpt(opt: SupportsIndex, value: SupportsIndex) -> int:
    """aclError aclrtSetSysParamOpt(aclSysParamOpt opt, int64_t value)

    Set a system parameter of the process. It changes no result: they are deterministic in any case. A deterministic
    aclnnEmbeddingDenseBackward sorts its indices at every size, and needs workspace for that.

    Returns:
        ACL_SUCCESS (0): set; no context is needed.
        ACL_ERROR_INVALID_PARAM (100000): `opt` is not one of 0 to 3.
        ACL_ERROR_RT_PARAM_INVALID (107000): `value` is not one of 0 to 3 (deterministic), or neither 0 nor 1 (the others).

    Products: all
    """

def aclrtGetDeviceSatMode(mode: Output[c_int32]) -> int:
    """aclError aclrtGetDeviceSatMode(aclrtFloatOverflowMode *mode)

    Tell what aclrtSetDeviceSatMode chose for the current device.

    Returns:
        ACL_SUCCESS (0): `*mode` is an aclrtFloatOverflowMode.
        ACL_ERROR_INVALID_PARAM (100000): `mode` is null.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000): the product has one mode only; A2 and A3 have both.

    Products: all
    """

def aclrtGetOverflowStatus(outputAddr: Target, outputSize: SupportsIndex, stream: aclrtStream | c_void_p | int | None) -> int:
    """aclError aclrtGetOverflowStatus(void *outputAddr, size_t outputSize, aclrtStream stream)

    Queue a task that writes the overflow status, 64 bytes whose first word is 0 for none, to device memory.
    Null is the default stream of the current context.

    Returns:
        ACL_SUCCESS (0): the task is queued.
        ACL_ERROR_INVALID_PARAM (100000): `outputAddr` is null.
        ACL_ERROR_RT_INVALID_HANDLE (107017): the handle was destroyed, or is no stream.
        ACL_ERROR_RT_PARAM_INVALID (107000): `outputSize` is not 64, or `outputAddr` is no live memory of the device.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_RT_STREAM_CONTEXT (107003): the stream belongs to another context.
        ACL_ERROR_RT_STREAM_ABORT (107023): a stream was aborted.
        ACL_ERROR_RT_AICORE_TIMEOUT (507014): in stop mode: an operator took longer than its limit.
        ACL_ERROR_RT_AICORE_EXCEPTION (507015): in stop mode: a task failed on the device.
        ACL_ERROR_RT_VECTOR_CORE_EXCEPTION (507035): in stop mode: a task failed on a vector core of the device.
        ACL_ERROR_RT_EVENT_SYNC_TIMEOUT (507047): in stop mode: a stream waited for an event longer than its timeout.
        ACL_ERROR_RT_MEMORY_ALLOCATION (207001): in stop mode: the host that runs the emulator has no memory for a task.
        ACL_ERROR_RT_PARAM_INVALID (107000): called in a callback of a stream, and the machine only reports.

    Products: all
    """

def aclrtGetStreamOverflowSwitch(stream: aclrtStream | c_void_p | int | None, flag: Output[c_uint32]) -> int:
    """aclError aclrtGetStreamOverflowSwitch(aclrtStream stream, uint32_t *flag)

    Tell what aclrtSetStreamOverflowSwitch set, 0 at first; always 1 on the training and the inference series. Null
    is the default stream of the current context.

    Returns:
        ACL_SUCCESS (0): `*flag` is 0 or 1.
        ACL_ERROR_INVALID_PARAM (100000): `flag` is null.
        ACL_ERROR_RT_INVALID_HANDLE (107017): the handle was destroyed, or is no stream.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.

    Products:
        Atlas A2 training series/Atlas 800I A2 inference products: supported
        Atlas A3 training/inference series: supported
        Atlas training series: not documented; the answer is always 1
        Atlas inference series: not documented; the answer is always 1
        Atlas 200I/500 A2 inference products: not documented, but it works
    """

def aclrtResetOverflowStatus(stream: aclrtStream | c_void_p | int | None) -> int:
    """aclError aclrtResetOverflowStatus(aclrtStream stream)

    Queue a task that clears the overflow status, which is always clear here. Null is the default stream of the
    current context.

    Returns:
        ACL_SUCCESS (0): the task is queued.
        ACL_ERROR_RT_INVALID_HANDLE (107017): the handle was destroyed, or is no stream.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_RT_STREAM_CONTEXT (107003): the stream belongs to another context.
        ACL_ERROR_RT_STREAM_ABORT (107023): a stream was aborted.
        ACL_ERROR_RT_AICORE_TIMEOUT (507014): in stop mode: an operator took longer than its limit.
        ACL_ERROR_RT_AICORE_EXCEPTION (507015): in stop mode: a task failed on the device.
        ACL_ERROR_RT_VECTOR_CORE_EXCEPTION (507035): in stop mode: a task failed on a vector core of the device.
        ACL_ERROR_RT_EVENT_SYNC_TIMEOUT (507047): in stop mode: a stream waited for an event longer than its timeout.
        ACL_ERROR_RT_MEMORY_ALLOCATION (207001): in stop mode: the host that runs the emulator has no memory for a task.
        ACL_ERROR_RT_PARAM_INVALID (107000): called in a callback of a stream, and the machine only reports.

    Products: all
    """

def aclrtSetDeviceSatMode(mode: SupportsIndex) -> int:
    """aclError aclrtSetDeviceSatMode(aclrtFloatOverflowMode mode)

    Choose for the current device whether results that overflow saturate (0) or become infinite or NaN (1, the
    default). The mode is kept; results of operators here are those of mode 1.

    Returns:
        ACL_SUCCESS (0): set.
        ACL_ERROR_RT_PARAM_INVALID (107000): `mode` is neither 0 nor 1.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000): the product has one mode only; A2 and A3 have both.

    Products: all
    """

def aclrtSetStreamOverflowSwitch(stream: aclrtStream | c_void_p | int | None, flag: SupportsIndex) -> int:
    """aclError aclrtSetStreamOverflowSwitch(aclrtStream stream, uint32_t flag)

    Switch the overflow check of a stream's tasks on (1) or off (0). Null is the default stream of the current
    context. Nothing overflows here in a way that the check reports.

    Returns:
        ACL_SUCCESS (0): switched.
        ACL_ERROR_INVALID_PARAM (100000): `flag` is neither 0 nor 1.
        ACL_ERROR_RT_INVALID_HANDLE (107017): the handle was destroyed, or is no stream.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_RT_STREAM_CONTEXT (107003): the stream belongs to another context.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000): the product does not have the function (see Products).

    Products:
        Atlas A2 training series/Atlas 800I A2 inference products: supported
        Atlas A3 training/inference series: supported
        Atlas training series: ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000)
        Atlas inference series: ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000)
        Atlas 200I/500 A2 inference products: ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000)
    """

def aclrtDeviceCanAccessPeer(canAccessPeer: Output[c_int32], deviceId: SupportsIndex, peerDeviceId: SupportsIndex) -> int:
    """aclError aclrtDeviceCanAccessPeer(int32_t *canAccessPeer, int32_t deviceId, int32_t peerDeviceId)

    Tell whether `deviceId` could use the memory of `peerDeviceId`: the devices of one machine always could, but for
    those of 200I/500 A2, which has one chip.

    Returns:
        ACL_SUCCESS (0): `*canAccessPeer` is 1, or 0 on 200I/500 A2.
        ACL_ERROR_INVALID_PARAM (100000): `canAccessPeer` is null, or both devices are the same.
        ACL_ERROR_RT_INVALID_DEVICEID (107001): a device is not in [0, number of devices).

    Products:
        Atlas A2 training series/Atlas 800I A2 inference products: supported
        Atlas A3 training/inference series: supported
        Atlas training series: supported
        Atlas inference series: supported
        Atlas 200I/500 A2 inference products: not documented; the answer is always 0
    """

def aclrtDeviceDisablePeerAccess(peerDeviceId: SupportsIndex) -> int:
    """aclError aclrtDeviceDisablePeerAccess(int32_t peerDeviceId)

    Take back aclrtDeviceEnablePeerAccess for the thread's current device; without it nothing happens.

    Returns:
        ACL_SUCCESS (0): the access is not there.
        ACL_ERROR_RT_INVALID_DEVICEID (107001): `peerDeviceId` is not in [0, number of devices).
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_INVALID_PARAM (100000): `peerDeviceId` is the current device itself.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000): the product does not have the function (see Products).

    Products:
        Atlas A2 training series/Atlas 800I A2 inference products: supported
        Atlas A3 training/inference series: supported
        Atlas training series: supported
        Atlas inference series: supported
        Atlas 200I/500 A2 inference products: ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000)
    """

def aclrtDeviceEnablePeerAccess(peerDeviceId: SupportsIndex, flags: SupportsIndex) -> int:
    """aclError aclrtDeviceEnablePeerAccess(int32_t peerDeviceId, uint32_t flags)

    Let the thread's current device use the memory of `peerDeviceId`; the other direction is a call of its own.
    Enabling twice is no error.

    Returns:
        ACL_SUCCESS (0): the access is there.
        ACL_ERROR_FEATURE_UNSUPPORTED (200006): `flags` is not 0.
        ACL_ERROR_RT_INVALID_DEVICEID (107001): `peerDeviceId` is not in [0, number of devices).
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_INVALID_PARAM (100000): `peerDeviceId` is the current device itself.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000): the product does not have the function (see Products).

    Products:
        Atlas A2 training series/Atlas 800I A2 inference products: supported
        Atlas A3 training/inference series: supported
        Atlas training series: supported
        Atlas inference series: supported
        Atlas 200I/500 A2 inference products: ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000)
    """

def aclrtDevicePeerAccessStatus(deviceId: SupportsIndex, peerDeviceId: SupportsIndex, status: Output[c_int32]) -> int:
    """aclError aclrtDevicePeerAccessStatus(int32_t deviceId, int32_t peerDeviceId, int32_t *status)

    Tell whether aclrtDeviceEnablePeerAccess holds for `deviceId` and the memory of `peerDeviceId`.

    Returns:
        ACL_SUCCESS (0): `*status` is 1 or 0.
        ACL_ERROR_INVALID_PARAM (100000): both devices are the same, or `status` is null.
        ACL_ERROR_RT_INVALID_DEVICEID (107001): a device is not in [0, number of devices).

    Products: all
    """

def aclrtCreateStream(stream: Output[aclrtStream]) -> int:
    """aclError aclrtCreateStream(aclrtStream *stream)

    Create a stream in the current context. It does not synchronise with the default stream.

    Returns:
        ACL_SUCCESS (0): `*stream` is the new stream.
        ACL_ERROR_INVALID_PARAM (100000): `stream` is null.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_RT_NO_STREAM_RESOURCE (207008): the device has no stream left (1984 on A2 and A3, 2048 on the training
            series, 1024 on the inference series, 512 on 200I/500 A2; default streams do not count).
        ACL_ERROR_RT_PARAM_INVALID (107000): called in a callback of a stream, and the machine only reports.

    Products: all
    """

def aclrtCreateStreamWithConfig(stream: Output[aclrtStream], priority: SupportsIndex, flag: SupportsIndex) -> int:
    """aclError aclrtCreateStreamWithConfig(aclrtStream *stream, uint32_t priority, uint32_t flag)

    Create a stream with a priority (0 highest to 7) and flags: ACL_STREAM_FAST_LAUNCH, ACL_STREAM_FAST_SYNC,
    ACL_STREAM_PERSISTENT (its tasks belong to a model and do not run when submitted), ACL_STREAM_HUGE,
    ACL_STREAM_CPU_SCHEDULE, ACL_STREAM_DEVICE_USE_ONLY. Unknown bits are ignored.

    Returns:
        ACL_SUCCESS (0): `*stream` is the new stream.
        ACL_ERROR_INVALID_PARAM (100000): `stream` is null.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000): huge streams do not exist on the inference series.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_RT_NO_STREAM_RESOURCE (207008): the device has no stream left.
        ACL_ERROR_RT_PARAM_INVALID (107000): called in a callback of a stream, and the machine only reports.

    Products: all
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
        ACL_ERROR_RT_PARAM_INVALID (107000): the handle is that of a default stream, which goes away with its context.
        ACL_ERROR_RT_PARAM_INVALID (107000): called in a callback of a stream, and the machine only reports.

    Products: all
    """

def aclrtDestroyStreamForce(stream: aclrtStream | c_void_p | int | None) -> int:
    """aclError aclrtDestroyStreamForce(aclrtStream stream)

    Destroy the stream without waiting: what is queued in it is dropped.

    Returns:
        ACL_SUCCESS (0): destroyed.
        ACL_ERROR_INVALID_PARAM (100000): `stream` is null (the default stream cannot be destroyed).
        ACL_ERROR_RT_INVALID_HANDLE (107017): the handle was destroyed, or is no stream.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_RT_STREAM_CONTEXT (107003): the stream belongs to another context.
        ACL_ERROR_RT_PARAM_INVALID (107000): the handle is that of a default stream, which goes away with its context.
        ACL_ERROR_RT_PARAM_INVALID (107000): called in a callback of a stream, and the machine only reports.

    Products: all
    """

def aclrtStreamAbort(stream: aclrtStream | c_void_p | int | None) -> int:
    """aclError aclrtStreamAbort(aclrtStream stream)

    Discard the tasks queued in the stream; every later synchronise of it, and every later task, is answered with
    ACL_ERROR_RT_STREAM_ABORT. Null is the default stream of the current context.

    Returns:
        ACL_SUCCESS (0): aborted.
        ACL_ERROR_RT_INVALID_HANDLE (107017): the handle was destroyed, or is no stream.
        ACL_ERROR_RT_PARAM_INVALID (107000): `stream` is null and the thread has no current context, or the product is neither
            A2 nor A3.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_RT_STREAM_CONTEXT (107003): the stream belongs to another context.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000): the product does not have the function (see Products).

    Products:
        Atlas A2 training series/Atlas 800I A2 inference products: supported
        Atlas A3 training/inference series: supported
        Atlas training series: ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000)
        Atlas inference series: ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000)
        Atlas 200I/500 A2 inference products: ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000)
    """

def aclrtStreamQuery(stream: aclrtStream | c_void_p | int | None, status: Output[c_int32]) -> int:
    """aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus *status)

    Write ACL_STREAM_STATUS_COMPLETE (0) or ACL_STREAM_STATUS_NOT_READY (1) to `*status`; null is the default
    stream of the current context. A failure of a task is returned as the status of the call.

    In a late machine a query lets one task run, so that polling ends.

    Returns:
        ACL_SUCCESS (0): `*status` is written.
        ACL_ERROR_INVALID_PARAM (100000): `status` is null.
        ACL_ERROR_RT_INVALID_HANDLE (107017): the handle was destroyed, or is no stream.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_RT_STREAM_ABORT (107023): a stream was aborted.
        ACL_ERROR_RT_AICORE_TIMEOUT (507014): an operator took longer than its limit.
        ACL_ERROR_RT_AICORE_EXCEPTION (507015): a task failed on the device.
        ACL_ERROR_RT_VECTOR_CORE_EXCEPTION (507035): a task failed on a vector core of the device.
        ACL_ERROR_RT_EVENT_SYNC_TIMEOUT (507047): a stream waited for an event longer than its timeout.
        ACL_ERROR_RT_MEMORY_ALLOCATION (207001): the host that runs the emulator has no memory for a task.

    Products: all
    """

def aclrtSynchronizeStream(stream: aclrtStream | c_void_p | int | None) -> int:
    """aclError aclrtSynchronizeStream(aclrtStream stream)

    Block until all tasks submitted to the stream are done; null is the default stream of the current context.

    The stream may belong to another context than the thread's. A persistent stream is not waited for.

    Returns:
        ACL_SUCCESS (0): everything is done.
        ACL_ERROR_RT_INVALID_HANDLE (107017): the handle was destroyed, or is no stream.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_RT_STREAM_SYNC_TIMEOUT (507046): the work can never be done (in a machine that only reports).
        ACL_ERROR_RT_STREAM_ABORT (107023): a stream was aborted.
        ACL_ERROR_RT_AICORE_TIMEOUT (507014): an operator took longer than its limit.
        ACL_ERROR_RT_AICORE_EXCEPTION (507015): a task failed on the device.
        ACL_ERROR_RT_VECTOR_CORE_EXCEPTION (507035): a task failed on a vector core of the device.
        ACL_ERROR_RT_EVENT_SYNC_TIMEOUT (507047): a stream waited for an event longer than its timeout.
        ACL_ERROR_RT_MEMORY_ALLOCATION (207001): the host that runs the emulator has no memory for a task.
        ACL_ERROR_RT_PARAM_INVALID (107000): called in a callback of a stream, and the machine only reports.

    Products: all
    """

def aclrtSynchronizeStreamWithTimeout(stream: aclrtStream | c_void_p | int | None, timeout: SupportsIndex) -> int:
    """aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout)

    Block until all tasks submitted to the stream are done, for at most `timeout` milliseconds of simulated time
    (-1: for ever). After a timeout the stream can still be used; a later synchronise may succeed.

    Returns:
        ACL_SUCCESS (0): everything is done.
        ACL_ERROR_RT_INVALID_HANDLE (107017): the handle was destroyed, or is no stream.
        ACL_ERROR_RT_PARAM_INVALID (107000): `timeout` is 0 or less than -1.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_RT_STREAM_SYNC_TIMEOUT (507046): the work needs more time, or can never be done.
        ACL_ERROR_RT_STREAM_ABORT (107023): a stream was aborted.
        ACL_ERROR_RT_AICORE_TIMEOUT (507014): an operator took longer than its limit.
        ACL_ERROR_RT_AICORE_EXCEPTION (507015): a task failed on the device.
        ACL_ERROR_RT_VECTOR_CORE_EXCEPTION (507035): a task failed on a vector core of the device.
        ACL_ERROR_RT_EVENT_SYNC_TIMEOUT (507047): a stream waited for an event longer than its timeout.
        ACL_ERROR_RT_MEMORY_ALLOCATION (207001): the host that runs the emulator has no memory for a task.
        ACL_ERROR_RT_PARAM_INVALID (107000): called in a callback of a stream, and the machine only reports.

    Products: all
    """

def aclrtGetStreamAttribute(stream: aclrtStream | c_void_p | int | None, stmAttrType: SupportsIndex, value: Target) -> int:
    """aclError aclrtGetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType, aclrtStreamAttrValue *value)

    Write an attribute of the stream to `*value`. Null is the default stream.

    Returns:
        ACL_SUCCESS (0): `*value` is written.
        ACL_ERROR_INVALID_PARAM (100000): `value` is null.
        ACL_ERROR_RT_INVALID_HANDLE (107017): the handle was destroyed, or is no stream.
        ACL_ERROR_RT_PARAM_INVALID (107000): there is no such attribute, or `value` is no memory of the host.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000): a user tag, and the product is neither A2 nor A3.

    Products: all
    """

def aclrtGetStreamAvailableNum(streamCount: Output[c_uint32]) -> int:
    """aclError aclrtGetStreamAvailableNum(uint32_t *streamCount)

    Write how many streams the device of the current context has left.

    Returns:
        ACL_SUCCESS (0): `*streamCount` is written.
        ACL_ERROR_INVALID_PARAM (100000): `streamCount` is null.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.

    Products: all
    """

def aclrtSetStreamAttribute(stream: aclrtStream | c_void_p | int | None, stmAttrType: SupportsIndex, value: Target) -> int:
    """aclError aclrtSetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType, aclrtStreamAttrValue *value)

    Set an attribute: failure mode, overflow check, user tag, cache op info, priority. Null is the default stream.

    Returns:
        ACL_SUCCESS (0): set.
        ACL_ERROR_INVALID_PARAM (100000): `value` is null, or the overflow switch is neither 0 nor 1.
        ACL_ERROR_RT_INVALID_HANDLE (107017): the handle was destroyed, or is no stream.
        ACL_ERROR_RT_PARAM_INVALID (107000): there is no such attribute, or `value` is no memory of the host that can be read.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_RT_STREAM_CONTEXT (107003): the stream belongs to another context.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000): a failure mode from stop back to continue; an overflow check or a user tag,
            and the product is neither A2 nor A3.

    Products: all
    """

def aclrtSetStreamFailureMode(stream: aclrtStream | c_void_p | int | None, mode: SupportsIndex) -> int:
    """aclError aclrtSetStreamFailureMode(aclrtStream stream, uint64_t mode)

    What a failed task means for others: ACL_CONTINUE_ON_FAILURE (0, at first) or ACL_STOP_ON_FAILURE (1). Only
    the lowest bit counts. Stop on one stream puts the whole context in stop mode: after a failed task the later tasks
    of its streams are dropped and later calls return the failure. Null is the default stream on A2 and A3.

    Returns:
        ACL_SUCCESS (0): set, or it was so already.
        ACL_ERROR_RT_PARAM_INVALID (107000): `stream` is null, and the product is neither A2 nor A3.
        ACL_ERROR_RT_INVALID_HANDLE (107017): the handle was destroyed, or is no stream.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_RT_STREAM_CONTEXT (107003): the stream belongs to another context.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000): from stop back to continue.

    Products: all
    """

def aclrtStreamGetFlags(stream: aclrtStream | c_void_p | int | None, flags: Output[c_uint32]) -> int:
    """aclError aclrtStreamGetFlags(aclrtStream stream, uint32_t *flags)

    Write the flags that the stream was created with. Null is the default stream.

    Returns:
        ACL_SUCCESS (0): `*flags` is written.
        ACL_ERROR_INVALID_PARAM (100000): `flags` is null.
        ACL_ERROR_RT_INVALID_HANDLE (107017): the handle was destroyed, or is no stream.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.

    Products: all
    """

def aclrtStreamGetId(stream: aclrtStream | c_void_p | int | None, streamId: Output[c_int32]) -> int:
    """aclError aclrtStreamGetId(aclrtStream stream, int32_t *streamId)

    Write the number that the stream has on its device: the lowest one that was free. Null is the default stream.

    Returns:
        ACL_SUCCESS (0): `*streamId` is written.
        ACL_ERROR_INVALID_PARAM (100000): `streamId` is null.
        ACL_ERROR_RT_INVALID_HANDLE (107017): the handle was destroyed, or is no stream.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.

    Products: all
    """

def aclrtStreamGetPriority(stream: aclrtStream | c_void_p | int | None, priority: Output[c_uint32]) -> int:
    """aclError aclrtStreamGetPriority(aclrtStream stream, uint32_t *priority)

    Write the priority of the stream, from 0 (highest) to 7. Null is the default stream.

    Returns:
        ACL_SUCCESS (0): `*priority` is written.
        ACL_ERROR_INVALID_PARAM (100000): `priority` is null.
        ACL_ERROR_RT_INVALID_HANDLE (107017): the handle was destroyed, or is no stream.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.

    Products: all
    """

def aclrtCreateStreamConfigHandle() -> aclrtStreamConfigHandle:
    """aclrtStreamConfigHandle *aclrtCreateStreamConfigHandle()

    A new set of options, all at their defaults.

    Products:
        Atlas A2 training series/Atlas 800I A2 inference products: not in the library, so that C programs do not link; it works in Python
        Atlas A3 training/inference series: not in the library, so that C programs do not link; it works in Python
        Atlas training series: not in the library, so that C programs do not link; it works in Python
        Atlas inference series: not in the library, so that C programs do not link; it works in Python
        Atlas 200I/500 A2 inference products: not in the library, so that C programs do not link; it works in Python
    """

def aclrtCreateStreamV2(stream: Output[aclrtStream], handle: aclrtStreamConfigHandle | c_void_p | None) -> int:
    """aclError aclrtCreateStreamV2(aclrtStream *stream, const aclrtStreamConfigHandle *handle)

    Create a stream with a set of options; null means the defaults.

    Returns:
        ACL_SUCCESS (0): `*stream` is the new stream.
        ACL_ERROR_INVALID_PARAM (100000): `stream` is null.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000): huge streams do not exist on the inference series.
        ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
        ACL_ERROR_RT_NO_STREAM_RESOURCE (207008): the device has no stream left.
        ACL_ERROR_RT_PARAM_INVALID (107000): the handle was destroyed (in a machine that only reports).
        ACL_ERROR_RT_PARAM_INVALID (107000): called in a callback of a stream, and the machine only reports.

    Products:
        Atlas A2 training series/Atlas 800I A2 inference products: not in the library, so that C programs do not link; it works in Python
        Atlas A3 training/inference series: not in the library, so that C programs do not link; it works in Python
        Atlas training series: not in the library, so that C programs do not link; it works in Python
        Atlas inference series: not in the library, so that C programs do not link; it works in Python
        Atlas 200I/500 A2 inference products: not in the library, so that C programs do not link; it works in Python
    """

def aclrtDestroyStreamConfigHandle(handle: aclrtStreamConfigHandle | c_void_p | None) -> int:
    """aclError aclrtDestroyStreamConfigHandle(aclrtStreamConfigHandle *handle)

    Destroy a set of options; streams created with it stay.

    Returns:
        ACL_SUCCESS (0): destroyed.
        ACL_ERROR_INVALID_PARAM (100000): `handle` is null.
        ACL_ERROR_RT_PARAM_INVALID (107000): the handle was destroyed already (in a machine that only reports).

    Products:
        Atlas A2 training series/Atlas 800I A2 inference products: not in the library, so that C programs do not link; it works in Python
        Atlas A3 training/inference series: not in the library, so that C programs do not link; it works in Python
        Atlas training series: not in the library, so that C programs do not link; it works in Python
        Atlas inference series: not in the library, so that C programs do not link; it works in Python
        Atlas 200I/500 A2 inference products: not in the library, so that C programs do not link; it works in Python
    """

def aclrtSetStreamConfigOpt(handle: aclrtStreamConfigHandle | c_void_p | None, attr: SupportsIndex, attrValue: Source, valueSize: SupportsIndex) -> int:
    """aclError aclrtSetStreamConfigOpt(aclrtStreamConfigHandle *handle, aclrtStreamConfigAttr attr, const void *attrValue, size_t valueSize)

    Set an option from the `valueSize` bytes at `attrValue`: work address (a pointer), work size (size_t), flag
    (size_t), priority (uint32_t, 0 to 7).

    Returns:
        ACL_SUCCESS (0): set.
        ACL_ERROR_INVALID_PARAM (100000): `handle` or `attrValue` is null, there is no such option, `valueSize` is not its size,
            or the priority is above 7.
        ACL_ERROR_RT_PARAM_INVALID (107000): the handle was destroyed, or the value is no memory of the host (in a machine
            that only reports).

    Products:
        Atlas A2 training series/Atlas 800I A2 inference products: not in the library, so that C programs do not link; it works in Python
        Atlas A3 training/inference series: not in the library, so that C programs do not link; it works in Python
        Atlas training series: not in the library, so that C programs do not link; it works in Python
        Atlas inference series: not in the library, so that C programs do not link; it works in Python
        Atlas 200I/500 A2 inference products: not in the library, so that C programs do not link; it works in Python
    """

def aclCreateTensor(viewDims: Int64Array, viewDimsNum: SupportsIndex, dataType: SupportsIndex, stride: Int64Array, offset: SupportsIndex, format: SupportsIndex, storageDims: Int64Array, storageDimsNum: SupportsIndex, tensorData: Source) -> aclTensor:
    """aclTensor *aclCreateTensor(const int64_t *viewDims, uint64_t viewDimsNum, aclDataType dataType, const int64_t *stride, int64_t offset, aclFormat format, const int64_t *storageDims, uint64_t storageDimsNum, void *tensorData)

    A tensor: a view of device memory that it does not own.

    The storage at `tensorData` has the shape `storageDims`; the view begins `offset` elements behind its start, and has
    the shape `viewDims` and the strides `stride`, in elements too. Null strides mean row-major ones of the view.
    Nothing else is checked here; an operator checks what it needs. The result is null if a shape is null while its
    count is not 0.
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

    The data type, an aclDataType; ACL_DT_UNDEFINED for one that it cannot name.

    Returns:
        ACLNN_SUCCESS (0): the answer is written.
        ACLNN_ERR_PARAM_NULLPTR (161001): an argument is null.
        ACLNN_ERR_RUNTIME_ERROR (361001): `tensor` is gone, and the machine only reports.
    """

def aclGetFormat(tensor: aclTensor | c_void_p | None, format: Output[c_int32]) -> int:
    """aclnnStatus aclGetFormat(const aclTensor *tensor, aclFormat *format)

    The view format, an aclFormat.

    Returns:
        ACLNN_SUCCESS (0): the answer is written.
        ACLNN_ERR_PARAM_NULLPTR (161001): an argument is null.
        ACLNN_ERR_RUNTIME_ERROR (361001): `tensor` is gone, and the machine only reports.
    """

def aclGetRawTensorAddr(tensor: aclTensor | c_void_p | None, addr: Output[c_void_p]) -> int:
    """aclnnStatus aclGetRawTensorAddr(const aclTensor *tensor, void **addr)

    The base address of the tensor, without the offset.

    Returns:
        ACLNN_SUCCESS (0): the answer is written.
        ACLNN_ERR_PARAM_NULLPTR (161001): an argument is null.
        ACLNN_ERR_RUNTIME_ERROR (361001): `tensor` is gone, and the machine only reports.
    """

def aclGetStorageShape(tensor: aclTensor | c_void_p | None, storageDims: Output[Int64Pointer], storageDimsNum: Output[c_uint64]) -> int:
    """aclnnStatus aclGetStorageShape(const aclTensor *tensor, int64_t **storageDims, uint64_t *storageDimsNum)

    The storage shape, in a new array as with aclGetViewShape.

    Returns:
        ACLNN_SUCCESS (0): the answer is written.
        ACLNN_ERR_PARAM_NULLPTR (161001): an argument is null.
        ACLNN_ERR_RUNTIME_ERROR (361001): `tensor` is gone, and the machine only reports.
    """

def aclGetViewOffset(tensor: aclTensor | c_void_p | None, offset: Output[c_int64]) -> int:
    """aclnnStatus aclGetViewOffset(const aclTensor *tensor, int64_t *offset)

    The offset of the view in its storage, in elements.

    Returns:
        ACLNN_SUCCESS (0): the answer is written.
        ACLNN_ERR_PARAM_NULLPTR (161001): an argument is null.
        ACLNN_ERR_RUNTIME_ERROR (361001): `tensor` is gone, and the machine only reports.
    """

def aclGetViewShape(tensor: aclTensor | c_void_p | None, viewDims: Output[Int64Pointer], viewDimsNum: Output[c_uint64]) -> int:
    """aclnnStatus aclGetViewShape(const aclTensor *tensor, int64_t **viewDims, uint64_t *viewDimsNum)

    The view shape: `*viewDims` points to a new array of `*viewDimsNum` sizes, which lives as long as the machine.

    Returns:
        ACLNN_SUCCESS (0): the answer is written.
        ACLNN_ERR_PARAM_NULLPTR (161001): an argument is null.
        ACLNN_ERR_RUNTIME_ERROR (361001): `tensor` is gone, and the machine only reports.
    """

def aclGetViewStrides(tensor: aclTensor | c_void_p | None, stridesValue: Output[Int64Pointer], stridesNum: Output[c_uint64]) -> int:
    """aclnnStatus aclGetViewStrides(const aclTensor *tensor, int64_t **stridesValue, uint64_t *stridesNum)

    The strides, in elements, in a new array as with aclGetViewShape.

    Returns:
        ACLNN_SUCCESS (0): the answer is written.
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

def aclrtGetOpExecuteTimeout(timeoutMs: Output[c_uint32]) -> int:
    """aclError aclrtGetOpExecuteTimeout(uint32_t *const  timeoutMs)

    The timeout that is in force, in whole milliseconds: at first 1090922 on A2, A3 and 200I/500 A2, 547608 on the
    inference series, 68719 on the training series.

    Returns:
        ACL_SUCCESS (0): the answer is written.
        ACL_ERROR_INVALID_PARAM (100000): `timeoutMs` is null.

    Products: all
    """

def aclrtGetOpTimeOutInterval(interval: Output[c_uint64]) -> int:
    """aclError aclrtGetOpTimeOutInterval(uint64_t *interval)

    The interval of which a timeout is 1 to 254 times (255 on the training and the inference series), in whole
    microseconds: 4294967 on A2, A3 and 200I/500 A2, 2147483 on the inference series, 68719476 on the training series.

    Returns:
        ACL_SUCCESS (0): the answer is written.
        ACL_ERROR_INVALID_PARAM (100000): `interval` is null.

    Products: all
    """

def aclrtSetOpExecuteTimeOut(timeout: SupportsIndex) -> int:
    """aclError aclrtSetOpExecuteTimeOut(uint32_t timeout)

    Let an operator run for `timeout` seconds, rounded up to a multiple of the interval; 0 is the maximum.

    Returns:
        ACL_SUCCESS (0): set.

    Products: all
    """

def aclrtSetOpExecuteTimeOutV2(timeout: SupportsIndex, actualTimeout: Output[c_uint64]) -> int:
    """aclError aclrtSetOpExecuteTimeOutV2(uint64_t timeout, uint64_t *actualTimeout)

    Let an operator run for `timeout` microseconds, rounded up to a multiple of the interval; 0 is the maximum.
    `*actualTimeout` becomes what is used, in microseconds.

    Returns:
        ACL_SUCCESS (0): set.
        ACL_ERROR_INVALID_PARAM (100000): `actualTimeout` is null.

    Products: all
    """

def aclrtSetOpExecuteTimeOutWithMs(timeout: SupportsIndex) -> int:
    """aclError aclrtSetOpExecuteTimeOutWithMs(uint32_t timeout)

    Let an operator run for `timeout` milliseconds, rounded up to a multiple of the interval; 0 is the maximum.

    Returns:
        ACL_SUCCESS (0): set.

    Products:
        Atlas A2 training series/Atlas 800I A2 inference products: not documented, but it works
        Atlas A3 training/inference series: not documented, but it works
        Atlas training series: not documented, but it works
        Atlas inference series: not documented, but it works
        Atlas 200I/500 A2 inference products: not documented, but it works
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

def aclCreateScalarList(value: Sequence[aclScalar | c_void_p | None] | Referred | None, size: SupportsIndex) -> aclScalarList:
    """aclScalarList *aclCreateScalarList(const aclScalar *const *value, uint64_t size)

    A list of the given scalars (their handles, not copies); destroying it destroys them.
    """

def aclCreateTensorList(value: Sequence[aclTensor | c_void_p | None] | Referred | None, size: SupportsIndex) -> aclTensorList:
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
        ACLNN_SUCCESS (0): the answer is written.
        ACLNN_ERR_PARAM_NULLPTR (161001): an argument is null.
        ACLNN_ERR_RUNTIME_ERROR (361001): `array` is gone, and the machine only reports.
    """

def aclGetFloatArraySize(array: aclFloatArray | c_void_p | None, size: Output[c_uint64]) -> int:
    """aclnnStatus aclGetFloatArraySize(const aclFloatArray *array, uint64_t *size)

    How many values the array has.

    Returns:
        ACLNN_SUCCESS (0): the answer is written.
        ACLNN_ERR_PARAM_NULLPTR (161001): an argument is null.
        ACLNN_ERR_RUNTIME_ERROR (361001): `array` is gone, and the machine only reports.
    """

def aclGetIntArraySize(array: aclIntArray | c_void_p | None, size: Output[c_uint64]) -> int:
    """aclnnStatus aclGetIntArraySize(const aclIntArray *array, uint64_t *size)

    How many values the array has.

    Returns:
        ACLNN_SUCCESS (0): the answer is written.
        ACLNN_ERR_PARAM_NULLPTR (161001): an argument is null.
        ACLNN_ERR_RUNTIME_ERROR (361001): `array` is gone, and the machine only reports.
    """

def aclGetScalarListSize(scalarList: aclScalarList | c_void_p | None, size: Output[c_uint64]) -> int:
    """aclnnStatus aclGetScalarListSize(const aclScalarList *scalarList, uint64_t *size)

    How many members the list has.

    Returns:
        ACLNN_SUCCESS (0): the answer is written.
        ACLNN_ERR_PARAM_NULLPTR (161001): an argument is null.
        ACLNN_ERR_RUNTIME_ERROR (361001): `scalarList` is gone, and the machine only reports.
    """

def aclGetTensorListSize(tensorList: aclTensorList | c_void_p | None, size: Output[c_uint64]) -> int:
    """aclnnStatus aclGetTensorListSize(const aclTensorList *tensorList, uint64_t *size)

    How many members the list has.

    Returns:
        ACLNN_SUCCESS (0): the answer is written.
        ACLNN_ERR_PARAM_NULLPTR (161001): an argument is null.
        ACLNN_ERR_RUNTIME_ERROR (361001): `tensorList` is gone, and the machine only reports.
    """

def aclDataTypeSize(dataType: SupportsIndex) -> int:
    """size_t aclDataTypeSize(aclDataType dataType)

    Bytes of one element. UINT1 and INT4 count as 1 byte; 0 for STRING and UNDEFINED; 8 for the floats of 4 and 6
    bits, and for every number that is no data type.

    Products: all
    """

def aclFloat16ToFloat(value: SupportsIndex) -> float:
    """float aclFloat16ToFloat(aclFloat16 value)

    The number that a 16-bit pattern stands for. Infinity and NaN are not kept: their exponent counts as any other,
    so that 0x7C00 is 65536.

    Products: all
    """

def aclFloatToFloat16(value: float) -> int:
    """aclFloat16 aclFloatToFloat16(float value)

    The 16-bit pattern of a float, rounded to nearest even, with subnormals. What is above 65504, infinity and NaN
    become 0x7BFF or, by their sign, 0xFBFF.

    Products: all
    """

def aclrtGetVersion(majorVersion: Output[c_int32], minorVersion: Output[c_int32], patchVersion: Output[c_int32]) -> int:
    """aclError aclrtGetVersion(int32_t *majorVersion, int32_t *minorVersion, int32_t *patchVersion)

    The version of the interface, 1.17.0. Deprecated: use aclsysGetVersionStr.

    Returns:
        ACL_SUCCESS (0): the answer is written.
        ACL_ERROR_INVALID_PARAM (100000): an argument is null.

    Products: all
    """

def aclsysGetCANNVersion(name: SupportsIndex, version: Target) -> int:
    """aclError aclsysGetCANNVersion(aclCANNPackageName name, aclCANNPackageVersion *version)

    The version of a package in parts: major, minor and release are X, Y and Z, patch is the suffix. Deprecated:
    use aclsysGetVersionStr.

    Returns:
        ACL_SUCCESS (0): the answer is written.
        ACL_ERROR_INVALID_PARAM (100000): `name` is no aclCANNPackageName, or `version` is null.
        ACL_ERROR_INVALID_FILE (100003): the package is not installed.
        ACL_ERROR_INTERNAL_ERROR (500000): its version is not X.Y.Z.
        ACL_ERROR_RT_PARAM_INVALID (107000): `version` is no memory that can be written, and the machine only reports.

    Products: all
    """

def aclsysGetVersionNum(pkgName: str | bytes | c_char_p | None, versionNum: Output[c_int32]) -> int:
    """aclError aclsysGetVersionNum(char *pkgName, int32_t *versionNum)

    The version of a package as a number: X * 10,000,000 + Y * 100,000 + Z * 1,000, less 300 for alpha, 200 for
    beta, 100 for rc, plus the number behind these (9.1.0 is 90100000, 9.1.0-beta.2 is 90099802).

    Returns:
        ACL_SUCCESS (0): the answer is written.
        ACL_ERROR_INVALID_PARAM (100000): an argument is null.
        ACL_ERROR_INVALID_FILE (100003): the package is not installed.
        ACL_ERROR_INTERNAL_ERROR (500000): its version is not X.Y.Z.

    Products: all
    """

def aclsysGetVersionStr(pkgName: str | bytes | c_char_p | None, versionStr: Target) -> int:
    """aclError aclsysGetVersionStr(char *pkgName, char *versionStr)

    The version of a package (runtime, compiler, hccl, toolkit, opp, ...) as a text in `versionStr`, which has room
    for 128 bytes.

    The simulated installation answers 9.1.0; an installation at ASCEND_HOME_PATH that has a folder share/info answers
    from there. A package that is not installed is an answer, and leaves no error text.

    Returns:
        ACL_SUCCESS (0): the answer is written.
        ACL_ERROR_INVALID_PARAM (100000): an argument is null.
        ACL_ERROR_INVALID_FILE (100003): the package is not installed.
        ACL_ERROR_INTERNAL_ERROR (500000): its version is not X.Y.Z.
        ACL_ERROR_RT_PARAM_INVALID (107000): the text does not fit into `versionStr`, and the machine only reports.

    Products: all
    """
