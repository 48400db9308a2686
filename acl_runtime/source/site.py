"""A line of the user's code, its callers, and their form in a report.

A `Site` is data: `file:line` with the full path of the file, so that two findings of one line compare equal in any
folder. `shown` returns the form for people: a path relative to the current folder, or the number of a notebook's cell.
"""

import linecache
import os
import re
import sys
from collections.abc import Iterator
from itertools import pairwise
from types import CodeType
from typing import Any, Final, TypeAlias, cast

from acl_runtime.process import NativeProgram

CALLERS: Final = 3
"""decisions: the most callers of a line in a report"""
CELL: Final = re.compile(r"(?:<|.*[/\\])ipython-input-(\d+)-[^/\\]*|.*[/\\]ipykernel_\d+[/\\]\w+\.py")
"""the file names of cells in IPython: with the number, or with a hash of the code (ipykernel)"""

Trail: TypeAlias = tuple[CodeType | NativeProgram | int, ...]
"""A trail: (code, instruction, code, instruction, ...), the innermost call first. It has no pairs, as every call makes
a trail and pairs would take a third longer. A `Site` is made of it lazily."""


class Site(str):
    """`file:line`, with the lines of its callers in the user's program, which are computed lazily."""

    __slots__ = ("_trail",)
    _trail: Trail

    @property
    def callers(self) -> list[str]:
        """`file:line` of each caller, the innermost first. A line that calls itself, such as a comprehension, is listed
        once."""
        lines = [str(self)]
        for code, offset in instructions(getattr(self, "_trail", ())):
            lines += [line_of(code, offset)] if isinstance(code, CodeType) else code.lines(offset)
        return [line for before, line in pairwise(lines) if line != before][:CALLERS]

    def of(self, trail: Trail) -> "Site":
        """Set the trail, whose first instruction this site is."""
        self._trail = trail
        return self

    def __format__(self, spec: str) -> str:
        """Format the form for people, so that f-strings contain it."""
        return format(shown(self), spec)

    def __reduce__(self) -> tuple[type[str], tuple[str]]:
        """Pickle only the line, without its callers."""
        return str, (str(self),)


def instructions(trail: Trail) -> Iterator[tuple[CodeType | NativeProgram, int]]:
    """The pairs (code, instruction) of a trail."""
    return cast("Iterator[tuple[CodeType | NativeProgram, int]]", zip(trail[::2], trail[1::2], strict=True))


def line_of(code: CodeType | NativeProgram, offset: int) -> str:
    """`file:line` of an instruction. The result must not be cached by code, as equal code may come from different
    files."""
    if not isinstance(code, CodeType):
        return code.line(offset)
    lines = (line for start, end, line in code.co_lines() if start <= offset < end and line is not None)
    return f"{code.co_filename}:{next(lines, code.co_firstlineno)}"


def split(site: str) -> tuple[str, int | None]:
    """File and line of a site; the line is None for a text such as `interpreter exit`."""
    file, colon, line = site.rpartition(":")
    return (file, int(line)) if colon and line.isdecimal() else (site, None)


def shown(site: str) -> str:
    """A site for people: `cell 3, line 2` in a notebook, a relative path for a file below the current folder."""
    file, line = split(site)
    cell = CELL.fullmatch(file)
    if cell is not None:
        number = cell[1] or _number(file)
        name = f"cell {number}" if number else "a cell"
        return name if line is None else f"{name}, line {line}"
    try:
        folder = os.path.join(os.getcwd(), "")
    except OSError:  # the folder was removed
        return str(site)
    return site[len(folder) :] if len(folder) > 1 and file.startswith(folder) else str(site)


def _number(file: str) -> str:
    """The number of a cell whose file name is a hash of its code: IPython finds the latest cell with this code. Empty
    without IPython."""
    get = getattr(sys.modules.get("IPython"), "get_ipython", None)
    shell: Any = get() if get is not None else None
    label = getattr(getattr(shell, "compile", None), "format_code_name", None)
    match = re.search(r"\d+", str(label(file))) if label is not None else None
    return match[0] if match is not None else ""


def pointer(site: str, call: str = "") -> list[str]:
    """The lines of a report that point to a site: its place, and below it the line of code if it can be read."""
    code = code_at(site)
    place = f"  --> {shown(site)}" + (f", in {call}" if call else "")
    return [place, f"   |      {code}"] if code else [place]


def code_at(site: str) -> str:
    """The line of code at a site, without its indentation; empty if it cannot be read."""
    file, line = split(site)
    if line is None or not (
        file in linecache.cache or os.path.isfile(file)
    ):  # otherwise linecache would search `sys.path`
        return ""
    linecache.checkcache(file)
    return linecache.getline(file, line).strip()
