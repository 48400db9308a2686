"""Which scratch memory the values of a program have: as few pieces as their lives allow."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from aclnn.engine.fast.expressions import Call, Node
from aclnn.engine.fast.space import Space

Room: TypeAlias = tuple[int, int]
"""bytes of an element, and a number"""


def rooms(
    order: Sequence[Node],
    kept: Sequence[Node],
    space: Space,
    sources: Callable[[Node], tuple[Node, ...]],
    holder: Callable[[Node], Node | None],
) -> dict[Node, Room]:
    """The room of each node that needs one; `holder` tells whose room a node is in. That of a value which nobody needs
    any more goes to the next, or to what is computed from it element by element."""
    last: dict[Node, int] = {}
    for place, node in enumerate(order):
        for used in (node, *sources(node)):
            if (held := holder(used)) is not None:
                last[held] = place
    last.update({held: len(order) for node in kept if (held := holder(node)) is not None})
    homes: dict[Node, Room] = {}
    free: dict[int, list[Room]] = {}
    made = 0
    for place, node in enumerate(order):
        ending = {held for used in sources(node) if (held := holder(used)) in homes and last[held] == place}
        if holder(node) is node:
            size = node.dtype.itemsize
            heir = next((each for each in ending if _in_place(node, each, space)), None)
            if heir is not None:
                ending.discard(heir)
                homes[node] = homes[heir]
            elif free.get(size):
                homes[node] = free[size].pop()
            else:
                homes[node], made = (size, made), made + 1
        for each in ending:
            free.setdefault(each.dtype.itemsize, []).append(homes[each])
    return homes


def _in_place(node: Node, source: Node, space: Space) -> bool:
    """May the result be written over this source?"""
    if not isinstance(node, Call) or node.dtype.itemsize != source.dtype.itemsize:
        return False
    return space.part(node) == space.part(source)
