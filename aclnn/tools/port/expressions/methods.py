"""Methods of vectors, strings, unique_ptr and files."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from aclnn.tools.port.cpp.place import Position
from aclnn.tools.port.cpp.reading import Node, field, text
from aclnn.tools.port.cpp.types import BOOL, SIZE, TEXT, VOID, Type, Untranslated, pointer
from aclnn.tools.port.expressions import own_calls
from aclnn.tools.port.expressions.memory import buffer
from aclnn.tools.port.expressions.vectors import is_list, listed, subscript
from aclnn.tools.port.python.values import ATOM, COMPARED, SIZES, Value, element, wrapped
from aclnn.tools.port.statements.vectors import zero

Method = Callable[[Position, Value, list[Node]], Value]


def method(place: Position, called: Node, argument_nodes: list[Node]) -> Value:
    """A call of a method."""

    owner, name = place.expression(field(called, "argument")), text(field(called, "field")).split("<")[0]
    kind = owner.type.kind
    if kind == "pointer" and owner.type.inner.kind in ("vector", "struct"):
        inner = owner.type.inner
        owner = replace(owner, type=inner, memory="list" if inner.sequence and listed(place, owner.key, inner) else "")
        kind = inner.kind
    if kind == "struct" and owner.type.name in place.program.structs:
        function = place.program.structs[owner.type.name].methods.get(name)
        if function is not None:
            arguments = own_calls.passed(place, name, function.parameters, argument_nodes)
            return Value(f"{owner.at(ATOM)}.{name}({', '.join(arguments)})", function.result.plain(), fresh=True)
    translate = METHODS.get((("sequence" if owner.type.sequence else kind), name))
    if translate is None:
        raise Untranslated(f"the method {name} of {owner.type.spelled}")
    return translate(place, owner, argument_nodes)


def _size(place: Position, owner: Value, arguments: list[Node]) -> Value:
    if owner.type.kind == "string":
        return Value(f"len({owner.text}.encode())" if owner.level == ATOM else f"len(({owner.text}).encode())", SIZE,
                     low=0, high=SIZES)  # fmt: skip
    code = f"len({owner.text})" if is_list(place, owner) else f"{owner.at(ATOM)}.size"
    return Value(code, SIZE, low=0, high=SIZES)


def _empty(place: Position, owner: Value, arguments: list[Node]) -> Value:
    return Value(f"{_size(place, owner, arguments).text} == 0", BOOL, COMPARED, memory="integers")


def _data(place: Position, owner: Value, arguments: list[Node]) -> Value:
    return Value(owner.text, pointer(owner.type.inner), owner.level, key=owner.key)


def _at(place: Position, owner: Value, arguments: list[Node]) -> Value:

    index = wrapped(place.expression(arguments[0]))
    if index.range[0] < 0:
        raise Untranslated("at() of an index that may be negative")
    return subscript(place, owner, index)


def _end(index: int) -> Method:
    def translate(place: Position, owner: Value, arguments: list[Node]) -> Value:

        item = subscript(place, owner, Value("0", SIZE, low=0, high=0))
        return item if index == 0 else replace(item, text=f"{owner.at(ATOM)}[-1]")

    return translate


def _push_back(place: Position, owner: Value, arguments: list[Node]) -> Value:

    if len(arguments) != 1:
        raise Untranslated("emplace_back of a constructor's arguments")
    inner = owner.type.inner.plain()
    if is_list(place, owner):
        value = place.initial(inner, arguments[0], owner.key + ".of")
        return Value(f"{owner.at(ATOM)}.append({value.text})", VOID)

    place.program.helpers.add("push_back")
    return Value(f"push_back({owner.text}, {element(place.expression(arguments[0]), inner).text})", VOID)


def _pop_back(place: Position, owner: Value, arguments: list[Node]) -> Value:
    if is_list(place, owner):
        return Value(f"{owner.at(ATOM)}.pop()", VOID)
    return Value(f"{owner.at(ATOM)}.resize({owner.at(ATOM)}.size - 1, refcheck=False)", VOID)


def _clear(place: Position, owner: Value, arguments: list[Node]) -> Value:
    if is_list(place, owner):
        return Value(f"{owner.at(ATOM)}.clear()", VOID)
    return Value(f"{owner.at(ATOM)}.resize(0, refcheck=False)", VOID)


def _resize(place: Position, owner: Value, arguments: list[Node]) -> Value:

    size = wrapped(place.expression(arguments[0]))
    inner = owner.type.inner.plain()
    name = owner.at(ATOM)
    if is_list(place, owner):
        if not inner.number and inner.kind not in ("handle", "struct"):
            raise Untranslated(f"resize of {owner.type.spelled}")
        key = owner.key + ".of"
        value = zero(place, inner, key).text if len(arguments) == 1 else place.initial(inner, arguments[1], key).text
        more = f"[{value}] * ({size.text} - len({name}))"
        if not inner.number:
            more = f"[{value} for _ in range({size.text} - len({name}))]"
        until = size.text if size.text.isalnum() else f" {size.text}"
        return Value(f"{name}[:] = {name}[:{until}] + {more}", VOID)
    if len(arguments) == 2 and place.expression(arguments[1]).text.strip("0.") != "":
        raise Untranslated("resize with a value that is not 0")
    return Value(f"{name}.resize({size.text}, refcheck=False)", VOID)


def _fill(place: Position, owner: Value, arguments: list[Node]) -> Value:

    value = element(place.expression(arguments[0]), owner.type.inner.plain()).text
    name = owner.at(ATOM)
    return Value(f"{name}[:] = [{value}] * len({name})" if is_list(place, owner) else f"{name}[:] = {value}", VOID)


def _insert(place: Position, owner: Value, arguments: list[Node]) -> Value:
    """The value of `a.insert(a.end(), b.begin(), b.end())` or `a.insert(a.begin(), value)`."""

    function = text(field(arguments[0], "function")) if arguments[0].type == "call_expression" else ""
    if not is_list(place, owner):
        raise Untranslated(f"insert into {owner.type.spelled} whose memory is read")
    if function == f"{owner.text}.end" and len(arguments) == 3:
        start, end = (text(argument) for argument in arguments[1:])
        if start.endswith(".begin()") and end == start.removesuffix("begin()") + "end()":
            source = place.expression(field(field(arguments[1], "function"), "argument"))
            if not source.type.inner.number and source.type.inner.kind != "string":
                raise Untranslated(f"an insert of elements of type {source.type.inner.spelled}")
            place.program.facts.join(owner.key, source.key)
            return Value(f"{owner.at(ATOM)}.extend({source.text})", VOID)
    if function == f"{owner.text}.begin" and len(arguments) == 2:
        value = place.initial(owner.type.inner.plain(), arguments[1], owner.key + ".of").text
        return Value(f"{owner.at(ATOM)}.insert(0, {value})", VOID)
    raise Untranslated("this insert")


def _nothing(place: Position, owner: Value, arguments: list[Node]) -> Value:
    return Value("", VOID)


def _c_str(place: Position, owner: Value, arguments: list[Node]) -> Value:
    return replace(owner, type=TEXT)


def _get(place: Position, owner: Value, arguments: list[Node]) -> Value:
    return Value(f"{owner.at(ATOM)}.get()", owner.type.inner)


def _release(place: Position, owner: Value, arguments: list[Node]) -> Value:
    return Value(f"{owner.at(ATOM)}.release()", owner.type.inner, fresh=True)


def _reset(place: Position, owner: Value, arguments: list[Node]) -> Value:

    value = place.initial(owner.type.inner, arguments[0], "").text if arguments else "None"
    return Value(f"{owner.at(ATOM)}.reset({value})", VOID)


def _of_numbers(name: str, result: Type) -> Method:
    """A method of a file whose arguments are numbers."""

    def translate(place: Position, owner: Value, arguments: list[Node]) -> Value:

        values: list[str] = []
        for node in arguments:
            constant = text(node).split("::")[-1]
            if constant in ("beg", "cur", "end"):
                values.append({"beg": "0", "cur": "1", "end": "2"}[constant])
            else:
                values.append(wrapped(place.expression(node)).text)
        return Value(f"{owner.at(ATOM)}.{name}({', '.join(values)})", result)

    return translate


def _transfer(name: str) -> Method:
    """The method `read` or `write` of a file."""

    def translate(place: Position, owner: Value, arguments: list[Node]) -> Value:

        memory, size = place.expression(arguments[0]), wrapped(place.expression(arguments[1]))
        return Value(f"{owner.at(ATOM)}.{name}({buffer(place, memory)}, {size.text})", VOID)

    return translate


FILES: Final = SIZE
METHODS: Final[dict[tuple[str, str], Method]] = {
    ("sequence", "size"): _size,
    ("sequence", "empty"): _empty,
    ("sequence", "data"): _data,
    ("sequence", "at"): _at,
    ("sequence", "front"): _end(0),
    ("sequence", "back"): _end(-1),
    ("sequence", "push_back"): _push_back,
    ("sequence", "emplace_back"): _push_back,
    ("sequence", "pop_back"): _pop_back,
    ("sequence", "clear"): _clear,
    ("sequence", "resize"): _resize,
    ("sequence", "reserve"): _nothing,
    ("sequence", "shrink_to_fit"): _nothing,
    ("sequence", "fill"): _fill,
    ("sequence", "insert"): _insert,
    ("string", "size"): _size,
    ("string", "length"): _size,
    ("string", "empty"): lambda place, owner, arguments: Value(f'{owner.text} == ""', BOOL, COMPARED),
    ("string", "c_str"): _c_str,
    ("string", "data"): _c_str,
    ("unique", "get"): _get,
    ("unique", "release"): _release,
    ("unique", "reset"): _reset,
    ("file", "is_open"): _of_numbers("is_open", BOOL),
    ("file", "good"): _of_numbers("good", BOOL),
    ("file", "fail"): _of_numbers("fail", BOOL),
    ("file", "close"): _of_numbers("close", VOID),
    ("file", "gcount"): _of_numbers("gcount", Type("int", "int64_t", 64)),
    ("file", "tellg"): _of_numbers("tell", Type("int", "int64_t", 64)),
    ("file", "tellp"): _of_numbers("tell", Type("int", "int64_t", 64)),
    ("file", "seekg"): _of_numbers("seek", VOID),
    ("file", "seekp"): _of_numbers("seek", VOID),
    ("file", "read"): _transfer("read"),
    ("file", "write"): _transfer("write"),
}
"""(kind of the object, name): the methods that have a translation"""
