"""Callbacks of the host program that run when a task fails on a device."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from acl_runtime.abi.pointers import same_function
from acl_runtime.errors import DeviceFault
from acl_runtime.headers.handles import aclrtExceptionInfo
from acl_runtime.objects.handle_table import Handles, Thing
from acl_runtime.streams.stream import Task
from acl_runtime.text import Text


class ExceptionInfo(Thing):
    """aclrtExceptionInfo: "valid only inside the call"."""

    kind = Text("exception info")

    def __init__(self, task: Task, fault: DeviceFault) -> None:
        super().__init__()
        self.task = task
        self.status = fault.status


class Exceptions:
    """The callbacks of aclrtSetExceptionInfoCallback (one slot) and aclrtExceptionInfoCallbackRegister (several)."""

    def __init__(self, handles: Handles, calling_out: Callable[[], AbstractContextManager[None]]) -> None:
        """`calling_out`: a block in which host code runs, without the machine's lock."""
        self._handles = handles
        self._calling_out = calling_out
        self.slot: Callable[..., Any] | None = None
        self._registered: list[Callable[..., Any]] = []

    def add(self, callback: Callable[..., Any]) -> None:
        """ "identified by function pointer; duplicates ignored"."""
        if not any(same_function(callback, registered) for registered in self._registered):
            self._registered.append(callback)

    def remove(self, callback: Callable[..., Any]) -> None:
        """ "unregistering an unknown one succeeds"."""
        self._registered = [registered for registered in self._registered if not same_function(callback, registered)]

    def call_all(self, task: Task, fault: DeviceFault) -> None:
        """Call all callbacks, without the machine's lock."""
        callbacks = [self.slot] if self.slot is not None else []
        callbacks += self._registered
        if (own := task.work.on_failure) is not None:
            callbacks.append(own)
        if not callbacks:
            return
        info = ExceptionInfo(task, fault)
        number = self._handles.add(info)
        try:
            with self._calling_out():
                for callback in callbacks:
                    callback(aclrtExceptionInfo(number))
        finally:
            self._handles.remove(info, Text("over with its callback"))
