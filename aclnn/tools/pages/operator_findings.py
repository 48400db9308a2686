"""The findings that watch an operator, for its page. There are three kinds:

- The report on the page of a finding comes from a function of any operator. Then the engine reports the finding, which
  watches every operator.
- Only the plans and steps of some operators report the finding. Then the finding watches these operators. To find them,
  the functions that a planner uses, directly or through others, are searched for the ids of findings.
- A text of the catalogue names a function of the operator.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache, partial
from inspect import getclosurevars
from types import CodeType, FunctionType
from typing import Any, Final, cast

import aclnn
from acl_runtime.checks.catalogue import CATALOGUE, FindingKind
from aclnn.catalogue.index import names
from aclnn.engine.operator import Operator
from aclnn.engine.second_phase import IN_PLACE, twins
from aclnn.ops import FIRST
from aclnn.tools.exports import operators
from aclnn.tools.pages.functions import watched
from aclnn.tools.pages.markdown import ROOT, table

OF_SOME: Final = ("aclnn.ops.", "aclnn.engine.steps.")
"""modules whose functions some operators use; every operator uses the rest of the engine"""
OF_TWINS: Final = "exec-twin"
"""a finding that the engine reports only for an operator with a form in place, or for that form"""
REPORTED: Final = re.compile(r'\.(?:undefined|crash)\(\s*"([a-z0-9-]+)"')
IDS: Final = frozenset(check.id for check in CATALOGUE)


def section(name: str, up: str) -> Iterator[str]:
    """The part of an operator's page. `up`: path from the folder of the page to docs/."""
    yield "## Findings that watch it"
    if checks := own_findings(name):
        rows = ((_link(check, up), check.level, check.what) for check in checks)
        yield table(("finding", "level", "what the host code did"), rows)
    general = ", ".join(_link(check, up) for check in of_all())
    yield f"Every operator is watched for {general}. [All findings]({up}/findings.md)."


def own_findings(name: str) -> list[FindingKind]:
    """The findings that watch this operator, but not every operator."""
    ids = {id for each in (name, f"{name}{FIRST}") for id, _, _ in watched().get(each, ())} | reported(name)
    base = name.replace(IN_PLACE, "aclnn", 1)
    if any(twins(name, other) and other in operators() for other in (base, base.replace("aclnn", IN_PLACE, 1))):
        ids.add(OF_TWINS)
    return [check for check in CATALOGUE if check.id in ids - {each.id for each in of_all()}]


@cache
def of_all() -> tuple[FindingKind, ...]:
    """The findings that watch every operator."""
    files = [path for package in OF_SOME for path in (ROOT / package.replace(".", "/")).rglob("*.py")]
    some = {id for path in files for id in REPORTED.findall(path.read_text(encoding="utf-8"))} | {OF_TWINS}
    of_operators = frozenset(names())
    ids = {id for name, rows in watched().items() if name.removesuffix(FIRST) in of_operators for id, _, _ in rows}
    return tuple(check for check in CATALOGUE if check.id in ids - some)


def reported(name: str) -> frozenset[str]:
    """The ids that the plan and the steps of an operator can report."""
    first = getattr(aclnn, f"{name}{FIRST}", None)
    waiting = [] if first is None else _parts(getclosurevars(first.__wrapped__).nonlocals["planner"])
    all_ids, visited = set[str](), set[FunctionType]()
    while waiting:
        function = waiting.pop()
        if function not in visited:
            visited.add(function)
            ids, functions = _searched(function)
            all_ids |= ids
            waiting += functions
    return frozenset(all_ids)


@cache
def _searched(function: FunctionType) -> tuple[frozenset[str], list[Any]]:
    """The ids in a function, and the functions that it uses."""
    codes = list(_codes(function.__code__))
    reporting = [code for code in codes if {"undefined", "crash"} & {*code.co_names}]
    ids = IDS & {constant for code in reporting for constant in code.co_consts if isinstance(constant, str)}
    functions = [each for cell in function.__closure__ or () for each in _parts(cell.cell_contents)]
    for name in {name for code in codes for name in code.co_names}:
        for part in _parts(function.__globals__.get(name)):
            if part.__module__.startswith(OF_SOME):
                functions.append(part)
    return ids, functions


def _parts(thing: Any) -> list[FunctionType]:
    """The functions that an object consists of."""
    if isinstance(thing, partial):
        return [each for part in (thing.func, *thing.args, *thing.keywords.values()) for each in _parts(part)]
    if isinstance(thing, tuple | list):
        return [each for part in cast("Iterable[Any]", thing) for each in _parts(part)]
    if isinstance(thing, Operator):
        return _parts(thing.plan)
    return [thing] if isinstance(thing, FunctionType) else []


def _codes(code: CodeType) -> Iterator[CodeType]:
    """A code object and the code objects inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _link(check: FindingKind, up: str) -> str:
    return f"[{check.id}]({up}/findings/{check.id}.md)"
