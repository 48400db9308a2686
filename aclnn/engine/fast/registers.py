"""Assigns registers to the values of a tile's program: as few as their lifetimes allow."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from aclnn.engine.fast.expressions import Node, UfuncCall
from aclnn.engine.fast.space import Space

Register: TypeAlias = tuple[int, int]
"""(bytes of an element, number of the register)"""


def assign(
    order: Sequence[Node],
    kept: Sequence[Node],
    space: Space,
    sources: Callable[[Node], tuple[Node, ...]],
    holder: Callable[[Node], Node | None],
) -> dict[Node, Register]:
    """The register of each node that needs one.

    `order` is the order of computation. `kept` are the nodes whose values are needed at the end. `holder(node)` is the
    node whose register has the value of `node`. A register becomes free when its value is not needed any more. A node
    that is computed from this value element by element may take the register over in place. Any later node may take
    it too."""
    last: dict[Node, int] = {}
    for place, node in enumerate(order):
        for used in (node, *sources(node)):
            if (held := holder(used)) is not None:
                last[held] = place
    last.update({held: len(order) for node in kept if (held := holder(node)) is not None})
    homes: dict[Node, Register] = {}
    free: dict[int, list[Register]] = {}
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
    if not isinstance(node, UfuncCall) or node.dtype.itemsize != source.dtype.itemsize:
        return False
    return space.part(node) == space.part(source)
