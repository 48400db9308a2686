"""docs/cpp.md: its programs and build files are written, its commands are run, and their output is that on the page."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from acl_runtime.checks import findings
from acl_runtime.machine import installation
from acl_runtime.objects.options import FINDINGS, Options
from aclnn.engine.fast.native.library import BUILD_VARIABLE
from aclnn.tools.toolkit import session as process
from aclnn.tools.toolkit.directory import libpython
from aclnn.tools.toolkit.exported_functions import declarations
from aclnn.tools.toolkit.headers import headers
from aclnn.tools.toolkit.template import filled
from tests.helpers.doc_blocks import KERNELS, MISSING, Block, blocks
from tests.helpers.doc_reader import Reader, assert_printed
from tests.helpers.listing import assert_listed
from tests.helpers.places import ROOT

BLOCKS = [block for page in ("docs/cpp.md", "README.md") for block in blocks(ROOT / page)]
OF_THE_PAGE = [block for block in BLOCKS if block.page == "docs/cpp.md"]
SECTIONS = list(dict.fromkeys(block.section for block in OF_THE_PAGE if block.kind == "compiled"))
PAGE = (ROOT / "docs" / "cpp.md").read_text(encoding="utf-8")
TEXTS = dict(re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))
GTEST = "#include <gtest/gtest.h>\nint main() {}\n"
GIVEN = """
#include <vector>
int port(const aclTensor *gradOutput, const aclTensor *output, int64_t dim, void *workspaceAddr, aclrtStream stream)
{
    const aclrtMemMallocPolicy policy = ACL_MEM_MALLOC_HUGE_FIRST;
    std::vector<int64_t> shape = {4, 2}, strides = {2, 1};"""
"""the variables that the C lines of the port in the README use"""
WITH_PROGRAM = "g++ -g host.cpp -o host -I$ASCEND_HOME_PATH/include -L$ASCEND_HOME_PATH/lib64 -lascendcl\n"


def missing(script: str) -> str:
    """The tools that a script needs and that this computer does not have."""
    tools = [name for name in ("g++", "cmake", "ctest", "addr2line") if f"{name} " in script or name == "addr2line"]
    absent = [name for name in tools if shutil.which(name) is None]
    if not absent and "-S tests" in script:
        done = subprocess.run(["g++", "-x", "c++", "-fsyntax-only", "-"], input=GTEST, text=True,
                              capture_output=True, check=False)  # fmt: skip
        absent += ["gtest"] if done.returncode else []
    if "ACL_EMULATOR_ALLOWANCES" in script and sys.version_info < (3, 11):
        absent.append("TOML for Python 3.10")
    if not libpython():
        absent.append(f"the shared library of {sys.executable}")
    return ", ".join(absent)


@pytest.mark.parametrize("section", SECTIONS)
def test_a_section_prints_what_it_shows(section: str, toolkit: Path, tmp_path: Path) -> None:
    check([block for block in OF_THE_PAGE if block.section == section], toolkit, tmp_path)


def test_the_block_of_the_readme_runs_the_first_program(toolkit: Path, tmp_path: Path) -> None:
    """It prints the output that the page shows."""
    (block,) = [block for block in BLOCKS if block.page == "README.md" and block.kind == "compiled"]
    shown = next(block for block in OF_THE_PAGE if block.kind == "output")
    check([block, shown], toolkit, tmp_path)


def test_the_port_of_the_readme_compiles(toolkit: Path, tmp_path: Path) -> None:
    """The C column of the port, with the variables that it uses."""
    (block,) = [block for block in BLOCKS if block.kind == "port"]
    includes = [line for line in block.code.splitlines() if line.startswith("#include")]
    rest = "\n".join(line for line in block.code.splitlines() if line not in includes)
    source = tmp_path / "port.cpp"
    source.write_text("\n".join([*includes, GIVEN, rest, "    return ret;\n}"]), encoding="utf-8")
    command = ["g++", "-std=c++17", "-Wall", "-Werror", "-fsyntax-only", f"-I{toolkit}/include", str(source)]
    done = subprocess.run(command, text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


def check(read: list[Block], toolkit: Path, tmp_path: Path) -> None:
    """Run commands in a folder with the files of the page. Their output has the lines of the page, in any order: stdout
    of a C program comes at its end, and its stderr at once."""
    if lacking := missing("".join(block.code for block in read if block.kind == "compiled")):
        pytest.skip(f"not here: {lacking}")
    reader = Reader(tmp_path)
    for block in OF_THE_PAGE:
        if block.kind == "file":
            reader.read(block)
    if not any("aclnn toolkit tk" in block.code for block in read):  # else it would write the one of all tests anew
        (tmp_path / "tk").symlink_to(toolkit)
    for block in read:
        if block.kind == "compiled":
            before = '[ ! -e tk ] || . "$PWD/tk/set_env.sh"\n'
            if "./host" in block.code and not (tmp_path / "host").exists() and "-o host" not in block.code:
                before += WITH_PROGRAM
            status, printed = reader.shell(before + block.code)
            assert status == 0, printed
            printed = printed.replace(f"{tmp_path}/", "")
        elif block.kind == "output":
            assert_printed(block.code, printed, in_order=False)


def test_the_page_of_a_missing_operator_gives_a_program_its_kernel(tmp_path: Path) -> None:
    """Both commands print the line that the page shows; the report at the end counts the call without a kernel."""
    read = blocks(ROOT / MISSING)
    at = next(at for at, block in enumerate(read) if block.kind == "compiled")
    if lacking := missing(f"g++ {read[at].code}"):
        pytest.skip(f"not here: {lacking}")
    reader = Reader(tmp_path)
    for block in read:
        if block.kind == "file":
            reader.read(block)
    status, printed = reader.shell(read[at].code)
    assert status == 0, printed
    assert_printed(read[at + 1].code, printed, in_order=True)
    assert "calls without a kernel (561003): aclnnFatreluMul 1x" in printed
    status, printed = reader.shell("aclnn run gate.cpp --with my_kernel")
    assert status != 0
    assert "--with my_kernel: there is no such module in" in printed
    assert str(tmp_path) in printed


def test_the_page_of_kernels_builds_its_program(toolkit: Path, tmp_path: Path) -> None:
    read = blocks(ROOT / KERNELS)
    at = next(at for at, block in enumerate(read) if block.kind == "compiled")
    if lacking := missing(f"g++ {read[at].code}"):
        pytest.skip(f"not here: {lacking}")
    reader = Reader(tmp_path)
    for block in read:
        if block.kind == "file":
            reader.read(block)
    (tmp_path / "tk").symlink_to(toolkit)
    status, printed = reader.shell(read[at].code.removeprefix("aclnn toolkit tk\n"))
    assert status == 0, printed
    assert_printed(read[at + 1].code, printed, in_order=True)


def test_every_block_belongs_to_a_file_or_is_run() -> None:
    assert {block.kind for block in OF_THE_PAGE} == {"file", "compiled", "output"}
    assert [block.file for block in OF_THE_PAGE if block.kind == "file"] == [  # those that docs/cpp.md shows, in order
        "host.cpp", "existing/CMakeLists.txt", "package/CMakeLists.txt", "tests/npu_test.cpp", "tests/CMakeLists.txt",
        "dropped.cpp", "dereference.cpp", "allowed.toml",
    ]  # fmt: skip


def test_every_variable_is_in_the_table() -> None:
    rows = set(re.findall(r"^\| `(\w+)` \|", TEXTS["Environment variables"], re.MULTILINE))
    named = [*vars(process).values(), *vars(installation).values(), *vars(findings).values(), BUILD_VARIABLE, FINDINGS]
    own = {value for value in named if isinstance(value, str) and value.startswith("ACL_EMULATOR_")}
    assert own >= {"ACL_EMULATOR_FAULTS", "ACL_EMULATOR_REPORT"}
    bridge = (ROOT / "aclnn" / "tools" / "toolkit" / "bridge.c").read_text(encoding="utf-8")
    own |= set(re.findall(r"\"(ACL_EMULATOR_\w+)\"", bridge))
    own |= set(re.findall(r"ENV\{(ACL_EMULATOR_\w+)\}", filled("ascendc.cmake", CONFIGURATION="", LIBRARY="")))
    of_others = {"ASCEND_RT_VISIBLE_DEVICES", "TASK_QUEUE_ENABLE", "PYTORCH_NO_NPU_MEMORY_CACHING"}
    of_options = {f"ACL_EMULATOR_{name.upper()}" for name in Options.__dataclass_fields__ if name != "fast"}
    assert_listed('docs/cpp.md and docs/zh/cpp.md, "Environment variables"', rows, of_options | own | of_others)


def test_every_function_of_the_header_for_tests_is_in_the_table() -> None:
    rows = set(re.findall(r"^\| `(\w+)\(", TEXTS["gtest"], re.MULTILINE))
    declared = set(re.findall(r"(\w+)\(.*\);$", headers(declarations())["aclnn_emulator.h"], re.MULTILINE))
    assert_listed('docs/cpp.md and docs/zh/cpp.md, "gtest"', rows, declared)
