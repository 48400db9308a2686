"""Functions of C for memory, strings and files."""

from aclnn.tools.port.cpp.place import Position, Standard
from aclnn.tools.port.cpp.reading import Node
from aclnn.tools.port.cpp.types import INT, SIZE, TEXT, VOID, Type, Untranslated
from aclnn.tools.port.expressions.algorithms import values_of
from aclnn.tools.port.python.values import ATOM, SIZES, Value, wrapped


def buffer(place: Position, memory: Value) -> str:
    """The text of host memory that is read from or written to a file: an array of numpy, or a variable."""
    code = memory.text.removesuffix(".view(np.int8)").removesuffix(".view(np.uint8)")
    if memory.memory == "box" and memory.target is not None:
        return memory.text[len("byref(") : -1]
    if memory.key and memory.type.kind == "pointer":
        place.program.facts.note("array", memory.key)
        return code
    if code.startswith("cast(byref("):
        return code[len("cast(byref(") :].split(")")[0]
    raise Untranslated(f"a file and memory of type {memory.type.spelled}")


def _memory(place: Position, value: Value) -> str:
    """The text of memory for memmove and memset."""
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


def memcpy(place: Position, arguments: list[Node], explicit: list[Node]) -> Value:
    destination, source, size = values_of(place, arguments, 3)
    return Value(f"memmove({_memory(place, destination)}, {_memory(place, source)}, {wrapped(size).text})", VOID)


def memset(place: Position, arguments: list[Node], explicit: list[Node]) -> Value:
    destination, value, size = values_of(place, arguments, 3)
    return Value(f"memset({_memory(place, destination)}, {wrapped(value).text}, {wrapped(size).text})", VOID)


def free(place: Position, arguments: list[Node], explicit: list[Node]) -> Value:
    (value,) = values_of(place, arguments, 1)
    if value.type.kind != "pointer":
        raise Untranslated("free of this memory")
    return Value(f"{value.text} = None", VOID)


def strcmp(place: Position, arguments: list[Node], explicit: list[Node]) -> Value:
    left, right = values_of(place, arguments, 2)
    if not (left.type.same(TEXT) and right.type.same(TEXT)):
        raise Untranslated("strcmp of these")
    first, second = left.at(6), right.at(6)
    return Value(f"({first} > {second}) - ({first} < {second})", INT, 10, -1, 1)


def strlen(place: Position, arguments: list[Node], explicit: list[Node]) -> Value:
    (string,) = values_of(place, arguments, 1)
    if not string.type.same(TEXT):
        raise Untranslated("strlen of this")
    return Value(f"len({string.at(ATOM)}.encode())", SIZE, low=0, high=SIZES)


def fopen(place: Position, arguments: list[Node], explicit: list[Node]) -> Value:
    path, mode = values_of(place, arguments, 2)
    place.program.helpers.add("fopen")
    return Value(f"fopen({path.text}, {mode.text})", Type("pointer", "FILE *", of=Type("file", "FILE")), memory="file")


def transfer(name: str) -> Standard:
    def translate(place: Position, arguments: list[Node], explicit: list[Node]) -> Value:
        memory, size, count, file = values_of(place, arguments, 4)
        place.program.helpers.add(name)
        sizes = f"{wrapped(size).text}, {wrapped(count).text}"
        return Value(f"{name}({buffer(place, memory)}, {sizes}, {file.text})", SIZE, low=0, high=SIZES)

    return translate


def file(name: str, result: Type) -> Standard:
    def translate(place: Position, arguments: list[Node], explicit: list[Node]) -> Value:

        values = [wrapped(place.expression(argument)).text for argument in arguments]
        place.program.helpers.add(name)
        return Value(f"{name}({', '.join(values)})", result)

    return translate


def calloc(place: Position, arguments: list[Node], explicit: list[Node]) -> Value:
    raise Untranslated("memory from malloc")
