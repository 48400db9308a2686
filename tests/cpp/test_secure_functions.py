"""securec.h: copies and texts with the size of their target (public)."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from aclnn.tools.toolkit.exported_functions import declarations
from aclnn.tools.toolkit.headers import headers
from tests.cpp.conftest import FLAGS, HERE


@pytest.mark.parametrize("standard", ["c++11", "c++17"])
def test_what_does_not_fit_is_refused(standard: str, cpp: list[str], tmp_path: Path) -> None:
    """The program returns the line of the first check that fails."""
    (tmp_path / "securec.h").write_text(headers(declarations())["securec.h"], encoding="utf-8")
    warns = [flag for flag in FLAGS if not flag.startswith("-std")]
    source, program = HERE / "secure_functions.cpp", tmp_path / "program"
    line = [*cpp, f"-std={standard}", *warns, "-pedantic", f"-I{tmp_path}", str(source), "-o", str(program)]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert subprocess.run([str(program)], check=False).returncode == 0
