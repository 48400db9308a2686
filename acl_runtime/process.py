"""What belongs to the process: the one object outside of a machine that anything may change.

A test opens machines, one after the other, and each is a world of its own. A few things cannot be a machine's: which
machine is current, who answers for the lines of a program in C, handlers of signals, buffers of a thread. They all hang
on `process`, so that there is one place to look at (`vars(process)`), and nothing else at module level ever changes.

There are two ways to hang something here. A *port* is a field: a lower module calls it, a higher one fills it, and it
is None until then. So `repr` of a handle asks the current machine, though handles know of no machine. An object *of its
own* has a class without arguments: `process.own(Installation)` is the process's only one, made when somebody asks for
it first. So this module imports nothing of ours, and each class stays beside what uses it.

Rejected: a field for each object, as its class would have to be imported here, or named again as a protocol; a global
variable in each module, as nobody knows then how many there are. A function that is cached (`functools.cache`) is no
state: it gives what it would give anew. `sys.modules` and the like are Python's: `import acl` and the commands change
them because they are asked to, and tests/test_state.py lists where.
"""

from collections import deque
from collections.abc import Callable
from typing import Final, Protocol, TypeVar, cast

T = TypeVar("T")
HANDLERS: Final = 16
"""handlers of signals that are kept for threads which may still be in one"""


class Program(Protocol):
    """What is not written in Python, and knows its lines by the address of an instruction."""

    def at(self) -> int:
        """The instruction that the innermost call came from."""
        ...

    def line(self, at: int) -> str:
        """`file:line`."""
        ...


class Process:
    """The state of the process, and what it is asked through."""

    def __init__(self) -> None:
        self.describe_handle: Callable[[int], str] | None = None
        """what the current machine knows of a handle, empty if nothing; filled by the installation"""
        self.program: Program | None = None
        """the program in C or C++ that this process is; filled by the toolkit's library"""
        self.range_moved: Callable[[int, int], None] | None = None
        """gets start and size of a range of addresses that the system put elsewhere than asked, as it does under a
        thread sanitizer; filled by the toolkit's library"""
        self.handlers: Final[deque[object]] = deque(maxlen=HANDLERS)
        """of signals, of guards that were closed: a thread may wait for Python's lock in one"""
        self._own: Final[dict[type[object], object]] = {}

    def own(self, kind: type[T]) -> T:
        """The process's only object of this class; made now if there is none yet."""
        found = self._own.get(kind)
        if found is None:
            found = self._own.setdefault(kind, kind())  # of two threads that made one, both get the first
        return cast("T", found)


process: Final = Process()
