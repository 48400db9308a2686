"""A line of the user's code, those that called it, and how a report shows them.

A `Site` is data: `file:line` with the file's whole name, so that findings of one line compare equal wherever they are
read. `shown` is the same for people: the path from the current folder on, and a notebook's cell by its number.
"""

import linecache
import os
import re
import sys
from collections.abc import Iterator
from itertools import pairwise
from types import CodeType
from typing import Any, Final, TypeAlias, cast

from acl_runtime.process import Program

CELL: Final = re.compile(r"(?:<|.*[/\\])ipython-input-(\d+)-[^/\\]*|.*[/\\]ipykernel_\d+[/\\]\w+\.py")
"""the file names that IPython gives its cells: with the number, or with a hash of the code (ipykernel)"""

Trail: TypeAlias = tuple[CodeType | Program | int, ...]
"""Code and the instruction it is at, in turn, the innermost first: quick to take down (every call does, and pairs would
take a third longer), a `Site` is made of it when asked."""


class Site(str):
    """`file:line`, with the lines of the user's further out. These are worked out when somebody asks."""

    __slots__ = ("_outer",)
    _outer: Trail

    @property
    def callers(self) -> list[str]:
        """`file:line` of each caller, the innermost first; a line that calls itself, as by a comprehension, once."""
        lines = [str(self), *(line_of(code, at) for code, at in instructions(getattr(self, "_outer", ())))]
        return [line for before, line in pairwise(lines) if line != before]

    def called_by(self, outer: Trail) -> "Site":
        """The same with its callers: their code, and the instruction they are at."""
        self._outer = outer
        return self

    def __format__(self, how: str) -> str:
        """In a text, as an f-string makes one, it stands as people read it."""
        return format(shown(self), how)

    def __reduce__(self) -> tuple[type[str], tuple[str]]:
        """What goes to another process is the line alone."""
        return str, (str(self),)


def instructions(trail: Trail) -> Iterator[tuple[CodeType | Program, int]]:
    """The pairs of a trail."""
    return cast("Iterator[tuple[CodeType | Program, int]]", zip(trail[::2], trail[1::2], strict=True))


def line_of(code: CodeType | Program, at: int) -> str:
    """`file:line` of an instruction. (Not to be cached by code: equal code may come from different files.)"""
    if not isinstance(code, CodeType):
        return code.line(at)
    lines = (line for start, end, line in code.co_lines() if start <= at < end and line is not None)
    return f"{code.co_filename}:{next(lines, code.co_firstlineno)}"


def split(site: str) -> tuple[str, int | None]:
    """File and line of a site; no line for one that is none, such as `interpreter exit`."""
    file, colon, line = site.rpartition(":")
    return (file, int(line)) if colon and line.isdecimal() else (site, None)


def shown(site: str) -> str:
    """A site for people: `cell 3, line 2` in a notebook, and a path below the current folder from there on."""
    file, line = split(site)
    cell = CELL.fullmatch(file)
    if cell is not None:
        number = cell[1] or _number(file)
        name = f"cell {number}" if number else "a cell"
        return name if line is None else f"{name}, line {line}"
    try:
        folder = os.path.join(os.getcwd(), "")
    except OSError:  # it was removed
        return str(site)
    return site[len(folder) :] if len(folder) > 1 and file.startswith(folder) else str(site)


def _number(file: str) -> str:
    """The number of a cell that is named by its code: IPython knows the latest that has this code. Empty without it."""
    get = getattr(sys.modules.get("IPython"), "get_ipython", None)
    shell: Any = get() if get is not None else None
    label = getattr(getattr(shell, "compile", None), "format_code_name", None)
    found = re.search(r"\d+", str(label(file))) if label is not None else None
    return found[0] if found is not None else ""


def pointer(site: str, call: str = "") -> list[str]:
    """The lines of a report that point to a site: the place, and under it the line of code where that can be had."""
    code = code_at(site)
    place = f"  --> {shown(site)}" + (f", in {call}" if call else "")
    return [place, f"   |      {code}"] if code else [place]


def code_at(site: str) -> str:
    """The line of code at a site, without its indentation; empty where it cannot be had."""
    file, line = split(site)
    if line is None or not (file in linecache.cache or os.path.isfile(file)):  # else linecache searches `sys.path`
        return ""
    linecache.checkcache(file)
    return linecache.getline(file, line).strip()
