"""Two threads launch the same repeatable executor at the same time."""

from concurrent.futures import ThreadPoolExecutor
from ctypes import byref, c_uint64
from threading import Event, Lock

from acl_runtime import *
from aclnn import aclnnSoftmaxBackward, aclnnSoftmaxBackwardGetWorkspaceSize
from samples.findings.common import device, tensors, threads_take_turns


def repeatable(gradOutput, output, out):
    executor, context = aclOpExecutor(), aclrtContext()
    aclnnSoftmaxBackwardGetWorkspaceSize(gradOutput, output, 1, out, byref(c_uint64(0)), byref(executor))
    aclSetAclOpExecutorRepeatable(executor)
    aclrtGetCurrentContext(byref(context))
    return executor, context


def wrong():
    with device() as stream, tensors() as (gradOutput, output, out), threads_take_turns():
        executor, context = repeatable(gradOutput, output, out)
        met = Event()

        def work(_):
            try:
                while not met.is_set() and aclnnSoftmaxBackward(None, 0, executor, stream) == ACL_SUCCESS:
                    pass
            finally:
                met.set()

        with ThreadPoolExecutor(2, initializer=aclrtSetCurrentContext, initargs=[context]) as pool:
            list(pool.map(work, range(2)))
        aclrtSynchronizeStream(stream)
        aclDestroyAclOpExecutor(executor)


def right():
    with device() as stream, tensors() as (gradOutput, output, out), threads_take_turns():
        executor, context = repeatable(gradOutput, output, out)
        lock = Lock()

        def work(_):
            for _ in range(20):
                with lock:
                    aclnnSoftmaxBackward(None, 0, executor, stream)

        with ThreadPoolExecutor(2, initializer=aclrtSetCurrentContext, initargs=[context]) as pool:
            list(pool.map(work, range(2)))
        aclrtSynchronizeStream(stream)
        aclDestroyAclOpExecutor(executor)
