"""The variables of a place in the program, and their names in Python."""

import builtins
import keyword
from dataclasses import dataclass, field
from typing import Final

from aclnn.tools.port.cpp.types import Type

USED: Final = frozenset(
    "len range print list int float bool ord chr bytes str abs min max sum round sorted hex map zip enumerate open "
    "reversed isinstance super type tuple dict set bytearray memoryview sys np math copy pointer byref cast addressof "
    "memmove memset "
    "POINTER Union IntEnum dataclass field ExitStack suppress sizeof c_bool c_char c_int8 c_int16 c_int32 c_int64 "
    "c_uint8 c_uint16 c_uint32 c_uint64 c_float c_double c_void_p c_char_p Exception OSError NotImplementedError "
    "unique_ptr quotient remainder push_back fopen fread fwrite fclose fseek ftell ifstream ofstream main_".split()
)
"""names that are reserved for the text of a port"""


@dataclass
class Variable:
    """A variable of the program."""

    name: str
    """the name in Python; for a reference to something without a name, the expression"""
    type: Type
    key: str
    function: int = 0
    """the number of the Python function that has the variable; 0 for the module"""
    parameter: bool = False
    boxed: bool = False
    """a ctypes object whose `.value` is the value: its address is taken, or it is a reference"""
    constant: int | None = None
    """the value of a constant; None for a variable with a changing or unknown value"""
    low: int | None = None
    high: int | None = None
    """the range of the value, if it is smaller than the range of the type"""
    numpy: bool = False
    """True for a number from an array of numpy"""
    counts: bool = False
    """True if it only grows by one at a time"""


@dataclass
class NameScope:
    """The names of a block."""

    outer: "NameScope | None" = None
    function: int = 0
    names: dict[str, Variable] = field(default_factory=dict[str, Variable])
    taken: set[str] = field(default_factory=set[str])
    """names in Python that this block declares"""

    def find(self, name: str) -> Variable | None:
        variable = self.names.get(name)
        if variable is None and self.outer is not None:
            return self.outer.find(name)
        return variable

    def inner(self) -> "NameScope":
        return NameScope(self, self.function)

    def free(self, name: str) -> str:
        """A name in Python for a variable that is declared in this block. The name hides no visible variable, because
        Python has one scope for the whole function."""
        base = python_name(name)
        number = 1
        while self._visible(base if number == 1 else f"{base}_{number}"):
            number += 1
        return base if number == 1 else f"{base}_{number}"

    def _visible(self, name: str) -> bool:
        return name in self.taken or (self.outer is not None and self.outer._visible(name))


def python_name(name: str) -> str:
    """The name in Python of a C++ name; with `_` for a keyword of Python or a name in USED."""
    if keyword.iskeyword(name) or name in USED:
        return f"{name}_"
    return name


def builtin(name: str) -> bool:
    """True for the name of a Python builtin, which a variable would hide."""
    return hasattr(builtins, name)
