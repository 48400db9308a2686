"""LightningIndexer: the keys that fit each query best."""

from collections.abc import Callable, Iterator
from typing import Final

import numpy as np

from aclnn.op import (
    TILING, Arguments, Array, Bad, Planning, Relation, Shape, T, demand, generated, listed, may_be_null, needed_if,
    planned, same_dtype, shape, widen,
)  # fmt: skip
from aclnn.ops.attention._scores import numbers
from aclnn.ops.sparse._rules import (
    PAGED, Names, forms, key_layout, layouts, lengths, others, rows_shape, sized, tiled, windows, wrong_block,
    wrong_ranks,
)  # fmt: skip
from aclnn.ops.sparse._sequences import Forms, Sequence, sequences

NAMES: Final = Names("layoutKeyOptional", "actualSeqLengthsKeyOptional")
SIZE: Final = 128
Scores = Callable[[slice], Array]
"""from some rows of a batch to their scores (rows, keys)"""
PANEL: Final = 1 << 20
"""most scores of heads that exist at once"""


def wrong_count(a: Arguments) -> Bad:
    count = a["sparseCount"]
    good = 1 <= count <= 2048 or (count % 1024 == 0 and count <= 8192)
    return None if good else (count, "1 to 2048, or a multiple of 1024 up to 8192")


def values_of_blocks(a: Arguments) -> Bad:
    return (True, "false, as keys are in blocks") if a["returnValues"] and key_layout(a, NAMES) == PAGED else None


def other_weights(a: Arguments) -> Bad:
    good = a.dtype("weights") in (a.dtype("query"), T.ACL_FLOAT)
    return None if good else (a.type_name("weights"), f"{a.type_name('query')} or DT_FLOAT")


def indices_shape(a: Arguments) -> Shape:
    return (*rows_shape(a), 1, a["sparseCount"])


def values_shape(a: Arguments) -> Shape | None:
    return indices_shape(a) if a["returnValues"] else None


def values_type(a: Arguments) -> Bad:
    good = not a["returnValues"] or a.dtype("sparseValuesOut") == a.dtype("query")
    return None if good else (a.type_name("sparseValuesOut"), f"{a.type_name('query')}, as query")


RELATIONS: Final[tuple[Relation, ...]] = (
    generated(), may_be_null("sparseValuesOut"),
    needed_if("sparseValuesOut", "returnValues"),
    listed("query", "key", "weights", "actualSeqLengthsQueryOptional", NAMES.lengths, "blockTableOptional",
           "sparseIndicesOut", "sparseValuesOut"),
    *layouts(NAMES), demand("{0} is 1 to 2048, or a multiple of 1024", "sparseCount", bad=wrong_count, status=TILING),
    *windows(), demand("{0} is false for keys in blocks", "returnValues", bad=values_of_blocks, status=TILING),
    same_dtype("key", "query", status=TILING),
    demand("{0} have the data type of query, or FLOAT", "weights", "query", bad=other_weights, status=TILING),
    demand("{0} has the data type of query", "sparseValuesOut", "query", bad=values_type, status=TILING),
    *lengths(NAMES), tiled("{0} and {1} have the dimensions of their layouts", "query", "key", bad=wrong_ranks(NAMES)),
    tiled("{0} and {1} have heads and sizes that the operator supports", "query", "key",
          bad=sized(NAMES, range(1, 65), (8, 16, 24, 32, 64), SIZE)),
    tiled("{0} has blocks of whole units", "key", bad=wrong_block(NAMES)),
    shape("weights", "{0} has a weight for each head", lambda a: a.shape("query")[:-1], status=TILING),
    shape("sparseIndicesOut", "{0} has sparseCount elements for each row of query", indices_shape, status=TILING),
    shape("sparseValuesOut", "{0} has the shape of sparseIndicesOut", values_shape, status=TILING),
)  # fmt: skip


@planned("aclnnLightningIndexer", *RELATIONS)
def lightning_indexer(p: Planning) -> None:
    """score[i, j] = the sum over heads h of weights[i, h] * max(0, query[i, h] . key[j]). sparseIndices[i] = the
    positions of the sparseCount largest scores in the sequence of the batch, in descending order; then -1. With
    sparseMode 3 row i sees keys up to i + (keys - rows) of its batch. sparseValues = their scores, then -inf."""
    optional = others(p, NAMES)
    inputs = [p.read("query"), p.read("key"), p.read("weights"), *optional.values()]
    sizes = indices_shape(p)
    types = [T.ACL_INT32, *((p.dtype("query"),) if p["returnValues"] else ())]
    results = p.steps(
        indexed, inputs, [(sizes, dtype) for dtype in types], moves=True, names=tuple(optional), forms=forms(p, NAMES),
        causal=p["sparseMode"] == 3, count=p["sparseCount"], values=p["returnValues"],
    )  # fmt: skip
    for name, result in zip(("sparseIndicesOut", "sparseValuesOut"), results, strict=False):
        p.store(name, result)


def indexed(
    q: Array, k: Array, weights: Array, *more: Array, names: tuple[str, ...], forms: Forms, causal: bool, count: int,
    values: bool,
) -> tuple[Array, ...]:  # fmt: skip
    """Indices, and scores if `values` is true."""

    def score(sequence: Sequence) -> Scores:
        keys, rows, own_weights = widen(sequence.of_keys(k)), q[sequence.rows], weights[sequence.rows]
        return lambda part: weighted(products(widen(rows[part]), keys), widen(own_weights[part]))

    batches = sequences(q, k, dict(zip(names, more, strict=True)), forms)
    indices, scores = selected(q.shape, batches, score, causal, count)
    return (indices, away_from_zero(scores, q.dtype)) if values else (indices,)


def selected(
    shape: Shape, batches: Iterator[Sequence], score: Callable[[Sequence], Scores], causal: bool, count: int
) -> tuple[Array, Array]:  # fmt: skip
    """The indices of the largest scores of each row, and these scores. `shape`: that of queries."""
    indices = np.full((*shape[:-2], 1, count), -1, np.int32)
    scores = np.full(indices.shape, -np.inf, np.float32)
    for sequence in batches:
        score_rows = score(sequence)
        shift = sequence.key_count - sequence.row_count
        most = max(PANEL // max(shape[-2] * sequence.key_count, 1), 1)
        for start in range(0, sequence.row_count, most):
            part = slice(start, min(start + most, sequence.row_count))
            row_scores = score_rows(part)
            visible: Array = np.full(len(row_scores), sequence.key_count)
            if causal:
                visible = np.clip(numbers(part) + shift + 1, 0, sequence.key_count)
            chosen, best = largest(row_scores, visible, count)
            indices[sequence.rows][part, 0, : chosen.shape[1]] = chosen
            scores[sequence.rows][part, 0, : chosen.shape[1]] = best
    return indices, scores


def products(q: Array, keys: Array) -> Array:
    """max(0, q . k) of queries (rows, heads, elements) and keys: (rows, heads, keys)."""
    rows, heads, size = q.shape
    return np.maximum(np.matmul(q.reshape(-1, size), np.swapaxes(keys, 0, 1)), 0).reshape(rows, heads, -1)


def weighted(products: Array, weights: Array) -> Array:
    """The scores (rows, keys)."""
    return np.matmul(weights[:, None], products)[:, 0]


def largest(scores: Array, visible: Array, count: int) -> tuple[Array, Array]:
    """The positions of the largest scores of each row, and these scores; -1 and -inf behind the visible ones. The first
    of equal scores comes first."""
    places = numbers(slice(0, scores.shape[1]))
    hidden = places >= visible[:, None]
    order = np.argsort(np.where(hidden, np.inf, -scores), axis=1, kind="stable")[:, :count]
    beyond = places[: order.shape[1]] >= visible[:, None]
    best = np.take_along_axis(scores, order, 1)
    return np.where(beyond, -1, order), np.where(beyond, np.float32(-np.inf), best)


def away_from_zero(x: Array, dtype: np.dtype[np.generic]) -> Array:
    """x in a data type of 16 bits. A number between two equally near ones becomes the larger magnitude."""
    nearest = x.astype(dtype)
    wide = nearest.astype(np.float64)
    away = (nearest.view(np.uint16) + np.uint16(1)).view(dtype).astype(np.float64)
    with np.errstate(invalid="ignore"):  # infinite ones are no ties
        tie = (np.abs(wide) < np.abs(x)) & (np.abs(x - wide) == np.abs(away - x)) & np.isfinite(x)
    return np.where(tie, away, wide).astype(np.float32)
