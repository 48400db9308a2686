"""The sample of the document of aclnnPreluBackward, line by line.

CHECK_RET(condition, expression) is written as the `if` it expands to. The comments are the document's, in English.
"""

import sys
from ctypes import byref, c_float, c_uint64, c_void_p, pointer, sizeof

import numpy as np

from acl_runtime import *
from aclnn import aclnnPreluBackward, aclnnPreluBackwardGetWorkspaceSize


def LOG_PRINT(message, *args):
    print(message % args, end="")


def GetShapeSize(shape):
    shape_size = 1
    for i in shape:
        shape_size *= i
    return shape_size


def Init(deviceId, context, stream):
    # Fixed pattern: initialise AscendCL
    ret = aclInit(None)
    if ret != ACL_SUCCESS:
        LOG_PRINT("aclInit failed. ERROR: %d\n", ret)
        return ret
    ret = aclrtSetDevice(deviceId)
    if ret != ACL_SUCCESS:
        LOG_PRINT("aclrtSetDevice failed. ERROR: %d\n", ret)
        return ret
    ret = aclrtCreateContext(context, deviceId)
    if ret != ACL_SUCCESS:
        LOG_PRINT("aclrtCreateContext failed. ERROR: %d\n", ret)
        return ret
    ret = aclrtSetCurrentContext(context[0])
    if ret != ACL_SUCCESS:
        LOG_PRINT("aclrtSetCurrentContext failed. ERROR: %d\n", ret)
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
    # 1. (Fixed pattern) Initialise device/context/stream, see the list of the public AscendCL interfaces
    # Fill in deviceId to match your own device
    deviceId = 0
    context = aclrtContext()
    stream = aclrtStream()
    ret = Init(deviceId, pointer(context), byref(stream))
    # Handle the check as you need
    if ret != ACL_SUCCESS:
        LOG_PRINT("Init acl failed. ERROR: %d\n", ret)
        return ret

    # 2. Construct the inputs and outputs, as the interface of the API needs them
    selfShape = [4, 2]
    weightShape = [2]
    gradOutputShape = [4, 2]
    gradInputShape = [4, 2]
    gradWeightShape = [2]
    selfDeviceAddr = c_void_p()
    gradOutputDeviceAddr = c_void_p()
    weightDeviceAddr = c_void_p()
    gradInputDeviceAddr = c_void_p()
    gradWeightDeviceAddr = c_void_p()
    self = aclTensor()
    weight = aclTensor()
    gradOutput = aclTensor()
    gradInput = aclTensor()
    gradWeight = aclTensor()
    selfHostData = np.array([0, 1, 2, 3, 4, 5, 6, 7], np.float32)
    weightHostData = np.array([0.5, 0.5], np.float32)
    gradOutputHostData = np.array([1, 1, 1, 1, 1, 1, 1, 1], np.float32)
    gradInputHostData = np.array([0, 0, 0, 0, 0, 0, 0, 0], np.float32)
    gradWeightHostData = np.array([0, 0], np.float32)
    # Create the weight aclTensor
    ret = CreateAclTensor(
        weightHostData, weightShape, pointer(weightDeviceAddr), aclDataType.ACL_FLOAT, pointer(weight)
    )
    if ret != ACL_SUCCESS:
        return ret
    # Create the self aclTensor
    ret = CreateAclTensor(selfHostData, selfShape, pointer(selfDeviceAddr), aclDataType.ACL_FLOAT, pointer(self))
    if ret != ACL_SUCCESS:
        return ret
    # Create the gradOutput aclTensor
    ret = CreateAclTensor(
        gradOutputHostData, gradOutputShape, pointer(gradOutputDeviceAddr), aclDataType.ACL_FLOAT, pointer(gradOutput)
    )
    if ret != ACL_SUCCESS:
        return ret
    # Create the gradInput aclTensor
    ret = CreateAclTensor(
        gradInputHostData, gradInputShape, pointer(gradInputDeviceAddr), aclDataType.ACL_FLOAT, pointer(gradInput)
    )
    if ret != ACL_SUCCESS:
        return ret
    # Create the gradWeight aclTensor
    ret = CreateAclTensor(
        gradWeightHostData, gradWeightShape, pointer(gradWeightDeviceAddr), aclDataType.ACL_FLOAT, pointer(gradWeight)
    )
    if ret != ACL_SUCCESS:
        return ret

    # 3. Call the API of the CANN operator library, to be changed to the interface of the actual operator
    workspaceSize = c_uint64(0)
    executor = aclOpExecutor()
    # Call the first phase of aclnnPreluBackward
    ret = aclnnPreluBackwardGetWorkspaceSize(
        gradOutput, self, weight, gradInput, gradWeight, byref(workspaceSize), byref(executor)
    )
    if ret != ACL_SUCCESS:
        LOG_PRINT("aclnnPreluBackwardGetWorkspaceSize failed. ERROR: %d\n", ret)
        return ret
    # Request device memory of the workspaceSize that the first phase computed
    workspaceAddr = c_void_p()
    if workspaceSize.value > 0:
        ret = aclrtMalloc(byref(workspaceAddr), workspaceSize.value, ACL_MEM_MALLOC_HUGE_FIRST)
        if ret != ACL_SUCCESS:
            LOG_PRINT("allocate workspace failed. ERROR: %d\n", ret)
            return ret
    # Call the second phase of aclnnPreluBackward
    ret = aclnnPreluBackward(workspaceAddr, workspaceSize.value, executor, stream)
    if ret != ACL_SUCCESS:
        LOG_PRINT("aclnnPreluBackward failed. ERROR: %d\n", ret)
        return ret

    # 4. (Fixed pattern) Synchronise: wait until the task has finished
    ret = aclrtSynchronizeStream(stream)
    if ret != ACL_SUCCESS:
        LOG_PRINT("aclrtSynchronizeStream failed. ERROR: %d\n", ret)
        return ret

    # 5. Get the value of the output: copy the result in the memory of the device side to the host side,
    # to be changed to the interface of the actual API
    gradInputSize = GetShapeSize(gradInputShape)
    gradInputResultData = np.zeros(gradInputSize, np.float32)
    ret = aclrtMemcpy(
        gradInputResultData,
        gradInputResultData.size * gradInputResultData.itemsize,
        gradInputDeviceAddr,
        gradInputSize * sizeof(c_float),
        ACL_MEMCPY_DEVICE_TO_HOST,
    )
    if ret != ACL_SUCCESS:
        LOG_PRINT("copy result from device to host failed. ERROR: %d\n", ret)
        return ret
    for i in range(gradInputSize):
        LOG_PRINT("gradInput[%ld] is: %f\n", i, gradInputResultData[i])
    gradWeightSize = GetShapeSize(gradWeightShape)
    gradWeightResultData = np.zeros(gradWeightSize, np.float32)
    ret = aclrtMemcpy(
        gradWeightResultData,
        gradWeightResultData.size * gradWeightResultData.itemsize,
        gradWeightDeviceAddr,
        gradWeightSize * sizeof(c_float),
        ACL_MEMCPY_DEVICE_TO_HOST,
    )
    if ret != ACL_SUCCESS:
        LOG_PRINT("copy result from device to host failed. ERROR: %d\n", ret)
        return ret
    for i in range(gradWeightSize):
        LOG_PRINT("gradWeight[%ld] is: %f\n", i, gradWeightResultData[i])

    # 6. Release the aclTensor and aclScalar objects, to be changed to the interface of the actual API
    aclDestroyTensor(gradOutput)
    aclDestroyTensor(self)
    aclDestroyTensor(weight)
    aclDestroyTensor(gradInput)
    aclDestroyTensor(gradWeight)

    # 7. Release the resources of the device, to be changed to the interface of the actual API
    aclrtFree(selfDeviceAddr)
    aclrtFree(gradOutputDeviceAddr)
    aclrtFree(weightDeviceAddr)
    aclrtFree(gradInputDeviceAddr)
    aclrtFree(gradWeightDeviceAddr)
    if workspaceSize.value > 0:
        aclrtFree(workspaceAddr)
    aclrtDestroyStream(stream)
    aclrtDestroyContext(context)
    aclrtResetDevice(deviceId)
    aclFinalize()
    return 0


if __name__ == "__main__":
    sys.exit(main())
