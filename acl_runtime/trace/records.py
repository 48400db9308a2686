"""The records of the calls of the host: `machine.calls`. `streams.ran` has the records of tasks."""

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, islice
from types import MappingProxyType
from typing import Final, NamedTuple, SupportsIndex, TypeAlias, cast, overload

from acl_runtime.abi.conversions import Output
from acl_runtime.abi.declarations import function_of
from acl_runtime.abi.function import CFunction
from acl_runtime.headers.handles import Handle
from acl_runtime.streams.host_thread import ThreadState
from acl_runtime.streams.stream import Context, Stream
from acl_runtime.trace.c_lines import line
from acl_runtime.trace.object_names import Names

NOTHING: Final[Mapping[int, str]] = MappingProxyType({})


TaskIds: TypeAlias = tuple[int, ...] | range
Kept: TypeAlias = tuple[
    CFunction, tuple[object, ...], object, ThreadState, tuple[int, ...], float, float, object, TaskIds, Context | None
]
"""The raw record of a call: function, arguments, result, thread, bytes in use, the times of begin and return, the
values written through its pointers (one value, or a list), the tasks that it launched, and the context of a null
stream. It is a tuple, as every call makes one; a `Call` is made of it lazily."""


class _CallRecord(NamedTuple):
    function: str
    arguments: tuple[object, ...]
    result: object


class Call(_CallRecord):
    """One call of the API: a tuple of function, arguments (addresses and handles as numbers) and result, with further
    attributes. `str(call)` is a line of C."""

    kept: Kept
    names: Names
    status: int | None = 0
    """the status that the call returned; for a function that returns no status, the status of its error text; None if
    the call raised: `result` is then the name of the exception"""
    pinned: Mapping[int, str] = NOTHING
    """the names of the call's addresses in pinned memory"""
    inside = ""
    """the function whose callback made this call; empty for other calls"""
    site = ""
    """file and line in the user's program; stored with `trace=True`"""

    @classmethod
    def of(cls, record: Kept, names: Names) -> "Call":
        """Make a call from its raw record."""
        function, arguments, result, *_ = record
        call = cls(function.name, arguments, result)
        call.kept, call.names = record, names
        return call

    @property
    def declared(self) -> CFunction:
        """The function's declaration."""
        return self.kept[0]

    @property
    def caller(self) -> ThreadState:
        """The state of the calling thread."""
        return self.kept[3]

    @property
    def thread(self) -> str:
        """The name of the calling thread."""
        return self.kept[3].name

    @property
    def memory(self) -> tuple[int, ...]:
        """Bytes in use after the call, of each device."""
        return self.kept[4]

    @property
    def began(self) -> float:
        """The simulated time at which the call began, in microseconds."""
        return self.kept[5]

    @property
    def time(self) -> float:
        """The simulated time at which the call returned; later than `began` only if the call waited for work."""
        return self.kept[6]

    @property
    def tasks(self) -> tuple[int, ...]:
        """`Ran.id` of the tasks that the call launched."""
        return tuple(self.kept[8])

    @property
    def context(self) -> Context | None:
        """The context whose default stream the call used, if a null stream was passed."""
        return self.kept[9]

    @property
    def failed(self) -> bool:
        """True if the call returned an error or a null handle, or raised."""
        return self.status != 0 or (isinstance(self.result, Handle) and not self.result)

    @property
    def stream(self) -> str:
        """The name of the stream argument, such as `stream 1`; for null, the default stream; "" if the function has no
        stream."""
        for (_, ctype), value in zip(self.declared.parameters, self.arguments, strict=True):
            if ctype.spelling.endswith("aclrtStream"):
                stream = self.context and self.context.default_stream
                if value:
                    assert isinstance(value, int)
                    stream = self.names.object(value)
                return str(stream) if isinstance(stream, Stream) else ""
        return ""

    @property
    def outputs(self) -> dict[str, object]:
        """The values that the call wrote through its pointers, by parameter, such as `{"devPtr": 0x...}`."""
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


class Served:
    """A sequence of calls that the library of a C program served without Python. `Calls` has it in place of their
    records."""

    __slots__ = ("_facts", "_make")

    def __init__(self, make: Callable[..., Sequence[Kept]], facts: tuple[object, ...]) -> None:
        """`make` makes the records of the `facts`."""
        self._make, self._facts = make, facts

    def records(self) -> Sequence[Kept]:
        """The records, made again in each call."""
        return self._make(*self._facts)


class Calls(deque[Call]):
    """The calls of a machine, in the order in which they returned. The deque has raw records, of which a `Call` is made
    lazily. Other threads may append while a reader iterates: a reader gets the calls at the time when it began."""

    catch_up: Callable[[], None] | None = None
    """hook: appends the latest calls as a `Served`; set by the library of a C program"""

    def __init__(self, names: Names, maxlen: int | None) -> None:
        super().__init__(maxlen=maxlen)
        self._names = names

    def latest(self) -> object:
        """The raw record of the last call that returned; None if there is none. A finding stores it, so the records of
        served calls are made here once."""
        call = next(cast("Iterator[Call | Kept | Served | None]", super().__reversed__()), None)
        while isinstance(call, Served):
            self.pop()
            self.extend(cast("Sequence[Call]", call.records()))
            call = next(cast("Iterator[Call | Kept | Served | None]", super().__reversed__()), None)
        return call.kept if isinstance(call, Call) else call

    def settle(self) -> None:
        """Make the records of all served calls, which the library of the C program is about to drop."""
        calls = self._snapshot()
        self.catch_up = None
        self.clear()
        self.extend(cast("list[Call]", calls))

    def _made(self, call: "Call | Kept") -> Call:
        return call if isinstance(call, Call) else Call.of(call, self._names)

    def _kept(self) -> "list[Call | Kept | Served]":
        """The present contents. One call of C makes the iterator and reads it, so no thread appends meanwhile."""
        if self.catch_up is not None:
            self.catch_up()
        records = cast("Callable[[Calls], Iterator[Call | Kept | Served]]", deque.__iter__)
        return list(chain.from_iterable(map(records, (self,))))

    def _backwards(self) -> "Iterator[Call | Kept]":
        """The present records, the latest first. Records of served calls are made when they are reached."""
        records = reversed(self._kept())
        return islice(
            chain.from_iterable(reversed(raw.records()) if isinstance(raw, Served) else (raw,) for raw in records),
            self.maxlen,
        )

    def _snapshot(self) -> "list[Call | Kept]":
        """The present records."""
        return list(self._backwards())[::-1]

    def __iter__(self) -> Iterator[Call]:
        return map(self._made, self._snapshot())

    def __reversed__(self) -> Iterator[Call]:
        return map(self._made, self._backwards())

    def __bool__(self) -> bool:
        return bool(self._kept())

    def __len__(self) -> int:
        return super().__len__() if self.catch_up is None else len(self._snapshot())

    def __contains__(self, call: object) -> bool:
        return any(call == record for record in self)

    def __eq__(self, other: object) -> bool:
        """True if the other object has the same calls; it may be a list, for tests."""
        return list(self) == (list(other) if isinstance(other, Calls) else other)

    __hash__ = None  # type: ignore[assignment]

    def names(self) -> list[str]:
        """The names of the functions, in order."""
        return [call.function for call in self]

    def of(self, *functions: str | Callable[..., object]) -> list[Call]:
        """The calls of these functions, given as names or functions; ValueError if one is no C function."""
        called = {call.function for call in self}
        names = {function if function in called else function_of(function).name for function in functions}
        return [call for call in self if call.function in names]

    @overload
    def __getitem__(self, place: SupportsIndex) -> Call: ...
    @overload
    def __getitem__(self, place: slice) -> list[Call]: ...
    def __getitem__(self, place: SupportsIndex | slice) -> Call | list[Call]:
        """A call, or a list of calls for a slice, such as `machine.calls[-2:]`."""
        if isinstance(place, slice):
            return list(self)[place]
        if self.catch_up is not None:
            return self._made(self._snapshot()[place])
        return self._made(super().__getitem__(place))

    def lines(self) -> list[str]:
        """Each call as a line of C."""
        return [str(call) for call in self]

    def __str__(self) -> str:
        return "\n".join(self.lines())
