"""The objects behind handles, and the table that finds an object by its number."""

from collections import deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import lru_cache
from math import prod
from types import CodeType
from typing import Any, Final, NamedTuple, Protocol, TypeVar

import numpy as np

from acl_runtime.errors import Fix, Past
from acl_runtime.headers.dtype_names import dtype_name
from acl_runtime.headers.dtypes import nbytes, numpy_dtype
from acl_runtime.objects.address_range import Window, hints, whole
from acl_runtime.source.frames import site_of, trail
from acl_runtime.source.site import Site, Trail
from acl_runtime.text import Text

SPACING: Final = 64
ROOM: Final = 1 << 32
HANDLE_RANGES: Final = 512
"""the number of ranges that the machines of one process use in turn, so that a stale handle finds no new object"""
HINT: Final = 0x0AC1_0000_0000
HISTORY: Final = 10_000
NEVER: Final = Fix(
    python=Text(
        "Pass the whole handle that the creating function returned or wrote: ctypes cuts it to 32 bits unless restype "
        "is c_void_p."
    ),
    c=Text("Pass the handle that the creating function returned or wrote."),
)
"""the hint for a number that is no handle"""
DESTROYED: Final = Text("destroyed")
"""the usual verb for the end of an object, which completes "was ..." """


class Thing:
    """The base class of all objects with a handle. It has the lines that created and destroyed the object."""

    kind = Text("object")
    destroyer = ""
    """the C function that destroys the object"""
    cross_thread = ""
    """the id of the finding if two threads use it at the same time; empty if they may"""
    leak = ""
    """the id of the finding if it is never destroyed, for a kind that `checks` does not know"""
    renamed = False
    """True if the text of the object changes after its end; then `ends` stores the text"""
    number = 0
    ordinal = 0
    taint: frozenset[str] | set[str] = frozenset()
    """the ids of findings about the object, which `checks.consequences` marks"""
    gone: tuple[str, str, Trail] | None = None
    """for a destroyed object: its text if `renamed`, the verb for its end, the trail of its end"""
    native = False
    """True if the library of a C program made the handle"""
    _ended = ""
    _end: Past | None = None

    def __init__(self, creation: Trail | None = None) -> None:
        self._made = trail() if creation is None else creation

    def __str__(self) -> str:
        return self.kind + f" {self.ordinal}"  # faster than a `Text`

    def call_failed(self, function: str, *, reported: bool) -> None:
        """Called when a call of an exclusive function with it has failed. `reported`: True if the program knows of a
        finding, or the failure was injected."""

    @property
    def label(self) -> str:
        """The name in a trace."""
        return str(self)

    @property
    def made(self) -> Site:
        """The line that created the object."""
        return site_of(self._made)

    @property
    def origin(self) -> object:
        """A key that is equal for objects of one loop: the trail to the line that created the object. For C it is the
        object itself, as only one line is known there, and this line may create all objects of a kind."""
        return self._made if self._made and isinstance(self._made[0], CodeType) else self

    @property
    def ended(self) -> str:
        """The end as a text, such as `destroyed at FILE:LINE`; empty while the object lives."""
        return f"{self.gone[1]} at {site_of(self.gone[2])}" if self.gone is not None else self._ended

    @ended.setter
    def ended(self, verb: str) -> None:
        self._ended = verb

    @property
    def end(self) -> Past | None:
        """The end as a line of a history; None while the object lives."""
        if self.gone is None:
            return self._end
        name, verb, trail = self.gone
        return Past(Text("{thing} was {how}", thing=name or self, how=verb), site_of(trail))

    @end.setter
    def end(self, past: Past) -> None:
        self._end = past

    def ends(self, end: tuple[str, str, Trail]) -> None:
        """Store the end: an empty name, a verb and a trail, of which the text is made lazily."""
        self.gone = (str(self), *end[1:]) if self.renamed else end

    def past(self) -> tuple[Past, ...]:
        """The history for a finding: the creation, and the end if the object has one."""
        creation, end = Past(Text("{thing} was created", thing=self), self.made), self.end
        return (creation,) if end is None else (creation, end)

    def history(self) -> str:
        """The history in one text: `created at FILE:LINE, destroyed at FILE:LINE`."""
        return f"created at {self.made}" + (f", {self.ended}" if self.ended else "")


Some = TypeVar("Some", bound=Thing)


class Contents(NamedTuple):
    """The contents of the handles of a call, as bytes."""

    key: bytes
    """the contents on which a plan depends, without the values of scalars"""
    scalars: bytes
    """the values of the scalars"""
    copies: bytes
    """the scalars and lists, which a launch needs also if they are destroyed before; see `NativeHandles.copies`"""


class ExecutorMaker(Protocol):
    """A function that makes an executor of a plan."""

    places: Sequence[int]
    """the places of the handles among the arguments of the first phase"""

    def __call__(
        self, handles: bytes, values: Callable[[], tuple[Any, ...]], copies: bytes, thread: str, creation: Trail
    ) -> Thing:
        """`handles` of the call, `values` of its arguments, its scalars and lists as in `Contents.copies`, the name of
        the `thread`, and the line of the call."""
        ...


class NativeHandles(Protocol):
    """The descriptors that the library of a C program makes. Python objects have handles of the same sequence."""

    def next_handle(self) -> int:
        """A handle for an object that Python makes."""
        ...

    def next_ordinal(self, thing: Thing) -> int:
        """The ordinal of an object that Python makes; 0 if the library makes none of its kind."""
        ...

    def end_of_handles(self) -> int:
        """The first handle that is not in use yet."""
        ...

    def object(self, handle: int) -> Thing | None:
        """An object for the descriptor of a handle, alive or destroyed; None if the library has no such descriptor."""
        ...

    def contents(self, handles: bytes) -> Contents | None:
        """The contents of these handles, of 8 bytes each; None if a handle is dead or made by Python."""
        ...

    def copies(self, raw: bytes) -> dict[int, Thing]:
        """The scalars and lists in `Contents.copies`, by their handles."""
        ...

    def learn(self, plan: Hashable, size: int, handles: bytes, *, by_value: bool, make: ExecutorMaker) -> None:
        """Keep the plan of the first phase that the library has asked Python for, so that the library can make the
        executor of the next such call. `size`: of the workspace; `handles`: of the call; `by_value`: the plan depends
        on the values of scalars; `make` makes an executor of the plan."""
        ...

    def latest_executor(self) -> int:
        """The handle of the executor that the library made last for the calling thread; 0 if it made none."""
        ...

    def launched(self, handles: bytes) -> tuple[bytes, bytes] | None:
        """The values of the scalars and the addresses of the tensors among these handles; None as for `contents`."""
        ...

    def makes(self, kind: type[Thing]) -> bool:
        """True if a descriptor can be of this kind."""
        ...

    def unseen(self) -> list[int]:
        """The handles of live descriptors for which `object` has made no object."""
        ...

    def forget(self, thing: Thing) -> None:
        """Python has destroyed an object that `object` made."""
        ...

    def stop(self) -> None:
        """Stop serving calls, because the machine is closed; Python then serves them."""
        ...


class Handles:
    """The table of handles, which are numbers in a window, 64 bytes apart. No number is used twice."""

    def __init__(self, *, window: bool, turn: int = 0, trace: bool = False) -> None:
        self._reserve = window
        self._hints = hints(HINT, ROOM, HANDLE_RANGES, turn)
        self._window: Window | None = None
        self._next = 0
        self._live: dict[int, Thing] = {}
        self._dead: dict[int, Thing] = {}
        self._end: tuple[str, str, Trail] = "", "", ()
        """the last end, which objects that end at one line share, so that the garbage collector has fewer objects"""
        self._order: deque[int] = deque()
        """the numbers in `_dead`, the oldest first (faster than an OrderedDict)"""
        self._counts: dict[str, int] = {}
        self._trace = trace
        self._forgotten: dict[int, str] = {}
        """the labels of older dead objects; filled only if all calls are stored, as they may have these handles"""
        self.native: NativeHandles | None = None
        """the library of a C program, if it shares the sequence of numbers"""
        self.made: Callable[[int], Thing | None] = self._live.get
        """the live object of a number that Python has made, so no descriptor of a C program"""
        self.get: Callable[[int], Thing | None] = self._live.get
        """the live object of a number, of any kind; the dict's own method, as every call uses it"""

    def open(self) -> int:
        """Reserve the window. Returns the first number."""
        if self._window is None:
            self._window = Window(ROOM, self._hints, reserve=self._reserve)
            self._next = self._window.start + SPACING
        return self._next

    def share(self, native: NativeHandles) -> None:
        """Share the sequence of numbers with the library of a C program, which assigns numbers to descriptors itself.
        Call it after `open`, before an object exists."""
        self.native, self.get = native, self._find

    def part(self) -> None:
        """Stop sharing, because the library serves another machine and has dropped the descriptors of this machine."""
        if self.native is not None:
            self._next, self.native, self.get = self.native.end_of_handles(), None, self._live.get

    def _find(self, number: int) -> Thing | None:
        thing = self._live.get(number)
        if thing is None and number and self.native is not None and number not in self._dead:
            thing = self.native.object(number)
            if thing is None or thing.gone is not None:
                return None
            thing = self._live.setdefault(number, thing)
        return thing

    def add(self, thing: Thing) -> int:
        """Give an object a number, and an ordinal among the objects of its kind. Returns the number."""
        native = self.native
        if native is None:
            if self._window is None:
                self.open()
            thing.number = self._next
            self._next += SPACING
            ordinal = 0
        else:
            thing.number, ordinal = native.next_handle(), native.next_ordinal(thing)
        if not ordinal:
            kind = thing.kind
            self._counts[kind] = ordinal = self._counts.get(kind, 0) + 1
        thing.ordinal = ordinal
        self._live[thing.number] = thing
        return thing.number

    def remove(self, thing: Thing, verb: str = DESTROYED, place: Trail | None = None) -> None:
        """Remove a live object. `verb`: the verb for its end in the history."""
        del self._live[thing.number]
        if thing.native and self.native is not None:
            self.native.forget(thing)
        self._bury(thing, verb, place or trail())

    def ended(self, number: int, verb: str, place: Trail) -> None:
        """The library of a C program has destroyed the object of a number."""
        thing = self._live.pop(number, None)
        if thing is not None:
            self._bury(thing, verb, place)

    def _bury(self, thing: Thing, verb: str, place: Trail) -> None:
        if self._end[1] != verb or self._end[2] is not place:
            self._end = "", verb, place
        thing.ends(self._end)
        self._dead[thing.number] = thing
        self._order.append(thing.number)
        while len(self._order) > HISTORY:
            oldest = self._dead.pop(self._order.popleft())
            if self._trace:
                self._forgotten[oldest.number] = oldest.label

    def find(self, number: int, kind: type[Some]) -> Some | None:
        """The live object of this kind and number."""
        thing = self._live.get(number) or (self.native and self._find(number))
        return thing if isinstance(thing, kind) else None

    def dead(self, number: int) -> Thing | None:
        """The destroyed object that had this number, if it is stored."""
        thing = self._dead.get(number)
        if thing is None and self.native is not None and number not in self._live:
            thing = self.native.object(number)
            if thing is None or thing.gone is None:
                return None
            self._dead[number] = thing
            self._order.append(number)
        return thing

    def either(self, number: int) -> Thing | None:
        """The object of a number, alive or destroyed."""
        return self.get(number) or self.dead(number)

    def label(self, number: int) -> str:
        """The name in a trace of the object of this number; "" if the number is no handle."""
        thing = self.either(number)
        if thing is not None:
            return thing.label
        return self._forgotten.get(number, "a dead handle") if number in self else ""

    def all(self, kind: type[Some]) -> Iterator[Some]:
        """The live objects of a kind, in the order of their creation."""
        if self.native is not None and self.native.makes(kind):
            for number in self.native.unseen():
                self._find(number)
            return (thing for _, thing in sorted(self._live.items()) if isinstance(thing, kind))
        return (thing for thing in self._live.values() if isinstance(thing, kind))

    def __contains__(self, number: int) -> bool:
        """True for a number that was given out as a handle, live or not."""
        return (
            self._window is not None
            and number in self._window
            and self._window.start < number < (self.native.end_of_handles() if self.native else self._next)
            and (number - self._window.start) % SPACING == 0
        )

    def describe(self, number: int) -> tuple[str, tuple[Past, ...]]:
        """A description of a handle that is no live object of the expected kind, and its history."""
        if (thing := self.either(number)) is not None:
            where = Text("{thing} is gone", thing=thing) if thing.end else Text("it is {thing}", thing=thing)
            return where, thing.past()
        if number in self:
            return Text("handle {number} was destroyed long ago", number=f"{number:#x}"), ()
        thing = self.either(whole(number, self._window.start)) if self._window is not None else None
        if thing is not None:
            return Text(
                "{number} is the lower half of the handle of {thing}: ctypes cuts an int unless argtypes says c_void_p",
                number=f"{number:#x}",
                thing=thing,
            ), ()
        return Text("{number} is no handle that this machine gave out", number=f"{number:#x}"), ()

    def remedy(self, number: int, otherwise: Text | None) -> Text | Fix | None:
        """The hint: `otherwise`, or `NEVER` for a number that never was a handle."""
        ever = number in self or number in self._live or number in self._dead
        return otherwise if ever else NEVER

    def whereabouts(self, number: int) -> str:
        """The description of a handle for an error text, including the history."""
        thing = self.either(number)
        return self.describe(number)[0] + (f": {thing.history()}" if thing is not None else "")

    def close(self) -> None:
        """Return the reserved numbers."""
        if self.native is not None:
            self.native.stop()
        if self._window is not None:
            self._window.close()


class View:
    """A tensor without its address. Equal views are one object, so that they can be compared by identity."""


@lru_cache(maxsize=10_000)
def view_of(*parts: object) -> View:
    """The view of this data type, shape, strides, offset, format and storage."""
    return View()


class Tensor(Thing):
    """aclTensor: a view of device memory. Strides and offset count elements; the memory is not owned."""

    kind = Text("tensor")
    destroyer = "aclDestroyTensor"

    def __init__(
        self,
        shape: tuple[int, ...],
        dtype: int,
        strides: tuple[int, ...],
        offset: int,
        format: int,
        storage_shape: tuple[int, ...],
        address: int,
        creation: Trail | None = None,
        view: View | None = None,
    ) -> None:
        self._made = trail() if creation is None else creation  # faster than `super()`, as programs make many tensors
        self.describe(shape, dtype, strides, offset, format, storage_shape, view)
        self.address = address
        """base address, without the offset"""

    def describe(
        self,
        shape: tuple[int, ...],
        dtype: int,
        strides: tuple[int, ...],
        offset: int,
        format: int,
        storage_shape: tuple[int, ...],
        view: View | None = None,
    ) -> None:
        """Set all attributes except for the address. `view`: the view of these values, if the caller has it."""
        self.shape = shape
        self.dtype = dtype
        self.strides = strides
        self.offset = offset
        self.format = self.storage_format = format
        self.storage_shape = storage_shape
        self._view = view
        """`view`, computed lazily"""

    def __str__(self) -> str:
        name = self.label if self.ordinal else self.kind
        return f"{name} ({dtype_name(self.dtype)} {list(self.shape)})"

    def stored_as(self, storage_format: int, storage_shape: tuple[int, ...]) -> None:
        """Change the format and the shape of the storage; the view stays."""
        self.storage_format, self.storage_shape, self._view = storage_format, storage_shape, None

    @property
    def label(self) -> str:
        return super().__str__()

    @property
    def view(self) -> View:
        """The view: one object for all tensors that differ only in their address."""
        if self._view is None:
            formats = self.format, self.storage_format
            self._view = view_of(self.shape, self.dtype, self.strides, self.offset, formats, self.storage_shape)
        return self._view

    @property
    def numel(self) -> int:
        """Number of elements of the view."""
        return prod(self.shape)

    @property
    def contiguous(self) -> bool:
        """True if row-major without gaps. Sizes of 1 do not count. A tensor of at most one element has no gaps."""
        return is_contiguous(self.shape, self.strides)

    @property
    def storage_bytes(self) -> int:
        """Bytes of the declared storage."""
        return nbytes(prod(self.storage_shape), self.dtype)

    def snapshot(self) -> "Tensor":
        """A copy with a separate address, which a generated operator makes in the first phase."""
        copy = Tensor(
            self.shape, self.dtype, self.strides, self.offset, self.format, self.storage_shape, self.address, self._made
        )
        copy.storage_format = self.storage_format
        if not isinstance(self.taint, set):
            self.taint = set(self.taint)  # a set that both share; most tensors have no snapshot, and need no set
        copy.ordinal, copy.taint = self.ordinal, self.taint
        return copy


def row_major(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Strides, in elements, of a dense row-major tensor."""
    strides, step = [0] * len(shape), 1
    for i in range(len(shape) - 1, -1, -1):
        strides[i] = step
        step *= shape[i]
    return tuple(strides)


def is_contiguous(shape: tuple[int, ...], strides: tuple[int, ...]) -> bool:
    """True if row-major without gaps. Sizes of 1 do not count. A tensor of at most one element has no gaps."""
    step, result = 1, True
    for size, stride in zip(reversed(shape), reversed(strides), strict=True):
        if size == 0:
            return True
        if size != 1:
            result = result and stride == step
            step *= size
    return result


def reach(shape: tuple[int, ...], strides: tuple[int, ...]) -> tuple[int, int]:
    """The offsets of the lowest and the highest element, from element 0; (0, -1) for a tensor without elements."""
    low = high = 0
    for size, stride in zip(shape, strides, strict=True):
        if size <= 0:
            return 0, -1
        if stride < 0:
            low += (size - 1) * stride
        else:
            high += (size - 1) * stride
    return low, high


class Scalar(Thing):
    """aclScalar: the bytes of one value, copied at creation."""

    kind = Text("scalar")
    destroyer = "aclDestroyScalar"

    def __init__(self, value: bytes, dtype: int, creation: Trail | None = None) -> None:
        super().__init__(creation)
        self._value = value
        self.dtype = dtype
        self.looked = False
        """True after `value` was read. A plan that did not read it does not depend on the value"""

    @property
    def value(self) -> bytes:
        """The bytes."""
        self.looked = True
        return self._value

    def content(self) -> Hashable:
        """A key for plans: scalars of the same content have the same plans."""
        return self.dtype, self._value

    def item(self) -> Any:
        """The value as a Python number; TypeError for a data type that numpy does not have."""
        dtype = numpy_dtype(self.dtype)
        if dtype is None:
            raise TypeError(f"numpy has no arithmetic for {dtype_name(self.dtype)}")
        return np.frombuffer(self.value, dtype)[0].item()


class HostArray(Thing):
    """The base of aclIntArray, aclFloatArray and aclBoolArray: values copied at creation."""

    def __init__(self, values: tuple[float, ...], creation: Trail | None = None) -> None:
        super().__init__(creation)
        self.values = values

    def content(self) -> Hashable:
        """A key for plans: the values."""
        return self.values


class IntArray(HostArray):
    """aclIntArray."""

    kind = Text("int array")
    destroyer = "aclDestroyIntArray"


class FloatArray(HostArray):
    """aclFloatArray."""

    kind = Text("float array")
    destroyer = "aclDestroyFloatArray"

    def content(self) -> Hashable:
        """A key for plans: the values as texts, as 0.0 and -0.0 have different texts, and NaN has one."""
        return tuple([value.hex() for value in self.values])


class BoolArray(HostArray):
    """aclBoolArray."""

    kind = Text("bool array")
    destroyer = "aclDestroyBoolArray"


class ThingList(Thing):
    """The base of aclTensorList and aclScalarList: the handles of the members, 0 for a null member. Destroying the list
    destroys the members."""

    member_kind: type[Thing]

    def __init__(self, members: tuple[int, ...], creation: Trail | None = None) -> None:
        super().__init__(creation)
        self.members = members


class TensorList(ThingList):
    """aclTensorList."""

    kind = Text("tensor list")
    member_kind = Tensor
    destroyer = "aclDestroyTensorList"


class ScalarList(ThingList):
    """aclScalarList."""

    kind = Text("scalar list")
    member_kind = Scalar
    destroyer = "aclDestroyScalarList"
