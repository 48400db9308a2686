"""The memory of the host that device memory may take.

Device memory costs nothing until it is touched, so a program may allocate more than the host has, and use it up later.
The system would then end the process. So the touched bytes are counted from time to time, and an allocation is refused
before the host has too little left: 1 GiB less than it has available, or the limit of `Machine(host_bytes=)`.

Known limits. The count is made when a program allocates: one allocation that is larger than the host can still use it
up. With `fill=None` nobody counts which bytes are touched, and only the figures of the host are looked at.
"""

from collections.abc import Iterable
from typing import Final, Protocol

from acl_runtime.memory.sizes import GIB, MIB

RESERVE: Final = GIB
"""bytes that stay for other uses"""
STEP: Final = 64 * MIB
"""bytes of allocations between two counts"""
GROUPS: Final = (
    ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current", "/sys/fs/cgroup/memory.stat"),
    (
        "/sys/fs/cgroup/memory/memory.limit_in_bytes",
        "/sys/fs/cgroup/memory/memory.usage_in_bytes",
        "/sys/fs/cgroup/memory/memory.stat",
    ),
)
"""the files of a control group: limit, use, and details of the use"""


class Touched(Protocol):
    """The memory of a device, as far as the budget needs it."""

    @property
    def resident(self) -> int:
        """The bytes that were touched."""
        ...


class HostBudget:
    """Refuses allocations before the host has too little memory."""

    def __init__(self, limit: int | None, memories: Iterable[Touched]) -> None:
        self._limit = limit
        self._memories = tuple(memories)
        self._step = STEP if limit is None else min(STEP, limit // 16)
        self._asked = 0

    def ask(self, size: int) -> None:
        """An allocation of `size` bytes is made; MemoryError if the host has too little left."""
        self._asked += size
        if self._asked < self._step:
            return
        if self._limit is None:
            left = available()
            if left is not None and left < RESERVE:
                raise MemoryError(f"{self._text()}; it has {left} bytes available, of which {RESERVE} stay free")
        elif sum(memory.resident for memory in self._memories) > self._limit:
            raise MemoryError(f"{self._text()}, and host_bytes is {self._limit}")
        self._asked = 0

    def _text(self) -> str:
        return f"{sum(memory.resident for memory in self._memories)} bytes of device memory are touched"


def available(meminfo: str = "/proc/meminfo", groups: Iterable[tuple[str, str, str]] = GROUPS) -> int | None:
    """Bytes that the host, and the control group of this process, have available; None if nothing says so."""
    found = [1024 * value for name, value in _pairs(meminfo) if name == "MemAvailable:"]
    for limit, used, details in groups:
        most, now = _number(limit), _number(used)
        if most is not None and now is not None:
            caches = [value for name, value in _pairs(details) if name in ("inactive_file", "total_inactive_file")]
            found.append(max(most - now + max(caches, default=0), 0))
    return min(found, default=None)


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError:
        return ""


def _number(path: str) -> int | None:
    """The number in a file; None for `max`, and without a file."""
    text = _text(path).strip()
    return int(text) if text.isdecimal() else None


def _pairs(path: str) -> list[tuple[str, int]]:
    """The names and numbers at the beginnings of the lines of a file."""
    words = (line.split() for line in _text(path).splitlines())
    return [(each[0], int(each[1])) for each in words if len(each) > 1 and each[1].isdecimal()]
