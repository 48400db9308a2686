"""Statements. `CONSTRUCTS` is the table of the statements that have a translation."""

from collections.abc import Callable, Sequence
from typing import Final

from aclnn.tools.port.cpp.place import Position
from aclnn.tools.port.cpp.reading import Node, bare, broken, field, parts, text, walk
from aclnn.tools.port.cpp.types import Untranslated
from aclnn.tools.port.expressions.expressions import conditional
from aclnn.tools.port.expressions.streams import printed, written
from aclnn.tools.port.python.values import negated
from aclnn.tools.port.statements import jumps, loops
from aclnn.tools.port.statements.aliases import alias
from aclnn.tools.port.statements.assignments import assignment, expression_text, update
from aclnn.tools.port.statements.comments import comment, comment_lines, spaced, todo
from aclnn.tools.port.statements.variables import declaration


def body(place: Position, node: Node) -> None:
    """Translate the statements of a block, or one statement, indented by one level."""
    with place.block():
        sequence(place, node.children[1:-1] if node.type == "compound_statement" else [node])


def sequence(place: Position, nodes: Sequence[Node]) -> None:
    """Translate statements one after another. A label ends the block that a goto leaves."""
    label = jumps.last_label(nodes)
    if label is not None:
        if any(_owns(child) for child in nodes):
            raise Untranslated("a unique_ptr and a label in one block")
        jumps.labelled(place, nodes, label)
        return
    for index, node in enumerate(nodes):
        if _owns(node):
            _owning(place, nodes[index:])
            return
        spaced(place, nodes, index)
        statement(place, node)


def _owns(node: Node) -> bool:
    if node.type != "declaration":
        return False
    return text(field(node, "type")).startswith(("std::unique_ptr", "unique_ptr"))


def _owning(place: Position, nodes: Sequence[Node]) -> None:
    """Translate the rest of a block with a unique_ptr: an ExitStack calls the deleters at the end of the block."""
    outer = place.stack
    place.stacks += 1
    place.stack = "owned" if place.stacks == 1 else f"owned_{place.stacks}"
    place.emit(f"with ExitStack() as {place.stack}:")
    place.indent += 4
    for index, node in enumerate(nodes):
        spaced(place, nodes, index)
        statement(place, node)
    place.indent -= 4
    place.stack = outer


def statement(place: Position, node: Node) -> None:
    """Translate one statement. A construct without a translation becomes a comment."""
    lines, assigned = len(place.lines), set(place.assigned)
    indent, scope, depth = place.indent, place.scope, (len(place.step), len(place.inside))
    try:
        if broken(node) and node.type not in ("if_statement", "for_statement", "compound_statement"):
            raise Untranslated("the parser does not understand it")
        construct = CONSTRUCTS.get(node.type)
        if construct is None:
            raise Untranslated(node.type.replace("_", " "))
        construct(place, node)
    except Untranslated as error:
        del place.lines[lines:]
        place.assigned, place.indent, place.scope = assigned, indent, scope
        del place.step[depth[0] :], place.inside[depth[1] :]
        todo(place, node, str(error))


def _expression(place: Position, node: Node) -> None:
    inner = parts(node)
    if not inner:
        return
    simple(place, bare(inner[0]))


def simple(place: Position, node: Node) -> None:
    """Translate an expression as a statement."""
    if node.type == "assignment_expression":
        assignment(place, node)
    elif node.type == "update_expression":
        update(place, node)
    elif node.type == "comma_expression":
        for side in ("left", "right"):
            simple(place, bare(field(node, side)))
    elif node.type == "delete_expression":
        place.emit(f"{place.expression(parts(node)[0]).text} = None")
    else:
        if node.type == "cast_expression" and text(field(node, "type")) == "void":
            if bare(field(node, "value")).type == "identifier":
                return  # (void)unused;
            node = bare(field(node, "value"))
        output = printed(place, node) if node.type == "call_expression" else written(place, node)
        place.emit(output if output is not None else expression_text(place, node))


def _if(place: Position, node: Node) -> None:
    _branch(place, node, "if")


def _branch(place: Position, node: Node, word: str) -> None:
    clause = field(node, "condition")
    if any(text(child) == "constexpr" for child in node.children):
        raise Untranslated("if constexpr")
    start = clause.child_by_field_name("initializer")
    if start is not None:
        if word == "elif":
            raise Untranslated("an else-if that declares a variable")
        outer, place.scope = place.scope, place.scope.inner()
        statement_or_fail(place, parts(start)[0] if start.type == "init_statement" else start)
        try:
            _branches(place, node, word, clause)
        finally:
            place.scope = outer
        return
    _branches(place, node, word, clause)


def _branches(place: Position, node: Node, word: str, clause: Node) -> None:
    test = field(clause, "value") if clause.type == "condition_clause" else clause
    if test.type == "declaration":
        raise Untranslated("a condition that declares a variable")
    place.emit(f"{word} {conditional(place, test).text}:")
    body(place, field(node, "consequence"))
    alternative = node.child_by_field_name("alternative")
    if alternative is None:
        return
    inner = parts(alternative)
    for item in alternative.named_children:
        if item.type == "comment":
            place.emit(comment_lines(text(item))[0])
    if (
        inner
        and inner[0].type == "if_statement"
        and field(inner[0], "condition").child_by_field_name("initializer") is None
    ):
        _branch(place, inner[0], "elif")
        return
    place.emit("else:")
    if inner:
        body(place, inner[0])
    else:
        place.emit("    pass")


def statement_or_fail(place: Position, node: Node) -> None:
    """Translate a statement that is a part of another one. Untranslated if it has no translation, so that the whole
    statement becomes a comment."""
    construct = CONSTRUCTS.get(node.type)
    if construct is None or broken(node):
        raise Untranslated(node.type.replace("_", " "))
    construct(place, node)


def _return(place: Position, node: Node) -> None:
    values = parts(node)
    if not values:
        place.emit("return")
        return
    target = place.result.plain()
    if target.kind == "void":
        place.emit(place.expression(values[0]).text)
        place.emit("return")
        return
    inner = bare(values[0])
    variable = place.scope.find(text(inner)) if inner.type == "identifier" else None
    borrowed = variable is not None and variable.parameter and variable.type.kind in ("vector", "array", "struct")
    moved = (
        variable is not None and variable.function == place.scope.function and not (variable.boxed or borrowed)
        and not variable.type.reference and not variable.type.number
        and (variable.type.same(target) or target.kind == "auto")
    )  # fmt: skip
    if moved:
        value = place.expression(inner)  # a local variable is moved
        place.program.facts.join(value.key, place.returned)
        place.program.facts.join(value.key + ".of", place.returned + ".of")
    elif place.result.reference:
        raise Untranslated("a function that returns a reference")
    else:
        value = place.initial(target, values[0], place.returned)
    place.emit(f"return {value.text}")


def _compound(place: Position, node: Node) -> None:
    """Translate a block that only opens a scope."""
    outer, place.scope = place.scope, place.scope.inner()
    if any(_owns(child) for child in node.children):
        raise Untranslated("a block with a unique_ptr")
    sequence(place, node.children[1:-1])
    place.scope = outer


def _do(place: Position, node: Node) -> None:
    """Translate do ... while; `do { } while (0)` is only a block."""
    inner, test = field(node, "body"), bare(field(node, "condition"))
    jumping = any(descendant.type in ("break_statement", "continue_statement") for descendant in walk(inner))
    if text(test) in ("0", "false") and not jumping and inner.type == "compound_statement":
        _compound(place, inner)
        return
    if any(descendant.type == "continue_statement" for descendant in walk(inner)):
        raise Untranslated("continue in do ... while")
    place.emit("while True:")
    place.step.append([])
    place.inside.append("loop")
    body(place, inner)
    place.inside.pop()
    place.step.pop()
    test_code = conditional(place, test)
    if test_code.text not in ("False", "True"):
        place.emit(f"    if {negated(test_code).text}:")
        place.emit("        break")
    elif test_code.text == "False":
        place.emit("    break")


def _nothing(place: Position, node: Node) -> None:
    """An empty statement, `;`, needs no Python."""


def _alias(place: Position, node: Node) -> None:
    alias(place, node)


CONSTRUCTS: Final[dict[str, Callable[[Position, Node], None]]] = {
    "comment": comment,
    "expression_statement": _expression,
    "declaration": declaration,
    "if_statement": _if,
    "for_statement": loops.for_loop,
    "for_range_loop": loops.range_loop,
    "while_statement": loops.while_loop,
    "do_statement": _do,
    "switch_statement": jumps.switch,
    "return_statement": _return,
    "break_statement": jumps.leave,
    "continue_statement": jumps.proceed,
    "goto_statement": jumps.goto,
    "compound_statement": _compound,
    "alias_declaration": _alias,
    "type_definition": _alias,
    "using_declaration": _nothing,
    ";": _nothing,
}
"""the statements that have a translation"""
