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


def binary(operator: str, left: Value, right: Value) -> Value:
    """The value of `left operator right`."""
    if operator in ("&&", "||"):
        return logical(operator, truth(left), truth(right))
    if operator in COMPARISONS:
        return compared(operator, left, right)
    if operator == "+" and (left.type.kind == "string" or right.type.kind == "string"):
        return joined(left, right)
    if not (left.type.number and right.type.number):
        raise Untranslated(f"{left.type.spelled} {operator} {right.type.spelled}")
    if operator in ("<<", ">>"):
        return shifted(operator, left, right)
    target = common(left.type, right.type)
    if target.kind == "float":
        return real(operator, left, right, target)
    return integral(operator, converted(left, target), converted(right, target), target)


def logical(operator: str, left: Value, right: Value) -> Value:
    """The value of `&&` and `||`: the right side is evaluated only if the left side does not decide."""
    word, level = (" and ", AND) if operator == "&&" else (" or ", OR)
    return Value(left.at(level) + word + right.at(level + 1), BOOL, level)


def joined(left: Value, right: Value) -> Value:
    """The concatenation of two strings."""
    for node in (left, right):
        if node.type.kind != "string" and not node.type.same(TEXT):
            raise Untranslated(f"{left.type.spelled} + {right.type.spelled}")
    return Value(f"{left.at(SUM)} + {right.at(PRODUCT)}", STRING, SUM, fresh=True)


def real(operator: str, left: Value, right: Value, target: Type) -> Value:
    """Arithmetic of floats. A float of 32 bits is a number of numpy, so that the result has 32 bits."""
    if operator not in ("+", "-", "*", "/"):
        raise Untranslated(f"{operator} of floats")
    level = LEVELS[operator]
    if target.bits == 64:
        left, right = (_double(each) for each in (left, right))
        if operator == "/" and not _nonzero(right):
            left = Value(f"np.float64({left.text})", DOUBLE, numpy=True)
        return Value(
            f"{left.at(level)} {operator} {right.at(level + 1)}", DOUBLE, level, numpy=left.numpy or right.numpy
        )
    left, right = (plain(each) if each.type.integral else each for each in (left, right))
    if not (left.numpy or right.numpy):
        if left.type.kind == "float":
            left = single(left)
        else:
            right = single(right)
    return Value(
        f"{left.at(level)} {operator} {right.at(level + 1)}", replace(FLOAT, symbol=target.symbol), level, numpy=True
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


def shifted(operator: str, left: Value, right: Value) -> Value:
    """The value of a shift, `<<` or `>>`: it has the type of the left side."""
    if not (left.type.integral and right.type.integral):
        raise Untranslated(f"{left.type.spelled} {operator} {right.type.spelled}")
    target = promoted(left.type)
    left, right = plain(left) if left.numpy else left, plain(right)
    left = converted(left, target)
    if operator == ">>":
        left = wrapped(left)
    low, high = left.range
    least, most = right.range
    if least < 0 or most > 64:
        least, most = 0, target.bits - 1
    if operator == ">>":
        low, high = min(low >> least, low >> most), max(high >> least, high >> most)
    else:
        low, high = min(low << least, low << most), max(high << least, high << most)
    known = None
    if left.known is not None and right.known is not None and 0 <= right.known < target.bits:
        known = left.known << right.known if operator == "<<" else left.known >> right.known
        low = high = known
    return Value(f"{left.at(SHIFT)} {operator} {right.at(SUM)}", target, SHIFT, low, high, known=known)


def integral(operator: str, left: Value, right: Value, target: Type) -> Value:
    """Arithmetic of integers of one type."""
    left, right = (plain(each) if each.numpy else each for each in (left, right))
    if operator in ("/", "%"):
        return divided(operator, wrapped(left), wrapped(right), target)
    level = LEVELS[operator]
    (low, high), (least, most) = left.range, right.range
    if operator in ("&", "|", "^"):
        low, high, left, right = _bits(operator, left, right, target)
    else:
        ends = {
            "+": (low + least, high + most), "-": (low - most, high - least),
            "*": (min(low * least, low * most, high * least, high * most),
                  max(low * least, low * most, high * least, high * most)),
        }  # fmt: skip
        low, high = ends[operator]
        if target.signed:  # an overflow is undefined
            low, high = max(low, target.low), min(high, target.high)
    known = None
    if left.known is not None and right.known is not None:
        known = {
            "+": left.known + right.known,
            "-": left.known - right.known,
            "*": left.known * right.known,
            "&": left.known & right.known,
            "|": left.known | right.known,
            "^": left.known ^ right.known,
        }[operator]
        low = high = known
    return Value(f"{left.at(level)} {operator} {right.at(level + 1)}", target, level, low, high, known=known)


def _bits(operator: str, left: Value, right: Value, target: Type) -> tuple[int, int, Value, Value]:
    """The range of the result of a bitwise operator, and its operands. `x & 0xff` is at most 0xff for any x."""
    for node in (left, right):
        if operator == "&" and node.fits and node.range[0] >= 0:
            masks = [operand.range[1] for operand in (left, right) if operand.fits and operand.range[0] >= 0]
            return 0, min(masks), left, right
    left, right = wrapped(left), wrapped(right)
    if left.range[0] >= 0 and right.range[0] >= 0:
        return 0, 2 ** max(left.range[1].bit_length(), right.range[1].bit_length()) - 1, left, right
    return target.low, target.high, left, right


def divided(operator: str, left: Value, right: Value, target: Type) -> Value:
    """Division. C++ rounds towards zero, Python downwards, so numbers that may be negative need a helper."""
    (low, high), (least, most) = left.range, right.range
    if left.known is not None and right.known:
        quotient = abs(left.known) // abs(right.known) * (1 if (left.known < 0) == (right.known < 0) else -1)
        known = quotient if operator == "/" else left.known - right.known * quotient
        text = f"{left.at(PRODUCT)} {'//' if operator == '/' else '%'} {right.at(UNARY)}"
        both = left.known >= 0 and right.known > 0
        return replace(number(known, target), text=text, level=PRODUCT) if both else number(known, target)
    if low >= 0 and least >= 0:
        text = f"{left.at(PRODUCT)} {'//' if operator == '/' else '%'} {right.at(UNARY)}"
        return Value(text, target, PRODUCT, 0, high // max(least, 1) if operator == "/" else max(most - 1, 0))
    helper = "quotient" if operator == "/" else "remainder"
    return Value(f"{helper}({left.text}, {right.text})", target)


def negative(value: Value) -> Value:
    """The value of `-value`."""
    if value.type.kind == "float":
        return replace(value, text=f"-{value.at(UNARY)}", level=UNARY)
    if not value.type.integral:
        raise Untranslated(f"- {value.type.spelled}")
    target = promoted(value.type)
    value = converted(plain(value) if value.numpy else value, target)
    low, high = -value.range[1], -value.range[0]
    if target.signed:
        high = min(high, target.high)
    known = None if value.known is None else -value.known
    return Value(f"-{value.at(UNARY)}", target, UNARY, low, high, known=known)


def inverted(value: Value) -> Value:
    """The value of `~value`."""
    if not value.type.integral:
        raise Untranslated(f"~ {value.type.spelled}")
    target = promoted(value.type)
    value = converted(plain(value) if value.numpy else value, target)
    low, high = value.range
    known = None if value.known is None else ~value.known
    return Value(f"~{value.at(UNARY)}", target, UNARY, -high - 1, -low - 1, known=known)
