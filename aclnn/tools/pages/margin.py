"""The margin of the site: the table of contents, of which the part that a page belongs to is unfolded.

Sphinx would make it from its own tables of contents, with every page in it: half of the work of writing 1,600 pages.
Here an entry has the groups of its part: chapters of functions, categories of operators. The pages of a group are only
in the margin of the pages of that group. So all pages of a group share their margin.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from html import escape
from typing import Final, NamedTuple

from acl_runtime.checks.catalogue import CATALOGUE
from acl_runtime.headers.remedies import FAMILIES
from aclnn.ops import EXACT, FIRST
from aclnn.ops import FAMILIES as OPERATOR_FAMILIES
from aclnn.tools.exports import categories
from aclnn.tools.pages import categories as category_pages
from aclnn.tools.pages import functions, statuses

CHINESE: Final = "中文"


class Group(NamedTuple):
    """Pages that the margin shows together: the title and the address of the group, and its pages by their titles."""

    title: str
    place: str
    pages: Mapping[str, str] = {}


@cache
def groups() -> Mapping[str, tuple[Group, ...]]:
    """The groups below an entry of the table of contents."""
    return {
        "reference/operators": tuple(_operators()),
        "families/index": tuple(Group(each, f"families/{each}") for each in OPERATOR_FAMILIES),
        "reference/functions/index": tuple(_functions()),
        "reference/statuses/index": tuple(_statuses()),
        "findings": tuple(Group(check.id, f"findings/{check.id}") for check in CATALOGUE),
    }


def _operators() -> Iterable[Group]:
    for category, names in categories().items():
        own = {name: category_pages.place(name) for name in names}
        pages = {name: place.removesuffix(".md") for name, place in own.items() if not place.startswith("#")}
        yield Group(category, f"{category_pages.FOLDER}/{category}", pages)


def _functions() -> Iterable[Group]:
    for chapter, listed in functions.chapters().items():
        place = f"{functions.FUNCTIONS}/index#{functions.anchor(chapter)}"
        yield Group(chapter, place, {name: f"{functions.FUNCTIONS}/{name}" for name in listed})
    phases = [f"{name}{phase}" for name in sorted(EXACT) for phase in (FIRST, "")]
    pages = {name: f"{functions.FUNCTIONS}/{name}" for name in phases}
    yield Group("The functions of operators", f"{functions.FUNCTIONS}/index", pages)


def _statuses() -> Iterable[Group]:
    for thousand in FAMILIES:
        values = [value for value in statuses.values() if value // 1000 == thousand]
        if values:
            pages = {statuses.title(value): f"{statuses.STATUSES}/{value}" for value in values}
            yield Group(
                statuses.family_title(thousand), f"{statuses.STATUSES}/index#{statuses.anchor(thousand)}", pages
            )


@cache
def _homes() -> Mapping[str, tuple[str, str]]:
    """For each page of a group, the entry that it is below, and the address of its group."""
    return {
        page: (entry, group.place)
        for entry, listed in groups().items()
        for group in listed
        for page in (group.place.partition("#")[0], *group.pages.values())
        if page != entry
    }


def key(page: str) -> tuple[str, str]:
    """Pages with the same one, in the same folder, have the same margin."""
    return _homes().get(page, (page if page in groups() else "", "zh" if page.startswith("zh/") else ""))


def html(
    page: str, contents: Mapping[str, Iterable[str]], title: Callable[[str], str], link: Callable[[str], str]
) -> str:
    """The margin of a page, as Sphinx writes a table of contents; furo adds the arrows."""
    entry, group = key(page)

    def item(place: str, shown: str, level: int, below: Iterable[str] = (), current: bool = False) -> str:
        inner = "".join(below)
        classes = f"toctree-l{level}{' current' if current else ''}"
        address = escape(link(place))
        listed = f"<ul>{inner}</ul>" if inner else ""
        return f'<li class="{classes}"><a class="reference internal" href="{address}">{escape(shown)}</a>{listed}</li>'

    def grouped(each: Group) -> str:
        here = each.place == group
        below = (item(place, shown, 3) for shown, place in each.pages.items()) if here else ()
        return item(each.place, each.title, 2, below, here and bool(each.pages))

    def top(each: str) -> str:
        return item(each, title(each), 1, map(grouped, groups().get(each, ())), each == entry)

    chinese = page.startswith("zh/")
    sections = sorted(contents.items(), key=lambda section: (section[0] == CHINESE) != chinese)
    parts: list[str] = []
    for name, pages in sections:
        listed = pages if chinese or name != CHINESE else list(pages)[:1]
        parts += [
            f'<p class="caption"><span class="caption-text">{name}</span></p><ul>{"".join(map(top, listed))}</ul>'
        ]
    return "".join(parts)


def marked(tree: str, own: str) -> str:
    """A margin in which the entry of the page itself is marked as the current one. Furo marks the entry above it. `own`
    is its address."""
    before = f'"><a class="reference internal" href="{escape(own)}"'
    return tree.replace(" current-page", "").replace(before, f' current-page{before} aria-current="page"', 1)
