"""docs/fidelity.md and its tests name each other.

The name of a row is its first cell, letter for letter. Its last cell names its tests, and each of these carries the
marker `fidelity` with the name of the row. These tests fail for a row without its test, and for a test without its row.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from aclnn.tools.pages.absent import BEGIN
from tests.helpers.places import ROOT

TEST = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")
MARKER = "pytest.mark.fidelity"
Link = tuple[str, str, str]
"""the name of a row, a file, a test in it"""


def rows() -> list[list[str]]:
    """The cells of each row of the page's tables, but for their headings, for the summary that opens the page, and for
    the table of functions that do not exist."""
    text = (ROOT / "docs" / "fidelity.md").read_text(encoding="utf-8").partition(BEGIN)[0]
    lines = text[text.index("\n## ") :].splitlines()
    tables = [(line, behind) for line, behind in pairwise([*lines, ""]) if line.startswith("| ")]
    return [line.strip("| ").split(" | ") for line, behind in tables if not behind.startswith("|---")]


def marks() -> Iterator[Link]:
    """The links that the markers make. Markers stand above functions, with texts."""
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        text = path.read_text(encoding="utf-8")
        if MARKER not in text or path.name == "test_fidelity.py":
            continue
        file, found = path.relative_to(ROOT).as_posix(), 0
        for node in ast.walk(ast.parse(text)):
            for mark in node.decorator_list if isinstance(node, ast.FunctionDef) else ():
                if isinstance(mark, ast.Call) and ast.unparse(mark.func) == MARKER:
                    found += 1
                    yield from ((ast.literal_eval(row), file, node.name) for row in mark.args)
        assert found == text.count(MARKER), f"{file}: a marker stands elsewhere than above a function"


def test_each_row_has_a_name_of_its_own() -> None:
    """Without links, so that it is the same in a test."""
    names = Counter(row[0] for row in rows())
    assert len(names) > 100
    wrong = [name for name, count in names.items() if count > 1 or "](" in name]
    assert wrong == [], "docs/fidelity.md: give each row a first cell of its own, without a link"


def test_each_row_names_tests_and_each_of_them_names_the_row() -> None:
    assert [row for row in rows() if not TEST.search(row[-1])] == [], "docs/fidelity.md: name a test in the last cell"
    page = {(row[0], file, test) for row in rows() for file, test in TEST.findall(row[-1])}
    tests = set(marks())
    assert sorted(page - tests) == [], 'above these tests put @pytest.mark.fidelity("first cell of the row")'
    assert sorted(tests - page) == [], "add a row to docs/fidelity.md, or name the test in its row"
