"""The objects behind aclrtArgsHandle and aclrtParamHandle."""

import ctypes
from collections.abc import Callable
from typing import Final

from acl_runtime.objects.binaries import KernelFunction
from acl_runtime.objects.handle_table import Thing
from acl_runtime.text import Text

SLOT: Final = 8
"""each parameter begins at a multiple of this number of bytes"""
MOST_PARAMETERS: Final = 128
MOST_BYTES: Final = 64 * 1024


class KernelArgument(Thing):
    """An argument in a list: its place, and the buffer to which it will point if it is a place holder."""

    kind = Text("parameter")

    def __init__(self, offset: int, size: int, *, placeholder: bool) -> None:
        super().__init__()
        self.offset, self.size, self.placeholder = offset, size, placeholder
        self.buffer: tuple[int, int] | None = None
        """address and size of the buffer of a place holder"""


class ArgumentList(Thing):
    """A list of arguments for the launch of a kernel."""

    kind = Text("argument list")

    def __init__(
        self,
        function: KernelFunction,
        parameters: int = MOST_PARAMETERS,
        size: int = MOST_BYTES,
        memory: int | None = None,
    ) -> None:
        """`memory`: the address of `size` bytes of the program for the buffers of place holders."""
        super().__init__()
        self._own = ctypes.create_string_buffer(size) if memory is None else None
        self._memory = ctypes.addressof(self._own) if self._own is not None else memory or 0
        self.most = parameters
        """the most parameters"""
        self.room = size
        """the most bytes of arguments and of the data of place holders"""
        self.begin(function)

    def begin(self, function: KernelFunction) -> None:
        """Empty the list, for a launch of this kernel."""
        self.function = function
        self.parameters: list[KernelArgument] = []
        self.raw = b""
        self.data = 0
        """bytes of the data of place holders"""
        self.final = False
        """True if the list is complete, so that it can be launched"""
        self.closed = False
        """True if no parameter can be added: it was complete once, or a buffer of a place holder was fetched"""

    @property
    def packed(self) -> bool:
        """True if parameters follow each other without gaps, as for kernels of the AI CPU."""
        return self.function.binary.for_cpu

    def offset(self) -> int:
        """The offset of the next parameter."""
        return len(self.raw) if self.packed else -(-len(self.raw) // SLOT) * SLOT

    def fits(self, size: int) -> bool:
        """True if there is room for `size` more bytes."""
        return self.offset() + self.data + size <= self.room

    def append(self, value: bytes, *, placeholder: bool = False) -> KernelArgument:
        """Add a parameter."""
        parameter = KernelArgument(self.offset(), len(value), placeholder=placeholder)
        self.parameters.append(parameter)
        self.raw = self.raw.ljust(parameter.offset, b"\0") + value
        return parameter

    def replace(self, parameter: KernelArgument, value: bytes) -> None:
        """Replace the bytes of a parameter by as many others. The list has to be completed again."""
        self.raw = self.raw[: parameter.offset] + value + self.raw[parameter.offset + len(value) :]
        self.final = False

    def buffer(self, parameter: KernelArgument, size: int) -> int:
        """The address of `size` bytes of the host to which the parameter will point."""
        address = self._memory + self.offset() + self.data
        parameter.buffer = address, size
        self.data += -(-size // SLOT) * SLOT
        self.closed = True
        return address

    def block(self, read: Callable[[int, int], bytes]) -> tuple[bytes, list[tuple[int, int]]]:
        """The arguments followed by the data of place holders, and for each place holder its offset and that of its
        data. `read`: a function of address and size that reads memory of the host."""
        block, places = bytearray(self.raw), list[tuple[int, int]]()
        for parameter in self.parameters:
            if parameter.buffer is not None:
                block.extend(bytes(-len(block) % SLOT))
                places.append((parameter.offset, len(block)))
                block.extend(read(*parameter.buffer))
        return bytes(block), places
