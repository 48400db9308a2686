"""A toolkit, and C++ programs compiled against it and run beside it."""

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

from aclnn.tools.toolkit.build import C_COMPILERS, CPP_COMPILERS, NoCompiler, compiler
from aclnn.tools.toolkit.layout import libpython

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
FLAGS = ("-std=c++17", "-Wall", "-Wextra", "-Werror", "-g", "-O0")
PATIENCE = 60
"""seconds, after which a program counts as hanging: a hundred times what it takes"""
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
    """Where the toolkit and the programs are built: one folder for all workers of pytest-xdist."""
    own = tmp_path_factory.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "built"
    folder.mkdir(exist_ok=True)
    return folder


@contextmanager
def first(to: Path) -> Iterator[bool]:
    """Is this the first to make a file or folder? Others wait until it is made; if that fails, the next one tries."""
    with open(f"{to}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = Path(f"{to}.done")
        yield not done.exists()
        done.touch()


@pytest.fixture(scope="session")
def toolkit(cpp: list[str], built: Path) -> Path:
    """A toolkit directory, written by the command that users give."""
    if not libpython():
        pytest.skip(f"{sys.executable} has no shared library, so that no program can start it")
    directory = built / "toolkit"
    with first(directory) as mine:
        if mine:
            command = [sys.executable, "-m", "aclnn.tools.toolkit", str(directory)]
            subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=PATIENCE)
    return directory


def compiled(command: list[str], source: Path, toolkit: Path, to: Path, *flags: str, libraries: str = "") -> Ran:
    """What the compiler says."""
    return subprocess.run(
        [*command, *flags, f"-I{toolkit}/include", f"-I{HERE}", str(source), "-o", str(to), f"-L{toolkit}/lib64",
         "-lascendcl", "-lnnopbase", "-lopapi", *shlex.split(libraries), "-pthread"],
        capture_output=True, encoding="utf-8", timeout=2 * PATIENCE, check=False,
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
    """Run a program as a user does, who sourced set_env.sh; otherwise its environment is empty."""
    folder = tmp_path_factory.mktemp("elsewhere")
    names = ("PATH", "PYTHONPYCACHEPREFIX", "OPENBLAS_NUM_THREADS")  # the last two save half of the time of a start
    kept = {name: os.environ[name] for name in names if name in os.environ}

    def one(program: Path, *arguments: str, environment: Mapping[str, Any] | None = None) -> Ran:
        command = ["bash", "-c", 'ulimit -c 0; source "$0" && exec "$@"', f"{toolkit}/set_env.sh", str(program)]
        return subprocess.run(
            [*command, *arguments], env={**kept, **(environment or {})}, cwd=folder, capture_output=True,
            encoding="utf-8", errors="replace", timeout=PATIENCE, check=False,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # which is ignored behind a shell's `&`
        )  # fmt: skip

    return one


def line_of(file: str, mark: str) -> str:
    """`file:line` of the line that ends in the comment `// mark`."""
    lines = (HERE / file).read_text(encoding="utf-8").splitlines()
    (number,) = [number for number, line in enumerate(lines, 1) if line.endswith(f"// {mark}")]
    return f"{HERE / file}:{number}"
