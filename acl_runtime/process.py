"""All state of the process: `process` is the only mutable object outside of a machine.

A test opens one machine after the other, and they are independent of each other. Some things cannot belong to a
machine: which machine is current, the source lines of a C program, handlers of signals, buffers of a thread. They are
all kept in `process`, so that `vars(process)` shows them, and no other object at module level ever changes.

There are two ways to keep something here:

- A hook is a field that holds a function. It is None until a higher module sets it, and lower modules call it. So the
  `repr` of a handle gets its text from the current machine, though the module of handles imports no machine.
- A singleton is the process's only object of a class: `process.own(MachineStack)` makes it at the first call. Its class
  takes no arguments and stays in the module that uses it, so that this module imports nothing of ours.

Rejected. A field for each singleton: its class would have to be imported here, or repeated as a protocol. A global
variable in each module: nobody would know how many there are.

Not counted as state: the results of `functools.cache`, as a second call would compute the same; and what belongs to
Python, such as `sys.modules`. `import acl` and the commands do change the latter, which is their purpose;
tests/project/test_state.py lists where.
"""

from collections import deque
from collections.abc import Callable
from types import FrameType
from typing import Final, Protocol, TypeVar, cast

T = TypeVar("T")
HANDLERS: Final = 16
"""the number of old signal handlers that are kept, as a thread may still run one"""


class NativeProgram(Protocol):
    """A host program in C or C++, in which an instruction address stands for a source line."""

    def at(self) -> int:
        """The address of the instruction that made the innermost call."""
        ...

    def line(self, address: int) -> str:
        """The source line of an instruction, `file:line`."""
        ...

    def installed(self, address: int) -> bool:
        """True if the instruction belongs to an installed package of Python. Then the line in Python matters more."""
        ...

    def read(self, one: int, size: int, two: int, size_two: int, three: int, size_three: int) -> bytes:
        """The bytes of three small ranges of memory, one after the other. Empty if not all of them can be read, or if
        this is not known."""
        ...

    def stack(self, frame: FrameType) -> bytes:
        """A key: equal for calls from one instruction, and from the same Python frames from this one on. Empty if it
        cannot be made."""
        ...


class Process:
    """The state of the process: hooks and singletons."""

    def __init__(self) -> None:
        self.describe_handle: Callable[[int], str] | None = None
        """hook: the text for a handle in the current machine, empty if it has none; set by the installation"""
        self.program: NativeProgram | None = None
        """the C or C++ program of this process, None in Python; set by the toolkit's library"""
        self.range_moved: Callable[[int, int], None] | None = None
        """hook: gets start and size of a window that the system placed at another address than requested, as happens
        under a thread sanitizer; set by the toolkit's library"""
        self.handlers: Final[deque[object]] = deque(maxlen=HANDLERS)
        """signal handlers of closed guards: a thread may be in one, waiting for Python's lock"""
        self._own: Final[dict[type[object], object]] = {}

    def own(self, kind: type[T]) -> T:
        """The process's only object of this class; it is made at the first call."""
        instance = self._own.get(kind)
        if instance is None:
            instance = self._own.setdefault(kind, kind())  # if two threads make one, both get the first
        return cast("T", instance)


process: Final = Process()
