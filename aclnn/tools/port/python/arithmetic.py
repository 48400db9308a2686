"""Operators of C++ with the results of C++: widths, unsigned wrap, division towards zero, floats of 32 bits."""

from dataclasses import replace
from typing import Final

from aclnn.tools.port.cpp.types import BOOL, DOUBLE, FLOAT, STRING, TEXT, Type, Untranslated
from aclnn.tools.port.python.comparisons import COMPARISONS, common, compared, promoted
from aclnn.tools.port.python.values import (
    AND,
    BIT_AND,
    BIT_OR,
    BIT_XOR,
    OR,
    PRODUCT,
    SHIFT,
    SUM,
    UNARY,
    Value,
    converted,
    number,
    plain,
    single,
    truth,
    wrapped,
)

LEVELS: Final = {
    "+": SUM, "-": SUM, "*": PRODUCT, "/": PRODUCT, "%": PRODUCT, "<<": SHIFT, ">>": SHIFT, "&": BIT_AND, "|": BIT_OR,
    "^": BIT_XOR,
}  # fmt: skip


def binary(operator: str, one: Value, other: Value) -> Value:
    """`one operator other`."""
    if operator in ("&&", "||"):
        return logical(operator, truth(one), truth(other))
    if operator in COMPARISONS:
        return compared(operator, one, other)
    if operator == "+" and (one.type.kind == "string" or other.type.kind == "string"):
        return joined(one, other)
    if not (one.type.number and other.type.number):
        raise Untranslated(f"{one.type.spelled} {operator} {other.type.spelled}")
    if operator in ("<<", ">>"):
        return shifted(operator, one, other)
    to = common(one.type, other.type)
    if to.kind == "float":
        return real(operator, one, other, to)
    return integral(operator, converted(one, to), converted(other, to), to)


def logical(operator: str, one: Value, other: Value) -> Value:
    """`&&` and `||`: the right side is evaluated only if it matters."""
    word, level = (" and ", AND) if operator == "&&" else (" or ", OR)
    return Value(one.at(level) + word + other.at(level + 1), BOOL, level)


def joined(one: Value, other: Value) -> Value:
    """Two strings."""
    for each in (one, other):
        if each.type.kind != "string" and not each.type.same(TEXT):
            raise Untranslated(f"{one.type.spelled} + {other.type.spelled}")
    return Value(f"{one.at(SUM)} + {other.at(PRODUCT)}", STRING, SUM, fresh=True)


def real(operator: str, one: Value, other: Value, to: Type) -> Value:
    """Arithmetic of floats. Those of 32 bits are numbers of numpy, so that the result has 32 bits."""
    if operator not in ("+", "-", "*", "/"):
        raise Untranslated(f"{operator} of floats")
    level = LEVELS[operator]
    if to.bits == 64:
        one, other = (_double(each) for each in (one, other))
        if operator == "/" and not _nonzero(other):
            one = Value(f"np.float64({one.text})", DOUBLE, numpy=True)
        return Value(f"{one.at(level)} {operator} {other.at(level + 1)}", DOUBLE, level, numpy=one.numpy or other.numpy)
    one, other = (plain(each) if each.type.integral else each for each in (one, other))
    if not (one.numpy or other.numpy):
        if one.type.kind == "float":
            one = single(one)
        else:
            other = single(other)
    return Value(
        f"{one.at(level)} {operator} {other.at(level + 1)}", replace(FLOAT, symbol=to.symbol), level, numpy=True
    )


def _double(value: Value) -> Value:
    if value.type.integral:
        return plain(value)
    return converted(value, DOUBLE) if value.type.bits == 32 else value


def _nonzero(value: Value) -> bool:
    try:
        return float(value.text) != 0
    except ValueError:
        return False


def shifted(operator: str, one: Value, other: Value) -> Value:
    """`<<` and `>>`. The result has the type of the left side."""
    if not (one.type.integral and other.type.integral):
        raise Untranslated(f"{one.type.spelled} {operator} {other.type.spelled}")
    to = promoted(one.type)
    one, other = plain(one) if one.numpy else one, plain(other)
    one = converted(one, to)
    if operator == ">>":
        one = wrapped(one)
    low, high = one.range
    least, most = other.range
    if least < 0 or most > 64:
        least, most = 0, to.bits - 1
    if operator == ">>":
        low, high = min(low >> least, low >> most), max(high >> least, high >> most)
    else:
        low, high = min(low << least, low << most), max(high << least, high << most)
    known = None
    if one.known is not None and other.known is not None and 0 <= other.known < to.bits:
        known = one.known << other.known if operator == "<<" else one.known >> other.known
        low = high = known
    return Value(f"{one.at(SHIFT)} {operator} {other.at(SUM)}", to, SHIFT, low, high, known=known)


def integral(operator: str, one: Value, other: Value, to: Type) -> Value:
    """Arithmetic of integers of one type."""
    one, other = (plain(each) if each.numpy else each for each in (one, other))
    if operator in ("/", "%"):
        return divided(operator, wrapped(one), wrapped(other), to)
    level = LEVELS[operator]
    (low, high), (least, most) = one.range, other.range
    if operator in ("&", "|", "^"):
        low, high, one, other = _bits(operator, one, other, to)
    else:
        ends = {
            "+": (low + least, high + most), "-": (low - most, high - least),
            "*": (min(low * least, low * most, high * least, high * most),
                  max(low * least, low * most, high * least, high * most)),
        }  # fmt: skip
        low, high = ends[operator]
        if to.signed:  # an overflow is undefined
            low, high = max(low, to.low), min(high, to.high)
    known = None
    if one.known is not None and other.known is not None:
        known = {
            "+": one.known + other.known,
            "-": one.known - other.known,
            "*": one.known * other.known,
            "&": one.known & other.known,
            "|": one.known | other.known,
            "^": one.known ^ other.known,
        }[operator]
        low = high = known
    return Value(f"{one.at(level)} {operator} {other.at(level + 1)}", to, level, low, high, known=known)


def _bits(operator: str, one: Value, other: Value, to: Type) -> tuple[int, int, Value, Value]:
    """Bitwise operators. `x & 0xff` is in the range of 0xff, whatever x is."""
    for each in (one, other):
        if operator == "&" and each.fits and each.range[0] >= 0:
            masks = [it.range[1] for it in (one, other) if it.fits and it.range[0] >= 0]
            return 0, min(masks), one, other
    one, other = wrapped(one), wrapped(other)
    if one.range[0] >= 0 and other.range[0] >= 0:
        return 0, 2 ** max(one.range[1].bit_length(), other.range[1].bit_length()) - 1, one, other
    return to.low, to.high, one, other


def divided(operator: str, one: Value, other: Value, to: Type) -> Value:
    """Division. C++ rounds towards zero, Python downwards, so numbers that may be negative need a helper."""
    (low, high), (least, most) = one.range, other.range
    if one.known is not None and other.known:
        quotient = abs(one.known) // abs(other.known) * (1 if (one.known < 0) == (other.known < 0) else -1)
        known = quotient if operator == "/" else one.known - other.known * quotient
        text = f"{one.at(PRODUCT)} {'//' if operator == '/' else '%'} {other.at(UNARY)}"
        both = one.known >= 0 and other.known > 0
        return replace(number(known, to), text=text, level=PRODUCT) if both else number(known, to)
    if low >= 0 and least >= 0:
        text = f"{one.at(PRODUCT)} {'//' if operator == '/' else '%'} {other.at(UNARY)}"
        return Value(text, to, PRODUCT, 0, high // max(least, 1) if operator == "/" else max(most - 1, 0))
    helper = "quotient" if operator == "/" else "remainder"
    return Value(f"{helper}({one.text}, {other.text})", to)


def negative(value: Value) -> Value:
    """`-value`."""
    if value.type.kind == "float":
        return replace(value, text=f"-{value.at(UNARY)}", level=UNARY)
    if not value.type.integral:
        raise Untranslated(f"- {value.type.spelled}")
    to = promoted(value.type)
    value = converted(plain(value) if value.numpy else value, to)
    low, high = -value.range[1], -value.range[0]
    if to.signed:
        high = min(high, to.high)
    known = None if value.known is None else -value.known
    return Value(f"-{value.at(UNARY)}", to, UNARY, low, high, known=known)


def inverted(value: Value) -> Value:
    """`~value`."""
    if not value.type.integral:
        raise Untranslated(f"~ {value.type.spelled}")
    to = promoted(value.type)
    value = converted(plain(value) if value.numpy else value, to)
    low, high = value.range
    known = None if value.known is None else ~value.known
    return Value(f"~{value.at(UNARY)}", to, UNARY, -high - 1, -low - 1, known=known)
