"""The limit of the host memory that device memory may take.

Device memory takes no host memory until its first access, so a program may allocate more than the host has, and use it
later. The system would then end the process. So each allocation reports the bytes that a call or a task is about to
access for the first time. Such an access is refused if less than 1 GiB of the host's memory would be left, or if it
exceeds `Machine(host_bytes=)`. A call then returns 207001, and a task fails with 207001. A new allocation is refused
too if no memory is left.

With `host_bytes`, the accessed bytes are counted exactly. Without it, the figures of the host and of its control group
are read again after each 64 MiB.

Known limits. Other processes use the memory of the host too, so its figures may change between two readings. Arrays
inside of a formula are not counted; if numpy gets no memory for them, the task fails with 207001 too.
"""

from collections.abc import Iterable, Iterator
from typing import Final, Protocol

from acl_runtime.errors import AclError
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_RT_MEMORY_ALLOCATION
from acl_runtime.memory.sizes import GIB, MIB

RESERVE: Final = GIB
"""bytes of the host that stay free for other uses"""
STEP: Final = 64 * MIB
"""bytes that are allocated or accessed between two readings of the host's figures"""
CELL: Final = 64
"""an access of at most this many bytes, such as a wait for a value in memory, is counted and never refused"""
UNLIMITED: Final = 1 << 60
"""a control group with a limit of at least this many bytes has no limit"""
MOUNTED: Final = "/sys/fs/cgroup"
"""the folder of the control groups"""
FILES: Final = {
    "": ("memory.max", "memory.current", "memory.stat"),
    "memory": ("memory.limit_in_bytes", "memory.usage_in_bytes", "memory.stat"),
}
"""the files with the limit of a group, its use, and details of the use, by the controller in /proc/self/cgroup (version
2 has the controller "")"""


class NoHostMemory(AclError):
    """The refusal if the host that runs the emulator has less memory left than the device: 207001."""

    def __init__(self, why: object) -> None:
        text = f"(the device has the memory, but the host that runs the emulator does not: {why})"
        super().__init__(ACL_ERROR_RT_MEMORY_ALLOCATION, Item("EL0004", ("host",), text))


class Touched(Protocol):
    """The attributes of the memory of a device that the budget uses."""

    @property
    def resident(self) -> int:
        """Bytes of host memory that the allocations take."""
        ...


class HostBudget:
    """The limit of the host memory that device memory takes."""

    def __init__(self, limit: int | None, memories: Iterable[Touched]) -> None:
        self._limit = limit
        self._memories = tuple(memories)
        self._known = 0
        """accessed bytes at the time of the last count"""
        self._since = 0
        """bytes accessed since the last count; without a limit, bytes allocated or accessed since the last reading"""

    def allocating(self, size: int) -> None:
        """Count an allocation of `size` bytes. NoHostMemory if the host has no memory left."""
        if self._limit is None:
            self._read(size, 0)
        elif self._known + self._since >= self._limit and self._count() >= self._limit:
            raise NoHostMemory(self._over(self._limit))

    def touching(self, size: int, around: int = 0) -> None:
        """Count `size` bytes that are accessed for the first time. NoHostMemory if the host has too little memory left.
        `around`: other bytes of their pages, which take host memory too."""
        if size <= CELL:
            self._since += size
        elif self._limit is None:
            self._read(size + around, size)
        elif self._known + self._since + size <= self._limit or self._count() + size <= self._limit:
            self._since += size
        else:
            raise NoHostMemory(f"{self._over(self._limit)}; {size} more are asked for")

    def _read(self, more: int, size: int) -> None:
        self._since += more
        if self._since < STEP:
            return
        free = available()
        if free is not None and free - size < RESERVE:
            text = f"{self._count()} bytes of device memory are touched, and {size} more are asked for"
            raise NoHostMemory(f"{text}; it has {free} bytes available, of which {RESERVE} stay free")
        self._since = 0

    def _count(self) -> int:
        self._known, self._since = sum(memory.resident for memory in self._memories), 0
        return self._known

    def _over(self, limit: int) -> str:
        return f"{self._known} bytes of device memory are touched, and host_bytes is {limit}"


def available(proc: str = "/proc", mounted: str = MOUNTED) -> int | None:
    """Bytes that the host and the control groups of this process have available; None if unknown."""
    limits = [1024 * value for name, value in _pairs(f"{proc}/meminfo") if name == "MemAvailable:"]
    for folder, (limit, usage, details) in _groups(f"{proc}/self/cgroup", mounted):
        most = _number(f"{folder}/{limit}")
        if most is not None and most < UNLIMITED and (now := _number(f"{folder}/{usage}")) is not None:
            pairs = _pairs(f"{folder}/{details}")
            caches = [value for name, value in pairs if name in ("inactive_file", "total_inactive_file")]
            limits.append(max(most - now + max(caches, default=0), 0))
    return min(limits, default=None)


def _groups(path_of_list: str, mounted: str) -> Iterator[tuple[str, tuple[str, str, str]]]:
    """The folders of the group of this process and of the groups around it, each of which may have a limit. Inside a
    container the outermost folder is the group of the container, and the listed path may not exist."""
    for line in _text(path_of_list).splitlines():
        _, controllers, path = line.split(":", 2)
        for controller in FILES.keys() & controllers.split(","):
            names = [name for name in path.split("/") if name]
            for depth in range(len(names), -1, -1):
                yield "/".join((mounted, *([controller] if controller else []), *names[:depth])), FILES[controller]


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
    return [(word[0], int(word[1])) for word in words if len(word) > 1 and word[1].isdecimal()]
