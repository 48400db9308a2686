"""Vectors: lists or arrays of numpy, and their elements."""

from aclnn.tools.port.cpp.place import Position
from aclnn.tools.port.cpp.types import CHAR, TEXT, Type, Untranslated
from aclnn.tools.port.python.values import ATOM, Value


def listed(place: Position, key: str, cpp_type: Type) -> bool:
    """True if a vector is a list in Python, False if it is an array of numpy. The facts decide; without facts, the
    type."""
    inner = cpp_type.inner
    if inner.kind == "bool" and cpp_type.kind == "vector":
        return True
    if not inner.number:
        return True
    if place.program.facts.among("array", key):
        return False
    return (
        inner.kind in ("int", "enum", "bool")
        and inner.bits in (32, 64, 8)
        and (inner.bits != 8 or inner.kind == "bool")
    )


def subscript(place: Position, value: Value, index: Value) -> Value:
    """The value of `value[index]`."""
    if value.type.kind == "string" or value.type.same(TEXT):
        return Value(f"{value.at(ATOM)}.encode()[{index.text}]", CHAR, ATOM, 0, 255, memory="character")
    if not (value.type.sequence or value.type.kind == "pointer") or value.memory == "address":
        raise Untranslated(f"[] of {value.type.spelled}")
    if not index.type.integral:
        raise Untranslated(f"an index of type {index.type.spelled}")
    if index.range[0] < 0 and index.known is not None:
        raise Untranslated("a negative index")
    inner = value.type.inner.plain()
    result = f"{value.at(ATOM)}[{index.text}]"
    numpy = inner.number and value.memory != "list" and value.type.kind != "pointer"
    if value.type.kind == "pointer" and inner.number:
        numpy = inner.kind == "int"  # perhaps an array of numpy
    nested = value.key + ".of" if value.key else ""
    memory = "list" if inner.sequence and listed(place, nested, inner) else ""
    return Value(result, inner, key=nested, numpy=numpy, memory=memory)


def is_list(place: Position, owner: Value) -> bool:
    """True if the vector is a list in Python, False if it is an array of numpy."""

    return listed(place, owner.key, owner.type)
