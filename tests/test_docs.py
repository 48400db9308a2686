"""The documentation: its code runs, its links lead somewhere, its tests exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from acl_runtime import Machine, aclrtSetDevice
from acl_runtime.machine.options import Options

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


TESTING = ROOT / "docs" / "testing.md"
"""its blocks are files of one project, which pytest runs"""
COMMAND = ROOT / "docs" / "command.md"
"""its block is a program, which tests/command/test_page.py runs"""


def blocks(language: str) -> list[tuple[str, str]]:
    """(where, code) of every block of a language."""
    return [
        (f"{page.name}-{number}", code)
        for page in PAGES
        for number, (found, code) in enumerate(FENCE.findall(page.read_text(encoding="utf-8")), 1)
        if found == language and page not in (TESTING, COMMAND)
    ]


@pytest.mark.parametrize("code", [pytest.param(code, id=where) for where, code in blocks("python")])
def test_every_python_block_runs(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # some write files
    names: dict[str, object] = {"__name__": "documentation"}
    if "with Machine" in code:
        exec(compile(code, "documentation", "exec"), names)
    else:
        with Machine():
            aclrtSetDevice(0)
            exec(compile(code, "documentation", "exec"), names)
    for name, value in list(names.items()):
        if name.startswith("test_") and callable(value):
            value()


def test_the_page_on_testing(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its files pass; with the mistake the test fails with the report that it shows. The first test has ten lines."""
    monkeypatch.delenv("ACL_EMULATOR_WINDOW", raising=False)  # it would be part of the command that repeats the test
    page = TESTING.read_text(encoding="utf-8")
    files = dict(re.findall(r"`(\w+\.py)`[^`]*:\n\n```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL))
    assert len(files) == page.count("```python")
    assert len(files["test_launcher.py"].splitlines()) == 10
    for name, code in files.items():
        (pytester.path / name).write_text(code, encoding="utf-8")
    plugin = ("-p", "acl_runtime.pytest_plugin")
    pytester.runpytest_inprocess(*plugin).assert_outcomes(passed=9)
    (diff,) = re.findall(r"^```diff\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    right, wrong = ("".join(line[1:] for line in diff.splitlines(True) if line[0] in marks) for marks in (" -", " +"))
    assert files["launcher.py"].count(right) == 1
    (pytester.path / "launcher.py").write_text(files["launcher.py"].replace(right, wrong), encoding="utf-8")
    monkeypatch.setenv("COLUMNS", "80")
    result = pytester.runpytest_inprocess(*plugin, "test_launcher.py")
    report = iter(result.stdout.str().replace(f"{pytester.path}/", "").splitlines())
    (shown,) = re.findall(r"^```text\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    for line in shown.splitlines():  # not all of the report's lines: some depend on the versions of Python and pytest
        assert line in report, f"{line}\n{result.stdout.str()}"


def test_every_link_leads_to_a_file() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text(encoding="utf-8")):
            if "://" not in target:
                assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_the_test_command_is_run_by_ci() -> None:
    """`.ci/run` takes the command from the README, the first line that ends with `pytest -n auto`."""
    commands = [
        line
        for line in (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
        if line.endswith("pytest -n auto")
    ]
    assert len(commands) == 1
    assert "grep -m1 'pytest -n auto$' README.md" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_every_option_of_a_machine_is_documented() -> None:
    page = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    for option in Options.__dataclass_fields__:
        assert f"| `{option}` |" in page


def names_of_tests(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")}


FIDELITY = (ROOT / "docs" / "fidelity.md").read_text(encoding="utf-8")


def test_every_test_that_the_fidelity_page_cites_exists() -> None:
    cited = set(re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", FIDELITY))
    for file in {file for file, _ in cited}:
        assert {test for where, test in cited if where == file} <= names_of_tests(ROOT / file), file


def test_every_row_of_the_fidelity_page_cites_a_test() -> None:
    for line in FIDELITY.splitlines():
        if line.startswith("|") and not line.startswith(("|---", "| what ", "| name ")):
            assert "`tests/" in line, line
