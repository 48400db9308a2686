"""Files that commands make are marked in .gitattributes, and `python -m aclnn.render` makes no other files.

A file that is made in part has a comment where the part begins. It is no generated file."""

from __future__ import annotations

import re
from fnmatch import fnmatch
from typing import Final

import pytest

from aclnn.tools import render
from tests.helpers.listing import assert_listed
from tests.helpers.places import ROOT

PART: Final = re.compile(r"<!-- (?:the next |from here on |python -m aclnn\.render removes )")
MARK: Final = "linguist-generated"
COMMANDS: Final = re.compile(r"^# (python -m .*)\n((?:[^#\n].*\n)+)", re.MULTILINE)


def patterns() -> dict[str, list[str]]:
    """The patterns of .gitattributes, by the command that makes the files."""
    text = (ROOT / ".gitattributes").read_text(encoding="utf-8")
    assert text.count(f" {MARK}\n") == sum(len(lines.splitlines()) for _, lines in COMMANDS.findall(text))
    return {command: [line.removesuffix(f" {MARK}") for line in lines.splitlines()]
            for command, lines in COMMANDS.findall(text)}  # fmt: skip


def files(pattern: str) -> set[str]:
    """The files that a pattern means: their whole path if it has a folder, else their name."""
    folders = [ROOT / name for name in ("acl_runtime", "aclnn", "docs")]
    paths = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    names = {path.relative_to(ROOT).as_posix(): path.name for path in paths}
    return {path for path, name in names.items() if fnmatch(path if "/" in pattern else name, pattern)}


@pytest.mark.checkout("the list of rendered pages is made from its folders")
def test_render_makes_the_files_that_are_marked_as_its_own() -> None:
    whole = {path for path in render.files() if not PART.search((ROOT / path).read_text(encoding="utf-8"))}
    marked = {path for pattern in patterns()["python -m aclnn.render"] for path in files(pattern)}
    assert marked - whole == set(), "render does not make these: delete them, or correct .gitattributes"
    assert whole - marked == set(), "add a pattern for these to .gitattributes, below python -m aclnn.render"


@pytest.mark.checkout("its files are those of the checkout")
def test_each_pattern_means_a_file() -> None:
    assert_listed(".gitattributes", [each for listed in patterns().values() for each in listed],
                  {each for listed in patterns().values() for each in listed if files(each)})  # fmt: skip
