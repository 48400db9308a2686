"""The Chinese page of fidelity follows the English one; a row without a translation stays English (ours)."""

from __future__ import annotations

from pathlib import Path

import pytest

from aclnn.tools.pages import fidelity
from aclnn.tools.pages.fidelity import chinese, digest, missing, tables, translations

ENGLISH = """\
| what | our decision | test |
|---|---|---|
| a `row` | 1 \\| 2 | `tests/one.py::test` |
| another row | 3 | `tests/two.py::test` |

The catalogue has 1,146 functions: 5 are exact, 843 are
computed, 298 are catalogued.
"""
OLD = """\
| old | row |
|---|---|

目录里有 1 个函数：exact 有 2 个，computed 有 3 个，catalogued 有 4 个。
"""


def test_rows_and_counts_are_those_of_the_english_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests are left out; a row that changed is English until its new digest has a translation."""
    (tmp_path / "docs/zh").mkdir(parents=True)
    (tmp_path / fidelity.CHINESE).write_text(OLD, encoding="utf-8")
    rows = {("what", "our decision"): "内容 | 决定", ("a `row`", "1 \\| 2"): "`row` | 1 \\| 2"}
    lines = "".join(f"{digest(row)} | {text}\n" for row, text in rows.items())
    (tmp_path / fidelity.TRANSLATIONS).write_text(lines, encoding="utf-8")
    monkeypatch.setattr(fidelity, "ROOT", tmp_path)
    monkeypatch.setattr(fidelity, "page", lambda: ENGLISH)
    assert chinese().startswith("| 内容 | 决定 |\n|---|---|\n| `row` | 1 \\| 2 |\n| another row | 3 |\n")
    assert "目录里有 1,146 个函数：exact 有 5 个，computed 有 843 个，catalogued 有 298 个。" in chinese()
    assert list(missing()) == [f"{digest(('another row', '3'))} | another row | 3"]


def test_a_translation_has_as_many_cells_as_its_row() -> None:
    rows = translations()
    for row in (row for table in tables(fidelity.page()) for row in table):
        assert len(rows.get(digest(row), row)) == len(row), row[0]
