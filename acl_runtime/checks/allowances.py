"""Files that allow findings of a program that the user cannot change, such as a third-party library.

The file is a table in TOML. Each row allows findings of one id at one place, and gives the reason:

    client = "ggml of llama-cpp-python 0.3.36"

    [[allow]]
    id = "device-not-reset"
    origin = "ggml_cann_set_device"
    most = 1
    reason = "The backend keeps its devices until the process ends."

`function` is the C function whose call showed the finding; a pattern such as `aclnn*` is possible. `origin` is a part
of a line of the report: the place of the call, or a line of the history. It may be a list, of which one has to match.
At most `most` findings are allowed; the others are reported. A row for an error needs `explanation`, a link to a text
about this error, because an error must not vanish without an explanation. `like` names another file of the folder,
without `.toml`, whose rows come after those of the file.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from fnmatch import fnmatchcase
from importlib import import_module
from os import PathLike
from os import path as paths
from typing import Any, Final

from acl_runtime.checks.catalogue import CHECKS
from acl_runtime.errors import Finding

TABLES: Final = {"client", "like", "allow"}


@dataclass
class AllowanceRow:
    """A row of the file."""

    id: str
    reason: str
    most: int
    """the most findings that the row allows in a process"""
    function: str = ""
    origin: list[str] = field(default_factory=list[str])
    explanation: str = ""
    """link to a text that explains the finding"""
    times: int = field(default=0, init=False)
    """number of findings that the row has allowed"""

    def meets(self, finding: Finding) -> bool:
        """True if the row allows this finding."""
        if finding.id != self.id or self.times >= self.most:
            return False
        if self.function and not fnmatchcase(finding.call, self.function):
            return False
        places = [finding.site, *(f"{past.what} {past.site}" for past in finding.history)]
        return not self.origin or any(part in place for part in self.origin for place in places)


class Allowances:
    """The rows of a file, with the number of findings that each has allowed."""

    def __init__(self, client: str, rows: list[AllowanceRow]) -> None:
        self.client = client
        self.rows = rows
        self.advice = 0
        """number of findings of the level advice that were not shown"""
        self.from_package = False
        """True if the file comes with this package: the user cannot delete its unused rows"""

    def allow(self, finding: Finding) -> AllowanceRow | None:
        """The first row that allows this finding, which counts the finding; None if no row does."""
        row = next((row for row in self.rows if row.meets(finding)), None)
        if row is not None:
            row.times += 1
        return row

    def summary(self) -> str:
        """One line: the findings that were allowed, the rows of a user's file that allowed none, and the number of
        advice."""
        used = ", ".join(f"{_named(row)} {row.times}x" for row in self.rows if row.times)
        unused = ", ".join(_named(row) for row in self.rows if not (row.times or self.from_package))
        parts = [f"allowed {used or 'nothing'}", *([f"unused {unused}"] if unused else [])]
        return f"allowances of {self.client}: {'; '.join([*parts, *[f'{self.advice} advice'] * (self.advice > 0)])}"


def _named(row: AllowanceRow) -> str:
    return f"{row.id} ({row.function or row.origin[0]})"


def read(path: str | PathLike[str]) -> Allowances:
    """The allowances of a file; ValueError with the reason if the file is not valid."""
    try:
        tomllib = import_module("tomllib")
    except ModuleNotFoundError:  # Python 3.10
        raise ValueError("allowances need Python 3.11, which reads TOML") from None
    try:
        with open(path, "rb") as file:
            table: Mapping[str, Any] = tomllib.load(file)
    except (OSError, ValueError, RecursionError) as error:
        raise ValueError(f"{path}: {error}") from error
    try:
        allowances = _allowances(table)
        if (like := table.get("like")) is not None:
            allowances.rows += read(paths.join(paths.dirname(path), f"{like}.toml")).rows
        return allowances
    except (RecursionError, TypeError, ValueError) as error:
        raise ValueError(f"{path}: {error}") from error


def _allowances(table: Mapping[str, Any]) -> Allowances:
    if unknown := table.keys() - TABLES:
        raise ValueError(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(sorted(TABLES))}")
    client, rows = table.get("client"), table.get("allow", [])
    if not isinstance(client, str) or not client:
        raise ValueError("client: the name of the program is missing")
    return Allowances(client, [_row(number, row) for number, row in enumerate(rows, 1)])


def _row(number: int, values: Mapping[str, Any]) -> AllowanceRow:
    """A row of the file; ValueError if the id, the place or the reason is missing or wrong."""
    allowed = {field.name for field in fields(AllowanceRow) if field.init}
    for name in values.keys() - allowed:
        raise ValueError(f"row {number}: {name!r} is none of {', '.join(sorted(allowed))}")
    origin = values.get("origin", [])
    row = AllowanceRow(
        id=values.get("id", ""), reason=values.get("reason", ""), most=values.get("most", 0),
        function=values.get("function", ""), origin=[origin] if isinstance(origin, str) else list(origin),
        explanation=values.get("explanation", ""),
    )  # fmt: skip
    if row.id not in CHECKS or CHECKS[row.id].level == "status":
        raise ValueError(f"row {number}: {row.id!r} is no finding that is recorded")
    if not row.reason.strip():
        raise ValueError(f"row {number}: the reason is missing")
    if type(row.most) is not int or row.most < 1:
        raise ValueError(f"row {number}: most={row.most!r}: a number from 1")
    if not row.function and not row.origin:
        raise ValueError(f"row {number}: function or origin has to say where the finding is allowed")
    if CHECKS[row.id].level == "error" and not row.explanation:
        raise ValueError(f"row {number}: {row.id} is an error: explanation has to be a link to a text about it")
    return row
