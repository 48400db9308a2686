"""Runs the tests of one mutation, and judges the result."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from enum import Enum
from pathlib import Path
from typing import Final, NamedTuple

from tests.mutations.mutation import Mutation
from tests.mutations.trees import Tree, environment, reason_to_skip

BOUND: Final = 180
"""seconds for the tests of a mutation; a mutation may make a test wait for ever"""
PYTEST: Final = (
    sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-p", "tests.mutations.first_failure",
)  # fmt: skip
NOTHING_RAN: Final = (3, 4, 5)
"""exit statuses of pytest: an error of its own, of the command, no tests"""


class Verdict(Enum):
    """The result of a mutation."""

    KILLED = "killed"
    SURVIVED = "SURVIVED"
    UNSOUND = "UNSOUND"
    """the run shows nothing: the text does not apply, or the test fails without the mutation, too"""
    SKIPPED = "skipped"


class Result(NamedTuple):
    """A verdict with its reason."""

    verdict: Verdict
    why: str


class Outcome(NamedTuple):
    """The end of a run of pytest."""

    status: int
    """negative: ended by a signal, or by the bound"""
    first: str
    """the id of the test that failed first, if one did"""


def judge(tree: Tree, mutation: Mutation, number: int) -> Result:
    """Run the tests with the mutation. A test that fails has to pass without it."""
    if reason := reason_to_skip(mutation):
        return Result(Verdict.SKIPPED, reason)
    try:
        with tree.changed(mutation, number):
            mutated = _tests(tree.folder, mutation.tests)
    except LookupError as error:
        return Result(Verdict.UNSOUND, str(error))
    if mutated.status in NOTHING_RAN:
        return Result(Verdict.UNSOUND, f"pytest ended with status {mutated.status}: {' '.join(mutation.tests)}")
    if mutated.status == 0:
        return Result(Verdict.SURVIVED, " ".join(mutation.tests))
    how = mutated.first or f"the end of the tests with status {mutated.status}"
    if _tests(tree.folder, [mutated.first] if mutated.first else mutation.tests).status:
        return Result(Verdict.UNSOUND, f"fails without the mutation, too: {how}")
    return Result(Verdict.KILLED, how)


def _tests(folder: Path, tests: Sequence[str]) -> Outcome:
    first = folder / "first_failure.txt"
    first.unlink(missing_ok=True)
    process = subprocess.Popen(
        [*PYTEST, *tests], cwd=folder, env=environment(folder, first), stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    try:
        status = process.wait(BOUND)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)  # with the processes that tests started
        status = process.wait()
    return Outcome(status, first.read_text(encoding="utf-8") if first.exists() else "")
