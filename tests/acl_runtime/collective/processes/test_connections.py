"""Messages and shared memory among the processes of a communicator, and their end."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from acl_runtime.collective.processes.connections import INLINE
from acl_runtime.streams.shared import reader
from tests.acl_runtime.collective.processes.hosts import Host, entry, hosts, pair


def say(host: Host, to: str, kind: str, data: np.ndarray | None = None) -> None:
    with host.lock:
        host.joined["one"].send({"kind": kind}, [to], data)


@pytest.mark.parametrize("size", [0, 1, INLINE, INLINE + 1, 3_000_000])
def test_bytes_arrive_as_they_were_sent(size: int) -> None:
    rng = np.random.default_rng(size)
    with pair() as (a, b):
        for _ in range(3):
            content = rng.integers(0, 256, size, np.uint8)
            say(a, "b", "data", content)
            b.until(lambda: b.heard)
            process, kind, data = b.heard.pop()
            assert (process, kind) == ("a", "data")
            assert data is not None
            np.testing.assert_array_equal(data.content, content)
            with b.lock:
                data.release()
                data.release()  # a second time does nothing


def test_shared_memory_is_used_again_only_after_it_was_read() -> None:
    with pair() as (a, b):
        contents = [np.full(100_000, number, np.uint8) for number in range(4)]
        for content in contents:
            say(a, "b", "data", content)
        b.until(lambda: len(b.heard) == 4)
        for content, (_, _, data) in zip(contents, b.heard, strict=True):
            assert data is not None
            np.testing.assert_array_equal(data.content, content)
            with b.lock:
                data.release()
        say(b, "a", "released")
        a.until(lambda: a.heard)
        descriptors = len(os.listdir("/proc/self/fd"))
        for content in contents:
            say(a, "b", "data", content)
        b.until(lambda: len(b.heard) == 8)
        assert len(os.listdir("/proc/self/fd")) == descriptors


def test_shared_memory_cannot_be_written_by_a_reader() -> None:
    with pair() as (a, b):
        say(a, "b", "data", np.zeros(100_000, np.uint8))
        b.until(lambda: b.heard)
        data = b.heard[0][2]
        assert data is not None
        with pytest.raises(ValueError, match="read-only"):
            data.content[0] = 1


def test_sending_never_waits_for_the_other_process() -> None:
    """The reader of the other process stands still meanwhile; then all messages come, in their order."""
    with pair() as (a, b):
        with b.lock:
            for number in range(2000):
                say(a, "b", f"{number}", np.zeros(INLINE, np.uint8))
        b.until(lambda: len(b.heard) == 2000)
        assert [kind for _, kind, _ in b.heard] == [f"{number}" for number in range(2000)]


def test_two_processes_that_send_to_each_other_at_once_do_not_stop_each_other() -> None:
    with pair() as (a, b):
        with a.lock, b.lock:
            for _ in range(500):
                say(a, "b", "x", np.zeros(INLINE, np.uint8))
                say(b, "a", "x", np.zeros(INLINE, np.uint8))
        a.until(lambda: len(a.heard) == 500)
        b.until(lambda: len(b.heard) == 500)


@pytest.mark.parametrize("clean", [True, False])
def test_what_a_process_said_before_its_end_comes_before_its_end(clean: bool) -> None:
    with pair() as (a, b):
        with a.lock:
            with b.lock:
                say(a, "b", "last", np.arange(50_000).astype(np.uint8))
            if clean:
                a.joined["one"].bye()
            a.joined["one"].close()
        b.until(lambda: len(b.heard) == 2)
        assert [kind for _, kind, _ in b.heard] == ["last", "clean end" if clean else "crash"]
        data = b.heard[0][2]
        assert data is not None
        np.testing.assert_array_equal(data.content, np.arange(50_000).astype(np.uint8))
        say(b, "a", "nobody hears it")


def test_messages_in_the_queue_are_sent_before_a_link_is_closed() -> None:
    with pair() as (a, b):
        with b.lock, a.lock:
            for _ in range(300):
                say(a, "b", "x", np.zeros(INLINE, np.uint8))
            a.joined["one"].close()
        b.until(lambda: len(b.heard) == 301)
        assert b.heard[-1][1] == "crash"


CHILD = """
import os, sys
from tests.acl_runtime.collective.processes.hosts import Host, entry
from acl_runtime.collective.processes.rendezvous import Join
host = Host("b")
with host.lock:
    Join(host, "one", sys.argv[1], sys.argv[2], entry(1, "b"))
host.until(lambda: "one" in host.joined)
if sys.argv[3] == "child":
    if not os.fork():
        sys.stdin.read()
        os._exit(0)
print(os.getpid(), flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize("forks", ["", "child"])
def test_a_killed_process_is_noticed_and_leaves_nothing(forks: str) -> None:
    """Also if a child that it forked lives on, which has copies of its connections."""
    with hosts("a") as (a,):
        root = a.root()
        a.enter(root, entry(0, "a"))
        command = [sys.executable, "-c", CHILD, root.path, root.secret, forks]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            while process.stdout.readline() != f"{process.pid}\n":
                assert process.poll() is None
            a.until(lambda: a.joined)
            process.kill()
            a.until(lambda: a.heard)
        assert a.heard == [("b", "crash", None)]
        assert not os.path.exists(root.path)
        assert a.joined["one"].links == {}


def test_without_descriptors_of_processes_the_connections_show_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: int) -> int:
        raise OSError

    monkeypatch.setattr(reader.os, "pidfd_open", refuse)
    with pair() as (a, b):
        with b.lock:
            b.joined["one"].close()
        a.until(lambda: a.heard)
        assert a.heard == [("b", "crash", None)]
