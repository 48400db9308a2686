"""Downloads by pip, pinned by version and hash, in a cache outside the clone."""

from __future__ import annotations

import fcntl
import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

PATIENCE = 600
"""seconds that a download may take"""


def cache() -> Path:
    """The folder for downloads and builds; it outlives the clone."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(os.environ.get("ACLNN_CLIENTS") or Path(base, "aclnn-emulator", "clients"))
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def key(*texts: str) -> str:
    """A short name for what depends on these texts."""
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:12]


@contextmanager
def kept(name: str) -> Iterator[tuple[Path, bool]]:
    """A folder of the cache, and whether it was finished by an earlier run. A block that ends well finishes it. Other
    processes wait."""
    folder = cache() / name
    with open(f"{folder}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = folder / ".done"
        folder.mkdir(exist_ok=True)
        yield folder, done.exists()
        done.touch()


def pip(python: Path | str, *arguments: str) -> None:
    """Run pip. A download that fails skips the test, with the last line of pip as the reason."""
    command = [str(python), "-m", "pip", "--disable-pip-version-check", *arguments]
    environment = {**os.environ, "PIP_RETRIES": "1", "PIP_NO_INPUT": "1"}
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=PATIENCE, check=False, env=environment, cwd=cache()
        )
    except subprocess.TimeoutExpired:
        pytest.skip(f"pip {arguments[0]} took more than {PATIENCE} s")
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.startswith("ERROR")] or done.stderr.splitlines()
        if any("DO NOT MATCH THE HASHES" in line for line in lines):
            pytest.fail(f"a download is not the one that was tested: {done.stderr}")
        pytest.skip(f"pip cannot have it: {' '.join(lines[-1:]) or f'exit status {done.returncode}'}")


def downloaded(requirements: Path, *arguments: str) -> Path:
    """The folder with the files of a list of requirements. Each has a hash, and no dependencies are followed."""
    with kept(f"download-{requirements.parent.name}-{key(requirements.read_text(encoding='utf-8'))}") as (folder, done):
        if not done:
            hashed = ("download", "--no-deps", "--require-hashes", "-r", str(requirements), "-d", str(folder))
            pip(sys.executable, *hashed, *arguments)
    return folder
