"""What a machine remembers of the past: the calls of the host, the tasks of the devices."""

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple, SupportsIndex, TypeAlias, cast, overload

from acl_runtime.abi.conversions import Output
from acl_runtime.abi.declarations import function_of
from acl_runtime.abi.function import CFunction
from acl_runtime.headers.handles import Handle
from acl_runtime.source.frames import site_of
from acl_runtime.source.site import Site, Trail
from acl_runtime.streams.host_thread import ThreadState
from acl_runtime.streams.stream import Context, Stream
from acl_runtime.trace.lines import line
from acl_runtime.trace.names import Names

NOTHING: Final[Mapping[int, str]] = MappingProxyType({})


Kept: TypeAlias = (
    "tuple[CFunction, tuple[object, ...], object, ThreadState, tuple[int, ...], float, float, object, tuple[int, ...]]"
)
"""What is kept of a call, as every call pays for it: function, arguments, result, thread, bytes in use, when it began
and returned, what was written through its pointers (one object, or a list), the tasks that it launched. A `Call` is
made of it when somebody looks."""


class _Call(NamedTuple):
    function: str
    arguments: tuple[object, ...]
    result: object


class Call(_Call):
    """One call of the API: function, what was passed (addresses and handles as numbers), what came back. These three
    are the tuple; the rest are attributes. `str(call)` is a line of C."""

    kept: Kept
    names: Names
    status: int | None = 0
    """what it answered; of a function that returns none, that of its error text, if it left one; None if it raised, and
    the result tells what"""
    context: Context | None = None
    """whose default stream a null stream means"""
    pinned: Mapping[int, str] = NOTHING
    """the names of its addresses in pinned memory"""
    inside = ""
    """the function that ran the callback that made this call"""
    site = ""
    """file and line of the user's; kept with `trace=True`"""

    @classmethod
    def of(cls, kept: Kept, names: Names) -> "Call":
        """The call of which this was kept."""
        function, arguments, result, *_ = kept
        call = cls(function.name, arguments, result)
        call.kept, call.names = kept, names
        return call

    @property
    def declared(self) -> CFunction:
        """The function's declaration."""
        return self.kept[0]

    @property
    def caller(self) -> ThreadState:
        """The thread that called."""
        return self.kept[3]

    @property
    def thread(self) -> str:
        """Its name."""
        return self.kept[3].name

    @property
    def memory(self) -> tuple[int, ...]:
        """Bytes in use after the call, of each device."""
        return self.kept[4]

    @property
    def began(self) -> float:
        """Of the machine's clock, in microseconds."""
        return self.kept[5]

    @property
    def time(self) -> float:
        """When it returned; later than it began only if it waited for work."""
        return self.kept[6]

    @property
    def tasks(self) -> tuple[int, ...]:
        """`Ran.id` of the tasks that it launched."""
        return self.kept[8]

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
                    found = self.names.object(value)
                return str(found) if isinstance(found, Stream) else ""
        return ""

    @property
    def outputs(self) -> dict[str, object]:
        """What it wrote through its pointers, by parameter: `{"devPtr": 0x...}`."""
        names = [name for name, ctype in self.declared.parameters if isinstance(ctype, Output)]
        stored = self.kept[7]
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
    """The calls of a machine, in the order in which they returned. They become a `Call` each when somebody looks."""

    def __init__(self, names: Names, maxlen: int | None) -> None:
        super().__init__(maxlen=maxlen)
        self._names = names

    def latest(self) -> object:
        """What was kept of the call that returned last; None if there is none."""
        if not self:
            return None
        call = cast("Call | Kept", super().__getitem__(-1))
        return call.kept if isinstance(call, Call) else call

    def _looked_at(self) -> None:
        """Somebody looks at all of them."""
        if any(type(each) is tuple for each in super().__iter__()):
            calls = [self._made(each) for each in super().__iter__()]
            self.clear()
            self.extend(calls)

    def _made(self, call: "Call | Kept") -> Call:
        return call if isinstance(call, Call) else Call.of(call, self._names)

    def __iter__(self) -> Iterator[Call]:
        self._looked_at()
        return super().__iter__()

    def __reversed__(self) -> Iterator[Call]:
        self._looked_at()
        return super().__reversed__()

    def __contains__(self, call: object) -> bool:
        return any(call == each for each in self)

    def __eq__(self, other: object) -> bool:
        """Of a list too, as tests give one."""
        self._looked_at()
        return list(self) == other if isinstance(other, list) else super().__eq__(other)

    __hash__ = None  # type: ignore[assignment]

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
        if isinstance(place, slice):
            return list(self)[place]
        call = self[place] = self._made(super().__getitem__(place))
        return call

    def lines(self) -> list[str]:
        """Each call as a line of C."""
        return [str(call) for call in self]

    def __str__(self) -> str:
        return "\n".join(self.lines())


class Ran(NamedTuple):
    """One task that ran on a device."""

    name: str
    stream: str
    trail: Trail | str
    """where it was launched"""
    start: float
    """simulated microseconds"""
    end: float
    status: int
    id: int = 0
    """how many-th task of the machine it is"""
    device: int = 0
    submitted: float = 0.0
    """simulated microseconds"""

    @property
    def launched(self) -> Site:
        """File and line of the user's."""
        return site_of(self.trail)
