"""The Python side of descriptors.c: descriptors that the library creates and destroys without Python.

The table in C belongs to one machine at a time, and is armed while this machine is the current one. It serves no call
of a machine that keeps a trace, runs work between calls, or has injected failures: Python must see each of these calls.

Known limit. A served call names addresses in pinned memory of the host by their names at the time when its record in
`machine.calls` is read, not by those at the time of the call.
"""

import ctypes
import sys
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from struct import calcsize, iter_unpack, unpack, unpack_from
from typing import Any, Final, cast

import numpy as np

from acl_runtime.abi.conversions import CType
from acl_runtime.abi.function import CFunction
from acl_runtime.abi.pointers import Values
from acl_runtime.abi.unrolled import keeper, receiver
from acl_runtime.api.meta.tensor import TensorParts, parts_of_bytes
from acl_runtime.api.meta.values import SCALAR_TYPES
from acl_runtime.headers.dtypes import nbytes
from acl_runtime.headers.statuses import SUCCESS
from acl_runtime.machine.current import installation
from acl_runtime.machine.machine import Machine
from acl_runtime.objects.executor_life import Executor
from acl_runtime.objects.handle_table import (
    DESTROYED,
    SPACING,
    BoolArray,
    Contents,
    ExecutorMaker,
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
from acl_runtime.trace.records import Kept, Served
from aclnn.tools.toolkit.native_lines import CProgram

KINDS: Final[tuple[type[Thing], ...]] = (Tensor, Scalar, IntArray, FloatArray, BoolArray, TensorList, ScalarList)
ELEMENTS: Final[Mapping[type[Thing], str]] = {IntArray: "int64", FloatArray: "float32", BoolArray: "bool"}
HEAD: Final = "@BBIIiiIIqQQQQ"
"""a `struct descriptor` of descriptors.c, without the pointer to its content"""
DESTRUCTION: Final = "@QQQ"
"""a `struct end`: a destroyed handle, the word of a trail, and the list that was destroyed with it"""
HEAD_SIZE: Final = calcsize(HEAD)
EXECUTOR_HEAD: Final = "@4xI4xiiIIq8xQ"
"""the head of an executor: its ordinal, the numbers of its plan, thread and function, the number of its handles, the
place of the copies in its content, and the word of its trail"""
COPY: Final = "=QIIII"
"""the copy of a scalar or a list for an executor, without its content: number, kind, data type, ordinal, bytes of the
content"""
RING: Final = 1 << 14
WORDS: Final = 24
"""RECORDED of bridge.h"""
EXECUTOR: Final = len(KINDS) + 1
"""the number of executors in C, after those of `KINDS`"""
MOST_PLANS: Final = 4000
"""the most plans in the table of the library (ours); then the table is emptied"""
DEAD: Final = 3
TRAIL_BIT: Final = 1 << 63
"""the bit of a trail's word that marks an index in `_trails`; without it, the word is the return address of a C call"""


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
        """`function` returns the declaration of a function, by its index in the library."""
        python = ctypes.PyDLL(None, handle=library._handle)
        u64, integer, py_object = ctypes.c_uint64, ctypes.c_int, ctypes.py_object
        self.next_handle: Callable[[], int] = _function(python, "aclnn_next_number", u64)
        self.end_of_handles: Callable[[], int] = _function(python, "aclnn_end_of_numbers", u64)
        self._next_ordinal = _function(python, "aclnn_next_ordinal", ctypes.c_uint32, integer)
        self._describe = _function(python, "aclnn_describe", py_object, u64)
        self._forget = _function(python, "aclnn_forget", None, u64)
        self._take_destructions = _function(python, "aclnn_take_ends", py_object)
        self._next_unseen = _function(python, "aclnn_next_unseen", u64, u64, integer)
        self._learn = _function(python, "aclnn_learn", None, ctypes.c_uint32, u64, integer, ctypes.c_char_p,
                                ctypes.c_char_p, integer)  # fmt: skip
        self._drop_plans = _function(python, "aclnn_conditions_changed", None)
        self._asked = _function(python, "aclnn_asked", integer)
        self.latest_executor: Callable[[], int] = _function(python, "aclnn_latest_executor", u64)
        self._contents = _function(python, "aclnn_contents", py_object, ctypes.c_char_p, ctypes.c_size_t)
        self._launched = _function(python, "aclnn_launched", py_object, ctypes.c_char_p, ctypes.c_size_t)
        self._open_table = _function(python, "aclnn_open_table", None, u64)
        self._arm = _function(python, "aclnn_arm", None, integer)
        self._count = memoryview(ctypes.c_uint64.in_dll(library, "aclnn_served")).cast("B").cast("Q")
        """the number of served calls of this process"""
        self._destructions = memoryview(ctypes.c_uint64.in_dll(library, "aclnn_ends")).cast("B").cast("Q")
        """the number of destructions that `_take_destructions` returns"""
        self._ring = (_Call * RING).in_dll(library, "aclnn_calls")
        self._program = process.own(CProgram)
        self._function = function
        self._machine: Machine | None = None
        self._upto = 0
        """the number of served calls that are in the records of the machine"""
        self._trails: list[Trail] = []
        self._indices: dict[tuple[int, ...], int] = {}
        """the index of each trail in `_trails`, by the ids of its code objects and their offsets"""
        self._threads: dict[int, ThreadState] = {}
        self._makers: list[ExecutorMaker] = []
        """makes the executors of each plan that the library has"""
        self._numbers: dict[Hashable, int] = {}
        """the number of each plan in `_makers`"""
        sizes = (ctypes.c_uint8 * 64).in_dll(library, "aclnn_scalar_bytes")
        for dtype in SCALAR_TYPES:
            sizes[dtype] = nbytes(1, dtype)
        installation.changed = self._use
        process.conditions_changed = self._drop_plans

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
            self._makers.clear()
            self._numbers.clear()

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
            if self._destructions[0]:
                for handle, word, owner in iter_unpack(DESTRUCTION, self._take_destructions()):
                    machine.handles.ended(handle, self._verb(owner), self._trail(word))
            seen, thread = installation.seen.state
            if seen is machine and thread is not None:
                self._threads[thread.native_id] = thread
            facts = machine, first, self._upto, machine.memories.used, machine.clock.now
            served: Any = Served(self._records, facts)
            machine.calls.append(served)

    def _records(self, machine: Machine, first: int, end: int, memory: tuple[int, ...], now: float) -> list[Kept]:
        """The records of the calls `first` to `end` - 1, without calls that the ring has overwritten."""
        threads = [*(state for _, state in machine.threads.others()), machine.threads.known()]
        known = {state.native_id: state for state in threads if state is not None} | self._threads
        return [
            self._record(self._ring[at % RING], known, memory, now)
            for at in range(max(first, self._count[0] - RING), end)
        ]

    def _record(self, call: _Call, threads: dict[int, ThreadState], memory: tuple[int, ...], now: float) -> Kept:
        function = self._function(call.function)
        types = [ctype for _, ctype in function.parameters]
        arguments, stored = keeper(types)(_values(types, call.words))
        handle: Any = function.result.null  # a class
        result: object = SUCCESS if function.result.status else handle(call.result)
        if isinstance(stored, list):  # a first phase
            stored = [call.words[len(types)], call.result]
        thread = threads.get(call.thread) or ThreadState(ErrorRecord())  # the thread has ended
        return function, arguments, result, thread, memory, now, now, stored, (), None

    # trails

    def word(self, trail: Trail) -> int:
        """The word of a trail, a `line` of descriptors.c; for a line of C code without callers its return address."""
        if isinstance(trail[0], CProgram) and len(trail) == 2:
            return cast("int", trail[1]) + 1
        key = tuple([part if isinstance(part, int) else id(part) for part in trail])
        if (index := self._indices.get(key)) is None:
            index = self._indices[key] = len(self._trails)
            self._trails.append(trail)
        return index | TRAIL_BIT

    def _trail(self, word: int) -> Trail:
        if word & TRAIL_BIT:
            return self._trails[word ^ TRAIL_BIT]
        return self._program, word - 1

    # objects

    def next_ordinal(self, thing: Thing) -> int:
        """The ordinal of an object that Python makes; 0 if the library makes no objects of this kind."""
        kind = EXECUTOR if isinstance(thing, Executor) else 0
        kind = KINDS.index(type(thing)) + 1 if isinstance(thing, KINDS) else kind
        return self._next_ordinal(kind) if kind else 0

    def object(self, handle: int) -> Thing | None:
        """An object for the descriptor of a handle."""
        raw: bytes = self._describe(handle)
        if not raw:
            return None
        if raw[0] == EXECUTOR:
            return self._executor(handle, raw)
        kind, state, ordinal, _, dtype, format, dims, _, offset, address, made, ended, owner = unpack_from(HEAD, raw)
        content, creation = raw[HEAD_SIZE:], self._trail(made)
        thing: Thing
        cls = KINDS[kind - 1]
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
        thing.number, thing.ordinal, thing.native = handle, ordinal, True
        if state == DEAD:
            thing.ends(("", self._verb(owner), self._trail(ended)))
        return thing

    def _executor(self, handle: int, raw: bytes) -> Thing:
        ordinal, plan, thread, function, count, copies_at, creation = unpack_from(EXECUTOR_HEAD, raw)
        words = HEAD_SIZE + 8 * count
        values = partial(self._values, function, raw, words)
        planner: ThreadState = self._threads[thread]
        make, trail = self._makers[int(plan)], self._trail(creation)
        executor = make(raw[HEAD_SIZE:words], values, raw[HEAD_SIZE + copies_at :], planner.name, trail)
        executor.number, executor.ordinal = handle, ordinal
        return executor

    def _values(self, function: int, raw: bytes, at: int) -> tuple[Any, ...]:
        """The arguments before workspaceSize of a first phase, from the words of its executor."""
        types = [ctype for _, ctype in self._function(function).parameters[:-2]]
        return _values(types, unpack_from(f"@{len(types)}Q", raw, at))

    def _verb(self, owner: int) -> Text:
        """The verb for the history of a destroyed object. `owner`: the list that was destroyed with it; 0: none."""
        if not owner or self._machine is None:
            return DESTROYED
        handles = self._machine.handles
        return Text("destroyed with {owner}", owner=handles.either(owner))

    def contents(self, handles: bytes) -> Contents | None:
        """The contents of these handles."""
        raw: bytes = self._contents(handles, len(handles))
        if not raw:
            return None
        return Contents(*_parts(raw, 3))

    def copies(self, raw: bytes) -> dict[int, Thing]:
        """The scalars and lists in `Contents.copies`, by their handles, as objects that were destroyed long ago."""
        things: dict[int, Thing] = {}
        at = 0
        while at < len(raw):
            handle, kind, dtype, ordinal, size = unpack_from(COPY, raw, at)
            at += calcsize(COPY) + size
            content, cls = raw[at - size : at], KINDS[kind - 1]
            if issubclass(cls, ThingList):
                thing: Thing = cls(unpack(f"{size // 8}Q", content), ())
            else:
                thing = Scalar(content, dtype, ())
            thing.number, thing.ordinal, thing.gone = handle, ordinal, ("", DESTROYED, ())
            things[handle] = thing
        return things

    def learn(self, plan: Hashable, size: int, handles: bytes, *, by_value: bool, make: ExecutorMaker) -> None:
        """Let the library make the executors of later calls that are like the one that it asks Python for."""
        machine, (seen, thread) = self._machine, installation.seen.state
        if machine is None or seen is not machine or thread is None or self._asked() < 0:
            return
        if (number := self._numbers.get(plan)) is None:
            if len(self._makers) >= MOST_PLANS:
                self._drop(machine)
            number = self._numbers[plan] = len(self._makers)
            self._makers.append(make)
        self._threads[thread.native_id] = thread
        self._learn(number, size, by_value, bytes(make.places), handles, len(make.places))

    def _drop(self, machine: Machine) -> None:
        """Forget all plans. Executors that the library made get their objects first, which have their plans."""
        self._drop_plans()
        for handle in list(self._unseen(EXECUTOR)):
            machine.handles.get(handle)
        self._makers.clear()
        self._numbers.clear()

    def launched(self, handles: bytes) -> tuple[bytes, bytes] | None:
        """The values of the scalars and the addresses of the tensors among these handles."""
        raw: bytes = self._launched(handles, len(handles))
        if not raw:
            return None
        values = 16 + raw[0] + (raw[1] << 8)  # as `_parts`, without a loop
        return raw[16:values], raw[values:]

    def makes(self, kind: type[Thing]) -> bool:
        """True if a descriptor can be of this kind."""
        return any(issubclass(cls, kind) for cls in (*KINDS, Executor)) or issubclass(kind, Executor)

    def unseen(self) -> list[int]:
        """The handles of the live descriptors without an object."""
        return list(self._unseen())

    def _unseen(self, kind: int = 0) -> Iterator[int]:
        handle = self._next_unseen(0, kind)
        while handle:
            yield handle
            handle = self._next_unseen(handle + SPACING, kind)

    def forget(self, thing: Thing) -> None:
        """Tell C that Python has destroyed the object of a descriptor."""
        self._forget(thing.number)


def _values(types: Sequence[CType], words: Sequence[int]) -> tuple[Any, ...]:
    """The values of arguments that C passed in words."""
    raw = [ctype.raw.from_buffer_copy(word.to_bytes(8, sys.byteorder)).value
           for ctype, word in zip(types, words, strict=False)]  # fmt: skip
    return receiver(types)(raw)


def _parts(raw: bytes, count: int) -> list[bytes]:
    """The parts that `contents` of first_phases.c returns."""
    at, parts = 8 * count, list[bytes]()
    for size in unpack_from(f"@{count}Q", raw):
        parts.append(raw[at : at + size])
        at += size
    return parts


def _function(library: Any, name: str, result: Any, *arguments: Any) -> Any:
    """A function of the library, called with the interpreter lock held."""
    function = library[name]
    function.restype, function.argtypes = result, arguments
    return function
