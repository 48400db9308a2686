"""The reader thread, which takes what other processes send.

It sleeps until a packet, a connection or the end of a process comes, without any lock. Then it takes the machine's lock
and calls the handler. As nobody sends while it waits for something else, the lock is free soon.

A host thread that waits for other processes reads by itself, and the reader thread rests: to wake one thread by another
takes longer than all of the other work of a small operation. When no host thread has read for `REST`, the reader thread
reads again.
"""

import os
import select
import selectors
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from typing import Final, Protocol

from acl_runtime.streams.waiters import Change, EmulatorThread

REST: Final = 0.005
"""real seconds for which the reader thread rests, after a host thread has read"""
LONG_REST: Final = 1.0
"""real seconds after which the reader thread looks whether a host thread still reads"""
Ready = list[tuple[selectors.SelectorKey, int]]


class Watched(Protocol):
    """Something that the reader watches."""

    def fileno(self) -> int:
        """The descriptor."""
        ...


class ThreadOwner(Protocol):
    """The machine, as far as the reader needs it."""

    lock: threading.RLock

    def attach(self) -> None:
        """Make the calling thread a worker of this machine."""
        ...


class Reader:
    """Watches connections, and calls their handlers under the machine's lock."""

    def __init__(self, machine: ThreadOwner) -> None:
        self._machine = machine
        self._selector = selectors.DefaultSelector()
        self._ended = False
        self._here = 0
        """the host thread that reads; 0 if none does"""
        self._turns = 0
        """how often a host thread has read"""
        self._rests = False
        """True if the reader thread sleeps until `_rested`"""
        self._rested = threading.Event()
        self._wake, self._waker = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        self._selector.register(self._wake, selectors.EVENT_READ, self._awake)
        self._thread = EmulatorThread(target=self._read, name="aclnn reader", daemon=True)
        self._thread.start()

    def watch(self, source: Watched, readable: Callable[[], None]) -> None:
        """Call `readable` whenever something can be read."""
        self._selector.register(source, selectors.EVENT_READ, readable)

    def follow(self, link: Watched, *, read: bool, write: bool) -> None:
        """Watch a link for what can be read, and call its `flush` when it can send again."""
        with suppress(KeyError, ValueError):
            events = (selectors.EVENT_READ if read else 0) | (selectors.EVENT_WRITE if write else 0)
            self._selector.modify(link, events, self._selector.get_key(link).data)

    def drop(self, link: Watched) -> None:
        """Do not watch it any more."""
        with suppress(KeyError, ValueError):
            self._selector.unregister(link)

    def read_here(self, seconds: float, changed: Change) -> None:
        """Take what other processes send, on the calling thread, which sleeps until something comes, or until
        `changed` is notified. The caller holds the machine's lock, which is free meanwhile."""
        me, outer = threading.get_ident(), self._here
        if self._ended or outer not in (0, me):
            changed.wait(seconds)
            return
        try:  # a handler of a signal may wait inside a wait of its thread
            self._here = me
            self._turns += 1
            ready = changed.wait_in(lambda: self._select(seconds), self._rouse)
        finally:
            self._here = outer
            if self._rests and not outer:
                self._rested.set()
        for key, events in ready:  # what another thread has read meanwhile is not there any more
            _handle(key, events)

    def close(self) -> None:
        """End the thread. The caller must not hold the machine's lock."""
        self._ended = True
        self._rested.set()
        self._rouse()
        if threading.current_thread() is not self._thread:
            self._thread.join()
        while self._here not in (0, threading.get_ident()):  # it would not see the byte in a pipe that is closed
            time.sleep(REST)  # Ctrl-C may stop another thread inside a lock or event, but not here
        self.forked()

    def forked(self) -> None:
        """Close what only this process needs, without a change to what a parent process watches."""
        self._ended = True
        self._selector.close()
        os.close(self._wake)
        os.close(self._waker)

    def _awake(self) -> None:
        """A thread was woken. The other one leaves the byte to it."""
        if self._ended or self._here not in (0, threading.get_ident()):
            return
        with suppress(BlockingIOError):
            os.read(self._wake, 64)

    def _rouse(self) -> None:
        """End the sleep of the thread that reads."""
        with suppress(BlockingIOError):
            os.write(self._waker, b"x")

    def _read(self) -> None:
        """The body of the thread."""
        self._machine.attach()
        turns = 0
        while not self._ended:
            if turns != self._turns:
                turns = self._turns
                time.sleep(REST)
            elif self._here:
                self._rest()
            else:
                ready = self._select(None)
                with self._machine.lock:
                    self._handle_all(ready)

    def _rest(self) -> None:
        """Sleep as long as a host thread reads."""
        with self._machine.lock:
            self._rests = bool(self._here) and not self._ended
        if self._rests:
            self._rested.wait(LONG_REST)  # Ctrl-C may keep the host thread from saying that it is over
            self._rests = False
            self._rested.clear()

    def _select(self, seconds: float | None) -> Ready:
        """The sources that can be read, or take more."""
        try:
            return self._selector.select(seconds)
        except (OSError, ValueError):  # it was closed
            if self._ended:
                return []
            raise

    def _handle_all(self, ready: Ready) -> None:
        """Call the handlers of all sources."""
        for key, events in ready:
            try:
                _handle(key, events)
            except Exception:  # a mistake of ours ends this connection, and no other one
                traceback.print_exc()
                self.drop(key.fileobj)  # type: ignore[arg-type]


def _handle(key: selectors.SelectorKey, events: int) -> None:
    """Call the handlers of a source."""
    if events & selectors.EVENT_WRITE:
        key.fileobj.flush()  # type: ignore[union-attr]
    if events & selectors.EVENT_READ:
        key.data()


class ProcessLife:
    """The life of a process: it becomes readable when the process ends, even if a child has copies of its sockets."""

    def __init__(self, pid: int, ended: Callable[[], None]) -> None:
        """`ended`: called when the process has ended. OSError if it has ended already, or if the system has no such
        descriptors."""
        self._descriptor = os.pidfd_open(pid)
        self._ended = ended

    def fileno(self) -> int:
        """The descriptor."""
        return self._descriptor

    def look(self) -> None:
        """The descriptor may be readable: call `ended` if the process has ended.

        A socket that was closed while the reader thread woke for it may have had the same number. A look at a socket
        without a packet does nothing; here it would end the process for us."""
        if self._descriptor < 0:  # another thread has seen its end
            return
        poll = select.poll()
        poll.register(self._descriptor, select.POLLIN)
        if poll.poll(0):
            self._ended()

    def close(self) -> None:
        """Close the descriptor."""
        os.close(self._descriptor)
        self._descriptor = -1
