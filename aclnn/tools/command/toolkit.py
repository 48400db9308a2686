"""`aclnn toolkit`: headers and libraries for C and C++ host programs."""

import sys
from collections.abc import Sequence
from pathlib import Path

from aclnn.tools.command.modules import modules as imported
from aclnn.tools.toolkit.build import build
from aclnn.tools.toolkit.layout import libpython


def toolkit(directory: Path, modules: Sequence[str]) -> str:
    """Write the directory; returns what to do next."""
    imported(modules)
    count = build(directory, modules)
    lines = [f"{directory}: headers and library with {count} functions", f"source {directory}/set_env.sh, then build"]
    if not libpython():
        lines.append(
            f"{sys.executable} has no shared library: programs do not start by themselves, `aclnn run FILE` works. "
            "(Debian: apt install libpython3-dev; pyenv: PYTHON_CONFIGURE_OPTS=--enable-shared)"
        )
    return "\n".join(lines)
