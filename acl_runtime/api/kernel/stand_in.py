"""A Python function that replaces a device kernel, and its argument, the launch.

    def add_custom(launch):
        x, y, z, count = launch.arguments
        a, b = (launch.read(tensor, count, np.float16) for tensor in (x, y))
        launch.write(z, a + b)

    machine.kernels["add_custom"] = add_custom

The function runs as the task of the stream. Its reads and writes are accesses of that task, so the checks for races,
for freed memory and for memory that was never written apply to them.
"""

from contextlib import nullcontext
from functools import partial
from typing import Any, Final

import numpy as np

from acl_runtime.abi.pointers import Address
from acl_runtime.errors import AclError, DeviceFault, UndefinedBehaviour
from acl_runtime.headers.dtypes import Array
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_RT_AICORE_EXCEPTION
from acl_runtime.machine.machine import Machine
from acl_runtime.machine.raised import kernel_of, kernel_raised
from acl_runtime.memory.copies import Kind, exchange, locate, on_device
from acl_runtime.source.frames import trail
from acl_runtime.streams.stream import Stream, Task
from acl_runtime.text import Text

SLOT: Final = 8


class Launch:
    """A launch of a device kernel."""

    def __init__(self, machine: Machine, name: str, blocks: int, raw: bytes) -> None:
        self.name = name
        self.blocks = blocks
        """the number of blocks; one call of the function does the work of all blocks"""
        self.raw = raw
        """the block of arguments"""
        self._machine = machine

    @property
    def arguments(self) -> tuple[int, ...]:
        """The arguments as unsigned numbers of 8 bytes each, such as addresses. Use `raw` for other layouts."""
        whole = self.raw[: len(self.raw) // SLOT * SLOT]
        return tuple(np.frombuffer(whole, "<u8").tolist())

    def read(self, address: int, shape: int | tuple[int, ...], dtype: Any) -> Array:
        """A copy of an array in device memory."""
        array = np.empty(shape, dtype)
        self._move(address, array, write=False)
        return array

    def write(self, address: int, values: Any) -> None:
        """Write an array to device memory."""
        self._move(address, np.ascontiguousarray(values), write=True)

    def _move(self, address: int, array: Array, *, write: bool) -> None:
        machine = self._machine
        if not array.nbytes:
            return
        with machine.lock:
            argument = locate(
                machine, Address(address), array.nbytes, Text("an argument of {kernel}", kernel=self.name), write=write
            )
            if argument.kind is not Kind.DEVICE:
                raise ValueError(f"{address:#x} is no device memory")
            machine.announce.host_used((argument.range(array.nbytes),))
            exchange(machine, argument, array, write=write)


def launch(machine: Machine, stream: Stream, name: str, blocks: int, raw: bytes) -> None:
    """Queue the launch of a kernel. Without a function that replaces the kernel, the task fails."""
    run = on_device(machine, partial(_run, machine, Launch(machine, name, blocks, raw)))
    machine.submit(stream, Task(name, run, (), trail(), nbytes=len(raw), publishes=True, opaque=True))


def _run(machine: Machine, launched: Launch) -> None:
    function, task = machine.kernels.standing_in(launched.name), machine.thread().task
    if function is None:
        machine.kernels.missed[launched.name] += 1
        text = (
            f"this emulator does not run the code of the device kernel {launched.name}. Give it a function: "
            f'machine.kernels["{launched.name}"] = function, or @aclnn.kernel("{launched.name}").'
        )
        raise DeviceFault(ACL_ERROR_RT_AICORE_EXCEPTION, Item("EZ2001", (text,)))
    with machine.host_code_of(task) if task is not None else nullcontext():
        try:
            with np.errstate(all="ignore"):  # a device does not warn
                function(launched)
        except (AclError, UndefinedBehaviour):  # a finding about the function's own accesses
            raise
        except Exception as error:
            raise kernel_raised(machine, kernel_of(function, launched.name), error) from None
