"""`aclnn doctor`: what is installed, what is missing, and the purpose of each."""

import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, NamedTuple

from acl_runtime.version import PROJECT, __version__
from aclnn.tools.command.text import EMPTY, padded, translator, wrapped

PLUGIN: Final = "acl_runtime.pytest_plugin"
SAME: Final = "the same; or pytest -p acl_runtime.pytest_plugin"
EXTRAS: Final = {
    "test": "run the tests of this project",
    "lint": "check the sources of this project",
    "bench": "compare times with torch",
    "docs": "build the documentation",
    "onnx": "ONNX files in place of offline models",
    "port": "aclnn port, which parses C++",
    "release": "make and check the packages of this project",
}
"""the purpose of each extra, by its name in pyproject.toml"""
TOOLS: Final = {
    "cc": ("aclnn run FILE.c; aclnn toolkit where its library is not compiled yet", ("cc", "gcc", "clang"), "CC"),
    "c++": ("aclnn run FILE.cpp, C++ host programs", ("c++", "g++", "clang++"), "CXX"),
    "cmake": ("CMake projects", ("cmake",), ""),
    "addr2line": ("lines of C and C++ sources in findings", ("addr2line",), ""),
}
"""each tool: its purpose, the commands to look for, and the environment variable that names another command"""
VARIABLES: Final = ("ASCEND_", "ACL_EMULATOR_")


class Component(NamedTuple):
    """A program or package that may be installed."""

    name: str
    found: str | None
    """version and path of the tool; None if it is missing"""
    purpose: str
    needed: bool = False
    """True if nothing works without it"""


def facts() -> dict[str, Any]:
    """Everything that `aclnn doctor` shows."""
    error = trial()
    return {
        "version": __version__,
        "works": error is None,
        "error": error,
        "installed": [row._asdict() for row in rows()],
        "extras": extras(),
        "real_acl": real_acl(),
        "variables": {name: value for name, value in sorted(os.environ.items()) if name.startswith(VARIABLES)},
    }


def trial() -> str | None:
    """Run a small operator on a machine of its own. Returns the error, None if it works."""
    try:
        import numpy as np

        from acl_runtime import Machine
        from aclnn import aclnnSoftmaxBackward
        from aclnn.testing import run

        with Machine(on_undefined="raise"):
            values = np.full((2, 2), 0.5, np.float32)
            if run(aclnnSoftmaxBackward, values, values, -1, np.empty_like(values)).any():
                return "aclnnSoftmaxBackward computed a wrong result"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None


def rows() -> Iterator[Component]:
    """Python, the packages and the tools."""
    yield Component("Python", f"{platform.python_version()}, {sys.executable}", "3.10 or later", needed=True)
    yield Component(PROJECT, f"{own_version()}, {Path(__file__).parents[2]}", "this package", needed=True)
    yield Component("numpy", version("numpy"), "everything", needed=True)
    yield Component("ml_dtypes", version("ml_dtypes"), "bfloat16 and smaller types; everything", needed=True)
    yield Component("pytest", version("pytest"), "tests with the fixture `machine`")
    plugin = [entry_point for entry_point in metadata.entry_points(group="pytest11") if entry_point.name == PLUGIN]
    yield Component("pytest plugin", plugin[0].value if plugin else None, SAME)
    for name, (purpose, names, variable) in TOOLS.items():
        yield Component(name, tool(names, variable), purpose)
    yield Component("evaluator", evaluator(), "large and medium tensors in a third of the time; numpy computes without")
    yield Component("BLAS", blas(), "products and convolutions on several cores; without it, on one")
    yield Component("C library", c_library(), "aclnn toolkit and aclnn run --npu without a C compiler; wheels have it")
    yield Component("libpython", shared_library(), "C and C++ programs that start by themselves; not for aclnn run")


def own_version() -> str:
    """The version of these sources, and the version that pip has installed if it differs."""
    installed = version(PROJECT)
    if installed == __version__:
        return __version__
    return f"{__version__} ({'not installed' if installed is None else f'installed is {installed}'})"


def version(package: str) -> str | None:
    """The version of an installed distribution; None if it is not installed."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def tool(names: tuple[str, ...], variable: str) -> str | None:
    """The version and the path of the first command that is installed; None without one. `variable`: the environment
    variable whose command replaces `names`."""
    commands = os.environ.get(variable, "").split()[:1] if variable else []
    path = next(filter(None, map(shutil.which, commands or names)), None)
    if path is None:
        return None
    try:
        process = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{path} (it does not run: {error})"
    number = re.search(r"\d+\.\d+[\w.]*", process.stdout.partition("\n")[0])
    return f"{number[0]}, {path}" if number else path


def shared_library() -> str | None:
    """The path of libpython; None if there is none."""
    try:
        from aclnn.tools.toolkit.directory import libpython
    except ImportError as error:
        return f"not looked for: {error}"
    return libpython() or None


def c_library() -> str | None:
    """The path of the library of `aclnn toolkit` that is compiled already; None if there is none."""
    return next(map(str, (Path(__file__).parents[1] / "toolkit" / "compiled").glob("libascendcl-*.so")), None)


def evaluator() -> str | None:
    """The build of the compiled evaluator, and its path; None if numpy computes instead."""
    from aclnn.engine import fast

    library = fast.evaluator()
    if library is None:
        return None
    untested = "" if platform.machine() == "x86_64" else " (untested on this processor)"
    return f"{library.build}{untested}, {library.path}"


def blas() -> str | None:
    """The BLAS that the evaluator calls; None without one."""
    from aclnn.engine.fast import able

    return "the OpenBLAS of numpy" if able() else None


def extras() -> list[dict[str, Any]]:
    """Each extra of the package with its missing packages; an empty list if the package is not installed."""
    try:
        requires = metadata.requires(PROJECT) or []
    except metadata.PackageNotFoundError:
        return []
    packages_of: dict[str, list[str]] = {}
    for requirement in requires:
        match = re.match(r"([\w.-]+).*extra == ['\"]([\w.-]+)['\"]", requirement)
        if match:
            packages_of.setdefault(match[2], []).append(match[1])
    return [
        {
            "name": name,
            "purpose": EXTRAS.get(name, ""),
            "missing": [package for package in packages if version(package) is None],
        }
        for name, packages in packages_of.items()
    ]


def real_acl() -> str | None:
    """The path of the pyACL of a real CANN, which `import acl` would import instead of the emulator's `acl`; None
    without one."""
    try:
        spec = find_spec("acl")
    except ValueError:  # a module without a spec was imported by this name
        return "imported"
    return None if spec is None else spec.origin or ", ".join(spec.submodule_search_locations or ())


def text(answer: dict[str, Any], words: Mapping[str, str] = EMPTY) -> str:
    """The result of `facts` as text. `words`: translations of its sentences."""
    say = translator(words)
    found = [row for row in answer["installed"] if row["found"] is not None]
    lines = [f"{padded(say(row['name']), 15)} {say(row['found'])}" for row in found]
    lacking = [row for row in answer["installed"] if row["found"] is None]
    lines = [part for line in lines for part in wrapped(line, 0, 16)]
    acl = answer["real_acl"]
    lines += wrapped(f"{padded(say('real acl'), 15)} {acl or say('not installed')}", 0, 16)
    if answer["variables"]:
        lines += ["", say("variables that are set")]
        lines += [part for name, value in answer["variables"].items() for part in wrapped(f"{name}={value}", 2, 2)]
    incomplete = [extra for extra in answer["extras"] if extra["missing"]]
    if lacking or incomplete:
        lines += ["", say("missing, and for what")]
    for row in lacking:
        lines += wrapped(f"{padded(say(row['name']), 15)} {say(row['purpose'])}", 2, 16)
    for extra in incomplete:
        label = f"[{extra['name']}]"
        lines += wrapped(f"{label:<15} {say(extra['purpose'])}: {', '.join(extra['missing'])}", 2, 16)
    works = say("the emulator works: a small program runs" if answer["works"] else "it does not work: {error}")
    return "\n".join([*lines, "", *wrapped(works.format(error=answer["error"]), 0, 2)])
