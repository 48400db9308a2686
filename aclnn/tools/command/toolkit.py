"""`aclnn toolkit`: headers and libraries for C and C++ host programs."""

import sys
from collections.abc import Sequence
from pathlib import Path

from aclnn.tools.command.user_modules import modules as import_modules
from aclnn.tools.toolkit.build import build
from aclnn.tools.toolkit.directory import libpython


def toolkit(directory: Path, modules: Sequence[str]) -> str:
    """Write the directory, and return a text that says what to do next."""
    import_modules(modules)
    count = build(directory, modules)
    lines = [f"{directory}: headers and library with {count} functions", f"source {directory}/set_env.sh, then build"]
    if not libpython():
        lines.append(
            f"{sys.executable} has no shared library: programs cannot start by themselves, but `aclnn run FILE` works. "
            "(Debian: apt install libpython3-dev; pyenv: PYTHON_CONFIGURE_OPTS=--enable-shared)"
        )
    return "\n".join(lines)
