"""Libraries with the names of CUDA's, so that the torch of PyPI runs without the gigabytes of CUDA.

Each function returns 100, which CUDA's runtime defines as "no device". A torch without a CUDA device calls no other.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from aclnn.tools.toolkit.library import C_COMPILERS, compiler

LIBRARY = re.compile(r"NEEDED.*\[(lib(?:cu|nccl|nvrtc|nvshmem|nvJitLink|nvToolsExt)[\w-]*\.so[.\d]*)\]")
FUNCTION = re.compile(r"_*cu[a-zA-Z]|nccl|nv")
OTHERS = "libcudart"
"""the library that gets the functions without a version"""
NAMED, VERSION = "libnvshmem_host", "NVSHMEM"
"""the library whose version does not have its own name"""


def stand_in(libraries: Path) -> None:
    """Write a library for each one of CUDA's that the libraries of torch need, beside them."""
    files = sorted(libraries.glob("*.so*"))
    names = {name for file in files for name in LIBRARY.findall(_printed("readelf", "-d", str(file)))}
    functions = _functions(files)
    for name in sorted(names):
        version = VERSION if name.startswith(NAMED) else name
        own = functions[version] | (functions[""] if name.startswith(OTHERS) else set[str]())
        _compile(libraries / name, own, version if functions[version] else "")


def _functions(files: Iterable[Path]) -> dict[str, set[str]]:
    """The functions that the files lack, by the library that they ask for."""
    defined: set[str] = set()
    lacking: dict[str, set[str]] = defaultdict(set)
    for file in files:
        for kind, name, version in _symbols(file):
            if kind in "Uw":
                lacking[version].add(name)
            else:
                defined.add(name)
    return defaultdict(set, {key: {n for n in of - defined if FUNCTION.match(n)} for key, of in lacking.items()})


def _symbols(file: Path) -> Iterator[tuple[str, str, str]]:
    for line in _printed("nm", "-D", str(file)).splitlines():
        *_, kind, symbol = line.split()
        name, _, version = symbol.partition("@")
        yield kind, name, version.lstrip("@")


def _compile(library: Path, functions: Iterable[str], version: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        source, versions = Path(folder, "cuda.c"), Path(folder, "versions")
        source.write_text("".join(f"int {name}(void) {{ return 100; }}\n" for name in sorted(functions)))
        versions.write_text(f"{version} {{ global: *; }};\n")
        command = [*compiler("CC", C_COMPILERS), "-shared", "-fPIC", "-w", "-fno-builtin", str(source)]
        command += ["-o", str(library), f"-Wl,-soname,{library.name}"]
        command += [f"-Wl,--version-script={versions}"] * bool(version)
        subprocess.run(command, check=True)


def _printed(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout
