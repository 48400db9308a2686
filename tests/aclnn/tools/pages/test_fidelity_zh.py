"""The Chinese page of fidelity follows the English one; a row without a translation stays English (ours)."""

from __future__ import annotations

from pathlib import Path

import pytest

from aclnn.tools.pages import fidelity, fidelity_zh
from aclnn.tools.pages.fidelity_zh import digest, missing, page, tables, translations

ENGLISH = """\
| what | our decision | test |
|---|---|---|
| a `row` | 1 \\| 2 | `tests/one.py::test` |
| another row | 3 | `tests/two.py::test` |

<!-- python -m aclnn.render removes from the next list what exists -->

- **copies**: `one`,
  `two`

<!-- end of the list -->
"""
CHINESE = """\
| old | row |
|---|---|

<!-- python -m aclnn.render removes from the next list what exists -->

- **拷贝**：`gone`

<!-- end of the list -->
"""


def test_rows_and_lists_are_those_of_the_english_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests are left out; a row that changed is English until its new digest has a translation."""
    (tmp_path / "docs/zh").mkdir(parents=True)
    (tmp_path / fidelity_zh.PAGE).write_text(CHINESE, encoding="utf-8")
    rows = {("what", "our decision"): "内容 | 决定", ("a `row`", "1 \\| 2"): "`row` | 1 \\| 2", ("copies",): "拷贝"}
    lines = "".join(f"{digest(row)} | {text}\n" for row, text in rows.items())
    (tmp_path / fidelity_zh.ROWS).write_text(lines, encoding="utf-8")
    monkeypatch.setattr(fidelity_zh, "ROOT", tmp_path)
    monkeypatch.setattr(fidelity, "page", lambda: ENGLISH)
    assert page().startswith("| 内容 | 决定 |\n|---|---|\n| `row` | 1 \\| 2 |\n| another row | 3 |\n")
    assert "\n- **拷贝**：`one`, `two`\n" in page()
    assert list(missing()) == [f"{digest(('another row', '3'))} | another row | 3"]


def test_a_translation_has_as_many_cells_as_its_row() -> None:
    rows = translations()
    for row in (row for table in tables(fidelity.page()) for row in table):
        assert len(rows.get(digest(row), row)) == len(row), row[0]
