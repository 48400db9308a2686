"""An expression in Python: text, precedence, C++ type, range; and the conversions of C++."""

from dataclasses import dataclass, replace
from typing import Final

from aclnn.tools.port.cpp.types import BOOL, DOUBLE, FLOAT, Type, Untranslated, ctype, dtype

LAMBDA, CONDITIONAL, OR, AND, NOT, COMPARED, BIT_OR, BIT_XOR, BIT_AND, SHIFT, SUM, PRODUCT, UNARY, ATOM = range(14)
SIZES: Final = 2**48
"""maximum number of elements, and of bytes, of a container"""


@dataclass(frozen=True)
class Value:
    """An expression in Python."""

    text: str
    type: Type
    level: int = ATOM
    low: int | None = None
    high: int | None = None
    """the range of the number in Python, if it differs from the range of the type"""
    numpy: bool = False
    """True for a number of numpy, whose arithmetic wraps and rounds in its own type"""
    key: str = ""
    """the key of the variable of this vector, for facts about its memory"""
    fresh: bool = False
    """True if no variable refers to the object"""
    known: int | None = None
    """the value of a constant expression"""
    memory: str = ""
    """a property of the text. box: a pointer to a variable. address: the number of an address. inexact: a literal
    that a float of 32 bits cannot store exactly. integers: a comparison of integers. test: `bool(handle)`"""
    target: "Value | None" = None
    """the variable that a pointer points to"""

    @property
    def range(self) -> tuple[int, int]:
        return (self.type.low if self.low is None else self.low), (self.type.high if self.high is None else self.high)

    @property
    def fits(self) -> bool:
        """True if the number in Python is surely in the range of its C++ type."""
        low, high = self.range
        return self.type.low <= low and high <= self.type.high

    def at(self, level: int) -> str:
        """The text as an operand of an operator with this precedence, in parentheses where necessary."""
        return self.text if self.level >= level else f"({self.text})"


def number(value: int, cpp_type: Type) -> Value:
    """A constant."""
    return Value(str(value), cpp_type, ATOM if value >= 0 else UNARY, value, value, known=value)


def wrapped(value: Value) -> Value:
    """The number wrapped to the range of its type, as in C++."""
    if value.type.kind == "enum" or value.type.kind not in ("int", "bool") or value.fits:
        return value
    if value.known is not None:
        return number(_into(value.known, value.type), value.type)
    if value.type.signed:
        text, level = f"{ctype(value.type)}({value.text}).value", ATOM
    else:
        text, level = f"{value.at(PRODUCT)} % 2**{value.type.bits}", PRODUCT
    return Value(text, value.type, level)


def _into(value: int, cpp_type: Type) -> int:
    if cpp_type.kind == "bool":
        return int(value != 0)
    value %= 2**cpp_type.bits
    return value - 2**cpp_type.bits if cpp_type.signed and value >= 2 ** (cpp_type.bits - 1) else value


def plain(value: Value) -> Value:
    """An integer as an int of Python, in the range of its type, for arithmetic that is different in numpy."""
    if value.numpy and value.type.integral:
        return replace(value, text=f"int({value.text})", level=ATOM, numpy=False)
    return wrapped(value) if value.type.integral else value


def converted(value: Value, target: Type) -> Value:
    """The value as a number of another type, as C++ converts it. The range may stay too large: see `wrapped`."""
    target, own_type = target.plain(), value.type
    if target.kind == "bool":
        return truth(value)
    if not own_type.number:
        raise Untranslated(f"the conversion of {own_type.spelled} to {target.spelled}")
    if target.kind in ("int", "enum"):
        return _integer(value, target)
    if target.kind == "float":
        return _real(value, target)
    raise Untranslated(f"the conversion of {own_type.spelled} to {target.spelled}")


def _integer(value: Value, target: Type) -> Value:
    own_type = value.type
    if target.kind == "enum" and (target.bits < 32 or not target.signed) and not own_type.same(target):
        value = wrapped(value)
        if own_type.kind == "float" or value.range[0] < target.low or target.high < value.range[1]:
            raise Untranslated(f"{own_type.spelled} as {target.spelled}, which has {target.bits} bits")
    if own_type.kind == "float":
        return Value(f"int({value.text})", target)
    if own_type.kind == "bool":
        return replace(value, type=target, text=f"int({value.text})" if not value.numpy else value.text,
                       level=ATOM if not value.numpy else value.level, low=0, high=1)  # fmt: skip
    if not own_type.signed or own_type.bits > target.bits or own_type.signed != target.signed:
        low, high = value.range
        if not value.fits and target.bits > own_type.bits:
            value = wrapped(value)
            low, high = value.range
        if value.numpy and not (target.low <= low and high <= target.high):
            value = plain(value)
        return replace(value, type=target, low=low, high=high)
    if not value.fits and target.bits > own_type.bits:
        value = wrapped(value)
    low, high = value.range
    return replace(value, type=target, low=low, high=high)


def _real(value: Value, target: Type) -> Value:
    own_type = value.type
    if own_type.integral:
        value = plain(value)
        if value.known is not None and abs(value.known) < 2**24:
            return Value(f"{value.text}.0", target, value.level)
        if target.bits == 32:
            return Value(f"np.float32({value.text})", target, numpy=True)
        return Value(f"float({value.text})", target)
    if own_type.bits == target.bits:
        return replace(value, type=target)
    if target.bits == 32:
        return Value(f"np.float32({value.text})", target, numpy=True)
    if value.memory == "inexact":
        return Value(f"float(np.float32({value.text}))", target)
    return Value(f"float({value.text})", target) if value.numpy else replace(value, type=target)


def truth(value: Value) -> Value:
    """The value as a bool, as an operand of `!` or `&&`."""
    kind = value.type.kind
    if kind == "bool":
        return value
    if value.known is not None and value.text.isdigit():
        return Value(str(value.known != 0), BOOL, ATOM, known=int(value.known != 0))
    if kind in ("int", "enum", "float"):
        value = wrapped(value)
        return Value(f"{value.at(BIT_OR)} != 0", BOOL, COMPARED)
    if kind in ("handle", "unique", "file"):
        return Value(f"bool({value.text})", BOOL)
    if kind in ("pointer", "function"):
        return Value(f"{value.at(BIT_OR)} is not None", BOOL, COMPARED)
    raise Untranslated(f"{value.type.spelled} as a condition")


def condition(value: Value) -> Value:
    """The value as the condition of an `if`. Python tests any object there."""
    if value.type.kind in ("handle", "unique", "file"):
        return replace(value, type=BOOL)
    if value.memory == "test":  # bool(x), of a handle
        return replace(value, text=value.text[5:-1], memory="")
    return truth(value)


def negated(value: Value) -> Value:
    """The value of `!value`, for a condition."""
    text = value.text
    if value.level == COMPARED:
        for old, new in ((" == ", " != "), (" != ", " == "), (" is not None", " is None"), (" is None", " is not None"),
                         (" >= ", " < "), (" <= ", " > "), (" < ", " >= "), (" > ", " <= ")):  # fmt: skip
            if text.count(old) == 1 and _only_comparison(text, old):
                if old in (" >= ", " <= ", " < ", " > ") and value.memory != "integers":
                    break  # not the same for a NaN
                return Value(text.replace(old, new), BOOL, COMPARED)
    if text in {"True", "False"}:
        return Value(str(text == "False"), BOOL)
    if value.level == NOT and text.startswith("not "):
        return Value(text[4:], BOOL, NOT)
    return Value(f"not {value.at(NOT)}", BOOL, NOT)


def _only_comparison(text: str, operator: str) -> bool:
    """True if this operator is outside of all brackets and strings."""
    head = text.split(operator, maxsplit=1)[0]
    depth = sum(head.count(each) for each in "([{") - sum(head.count(each) for each in ")]}")
    return depth == 0 and '"' not in text


def single(value: Value) -> Value:
    """A float as a number of numpy, so that the next operation is done in 32 bits."""
    if value.type.bits == 32 and not value.numpy:
        return Value(f"np.float32({value.text})", FLOAT, numpy=True)
    return value


def stored(value: Value, target: Type) -> Value:
    """The value of a number after its assignment to a variable of type `target`."""
    result = wrapped(converted(value, target))
    if result.numpy and result.type.integral:
        result = plain(result)
    if result.memory == "test":
        result = replace(result, memory="")
    if target.kind == "float":
        if target.symbol and result.type.bits == 32 and not result.numpy:
            return Value(f"{target.symbol}({result.text})", target, numpy=True)
        return single(result) if target.bits == 32 else result
    return result


def element(value: Value, target: Type) -> Value:
    """The value of a number as an element of an array or a list."""
    return wrapped(converted(value, target))


__all__ = ["BOOL", "DOUBLE", "FLOAT", "dtype"]
