"""`&x`: pointers to variables, members and elements."""

from dataclasses import replace

from aclnn.tools.port.cpp.place import Position
from aclnn.tools.port.cpp.reading import Node, bare, field, parts, text
from aclnn.tools.port.cpp.types import Type, Untranslated, pointer
from aclnn.tools.port.expressions.vectors import subscript
from aclnn.tools.port.python.values import ATOM, Value, wrapped


def address_of(place: Position, node: Node) -> Value:
    """The value of `&node`. A number whose address is taken is a ctypes object in Python; a handle is always one."""
    node = bare(node)
    facts = place.program.facts
    if node.type == "identifier" and (variable := place.scope.find(text(node))) is not None:
        own_type = variable.type.plain()
        if own_type.number:
            facts.note("boxed", variable.key)
            if not variable.boxed and variable.name.isidentifier() is False:
                raise Untranslated(f"the address of {text(node)}")
            return box(replace(place.expression(node)), variable.name)
        if own_type.kind in ("handle", "union"):
            facts.note("addressed", variable.key)
            return box(place.expression(node), variable.name)
        if own_type.kind == "struct" or own_type.sequence:
            value = place.expression(node)
            return replace(
                value, type=pointer(own_type), target=value, memory="box" if own_type.kind == "struct" else ""
            )
    elif node.type == "field_expression":
        return _member(place, node)
    elif node.type == "subscript_expression":
        return _element(place, node)
    value = place.expression(node)
    if value.type.kind == "function":
        return value
    if node.type == "pointer_expression" and text(field(node, "operator")) == "*":
        return place.expression(field(node, "argument"))
    raise Untranslated(f"the address of {text(node)}")


def box(target: Value, name: str) -> Value:
    """A pointer to a ctypes object."""
    return Value(f"byref({name})", pointer(target.type), memory="box", target=target)


def as_pointer(value: Value) -> str:
    """The text of a pointer that can be dereferenced: `pointer(x)` instead of `byref(x)`."""
    if value.memory == "box" and value.text.startswith("byref("):
        return value.text.replace("byref(", "pointer(", 1)
    return value.text


def _member(place: Position, node: Node) -> Value:

    value = place.expression(node)
    if value.type.number and value.key:
        place.program.facts.note("boxed", value.key)
        return box(value, value.text.removesuffix(".value"))
    if value.type.kind == "handle":
        place.program.facts.note("addressed", value.key)
        return box(value, value.text)
    if value.type.kind == "struct" or value.type.sequence:
        return replace(
            value, type=pointer(value.type), target=value, memory="box" if value.type.kind == "struct" else ""
        )
    raise Untranslated(f"the address of {text(node)}")


def _element(place: Position, node: Node) -> Value:

    owner = place.expression(field(node, "argument"))
    index = wrapped(place.expression(parts(field(node, "indices"))[0]))
    inner: Type = owner.type.inner.plain() if owner.type.sequence else Type("void")
    if inner.kind in ("handle", "union", "struct"):
        target = subscript(place, owner, index)
        if inner.kind == "struct":
            return replace(target, type=pointer(inner), target=target, memory="box")
        place.program.facts.note("addressed", owner.key + ".of")
        return box(target, target.text)
    if inner.number and owner.key:
        place.program.facts.note("array", owner.key)
        code = owner.text if index.known == 0 else f"{owner.at(ATOM)}[{index.text}:]"
        return Value(code, pointer(inner), key=owner.key)
    raise Untranslated(f"the address of {text(node)}")
