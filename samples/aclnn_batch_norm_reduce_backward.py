"""The sample of the document of aclnnBatchNormReduceBackward, line by line.

CHECK_RET(condition, expression) is written as the `if` it expands to. The comments are the document's, in English.
"""

import sys
from ctypes import byref, c_uint64, c_void_p, pointer

import numpy as np

from acl_runtime import *
from aclnn import aclnnBatchNormReduceBackward, aclnnBatchNormReduceBackwardGetWorkspaceSize


def LOG_PRINT(message, *args):
    print(message % args, end="")


def GetShapeSize(shape):
    shapeSize = 1
    for i in shape:
        shapeSize *= i
    return shapeSize


def PrintOutResult(shape, deviceAddr):
    size = GetShapeSize(shape)
    resultData = np.zeros(size, np.float32)
    ret = aclrtMemcpy(
        resultData,
        resultData.size * resultData.itemsize,
        deviceAddr[0],
        size * resultData.itemsize,
        ACL_MEMCPY_DEVICE_TO_HOST,
    )
    if ret != ACL_SUCCESS:
        LOG_PRINT("copy result from device to host failed. ERROR: %d\n", ret)
        return
    for i in range(size):
        LOG_PRINT("result[%ld] is: %f\n", i, resultData[i])


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
    # Call aclrtMalloc to request memory on the Device side
    ret = aclrtMalloc(deviceAddr, size, ACL_MEM_MALLOC_HUGE_FIRST)
    if ret != ACL_SUCCESS:
        LOG_PRINT("aclrtMalloc failed. ERROR: %d\n", ret)
        return ret
    # Call aclrtMemcpy to copy the data of the Host side to the memory of the Device side
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
    # Handle the check as you need
    if ret != ACL_SUCCESS:
        LOG_PRINT("Init acl failed. ERROR: %d\n", ret)
        return ret

    # 2. Construct the inputs and outputs, as the interface of the API needs them
    gradOutShape = [4, 2]
    inputShape = [4, 2]
    meanShape = [2]
    invstdShape = [2]
    weightShape = [2]
    sumDyShape = [2]
    sumDyXmuShape = [2]
    gradWeightShape = [2]
    gradBiasShape = [2]
    gradOutDeviceAddr = c_void_p()
    inputDeviceAddr = c_void_p()
    meanDeviceAddr = c_void_p()
    invstdDeviceAddr = c_void_p()
    weightDeviceAddr = c_void_p()
    sumDyDeviceAddr = c_void_p()
    sumDyXmuDeviceAddr = c_void_p()
    gradWeightDeviceAddr = c_void_p()
    gradBiasDeviceAddr = c_void_p()
    gradOut = aclTensor()
    input = aclTensor()
    mean = aclTensor()
    invstd = aclTensor()
    weight = aclTensor()
    sumDy = aclTensor()
    sumDyXmu = aclTensor()
    gradWeight = aclTensor()
    gradBias = aclTensor()
    gradOutHostData = np.array([1, 1, 1, 2, 2, 2, 3, 3], np.float32)
    inputHostData = np.array([0, 1, 2, 3, 4, 5, 6, 7], np.float32)
    meanHostData = np.array([1, 1], np.float32)
    invstdHostData = np.array([1, 1], np.float32)
    weightHostData = np.array([1, 1], np.float32)
    sumDyHostData = np.array([1, 1], np.float32)
    sumDyXmuHostData = np.array([1, 1], np.float32)
    gradWeightHostData = np.array([1, 1], np.float32)
    gradBiasHostData = np.array([1, 1], np.float32)
    ret = CreateAclTensor(
        gradOutHostData, gradOutShape, pointer(gradOutDeviceAddr), aclDataType.ACL_FLOAT, pointer(gradOut)
    )
    if ret != ACL_SUCCESS:
        return ret
    ret = CreateAclTensor(inputHostData, inputShape, pointer(inputDeviceAddr), aclDataType.ACL_FLOAT, pointer(input))
    if ret != ACL_SUCCESS:
        return ret
    ret = CreateAclTensor(meanHostData, meanShape, pointer(meanDeviceAddr), aclDataType.ACL_FLOAT, pointer(mean))
    if ret != ACL_SUCCESS:
        return ret
    ret = CreateAclTensor(
        invstdHostData, invstdShape, pointer(invstdDeviceAddr), aclDataType.ACL_FLOAT, pointer(invstd)
    )
    if ret != ACL_SUCCESS:
        return ret
    ret = CreateAclTensor(
        weightHostData, weightShape, pointer(weightDeviceAddr), aclDataType.ACL_FLOAT, pointer(weight)
    )
    if ret != ACL_SUCCESS:
        return ret
    inputG = True
    weightG = True
    biasG = True
    ret = CreateAclTensor(sumDyHostData, sumDyShape, pointer(sumDyDeviceAddr), aclDataType.ACL_FLOAT, pointer(sumDy))
    if ret != ACL_SUCCESS:
        return ret
    ret = CreateAclTensor(
        sumDyXmuHostData, sumDyXmuShape, pointer(sumDyXmuDeviceAddr), aclDataType.ACL_FLOAT, pointer(sumDyXmu)
    )
    if ret != ACL_SUCCESS:
        return ret
    ret = CreateAclTensor(
        gradWeightHostData, gradWeightShape, pointer(gradWeightDeviceAddr), aclDataType.ACL_FLOAT, pointer(gradWeight)
    )
    if ret != ACL_SUCCESS:
        return ret
    ret = CreateAclTensor(
        gradBiasHostData, gradBiasShape, pointer(gradBiasDeviceAddr), aclDataType.ACL_FLOAT, pointer(gradBias)
    )
    if ret != ACL_SUCCESS:
        return ret
    workspaceSize = c_uint64(0)
    executor = aclOpExecutor()

    # Example of a call of aclnnBatchNormReduceBackward
    # 3. Call the API of the CANN operator library, to be changed to the name of the actual API
    # Call the first phase of aclnnBatchNormReduceBackward
    ret = aclnnBatchNormReduceBackwardGetWorkspaceSize(
        gradOut,
        input,
        mean,
        invstd,
        weight,
        inputG,
        weightG,
        biasG,
        sumDy,
        sumDyXmu,
        gradWeight,
        gradBias,
        byref(workspaceSize),
        byref(executor),
    )
    if ret != ACL_SUCCESS:
        LOG_PRINT("aclnnBatchNormReduceBackwardGetWorkspaceSize failed. ERROR: %d\n", ret)
        return ret
    # Request device memory of the workspaceSize that the first phase computed
    workspaceAddr = c_void_p()
    if workspaceSize.value > 0:
        ret = aclrtMalloc(byref(workspaceAddr), workspaceSize.value, ACL_MEM_MALLOC_HUGE_FIRST)
        if ret != ACL_SUCCESS:
            LOG_PRINT("allocate workspace failed. ERROR: %d\n", ret)
            return ret
    # Call the second phase of aclnnBatchNormReduceBackward
    ret = aclnnBatchNormReduceBackward(workspaceAddr, workspaceSize.value, executor, stream)
    if ret != ACL_SUCCESS:
        LOG_PRINT("aclnnBatchNormReduceBackward failed. ERROR: %d\n", ret)
        return ret

    # 4. (Fixed pattern) Synchronise: wait until the task has finished
    ret = aclrtSynchronizeStream(stream)
    if ret != ACL_SUCCESS:
        LOG_PRINT("aclrtSynchronizeStream failed. ERROR: %d\n", ret)
        return ret

    # 5. Get the value of the output: copy the result in the memory of the Device side to the Host side,
    # to be changed to the interface of the actual API
    PrintOutResult(sumDyShape, pointer(sumDyDeviceAddr))
    PrintOutResult(sumDyXmuShape, pointer(sumDyXmuDeviceAddr))
    PrintOutResult(gradWeightShape, pointer(gradWeightDeviceAddr))
    PrintOutResult(gradBiasShape, pointer(gradBiasDeviceAddr))

    # 6. Release the aclTensor and aclScalar objects, to be changed to the interface of the actual API
    aclDestroyTensor(gradOut)
    aclDestroyTensor(input)
    aclDestroyTensor(mean)
    aclDestroyTensor(invstd)
    aclDestroyTensor(weight)
    aclDestroyTensor(sumDy)
    aclDestroyTensor(sumDyXmu)
    aclDestroyTensor(gradWeight)
    aclDestroyTensor(gradBias)

    # 7. Release the resources of the device, to be changed to the interface of the actual API
    aclrtFree(gradOutDeviceAddr)
    aclrtFree(inputDeviceAddr)
    aclrtFree(meanDeviceAddr)
    aclrtFree(invstdDeviceAddr)
    aclrtFree(weightDeviceAddr)
    aclrtFree(sumDyDeviceAddr)
    aclrtFree(sumDyXmuDeviceAddr)
    aclrtFree(gradWeightDeviceAddr)
    aclrtFree(gradBiasDeviceAddr)
    if workspaceSize.value > 0:
        aclrtFree(workspaceAddr)
    aclrtDestroyStream(stream)
    aclrtResetDevice(deviceId)
    aclFinalize()
    return 0


if __name__ == "__main__":
    sys.exit(main())
