"""The objects behind aclrtBinHandle and aclrtFuncHandle."""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from acl_runtime.abi.pointers import Address
from acl_runtime.objects.elf import functions, variables
from acl_runtime.objects.handle_table import Thing
from acl_runtime.text import Text

CUBE: Final = "_mix_aic"
VECTOR: Final = "_mix_aiv"
"""suffixes of the two parts of a kernel that uses both kinds of cores"""


class Binary(Thing):
    """A binary with device kernels, which Python functions of the program replace."""

    kind = Text("kernel binary")
    destroyer = "aclrtBinaryUnLoad"

    def __init__(self, data: bytes, *, vector: bool, for_cpu: bool) -> None:
        super().__init__()
        self.data = data
        self.symbols = functions(data)
        """the functions in the binary, in order; empty if the data are no ELF file"""
        self.variables = variables(data)
        """the variables in the binary, with their first values"""
        self.vector = vector
        """True if the binary was loaded for vector cores only"""
        self.for_cpu = for_cpu
        """True if the binary has kernels of the AI CPU"""
        self.functions: dict[str, KernelFunction] = {}
        self.places: dict[tuple[int, str], object] = {}
        """the data, and the variables in them, in the addresses of devices: by device and name, which is empty for all
        data"""
        self.on_failure: Callable[[Any], object] | None = None
        """called with an aclrtExceptionInfo after a kernel of the binary has failed"""

    def names(self) -> tuple[str, ...]:
        """The names of the kernels, without the suffixes of their parts."""
        return tuple(dict.fromkeys(symbol.removesuffix(CUBE).removesuffix(VECTOR) for symbol in self.symbols))

    def has(self, name: str) -> bool:
        """True if the binary has a kernel of this name."""
        return name in self.symbols or name in self.names()


class HostData(Thing):
    """Data of the host behind an aclrtBinary, which are read when they are loaded."""

    kind = Text("data of a kernel binary")
    destroyer = "aclrtDestroyBinary"

    def __init__(self, pointer: Address, size: int) -> None:
        super().__init__()
        self.pointer, self.size = pointer, size


class KernelFunction(Thing):
    """A kernel in a binary."""

    kind = Text("kernel function")

    def __init__(self, name: str, binary: Binary) -> None:
        super().__init__()
        self.name = name
        self.binary = binary

    def __str__(self) -> str:
        return f"{self.kind} {self.ordinal} ({self.name})"

    @property
    def label(self) -> str:
        return f"{self.kind} {self.ordinal}"

    @property
    def mixed(self) -> bool:
        """True if the parts of the kernel have symbols of their own."""
        return self.name + CUBE in self.binary.symbols or self.name + VECTOR in self.binary.symbols

    @property
    def cube(self) -> bool:
        """True if the kernel has code for cube cores."""
        if self.mixed:
            return self.name + CUBE in self.binary.symbols
        return not self.name.endswith(VECTOR) and not self.binary.vector

    @property
    def vector(self) -> bool:
        """True if the kernel has code for vector cores."""
        return self.name + VECTOR in self.binary.symbols or not self.cube


class BinaryVariable(NamedTuple):
    """A variable of a binary."""

    binary: Binary
    name: str


class CompiledIn:
    """Kernels and variables that are compiled into the program, by the host addresses that stand for them."""

    def __init__(self) -> None:
        self.kernels: dict[int, KernelFunction] = {}
        self.variables: dict[int, BinaryVariable] = {}
