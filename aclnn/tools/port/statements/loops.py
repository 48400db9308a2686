"""Loops: for, range for and while. A `for` that counts becomes `range`."""

from dataclasses import replace

from aclnn.tools.port.cpp.place import Position
from aclnn.tools.port.cpp.reading import Node, bare, changed, field, parts, text
from aclnn.tools.port.cpp.scopes import Variable
from aclnn.tools.port.cpp.spellings import base, declared
from aclnn.tools.port.cpp.types import Type, Untranslated
from aclnn.tools.port.expressions.expressions import conditional
from aclnn.tools.port.python.values import Value
from aclnn.tools.port.statements.assignments import assignment, update
from aclnn.tools.port.statements.counting import counting, loop_body
from aclnn.tools.port.statements.variables import declaration


def for_loop(place: Position, node: Node) -> None:
    """Translate `for (start; condition; step)`."""
    if counting(place, node):
        return
    outer, place.scope = place.scope, place.scope.inner()
    start = node.child_by_field_name("initializer")
    if start is not None:
        _start(place, start)
    test = node.child_by_field_name("condition")
    place.emit(f"while {conditional(place, test).text}:" if test is not None else "while True:")
    step = node.child_by_field_name("update")
    lines: list[str] = []
    if step is not None:
        first_line = len(place.lines)
        indent, place.indent = place.indent, 0
        _step(place, step)
        place.indent = indent
        lines = place.lines[first_line:]
        del place.lines[first_line:]
    loop_body(place, field(node, "body"), lines)
    place.scope = outer


def _start(place: Position, node: Node) -> None:
    if node.type == "declaration":
        declaration(place, node)
    else:
        _step(place, node)


def _step(place: Position, node: Node) -> None:
    node = bare(node)
    if node.type == "comma_expression":
        for side in ("left", "right"):
            _step(place, field(node, side))
    elif node.type == "update_expression":
        update(place, node)
    elif node.type == "assignment_expression":
        assignment(place, node)
    else:
        raise Untranslated(f"the step {text(node)}")


def range_loop(place: Position, node: Node) -> None:
    """Translate `for (auto x : vector)`."""

    if node.child_by_field_name("initializer") is not None:
        raise Untranslated("a range for with an initializer")
    right = field(node, "right")
    if right.type == "initializer_list":
        items = [place.expression(part) for part in parts(right)]
        if not items or not all(item.type.same(items[0].type) for item in items) or items[0].type.sequence or (
            items[0].type.kind == "float" and items[0].type.bits == 32
        ):  # fmt: skip
            raise Untranslated("a range for over this list")
        owner = Value(f"({', '.join(item.text for item in items)}{',' if len(items) == 1 else ''})",
                      Type("vector", of=items[0].type), memory="list")  # fmt: skip
    else:
        owner = place.expression(right)
    if not owner.type.sequence:
        raise Untranslated(f"a range for over {owner.type.spelled}")
    declarator = field(node, "declarator")
    name_node, own_type, _ = declared(base(place, node), declarator)
    inner = owner.type.inner.plain()
    if own_type.kind == "auto":
        own_type = replace(inner, const=own_type.const, reference=own_type.reference)
    name = text(name_node)
    changing = changed(field(node, "body"), changers=place.program.changers)
    outer, place.scope = place.scope, place.scope.inner()
    python = place.scope.free(name)
    place.scope.taken.add(python)
    key = owner.key + ".of" if owner.key else place.key(name_node)
    if (
        own_type.reference
        and not own_type.const
        and name in changing
        and (inner.number or inner.kind in ("handle", "string"))
    ):
        index = place.scope.free("i" if place.scope.find("i") is None else "index")
        place.scope.taken.add(index)
        place.scope.names[name] = Variable(f"{owner.text}[{index}]", own_type.plain(), key, place.scope.function,
                                           numpy=owner.memory != "list")  # fmt: skip
        count = f"len({owner.text})"
        place.emit(f"for {index} in range({count}):")
    else:
        if name in changing and not own_type.reference and not inner.number and inner.kind not in ("handle", "string"):
            raise Untranslated("a copy of each element that the loop changes")
        if name in changing and not own_type.reference and inner.kind == "handle":
            raise Untranslated(f"{name}, a copy of each element, changes")
        boxed = own_type.number and place.program.facts.has("boxed", place.key(name_node))
        if boxed or (own_type.number and not own_type.same(inner)):
            raise Untranslated(f"{name}, whose address is taken" if boxed else f"{name}, which is no {inner.spelled}")
        if root_changes(owner.text, changing):
            raise Untranslated("a range for over a vector that the loop changes")
        place.scope.names[name] = Variable(python, own_type, key, place.scope.function)
        integers = inner.integral and owner.memory != "list"
        place.emit(f"for {python} in {owner.text}{'.tolist()' if integers else ''}:")
    place.step.append([])
    place.inside.append("loop")
    place.body(field(node, "body"))
    place.inside.pop()
    place.step.pop()
    place.scope = outer


def root_changes(owner: str, changing: set[str]) -> bool:
    """True if the loop changes the vector that it runs over."""
    return owner in changing


def while_loop(place: Position, node: Node) -> None:
    """Translate `while (condition)`."""
    clause = field(node, "condition")
    test = clause.child_by_field_name("value") or clause
    if test.type == "declaration":
        raise Untranslated("a condition that declares a variable")
    place.emit(f"while {conditional(place, test).text}:")
    loop_body(place, field(node, "body"), [])
