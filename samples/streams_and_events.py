"""A sample of two streams, events between them, and the time of both. It is ours, not from a document.

Two gradients that do not depend on each other are computed in two streams; their sum needs both. Events order the
streams: the second stream begins when the first one does, and the sum waits for the second stream. A round with both
gradients in one stream comes first; the times of the events show how much time two streams save.

CHECK_RET(condition, expression) is written as the `if` it expands to. Each function returns a bad status to its caller,
and main prints it with the text of aclGetRecentErrMsg.
"""

import sys
from ctypes import byref, c_float, c_uint64, c_void_p, pointer

import numpy as np

from acl_runtime import *
from aclnn import aclnnSoftmaxBackward, aclnnSoftmaxBackwardGetWorkspaceSize

SHAPE = [512, 1024]
SIZE = 512 * 1024 * 4


def LOG_PRINT(message, *args):
    print(message % args, end="")


class Gradient:
    """One call of aclnnSoftmaxBackward: its tensors, its workspace and its executor."""

    def __init__(self):
        self.deviceAddrs = [c_void_p(), c_void_p(), c_void_p()]
        self.tensors = [aclTensor(), aclTensor(), aclTensor()]
        self.workspaceAddr = c_void_p()
        self.workspaceSize = c_uint64(0)
        self.executor = aclOpExecutor()


def CreateAclTensor(hostData, deviceAddr, tensor):
    ret = aclrtMalloc(deviceAddr, SIZE, ACL_MEM_MALLOC_HUGE_FIRST)
    if ret != ACL_SUCCESS:
        return ret
    ret = aclrtMemcpy(deviceAddr[0], SIZE, hostData, SIZE, ACL_MEMCPY_HOST_TO_DEVICE)
    if ret != ACL_SUCCESS:
        return ret
    tensor[0] = aclCreateTensor(SHAPE, 2, ACL_FLOAT, [SHAPE[1], 1], 0, ACL_FORMAT_ND, SHAPE, 2, deviceAddr[0])
    return 0


def Plan(gradient, gradOutputHostData, outputHostData):
    hostData = [gradOutputHostData, outputHostData, np.zeros(SHAPE, np.float32)]
    for i in range(3):
        ret = CreateAclTensor(hostData[i], pointer(gradient.deviceAddrs[i]), pointer(gradient.tensors[i]))
        if ret != ACL_SUCCESS:
            return ret
    gradOutput, output, out = gradient.tensors
    ret = aclnnSoftmaxBackwardGetWorkspaceSize(
        gradOutput, output, 1, out, byref(gradient.workspaceSize), byref(gradient.executor)
    )
    if ret != ACL_SUCCESS:
        return ret
    # The executor is used in both rounds, so the workspace must live until the end
    ret = aclSetAclOpExecutorRepeatable(gradient.executor)
    if ret != ACL_SUCCESS:
        return ret
    if gradient.workspaceSize.value > 0:
        ret = aclrtMalloc(byref(gradient.workspaceAddr), gradient.workspaceSize.value, ACL_MEM_MALLOC_HUGE_FIRST)
        if ret != ACL_SUCCESS:
            return ret
    return 0


def Launch(gradient, stream):
    return aclnnSoftmaxBackward(gradient.workspaceAddr, gradient.workspaceSize.value, gradient.executor, stream)


def AddGradients(first, second, firstStream, secondStream, start, ready, end):
    # The second stream begins when the first one reaches `start`
    ret = aclrtRecordEvent(start, firstStream)
    if ret != ACL_SUCCESS:
        return ret
    ret = aclrtStreamWaitEvent(secondStream, start)
    if ret != ACL_SUCCESS:
        return ret
    # Nothing orders these two launches
    ret = Launch(first, firstStream)
    if ret != ACL_SUCCESS:
        return ret
    ret = Launch(second, secondStream)
    if ret != ACL_SUCCESS:
        return ret
    # The first stream continues when the second one reaches `ready`. The host waits for neither
    ret = aclrtRecordEvent(ready, secondStream)
    if ret != ACL_SUCCESS:
        return ret
    ret = aclrtStreamWaitEvent(firstStream, ready)
    if ret != ACL_SUCCESS:
        return ret
    sumAddr, otherAddr = first.deviceAddrs[2], second.deviceAddrs[2]
    ret = aclrtReduceAsync(sumAddr, otherAddr, SIZE, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_FLOAT, firstStream, None)
    if ret != ACL_SUCCESS:
        return ret
    ret = aclrtRecordEvent(end, firstStream)
    if ret != ACL_SUCCESS:
        return ret
    # Now the host waits. Afterwards everything before `end` is done, in both streams
    return aclrtSynchronizeEvent(end)


def Run():
    # 1. Initialise; create two streams and three events
    deviceId = 0
    streams = [aclrtStream(), aclrtStream()]
    start, ready, end = aclrtEvent(), aclrtEvent(), aclrtEvent()
    ret = aclInit(None)
    if ret != ACL_SUCCESS:
        return ret
    ret = aclrtSetDevice(deviceId)
    if ret != ACL_SUCCESS:
        return ret
    for stream in streams:
        ret = aclrtCreateStream(byref(stream))
        if ret != ACL_SUCCESS:
            return ret
    # ACL_EVENT_SYNC lets streams wait for an event, ACL_EVENT_TIME_LINE lets it carry the time
    for event, flag in (
        (start, ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE),
        (ready, ACL_EVENT_SYNC),
        (end, ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE),
    ):
        ret = aclrtCreateEventExWithFlag(byref(event), flag)
        if ret != ACL_SUCCESS:
            return ret

    # 2. Construct the two gradients: output is uniform, so each is (gradOutput - its mean) / 1024
    first, second = Gradient(), Gradient()
    columns = np.tile(np.arange(SHAPE[1], dtype=np.float32), (SHAPE[0], 1))
    outputHostData = np.full(SHAPE, 1 / SHAPE[1], np.float32)
    ret = Plan(first, columns, outputHostData)
    if ret != ACL_SUCCESS:
        return ret
    ret = Plan(second, 2 * columns, outputHostData)
    if ret != ACL_SUCCESS:
        return ret

    # 3. Compute their sum, first in one stream, then in two
    for firstStream, secondStream, name in ((streams[0], streams[0], "one stream"), (*streams, "two streams")):
        ret = AddGradients(first, second, firstStream, secondStream, start, ready, end)
        if ret != ACL_SUCCESS:
            return ret
        milliseconds = c_float()
        ret = aclrtEventElapsedTime(byref(milliseconds), start, end)
        if ret != ACL_SUCCESS:
            return ret
        LOG_PRINT("%s: %f ms\n", name, milliseconds.value)

    # 4. Copy the sum back: nothing is queued any more, so no wait is needed
    resultData = np.zeros(SHAPE, np.float32)
    ret = aclrtMemcpy(resultData, SIZE, first.deviceAddrs[2], SIZE, ACL_MEMCPY_DEVICE_TO_HOST)
    if ret != ACL_SUCCESS:
        return ret
    for i in (0, 1, SHAPE[1] - 1):
        LOG_PRINT("result[%d] is: %f\n", i, resultData[0][i])

    # 5. Release: executors and tensors, memory, events, streams, the device
    for gradient in (first, second):
        aclDestroyAclOpExecutor(gradient.executor)
        for i in range(3):
            aclDestroyTensor(gradient.tensors[i])
            aclrtFree(gradient.deviceAddrs[i])
        if gradient.workspaceSize.value > 0:
            aclrtFree(gradient.workspaceAddr)
    for event in (start, ready, end):
        aclrtDestroyEvent(event)
    for stream in streams:
        aclrtDestroyStream(stream)
    aclrtResetDevice(deviceId)
    aclFinalize()
    return 0


def main():
    ret = Run()
    if ret != ACL_SUCCESS:
        # The text names the call that failed, and the reason
        LOG_PRINT("failed. ERROR: %d\n%s\n", ret, aclGetRecentErrMsg())
    return ret


if __name__ == "__main__":
    sys.exit(main())
