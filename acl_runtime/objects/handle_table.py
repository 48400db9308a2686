"""The objects behind the handles, and the table that finds them by number."""

from collections import deque
from collections.abc import Callable, Iterator
from functools import lru_cache
from math import prod
from types import CodeType
from typing import Any, Final, TypeVar

import numpy as np

from acl_runtime.errors import Fix, Past
from acl_runtime.headers.dtypes import dtype_name, nbytes, numpy_dtype
from acl_runtime.objects.address_range import Window
from acl_runtime.source.frames import site_of, trail
from acl_runtime.source.site import Site, Trail

SPACING: Final = 64
ROOM: Final = 1 << 32
PLACES: Final = 512
"""machines of one process take their handles from so many ranges in turn, so that a stale handle meets no new object"""
HINT: Final = 0x0AC1_0000_0000
HISTORY: Final = 10_000
NEVER: Final = Fix(
    python="Pass the whole handle that the creating function returned or wrote: ctypes cuts it to 32 bits unless "
    "restype is c_void_p.",
    c="Pass the handle that the creating function returned or wrote.",
)
"""what to do about a number that is no handle"""


class Thing:
    """Anything with a handle: it knows where it was made and where it ended."""

    kind = "object"
    destroyer = ""
    """the C function that ends it"""
    renamed = False
    """may its text change when it is gone?"""
    number = 0
    ordinal = 0
    gone: tuple[str, str, Trail] | None = None
    """its text, if that may change, how it went away and where; None while it lives"""
    _ended = ""
    _end: Past | None = None

    def __init__(self, made: Trail | None = None) -> None:
        self._made = made or trail()

    def __str__(self) -> str:
        return f"{self.kind} {self.ordinal}"

    @property
    def label(self) -> str:
        """What a trace calls it."""
        return str(self)

    @property
    def made(self) -> Site:
        """Where it was made."""
        return site_of(self._made)

    @property
    def origin(self) -> object:
        """The way to the line that made it, which a loop goes more than once; itself, where only the line is known, as
        in C, where one constructor makes all of its kind."""
        return self._made if self._made and isinstance(self._made[0], CodeType) else self

    @property
    def ended(self) -> str:
        """How and where it went away; empty while it lives."""
        return f"{self.gone[1]} at {site_of(self.gone[2])}" if self.gone is not None else self._ended

    @ended.setter
    def ended(self, how: str) -> None:
        self._ended = how

    @property
    def end(self) -> Past | None:
        """The same for a finding."""
        if self.gone is None:
            return self._end
        name, how, trail = self.gone
        return Past(f"{name or self} was {how}", site_of(trail))

    @end.setter
    def end(self, past: Past) -> None:
        self._end = past

    def ends(self, how: str, trail: Trail) -> None:
        """It goes away; words are made of that when somebody asks."""
        self.gone = str(self) if self.renamed else "", how, trail

    def past(self) -> tuple[Past, ...]:
        """For a finding: where it was made, and how it ended if it did."""
        made, end = Past(f"{self} was created", self.made), self.end
        return (made,) if end is None else (made, end)

    def history(self) -> str:
        """Where it was made, and how it ended if it did."""
        return f"created at {self.made}" + (f", {self.ended}" if self.ended else "")


Some = TypeVar("Some", bound=Thing)


class Handles:
    """Numbers in a reserved range, 64 bytes apart, never used twice; an old number is known as dead."""

    def __init__(self, *, window: bool, turn: int = 0, trace: bool = False) -> None:
        self._reserve = window
        self._hint = HINT + turn % PLACES * ROOM
        self._window: Window | None = None
        self._next = 0
        self._live: dict[int, Thing] = {}
        self._dead: dict[int, Thing] = {}
        self._order: deque[int] = deque()
        """the numbers of the dead, the one that went first first (an OrderedDict takes three times as long)"""
        self._counts: dict[str, int] = {}
        self._trace = trace
        self._forgotten: dict[int, str] = {}
        """the labels of older ones, if all calls are kept, which may name them"""
        self.get: Callable[[int], Thing | None] = self._live.get
        """the live object of this number, of any kind (the dict's own method, as every call asks)"""

    def add(self, thing: Thing) -> int:
        """Give it a number and an ordinal of its kind."""
        if self._window is None:
            self._window = Window(ROOM, self._hint, reserve=self._reserve)
            self._next = self._window.start + SPACING
        thing.number, self._next = self._next, self._next + SPACING
        kind = thing.kind
        self._counts[kind] = thing.ordinal = self._counts.get(kind, 0) + 1
        self._live[thing.number] = thing
        return thing.number

    def remove(self, thing: Thing, how: str, where: Trail | None = None) -> None:
        """`how` says it in the words of a history: "destroyed" (the site is added)."""
        del self._live[thing.number]
        thing.ends(how, where or trail())
        self._dead[thing.number] = thing
        self._order.append(thing.number)
        if len(self._order) > HISTORY:
            oldest = self._dead.pop(self._order.popleft())
            if self._trace:
                self._forgotten[oldest.number] = oldest.label

    def find(self, number: int, kind: type[Some]) -> Some | None:
        """The live object of this kind and number."""
        thing = self._live.get(number)
        return thing if isinstance(thing, kind) else None

    def dead(self, number: int) -> Thing | None:
        """The object that had this number, if it is among the last that went away."""
        return self._dead.get(number)

    def label(self, number: int) -> str:
        """What a trace calls the object of this number; "" if it is no handle."""
        thing = self._live.get(number) or self._dead.get(number)
        if thing is not None:
            return thing.label
        return self._forgotten.get(number, "a dead handle") if number in self else ""

    def all(self, kind: type[Some]) -> Iterator[Some]:
        """The live objects of a kind."""
        return (thing for thing in self._live.values() if isinstance(thing, kind))

    def __contains__(self, number: int) -> bool:
        """Is this a number that was ever given out?"""
        return (
            self._window is not None
            and number in self._window
            and self._window.start < number < self._next
            and (number - self._window.start) % SPACING == 0
        )

    def told(self, number: int) -> tuple[str, tuple[Past, ...]]:
        """What a finding tells about a handle that is not the live one that was asked for, and its history."""
        if (thing := self._live.get(number) or self._dead.get(number)) is not None:
            return f"{thing} is gone" if thing.end else f"it is {thing}", thing.past()
        if number in self:
            return f"handle {number:#x} was destroyed long ago", ()
        return f"{number:#x} is no handle that this machine gave out", ()

    def remedy(self, number: int, otherwise: str | None) -> str | Fix | None:
        """What to do about it: `otherwise`, unless it never was a handle."""
        known = number in self or number in self._live or number in self._dead
        return otherwise if known else NEVER

    def whereabouts(self, number: int) -> str:
        """The same for an error text."""
        thing = self._live.get(number) or self._dead.get(number)
        return self.told(number)[0] + (f": {thing.history()}" if thing is not None else "")

    def close(self) -> None:
        """Return the reserved numbers."""
        if self._window is not None:
            self._window.close()


class View:
    """What a tensor is but for its memory: one object for all that are alike, to be compared by identity."""


@lru_cache(maxsize=10_000)
def view_of(*parts: object) -> View:
    """The view of this data type, shape, strides, offset, format and storage."""
    return View()


class Tensor(Thing):
    """aclTensor: a view of device memory. Strides and offset count elements; the memory is not owned."""

    kind = "tensor"
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
    ) -> None:
        super().__init__()
        self.describe(shape, dtype, strides, offset, format, storage_shape)
        self.address = address
        """base address, without the offset"""
        self.told: set[str] = set()
        """ids of findings that are told once for a tensor, not at each launch"""

    def describe(
        self,
        shape: tuple[int, ...],
        dtype: int,
        strides: tuple[int, ...],
        offset: int,
        format: int,
        storage_shape: tuple[int, ...],
    ) -> None:
        """Say anew what it is but for its memory."""
        self.shape = shape
        self.dtype = dtype
        self.strides = strides
        self.offset = offset
        self.format = format
        self.storage_shape = storage_shape
        self.known: View | None = None
        """its `view`, once that was asked for"""

    def __str__(self) -> str:
        name = f"{self.kind} {self.ordinal}" if self.ordinal else self.kind
        return f"{name} ({dtype_name(self.dtype)} {list(self.shape)})"

    @property
    def label(self) -> str:
        return f"{self.kind} {self.ordinal}"

    @property
    def view(self) -> View:
        """The same object for tensors that differ in their address only."""
        if self.known is None:
            self.known = view_of(self.shape, self.dtype, self.strides, self.offset, self.format, self.storage_shape)
        return self.known

    @property
    def numel(self) -> int:
        """Number of elements of the view."""
        return prod(self.shape)

    @property
    def contiguous(self) -> bool:
        """Row-major without gaps; "numel 0 or 1 -> yes; size-1 dims ignored"."""
        return is_contiguous(self.shape, self.strides)

    @property
    def storage_bytes(self) -> int:
        """Bytes of the declared storage."""
        return nbytes(prod(self.storage_shape), self.dtype)

    def snapshot(self) -> "Tensor":
        """The same view with an address of its own: what a generated operator keeps from the first phase."""
        copy = Tensor(self.shape, self.dtype, self.strides, self.offset, self.format, self.storage_shape, self.address)
        copy.ordinal, copy._made, copy.told = self.ordinal, self._made, self.told
        return copy


def row_major(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Strides, in elements, of a dense row-major tensor."""
    strides, step = [0] * len(shape), 1
    for i in range(len(shape) - 1, -1, -1):
        strides[i] = step
        step *= shape[i]
    return tuple(strides)


def is_contiguous(shape: tuple[int, ...], strides: tuple[int, ...]) -> bool:
    """Row-major without gaps; "numel 0 or 1 -> yes; size-1 dims ignored"."""
    step, result = 1, True
    for size, stride in zip(reversed(shape), reversed(strides), strict=True):
        if size == 0:
            return True
        if size != 1:
            result = result and stride == step
            step *= size
    return result


def reach(shape: tuple[int, ...], strides: tuple[int, ...]) -> tuple[int, int]:
    """Lowest and highest element, counted from the first; (0, -1) for a tensor without elements."""
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

    kind = "scalar"
    destroyer = "aclDestroyScalar"

    def __init__(self, value: bytes, dtype: int) -> None:
        super().__init__()
        self.value = value
        self.dtype = dtype

    def item(self) -> Any:
        """The value as a Python number; TypeError for a data type that numpy has not."""
        dtype = numpy_dtype(self.dtype)
        if dtype is None:
            raise TypeError(f"numpy has no arithmetic for {dtype_name(self.dtype)}")
        return np.frombuffer(self.value, dtype)[0].item()


class HostArray(Thing):
    """aclIntArray and its kin: values copied at creation."""

    def __init__(self, values: tuple[float, ...]) -> None:
        super().__init__()
        self.values = values


class IntArray(HostArray):
    """aclIntArray."""

    kind = "int array"
    destroyer = "aclDestroyIntArray"


class FloatArray(HostArray):
    """aclFloatArray."""

    kind = "float array"
    destroyer = "aclDestroyFloatArray"


class BoolArray(HostArray):
    """aclBoolArray."""

    kind = "bool array"
    destroyer = "aclDestroyBoolArray"


class ThingList(Thing):
    """aclTensorList and aclScalarList: numbers of their members, which go with them; 0 for a null member."""

    def __init__(self, members: tuple[int, ...]) -> None:
        super().__init__()
        self.members = members


class TensorList(ThingList):
    """aclTensorList."""

    kind = "tensor list"
    destroyer = "aclDestroyTensorList"


class ScalarList(ThingList):
    """aclScalarList."""

    kind = "scalar list"
    destroyer = "aclDestroyScalarList"
