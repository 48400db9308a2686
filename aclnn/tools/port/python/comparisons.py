"""Comparisons of C++ in Python, and the common type of two operands."""

from dataclasses import replace
from typing import Final

from aclnn.tools.port.cpp.types import BOOL, DOUBLE, INT, Type, Untranslated
from aclnn.tools.port.python.values import (
    ATOM,
    BIT_OR,
    COMPARED,
    NOT,
    Value,
    converted,
    plain,
    single,
    wrapped,
)

COMPARISONS: Final = ("==", "!=", "<", ">", "<=", ">=")


NOTHING: Final = ("null",)


def compared(operator: str, left: Value, right: Value) -> Value:
    """A comparison."""
    if right.type.kind in NOTHING or left.type.kind in NOTHING:
        return _null(operator, left if right.type.kind in NOTHING else right)
    kinds = {left.type.kind, right.type.kind}
    if kinds == {"handle"}:
        if operator not in ("==", "!="):
            raise Untranslated(f"{operator} of addresses")
        return Value(f"{address(left)} {operator} {address(right)}", BOOL, COMPARED)
    if "string" in kinds and kinds <= {"string", "pointer"}:
        return Value(f"{left.at(BIT_OR)} {operator} {right.at(BIT_OR)}", BOOL, COMPARED)
    if left.type.sequence and right.type.sequence and operator in ("==", "!=") and left.memory == "list":
        return Value(f"{left.at(BIT_OR)} {operator} {right.at(BIT_OR)}", BOOL, COMPARED)
    if not (left.type.number and right.type.number):
        raise Untranslated(f"{left.type.spelled} {operator} {right.type.spelled}")
    if left.type.kind == right.type.kind == "enum":
        return Value(f"{left.at(BIT_OR)} {operator} {right.at(BIT_OR)}", BOOL, COMPARED, memory="integers")
    target = common(left.type, right.type)
    left, right = (_exact(each, target) for each in (left, right))
    kind = "integers" if target.kind == "int" else ""
    return Value(f"{left.at(BIT_OR)} {operator} {right.at(BIT_OR)}", BOOL, COMPARED, memory=kind)


def _exact(value: Value, target: Type) -> Value:
    """An operand of a comparison, in the common type where the type changes the result."""
    if target.kind == "float":
        if value.type.integral:
            value = plain(value)
            if target.bits == 32 and value.known is None:
                return converted(value, target)
            return value
        if value.type.bits == 32 and value.memory == "inexact":
            return single(value)
        return single(value) if target.bits == 32 else converted(value, DOUBLE)
    return wrapped(converted(value, target)) if value.type.kind != "bool" else value


def address(value: Value) -> str:
    """The number of a handle or an address."""
    return value.text if value.memory == "address" else f"{value.at(ATOM)}.value"


def _null(operator: str, value: Value) -> Value:
    if operator not in ("==", "!="):
        raise Untranslated(f"nullptr {operator}")
    same = operator == "=="
    if value.type.kind in ("handle", "unique", "file"):
        if same:
            return Value(f"not {value.at(NOT)}", BOOL, NOT)
        return Value(f"bool({value.text})", BOOL, memory="test")
    if value.type.kind in ("pointer", "function"):
        return Value(f"{value.at(BIT_OR)} is {'' if same else 'not '}None", BOOL, COMPARED)
    raise Untranslated(f"{value.type.spelled} {operator} nullptr")


def common(left: Type, right: Type) -> Type:
    """The common type of two operands, in which C++ computes."""
    if "float" in (left.kind, right.kind):
        bits = max(each.bits for each in (left, right) if each.kind == "float")
        widest = next(each for each in (left, right) if each.kind == "float" and each.bits == bits)
        return replace(widest.plain(), name=("float" if bits == 32 else "double"))
    left, right = promoted(left), promoted(right)
    if left.bits != right.bits:
        return left if left.bits > right.bits else right
    return left if not left.signed else right


def promoted(cpp_type: Type) -> Type:
    """The type of an operand: an integer smaller than int becomes int."""
    return INT if cpp_type.kind in ("bool", "enum") or cpp_type.bits < 32 else cpp_type.plain()
