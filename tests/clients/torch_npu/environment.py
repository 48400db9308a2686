"""A Python with torch and torch_npu, in a virtual environment of its own that is kept in the cache.

There are two: the pinned version, and an older one, whose torch is the build for CUDA that PyPI has.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

from tests.clients.downloads import downloaded, kept, key, pip
from tests.clients.torch_npu import cuda

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
PINNED, OLDER = HERE / "requirements.txt", HERE / "requirements_older.txt"


def installed() -> Path:
    """The interpreter of the pinned version; the first call installs the wheels."""
    return _environment(PINNED.read_text(encoding="utf-8"), PINNED)


def older() -> Path:
    """The interpreter of the older version: the pinned packages, but for its own lines."""
    own = OLDER.read_text(encoding="utf-8")
    names = {line.partition("==")[0] for line in own.splitlines()}
    lines = PINNED.read_text(encoding="utf-8").splitlines(keepends=True)
    return _environment("".join([line for line in lines if line.partition("==")[0] not in names]) + own, PINNED, OLDER)


def _environment(requirements: str, *files: Path) -> Path:
    """The interpreter with these requirements, which are lines of the files."""
    options = ("--only-binary", ":all:", "--extra-index-url", "https://download.pytorch.org/whl/cpu")
    wheels = [downloaded(file, *options) for file in files]
    with kept(f"torch_npu-{key(requirements, sys.executable)}") as (folder, done):
        own = folder / "venv" / "bin" / "python"
        if not done:
            (folder / "requirements.txt").write_text(requirements, encoding="utf-8")
            subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder / "venv")], check=True)
            found = [part for each in wheels for part in ("--find-links", str(each))]
            hashed = ("install", "--no-deps", "--no-index", *found, "--require-hashes")
            pip(own, *hashed, "-r", str(folder / "requirements.txt"))
            clean(folder)
    return own


def clean(folder: Path) -> None:
    """Remove headers that come with CANN's licence: nothing here reads or compiles them. A torch for CUDA gets
    stand-ins for CUDA's libraries."""
    (packages,) = folder.glob("venv/lib/*/site-packages")
    shutil.rmtree(packages / "torch_npu" / "include", ignore_errors=True)
    if (packages / "torch" / "lib" / "libtorch_cuda.so").exists():
        cuda.stand_in(packages / "torch" / "lib")


def environment(given: dict[str, str]) -> dict[str, str]:
    """PYTHONPATH leads to this package: an installed one would be an earlier one. torchrun gets a port that is free:
    two runs at the same time cannot both have its default port."""
    kept_ = {name: os.environ[name] for name in ("PATH", "HOME", "CC") if name in os.environ}
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    return {**kept_, "PYTHONPATH": str(ROOT), "PET_MASTER_PORT": str(port), **given}
