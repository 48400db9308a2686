"""A sample with a thread for each device, which computes its share of a batch. It is ours, not from a document.

The current context belongs to a thread, and a new thread has none. So each thread sets its device and creates a context
and a stream. Error texts belong to a thread as well. Results and messages are passed to the main thread in arrays with
an element for each device. So they are printed in the order of the devices, whichever thread ends first.

CHECK_RET(condition, expression) is written as the `if` it expands to. Each function returns a bad status to its caller.
The thread in which the call failed reads the text of aclGetRecentErrMsg.
"""

import os
import sys
import threading
from ctypes import byref, c_int32, c_uint32, c_uint64, c_void_p, pointer

import numpy as np

from acl_runtime import *
from aclnn import aclnnSoftmaxBackward, aclnnSoftmaxBackwardGetWorkspaceSize

ROWS = 6
COLUMNS = 4


def LOG_PRINT(message, *args):
    print(message % args, end="")


def CreateAclTensor(hostData, deviceAddr, tensor):
    ret = aclrtMalloc(deviceAddr, hostData.nbytes, ACL_MEM_MALLOC_HUGE_FIRST)
    if ret != ACL_SUCCESS:
        return ret
    ret = aclrtMemcpy(deviceAddr[0], hostData.nbytes, hostData, hostData.nbytes, ACL_MEMCPY_HOST_TO_DEVICE)
    if ret != ACL_SUCCESS:
        return ret
    shape = hostData.shape
    tensor[0] = aclCreateTensor(shape, 2, ACL_FLOAT, [COLUMNS, 1], 0, ACL_FORMAT_ND, shape, 2, deviceAddr[0])
    return 0


def ComputeGradient(stream, gradOutputHostData, outputHostData, outHostData):
    deviceAddrs = [c_void_p(), c_void_p(), c_void_p()]
    tensors = [aclTensor(), aclTensor(), aclTensor()]
    for i, hostData in enumerate((gradOutputHostData, outputHostData, outHostData)):
        ret = CreateAclTensor(hostData, pointer(deviceAddrs[i]), pointer(tensors[i]))
        if ret != ACL_SUCCESS:
            return ret
    gradOutput, output, out = tensors
    workspaceSize = c_uint64(0)
    executor = aclOpExecutor()
    ret = aclnnSoftmaxBackwardGetWorkspaceSize(gradOutput, output, 1, out, byref(workspaceSize), byref(executor))
    if ret != ACL_SUCCESS:
        return ret
    workspaceAddr = c_void_p()
    if workspaceSize.value > 0:
        ret = aclrtMalloc(byref(workspaceAddr), workspaceSize.value, ACL_MEM_MALLOC_HUGE_FIRST)
        if ret != ACL_SUCCESS:
            return ret
    ret = aclnnSoftmaxBackward(workspaceAddr, workspaceSize.value, executor, stream)
    if ret != ACL_SUCCESS:
        return ret
    # This thread waits for its own stream only
    ret = aclrtSynchronizeStream(stream)
    if ret != ACL_SUCCESS:
        return ret
    size = outHostData.nbytes
    ret = aclrtMemcpy(outHostData, size, deviceAddrs[2], size, ACL_MEMCPY_DEVICE_TO_HOST)
    if ret != ACL_SUCCESS:
        return ret
    for i in range(3):
        aclDestroyTensor(tensors[i])
        aclrtFree(deviceAddrs[i])
    if workspaceSize.value > 0:
        aclrtFree(workspaceAddr)
    return 0


def RunOnDevice(deviceId, gradOutputHostData, outputHostData, outHostData):
    # The current context, and everything created here, belongs to this thread and its device
    context = aclrtContext()
    stream = aclrtStream()
    ret = aclrtSetDevice(deviceId)
    if ret != ACL_SUCCESS:
        return ret
    ret = aclrtCreateContext(byref(context), deviceId)
    if ret != ACL_SUCCESS:
        return ret
    ret = aclrtCreateStream(byref(stream))
    if ret != ACL_SUCCESS:
        return ret
    current = c_int32(-1)
    ret = aclrtGetDevice(byref(current))
    if ret != ACL_SUCCESS:
        return ret
    if current.value != deviceId:
        return ACL_ERROR_FAILURE
    ret = ComputeGradient(stream, gradOutputHostData, outputHostData, outHostData)
    if ret != ACL_SUCCESS:
        return ret
    aclrtDestroyStream(stream)
    aclrtDestroyContext(context)
    return aclrtResetDevice(deviceId)


def ThreadMain(deviceId, gradOutputHostData, outputHostData, outHostData, rets, messages):
    rets[deviceId] = RunOnDevice(deviceId, gradOutputHostData, outputHostData, outHostData)
    if rets[deviceId] != ACL_SUCCESS:
        messages[deviceId] = aclGetRecentErrMsg()  # another thread would get None


def main():
    # 1. Initialise, once for the process, and get the number of devices
    count = c_uint32(0)
    ret = aclInit(None)
    if ret != ACL_SUCCESS:
        LOG_PRINT("aclInit failed. ERROR: %d\n", ret)
        return ret
    ret = aclrtGetDeviceCount(byref(count))
    if ret != ACL_SUCCESS:
        LOG_PRINT("aclrtGetDeviceCount failed. ERROR: %d\n", ret)
        return ret
    devices = min(count.value, ROWS)
    LOG_PRINT("devices: %d\n", devices)

    # 2. Construct the batch. Rows [bounds[i], bounds[i + 1]) are the share of device i
    gradOutputHostData = np.outer(np.arange(1, ROWS + 1), np.arange(COLUMNS)).astype(np.float32)
    outputHostData = np.tile(np.array([0.5, 0.25, 0.125, 0.125], np.float32), (ROWS, 1))
    outHostData = np.zeros([ROWS, COLUMNS], np.float32)
    bounds = [ROWS * i // devices for i in range(devices + 1)]

    # 3. Start a thread for each device, and wait for the end of all threads
    rets = [ACL_ERROR_FAILURE] * devices
    messages = [None] * devices
    threads = []
    for deviceId in range(devices):
        share = slice(bounds[deviceId], bounds[deviceId + 1])
        arguments = (deviceId, gradOutputHostData[share], outputHostData[share], outHostData[share], rets, messages)
        threads.append(threading.Thread(target=ThreadMain, args=arguments))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    # 4. Print in the order of the devices: each thread has written its own rows of outHostData
    for deviceId in range(devices):
        if rets[deviceId] != ACL_SUCCESS:
            LOG_PRINT("device %d failed. ERROR: %d\n%s\n", deviceId, rets[deviceId], messages[deviceId])
            return rets[deviceId]
        for i in range(bounds[deviceId], bounds[deviceId + 1]):
            LOG_PRINT("row %d, of device %d: %f %f %f %f\n", i, deviceId, *outHostData[i])
    aclFinalize()
    return 0


if __name__ == "__main__":
    # The emulated host has one device by default. The program itself uses as many as it finds
    os.environ.setdefault("ACL_EMULATOR_DEVICE_COUNT", "2")
    sys.exit(main())
