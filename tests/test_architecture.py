"""docs/architecture.md states what is so: its tables of the layers and of the packages, its paths."""

from __future__ import annotations

import re

import pytest

from tests.pages import ROOT
from tests.test_layers import MODULES, imported

PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
LAYERS, BETWEEN = PAGE.partition("## Where a rule")[0].split("Between the packages")
PICTURE = [re.findall(r"`([\w.]+)`", names) for names in re.findall(r"^\| (`acl.*?) \|", LAYERS, re.MULTILINE)]
PACKAGES = sorted({name for name, path in MODULES.items() if path.name == "__init__.py"})


def package(name: str) -> str:
    """The package of a module."""
    return name if name in PACKAGES else name.rpartition(".")[0]


def part(name: str) -> set[str]:
    """The modules that a name of the picture stands for."""
    return {each for each in MODULES if each == name or (name in PACKAGES and each.startswith(f"{name}."))}


def test_the_picture_has_every_package() -> None:
    assert {name for line in PICTURE for name in line} <= set(MODULES)
    assert {package(name) for line in PICTURE for name in line} == set(PACKAGES)


@pytest.mark.parametrize("number", range(len(PICTURE)))
def test_a_line_of_the_picture_imports_nothing_above_it(number: int) -> None:
    above = {module for line in PICTURE[:number] for name in line for module in part(name)}
    for module in (each for name in PICTURE[number] for each in part(name)):
        assert not imported(MODULES[module]) & above, module


def test_the_table_tells_which_package_imports_which() -> None:
    told = {
        name: set(re.findall(r"`([\w.]+)`", others))
        for name, others in re.findall(r"^\| `(acl[\w.]*)` \| (.*) \|$", BETWEEN, re.MULTILINE)
    }
    found: dict[str, set[str]] = {name: set() for name in PACKAGES}
    for name, path in MODULES.items():
        found[package(name)] |= {package(other) for other in imported(path)} - {package(name)}
    assert told == found


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
