"""Expressions of C++ in Python. `CONSTRUCTS` is the table of those that have a translation."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from aclnn.tools.port import arithmetic, names
from aclnn.tools.port.casts import cast, cast_node, sized
from aclnn.tools.port.formats import MACROS, unescaped
from aclnn.tools.port.place import Place
from aclnn.tools.port.printing import quoted
from aclnn.tools.port.reading import Node, bare, field, line, parts, text
from aclnn.tools.port.scopes import Variable
from aclnn.tools.port.types import (
    BOOL,
    CHAR,
    DOUBLE,
    FLOAT,
    INT,
    INTEGERS,
    LONG,
    NULL,
    SIZE,
    TEXT,
    UINT,
    Type,
    Untranslated,
    dtype,
    pointer,
)
from aclnn.tools.port.values import (
    ATOM,
    CONDITIONAL,
    LAMBDA,
    SIZES,
    SUM,
    Value,
    condition,
    converted,
    negated,
    number,
    stored,
    truth,
    wrapped,
)


def expression(place: Place, node: Node) -> Value:
    """An expression."""
    construct = CONSTRUCTS.get(node.type)
    if construct is None:
        raise Untranslated(f"{node.type.replace('_', ' ')}: {' '.join(text(node).split())[:60]}")
    return construct(place, node)


def conditional(place: Place, node: Node) -> Value:
    """An expression as a condition: Python tests any object."""
    node = bare(node)
    operator = node.child_by_field_name("operator")
    word = text(operator) if operator is not None else ""
    if node.type == "binary_expression" and word in ("&&", "||"):
        sides = [conditional(place, field(node, side)) for side in ("left", "right")]
        return arithmetic.logical(word, *sides)
    if node.type == "unary_expression" and word in ("!", "not"):
        return negated(conditional(place, field(node, "argument")))
    return condition(expression(place, node))


def _identifier(place: Place, node: Node) -> Value:
    return named(place, text(node))


def named(place: Place, name: str) -> Value:
    """The value of a name."""
    variable = place.scope.find(name)
    if variable is not None:
        return of_variable(place, variable)
    if name in place.program.functions:
        return Value(place.program.functions[name].name, Type("function", name), known=None)
    if name == "NULL":
        return Value("None", NULL)
    if name in place.bindings:
        raise Untranslated(f"{name} as a value")
    if name in ("stdout", "stderr"):
        return Value(f"sys.{name}", Type("file", name))
    if name in ("INFINITY", "NAN"):
        return Value("np.inf" if name == "INFINITY" else "np.nan", FLOAT)
    if name in ("SEEK_SET", "SEEK_CUR", "SEEK_END", "EXIT_SUCCESS", "EXIT_FAILURE"):
        return number({"SEEK_CUR": 1, "SEEK_END": 2, "EXIT_FAILURE": 1}.get(name, 0), INT)
    if (limit := re.fullmatch(r"(U?)INT(8|16|32|64)_(MAX|MIN)", name)) is not None:
        of = INTEGERS[f"{limit[1].lower()}int{limit[2]}_t"]
        return number(of.high if limit[3] == "MAX" else of.low, of)
    if (found := names.constant(name)) is not None:
        return Value(name, found, low=names.value(name), high=names.value(name))
    if names.function(name) is not None:
        package = names.module(name)
        if package:
            place.program.operators.add(name)
        return Value(name, Type("function", name))
    raise Untranslated(f"{name} is not known here")


def of_variable(place: Place, variable: Variable) -> Value:
    """The value of a variable."""
    own = variable.type.plain()
    text = variable.name
    if variable.boxed and (own.number or own.kind == "pointer"):
        return Value(f"{text}.value", own, low=variable.low, high=variable.high)
    numpy = own.kind == "float" and own.bits == 32 and variable.constant is None and not variable.boxed
    if own.kind == "union":
        return Value(text, own)
    level = ATOM if re.fullmatch(r"[\w.\[\]]+", text) else SUM
    return Value(
        text, own, level, variable.low, variable.high, numpy=numpy and variable.parameter is not None,
        key=variable.key, known=variable.constant, memory="list" if own.sequence and listed(place, variable.key, own) else "",
    )  # fmt: skip


def listed(place: Place, key: str, of: Type) -> bool:
    """Is a vector a list in Python? Else it is an array of numpy. Facts decide, and the type where they say nothing."""
    inner = of.inner
    if inner.kind == "bool" and of.kind == "vector":
        return True
    if not inner.number:
        return True
    if place.program.facts.among("array", key):
        return False
    return inner.kind in ("int", "enum", "bool") and inner.bits in (32, 64, 8) and (inner.bits != 8 or inner.kind == "bool")


def _qualified(place: Place, node: Node) -> Value:
    scope = node.child_by_field_name("scope")
    inner = field(node, "name")
    outer = text(scope) if scope is not None else ""
    if inner.type == "qualified_identifier":
        return _qualified(place, inner)
    name = text(inner)
    if outer in ("", "std") or outer in place.program.namespaces:
        if outer == "std" and name in ("string",):
            raise Untranslated(text(node))
        return named(place, name)
    known = names.kind(outer)
    if known is not None and names.constant(name) is not None:
        return Value(f"{outer}.{name}", known, low=names.value(name), high=names.value(name))
    if outer in place.program.types and place.program.types[outer].kind == "enum":
        found = place.program.types[outer]
        return Value(f"{outer}.{name}", found)
    if scope is not None and scope.type == "template_type" and text(field(scope, "name")) == "numeric_limits":
        raise Untranslated(text(node))
    return named(place, name) if outer in place.program.structs else _unknown(node)


def _unknown(node: Node) -> Value:
    raise Untranslated(f"{text(node)} is not known here")


def _number(place: Place, node: Node) -> Value:
    source = text(node).replace("'", "")
    floating = re.fullmatch(r"(?!0[xX])(\d*\.?\d*(?:[eE][+-]?\d+)?)([fFlL]?)", source)
    if floating is not None and re.search(r"[.eE]|[fF]$", source):
        digits = re.sub(r"^\.", "0.", floating[1])
        digits = re.sub(r"\.(?=$|e|E)", ".0", digits)
        if "." not in digits and "e" not in digits.lower():
            digits += ".0"
        if floating[2] in ("l", "L"):
            raise Untranslated("long double")
        if floating[2]:
            import numpy as np

            exact = float(np.float32(float(digits))) == float(digits)
            return Value(digits, FLOAT, memory="" if exact else "inexact")
        return Value(digits, DOUBLE)
    found = re.fullmatch(r"(0[xX][0-9a-fA-F]+|0[bB][01]+|\d+)([uUlL]*)", source)
    if found is None:
        raise Untranslated(f"the number {source}")
    digits, suffix = found[1], found[2].lower()
    octal = re.fullmatch(r"0[0-7]+", digits)
    known = int(digits, 8) if octal else int(digits, 0)
    kinds = [INT, UINT, LONG, SIZE]
    if "u" in suffix:
        kinds = [UINT, SIZE]
    elif not octal and digits.isdecimal():
        kinds = [INT, LONG]
    if "l" in suffix:
        kinds = [each for each in kinds if each.bits == 64]
    of = next((each for each in kinds if known <= each.high), None)
    if of is None:
        raise Untranslated(f"the number {source}")
    return replace(number(known, of), text=oct(known) if octal else digits)


def _string(place: Place, node: Node) -> Value:
    pieces = parts(node) if node.type == "concatenated_string" else [node]
    found: list[str] = []
    for each in pieces:
        source = text(each)
        if each.type == "identifier" and source in MACROS:
            found.append(MACROS[source])
        elif each.type == "string_literal" and source.startswith('"'):
            found.append(unescaped(source[1:-1]))
        elif each.type == "raw_string_literal" and source.startswith('R"('):
            found.append(source[3:-2])
        else:
            raise Untranslated(f"the string {source}")
    return Value(quoted("".join(found)), TEXT, memory="literal")


def _char(place: Place, node: Node) -> Value:
    value = unescaped(text(node)[1:-1])
    if len(value) != 1 or ord(value) > 127:
        raise Untranslated(f"the character {text(node)}")
    known = ord(value)
    shown = f"ord({quoted(value)})" if value.isprintable() else str(known)
    return Value(shown, CHAR, ATOM, known, known)


def _binary(place: Place, node: Node) -> Value:
    operator = text(field(node, "operator"))
    left, right = field(node, "left"), field(node, "right")
    if operator in ("<<", ">>"):
        from aclnn.tools.port.streams import reads_or_writes

        if reads_or_writes(place, node):
            raise Untranslated("a stream inside of an expression")
    if operator in ("&&", "||"):
        return arithmetic.logical(operator, *(truth_operand(place, each) for each in (left, right)))
    one, other = expression(place, left), expression(place, right)
    for each in (one, other):
        if each.memory == "address" or (each.type.kind == "pointer" and operator in ("+", "-")):
            return _address(operator, one, other)
    return arithmetic.binary(operator, one, other)


def truth_operand(place: Place, node: Node) -> Value:
    """An operand of `&&`, `||` or `!`."""
    return truth(expression(place, bare(node)))


def _address(operator: str, one: Value, other: Value) -> Value:
    """Arithmetic of a `char *` that is an address of the device: such addresses are numbers."""
    if one.memory == "address" and other.type.integral and operator in ("+", "-"):
        return replace(one, text=f"{one.at(SUM)} {operator} {wrapped(other).at(SUM + 1)}", level=SUM)
    raise Untranslated("arithmetic of pointers to memory of the host")


def _unary(place: Place, node: Node) -> Value:
    operator = text(field(node, "operator"))
    argument = field(node, "argument")
    if operator in ("!", "not"):
        return negated(truth_operand(place, argument))
    value = expression(place, argument)
    if operator == "-":
        return arithmetic.negative(value)
    if operator == "~":
        return arithmetic.inverted(value)
    if operator == "+" and value.type.number:
        return converted(value, arithmetic.promoted(value.type)) if value.type.integral else value
    raise Untranslated(f"{operator} {value.type.spelled}")


def _conditional(place: Place, node: Node) -> Value:
    test = conditional(place, field(node, "condition"))
    one, other = expression(place, field(node, "consequence")), expression(place, field(node, "alternative"))
    if one.type.kind == "null":
        one = replace(one, type=other.type)
    if other.type.kind == "null":
        other = replace(other, type=one.type)
    if one.type.number and other.type.number:
        to = one.type if one.type.same(other.type) else arithmetic.common(one.type, other.type)
        one, other = stored(one, to), stored(other, to)
        low, high = min(one.range[0], other.range[0]) if to.integral else None, None
        if to.integral:
            high = max(one.range[1], other.range[1])
        made = Value("", to, CONDITIONAL, low, high, numpy=one.numpy and other.numpy)
    elif one.type.same(other.type) and not one.type.sequence:
        made = replace(one, level=CONDITIONAL, memory="", known=None)
    else:
        raise Untranslated(f"?: of {one.type.spelled} and {other.type.spelled}")
    shown = f"{one.at(CONDITIONAL + 1)} if {test.at(CONDITIONAL + 1)} else {other.at(CONDITIONAL)}"
    return replace(made, text=shown, known=None)


def _subscript(place: Place, node: Node) -> Value:
    value = expression(place, field(node, "argument"))
    indices = parts(field(node, "indices"))
    if len(indices) != 1:
        raise Untranslated(text(node))
    index = wrapped(expression(place, indices[0]))
    return subscript(place, value, index)


def subscript(place: Place, value: Value, index: Value) -> Value:
    """`value[index]`."""
    if value.type.kind == "string" or value.type.same(TEXT):
        return Value(f"ord({value.at(ATOM)}[{index.text}])", CHAR, ATOM, -128, 127, memory="character")
    if not (value.type.sequence or value.type.kind == "pointer") or value.memory == "address":
        raise Untranslated(f"[] of {value.type.spelled}")
    if not index.type.integral:
        raise Untranslated(f"an index of type {index.type.spelled}")
    if index.range[0] < 0 and index.known is not None:
        raise Untranslated("a negative index")
    inner = value.type.inner.plain()
    made = f"{value.at(ATOM)}[{index.text}]"
    numpy = inner.number and value.memory != "list" and value.type.kind != "pointer"
    if value.type.kind == "pointer" and inner.number:
        numpy = inner.kind == "int"  # perhaps an array of numpy
    nested = value.key + ".of" if value.key else ""
    memory = "list" if inner.sequence and listed(place, nested, inner) else ""
    return Value(made, inner, key=nested, numpy=numpy, memory=memory)


def _field(place: Place, node: Node) -> Value:
    owner = field(node, "argument")
    name = text(field(node, "field"))
    value = Value("self", Type("struct", place.owner.name)) if owner.type == "this" and place.owner else (
        expression(place, owner))  # fmt: skip
    if value.type.kind == "pointer" and value.type.inner.kind in ("struct", "union"):
        value = replace(value, type=value.type.inner)
        if value.memory == "box" and value.target is not None:
            value = value.target
    return member(place, value, name)


def member(place: Place, value: Value, name: str) -> Value:
    """`value.name`."""
    struct = place.program.structs.get(value.type.name) if value.type.kind in ("struct", "union") else None
    if struct is None:
        declared = names.struct(value.type.name) if value.type.kind == "struct" else None
        raise Untranslated(f"the member {name} of {value.type.spelled}" + (" of ACL" if declared else ""))
    if name not in struct.fields:
        raise Untranslated(f"the member {name} of {value.type.spelled}")
    own = struct.fields[name].plain()
    key = f"{struct.name}.{name}"
    boxed = place.program.facts.has("boxed", key) and own.number
    numpy = own.kind == "float" and own.bits == 32 and not boxed and not struct.union
    memory = "list" if own.sequence and listed(place, key, own) else ""
    shown = f"{value.at(ATOM)}.{attribute(name)}" + (".value" if boxed else "")
    return Value(shown, own, key=key, numpy=numpy, memory=memory)


def attribute(name: str) -> str:
    """The name of a member in Python."""
    import keyword

    return f"{name}_" if keyword.iskeyword(name) else name


def _pointer(place: Place, node: Node) -> Value:
    operator = text(field(node, "operator"))
    if operator == "&":
        from aclnn.tools.port.addresses import address_of

        return address_of(place, field(node, "argument"))
    value = expression(place, field(node, "argument"))
    if value.type.kind == "unique":
        raise Untranslated(f"* of {value.type.spelled}")
    if value.memory == "box" and value.target is not None:
        return value.target
    if value.type.kind != "pointer" or value.memory == "address":
        raise Untranslated(f"* of {value.type.spelled}")
    if value.key:
        place.program.facts.note("dereferenced", value.key)
    inner = value.type.inner.plain()
    if inner.kind in ("struct", "vector"):
        memory = "list" if inner.sequence and listed(place, value.key, inner) else ""
        return replace(value, type=inner, memory=memory)
    return Value(f"{value.at(ATOM)}[0]", inner, numpy=inner.kind == "int", key="")


def _parenthesized(place: Place, node: Node) -> Value:
    return expression(place, parts(node)[0])


def _sizeof(place: Place, node: Node) -> Value:
    inner = node.child_by_field_name("type")
    if inner is not None:
        return sized(place, _type_of(place, inner))
    operand = bare(field(node, "value"))
    if operand.type == "identifier" and place.scope.find(text(operand)) is None:
        from aclnn.tools.port.spellings import simple

        return sized(place, simple(place, text(operand)))
    value = expression(place, operand)
    if value.type.kind == "array":
        if value.type.name.startswith("std"):
            raise Untranslated(text(node))
        place.program.facts.note("array", value.key)
        return Value(f"{value.at(ATOM)}.nbytes", SIZE, low=0, high=SIZES)
    if operand.type == "subscript_expression":
        owner = expression(place, field(operand, "argument"))
        if owner.type.sequence and owner.key and owner.type.inner.number:
            if place.program.facts.among("array", owner.key) or not listed(place, owner.key, owner.type):
                return Value(f"{owner.at(ATOM)}.itemsize", SIZE, low=1, high=16)
    return sized(place, value.type)


def _type_of(place: Place, node: Node) -> Type:
    from aclnn.tools.port.spellings import named as type_named

    return type_named(place, node)


def _assignment(place: Place, node: Node) -> Value:
    """An assignment inside of an expression: `(ret = f())`."""
    left = bare(field(node, "left"))
    if text(field(node, "operator")) != "=" or left.type != "identifier":
        raise Untranslated("this assignment inside of an expression")
    variable = place.scope.find(text(left))
    if variable is None or variable.boxed or variable.type.reference or not variable.type.number or (
        variable.function != place.scope.function
    ):  # fmt: skip
        raise Untranslated("this assignment inside of an expression")
    value = stored(expression(place, field(node, "right")), variable.type)
    return Value(f"{variable.name} := {value.text}", variable.type.plain(), LAMBDA, low=variable.low, high=variable.high,
                 numpy=value.numpy)  # fmt: skip


def _call(place: Place, node: Node) -> Value:
    from aclnn.tools.port.calls import call

    return call(place, node)


def _lambda(place: Place, node: Node) -> Value:
    from aclnn.tools.port.definitions import lambda_expression

    return lambda_expression(place, node)


def _list(place: Place, node: Node) -> Value:
    raise Untranslated(f"the list {' '.join(text(node).split())[:40]} here")


def _new(place: Place, node: Node) -> Value:
    declarator = node.child_by_field_name("declarator")
    of = _type_of(place, field(node, "type"))
    if declarator is None or declarator.type != "new_declarator" or not of.number:
        raise Untranslated(f"{' '.join(text(node).split())[:40]}")
    size = wrapped(expression(place, parts(declarator)[0]))
    zero = node.child_by_field_name("arguments") is not None
    key = f"new{line(node)}"
    place.program.facts.note("array", key)
    return Value(f"np.{'zeros' if zero else 'empty'}({size.text}, {dtype(of)})", pointer(of), key=key, fresh=True)


def _true(place: Place, node: Node) -> Value:
    value = text(node) == "true"
    return Value(str(value), BOOL, low=int(value), high=int(value), known=int(value))


CONSTRUCTS: Final[dict[str, Callable[[Place, Node], Value]]] = {
    "identifier": _identifier,
    "qualified_identifier": _qualified,
    "number_literal": _number,
    "string_literal": _string,
    "raw_string_literal": _string,
    "concatenated_string": _string,
    "char_literal": _char,
    "true": _true,
    "false": _true,
    "null": lambda place, node: Value("None", NULL),
    "parenthesized_expression": _parenthesized,
    "binary_expression": _binary,
    "unary_expression": _unary,
    "pointer_expression": _pointer,
    "conditional_expression": _conditional,
    "subscript_expression": _subscript,
    "field_expression": _field,
    "sizeof_expression": _sizeof,
    "cast_expression": cast_node,
    "assignment_expression": _assignment,
    "call_expression": _call,
    "lambda_expression": _lambda,
    "new_expression": _new,
    "initializer_list": _list,
    "compound_literal_expression": lambda place, node: cast(
        place, _type_of(place, field(node, "type")), field(node, "value")
    ),
}
"""the expressions that have a translation"""
__all__ = ["CONSTRUCTS", "conditional", "expression", "truth"]
