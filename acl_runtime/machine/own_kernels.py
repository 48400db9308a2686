"""Kernels that the user gives for all machines of the process. `machine.kernels` holds those of one machine."""

from collections.abc import Callable
from typing import Any


class Kernels(dict[str, Callable[..., Any]]):
    """The kernels of the process, by operator."""
