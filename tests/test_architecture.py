"""docs/architecture.md states what is so: its table of the rooms, its paths."""

from __future__ import annotations

import re

from tests.pages import ROOT
from tests.test_rooms import ROOMS

PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
SECTION = PAGE.partition("## Where does it go?")[0]


def test_the_table_has_the_rooms_in_their_order() -> None:
    table = [
        tuple(re.findall(r"`([\w.]+)`", names)) for names in re.findall(r"^\| (`acl.*?) \|", SECTION, re.MULTILINE)
    ]
    assert table == ROOMS


def test_the_picture_has_every_room() -> None:
    picture = SECTION.partition("```text")[2].partition("```")[0]
    named = {name.rpartition(".")[2] for row in ROOMS for name in row}
    left_out = {"on_demand", "version", "process", "render", "__main__", "acl_runtime", "aclnn"}
    assert named - left_out <= {word.removesuffix("/").removesuffix(".py") for word in picture.split()}


def test_every_path_is_there() -> None:
    paths = re.findall(r"`((?:acl_runtime|aclnn|tests|docs|samples|\.ci)/[\w./]*)`", PAGE)
    assert len(paths) > 50
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_every_folder_and_file_of_tests_is_there() -> None:
    """By its folder, or by its name."""
    tests = ROOT / "tests"
    folders = {f"tests/{path.parent.name}/" for path in tests.glob("*/__init__.py")}
    files = {f"tests/{path.name}" for path in tests.glob("test_*.py")}
    others = {"tests/test_benchmarks.py", "tests/test_pytest_plugin.py", "tests/test_sweep.py", "tests/test_testing.py"}
    assert {each for each in folders | files if f"`{each}`" not in PAGE} == others, "named for what they test"
