"""Fixtures: the source of ggml, and its build against a toolkit."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from aclnn.tools.toolkit.build import CPP_COMPILERS, NoCompiler, compiler
from aclnn.tools.toolkit.directory import libpython
from tests.clients.downloads import downloaded, kept, key

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
PATIENCE = 600
OPTIONS = (
    "-DGGML_CANN=ON",
    "-DGGML_NATIVE=OFF",
    "-DGGML_OPENMP=OFF",
    "-DGGML_CCACHE=OFF",
    "-DCMAKE_BUILD_TYPE=Release",
)
SOC = "-DSOC_TYPE=Ascend910B1"
Ran = subprocess.CompletedProcess[str]
InToolkit = Callable[..., Ran]


@pytest.fixture(scope="session")
def tools() -> str:
    """The version of the C++ compiler. Everything that the build needs is here."""
    if shutil.which("cmake") is None:
        pytest.skip("no cmake here")
    if not libpython():
        pytest.skip(f"{sys.executable} has no shared library, so that no program can start it")
    try:
        command = compiler("CXX", CPP_COMPILERS)
    except NoCompiler as error:
        pytest.skip(str(error))
    return subprocess.run([*command, "--version"], capture_output=True, text=True, check=True).stdout


@pytest.fixture(scope="session")
def source(tools: str) -> Path:
    """The folder `vendor/llama.cpp` of the source package."""
    package = next(downloaded(HERE / "requirements.txt", "--no-binary", ":all:").glob("*.tar.gz"))
    with kept(f"source-{package.name}") as (folder, done):
        if not done:
            with tarfile.open(package) as archive:
                members = [each for each in archive if "/vendor/llama.cpp/" in each.name]
                wanted = [each for each in members if "/ggml/" in each.name or "/tests/test-backend" in each.name]
                archive.extractall(folder, members=wanted, filter="data")
    return next(folder.glob("*/vendor/llama.cpp"))


@pytest.fixture(scope="session")
def folder(source: Path, tools: str) -> Path:
    """The folder for toolkit and build. Its name changes with the source, the project and the compiler."""
    texts = [
        (HERE / name).read_text(encoding="utf-8") for name in ("requirements.txt", "CMakeLists.txt", "conftest.py")
    ]
    with kept(f"ggml-{key(tools, str(source), *texts)}") as (folder, _):
        command = [sys.executable, "-m", "aclnn.tools.toolkit", str(folder / "toolkit")]
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=PATIENCE)
    return folder


@pytest.fixture(scope="session")
def in_toolkit(folder: Path) -> InToolkit:
    """Run a command with the variables of set_env.sh."""
    # ggml asks git for its version, and would find a repository around the cache
    kept_ = {name: os.environ[name] for name in ("PATH", "HOME", "CC", "CXX") if name in os.environ}
    kept_["GIT_CEILING_DIRECTORIES"] = str(folder)

    def run(*command: str, **environment: str) -> Ran:
        return subprocess.run(
            ["bash", "-c", '. "$0" && exec "$@"', str(folder / "toolkit" / "set_env.sh"), *command],
            env={**kept_, **environment}, capture_output=True, encoding="utf-8", errors="replace", cwd=folder,
            timeout=PATIENCE, check=False,
        )  # fmt: skip

    return run


@pytest.fixture(scope="session")
def configured(folder: Path, source: Path, in_toolkit: InToolkit) -> Ran:
    """The build folder, configured for a chip by name."""
    return in_toolkit("cmake", "-S", str(HERE), "-B", "build", f"-DLLAMA_CPP={source}", SOC, *OPTIONS)


@pytest.fixture(scope="session")
def compiled(configured: Ran, in_toolkit: InToolkit) -> Ran:
    """The backend and the program test-backend-ops. What did not change since an earlier run is not compiled again."""
    assert configured.returncode == 0, configured.stderr
    return in_toolkit("cmake", "--build", "build", "-j", "2", "--target", "test-backend-ops")
