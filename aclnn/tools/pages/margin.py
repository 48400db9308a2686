"""The margin of the site: the table of contents, in which the part of the page is unfolded.

Sphinx would list every page in each margin, which is half of the work of writing 1,600 pages. This margin lists the
groups of a part: chapters of functions, categories of operators. The pages of a group are only in the margin of the
pages of that group. So all pages of a group share their margin.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from html import escape
from itertools import count
from typing import Final, NamedTuple

from acl_runtime.checks.catalogue import CATALOGUE
from acl_runtime.headers.remedies import FAMILIES
from aclnn.ops import EXACT, FIRST
from aclnn.ops import FAMILIES as OPERATOR_FAMILIES
from aclnn.tools.exports import categories
from aclnn.tools.pages import categories as category_pages
from aclnn.tools.pages import functions, statuses

CHINESE: Final = "中文"
ENGLISH: Final = "English"
IN_CHINESE: Final = {
    "Start": "入门（英文）",
    "Guides": "指南（英文）",
    "Reference": "参考（英文）",
    "Project": "项目（英文）",
}
"""the titles of the sections on Chinese pages"""


class PageGroup(NamedTuple):
    """Pages that the margin shows together: the title and the address of the group, and its pages by their titles."""

    title: str
    place: str
    pages: Mapping[str, str] = {}


@cache
def groups() -> Mapping[str, tuple[PageGroup, ...]]:
    """The groups below an entry of the table of contents."""
    return {
        "reference/operators": tuple(_operators()),
        "families/index": tuple(PageGroup(family, f"families/{family}") for family in OPERATOR_FAMILIES),
        "reference/functions/index": tuple(_functions()),
        "reference/statuses/index": tuple(_statuses()),
        "findings": tuple(PageGroup(check.id, f"findings/{check.id}") for check in CATALOGUE),
        "zh/findings": tuple(PageGroup(check.id, f"zh/findings/{check.id}") for check in CATALOGUE),
    }


def _operators() -> Iterable[PageGroup]:
    for category, names in categories().items():
        pages = {
            name: category_pages.place(name).removesuffix(".md") for name in names if category_pages.has_own_page(name)
        }
        yield PageGroup(category, f"{category_pages.FOLDER}/{category}", pages)


def _functions() -> Iterable[PageGroup]:
    for chapter, names in functions.chapters().items():
        place = f"{functions.FUNCTIONS}/index#{functions.anchor(chapter)}"
        yield PageGroup(chapter, place, {name: f"{functions.FUNCTIONS}/{name}" for name in names})
    phases = [f"{name}{phase}" for name in sorted(EXACT) for phase in (FIRST, "")]
    pages = {name: f"{functions.FUNCTIONS}/{name}" for name in phases}
    yield PageGroup("The functions of operators", f"{functions.FUNCTIONS}/index", pages)


def _statuses() -> Iterable[PageGroup]:
    for thousand in FAMILIES:
        values = [value for value in statuses.values() if value // 1000 == thousand]
        if values:
            pages = {statuses.title(value): f"{statuses.STATUSES}/{value}" for value in values}
            yield PageGroup(
                statuses.family_title(thousand), f"{statuses.STATUSES}/index#{statuses.anchor(thousand)}", pages
            )


@cache
def _homes() -> Mapping[str, tuple[str, str]]:
    """The entry above each page of a group, and the address of the group."""
    return {
        page: (entry, group.place)
        for entry, entry_groups in groups().items()
        for group in entry_groups
        for page in (group.place.partition("#")[0], *group.pages.values())
        if page != entry
    }


def key(page: str) -> tuple[str, str]:
    """The key of a page: pages in a folder that have the same key have the same margin."""
    return _homes().get(page, (page if page in groups() else "", "zh" if page.startswith("zh/") else ""))


def html(
    page: str, contents: Mapping[str, Iterable[str]], title: Callable[[str], str], link: Callable[[str], str]
) -> str:
    """The margin of a page, as furo writes a table of contents: an entry with inner entries has an arrow."""
    entry, group = key(page)
    numbers = count(1)

    def item(place: str, label: str, level: int, inner_items: Iterable[str] = (), current: bool = False) -> str:
        inner = "".join(inner_items)
        classes = f"toctree-l{level}{' current' if current else ''}{' has-children' if inner else ''}"
        address = escape(link(place))
        inner_list = f"{_arrow(next(numbers), label, opened=current)}<ul>{inner}</ul>" if inner else ""
        return (
            f'<li class="{classes}"><a class="reference internal" href="{address}">{escape(label)}</a>{inner_list}</li>'
        )

    def grouped(inner_group: PageGroup) -> str:
        here = inner_group.place == group
        items = (item(place, shown, 3) for shown, place in inner_group.pages.items()) if here else ()
        return item(inner_group.place, inner_group.title, 2, items, here and bool(inner_group.pages))

    def top(page: str) -> str:
        return item(page, title(page), 1, map(grouped, groups().get(page, ())), page == entry)

    parts: list[str] = []
    for name, pages in sections(contents, chinese=page.startswith("zh/")):
        items = "".join(map(top, pages))
        parts += [f'<p class="caption"><span class="caption-text">{name}</span></p><ul>{items}</ul>']
    return "".join(parts)


def _arrow(number: int, label: str, *, opened: bool) -> str:
    """The arrow that folds the inner entries of an entry: the elements that furo would add. It parses and writes each
    margin with BeautifulSoup, which takes longer than all else here."""
    id, checked = f"toctree-checkbox-{number}", ' checked=""' if opened else ""
    return (
        f'<input aria-label="Toggle navigation of {escape(label)}"{checked} '
        f'class="toctree-checkbox" id="{id}" name="{id}" role="switch" type="checkbox"/>'
        f'<label for="{id}"><span class="icon"><svg><use href="#svg-arrow-right"></use></svg></span></label>'
    )


def sections(contents: Mapping[str, Iterable[str]], *, chinese: bool) -> Iterable[tuple[str, Sequence[str]]]:
    """The sections of a margin in one language, each with its pages, then the start page of the other language. A
    Chinese margin also has the English pages without a translation."""
    in_chinese = tuple(contents[CHINESE])
    if chinese:
        yield CHINESE, in_chinese
    for name, pages in contents.items():
        chapter_pages = [page for page in pages if not chinese or f"zh/{page}" not in in_chinese]
        if name != CHINESE and chapter_pages:
            yield IN_CHINESE[name] if chinese else name, chapter_pages
    yield (ENGLISH, ("index",)) if chinese else (CHINESE, in_chinese[:1])


def marked(tree: str, address: str) -> str:
    """A margin in which the entry of the page with this address is marked as the current one."""
    before = f'"><a class="reference internal" href="{escape(address)}"'
    return tree.replace(before, f' current-page{before} aria-current="page"', 1)
