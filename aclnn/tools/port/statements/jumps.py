"""switch, break, continue, goto and labels."""

from collections.abc import Sequence

from aclnn.tools.port.cpp.place import Position
from aclnn.tools.port.cpp.reading import Node, bare, field, parts, text, walk
from aclnn.tools.port.cpp.types import Untranslated
from aclnn.tools.port.python.values import BIT_OR, stored, wrapped


def leave(place: Position, node: Node) -> None:
    """Translate `break`."""
    if not place.inside or place.inside[-1] != "loop":
        raise Untranslated("a break inside of a switch, before its end")
    place.emit("break")


def proceed(place: Position, node: Node) -> None:
    """Translate `continue`. In a `for` that is a `while` in Python, the step of the loop comes first."""
    for line in place.step[-1] if place.step else []:
        place.emit(line)
    place.emit("continue")


def switch(place: Position, node: Node) -> None:
    """Translate `switch` to a chain of `if`. A case that continues in the next case has no translation."""

    value = wrapped(place.expression(bare(field(node, "condition"))))
    if not value.type.integral:
        raise Untranslated(f"a switch of {value.type.spelled}")
    code = value.at(BIT_OR)
    if not code.replace(".", "").replace("_", "").isalnum():
        code = place.scope.free("selected")
        place.emit(f"{code} = {value.text}")
    labels: list[str] = []
    default, word = False, "if"
    cases = parts(field(node, "body"))
    if any(each.type != "case_statement" for each in cases):
        raise Untranslated("a statement of a switch without a case")
    for index, case in enumerate(cases):
        label = case.child_by_field_name("value")
        inner = [child for child in case.children if child.is_named and child != label]
        if label is None:
            default = True
        else:
            labels.append(stored(place.expression(label), value.type).text)
        last = index == len(cases) - 1
        if default and (not last or word == "if"):
            raise Untranslated("a default that is not the last case, or the only one")
        if not [each for each in inner if each.type != "comment"] and not last:
            continue
        test = f"== {labels[0]}" if len(labels) == 1 else f"in ({', '.join(labels)})"
        place.emit("else:" if default else f"{word} {code} {test}:")
        _case(place, inner, last=last)
        labels, word = [], "elif"


def _case(place: Position, nodes: list[Node], *, last: bool) -> None:
    """Translate the statements of a case, without the break at its end."""
    if len([node for node in nodes if node.type != "comment"]) == 1 and nodes[-1].type == "compound_statement":
        nodes = list(nodes[-1].children[1:-1])
    ended = False
    if nodes and nodes[-1].type == "break_statement":
        nodes, ended = nodes[:-1], True
    code = [node for node in nodes if node.type != "comment"]
    ended = ended or bool(code and code[-1].type in ("return_statement", "continue_statement", "goto_statement"))
    ended = ended or bool(code and code[-1].type == "compound_statement" and
                          text(code[-1]).rstrip("} \n").endswith(("break;", ";")) and _ends(code[-1]))  # fmt: skip
    if not ended and not last:
        raise Untranslated("a case that goes on in the next one")
    place.inside.append("switch")
    with place.block():
        place.sequence(nodes)
    place.inside.pop()


def _ends(node: Node) -> bool:
    inner = parts(node)
    return bool(inner) and inner[-1].type == "return_statement"


def last_label(nodes: Sequence[Node]) -> int | None:
    """The index of the last label in a list of statements."""
    labels = [i for i, node in enumerate(nodes) if node.type == "labeled_statement"]
    return labels[-1] if labels else None


def labelled(place: Position, nodes: Sequence[Node], index: int) -> None:
    """Translate statements with a label: a goto becomes an exception that leaves the block before the label."""
    label = text(field(nodes[index], "label"))
    earlier = nodes[:index]
    jumped = any(descendant.type == "goto_statement" and text(field(descendant, "label")) == label
                 for node in earlier for descendant in walk(node))  # fmt: skip
    if jumped:
        place.program.gotos.add(label)
        place.emit(f"with suppress({label}):")
        place.indent += 4
        place.targets.append(label)
        start = len(place.lines)
        place.sequence(earlier)
        if len(place.lines) == start:
            place.emit("pass")
        place.targets.pop()
        place.indent -= 4
    else:
        place.sequence(earlier)
    place.emit(f"# {label}:")
    inner = [child for child in nodes[index].named_children if child.type != "statement_identifier"]
    place.sequence([*inner, *nodes[index + 1 :]])


def goto(place: Position, node: Node) -> None:
    """Translate `goto label`, if it jumps forwards and out of blocks."""
    label = text(field(node, "label"))
    if label not in place.targets:
        raise Untranslated(f"goto {label}, which is not forwards out of a block")
    place.emit(f"raise {label}")
