"""Fixtures: a toolkit, and C++ programs that are compiled against it and run."""

import fcntl
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from aclnn.tools.toolkit.directory import libpython
from aclnn.tools.toolkit.library import C_COMPILERS, CPP_COMPILERS, NoCompiler, compiler
from tests.helpers.patience import PATIENCE

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
FLAGS = ("-std=c++17", "-Wall", "-Wextra", "-Werror", "-g", "-O0")
Ran = subprocess.CompletedProcess[str]


@pytest.fixture(scope="session")
def cpp() -> list[str]:
    """The command of the C++ compiler."""
    try:
        compiler("CC", C_COMPILERS)
        return compiler("CXX", CPP_COMPILERS)
    except NoCompiler as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the toolkit and the programs: one for all workers of pytest-xdist."""
    own = tmp_path_factory.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "built"
    folder.mkdir(exist_ok=True)
    return folder


@contextmanager
def first(to: Path) -> Iterator[bool]:
    """True for the first process that asks for a file or folder; this process makes it. Others wait until it exists; if
    the first one fails, the next one makes it."""
    with open(f"{to}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = Path(f"{to}.done")
        yield not done.exists()
        done.touch()


@pytest.fixture(scope="session")
def toolkit(cpp: list[str], built: Path) -> Path:
    """A toolkit directory, written by `aclnn toolkit`."""
    if not libpython():
        pytest.skip(f"{sys.executable} has no shared library, so that no program can start it")
    directory = built / "toolkit"
    with first(directory) as mine:
        if mine:
            command = [sys.executable, "-m", "aclnn.tools.toolkit", str(directory)]
            subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=PATIENCE)
    return directory


def compiled(command: list[str], source: Path, toolkit: Path, to: Path, *flags: str, libraries: str = "") -> Ran:
    """Run the compiler, and return its output."""
    return subprocess.run(
        [*command, *flags, f"-I{toolkit}/include", f"-I{HERE}", str(source), "-o", str(to), f"-L{toolkit}/lib64",
         "-lascendcl", "-lnnopbase", "-lopapi", *shlex.split(libraries), "-pthread"],
        capture_output=True, encoding="utf-8", timeout=PATIENCE, check=False,
    )  # fmt: skip


Build = Callable[..., Path]


@pytest.fixture(scope="session")
def build(cpp: list[str], toolkit: Path, built: Path) -> Build:
    """Compile a program of this folder, once for all tests."""

    def one(name: str, *flags: str, libraries: str = "") -> Path:
        to = built / "".join([name, *flags])
        with first(to) as mine:
            if mine:
                ran = compiled(cpp, HERE / f"{name}.cpp", toolkit, to, *FLAGS, *flags, libraries=libraries)
                assert ran.returncode == 0, ran.stderr
        return to

    return one


Run = Callable[..., Ran]


@pytest.fixture(scope="session")
def run(toolkit: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Run a program with an environment that has the variables of set_env.sh and nothing else."""
    folder = tmp_path_factory.mktemp("elsewhere")
    # the second and the third save half of the time of a start; the last one, 0, checks the calls of Python
    names = ("PATH", "PYTHONPYCACHEPREFIX", "OPENBLAS_NUM_THREADS", "ACL_EMULATOR_FAST_CALLS")
    kept = {name: os.environ[name] for name in names if name in os.environ}

    def one(program: Path, *arguments: str, environment: Mapping[str, Any] | None = None) -> Ran:
        command = ["bash", "-c", 'ulimit -c 0; source "$0" && exec "$@"', f"{toolkit}/set_env.sh", str(program)]
        return subprocess.run(
            [*command, *arguments], env={**kept, **(environment or {})}, cwd=folder, capture_output=True,
            encoding="utf-8", errors="replace", timeout=PATIENCE, check=False,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell ignores it for commands with `&`
        )  # fmt: skip

    return one


def line_of(file: str, mark: str) -> str:
    """`file:line` of the line that ends in the comment `// mark`."""
    lines = (HERE / file).read_text(encoding="utf-8").splitlines()
    (number,) = [number for number, line in enumerate(lines, 1) if line.endswith(f"// {mark}")]
    return f"{HERE / file}:{number}"
