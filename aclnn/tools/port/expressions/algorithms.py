"""Algorithms of `std` over whole vectors."""

from aclnn.tools.port.cpp.place import Position, Standard
from aclnn.tools.port.cpp.reading import Node, field, text
from aclnn.tools.port.cpp.spellings import spelled_type
from aclnn.tools.port.cpp.types import VOID, Untranslated
from aclnn.tools.port.expressions.vectors import is_list
from aclnn.tools.port.python.values import ATOM, UNARY, Value, element, single, stored, wrapped


def values_of(place: Position, arguments: list[Node], count: int) -> list[Value]:

    if len(arguments) != count:
        raise Untranslated(f"a function with {len(arguments)} arguments, and not {count}")
    return [place.expression(argument) for argument in arguments]


def _ends(place: Position, arguments: list[Node]) -> Value:
    """The vector of `x.begin(), x.end()`, or of `begin(x), end(x)`."""

    if len(arguments) < 2:
        raise Untranslated("an algorithm without a range")
    start, end = (text(argument).replace("std::", "") for argument in arguments[:2])
    if start.endswith(".begin()") and end == start.removesuffix("begin()") + "end()":
        return place.expression(field(field(arguments[0], "function"), "argument"))
    raise Untranslated(f"the range from {start} to {end}")


def extreme(name: str) -> Standard:
    def translate(place: Position, arguments: list[Node], explicit: list[Node]) -> Value:

        first, second = (wrapped(each) for each in values_of(place, arguments, 2))
        if explicit:
            first, second = (stored(each, spelled_type(place, explicit[0])) for each in (first, second))
        elif not first.type.same(second.type):
            raise Untranslated(f"std::{name} of {first.type.spelled} and {second.type.spelled}")
        if first.type.kind == "float":  # a NaN: std::max(a, b) is `a < b ? b : a`
            comparison = "{0} < {1}" if name == "max" else "{1} < {0}"
            test = comparison.format(first.at(UNARY), second.at(UNARY))
            return Value(f"({second.text} if {test} else {first.text})", first.type, numpy=first.numpy and second.numpy)
        (low, high), (least, most) = first.range, second.range
        pick = max if name == "max" else min
        return Value(f"{name}({first.text}, {second.text})", first.type, low=pick(low, least), high=pick(high, most),
                     numpy=first.numpy or second.numpy)  # fmt: skip

    return translate


def accumulate(place: Position, arguments: list[Node], explicit: list[Node]) -> Value:
    """The sum or the product of a vector, in the type of the initial value."""

    owner, start = _ends(place, arguments), place.expression(arguments[2])
    work = text(arguments[3]).replace("std::", "").split("<")[0] if len(arguments) == 4 else "plus"
    inner = owner.type.inner
    cpp_type = start.type
    if work not in ("plus", "multiplies") or not (cpp_type.integral and inner.integral):
        if work == "plus" and cpp_type.kind == "float" and inner.kind == "float" and len(arguments) == 3:
            return _sum(owner, start)
        raise Untranslated(f"std::accumulate of {inner.spelled} with {cpp_type.spelled}")
    items = owner.text if is_list(place, owner) else f"{owner.at(ATOM)}.tolist()"
    if work == "multiplies":
        code = f"math.prod({items})" if start.known == 1 else f"math.prod({items}, start={wrapped(start).text})"
    else:
        code = f"sum({items})" if start.known == 0 else f"sum({items}, {wrapped(start).text})"
    bits = cpp_type.bits if cpp_type.bits >= 32 else 32
    if cpp_type.bits == 64 and cpp_type.signed:
        return Value(code, cpp_type)  # an overflow is undefined
    return Value(code, cpp_type, low=-(2 ** (2 * bits)), high=2 ** (2 * bits))


def _sum(owner: Value, start: Value) -> Value:
    """A sum in the order of the elements; np.sum adds in another order."""
    first = single(start) if start.type.bits == 32 else start
    if owner.type.inner.bits != start.type.bits:
        raise Untranslated(f"std::accumulate of {owner.type.inner.spelled} with {start.type.spelled}")
    return Value(f"sum({owner.text}, {first.text})", start.type, numpy=True)


def fill(place: Position, arguments: list[Node], explicit: list[Node]) -> Value:

    owner = _ends(place, arguments)
    value = element(place.expression(arguments[2]), owner.type.inner.plain()).text
    name = owner.at(ATOM)
    return Value(f"{name}[:] = [{value}] * len({name})" if is_list(place, owner) else f"{name}[:] = {value}", VOID)


def iota(place: Position, arguments: list[Node], explicit: list[Node]) -> Value:

    owner, start = _ends(place, arguments), place.expression(arguments[2])
    name = owner.at(ATOM)
    if not start.type.integral and start.known is None and start.text not in ("0.0", "1.0"):
        raise Untranslated("std::iota from this value")
    first = start.text.removesuffix(".0")
    if is_list(place, owner):
        return Value(f"{name}[:] = range({first}, {first} + len({name}))" if first != "0" else
                     f"{name}[:] = range(len({name}))", VOID)  # fmt: skip
    return Value(f"{name}[:] = np.arange({name}.size)" + (f" + {first}" if first != "0" else ""), VOID)


def sort(place: Position, arguments: list[Node], explicit: list[Node]) -> Value:
    owner = _ends(place, arguments)
    if len(arguments) != 2 or not owner.type.inner.number:
        raise Untranslated("std::sort with this order")
    return Value(f"{owner.at(ATOM)}.sort()", VOID)


def reverse(place: Position, arguments: list[Node], explicit: list[Node]) -> Value:
    owner = _ends(place, arguments)
    name = owner.at(ATOM)
    return Value(f"{name}.reverse()" if is_list(place, owner) else f"{name}[:] = {name}[::-1].copy()", VOID)


def swap(place: Position, arguments: list[Node], explicit: list[Node]) -> Value:
    left, right = values_of(place, arguments, 2)
    if not left.type.number or not left.type.same(right.type):
        raise Untranslated(f"std::swap of {left.type.spelled}")
    return Value(f"{left.text}, {right.text} = {right.text}, {left.text}", VOID)
