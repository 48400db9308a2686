"""The help of each function, from files that `python -m aclnn.render` makes: `aclnn explain` creates no function.

A file begins with its repeated lines, each with a key. Then each function has a line with facts in JSON, and the lines
of its help. In these lines, `~` and a key stand for a repeated line, `§` in a repeated line for the name of the
operator. Two small files list all functions, and count operators. `aclnn.tools.help_files` writes the files.
"""

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from os.path import dirname, join
from typing import Any, Final, NamedTuple

from acl_runtime.text import ITEM
from aclnn.catalogue.index import lines
from aclnn.ops import FIRST

GROUPS: Final = ("runtime", "cv", "math", "nn", "transformer")
"""the files: functions that are no operators, then the categories of operators whose name begins with this word"""
START: Final = "@{"
"""the first characters of a function, which are also those of the last line"""
REPEATED: Final = "~"
CHECK: Final = "        * "
"""in place of `ITEM`, for a condition of the checks of the operator"""
MARKS: Final = (START, REPEATED, CHECK)
NAME: Final = "§"
ROW: Final = re.compile(r"^    (?:\w+ \((-?\d+)\)|(-1)):[ ]*(.*(?:\n {8}.*)*)", re.MULTILINE)
"""a status in a help text: its number, and its reason"""
PYACL: Final = re.compile(rf'^{START}"name": "(\w+)".*"pyacl": "([\w.]+)"', re.MULTILINE)


class Described(NamedTuple):
    """A function, as its help describes it."""

    name: str
    header: str
    help: str
    products: bool = False
    """True if the help lists the products"""
    pyacl: str = ""
    """the name in pyACL without `acl.`; empty if pyACL lacks the function"""
    lacking: Sequence[str] = ()
    """for an operator: the calls that are not computed"""
    facts: Mapping[str, Any] | None = None
    """for an operator with a class of its own: the facts that `aclnn ops` prints"""
    checks: frozenset[str] = frozenset()
    """for a first phase: the reasons that come from the checks of the operator"""

    @property
    def reasons(self) -> tuple[tuple[int, str], ...]:
        """Each status that the help lists, including success, with its reason."""
        table = self.help.partition("\nReturns:")[2]
        return tuple((int(number or minus_1), reason) for number, minus_1, reason in ROW.findall(table))


class Listed(NamedTuple):
    """A function in the list of all functions."""

    statuses: tuple[int, ...]
    """the statuses that it returns, without success"""
    mentions: str
    """the types and values of the headers in its help"""


@cache
def listed() -> Mapping[str, Listed]:
    """All functions of the emulator."""
    rows = (line.split("\t") for line in _text("list").splitlines()[1:])
    return {name: Listed(tuple(map(int, statuses.split())), mentions) for name, statuses, mentions in rows}


@cache
def operators_of() -> Mapping[str, int]:
    """The number of operators that support each data type, by its name in error texts."""
    rows = (line.split("\t") for line in _text("data_types").splitlines()[1:])
    return {printed: int(count) for printed, count in rows}


def group(name: str) -> str:
    """The file with the help of a function."""
    documented = lines().get(name.removesuffix(FIRST))
    return documented[0].partition("_")[0] if documented else GROUPS[0]


@cache
def described(name: str) -> Described:
    """The description of a function of the emulator; LookupError for another name."""
    text = _text(group(name))
    begin = text.find(f'\n{START}"name": "{name}"') + 1
    if not begin:
        raise LookupError(name)
    head, *written = text[begin : text.index(f"\n\n{START}", begin)].split("\n")
    whole = [_whole(line, name) for line in written]
    checks = frozenset(line.removeprefix(CHECK) for line in whole if line.startswith(CHECK))
    plain = "\n".join([line.replace(CHECK, ITEM, 1) if line.startswith(CHECK) else line for line in whole])
    return Described(**json.loads(head.removeprefix("@")), help=plain, checks=checks)


def pyacl_names() -> dict[str, str]:
    """The name in C of each function that pyACL wraps, by its name there without `acl.`."""
    return {python: name for name, python in PYACL.findall(_text(GROUPS[0]))}


def _whole(line: str, name: str) -> str:
    """The line that a key stands for; any other line itself."""
    if not line.startswith(REPEATED):
        return line
    return _repeated(group(name))[line].replace(NAME, name.removesuffix(FIRST))


@cache
def _repeated(group: str) -> Mapping[str, str]:
    """The repeated lines of a file, by their keys."""
    head = _text(group).partition(f"\n{START}")[0].split("\n")
    return {key: line for key, _, line in (each.partition(" ") for each in head if each.startswith(REPEATED))}


@cache
def _text(group: str) -> str:
    with open(join(dirname(__file__), f"generated_{group}.txt"), encoding="utf-8") as file:
        return file.read()
