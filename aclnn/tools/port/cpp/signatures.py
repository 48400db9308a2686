"""The parameters and the result of a function."""

from dataclasses import replace

from aclnn.tools.port.cpp.place import CppFunction, CppParameter, CppProgram, Place
from aclnn.tools.port.cpp.reading import Node, field, parts, text
from aclnn.tools.port.cpp.scopes import Scope
from aclnn.tools.port.cpp.spellings import base, declared
from aclnn.tools.port.cpp.types import Type, Untranslated, pointer


def parameters_of(place: Place, node: Node) -> list[CppParameter]:
    """The parameters of a function."""
    found: list[CppParameter] = []
    if any(each.type == "..." for each in node.children):
        raise Untranslated("a function with ...")
    for each in parts(node):
        if each.type not in ("parameter_declaration", "optional_parameter_declaration"):
            raise Untranslated(f"the parameter {text(each)}")
        declarator = each.child_by_field_name("declarator")
        own = base(place, each)
        name_node, to, sizes = declared(own, declarator) if declarator is not None else (None, own, [])
        if to.kind == "void" and name_node is None:
            continue
        if sizes or (to.kind == "array" and not to.name):
            to = Type("pointer", of=to.inner)
        if to.kind == "auto":
            raise Untranslated("a parameter of type auto")
        if to.kind == "opaque":
            raise Untranslated(f"a parameter of type {to.name}")
        name = text(name_node) if name_node is not None else f"unused{len(found) + 1}"
        key = place.key(name_node) if name_node is not None else f"{each.start_byte}{place.suffix}"
        found.append(CppParameter(name, to, key, each.child_by_field_name("default_value")))
    return found


def declarator_of(node: Node) -> Node:
    """The function_declarator of a definition, behind `*` and `&`."""
    inner = field(node, "declarator")
    while inner.type != "function_declarator":
        found = inner.child_by_field_name("declarator") or next(iter(parts(inner)), None)
        if found is None:
            raise Untranslated("this declaration")
        inner = found
    return inner


def signature(
    program: CppProgram, function: CppFunction, binding: dict[str, Type] | None = None, number: int = 0
) -> tuple[list[CppParameter], Type]:
    """The parameters and the result of a function, or of an instance of a template."""
    suffix = f"#{number}" if function.template else ""
    place = Place(program, Scope(), binding or {}, suffix=suffix)
    inner = declarator_of(function.node)
    result = base(place, function.node)
    outer = field(function.node, "declarator")
    if outer.type in ("pointer_declarator", "reference_declarator"):
        result = _result(result, outer)
    return parameters_of(place, field(inner, "parameters")), result


def _result(own: Type, node: Node) -> Type:

    while node.type in ("pointer_declarator", "reference_declarator"):
        if node.type == "reference_declarator":
            own = replace(own, reference=True)
        else:
            own = Type("handle", own.name) if own.kind == "opaque" else pointer(own)
        node = parts(node)[-1]
    return own
