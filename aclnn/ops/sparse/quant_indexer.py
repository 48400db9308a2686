"""QuantLightningIndexer: the keys that fit each query best, of queries and keys with 8 bits."""

from typing import Final

import numpy as np

from aclnn.op import (
    TILING, Array, Planning, T, generated, in_range, listed, one_of, planned, same_dtype, shape, type_rows,
    widen,
)  # fmt: skip
from aclnn.ops.attention._scores import floats
from aclnn.ops.sparse._rules import (
    forms, layouts, lengths, others, sized, tiled, windows, wrong_block, wrong_ranks,
)  # fmt: skip
from aclnn.ops.sparse._sequences import Forms, Sequence, sequences
from aclnn.ops.sparse.indexer import NAMES, SIZE, Scores, indices_shape, products, selected, weighted

OF_ROWS, OF_KEYS = "queryDequantScale", "keyDequantScale"
FLOATS: Final = (T.ACL_FLOAT16, T.ACL_BF16)
WEIGHTS: Final[dict[int, tuple[int, ...]]] = {
    T.ACL_INT8: FLOATS[:1],
    T.ACL_FLOAT8_E4M3FN: FLOATS,
    T.ACL_HIFLOAT8: FLOATS,
}
SCALES: Final[dict[int, tuple[int, ...]]] = {T.ACL_FLOAT16: (T.ACL_FLOAT16,), T.ACL_BF16: (T.ACL_FLOAT,)}
UNIT: Final = np.float32(1024)
"""divisor of the products of INT8, which keeps them in the range of FLOAT16"""
MOST: Final = 2048


@planned(
    "aclnnQuantLightningIndexer", generated(),
    listed("query", "key", "weights", OF_ROWS, OF_KEYS, "actualSeqLengthsQueryOptional", NAMES.lengths,
           "blockTableOptional", "out"),
    same_dtype("key", "query"), type_rows(("query", "weights"), WEIGHTS), type_rows(("weights", OF_ROWS), SCALES),
    same_dtype(OF_KEYS, OF_ROWS),
    *(one_of(name, 0, status=TILING) for name in ("queryQuantMode", "keyQuantMode")), *layouts(NAMES),
    in_range("sparseCount", 1, MOST, status=TILING), *windows(), *lengths(NAMES),
    tiled("{0} and {1} have the dimensions of their layouts", "query", "key", bad=wrong_ranks(NAMES)),
    tiled("{0} and {1} have heads and sizes that the operator supports", "query", "key",
          bad=sized(NAMES, range(1, 65), range(1, 65), SIZE)),
    tiled("{0} has blocks of whole units", "key", bad=wrong_block(NAMES)),
    *(shape(name, "{0} has a number for each head", lambda a: a.shape("query")[:-1], status=TILING)
      for name in ("weights", OF_ROWS)),
    shape(OF_KEYS, "{0} has a number for each key", lambda a: a.shape("key")[:-1], status=TILING),
    shape("out", "{0} has sparseCount elements for each row of query", indices_shape, status=TILING),
)  # fmt: skip
def quant_lightning_indexer(p: Planning) -> None:
    """score[i, j] = keyDequantScale[j] * the sum over heads h of weights[i, h] * queryDequantScale[i, h] *
    max(0, query[i, h] . key[j]). out[i] = the positions of the sparseCount largest scores in the sequence of the batch,
    in descending order; then -1. With sparseMode 3 row i sees keys up to i + (keys - rows) of its batch. Products of
    INT8 are divided by 1024, and rounded to FLOAT16, like the products of weights and scales."""
    optional = others(p, NAMES)
    inputs = [p.read(name) for name in ("query", "key", "weights", OF_ROWS, OF_KEYS)]
    result = p.step(
        indexed, [*inputs, *optional.values()], p.shape("out"), T.ACL_INT32, moves=True, names=tuple(optional),
        forms=forms(p, NAMES), causal=p["sparseMode"] == 3, count=p["sparseCount"],
    )  # fmt: skip
    p.store("out", result)


def indexed(
    q: Array, k: Array, weights: Array, of_rows: Array, of_keys: Array, *more: Array, names: tuple[str, ...],
    forms: Forms, causal: bool, count: int,
) -> Array:  # fmt: skip
    integers = q.dtype == np.int8

    def score(sequence: Sequence) -> Scores:
        keys, scales = floats(sequence.of_keys(k)), widen(sequence.of_keys(of_keys[..., None]))[:, 0]
        rows, factors = q[sequence.rows], widen(weights[sequence.rows]) * widen(of_rows[sequence.rows])
        if not integers:
            return lambda part: weighted(products(floats(rows[part]), keys), factors[part]) * scales
        factors = half(factors)
        return lambda part: weighted(half(products(floats(rows[part]), keys) / UNIT), factors[part]) * scales

    batches = sequences(q, k, dict(zip(names, more, strict=True)), forms)
    return selected(q.shape, batches, score, causal, count)[0]


def half(x: Array) -> Array:
    """x, rounded to FLOAT16."""
    return x.astype(np.float16).astype(np.float32)
