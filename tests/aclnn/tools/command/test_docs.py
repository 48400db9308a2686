"""`aclnn docs`: the pages, in the project and in a package."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from aclnn.__main__ import main
from aclnn.tools.command import docs
from tests.helpers.places import DOCS, PACKAGES, module_files


@pytest.mark.parametrize("name", ["testing", "docs/testing.md", "testing.md#fixtures"])
def test_a_page_is_printed(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["docs", name]) == 0
    assert capsys.readouterr().out == (DOCS / "testing.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "found"),
    [("testing", "zh/testing.md"), ("zh/testing", "zh/testing.md"), ("call-flow", "call-flow.md")],
    ids=["exists in Chinese", "named by its path", "exists in English only"],
)
def test_a_page_is_in_the_language_of_the_environment(
    name: str, found: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ACL_EMULATOR_LANG", "zh")
    assert main(["docs", "--path", name]) == 0
    assert capsys.readouterr().out == f"{DOCS / found}\n"


def test_the_path_of_a_page_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["docs", "--path", "findings/mem-leaked"]) == 0
    assert capsys.readouterr().out == f"{DOCS / 'findings' / 'mem-leaked.md'}\n"


def test_the_pages_are_listed_with_their_titles(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["docs"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert any(line.split(maxsplit=1) == ["testing", "Testing host code"] for line in lines)
    assert f"{DOCS}" in lines
    assert any(line.split(maxsplit=1) == ["findings", "Findings"] for line in lines)
    names = "findings/", "reference/", "zh/findings/"
    assert not any(line.startswith(names) for line in lines), "a page for each name is too long"


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("tesing", "did you mean: aclnn docs testing"),
        ("mem-leaked", "did you mean: aclnn docs findings/mem-leaked"),
        ("nothing-like-it", "see: aclnn docs"),
    ],
)
def test_an_unknown_page_is_an_error_with_a_near_name(name: str, near: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["docs", name]) == 1
    assert capsys.readouterr().err == f"aclnn: there is no page {name!r}; {near.removeprefix('; ')}\n"


def texts() -> Iterator[tuple[Path, str]]:
    """The strings of both packages, so the messages and the docstrings, except those about the sources of the pages."""
    for file in module_files():
        if not file.is_relative_to(PACKAGES / "aclnn/tools/pages") and file.name not in ("render.py", "docs.py"):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    yield file, node.value


def test_no_text_names_a_file_of_the_project() -> None:
    """A user may have only the wheel, in which `aclnn docs` prints the pages."""
    named = {(file.name, found) for file, text in texts() for found in re.findall(r"\bdocs/[\w/-]+\.md", text)}
    assert named == set()


def test_each_page_that_a_text_names_exists() -> None:
    pages = {name for _, text in texts() for name in re.findall(r"aclnn docs ([a-z][\w/-]*[\w])", text)}
    assert {"my-operator-is-missing", "pyacl", "testing"} <= pages
    for name in pages:
        assert docs.page(name).is_file()


def test_pages_are_found_inside_the_package_beside_it_or_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "aclnn"
    monkeypatch.setattr(docs, "HERE", package)
    with pytest.raises(FileNotFoundError):
        docs.folder()
    for folder in (tmp_path / "docs", package / "docs"):
        folder.mkdir(parents=True)
        for name in ("index.md", "findings.md"):
            (folder / name).write_text("# a page\n", encoding="utf-8")
        assert docs.folder() == folder
