"""The terms of a sum: products and differences that nothing else reads are not computed before it."""

from collections import Counter
from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np

from aclnn.engine.fast.expressions import FLOAT, Extreme, Node, Sum, UfuncCall

OF_ALL: Final[dict[np.ufunc, str]] = {np.add: "sum", np.maximum: "largest", np.minimum: "smallest"}
"""the instruction for what is reduced by"""
Test = Callable[[Node], bool]


class Terms(NamedTuple):
    """The instruction of a sum, and what it reads: x, or x and y.
    `c` is one number for a row of a block, or for each of its columns.

    | instruction | terms |
    |---|---|
    | sum | x |
    | dot | x * y |
    | centred_dot | x * (y - c) |
    | squares | (x - c) * (x - c) |
    """

    op: str
    vectors: tuple[Node, ...]
    c: Node | None = None

    @property
    def sources(self) -> tuple[Node, ...]:
        """All that it reads."""
        return self.vectors if self.c is None else (*self.vectors, self.c)


def terms_of(node: Sum, readers: Counter[Node], vector: Test, centre: Test) -> Terms:
    """`readers` counts how often nodes are read. A `vector` has an element for each term; a `centre` can be the `c`
    of a sum."""
    value = node.value
    if isinstance(node, Extreme) or readers[value] != 1 or not isinstance(value, UfuncCall):
        return Terms(OF_ALL[node.ufunc], (value,))
    square = value.ufunc is np.square
    given = value.sources * 2 if square else value.sources
    product = square or (value.ufunc is np.multiply and len(given) == 2)
    if not product or not all(each.dtype == FLOAT and vector(each) for each in given):
        return Terms("sum", (value,))

    def centred(factor: Node, reads: int) -> tuple[Node, Node] | None:
        """x and c, if the factor is x - c, and read so many times."""
        difference = isinstance(factor, UfuncCall) and factor.ufunc is np.subtract and readers[factor] == reads
        if not difference or len(factor.sources) != 2 or any(each.dtype != FLOAT for each in factor.sources):
            return None
        x, c = factor.sources
        return (x, c) if vector(x) and centre(c) else None

    a, b = given
    if a is b:
        if found := centred(a, 1 if square else 2):
            return Terms("squares", found[:1], found[1])
    elif found := centred(b, 1):
        return Terms("centred_dot", (a, found[0]), found[1])
    elif found := centred(a, 1):
        return Terms("centred_dot", (b, found[0]), found[1])
    return Terms("dot", (a, b))
