"""A line of the user's code, and those that called it."""

from types import CodeType


class Site(str):
    """`file:line`, with the lines of the user's further out. These are worked out when somebody asks."""

    __slots__ = ("_outer",)
    _outer: tuple[tuple[CodeType, int], ...]

    @property
    def callers(self) -> list[str]:
        """`file:line` of each caller, the innermost first."""
        return [f"{code.co_filename}:{_line(code, at)}" for code, at in getattr(self, "_outer", ())]

    def called_by(self, outer: "tuple[tuple[CodeType, int], ...]") -> "Site":
        """The same with its callers: their code, and the instruction they are at."""
        self._outer = outer
        return self

    def __reduce__(self) -> tuple[type[str], tuple[str]]:
        """What goes to another process is the line alone."""
        return str, (str(self),)


def _line(code: CodeType, at: int) -> int:
    lines = (line for start, end, line in code.co_lines() if start <= at < end and line is not None)
    return next(lines, code.co_firstlineno)
