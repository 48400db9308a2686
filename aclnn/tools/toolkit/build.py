"""Writes a toolkit directory."""

import os
import shutil
import tempfile
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path

from aclnn.tools.toolkit.c_stubs import stubs
from aclnn.tools.toolkit.directory import LIBRARY, NPU_SMI, doubles, links, texts
from aclnn.tools.toolkit.exported_functions import declarations, exported
from aclnn.tools.toolkit.headers import headers
from aclnn.tools.toolkit.library import maker


def build(directory: Path, modules: Sequence[str] = ()) -> int:
    """Write headers, library, links and scripts, all from the declarations of the Python API. Returns the number of
    functions. `modules` have further operators of the user. Existing files are overwritten."""
    directory = directory.absolute()
    declared = declarations(modules)
    make = maker(stubs(exported(declared)))
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(max_workers=1) as executor:
        library = executor.submit(make, Path(folder))
        _write_all(directory, headers(declared), modules)
        (directory / "lib64" / LIBRARY).unlink(missing_ok=True)  # a running program keeps the old one
        shutil.move(str(library.result()), directory / "lib64" / LIBRARY)
    return len(declared)


def _write_all(directory: Path, of_headers: dict[str, str], modules: Sequence[str]) -> None:
    """Write the links, and every file except the library."""
    paths = sorted({str(Path(file).resolve().parents[name.count(".") + _package(file)])
                    for name in modules if (file := import_module(name).__file__)})  # fmt: skip
    sources = dict(texts(directory, modules, paths))
    sources |= {f"include/{name}": text for name, text in of_headers.items()}
    to_folders = dict(links())
    link_targets = to_folders | dict(doubles(of_headers, (*sources, *to_folders)))
    _make_folders(directory, (*sources, *link_targets))
    for name, text in sources.items():
        _write(f"{directory}/{name}", text)
    (directory / NPU_SMI).chmod(0o755)
    for name, target in link_targets.items():
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
    """Write a file. An equal file keeps its time, so that a project is not built anew after a second `aclnn toolkit`.
    Functions of `os` are faster than a file object for each of two thousand files."""
    data = text.encode()
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        if os.fstat(file).st_size != len(data) or os.read(file, len(data) + 1) != data:
            os.ftruncate(file, 0)
            os.pwrite(file, data, 0)
    finally:
        os.close(file)


def _link(path: str, target: str) -> None:
    try:
        os.symlink(target, path)
    except FileExistsError:
        os.unlink(path)
        os.symlink(target, path)
