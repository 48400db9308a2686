"""The parameters and the result of a function."""

from dataclasses import replace

from aclnn.tools.port.cpp.place import CppFunction, CppParameter, CppProgram, Position
from aclnn.tools.port.cpp.reading import Node, field, parts, text
from aclnn.tools.port.cpp.scopes import NameScope
from aclnn.tools.port.cpp.spellings import base, declared
from aclnn.tools.port.cpp.types import Type, Untranslated, pointer


def parameters_of(place: Position, node: Node) -> list[CppParameter]:
    """The parameters of a function."""
    parameters: list[CppParameter] = []
    if any(child.type == "..." for child in node.children):
        raise Untranslated("a function with ...")
    for item in parts(node):
        if item.type not in ("parameter_declaration", "optional_parameter_declaration"):
            raise Untranslated(f"the parameter {text(item)}")
        declarator = item.child_by_field_name("declarator")
        own_type = base(place, item)
        name_node, target, sizes = declared(own_type, declarator) if declarator is not None else (None, own_type, [])
        if target.kind == "void" and name_node is None:
            continue
        if sizes or (target.kind == "array" and not target.name):
            target = Type("pointer", of=target.inner)
        if target.kind == "auto":
            raise Untranslated("a parameter of type auto")
        if target.kind == "opaque":
            raise Untranslated(f"a parameter of type {target.name}")
        name = text(name_node) if name_node is not None else f"unused{len(parameters) + 1}"
        key = place.key(name_node) if name_node is not None else f"{item.start_byte}{place.suffix}"
        parameters.append(CppParameter(name, target, key, item.child_by_field_name("default_value")))
    return parameters


def declarator_of(node: Node) -> Node:
    """The function_declarator of a definition, behind `*` and `&`."""
    inner = field(node, "declarator")
    while inner.type != "function_declarator":
        declarator = inner.child_by_field_name("declarator") or next(iter(parts(inner)), None)
        if declarator is None:
            raise Untranslated("this declaration")
        inner = declarator
    return inner


def signature(
    program: CppProgram, function: CppFunction, binding: dict[str, Type] | None = None, number: int = 0
) -> tuple[list[CppParameter], Type]:
    """The parameters and the result of a function, or of an instance of a template."""
    suffix = f"#{number}" if function.template else ""
    place = Position(program, NameScope(), binding or {}, suffix=suffix)
    inner = declarator_of(function.node)
    result = base(place, function.node)
    outer = field(function.node, "declarator")
    if outer.type in ("pointer_declarator", "reference_declarator"):
        result = _result(result, outer)
    return parameters_of(place, field(inner, "parameters")), result


def _result(own_type: Type, node: Node) -> Type:

    while node.type in ("pointer_declarator", "reference_declarator"):
        if node.type == "reference_declarator":
            own_type = replace(own_type, reference=True)
        else:
            own_type = Type("handle", own_type.name) if own_type.kind == "opaque" else pointer(own_type)
        node = parts(node)[-1]
    return own_type
