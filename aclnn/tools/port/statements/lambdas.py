"""Lambdas as functions of Python."""

from dataclasses import replace

from aclnn.tools.port.cpp.place import CppFunction, CppParameter, Position
from aclnn.tools.port.cpp.reading import Node, changed, field, parts, text, walk
from aclnn.tools.port.cpp.scopes import NameScope
from aclnn.tools.port.cpp.signatures import parameters_of
from aclnn.tools.port.cpp.spellings import spelled_type
from aclnn.tools.port.cpp.types import AUTO, VOID, Type, Untranslated
from aclnn.tools.port.python.values import Value
from aclnn.tools.port.statements.functions import declare_parameters


def lambda_expression(place: Position, node: Node, name: str, key: str) -> Value:
    """The name of a lambda, which becomes a Python function before the statement."""
    lambda_lines(place, node, name, key)
    return Value(name, Type("function", name), key=key)


def lambda_lines(place: Position, node: Node, name: str, key: str) -> None:
    """Emit a function for a lambda."""
    program = place.program
    declarator = node.child_by_field_name("declarator")
    inner = Position(
        program, NameScope(place.scope, program.counter + 1), place.bindings, AUTO, place.function, place.suffix
    )
    program.counter += 1
    inner.name, inner.indent = name, 4
    inner.returned = f"lambda {key}"
    inner.sized = place.sized
    defaults = _captured(place, inner, node)
    parameters: list[CppParameter] = []
    if declarator is not None:
        parameters = parameters_of(place, field(declarator, "parameters"))
        trailing = [child for child in declarator.children if child.type == "trailing_return_type"]
        if trailing:
            inner.result = spelled_type(place, parts(trailing[0])[0])
    if inner.result.kind == "auto":
        inner.result = _result_of_lambda(place, node, parameters)
    code = declare_parameters(inner, parameters, node)
    program.functions[f"lambda {key}"] = CppFunction(name, parameters, inner.result, f"lambda {key}")

    inner.sequence(field(node, "body").children[1:-1])
    if any("NotImplementedError" in each for each in inner.lines):
        raise Untranslated("a lambda with something that has no translation")
    if place.lines and place.lines[-1] and not place.lines[-1].endswith(":"):
        place.lines.append("")
    place.emit(f"def {name}({', '.join([*code, *defaults])}):")
    for line in sorted(inner.assigned):
        place.emit(f"    {line}")
    body = inner.lines or ["    pass"]
    if all(each.lstrip().startswith("#") for each in body):
        body = [*body, "    pass"]
    place.lines += [*(" " * place.indent + each if each else each for each in body), ""]


def _result_of_lambda(place: Position, node: Node, parameters: list[CppParameter]) -> Type:
    """The type of the first `return`."""
    returns = [
        descendant
        for descendant in walk(field(node, "body"))
        if descendant.type == "return_statement" and parts(descendant)
    ]
    if not returns:
        return VOID
    scope = NameScope(place.scope, place.program.counter + 1)
    probe = Position(place.program, scope, place.bindings, AUTO, place.function, place.suffix)
    problems = len(place.program.problems)
    probe.name = "probe"
    declare_parameters(probe, parameters, node)

    types: list[Type] = []
    for item in field(node, "body").children[1:-1]:
        if item.type == "declaration":
            place.program.rules.statement(probe, item)
    for item in returns:
        try:
            types.append(probe.expression(parts(item)[0]).type.plain())
        except Untranslated:
            raise Untranslated("a lambda without -> type") from None
    del place.program.problems[problems:]
    if not all(type_.same(types[0]) for type_ in types):
        raise Untranslated("a lambda that returns several types")
    return types[0]


def _captured(place: Position, inner: Position, node: Node) -> list[str]:
    """Default values for the variables that are captured by value and change later."""
    captures = field(node, "captures")
    list_text = text(captures)[1:-1].strip()
    if list_text in ("", "&", "this", "&, this"):
        return []
    outside = changed(place.function, changers=place.program.changers) if place.function is not None else set[str]()
    block = field(node, "body")
    names = {text(descendant) for descendant in walk(block) if descendant.type == "identifier"}
    capture_list = [each.strip() for each in list_text.split(",")]
    if any("=" in each and each != "=" for each in capture_list):
        raise Untranslated(f"the capture [{list_text}]")
    by_value = names if "=" in capture_list else {each for each in capture_list if not each.startswith("&")}
    defaults: list[str] = []
    for name in sorted(by_value):
        variable = place.scope.find(name)
        if variable is None or variable.function == 0 or name not in outside:
            continue
        if not variable.type.number or variable.boxed or name in changed(block):
            raise Untranslated(f"{name}, which the lambda captures by value, changes")
        defaults.append(f"{variable.name}={variable.name}")
        inner.scope.names[name] = replace(variable, function=inner.scope.function)
    return defaults
