"""Simulated time, in microseconds: what events, traces and timeouts are measured in."""

from typing import Final

STEP: Final = 1.0
BYTES_PER_US: Final = 1e6
"""1e12 bytes a second"""


def duration(nbytes: int) -> float:
    """How long a task takes: "each task advances its stream by 1 us + bytes / 1e12 s"."""
    return STEP + nbytes / BYTES_PER_US


class Clock:
    """The time of the host. It moves when the host waits for work, or when a test says so; calls take no time."""

    def __init__(self) -> None:
        self.now = 0.0
        """microseconds since the machine was made; to be read only"""

    def advance(self, us: float) -> None:
        """Let the host spend so many microseconds, without a call of the API."""
        if us < 0:
            raise ValueError(f"advance({us}): time does not run backwards")
        self.now += us

    def reach(self, time: float) -> None:
        """The host waited for something that was there at `time`."""
        if time > self.now:  # noqa: PLR1730 (a third of the time of `max`)
            self.now = time

    def __repr__(self) -> str:
        return f"<Clock at {self.now} us>"
