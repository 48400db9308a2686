"""A host thread that waits takes what other processes send, and the reader thread takes it otherwise."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

from acl_runtime.streams.shared.reader import Reader
from acl_runtime.streams.waiters import Change, EmulatorThread
from tests.helpers.bounded import begun, bounded, comes, ended

LONG = 3600.0
"""seconds of a sleep that something else ends; if nothing does, the thread that waits for the sleeper fails"""
ROUNDS = 200


class Process:
    """A reader, and the other end of a connection that it watches."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.changed = Change(self.lock)
        self.heard: list[tuple[bytes, threading.Thread]] = []
        self.end, self.other = socket.socketpair()
        self.end.setblocking(False)
        self.reader = Reader(self)
        self.reader.watch(self.end, self._receive)

    def attach(self) -> None:
        """The machine of a thread does not matter here."""

    def _receive(self) -> None:
        try:
            content = self.end.recv(1)
        except BlockingIOError:
            return
        self.heard.append((content, threading.current_thread()))
        self.changed.notify_all()

    def read_until(self, count: int) -> None:
        """Read on the calling thread, until so many bytes have come."""
        with self.lock:
            while len(self.heard) < count:
                self.reader.read_here(LONG, self.changed)


@pytest.fixture
def process() -> Iterator[Process]:
    process = Process()
    yield process
    bounded(process.reader.close)
    process.end.close()
    process.other.close()


def test_a_host_thread_that_waits_reads_by_itself(process: Process) -> None:
    ready = threading.Event()

    def sends() -> None:
        ready.wait()
        for number in range(ROUNDS):
            with process.lock:  # free only while the other thread sleeps
                pass
            process.other.send(bytes([number]))

    def reads() -> None:
        with process.lock:
            ready.set()
            process.read_until(ROUNDS)

    other = begun(sends)
    reader = bounded(reads)
    ended(other)
    assert [content for content, _ in process.heard] == [bytes([number]) for number in range(ROUNDS)]
    assert reader in {thread for _, thread in process.heard}
    assert process.changed.sleepers == 0


def test_the_reader_thread_reads_when_no_host_thread_does(process: Process) -> None:
    process.other.send(b"a")
    host = bounded(lambda: process.read_until(1))
    process.other.send(b"b")
    comes(lambda: len(process.heard) == 2, "the reader thread reads")
    content, thread = process.heard[1]
    assert content == b"b"
    assert thread not in (host, threading.current_thread())


def test_a_change_of_another_thread_ends_the_sleep(process: Process) -> None:
    for _ in range(ROUNDS):
        changes: list[str] = []

        def change(changes: list[str] = changes) -> None:
            with process.lock:  # free only while the other thread sleeps
                changes.append("a change")
                process.changed.notify_all()

        def sleeps(changes: list[str] = changes, change: Callable[[], None] = change) -> None:
            with process.lock:
                begun(change)
                while not changes:
                    process.reader.read_here(LONG, process.changed)

        bounded(sleeps)
    assert process.heard == []


def test_what_one_thread_reads_wakes_the_others(process: Process) -> None:
    for number in range(ROUNDS):
        threads = [begun(partial(process.read_until, number + 1)) for _ in range(3)]
        process.other.send(b"x")
        for thread in threads:
            ended(thread)
    assert len(process.heard) == ROUNDS


def test_an_exception_of_a_handler_reaches_the_host_thread_and_the_next_packet_is_read(process: Process) -> None:
    """A handler of a signal may raise it in the program's main thread."""
    raised: list[TimeoutError] = []

    def fails() -> None:
        process._receive()
        if not isinstance(threading.current_thread(), EmulatorThread):
            raise TimeoutError("of the program")

    with process.lock:
        process.reader.drop(process.end)
        process.reader.watch(process.end, fails)

    def reads() -> None:
        for number in range(ROUNDS):
            process.other.send(b"x")
            try:
                process.read_until(number + 1)
            except TimeoutError as error:
                raised.append(error)
            assert process.changed.sleepers == 0

    bounded(reads)
    assert raised
    assert len(process.heard) == ROUNDS


def test_the_reader_ends_while_a_host_thread_reads() -> None:
    for _ in range(20):
        process, ready = Process(), threading.Event()

        def body(process: Process = process, ready: threading.Event = ready) -> None:
            with process.lock:
                while not ready.is_set():
                    ready.set()
                    process.reader.read_here(LONG, process.changed)

        thread = begun(body)
        ready.wait()
        with process.lock:  # free only while the other thread reads
            pass
        bounded(process.reader.close)
        process.end.close()
        process.other.close()
        ended(thread)


def test_the_pipe_is_closed_after_the_host_thread_has_left(monkeypatch: pytest.MonkeyPatch) -> None:
    process, reads, closed = Process(), threading.Event(), threading.Event()
    reader, order = process.reader, list[str]()
    forked = reader.forked

    def select(seconds: float) -> list[Any]:
        reads.set()
        closed.wait(0.1)  # as a thread that the system does not run for a while
        order.append("left")
        return []

    def ends() -> None:
        order.append("closed")
        closed.set()
        forked()

    def body() -> None:
        with process.lock:
            reader.read_here(LONG, process.changed)

    with process.lock:
        monkeypatch.setattr(reader, "_select", lambda seconds: select(seconds) if seconds is not None else [])
        monkeypatch.setattr(reader, "forked", ends)
    thread = begun(body)
    comes(reads.is_set, "the thread reads")
    bounded(reader.close)
    process.end.close()
    process.other.close()
    ended(thread)
    assert order == ["left", "closed"]


def test_a_handler_of_a_signal_that_waits_reads_too(process: Process, monkeypatch: pytest.MonkeyPatch) -> None:
    """It runs on the thread whose wait it interrupts. The reader thread may rest meanwhile."""
    reader, select, inside = process.reader, process.reader._select, list[bool]()

    def interrupted(seconds: float | None) -> list[Any]:
        if seconds is None:  # the reader thread
            return select(None)
        inside.append(True)
        if len(inside) == 1:
            with process.lock:
                reader.read_here(1.0, process.changed)
            process.other.send(b"y")
        return select(seconds)

    monkeypatch.setattr(reader, "_select", interrupted)
    process.other.send(b"x")
    bounded(lambda: process.read_until(2))
    assert len(inside) >= 2
    assert process.changed.sleepers == 0


def test_an_interrupt_of_the_thread_that_reads_leaves_the_packets_to_the_others(
    process: Process, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C, while another host thread sleeps: the reader thread reads for it."""
    reader, select, asleep = process.reader, process.reader._select, list[threading.Thread]()

    def interrupted(seconds: float | None) -> list[Any]:
        if seconds is None or asleep:
            return select(seconds)
        asleep.append(begun(lambda: process.read_until(1)))
        comes(lambda: process.changed.sleepers == 2, "the other thread sleeps")
        raise KeyboardInterrupt

    monkeypatch.setattr(reader, "_select", interrupted)
    with pytest.raises(KeyboardInterrupt):
        bounded(lambda: process.read_until(1))
    assert process.changed.sleepers == 1
    process.other.send(b"x")
    ended(asleep[0])
    assert [content for content, _ in process.heard] == [b"x"]
