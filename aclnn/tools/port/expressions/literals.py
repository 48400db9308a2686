"""Numbers, strings and characters."""

import re
from dataclasses import replace
from typing import Final

import numpy as np

from aclnn.tools.port.cpp.place import Position
from aclnn.tools.port.cpp.reading import Node, parts, text
from aclnn.tools.port.cpp.types import BOOL, CHAR, DOUBLE, FLOAT, INT, LONG, SIZE, TEXT, UINT, Untranslated
from aclnn.tools.port.python import arithmetic
from aclnn.tools.port.python.formats import unescaped
from aclnn.tools.port.python.printing import quoted
from aclnn.tools.port.python.values import ATOM, Value, number

LONGEST: Final = 100
"""maximum number of characters of a number; a number that fits a C++ type has fewer"""


def number_literal(place: Position, node: Node) -> Value:
    source = text(node).replace("'", "")
    if source.startswith("-"):
        return arithmetic.negative(_positive(source[1:]))
    return _positive(source)


def _positive(source: str) -> Value:
    floating = re.fullmatch(r"(?!0[xX])(\d*\.?\d*(?:[eE][+-]?\d+)?)([fFlL]?)", source)
    if floating is not None and re.search(r"[.eE]|[fF]$", source):
        digits = re.sub(r"^\.", "0.", floating[1])
        digits = re.sub(r"\.(?=$|e|E)", ".0", digits)
        if "." not in digits and "e" not in digits.lower():
            digits += ".0"
        if floating[2] in ("l", "L"):
            raise Untranslated("long double")
        if floating[2]:
            exact = float(np.float32(float(digits))) == float(digits)
            return Value(digits, FLOAT, memory="" if exact else "inexact")
        return Value(digits, DOUBLE)
    match = re.fullmatch(r"(0[xX][0-9a-fA-F]+|0[bB][01]+|\d+)([uUlL]*)", source)
    if match is None or len(source) > LONGEST:
        raise Untranslated(f"the number {source[:LONGEST]}")
    digits, suffix = match[1], match[2].lower()
    octal = re.fullmatch(r"0[0-7]+", digits)
    value = int(digits, 8) if octal else int(digits, 0)
    kinds = [INT, UINT, LONG, SIZE]
    if "u" in suffix:
        kinds = [UINT, SIZE]
    elif not octal and digits.isdecimal():
        kinds = [INT, LONG]
    if "l" in suffix:
        kinds = [kind for kind in kinds if kind.bits == 64]
    cpp_type = next((kind for kind in kinds if value <= kind.high), None)
    if cpp_type is None:
        raise Untranslated(f"the number {source}")
    return replace(number(value, cpp_type), text=oct(value) if octal else digits)


def string_literal(place: Position, node: Node) -> Value:
    pieces = parts(node) if node.type == "concatenated_string" else [node]
    texts: list[str] = []
    for piece in pieces:
        source = text(piece)
        if piece.type == "string_literal" and source.startswith('"'):
            texts.append(unescaped(source[1:-1]))
        elif piece.type == "raw_string_literal" and source.startswith('R"('):
            texts.append(source[3:-2])
        else:
            raise Untranslated(f"the string {source}")
    if "\0" in "".join(texts):
        raise Untranslated("a string with a zero inside")
    return Value(quoted("".join(texts)), TEXT, memory="literal")


def char_literal(place: Position, node: Node) -> Value:
    value = unescaped(text(node)[1:-1])
    if len(value) != 1 or ord(value) > 127:
        raise Untranslated(f"the character {text(node)}")
    constant = ord(value)
    code = f"ord({quoted(value)})" if value.isprintable() else str(constant)
    return Value(code, CHAR, ATOM, constant, constant)


def truth_literal(place: Position, node: Node) -> Value:
    value = text(node) == "true"
    return Value(str(value), BOOL, low=int(value), high=int(value), known=int(value))
