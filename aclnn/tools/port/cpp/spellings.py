"""The types of declarations, from their source."""

import re
from dataclasses import replace

from aclnn.tools.port.cpp import names
from aclnn.tools.port.cpp.place import Position
from aclnn.tools.port.cpp.reading import Node, field, parts, text
from aclnn.tools.port.cpp.types import AUTO, SIMPLE, Type, Untranslated, pointer

UNIQUE = "unique_ptr"


def base(place: Position, node: Node) -> Type:
    """The type of a declaration, without its declarator. `node` has the type and its qualifiers."""
    cpp_type = spelled_type(place, field(node, "type"))
    words = {text(child) for child in node.children if child.type in ("type_qualifier", "storage_class_specifier")}
    if "volatile" in words or "thread_local" in words:
        raise Untranslated(" ".join(sorted(words)))
    return replace(cpp_type, const=True) if words & {"const", "constexpr"} else cpp_type


def spelled_type(place: Position, node: Node) -> Type:
    """The type that a name spells."""
    kind = node.type
    if kind == "placeholder_type_specifier":
        return AUTO
    if kind == "type_descriptor":
        own_type = base(place, node)
        declarator = node.child_by_field_name("declarator")
        return own_type if declarator is None else declared(own_type, declarator)[1]
    if kind in ("qualified_identifier", "template_type", "dependent_type"):
        return _qualified(place, node)
    if kind in ("struct_specifier", "enum_specifier", "class_specifier", "union_specifier"):
        return simple(place, text(field(node, "name")))
    if kind == "decltype":
        raise Untranslated(text(node))
    return simple(place, " ".join(text(node).split()))


def simple(place: Position, name: str) -> Type:
    """The type of a name without arguments."""
    if name in place.bindings:
        return replace(place.bindings[name], symbol=name)
    if name in place.program.types:
        return place.program.types[name]
    if name in place.program.structs:
        return Type("union" if place.program.structs[name].union else "struct", name)
    words = name.split()
    for order in (words, [word for word in words if word != "int"]):
        if (number := SIMPLE.get(" ".join(order))) is not None:
            return number
    if set(words) <= {"long", "unsigned", "int", "signed", "short", "char"}:
        size = 64 if "long" in words else 16 if "short" in words else 32
        return Type("int", name, size, "unsigned" not in words)
    if name == "FILE":
        return Type("file", "FILE")
    enum = names.kind(name)
    if enum is not None:
        return enum
    if names.struct(name) is not None:
        return Type("struct", name)
    raise Untranslated(f"the type {name}")


def _qualified(place: Position, node: Node) -> Type:
    while node.type == "qualified_identifier":
        node = field(node, "name")
    if node.type != "template_type":
        name = text(node)
        if name in ("ifstream", "ofstream", "fstream"):
            return Type("file", name)
        return simple(place, name)
    name = text(field(node, "name"))
    arguments = parts(field(node, "arguments"))
    if name == "vector":
        return Type("vector", of=spelled_type(place, arguments[0]))
    if name == "array":
        return Type("array", of=spelled_type(place, arguments[0]), name=f"std::array of {text(arguments[1])}")
    if name == UNIQUE:
        inner = spelled_type(place, arguments[0])
        return Type("unique", of=_pointed(inner), name=text(node))
    if name == "function":
        return Type("function", "std::function")
    raise Untranslated(f"the type {' '.join(text(node).split())}")


def declared(own_type: Type, node: Node) -> tuple[Node, Type, list[Node]]:
    """The node of the name, its type, and the sizes of its arrays, for a declarator. The node is None without a
    name."""
    sizes: list[Node] = []
    while True:
        kind = node.type
        inner = node.child_by_field_name("declarator")
        if kind in ("pointer_declarator", "abstract_pointer_declarator"):
            const = any(text(child) == "const" for child in node.children if child.type == "type_qualifier")
            own_type = _pointed(own_type)
            own_type = replace(own_type, const=const)
        elif kind in ("reference_declarator", "abstract_reference_declarator"):
            own_type = replace(own_type, reference=True)
            inner = next((child for child in node.named_children if child.type != "type_qualifier"), None)
        elif kind in ("array_declarator", "abstract_array_declarator"):
            size = node.child_by_field_name("size")
            sizes.append(size)
            own_type = Type("array", of=own_type, const=own_type.const)
        elif kind in ("parenthesized_declarator", "abstract_parenthesized_declarator"):
            inner = parts(node)[0]
        elif kind in ("function_declarator", "abstract_function_declarator"):
            return inner, Type("function", "a pointer to a function"), sizes
        else:
            return node, own_type, sizes[::-1]
        if inner is None:
            return None, own_type, sizes[::-1]
        node = inner


def _pointed(own_type: Type) -> Type:
    return Type("handle", own_type.name) if own_type.kind == "opaque" else pointer(own_type)


def declared_name(node: Node) -> str:
    """The name in a declarator; empty without a name."""
    match = re.search(r"(\w+)\s*(\[[^\]]*\]\s*)*(\(.*)?$", text(node), re.DOTALL)
    return match[1] if match else ""
