"""The page of each name in the reference of the site, and text in which names are links to their pages.

The names are those of functions, operators, statuses, findings and members of enums.
"""

import re
from collections.abc import Sequence
from enum import IntEnum
from functools import cache
from typing import Final

import acl_runtime.headers.enums as enums
import acl_runtime.headers.statuses as statuses
from acl_runtime.checks.catalogue import CATALOGUE
from acl_runtime.on_demand import C_PREFIXES
from aclnn.catalogue.index import names
from aclnn.ops import EXACT, FIRST
from aclnn.tools.exports import all_functions
from aclnn.tools.pages.categories import place
from aclnn.tools.pages.markdown import plain

FUNCTIONS: Final = "reference/functions"
STATUSES: Final = "reference/statuses"
ENUMS: Final = "reference/enumerations.md"
_CODE: Final = re.compile(r"(`[^`\n]*`)")
_NAME: Final = re.compile(rf"\b((?:{'|'.join(C_PREFIXES)})\w+)\b")
_NAME_OR_NUMBER: Final = re.compile(rf"\b((?:{'|'.join(C_PREFIXES)})\w+|\d{{6}})\b")
_KEPT: Final = re.compile(r"(^```.*?^```$|^#.*?$|<!--.*?-->|\[[^\]]*\]\([^)]*\)|`[^`\n]*`)", re.MULTILINE | re.DOTALL)
"""parts of a page that are not changed: code, titles, comments and links"""


def groups() -> list[type[IntEnum]]:
    """The enums of the headers, by name."""
    enum_classes = [value for value in vars(enums).values() if isinstance(value, type) and issubclass(value, IntEnum)]
    return sorted(
        (enum_class for enum_class in enum_classes if enum_class is not IntEnum),
        key=lambda enum_class: enum_class.__name__.casefold(),
    )


def anchor(group: type[IntEnum]) -> str:
    """The anchor of an enum."""
    return f"enum-{group.__name__.casefold()}"


@cache
def pages() -> dict[str, str]:
    """The path of the page of each name, below docs/."""
    links = {name: f"{ENUMS}#{anchor(group)}" for group in groups() for name in (*group.__members__, group.__name__)}
    for name in statuses.__all__:
        links[name] = f"{STATUSES}/{getattr(statuses, name)}.md"
    returned = {value for function in all_functions().values() for value in function.statuses}
    # only statuses that a function returns: 0 and 200000 are mostly plain numbers
    links |= {f"{value}": f"{STATUSES}/{value}.md" for value in returned if value}
    documented = {name: place(name) for name in names()}
    links |= {
        name: documented.get(name.removesuffix(FIRST), f"{FUNCTIONS}/{name}.md")
        if name.removesuffix(FIRST) not in EXACT
        else f"{FUNCTIONS}/{name}.md"
        for name in all_functions()
    }
    links |= {check.id: f"findings/{check.id}.md" for check in CATALOGUE}
    return links | documented


def linked(text: str, up: str = "../..", but: str = "") -> str:
    """A docstring as Markdown, in which each known name, except `but`, is a link to its page."""

    def words(part: str) -> str:
        pieces = _marked(_NAME.split(part))
        return "".join(_link(piece, plain(piece), up, but) if odd else plain(piece) for piece, odd in pieces)

    parts = _marked(_CODE.split(text))
    return "".join(_link(part[1:-1], part, up, but) if odd else words(part) for part, odd in parts)


def with_links(page: str, up: str, but: str = "") -> str:
    """A page of Markdown in which known names, except `but`, and numbers of statuses are links to their pages."""

    def words(part: str) -> str:
        return _NAME_OR_NUMBER.sub(lambda match: _link(match[1], match[1], up, but), part)

    return "".join(part if odd else words(part) for part, odd in _marked(_KEPT.split(page)))


def _link(name: str, label: str, up: str, but: str) -> str:
    address = pages().get(name, "")
    if not address or name == but:
        return label
    return f"[{label}]({up}/{address})"


def reasons_text(reasons: Sequence[str]) -> str:
    """The reasons of a status in a cell of a table: a single one, or a list."""
    return "<br>".join(f"{'• ' * (len(reasons) > 1)}{linked(reason)}" for reason in reasons)


def _marked(pieces: list[str]) -> list[tuple[str, bool]]:
    """The pieces that `re.split` returns, each with True if it is a match: matches have odd indices."""
    return [(piece, bool(place % 2)) for place, piece in enumerate(pieces)]
