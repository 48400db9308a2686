"""C's printf, with Python values as arguments."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# (values of ctypes have no types)

import ctypes
import math
import operator
import re
from collections.abc import Sequence
from typing import Any, Final

SPECIFICATION: Final = (
    r"%(?P<flags>[-+ #0]*)(?P<width>\*|\d*)(?:\.(?P<precision>\*|\d*))?"
    r"(?P<length>hh|h|ll|l|L|z|j|t)?(?P<conversion>[diouxXeEfFgGaAcspn%])"
)
BITS: Final = {"hh": 8, "h": 16, "": 32}
"""the width of an integer by its length modifier; 64 for all others"""
WIDEST: Final = 4096
"""the greatest width or precision, as no text of this API is longer"""


def printf(format: str, arguments: Sequence[Any]) -> str:
    """The formatted text. If an argument is missing or does not fit, which is undefined in C, its specification stays
    in the text. Nothing is raised."""
    left = list(arguments)

    def replace(match: "re.Match[str]") -> str:
        try:
            return _converted(match, left)
        except (TypeError, ValueError, IndexError, OverflowError):
            return match[0]

    return re.sub(SPECIFICATION, replace, format)


def _converted(match: "re.Match[str]", left: list[Any]) -> str:
    conversion, flags = match["conversion"], match["flags"]
    if conversion == "%":
        return "%"
    width, precision = _number(match["width"], left), _number(match["precision"], left)
    if width is not None and width < 0:  # "a negative field width is taken as a - flag"
        flags, width = flags + "-", -width
    value = _plain(left.pop(0))
    if conversion == "n":
        return ""
    if conversion in "diouxX":
        body = _integer(value, flags, precision, match["length"] or "", conversion)
        padded = precision is None
    elif conversion in "cs":
        body, padded = _text(value, precision, conversion), False
    elif conversion == "p":
        body, padded = (f"{operator.index(value):#x}" if value else "(nil)"), False
    else:
        body, padded = _real(float(value), flags, precision, conversion), math.isfinite(float(value))
    return _pad(body, flags, min(width or 0, WIDEST), zeros=padded)


def _number(text: str | None, left: list[Any]) -> int | None:
    """A width or a precision; `*` takes it from the arguments."""
    if text is None:
        return None
    return operator.index(_plain(left.pop(0))) if text == "*" else int(text or 0)


def _plain(value: Any) -> Any:
    """The value of a ctypes variable; any other object unchanged."""
    if isinstance(value, ctypes._SimpleCData) or (  # pyright: ignore[reportPrivateUsage]
        isinstance(value, ctypes.Array) and value._type_ is ctypes.c_char
    ):
        return value.value
    return value


def _integer(value: Any, flags: str, precision: int | None, length: str, conversion: str) -> str:
    number = operator.index(value)
    bits = BITS.get(length, 64)
    number &= (1 << bits) - 1
    if conversion in "di" and number >> bits - 1:
        number -= 1 << bits
    digits = format(abs(number), {"o": "o", "x": "x", "X": "X"}.get(conversion, "d"))
    if precision == 0 and number == 0:
        digits = ""
    digits = digits.rjust(min(max(precision or 0, 0), WIDEST), "0")
    if "#" in flags and conversion == "o" and not digits.startswith("0"):
        digits = f"0{digits}"
    prefix = f"0{conversion}" if "#" in flags and conversion in "xX" and number else ""
    return _sign(number < 0, flags if conversion in "di" else "") + prefix + digits


def _real(value: float, flags: str, precision: int | None, conversion: str) -> str:
    sign = _sign(math.copysign(1.0, value) < 0, flags)
    if not math.isfinite(value):
        text = "nan" if math.isnan(value) else "inf"
        return sign + (text.upper() if conversion.isupper() else text)
    if conversion in "aA":
        text = float.hex(abs(value))
        return sign + (text.upper() if conversion == "A" else text)
    alternative = "#" if "#" in flags else ""
    digits = 6 if precision is None or precision < 0 else min(precision, WIDEST)
    return sign + f"%{alternative}.{digits}{conversion}" % abs(value)


def _sign(negative: bool, flags: str) -> str:
    if negative:
        return "-"
    return "+" if "+" in flags else " " if " " in flags else ""


def _text(value: Any, precision: int | None, conversion: str) -> str:
    if conversion == "c":
        return value if isinstance(value, str) else chr(value[0] if isinstance(value, bytes) else value & 0xFF)
    if value is None:
        value = b"(null)"
    if isinstance(value, str):
        value = value.encode(errors="surrogateescape")
    if not isinstance(value, bytes | bytearray):
        raise TypeError(value)
    raw = bytes(value).split(b"\0", 1)[0]
    return (raw if precision is None or precision < 0 else raw[:precision]).decode(errors="replace")


def _pad(body: str, flags: str, width: int, *, zeros: bool) -> str:
    if "-" in flags:
        return body.ljust(width)
    if "0" not in flags or not zeros:
        return body.rjust(width)
    head = re.match(r"[-+ ]?(?:0[xX])?", body)
    start = head.end() if head else 0
    return body[:start] + body[start:].rjust(width - start, "0")
