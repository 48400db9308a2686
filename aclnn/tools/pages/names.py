"""Where the reference of the site tells of a name: functions, operators, statuses, findings, members of enums."""

import re
from collections.abc import Sequence
from enum import IntEnum
from functools import cache
from typing import Final

import acl_runtime.headers.enums as enums
import acl_runtime.headers.statuses as statuses
from acl_runtime.checks.catalogue import CATALOGUE
from aclnn.engine.phrases import DEMAND
from aclnn.tools.command.names import all_functions
from aclnn.tools.exports import operators
from aclnn.tools.pages.markdown import plain

FUNCTIONS: Final = "reference/functions"
STATUSES: Final = "reference/statuses"
ENUMS: Final = "reference/enumerations.md"
_CODE: Final = re.compile(r"(`[^`\n]*`)")
_NAME: Final = re.compile(r"\b((?:acl|Acl|ACL)\w+)\b")
_NAME_OR_NUMBER: Final = re.compile(r"\b((?:acl|Acl|ACL)\w+|\d{6})\b")
_KEPT: Final = re.compile(r"(^```.*?^```$|^#.*?$|<!--.*?-->|\[[^\]]*\]\([^)]*\)|`[^`\n]*`)", re.MULTILINE | re.DOTALL)
"""code, titles, comments and links of a page"""


def groups() -> list[type[IntEnum]]:
    """The enums of the headers, by name."""
    found = [each for each in vars(enums).values() if isinstance(each, type) and issubclass(each, IntEnum)]
    return sorted((each for each in found if each is not IntEnum), key=lambda each: each.__name__.casefold())


def anchor(group: type[IntEnum]) -> str:
    """What a link to an enum names; MyST finds it on whichever page it is."""
    return f"enum-{group.__name__.casefold()}"


@cache
def pages() -> dict[str, str]:
    """The page of each name, below docs/, or the anchor."""
    found = {name: f"#{anchor(group)}" for group in groups() for name in (*group.__members__, group.__name__)}
    for name in statuses.__all__:
        found[name] = f"{STATUSES}/{getattr(statuses, name)}.md"
    returned = {value for each in all_functions().values() for value in each.statuses}
    found |= {f"{value}": f"{STATUSES}/{value}.md" for value in returned if value}  # 0 and 200000 are numbers
    found |= {name: f"{FUNCTIONS}/{name}.md" for name in all_functions()}
    found |= {check.id: f"findings/{check.id}.md" for check in CATALOGUE}
    return found | {name: f"ops/{name}.md" for name in operators()}


def linked(text: str, up: str = "../..", but: str = "") -> str:
    """A docstring's words as Markdown, each known name (but one) leading to its page."""

    def words(part: str) -> str:
        pieces = _marked(_NAME.split(part))
        return "".join(_link(piece, plain(piece), up, but) if odd else plain(piece) for piece, odd in pieces)

    parts = _marked(_CODE.split(text))
    return "".join(_link(part[1:-1], part, up, but) if odd else words(part) for part, odd in parts)


def with_links(page: str, up: str, but: str = "") -> str:
    """A page of Markdown in which known names (but one) and numbers of statuses lead to their pages."""

    def words(part: str) -> str:
        return _NAME_OR_NUMBER.sub(lambda match: _link(match[1], match[1], up, but), part)

    return "".join(part if odd else words(part) for part, odd in _marked(_KEPT.split(page)))


def _link(name: str, shown: str, up: str, but: str) -> str:
    there = pages().get(name, "")
    if not there or name == but:
        return shown
    return f"[{shown}]({there if there.startswith('#') else f'{up}/{there}'})"


def reasons_told(reasons: Sequence[str]) -> str:
    """The reasons of a status in a cell of a table; behind them the demands of an operator that may be broken."""
    told = [linked(reason) for reason in reasons if not reason.startswith(DEMAND)]
    demands = [f"• {linked(reason.removeprefix(DEMAND))}" for reason in reasons if reason.startswith(DEMAND)]
    return "<br>".join([*told, *(["one of these does not hold:"] if demands else []), *demands])


def _marked(pieces: list[str]) -> list[tuple[str, bool]]:
    """What `split` found stands at the odd places."""
    return [(piece, bool(place % 2)) for place, piece in enumerate(pieces)]
