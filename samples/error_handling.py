"""A sample of failures: their reports, and how a program continues. It is ours, not from a document.

A wrong call returns a status, and aclGetRecentErrMsg returns the reason. A failure on the device comes later: the next
call that waits for the stream returns it, and the exception callback is called. Each failure here is provoked.
CheckFailure prints it, and returns 0 if it is the expected one. At the end everything is released, in reverse order.

CHECK_RET(condition, expression) is written as the `if` it expands to. Each function returns a bad status to its caller.
"""

import sys
from ctypes import byref, c_uint64, c_void_p

import numpy as np

from acl_runtime import *
from aclnn import aclnnSoftmaxBackwardGetWorkspaceSize

SIZE = 8
HOST_WAITS_MS = 10
STREAM_WAITS_S = 2


def LOG_PRINT(message, *args):
    print(message % args, end="")


def Reason():
    # The first sentence of the error text, without the process and the time before it and the details after it.
    # Reading clears the text, so this text belongs to the call that failed just now
    text = aclGetRecentErrMsg() or "[PID: 0] 0 no text"
    text = text.split(" ", 3)[3]
    for details in ("\n", " (", ", launched at"):
        text = text.split(details)[0]
    return text


def CheckFailure(call, ret, expected):
    LOG_PRINT("%s: %d\n    %s\n", call, ret, Reason())
    return 0 if ret == expected else 1


def CallBeforeDevice():
    # A failure of the runtime is also the last error of the thread, until aclrtGetLastError returns it
    deviceAddr = c_void_p()
    ret = aclrtMalloc(byref(deviceAddr), SIZE, ACL_MEM_MALLOC_HUGE_FIRST)
    ret = CheckFailure("aclrtMalloc before aclrtSetDevice", ret, ACL_ERROR_RT_CONTEXT_NULL)
    if ret != ACL_SUCCESS:
        return ret
    LOG_PRINT("aclrtPeekAtLastError: %d\n", aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL))
    LOG_PRINT("aclrtGetLastError: %d\n", aclrtGetLastError(ACL_RT_THREAD_LEVEL))
    LOG_PRINT("aclrtGetLastError again: %d\n", aclrtGetLastError(ACL_RT_THREAD_LEVEL))
    return CheckFailure("aclrtSetDevice(99)", aclrtSetDevice(99), ACL_ERROR_RT_INVALID_DEVICEID)


def CallWithBadArguments():
    # A refused call has no effect: nothing is allocated, and there is no executor
    deviceAddr = c_void_p()
    workspaceSize = c_uint64(0)
    executor = aclOpExecutor()
    ret = aclrtMalloc(byref(deviceAddr), 0, ACL_MEM_MALLOC_HUGE_FIRST)
    ret = CheckFailure("aclrtMalloc of 0 bytes", ret, ACL_ERROR_INVALID_PARAM)
    if ret != ACL_SUCCESS:
        return ret
    ret = aclnnSoftmaxBackwardGetWorkspaceSize(None, None, 0, None, byref(workspaceSize), byref(executor))
    return CheckFailure("aclnnSoftmaxBackwardGetWorkspaceSize", ret, ACLNN_ERR_PARAM_NULLPTR)


def WaitTooShort(stream, otherStream, event):
    # The stream waits for an event that is recorded only after the timeout of the host
    ret = aclrtStreamWaitEvent(stream, event)
    if ret != ACL_SUCCESS:
        return ret
    ret = aclrtSynchronizeStreamWithTimeout(stream, HOST_WAITS_MS)
    ret = CheckFailure("aclrtSynchronizeStreamWithTimeout", ret, ACL_ERROR_RT_STREAM_SYNC_TIMEOUT)
    if ret != ACL_SUCCESS:
        return ret
    # Nothing is lost: the stream still waits, and continues when the event is recorded
    ret = aclrtRecordEvent(event, otherStream)
    if ret != ACL_SUCCESS:
        return ret
    ret = aclrtSynchronizeStream(stream)
    LOG_PRINT("aclrtSynchronizeStream after the record: %d\n", ret)
    return ret


def FailOnDevice(stream, event, failures):
    # Now the wait of the stream itself has a timeout, and the event is not recorded
    ret = aclrtStreamWaitEventWithTimeout(stream, event, STREAM_WAITS_S)
    LOG_PRINT("aclrtStreamWaitEventWithTimeout: %d\n", ret)
    if ret != ACL_SUCCESS:
        return ret
    # The wait was queued with success; this call returns its failure
    ret = aclrtSynchronizeStream(stream)
    ret = CheckFailure("aclrtSynchronizeStream", ret, ACL_ERROR_RT_EVENT_SYNC_TIMEOUT)
    if ret != ACL_SUCCESS:
        return ret
    for deviceId, errorCode in failures:
        LOG_PRINT("the exception callback got device %d, error %d\n", deviceId, errorCode)
    # The failure is returned once; afterwards the stream can be used again
    ret = aclrtSynchronizeStream(stream)
    LOG_PRINT("aclrtSynchronizeStream again: %d\n", ret)
    return ret


def FillAndCopyBack(stream, otherStream, event, deviceAddr):
    # The right way: the event is recorded, the stream waits for it, then it runs the work
    ret = aclrtRecordEvent(event, otherStream)
    if ret != ACL_SUCCESS:
        return ret
    ret = aclrtStreamWaitEventWithTimeout(stream, event, STREAM_WAITS_S)
    if ret != ACL_SUCCESS:
        return ret
    ret = aclrtMemsetAsync(deviceAddr, SIZE, 7, SIZE, stream)
    if ret != ACL_SUCCESS:
        return ret
    ret = aclrtSynchronizeStream(stream)
    if ret != ACL_SUCCESS:
        return ret
    resultData = np.zeros(SIZE, np.uint8)
    ret = aclrtMemcpy(resultData, SIZE, deviceAddr, SIZE, ACL_MEMCPY_DEVICE_TO_HOST)
    if ret != ACL_SUCCESS:
        return ret
    LOG_PRINT("result: %d %d %d %d %d %d %d %d\n", *resultData)
    return 0


def Run():
    # 1. Calls that are refused at once
    deviceId = 0
    ret = aclInit(None)
    if ret != ACL_SUCCESS:
        return ret
    ret = CallBeforeDevice()
    if ret != ACL_SUCCESS:
        return ret
    ret = aclrtSetDevice(deviceId)
    if ret != ACL_SUCCESS:
        return ret
    ret = CallWithBadArguments()
    if ret != ACL_SUCCESS:
        return ret

    # 2. Create two streams, two events that can be waited for before they are recorded, and a callback. The callback
    # only copies values: its argument is valid only while it runs, and it may not call functions that submit or wait
    streams, events = [aclrtStream(), aclrtStream()], [aclrtEvent(), aclrtEvent()]
    deviceAddr = c_void_p()
    failures = []

    def OnException(info):
        failures.append((aclrtGetDeviceIdFromExceptionInfo(info), aclrtGetErrorCodeFromExceptionInfo(info)))

    for stream in streams:
        ret = aclrtCreateStream(byref(stream))
        if ret != ACL_SUCCESS:
            return ret
    for event in events:
        ret = aclrtCreateEventWithFlag(byref(event), ACL_EVENT_SYNC)
        if ret != ACL_SUCCESS:
            return ret
    ret = aclrtMalloc(byref(deviceAddr), SIZE, ACL_MEM_MALLOC_HUGE_FIRST)
    if ret != ACL_SUCCESS:
        return ret
    ret = aclrtExceptionInfoCallbackRegister(OnException)
    if ret != ACL_SUCCESS:
        return ret

    # 3. Failures that come later, and the right way
    ret = WaitTooShort(streams[0], streams[1], events[0])
    if ret != ACL_SUCCESS:
        return ret
    ret = FailOnDevice(streams[0], events[1], failures)
    if ret != ACL_SUCCESS:
        return ret
    ret = FillAndCopyBack(streams[0], streams[1], events[1], deviceAddr)
    if ret != ACL_SUCCESS:
        return ret

    # 4. Release in reverse order; a second release is refused
    aclrtExceptionInfoCallbackUnregister(OnException)
    aclrtFree(deviceAddr)
    for event in events:
        aclrtDestroyEvent(event)
    for stream in streams:
        aclrtDestroyStream(stream)
    ret = CheckFailure("aclrtDestroyStream again", aclrtDestroyStream(streams[0]), ACL_ERROR_RT_INVALID_HANDLE)
    if ret != ACL_SUCCESS:
        return ret
    aclrtResetDevice(deviceId)
    ret = CheckFailure("aclrtResetDevice again", aclrtResetDevice(deviceId), ACL_ERROR_RT_CONTEXT_RELEASE_ERROR)
    if ret != ACL_SUCCESS:
        return ret
    return aclFinalize()


def main():
    ret = Run()
    if ret != ACL_SUCCESS:
        LOG_PRINT("failed. ERROR: %d\n%s\n", ret, aclGetRecentErrMsg())
    return ret


if __name__ == "__main__":
    sys.exit(main())
