"""What a machine remembers of the past: the calls of the host, the tasks of the devices."""

from typing import NamedTuple


class _Call(NamedTuple):
    function: str
    arguments: tuple[object, ...]
    result: object


class Call(_Call):
    """One call of the API: function, what was passed (addresses and handles as numbers), what came back."""

    time = 0.0
    """of the machine's clock, in microseconds; no part of the tuple"""


class Ran(NamedTuple):
    """One task that ran on a device."""

    name: str
    stream: str
    launched: str
    start: float
    """simulated microseconds"""
    end: float
    status: int
