"""docs/zh/fidelity.md: the tables and lists of docs/fidelity.md, in Chinese as far as they are translated.

The text between the tables is written by people. A row of a table comes from the English page. Its translation is a
line of `docs/zh/fidelity_rows.txt`, which begins with the digest of the English row: a row that is new or changed is
shown in English until somebody translates it. `python -m aclnn.tools.pages.fidelity_zh` prints these rows, each with
its digest.
"""

from collections.abc import Iterator, Mapping
from hashlib import sha256
from itertools import groupby
from typing import Final

from aclnn.tools.pages import fidelity
from aclnn.tools.pages.markdown import ROOT, Files

PAGE: Final = "docs/zh/fidelity.md"
ROWS: Final = "docs/zh/fidelity_rows.txt"
DELIMITER: Final = " | "
TESTS: Final = "test"
"""the head of the last column of most tables, which the Chinese page leaves out"""
Row = tuple[str, ...]


def files() -> Files:
    """The page, by its path; empty where only the packages are installed."""
    return {PAGE: page} if (ROOT / PAGE).is_file() else {}


def page() -> str:
    """The page with its tables and lists."""
    rows, english = translations(), fidelity.page()
    made = iter(["\n".join(_table(table, rows)) for table in tables(english)])
    parts = groupby((ROOT / PAGE).read_text(encoding="utf-8").split("\n"), lambda line: line.startswith("|"))
    text = "\n".join(next(made) if is_table else "\n".join(lines) for is_table, lines in parts)
    text = _with_list(text, fidelity.BEGIN, fidelity.END, fidelity.accepted())
    return _with_list(text, fidelity.NAMES, fidelity.END, fidelity.unconfirmed_names())


def translations() -> Mapping[str, Row]:
    """The Chinese cells of a row by the digest of the English ones."""
    lines = (ROOT / ROWS).read_text(encoding="utf-8").splitlines()
    return {key: tuple(cells) for key, *cells in (line.split(DELIMITER) for line in lines)}


def tables(text: str) -> list[list[Row]]:
    """The tables of a page, each with its head and without the tests."""
    parts = groupby(text.split("\n"), lambda line: line.startswith("|"))
    return [_rows(list(lines)) for is_table, lines in parts if is_table]


def digest(row: Row) -> str:
    """The digest of an English row."""
    return sha256(DELIMITER.join(row).encode()).hexdigest()[:8]


def missing() -> Iterator[str]:
    """The rows without a translation, as lines to translate."""
    rows, english = translations(), fidelity.page()
    for row in (row for table in tables(english) for row in table):
        if digest(row) not in rows:
            yield DELIMITER.join((digest(row), *row))


def _rows(lines: list[str]) -> list[Row]:
    head, _, *others = [tuple(line.removeprefix("| ").removesuffix(" |").split(DELIMITER)) for line in lines]
    columns = len(head) - (head[-1] == TESTS)
    return [row[:columns] for row in (head, *others)]


def _table(table: list[Row], rows: Mapping[str, Row]) -> Iterator[str]:
    head, *others = [rows.get(digest(row), row) for row in table]
    yield f"| {DELIMITER.join(head)} |"
    yield "|---" * len(head) + "|"
    yield from (f"| {DELIMITER.join(row)} |" for row in others)


def _with_list(text: str, begin: str, end: str, items: str) -> str:
    before, _, rest = text.partition(begin)
    return f"{before}{begin}\n\n{items}\n\n{end}{rest.partition(end)[2]}"


if __name__ == "__main__":
    print("\n".join(missing()))
