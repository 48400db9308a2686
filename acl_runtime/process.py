"""All state of the process: `process` is the only mutable object outside of a machine.

Machines are independent of each other. Some state cannot belong to a machine: the current machine, the source lines of
a C program, signal handlers, buffers of a thread. All of it is in `process`, so that `vars(process)` shows it, and no
other object at module level ever changes. There are two kinds of state:

- A hook is a field with a function, None until a higher module sets it. Lower modules call the hook. So the `repr` of a
  handle gets its text from the current machine, although the module of handles does not import a machine.
- A singleton is the process's only object of a class: `process.own(MachineStack)` makes it at the first call. Its class
  has no parameters, and is defined in the module that uses it, so that this module imports no other module of the
  emulator.

Rejected. A field for each singleton: its class would have to be imported here, or repeated as a protocol. A global
variable in each module: their number would be unknown.

Not counted as state: the results of `functools.cache`, as a second call would compute the same result; and objects of
Python, such as `sys.modules`. `import acl` and the commands change `sys.modules` on purpose;
tests/project/test_state.py lists the places.
"""

from collections import deque
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Final, Protocol, TypeVar, cast

T = TypeVar("T")
HANDLERS: Final = 16
"""the number of old signal handlers that are stored, as a thread may be running one"""


class NativeProgram(Protocol):
    """A host program in C or C++, in which an instruction address identifies a source line."""

    def trail(self) -> "tuple[CodeType | NativeProgram | int, ...]":
        """The instruction that made the innermost call and its callers, as far as they are known (see `Trail`)."""
        ...

    def interrupted(self, instruction: int) -> "tuple[CodeType | NativeProgram | int, ...]":
        """The line at which a signal interrupted the program, and its callers (see `Trail`). Code of the system, such
        as memcpy, is left out."""
        ...

    def line(self, address: int) -> str:
        """The source line of an instruction, as `file:line`."""
        ...

    def lines(self, address: int) -> list[str]:
        """The source line of an instruction, and those where a compiler put the code of its function into that of
        others."""
        ...

    def function(self, address: int) -> object:
        """A key of the function that has this instruction."""
        ...

    def installed(self, address: int) -> bool:
        """True if the instruction belongs to an installed package of Python, so that a finding has the line in
        Python."""
        ...

    def read(self, one: int, size: int, two: int, size_two: int, three: int, size_three: int) -> bytes:
        """The bytes of three small ranges of memory, joined. Empty if some bytes cannot be read, or if this is
        unknown."""
        ...

    def stack(self, frame: FrameType) -> bytes:
        """A key that is equal for calls from one instruction and the same Python frames from `frame` on. Empty if it
        cannot be made."""
        ...


class Process:
    """The state of the process: hooks and singletons."""

    def __init__(self) -> None:
        self.describe_handle: Callable[[int], str] | None = None
        """hook: returns the text for a handle in the current machine, empty for an unknown handle; set by the
        installation"""
        self.program: NativeProgram | None = None
        """the C or C++ program of this process, None in Python; set by the toolkit's library"""
        self.range_moved: Callable[[int, int], None] | None = None
        """hook: called with start and size of a window for which the system chose another address than requested, as
        under a thread sanitizer; set by the toolkit's library"""
        self.event_lives: Callable[[int, bool], object] | None = None
        """hook: called with the handle of an event and True after its creation, False before its destruction; set by
        the toolkit's library"""
        self.conditions_changed: Callable[[], object] | None = None
        """hook: called when a change of the machine may change the plans of first phases; set by the toolkit's
        library"""
        self.handlers: Final[deque[object]] = deque(maxlen=HANDLERS)
        """signal handlers of closed guards, as a thread in a handler may be waiting for Python's lock"""
        self._own: Final[dict[type[object], object]] = {}

    def change_conditions(self) -> None:
        """Call the hook `conditions_changed`, if it is set."""
        if self.conditions_changed is not None:
            self.conditions_changed()

    def own(self, kind: type[T]) -> T:
        """The only object of this class in the process, made at the first call."""
        instance = self._own.get(kind)
        if instance is None:
            instance = self._own.setdefault(kind, kind())  # if two threads make an object, both get the first
        return cast("T", instance)


process: Final = Process()
