"""Shared by the functions of tokens with a routing map: relations, and kernels in both modes.

routingMap[t, e] is true if expert e gets token t. The rows of experts are in the order of experts, then tokens. The
padded mode has `capacity` rows for each expert, whatever the map has."""

from collections.abc import Sequence

import numpy as np

from aclnn.op import Arguments, Array, Bad, Operand, Planning, Relation, T, demand, in_memory, order, row_slices, widen

MAP, PROBS, PLACES = "routingMap", "probsOptional", "sortedIndices"
MOST_PER_TOKEN = 512


def rows_of(name: str, table: str) -> Relation:
    """Checks that a map has a row for each row of a table."""

    def bad(a: Arguments) -> Bad:
        own, expected = a.shape(name)[0], a.shape(table)[0]
        return None if own == expected else (f"{own} rows", f"{expected}, as {table}")

    return demand("{0} has a row for each of {1}", name, table, bad=bad)


def experts_of_rows(chosen: Array, count: int) -> tuple[Array, Array]:
    """The expert and the token of each row, for at most `count` rows."""
    expert, token = np.nonzero(np.transpose(chosen))
    return expert[:count], token[:count]


def sorted_places(p: Planning, places: Operand) -> list[Operand]:
    """Steps of the padded mode: the tokens in ascending order, and the row of each."""
    return p.steps(by_token, [places], [(places.shape, T.ACL_INT32)] * 2)


@in_memory
def by_token(tokens: Array, *, out: Sequence[Array]) -> None:
    ids, rows = out
    rows[...] = order(tokens, 0)
    ids[...] = np.sort(tokens, kind="stable")


@in_memory
def summed(x: Array, ids: Array, rows: Array, *weights: Array, out: Array) -> None:
    """out[ids[i]] = the sum of x[rows[i]] * weights[i], in FLOAT. Positions out of range are skipped."""
    sums = np.zeros(out.shape, np.float32)
    for part in row_slices(len(ids), out.shape[1]):
        token, row = ids[part], rows[part]
        valid = (token >= 0) & (token < len(out)) & (row >= 0) & (row < len(x))
        values = widen(x[row[valid]])
        for factors in weights:
            values = values * widen(factors[part])[valid, None]
        np.add.at(sums, token[valid], values)
    out[...] = sums.astype(out.dtype)


def spread(p: Planning, values: Operand, name: str, *places: Operand, capacity: int) -> Operand:
    """A step: the values of rows, at the token and the expert of each row; 0 elsewhere. `places`: the map; or in the
    padded mode, which has a capacity, the token of each row."""
    return p.step(at_experts, [values, *places], p.shape(name), p.dtype(name), moves=True, capacity=capacity)


@in_memory
def at_experts(values: Array, places: Array, *, out: Array, capacity: int) -> None:
    out[...] = 0
    if capacity:
        expert, token = np.arange(len(values)) // capacity, places
        valid = (token >= 0) & (token < len(out)) & (expert < out.shape[1])
    else:
        expert, token = experts_of_rows(places, len(values))
        valid = np.ones(len(token), bool)
    out[token[valid], expert[valid]] = values[: len(token)][valid]
