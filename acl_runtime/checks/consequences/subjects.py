"""Subjects of `Consequences` that are not classes of lower packages, and the values of taint."""

from typing import Final, NamedTuple, Protocol

from acl_runtime.memory.allocation import Allocation
from acl_runtime.memory.pinned import Pinned
from acl_runtime.streams.stream import Task
from acl_runtime.streams.vector_clock import Agent

CLEAN_UP: Final = (
    "ws-freed-early", "io-freed-early", "pinned-reuse", "finalize-pending", "work-dropped", "mem-leaked",
)  # fmt: skip
"""findings that a `finally` or the end of a `with` block causes if an error was raised before the wait or the free"""
DESTROYED_EARLY: Final = "tensor-destroyed-early"
"""taint of an executor that cannot be used, because the finding with this id was reported"""
REPORTED: Final = frozenset({"a finding of the report"})
UNREPORTED: Final = frozenset({"a finding that is allowed, or an earlier failure"})
"""taint of an error: its cause"""
MOST: Final = 10_000
"""the most lines that are stored, so that a program that continues after each mistake does not fill the memory"""


class Read(NamedTuple):
    """A task that reads wrong values, in the bytes of this role."""

    task: Task
    role: str


class LostMemory(NamedTuple):
    """Memory that goes away while tasks may use it."""

    piece: Allocation | Pinned


class MissingWait(NamedTuple):
    """An agent that did not wait for another agent."""

    agent: Agent
    other: Agent


class Release(NamedTuple):
    """A call that would have released or used up the memory or the object of this number."""

    number: int


class Marked(Protocol):
    """An object that stores its taint: the ids of the findings that were reported for it."""

    taint: frozenset[str] | set[str]


Lines = tuple[object, ...]
"""lines of the program that show a finding, or other values that identify the place"""
