"""Assignments, `++` and `--`, and calls whose result is not used."""

from dataclasses import replace
from typing import Final

from aclnn.tools.port.cpp.place import Position
from aclnn.tools.port.cpp.reading import Node, bare, field, root_name, text
from aclnn.tools.port.cpp.scopes import Variable
from aclnn.tools.port.cpp.types import INT, Type, Untranslated
from aclnn.tools.port.expressions.addresses import as_pointer
from aclnn.tools.port.expressions.order import effects, touched
from aclnn.tools.port.expressions.vectors import is_list
from aclnn.tools.port.python import arithmetic
from aclnn.tools.port.python.values import Value, element, number, stored

PLAIN: Final = ("+", "-", "*", "&", "|", "^")
"""operators whose `x op= y` has the same result in Python as in C++, if the result is in range"""


def assignment(place: Position, node: Node) -> None:
    """Translate `left = right` and `left += right`."""
    left, right = bare(field(node, "left")), field(node, "right")
    operator = text(field(node, "operator"))
    if operator == "=":
        _assign(place, left, right)
    else:
        if effects(place, right) and root_name(left) in touched(place, right):
            raise Untranslated("an assignment whose right side changes its left side")
        _compound(place, left, operator[:-1], place.expression(right))


def _target(place: Position, node: Node) -> tuple[Value, Variable | None]:
    """The target of an assignment, and its variable if the target is a variable."""
    variable = place.scope.find(text(node)) if node.type == "identifier" else None
    if node.type == "identifier" and variable is None:
        raise Untranslated(f"{text(node)} is not known here")
    value = place.expression(node)
    if value.memory == "character":
        raise Untranslated("a character of a string that changes")
    if variable is not None:
        place.assign(variable)
        if variable.function not in (place.scope.function, 0):
            place.program.facts.note("nonlocal", variable.key)
    elif node.type not in ("subscript_expression", "field_expression", "pointer_expression"):
        raise Untranslated(f"an assignment to {text(node)}")
    return value, variable


def _assign(place: Position, left: Node, right: Node) -> None:
    right = bare(right)
    if right.type == "assignment_expression" and text(field(right, "operator")) == "=":
        _assign(place, bare(field(right, "left")), field(right, "right"))  # a = b = c
        right = bare(field(right, "left"))
    target, variable = _target(place, left)
    own_type = target.type
    if own_type.number:
        value = (
            stored(place.expression(right), own_type)
            if right.type != "initializer_list"
            else place.initial(own_type, right, "")
        )
        if variable is None and left.type == "subscript_expression" and not target.memory and own_type.kind == "float":
            value = element(place.expression(right), own_type)
        place.emit(f"{target.text} = {value.text}")
        return
    value = place.initial(own_type, right, target.key)
    if variable is not None and (variable.type.reference or (variable.parameter and own_type.sequence)):
        _in_place(place, target, value)
        return
    if variable is not None and variable.function == 0 and place.scope.function != 0 and own_type.sequence:
        _in_place(place, target, value)
        return
    if own_type.kind == "pointer" and (target.memory == "address") != (value.memory == "address"):
        raise Untranslated("a pointer to memory of the host that becomes an address, or the other way round")
    if own_type.kind == "union":
        raise Untranslated("an assignment of a union")
    code = value.text
    if value.memory == "box" and own_type.kind == "pointer":
        code = as_pointer(value)
    place.emit(f"{target.text} = {code}")


def _in_place(place: Position, target: Value, value: Value) -> None:
    """Assign to the object itself, because other names refer to the object."""

    name = target.text
    if target.type.kind == "handle":
        place.emit(f"{name}.value = {value.text}.value")
    elif target.type.sequence and is_list(place, target):
        place.emit(f"{name}[:] = {value.text}")
    elif target.type.sequence and (value.text.isidentifier() or value.text.endswith(".copy()")):
        source = value.text.removesuffix(".copy()")
        place.emit(f"{name}.resize({source}.size, refcheck=False)")
        place.emit(f"{name}[:] = {source}")
    elif target.type.kind == "struct":
        place.emit(f"vars({name}).update(vars({value.text}))")
    else:
        raise Untranslated(f"an assignment to a reference to {target.type.spelled}")


def _compound(place: Position, left: Node, operator: str, right: Value) -> None:
    target, variable = _target(place, left)
    own_type = target.type
    if own_type.kind == "string" and operator == "+":
        if variable is not None and (variable.type.reference):
            raise Untranslated("a reference to a string that changes")
        place.emit(f"{target.text} += {arithmetic.joined(target, right).text.split(' + ', 1)[1]}")
        return
    if target.memory == "address" and operator in ("+", "-") and right.type.integral:
        place.emit(f"{target.text} {operator}= {right.text}")
        return
    if not own_type.number:
        raise Untranslated(f"{operator}= of {own_type.spelled}")
    result = arithmetic.binary(operator, target, right)
    value = stored(result, own_type)
    code = result.text
    if operator in PLAIN and value.text == code and not _boxed_float(variable, own_type):
        rest = arithmetic.binary(operator, replace(target, text="x", level=13), right).text
        if rest.startswith(f"x {operator} "):
            operand = rest.removeprefix(f"x {operator} ")
            if operand.startswith("(") and operand.endswith(")") and _one_group(operand):
                operand = operand[1:-1]
            place.emit(f"{target.text} {operator}= {operand}")
            return
    place.emit(f"{target.text} = {value.text}")


def _one_group(text: str) -> bool:
    depth = 0
    for index, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0 and index < len(text) - 1:
            return False
    return True


def _boxed_float(variable: Variable | None, own_type: Type) -> bool:
    return variable is not None and variable.boxed and own_type.kind == "float"


def update(place: Position, node: Node) -> None:
    """Translate `x++` as a statement."""
    operator = text(field(node, "operator"))[0]
    left = bare(field(node, "argument"))
    variable = place.scope.find(text(left)) if left.type == "identifier" else None
    if variable is not None and variable.counts and operator == "+" and variable.type.bits >= 32:
        target, _ = _target(place, left)
        place.emit(f"{target.text} += 1")
        return
    _compound(place, left, operator, number(1, INT))


def expression_text(place: Position, node: Node) -> str:
    """The text of a call whose result is not used. Other expressions without an effect have no translation."""
    if node.type != "call_expression":
        raise Untranslated(f"{node.type.replace('_', ' ')} as a statement")
    value = place.expression(node)
    return value.text or "pass"
