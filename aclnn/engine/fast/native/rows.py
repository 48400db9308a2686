"""How many rows of a tensor share a block of the evaluator."""

from collections.abc import Iterable, Sequence
from typing import Final

from aclnn.engine.fast.expressions import Leaf, Node, UfuncCall, Where
from aclnn.engine.fast.native import library as c

SHORT: Final = 513
"""rows with fewer elements share a block, as the instructions for a block cost as much as some hundred elements"""
SHORT_REPEATED: Final = 192
"""the same where each row has sums of its own, a number of 16 bits, or much arithmetic with a number for each row: such
numbers are spread over all elements of a block"""
FEW: Final = 2
"""operations on numbers of rows that are not much"""


def rows_of_block(sizes: Sequence[int], nodes: Iterable[tuple[Node, tuple[bool, ...]]], *, repeated: bool) -> int:
    """The rows of a block, for a sweep of these sizes. Each node comes with the dimensions that it has. `repeated`: do
    rows use their own sums?"""
    *_, rows, width = sizes
    for_rows = [node for node, (*_, down, across) in nodes if down and not across]
    repeated = repeated or any(isinstance(each, Leaf) and each.array.dtype.itemsize == 2 for each in for_rows)
    repeated = repeated or sum(isinstance(each, UfuncCall | Where) for each in for_rows) > FEW
    return 1 if width >= (SHORT_REPEATED if repeated else SHORT) else max(1, min(rows, c.BLOCK // width))
