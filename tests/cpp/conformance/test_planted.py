"""The kit against the libraries of the toolkit: every answer agrees, and every planted difference is found."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import aclnn
from acl_runtime.objects.soc import Series
from aclnn.tools.conformance import compare, kit
from tests.conformance import operators
from tests.conformance.__main__ import calls
from tests.cpp.conformance.planted import FIRST, WAYS, drawn, source
from tests.cpp.conftest import ROOT, compiled
from tests.derived.good import subject
from tests.derived.judging import names
from tests.helpers.patience import PATIENCE

SEED = 20
PLANTED = 20
RUNTIME = ["aclrtMalloc", "aclrtMemcpy", "aclrtSynchronizeStream", "aclrtCreateEvent", "aclFinalize", "aclrtGetDevice"]


@pytest.fixture(scope="module")
def planted() -> dict[str, str]:
    """Functions of which one call is launched and another one refused, with the ways in which they shall differ."""
    return drawn(fitting(), PLANTED, SEED)


def fitting() -> list[str]:
    """Functions of the toolkit's chip of which one call is launched, and another one has a null."""
    found: list[str] = []
    for name in (name for name in names()[::9] if subject(name).soc.series is Series.A2):
        made = list(operators.calls(name))
        if made[0].get("launch") and any("is null" in call["id"] for call in made):
            found.append(name)
    return found


@pytest.fixture(scope="module")
def recorded(planted: dict[str, str], toolkit: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A kit and its report of the toolkit's own library."""
    folder = tmp_path_factory.mktemp("recorded")
    others = [name for name in names()[::50] if name not in planted]
    kit.write(folder / "kit.pyz", list(calls([*RUNTIME, *others, *planted])))
    record([sys.executable, str(folder / "kit.pyz")], folder / "report.json", toolkit / "lib64")
    return folder / "report.json"


def record(command: list[str], to: Path, libraries: Path) -> dict[str, Any]:
    """The command that a person runs beside a device."""
    words = ["record", "-o", str(to), "--libraries", str(libraries), "--patience", str(PATIENCE)]
    subprocess.run([*command, *words], check=True, capture_output=True, timeout=PATIENCE, cwd=to.parent)
    return json.loads(to.read_text(encoding="utf-8"))


def test_the_emulator_agrees_with_itself(recorded: Path, toolkit: Path) -> None:
    """By the command, in another process, a second time."""
    words = ["conformance", "compare", str(recorded), "--libraries", str(toolkit / "lib64"), "--json"]
    ran = subprocess.run([sys.executable, "-m", "aclnn", *words], capture_output=True, text=True, cwd=ROOT, check=False)
    functions = json.loads(ran.stdout)["functions"]
    assert {name: each["differences"] for name, each in functions.items() if each["differences"]} == {}
    assert ran.returncode == 0
    assert sum(each["agree"] for each in functions.values()) == len(compare.load(recorded)["calls"]) > 250


def test_each_planted_difference_is_found_and_named(
    planted: dict[str, str], recorded: Path, toolkit: Path, cpp: list[str], tmp_path: Path
) -> None:
    """No other function differs."""
    declared = {name: getattr(aclnn, name).c for each in planted for name in (each, f"{each}{FIRST}")}
    path = tmp_path / "planted.cpp"
    path.write_text(source(planted, {name: (c.header, c.prototype) for name, c in declared.items()}), encoding="utf-8")
    flags = ("-std=c++17", "-shared", "-fPIC", "-Wl,--no-as-needed", f"-Wl,-rpath,{toolkit}/lib64")
    ran = compiled(cpp, path, toolkit, tmp_path / "libascendcl.so", *flags, libraries="-ldl")
    assert ran.returncode == 0, ran.stderr
    theirs = record([sys.executable, str(recorded.with_name("kit.pyz"))], tmp_path / "report.json", tmp_path)
    found = {each.name: each.differences for each in compare.compare(theirs, compare.load(recorded))}
    assert {name for name, differences in found.items() if differences} == planted.keys()
    for name, way in planted.items():
        assert {each.what.split()[0] for _, each in found[name]} == {WAYS[way][2].split()[0]}, (name, way)
