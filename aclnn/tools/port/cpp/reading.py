"""The parser of C++ (tree-sitter), and functions of its nodes."""

import re
from collections.abc import Collection, Iterator
from functools import cache
from typing import Any, Final

from aclnn.tools.port.cpp.types import Untranslated

Node = Any
"""a node of tree-sitter; Any, as the types of tree-sitter are missing where the extra is not installed"""
MISSING = "aclnn port needs tree-sitter with its C++ grammar: pip install '.[port]' in a clone"
MUTATING = frozenset(
    "push_back emplace_back pop_back resize reserve insert erase clear assign swap reset release read open append "
    "emplace".split()
)
"""methods that change their object"""


@cache
def _parser() -> Any:
    try:
        import tree_sitter_cpp
        from tree_sitter import Language, Parser
    except ImportError as error:
        raise ImportError(MISSING) from error
    return Parser(Language(tree_sitter_cpp.language()))


def parsed(text: str) -> Node:
    """The root of the syntax tree."""
    return _parser().parse(text.encode()).root_node


def text(node: Node) -> str:
    """The source of a node."""
    return node.text.decode()


def line(node: Node) -> int:
    """The line of a node, from 1."""
    return node.start_point[0] + 1


def field(node: Node, name: str) -> Node:
    """A part of a node, which must exist."""
    child = node.child_by_field_name(name)
    if child is None:
        raise Untranslated(f"{node.type.replace('_', ' ')} without {name}")
    return child


def parts(node: Node) -> list[Node]:
    """The named parts of a node, without comments."""
    return [child for child in node.named_children if child.type != "comment"]


def walk(node: Node) -> Iterator[Node]:
    """A node and everything in it."""
    waiting = [node]
    while waiting:
        inner = waiting.pop()
        yield inner
        waiting += reversed(inner.children)


def deepest(node: Node) -> Node:
    """The node that is nested most deeply."""
    level = [node]
    while below := [inner for each in level for inner in each.children]:
        level = below
    return level[0]


def bare(node: Node) -> Node:
    """An expression without the parentheses around it."""
    while node.type in ("parenthesized_expression", "condition_clause") and len(parts(node)) == 1:
        node = parts(node)[0]
    return node


def broken(node: Node) -> bool:
    """True if the parser does not understand the node."""
    return any(descendant.type == "ERROR" or descendant.is_missing for descendant in walk(node))


def arguments(source: str) -> list[Node]:
    """The arguments in a text such as `(a, b)`. The parser takes `T x(a, b);` for the declaration of a function."""
    root = parsed(f"void f() {{ g{source}; }}")
    for inner in walk(root):
        if inner.type == "argument_list" and not broken(inner):
            return parts(inner)
    raise Untranslated(f"the arguments {source}")


def root_name(node: Node) -> str:
    """The variable that an assignment to this expression changes: x of `x`, `x[1]`, `x.a`, `*x`, `(x)`."""
    while node.type in ("subscript_expression", "field_expression", "pointer_expression", "parenthesized_expression",
                        "cast_expression"):  # fmt: skip
        node = node.child_by_field_name("argument") or node.child_by_field_name("value") or parts(node)[-1]
    return text(node) if node.type == "identifier" else ""


CHANGING: Final = re.compile(
    r"(std::)?(swap|sort|fill|iota|copy|transform|reverse|memcpy|memset|memmove|exchange|move|fread|sn?printf|scanf)\b"
)
"""functions of `std` and of C that change their arguments"""


def _changed_by_call(node: Node, changers: Collection[str]) -> set[str]:
    """Names of variables that a call may change."""
    called = field(node, "function")
    name = text(called)
    if called.type == "field_expression":
        return {root_name(field(called, "argument"))} if text(field(called, "field")) in MUTATING else set()
    function = name.split("<")[0].split("::")[-1]
    if function not in changers and not CHANGING.match(name):
        return set()
    return {text(descendant) for descendant in walk(field(node, "arguments")) if descendant.type == "identifier"}


def changed(*nodes: Node, changers: Collection[str] = ()) -> set[str]:
    """Names of all variables that code may change; names of unchanged ones among them do no harm. `changers`: functions
    that may change their arguments."""
    names: set[str] = set()
    for node in nodes:
        for inner in walk(node):
            kind = inner.type
            if kind == "assignment_expression":
                names.add(root_name(field(inner, "left")))
            elif kind == "update_expression" or (kind == "pointer_expression" and text(inner).startswith("&")):
                names.add(root_name(field(inner, "argument")))
            elif kind == "binary_expression" and text(field(inner, "operator")) == ">>":
                names.add(root_name(field(inner, "right")))
            elif kind == "call_expression":
                names |= _changed_by_call(inner, changers)
            elif kind in {"range_based_for_statement", "for_range_loop"}:
                if "&" in text(field(inner, "declarator")) and "const" not in text(inner).split(":")[0]:
                    names.add(root_name(field(inner, "right")))
            elif kind == "reference_declarator" and inner.parent.type == "init_declarator":
                names.add(root_name(field(inner.parent, "value")))
    names.discard("")
    return names
