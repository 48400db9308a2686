"""Functions of `std` and of C. `FUNCTIONS` is the table of those that have a translation."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from aclnn.tools.port import arithmetic
from aclnn.tools.port.casts import cast
from aclnn.tools.port.formats import MACROS
from aclnn.tools.port.methods import buffer, is_list
from aclnn.tools.port.place import Place
from aclnn.tools.port.reading import Node, field, parts, text
from aclnn.tools.port.types import BOOL, DOUBLE, FLOAT, INT, LONG, SIZE, STRING, TEXT, VOID, Type, Untranslated, ctype
from aclnn.tools.port.values import ATOM, SIZES, UNARY, Value, converted, element, number, plain, single, stored, wrapped

Standard = Callable[[Place, list[Node], list[Node]], Value]
CASTS: Final = ("static_cast", "reinterpret_cast", "const_cast")


def standard(place: Place, name: str, given: list[Node], explicit: list[Node], node: Node) -> Value:
    """A call of a function of `std` or of C."""
    from aclnn.tools.port.spellings import named

    if name in CASTS and len(given) == 1:
        return cast(place, named(place, explicit[0]), given[0], name)
    if name in ("max", "min", "lowest", "epsilon", "infinity") and "numeric_limits" in text(field(node, "function")):
        return _limit(place, name, field(node, "function"))
    if name == "vector" or name == "string":
        from aclnn.tools.port.declarations import constructed

        return constructed(place, named(place, field(node, "function")) if name == "vector" else STRING, given, "")
    function = FUNCTIONS.get(name)
    if function is None:
        raise Untranslated(f"the function {text(field(node, 'function'))}")
    return function(place, given, explicit)


def _limit(place: Place, name: str, called: Node) -> Value:
    from aclnn.tools.port.spellings import named

    scope = next(each for each in _scopes(called) if text(each).startswith("numeric_limits"))
    of = named(place, parts(field(scope, "arguments"))[0])
    if of.integral:
        return number(of.high if name == "max" else of.low, of)
    dtype = f"np.float{of.bits}"
    shown = {"max": f"np.finfo({dtype}).max", "lowest": f"np.finfo({dtype}).min", "infinity": f"{dtype}(np.inf)",
             "min": f"np.finfo({dtype}).tiny", "epsilon": f"np.finfo({dtype}).eps"}[name]  # fmt: skip
    return Value(shown, of, numpy=True)


def _scopes(node: Node) -> list[Node]:
    found: list[Node] = []
    while node.type == "qualified_identifier":
        found.append(field(node, "scope"))
        node = field(node, "name")
    return found


def _values(place: Place, given: list[Node], count: int) -> list[Value]:
    from aclnn.tools.port.expressions import expression

    if len(given) != count:
        raise Untranslated(f"a function with {len(given)} arguments, and not {count}")
    return [expression(place, each) for each in given]


def _ends(place: Place, given: list[Node]) -> Value:
    """The vector of `x.begin(), x.end()`, or of `begin(x), end(x)`."""
    from aclnn.tools.port.expressions import expression

    start, end = (text(each).replace("std::", "") for each in given[:2])
    if start.endswith(".begin()") and end == start.removesuffix("begin()") + "end()":
        return expression(place, field(field(given[0], "function"), "argument"))
    raise Untranslated(f"the range from {start} to {end}")


def _extreme(name: str) -> Standard:
    def one(place: Place, given: list[Node], explicit: list[Node]) -> Value:
        from aclnn.tools.port.spellings import named

        first, second = (wrapped(each) for each in _values(place, given, 2))
        if explicit:
            first, second = (stored(each, named(place, explicit[0])) for each in (first, second))
        elif not first.type.same(second.type):
            raise Untranslated(f"std::{name} of {first.type.spelled} and {second.type.spelled}")
        if first.type.kind == "float":  # a NaN: std::max(a, b) is `a < b ? b : a`
            sides = "{0} < {1}" if name == "max" else "{1} < {0}"
            test = sides.format(first.at(UNARY), second.at(UNARY))
            return Value(f"({second.text} if {test} else {first.text})", first.type, numpy=first.numpy and second.numpy)
        (low, high), (least, most) = first.range, second.range
        pick = max if name == "max" else min
        return Value(f"{name}({first.text}, {second.text})", first.type, low=pick(low, least), high=pick(high, most),
                     numpy=first.numpy or second.numpy)  # fmt: skip

    return one


def _abs(place: Place, given: list[Node], explicit: list[Node]) -> Value:
    (value,) = _values(place, given, 1)
    if value.type.kind == "float":
        return replace(value, text=f"abs({value.text})", level=ATOM)
    value = converted(plain(value), arithmetic.promoted(value.type))
    return Value(f"abs({value.text})", value.type, low=0, high=value.type.high)


def _real(name: str) -> Standard:
    """A function of <cmath>. numpy has them with infinities and NaNs instead of exceptions."""

    def one(place: Place, given: list[Node], explicit: list[Node]) -> Value:
        values = _values(place, given, 2 if name in ("power", "fmod", "fmax", "fmin") else 1)
        of = FLOAT if all(each.type.kind == "float" and each.type.bits == 32 for each in values) else DOUBLE
        shown = [single(each).text if of is FLOAT else converted(each, DOUBLE).text for each in values]
        return Value(f"np.{name}({', '.join(shown)})", of, numpy=True)

    return one


def _rounded(place: Place, given: list[Node], explicit: list[Node]) -> Value:
    """std::round: halves go away from zero."""
    (value,) = _values(place, given, 1)
    if value.type.kind != "float":
        raise Untranslated(f"round of {value.type.spelled}")
    shown = f"np.trunc({value.text} + np.copysign(0.5, {value.text}))"
    if value.type.bits == 32:
        raise Untranslated("round of a float of 32 bits")
    return Value(shown, value.type, numpy=True)


def _test(name: str) -> Standard:
    def one(place: Place, given: list[Node], explicit: list[Node]) -> Value:
        (value,) = _values(place, given, 1)
        return Value(f"bool(np.{name}({value.text}))", BOOL)

    return one


def _accumulate(place: Place, given: list[Node], explicit: list[Node]) -> Value:
    """The sum or the product of a vector, in the type of the initial value."""
    from aclnn.tools.port.expressions import expression

    owner, start = _ends(place, given), expression(place, given[2])
    work = text(given[3]).replace("std::", "").split("<")[0] if len(given) == 4 else "plus"
    inner = owner.type.inner
    of = start.type
    if work not in ("plus", "multiplies") or not (of.integral and inner.integral):
        if work == "plus" and of.kind == "float" and inner.kind == "float" and len(given) == 3:
            return _sum(owner, start)
        raise Untranslated(f"std::accumulate of {inner.spelled} with {of.spelled}")
    items = owner.text if is_list(place, owner) else f"{owner.at(ATOM)}.tolist()"
    if work == "multiplies":
        place.need("math")
        shown = f"math.prod({items})" if start.known == 1 else f"math.prod({items}, start={wrapped(start).text})"
    else:
        shown = f"sum({items})" if start.known == 0 else f"sum({items}, {wrapped(start).text})"
    bits = of.bits if of.bits >= 32 else 32
    if of.bits == 64 and of.signed:
        return Value(shown, of)  # an overflow is undefined
    return Value(shown, of, low=-(2 ** (2 * bits)), high=2 ** (2 * bits))


def _sum(owner: Value, start: Value) -> Value:
    """One addition after the other: numpy's sum adds in another order."""
    first = single(start) if start.type.bits == 32 else start
    if owner.type.inner.bits != start.type.bits:
        raise Untranslated(f"std::accumulate of {owner.type.inner.spelled} with {start.type.spelled}")
    return Value(f"sum({owner.text}, {first.text})", start.type, numpy=True)


def _fill(place: Place, given: list[Node], explicit: list[Node]) -> Value:
    from aclnn.tools.port.expressions import expression

    owner = _ends(place, given)
    value = element(expression(place, given[2]), owner.type.inner.plain()).text
    name = owner.at(ATOM)
    return Value(f"{name}[:] = [{value}] * len({name})" if is_list(place, owner) else f"{name}[:] = {value}", VOID)


def _iota(place: Place, given: list[Node], explicit: list[Node]) -> Value:
    from aclnn.tools.port.expressions import expression

    owner, start = _ends(place, given), expression(place, given[2])
    name = owner.at(ATOM)
    if not start.type.integral and start.known is None and start.text not in ("0.0", "1.0"):
        raise Untranslated("std::iota from this value")
    first = start.text.removesuffix(".0")
    if is_list(place, owner):
        return Value(f"{name}[:] = range({first}, {first} + len({name}))" if first != "0" else
                     f"{name}[:] = range(len({name}))", VOID)  # fmt: skip
    return Value(f"{name}[:] = np.arange({name}.size)" + (f" + {first}" if first != "0" else ""), VOID)


def _sort(place: Place, given: list[Node], explicit: list[Node]) -> Value:
    owner = _ends(place, given)
    if len(given) != 2 or not owner.type.inner.number:
        raise Untranslated("std::sort with this order")
    return Value(f"{owner.at(ATOM)}.sort()", VOID)


def _reverse(place: Place, given: list[Node], explicit: list[Node]) -> Value:
    owner = _ends(place, given)
    name = owner.at(ATOM)
    return Value(f"{name}.reverse()" if is_list(place, owner) else f"{name}[:] = {name}[::-1].copy()", VOID)


def _swap(place: Place, given: list[Node], explicit: list[Node]) -> Value:
    one, other = _values(place, given, 2)
    if not one.type.number or not one.type.same(other.type):
        raise Untranslated(f"std::swap of {one.type.spelled}")
    return Value(f"{one.text}, {other.text} = {other.text}, {one.text}", VOID)


def _to_string(place: Place, given: list[Node], explicit: list[Node]) -> Value:
    (value,) = _values(place, given, 1)
    if value.type.kind == "float":
        return Value(f'"%f" % {value.at(UNARY)}', STRING, 11, fresh=True)
    if not value.type.integral or value.type.kind == "enum":
        raise Untranslated(f"std::to_string of {value.type.spelled}")
    value = wrapped(plain(value))
    return Value(f"str({value.text})" if value.type.kind != "bool" else f"str(int({value.text}))", STRING, fresh=True)


def _move(place: Place, given: list[Node], explicit: list[Node]) -> Value:
    (value,) = _values(place, given, 1)
    return replace(value, fresh=True)


def _exit(place: Place, given: list[Node], explicit: list[Node]) -> Value:
    (value,) = _values(place, given, 1)
    return Value(f"sys.exit({wrapped(plain(value)).text})", VOID)


def _memory(place: Place, value: Value) -> str:
    """Memory for memmove and memset."""
    if value.memory == "box":
        return value.text
    if value.key and value.type.kind == "pointer" and value.type.inner.number:
        place.program.facts.note("array", value.key)
        return f"{value.at(ATOM)}.ctypes.data"
    if value.type.kind == "handle" and value.memory != "address":
        return value.text
    if value.text.startswith("cast("):
        return value.text
    raise Untranslated(f"memory of type {value.type.spelled}")


def _memcpy(place: Place, given: list[Node], explicit: list[Node]) -> Value:
    to, source, size = _values(place, given, 3)
    place.need("memmove")
    return Value(f"memmove({_memory(place, to)}, {_memory(place, source)}, {wrapped(size).text})", VOID)


def _memset(place: Place, given: list[Node], explicit: list[Node]) -> Value:
    to, value, size = _values(place, given, 3)
    place.need("memset")
    return Value(f"memset({_memory(place, to)}, {wrapped(value).text}, {wrapped(size).text})", VOID)


def _free(place: Place, given: list[Node], explicit: list[Node]) -> Value:
    (value,) = _values(place, given, 1)
    if value.type.kind != "pointer":
        raise Untranslated("free of this memory")
    return Value(f"{value.text} = None", VOID)


def _strcmp(place: Place, given: list[Node], explicit: list[Node]) -> Value:
    one, other = _values(place, given, 2)
    if not (one.type.same(TEXT) and other.type.same(TEXT)):
        raise Untranslated("strcmp of these")
    first, second = one.at(6), other.at(6)
    return Value(f"({first} > {second}) - ({first} < {second})", INT, 10, -1, 1)


def _strlen(place: Place, given: list[Node], explicit: list[Node]) -> Value:
    (one,) = _values(place, given, 1)
    if not one.type.same(TEXT):
        raise Untranslated("strlen of this")
    return Value(f"len({one.at(ATOM)}.encode())", SIZE, low=0, high=SIZES)


def _fopen(place: Place, given: list[Node], explicit: list[Node]) -> Value:
    path, mode = _values(place, given, 2)
    place.program.helpers.add("fopen")
    return Value(f"fopen({path.text}, {mode.text})", Type("pointer", "FILE *", of=Type("file", "FILE")), memory="file")


def _transfer(name: str) -> Standard:
    def one(place: Place, given: list[Node], explicit: list[Node]) -> Value:
        memory, size, count, file = _values(place, given, 4)
        place.program.helpers.add(name)
        sizes = f"{wrapped(size).text}, {wrapped(count).text}"
        return Value(f"{name}({buffer(place, memory)}, {sizes}, {file.text})", SIZE, low=0, high=SIZES)

    return one


def _file(name: str, result: Type) -> Standard:
    def one(place: Place, given: list[Node], explicit: list[Node]) -> Value:
        from aclnn.tools.port.expressions import expression

        values = [wrapped(expression(place, each)).text for each in given]
        place.program.helpers.add(name)
        return Value(f"{name}({', '.join(values)})", result)

    return one


def _nothing(place: Place, given: list[Node], explicit: list[Node]) -> Value:
    return Value("", VOID)


def _calloc(place: Place, given: list[Node], explicit: list[Node]) -> Value:
    raise Untranslated("memory from malloc")


FUNCTIONS: Final[dict[str, Standard]] = {
    "max": _extreme("max"), "min": _extreme("min"), "abs": _abs, "fabs": _abs, "labs": _abs, "llabs": _abs,
    "sqrt": _real("sqrt"), "exp": _real("exp"), "log": _real("log"), "sin": _real("sin"), "cos": _real("cos"),
    "tanh": _real("tanh"), "floor": _real("floor"), "ceil": _real("ceil"), "pow": _real("power"), "log2": _real("log2"),
    "fmod": _real("fmod"), "trunc": _real("trunc"), "fmax": _real("fmax"), "fmin": _real("fmin"),
    "sqrtf": _real("sqrt"), "expf": _real("exp"), "fabsf": _abs,
    "round": _rounded, "isnan": _test("isnan"), "isinf": _test("isinf"), "isfinite": _test("isfinite"),
    "accumulate": _accumulate, "fill": _fill, "iota": _iota, "sort": _sort, "reverse": _reverse, "swap": _swap,
    "to_string": _to_string, "move": _move, "exit": _exit, "memcpy": _memcpy, "memmove": _memcpy, "memset": _memset,
    "free": _free, "strcmp": _strcmp, "strlen": _strlen, "fopen": _fopen, "fread": _transfer("fread"),
    "fwrite": _transfer("fwrite"), "fclose": _file("fclose", INT), "fseek": _file("fseek", INT),
    "ftell": _file("ftell", LONG), "fflush": _nothing, "malloc": _calloc, "calloc": _calloc,
}  # fmt: skip
"""the functions that have a translation"""
__all__ = ["FUNCTIONS", "MACROS", "ctype", "standard"]
