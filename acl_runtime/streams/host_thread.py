"""The state of one host thread: its current context, its recent errors, its last error."""

import os
import sys
import threading
from contextlib import suppress
from typing import Final, NamedTuple

from acl_runtime.errors import Past
from acl_runtime.headers.messages import Item, report
from acl_runtime.objects.argument_lists import ArgumentList
from acl_runtime.objects.executor_life import Executor
from acl_runtime.objects.handle_table import Tensor
from acl_runtime.process import process
from acl_runtime.source.frames import Caller
from acl_runtime.streams.stream import Context, Device, Store, Stream, Task
from acl_runtime.streams.vector_clock import Agent

NO_TASK: Final = 0xFFFF_FFFF
"""the number of the last task of a thread that queued none"""
MOST_INNER = 1000
"""the most items if the next one is an inner item"""
MOST = 10_000
"""the most items, so that a program that never reads its errors does not fill the memory"""


class ErrorRecord:
    """The pending error items, which aclGetRecentErrMsg returns and removes."""

    def __init__(self) -> None:
        self._items: dict[tuple[str, ...], Item] = {}
        self._passing = False
        """True if the last item is the answer to a query"""
        self.taken: Past | None = None
        """the line that read the last text; None after a later failure"""

    def add(self, item: Item) -> None:
        """ "An identical item is stored once"; "later inner items are dropped silently" past about 1000."""
        self.taken = None
        if self._passing:
            self._items = {key: pending for key, pending in self._items.items() if not pending.passing}
        self._passing = item.passing
        if len(self._items) < (MOST_INNER if item.inner else MOST):
            place = item.call and item.site
            self._items.setdefault((item.code, item.function, repr(item.values), item.detail, place), item)

    @property
    def items(self) -> list[Item]:
        """The pending items, the oldest first."""
        return list(self._items.values())

    @property
    def oldest(self) -> Item | None:
        """The item with which the text begins; None if there is none."""
        return next(iter(self._items.values()), None)

    def take(self) -> str | None:
        """The text of all pending items, which are removed; None if there are none."""
        items, self._items = list(self._items.values()), {}
        return report(items, os.getpid()) if items else None


def name_as_program(thread: threading.Thread, number: int) -> None:
    """Name a thread that Python did not start as a C program does: "main", the name of pthread_setname_np, or the
    number."""
    if sys.orig_argv and not isinstance(thread, threading._DummyThread):  # pyright: ignore
        return  # a thread of a program in Python
    own, of_process = threading.get_native_id(), os.getpid()
    names: list[str] = []
    for id in (own, of_process):
        with suppress(OSError), open(f"/proc/self/task/{id}/comm", encoding="utf-8", errors="replace") as file:
            names.append(file.read().strip())
    is_named = len(set(names)) == 2
    thread.name = "main" if own == of_process else names[0] if is_named else str(number)


class FailedPlan(NamedTuple):
    """A first phase that failed."""

    past: Past
    executor: int
    """the value of the caller's executor variable, which the failed call did not change"""
    outputs: tuple[Tensor, ...]
    """the tensors that the launch would have written"""
    items: tuple[Item, ...]
    """the text of the failure"""
    taint: frozenset[str]
    """the taint of the error"""


class ThreadState:
    """The state of one host thread in one machine.

    Two slots hold the context: `explicit` (aclrtCreateContext, aclrtSetCurrentContext) and `primary` (aclrtSetDevice).
    At most one slot is filled."""

    def __init__(self, errors: ErrorRecord) -> None:
        self.name = threading.current_thread().name
        self.native_id = threading.get_native_id()
        self.explicit: Context | None = None
        self.primary: Context | None = None
        self.errors = errors
        self.lost = ""
        """a text about the destroyed context that was current last"""
        self.adopted: Stream | None = None
        """the stream whose core limits apply to this thread"""
        self.last_error = 0
        self.capture_mode = 0
        """the aclmdlRICaptureMode of aclmdlRICaptureThreadExchangeMode"""
        self.group: object = None
        """the calls since HcclGroupStart; None outside of a group"""
        self.count = 0
        """the number of calls of this thread"""
        self.call = ""
        """the API function that is running; empty between calls"""
        self.caller: Caller = None
        """the line that called it; None between calls"""
        self.launched: tuple[int, ...] | range = ()
        """ids of the tasks that this call launched"""
        self.last_task = NO_TASK
        """the number in its stream of the task that it queued last"""
        self.stored: Store | None = None
        """the capture that stored the task that it submitted last, if one did"""
        self.task: Task | None = None
        """the task that this thread runs"""
        self.agent: Agent | None = None
        """the agent of host code that a stream runs on this thread; None for the program itself"""
        self.callback: Task | None = None
        """the task of a stream whose callback this thread runs"""
        self.arguments: ArgumentList | None = None
        """the list of arguments of aclrtKernelArgsInit"""
        self.planned: Executor | None = None
        """the executor of the last first phase that succeeded on this thread"""
        self.refused: FailedPlan | None = None
        """the last first phase on this thread, if it failed; a launch of its executor reports this failure"""

    def use(self, *, explicit: Context | None = None, primary: Context | None = None) -> None:
        """Fill one slot, and empty the other."""
        if (explicit, primary) != (self.explicit, self.primary):
            process.change_conditions()
        self.explicit, self.primary, self.lost = explicit, primary, ""

    def cores(self, kind: int, device: Device) -> int:
        """Cores that launches may use: the limit of the adopted stream, else of the device."""
        stream = self.adopted
        if stream is None or not stream.live or stream.context.device is not device:
            return device.cores(kind)
        return stream.cores(kind)

    def context(self) -> Context | None:
        """The current context; "a filled slot that refers to a destroyed context counts as no context"."""
        slot = self.explicit or self.primary
        return slot if slot is not None and slot.alive else None
