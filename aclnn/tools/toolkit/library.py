"""The library of a toolkit: compiled here, or compiled when the package was built.

Design. A wheel contains the library, so that a host without a C compiler can use it. The file name of the library has a
short hash of its C source. A toolkit copies the library only if its own C source has the same hash. Operators of the
user's modules change the source, so they always need a compiler.
"""

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Final

from aclnn.tools.toolkit.c_stubs import stubs
from aclnn.tools.toolkit.directory import LIBRARY
from aclnn.tools.toolkit.exported_functions import declarations, exported

C_COMPILERS: Final = ("cc", "gcc", "clang")
CPP_COMPILERS: Final = ("c++", "g++", "clang++")
C_FILES: Final = ("bridge.c", "descriptors.c", "events.c", "first_phases.c", "joins.c", "walk.c")
SOURCES: Final = tuple(map(Path(__file__).with_name, C_FILES))
HEADER: Final = Path(__file__).with_name("bridge.h")
COMPILED: Final = Path(__file__).with_name("compiled")
"""the folder of the library in a wheel; not a Python package, as Python would take the library for a module"""
FLAGS: Final = ("-g0", "-fPIC", "-fvisibility=hidden")
UNWINDING: Final = ("-fasynchronous-unwind-tables",)
"""for the stubs and for walk.c, so that it finds the callers"""
NO_UNWINDING: Final = ("-fno-exceptions", "-fno-unwind-tables", "-fno-asynchronous-unwind-tables",
                       "-fno-omit-frame-pointer")  # fmt: skip
"""an exception that leaves a callback ends the program, as in a thread of the driver: it must not unwind the frames of
Python between callback and caller, which hold locks"""
LINKED: Final = ("-ldl", "-lpthread", f"-Wl,-soname,{LIBRARY}", "-Wl,-z,nodelete")


class NoCompiler(FileNotFoundError):
    """No compiler was found."""


def compiler(variable: str, names: Sequence[str]) -> list[str]:
    """The command in $CC or $CXX, else the first of these names that is installed. NoCompiler if there is none."""
    command = shlex.split(os.environ.get(variable, ""))
    compiler = command or [path for path in map(shutil.which, names) if path][:1]
    if not compiler or shutil.which(compiler[0]) is None:
        language = "C++" if variable == "CXX" else "C"
        package = "g++" if variable == "CXX" else "gcc"
        raise NoCompiler(
            f"no {language} compiler: {' '.join(command) or ', '.join(names)} not found. "
            f"Install one (Debian, Ubuntu: apt install {package}; Fedora: dnf install {package}), or set {variable}."
        )
    return compiler


def maker(source: str) -> Callable[[Path], Path]:
    """A function that puts the library for this source of the stubs into a folder. NoCompiler if a compiler is needed
    and missing."""
    compiled = prebuilt(source)
    if compiled.is_file():
        return partial(_copy, compiled)
    return partial(_compile, compiler("CC", C_COMPILERS), source)


def prebuilt(source: str) -> Path:
    """The path in this package of the library that is compiled from this source. Only wheels have the file."""
    texts = (source.encode(), *(each.read_bytes() for each in (*SOURCES, HEADER)))
    digest = sha256(b"".join(texts)).hexdigest()[:16]
    return COMPILED / f"libascendcl-{digest}.so"


def _copy(compiled: Path, folder: Path) -> Path:
    library = Path(shutil.copyfile(compiled, folder / LIBRARY))
    library.chmod(0o755)
    return library


def _compile(command: Sequence[str], source: str, folder: Path) -> Path:
    """Make the library in a folder. The stubs are compiled without optimisation: they only pass arguments on, and the
    optimiser would take longer than all the rest."""
    stubs_c, library = folder / "stubs.c", folder / LIBRARY
    stubs_c.write_text(source, encoding="utf-8")
    *others, walk_c = SOURCES
    objects: list[str] = []
    for name, file, flags in (
        ("calls", stubs_c, ("-O0", "-DCALLS", *NO_UNWINDING)),
        ("stubs", stubs_c, ("-O0", *UNWINDING)),
        ("walk", walk_c, ("-O2", *UNWINDING)),
    ):
        objects.append(str(folder / f"{name}.o"))
        subprocess.run([*command, *FLAGS, *flags, "-c", "-o", objects[-1], str(file)], check=True)
    inputs = (*objects, *map(str, others))
    subprocess.run(
        [*command, *FLAGS, "-O2", *NO_UNWINDING, "-shared", "-o", str(library), *inputs, *LINKED], check=True
    )
    return library


def main(into: str) -> None:
    """Compile the library of a wheel into a folder, under its name, for setup.py."""
    source = stubs(exported(declarations()))
    with tempfile.TemporaryDirectory() as folder:
        library = _compile(compiler("CC", C_COMPILERS), source, Path(folder))
        shutil.move(library, Path(into, prebuilt(source).name))


if __name__ == "__main__":
    main(sys.argv[1])
