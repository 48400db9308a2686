"""Queueing of launches, and the call of the function that replaces the kernel as the task of a stream."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

import numpy as np

from acl_runtime.api.kernel.stand_in import KernelTask, Launch, MappedArguments
from acl_runtime.errors import AclError, DeviceFault, UndefinedBehaviour
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_RT_AICORE_EXCEPTION
from acl_runtime.machine.machine import Machine
from acl_runtime.machine.raised import kernel_of, kernel_raised
from acl_runtime.memory.copies import on_device
from acl_runtime.objects.argument_lists import SLOT
from acl_runtime.source.frames import trail
from acl_runtime.streams.stream import Stream

ARGUMENTS: Final = "the block of arguments"


def launch_with_data(
    machine: Machine, stream: Stream, launched: Launch, places: Sequence[tuple[int, int]], size: int | None = None
) -> None:
    """Queue the launch of a kernel whose arguments point into their own block. `places`: the offset of each pointer and
    the offset of its data. `size`: the bytes of the arguments, if data follow them."""
    if places:
        launched.mapped = mapped = MappedArguments(stream.context.device, launched.raw)
        for pointer, data in places:
            mapped.buffer[pointer : pointer + SLOT] = (mapped.mapping.address + data).to_bytes(SLOT, "little")
        launched.raw = mapped.buffer.raw[:size]
    submit(machine, stream, launched)


def submit(machine: Machine, stream: Stream, launched: Launch) -> None:
    """Queue a launch, after a check of the size of its arguments. Without a function that replaces the kernel, the task
    fails."""
    size = launched.check()
    run = on_device(machine, partial(_run, machine, launched))
    launched.device = stream.context.device
    task = KernelTask(launched.name, run, (), trail(), nbytes=size, publishes=True, opaque=True)
    task.launch = launched
    machine.submit(stream, task)


def _run(machine: Machine, launched: Launch) -> None:
    function, task = launched.function, machine.thread().task
    try:
        if launched.on_device is not None:
            address, size = launched.on_device
            launched.raw = _arguments(launched, address, size)
        if function is None:
            machine.kernels.missed[launched.name] += 1
            raise _fault(_advice(launched.name, in_c=machine.findings.in_c))
        if launched.finding is not None:
            fault = _fault(f"the arguments of the device kernel {launched.name} do not fit its parameters")
            machine.consequences.taint(fault, launched.finding)
            raise fault
        _call(machine, function, launched)
    finally:
        launched.settle()
        if launched.mapped is not None and (task is None or task.execution is None):
            launched.mapped.end()


def _arguments(launched: Launch, address: int, size: int) -> bytes:
    """The arguments in device memory. The task fails if the memory is gone."""
    try:
        return launched.read(address, size, np.uint8, name=ARGUMENTS).tobytes()
    except ValueError:
        text = f"the arguments of the device kernel {launched.name} are at {address:#x}, where no device memory is"
        raise _fault(text) from None


def _advice(name: str, *, in_c: bool) -> str:
    way = f'machine.kernels["{name}"] = function, or @aclnn.kernel("{name}")'
    if in_c:
        way = f'aclnn_emulator::replace("{name}", function) in C++, or @aclnn.kernel("{name}") in Python'
    return f"this emulator does not run the code of the device kernel {name}. Give it a function: {way}."


def _call(machine: Machine, function: Callable[..., Any], launched: Launch) -> None:
    try:
        with np.errstate(all="ignore"):  # a device does not warn
            function(launched)
    except (AclError, UndefinedBehaviour):  # a trap, or a finding about the function's own accesses
        raise
    except Exception as error:
        raise kernel_raised(machine, kernel_of(function, launched.name), error) from None


def _fault(text: str) -> DeviceFault:
    return DeviceFault(ACL_ERROR_RT_AICORE_EXCEPTION, Item("EZ2001", (text,)))
