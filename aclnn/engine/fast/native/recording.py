"""Recorded calls of the evaluator: what a kernel did, so that later runs can do it without the kernel.

A kernel such as a gather takes longer to prepare its call of the evaluator than the call takes. The arguments of the
call depend only on the shapes and addresses of the kernel's arrays. So a run records its calls, and the next run on the
same memory makes them again. A call keeps its tables, such as the windows of a pool, which depend on the shapes only.
"""

import ctypes
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from ctypes import Structure, addressof, c_void_p
from typing import Any, NamedTuple, cast

from acl_runtime.headers.dtypes import Array
from acl_runtime.objects.handle_table import reach
from acl_runtime.process import process
from acl_runtime.streams.blas_threads import BlasThreads


def check(failed: int) -> None:
    """Raises MemoryError if a call of the evaluator failed."""
    if failed:
        raise MemoryError("no memory for the registers of the evaluator")


class Call(NamedTuple):
    """A call of a function of the evaluator."""

    function: Callable[[int], int]
    arguments: Structure
    tables: Sequence[Array] = ()
    """memory that the arguments point to, besides that of tensors"""
    blas: bool = False
    """true if the function calls BLAS"""

    def make(self) -> None:
        """Raises MemoryError if the evaluator has no memory for temporaries."""
        with process.own(BlasThreads) if self.blas else nullcontext():
            check(self.function(addressof(self.arguments)))

    def uses_only(self, arrays: Sequence[Array]) -> bool:
        """True if all addresses among the arguments are in the memory of these arrays, or of the tables."""
        known = (*arrays, *self.tables)
        return all(any(_holds(array, address) for array in known) for address in _addresses(self.arguments))


class Recording(threading.local):
    """The recording of a thread."""

    calls: list[Call] | None = None
    """the calls of the kernel that runs; None if nothing is recorded, or if numpy did a part of the work"""


def made(call: Call) -> None:
    """Make a call, and add it to the recording."""
    call.make()
    if (calls := process.own(Recording).calls) is not None:
        calls.append(call)


def incomplete() -> None:
    """Note that numpy does a part of the work, so that the calls of this kernel are not all that it does."""
    process.own(Recording).calls = None


def recorded(kernel: Callable[[], object], arrays: Sequence[Array]) -> list[Call]:
    """Run a kernel, and return its calls. Returns none if they are not all that it does, or if they use memory other
    than that of `arrays`."""
    recording = process.own(Recording)
    recording.calls = []
    try:
        kernel()
        calls = recording.calls or []
    finally:
        recording.calls = None
    return calls if all(call.uses_only(arrays) for call in calls) else []


def _addresses(arguments: Structure) -> Iterator[int]:
    """The addresses of memory among the fields of a structure and of the structures in it."""
    fields: Sequence[Any] = arguments._fields_
    for name, kind, *_ in fields:
        value: Any = getattr(arguments, name)
        if kind is c_void_p:
            yield from () if value is None else (value,)
        elif issubclass(kind, Structure):
            yield from _addresses(value)
        elif issubclass(kind, ctypes.Array) and issubclass(cast("Any", kind)._type_, Structure):
            for each in value:
                yield from _addresses(each)


def _holds(array: Array, address: int) -> bool:
    low, high = reach(array.shape, array.strides)
    return low <= address - array.ctypes.data <= high
