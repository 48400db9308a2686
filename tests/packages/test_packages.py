"""Wheel and sdist: made in a fresh place as `python -m build` makes them, installed in empty environments outside the
project, used there as users use them.

The tests need the packages of `pip install '.[release]'`, and a package index, from which builds take setuptools."""

from __future__ import annotations

import json
import os
import platform
import posixpath
import re
import sys
import tarfile
from concurrent.futures import ThreadPoolExecutor
from email import message_from_string
from pathlib import Path
from typing import Final
from zipfile import ZipFile

import pytest

from acl_runtime.version import __version__
from aclnn.tools.toolkit.c_stubs import stubs
from aclnn.tools.toolkit.directory import libpython
from aclnn.tools.toolkit.exported_functions import declarations, exported
from aclnn.tools.toolkit.library import C_COMPILERS, NoCompiler, compiler, prebuilt
from tests.helpers import installation
from tests.helpers.installation import BUILT, STEM, Built, Installed, install, run
from tests.helpers.listing import assert_listed
from tests.helpers.places import ROOT

MADE: Final = {"PKG-INFO", "setup.cfg"}
"""files that setuptools adds to an sdist, beside a folder .egg-info"""
FIRST_TEST: Final = """\
from acl_runtime import ACL_MEM_MALLOC_HUGE_FIRST, aclrtMalloc, aclrtSetDevice
from ctypes import byref, c_void_p

def test_forgets_to_free(machine):
    pointer = c_void_p()
    assert aclrtSetDevice(0) == 0
    assert aclrtMalloc(byref(pointer), 64, ACL_MEM_MALLOC_HUGE_FIRST) == 0
"""
HOST: Final = """\
#include "acl/acl.h"

int main(void)
{
    void *pointer;
    return aclrtSetDevice(0) || aclrtMalloc(&pointer, 64, ACL_MEM_MALLOC_HUGE_FIRST);
}
"""
OWN: Final = """\
import numpy as np

from aclnn.op import FLOATS, Op, Products, Series, TensorIn, TensorOut, elementwise, listed, same_shape


class Twice(Op):
    header = "aclnnop/aclnn_twice.h"
    series = (Series.A2, Series.A3)
    elsewhere = Products.NOTICED_BY_PLAN

    self = TensorIn(FLOATS, doc="input")
    out = TensorOut(FLOATS, shape="as self", doc="result")


@elementwise(Twice, listed("self"), same_shape("out", as_="self"))
def twice(self):
    return np.float32(2) * self


aclnnTwiceGetWorkspaceSize, aclnnTwice = twice.pairs["aclnnTwice"]
"""


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """Built here, or by `python -m tests.installed`."""
    if place := os.environ.get(BUILT):
        return installation.built(Path(place))
    if not installation.is_git():
        pytest.skip(f"{ROOT} is no git checkout: the files of the project are not known")
    return installation.build(tmp_path_factory.mktemp("builds"))


@pytest.fixture(scope="session")
def sources(built: Built) -> set[str]:
    """The files of the project."""
    return built.sources


REQUIRED: Final = ("numpy", "ml_dtypes")
FOR_TESTS: Final = ("pytest", "pytest-xdist", "pluggy", "iniconfig", "packaging", "pygments", "execnet")


@pytest.fixture(scope="session")
def installations(built: Built, tmp_path_factory: pytest.TempPathFactory) -> list[Installed]:
    """Installed from the wheel alone, and from the sdist with the packages for tests. Both at the same time, as each
    takes a core for seconds."""
    places = (tmp_path_factory.mktemp("wheel"), tmp_path_factory.mktemp("sdist"))
    with ThreadPoolExecutor(2) as both:
        wanted = (str(built.wheel), f"{built.sdist}[test]")
        return list(both.map(install, wanted, places, (REQUIRED, (*REQUIRED, *FOR_TESTS))))


@pytest.fixture
def wheel(installations: list[Installed]) -> Installed:
    return installations[0]


@pytest.fixture
def sdist(installations: list[Installed]) -> Installed:
    return installations[1]


def test_the_build_warns_of_nothing(built: Built) -> None:
    warnings = re.findall(r"^.*(?:warning|deprecat).*$", built.said, re.MULTILINE | re.IGNORECASE)
    assert {line for line in warnings if "no previously-included files matching '*." not in line} == set()


EVALUATOR: Final = "aclnn/engine/fast/native/c/"
TOOLKIT: Final = "aclnn/tools/toolkit/compiled/"


def compiled() -> set[str]:
    """The libraries that a wheel has: that of the toolkit, and one for each build of the evaluator; none without a
    compiler."""
    try:
        compiler("CC", C_COMPILERS)
    except NoCompiler:
        return set()
    builds = ("plain", "avx2", "avx512") if platform.machine() == "x86_64" else ("plain",)
    evaluators = {f"{EVALUATOR}evaluator_{build}.so" for build in builds}
    return evaluators | {TOOLKIT + prebuilt(stubs(exported(declarations()))).name}


def test_the_tag_of_the_wheel_names_no_version_of_python(built: Built) -> None:
    """The compiled libraries are no extension modules; without them the wheel is for any platform."""
    system = f"linux_{platform.machine()}" if compiled() else "any"
    assert built.wheel.name == f"{STEM}-py3-none-{system}.whl"


def test_the_wheel_computes_with_the_evaluator(wheel: Installed) -> None:
    doctor = json.loads(wheel.run("aclnn", "doctor", "--json"))
    (found,) = (row["found"] for row in doctor["installed"] if row["name"] == "evaluator")
    assert (found is not None) == bool(compiled())
    assert not found or str(wheel.bin.parent) in found


def test_the_wheel_holds_the_packages_and_nothing_else(built: Built, sources: set[str]) -> None:
    packages = {name for name in sources if name.startswith(("acl_runtime/", "aclnn/"))}
    packages -= {name for name in packages if name.startswith(EVALUATOR)}
    packages |= compiled()
    samples = {f"aclnn/{name}" for name in sources if re.fullmatch(r"samples/\w+\.py", name)}
    assert {
        "acl_runtime/py.typed",
        "aclnn/py.typed",
        "aclnn/__init__.pyi",
        "aclnn/tools/toolkit/bridge.c",
        "aclnn/tools/toolkit/bridge.h",
        "aclnn/tools/toolkit/descriptors.c",
        "aclnn/tools/toolkit/events.c",
        "aclnn/tools/toolkit/first_phases.c",
        "aclnn/tools/toolkit/joins.c",
        "aclnn/tools/toolkit/walk.c",
        "aclnn/tools/toolkit/templates/acl_emulator_types.h",
        "aclnn/tools/toolkit/templates/set_env.sh",
    } <= packages
    pages = {f"aclnn/{name}" for name in sources if re.fullmatch(r"docs/.*\.(md|svg)", name)}
    about = {"METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE", "top_level.txt"}
    with ZipFile(built.wheel) as file:
        needed = {*packages, *samples, *pages, *(f"{STEM}.dist-info/{name}" for name in about)}
        assert_listed("pyproject.toml, packages and package-data", file.namelist(), needed)


def test_the_sdist_holds_the_whole_project(built: Built, sources: set[str]) -> None:
    with tarfile.open(built.sdist) as file:
        names = {each.name.removeprefix(f"{STEM}/") for each in file.getmembers() if each.isfile()}
    files = {name for name in names - MADE if not name.startswith("aclnn_emulator.egg-info/")}
    assert_listed("MANIFEST.in", files, sources)


def test_the_metadata(built: Built) -> None:
    with ZipFile(built.wheel) as file:
        about = message_from_string(file.read(f"{STEM}.dist-info/METADATA").decode())
    assert about["Version"] == __version__
    assert about["License-Expression"] == "Apache-2.0"
    assert about["Description-Content-Type"] == "text/markdown"
    needed = [each for each in about.get_all("Requires-Dist", []) if "extra ==" not in each]
    assert needed == ["numpy>=2", "ml_dtypes>=0.5"]


def test_the_description_leads_nowhere_outside_the_package(built: Built, wheel: Installed) -> None:
    """README.md links to files of the project; in the metadata there are commands in their place."""
    with ZipFile(built.wheel) as file:
        about = message_from_string(file.read(f"{STEM}.dist-info/METADATA").decode())
    text = str(about.get_payload())
    assert "](" not in re.sub(r"\]\(https://", "", text)
    pages = set(re.findall(r"aclnn docs ([\w/-]+)", text))
    assert {"cpp", "testing", "families/index"} <= pages
    for page in pages:
        wheel.run("aclnn", "docs", page)


def test_the_pages_link_only_to_files_of_the_wheel(built: Built) -> None:
    """Pages of the project also link to files that a wheel does not have; there the link is a plain name."""
    with ZipFile(built.wheel) as file:
        names = set(file.namelist())
        pages = {name: file.read(name).decode() for name in names if re.fullmatch(r"aclnn/docs/.*\.md", name)}
    links = {
        (name, posixpath.normpath(posixpath.join(posixpath.dirname(name), link)))
        for name, text in pages.items()
        for link in re.findall(r"\]\((?!https?:)([^)#\s]+)", text)
    }
    assert ("aclnn/docs/timeline.md", "aclnn/samples/streams_and_events.py") in links
    names |= {posixpath.dirname(name) for name in names}
    assert not {(name, link) for name, link in links if link not in names}
    assert "`samples/findings/mem_leaked.py`" in pages["aclnn/docs/findings/mem-leaked.md"]


def test_messages_lead_to_pages_that_the_wheel_has(wheel: Installed) -> None:
    """A message names no file of the project, which the user may not have."""
    program = """
from pathlib import Path
import re, aclnn, acl_runtime
from aclnn.tools.command.docs import page
from acl_runtime.checks.catalogue import CHECKS
for package in (acl_runtime, aclnn):
    for file in Path(package.__file__).parent.rglob("*.py"):
        for name in re.findall(r"`?aclnn docs ([a-z][\\w/-]+)`?[ .):]", file.read_text(encoding="utf-8")):
            print(name)
            page(name)
for each in CHECKS:
    page(f"findings/{each}")
"""
    assert "my-operator-is-missing" in wheel.run("python", "-c", program).split()
    assert wheel.run("aclnn", "docs", "testing").startswith("# ")
    assert str(wheel.bin.parent) in wheel.run("aclnn", "docs")


def test_the_samples_run_from_the_wheel(wheel: Installed, sources: set[str]) -> None:
    said = wheel.run("aclnn", "samples")
    ran = set(re.findall(r"^== (\w+)$", said, re.MULTILINE))
    assert ran == {Path(name).stem for name in sources if re.fullmatch(r"samples/[a-z]\w+\.py", name)}
    assert said.endswith("all samples ran\n")


def test_nothing_is_missing_from_the_wheel(wheel: Installed) -> None:
    run(sys.executable, "-m", "pip", "--python", wheel.bin / "python", "check", cwd=wheel.folder)
    assert wheel.run("aclnn", "--version") == f"aclnn-emulator {__version__}\n"
    doctor = json.loads(wheel.run("aclnn", "doctor", "--json"))
    assert (doctor["works"], doctor["version"]) == (True, __version__)
    (ours,) = (row["found"] for row in doctor["installed"] if row["name"] == "aclnn-emulator")
    assert ours.startswith(f"{__version__}, {wheel.bin.parent}"), "not what pip installed there"


def test_modules_of_the_wheel_import(wheel: Installed) -> None:
    """Except the modules for pytest, which is not installed. No module imports a package that is not required."""
    program = """
from importlib import import_module
from pkgutil import walk_packages
import acl_runtime, aclnn
for package in (acl_runtime, aclnn):
    for each in walk_packages(package.__path__, f"{package.__name__}."):
        if not each.name.endswith("__main__"):
            try:
                import_module(each.name)
            except ModuleNotFoundError as error:
                print(each.name, error.name)
"""
    missing = dict(line.split() for line in wheel.run("python", "-c", program).splitlines())
    assert missing == dict.fromkeys(
        (
            "acl_runtime.pytest_plugin",
            "acl_runtime.testing.pytest_options",
            "acl_runtime.testing.fixture",
            "acl_runtime.testing.results",
        ),
        "pytest",
    )


def test_a_toolkit_is_written_by_the_wheel_without_a_compiler(wheel: Installed) -> None:
    """A C program is compiled here, and runs without one, too."""
    try:
        command = compiler("CC", C_COMPILERS)
    except NoCompiler as error:
        pytest.skip(str(error))
    alone = {"CC": "", "PATH": str(wheel.bin)}
    wheel.run("aclnn", "toolkit", "tk", **alone)
    rows = json.loads(wheel.run("aclnn", "doctor", "--json", **alone))["installed"]
    assert {row["name"]: row["found"] is not None for row in rows}["C library"]
    (wheel.folder / "host.c").write_text(HOST, encoding="utf-8")
    link = ("-Itk/include", "-Ltk/lib64", "-lascendcl", "-Wl,-rpath,$ORIGIN/tk/lib64")
    run(*command, "-o", "host", "host.c", *link, cwd=wheel.folder)
    if libpython():
        assert "mem-leaked" in run("./host", cwd=wheel.folder, **alone)


def test_operators_of_the_user_need_a_compiler(wheel: Installed) -> None:
    """The library of the wheel does not have them. The message comes before anything is written."""
    (wheel.folder / "own.py").write_text(OWN, encoding="utf-8")
    said = wheel.run("aclnn", "toolkit", "own_tk", "--with", "own", status=1, CC="", PATH=str(wheel.bin))
    assert "no C compiler" in said
    assert not (wheel.folder / "own_tk").exists()


def test_the_libraries_name_no_folder_of_the_build(built: Built) -> None:
    with ZipFile(built.wheel) as file:
        for name in compiled():
            assert sys.base_prefix.encode() not in file.read(name), name


def test_pip_compiles_the_libraries_from_the_sdist(sdist: Installed) -> None:
    """pip keeps the packages of a build elsewhere than `python -m build` does."""
    rows = json.loads(sdist.run("aclnn", "doctor", "--json"))["installed"]
    found = {row["name"]: row["found"] is not None for row in rows}
    assert (found["evaluator"], found["C library"]) == (bool(compiled()), bool(compiled()))


def test_a_sample_runs_from_the_sdist(sdist: Installed) -> None:
    assert sdist.run("aclnn", "samples", "aclnn_softmax_backward").endswith("aclnn_softmax_backward ran\n")


def test_the_pytest_plugin_is_there_when_pytest_is(sdist: Installed) -> None:
    (sdist.folder / "test_first.py").write_text(FIRST_TEST, encoding="utf-8")
    said = sdist.run("python", "-m", "pytest", "-p", "no:cacheprovider", status=1)
    assert "mem-leaked" in said
    assert "test_first.py" in said
