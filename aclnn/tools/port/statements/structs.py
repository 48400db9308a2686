"""Structs, unions and enums."""

from aclnn.tools.port.cpp.place import Place, Struct
from aclnn.tools.port.cpp.reading import Node, field, parts, text
from aclnn.tools.port.cpp.scopes import Variable
from aclnn.tools.port.cpp.spellings import base, declared, spelled_type
from aclnn.tools.port.cpp.types import Type, Untranslated, ctype
from aclnn.tools.port.expressions.vectors import listed
from aclnn.tools.port.python.values import Value
from aclnn.tools.port.statements.initial import field_value
from aclnn.tools.port.statements.vectors import zero


def struct_lines(place: Place, node: Node) -> list[str]:
    """A struct as a class with its members; a union as a Union of ctypes, which shares the bits."""
    program = place.program
    name = text(field(node, "name"))
    struct = program.structs[name]
    if struct.union:
        fields = ", ".join(f'("{each}", {_field_class(of)})' for each, of in struct.fields.items())
        return [f"class {name}(Union):", f"    _fields_ = [{fields}]"]
    lines = [f"class {name}:"]
    arguments, body, copies = ["self"], list[str](), list[str]()
    for each, of in struct.fields.items():
        key = f"{name}.{each}"
        node_of = struct.defaults.get(each)
        made = place.initial(of, node_of, key) if node_of is not None else zero(place, of, key)
        value = field_value(place, name, each, of, made)
        shared = of.sequence or of.kind in ("handle", "struct") or (of.number and program.facts.has("boxed", key))
        arguments.append(f"{each}={'None' if shared else value}")
        body.append(f"        self.{each} = {f'{value} if {each} is None else {each}' if shared else each}")
        if program.facts.has("copied", name):
            copies.append(_copy(place, f"self.{each}", of, key))
    lines.append(f"    def __init__({', '.join(arguments)}):")
    lines += body or ["        pass"]
    if program.facts.has("copied", name):
        lines += ["", "    def copied(self):", f"        return {name}({', '.join(copies)})"]
    return lines


def _field_class(of: Type) -> str:
    return ctype(of)


def _copy(place: Place, shown: str, of: Type, key: str) -> str:

    if of.number and place.program.facts.has("boxed", key):
        return f"{ctype(of)}({shown}.value)"
    if of.kind == "handle":
        return f"{of.name}({shown}.value)"
    memory = "list" if of.sequence and listed(place, key, of) else ""
    return place.copied(Value(shown, of, key=key, memory=memory), of, key).text if not of.number else shown


def collect_struct(place: Place, node: Node) -> None:
    """Note a struct, so that its variables are known."""
    name = text(field(node, "name"))
    union = node.type == "union_specifier"
    struct = Struct(name, {}, {}, union)
    for each in parts(field(node, "body")):
        if each.type == "access_specifier" and text(each) == "public":
            continue
        if each.type != "field_declaration":
            raise Untranslated(f"{each.type.replace('_', ' ')} in {name}")
        if any(it.type == "storage_class_specifier" for it in each.children):
            raise Untranslated(f"a static member of {name}")
        if any(it.type == "bitfield_clause" for it in each.children):
            raise Untranslated(f"a bit field of {name}")
        own = base(place, each)
        declarators = each.children_by_field_name("declarator")
        if len(declarators) > 1 and each.child_by_field_name("default_value") is not None:
            raise Untranslated("several members with initial values")
        for declarator in declarators:
            name_node, to, sizes = declared(own, declarator)
            if name_node is None or to.kind == "function" or sizes:
                raise Untranslated(f"the member {text(declarator)} of {name}")
            struct.fields[text(name_node)] = to
            default = each.child_by_field_name("default_value")
            if default is not None:
                struct.defaults[text(name_node)] = default
    if node.named_children and any(each.type == "base_class_clause" for each in node.children):
        raise Untranslated(f"the base class of {name}")
    place.program.structs[name] = struct


def enum_type(place: Place, node: Node) -> Type:
    """The type of an enum. It has the bits of the type behind its colon."""
    name, given = text(field(node, "name")), node.child_by_field_name("base")
    if given is None:
        return Type("enum", name, 32)
    own = spelled_type(place, given)
    scoped = any(each.type in ("class", "struct") for each in node.children)
    if own.kind != "int" or own.bits > 32 or (own.bits == 32 and not own.signed and not scoped):
        raise Untranslated(f"an enum of {own.spelled}")
    return Type("enum", name, own.bits, own.signed)


def enum_lines(place: Place, node: Node) -> list[str]:
    """An enum. The names of an `enum` without `class` are constants as well."""
    name = text(field(node, "name"))
    scoped = any(each.type in ("class", "struct") for each in node.children)
    lines, value, members = [f"class {name}(IntEnum):"], "0", list[str]()
    number = -1

    for each in parts(field(node, "body")):
        given = each.child_by_field_name("value")
        number += 1
        if given is not None:
            found = place.expression(given)
            if found.known is None:
                raise Untranslated(f"the value of {text(each)}")
            number = found.known
        value = str(number)
        member = text(field(each, "name"))
        members.append(member)
        lines.append(f"    {member} = {value}")
    of = place.program.types[name]
    if not scoped:
        lines += ["", ""]
        for member in members:
            lines.append(f"{member} = {name}.{member}")
            place.scope.names[member] = Variable(member, of, f"enum {member}", 0)
    return lines
