"""The measurements of one case."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from tests.benchmarks.accuracy import Error


@dataclass
class Measured:
    """Times are seconds of a call in the fastest round; memory is in bytes. None: not measured."""

    op: str
    title: str
    """without the data type"""
    dtype: str
    size: str
    goal: float | None
    ours: float
    torch1: float | None = None
    """torch with one thread"""
    torch2: float | None = None
    floor: float | None = None
    """streaming as many bytes, with one thread or two"""
    peak: int | None = None
    workspace: int | None = None
    error: Error | None = None
    torch_error: Error | None = None
    repeats_exactly: bool | None = None
    """the same bits with one thread and with two"""
    alone: float | None = None
    """the same work by one function of numpy in float32"""

    @property
    def torch(self) -> float | None:
        """The time of torch with one or two threads, the shorter."""
        times = [each for each in (self.torch1, self.torch2) if each is not None]
        return min(times) if times else None

    @property
    def ratio(self) -> float | None:
        """Our time over torch's: below 1 is faster."""
        return None if self.torch is None else self.ours / self.torch

    @property
    def met(self) -> bool | None:
        """Is the goal met?"""
        return None if self.ratio is None or self.goal is None else self.ratio <= self.goal

    @property
    def floor_share(self) -> float | None:
        """How much of the memory bandwidth is used: 1 is all of it."""
        return None if self.floor is None else self.floor / self.ours

    def to_json(self) -> dict[str, Any]:
        """The fields, and values that follow from them, for programs that read the file."""
        return {**asdict(self), "ratio": self.ratio, "met": self.met, "floor_share": self.floor_share}

    @classmethod
    def from_json(cls, record: dict[str, Any]) -> Measured:
        """The inverse of `to_json`."""
        given = {name: value for name, value in record.items() if name in cls.__dataclass_fields__}
        for name in ("error", "torch_error"):
            given[name] = Error(**given[name]) if given.get(name) else None
        return cls(**given)
