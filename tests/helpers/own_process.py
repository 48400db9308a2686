"""Runs programs in a process of their own."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from functools import wraps

from tests.helpers.forks import python
from tests.helpers.patience import PATIENCE
from tests.helpers.places import ROOT

OTHERS = {name: value for name, value in os.environ.items() if not name.startswith(("ACL_EMULATOR_", "ASCEND_"))}


def program(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a program in a process of its own."""
    prelude = "from ctypes import *\nfrom acl_runtime import *\nfrom acl_runtime import Machine, UndefinedBehaviour\n"
    return subprocess.run(
        [*python(), "-c", prelude + code],
        env=OTHERS | environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )


def in_own_process(test: Callable[[], None]) -> Callable[[], None]:
    """A test that measures the memory of its process: it runs in a new one, in which nothing else takes memory or gives
    memory back."""
    code = f"from {test.__module__} import {test.__name__} as test\ntest.__wrapped__()"

    @wraps(test)
    def apart() -> None:
        command = [*python(), "-c", code]
        done = subprocess.run(
            command,
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=PATIENCE,
        )
        assert done.returncode == 0, done.stdout

    return apart
