"""Signatures of the functions that replace device kernels.

    machine.kernels["add_custom"] = Kernel(
        add, {"x": Reads(np.float16, "n"), "y": Reads(np.float16, "n"), "z": Writes(np.float16, "n"), "n": np.uint32}
    )

A parameter is a value (a numpy type) or a pointer to elements in device memory (`Reads`, `Writes`, `Updates`). Each
parameter starts at a multiple of 8 bytes, as in the lists of aclrtKernelArgsAppend. The function gets arrays and
numbers. Its accesses to memory are known before it runs, so they cover exactly the declared elements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from acl_runtime.machine.raised import called
from acl_runtime.objects.argument_lists import SLOT
from acl_runtime.text import Text

if TYPE_CHECKING:
    from acl_runtime.api.kernel.stand_in import Launch

BLOCKS: Final = "blocks"
"""the count that stands for the number of blocks"""


@dataclass(frozen=True)
class Signature:
    """The parameters of a kernel, by name, with their sizes in bytes."""

    sizes: Mapping[str, int]

    def offsets(self) -> Iterator[tuple[str, int, int]]:
        """Name, offset and size of each parameter."""
        offset = 0
        for name, size in self.sizes.items():
            yield name, offset, size
            offset += -(-size // SLOT) * SLOT

    def mismatch(self, kernel: str, size: int) -> Text | None:
        """A text if a block of `size` bytes cannot have these arguments."""
        end, total = 0, 0
        for _, offset, bytes in self.offsets():
            end, total = offset + bytes, offset + -(-bytes // SLOT) * SLOT
        if not self.sizes or end <= size <= total:
            return None
        return Text(
            "the launch of {kernel} passes {size} bytes of arguments, but the function that replaces the kernel takes "
            "{total} bytes: {parameters}.",
            kernel=kernel,
            size=size,
            total=total,
            parameters=", ".join(f"{name} ({bytes})" for name, bytes in self.sizes.items()),
        )


Count = int | str | Callable[[Mapping[str, Any]], int]


class Elements:
    """A pointer parameter. `count`: the number of elements, the name of a parameter with that number, "blocks", or a
    function of the arguments by name."""

    reads = writes = False

    def __init__(self, dtype: Any, count: Count) -> None:
        self.dtype = np.dtype(dtype)
        self.count = count


class Reads(Elements):
    """A pointer to elements that the kernel reads."""

    reads = True


class Writes(Elements):
    """A pointer to elements that the kernel writes."""

    writes = True


class Updates(Elements):
    """A pointer to elements that the kernel reads and writes."""

    reads = writes = True


@dataclass(frozen=True)
class Block:
    """One block of a launch."""

    index: int
    count: int


class Kernel:
    """A function that replaces a device kernel, with the parameters of the kernel in their order.

    The function gets an array for each pointer (None for a null pointer) and a number for each value, in this order. It
    writes its results into the arrays. `by_block`: True if the function is called once for each block, with a `Block`
    as its first argument. `microseconds`: the simulated time of a launch."""

    def __init__(
        self,
        function: Callable[..., object],
        parameters: Mapping[str, Any],
        *,
        by_block: bool = False,
        microseconds: float | None = None,
    ) -> None:
        self.function = function
        self.parameters = {
            name: each if isinstance(each, Elements) else np.dtype(each) for name, each in parameters.items()
        }
        self.by_block = by_block
        self.microseconds = microseconds
        self.signature = Signature(
            {name: SLOT if isinstance(each, Elements) else each.itemsize for name, each in self.parameters.items()}
        )
        self.__name__ = called(function)

    def __call__(self, launch: Launch) -> None:
        """Do the work of all blocks of a launch."""
        arguments = _Arguments(self, launch)
        values = [arguments[name] for name in self.parameters]
        if self.by_block:
            for index in range(launch.blocks):
                self.function(Block(index, launch.blocks), *values)
        else:
            self.function(*values)
        for (name, parameter), value in zip(self.parameters.items(), values, strict=True):
            if isinstance(parameter, Elements) and parameter.writes and value is not None:
                launch.write(arguments.address(name), value, name=name)


class _Arguments(Mapping[str, Any]):
    """The arguments of a launch by name. An array is read when its name is first looked up, as its count may depend on
    other arguments."""

    def __init__(self, kernel: Kernel, launch: Launch) -> None:
        self._kernel, self._launch = kernel, launch
        self._offsets = {name: offset for name, offset, _ in kernel.signature.offsets()}
        self._values: dict[str, Any] = {} if BLOCKS in kernel.parameters else {BLOCKS: launch.blocks}

    def __iter__(self) -> Iterator[str]:
        return iter(self._kernel.parameters)

    def __len__(self) -> int:
        return len(self._kernel.parameters)

    def __getitem__(self, name: str) -> Any:
        if name not in self._values:
            self._values[name] = self._value(name, self._kernel.parameters[name])
        return self._values[name]

    def address(self, name: str) -> int:
        """The address in a pointer argument."""
        return int(np.frombuffer(self._launch.raw, "<u8", 1, self._offsets[name])[0])

    def _value(self, name: str, parameter: Any) -> Any:
        if not isinstance(parameter, Elements):
            return np.frombuffer(self._launch.raw, parameter, 1, self._offsets[name])[0]
        address = self.address(name)
        if not address:
            return None
        count = self._count(parameter.count)
        array = self._launch.read(address, count, parameter.dtype, name=name, accessed=parameter.reads)
        array.flags.writeable = parameter.writes
        return array

    def _count(self, count: Count) -> int:
        if isinstance(count, str):
            return int(np.ravel(self[count])[0])  # a value, or an array with the number
        return int(count(self) if callable(count) else count)
