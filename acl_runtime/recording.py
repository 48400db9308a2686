"""Recording of calls for `machine.calls`. Each C function has one recorder."""

from collections.abc import Iterator
from ctypes import c_void_p
from typing import Any, cast

from acl_runtime.abi.conversions import AddressArray, CType, Output, Pointer
from acl_runtime.abi.function import CFunction
from acl_runtime.abi.unrolled import keeper
from acl_runtime.machine.machine import Machine
from acl_runtime.source.frames import here
from acl_runtime.streams.host_thread import ThreadState
from acl_runtime.trace.records import Call, Kept


class Recorder:
    """The recorder of a function. Records have the arguments as in C: addresses and handles as numbers, arrays as
    tuples, without references to memory of the caller.

    Most successful calls are recorded by the boundary itself, which appends the raw record to `machine.calls`. All
    other calls are recorded by the methods here."""

    def __init__(self, function: CFunction) -> None:
        self._function = function
        types = [ctype for _, ctype in function.parameters]
        self.keep = keeper(types) if any(ctype.wraps for ctype in types) else None
        """makes the arguments of a record; None if the arguments of the body are recorded unchanged"""
        self.stream = next((i for i, ctype in enumerate(types) if ctype.spelling.endswith("aclrtStream")), None)
        """the index of the stream among the arguments, if there is one"""
        self.addresses = any(map(_address, types))
        """True if an argument can be an address"""

    def raw(
        self, machine: Machine, thread: ThreadState, began: float, values: tuple[Any, ...], result: object
    ) -> Kept:  # fmt: skip
        """The raw record of a call. `values`: the arguments of the body."""
        arguments, stored = (values, None) if self.keep is None else self.keep(values)
        launched, thread.launched = thread.launched, ()
        used_memory, now = machine.memories.used, machine.clock.now
        null = self.stream is not None and not arguments[self.stream]
        context = thread.explicit or thread.primary or machine.find_context() if null else None
        return self._function, arguments, result, thread, used_memory, began, now, stored, launched, context

    def failed(
        self, machine: Machine, thread: ThreadState, outer: str, began: float, values: tuple[Any, ...], result: object,
        status: int | None,
    ) -> None:  # fmt: skip
        """Record a call that failed. `outer`: the API function that ran the callback in which the call was made;
        `status`: None if the call raised."""
        self.rest(machine, outer, self.raw(machine, thread, began, values, result), status)

    def rest(self, machine: Machine, outer: str, raw: Kept, status: int | None) -> None:
        """Record a call with further attributes of `Call`."""
        call = Call.of(raw, machine.names)
        call.status, call.inside = status, outer
        if self.addresses and machine.pinned.in_use:
            call.pinned = dict(_pinned(machine, call))
        if machine.options.trace:
            call.site = here()
        machine.calls.append(call)


def _address(ctype: CType) -> bool:
    """True if a value of this type can be an address."""
    return isinstance(ctype, Pointer | AddressArray) or (isinstance(ctype, Output) and c_void_p in ctype.accepted)


def _pinned(machine: Machine, call: Call) -> Iterator[tuple[int, str]]:
    """The names of the addresses in pinned memory, which must be recorded at the call, as an address may be registered
    again later."""
    for (name, ctype), value in zip(call.declared.parameters, call.arguments, strict=True):
        if _address(ctype):
            numbers = call.outputs.get(name) if isinstance(ctype, Output) else value
            for number in cast("tuple[int, ...]", numbers if isinstance(numbers, tuple) else (numbers or 0,)):
                if label := machine.pinned.label(number):
                    yield number, label
