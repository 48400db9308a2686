"""A sample of aclnnCrossEntropyLossGrad. It is ours, as the document contains no C program.

It has the style of the samples of the other documents. Its numbers are from the sample in the public document of the
operator, but the data of target is INT64, as declared: gradLoss 0-D 0.1, logProb 2 x 3 all -0.2, target (0, 0), weight
(1, 1, 1), reduction "mean", ignoreIndex -100.

CHECK_RET(condition, expression) of the other samples is written as the `if` it expands to.
"""

import sys
from ctypes import byref, c_uint64, c_void_p, pointer

import numpy as np

from acl_runtime import *
from aclnn import aclnnCrossEntropyLossGrad, aclnnCrossEntropyLossGradGetWorkspaceSize


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
    gradLossShape = []
    logProbShape = [2, 3]
    targetShape = [2]
    weightShape = [3]
    outShape = [2, 3]
    gradLossDeviceAddr = c_void_p()
    logProbDeviceAddr = c_void_p()
    targetDeviceAddr = c_void_p()
    weightDeviceAddr = c_void_p()
    outDeviceAddr = c_void_p()
    gradLoss = aclTensor()
    logProb = aclTensor()
    target = aclTensor()
    weight = aclTensor()
    out = aclTensor()
    gradLossHostData = np.array([0.1], np.float32)
    logProbHostData = np.array([-0.2, -0.2, -0.2, -0.2, -0.2, -0.2], np.float32)
    targetHostData = np.array([0, 0], np.int64)
    weightHostData = np.array([1, 1, 1], np.float32)
    outHostData = np.array([0, 0, 0, 0, 0, 0], np.float32)
    # Create the gradLoss aclTensor
    ret = CreateAclTensor(
        gradLossHostData, gradLossShape, pointer(gradLossDeviceAddr), aclDataType.ACL_FLOAT, pointer(gradLoss)
    )
    if ret != ACL_SUCCESS:
        return ret
    # Create the logProb aclTensor
    ret = CreateAclTensor(
        logProbHostData, logProbShape, pointer(logProbDeviceAddr), aclDataType.ACL_FLOAT, pointer(logProb)
    )
    if ret != ACL_SUCCESS:
        return ret
    # Create the target aclTensor
    ret = CreateAclTensor(
        targetHostData, targetShape, pointer(targetDeviceAddr), aclDataType.ACL_INT64, pointer(target)
    )
    if ret != ACL_SUCCESS:
        return ret
    # Create the weight aclTensor
    ret = CreateAclTensor(
        weightHostData, weightShape, pointer(weightDeviceAddr), aclDataType.ACL_FLOAT, pointer(weight)
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
    reduction = "mean"
    ignoreIndex = -100
    labelSmoothing = 0.0
    lseSquareScaleForZloss = 0.0
    # Call the first phase of aclnnCrossEntropyLossGrad
    ret = aclnnCrossEntropyLossGradGetWorkspaceSize(
        gradLoss,
        logProb,
        target,
        weight,
        None,
        None,
        reduction,
        ignoreIndex,
        labelSmoothing,
        lseSquareScaleForZloss,
        out,
        byref(workspaceSize),
        byref(executor),
    )
    if ret != ACL_SUCCESS:
        LOG_PRINT("aclnnCrossEntropyLossGradGetWorkspaceSize failed. ERROR: %d\n", ret)
        return ret
    # Request device memory of the workspaceSize that the first phase computed
    workspaceAddr = c_void_p()
    if workspaceSize.value > 0:
        ret = aclrtMalloc(byref(workspaceAddr), workspaceSize.value, ACL_MEM_MALLOC_HUGE_FIRST)
        if ret != ACL_SUCCESS:
            LOG_PRINT("allocate workspace failed. ERROR: %d\n", ret)
            return ret
    # Call the second phase of aclnnCrossEntropyLossGrad
    ret = aclnnCrossEntropyLossGrad(workspaceAddr, workspaceSize.value, executor, stream)
    if ret != ACL_SUCCESS:
        LOG_PRINT("aclnnCrossEntropyLossGrad failed. ERROR: %d\n", ret)
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
        LOG_PRINT("copy result from device to host failed. ERROR: %d\n", ret)
        return ret
    for i in range(size):
        LOG_PRINT("result[%ld] is: %f\n", i, resultData[i])

    # 6. Release the aclTensor objects, to be changed to the interface of the actual API
    aclDestroyTensor(gradLoss)
    aclDestroyTensor(logProb)
    aclDestroyTensor(target)
    aclDestroyTensor(weight)
    aclDestroyTensor(out)

    # 7. Release the resources of the device, to be changed to the interface of the actual API
    aclrtFree(gradLossDeviceAddr)
    aclrtFree(logProbDeviceAddr)
    aclrtFree(targetDeviceAddr)
    aclrtFree(weightDeviceAddr)
    aclrtFree(outDeviceAddr)
    if workspaceSize.value > 0:
        aclrtFree(workspaceAddr)
    aclrtDestroyStream(stream)
    aclrtResetDevice(deviceId)
    aclFinalize()
    return 0


if __name__ == "__main__":
    sys.exit(main())
