"""Records calls for `machine.calls`. Each C function gets a recorder of its own, made once: every call pays for it."""

from collections.abc import Iterator
from ctypes import c_void_p
from typing import Any, Protocol, cast

from acl_runtime.abi.conversions import AddressArray, CType, Output, Pointer
from acl_runtime.abi.function import CFunction
from acl_runtime.abi.unrolled import keeper
from acl_runtime.machine.machine import Machine
from acl_runtime.source.frames import here
from acl_runtime.streams.host_thread import ThreadState
from acl_runtime.trace.records import Call


class Recorder(Protocol):
    """Records a call. `outer`: the API function that ran the callback in which the call was made; `values`: the
    arguments as the body got them; `status`: None if the call raised."""

    def __call__(
        self,
        machine: Machine,
        thread: ThreadState,
        outer: str,
        began: float,
        values: list[Any],
        result: object,
        status: int | None = 0,
    ) -> None: ...


def recorder(function: CFunction) -> Recorder:
    """The recorder of a function. It keeps the arguments as C sees them: addresses and handles as numbers, arrays as
    tuples. It holds no reference to memory of the caller."""
    types = [ctype for _, ctype in function.parameters]
    keep = keeper(types)
    as_they_are = not any(ctype.wraps for ctype in types)
    stream = next((i for i, ctype in enumerate(types) if ctype.spelling.endswith("aclrtStream")), None)
    addresses = any(map(_address, types))

    def record(
        machine: Machine,
        thread: ThreadState,
        outer: str,
        began: float,
        values: list[Any],
        result: object,
        status: int | None = 0,
    ) -> None:
        arguments, stored = (tuple(values), None) if as_they_are else keep(values)
        tasks: tuple[int, ...] = ()
        if thread.launched:
            tasks, thread.launched = tuple(thread.launched), []
        kept = function, arguments, result, thread, machine.memories.used, began, machine.clock.now, stored, tasks
        if (
            status == 0
            and not outer
            and not machine.options.trace
            and (stream is None or arguments[stream])
            and not (addresses and machine.pinned.in_use)
        ):
            machine.calls.append(kept)  # pyright: ignore[reportArgumentType]  # made a Call lazily
            return
        call = Call.of(kept, machine.names)
        call.status, call.inside = status, outer
        if stream is not None and not arguments[stream]:
            call.context = thread.explicit or thread.primary or machine.find_context()
        if addresses and machine.pinned.in_use:
            call.pinned = dict(_pinned(machine, call))
        if machine.options.trace:
            call.site = here()
        machine.calls.append(call)

    return record


def _address(ctype: CType) -> bool:
    """Can a value of this type be an address?"""
    return isinstance(ctype, Pointer | AddressArray) or (isinstance(ctype, Output) and c_void_p in ctype.accepted)


def _pinned(machine: Machine, call: Call) -> Iterator[tuple[int, str]]:
    """The names of the addresses in pinned memory. They are kept now, as an address may be registered again later."""
    for (name, ctype), value in zip(call.declared.parameters, call.arguments, strict=True):
        if _address(ctype):
            found = call.outputs.get(name) if isinstance(ctype, Output) else value
            for number in cast("tuple[int, ...]", found if isinstance(found, tuple) else (found or 0,)):
                if label := machine.pinned.label(number):
                    yield number, label
