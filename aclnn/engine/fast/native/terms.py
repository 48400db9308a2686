"""The terms of a sum. The instruction of a sum also computes the products and differences that only the sum reads."""

from collections import Counter
from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np

from aclnn.engine.fast.expressions import FLOAT, ExpressionNode, Extreme, Sum, UfuncCall

REDUCE_INSTRUCTIONS: Final[dict[np.ufunc, str]] = {np.add: "sum", np.maximum: "largest", np.minimum: "smallest"}
"""instruction of a reduction without products, by its ufunc"""
NodeTest = Callable[[ExpressionNode], bool]


class SumTerms(NamedTuple):
    """The instruction of a sum and its operands. `vectors` has x, or x and y. `c` has one number for each row of a
    block, or for each column.

    | instruction | terms |
    |---|---|
    | sum | x |
    | dot | x * y |
    | centred_dot | x * (y - c) |
    | squares | (x - c) * (x - c) |
    """

    op: str
    vectors: tuple[ExpressionNode, ...]
    c: ExpressionNode | None = None

    @property
    def sources(self) -> tuple[ExpressionNode, ...]:
        """All operands."""
        return self.vectors if self.c is None else (*self.vectors, self.c)


def terms_of(node: Sum, reads: Counter[ExpressionNode], is_vector: NodeTest, is_centre: NodeTest) -> SumTerms:
    """The terms of a sum. `reads` counts the reads of each node. `is_vector` is true for a node with an element for
    each term, `is_centre` for a node that can be the `c` of a sum."""
    value = node.value
    if isinstance(node, Extreme) or reads[value] != 1 or not isinstance(value, UfuncCall):
        return SumTerms(REDUCE_INSTRUCTIONS[node.ufunc], (value,))
    square = value.ufunc is np.square
    factors = value.sources * 2 if square else value.sources
    product = square or (value.ufunc is np.multiply and len(factors) == 2)
    if not product or not all(factor.dtype == FLOAT and is_vector(factor) for factor in factors):
        return SumTerms("sum", (value,))

    def x_and_c(factor: ExpressionNode, expected_reads: int) -> tuple[ExpressionNode, ExpressionNode] | None:
        """x and c if the factor is x - c and has the expected number of reads, else None."""
        difference = isinstance(factor, UfuncCall) and factor.ufunc is np.subtract and reads[factor] == expected_reads
        if not difference or len(factor.sources) != 2 or any(source.dtype != FLOAT for source in factor.sources):
            return None
        x, c = factor.sources
        return (x, c) if is_vector(x) and is_centre(c) else None

    a, b = factors
    if a is b:
        if centred := x_and_c(a, 1 if square else 2):
            return SumTerms("squares", centred[:1], centred[1])
    elif centred := x_and_c(b, 1):
        return SumTerms("centred_dot", (a, centred[0]), centred[1])
    elif centred := x_and_c(a, 1):
        return SumTerms("centred_dot", (b, centred[0]), centred[1])
    return SumTerms("dot", (a, b))
