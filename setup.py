"""Where there is a C compiler, compiles the evaluator (aclnn/engine/fast/native/c) and, for a wheel, the library of
`aclnn toolkit`. All else is in pyproject.toml.

They are no extension modules of Python, but plain libraries, so their names and the wheel's tag name no version of
Python. One source of the evaluator becomes one library for each set of instructions; the program chooses one when it
starts. A wheel has all of them. An editable install is for this machine, so it compiles only the best one for this
processor; ACLNN_BUILDS=all compiles all. Where compiling fails the package is installed without them: numpy computes,
and `aclnn toolkit` compiles its library itself. The toolkit's library is made from the declarations of the package, so
the build imports the package.
"""

import os
import platform
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from setuptools import Extension, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py

FOLDER = Path("aclnn/engine/fast/native/c")
DOCS = Path("docs")
MADE = ("project", "reference", "sources")
"""folders of pages that exist only while the site is made"""
LINK = re.compile(r"\[([^]\[]+)\]\((?!https?:)([^)]+)\)")
"""a link within the project, with its text and its path"""
TOOLKIT = Path("aclnn/tools/toolkit/compiled")
FLAGS = [
    "-std=c11", "-O3", "-g0", "-fwrapv", "-fno-strict-aliasing", "-fno-math-errno", "-fno-trapping-math",
    "-ffp-contract=off", "-pthread",
]  # fmt: skip
"""-fwrapv: integers wrap. -ffp-contract=off: no product is fused with a sum, so that all builds give the same bits"""
BUILDS = {"plain": []}
"""the builds with their further flags, the best one last; evaluator_best in sweep.c has the same rule"""
NEEDS = {"avx2": {"avx2"}, "avx512": {"avx512f", "avx512bw", "avx512dq", "avx512vl"}}
"""the features of a processor that a build needs, as /proc/cpuinfo names them"""
ALL = "ACLNN_BUILDS"
if platform.machine().lower() in ("x86_64", "amd64"):
    BUILDS["avx2"] = ["-mavx2", "-mf16c"]
    BUILDS["avx512"] = [f"-mavx512{part}" for part in ("f", "bw", "dq", "vl")] + ["-mf16c", "-mprefer-vector-width=512"]


def of_this_processor() -> str:
    """The best build for this processor; the plain one where its features are not known."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return "plain"
    features = {word for line in text.splitlines() if line.startswith("flags") for word in line.split()}
    return [build for build in BUILDS if NEEDS.get(build, set()) <= features][-1]


def description() -> str:
    """README.md for who has only the package: a link to a page or a sample becomes the command that prints or runs it.
    A link to anything else in the project becomes its text."""

    def instead(link: re.Match[str]) -> str:
        text, path = link[1], link[2].partition("#")[0]
        if found := re.fullmatch(r"docs/(.+)\.md", path):
            command = f"`aclnn docs {found[1]}`"
        elif found := re.fullmatch(r"samples(?:/(\w+)\.py)?", path):
            command = f"`aclnn samples {found[1] or '--list'}`"
        else:
            return text
        return command if text == path else f"{text} ({command})"

    text = Path("README.md").read_text(encoding="utf-8")
    text = re.sub(r"^(?:English \| |!\[).*\n+", "", text, flags=re.MULTILINE)  # the other language, the picture
    text = re.sub(r"<!--.*?-->\n*", "", text)
    return LINK.sub(instead, text)


class BuildLibraries(build_ext):
    """Compiles each build, with the compiler's own flags in place of those for extension modules."""

    def run(self) -> None:
        wheel = not self.editable_mode and not self.inplace
        if not wheel and os.environ.get(ALL) != "all":
            best = f"evaluator_{of_this_processor()}"
            self.extensions = [each for each in self.extensions if each.name.endswith(best)]
            for other in set(FOLDER.glob("*.so")) - {FOLDER / f"{best}.so"}:
                other.unlink()  # of an earlier install: it may be older than the sources
        super().run()
        if wheel:
            self.toolkit()

    def toolkit(self) -> None:
        """Compile the library of the toolkit in a process of its own, as it imports the package."""
        into = Path(self.build_lib, TOOLKIT).absolute()
        into.mkdir(parents=True, exist_ok=True)
        places = [os.getcwd(), *filter(None, sys.path)]  # pip has the packages of a build in folders of its own
        done = subprocess.run(
            [sys.executable, "-m", "aclnn.tools.toolkit.library", into], check=False, capture_output=True,
            encoding="utf-8", env={**os.environ, "PYTHONPATH": os.pathsep.join(places)},
        )  # fmt: skip
        if done.returncode:
            print(f"the library of the toolkit is left out: {done.stderr.strip()}", file=sys.stderr)

    def get_ext_filename(self, fullname: str) -> str:
        return os.path.join(*fullname.split(".")) + ".so"

    def get_export_symbols(self, ext: Extension) -> list[str]:
        return []

    def build_extension(self, ext: Extension) -> None:
        # without the folders of the Python that builds: the libraries do not link with it
        self.compiler.linker_so = [
            each for each in self.compiler.linker_so if not each.startswith(("-L", "-Wl,-rpath"))
        ]
        shared, compile_files = self.build_temp, self.compiler.compile
        self.build_temp = os.path.join(shared, ext.name)  # the object files of the builds have the same names

        def compile_at_once(sources: list[str], *args: Any, **options: Any) -> list[str]:
            """The compiler takes one file after the other; here each core has one."""
            with ThreadPoolExecutor(os.cpu_count()) as pool:
                each = pool.map(lambda source: compile_files([source], *args, **options), sources)
                return [made for objects in each for made in objects]

        self.compiler.compile = compile_at_once
        try:
            super().build_extension(ext)
        finally:
            self.build_temp, self.compiler.compile = shared, compile_files


def packed(page: Path) -> str:
    """A page as the package has it. Beside the pages are only the samples of one file, so a link to anything else
    in the project becomes its text and the path."""

    def instead(link: re.Match[str]) -> str:
        text, path = link[1], os.path.normpath(page.parent / link[2].partition("#")[0])
        if re.fullmatch(r"docs/(?:[\w/-]+(?:\.md|\.svg)?)|samples/\w+\.py", path):
            return link[0]
        return f"`{path}`" if path.endswith(text.strip("`")) else f"{text} (`{path}`)"

    return LINK.sub(instead, page.read_text(encoding="utf-8"))


class BuildPages(build_py):
    """Adds the pages of the documentation, which `aclnn docs` prints. They are no package: the folder has the
    configuration of the site, too."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            for page in sorted(each for kind in ("*.md", "*.svg") for each in DOCS.rglob(kind)):
                if page.parts[1] not in MADE:
                    to = Path(self.build_lib, "aclnn", page)
                    to.parent.mkdir(parents=True, exist_ok=True)
                    if page.suffix == ".md":
                        to.write_text(packed(page), encoding="utf-8")
                    else:
                        self.copy_file(str(page), str(to))


class Wheel(bdist_wheel):
    """A wheel for any Python 3 on this platform; for any platform if nothing was compiled."""

    def get_tag(self) -> tuple[str, str, str]:
        compiled = any(Path(self.bdist_dir or ".").rglob("*.so"))
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
    long_description=description(),
    long_description_content_type="text/markdown",
    ext_modules=[extension(build) for build in BUILDS],
    cmdclass={"build_py": BuildPages, "build_ext": BuildLibraries, "bdist_wheel": Wheel},
)
