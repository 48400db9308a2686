"""docs/fidelity.md and its tests name each other.

A row is named by its first cell, letter for letter. The row names its tests in the last cell; each of them carries the
marker `fidelity` with that name. A row whose test was renamed, rewritten or never tested it shows up here, and so does
a test whose row is gone.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from tests.pages import ROOT

TEST = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")
MARKER = "pytest.mark.fidelity"
Link = tuple[str, str, str]
"""the name of a row, a file, a test in it"""


def rows() -> list[list[str]]:
    """The cells of each row of the page's tables, but for their headings."""
    lines = (ROOT / "docs" / "fidelity.md").read_text(encoding="utf-8").splitlines()
    tables = [(line, behind) for line, behind in pairwise([*lines, ""]) if line.startswith("| ")]
    return [line.strip("| ").split(" | ") for line, behind in tables if not behind.startswith("|---")]


def marks() -> Iterator[Link]:
    """What the markers say. They stand above functions, with texts."""
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
    assert [name for name, count in names.items() if count > 1 or "](" in name] == []


def test_each_row_names_tests_and_each_of_them_names_the_row() -> None:
    assert [row for row in rows() if not TEST.search(row[-1])] == []
    page = {(row[0], file, test) for row in rows() for file, test in TEST.findall(row[-1])}
    tests = set(marks())
    assert sorted(page - tests) == [], 'above these tests put @pytest.mark.fidelity("first cell of the row")'
    assert sorted(tests - page) == [], "the page has no such row, or the row names other tests"
