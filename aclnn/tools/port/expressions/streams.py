"""Output: printf and macros that print, `std::cout <<`, files."""

from aclnn.tools.port.cpp.place import Position
from aclnn.tools.port.cpp.reading import Node, bare, field, parts, text
from aclnn.tools.port.cpp.types import TEXT, Untranslated
from aclnn.tools.port.expressions.order import check_order
from aclnn.tools.port.python.formats import formatted
from aclnn.tools.port.python.printing import quoted
from aclnn.tools.port.python.values import ATOM, Value, plain, wrapped

STREAMS = ("cout", "cerr", "clog")


def printed(place: Position, node: Node) -> str | None:
    """The statement for a call of printf, or of a macro that calls it; None for other calls."""

    name = text(field(node, "function")).removeprefix("std::")
    argument_nodes = parts(field(node, "arguments"))
    if name in ("puts", "putchar") and len(argument_nodes) == 1 and name not in place.program.functions:
        value = place.expression(argument_nodes[0])
        return f"print({value.text})" if name == "puts" else f'print("%c" % {wrapped(plain(value)).at(ATOM)}, end="")'
    if name not in place.program.printing and name not in ("printf", "fprintf"):
        return None
    check_order(place, argument_nodes)
    file = ""
    if name == "fprintf":
        target = argument_nodes.pop(0)
        if text(target) not in ("stdout", "stderr"):
            raise Untranslated("fprintf to a file")
        file = ", file=sys.stderr" if text(target) == "stderr" else ""
    first = place.expression(argument_nodes[0])
    if first.memory != "literal":
        raise Untranslated("printf with a format that is no literal")
    values = [place.expression(argument) for argument in argument_nodes[1:]]
    source = eval(first.text)
    format, arguments = formatted(source, values, lambda value: printed_text(place, value))
    if name in place.program.printing:
        place.program.printed.add(name)
        if not arguments and "%%" not in format:
            return f"{name}({quoted(format)})"
        return f"{name}({', '.join([quoted(format), *arguments])})"
    line = format.endswith("\n")
    if line:
        format = format[:-1]
    end = "" if line else ', end=""'
    if not arguments:
        if not format and line:
            return f"print({file.lstrip(', ')})"
        literal = quoted(format.replace("%%", "%")) if format else ""
        return f"print({literal}{end if format else end.lstrip(', ')}{file})"
    return f"print({quoted(format)} % {_tuple(arguments)}{end}{file})"


def _tuple(arguments: list[str]) -> str:
    if len(arguments) == 1 and all(argument.isalnum() or argument in "_.[]" for argument in arguments[0]):
        return arguments[0]
    return f"({', '.join(arguments)}{',' if len(arguments) == 1 else ''})"


def printed_text(place: Position, value: Value) -> str:
    """The text of a string, or of a pointer for %p (marked as fresh)."""
    kind = value.type.kind
    if kind in ("handle", "pointer") and value.fresh and not value.type.same(TEXT):
        number = value.text if value.memory == "address" else f"{value.at(ATOM)}.value"
        if kind == "pointer" and value.memory != "address":
            raise Untranslated(f"printf of {value.type.spelled}")
        return f'hex({number}) if {number} else "(nil)"'
    if kind == "string" or value.memory == "literal":
        return value.text
    if value.type.same(TEXT):
        return value.text if value.level == ATOM and value.text.endswith(".c_str()") else _text(value)
    raise Untranslated(f"printf of {value.type.spelled} as a string")


def _text(value: Value) -> str:
    """A `const char *`. printf shows null as (null)."""
    return value.text if value.key or not value.fresh else f'{value.at(ATOM)} or "(null)"'


def chain(node: Node) -> list[Node]:
    """The operands of `a << b << c`, from the left."""
    operands: list[Node] = []
    while node.type == "binary_expression" and text(field(node, "operator")) == "<<":
        operands.append(field(node, "right"))
        node = bare(field(node, "left"))
    return [node, *operands[::-1]]


def reads_or_writes(place: Position, node: Node) -> bool:
    """True for `stream << ...` and `stream >> ...`."""
    first = node
    while first.type == "binary_expression" and text(field(first, "operator")) in ("<<", ">>"):
        first = bare(field(first, "left"))
    name = text(first).removeprefix("std::")
    variable = place.scope.find(name)
    return (name in (*STREAMS, "cin") and variable is None) or (variable is not None and variable.type.kind == "file")


def written(place: Position, node: Node) -> str | None:
    """The statement for `std::cout << ...`; None for other expressions."""

    if node.type != "binary_expression" or not reads_or_writes(place, node):
        return None
    first, *operands = chain(node)
    stream = text(first).removeprefix("std::")
    if stream not in STREAMS or text(field(node, "operator")) != "<<":
        raise Untranslated(f"the stream {stream}")
    format, arguments = "", list[str]()
    for operand in operands:
        name = text(operand).removeprefix("std::")
        if name in ("endl", "flush"):
            format += "\n" if name == "endl" else ""
            continue
        value = place.expression(operand)
        if value.memory == "literal":
            format += eval(value.text).replace("%", "%%")
            continue
        letter, argument = _operand(value)
        format += letter
        arguments.append(argument)
    line = format.endswith("\n")
    format = format[:-1] if line else format
    end = ("" if line else ', end=""') + (", file=sys.stderr" if stream != "cout" else "")
    if not format:
        return f"print({end.lstrip(', ')})"
    if not arguments:
        return f"print({quoted(format.replace('%%', '%'))}{end})"
    return f"print({quoted(format)} % {_tuple(arguments)}{end})"


def _operand(value: Value) -> tuple[str, str]:
    """The format and the argument of an operand of `<<`."""
    kind = value.type.kind
    if kind == "float":
        return "%g", value.text
    if kind == "int" and value.type.bits == 8:
        if not value.type.signed and value.range[1] > 127:
            raise Untranslated("<< of a uint8_t, which is written as a byte")
        return "%c", wrapped(plain(value)).text
    if value.type.integral:
        return "%d", wrapped(value).text
    if kind == "string" or value.type.same(TEXT):
        return "%s", value.text
    raise Untranslated(f"<< of {value.type.spelled}")
