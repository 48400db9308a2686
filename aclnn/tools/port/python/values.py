"""An expression in Python: text, precedence, C++ type, range; and the conversions of C++."""

from dataclasses import dataclass, replace
from typing import Final

from aclnn.tools.port.cpp.types import BOOL, DOUBLE, FLOAT, Type, Untranslated, ctype, dtype

LAMBDA, CONDITIONAL, OR, AND, NOT, COMPARED, BIT_OR, BIT_XOR, BIT_AND, SHIFT, SUM, PRODUCT, UNARY, ATOM = range(14)
SIZES: Final = 2**48
"""no container has more elements, and none more bytes"""


@dataclass(frozen=True)
class Value:
    """An expression."""

    text: str
    type: Type
    level: int = ATOM
    low: int | None = None
    high: int | None = None
    """the range of the number in Python, if it is smaller or larger than that of the type"""
    numpy: bool = False
    """is it a number of numpy? Its arithmetic is that of its type, and not that of Python"""
    key: str = ""
    """where the vector comes from, for facts about its memory"""
    fresh: bool = False
    """has nobody else this object?"""
    known: int | None = None
    """the value of a constant expression"""
    memory: str = ""
    """what else is to be known of the text. box: a pointer to a variable. address: the number of an address. inexact: a
    literal that is no float of 32 bits. integers: a comparison of integers. test: `bool(handle)`"""
    target: "Value | None" = None
    """for a pointer to a variable: the variable"""

    @property
    def range(self) -> tuple[int, int]:
        return (self.type.low if self.low is None else self.low), (self.type.high if self.high is None else self.high)

    @property
    def fits(self) -> bool:
        """Is the number in Python the one that C++ has?"""
        low, high = self.range
        return self.type.low <= low and high <= self.type.high

    def at(self, level: int) -> str:
        """The text as an operand of an operator."""
        return self.text if self.level >= level else f"({self.text})"


def number(value: int, of: Type) -> Value:
    """A constant."""
    return Value(str(value), of, ATOM if value >= 0 else UNARY, value, value, known=value)


def wrapped(value: Value) -> Value:
    """The number in the range of its type, as C++ has it."""
    if value.type.kind == "enum" or value.type.kind not in ("int", "bool") or value.fits:
        return value
    if value.known is not None:
        return number(_into(value.known, value.type), value.type)
    if value.type.signed:
        text, level = f"{ctype(value.type)}({value.text}).value", ATOM
    else:
        text, level = f"{value.at(PRODUCT)} % 2**{value.type.bits}", PRODUCT
    return Value(text, value.type, level)


def _into(value: int, of: Type) -> int:
    if of.kind == "bool":
        return int(value != 0)
    value %= 2**of.bits
    return value - 2**of.bits if of.signed and value >= 2 ** (of.bits - 1) else value


def plain(value: Value) -> Value:
    """An integer as an int of Python, in its range: for arithmetic that numpy does otherwise."""
    if value.numpy and value.type.integral:
        return replace(value, text=f"int({value.text})", level=ATOM, numpy=False)
    return wrapped(value) if value.type.integral else value


def converted(value: Value, to: Type) -> Value:
    """The value as a number of another type, as C++ converts it. The range may stay too large: see `wrapped`."""
    to, own = to.plain(), value.type
    if to.kind == "bool":
        return truth(value)
    if not own.number:
        raise Untranslated(f"the conversion of {own.spelled} to {to.spelled}")
    if to.kind in ("int", "enum"):
        return _integer(value, to)
    if to.kind == "float":
        return _real(value, to)
    raise Untranslated(f"the conversion of {own.spelled} to {to.spelled}")


def _integer(value: Value, to: Type) -> Value:
    own = value.type
    if to.kind == "enum" and (to.bits < 32 or not to.signed) and not own.same(to):
        value = wrapped(value)
        if own.kind == "float" or value.range[0] < to.low or to.high < value.range[1]:
            raise Untranslated(f"{own.spelled} as {to.spelled}, which has {to.bits} bits")
    if own.kind == "float":
        return Value(f"int({value.text})", to)
    if own.kind == "bool":
        return replace(value, type=to, text=f"int({value.text})" if not value.numpy else value.text,
                       level=ATOM if not value.numpy else value.level, low=0, high=1)  # fmt: skip
    if not own.signed or own.bits > to.bits or own.signed != to.signed:
        low, high = value.range
        if not value.fits and to.bits > own.bits:
            value = wrapped(value)
            low, high = value.range
        if value.numpy and not (to.low <= low and high <= to.high):
            value = plain(value)
        return replace(value, type=to, low=low, high=high)
    if not value.fits and to.bits > own.bits:
        value = wrapped(value)
    low, high = value.range
    return replace(value, type=to, low=low, high=high)


def _real(value: Value, to: Type) -> Value:
    own = value.type
    if own.integral:
        value = plain(value)
        if value.known is not None and abs(value.known) < 2**24:
            return Value(f"{value.text}.0", to, value.level)
        if to.bits == 32:
            return Value(f"np.float32({value.text})", to, numpy=True)
        return Value(f"float({value.text})", to)
    if own.bits == to.bits:
        return replace(value, type=to)
    if to.bits == 32:
        return Value(f"np.float32({value.text})", to, numpy=True)
    if value.memory == "inexact":
        return Value(f"float(np.float32({value.text}))", to)
    return Value(f"float({value.text})", to) if value.numpy else replace(value, type=to)


def truth(value: Value) -> Value:
    """The value as a bool: for `if`, `!`, `&&`."""
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
    """The value as the condition of an `if`, where Python takes any object."""
    if value.type.kind in ("handle", "unique", "file"):
        return replace(value, type=BOOL)
    if value.memory == "test":  # bool(x), of a handle
        return replace(value, text=value.text[5:-1], memory="")
    return truth(value)


def negated(value: Value) -> Value:
    """`!value`, for a condition."""
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
    """Is this operator outside of all brackets and strings?"""
    before = text.split(operator, maxsplit=1)[0]
    depth = sum(before.count(each) for each in "([{") - sum(before.count(each) for each in ")]}")
    return depth == 0 and '"' not in text


def single(value: Value) -> Value:
    """A float as a number of numpy, so that the next operation is done in 32 bits."""
    if value.type.bits == 32 and not value.numpy:
        return Value(f"np.float32({value.text})", FLOAT, numpy=True)
    return value


def stored(value: Value, to: Type) -> Value:
    """The value of a number as a variable of type `to` keeps it."""
    made = wrapped(converted(value, to))
    if made.numpy and made.type.integral:
        made = plain(made)
    if made.memory == "test":
        made = replace(made, memory="")
    if to.kind == "float":
        if to.symbol and made.type.bits == 32 and not made.numpy:
            return Value(f"{to.symbol}({made.text})", to, numpy=True)
        return single(made) if to.bits == 32 else made
    return made


def element(value: Value, to: Type) -> Value:
    """The value as numpy or a list takes it for an element."""
    return wrapped(converted(value, to))


__all__ = ["BOOL", "DOUBLE", "FLOAT", "dtype"]
