"""The rank of this process among the processes of its program: before each line of its reports, and in the names of its
files. Only a process beside others has one."""

import os
import sys
import textwrap
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from acl_runtime.process import process

LAUNCHERS: Final = (
    ("RANK", "WORLD_SIZE"),
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    ("PMI_RANK", "PMI_SIZE"),
    ("SLURM_PROCID", "SLURM_NTASKS"),
)
"""the variables with rank and number of processes: of torchrun, Open MPI, MPICH, Slurm"""


class JoinedRank:
    """The rank in the first communicator with other processes, which counts if no launcher has set a variable."""

    number: int | None = None

    def note(self, ranks: Sequence[int]) -> None:
        """This process has these ranks of a communicator. It has no rank itself if there are several."""
        if self.number is None and len(ranks) == 1:
            self.number = ranks[0]


def own_rank() -> int | None:
    """The rank of this process; None if it is alone."""
    for rank, size in LAUNCHERS:
        number, count = os.environ.get(rank, ""), os.environ.get(size, "")
        if number.isdecimal() and count.isdecimal() and int(count) > 1:
            return int(number)
    return process.own(JoinedRank).number


def path_of_rank(path: str | os.PathLike[str]) -> str:
    """The path of a file that each rank writes: `trace.json` is `trace.rank1.json` for rank 1."""
    (stem, suffix), number = os.path.splitext(path), own_rank()
    return f"{stem}.rank{number}{suffix}" if number is not None else f"{stem}{suffix}"


def say(text: str) -> None:
    """Write a text to stderr, in one write so that texts of several threads do not mix. Texts of several processes do
    not mix either, and have the rank before each line."""
    if sys.stderr is None:  # the program had closed it before the first call
        return
    number = own_rank()
    text = text if number is None else textwrap.indent(text, f"[rank{number}]: ", lambda _: True)
    if number is not None:
        _lock(taken=True)
    try:
        sys.stderr.write(text + "\n")
        sys.stderr.flush()
    except (OSError, ValueError):  # Python cannot write the text, but the system may
        with suppress(OSError):
            os.write(2, f"{text}\n".encode(errors="backslashreplace"))
    finally:
        if number is not None:
            _lock(taken=False)


def _lock(*, taken: bool) -> None:
    """Keep other processes with the same stderr from writing, or let them write again. The system takes the lock from a
    process that ends."""
    with suppress(ImportError, OSError, ValueError):  # not on Linux; or stderr is no file
        import fcntl

        fcntl.lockf(sys.stderr, fcntl.LOCK_EX if taken else fcntl.LOCK_UN)
