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
from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any, Final, NoReturn

import numpy as np

from acl_runtime.abi.pointers import Address
from acl_runtime.errors import DeviceFault, Finding
from acl_runtime.headers.dtypes import Array
from acl_runtime.headers.enums import aclmdlRITaskType
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_RT_AICORE_EXCEPTION, ACL_ERROR_RT_VECTOR_CORE_EXCEPTION
from acl_runtime.machine.machine import Machine
from acl_runtime.memory.copies import Kind, Side, exchange, locate
from acl_runtime.memory.ranges import Use
from acl_runtime.objects.argument_lists import SLOT
from acl_runtime.objects.binaries import Binary, KernelFunction
from acl_runtime.objects.soc import NEWER
from acl_runtime.streams.stream import Device, Task
from acl_runtime.text import Text

ARGUMENTS: Final = "the block of arguments"


class KernelTask(Task):
    """The launch of a device kernel."""

    model_type = aclmdlRITaskType.ACL_MODEL_RI_TASK_KERNEL
    on_device = True
    what = "kernel of the program"
    launch: "Launch"

    @property
    def duration(self) -> float:
        """The time that the function states, or that of the arguments."""
        stated: float | None = getattr(self.launch.function, "microseconds", None)
        return super().duration if stated is None else stated

    @property
    def on_failure(self) -> Callable[[Any], object] | None:
        binary = self.launch.kernel.binary
        return binary.on_failure if binary.gone is None else None


class Launch:
    """A launch of a device kernel."""

    def __init__(
        self,
        machine: Machine,
        kernel: KernelFunction,
        blocks: int | Sequence[int],
        raw: bytes,
        attributes: Mapping[int, bytes] | None = None,
        threads: Sequence[int] = (1, 1, 1),
    ) -> None:
        self.kernel = kernel
        self.grid = (blocks, 1, 1) if isinstance(blocks, int) else tuple(blocks)
        """the blocks in each of three dimensions"""
        self.threads = tuple(threads)
        """the threads of a block in each of three dimensions"""
        self.device: Device | None = None
        """the device of the stream; None before the launch is queued"""
        self.raw = raw
        """the block of arguments"""
        self.attributes = attributes or {}
        """the values of the configuration, by aclrtLaunchKernelAttrId"""
        self.on_device: tuple[int, int] | None = None
        """address and size of a block of arguments in device memory, from which the task reads `raw`"""
        self.mapped: MappedArguments | None = None
        """the block of arguments, if it is in the address space of the device"""
        self._machine = machine
        self._accessed: list[tuple[int, int]] = []
        """the addresses [low, high) that the function accessed"""
        self.finding: Finding | None = None
        """the finding that the arguments do not fit the signature"""

    @property
    def name(self) -> str:
        """The name of the kernel."""
        return self.kernel.name

    @property
    def blocks(self) -> int:
        """The number of blocks; one call of the function does the work of all blocks."""
        return prod(self.grid)

    @property
    def function(self) -> Callable[..., Any] | None:
        """The function that replaces the kernel."""
        return self._machine.kernels.standing_in(self.name)

    def check(self) -> int:
        """Check the size of the arguments, and return it."""
        size = len(self.raw) if self.on_device is None else self.on_device[1]
        signature = getattr(self.function, "signature", None)
        text = signature.mismatch(self.name, size) if signature is not None else None
        self.finding = self._machine.undefined("kernel-arguments", text) if text is not None else None
        return size

    def become(self, kernel: KernelFunction, blocks: int) -> None:
        """Launch another kernel, with the same arguments, from now on."""
        self.kernel, self.grid = kernel, (blocks, 1, 1)
        self.check()

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

    def variable(self, name: str) -> int:
        """The address on the device of a variable of the kernel's binary."""
        if name not in self.kernel.binary.variables or self.device is None:
            raise ValueError(f"the binary of {self.name} has no variable {name}")
        return data_on_device(self.device, self.kernel.binary, name)[0]

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


def data_on_device(device: Device, binary: Binary, name: str = "") -> tuple[int, int]:
    """Address and size of a variable of a binary, or of all its data. They get an address of the device once."""
    place = binary.places.get((device.number, name))
    if not isinstance(place, MappedArguments):
        place = MappedArguments(device, binary.variables[name] if name else binary.data)
        binary.places[device.number, name] = place
    return place.mapping.address, len(place.buffer)


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
