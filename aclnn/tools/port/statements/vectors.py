"""The initial values of vectors and arrays."""

from dataclasses import replace

from aclnn.tools.port.cpp.place import Position
from aclnn.tools.port.cpp.reading import Node, field, parts, text
from aclnn.tools.port.cpp.types import Type, Untranslated, dtype
from aclnn.tools.port.expressions.vectors import listed
from aclnn.tools.port.python.values import ATOM, PRODUCT, UNARY, Value, element, number, wrapped


def copied_vector(place: Position, value: Value, target: Type, key: str) -> Value:

    facts = place.program.facts
    facts.join(value.key, key)
    facts.join(value.key + ".of", key + ".of")
    if not target.inner.same(value.type.inner):
        raise Untranslated(f"a {target.spelled} from {value.type.spelled}")
    if value.fresh:
        return replace(value, type=target)
    if not listed(place, key or value.key, target):
        return Value(f"{value.at(ATOM)}.copy()", target, key=key, fresh=True)
    if target.inner.sequence:
        return Value(f"copy.deepcopy({value.text})", target, key=key, fresh=True)
    if target.inner.kind == "struct":
        facts.note("copied", target.inner.name)
        return Value(f"[each.copied() for each in {value.text}]", target, key=key, fresh=True)
    if target.inner.kind == "handle" and facts.among("addressed", (key or value.key) + ".of"):
        name = target.inner.name
        return Value(f"[{name}(each.value) for each in {value.text}]", target, key=key, fresh=True)
    return Value(f"list({value.text})", target, key=key, fresh=True)


def _items(place: Position, cpp_type: Type, nodes: list[Node], key: str, *, as_list: bool) -> str:
    """The text of the elements between brackets."""

    items: list[str] = []
    for node in nodes:
        if cpp_type.number and node.type != "initializer_list":
            value = place.expression(node)
            if not value.type.number:
                raise Untranslated(f"an element of type {value.type.spelled}")
            if cpp_type.kind == "float" and not as_list:
                items.append(wrapped(value).text)  # numpy converts
            else:
                items.append(element(value, cpp_type).text)
        else:
            items.append(place.initial(cpp_type, node, key + ".of").text)
    return ", ".join(items)


def vector_of(place: Position, target: Type, arguments: list[Node], key: str) -> Value:

    as_list = listed(place, key, target)
    if not arguments:
        return Value("[]" if as_list else f"np.zeros(0, {dtype(target.inner)})", target, key=key, fresh=True)
    if text(arguments[0]).endswith("begin()") and len(arguments) == 2:
        owner = place.expression(field(field(arguments[0], "function"), "argument"))
        if text(arguments[1]) != text(arguments[0]).removesuffix("begin()") + "end()":
            raise Untranslated("a vector from a part of another")
        return place.copied(replace(owner, fresh=False), target, key)
    first = place.expression(arguments[0])
    if len(arguments) == 1 and first.type.sequence:
        return place.copied(first, target, key)
    if not first.type.integral or len(arguments) > 2:
        raise Untranslated(f"a vector from {first.type.spelled}")
    return repeated(place, target, wrapped(first), arguments[1] if len(arguments) == 2 else None, key)


def repeated(place: Position, target: Type, size: Value, node: Node, key: str) -> Value:
    """A vector of `size` equal elements."""

    inner = target.inner.plain()
    as_list = listed(place, key, target)
    if not as_list:
        value = place.expression(node) if node is not None and node.type != "initializer_list" else None
        if value is None or value.text.rstrip("0") in ("", "0.", "0."):
            code = f"np.zeros({size.text}, {dtype(inner)})"
        else:
            code = f"np.full({size.text}, {element(value, inner).text}, {dtype(inner)})"
        return Value(code, target, key=key, fresh=True)
    result = zero(place, inner, key + ".of") if node is None else place.initial(inner, node, key + ".of")
    if inner.number or inner.kind in ("pointer", "string"):
        return Value(f"[{result.text}] * {size.at(UNARY)}", target, PRODUCT, key=key, fresh=True, memory="list")
    if inner.kind == "handle" and node is not None and result.text.isidentifier():
        result = Value(f"{inner.name}({result.text}.value)", inner)
    if inner.kind == "struct" and node is not None and not result.fresh:
        raise Untranslated("a vector of copies of a struct")
    return Value(f"[{result.text} for _ in range({size.text})]", target, key=key, fresh=True, memory="list")


def array(place: Position, target: Type, node: Node, key: str, sizes: list[Node]) -> Value:
    """The value of a C array with these sizes."""

    inner = target.inner.plain()
    if node is not None and node.type == "initializer_list":
        nodes = parts(node)
        if inner.kind == "array":
            if any(child.type != "initializer_list" or (sizes[-1] is not None and
                   len(parts(child)) != place.expression(sizes[-1]).known) for child in nodes):  # fmt: skip
                raise Untranslated("an array of arrays with missing values")
            items = ", ".join(array(place, inner, child, key + ".of", sizes[1:]).text for child in nodes)
            return Value(f"[{items}]", target, key=key, fresh=True)
        size = place.expression(sizes[0]) if sizes and sizes[0] is not None else None
        if size is not None and size.known is None:
            raise Untranslated("an array of a size that is not known")
        missing = 0 if size is None else int(size.known or 0) - len(nodes)
        zeros = not nodes or (len(nodes) == 1 and text(nodes[0]).strip("0.f") == "")
        if size is not None and zeros and inner.number:
            return repeated(place, target, size, None, key)
        if missing:
            raise Untranslated("an array with fewer initial values than elements")
        return items_of(place, replace(target, name=""), nodes, key)
    if node is not None:
        raise Untranslated(f"an array from {text(node)}")
    if inner.kind == "array" or not sizes or sizes[0] is None:
        raise Untranslated("an array of arrays without values")
    listed(place, key, target)
    return repeated(place, target, wrapped(place.expression(sizes[0])), None, key)


def items_of(place: Position, target: Type, nodes: list[Node], key: str) -> Value:
    """The value of `{a, b}` as a list or an array."""
    inner = target.inner.plain()
    if not nodes:
        return place.constructed(target, [], key)
    if target.kind == "array" and target.name.startswith("std") and int(target.name.split()[-1]) != len(nodes):
        raise Untranslated("a std::array with fewer initial values")
    as_list = listed(place, key, target)
    if any(node.type == "initializer_pair" for node in nodes):
        raise Untranslated("a designated initializer")
    items = _items(place, inner, nodes, key, as_list=as_list)
    code = f"[{items}]" if as_list else f"np.array([{items}], {dtype(inner)})"
    return Value(code, target, key=key, fresh=True, memory="list" if as_list else "")


def zero(place: Position, cpp_type: Type, key: str) -> Value:
    """The value of a variable or an element without an initial value."""
    cpp_type = cpp_type.plain()
    if cpp_type.kind == "bool":
        return Value("False", cpp_type, known=0)
    if cpp_type.kind == "enum":
        return number(0, cpp_type)
    if cpp_type.kind == "int":
        return number(0, cpp_type)
    if cpp_type.kind == "float":
        return Value("0.0" if cpp_type.bits == 64 else "np.float32(0)", cpp_type, numpy=cpp_type.bits == 32)
    if cpp_type.kind == "handle":
        return Value(f"{cpp_type.name}()", cpp_type, fresh=True)
    if cpp_type.kind == "string":
        return Value('""', cpp_type)
    if cpp_type.kind in ("pointer", "function"):
        return Value("None", cpp_type)
    return place.constructed(cpp_type, [], key)
