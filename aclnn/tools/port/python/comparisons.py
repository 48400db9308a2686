"""Comparisons."""

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


def compared(operator: str, one: Value, other: Value) -> Value:
    """A comparison."""
    if other.type.kind in NOTHING or one.type.kind in NOTHING:
        return _null(operator, one if other.type.kind in NOTHING else other)
    kinds = {one.type.kind, other.type.kind}
    if kinds == {"handle"}:
        if operator not in ("==", "!="):
            raise Untranslated(f"{operator} of addresses")
        return Value(f"{address(one)} {operator} {address(other)}", BOOL, COMPARED)
    if "string" in kinds and kinds <= {"string", "pointer"}:
        return Value(f"{one.at(BIT_OR)} {operator} {other.at(BIT_OR)}", BOOL, COMPARED)
    if one.type.sequence and other.type.sequence and operator in ("==", "!=") and one.memory == "list":
        return Value(f"{one.at(BIT_OR)} {operator} {other.at(BIT_OR)}", BOOL, COMPARED)
    if not (one.type.number and other.type.number):
        raise Untranslated(f"{one.type.spelled} {operator} {other.type.spelled}")
    if one.type.kind == other.type.kind == "enum":
        return Value(f"{one.at(BIT_OR)} {operator} {other.at(BIT_OR)}", BOOL, COMPARED, memory="integers")
    to = common(one.type, other.type)
    one, other = (_exact(each, to) for each in (one, other))
    kind = "integers" if to.kind == "int" else ""
    return Value(f"{one.at(BIT_OR)} {operator} {other.at(BIT_OR)}", BOOL, COMPARED, memory=kind)


def _exact(value: Value, to: Type) -> Value:
    """An operand of a comparison. A name of a constant stays, and so does a small number beside floats."""
    if to.kind == "float":
        if value.type.integral:
            value = plain(value)
            if to.bits == 32 and value.known is None:
                return converted(value, to)
            return value
        if value.type.bits == 32 and value.memory == "inexact":
            return single(value)
        return single(value) if to.bits == 32 else converted(value, DOUBLE)
    return wrapped(converted(value, to)) if value.type.kind != "bool" else value


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


def common(one: Type, other: Type) -> Type:
    """The type in which C++ computes with both."""
    if "float" in (one.kind, other.kind):
        bits = max(each.bits for each in (one, other) if each.kind == "float")
        found = next(each for each in (one, other) if each.kind == "float" and each.bits == bits)
        return replace(found.plain(), name=("float" if bits == 32 else "double"))
    one, other = promoted(one), promoted(other)
    if one.bits != other.bits:
        return one if one.bits > other.bits else other
    return one if not one.signed else other


def promoted(of: Type) -> Type:
    """Integers smaller than int become int."""
    return INT if of.kind in ("bool", "enum") or of.bits < 32 else of.plain()
