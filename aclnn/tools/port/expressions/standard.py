"""Functions of `std` and of C. `FUNCTIONS` is the table of the functions that have a translation."""

import re
from dataclasses import replace
from typing import Final

from aclnn.tools.port.cpp.place import Position, Standard
from aclnn.tools.port.cpp.reading import Node, field, parts, text
from aclnn.tools.port.cpp.spellings import spelled_type
from aclnn.tools.port.cpp.types import BOOL, DOUBLE, FLOAT, INT, LONG, STRING, VOID, Type, Untranslated
from aclnn.tools.port.expressions.algorithms import accumulate, extreme, fill, iota, reverse, sort, swap, values_of
from aclnn.tools.port.expressions.casts import cast
from aclnn.tools.port.expressions.memory import calloc, file, fopen, free, memcpy, memset, strcmp, strlen, transfer
from aclnn.tools.port.python import comparisons
from aclnn.tools.port.python.values import ATOM, SUM, UNARY, Value, converted, number, plain, single, wrapped

CASTS: Final = ("static_cast", "reinterpret_cast", "const_cast")


def standard(place: Position, name: str, arguments: list[Node], explicit: list[Node], node: Node) -> Value:
    """A call of a function of `std` or of C."""

    if name in CASTS and len(arguments) == 1:
        return cast(place, spelled_type(place, explicit[0]), arguments[0], name)
    if name in ("max", "min", "lowest", "epsilon", "infinity") and "numeric_limits" in text(field(node, "function")):
        return _limit(place, name, field(node, "function"))
    if name in {"vector", "string"}:
        return place.constructed(
            spelled_type(place, field(node, "function")) if name == "vector" else STRING, arguments, ""
        )
    function = FUNCTIONS.get(name)
    if name in OF_C and not text(field(node, "function")).startswith(("std::", "::std::")) and not _overloaded(place):
        function = OF_C[name]
    if function is None:
        raise Untranslated(f"the function {text(field(node, 'function'))}")
    return function(place, arguments, explicit)


def _limit(place: Position, name: str, called: Node) -> Value:

    scope = next(each for each in _scopes(called) if text(each).startswith("numeric_limits"))
    cpp_type = spelled_type(place, parts(field(scope, "arguments"))[0])
    if cpp_type.integral:
        return number(cpp_type.high if name == "max" else cpp_type.low, cpp_type)
    dtype = f"np.float{cpp_type.bits}"
    code = {"max": f"np.finfo({dtype}).max", "lowest": f"np.finfo({dtype}).min", "infinity": f"{dtype}(np.inf)",
             "min": f"np.finfo({dtype}).tiny", "epsilon": f"np.finfo({dtype}).eps"}[name]  # fmt: skip
    return Value(code, cpp_type, numpy=True)


def _scopes(node: Node) -> list[Node]:
    scopes: list[Node] = []
    while node.type == "qualified_identifier":
        scopes.append(field(node, "scope"))
        node = field(node, "name")
    return scopes


def _overloaded(place: Position) -> bool:
    """True if `sqrt` without `std::` is overloaded for each type. Without <math.h> it is the function of C."""
    return any(
        re.match(r"\s*(#\s*include\s*<math\.h>|using\s+namespace\s+std\b)", line) for line in place.program.lines
    )


def _abs(place: Position, arguments: list[Node], explicit: list[Node]) -> Value:
    (value,) = values_of(place, arguments, 1)
    if value.type.kind == "float":
        return replace(value, text=f"abs({value.text})", level=ATOM)
    value = converted(plain(value), comparisons.promoted(value.type))
    return Value(f"abs({value.text})", value.type, low=0, high=value.type.high)


def _abs_of_int(place: Position, arguments: list[Node], explicit: list[Node]) -> Value:
    """The value of `abs`: in C its argument is an int."""
    (value,) = values_of(place, arguments, 1)
    if not value.type.integral or value.type.bits > 32:
        raise Untranslated(f"abs of {value.type.spelled} without std::")
    return _abs(place, arguments, explicit)


def _real(name: str, only: Type | None = None) -> Standard:
    """A function of <cmath>, as a function of numpy, which returns infinities and NaNs instead of raising exceptions.
    `only`: the type of a function of C, which is not overloaded."""

    def translate(place: Position, arguments: list[Node], explicit: list[Node]) -> Value:
        values = values_of(place, arguments, 2 if name in ("power", "fmod", "fmax", "fmin") else 1)
        small = all(value.type.kind == "float" and value.type.bits == 32 for value in values)
        cpp_type = only or (FLOAT if small else DOUBLE)
        codes = [
            single(converted(value, FLOAT)).text if cpp_type is FLOAT else converted(value, DOUBLE).text
            for value in values
        ]
        return Value(f"np.{name}({', '.join(codes)})", cpp_type, numpy=True)

    return translate


def _rounded(place: Position, arguments: list[Node], explicit: list[Node]) -> Value:
    """std::round: halves go away from zero."""
    (value,) = values_of(place, arguments, 1)
    if value.type.kind != "float":
        raise Untranslated(f"round of {value.type.spelled}")
    half = "0.49999999999999994"  # the sum with 0.5 is 1 for the number below 0.5
    code = f"np.trunc({value.at(SUM)} + np.copysign({half}, {value.text}))"
    if value.type.bits == 32:
        raise Untranslated("round of a float of 32 bits")
    return Value(code, value.type, numpy=True)


def _test(name: str) -> Standard:
    def translate(place: Position, arguments: list[Node], explicit: list[Node]) -> Value:
        (value,) = values_of(place, arguments, 1)
        return Value(f"bool(np.{name}({value.text}))", BOOL)

    return translate


def _to_string(place: Position, arguments: list[Node], explicit: list[Node]) -> Value:
    (value,) = values_of(place, arguments, 1)
    if value.type.kind == "float":
        return Value(f'"%f" % {value.at(UNARY)}', STRING, 11, fresh=True)
    if not value.type.integral or value.type.kind == "enum":
        raise Untranslated(f"std::to_string of {value.type.spelled}")
    value = wrapped(plain(value))
    return Value(f"str({value.text})" if value.type.kind != "bool" else f"str(int({value.text}))", STRING, fresh=True)


def _move(place: Position, arguments: list[Node], explicit: list[Node]) -> Value:
    (value,) = values_of(place, arguments, 1)
    return replace(value, fresh=True)


def _exit(place: Position, arguments: list[Node], explicit: list[Node]) -> Value:
    (value,) = values_of(place, arguments, 1)
    return Value(f"sys.exit({wrapped(plain(value)).text})", VOID)


def _nothing(place: Position, arguments: list[Node], explicit: list[Node]) -> Value:
    return Value("", VOID)


FUNCTIONS: Final[dict[str, Standard]] = {
    "max": extreme("max"), "min": extreme("min"), "abs": _abs, "fabs": _real("fabs"), "labs": _abs, "llabs": _abs,
    "sqrt": _real("sqrt"), "exp": _real("exp"), "log": _real("log"), "sin": _real("sin"), "cos": _real("cos"),
    "tanh": _real("tanh"), "floor": _real("floor"), "ceil": _real("ceil"), "pow": _real("power"), "log2": _real("log2"),
    "fmod": _real("fmod"), "trunc": _real("trunc"), "fmax": _real("fmax"), "fmin": _real("fmin"),
    "sqrtf": _real("sqrt", FLOAT), "expf": _real("exp", FLOAT), "fabsf": _real("fabs", FLOAT),
    "round": _rounded, "isnan": _test("isnan"), "isinf": _test("isinf"), "isfinite": _test("isfinite"),
    "accumulate": accumulate, "fill": fill, "iota": iota, "sort": sort, "reverse": reverse, "swap": swap,
    "to_string": _to_string, "move": _move, "exit": _exit, "memcpy": memcpy, "memmove": memcpy, "memset": memset,
    "free": free, "strcmp": strcmp, "strlen": strlen, "fopen": fopen, "fread": transfer("fread"),
    "fwrite": transfer("fwrite"), "fclose": file("fclose", INT), "fseek": file("fseek", INT),
    "ftell": file("ftell", LONG), "fflush": _nothing, "malloc": calloc, "calloc": calloc,
}  # fmt: skip
"""the functions that have a translation"""
OF_C: Final[dict[str, Standard]] = {
    "abs": _abs_of_int, "pow": _real("power", DOUBLE),
    **{each: _real(each, DOUBLE) for each in (
        "fabs", "sqrt", "exp", "log", "sin", "cos", "tanh", "floor", "ceil", "log2", "fmod", "trunc", "fmax", "fmin")},
}  # fmt: skip
"""functions that are different without `std::`"""
