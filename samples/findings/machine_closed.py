"""A thread is started inside the `with` block of a machine, and still calls after the block."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event

from acl_runtime import *
from acl_runtime import Machine


def wrong():
    def work():
        closed.wait()
        aclrtSetDevice(0)

    closed = Event()
    with ThreadPoolExecutor(1) as pool:
        with Machine():
            worker = pool.submit(work)
        closed.set()
        worker.result()


def right():
    def work():
        aclrtSetDevice(0)
        aclrtResetDevice(0)

    with ThreadPoolExecutor(1) as pool, Machine():
        worker = pool.submit(work)
        worker.result()  # waits for the thread
