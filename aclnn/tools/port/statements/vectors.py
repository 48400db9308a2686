"""The initial values of vectors and arrays."""

from dataclasses import replace

from aclnn.tools.port.cpp.place import Place
from aclnn.tools.port.cpp.reading import Node, field, parts, text
from aclnn.tools.port.cpp.types import Type, Untranslated, dtype
from aclnn.tools.port.expressions.vectors import listed
from aclnn.tools.port.python.values import ATOM, PRODUCT, UNARY, Value, element, number, wrapped


def copied_vector(place: Place, value: Value, to: Type, key: str) -> Value:

    facts = place.program.facts
    facts.join(value.key, key)
    facts.join(value.key + ".of", key + ".of")
    if not to.inner.same(value.type.inner):
        raise Untranslated(f"a {to.spelled} from {value.type.spelled}")
    if value.fresh:
        return replace(value, type=to)
    if not listed(place, key or value.key, to):
        return Value(f"{value.at(ATOM)}.copy()", to, key=key, fresh=True)
    if to.inner.sequence:
        return Value(f"copy.deepcopy({value.text})", to, key=key, fresh=True)
    if to.inner.kind == "struct":
        facts.note("copied", to.inner.name)
        return Value(f"[each.copied() for each in {value.text}]", to, key=key, fresh=True)
    if to.inner.kind == "handle" and facts.among("addressed", (key or value.key) + ".of"):
        name = to.inner.name
        return Value(f"[{name}(each.value) for each in {value.text}]", to, key=key, fresh=True)
    return Value(f"list({value.text})", to, key=key, fresh=True)


def _items(place: Place, of: Type, nodes: list[Node], key: str, *, listed: bool) -> str:
    """The elements between the brackets."""

    found: list[str] = []
    for node in nodes:
        if of.number and node.type != "initializer_list":
            value = place.expression(node)
            if not value.type.number:
                raise Untranslated(f"an element of type {value.type.spelled}")
            if of.kind == "float" and not listed:
                found.append(wrapped(value).text)  # numpy converts
            else:
                found.append(element(value, of).text)
        else:
            found.append(place.initial(of, node, key + ".of").text)
    return ", ".join(found)


def vector_of(place: Place, to: Type, given: list[Node], key: str) -> Value:

    as_list = listed(place, key, to)
    if not given:
        return Value("[]" if as_list else f"np.zeros(0, {dtype(to.inner)})", to, key=key, fresh=True)
    if text(given[0]).endswith("begin()") and len(given) == 2:
        owner = place.expression(field(field(given[0], "function"), "argument"))
        if text(given[1]) != text(given[0]).removesuffix("begin()") + "end()":
            raise Untranslated("a vector from a part of another")
        return place.copied(replace(owner, fresh=False), to, key)
    first = place.expression(given[0])
    if len(given) == 1 and first.type.sequence:
        return place.copied(first, to, key)
    if not first.type.integral or len(given) > 2:
        raise Untranslated(f"a vector from {first.type.spelled}")
    return repeated(place, to, wrapped(first), given[1] if len(given) == 2 else None, key)


def repeated(place: Place, to: Type, size: Value, node: Node, key: str) -> Value:
    """A vector of `size` equal elements."""

    inner = to.inner.plain()
    as_list = listed(place, key, to)
    if not as_list:
        value = place.expression(node) if node is not None and node.type != "initializer_list" else None
        if value is None or value.text.rstrip("0") in ("", "0.", "0."):
            shown = f"np.zeros({size.text}, {dtype(inner)})"
        else:
            shown = f"np.full({size.text}, {element(value, inner).text}, {dtype(inner)})"
        return Value(shown, to, key=key, fresh=True)
    made = zero(place, inner, key + ".of") if node is None else place.initial(inner, node, key + ".of")
    if inner.number or inner.kind in ("pointer", "string"):
        return Value(f"[{made.text}] * {size.at(UNARY)}", to, PRODUCT, key=key, fresh=True, memory="list")
    if inner.kind == "handle" and node is not None and made.text.isidentifier():
        made = Value(f"{inner.name}({made.text}.value)", inner)
    if inner.kind == "struct" and node is not None and not made.fresh:
        raise Untranslated("a vector of copies of a struct")
    return Value(f"[{made.text} for _ in range({size.text})]", to, key=key, fresh=True, memory="list")


def array(place: Place, to: Type, node: Node, key: str, sizes: list[Node]) -> Value:
    """An array of C."""

    inner = to.inner.plain()
    if node is not None and node.type == "initializer_list":
        nodes = parts(node)
        if inner.kind == "array":
            if any(each.type != "initializer_list" or (sizes[-1] is not None and
                   len(parts(each)) != place.expression(sizes[-1]).known) for each in nodes):  # fmt: skip
                raise Untranslated("an array of arrays with missing values")
            items = ", ".join(array(place, inner, each, key + ".of", sizes[1:]).text for each in nodes)
            return Value(f"[{items}]", to, key=key, fresh=True)
        size = place.expression(sizes[0]) if sizes and sizes[0] is not None else None
        if size is not None and size.known is None:
            raise Untranslated("an array of a size that is not known")
        missing = 0 if size is None else int(size.known or 0) - len(nodes)
        zeros = not nodes or (len(nodes) == 1 and text(nodes[0]).strip("0.f") == "")
        if size is not None and zeros and inner.number:
            return repeated(place, to, size, None, key)
        if missing:
            raise Untranslated("an array with fewer initial values than elements")
        return items_of(place, replace(to, name=""), nodes, key)
    if node is not None:
        raise Untranslated(f"an array from {text(node)}")
    if inner.kind == "array" or not sizes or sizes[0] is None:
        raise Untranslated("an array of arrays without values")
    listed(place, key, to)
    return repeated(place, to, wrapped(place.expression(sizes[0])), None, key)


def items_of(place: Place, to: Type, nodes: list[Node], key: str) -> Value:
    """`{a, b}` as a list or an array."""
    inner = to.inner.plain()
    if not nodes:
        return place.constructed(to, [], key)
    if to.kind == "array" and to.name.startswith("std") and int(to.name.split()[-1]) != len(nodes):
        raise Untranslated("a std::array with fewer initial values")
    as_list = listed(place, key, to)
    if any(each.type == "initializer_pair" for each in nodes):
        raise Untranslated("a designated initializer")
    items = _items(place, inner, nodes, key, listed=as_list)
    shown = f"[{items}]" if as_list else f"np.array([{items}], {dtype(inner)})"
    return Value(shown, to, key=key, fresh=True, memory="list" if as_list else "")


def zero(place: Place, of: Type, key: str) -> Value:
    """The value of an element that no initial value says."""
    of = of.plain()
    if of.kind == "bool":
        return Value("False", of, known=0)
    if of.kind == "enum":
        return number(0, of)
    if of.kind == "int":
        return number(0, of)
    if of.kind == "float":
        return Value("0.0" if of.bits == 64 else "np.float32(0)", of, numpy=of.bits == 32)
    if of.kind == "handle":
        return Value(f"{of.name}()", of, fresh=True)
    if of.kind == "string":
        return Value('""', of)
    if of.kind in ("pointer", "function"):
        return Value("None", of)
    return place.constructed(of, [], key)
