"""A part of the functions, as `ACLNN_DERIVED` asks for it."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.helpers.patience import PATIENCE
from tests.helpers.places import ROOT


def test_a_test_may_have_no_function_in_a_small_part() -> None:
    """pytest skips it, and collects the tests of the other functions."""
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", "--collect-only"]
    done = subprocess.run(
        [*command, "tests/derived/test_contract.py", "tests/derived/test_exhaustive.py"],
        cwd=ROOT, env={**os.environ, "ACLNN_DERIVED": "1/1000:900"}, capture_output=True, text=True,
        timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    assert "[NOTSET]" in done.stdout
    assert "[aclnnPreluBackward]" in done.stdout
