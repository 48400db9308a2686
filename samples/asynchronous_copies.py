"""A sample that copies batches in, computes and copies out at the same time. It is ours, not from a document.

One stream copies and another computes, with two sets of buffers: while one batch is computed, the next is copied in
and the one before it is copied out. Only pinned memory (aclrtMallocHost) is copied asynchronously; with plain memory
aclrtMemcpyAsync would wait. A run with everything in one stream comes first, for comparison.

CHECK_RET(condition, expression) is written as the `if` it expands to. Each function returns a bad status to its caller,
and main prints it with the text of aclGetRecentErrMsg.
"""

import sys
from ctypes import POINTER, byref, c_float, c_uint64, c_void_p, cast

import numpy as np

from acl_runtime import *
from aclnn import aclnnSoftmaxBackward, aclnnSoftmaxBackwardGetWorkspaceSize

BATCHES = 6
SHAPE = [256, 1024]
SIZE = 256 * 1024 * 4


def LOG_PRINT(message, *args):
    print(message % args, end="")


def Init(deviceId, *streams):
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
    return 0


class Slot:
    """One of the two sets of buffers, with an event for each step of its batch: copied in, computed, copied out."""

    def __init__(self):
        self.hostIn, self.hostOut = c_void_p(), c_void_p()
        self.deviceIn, self.deviceOut = c_void_p(), c_void_p()
        self.gradOutput, self.out = aclTensor(), aclTensor()
        self.workspaceAddr = c_void_p()
        self.workspaceSize = c_uint64(0)
        self.executor = aclOpExecutor()
        self.loaded, self.computed, self.stored = aclrtEvent(), aclrtEvent(), aclrtEvent()


def FloatArray(hostPtr):
    # (float *)hostPtr: pinned memory as an array
    return np.ctypeslib.as_array(cast(hostPtr, POINTER(c_float)), SHAPE)


def CreateAclTensor(deviceAddr):
    return aclCreateTensor(SHAPE, 2, ACL_FLOAT, [SHAPE[1], 1], 0, ACL_FORMAT_ND, SHAPE, 2, deviceAddr)


def CreateSlot(slot, output):
    for hostPtr in (slot.hostIn, slot.hostOut):
        ret = aclrtMallocHost(byref(hostPtr), SIZE)
        if ret != ACL_SUCCESS:
            return ret
    for devPtr in (slot.deviceIn, slot.deviceOut):
        ret = aclrtMalloc(byref(devPtr), SIZE, ACL_MEM_MALLOC_HUGE_FIRST)
        if ret != ACL_SUCCESS:
            return ret
    for event in (slot.loaded, slot.computed, slot.stored):
        ret = aclrtCreateEventExWithFlag(byref(event), ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE)
        if ret != ACL_SUCCESS:
            return ret
    # One plan for all batches of the slot
    slot.gradOutput, slot.out = CreateAclTensor(slot.deviceIn), CreateAclTensor(slot.deviceOut)
    ret = aclnnSoftmaxBackwardGetWorkspaceSize(
        slot.gradOutput, output, 1, slot.out, byref(slot.workspaceSize), byref(slot.executor)
    )
    if ret != ACL_SUCCESS:
        return ret
    aclSetAclOpExecutorRepeatable(slot.executor)
    if slot.workspaceSize.value > 0:
        ret = aclrtMalloc(byref(slot.workspaceAddr), slot.workspaceSize.value, ACL_MEM_MALLOC_HUGE_FIRST)
        if ret != ACL_SUCCESS:
            return ret
    return 0


def Load(slot, batch, copyStream):
    FloatArray(slot.hostIn)[:] = (batch + 1) * np.arange(SHAPE[1], dtype=np.float32)
    ret = aclrtMemcpyAsync(slot.deviceIn, SIZE, slot.hostIn, SIZE, ACL_MEMCPY_HOST_TO_DEVICE, copyStream)
    if ret != ACL_SUCCESS:
        return ret
    return aclrtRecordEvent(slot.loaded, copyStream)


def Compute(slot, computeStream):
    ret = aclrtStreamWaitEvent(computeStream, slot.loaded)
    if ret != ACL_SUCCESS:
        return ret
    ret = aclnnSoftmaxBackward(slot.workspaceAddr, slot.workspaceSize.value, slot.executor, computeStream)
    if ret != ACL_SUCCESS:
        return ret
    return aclrtRecordEvent(slot.computed, computeStream)


def Store(slot, copyStream):
    ret = aclrtStreamWaitEvent(copyStream, slot.computed)
    if ret != ACL_SUCCESS:
        return ret
    ret = aclrtMemcpyAsync(slot.hostOut, SIZE, slot.deviceOut, SIZE, ACL_MEMCPY_DEVICE_TO_HOST, copyStream)
    if ret != ACL_SUCCESS:
        return ret
    return aclrtRecordEvent(slot.stored, copyStream)


def Take(slot, result):
    # Once its batch is stored, all buffers of the slot are free again
    ret = aclrtSynchronizeEvent(slot.stored)
    if ret != ACL_SUCCESS:
        return ret
    result[:] = FloatArray(slot.hostOut)
    return 0


def RunBatches(slots, copyStream, computeStream, start, results):
    ret = aclrtRecordEvent(start, copyStream)
    if ret != ACL_SUCCESS:
        return ret
    ret = Load(slots[0], 0, copyStream)
    if ret != ACL_SUCCESS:
        return ret
    for batch in range(BATCHES):
        slot, other = slots[batch % 2], slots[(batch + 1) % 2]
        ret = Compute(slot, computeStream)
        if ret != ACL_SUCCESS:
            return ret
        # Meanwhile take the result of the other slot, and load the next batch into it. Load is queued before Store,
        # because Store makes copyStream wait for the computation
        if batch >= 1:
            ret = Take(other, results[batch - 1])
            if ret != ACL_SUCCESS:
                return ret
        if batch + 1 < BATCHES:
            ret = Load(other, batch + 1, copyStream)
            if ret != ACL_SUCCESS:
                return ret
        ret = Store(slot, copyStream)
        if ret != ACL_SUCCESS:
            return ret
    return Take(slots[(BATCHES - 1) % 2], results[BATCHES - 1])


def Run():
    # 1. Initialise; create two streams and the event at the beginning of a run
    deviceId = 0
    copyStream, computeStream, start = aclrtStream(), aclrtStream(), aclrtEvent()
    ret = Init(deviceId, copyStream, computeStream)
    if ret != ACL_SUCCESS:
        return ret
    ret = aclrtCreateEventExWithFlag(byref(start), ACL_EVENT_TIME_LINE)
    if ret != ACL_SUCCESS:
        return ret

    # 2. Copy the common input of all batches once, synchronously. output is uniform, so a result is
    # (gradOutput - its mean) / 1024
    outputDeviceAddr = c_void_p()
    outputHostData = np.full(SHAPE, 1 / SHAPE[1], np.float32)
    ret = aclrtMalloc(byref(outputDeviceAddr), SIZE, ACL_MEM_MALLOC_HUGE_FIRST)
    if ret != ACL_SUCCESS:
        return ret
    ret = aclrtMemcpy(outputDeviceAddr, SIZE, outputHostData, SIZE, ACL_MEMCPY_HOST_TO_DEVICE)
    if ret != ACL_SUCCESS:
        return ret
    output = CreateAclTensor(outputDeviceAddr)
    slots = [Slot(), Slot()]
    for slot in slots:
        ret = CreateSlot(slot, output)
        if ret != ACL_SUCCESS:
            return ret

    # 3. Run all batches, first in one stream, then in two
    for stream, name in ((copyStream, "one stream"), (computeStream, "two streams")):
        results = np.zeros([BATCHES, *SHAPE], np.float32)
        ret = RunBatches(slots, copyStream, stream, start, results)
        if ret != ACL_SUCCESS:
            return ret
        milliseconds = c_float()
        ret = aclrtEventElapsedTime(byref(milliseconds), start, slots[(BATCHES - 1) % 2].stored)
        if ret != ACL_SUCCESS:
            return ret
        LOG_PRINT("%s: %f ms\n", name, milliseconds.value)
    for batch in range(BATCHES):
        LOG_PRINT("batch %d: %f to %f\n", batch, results[batch].min(), results[batch].max())

    # 4. Release: nothing is queued any more, because the last result was taken
    for slot in slots:
        aclDestroyAclOpExecutor(slot.executor)
        aclDestroyTensor(slot.gradOutput)
        aclDestroyTensor(slot.out)
        for event in (slot.loaded, slot.computed, slot.stored):
            aclrtDestroyEvent(event)
        for hostPtr in (slot.hostIn, slot.hostOut):
            aclrtFreeHost(hostPtr)
        for devPtr in (slot.deviceIn, slot.deviceOut):
            aclrtFree(devPtr)
        if slot.workspaceSize.value > 0:
            aclrtFree(slot.workspaceAddr)
    aclDestroyTensor(output)
    aclrtFree(outputDeviceAddr)
    aclrtDestroyEvent(start)
    aclrtDestroyStream(copyStream)
    aclrtDestroyStream(computeStream)
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
