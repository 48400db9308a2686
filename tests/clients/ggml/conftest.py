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

from aclnn.tools.toolkit.directory import libpython
from aclnn.tools.toolkit.library import CPP_COMPILERS, NoCompiler, compiler
from tests.clients import pages
from tests.clients.downloads import downloaded, kept, key, pip

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
SAMPLE = ROOT / "samples" / "clients" / "llama_cpp"
WANTED = (
    "ggml/", "src/", "include/", "cmake/", "vendor/", "common/", "tests/test-backend-ops.cpp",
    "tests/test-llama-archs.cpp", "CMakeLists.txt", "LICENSE",
)  # fmt: skip
"""what is built, in the folder of llama.cpp"""
PATIENCE = 600
PAGE = "ggml.md"
Ran = subprocess.CompletedProcess[str]
InToolkit = Callable[..., Ran]
Backend = Callable[..., str]


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
    with kept(f"llama.cpp-{key(package.name, *WANTED)}") as (folder, done):
        if not done:
            with tarfile.open(package) as archive:
                inside = [(each, each.name.partition("/vendor/llama.cpp/")[2]) for each in archive]
                members = [each for each, name in inside if name.startswith(WANTED)]
                archive.extractall(folder, members=members, filter="data")
    return next(folder.glob("*/vendor/llama.cpp"))


@pytest.fixture(scope="session")
def folder(source: Path, tools: str) -> Path:
    """The folder in which the page is read: what did not change since an earlier run is not compiled again. Its name
    changes with the source, the sample's project and the compiler."""
    project = (SAMPLE / "CMakeLists.txt").read_text(encoding="utf-8")
    with kept(f"ggml-{key(tools, str(source), project, str(ROOT))}") as (folder, done):
        if not done:
            (folder / source.parts[-3]).symlink_to(source.parents[1])
            (folder / "samples").symlink_to(ROOT / "samples")
    pages.command(folder, "aclnn", f"{sys.executable} -m aclnn")
    pages.command(folder, "python", sys.executable)
    return folder


@pytest.fixture(scope="session")
def gguf(folder: Path) -> Path:
    """A folder with the package gguf, and what it needs apart from numpy."""
    listed = HERE / "gguf.txt"
    with kept(f"gguf-{key(sys.version, listed.read_text(encoding='utf-8'))}") as (packages, done):
        if not done:
            pip(
                sys.executable, "install", "-q", "--no-deps", "--require-hashes", "-t", str(packages), "-r", str(listed)
            )
    return packages


@pytest.fixture(scope="session")
def variables(folder: Path, gguf: Path) -> dict[str, str]:
    """The environment of the page. ggml asks git for its version, and would find a repository around the cache."""
    own = {name: os.environ[name] for name in ("HOME", "CC", "CXX") if name in os.environ}
    path = f"{folder / 'bin'}:{os.environ['PATH']}"
    return {**own, "PATH": path, "PYTHONPATH": f"{ROOT}:{gguf}", "GIT_CEILING_DIRECTORIES": str(folder)}


@pytest.fixture(scope="session")
def built(folder: Path, variables: dict[str, str]) -> Path:
    """The folder after its page was read: with toolkit, backend and the program test-backend-ops."""
    pages.read(PAGE, folder, variables)
    return folder


@pytest.fixture(scope="session")
def in_toolkit(built: Path, variables: dict[str, str]) -> InToolkit:
    """Run a command with the variables of set_env.sh."""

    def run(*command: str, **environment: str) -> Ran:
        return subprocess.run(
            ["bash", "-c", '. "$0" && exec "$@"', str(built / "tk" / "set_env.sh"), *command],
            env={**variables, **environment}, capture_output=True, encoding="utf-8", errors="replace", cwd=built,
            timeout=PATIENCE, check=False,
        )  # fmt: skip

    return run


def project(built: Path) -> tuple[str, ...]:
    """The options of cmake for the project of the sample."""
    return "-S", str(SAMPLE), f"-DLLAMA_CPP={next(built.glob('llama_cpp_python-*'))}/vendor/llama.cpp"


@pytest.fixture(scope="session")
def backend(built: Path, in_toolkit: InToolkit) -> Backend:
    """Build the backend alone, with other options. With the returned folder in LD_LIBRARY_PATH it takes the place of
    the one that the programs are linked against."""

    def build(name: str, *options: str) -> str:
        chosen = ("-DGGML_CANN=ON", "-DGGML_CPU=OFF", *options)
        in_toolkit("cmake", *project(built), "-B", name, *chosen).check_returncode()
        in_toolkit("cmake", "--build", name, "-j", "2", "--target", "ggml-cann").check_returncode()
        folder = built / name / "only"
        folder.mkdir(exist_ok=True)
        for library in (built / name / "bin").glob("libggml-cann.so*"):
            if not (folder / library.name).is_symlink():
                (folder / library.name).symlink_to(library)
        return str(folder)

    return build


@pytest.fixture(scope="session")
def with_graphs(backend: Backend) -> dict[str, str]:
    """The environment of programs whose backend captures graphs and runs them."""
    folder = backend("with-graphs", "-DUSE_ACL_GRAPH=ON", "-DSOC_TYPE=Ascend910B1")
    return {"LD_LIBRARY_PATH": folder, "GGML_CANN_ACL_GRAPH": "on"}


@pytest.fixture(scope="session")
def on_310p(backend: Backend) -> dict[str, str]:
    """The environment of programs on Ascend310P3, with a backend that was built for this chip."""
    folder = backend("for-310p", "-DSOC_TYPE=Ascend310P3")
    return {"LD_LIBRARY_PATH": folder, "ACL_EMULATOR_SOC": "Ascend310P3"}
