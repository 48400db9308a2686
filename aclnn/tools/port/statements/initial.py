"""Initial values of variables, elements and members: copies, as in C++."""

import re
from dataclasses import replace

from aclnn.tools.port.cpp.place import Position
from aclnn.tools.port.cpp.reading import Node, arguments, parts, text
from aclnn.tools.port.cpp.types import ADDRESS, STRING, TEXT, Type, Untranslated, ctype
from aclnn.tools.port.python.values import ATOM, Value, converted, stored
from aclnn.tools.port.statements.vectors import copied_vector, items_of, repeated, vector_of, zero


def ctypes_object(target: Type, value: Value | None) -> str:
    """A ctypes object with the value, which wraps the number to its type."""
    name = ctype(target)
    if value is None:
        return f"{name}()"
    return f"{name}({value.text.removeprefix('np.float32(')[:-1] if _redundant(value.text) else value.text})"


def _redundant(text: str) -> bool:
    """True for np.float32(x), because c_float rounds in the same way."""
    return text.startswith("np.float32(") and text.endswith(")") and text.count("(") == 1


def initial(place: Position, target: Type, node: Node, key: str) -> Value:
    """The value of an expression as the initial value of a variable, an element or a member."""

    target = target.plain()
    if node.type == "initializer_list":
        return _braces(place, target, parts(node), key)
    if target.kind == "function" and target.name == "std::function":
        raise Untranslated("std::function")
    value = place.expression(node)
    return copied(place, value, target, key)


def copied(place: Position, value: Value, target: Type, key: str) -> Value:
    """The value for another variable: a copy, as in C++."""
    kind = value.type.kind
    if target.kind == "auto":
        target = value.type.plain()
        if target.kind == "array":
            raise Untranslated("a pointer to the first element of an array")
    if target.number:
        return _number(value, target)
    if target.sequence and value.type.sequence:
        return copied_vector(place, value, target, key)
    if target.kind == "handle":
        return handle(place, value, target)
    if target.kind in ("pointer", "function", "file", "null") and kind in (
        "null",
        "pointer",
        "array",
        "function",
        "file",
    ):
        place.program.facts.join(value.key, key)
        return Value("None", target) if kind == "null" else value
    if target.kind == "struct" and value.type.same(target):
        if value.fresh:
            return value
        place.program.facts.note("copied", target.name)
        return Value(f"{value.at(ATOM)}.copied()", target, fresh=True)
    if target.kind == "string" and (kind == "string" or value.type.same(TEXT)):
        return replace(value, type=STRING, key="", memory="")
    raise Untranslated(f"a {target.spelled} from {value.type.spelled}")


def _number(value: Value, target: Type) -> Value:
    """A number as an initial value. An unsigned number of 64 bits is not wrapped here, but where it is used."""
    if not value.type.number:
        raise Untranslated(f"{value.type.spelled} as {target.spelled}")
    number = (
        converted(value, target)
        if target.kind == "int" and target.bits == 64 and not target.signed
        else stored(value, target)
    )
    return stored(value, target) if number.type.kind == "int" and number.numpy else number


def handle(place: Position, value: Value, target: Type) -> Value:
    """A handle or an address for another variable: a copy, as Python would share the ctypes object."""
    kind = value.type.kind
    if kind == "null" or value.known == 0:
        return Value(f"{target.name}()", target, fresh=True)
    if value.memory == "address":
        return Value(f"{target.name}({value.text})", target, fresh=True)
    if kind == "handle":
        if value.text.endswith("[0]") and value.type.same(ADDRESS) and not value.key:
            return Value(f"{target.name}({value.text})", target, fresh=True)
        if value.fresh:
            return value
        facts = place.program.facts
        if (
            value.text.isidentifier()
            and not facts.has("addressed", value.key)
            and not facts.has("parameter", value.key)
        ):
            return value
        return Value(f"{target.name}({value.at(ATOM)}.value)", target, fresh=True)
    if kind == "pointer" and target.same(ADDRESS) and value.key:
        place.program.facts.note("array", value.key)
        return replace(value, type=target)
    raise Untranslated(f"a {target.spelled} from {value.type.spelled}")


def _braces(place: Position, target: Type, nodes: list[Node], key: str) -> Value:
    """The value of `{a, b}`."""

    if target.sequence:
        return items_of(place, target, nodes, key)
    if target.kind == "struct":
        return _struct(place, target, nodes)
    if len(nodes) == 1:
        return initial(place, target, nodes[0], key)
    if not nodes:
        return zero(place, target, key)
    raise Untranslated(f"{target.spelled} from {len(nodes)} values")


def _struct(place: Position, target: Type, nodes: list[Node]) -> Value:
    struct = place.program.structs.get(target.name)
    if struct is None or struct.union:
        raise Untranslated(f"a {target.spelled} from a list")
    if len(nodes) > len(struct.fields) or any(child.type == "initializer_pair" for child in nodes):
        raise Untranslated(f"a {target.spelled} from this list")
    values: list[str] = []
    for (name, cpp_type), node in zip(struct.fields.items(), nodes, strict=False):
        values.append(
            field_value(place, struct.name, name, cpp_type, initial(place, cpp_type, node, f"{struct.name}.{name}"))
        )
    return Value(f"{target.name}({', '.join(values)})", target, fresh=True)


def field_value(place: Position, struct: str, name: str, cpp_type: Type, value: Value) -> str:
    """The text of the value of a member: a ctypes object if the program takes the address of the member."""
    if cpp_type.number and place.program.facts.has("boxed", f"{struct}.{name}"):
        return ctypes_object(cpp_type, value)
    return value.text


def constructed(place: Position, target: Type, arguments: list[Node], key: str) -> Value:
    """The value of `T x(a, b)`, and of `T x` for a type with a constructor."""

    target = target.plain()
    if target.kind == "vector":
        return vector_of(place, target, arguments, key)
    if target.kind == "array" and target.name.startswith("std") and not arguments:
        return repeated(place, target, Value(target.name.split()[-1], ADDRESS), None, key)
    if target.kind == "struct" and target.name not in place.program.structs:
        raise Untranslated(f"the struct {target.name} of ACL")
    if target.kind in ("struct", "union") and not arguments:
        return Value(f"{target.name}()", target, fresh=True)
    if target.kind == "string":
        return initial(place, target, arguments[0], key) if len(arguments) == 1 else _empty(arguments)
    if target.kind == "file" and target.name in ("ifstream", "ofstream") and arguments:
        return _file(place, target, arguments)
    if len(arguments) == 1:
        return initial(place, target, arguments[0], key)
    if target.kind == "handle" and not arguments:
        return zero(place, target, key)
    raise Untranslated(f"the construction of {target.spelled}")


def _file(place: Position, target: Type, arguments: list[Node]) -> Value:
    """A file as a stream."""
    path = place.expression(arguments[0])
    modes = {word for argument in arguments[1:] for word in re.findall(r"\w+", text(argument))} - {
        "std",
        "ios",
        "ios_base",
    }
    if modes - {"binary", "in" if target.name == "ifstream" else "out", "trunc"}:
        raise Untranslated(f"a file opened with {text(arguments[1])}")
    if path.type.kind != "string" and not path.type.same(TEXT):
        raise Untranslated(f"a file named by {path.type.spelled}")
    place.program.helpers.add(target.name)
    return Value(f"{target.name}({path.text})", target, fresh=True)


def _empty(arguments: list[Node]) -> Value:
    if arguments:
        raise Untranslated("a string from several values")
    return Value('""', STRING, fresh=True)


def unique(place: Position, target: Type, argument_nodes: list[Node]) -> Value:
    """A unique_ptr: its deleter runs at the end of the block. See `statements.owning`."""

    if not argument_nodes:
        raise Untranslated("a unique_ptr without a deleter")
    node = argument_nodes[0]
    nodes = arguments(text(node)) if node.type == "parameter_list" else parts(node)
    if len(nodes) != 2:
        raise Untranslated("a unique_ptr without a deleter")
    if any(re.search(r"\bexit\s*\(", line) for line in place.program.lines):
        raise Untranslated("a unique_ptr in a program that calls exit, which runs no deleter")
    inner = target.inner
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
    return Value(f"{place.stack}.enter_context(unique_ptr({owned.text}, {deleter.text}))", target, fresh=True)
