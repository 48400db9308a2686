"""Comments, empty lines, and the comments for code without a translation."""

from collections.abc import Sequence

from aclnn.tools.port.cpp.place import Position
from aclnn.tools.port.cpp.reading import Node, line, text


def spaced(place: Position, nodes: Sequence[Node], index: int) -> None:
    """Add an empty line where the program has empty lines."""
    if index and nodes[index].start_point[0] > nodes[index - 1].end_point[0] + 1 and place.lines and place.lines[-1]:
        rows = range(nodes[index - 1].end_point[0] + 1, nodes[index].start_point[0])
        if any(not place.program.lines[row].strip() for row in rows if row < len(place.program.lines)):
            place.lines.append("")


def todo(place: Position, node: Node, reason: str, *, stop: bool = True) -> None:
    """Add a comment with the reason and the source, and a line that raises an exception if the port reaches it."""
    number = line(node)
    place.program.problems.append((number, reason))
    place.emit(f"# TODO: line {number}: {reason}")
    for row in range(node.start_point[0], node.end_point[0] + 1):
        place.emit(f"#   {place.program.lines[row].strip()}" if row < len(place.program.lines) else "#")
    if stop:
        place.emit(f'raise NotImplementedError("line {number}")')


def comment(place: Position, node: Node) -> None:
    rows = comment_lines(text(node))
    if line(node) - 1 in _ends(node) and len(rows) == 1 and place.lines:
        last = place.lines[-1]
        if len(last) + len(rows[0]) + 4 <= 120 and not last.lstrip().startswith("#") and last.strip():
            place.lines[-1] = f"{last}  {rows[0]}"
            return
    for row in rows:
        place.emit(row)


def _ends(node: Node) -> set[int]:
    """The row in which the statement before this comment ends."""
    previous = node.prev_named_sibling
    return set() if previous is None or previous.type == "comment" else {previous.end_point[0]}


def comment_lines(source: str) -> list[str]:
    """A comment in Python."""
    if source.startswith("//"):
        return [f"# {source[2:].strip().lstrip('/').strip()}".rstrip()]
    inner = source[2:-2].strip("*! \n")
    return [f"# {text_line.strip().lstrip('*').strip()}".rstrip() for text_line in inner.splitlines()] or ["#"]
