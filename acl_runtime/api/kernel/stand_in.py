"""A function that replaces a device kernel, and its argument, the launch.

    def add_custom(launch):
        x, y, z, count = launch.arguments
        a, b = (launch.read(tensor, count, np.float16) for tensor in (x, y))
        launch.write(z, a + b)

    machine.kernels["add_custom"] = add_custom

The function runs as the task of the stream. Its reads and writes are accesses of that task, so the checks for races,
for freed memory and for memory that was never written apply to them. Memory whose address is an argument, and which the
function does not access, counts as written, as nobody knows what the kernel does with it.

`acl_runtime.api.kernel.signature.Kernel` is a function with a signature.
"""

import ctypes
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import partial
from typing import Any, Final, NoReturn

import numpy as np

from acl_runtime.abi.pointers import Address
from acl_runtime.errors import AclError, DeviceFault, Finding, UndefinedBehaviour
from acl_runtime.headers.dtypes import Array
from acl_runtime.headers.enums import aclmdlRITaskType
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_RT_AICORE_EXCEPTION, ACL_ERROR_RT_VECTOR_CORE_EXCEPTION
from acl_runtime.machine.machine import Machine
from acl_runtime.machine.raised import kernel_of, kernel_raised
from acl_runtime.memory.copies import Kind, Side, exchange, locate, on_device
from acl_runtime.memory.ranges import Use
from acl_runtime.objects.argument_lists import SLOT
from acl_runtime.objects.binaries import KernelFunction
from acl_runtime.objects.soc import NEWER
from acl_runtime.source.frames import trail
from acl_runtime.streams.stream import Device, Stream, Task
from acl_runtime.text import Text

ARGUMENTS: Final = "the block of arguments"


class KernelTask(Task):
    """The launch of a device kernel."""

    model_type = aclmdlRITaskType.ACL_MODEL_RI_TASK_KERNEL
    launch: "Launch"
    microseconds: float | None = None
    """the simulated time that the kernel takes; None: that of its arguments"""

    @property
    def duration(self) -> float:
        return super().duration if self.microseconds is None else self.microseconds


class Launch:
    """A launch of a device kernel."""

    def __init__(self, machine: Machine, kernel: KernelFunction, blocks: int, raw: bytes) -> None:
        self.kernel = kernel
        self.name = kernel.name
        self.blocks = blocks
        """the number of blocks; one call of the function does the work of all blocks"""
        self.raw = raw
        """the block of arguments"""
        self.on_device: tuple[int, int] | None = None
        """address and size of a block of arguments in device memory, from which the task reads `raw`"""
        self.mapped: MappedArguments | None = None
        """the block of arguments, if it is in the address space of the device"""
        self._machine = machine
        self._accessed: list[tuple[int, int]] = []
        """the addresses [low, high) that the function accessed"""

    @property
    def arguments(self) -> tuple[int, ...]:
        """The arguments as unsigned numbers of 8 bytes each, such as addresses. Use `raw` for other layouts."""
        whole = self.raw[: len(self.raw) // SLOT * SLOT]
        return tuple(np.frombuffer(whole, "<u8").tolist())

    def read(
        self, address: int, shape: int | tuple[int, ...], dtype: Any, *, name: str = "", accessed: bool = True
    ) -> Array:
        """A copy of an array in device memory. `name`: the argument, for the text of a finding. `accessed`: False for
        the present content of memory that the kernel does not read."""
        array = np.empty(shape, dtype)
        self._move(address, array, name, write=False, accessed=accessed)
        return array

    def write(self, address: int, values: Any, *, name: str = "") -> None:
        """Write an array to device memory."""
        self._move(address, np.ascontiguousarray(values), name, write=True, accessed=True)

    def fail(self, status: int = 0) -> NoReturn:
        """Let the task fail, as a trap of the kernel does. The default status is that of vector kernels on the chip."""
        newer = self._machine.soc.series in NEWER
        usual = ACL_ERROR_RT_VECTOR_CORE_EXCEPTION if newer else ACL_ERROR_RT_AICORE_EXCEPTION
        raise DeviceFault(status or usual, Item("EZ2001", (f"the device kernel {self.name} ended in a trap",)))

    def memory(self, address: int, size: int, *, reads: bool, writes: bool) -> int:
        """The address in this process of `size` bytes of device memory, for code that accesses them itself; 0 if they
        are not all there."""
        machine = self._machine
        with machine.lock:
            side = self._locate(address, size, "", write=writes)
            use = Use.UPDATE if reads and writes else side.use
            machine.announce.host_used((side.range(size, use),))
            if side.available < size or not side.alive:
                return 0
            assert side.allocation is not None
            low = side.start - side.allocation.base
            side.allocation.touch(low, low + size)
            if writes:
                machine.wrote(address, address + size)
            return side.start

    def _move(self, address: int, array: Array, name: str, *, write: bool, accessed: bool) -> None:
        machine = self._machine
        if not array.nbytes:
            return
        with machine.lock:
            argument = self._locate(address, array.nbytes, name, write=write)
            if accessed:
                machine.announce.host_used((argument.range(array.nbytes),))
            exchange(machine, argument, array, write=write)

    def _locate(self, address: int, size: int, name: str, *, write: bool) -> Side:
        """The side of a copy in device memory, whose allocation counts as accessed."""
        role = Text("{argument} of {kernel}", argument=name or Text("argument"), kernel=self.name)
        side = locate(self._machine, Address(address), size, role, write=write)
        if side.kind is not Kind.DEVICE or side.allocation is None:
            raise ValueError(f"{address:#x} is no device memory")
        self._accessed.append((address, address + size))
        return side

    def arguments_on_device(self, device: Device) -> tuple[int, int]:
        """Address and size of the arguments on the device, after the task has failed."""
        if self.on_device is None and self.raw:
            mapped = MappedArguments(device, self.raw)
            self._machine.kept.append(mapped)  # the program may read them as long as it lives
            self.on_device = mapped.mapping.address, len(self.raw)
        return self.on_device or (0, 0)

    def settle(self) -> None:
        """Let memory that an argument points to, and that the function did not access, count as written."""
        for address in self.arguments:
            memory = self._machine.memory_at(address)
            piece = memory.holding(address) if memory is not None else None
            accessed = any(low <= address < high for low, high in self._accessed)
            if piece is not None and not accessed and not piece.mapped:
                self._machine.rejected(address, piece.end)
        self._accessed.clear()


class MappedArguments:
    """A block of arguments that has an address of the device and takes none of its memory."""

    def __init__(self, device: Device, raw: bytes) -> None:
        self.buffer = ctypes.create_string_buffer(raw, len(raw))
        mapping = device.memory.map(ctypes.addressof(self.buffer), len(raw), kept_alive=True)
        assert mapping is not None, "a machine has more addresses than memory"
        self.mapping = mapping
        self._memory = device.memory

    def end(self) -> None:
        """Give the address back."""
        self._memory.free(self.mapping)


def launch_with_data(
    machine: Machine,
    stream: Stream,
    kernel: KernelFunction,
    blocks: int,
    raw: bytes,
    places: Sequence[tuple[int, int]],
    size: int | None = None,
) -> None:
    """Queue the launch of a kernel whose arguments point into their own block. `places`: the offset of each pointer and
    the offset of its data. `size`: the bytes of the arguments, if data follow them."""
    if not places:
        launch(machine, stream, kernel, blocks, raw)
        return
    mapped = MappedArguments(stream.context.device, raw)
    for pointer, data in places:
        mapped.buffer[pointer : pointer + SLOT] = (mapped.mapping.address + data).to_bytes(SLOT, "little")
    launched = Launch(machine, kernel, blocks, mapped.buffer.raw[:size])
    launched.mapped = mapped
    submit(machine, stream, launched)


def launch(machine: Machine, stream: Stream, kernel: KernelFunction, blocks: int, raw: bytes) -> None:
    """Queue the launch of a kernel. Without a function that replaces the kernel, the task fails."""
    submit(machine, stream, Launch(machine, kernel, blocks, raw))


def submit(machine: Machine, stream: Stream, launched: Launch) -> None:
    """Queue a launch, after a check of the size of its arguments."""
    function = machine.kernels.standing_in(launched.name)
    size = len(launched.raw) if launched.on_device is None else launched.on_device[1]
    signature = getattr(function, "signature", None)
    text = signature.mismatch(launched.name, size) if signature is not None else None
    finding = machine.undefined("kernel-arguments", text) if text is not None else None
    run = on_device(machine, partial(_run, machine, launched, finding))
    task = KernelTask(launched.name, run, (), trail(), nbytes=size, publishes=True, opaque=True)
    task.launch, task.microseconds = launched, getattr(function, "microseconds", None)
    machine.submit(stream, task)


def _run(machine: Machine, launched: Launch, finding: Finding | None) -> None:
    function, task = machine.kernels.standing_in(launched.name), machine.thread().task
    with machine.host_code_of(task) if task is not None else nullcontext():
        try:
            if launched.on_device is not None:
                address, size = launched.on_device
                launched.raw = _arguments(launched, address, size)
            if function is None:
                machine.kernels.missed[launched.name] += 1
                raise _fault(_advice(launched.name, in_c=machine.findings.in_c))
            if finding is not None:
                fault = _fault(f"the arguments of the device kernel {launched.name} do not fit its parameters")
                machine.consequences.taint(fault, finding)
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
