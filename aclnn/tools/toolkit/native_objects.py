"""The Python side of descriptors.c: descriptors that the library creates and destroys without Python.

The table in C belongs to one machine at a time, and is armed while this machine is the current one. It serves no call
of a machine that keeps a trace, runs work between calls, or has injected failures: Python must see each of these calls.

Known limit. A served call names addresses in pinned memory of the host by their names at the time when its record in
`machine.calls` is read, not by those at the time of the call.
"""

import ctypes
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from struct import calcsize, iter_unpack, unpack, unpack_from
from typing import Any, Final, cast

import numpy as np

from acl_runtime.abi.function import CFunction
from acl_runtime.abi.pointers import Values
from acl_runtime.abi.unrolled import keeper, receiver
from acl_runtime.api.meta.tensor import TensorParts, parts_of_bytes
from acl_runtime.api.meta.values import SCALAR_TYPES
from acl_runtime.headers.dtypes import nbytes
from acl_runtime.headers.statuses import SUCCESS
from acl_runtime.machine.current import installation
from acl_runtime.machine.machine import Machine
from acl_runtime.objects.handle_table import (
    DESTROYED,
    SPACING,
    BoolArray,
    Contents,
    FloatArray,
    HostArray,
    IntArray,
    Scalar,
    ScalarList,
    Tensor,
    TensorList,
    Thing,
    ThingList,
)
from acl_runtime.process import process
from acl_runtime.source.site import Trail
from acl_runtime.streams.host_thread import ErrorRecord, ThreadState
from acl_runtime.text import Text
from acl_runtime.trace.records import Call, Kept, Served
from aclnn.tools.toolkit.native_lines import CProgram

KINDS: Final[tuple[type[Thing], ...]] = (Tensor, Scalar, IntArray, FloatArray, BoolArray, TensorList, ScalarList)
ELEMENTS: Final[Mapping[type[Thing], str]] = {IntArray: "int64", FloatArray: "float32", BoolArray: "bool"}
HEAD: Final = "@BBIIiiIIqQQQQ"
"""a `struct descriptor` of descriptors.c, without the pointer to its content"""
END: Final = "@QQQ"
"""a `struct end`"""
SIZES: Final = "@III"
PARTS: Final = 12
"""offset of the parts in the result of `aclnn_contents`, after their sizes"""
RING: Final = 1 << 14
WORDS: Final = 9
DEAD: Final = 3
NUMBERED: Final = 1 << 63
"""the bit that marks a line as the number of a trail"""


class _Call(ctypes.Structure):
    """A `struct call` of descriptors.c."""

    _fields_ = (
        ("function", ctypes.c_uint32),
        ("thread", ctypes.c_uint32),
        ("result", ctypes.c_uint64),
        ("words", ctypes.c_uint64 * WORDS),
    )


@lru_cache(maxsize=10_000)
def _tensor_parts(raw: bytes, dims: int, dtype: int, offset: int, format: int) -> TensorParts:
    return parts_of_bytes(raw, dims, dtype, offset, format)


class NativeObjects:
    """The descriptors of the library. It implements `acl_runtime.objects.handle_table.NativeHandles`."""

    def __init__(self, library: Any, function: Callable[[int], CFunction]) -> None:
        """`function` returns the declaration of a function, by its number in the library."""
        python = ctypes.PyDLL(None, handle=library._handle)
        number, kind, text = ctypes.c_uint64, ctypes.c_int, ctypes.py_object
        self.next_number: Callable[[], int] = _function(python, "aclnn_next_number", number)
        self.end_of_numbers: Callable[[], int] = _function(python, "aclnn_end_of_numbers", number)
        self._next_ordinal = _function(python, "aclnn_next_ordinal", ctypes.c_uint32, kind)
        self._describe = _function(python, "aclnn_describe", text, number)
        self._forget = _function(python, "aclnn_forget", None, number)
        self._take_ends = _function(python, "aclnn_take_ends", text)
        self._next_unseen = _function(python, "aclnn_next_unseen", number, number)
        self._contents = _function(python, "aclnn_contents", text, ctypes.c_char_p, ctypes.c_size_t)
        self._open_table = _function(python, "aclnn_open_table", None, number)
        self._arm = _function(python, "aclnn_arm", None, kind)
        self._count = memoryview(ctypes.c_uint64.in_dll(library, "aclnn_served")).cast("B").cast("Q")
        """the number of served calls of this process"""
        self._ends = memoryview(ctypes.c_uint64.in_dll(library, "aclnn_ends")).cast("B").cast("Q")
        """the number of ends for `_take_ends`"""
        self._ring = (_Call * RING).in_dll(library, "aclnn_calls")
        self._function = function
        self._machine: Machine | None = None
        self._upto = 0
        """the number of served calls that the machine's record has"""
        self._trails: list[Trail] = []
        self._numbers: dict[tuple[int, ...], int] = {}
        """the places in `_trails`, by the ids of the code objects and the offsets"""
        self._threads: dict[int, ThreadState] = {}
        sizes = (ctypes.c_uint8 * 64).in_dll(library, "aclnn_scalar_bytes")
        for dtype in SCALAR_TYPES:
            sizes[dtype] = nbytes(1, dtype)
        installation.changed = self._use

    # machines

    def begin(self, machine: Machine) -> None:
        """Open the table for a new machine, which becomes the current one."""
        self._settle()
        if machine.options.trace or machine.scheduler.runs_between_calls or machine.faults.injectors:
            return
        self._machine, self._upto = machine, self._count[0]
        self._open_table(machine.handles.open())
        machine.handles.share(self)
        machine.calls.catch_up = self.catch_up
        machine.faults.before_first = self.stop

    def _settle(self) -> None:
        """Make the records of the last machine before another machine uses the table and the ring."""
        last = self._machine
        if last is not None:
            self.stop()
            last.calls.settle()
            last.handles.part()
            self._machine = None
            self._threads.clear()

    def _use(self, machine: object) -> None:
        mine = self._machine
        self._arm(mine is not None and machine is mine and not mine.faults.failures)

    def stop(self) -> None:
        """Leave all calls to Python from now on."""
        self._arm(0)

    def catch_up(self) -> None:
        """Add the calls that the library served since the last time to the records of the machine."""
        machine = self._machine
        if machine is None or self._count[0] == self._upto:
            return
        with machine.lock:
            first, self._upto = self._upto, self._count[0]
            if first == self._upto:
                return
            if self._ends[0]:
                for number, line, owner in iter_unpack(END, self._take_ends()):
                    machine.handles.ended(number, self._verb(owner), self._trail(line))
            seen, thread = installation.seen.state
            if seen is machine and thread is not None:
                self._threads[thread.native_id] = thread
            facts = machine, first, self._upto, machine.memories.used, machine.clock.now
            machine.calls.append(cast("Call", Served(self._records, facts)))

    def _records(self, machine: Machine, first: int, end: int, memory: tuple[int, ...], now: float) -> list[Kept]:
        """The records of the calls from the number `first` on, as far as the ring still has them."""
        threads = [*(state for _, state in machine.threads.others()), machine.threads.known()]
        known = {state.native_id: state for state in threads if state is not None} | self._threads
        return [
            self._record(self._ring[at % RING], known, memory, now)
            for at in range(max(first, self._count[0] - RING), end)
        ]

    def _record(self, call: _Call, threads: dict[int, ThreadState], memory: tuple[int, ...], now: float) -> Kept:
        function = self._function(call.function)
        types = [ctype for _, ctype in function.parameters]
        raw = [ctype.raw(word).value for ctype, word in zip(types, call.words, strict=False)]
        arguments, stored = keeper(types)(receiver(types)(raw))
        handle: Any = function.result.null  # a class
        result: object = SUCCESS if function.result.status else handle(call.result)
        thread = threads.get(call.thread) or ThreadState(ErrorRecord())  # the thread has ended
        return function, arguments, result, thread, memory, now, now, stored, ()

    # lines

    def number(self, trail: Trail) -> int:
        """The number of a trail for C; for a line of C code without callers its return address."""
        if isinstance(trail[0], CProgram) and len(trail) == 2:
            return cast("int", trail[1]) + 1
        key = tuple([each if isinstance(each, int) else id(each) for each in trail])
        if (number := self._numbers.get(key)) is None:
            number = self._numbers[key] = len(self._trails)
            self._trails.append(trail)
        return number | NUMBERED

    def _trail(self, line: int) -> Trail:
        if line & NUMBERED:
            return self._trails[line ^ NUMBERED]
        return process.own(CProgram), line - 1

    # objects

    def next_ordinal(self, thing: Thing) -> int:
        """The ordinal of an object that Python makes; 0 if the library makes no objects of this kind."""
        return self._next_ordinal(KINDS.index(type(thing)) + 1) if isinstance(thing, KINDS) else 0

    def object(self, number: int) -> Thing | None:
        """An object for the descriptor of a number."""
        raw: bytes = self._describe(number)
        if not raw:
            return None
        kind, state, ordinal, _, dtype, format, dims, _, offset, address, made, ended, owner = unpack_from(HEAD, raw)
        content, creation = raw[calcsize(HEAD) :], self._trail(made)
        cls = KINDS[kind - 1]
        thing: Thing
        if issubclass(cls, Tensor):
            shape, strides, storage, view, _ = _tensor_parts(content, dims, dtype, offset, format)
            thing = Tensor(shape, dtype, strides, offset, format, storage, address, creation, view)
        elif issubclass(cls, Scalar):
            thing = Scalar(content, dtype, creation)
        elif issubclass(cls, ThingList):
            thing = cls(unpack(f"{len(content) // 8}Q", content), creation)
        else:
            assert issubclass(cls, HostArray)
            thing = cls(Values(None, 0, np.dtype(ELEMENTS[cls])).of_memory(content), creation)
        thing.number, thing.ordinal, thing.native = number, ordinal, True
        if state == DEAD:
            thing.ends(("", self._verb(owner), self._trail(ended)))
        return thing

    def _verb(self, owner: int) -> Text:
        """The verb for the history of a destroyed object. `owner`: the list that was destroyed with it; 0: none."""
        if not owner or self._machine is None:
            return DESTROYED
        handles = self._machine.handles
        return Text("destroyed with {owner}", owner=handles.either(owner))

    def contents(self, numbers: bytes) -> Contents | None:
        """The contents of these handles."""
        raw: bytes = self._contents(numbers, len(numbers))
        if not raw:
            return None
        key, scalars, _ = unpack_from(SIZES, raw)
        key += PARTS
        return Contents(raw[PARTS:key], raw[key : key + scalars], raw[key + scalars :])

    def makes(self, kind: type[Thing]) -> bool:
        """True if a descriptor can be of this kind."""
        return any(issubclass(each, kind) for each in KINDS)

    def unseen(self) -> list[int]:
        """The numbers of the live descriptors without an object."""
        return list(self._unseen())

    def _unseen(self) -> Iterator[int]:
        number = self._next_unseen(0)
        while number:
            yield number
            number = self._next_unseen(number + SPACING)

    def forget(self, thing: Thing) -> None:
        """Note that Python has destroyed the object of a descriptor."""
        self._forget(thing.number)


def _function(library: Any, name: str, result: Any, *arguments: Any) -> Any:
    """A function of the library, called with the interpreter lock held."""
    function = library[name]
    function.restype, function.argtypes = result, arguments
    return function
