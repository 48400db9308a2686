"""The sample of the document of aclnnEmbeddingDenseBackward, line by line.

CHECK_RET(condition, expression) is written as the `if` it expands to. The comments are the document's, in English.
"""

import sys
from ctypes import byref, c_uint64, c_void_p, pointer

import numpy as np

from acl_runtime import *
from aclnn import aclnnEmbeddingDenseBackward, aclnnEmbeddingDenseBackwardGetWorkspaceSize


def LOG_PRINT(message, *args):
    print(message % args, end="")


def GetShapeSize(shape):
    shapeSize = 1
    for i in shape:
        shapeSize *= i
    return shapeSize


def Init(deviceId, stream):
    # Fixed pattern: initialise AscendCL
    ret = aclInit(None)
    if ret != ACL_SUCCESS:
        LOG_PRINT("aclInit failed. ERROR: %d\n", ret)
        return ret
    ret = aclrtSetDevice(deviceId)
    if ret != ACL_SUCCESS:
        LOG_PRINT("aclrtSetDevice failed. ERROR: %d\n", ret)
        return ret
    ret = aclrtCreateStream(stream)
    if ret != ACL_SUCCESS:
        LOG_PRINT("aclrtCreateStream failed. ERROR: %d\n", ret)
        return ret
    return 0


def CreateAclTensor(hostData, shape, deviceAddr, dataType, tensor):
    size = GetShapeSize(shape) * hostData.itemsize
    # Call aclrtMalloc to request memory on the device side
    ret = aclrtMalloc(deviceAddr, size, ACL_MEM_MALLOC_HUGE_FIRST)
    if ret != ACL_SUCCESS:
        LOG_PRINT("aclrtMalloc failed. ERROR: %d\n", ret)
        return ret
    # Call aclrtMemcpy to copy the data of the host side to the memory of the device side
    ret = aclrtMemcpy(deviceAddr[0], size, hostData, size, ACL_MEMCPY_HOST_TO_DEVICE)
    if ret != ACL_SUCCESS:
        LOG_PRINT("aclrtMemcpy failed. ERROR: %d\n", ret)
        return ret
    # Compute the strides of a contiguous tensor
    strides = [1] * len(shape)
    for i in range(len(shape) - 2, -1, -1):
        strides[i] = shape[i + 1] * strides[i + 1]
    # Call aclCreateTensor to create the aclTensor
    tensor[0] = aclCreateTensor(
        shape, len(shape), dataType, strides, 0, aclFormat.ACL_FORMAT_ND, shape, len(shape), deviceAddr[0]
    )
    return 0


def main():
    # 1. (Fixed pattern) Initialise device/stream, see the list of the public AscendCL interfaces
    # Fill in deviceId to match your own device
    deviceId = 0
    stream = aclrtStream()
    ret = Init(deviceId, byref(stream))
    if ret != ACL_SUCCESS:
        LOG_PRINT("Init acl failed. ERROR: %d\n", ret)
        return ret

    # 2. Construct the inputs and outputs, as the interface of the API needs them
    numWeights = 4
    paddingIdx = 0
    scaleGradByFreq = False
    gradOutputShape = [2, 3]
    indicesShape = [2]
    outShape = [4, 3]
    gradOutputDeviceAddr = c_void_p()
    indicesDeviceAddr = c_void_p()
    outDeviceAddr = c_void_p()
    gradOutput = aclTensor()
    indices = aclTensor()
    out = aclTensor()
    gradOutputHostData = np.array([1, 2, 3, 4, 5, 6], np.float32)
    indicesHostData = np.array([1, 2], np.int64)
    outHostData = np.array([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], np.float32)
    # Create the gradOutput aclTensor
    ret = CreateAclTensor(
        gradOutputHostData, gradOutputShape, pointer(gradOutputDeviceAddr), aclDataType.ACL_FLOAT, pointer(gradOutput)
    )
    if ret != ACL_SUCCESS:
        return ret
    # Create the indices aclTensor
    ret = CreateAclTensor(
        indicesHostData, indicesShape, pointer(indicesDeviceAddr), aclDataType.ACL_INT64, pointer(indices)
    )
    if ret != ACL_SUCCESS:
        return ret
    # Create the out aclTensor
    ret = CreateAclTensor(outHostData, outShape, pointer(outDeviceAddr), aclDataType.ACL_FLOAT, pointer(out))
    if ret != ACL_SUCCESS:
        return ret

    # 3. Call the API of the CANN operator library, to be changed to the name of the actual API
    workspaceSize = c_uint64(0)
    executor = aclOpExecutor()
    # Call the first phase of aclnnEmbeddingDenseBackward
    ret = aclnnEmbeddingDenseBackwardGetWorkspaceSize(
        gradOutput, indices, numWeights, paddingIdx, scaleGradByFreq, out, byref(workspaceSize), byref(executor)
    )
    if ret != ACL_SUCCESS:
        LOG_PRINT("aclnnEmbeddingDenseBackwardGetWorkspaceSize failed. ERROR: %d\n", ret)
        return ret
    # Request device memory of the workspaceSize that the first phase computed
    workspaceAddr = c_void_p()
    if workspaceSize.value > 0:
        ret = aclrtMalloc(byref(workspaceAddr), workspaceSize.value, ACL_MEM_MALLOC_HUGE_FIRST)
        if ret != ACL_SUCCESS:
            LOG_PRINT("allocate workspace failed. ERROR: %d\n", ret)
            return ret
    # Call the second phase of aclnnEmbeddingDenseBackward
    ret = aclnnEmbeddingDenseBackward(workspaceAddr, workspaceSize.value, executor, stream)
    if ret != ACL_SUCCESS:
        LOG_PRINT("aclnnEmbeddingDenseBackward failed. ERROR: %d\n", ret)
        return ret

    # 4. (Fixed pattern) Synchronise: wait until the task has finished
    ret = aclrtSynchronizeStream(stream)
    if ret != ACL_SUCCESS:
        LOG_PRINT("aclrtSynchronizeStream failed. ERROR: %d\n", ret)
        return ret

    # 5. Get the value of the output: copy the result in the memory of the device side to the host side,
    # to be changed to the interface of the actual API
    size = GetShapeSize(outShape)
    resultData = np.zeros(size, np.float32)
    ret = aclrtMemcpy(
        resultData,
        resultData.size * resultData.itemsize,
        outDeviceAddr,
        size * resultData.itemsize,
        ACL_MEMCPY_DEVICE_TO_HOST,
    )
    if ret != ACL_SUCCESS:
        LOG_PRINT("copy resultData from device to host failed. ERROR: %d\n", ret)
        return ret
    for i in range(size):
        LOG_PRINT("resultData[%ld] is: %f\n", i, resultData[i])

    # 6. Release the aclTensor objects, to be changed to the interface of the actual API
    aclDestroyTensor(gradOutput)
    aclDestroyTensor(indices)
    aclDestroyTensor(out)

    # 7. Release the resources of the device, to be changed to the interface of the actual API
    aclrtFree(gradOutputDeviceAddr)
    aclrtFree(indicesDeviceAddr)
    aclrtFree(outDeviceAddr)
    if workspaceSize.value > 0:
        aclrtFree(workspaceAddr)
    aclrtDestroyStream(stream)
    aclrtResetDevice(deviceId)
    aclFinalize()
    return 0


if __name__ == "__main__":
    sys.exit(main())
