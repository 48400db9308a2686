"""Initial values: what a variable, an element or a member gets. C++ copies."""

import re
from dataclasses import replace

from aclnn.tools.port.cpp.place import Place
from aclnn.tools.port.cpp.reading import Node, arguments, parts, text
from aclnn.tools.port.cpp.types import ADDRESS, STRING, TEXT, Type, Untranslated, ctype
from aclnn.tools.port.python.values import ATOM, Value, converted, stored
from aclnn.tools.port.statements.vectors import copied_vector, items_of, repeated, vector_of, zero


def ctypes_object(to: Type, made: Value | None) -> str:
    """A ctypes object with the value. It wraps the number itself."""
    name = ctype(to)
    if made is None:
        return f"{name}()"
    return f"{name}({made.text.removeprefix('np.float32(')[:-1] if _redundant(made.text) else made.text})"


def _redundant(text: str) -> bool:
    """Is it np.float32(x), which c_float does too?"""
    return text.startswith("np.float32(") and text.endswith(")") and text.count("(") == 1


def initial(place: Place, to: Type, node: Node, key: str) -> Value:
    """The value of an expression as the initial value of a variable, an element or a member."""

    to = to.plain()
    if node.type == "initializer_list":
        return _braces(place, to, parts(node), key)
    if to.kind == "function" and to.name == "std::function":
        raise Untranslated("std::function")
    value = place.expression(node)
    return copied(place, value, to, key)


def copied(place: Place, value: Value, to: Type, key: str) -> Value:
    """The value as another variable keeps it: C++ copies."""
    kind = value.type.kind
    if to.kind == "auto":
        to = value.type.plain()
        if to.kind == "array":
            raise Untranslated("a pointer to the first element of an array")
    if to.number:
        return _number(value, to)
    if to.sequence and value.type.sequence:
        return copied_vector(place, value, to, key)
    if to.kind == "handle":
        return handle(place, value, to)
    if to.kind in ("pointer", "function", "file", "null") and kind in ("null", "pointer", "array", "function", "file"):
        place.program.facts.join(value.key, key)
        return Value("None", to) if kind == "null" else value
    if to.kind == "struct" and value.type.same(to):
        if value.fresh:
            return value
        place.program.facts.note("copied", to.name)
        return Value(f"{value.at(ATOM)}.copied()", to, fresh=True)
    if to.kind == "string" and (kind == "string" or value.type.same(TEXT)):
        return replace(value, type=STRING, key="", memory="")
    raise Untranslated(f"a {to.spelled} from {value.type.spelled}")


def _number(value: Value, to: Type) -> Value:
    """A number. One of an unsigned type of 64 bits keeps its excess: its uses wrap it where it matters."""
    if not value.type.number:
        raise Untranslated(f"{value.type.spelled} as {to.spelled}")
    made = converted(value, to) if to.kind == "int" and to.bits == 64 and not to.signed else stored(value, to)
    return stored(value, to) if made.type.kind == "int" and made.numpy else made


def handle(place: Place, value: Value, to: Type) -> Value:
    """A handle or an address as another variable keeps it: Python would share the ctypes object."""
    kind = value.type.kind
    if kind == "null" or value.known == 0:
        return Value(f"{to.name}()", to, fresh=True)
    if value.memory == "address":
        return Value(f"{to.name}({value.text})", to, fresh=True)
    if kind == "handle":
        if value.text.endswith("[0]") and value.type.same(ADDRESS) and not value.key:
            return Value(f"{to.name}({value.text})", to, fresh=True)
        if value.fresh:
            return value
        facts = place.program.facts
        if (
            value.text.isidentifier()
            and not facts.has("addressed", value.key)
            and not facts.has("parameter", value.key)
        ):
            return value
        return Value(f"{to.name}({value.at(ATOM)}.value)", to, fresh=True)
    if kind == "pointer" and to.same(ADDRESS) and value.key:
        place.program.facts.note("array", value.key)
        return replace(value, type=to)
    raise Untranslated(f"a {to.spelled} from {value.type.spelled}")


def _braces(place: Place, to: Type, nodes: list[Node], key: str) -> Value:
    """`{a, b}`."""

    if to.sequence:
        return items_of(place, to, nodes, key)
    if to.kind == "struct":
        return _struct(place, to, nodes)
    if len(nodes) == 1:
        return initial(place, to, nodes[0], key)
    if not nodes:
        return zero(place, to, key)
    raise Untranslated(f"{to.spelled} from {len(nodes)} values")


def _struct(place: Place, to: Type, nodes: list[Node]) -> Value:
    struct = place.program.structs.get(to.name)
    if struct is None or struct.union:
        raise Untranslated(f"a {to.spelled} from a list")
    if len(nodes) > len(struct.fields) or any(each.type == "initializer_pair" for each in nodes):
        raise Untranslated(f"a {to.spelled} from this list")
    made: list[str] = []
    for (name, of), node in zip(struct.fields.items(), nodes, strict=False):
        made.append(field_value(place, struct.name, name, of, initial(place, of, node, f"{struct.name}.{name}")))
    return Value(f"{to.name}({', '.join(made)})", to, fresh=True)


def field_value(place: Place, struct: str, name: str, of: Type, made: Value) -> str:
    """The value as a member keeps it: a ctypes object if its address is taken."""
    if of.number and place.program.facts.has("boxed", f"{struct}.{name}"):
        return ctypes_object(of, made)
    return made.text


def constructed(place: Place, to: Type, given: list[Node], key: str) -> Value:
    """`T x(a, b)`, and `T x` for a type with a constructor."""

    to = to.plain()
    if to.kind == "vector":
        return vector_of(place, to, given, key)
    if to.kind == "array" and to.name.startswith("std") and not given:
        return repeated(place, to, Value(to.name.split()[-1], ADDRESS), None, key)
    if to.kind == "struct" and to.name not in place.program.structs:
        raise Untranslated(f"the struct {to.name} of ACL")
    if to.kind in ("struct", "union") and not given:
        return Value(f"{to.name}()", to, fresh=True)
    if to.kind == "string":
        return initial(place, to, given[0], key) if len(given) == 1 else _empty(given)
    if to.kind == "file" and to.name in ("ifstream", "ofstream") and given:
        return _file(place, to, given)
    if len(given) == 1:
        return initial(place, to, given[0], key)
    if to.kind == "handle" and not given:
        return zero(place, to, key)
    raise Untranslated(f"the construction of {to.spelled}")


def _file(place: Place, to: Type, given: list[Node]) -> Value:
    """A file as a stream."""
    path = place.expression(given[0])
    modes = {word for each in given[1:] for word in re.findall(r"\w+", text(each))} - {"std", "ios", "ios_base"}
    if modes - {"binary", "in" if to.name == "ifstream" else "out", "trunc"}:
        raise Untranslated(f"a file opened with {text(given[1])}")
    if path.type.kind != "string" and not path.type.same(TEXT):
        raise Untranslated(f"a file named by {path.type.spelled}")
    place.program.helpers.add(to.name)
    return Value(f"{to.name}({path.text})", to, fresh=True)


def _empty(given: list[Node]) -> Value:
    if given:
        raise Untranslated("a string from several values")
    return Value('""', STRING, fresh=True)


def unique(place: Place, to: Type, given: list[Node]) -> Value:
    """A unique_ptr: its deleter runs at the end of the block. See `statements.owning`."""

    if not given:
        raise Untranslated("a unique_ptr without a deleter")
    node = given[0]
    nodes = arguments(text(node)) if node.type == "parameter_list" else parts(node)
    if len(nodes) != 2:
        raise Untranslated("a unique_ptr without a deleter")
    if any(re.search(r"\bexit\s*\(", each) for each in place.program.lines):
        raise Untranslated("a unique_ptr in a program that calls exit, which runs no deleter")
    inner = to.inner
    owned = initial(place, inner, nodes[0], "")
    if inner.kind != "handle":
        raise Untranslated(f"a unique_ptr of {inner.spelled}")
    if owned.text.isidentifier():
        owned = owned if not place.program.facts.has("addressed", place.expression(nodes[0]).key) else (
            Value(f"{inner.name}({owned.text}.value)", inner))  # fmt: skip
    deleter = place.expression(nodes[1])
    if deleter.type.kind != "function":
        raise Untranslated(f"a deleter of type {deleter.type.spelled}")
    place.program.helpers.add("unique_ptr")
    return Value(f"{place.stack}.enter_context(unique_ptr({owned.text}, {deleter.text}))", to, fresh=True)
