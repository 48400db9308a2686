"""The threads of BLAS while a task computes."""

from __future__ import annotations

import subprocess
import sys
import threading
from contextlib import ExitStack
from pathlib import Path

import pytest

from acl_runtime.streams.blas_threads import BlasThreads, library
from acl_runtime.streams.compute_threads import Workers
from tests.helpers.patience import PATIENCE


@pytest.mark.parametrize(("asked", "least", "found"), [(1, 2, 1), (3, 2, 3), (None, 2, 2)])
def test_a_task_has_the_threads_of_the_option_and_the_program_gets_its_own_back(
    asked: int | None, least: int, found: int
) -> None:  # fmt: skip
    blas = library()
    if blas is None:
        pytest.skip("numpy's BLAS is no OpenBLAS")
    before, threads = blas.get(), BlasThreads(asked, least)
    blas.set(1)
    try:
        with ExitStack() as tasks:
            tasks.enter_context(threads.used())
            assert blas.get() == found
            with threads.used():  # another task at the same time
                assert blas.get() == found
            assert blas.get() == found
        assert blas.get() == 1
        blas.set(4)
        with BlasThreads(None, 2).used():
            assert blas.get() == 4  # the program has more
        with pytest.raises(ZeroDivisionError), threads.used():
            print(1 / 0)
        assert blas.get() == 4
    finally:
        blas.set(before)


def test_jobs_side_by_side_have_a_single_thread_each() -> None:
    """Afterwards the task and the program get their own numbers back."""
    blas = library()
    if blas is None:
        pytest.skip("numpy's BLAS is no OpenBLAS")
    before, threads = blas.get(), BlasThreads(3, 2)
    blas.set(4)
    try:
        with threads.used():
            with threads.single():
                assert blas.get() == 1
            assert blas.get() == 3
            with pytest.raises(ZeroDivisionError), threads.single():
                print(1 / 0)
            assert blas.get() == 3
        assert blas.get() == 4
    finally:
        blas.set(before)


@pytest.mark.fidelity("non-deterministic results")
def test_tasks_with_other_numbers_of_threads_do_not_compute_at_the_same_time() -> None:
    """The bits of a product depend on the number. Two tasks with jobs side by side come one after the other, too."""
    blas = library()
    if blas is None:
        pytest.skip("numpy's BLAS is no OpenBLAS")
    threads, found = BlasThreads(3, 2), []

    def alone() -> None:
        with threads.used(), threads.single():
            found.append(blas.get())

    with threads.used():
        others = [threading.Thread(target=alone) for _ in range(2)]
        for each in others:
            each.start()
        with threads._turn:
            assert threads._turn.wait_for(lambda: threads._waiting == 2 or found)
        found.append(blas.get())
    for each in others:
        each.join()
    assert found == [3, 1, 1]


def test_the_workers_of_a_machine_have_them() -> None:
    blas = library()
    if blas is None:
        pytest.skip("numpy's BLAS is no OpenBLAS")
    with Workers(3).blas.used():
        assert blas.get() == 3


LARGE_PRODUCT = """
import numpy as np
from acl_runtime import *
from acl_runtime import Machine
from aclnn import aclnnMm, aclnnMmGetWorkspaceSize
from acl_runtime.streams.blas_threads import library
from tests.helpers.builders import malloc, on_device, plan
seen = []
with Machine(threads=2):
    aclrtSetDevice(0)
    a, b, out = (on_device(np.ones((300, 300), np.float32)) for _ in range(3))
    import acl_runtime.streams.blas_threads as threads
    set_ = threads._set
    threads._set = lambda blas, count: (seen.append(count), set_(blas, count))
    done = plan(aclnnMmGetWorkspaceSize, a, b, out, 0)
    assert done.status == 0, done.text
    workspace = malloc(done.workspace_size) if done.workspace_size else None
    assert aclnnMm(workspace, done.workspace_size, done.executor, None) == 0
    assert aclrtSynchronizeStream(None) == 0
assert seen == [2, 1], seen
assert library().get() == 1
"""


def test_a_large_product_has_them_where_the_program_has_one() -> None:
    """As in a program in C++."""
    if library() is None:
        pytest.skip("numpy's BLAS is no OpenBLAS")
    root = Path(__file__).parents[3]
    run = subprocess.run(
        [sys.executable, "-c", LARGE_PRODUCT], cwd=root, env={"PATH": "", "OPENBLAS_NUM_THREADS": "1"},
        timeout=PATIENCE, check=False, capture_output=True, text=True,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
