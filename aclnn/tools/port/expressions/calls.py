"""Calls: of ACL, of the program's functions and lambdas, of `std`, of methods."""

from acl_runtime.abi.function import CFunction
from aclnn.tools.port.cpp import names as acl
from aclnn.tools.port.cpp.place import Position
from aclnn.tools.port.cpp.reading import Node, bare, field, parts, text
from aclnn.tools.port.cpp.spellings import simple
from aclnn.tools.port.cpp.types import TEXT, Untranslated
from aclnn.tools.port.expressions import methods, own_calls, standard
from aclnn.tools.port.expressions.addresses import as_pointer
from aclnn.tools.port.expressions.casts import cast
from aclnn.tools.port.expressions.order import check_order
from aclnn.tools.port.python.values import Value, plain, truth, wrapped


def call(place: Position, node: Node) -> Value:
    """A call expression."""

    called, arguments = field(node, "function"), parts(field(node, "arguments"))
    if called.type == "primitive_type" or (called.type == "identifier" and _is_type(place, text(called))):
        if len(arguments) != 1:
            raise Untranslated(f"{text(called)}()")
        return cast(place, simple(place, text(called)), arguments[0])
    check_order(place, arguments)
    if called.type == "field_expression":
        return methods.method(place, called, arguments)
    name, explicit = _name(called)
    if name in place.program.printing or name in ("printf", "fprintf"):
        raise Untranslated(f"{name} inside of an expression")
    variable = place.scope.find(name)
    if variable is not None and variable.type.kind == "function":
        return own_calls.of_variable(place, variable, arguments)
    if name in place.program.functions:
        return own_calls.call_own(place, place.program.functions[name], arguments, explicit)
    declared = acl.function(name)
    if declared is not None:
        return of_acl(place, declared, arguments)
    return standard.standard(place, name, arguments, explicit, node)


def _is_type(place: Position, name: str) -> bool:
    return name in place.bindings or name in place.program.types


def _name(node: Node) -> tuple[str, list[Node]]:
    """The name of a function without its namespaces, and the arguments of its template."""
    while node.type == "qualified_identifier":
        node = field(node, "name")
    if node.type == "template_function":
        return text(field(node, "name")), parts(field(node, "arguments"))
    if node.type in ("identifier", "parenthesized_expression"):
        return text(bare(node)), []
    raise Untranslated(f"the call of {text(node)}")


def of_acl(place: Position, declared: CFunction, argument_nodes: list[Node]) -> Value:
    """A call of a function of ACL."""
    if len(argument_nodes) != len(declared.parameters):
        raise Untranslated(f"{declared.name} takes {len(declared.parameters)} arguments")
    if acl.module(declared.name):
        place.program.operators.add(declared.name)
    arguments: list[str] = []
    for node, (name, ctype) in zip(argument_nodes, declared.parameters, strict=True):
        arguments.append(argument(place, node, acl.role(ctype), f"{name} of {declared.name}"))
    result = acl.result(declared)
    low, high = (None, None)
    return Value(f"{declared.name}({', '.join(arguments)})", result, low=low, high=high, fresh=True)


def argument(place: Position, node: Node, role: str, subject: str) -> str:
    """An argument for a parameter of ACL."""

    value = place.expression(node)
    kind, own_type = value.type.kind, value.type
    if kind == "null":
        return "None" if role not in ("number", "bool", "real") else _refused(value, subject)
    if role == "number" and own_type.number:
        if kind == "float":
            return f"int({value.text})"
        return value.text
    if role == "bool" and (own_type.number or kind in ("handle", "pointer")):
        return truth(value).text
    if role == "real" and own_type.number:
        return plain(value).text if own_type.integral else value.text
    if (role == "text" and (kind == "string" or own_type.same(TEXT))) or role == kind == "function":
        return value.text
    if role in ("handle", "memory") and kind in ("handle", "int"):
        return value.text if kind == "handle" else _refused(value, subject)
    if role in ("memory", "numbers", "output", "handles", "addresses") and kind == "pointer":
        return _pointer(place, value, role, subject)
    if role == "handle" and kind == "pointer" and value.memory == "address":
        return value.text
    if role in ("numbers", "handles", "addresses", "memory") and kind == "array":
        if role == "memory":
            place.program.facts.note("array", value.key)
        return value.text
    return _refused(value, subject)


def _pointer(place: Position, value: Value, role: str, subject: str) -> str:
    inner = value.type.inner
    if value.memory == "address" and role == "memory":
        return value.text
    if value.memory == "box":
        if inner.kind == "struct":
            return _refused(value, subject)
        return value.text
    if value.key and role == "memory":
        if not inner.number:
            return _refused(value, subject)
        place.program.facts.note("array", value.key)
    if role == "output" and value.key and place.program.facts.among("array", value.key):
        return _refused(value, subject)
    return as_pointer(value) if role != "output" else value.text


def _refused(value: Value, subject: str) -> str:
    raise Untranslated(f"an argument of type {value.type.spelled} for {subject}")


def numbers_of(place: Position, arguments: list[Node]) -> list[Value]:
    """The values of arguments that are numbers."""

    return [wrapped(place.expression(expression)) for expression in arguments]
