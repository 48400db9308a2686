"""Two threads launch the same repeatable executor at the same time."""

from concurrent.futures import ThreadPoolExecutor
from ctypes import byref, c_uint64
from threading import Event, Lock

from acl_runtime import *
from aclnn import aclnnSoftmaxBackward, aclnnSoftmaxBackwardGetWorkspaceSize
from samples.findings.common import device, tensors, threads_take_turns


def repeatable(gradOutput, output, out):
    executor = aclOpExecutor()
    aclnnSoftmaxBackwardGetWorkspaceSize(gradOutput, output, 1, out, byref(c_uint64(0)), byref(executor))
    aclSetAclOpExecutorRepeatable(executor)
    return executor


def wrong():
    with device() as stream, tensors() as (gradOutput, output, out), threads_take_turns():
        executor, context = repeatable(gradOutput, output, out), aclrtContext()
        aclrtGetCurrentContext(byref(context))
        met = Event()

        def work(_):
            aclrtSetCurrentContext(context)
            try:
                while not met.is_set() and aclnnSoftmaxBackward(None, 0, executor, stream) == ACL_SUCCESS:
                    pass
            finally:
                met.set()

        with ThreadPoolExecutor(2) as pool:
            list(pool.map(work, range(2)))
        aclrtSynchronizeStream(stream)
        aclDestroyAclOpExecutor(executor)


def right():
    with device() as stream, tensors() as (gradOutput, output, out), threads_take_turns():
        executor, context = repeatable(gradOutput, output, out), aclrtContext()
        aclrtGetCurrentContext(byref(context))
        lock = Lock()

        def work(_):
            aclrtSetCurrentContext(context)
            for _ in range(20):
                with lock:
                    aclnnSoftmaxBackward(None, 0, executor, stream)

        with ThreadPoolExecutor(2) as pool:
            list(pool.map(work, range(2)))
        aclrtSynchronizeStream(stream)
        aclDestroyAclOpExecutor(executor)
