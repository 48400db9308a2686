"""Elements, members, dereferenced pointers, sizeof and new."""

import keyword
from dataclasses import replace

from aclnn.tools.port.cpp import names as acl
from aclnn.tools.port.cpp.place import Position
from aclnn.tools.port.cpp.reading import Node, bare, field, line, parts, text
from aclnn.tools.port.cpp.spellings import simple, spelled_type
from aclnn.tools.port.cpp.types import SIZE, Type, Untranslated, dtype, pointer
from aclnn.tools.port.expressions.addresses import address_of
from aclnn.tools.port.expressions.casts import sized
from aclnn.tools.port.expressions.vectors import listed, subscript
from aclnn.tools.port.python.values import ATOM, SIZES, Value, wrapped


def subscripted(place: Position, node: Node) -> Value:
    value = place.expression(field(node, "argument"))
    indices = parts(field(node, "indices"))
    if len(indices) != 1:
        raise Untranslated(text(node))
    index = wrapped(place.expression(indices[0]))
    return subscript(place, value, index)


def field_of(place: Position, node: Node) -> Value:
    owner = field(node, "argument")
    name = text(field(node, "field"))
    value = Value("self", Type("struct", place.owner.name)) if owner.type == "this" and place.owner else (
        place.expression(owner))  # fmt: skip
    if value.type.kind == "pointer" and value.type.inner.kind in ("struct", "union"):
        value = replace(value, type=value.type.inner)
        if value.memory == "box" and value.target is not None:
            value = value.target
    return member(place, value, name)


def member(place: Position, value: Value, name: str) -> Value:
    """The value of `value.name`."""
    struct = place.program.structs.get(value.type.name) if value.type.kind in ("struct", "union") else None
    if struct is None:
        declared = acl.struct(value.type.name) if value.type.kind == "struct" else None
        raise Untranslated(f"the member {name} of {value.type.spelled}" + (" of ACL" if declared else ""))
    if name not in struct.fields:
        raise Untranslated(f"the member {name} of {value.type.spelled}")
    own_type = struct.fields[name].plain()
    key = f"{struct.name}.{name}"
    boxed = place.program.facts.has("boxed", key) and own_type.number
    numpy = own_type.kind == "float" and own_type.bits == 32 and not boxed and not struct.union
    memory = "list" if own_type.sequence and listed(place, key, own_type) else ""
    code = f"{value.at(ATOM)}.{attribute(name)}" + (".value" if boxed else "")
    return Value(code, own_type, key=key, numpy=numpy, memory=memory)


def attribute(name: str) -> str:
    """The name of a member in Python."""

    return f"{name}_" if keyword.iskeyword(name) else name


def dereferenced(place: Position, node: Node) -> Value:
    operator = text(field(node, "operator"))
    if operator == "&":
        return address_of(place, field(node, "argument"))
    value = place.expression(field(node, "argument"))
    if value.type.kind == "unique":
        raise Untranslated(f"* of {value.type.spelled}")
    if value.memory == "box" and value.target is not None:
        return value.target
    if value.type.kind != "pointer" or value.memory == "address":
        raise Untranslated(f"* of {value.type.spelled}")
    if value.key:
        place.program.facts.note("dereferenced", value.key)
    inner = value.type.inner.plain()
    if inner.kind in ("struct", "vector"):
        memory = "list" if inner.sequence and listed(place, value.key, inner) else ""
        return replace(value, type=inner, memory=memory)
    return Value(f"{value.at(ATOM)}[0]", inner, numpy=inner.kind == "int", key="")


def sizeof(place: Position, node: Node) -> Value:
    inner = node.child_by_field_name("type")
    if inner is not None:
        return sized(place, type_of(place, inner))
    operand = bare(field(node, "value"))
    if operand.type == "identifier" and place.scope.find(text(operand)) is None:
        return sized(place, simple(place, text(operand)))
    value = place.expression(operand)
    if value.type.kind == "array":
        if value.type.name.startswith("std"):
            raise Untranslated(text(node))
        place.program.facts.note("array", value.key)
        return Value(f"{value.at(ATOM)}.nbytes", SIZE, low=0, high=SIZES)
    if operand.type == "subscript_expression":
        owner = place.expression(field(operand, "argument"))
        numbers = owner.type.sequence and owner.key and owner.type.inner.number
        if numbers and not listed(place, owner.key, owner.type):
            return Value(f"{owner.at(ATOM)}.itemsize", SIZE, low=1, high=16)
    return sized(place, value.type)


def type_of(place: Position, node: Node) -> Type:

    return spelled_type(place, node)


def new(place: Position, node: Node) -> Value:
    declarator = node.child_by_field_name("declarator")
    cpp_type = type_of(place, field(node, "type"))
    if declarator is None or declarator.type != "new_declarator" or not cpp_type.number:
        raise Untranslated(f"{' '.join(text(node).split())[:40]}")
    size = wrapped(place.expression(parts(declarator)[0]))
    zero = node.child_by_field_name("arguments") is not None
    key = f"new{line(node)}"
    place.program.facts.note("array", key)
    return Value(
        f"np.{'zeros' if zero else 'empty'}({size.text}, {dtype(cpp_type)})", pointer(cpp_type), key=key, fresh=True
    )
