"""Structs, unions and enums."""

from aclnn.tools.port.cpp.place import Position, Struct
from aclnn.tools.port.cpp.reading import Node, field, parts, text
from aclnn.tools.port.cpp.scopes import Variable
from aclnn.tools.port.cpp.spellings import base, declared, spelled_type
from aclnn.tools.port.cpp.types import Type, Untranslated, ctype
from aclnn.tools.port.expressions.vectors import listed
from aclnn.tools.port.python.values import Value
from aclnn.tools.port.statements.initial import field_value
from aclnn.tools.port.statements.vectors import zero


def struct_lines(place: Position, node: Node) -> list[str]:
    """The lines of a struct as a class; of a union as a Union of ctypes, whose members share their bits."""
    program = place.program
    name = text(field(node, "name"))
    struct = program.structs[name]
    if struct.union:
        fields = ", ".join(f'("{each}", {_field_class(of)})' for each, of in struct.fields.items())
        return [f"class {name}(Union):", f"    _fields_ = [{fields}]"]
    lines = [f"class {name}:"]
    arguments, body, copies = ["self"], list[str](), list[str]()
    for field_name, cpp_type in struct.fields.items():
        key = f"{name}.{field_name}"
        node_of = struct.defaults.get(field_name)
        result = place.initial(cpp_type, node_of, key) if node_of is not None else zero(place, cpp_type, key)
        value = field_value(place, name, field_name, cpp_type, result)
        shared = (
            cpp_type.sequence
            or cpp_type.kind in ("handle", "struct")
            or (cpp_type.number and program.facts.has("boxed", key))
        )
        arguments.append(f"{field_name}={'None' if shared else value}")
        body.append(
            f"        self.{field_name} = {f'{value} if {field_name} is None else ' if shared else ''}{field_name}"
        )
        if program.facts.has("copied", name):
            copies.append(_copy(place, f"self.{field_name}", cpp_type, key))
    lines.append(f"    def __init__({', '.join(arguments)}):")
    lines += body or ["        pass"]
    if program.facts.has("copied", name):
        lines += ["", "    def copied(self):", f"        return {name}({', '.join(copies)})"]
    return lines


def _field_class(cpp_type: Type) -> str:
    return ctype(cpp_type)


def _copy(place: Position, code: str, cpp_type: Type, key: str) -> str:

    if cpp_type.number and place.program.facts.has("boxed", key):
        return f"{ctype(cpp_type)}({code}.value)"
    if cpp_type.kind == "handle":
        return f"{cpp_type.name}({code}.value)"
    memory = "list" if cpp_type.sequence and listed(place, key, cpp_type) else ""
    return (
        place.copied(Value(code, cpp_type, key=key, memory=memory), cpp_type, key).text if not cpp_type.number else code
    )


def collect_struct(place: Position, node: Node) -> None:
    """Note a struct, so that its variables can be translated."""
    name = text(field(node, "name"))
    union = node.type == "union_specifier"
    struct = Struct(name, {}, {}, union)
    for member in parts(field(node, "body")):
        if member.type == "access_specifier" and text(member) == "public":
            continue
        if member.type != "field_declaration":
            raise Untranslated(f"{member.type.replace('_', ' ')} in {name}")
        if any(child.type == "storage_class_specifier" for child in member.children):
            raise Untranslated(f"a static member of {name}")
        if any(child.type == "bitfield_clause" for child in member.children):
            raise Untranslated(f"a bit field of {name}")
        own_type = base(place, member)
        declarators = member.children_by_field_name("declarator")
        if len(declarators) > 1 and member.child_by_field_name("default_value") is not None:
            raise Untranslated("several members with initial values")
        for declarator in declarators:
            name_node, target, sizes = declared(own_type, declarator)
            if name_node is None or target.kind == "function" or sizes:
                raise Untranslated(f"the member {text(declarator)} of {name}")
            struct.fields[text(name_node)] = target
            default = member.child_by_field_name("default_value")
            if default is not None:
                struct.defaults[text(name_node)] = default
    if node.named_children and any(child.type == "base_class_clause" for child in node.children):
        raise Untranslated(f"the base class of {name}")
    place.program.structs[name] = struct


def enum_type(place: Position, node: Node) -> Type:
    """The type of an enum. The type after the colon determines its size."""
    name, base_node = text(field(node, "name")), node.child_by_field_name("base")
    if base_node is None:
        return Type("enum", name, 32)
    own_type = spelled_type(place, base_node)
    scoped = any(child.type in ("class", "struct") for child in node.children)
    if own_type.kind != "int" or own_type.bits > 32 or (own_type.bits == 32 and not own_type.signed and not scoped):
        raise Untranslated(f"an enum of {own_type.spelled}")
    return Type("enum", name, own_type.bits, own_type.signed)


def enum_lines(place: Position, node: Node) -> list[str]:
    """The lines of an enum. The names of an `enum` without `class` are constants as well."""
    name = text(field(node, "name"))
    scoped = any(child.type in ("class", "struct") for child in node.children)
    lines, value, members = [f"class {name}(IntEnum):"], "0", list[str]()
    number = -1

    for inner in parts(field(node, "body")):
        value_node = inner.child_by_field_name("value")
        number += 1
        if value_node is not None:
            constant = place.expression(value_node)
            if constant.known is None:
                raise Untranslated(f"the value of {text(inner)}")
            number = constant.known
        value = str(number)
        member = text(field(inner, "name"))
        members.append(member)
        lines.append(f"    {member} = {value}")
    cpp_type = place.program.types[name]
    if not scoped:
        lines += ["", ""]
        for member in members:
            lines.append(f"{member} = {name}.{member}")
            place.scope.names[member] = Variable(member, cpp_type, f"enum {member}", 0)
    return lines
