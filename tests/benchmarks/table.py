"""Tables of measurements, for a terminal and for the page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import isfinite
from typing import Any

from tests.benchmarks.accuracy import Error
from tests.benchmarks.measured import Measured

Table = tuple[Sequence[str], list[list[str]]]
"""head and rows"""
NONE = "–"


def plain(table: Table) -> str:
    """A table as plain text; all columns but the first two are aligned to the right."""
    head, rows = table
    widths = [max(len(row[at]) for row in (head, *rows)) for at in range(len(head))]
    lines = [
        "  ".join(cell.ljust(width) if at < 2 else cell.rjust(width) for at, (cell, width) in enumerate(cells))
        for cells in (list(zip(row, widths, strict=True)) for row in (head, *rows))
    ]
    return "\n".join(line.rstrip() for line in [lines[0], "-" * sum([*widths, 2 * len(widths) - 2]), *lines[1:]])


def markdown(table: Table) -> str:
    """A table in Markdown."""
    head, rows = table
    lines = [f"| {' | '.join(row)} |" for row in (head, *rows)]
    return "\n".join([lines[0], "|---|---|" + "--:|" * (len(head) - 2), *lines[1:]])


def duration(seconds: float | None) -> str:
    if seconds is None:
        return NONE
    return f"{seconds * 1e6:.1f} us" if seconds < 1e-3 else f"{seconds * 1e3:.2f} ms"


def share(value: float | None) -> str:
    return NONE if value is None else f"{value:.0%}"


def megabytes(nbytes: int | None) -> str:
    return NONE if nbytes is None else f"{nbytes / 2**20:.1f}"


def figure(value: float | None, form: str = ".2f", most: float = 1e4) -> str:
    """A number as text; a huge one only as a limit."""
    if value is None:
        return NONE
    return format(value, form) if isfinite(value) and value <= most else f"> {most:.0f}"


def verdict(met: bool | None) -> str:
    return NONE if met is None else "yes" if met else "no"


def out_of_reach(goal: float, limits: Iterable[float | None], call: float | None) -> str:
    """Can a goal that is not met be met here? `limits` are times of which no call takes less, and `call` is that of a
    call alone, all divided by the time of torch."""
    if any(limit is not None and limit > goal for limit in limits):
        return "yes"
    return "but by a kernel faster than torch's" if call is not None and call + 1 > goal else "no"


Column = tuple[str, Callable[[Measured], str]]
TIMES: tuple[Column, ...] = (
    ("case", lambda one: one.title),
    ("data type", lambda one: one.dtype),
    ("ours", lambda one: duration(one.ours)),
    ("torch, 1 thread", lambda one: duration(one.torch1)),
    ("torch, 2 threads", lambda one: duration(one.torch2)),
    ("ratio", lambda one: figure(one.ratio)),
    ("goal", lambda one: figure(one.goal, "g")),
    ("met", lambda one: verdict(one.met)),
    ("share of the floor", lambda one: share(one.floor_share)),
)
MEMORY: tuple[Column, ...] = (
    ("case", lambda one: one.title),
    ("data type", lambda one: one.dtype),
    ("workspace, MB", lambda one: megabytes(one.workspace)),
    ("peak above it, MB", lambda one: megabytes(one.peak)),
)


def errors(of: Callable[[Error], str], *, single: bool) -> Callable[[Measured], str]:
    """Our figure beside torch's, for float32 results (`single`) or for those of 16 bits."""

    def cell(one: Measured) -> str:
        if single != (one.dtype == "float32" or one.op == "batch norm"):  # whose sums are float32
            return NONE
        return " / ".join(NONE if each is None else of(each) for each in (one.error, one.torch_error))

    return cell


ACCURACY: tuple[Column, ...] = (
    ("case", lambda one: one.title),
    ("data type", lambda one: one.dtype),
    ("float32: error / terms, 2^-24", errors(lambda error: figure(error.terms), single=True)),
    ("16 bits: ulps", errors(lambda error: figure(error.ulps, ".3f"), single=False)),
    ("not the nearest", errors(lambda error: f"{error.misrounded:.3%}", single=False)),
    ("of the bound", lambda one: figure(one.error.bound if one.error else None)),
    ("1 = 2 threads", lambda one: verdict(one.repeats_exactly)),
)


def table(columns: Sequence[Column], measured: Iterable[Measured]) -> Table:
    """A row for each case."""
    return [name for name, _ in columns], [[cell(one) for _, cell in columns] for one in measured]


def figures(numbers: dict[str, Any]) -> Table:
    """The table of another measurement: a number for each name, or a curve (numbers by label) for each name."""
    curves = {name: value for name, value in numbers.items() if isinstance(value, dict)}
    if not curves:
        return ["what", "figure"], [[name, number(value)] for name, value in numbers.items()]
    labels = list(dict.fromkeys(label for curve in curves.values() for label in curve))
    rows = [[name, *(number(curve[label]) if label in curve else NONE for label in labels)]
            for name, curve in curves.items()]  # fmt: skip
    return ["what", *map(str, labels)], rows


def number(value: Any) -> str:
    """A number with three significant digits."""
    if not isinstance(value, float):
        return str(value)
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}"
