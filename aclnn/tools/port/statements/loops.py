"""for, range for and while. A `for` that counts becomes `range`."""

from dataclasses import replace

from aclnn.tools.port.cpp.place import Place
from aclnn.tools.port.cpp.reading import Node, bare, changed, field, parts, text, walk
from aclnn.tools.port.cpp.scopes import Variable
from aclnn.tools.port.cpp.spellings import base, declared
from aclnn.tools.port.cpp.types import Type, Untranslated
from aclnn.tools.port.expressions.expressions import conditional
from aclnn.tools.port.python.arithmetic import common
from aclnn.tools.port.python.values import SUM, Value, converted, stored, wrapped
from aclnn.tools.port.statements.assignments import assignment, update
from aclnn.tools.port.statements.variables import declaration


def for_loop(place: Place, node: Node) -> None:
    """`for (start; condition; step)`."""
    if _counting(place, node):
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
        before = len(place.lines)
        indent, place.indent = place.indent, 0
        _step(place, step)
        place.indent = indent
        lines = place.lines[before:]
        del place.lines[before:]
    _body(place, field(node, "body"), lines)
    place.scope = outer


def _start(place: Place, node: Node) -> None:
    if node.type == "declaration":
        declaration(place, node)
    else:
        _step(place, node)


def _step(place: Place, node: Node) -> None:
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


def _body(place: Place, node: Node, step: list[str]) -> None:
    """The body of a loop. `step` comes at its end, and before each `continue`."""

    place.step.append(step)
    place.inside.append("loop")
    start = len(place.lines)
    place.body(node)
    place.inside.pop()
    place.step.pop()
    if step:
        if place.lines[-1].strip() == "pass" and len(place.lines) == start + 1:
            place.lines.pop()
        place.lines += [" " * (place.indent + 4) + each for each in step]


def _counting(place: Place, node: Node) -> bool:
    """`for (T i = a; i < b; i++)` as `for i in range(a, b)`. False if the loop is not so plain: the body changes the
    counter or the bound, or the counter could leave its type."""
    start, test, step = (node.child_by_field_name(each) for each in ("initializer", "condition", "update"))
    if start is None or test is None or step is None or start.type != "declaration":
        return False
    declarators = start.children_by_field_name("declarator")
    test, step = bare(test), bare(step)
    if len(declarators) != 1 or declarators[0].type != "init_declarator" or test.type != "binary_expression":
        return False
    inner = field(node, "body")
    name = text(field(declarators[0], "declarator"))
    first = field(declarators[0], "value")
    operator, bound = text(field(test, "operator")), field(test, "right")
    by = _by(step, name)
    if not name.isidentifier() or text(field(test, "left")) != name or by is None or first.type.endswith("_list"):
        return False
    used = {text(each) for each in walk(bound) if each.type == "identifier"}
    calls = [each for each in walk(bound) if each.type == "call_expression"]
    plain = all(text(field(each, "function")).endswith((".size", ".length")) for each in calls)
    moving = changed(inner, changers=place.program.changers) | _changed_by_lambdas(place, inner)
    if name in moving or used & moving or name in used or not plain:
        return False
    if any(each.type in ("field_expression", "pointer_expression", "subscript_expression") and each not in _sizes(calls)
           for each in walk(bound)):  # fmt: skip
        return False
    if (by > 0) != (operator in ("<", "<=")) or operator not in ("<", "<=", ">", ">="):
        return False
    if any(each.type == "pointer_expression" and text(each) == f"&{name}" for each in walk(inner)):
        return False
    return _range(place, node, name, (first, operator, bound, by))


def _sizes(calls: list[Node]) -> list[Node]:
    return [field(each, "function") for each in calls]


def _changed_by_lambdas(place: Place, node: Node) -> set[str]:
    """What the lambdas of the function change, if the body may call them."""
    if place.function is None:
        return set()
    lambdas = [each for each in walk(place.function) if each.type == "lambda_expression"]
    return changed(*lambdas, changers=place.program.changers) if lambdas else set()


def _by(node: Node, name: str) -> int | None:
    """The step of a counter."""
    if node.type == "update_expression" and text(field(node, "argument")) == name:
        return 1 if text(field(node, "operator")) == "++" else -1
    if node.type == "assignment_expression" and text(field(node, "left")) == name:
        right, operator = text(field(node, "right")), text(field(node, "operator"))
        if right.isdecimal() and operator in ("+=", "-=") and int(right):
            return int(right) if operator == "+=" else -int(right)
    return None


def _range(place: Place, node: Node, name: str, parts_: tuple[Node, str, Node, int]) -> bool:
    first_node, operator, bound_node, by = parts_
    start = field(node, "initializer")
    own = base(place, start)
    first = place.expression(first_node)
    if own.kind == "auto":
        own = first.type.plain()
    if own.kind != "int" or place.program.facts.has("boxed", place.key(_name(start))):
        return False
    first, bound = stored(first, own), wrapped(place.expression(bound_node))
    if not bound.type.integral:
        return False
    exact = _compared(own, bound, first, by)
    if exact is None:
        return False
    bound = exact
    low, high = _limits(own, first, bound, by)
    if by < 0 and not own.signed:
        return False  # i >= 0 always holds
    if operator in ("<=", ">="):
        change = 1 if by > 0 else -1
        shown = str(bound.known + change) if bound.known is not None and bound.text.lstrip("-").isdigit() else (
            f"{bound.at(SUM)} {'+' if by > 0 else '-'} 1")  # fmt: skip
    else:
        shown = bound.text
    arguments = [first.text, shown, str(by)]
    if by == 1:
        arguments = arguments[:2] if first.text != "0" else [shown]
    outer, place.scope = place.scope, place.scope.inner()
    python = place.scope.free(name)
    place.scope.names[name] = Variable(python, own, place.key(_name(start)), place.scope.function, low=low, high=high)
    place.scope.taken.add(python)
    place.emit(f"for {python} in range({', '.join(arguments)}):")
    _body(place, field(node, "body"), [])
    place.scope = outer
    return True


def _name(start: Node) -> Node:
    return field(start.children_by_field_name("declarator")[0], "declarator")


def _compared(own: Type, bound: Value, first: Value, by: int) -> Value | None:
    """The bound as the comparison sees it. None if the counter itself would be converted to another value."""

    to = common(own, bound.type)
    if not to.signed and own.signed and (by < 0 or first.range[0] < 0):
        return None
    made = wrapped(converted(bound, to))
    if made.range[1] > own.high and own.bits < 32:
        return None
    return made if made.text != bound.text else bound


def _limits(own: Type, first: Value, bound: Value, by: int) -> tuple[int, int]:
    """The range of the counter inside of the loop."""
    if by > 0:
        return max(own.low, first.range[0]), min(own.high, bound.range[1])
    return max(own.low, bound.range[0]), min(own.high, first.range[1])


def range_loop(place: Place, node: Node) -> None:
    """`for (auto x : vector)`."""

    if node.child_by_field_name("initializer") is not None:
        raise Untranslated("a range for with an initializer")
    right = field(node, "right")
    if right.type == "initializer_list":
        items = [place.expression(each) for each in parts(right)]
        if not items or not all(each.type.same(items[0].type) for each in items) or items[0].type.sequence:
            raise Untranslated("a range for over this list")
        owner = Value(f"({', '.join(each.text for each in items)}{',' if len(items) == 1 else ''})",
                      Type("vector", of=items[0].type), memory="list")  # fmt: skip
    else:
        owner = place.expression(right)
    if not owner.type.sequence:
        raise Untranslated(f"a range for over {owner.type.spelled}")
    declarator = field(node, "declarator")
    name_node, own, _ = declared(place, base(place, node), declarator)
    inner = owner.type.inner.plain()
    if own.kind == "auto":
        own = replace(inner, const=own.const, reference=own.reference)
    name = text(name_node)
    moving = changed(field(node, "body"), changers=place.program.changers)
    outer, place.scope = place.scope, place.scope.inner()
    python = place.scope.free(name)
    place.scope.taken.add(python)
    key = owner.key + ".of" if owner.key else place.key(name_node)
    if own.reference and not own.const and name in moving and (inner.number or inner.kind in ("handle", "string")):
        index = place.scope.free("i" if place.scope.find("i") is None else "index")
        place.scope.taken.add(index)
        place.scope.names[name] = Variable(f"{owner.text}[{index}]", own.plain(), key, place.scope.function)
        count = f"len({owner.text})"
        place.emit(f"for {index} in range({count}):")
    else:
        if name in moving and not own.reference and not inner.number and inner.kind not in ("handle", "string"):
            raise Untranslated("a copy of each element that the loop changes")
        boxed = own.number and place.program.facts.has("boxed", place.key(name_node))
        if boxed or (own.number and not own.same(inner)):
            raise Untranslated(f"{name}, whose address is taken" if boxed else f"{name}, which is no {inner.spelled}")
        if root_changes(owner.text, moving):
            raise Untranslated("a range for over a vector that the loop changes")
        place.scope.names[name] = Variable(python, own, key, place.scope.function)
        integers = inner.integral and owner.memory != "list"
        place.emit(f"for {python} in {owner.text}{'.tolist()' if integers else ''}:")
    place.step.append([])
    place.inside.append("loop")
    place.body(field(node, "body"))
    place.inside.pop()
    place.step.pop()
    place.scope = outer


def root_changes(owner: str, moving: set[str]) -> bool:
    """Does the loop change the vector that it runs over?"""
    return owner in moving


def while_loop(place: Place, node: Node) -> None:
    """`while (condition)`."""
    clause = field(node, "condition")
    test = clause.child_by_field_name("value") or clause
    if test.type == "declaration":
        raise Untranslated("a condition that declares a variable")
    place.emit(f"while {conditional(place, test).text}:")
    _body(place, field(node, "body"), [])
