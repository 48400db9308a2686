"""A Python with torch and torch_npu, in a virtual environment of its own that is kept in the cache."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.clients.downloads import downloaded, kept, key, pip

HERE = Path(__file__).parent
ROOT = HERE.parents[2]


def installed() -> Path:
    """The interpreter; the first call installs the wheels."""
    requirements = HERE / "requirements.txt"
    wheels = downloaded(
        requirements, "--only-binary", ":all:", "--extra-index-url", "https://download.pytorch.org/whl/cpu"
    )
    with kept(f"torch_npu-{key(requirements.read_text(encoding='utf-8'), sys.executable)}") as (folder, done):
        own = folder / "venv" / "bin" / "python"
        if not done:
            subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder / "venv")], check=True)
            hashed = ("install", "--no-deps", "--no-index", "--find-links", str(wheels), "--require-hashes")
            pip(own, *hashed, "-r", str(requirements))
            # headers that come with CANN's licence: nothing here reads or compiles them
            shutil.rmtree(next(folder.glob("venv/lib/*/site-packages/torch_npu")) / "include")
    return own


def environment(given: dict[str, str]) -> dict[str, str]:
    """PYTHONPATH leads to this package: an installed one would be an earlier one."""
    kept_ = {name: os.environ[name] for name in ("PATH", "HOME", "CC") if name in os.environ}
    return {**kept_, "PYTHONPATH": str(ROOT), **given}
