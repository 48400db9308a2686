"""The rank of a process among others: in its reports, and in the names of its files (ours)."""

from __future__ import annotations

import os
import sys

import pytest

from acl_runtime.own_rank import LAUNCHERS, JoinedRank, own_rank, path_of_rank, say
from acl_runtime.process import process

LONG = "x" * 99


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in (name for pair in LAUNCHERS for name in pair):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(process.own(JoinedRank), "number", None)


@pytest.mark.parametrize(("rank", "size"), LAUNCHERS)
def test_a_launcher_sets_the_rank_of_a_process_that_is_not_alone(
    rank: str, size: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, count, expected in (("1", "2", 1), ("0", "1", None), ("0", "", None), ("x", "2", None)):
        monkeypatch.setenv(rank, number)
        monkeypatch.setenv(size, count)
        assert own_rank() == expected


def test_without_a_launcher_the_first_communicator_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    joined = process.own(JoinedRank)
    for ranks, expected in (((0, 1), None), ((3,), 3), ((1,), 3)):
        joined.note(ranks)
        assert own_rank() == expected
    monkeypatch.setenv("RANK", "5")
    monkeypatch.setenv("WORLD_SIZE", "8")
    assert own_rank() == 5


def test_a_rank_is_before_each_line_and_in_the_names_of_files(capsys: pytest.CaptureFixture[str]) -> None:
    for number, printed, path in (
        (None, "error\n\n  line\n", "a/trace.json"),
        (1, "[rank1]: error\n[rank1]: \n[rank1]:   line\n", "a/trace.rank1.json"),
    ):
        process.own(JoinedRank).number = number
        say("error\n\n  line")
        assert capsys.readouterr().err == printed
        assert str(path_of_rank("a/trace.json")) == path


def test_texts_of_processes_do_not_mix(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is longer than a pipe takes at once."""
    monkeypatch.setenv("WORLD_SIZE", "3")
    reading, writing = os.pipe()
    children: list[int] = []
    for rank in range(3):
        child = os.fork()
        if not child:
            os.environ["RANK"] = str(rank)
            sys.stderr = open(writing, "w")  # noqa: SIM115 - it ends with the process
            say("\n".join([LONG] * 2000))
            os._exit(0)
        children.append(child)
    os.close(writing)
    with open(reading) as file:
        lines = file.read().splitlines()
    assert [os.waitpid(child, 0)[1] for child in children] == [0, 0, 0]
    firsts = lines[::2000]
    assert sorted(firsts) == [f"[rank{rank}]: {LONG}" for rank in range(3)]
    assert lines == [first for first in firsts for _ in range(2000)]
