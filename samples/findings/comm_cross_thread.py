"""Two threads call operations of one communicator at the same time."""

from concurrent.futures import ThreadPoolExecutor
from ctypes import byref
from threading import Event, Lock

from acl_runtime import *
from samples.findings.common import device, threads_take_turns


def communicator():
    root, comm = HcclRootInfo(), HcclComm()
    HcclGetRootInfo(byref(root))
    HcclCommInitRootInfo(1, byref(root), 0, byref(comm))
    return comm


def wrong():
    with device() as stream, threads_take_turns():
        comm, met = communicator(), Event()

        def work(_):
            try:
                while not met.is_set() and HcclBarrier(comm, stream) == HCCL_SUCCESS:
                    pass
            finally:
                met.set()

        with ThreadPoolExecutor(2) as pool:
            list(pool.map(work, range(2)))
        aclrtSynchronizeStream(stream)
        HcclCommDestroy(comm)


def right():
    with device() as stream, threads_take_turns():
        comm, lock = communicator(), Lock()

        def work(_):
            for _ in range(20):
                with lock:
                    HcclBarrier(comm, stream)

        with ThreadPoolExecutor(2) as pool:
            list(pool.map(work, range(2)))
        aclrtSynchronizeStream(stream)
        HcclCommDestroy(comm)
