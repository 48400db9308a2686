"""The callbacks of a program that are called when a stream or a device changes its state."""

from typing import Any, NamedTuple


class Registered(NamedTuple):
    """A callback with its last argument."""

    function: Any
    args: Any


class StateCallbacks:
    """The registered callbacks by name."""

    def __init__(self) -> None:
        self.streams: dict[str, Registered] = {}
        self.devices: dict[str, Registered] = {}
        self.aborts: dict[str, Registered] = {}


def in_order(callbacks: dict[str, Registered]) -> list[Registered]:
    """The callbacks "in the order of the names' text"."""
    return [callbacks[name] for name in sorted(callbacks)]
