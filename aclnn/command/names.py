"""What there is to explain: statuses, functions, operators, findings, codes of error texts, each by its name."""

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
from aclnn.command import ops
from aclnn.spec import Op
from aclnn.stubs import functions

NEAR: Final = 5
"""so many names are proposed"""
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
    by_name |= {name: partial(operator, op) for name, op in ops.operators().items()}
    by_name |= {name: partial(status, getattr(statuses, name)) for name in statuses.__all__}
    by_name |= {check.id: partial(finding, check) for check in CATALOGUE}
    by_name |= {code: partial(error_code, code) for code in TEMPLATES}
    return by_name


def matching(asked: str) -> tuple[list[str], list[str]]:
    """The names that are meant, and if there are none those that are like it. A whole name, in any case, means itself;
    a number the status; a part every name that has it."""
    if asked.isdecimal():
        value = int(asked)
        return [name for name in statuses.__all__ if getattr(statuses, name) == value][:1], []
    by_folded: defaultdict[str, list[str]] = defaultdict(list)
    names = subjects()
    if asked in names:
        return [asked], []
    for name in names:
        by_folded[name.casefold()].append(name)
    wanted = asked.casefold().strip()
    found = by_folded.get(wanted) or by_folded.get(f"aclnn{wanted}")
    if not found and wanted:
        found = [name for folded, those in by_folded.items() if wanted in folded for name in those]
    near = [] if found else get_close_matches(wanted, by_folded, NEAR)
    return found or [], [name for folded in near for name in by_folded[folded]]


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
    """The reasons of one status: those behind "one of" are a list."""
    first, *others = [" ".join(part.split()) for part in text.split("\n        - ")]
    return others if others and first == "one of" else [first, *others]


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
