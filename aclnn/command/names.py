"""What there is to explain: statuses, functions, operators, findings, codes of error texts, types and values of the
headers, each by its name."""

import re
from collections import defaultdict
from collections.abc import Callable
from difflib import get_close_matches
from functools import cache, partial
from typing import Any, Final

import acl_runtime
import acl_runtime.statuses as statuses
import aclnn
from acl_runtime.function import CFunction
from acl_runtime.machine.catalogue import CATALOGUE, Check
from acl_runtime.messages import TEMPLATES
from acl_runtime.remedies import FAMILIES, REMEDIES
from aclnn.command import ops, values
from aclnn.engine.declaration import Op
from aclnn.engine.phrases import ITEM, ONE_OF
from aclnn.exports import functions, operators

NEAR: Final = 5
"""so many names are proposed"""
NUMBER: Final = re.compile(r"([+-]?)(0x[0-9a-f]+|\d+)[ul]*", re.IGNORECASE | re.ASCII)
"""of C, or of a log"""
REPORTED: Final = re.compile(r"(?:error|warning|advice|note)\[(.+)\]", re.IGNORECASE)
"""how a report shows the id of a finding"""
APART: Final = re.compile(r"[\W_]+")
"""what names are written with or without: `soft_max`, `acl.rt.malloc`, `ws freed early`"""
Facts = dict[str, Any]


@cache
def all_functions() -> dict[str, CFunction]:
    """The C functions of both packages."""
    return {**functions(acl_runtime), **functions(aclnn)}


@cache
def subjects() -> dict[str, Callable[[], Facts]]:
    """Who tells of each name. An operator has the name of its second phase, and tells of that too."""
    by_name: dict[str, Callable[[], Facts]] = {}
    by_name |= {name: partial(function, each) for name, each in all_functions().items()}
    by_name |= {name: partial(operator, op) for name, op in operators().items()}
    by_name |= {name: partial(status, getattr(statuses, name)) for name in statuses.__all__}
    by_name |= {check.id: partial(finding, check) for check in CATALOGUE}
    by_name |= {code: partial(error_code, code) for code in TEMPLATES}
    return by_name | values.subjects(all_functions().values())


def number(asked: str) -> int | None:
    """The number that was asked for, also in C's way of writing hexadecimal ones; None if it is none."""
    found = NUMBER.fullmatch(asked.strip())
    return None if found is None else int(found[1] + found[2], 16 if found[2][1:2] in ("x", "X") else 10)


def family(value: int) -> int | None:
    """The thousands of a status, or what was asked for as such; None where no status has them."""
    thousands = value // 1000 if value >= 1000 else value
    return thousands if thousands in FAMILIES and value else None


def matching(asked: str) -> tuple[list[str], list[str]]:
    """The names that are meant, and if there are none those that are like it. A whole name, however its parts are
    joined, means itself; a number the status; parts every name that has all of them."""
    value = number(asked)
    if value is not None:
        by_number = {str(getattr(statuses, name)): name for name in reversed(statuses.__all__)}
        if str(value) in by_number:
            return [by_number[str(value)]], []
        if family(value) == value:
            return [by_number[each] for each in sorted(by_number) if each.startswith(str(value))], []
        return [], [by_number[each] for each in get_close_matches(str(value), by_number, NEAR)]
    names = subjects()
    asked = _bare(asked)
    if asked in names:
        return [asked], []
    by_folded: defaultdict[str, list[str]] = defaultdict(list)
    for name in names:
        by_folded[_folded(name)].append(name)
    wanted = _folded(asked)
    others = {_folded(other): name for other, name in values.aliases().items()}
    found = by_folded.get(wanted) or by_folded.get(f"aclnn{wanted}") or [others[each] for each in {wanted} & {*others}]
    parts = [*filter(None, map(_folded, asked.split()))]
    if not found and parts:
        found = [name for folded, those in by_folded.items() if all(p in folded for p in parts) for name in those]
    near = [] if found else get_close_matches(wanted, by_folded, NEAR)
    return found, [name for folded in near for name in by_folded[folded]]


def _bare(asked: str) -> str:
    """Without what stands around a name where it was copied: `error[ID]`, `NAME()`, `NAME:`."""
    asked = asked.strip()
    reported = REPORTED.fullmatch(asked.rstrip(":"))
    return reported[1] if reported else asked.partition("(")[0].strip(" ,;:`'\"")


def _folded(name: str) -> str:
    return APART.sub("", name).casefold()


def status(value: int) -> Facts:
    """A number with its names, what it means, what to do, and which functions return it and why."""
    return {
        "kind": "status",
        "value": value,
        "names": [name for name in statuses.__all__ if getattr(statuses, name) == value],
        "family": FAMILIES[value // 1000],
        "meaning": statuses.MEANINGS.get(value),
        "what_to_do": REMEDIES.get(value),
        "returned_by": _returned_by(value),
    }


def _returned_by(value: int) -> list[Facts]:
    if value == statuses.ACL_SUCCESS:
        return []  # all do
    found: list[Facts] = []
    for name, each in all_functions().items():
        reasons = [reason for returned, text in each.reasons if returned == value for reason in _split(text)]
        if reasons:
            found.append({"function": name, "reasons": reasons})
    return found


def _split(text: str) -> list[str]:
    """The reasons of one status: those behind `ONE_OF` are a list."""
    first, *others = [" ".join(part.split()) for part in text.split(f"\n{ITEM}")]
    return others if others and first == ONE_OF else [first, *others]


def function(of: CFunction) -> Facts:
    """What `help` tells, and the statuses for a program."""
    return {
        "kind": "function",
        "name": of.name,
        "header": of.header,
        "help": of.help,
        "statuses": [
            {"value": value, "name": statuses.name_of(value), "reasons": _split(text)} for value, text in of.reasons
        ],
    }


def operator(of: type[Op]) -> Facts:
    """Products and data types, then its two functions."""
    pair = [function(all_functions()[name]) for name in (f"{of.c_name()}GetWorkspaceSize", of.c_name())]
    return {"kind": "operator", **ops.of(of), "functions": pair}


def finding(check: Check) -> Facts:
    """A row of the catalogue."""
    return {"kind": "finding", **check._asdict(), "page": f"docs/findings/{check.id}.md"}


def error_code(code: str) -> Facts:
    """A code in the texts of aclGetRecentErrMsg."""
    template = TEMPLATES[code]
    return {
        "kind": "error code",
        "name": code,
        "title": template.title,
        "sentence": template.sentence,
        "cause": template.cause,
        "solution": template.solution,
    }
