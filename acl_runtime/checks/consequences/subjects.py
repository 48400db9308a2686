"""Subjects of `Consequences`, beside the classes of the lower rooms, and the values that taint consists of."""

from typing import Final, NamedTuple, Protocol

from acl_runtime.memory.allocation import Allocation
from acl_runtime.memory.pinned import Pinned
from acl_runtime.streams.stream import Task
from acl_runtime.streams.vector_clock import Agent

CLEAN_UP: Final = (
    "ws-freed-early", "io-freed-early", "pinned-reuse", "finalize-pending", "work-dropped", "mem-leaked",
)  # fmt: skip
"""findings that a `finally` or the end of a `with` block makes, because an error was raised before the wait or the
free"""
DESTROYED_EARLY: Final = "tensor-destroyed-early"
"""taint of an executor that cannot be used any more: the finding with this id was reported"""
REPORTED: Final = frozenset({"a finding of the report"})
UNREPORTED: Final = frozenset({"a finding that is allowed, or an earlier failure"})
"""taint of an error: its cause"""
MOST: Final = 10_000
"""ours: the most lines that are remembered; a program that continues after each mistake must not fill the memory"""


class Read(NamedTuple):
    """A task reads bytes in this role, and finds something wrong in them."""

    task: Task
    role: str


class Lost(NamedTuple):
    """Memory that goes away while tasks may use it."""

    piece: Allocation | Pinned


class MissingWait(NamedTuple):
    """An agent did not wait for another one."""

    agent: Agent
    other: Agent


class Release(NamedTuple):
    """A call that would have released, or used up, the memory or the object of this number."""

    number: int


class Marked(Protocol):
    """An object that keeps its own taint: the ids of the findings that were reported of it."""

    taint: frozenset[str] | set[str]


Lines = tuple[object, ...]
"""lines of the program that show a finding, or other values that identify the place"""
