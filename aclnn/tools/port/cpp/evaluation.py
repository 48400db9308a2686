"""The arithmetic of #if: integers of 64 bits with wrap-around, unsigned if they are marked so or too large.

A value that the file does not determine is None. An expression that a compiler refuses is None, too: division by zero.
"""

import re
from collections.abc import Callable
from typing import Final, NamedTuple

BITS: Final = 64
TOKEN: Final = re.compile(
    r"\s*(0[xX][\da-fA-F']+\w*|\d[\w']*|\w+|'[^'\\]'|&&|\|\||<<|>>|[=!<>]=|[-+*/%&|^~!<>()?:]|\S)"
)
LITERAL: Final = re.compile(r"(?:0[xX]([\da-fA-F]+)|0[bB]([01]+)|(0[0-7]*)|([1-9]\d*))([uUlLzZ]*)")
MOST_DIGITS: Final = BITS
"""maximum number of digits; a number may be binary"""


class Constant(NamedTuple):
    """A value."""

    value: int
    unsigned: bool = False


Known = Constant | None


def wrapped(value: int, unsigned: bool) -> Constant:
    """The value in 64 bits."""
    low = value & (1 << BITS) - 1
    return Constant(low if unsigned or low < 1 << BITS - 1 else low - (1 << BITS), unsigned)


def _divided(left: int, right: int) -> int:
    """Division in C drops the fraction."""
    return abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)


def _shifted(left: int, bits: int) -> int:
    """A shift to the left; a negative one is a shift to the right."""
    return left << min(bits, BITS) if bits >= 0 else left >> min(-bits, BITS)


ARITHMETIC: Final[dict[str, Callable[[int, int], int]]] = {
    "|": int.__or__, "^": int.__xor__, "&": int.__and__, "+": int.__add__, "-": int.__sub__, "*": int.__mul__,
    "/": _divided, "%": lambda left, right: left - right * _divided(left, right),
}  # fmt: skip
COMPARISONS: Final[dict[str, Callable[[int, int], bool]]] = {
    "==": int.__eq__, "!=": int.__ne__, "<": int.__lt__, ">": int.__gt__, "<=": int.__le__, ">=": int.__ge__,
}  # fmt: skip
LEVEL: Final = {
    "||": 0, "&&": 1, "|": 2, "^": 3, "&": 4, "==": 5, "!=": 5, "<": 6, ">": 6, "<=": 6, ">=": 6, "<<": 7, ">>": 7,
    "+": 8, "-": 8, "*": 9, "/": 9, "%": 9,
}  # fmt: skip
"""the binary operators; those of the highest level bind most tightly"""


def evaluated(text: str) -> Known:
    """The value of an expression without macros."""
    try:
        parser = _Parser(TOKEN.findall(text.strip()))
        value = parser.conditional()
        return value if parser.next == "" else None
    except _Malformed:
        return None


class _Malformed(Exception):
    """The text is no expression of #if."""


class _Parser:
    """Evaluates an expression while it reads the tokens."""

    def __init__(self, tokens: list[str]) -> None:
        self._tokens = [*tokens, ""]
        self._at = 0

    @property
    def next(self) -> str:
        """The next token; empty at the end."""
        return self._tokens[self._at]

    def _take(self, expected: str = "") -> str:
        token = self.next
        if not token or (expected and token != expected):
            raise _Malformed
        self._at += 1
        return token

    def conditional(self) -> Known:
        """The value of `a ? b : c`, or of a binary expression."""
        test = self._binary(0)
        if self.next != "?":
            return test
        self._take()
        first = self.conditional()
        self._take(":")
        second = self.conditional()
        if test is None or first is None or second is None:
            return None if test is None else (first if test.value else second)
        return wrapped((first if test.value else second).value, first.unsigned or second.unsigned)

    def _binary(self, lowest: int) -> Known:
        left = self._unary()
        while (level := LEVEL.get(self.next, -1)) >= lowest:
            operator = self._take()
            left = _combined(operator, left, self._binary(level + 1))
        return left

    def _unary(self) -> Known:
        token = self._take()
        if token == "(":
            inside = self.conditional()
            self._take(")")
            return inside
        if token in ("+", "-", "~", "!"):
            value = self._unary()
            if value is None:
                return None
            number, unsigned = value
            if token == "!":
                return Constant(int(not number))
            return wrapped({"+": number, "-": -number, "~": ~number}[token], unsigned)
        return _literal(token)


def _literal(token: str) -> Known:
    if token in ("true", "false"):
        return Constant(int(token == "true"))
    if len(token) == 3 and token[0] == token[2] == "'":
        return Constant(ord(token[1]))
    if not token[0].isdigit():
        if token[0].isalpha() or token[0] == "_":
            return None  # a name that the build may define
        raise _Malformed
    match = LITERAL.fullmatch(token.replace("'", ""))
    if match is None or len(token) > MOST_DIGITS + 6:
        raise _Malformed
    digits, base = next((digits, base) for digits, base in zip(match.groups(), (16, 2, 8, 10), strict=False) if digits)
    value = int(digits, base)
    if value >> BITS:
        raise _Malformed
    return Constant(value, "u" in match[5].lower() or bool(value >> BITS - 1))


def _combined(operator: str, left: Known, right: Known) -> Known:
    """The value of a binary expression. The second operand of && and || is ignored if the first one decides."""
    if operator in ("&&", "||"):
        decides = operator == "||"
        if any(each is not None and bool(each.value) == decides for each in (left, right)):
            return Constant(int(decides))
        return None if left is None or right is None else Constant(int(not decides))
    if left is None or right is None or (operator in "/%" and not right.value):
        return None
    if operator in ("<<", ">>"):
        return wrapped(_shifted(left.value, right.value if operator == "<<" else -right.value), left.unsigned)
    unsigned = left.unsigned or right.unsigned
    a, b = wrapped(left.value, unsigned).value, wrapped(right.value, unsigned).value
    if operator in COMPARISONS:
        return Constant(int(COMPARISONS[operator](a, b)))
    return wrapped(ARITHMETIC[operator](a, b), unsigned)
