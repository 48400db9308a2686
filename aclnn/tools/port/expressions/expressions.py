"""Expressions of C++ in Python. `CONSTRUCTS` is the table of the constructs that have a translation."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from aclnn.tools.port.cpp.place import Position
from aclnn.tools.port.cpp.reading import Node, bare, field, line, parts, text
from aclnn.tools.port.cpp.types import NULL, Untranslated
from aclnn.tools.port.expressions.calls import call
from aclnn.tools.port.expressions.casts import cast, cast_node
from aclnn.tools.port.expressions.identifiers import identifier, qualified
from aclnn.tools.port.expressions.literals import char_literal, number_literal, string_literal, truth_literal
from aclnn.tools.port.expressions.members import dereferenced, field_of, new, sizeof, subscripted, type_of
from aclnn.tools.port.expressions.order import check_order
from aclnn.tools.port.expressions.streams import reads_or_writes
from aclnn.tools.port.python import arithmetic, comparisons
from aclnn.tools.port.python.values import (
    ATOM,
    CONDITIONAL,
    SUM,
    Value,
    condition,
    converted,
    negated,
    stored,
    truth,
    wrapped,
)


def expression(place: Position, node: Node) -> Value:
    """The translation of an expression."""
    construct = CONSTRUCTS.get(node.type)
    if construct is None:
        raise Untranslated(f"{node.type.replace('_', ' ')}: {' '.join(text(node).split())[:60]}")
    return construct(place, node)


def conditional(place: Position, node: Node) -> Value:
    """An expression as a condition. Python tests any object, so handles need no comparison."""
    node = bare(node)
    operator = node.child_by_field_name("operator")
    word = text(operator) if operator is not None else ""
    if node.type == "binary_expression" and word in ("&&", "||"):
        sides = [conditional(place, field(node, side)) for side in ("left", "right")]
        return arithmetic.logical(word, *sides)
    if node.type == "unary_expression" and word in ("!", "not"):
        return negated(conditional(place, field(node, "argument")))
    return condition(expression(place, node))


def _binary(place: Position, node: Node) -> Value:
    operator = text(field(node, "operator"))
    left, right = field(node, "left"), field(node, "right")
    if operator in ("<<", ">>") and reads_or_writes(place, node):
        raise Untranslated("a stream inside of an expression")
    if operator in ("&&", "||"):
        return arithmetic.logical(operator, *(truth_operand(place, each) for each in (left, right)))
    check_order(place, (left, right))
    first, second = expression(place, left), expression(place, right)
    if "string" in (first.type.kind, second.type.kind):
        return arithmetic.binary(operator, first, second)
    for item in (first, second):
        if item.memory == "address" or (item.type.kind == "pointer" and operator in ("+", "-")):
            return _address(operator, first, second)
    return arithmetic.binary(operator, first, second)


def truth_operand(place: Position, node: Node) -> Value:
    """An operand of `&&`, `||` or `!`."""
    return truth(expression(place, bare(node)))


def _address(operator: str, left: Value, right: Value) -> Value:
    """Arithmetic of a device address that is a `char *`: in Python the address is a number."""
    if left.memory == "address" and right.type.integral and operator in ("+", "-"):
        return replace(left, text=f"{left.at(SUM)} {operator} {wrapped(right).at(SUM + 1)}", level=SUM)
    raise Untranslated("arithmetic of pointers to memory of the host")


def _unary(place: Position, node: Node) -> Value:
    operator = text(field(node, "operator"))
    argument = field(node, "argument")
    if operator in ("!", "not"):
        return negated(truth_operand(place, argument))
    value = expression(place, argument)
    if operator == "-":
        return arithmetic.negative(value)
    if operator == "~":
        return arithmetic.inverted(value)
    if operator == "+" and value.type.number:
        return converted(value, comparisons.promoted(value.type)) if value.type.integral else value
    raise Untranslated(f"{operator} {value.type.spelled}")


def _conditional(place: Position, node: Node) -> Value:
    test = conditional(place, field(node, "condition"))
    left, right = expression(place, field(node, "consequence")), expression(place, field(node, "alternative"))
    if left.type.kind == "null":
        left = replace(left, type=right.type)
    if right.type.kind == "null":
        right = replace(right, type=left.type)
    if left.type.number and right.type.number:
        target = left.type if left.type.same(right.type) else comparisons.common(left.type, right.type)
        left, right = stored(left, target), stored(right, target)
        low, high = min(left.range[0], right.range[0]) if target.integral else None, None
        if target.integral:
            high = max(left.range[1], right.range[1])
        result = Value("", target, CONDITIONAL, low, high, numpy=left.numpy and right.numpy)
    elif left.type.same(right.type) and not left.type.sequence:
        result = replace(left, level=CONDITIONAL, memory="", known=None)
    else:
        raise Untranslated(f"?: of {left.type.spelled} and {right.type.spelled}")
    code = f"{left.at(CONDITIONAL + 1)} if {test.at(CONDITIONAL + 1)} else {right.at(CONDITIONAL)}"
    return replace(result, text=code, known=None)


def _parenthesized(place: Position, node: Node) -> Value:
    return expression(place, parts(node)[0])


def _assignment(place: Position, node: Node) -> Value:
    """An assignment inside of an expression: `(ret = f())`."""
    left = bare(field(node, "left"))
    if text(field(node, "operator")) != "=" or left.type != "identifier":
        raise Untranslated("this assignment inside of an expression")
    variable = place.scope.find(text(left))
    if variable is None or variable.boxed or variable.type.reference or not variable.type.number or (
        variable.function != place.scope.function
    ):  # fmt: skip
        raise Untranslated("this assignment inside of an expression")
    value = stored(expression(place, field(node, "right")), variable.type)
    low, high = variable.low, variable.high
    return Value(f"({variable.name} := {value.text})", variable.type.plain(), ATOM, low, high,
                 numpy=value.numpy)  # fmt: skip


def _call(place: Position, node: Node) -> Value:

    return call(place, node)


def _lambda(place: Position, node: Node) -> Value:

    return place.program.rules.lambda_expression(place, node, f"function_{line(node)}", place.key(node))


def _list(place: Position, node: Node) -> Value:
    raise Untranslated(f"the list {' '.join(text(node).split())[:40]} here")


CONSTRUCTS: Final[dict[str, Callable[[Position, Node], Value]]] = {
    "identifier": identifier,
    "qualified_identifier": qualified,
    "number_literal": number_literal,
    "string_literal": string_literal,
    "raw_string_literal": string_literal,
    "concatenated_string": string_literal,
    "char_literal": char_literal,
    "true": truth_literal,
    "false": truth_literal,
    "null": lambda place, node: Value("None", NULL),
    "parenthesized_expression": _parenthesized,
    "binary_expression": _binary,
    "unary_expression": _unary,
    "pointer_expression": dereferenced,
    "conditional_expression": _conditional,
    "subscript_expression": subscripted,
    "field_expression": field_of,
    "sizeof_expression": sizeof,
    "cast_expression": cast_node,
    "assignment_expression": _assignment,
    "call_expression": _call,
    "lambda_expression": _lambda,
    "new_expression": new,
    "initializer_list": _list,
    "compound_literal_expression": lambda place, node: cast(
        place, type_of(place, field(node, "type")), field(node, "value")
    ),
}
"""the expressions that have a translation"""
