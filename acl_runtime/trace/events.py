"""Common parts of the events of a trace: their processes, and times in nanoseconds."""

from collections.abc import Mapping
from typing import Final, TypeAlias

Event: TypeAlias = Mapping[str, object]

MARKS: Final = 0
"""the process of the marks and ranges of the program, with a row for each domain"""
HOST: Final = 1
DEVICE: Final = 2
"""the process of device 0; the next devices follow"""


def metadata(process: int, row: int, kind: str, name: str) -> Event:
    return {"ph": "M", "pid": process, "tid": row, "name": f"{kind}_name", "args": {"name": name}}


def rounded(us: float) -> float:
    """A time rounded to nanoseconds, the finest unit of viewers."""
    return round(us, 3)
