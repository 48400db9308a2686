"""Tensors that are read as they are in memory: no register is written and read in between.

Floats of 16 bits are widened by the instructions that read them, if all of these can. Rows that are not contiguous stay
where they are if only sums read them.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from aclnn.engine.fast.expressions import Leaf, Node, Reshaped
from aclnn.engine.fast.native.terms import Terms

NARROW: Final = ("F16", "BF16")
MOST_READS: Final = 3
"""of a 16-bit tensor: with more it pays to widen it once"""


@dataclass
class Readers:
    """The nodes of programs: the terms of their sums, and the sources of all other nodes."""

    sums: Sequence[Terms]
    others: Mapping[Node, Sequence[Node]]
    stored: Sequence[Node]

    def only_summed(self, leaves: Iterable[Leaf]) -> set[Node]:
        """The leaves that only sums read."""
        read = {base(each) for each in self.stored}
        for node, sources in self.others.items():
            if not isinstance(node, Reshaped):
                read |= set(map(base, sources))
        return {each for each in leaves if each not in read}

    def narrow(
        self, types: Mapping[Leaf, str], reads: Mapping[Node, int], may: Callable[[Node, str], bool]
    ) -> dict[Node, str]:
        """The leaves of 16-bit floats that nobody widens before, with their type. `types` has the type of each leaf in
        memory; `may` says whether a node's operation can read or write 16-bit floats of a type. The vectors of a sum
        have the same type."""
        found: dict[Node, str] = {
            leaf: type_ for leaf, type_ in types.items() if type_ in NARROW and reads[leaf] <= MOST_READS
        }
        widened = {*self.stored, *(terms.c for terms in self.sums if terms.c is not None)}
        for node, sources in self.others.items():
            mine = {found[each] for each in sources if each in found}
            if len(mine) > 1 or not all(may(node, type_) for type_ in mine):
                widened.update(sources)
        while True:  # a vector that is widened may widen another one of the same sum
            found = {leaf: type_ for leaf, type_ in found.items() if leaf not in widened}
            mixed = [each for each in self.sums if len(set(map(found.get, each.vectors))) > 1]
            if not mixed:
                return found
            widened = {each for terms in mixed for each in terms.vectors}


def base(node: Node) -> Node:
    """The node that has the elements of this one, in another shape."""
    while isinstance(node, Reshaped):
        node = node.value
    return node
