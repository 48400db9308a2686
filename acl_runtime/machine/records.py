"""What a machine remembers of the past: the calls of the host, the tasks of the devices."""

from collections import deque
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple, SupportsIndex, cast, overload

from acl_runtime.conversions import Output
from acl_runtime.function import CFunction
from acl_runtime.handles import Handle
from acl_runtime.machine.declarations import function_of
from acl_runtime.machine.lines import line
from acl_runtime.machine.names import Names
from acl_runtime.machine.stream import Stream

if TYPE_CHECKING:
    from acl_runtime.machine.device import Context
    from acl_runtime.machine.thread import ThreadState

NOTHING: Final[Mapping[int, str]] = MappingProxyType({})


class Circumstances(NamedTuple):
    """What is kept of every call besides the call itself; one object, as every call pays for it."""

    declared: CFunction
    thread: "ThreadState"
    names: Names
    memory: tuple[int, ...]
    began: float
    time: float
    stored: object
    """what was written through its one pointer, or a list of what was through each"""


class _Call(NamedTuple):
    function: str
    arguments: tuple[object, ...]
    result: object


class Call(_Call):
    """One call of the API: function, what was passed (addresses and handles as numbers), what came back. These three
    are the tuple; the rest are attributes. `str(call)` is a line of C."""

    circumstances: Circumstances
    status: int | None = 0
    """what it answered; of a function that returns none, that of its error text, if it left one; None if it raised, and
    the result tells what"""
    context: "Context | None" = None
    """whose default stream a null stream means"""
    pinned: Mapping[int, str] = NOTHING
    """the names of its addresses in pinned memory"""
    tasks: tuple[int, ...] = ()
    """`Ran.id` of the tasks that it launched"""
    inside = ""
    """the function that ran the callback that made this call"""
    site = ""
    """file and line of the user's; kept with `trace=True`"""

    @property
    def declared(self) -> CFunction:
        """The function's declaration."""
        return self.circumstances.declared

    @property
    def thread(self) -> str:
        """The name of the thread that called."""
        return self.circumstances.thread.name

    @property
    def began(self) -> float:
        """Of the machine's clock, in microseconds."""
        return self.circumstances.began

    @property
    def time(self) -> float:
        """When it returned; later than it began only if it waited for work."""
        return self.circumstances.time

    @property
    def memory(self) -> tuple[int, ...]:
        """Bytes in use after the call, of each device."""
        return self.circumstances.memory

    @property
    def failed(self) -> bool:
        """Did it answer an error, or the null of what it should have made, or raise?"""
        return self.status != 0 or (isinstance(self.result, Handle) and not self.result)

    @property
    def stream(self) -> str:
        """The stream that it names, `stream 1`; null is the default stream. "" if it names none."""
        for (_, ctype), value in zip(self.declared.parameters, self.arguments, strict=True):
            if ctype.spelling.endswith("aclrtStream"):
                found = self.context and self.context.default_stream
                if value:
                    assert isinstance(value, int)
                    found = self.circumstances.names.object(value)
                return str(found) if isinstance(found, Stream) else ""
        return ""

    @property
    def outputs(self) -> dict[str, object]:
        """What it wrote through its pointers, by parameter: `{"devPtr": 0x...}`."""
        names = [name for name, ctype in self.declared.parameters if isinstance(ctype, Output)]
        stored = self.circumstances.stored
        values = cast("list[object]", stored) if isinstance(stored, list) else [stored]
        return {name: value for name, value in zip(names, values, strict=False) if value is not None}

    def argument(self, name: str) -> object:
        """The argument of a parameter, by its name in the prototype."""
        names = [each for each, _ in self.declared.parameters]
        if name not in names:
            raise KeyError(f"{name} is no parameter of {self.declared.prototype}")
        return self.arguments[names.index(name)]

    def __str__(self) -> str:
        return line(self)


class Calls(deque[Call]):
    """The calls of a machine, in the order in which they returned."""

    def names(self) -> list[str]:
        """The functions, in order."""
        return [call.function for call in self]

    def of(self, *functions: str | Callable[..., object]) -> list[Call]:
        """The calls of these functions, given by name or as they are; ValueError for what is no C function."""
        called = {call.function for call in self}
        names = {each if each in called else function_of(each).name for each in functions}
        return [call for call in self if call.function in names]

    @overload
    def __getitem__(self, place: SupportsIndex) -> Call: ...
    @overload
    def __getitem__(self, place: slice) -> list[Call]: ...
    def __getitem__(self, place: SupportsIndex | slice) -> Call | list[Call]:
        """A call, or the list of several: `machine.calls[-2:]`."""
        return list(self)[place] if isinstance(place, slice) else super().__getitem__(place)

    def lines(self) -> list[str]:
        """Each call as a line of C."""
        return [str(call) for call in self]

    def __str__(self) -> str:
        return "\n".join(self.lines())


class Ran(NamedTuple):
    """One task that ran on a device."""

    name: str
    stream: str
    launched: str
    start: float
    """simulated microseconds"""
    end: float
    status: int
    id: int = 0
    """how many-th task of the machine it is"""
    device: int = 0
    submitted: float = 0.0
    """simulated microseconds"""
