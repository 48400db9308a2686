"""C++ types, and the types of Python that replace them."""

from dataclasses import dataclass, replace
from typing import Final


class Untranslated(Exception):
    """A construct that has no translation; the text is the reason."""


@dataclass(frozen=True)
class Type:
    """A C++ type. `kind` is one of int, bool, float, void, null, pointer, handle, vector, array, string, struct, union,
    enum, unique, function, file, list, auto."""

    kind: str
    name: str = ""
    bits: int = 0
    signed: bool = True
    of: "Type | None" = None
    const: bool = False
    reference: bool = False
    symbol: str = ""
    """the parameter of the template that has this type, such as T"""

    @property
    def inner(self) -> "Type":
        """The type of the elements, or the type that a pointer points to."""
        if self.of is None:
            raise Untranslated(f"{self.spelled} has no elements")
        return self.of

    @property
    def number(self) -> bool:
        return self.kind in ("int", "bool", "float", "enum")

    @property
    def integral(self) -> bool:
        return self.kind in ("int", "bool", "enum")

    @property
    def low(self) -> int:
        return 0 if self.kind == "bool" or not self.signed else -(2 ** (self.bits - 1))

    @property
    def high(self) -> int:
        return 1 if self.kind == "bool" else 2 ** (self.bits - self.signed) - 1

    @property
    def sequence(self) -> bool:
        return self.kind in ("vector", "array")

    @property
    def spelled(self) -> str:
        return self.name or self.kind + (f" of {self.of.spelled}" if self.of else "")

    def plain(self) -> "Type":
        """This type without const and reference."""
        return replace(self, const=False, reference=False) if self.const or self.reference else self

    def same(self, other: "Type") -> bool:
        """True if both are the same type, except for const, references and names."""
        by_name = ("handle", "opaque", "struct", "union", "enum")
        mine, its = (replace(each.plain(), name=each.name if each.kind in by_name else "", symbol="", of=None)
                     for each in (self, other))  # fmt: skip
        if mine != its or (self.of is None) != (other.of is None):
            return False
        return self.of is None or other.of is None or self.of.same(other.of)


def integer(name: str, bits: int, signed: bool = True) -> Type:
    """An integer type."""
    return Type("int", name, bits, signed)


INT, LONG = integer("int", 32), integer("int64_t", 64)
UINT, SIZE = integer("unsigned int", 32, signed=False), integer("size_t", 64, signed=False)
CHAR, BOOL = integer("char", 8), Type("bool", "bool", 8, signed=False)
FLOAT, DOUBLE = Type("float", "float", 32), Type("float", "double", 64)
VOID, NULL, AUTO, STRING = Type("void", "void"), Type("null", "nullptr"), Type("auto"), Type("string", "std::string")
TEXT: Final = Type("pointer", "const char *", of=CHAR)
ADDRESS: Final = Type("handle", "c_void_p")
"""`void *`; in Python a c_void_p, as `aclTensor *` is an aclTensor"""
INTEGERS: Final = {
    **{f"int{bits}_t": integer(f"int{bits}_t", bits) for bits in (8, 16, 32, 64)},
    **{f"uint{bits}_t": integer(f"uint{bits}_t", bits, signed=False) for bits in (8, 16, 32, 64)},
    "char": CHAR, "signed char": integer("int8_t", 8), "unsigned char": integer("uint8_t", 8, signed=False),
    "short": integer("short", 16), "unsigned short": integer("unsigned short", 16, signed=False),
    "int": INT, "signed": INT, "signed int": INT, "unsigned": UINT, "unsigned int": UINT,
    "long": integer("long", 64), "unsigned long": integer("unsigned long", 64, signed=False),
    "long long": integer("long long", 64), "unsigned long long": integer("unsigned long long", 64, signed=False),
    "size_t": SIZE, "ssize_t": LONG, "ptrdiff_t": LONG, "intptr_t": LONG,
    "uintptr_t": integer("uintptr_t", 64, signed=False),
    "aclFloat16": integer("aclFloat16", 16, signed=False),
    "aclError": integer("aclError", 32), "aclnnStatus": integer("aclnnStatus", 32), "HcclResult": INT,
}  # fmt: skip
SIMPLE: Final = {
    **INTEGERS,
    "bool": BOOL,
    "float": FLOAT,
    "double": DOUBLE,
    "void": VOID,
    "string": STRING,
    "auto": AUTO,
}
CTYPES: Final = {8: "c_int8", 16: "c_int16", 32: "c_int32", 64: "c_int64"}


def pointer(target: Type) -> Type:
    """The type of a pointer to `target`."""
    if target.kind == "void":
        return ADDRESS
    return Type("pointer", of=target)


def dtype(cpp_type: Type) -> str:
    """The numpy type of elements."""
    if cpp_type.symbol:
        return cpp_type.symbol
    if cpp_type.kind == "bool":
        return "np.bool_"
    if cpp_type.kind in ("int", "enum"):
        return f"np.{'' if cpp_type.signed else 'u'}int{cpp_type.bits}"
    if cpp_type.kind == "float":
        return f"np.float{cpp_type.bits}"
    raise Untranslated(f"numpy has no elements of type {cpp_type.spelled}")


def ctype(cpp_type: Type) -> str:
    """The ctypes class, or the class of ACL, of a variable whose address is taken."""
    if cpp_type.kind == "bool":
        return "c_bool"
    if cpp_type.kind in ("int", "enum"):
        return CTYPES[cpp_type.bits] if cpp_type.signed else CTYPES[cpp_type.bits].replace("c_", "c_u")
    if cpp_type.kind == "float":
        return "c_float" if cpp_type.bits == 32 else "c_double"
    if cpp_type.kind in ("handle", "union"):
        return cpp_type.name
    raise Untranslated(f"the address of a variable of type {cpp_type.spelled}")
