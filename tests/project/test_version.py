"""The version is written once, and shown everywhere; so is that of the tool that formats the sources."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Final

import pytest
from packaging.version import Version

import acl_runtime
import aclnn
from acl_runtime import Machine
from acl_runtime.version import PROJECT as NAME
from acl_runtime.version import __version__
from aclnn.__main__ import main
from aclnn.tools.command import doctor
from aclnn.tools.toolkit.directory import texts
from tests.helpers.places import PACKAGES, ROOT

PROJECT: Final = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
RELEASES: Final = re.findall(r"^## \[(.+?)\](.*)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
"""the headings of the changelog, newest first: name and date"""


def test_both_packages_have_it() -> None:
    assert acl_runtime.__version__ == aclnn.__version__ == __version__
    assert str(Version(__version__)) == __version__, "as PEP 440 writes it: no file name differs from it"
    assert "__version__" in dir(acl_runtime)
    assert "__version__" not in acl_runtime.__all__


def test_the_project_has_one_name() -> None:
    """README, the package that pip installs, and what tools show (SARIF, `aclnn --version`) have the same."""
    assert (ROOT / "README.md").read_text(encoding="utf-8").startswith(f"# {NAME}\n")
    assert f'\nname = "{NAME}"\n' in PROJECT


@pytest.mark.checkout("all sources are searched")
def test_nothing_installs_the_name_which_no_registry_has() -> None:
    """Anybody could register it; pip would then run their code."""
    named = re.compile(rf"pip install[^`\n]*(?<![\w/]){NAME}\b")
    files = [path for folder in ("acl_runtime", "aclnn", "docs") for path in (ROOT / folder).rglob("*.*")]
    files += [path for path in ROOT.iterdir() if path.suffix == ".md"]
    texts = {path: path.read_text(encoding="utf-8") for path in files if path.suffix in (".md", ".py", ".yml")}
    assert [path for path, text in texts.items() if named.search(text)] == []


def test_the_build_reads_it() -> None:
    (built,) = re.findall(r'^version = \{ attr = "(\S+)" \}', PROJECT, re.MULTILINE)
    assert built == f"{acl_runtime.version.__name__}.__version__"
    assert re.search(r'^dynamic = .*"version"', PROJECT, re.MULTILINE)


@pytest.mark.checkout("all sources are searched")
def test_no_other_file_states_it() -> None:
    stated = re.compile(rf"(?<![\w.<>=]){re.escape(__version__)}(?![\w.])")
    files = [each for name in ("acl_runtime", "aclnn", "docs") for each in (ROOT / name).rglob("*.*")]
    files += [each for each in ROOT.iterdir() if each.suffix in (".md", ".toml") and each.name != "CHANGELOG.md"]
    named = {
        each.relative_to(ROOT).as_posix()
        for each in files
        if each.suffix in (".c", ".md", ".py", ".pyi", ".toml") and stated.search(each.read_text(encoding="utf-8"))
    }
    assert named == {"acl_runtime/version.py"}, "state the version in acl_runtime/version.py alone, and read it there"


def test_the_command_shows_it(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert (ended.value.code, capsys.readouterr().out) == (0, f"aclnn-emulator {__version__}\n")


@pytest.mark.parametrize(
    ("installed", "shown"),
    [
        (__version__, __version__),
        (None, f"{__version__} (not installed)"),
        ("0.0.1", f"{__version__} (installed is 0.0.1)"),
    ],
    ids=["the same", "none", "another"],
)
def test_the_doctor_shows_it(installed: str | None, shown: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The version of the sources in use, not that of an installation elsewhere."""
    monkeypatch.setattr(doctor, "version", lambda package: installed)
    (row,) = [row for row in doctor.rows() if row.name == NAME]
    assert row.found == f"{shown}, {PACKAGES / 'aclnn'}"
    assert doctor.facts()["version"] == __version__


def test_reports_show_it() -> None:
    with Machine() as machine:
        pass
    (run,) = json.loads(machine.findings.report("sarif"))["runs"]
    assert run["tool"]["driver"]["version"] == __version__


def test_a_toolkit_has_it() -> None:
    """tests/cpp asks CMake."""
    written = dict(texts(Path("toolkit"), (), ()))
    assert (
        f'set(PACKAGE_VERSION "{__version__}")' in written["share/cmake/AclnnEmulator/AclnnEmulatorConfigVersion.cmake"]
    )


def test_the_changelog_leads_to_it() -> None:
    """The version of a release is the newest in the changelog; between releases it is that of a later one."""
    (head, behind), *released = RELEASES
    assert (head, behind) == ("Unreleased", ""), "CHANGELOG.md begins with a section Unreleased"
    for name, behind in released:
        assert re.fullmatch(r" - \d{4}-\d\d-\d\d", behind), f"{name} needs its day"
    versions = [Version(name) for name, _ in released]
    assert versions == sorted(set(versions), reverse=True), "CHANGELOG.md has the newest release first"
    ours = Version(__version__)
    if ours.is_devrelease:
        assert not versions or ours > versions[0], "acl_runtime/version.py is behind the releases of CHANGELOG.md"
    else:
        assert versions, f"{ours} is no release of the changelog; on the way to it the version is {ours}.dev0"
        assert ours == versions[0], "acl_runtime/version.py and the newest release of CHANGELOG.md differ"


def test_all_format_with_one_ruff() -> None:
    (pinned,) = re.findall(r'"ruff==([\d.]+)"', PROJECT)
    hooks = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    used = re.findall(r"ruff-pre-commit\n +rev: v([\d.]+)\b", hooks)
    assert used == [pinned], f".pre-commit-config.yaml needs ruff {pinned}, as pyproject.toml has it"
