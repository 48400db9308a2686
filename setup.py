"""Compiles the evaluator (aclnn/engine/fast/native/c) where there is a C compiler. All else is in pyproject.toml.

It is no extension module of Python, but a plain library that `ctypes` loads, so its name and the wheel's tag name no
version of Python. One source becomes one library for each set of instructions; the program chooses one when it starts.
Where compiling fails the package is installed without them, and numpy computes.
"""

import os
import platform
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext

FOLDER = Path("aclnn/engine/fast/native/c")
FLAGS = [
    "-std=c11", "-O3", "-g0", "-fwrapv", "-fno-strict-aliasing", "-fno-math-errno", "-fno-trapping-math",
    "-ffp-contract=off", "-pthread",
]  # fmt: skip
"""-fwrapv: integers wrap. -ffp-contract=off: no product is fused with a sum, so that all builds give the same bits"""
BUILDS = {"plain": []}
if platform.machine().lower() in ("x86_64", "amd64"):
    BUILDS["avx2"] = ["-mavx2", "-mf16c"]
    BUILDS["avx512"] = [f"-mavx512{part}" for part in ("f", "bw", "dq", "vl")] + ["-mf16c", "-mprefer-vector-width=512"]


class BuildLibraries(build_ext):
    """Compiles each build, with the compiler's own flags in place of those for extension modules."""

    def get_ext_filename(self, fullname: str) -> str:
        return os.path.join(*fullname.split(".")) + ".so"

    def get_export_symbols(self, ext: Extension) -> list[str]:
        return []

    def build_extension(self, ext: Extension) -> None:
        shared = self.build_temp
        self.build_temp = os.path.join(shared, ext.name)  # the object files of the builds have the same names
        super().build_extension(ext)
        self.build_temp = shared


class Wheel(bdist_wheel):
    """A wheel for any Python 3 on this platform; for any platform if nothing was compiled."""

    def get_tag(self) -> tuple[str, str, str]:
        compiled = any(Path(self.bdist_dir or ".").rglob("evaluator_*.so"))
        return "py3", "none", super().get_tag()[2] if compiled else "any"


def extension(build: str) -> Extension:
    """The library of a build. It links neither with Python nor with anything but the C library."""
    return Extension(
        ".".join((*FOLDER.parts, f"evaluator_{build}")),
        sources=[str(path) for path in sorted(FOLDER.glob("*.c"))],
        depends=[str(path) for path in sorted(FOLDER.glob("*.h"))],
        extra_compile_args=[*FLAGS, *BUILDS[build]],
        extra_link_args=["-pthread"],
        libraries=["m"],
        optional=True,
    )


setup(
    ext_modules=[extension(build) for build in BUILDS],
    cmdclass={"build_ext": BuildLibraries, "bdist_wheel": Wheel},
)
