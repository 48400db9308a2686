"""Lists of functions that are not emulated: a name leaves its list when its function exists."""

from __future__ import annotations

from aclnn.tools.pages.absent import BEGIN, END, without

ROWS = ["| what | names behind `acl.` |", "|---|---|", "| one | `rt.a`, `rt.b`, `rt.c` |", "| two | `d` |"]
ITEMS = ["- **long**: `aclrtA`,", "  `aclrtB`, `aclrtC`", "- **other**: `aclrtD`"]


def rest(lines: list[str], *names: str) -> list[str]:
    """The list of a page without these names."""
    page = without("\n\n".join(["before", BEGIN, "\n".join(lines), END, "after `rt.b`"]), names)
    before, begin, listed, end, after = page.split("\n\n")
    assert (before, begin, end, after) == ("before", BEGIN, END, "after `rt.b`")
    return listed.splitlines()


def test_a_list_whose_names_do_not_exist_stays_as_it_is() -> None:
    assert rest(ROWS, "rt.other") == ROWS
    assert rest(ITEMS, "aclrtOther") == ITEMS


def test_names_that_exist_leave_the_list() -> None:
    assert rest(ROWS, "rt.b") == [*ROWS[:2], "| one | `rt.a`, `rt.c` |", ROWS[3]]
    assert rest(ITEMS, "aclrtA") == ["- **long**: `aclrtB`, `aclrtC`", ITEMS[2]]


def test_an_item_without_names_leaves_too() -> None:
    assert rest(ROWS, "d") == ROWS[:3]
    assert rest(ITEMS, "aclrtD") == ITEMS[:2]
