"""Casts between numbers, pointers and addresses; sizeof of a type."""

from dataclasses import replace

from aclnn.tools.port.cpp.place import Place
from aclnn.tools.port.cpp.reading import Node, field, text
from aclnn.tools.port.cpp.spellings import spelled_type
from aclnn.tools.port.cpp.types import ADDRESS, SIZE, TEXT, Type, Untranslated, ctype, dtype, pointer
from aclnn.tools.port.python.values import ATOM, Value, converted, wrapped


def cast_node(place: Place, node: Node) -> Value:
    """`(T)value`."""

    return cast(place, spelled_type(place, field(node, "type")), field(node, "value"))


def cast(place: Place, to: Type, node: Node, how: str = "") -> Value:
    """The value of an expression as another type."""

    if node.type == "initializer_list":
        raise Untranslated(f"the list {' '.join(text(node).split())[:40]} here")
    return recast(place, to, place.expression(node), how)


def recast(place: Place, to: Type, value: Value, how: str = "") -> Value:
    """A value as another type."""
    to, own = to.plain(), value.type
    if to.number and own.number:
        made = converted(value, to)
        if to.kind == "float" and to.symbol and made.text.startswith("np.float"):
            made = replace(made, text=to.symbol + made.text[made.text.index("(") :])
        return made
    if to.kind == "void":
        return value
    if own.kind == "null":
        return replace(value, type=to if to.kind in ("pointer", "handle") else own)
    if to.kind == "int" and to.bits == 64 and own.kind == "handle":
        return Value(f"{value.at(ATOM)}.value", to)
    if to.kind == "int" and value.memory == "address":
        return replace(value, type=to, memory="", low=0, high=2**63)
    if to.kind == "handle" and own.kind == "int":
        return Value(f"{to.name}({wrapped(value).text})", to, fresh=True)
    if to.kind == "handle" and own.kind in ("handle", "pointer", "unique"):
        return value if own.kind == "pointer" and to.same(ADDRESS) else replace(value, type=to)
    if to.kind == "pointer" and own.kind in ("pointer", "handle"):
        return _pointer(place, to, value)
    if to.same(own) or (to.kind == own.kind == "string"):
        return value
    if to.kind == "string" and own.same(TEXT):
        return replace(value, type=to)
    raise Untranslated(f"the cast of {own.spelled} to {to.spelled}")


def _pointer(place: Place, to: Type, value: Value) -> Value:
    """A pointer as another pointer. A `char *` of an address of the device is the number of the address."""
    own, inner = value.type, to.inner
    if own.kind == "pointer" and (own.inner.same(inner) or inner.kind == "handle"):
        return value if own.inner.same(inner) else replace(value, type=pointer(inner))
    if value.memory == "address":
        return replace(value, type=to) if inner.number and inner.bits == 8 else _elements(place, inner, value.text)
    if own.kind == "handle":
        if inner.number and inner.bits == 8:
            return Value(f"{value.at(ATOM)}.value", to, memory="address")
        if not own.same(ADDRESS):
            raise Untranslated(f"the cast of {own.spelled} to {to.spelled}")
        return _elements(place, inner, value.text)
    if value.memory == "box":
        return Value(f"cast({value.text}, POINTER({_class(inner)}))", to)
    if value.key and own.inner.number and inner.number:
        place.program.facts.note("array", value.key)
        return Value(f"{value.at(ATOM)}.view({dtype(inner)})", to, key=value.key)
    raise Untranslated(f"the cast of {own.spelled} to {to.spelled}")


def _class(of: Type) -> str:
    return ctype(of)


def _elements(place: Place, of: Type, address: str) -> Value:
    if not of.number:
        raise Untranslated(f"the cast of an address to a pointer to {of.spelled}")
    return Value(f"cast({address}, POINTER({_class(of)}))", pointer(of))


def sized(place: Place, of: Type) -> Value:
    """`sizeof(T)`."""
    if of.symbol and of.number:
        if of.symbol in place.sized:
            name, key = place.sized[of.symbol].split("|")
            place.program.facts.note("array", key)
            return Value(f"{name}.itemsize", SIZE, low=1, high=16)
        return Value(f"np.dtype({of.symbol}).itemsize", SIZE, low=1, high=16)
    if of.number:
        return Value(f"sizeof({_class(of)})", SIZE, low=of.bits // 8, high=of.bits // 8)
    if of.kind in ("handle", "pointer"):
        return Value("sizeof(c_void_p)", SIZE, low=8, high=8)
    if of.kind == "union":
        return Value(f"sizeof({of.name})", SIZE, low=1, high=64)
    raise Untranslated(f"sizeof({of.spelled})")
