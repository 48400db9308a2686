"""Names: variables, functions, constants of ACL."""

import re

from aclnn.tools.port.cpp import names as acl
from aclnn.tools.port.cpp.place import Position
from aclnn.tools.port.cpp.reading import Node, field, text
from aclnn.tools.port.cpp.scopes import Variable
from aclnn.tools.port.cpp.types import FLOAT, INT, INTEGERS, NULL, Type, Untranslated
from aclnn.tools.port.expressions.vectors import listed
from aclnn.tools.port.python.values import ATOM, SUM, Value, number


def identifier(place: Position, node: Node) -> Value:
    return named(place, text(node))


def named(place: Position, name: str) -> Value:
    """The value of a name."""
    variable = place.scope.find(name)
    if variable is not None:
        return of_variable(place, variable)
    if name in place.program.functions:
        return Value(place.program.functions[name].name, Type("function", name), known=None)
    if name == "NULL":
        return Value("None", NULL)
    if name in place.bindings:
        raise Untranslated(f"{name} as a value")
    if name in ("stdout", "stderr"):
        return Value(f"sys.{name}", Type("file", name))
    if name in ("INFINITY", "NAN"):
        return Value("np.inf" if name == "INFINITY" else "np.nan", FLOAT)
    if name in ("SEEK_SET", "SEEK_CUR", "SEEK_END", "EXIT_SUCCESS", "EXIT_FAILURE"):
        return number({"SEEK_CUR": 1, "SEEK_END": 2, "EXIT_FAILURE": 1}.get(name, 0), INT)
    if (limit := re.fullmatch(r"(U?)INT(8|16|32|64)_(MAX|MIN)", name)) is not None:
        cpp_type = INTEGERS[f"{limit[1].lower()}int{limit[2]}_t"]
        return number(cpp_type.high if limit[3] == "MAX" else cpp_type.low, cpp_type)
    if (constant := acl.constant(name)) is not None:
        return Value(name, constant, low=acl.value(name), high=acl.value(name))
    if acl.function(name) is not None:
        package = acl.module(name)
        if package:
            place.program.operators.add(name)
        return Value(name, Type("function", name))
    raise Untranslated(f"{name} is not known here")


def of_variable(place: Position, variable: Variable) -> Value:
    """The value of a variable."""
    own_type = variable.type.plain()
    text = variable.name
    if variable.boxed and (own_type.number or own_type.kind == "pointer"):
        return Value(f"{text}.value", own_type, low=variable.low, high=variable.high)
    numpy = own_type.kind == "float" and own_type.bits == 32 and variable.constant is None and not variable.boxed
    numpy = numpy or (own_type.integral and variable.numpy)
    if own_type.kind == "union":
        return Value(text, own_type)
    if own_type.kind == "pointer" and place.program.facts.has("address", variable.key):
        return Value(text, own_type, memory="address", key=variable.key)
    memory = "list" if own_type.sequence and listed(place, variable.key, own_type) else ""
    level = ATOM if re.fullmatch(r"[\w.\[\]]+", text) else SUM
    return Value(
        text, own_type, level, variable.low, variable.high, numpy=numpy,
        key=variable.key, known=variable.constant, memory=memory,
    )  # fmt: skip


def qualified(place: Position, node: Node) -> Value:
    scope = node.child_by_field_name("scope")
    inner = field(node, "name")
    outer = text(scope) if scope is not None else ""
    if inner.type == "qualified_identifier":
        return qualified(place, inner)
    name = text(inner)
    if outer in ("", "std") or outer in place.program.namespaces:
        if outer == "std" and name in ("string",):
            raise Untranslated(text(node))
        variable = place.scope.find(name)
        if variable is not None and variable.function != 0:
            raise Untranslated(f"{text(node)}, which a variable of the function hides")
        return named(place, name)
    enum = acl.kind(outer)
    if enum is not None and acl.constant(name) is not None:
        return Value(f"{outer}.{name}", enum, low=acl.value(name), high=acl.value(name))
    if outer in place.program.types and place.program.types[outer].kind == "enum":
        outer_type = place.program.types[outer]
        return Value(f"{outer}.{name}", outer_type)
    if scope is not None and scope.type == "template_type" and text(field(scope, "name")) == "numeric_limits":
        raise Untranslated(text(node))
    return named(place, name) if outer in place.program.structs else _unknown(node)


def _unknown(node: Node) -> Value:
    raise Untranslated(f"{text(node)} is not known here")
