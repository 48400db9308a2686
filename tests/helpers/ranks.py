"""Ranks in one process: each has a device, a stream, and a communicator."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from ctypes import byref, c_void_p
from threading import Barrier, Thread
from typing import Any

import numpy as np

from acl_runtime import *
from acl_runtime import Machine
from tests.conftest import check_documented

SCHEDULES = ("late", "eager", "threads", "random")
SIZES = (4, 8) if os.environ.get("ACLNN_EXHAUSTIVE") == "1" else (4,)
"""numbers of ranks"""


def queued(result: int) -> None:
    """Assert that a function of HCCL has succeeded."""
    assert result == HCCL_SUCCESS, f"{result!r}: {aclGetRecentErrMsg()}"


class Rank:
    """One rank; its memory lies on its device."""

    def __init__(self, number: int, comm: HcclComm) -> None:
        self.number = number
        self.comm = comm
        self.stream = aclrtStream()
        aclrtSetDevice(number)
        assert aclrtCreateStream(byref(self.stream)) == ACL_SUCCESS

    def empty(self, nbytes: int) -> int:
        """The address of new device memory."""
        pointer = c_void_p()
        aclrtSetDevice(self.number)
        assert aclrtMalloc(byref(pointer), max(nbytes, 1), ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS
        assert pointer.value
        return pointer.value

    def put(self, values: Any) -> int:
        """The address of new device memory with these values."""
        array = np.ascontiguousarray(values)
        address = self.empty(array.nbytes)
        assert aclrtMemcpy(address, array.nbytes, array, array.nbytes, ACL_MEMCPY_HOST_TO_DEVICE) == ACL_SUCCESS
        return address

    def get(self, address: int, count: int, dtype: Any) -> Any:
        """The values there, after the stream has ended."""
        assert aclrtSynchronizeStream(self.stream) == ACL_SUCCESS, aclGetRecentErrMsg()
        array = np.zeros(count, dtype)
        assert aclrtMemcpy(array, array.nbytes, address, array.nbytes, ACL_MEMCPY_DEVICE_TO_HOST) == ACL_SUCCESS
        return array

    def all_reduce(self, address: int, count: int = 4, dtype: int = HCCL_DATA_TYPE_FP32) -> int:
        """Queue the sum over all ranks, in place."""
        return HcclAllReduce(address, address, count, dtype, HCCL_REDUCE_SUM, self.comm, self.stream)


def floats(*numbers: float) -> Any:
    """An array of FLOAT."""
    return np.array(numbers, np.float32)


@contextmanager
def world(size: int, schedule: str = "late", **options: Any) -> Generator[tuple[Machine, list[Rank]]]:
    """A machine with so many devices, and the ranks of one communicator, for which one thread calls."""
    with Machine(device_count=size, schedule=schedule, **options) as machine:
        aclrtSetDevice(0)
        comms = (HcclComm * size)()
        queued(HcclCommInitAll(size, list(range(size)), comms))
        yield machine, [Rank(number, comm) for number, comm in enumerate(comms)]
        check_documented(machine)


def in_threads(*bodies: Callable[[], object]) -> list[BaseException | None]:
    """Run each body in a thread of its own; the exceptions that left them. All threads live before the first body
    begins: a thread that has not been started cannot end the wait of another one."""
    raised: list[BaseException | None] = [None] * len(bodies)
    started = Barrier(len(bodies))

    def run(number: int) -> None:
        try:
            started.wait()
            bodies[number]()
        except BaseException as error:
            raised[number] = error

    threads = [Thread(target=run, args=(number,)) for number in range(len(bodies))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return raised


def new_root() -> HcclRootInfo:
    """Root information of the current machine."""
    root = HcclRootInfo()
    queued(HcclGetRootInfo(byref(root)))
    return root


def ids(machine: Machine, *levels: str) -> Sequence[str]:
    """The ids of the findings, without those about leftovers of the tests."""
    return [finding.id for finding in machine.findings if not levels or finding.level in levels]
