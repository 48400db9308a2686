"""A host thread that waits takes what other processes send, and the reader thread takes it otherwise."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from acl_runtime.streams.shared.reader import Reader
from acl_runtime.streams.waiters import Change

LONG = 3600.0
"""seconds of a sleep that something else ends"""
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
    process.reader.close()
    process.end.close()
    process.other.close()


def test_a_host_thread_that_waits_reads_by_itself(process: Process) -> None:
    begun = threading.Event()

    def sends() -> None:
        begun.wait()
        for number in range(ROUNDS):
            with process.lock:  # free only while the other thread sleeps
                pass
            process.other.send(bytes([number]))

    other = threading.Thread(target=sends)
    other.start()
    with process.lock:
        begun.set()
        process.read_until(ROUNDS)
    other.join()
    assert [content for content, _ in process.heard] == [bytes([number]) for number in range(ROUNDS)]
    assert threading.current_thread() in {thread for _, thread in process.heard}
    assert process.changed.sleepers == 0


def test_the_reader_thread_reads_when_no_host_thread_does(process: Process) -> None:
    process.other.send(b"a")
    process.read_until(1)
    process.other.send(b"b")
    with process.lock:
        assert process.changed.wait_for(lambda: len(process.heard) == 2, LONG)
    content, thread = process.heard[1]
    assert content == b"b"
    assert thread is not threading.current_thread()


def test_a_change_of_another_thread_ends_the_sleep(process: Process) -> None:
    for _ in range(ROUNDS):
        changes: list[str] = []

        def change(changes: list[str] = changes) -> None:
            with process.lock:  # free only while the other thread sleeps
                changes.append("a change")
                process.changed.notify_all()

        other = threading.Thread(target=change)
        with process.lock:
            other.start()
            while not changes:
                process.reader.read_here(LONG, process.changed)
        other.join()
    assert process.heard == []


def test_what_one_thread_reads_wakes_the_others(process: Process) -> None:
    for number in range(ROUNDS):
        threads = [threading.Thread(target=process.read_until, args=(number + 1,)) for _ in range(3)]
        for thread in threads:
            thread.start()
        process.other.send(b"x")
        for thread in threads:
            thread.join()
    assert len(process.heard) == ROUNDS


def test_an_exception_of_a_handler_reaches_the_host_thread_and_the_next_packet_is_read(process: Process) -> None:
    """A handler of a signal may raise it in the program's main thread."""
    me, raised = threading.current_thread(), []

    def fails() -> None:
        process._receive()
        if threading.current_thread() is me:
            raise TimeoutError("of the program")

    with process.lock:
        process.reader.drop(process.end)
        process.reader.watch(process.end, fails)
    for number in range(ROUNDS):
        process.other.send(b"x")
        try:
            process.read_until(number + 1)
        except TimeoutError as error:
            raised.append(error)
        assert process.changed.sleepers == 0
    assert raised
    assert len(process.heard) == ROUNDS


def test_the_reader_ends_while_a_host_thread_reads() -> None:
    for _ in range(20):
        process, begun = Process(), threading.Event()

        def body(process: Process = process, begun: threading.Event = begun) -> None:
            with process.lock:
                while not begun.is_set():
                    begun.set()
                    process.reader.read_here(LONG, process.changed)

        thread = threading.Thread(target=body)
        thread.start()
        begun.wait()
        with process.lock:  # free only while the other thread reads
            pass
        process.reader.close()
        process.end.close()
        process.other.close()
        thread.join()


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

    thread = threading.Thread(target=body)
    with process.lock:
        monkeypatch.setattr(reader, "_select", lambda seconds: select(seconds) if seconds is not None else [])
        monkeypatch.setattr(reader, "forked", ends)
    thread.start()
    reads.wait()
    reader.close()
    process.end.close()
    process.other.close()
    thread.join()
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
    process.read_until(2)
    assert len(inside) >= 2
    assert process.changed.sleepers == 0
