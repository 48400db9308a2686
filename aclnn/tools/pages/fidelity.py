"""Made parts of docs/fidelity.md, and of the page in Chinese.

In docs/fidelity.md: the functions that are accepted without effect, absent functions, names that no public fact spells,
and functions that are newer than CANN 9.1.

In docs/zh/fidelity.md: the tables and counts of the English page; people write the text between the tables. The
translation of a row is a line of `docs/zh/fidelity_rows.txt`, which begins with the digest of the English row. A row
that is new or changed is shown in English until somebody translates it. `python -m aclnn.tools.pages.fidelity` prints
these rows, each with its digest.
"""

import re
from collections.abc import Iterator, Mapping
from hashlib import sha256
from itertools import groupby
from typing import Final

import acl_runtime
from acl_runtime.headers.editions import NEWER
from acl_runtime.headers.unconfirmed import NAMES as UNCONFIRMED
from acl_runtime.headers.unconfirmed import note
from aclnn.tools.pages import absent
from aclnn.tools.pages.markdown import ROOT, Files
from aclnn.tools.toolkit.exported_functions import declarations

PAGE: Final = "docs/fidelity.md"
CHINESE: Final = "docs/zh/fidelity.md"
TRANSLATIONS: Final = "docs/zh/fidelity_rows.txt"
BEGIN: Final = "<!-- the next list is made by python -m aclnn.render -->"
NAMES: Final = "<!-- python -m aclnn.render makes the next list of names -->"
NEWEST: Final = "<!-- python -m aclnn.render makes the next list of newer functions -->"
END: Final = "<!-- end of the list -->"
DELIMITER: Final = " | "
TESTS: Final = "test"
"""the head of the last column of most tables, which the Chinese page leaves out"""
COUNTS: Final = re.compile(
    r"has ([\d,]+) functions: ([\d,]+) are exact, ([\d,]+) are computed, ([\d,]+) are catalogued"
)
COUNTED: Final = re.compile(r"目录里有 .*? 个函数：exact 有 .*? 个，computed 有 .*? 个，catalogued 有 .*? 个")
IN_CHINESE: Final = "目录里有 {} 个函数：exact 有 {} 个，computed 有 {} 个，catalogued 有 {} 个"
UNCONFIRMED_IN_CHINESE: Final = {
    "this name.": "这个名字。",
    "this name and those of its members.": "这个名字和成员的名字。",
    "its values.": "它的值。",
}
Row = tuple[str, ...]


def files() -> Files:
    """The pages, by their paths; empty where only the packages are installed."""
    return {PAGE: page, CHINESE: chinese} if (ROOT / PAGE).is_file() else {}


def page() -> str:
    """The English page with its lists."""
    return absent.without(_with_lists((ROOT / PAGE).read_text(encoding="utf-8")), dir(acl_runtime))


def unconfirmed_names(words: Mapping[str, str] | None = None) -> str:
    """The names that no public fact spells. `words`: the translations of what each has."""
    parts = ((name, note(name).partition(": ")[2]) for name in sorted(UNCONFIRMED))
    return "\n".join(f"- `{name}`: {(words or {}).get(part, part)}" for name, part in parts)


def newer() -> str:
    """The functions that are newer than CANN 9.1, by edition."""
    lists = {edition: ", ".join(f"`{name}`" for name in names.split()) for edition, names in NEWER.items()}
    return "\n".join(f"- {edition}: {names}" for edition, names in lists.items())


def accepted() -> str:
    """The functions that are accepted without effect, by header."""
    by_header: dict[str, list[str]] = {}
    for function in declarations():
        if function.inert:
            by_header.setdefault(function.header, []).append(f"`{function.name}`")
    return "\n".join(f"- `{header}`: {', '.join(names)}" for header, names in by_header.items())


def chinese() -> str:
    """The Chinese page with its tables, counts and list."""
    rows, english = translations(), page()
    translated = iter(["\n".join(_table(table, rows)) for table in tables(english)])
    parts = groupby((ROOT / CHINESE).read_text(encoding="utf-8").split("\n"), lambda line: line.startswith("|"))
    text = "\n".join(next(translated) if is_table else "\n".join(lines) for is_table, lines in parts)
    if counts := COUNTS.search(" ".join(english.split())):
        text = COUNTED.sub(IN_CHINESE.format(*counts.groups()), text)
    return _with_lists(text, UNCONFIRMED_IN_CHINESE)


def translations() -> Mapping[str, Row]:
    """The Chinese cells of a row by the digest of the English ones."""
    lines = (ROOT / TRANSLATIONS).read_text(encoding="utf-8").splitlines()
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
    rows = translations()
    for row in (row for table in tables(page()) for row in table):
        if digest(row) not in rows:
            yield DELIMITER.join((digest(row), *row))


def _with_lists(text: str, words: Mapping[str, str] | None = None) -> str:
    """A page with the lists that both languages have."""
    for begin, rows in ((BEGIN, accepted()), (NAMES, unconfirmed_names(words)), (NEWEST, newer())):
        before, _, rest = text.partition(begin)
        text = f"{before}{begin}\n\n{rows}\n\n{END}{rest.partition(END)[2]}"
    return text


def _rows(lines: list[str]) -> list[Row]:
    head, _, *others = [tuple(line.removeprefix("| ").removesuffix(" |").split(DELIMITER)) for line in lines]
    columns = len(head) - (head[-1] == TESTS)
    return [row[:columns] for row in (head, *others)]


def _table(table: list[Row], rows: Mapping[str, Row]) -> Iterator[str]:
    head, *others = [rows.get(digest(row), row) for row in table]
    yield f"| {DELIMITER.join(head)} |"
    yield "|---" * len(head) + "|"
    yield from (f"| {DELIMITER.join(row)} |" for row in others)


if __name__ == "__main__":
    print("\n".join(missing()))
