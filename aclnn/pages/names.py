"""Where the reference of the site tells of a name: functions, operators, statuses, findings, members of enums."""

import re
from collections.abc import Callable
from enum import IntEnum
from functools import cache
from typing import Final

import acl_runtime.enums as enums
import acl_runtime.statuses as statuses
from acl_runtime.machine.catalogue import CATALOGUE
from aclnn.command.names import all_functions
from aclnn.command.ops import operators
from aclnn.pages.markdown import plain

FUNCTIONS: Final = "reference/functions"
STATUSES: Final = "reference/statuses"
ENUMS: Final = "reference/enumerations.md"
_CODE: Final = re.compile(r"(`[^`\n]*`)")
_NAME: Final = re.compile(r"\b((?:acl|Acl|ACL)\w+)\b")


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
    found |= {name: f"{STATUSES}/{getattr(statuses, name)}.md" for name in statuses.__all__}
    found |= {name: f"{FUNCTIONS}/{name}.md" for name in all_functions()}
    found |= {check.id: f"findings/{check.id}.md" for check in CATALOGUE}
    return found | {name: f"ops/{name}.md" for name in operators()}


def linked(text: str, up: str = "../..", but: str = "") -> str:
    """A docstring's words as Markdown, each known name (but one) leading to its page."""
    there = pages()

    def link(name: str, shown: str) -> str:
        if name not in there or name == but:
            return shown
        return f"[{shown}]({there[name] if there[name].startswith('#') else f'{up}/{there[name]}'})"

    def words(part: str) -> str:
        pieces = _NAME.split(part)
        return "".join(link(piece, plain(piece)) if odd else plain(piece) for piece, odd in _marked(pieces))

    return "".join(link(part[1:-1], part) if odd else words(part) for part, odd in _marked(_CODE.split(text)))


def _marked(pieces: list[str]) -> list[tuple[str, bool]]:
    """What `split` found stands at the odd places."""
    return [(piece, bool(place % 2)) for place, piece in enumerate(pieces)]


Files = dict[str, Callable[[], str]]
"""who makes each page, by its path below docs/"""
