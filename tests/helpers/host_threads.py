"""Host threads, and their current context and device."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from ctypes import byref, c_void_p
from typing import Generic, TypeVar

from acl_runtime import *
from acl_runtime import Machine
from tests.helpers.outcomes import assert_status, ok
from tests.helpers.patience import PATIENCE

T = TypeVar("T")


class Host(threading.Thread, Generic[T]):
    """A host thread that starts at once. `end` waits for it, and returns its result or raises its exception."""

    def __init__(self, work: Callable[[], T], name: str | None = None) -> None:
        super().__init__(name=name, daemon=True)
        self._work = work
        self._answer: list[T] = []
        self._error: BaseException | None = None
        self.start()

    def run(self) -> None:
        try:
            self._answer.append(self._work())
        except BaseException as error:
            self._error = error

    @property
    def number(self) -> int:
        """The number that pthread_self() returns in C."""
        assert self.ident is not None
        return self.ident

    def end(self) -> T:
        self.join(PATIENCE)
        assert not self.is_alive(), f"{self.name} hangs"
        if self._error is not None:
            raise self._error
        return self._answer[0]


def at_once(*works: Callable[[], T]) -> list[T]:
    """Run functions at the same time, each in a thread of its own, and return their results."""
    return [host.end() for host in [Host(work, f"host {number}") for number, work in enumerate(works)]]


def in_thread(work: Callable[[], T]) -> T:
    """Run `work` in a thread of its own, and return its result or raise its exception."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(work).result()


def wait(event: threading.Event) -> None:
    assert event.wait(PATIENCE)


def current_context() -> aclrtContext:
    context = aclrtContext()
    ok(aclrtGetCurrentContext(byref(context)))
    return context


def current_device(machine: Machine) -> str:
    """The device of the current context of this thread, found with a call that needs a context; "none" without one."""
    pointer = c_void_p()
    status = aclrtMalloc(byref(pointer), 32, ACL_MEM_MALLOC_HUGE_FIRST)
    if status != ACL_SUCCESS:
        assert_status(status, ACL_ERROR_RT_CONTEXT_NULL, "EE1018")
        return "none"
    memory = machine.memory_at(pointer.value or 0)
    assert memory is not None
    assert aclrtFree(pointer) == ACL_SUCCESS
    return f"device {memory.device}"


@contextmanager
def report_thread(process: Callable[[int], int] = aclrtProcessReport) -> Generator[int, None, None]:
    """The thread that serves callbacks in AscendCL samples. It sets the current context, then calls
    aclrtProcessReport(100), or another function, until the block ends, and ignores its status."""
    context, ending = current_context(), threading.Event()

    def serve() -> None:
        ok(aclrtSetCurrentContext(context))
        while not ending.is_set():
            process(100)
            aclGetRecentErrMsg()

    host = Host(serve, "reports")
    try:
        yield host.number
    finally:
        ending.set()
        host.end()
