"""Two threads launch the same repeatable executor at the same time."""

from concurrent.futures import ThreadPoolExecutor
from ctypes import byref, c_uint64
from threading import Event, Lock

from acl_runtime import *
from aclnn import aclnnSoftmaxBackward, aclnnSoftmaxBackwardGetWorkspaceSize
from samples.findings.common import device, tensors, threads_take_turns


def wrong():
    with device() as stream, tensors() as (gradOutput, output, out), threads_take_turns():
        workspaceSize, executor, context = c_uint64(0), aclOpExecutor(), aclrtContext()
        aclrtGetCurrentContext(byref(context))
        aclnnSoftmaxBackwardGetWorkspaceSize(gradOutput, output, 1, out, byref(workspaceSize), byref(executor))
        aclSetAclOpExecutorRepeatable(executor)

        met = Event()

        def work():
            aclrtSetCurrentContext(context)
            try:
                while not met.is_set() and aclnnSoftmaxBackward(None, 0, executor, stream) == ACL_SUCCESS:
                    pass
            finally:
                met.set()

        with ThreadPoolExecutor(2) as pool:
            for worker in [pool.submit(work) for _ in range(2)]:
                worker.result()
        aclrtSynchronizeStream(stream)
        aclDestroyAclOpExecutor(executor)


def right():
    with device() as stream, tensors() as (gradOutput, output, out), threads_take_turns():
        workspaceSize, executor, context = c_uint64(0), aclOpExecutor(), aclrtContext()
        aclrtGetCurrentContext(byref(context))
        aclnnSoftmaxBackwardGetWorkspaceSize(gradOutput, output, 1, out, byref(workspaceSize), byref(executor))
        aclSetAclOpExecutorRepeatable(executor)
        lock = Lock()

        def work():
            aclrtSetCurrentContext(context)
            for _ in range(20):
                with lock:
                    aclnnSoftmaxBackward(None, 0, executor, stream)

        with ThreadPoolExecutor(2) as pool:
            for worker in [pool.submit(work) for _ in range(2)]:
                worker.result()
        aclrtSynchronizeStream(stream)
        aclDestroyAclOpExecutor(executor)
