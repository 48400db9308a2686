"""The order of evaluation. Python evaluates from left to right; C++ leaves the order of arguments and operands open.

So operands have no translation if the result may depend on their order.
"""

from collections.abc import Collection, Sequence
from itertools import combinations

from aclnn.tools.port.cpp.place import Position
from aclnn.tools.port.cpp.reading import MUTATING, Node, changed, field, root_name, text, walk
from aclnn.tools.port.cpp.types import Untranslated

QUIET_METHODS = frozenset("size data c_str empty front back at begin end length get is_open good fail gcount".split())
LOUD = frozenset("printf fprintf puts putchar exit fopen fread fwrite fclose fseek ftell swap sort fill iota reverse "
                 "memcpy memset memmove free move".split())  # fmt: skip
"""functions of `std` and of C with effects"""
INWARD = frozenset("swap sort fill iota reverse memcpy memset memmove move".split())
"""functions that change only their arguments"""


def check_order(place: Position, nodes: Sequence[Node]) -> None:
    """Untranslated if the order in which these operands are evaluated matters."""
    if len(nodes) < 2:
        return
    loud = [node for node in nodes if effects(place, node)]
    if len(loud) > 1:
        raise Untranslated("several operands with effects, whose order C++ leaves open")
    for first, second in combinations(nodes, 2):
        for acting, reading in ((first, second), (second, first)):
            if acting in loud and touched(place, acting) & _read(reading):
                raise Untranslated("an operand that changes what another one reads; C++ leaves their order open")


def _read(node: Node) -> set[str]:
    return {text(descendant) for descendant in walk(node) if descendant.type == "identifier"}


def touched(place: Position, node: Node) -> set[str]:
    """Names of variables that an expression may change."""
    names = changed(node, changers=place.program.changers)
    for item in walk(node):
        name = _called(item)
        function = place.program.functions.get(name)
        if function is not None and function.node is not None:
            names |= changed(function.node, changers=place.program.changers)
        elif name and place.scope.find(name) is not None and place.function is not None:
            lambdas = [inner for inner in walk(place.function) if inner.type == "lambda_expression"]
            names |= changed(*lambdas, changers=place.program.changers)
    return names


def effects(place: Position, node: Node, visited: Collection[str] = ()) -> bool:
    """True if the evaluation of an expression may have side effects."""
    for item in walk(node):
        if item.type in ("assignment_expression", "update_expression", "new_expression", "delete_expression"):
            return True
        if item.type == "call_expression" and _loud(place, item, visited):
            return True
    return False


def _called(node: Node) -> str:
    """The name of the called function; empty for methods and for nodes that are no call."""
    if node.type != "call_expression":
        return ""
    called = field(node, "function")
    return "" if called.type == "field_expression" else text(called).split("<")[0].split("::")[-1]


def _loud(place: Position, node: Node, visited: Collection[str]) -> bool:
    called = field(node, "function")
    if called.type == "field_expression":
        return text(field(called, "field")) not in QUIET_METHODS
    name = _called(node)
    if name in visited:
        return False
    function = place.program.functions.get(name)
    if function is not None and function.node is not None:
        return function_has_effects(place, function.node, (*visited, name))
    if name.startswith(("acl", "Hccl", "mstx")) or name in place.program.printing or name in LOUD:
        return True
    body = _lambda(place, name)
    if body is not None:
        return function_has_effects(place, body, (*visited, name))
    return place.scope.find(name) is not None


def _lambda(place: Position, name: str) -> Node:
    """The lambda that is the value of a variable of this function; None if there is none."""
    for node in walk(place.function) if place.function is not None else ():
        if node.type == "init_declarator" and text(field(node, "declarator")) == name:
            value = field(node, "value")
            return value if value.type == "lambda_expression" else None
    return None


def function_has_effects(place: Position, node: Node, visited: Collection[str]) -> bool:
    """True if a function changes something outside itself, calls ACL, or prints. Changes of its own variables do not
    count."""
    block = field(node, "body")
    declared = {
        text(descendant) for descendant in walk(node) if descendant.type == "identifier" and _declares(descendant)
    }
    if changed(block, changers=place.program.changers) - declared:
        return True
    if any(descendant.type == "storage_class_specifier" and text(descendant) == "static" for descendant in walk(block)):
        return True
    declarator = node.child_by_field_name("declarator")
    arguments = (
        [descendant for descendant in walk(declarator) if descendant.type == "parameter_declaration"]
        if declarator is not None
        else []
    )
    if any("&" in text(argument) and "const" not in text(argument) for argument in arguments):
        return True
    pointers = {
        text(descendant) for descendant in walk(node) if descendant.type == "identifier" and _behind_pointer(descendant)
    }
    lefts = [field(descendant, "left") for descendant in walk(block) if descendant.type == "assignment_expression"]
    if any(left.type != "identifier" and root_name(left) in pointers for left in lefts):
        return True
    return any(
        _outward(place, descendant, visited) for descendant in walk(block) if descendant.type == "call_expression"
    )


def _outward(place: Position, node: Node, visited: Collection[str]) -> bool:
    """True if a call inside a function has effects outside. Calls that only change variables are left to `changed`."""
    called = field(node, "function")
    if called.type == "field_expression" and text(field(called, "field")) in MUTATING:
        return False
    return _called(node) not in INWARD and _loud(place, node, visited)


def _behind_pointer(node: Node) -> bool:
    return node.parent is not None and node.parent.type == "pointer_declarator"


def _declares(node: Node) -> bool:
    """True if this identifier is the name in a declaration."""
    parent = node.parent
    while parent is not None and parent.type in ("pointer_declarator", "array_declarator"):
        parent = parent.parent
    if parent is None:
        return False
    if parent.type == "init_declarator":
        return parent.child_by_field_name("declarator") == node
    if parent.type == "for_range_loop":
        return parent.child_by_field_name("declarator") == node
    return parent.type in ("declaration", "parameter_declaration", "optional_parameter_declaration")
