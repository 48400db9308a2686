"""What the tests with several host threads, and those of failing tasks, share."""

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from ctypes import byref, c_float, c_int32
from typing import Any, Generic, TypeVar

import numpy as np

from acl_runtime import (
    ACL_STREAM_STATUS_COMPLETE,
    ACL_SUCCESS,
    aclGetRecentErrMsg,
    aclrtContext,
    aclrtEvent,
    aclrtGetCurrentContext,
    aclrtProcessReport,
    aclrtSetCurrentContext,
    aclrtStream,
    aclrtStreamQuery,
    aclrtSynchronizeDevice,
    aclrtSynchronizeDeviceWithTimeout,
    aclrtSynchronizeStream,
    aclrtSynchronizeStreamWithTimeout,
)
from aclnn import aclnnCrossEntropyLossGrad, aclnnCrossEntropyLossGradGetWorkspaceSize
from tests.builders import malloc, on_device, plan
from tests.runtime.places import malloc_host, ok

PATIENCE = 20.0
"""real seconds; only a test that fails waits for so long"""
T = TypeVar("T")


class Host(threading.Thread, Generic[T]):
    """A host thread. Who waits for its end gets what it returned, or raised."""

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
        """What pthread_self() gives in C."""
        assert self.ident is not None
        return self.ident

    def end(self) -> T:
        self.join(PATIENCE)
        assert not self.is_alive(), f"{self.name} hangs"
        if self._error is not None:
            raise self._error
        return self._answer[0]


def at_once(*works: Callable[[], T]) -> list[T]:
    """Run each in a thread of its own, all at the same time; what they return."""
    return [host.end() for host in [Host(work, f"host {number}") for number, work in enumerate(works)]]


def wait(event: threading.Event) -> None:
    assert event.wait(PATIENCE)


def current_context() -> aclrtContext:
    context = aclrtContext()
    ok(aclrtGetCurrentContext(byref(context)))
    return context


@contextmanager
def report_thread() -> Generator[int, None, None]:
    """The thread of AscendCL samples that serves callbacks: it makes the context current, then calls
    aclrtProcessReport(100) until it is told to end, whatever that answers."""
    context, ending = current_context(), threading.Event()

    def serve() -> None:
        ok(aclrtSetCurrentContext(context))
        while not ending.is_set():
            aclrtProcessReport(100)
            aclGetRecentErrMsg()

    host = Host(serve, "reports")
    try:
        yield host.number
    finally:
        ending.set()
        host.end()


def pinned(values: np.ndarray) -> tuple[int, np.ndarray]:
    """Pinned host memory that holds float32 values: its address, and the array in it."""
    address = malloc_host(values.nbytes)
    array = np.ctypeslib.as_array((c_float * values.size).from_address(address))
    array[:] = values
    return address, array


def event_of(create: Callable[..., int], *flags: int) -> aclrtEvent:
    """A new event of one of the creators."""
    event = aclrtEvent()
    ok(create(byref(event), *flags))
    return event


def planned_failure(stream: aclrtStream | None) -> Callable[[], int]:
    """What queues a CrossEntropyLossGrad with a target out of range: the finding `index-range`, and in a machine that
    reports a task that fails on the device with 507035."""
    grad, log_prob = on_device(np.ones(2, np.float32)), on_device(np.zeros((2, 3), np.float32))
    target, out = on_device(np.array([1, 3])), on_device(np.zeros((2, 3), np.float32))
    arguments = (grad, log_prob, target, None, None, None, "none", -100, 0.0, 0.0, out)
    planned = plan(aclnnCrossEntropyLossGradGetWorkspaceSize, *arguments)
    assert planned.status == ACL_SUCCESS, planned.text
    workspace = malloc(planned.workspace_size)
    return lambda: aclnnCrossEntropyLossGrad(workspace, planned.workspace_size, planned.executor, stream)


def failing_task(stream: aclrtStream | None) -> None:
    """Queue it."""
    ok(planned_failure(stream)())


def until_done(stream: aclrtStream) -> int:
    """Poll until the stream is done, or a query fails."""
    status = c_int32(-1)
    while status.value != ACL_STREAM_STATUS_COMPLETE:
        if answer := aclrtStreamQuery(stream, byref(status)):
            return answer
    return ACL_SUCCESS


SURFACES: dict[str, Callable[[Any], int]] = {
    "aclrtSynchronizeStream": aclrtSynchronizeStream,
    "aclrtSynchronizeStreamWithTimeout": lambda stream: aclrtSynchronizeStreamWithTimeout(stream, 10_000),
    "aclrtSynchronizeDevice": lambda _: aclrtSynchronizeDevice(),
    "aclrtSynchronizeDeviceWithTimeout": lambda _: aclrtSynchronizeDeviceWithTimeout(10_000),
    "aclrtStreamQuery": until_done,
}
"""the calls at which a failure surfaces: "at the next synchronise/query" """
