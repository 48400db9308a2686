"""Compiles a C or C++ file and runs its `main` in this process. Python needs no shared library for this."""

import ctypes
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import NoReturn

from aclnn.tools.toolkit.build import build
from aclnn.tools.toolkit.control import session
from aclnn.tools.toolkit.directory import LIBRARY
from aclnn.tools.toolkit.entry import attach
from aclnn.tools.toolkit.library import C_COMPILERS, CPP_COMPILERS, compiler


def run(source: Path, arguments: Sequence[str] = (), modules: Sequence[str] = ()) -> NoReturn:
    """Compile and run a program. This process ends with the program."""
    kind = ("CC", C_COMPILERS) if source.suffix == ".c" else ("CXX", CPP_COMPILERS)
    command = compiler(*kind)
    folder = tempfile.mkdtemp(prefix="aclnn-")
    session.last = partial(shutil.rmtree, folder, ignore_errors=True)
    toolkit, program = Path(folder, "toolkit"), Path(folder, source.stem + ".so")
    build(toolkit, modules)
    include = toolkit / "include"
    process = subprocess.run(
        [*command, "-g", "-O1", "-shared", "-fPIC", "-o", str(program), str(source), f"-I{include}",
         f"-I{include / 'aclnnop'}", f"-I{include / 'aclnn'}", f"-L{toolkit / 'lib64'}", "-lascendcl", "-pthread",
         "-Wl,-Bsymbolic"],
        check=False,
    )  # fmt: skip
    if process.returncode:
        session.last()
        sys.exit(process.returncode)
    library = str(toolkit / "lib64" / LIBRARY)
    ctypes.CDLL(library, mode=ctypes.RTLD_GLOBAL)
    attach(library)
    loaded = ctypes.CDLL(str(program))
    sys.argv = words = [str(source), *arguments]  # the name of the program, for the title of its timeline
    argv = (ctypes.c_char_p * (len(words) + 1))(*[word.encode() for word in words], None)
    if not hasattr(loaded, "main"):
        session.last()
        sys.exit(f"{source} has no main")
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # as in a process without Python
    status = loaded.main(len(words), argv)
    ctypes.CDLL(None).exit(status)  # the exit() of C flushes its streams and runs the program's static destructors
    raise AssertionError("exit() returned")
