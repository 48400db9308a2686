"""docs/cpp.md: its programs and build files are written out, its commands run, and they print what the page shows."""

import os
import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from acl_runtime.machine import installation
from acl_runtime.machine.options import Options
from aclnn.toolkit import process
from aclnn.toolkit.functions import functions
from aclnn.toolkit.headers import headers
from aclnn.toolkit.layout import libpython
from tests.test_docs import ROOT

PAGE = (ROOT / "docs" / "cpp.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"`([\w./]+)`[^`]*:\n\n```(?:cpp|cmake)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))
SECTIONS = dict(re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))
RUN = re.compile(r"^```sh\n(.*?)^```\n(?:\n```text\n(.*?)^```$)?", re.MULTILINE | re.DOTALL)
GTEST = "#include <gtest/gtest.h>\nint main() {}\n"
WITH_PROGRAM = "g++ -g host.cpp -o host -I$ASCEND_HOME_PATH/include -L$ASCEND_HOME_PATH/lib64 -lascendcl\n"


def missing(script: str) -> str:
    """What a script needs and this computer has not."""
    tools = [name for name in ("g++", "cmake", "ctest", "addr2line") if f"{name} " in script or name == "addr2line"]
    absent = [name for name in tools if shutil.which(name) is None]
    if not absent and "-S tests" in script:
        done = subprocess.run(["g++", "-x", "c++", "-fsyntax-only", "-"], input=GTEST, text=True,
                              capture_output=True, check=False)  # fmt: skip
        absent += ["gtest"] if done.returncode else []
    if not libpython():
        absent.append(f"the shared library of {sys.executable}")
    return ", ".join(absent)


@pytest.mark.parametrize("title", [title for title, text in SECTIONS.items() if "```sh" in text])
def test_a_section_prints_what_it_shows(title: str, toolkit: Path, tmp_path: Path) -> None:
    check(RUN.findall(SECTIONS[title]), toolkit, tmp_path)


def test_the_block_of_the_readme_runs_the_first_program(toolkit: Path, tmp_path: Path) -> None:
    ((_, shown), *_) = RUN.findall(SECTIONS["Plain g++"])
    (script,) = re.findall(r"^```sh\n(aclnn toolkit .*?)^```$", README, re.MULTILINE | re.DOTALL)
    check([(script, shown)], toolkit, tmp_path)


def check(runs: list[tuple[str, str]], toolkit: Path, tmp_path: Path) -> None:
    """Run scripts in a folder with the page's files; what a script prints has the lines that are shown."""
    if lacking := missing("".join(script for script, _ in runs)):
        pytest.skip(f"not here: {lacking}")
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    command = tmp_path / "bin" / "aclnn"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m aclnn "$@"\n', encoding="utf-8")
    command.chmod(command.stat().st_mode | stat.S_IXUSR)
    if "aclnn toolkit tk" not in runs[0][0]:
        (tmp_path / "tk").symlink_to(toolkit)
    environment = {"PATH": f"{command.parent}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT), "HOME": str(tmp_path)}
    for script, shown in runs:
        before = '[ ! -e tk ] || . "$PWD/tk/set_env.sh"\n'
        if "./host" in script and not (tmp_path / "host").exists() and "-o host" not in script:
            before += WITH_PROGRAM
        done = subprocess.run(
            ["bash", "-euc", before + script], cwd=tmp_path, env=environment, text=True, check=False,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout
        lines = done.stdout.replace(f"{tmp_path}/", "").splitlines()
        for line in shown.splitlines():
            assert line in lines, f"{line}\n{done.stdout}"


def test_every_block_belongs_to_a_file_or_is_run() -> None:
    assert PAGE.count("```cpp\n") + PAGE.count("```cmake\n") == len(FILES) == 6
    assert PAGE.count("```sh\n") == sum(len(RUN.findall(text)) for text in SECTIONS.values())
    assert PAGE.count("```text\n") == sum(bool(shown) for text in SECTIONS.values() for _, shown in RUN.findall(text))


def test_every_variable_is_in_the_table() -> None:
    rows = set(re.findall(r"^\| `(\w+)` \|", SECTIONS["Environment variables"], re.MULTILINE))
    named = [*vars(process).values(), *vars(installation).values()]
    own = {value for value in named if isinstance(value, str) and value.startswith("ACL_EMULATOR_")}
    assert own >= {"ACL_EMULATOR_FAULTS", "ACL_EMULATOR_REPORT"}
    bridge = (ROOT / "aclnn" / "toolkit" / "bridge.c").read_text(encoding="utf-8")
    own |= set(re.findall(r"\"(ACL_EMULATOR_\w+)\"", bridge))
    assert rows == {f"ACL_EMULATOR_{name.upper()}" for name in Options.__dataclass_fields__} | own | {
        "ASCEND_RT_VISIBLE_DEVICES"
    }


def test_every_function_of_the_header_for_tests_is_in_the_table() -> None:
    rows = set(re.findall(r"^\| `(\w+)\(", SECTIONS["gtest"], re.MULTILINE))
    assert rows == set(re.findall(r"(\w+)\(.*\);$", headers(functions())["aclnn_emulator.h"], re.MULTILINE))
