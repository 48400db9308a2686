"""Writes a toolkit directory."""

import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from typing import Final

from aclnn.tools.toolkit.c_stubs import stubs
from aclnn.tools.toolkit.directory import LIBRARY, NPU_SMI, doubles, links, texts
from aclnn.tools.toolkit.exported_functions import declarations, exported
from aclnn.tools.toolkit.headers import headers

C_COMPILERS: Final = ("cc", "gcc", "clang")
CPP_COMPILERS: Final = ("c++", "g++", "clang++")
FLAGS: Final = ("-g0", "-fPIC", "-fvisibility=hidden")
NO_UNWINDING: Final = ("-fno-exceptions", "-fno-unwind-tables", "-fno-asynchronous-unwind-tables",
                       "-fno-omit-frame-pointer")  # fmt: skip
"""an exception that leaves a callback ends the program, as in a thread of the driver: it must not unwind the frames of
Python between callback and caller, which hold locks"""
LINKED: Final = ("-ldl", "-lpthread", f"-Wl,-soname,{LIBRARY}", "-Wl,-z,nodelete")


class NoCompiler(FileNotFoundError):
    """No compiler was found."""


def compiler(variable: str, names: Sequence[str]) -> list[str]:
    """The command in $CC or $CXX, else the first of these names that is installed. NoCompiler if there is none."""
    given = shlex.split(os.environ.get(variable, ""))
    found = given or [path for path in map(shutil.which, names) if path][:1]
    if not found or shutil.which(found[0]) is None:
        what = "C++" if variable == "CXX" else "C"
        package = "g++" if variable == "CXX" else "gcc"
        raise NoCompiler(
            f"no {what} compiler: {' '.join(given) or ', '.join(names)} not found. "
            f"Install one (Debian, Ubuntu: apt install {package}; Fedora: dnf install {package}), or set {variable}."
        )
    return found


def build(directory: Path, modules: Sequence[str] = ()) -> int:
    """Write headers, library, links and scripts, all from the declarations of the Python API. Returns the number of
    functions. `modules` have further operators of the user. Existing files are overwritten."""
    command = compiler("CC", C_COMPILERS)
    directory = directory.absolute()
    declared = declarations(modules)
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(max_workers=1) as beside:
        library = beside.submit(_compile, command, Path(folder), stubs(exported(declared)))
        _write_all(directory, headers(declared), modules)
        (directory / "lib64" / LIBRARY).unlink(missing_ok=True)  # a running program keeps the old one
        shutil.move(str(library.result()), directory / "lib64" / LIBRARY)
    return len(declared)


def _compile(command: Sequence[str], folder: Path, source: str) -> Path:
    """The library, made in a folder. The stubs are compiled without optimisation: they only pass arguments on, and the
    optimiser would take three times as long as all the rest."""
    stubs_c, stubs_o, library = folder / "stubs.c", folder / "stubs.o", folder / LIBRARY
    stubs_c.write_text(source, encoding="utf-8")
    subprocess.run([*command, *FLAGS, "-O0", *NO_UNWINDING, "-c", "-o", str(stubs_o), str(stubs_c)], check=True)
    bridge = str(Path(__file__).with_name("bridge.c"))
    inputs = (str(stubs_o), bridge)
    subprocess.run(
        [*command, *FLAGS, "-O2", *NO_UNWINDING, "-shared", "-o", str(library), *inputs, *LINKED], check=True
    )
    return library


def _write_all(directory: Path, of_headers: dict[str, str], modules: Sequence[str]) -> None:
    """Every file except the library, and the links."""
    paths = sorted({str(Path(file).resolve().parents[name.count(".") + _package(file)])
                    for name in modules if (file := import_module(name).__file__)})  # fmt: skip
    own = dict(texts(directory, modules, paths))
    own |= {f"include/{name}": text for name, text in of_headers.items()}
    to_folders = dict(links())
    to = to_folders | dict(doubles(of_headers, (*own, *to_folders)))
    _make_folders(directory, (*own, *to))
    for name, text in own.items():
        _write(f"{directory}/{name}", text)
    (directory / NPU_SMI).chmod(0o755)
    for name, target in to.items():
        _link(f"{directory}/{name}", target)


def _package(file: str) -> int:
    """1 for the `__init__.py` of a package, which is one folder deeper than a module; else 0."""
    return int(Path(file).name == "__init__.py")


def _make_folders(directory: Path, names: Iterable[str]) -> None:
    for name in {os.path.dirname(name) for name in names}:
        path = directory / name
        if path.is_symlink():  # an earlier version had one link to the folder
            path.unlink()
        path.mkdir(parents=True, exist_ok=True)


def _write(path: str, text: str) -> None:
    """A file that has this text already keeps its time, so that a project is not built anew after a second `aclnn
    toolkit`. Two thousand files are written; a file object for each would take twice as long."""
    data = text.encode()
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        if os.fstat(file).st_size != len(data) or os.read(file, len(data) + 1) != data:
            os.ftruncate(file, 0)
            os.pwrite(file, data, 0)
    finally:
        os.close(file)


def _link(path: str, to: str) -> None:
    try:
        os.symlink(to, path)
    except FileExistsError:
        os.unlink(path)
        os.symlink(to, path)
