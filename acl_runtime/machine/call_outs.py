"""Host code that runs inside a call: callbacks, host functions, log handlers."""

import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress

from acl_runtime.process import process
from acl_runtime.streams.host_thread import ThreadState
from acl_runtime.streams.stream import Context, Task


@contextmanager
def calling_out(
    lock: threading.RLock, thread: ThreadState, context: Context | None, callback: Task | None
) -> Generator[None]:
    """A block in which host code runs. The machine's lock is released in the block, as host code may wait for another
    thread that calls the API. `context`: the context that is current in the block, on any thread. `callback`: the task
    whose callback runs."""
    outer, thread.callback = thread.callback, callback or thread.callback
    slots = thread.explicit, thread.primary, thread.lost
    if context is not None:
        thread.use(explicit=context)
    depth = 0
    with suppress(RuntimeError):  # raised when the lock is fully released
        while True:
            lock.release()
            depth += 1
    try:
        yield
    finally:
        for _ in range(depth):
            lock.acquire()
        thread.callback = outer
        if context is not None:
            thread.explicit, thread.primary, thread.lost = slots
            process.change_conditions()
