"""Processes find each other by a root information, and nobody else does."""

from __future__ import annotations

import os
import socket
import stat
import tempfile
from typing import Any

import pytest

from acl_runtime.collective.processes import folder
from acl_runtime.collective.processes.link import Link
from acl_runtime.collective.processes.rendezvous import Join
from tests.acl_runtime.collective.processes.hosts import entry, hosts


def test_all_ranks_get_the_table_and_each_pair_of_processes_a_link() -> None:
    """Four ranks in three processes; one of them has two ranks."""
    with hosts("a", "b", "c") as (a, b, c):
        root = a.root()
        rows = [entry(0, "a", 4), entry(1, "b", 4), entry(2, "b", 4), entry(3, "c", 4)]
        c.join(root, rows[3])
        b.join(root, rows[1])
        b.join(root, rows[2])
        assert not a.joined
        a.enter(root, rows[0])
        for host, others in ((a, {"b", "c"}), (b, {"a", "c"}), (c, {"a", "b"})):
            host.until(lambda host=host: "one" in host.joined)
            assert host.joined["one"].table == dict(enumerate(rows))
            assert set(host.joined["one"].links) == others
        assert a.completions == b.completions == c.completions == ["one"], "once for all ranks of a process"


def test_a_rank_that_is_refused_late_closes_the_connections_that_it_got() -> None:
    """The root sends a connection to another process, and then no message that it knows."""
    listener, path = folder.listen()
    with listener, hosts("root", "b") as (root, b):
        other, end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        other.setblocking(False)
        joining = Join(b, "one", path, "secret", entry(1, "b"))
        link = Link(listener.accept()[0], root.reader)
        link.send({"kind": "end", "process": "c"}, descriptor=end.fileno())
        end.close()
        link.send({"kind": "no such kind"})
        b.until(lambda: b.refusals)
        assert other.recv(1) == b"", "its end is closed"
        other.close()
        for each in (joining, link):
            each.close()
    folder.forget(path)


def test_a_root_has_an_address_only_until_all_ranks_have_joined() -> None:
    with hosts("a", "b") as (a, b):
        root = a.root()
        place = os.path.dirname(root.path)
        status = os.stat(place)
        assert (stat.S_IMODE(status.st_mode), status.st_uid) == (0o700, os.geteuid())
        assert len(os.fsencode(root.path)) <= 107
        a.enter(root, entry(0, "a"))
        b.join(root, entry(1, "b"))
        for host in (a, b):
            host.until(lambda host=host: host.joined)
        assert not os.path.exists(root.path)
        with pytest.raises(OSError, match="No such file"):
            b.join(root, entry(1, "b"))


def test_a_refusal_reaches_all_who_have_joined() -> None:
    with hosts("a", "b", "c") as (a, b, c):
        root = a.root()
        for rank, host in ((1, b), (2, c)):
            host.join(root, entry(rank, host.process, 4))
        a.until(lambda: {1, 2} <= root.table.keys())
        with a.lock:
            root.refuse({"why": "a test"})
        for host in (b, c):
            host.until(lambda host=host: host.refusals)
            assert host.refusals == [{"why": "a test"}]
        assert not os.path.exists(root.path)


def test_a_process_that_ends_before_all_have_joined_is_noticed() -> None:
    with hosts("a", "b", "c") as (a, b, c):
        root = a.root()
        joins = [host.join(root, entry(rank, host.process, 4)) for rank, host in ((1, b), (2, c))]
        with c.lock:
            joins[1].link.close()
        a.until(lambda: a.gone)
        assert a.gone == [entry(2, "c", 4)]
        assert 2 not in root.table


def test_the_end_of_the_root_process_is_noticed() -> None:
    with hosts("a", "b") as (a, b):
        root = a.root()
        b.join(root, entry(1, "b"))
        with a.lock:
            root.close()
        b.until(lambda: b.refusals)
        assert b.refusals == [None]


@pytest.mark.parametrize("secret", ["wrong", "0" * 64])
def test_a_wrong_secret_joins_nothing_and_harms_nobody(secret: str) -> None:
    with hosts("a", "b", "x") as (a, b, x):
        root = a.root()
        a.enter(root, entry(0, "a"))
        x.join(root, entry(1, "x"), secret)
        x.until(lambda: x.refusals)
        b.join(root, entry(1, "b"))
        a.until(lambda: a.joined)
        assert set(a.joined["one"].links) == {"b"}


@pytest.mark.parametrize(
    "packet", [b"", b"\xff\xff\xff\xff", b"\2\0\0\0{}", b"\4\0\0\0null", b"\2\0\0\0[]", b"c" * 1000, b"\0" * 200_000]
)
def test_bytes_that_are_no_message_end_the_connection(packet: bytes) -> None:
    with hosts("a", "b") as (a, b):
        root = a.root()
        a.enter(root, entry(0, "a"))
        stranger = folder.reach(root.path)
        with stranger:
            stranger.setblocking(True)
            if packet:
                stranger.send(packet)
                assert stranger.recv(1) == b""
        b.join(root, entry(1, "b"))
        a.until(lambda: a.joined)


@pytest.mark.parametrize("values", [None, {}, [1], ["0", 2, 1, "b", 1, "", 200, ""], [True, 2, 1, "b", 1, "", 200, ""]])
def test_a_damaged_entry_joins_nothing(values: Any) -> None:
    with hosts("a", "b") as (a, b):
        root = a.root()
        a.enter(root, entry(0, "a"))
        with b.lock:
            link = Link(folder.reach(root.path), b.reader)
            link.send({"secret": root.secret, "entry": values})
        with link.socket:
            link.socket.setblocking(True)
            assert link.receive() is None
        assert not a.refusals


def test_sockets_of_dead_processes_vanish_with_the_next_root() -> None:
    with hosts("a") as (a,):
        left, path = folder.listen()
        left.close()  # as the system does after kill -9
        root = a.root()
        assert not os.path.exists(path)
        assert os.path.exists(root.path)


def test_a_folder_of_somebody_else_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as base:  # short, unlike pytest's
        monkeypatch.setattr(tempfile, "tempdir", base)
        taken = os.path.join(base, f"aclnn-hccl-{os.geteuid()}")
        os.mkdir(taken)
        os.chmod(taken, 0o777)
        listener, path = folder.listen()
        listener.close()
        assert os.path.dirname(path) != taken
        assert stat.S_IMODE(os.stat(os.path.dirname(path)).st_mode) == 0o700
        folder.forget(path)
        assert os.listdir(base) == [os.path.basename(taken)]


def test_a_long_path_of_temporary_files_does_no_harm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", "/tmp/" + "x" * 90)
    listener, path = folder.listen()
    listener.close()
    folder.forget(path)
    assert len(os.fsencode(path)) <= 107
