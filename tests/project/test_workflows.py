"""The workflows of .github/workflows only call scripts of .ci, which everybody can run. The files beside a release."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers.places import ROOT

pytestmark = pytest.mark.checkout("workflows")
SCRIPTS = ROOT / ".ci"
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
ADDRESS = "https://example.org/owner/name"


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda each: each.stem)
def test_a_workflow_only_calls_scripts(path: Path) -> None:
    for words in re.findall(r"^ *-? *run: (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE):
        called = [word for word in words.split() if word.startswith(".ci/")]
        assert words.startswith(".ci/"), words
        assert all(os.access(ROOT / name, os.X_OK) for name in called), words


def test_each_script_is_used_or_described() -> None:
    """A step that a workflow does not run stands in docs/releasing.md."""
    text = "".join(path.read_text(encoding="utf-8") for path in [*WORKFLOWS, ROOT / "docs" / "releasing.md"])
    assert [path.name for path in SCRIPTS.iterdir() if f".ci/{path.name}" not in text] == []


def test_the_readme_runs_on_each_python_of_the_classifiers() -> None:
    declared = re.findall(r"Python :: (3\.\d+)", (ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    listed = re.search(r"python: \[(.*)\]", (ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8"))
    assert listed is not None
    assert set(declared) <= set(re.findall(r"3\.\d+", listed[1]))


def test_the_notes_of_a_release_are_its_part_of_the_changelog(tmp_path: Path) -> None:
    (tmp_path / ".ci").mkdir()
    shutil.copy(SCRIPTS / "release-page", tmp_path / ".ci")
    text = (
        "# Changelog\n\n## [Unreleased]\n\n- new\n\n## [1.0.1] - 2030-01-01\n\n- mended\n\n## [1.0.0] - 2029\n\n- old\n"
    )
    (tmp_path / "CHANGELOG.md").write_text(text, encoding="utf-8")

    def notes(tag: str) -> subprocess.CompletedProcess[str]:
        command = [str(tmp_path / ".ci" / "release-page"), "--notes"]
        return subprocess.run(command, env={**os.environ, "TAG": tag}, capture_output=True, text=True, check=False)

    assert [notes(tag).stdout.strip() for tag in ("v1.0.1", "v1.0.0")] == ["- mended", "- old"]
    assert notes("v1.0").returncode == 1


def test_an_address_is_written_where_it_is_needed(tmp_path: Path) -> None:
    """A second address replaces the first one."""
    tomllib = pytest.importorskip("tomllib", reason="Python 3.10 cannot read TOML")
    for name in ("pyproject.toml", "CITATION.cff", ".ci/address", ".github/ISSUE_TEMPLATE/config.yml"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    for address in ("https://example.org/other", ADDRESS):
        subprocess.run([sys.executable, str(tmp_path / ".ci" / "address"), address], check=True)
    project = tomllib.loads((tmp_path / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert {project["urls"][name] for name in ("Homepage", "Source")} == {ADDRESS}
    assert project["scripts"]
    for name in ("CITATION.cff", ".github/ISSUE_TEMPLATE/config.yml"):
        text = (tmp_path / name).read_text(encoding="utf-8")
        assert ADDRESS in text
        assert "other" not in text
