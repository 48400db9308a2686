"""Runs programs in a process of their own."""

from __future__ import annotations

import os
import subprocess

from tests.helpers.forks import python

OTHERS = {name: value for name, value in os.environ.items() if not name.startswith(("ACL_EMULATOR_", "ASCEND_"))}


def program(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a program in a process of its own."""
    prelude = "from ctypes import *\nfrom acl_runtime import *\nfrom acl_runtime import Machine, UndefinedBehaviour\n"
    return subprocess.run(
        [*python(), "-c", prelude + code], env=OTHERS | environment, capture_output=True, text=True, check=False
    )
