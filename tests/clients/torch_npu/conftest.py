"""Fixtures: a Python with torch and torch_npu, and programs in it."""

from __future__ import annotations

import platform
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from aclnn.tools.toolkit.library import C_COMPILERS, NoCompiler, compiler
from tests.clients.torch_npu.environment import environment, installed

PATIENCE = 300
"""seconds until a program counts as hanging: importing torch alone takes a minute where many tests run at once"""
PINNED = ("cpython-311", "Linux", "x86_64")
"""of the wheels in requirements.txt"""
Ran = subprocess.CompletedProcess[str]
Run = Callable[..., Ran]


@pytest.fixture(scope="session")
def python() -> Path:
    """A Python with the wheels, in a virtual environment of its own. It is kept in the cache."""
    here = (sys.implementation.cache_tag, platform.system(), platform.machine())
    if here != PINNED:
        pytest.skip(f"the pinned wheels are those of {' '.join(PINNED)}; this is {' '.join(here)}")
    try:
        compiler("CC", C_COMPILERS)
    except NoCompiler as error:
        pytest.skip(str(error))
    return installed()


@pytest.fixture(scope="session")
def user(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The cache of the user, in which `aclnn run --npu` keeps its toolkit. Clean runs list what was allowed, too."""
    return {"XDG_CACHE_HOME": str(tmp_path_factory.mktemp("user")), "ACL_EMULATOR_REPORT_ALLOWED": "1"}


@pytest.fixture
def run(python: Path, tmp_path: Path, user: dict[str, str]) -> Run:
    """`aclnn run --npu OPTIONS program.py`."""

    def one(text: str, *options: str, **given: str) -> Ran:
        (tmp_path / "program.py").write_text(text, encoding="utf-8")
        return subprocess.run(
            [str(python), "-m", "aclnn", "run", "--npu", *options, "program.py"], cwd=tmp_path, check=False,
            env=environment({**user, **given}), capture_output=True, encoding="utf-8", timeout=PATIENCE,
        )  # fmt: skip

    return one


@pytest.fixture
def ranks(python: Path, user: dict[str, str], tmp_path: Path) -> Run:
    """Run a program in two processes, which torchrun starts."""

    def run(program: str, *options: str, **given: str) -> Ran:
        options = ("run", "--npu", "--devices", "2", *options, "-m", "torch.distributed.run")
        command = [str(python), "-m", "aclnn", *options]
        return subprocess.run(
            [*command, "--nproc-per-node", "2", program], cwd=tmp_path, env=environment({**user, **given}), check=False,
            capture_output=True, encoding="utf-8", timeout=PATIENCE,
        )  # fmt: skip

    return run
