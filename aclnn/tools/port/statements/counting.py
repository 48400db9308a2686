"""Counting loops as `for` loops over `range`."""

from aclnn.tools.port.cpp.place import Position
from aclnn.tools.port.cpp.reading import Node, bare, changed, field, text, walk
from aclnn.tools.port.cpp.scopes import Variable
from aclnn.tools.port.cpp.spellings import base
from aclnn.tools.port.cpp.types import Type
from aclnn.tools.port.python.comparisons import common
from aclnn.tools.port.python.values import SUM, Value, converted, stored, wrapped


def counting(place: Position, node: Node) -> bool:
    """Translate `for (T i = a; i < b; i++)` to `for i in range(a, b)`. False if that would be wrong: the body changes
    the counter or the bound, or the counter could leave the range of its type."""
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
    step_size = _by(step, name)
    if (
        not name.isidentifier()
        or text(field(test, "left")) != name
        or step_size is None
        or first.type.endswith("_list")
    ):
        return False
    names = {text(descendant) for descendant in walk(bound) if descendant.type == "identifier"}
    calls = [descendant for descendant in walk(bound) if descendant.type == "call_expression"]
    plain = all(text(field(call, "function")).endswith((".size", ".length")) for call in calls)
    changing = changed(inner, changers=place.program.changers) | _changed_by_lambdas(place)
    if name in changing or names & changing or name in names or not plain:
        return False
    if any(part.type in ("field_expression", "pointer_expression", "subscript_expression") and part not in _sizes(calls)
           for part in walk(bound)):  # fmt: skip
        return False
    if (step_size > 0) != (operator in ("<", "<=")) or operator not in ("<", "<=", ">", ">="):
        return False
    if any(descendant.type == "pointer_expression" and text(descendant) == f"&{name}" for descendant in walk(inner)):
        return False
    return _range(place, node, name, (first, operator, bound, step_size))


def _sizes(calls: list[Node]) -> list[Node]:
    return [field(call, "function") for call in calls]


def _changed_by_lambdas(place: Position) -> set[str]:
    """Variables that the lambdas of the function change, if the body may call them."""
    if place.function is None:
        return set()
    lambdas = [node for node in walk(place.function) if node.type == "lambda_expression"]
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


def _range(place: Position, node: Node, name: str, parts_: tuple[Node, str, Node, int]) -> bool:
    first_node, operator, bound_node, step = parts_
    start = field(node, "initializer")
    own_type = base(place, start)
    first = place.expression(first_node)
    if own_type.kind == "auto":
        own_type = first.type.plain()
    if own_type.kind != "int" or place.program.facts.has("boxed", place.key(_name(start))):
        return False
    first, bound = stored(first, own_type), wrapped(place.expression(bound_node))
    if not bound.type.integral:
        return False
    exact = _compared(own_type, bound, first, step)
    if exact is None:
        return False
    bound = exact
    low, high = _limits(own_type, first, bound, step)
    if step < 0 and not own_type.signed:
        return False  # i >= 0 always holds
    if operator in ("<=", ">="):
        change = 1 if step > 0 else -1
        code = str(bound.known + change) if bound.known is not None and bound.text.lstrip("-").isdigit() else (
            f"{bound.at(SUM)} {'+' if step > 0 else '-'} 1")  # fmt: skip
    else:
        code = bound.text
    arguments = [first.text, code, str(step)]
    if step == 1:
        arguments = arguments[:2] if first.text != "0" else [code]
    outer, place.scope = place.scope, place.scope.inner()
    python = place.scope.free(name)
    place.scope.names[name] = Variable(
        python, own_type, place.key(_name(start)), place.scope.function, low=low, high=high
    )
    place.scope.taken.add(python)
    place.emit(f"for {python} in range({', '.join(arguments)}):")
    loop_body(place, field(node, "body"), [])
    place.scope = outer
    return True


def _name(start: Node) -> Node:
    return field(start.children_by_field_name("declarator")[0], "declarator")


def _compared(own_type: Type, bound: Value, first: Value, step: int) -> Value | None:
    """The bound, converted as for the comparison. None if the comparison would convert the counter to another value."""

    target = common(own_type, bound.type)
    if not target.signed and own_type.signed and (step < 0 or first.range[0] < 0):
        return None
    result = wrapped(converted(bound, target))
    if result.range[1] > own_type.high and own_type.bits < 32:
        return None
    return result if result.text != bound.text else bound


def _limits(own_type: Type, first: Value, bound: Value, step: int) -> tuple[int, int]:
    """The range of the counter inside of the loop."""
    if step > 0:
        return max(own_type.low, first.range[0]), min(own_type.high, bound.range[1])
    return max(own_type.low, bound.range[0]), min(own_type.high, first.range[1])


def loop_body(place: Position, node: Node, step: list[str]) -> None:
    """Translate the body of a loop. `step`: lines at the end of the body, and before each `continue`."""

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
