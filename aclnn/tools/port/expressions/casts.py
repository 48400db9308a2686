"""Casts between numbers, pointers and addresses; sizeof of a type."""

from dataclasses import replace

from aclnn.tools.port.cpp.place import Position
from aclnn.tools.port.cpp.reading import Node, field, text
from aclnn.tools.port.cpp.spellings import spelled_type
from aclnn.tools.port.cpp.types import ADDRESS, SIZE, TEXT, Type, Untranslated, ctype, dtype, pointer
from aclnn.tools.port.python.values import ATOM, Value, converted, wrapped


def cast_node(place: Position, node: Node) -> Value:
    """The value of `(T)value`."""

    return cast(place, spelled_type(place, field(node, "type")), field(node, "value"))


def cast(place: Position, target: Type, node: Node, operator: str = "") -> Value:
    """The value of an expression, converted to another type."""

    if node.type == "initializer_list":
        raise Untranslated(f"the list {' '.join(text(node).split())[:40]} here")
    return recast(place, target, place.expression(node), operator)


def recast(place: Position, target: Type, value: Value, operator: str = "") -> Value:
    """A value, converted to another type."""
    target, source = target.plain(), value.type
    if target.number and source.number:
        number = converted(value, target)
        if target.kind == "float" and target.symbol and number.text.startswith("np.float"):
            number = replace(number, text=target.symbol + number.text[number.text.index("(") :])
        return number
    if target.kind == "void":
        return value
    if source.kind == "null":
        return replace(value, type=target if target.kind in ("pointer", "handle") else source)
    if target.kind == "int" and target.bits == 64 and source.kind == "handle":
        return Value(f"{value.at(ATOM)}.value", target)
    if target.kind == "int" and value.memory == "address":
        return replace(value, type=target, memory="", low=0, high=2**63)
    if target.kind == "handle" and source.kind == "int":
        return Value(f"{target.name}({wrapped(value).text})", target, fresh=True)
    if target.kind == "handle" and source.kind in ("handle", "pointer", "unique"):
        return value if source.kind == "pointer" and target.same(ADDRESS) else replace(value, type=target)
    if target.kind == "pointer" and source.kind in ("pointer", "handle"):
        return _pointer(place, target, value)
    if target.same(source) or (target.kind == source.kind == "string"):
        return value
    if target.kind == "string" and source.same(TEXT):
        return replace(value, type=target)
    raise Untranslated(f"the cast of {source.spelled} to {target.spelled}")


def _pointer(place: Position, target: Type, value: Value) -> Value:
    """A pointer, converted to another type of pointer. A device address as `char *` is a number in Python."""
    source, inner = value.type, target.inner
    if source.kind == "pointer" and (source.inner.same(inner) or inner.kind == "handle"):
        return value if source.inner.same(inner) else replace(value, type=pointer(inner))
    if value.memory == "address":
        return replace(value, type=target) if inner.number and inner.bits == 8 else _elements(place, inner, value.text)
    if source.kind == "handle":
        if inner.number and inner.bits == 8:
            return Value(f"{value.at(ATOM)}.value", target, memory="address")
        if not source.same(ADDRESS):
            raise Untranslated(f"the cast of {source.spelled} to {target.spelled}")
        return _elements(place, inner, value.text)
    if value.memory == "box":
        return Value(f"cast({value.text}, POINTER({_class(inner)}))", target)
    if value.key and source.inner.number and inner.number:
        place.program.facts.note("array", value.key)
        return Value(f"{value.at(ATOM)}.view({dtype(inner)})", target, key=value.key)
    raise Untranslated(f"the cast of {source.spelled} to {target.spelled}")


def _class(cpp_type: Type) -> str:
    return ctype(cpp_type)


def _elements(place: Position, cpp_type: Type, address: str) -> Value:
    if not cpp_type.number:
        raise Untranslated(f"the cast of an address to a pointer to {cpp_type.spelled}")
    return Value(f"cast({address}, POINTER({_class(cpp_type)}))", pointer(cpp_type))


def sized(place: Position, cpp_type: Type) -> Value:
    """The value of `sizeof(T)`."""
    if cpp_type.symbol and cpp_type.number:
        if cpp_type.symbol in place.sized:
            name, key = place.sized[cpp_type.symbol].split("|")
            place.program.facts.note("array", key)
            return Value(f"{name}.itemsize", SIZE, low=1, high=16)
        return Value(f"np.dtype({cpp_type.symbol}).itemsize", SIZE, low=1, high=16)
    if cpp_type.number:
        return Value(f"sizeof({_class(cpp_type)})", SIZE, low=cpp_type.bits // 8, high=cpp_type.bits // 8)
    if cpp_type.kind in ("handle", "pointer"):
        return Value("sizeof(c_void_p)", SIZE, low=8, high=8)
    if cpp_type.kind == "union":
        return Value(f"sizeof({cpp_type.name})", SIZE, low=1, high=64)
    raise Untranslated(f"sizeof({cpp_type.spelled})")
