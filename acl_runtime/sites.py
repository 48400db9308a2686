"""A line of the user's code, and those that called it."""

from collections.abc import Iterator
from itertools import pairwise
from types import CodeType
from typing import TypeAlias, cast

from acl_runtime.process import Program

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
