"""The formats of printf as formats of Python's `%`, which has most of them."""

import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from aclnn.tools.port.cpp.types import DOUBLE, INT, LONG, SIZE, UINT, Type, Untranslated, integer
from aclnn.tools.port.python.printing import quoted
from aclnn.tools.port.python.values import Value, converted, plain, wrapped

SPECIFIER: Final = re.compile(r"%([-+ #0']*)(\*|\d+)?(?:\.(\*|\d+)?)?(hh|h|ll|l|L|q|j|z|t)?(.)", re.DOTALL)
SIGNED: Final[dict[str, Type]] = {"hh": integer("int8_t", 8), "h": integer("short", 16), "": INT}
UNSIGNED: Final[dict[str, Type]] = {
    "hh": integer("uint8_t", 8, signed=False), "h": integer("unsigned short", 16, signed=False), "": UINT,
}  # fmt: skip
ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "e": "\x1b"}


def unescaped(text: str) -> str:
    """The text between the quotes of a string literal, without escapes."""

    def replace(match: re.Match[str]) -> str:
        word = match[1]
        if word[0] in "01234567":
            return chr(int(word, 8))
        if word[0] in "xuU" and word[1:]:
            code = int(word[1:], 16)
            if code > sys.maxunicode or 0xD800 <= code < 0xE000:  # surrogates are no characters
                raise Untranslated(f"the character \\{word}")
            return chr(code)
        return "" if word == "\n" else ESCAPES.get(word, word)

    return re.sub(r"\\([0-7]{1,3}|x[0-9a-fA-F]+|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)", replace, text, flags=re.DOTALL)


def formatted(text: str, values: Sequence[Value], show: Callable[[Value], str]) -> tuple[str, list[str]]:
    """The format for Python, and its arguments. `show` returns the text of a value of type string or pointer."""
    rest = list(values)
    arguments: list[str] = []

    def next_value() -> Value:
        if not rest:
            raise Untranslated("printf has fewer arguments than its format")
        return rest.pop(0)

    def replace(match: re.Match[str]) -> str:
        flags, width, precision, size, letter = match.groups()
        if letter == "%":
            return "%%"
        if "'" in flags:
            raise Untranslated("the flag ' of printf")
        for star in (width, precision):
            if star == "*":
                arguments.append(wrapped(plain(next_value())).text)
        middle = flags + (width or "") + ("." + (precision or "0") if "." in match[0] else "")
        argument, kind = _argument(letter, size or "", next_value(), show, flags)
        arguments.append(argument)
        return f"%{middle}{kind}"

    format = SPECIFIER.sub(replace, text)
    if re.search(r"%$", SPECIFIER.sub("", text)):
        raise Untranslated("a format of printf that ends in %")
    if rest:
        raise Untranslated("printf has more arguments than its format")
    return format, arguments


def _argument(letter: str, size: str, value: Value, show: Callable[[Value], str], flags: str) -> tuple[str, str]:
    """The argument in Python, and the letters of its format."""
    length = size if size in ("h", "l") else ""
    if letter in "diuxXo" and not value.type.integral:
        raise Untranslated(f"printf of {value.type.spelled} as %{size}{letter}")
    if letter in "di":
        narrow = SIGNED.get(size)
        if narrow is not None and not (value.type.bits <= 32 and value.type.signed and narrow is INT):
            value = _narrowed(value, narrow)
        elif not value.type.signed and value.type.bits == 64:
            value = wrapped(converted(value, LONG))
        return wrapped(value).text, length + letter
    if letter in "uxXo":
        if letter == "o" and "#" in flags:
            raise Untranslated("the flag # of printf's %o")
        return wrapped(converted(value, UNSIGNED.get(size, SIZE))).text, "d" if letter == "u" else length + letter
    if letter in "eEfFgG" and size in ("", "l"):
        if value.type.kind != "float":
            raise Untranslated(f"printf of {value.type.spelled} as %{letter}")
        return (converted(value, DOUBLE) if value.memory == "inexact" else value).text, length + letter
    if letter == "c" and not size:
        return _character(wrapped(plain(value)))
    if letter == "s" and not size:
        return show(value), "s"
    if letter == "p":
        return show(replace(value, fresh=True)), "s"
    raise Untranslated(f"the format %{size}{letter} of printf")


def _character(value: Value) -> tuple[str, str]:
    if value.range[1] <= 127 or value.memory == "character":
        return value.text, "c"
    return f"bytes([{value.text}]).decode()", "s"  # an error if it is no ASCII


def _narrowed(value: Value, target: Type) -> Value:
    """The value in the type of the format: %d prints the low 32 bits of a 64-bit number. A value that fits stays."""
    low, high = value.range
    return value if target.low <= low and high <= target.high else wrapped(converted(plain(value), target))


def literal(text: str) -> str:
    """A format as a string of Python."""
    return quoted(text)
