"""Direct reads: tensors that instructions read from memory, without a copy in a register.

A 16-bit float tensor is read directly if all its readers can widen it themselves. A tensor with rows that are not
contiguous, such as one row for all, is read directly if only sums read it, or only operations.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from aclnn.engine.fast.expressions import FLOAT, ExpressionNode, Leaf, Reshaped, UfuncCall
from aclnn.engine.fast.native.terms import SumTerms

NARROW_TYPES: Final = ("F16", "BF16")
MAX_NARROW_READS: Final = 3
"""the most direct reads of a 16-bit tensor; with more reads, widening it once is faster"""


@dataclass
class ProgramReads:
    """All reads of some programs: the terms of their sums, the sources of their other nodes, and their stored nodes."""

    sums: Sequence[SumTerms]
    sources: Mapping[ExpressionNode, Sequence[ExpressionNode]]
    stored: Sequence[ExpressionNode]

    def only_in_sums(self, leaves: Iterable[Leaf]) -> set[ExpressionNode]:
        """The leaves that only sums read."""
        read = {unreshaped(node) for node in self.stored}
        for node, sources in self.sources.items():
            if not isinstance(node, Reshaped):
                read |= set(map(unreshaped, sources))
        return {leaf for leaf in leaves if leaf not in read}

    def only_in_operations(self, leaves: Iterable[Leaf]) -> set[ExpressionNode]:
        """The leaves of float32 that only operations on float32 read."""
        read = {*self.stored, *(vector for terms in self.sums for vector in terms.sources)}
        for node, sources in self.sources.items():
            operation = isinstance(node, UfuncCall) and all(each.dtype == FLOAT for each in (node, *sources))
            read.update(() if operation else sources)
        return {leaf for leaf in leaves if leaf.dtype == FLOAT and leaf not in read}

    def narrow_leaves(
        self,
        types: Mapping[Leaf, str],
        counts: Mapping[ExpressionNode, int],
        supports_narrow: Callable[[ExpressionNode, str], bool],
    ) -> dict[ExpressionNode, str]:
        """The leaves that stay in 16 bits in a register, with their type.

        `types` has the type of each leaf in memory, `counts` the number of its reads. `supports_narrow` is true if the
        operation of a node can read and write 16-bit floats of a type. Both vectors of a sum have the same type."""
        narrow: dict[ExpressionNode, str] = {
            leaf: type_ for leaf, type_ in types.items() if type_ in NARROW_TYPES and counts[leaf] <= MAX_NARROW_READS
        }
        widened = {*self.stored, *(terms.c for terms in self.sums if terms.c is not None)}
        for node, sources in self.sources.items():
            types_read = {narrow[source] for source in sources if source in narrow}
            if len(types_read) > 1 or not all(supports_narrow(node, type_) for type_ in types_read):
                widened.update(sources)
        while True:  # both vectors of a sum are widened, or none
            narrow = {leaf: type_ for leaf, type_ in narrow.items() if leaf not in widened}
            mixed = [terms for terms in self.sums if len(set(map(narrow.get, terms.vectors))) > 1]
            if not mixed:
                return narrow
            widened = {vector for terms in mixed for vector in terms.vectors}


def unreshaped(node: ExpressionNode) -> ExpressionNode:
    """The node without its reshapes."""
    while isinstance(node, Reshaped):
        node = node.value
    return node
