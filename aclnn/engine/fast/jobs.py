"""Jobs that threads compute side by side, each by itself.

A kernel that is a series of products of small matrices and of numpy's functions between them leaves cores idle: a
product is too small for BLAS to share, and numpy has one thread. So such a kernel cuts its work into jobs that write to
different memory, and BLAS has one thread in each of them.

Where BLAS has more threads than there are jobs at a time, it keeps them, and the jobs are done one after the other.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias, cast

from acl_runtime.machine.current import current
from acl_runtime.streams.compute_threads import Scratch, Workers

ENOUGH: Final = 8
"""jobs that keep all threads busy to the end"""
LARGE: Final = 1 << 18
"""elements from which it pays to wake a thread"""
Job: TypeAlias = Callable[[Scratch], None]


def side_by_side(jobs: Sequence[Job], elements: int) -> None:
    """Do all jobs, which compute so many elements. Each gets the scratch memory of its thread."""
    workers: Workers = cast("Any", current()).compute_threads
    at_once = min(len(jobs), workers.threads)
    if elements < LARGE or len(jobs) < 2 or at_once < workers.blas.number:
        workers.each(1, lambda _, scratch: _all(jobs, scratch))
        return
    with workers.blas.single():
        workers.each(len(jobs), lambda number, scratch: jobs[number](scratch))


def _all(jobs: Sequence[Job], scratch: Scratch) -> None:
    for job in jobs:
        job(scratch)
