"""The thread of BLAS while tasks compute."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from acl_runtime.process import process
from acl_runtime.streams.blas_threads import BlasLibrary, BlasThreads, library
from tests.helpers.patience import PATIENCE


@pytest.fixture
def blas() -> BlasLibrary:
    found = library()
    if found is None:
        pytest.skip("numpy's BLAS is no OpenBLAS")
    return found


@pytest.mark.fidelity("non-deterministic results")
@pytest.mark.parametrize("number", [1, 4])
def test_a_task_has_one_thread_and_the_program_gets_its_own_number_back(blas: BlasLibrary, number: int) -> None:
    """The bits of a product depend on the number."""
    before, threads = blas.get(), BlasThreads()
    blas.set(number)
    try:
        with threads:
            assert blas.get() == 1
            with threads:  # another task at the same time
                assert blas.get() == 1
            assert blas.get() == 1
        assert blas.get() == number
        with pytest.raises(ZeroDivisionError), threads:
            print(1 / 0)
        assert blas.get() == number
    finally:
        blas.set(before)


def test_all_machines_share_the_number() -> None:
    """A machine whose task ends leaves one thread to the task of another one."""
    assert process.own(BlasThreads) is process.own(BlasThreads)


LARGE_PRODUCT = """
import numpy as np
from acl_runtime import *
from acl_runtime import Machine
from aclnn import aclnnMm, aclnnMmGetWorkspaceSize
from acl_runtime.streams.blas_threads import library
from tests.helpers.builders import malloc, on_device, plan
seen = []
library().set(3)
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
    assert (out.read() == 300).all()
assert seen == [1, 3], seen
assert library().get() == 3
"""


@pytest.mark.usefixtures("blas")
@pytest.mark.parametrize("evaluator", ["0", "1"])
def test_a_large_product_has_it(evaluator: str) -> None:
    """With the evaluator and without it."""
    run = subprocess.run(
        [sys.executable, "-c", LARGE_PRODUCT], cwd=Path(__file__).parents[3],
        env={"PATH": "", "ACL_EMULATOR_NATIVE": evaluator}, timeout=PATIENCE, check=False, capture_output=True,
        text=True,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
