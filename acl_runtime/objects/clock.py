"""Simulated time, in microseconds: the time of events, traces and timeouts."""

from typing import Final

STEP: Final = 1.0
BYTES_PER_US: Final = 1e6
"""1e12 bytes a second"""


def duration(nbytes: int) -> float:
    """The duration of a task: "each task advances its stream by 1 us + bytes / 1e12 s"."""
    return STEP + nbytes / BYTES_PER_US


class SimulatedClock:
    """The time of the host. A wait for work, or a test, advances it; calls take no time."""

    def __init__(self) -> None:
        self.now = 0.0
        """microseconds since the machine was made; read-only for others"""

    def advance(self, us: float) -> None:
        """Let `us` microseconds pass on the host, without a call of the API."""
        if us < 0:
            raise ValueError(f"advance({us}): time does not run backwards")
        self.now += us

    def reach(self, time: float) -> None:
        """Advance to `time`, unless it has passed, because the host waited for an event at that time."""
        if time > self.now:  # noqa: PLR1730 (faster than `max`, for each task)
            self.now = time

    def __repr__(self) -> str:
        return f"<SimulatedClock at {self.now} us>"
