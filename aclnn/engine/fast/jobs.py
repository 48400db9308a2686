"""Independent jobs of a kernel, which threads compute side by side.

A kernel of small matrix products, with functions of numpy between them, uses one core: a small product has no work for
several threads, and numpy has one thread. So such a kernel cuts its work into jobs that write to different memory. BLAS
has one thread in each job, as in every task.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias, cast

from acl_runtime.machine.current import current
from acl_runtime.streams.compute_threads import Scratch, Workers

JOBS_FOR_ALL_THREADS: Final = 8
"""number of jobs that keeps all threads busy"""
MIN_ELEMENTS_FOR_THREADS: Final = 1 << 18
"""elements from which several threads are faster than one"""
Job: TypeAlias = Callable[[Scratch], None]


def side_by_side(jobs: Sequence[Job], elements: int) -> None:
    """Run all jobs. `elements` is the number of elements that they compute together. Each job gets the scratch memory
    of its thread."""
    workers: Workers = cast("Any", current()).compute_threads
    if elements < MIN_ELEMENTS_FOR_THREADS:
        workers.each(1, lambda _, scratch: _run_all(jobs, scratch))
    else:
        workers.each(len(jobs), lambda number, scratch: jobs[number](scratch))


def _run_all(jobs: Sequence[Job], scratch: Scratch) -> None:
    for job in jobs:
        job(scratch)
