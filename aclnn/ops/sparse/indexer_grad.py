"""The gradient of LightningIndexer."""

from typing import Final

import numpy as np

from aclnn.op import (
    TILING, Arguments, Array, Bad, Planning, Relation, demand, generated, listed, may_be_null, one_of, planned,
    same_dtype, same_shape, shape, widen,
)  # fmt: skip
from aclnn.ops.sparse._rules import Names, forms, layouts, lengths, others, rows_shape, sized, tiled, wrong_ranks
from aclnn.ops.sparse._sequences import Forms, sequences
from aclnn.ops.sparse.indexer import SIZE

LENGTHS: Final = ("actualSeqQLenOptional", "actualSeqKvLenOptional")
NAMES: Final = Names("inputLayout", LENGTHS[1], "inputLayout", LENGTHS[0], table=None)
RESULTS: Final = {"dqOut": "query", "dkOut": "key", "dweightsOut": "weights"}


def list_of_rows(name: str) -> Relation:
    """Checks that each row of query has as many elements as a list of keys."""

    def bad(a: Arguments) -> Bad:
        lead, shape, count = rows_shape(a), a.shape(name), a.shape("sparseIndices")[-1:]
        good = count > (0,) and shape in ((*lead, *count), (*lead, 1, *count))
        return None if good else (list(shape), f"{list(lead)}, and a list of sparseIndices")

    return demand("{0} has an element for each key of a list", name, "query", bad=bad, status=TILING)


@planned(
    "aclnnLightningIndexerGrad", generated(), may_be_null(*LENGTHS),
    listed("query", "key", "dy", "sparseIndices", "weights", *LENGTHS, *RESULTS),
    *layouts(NAMES), one_of("sparseMode", 0, 3, status=TILING), *lengths(NAMES),
    *(same_dtype(name, "query", status=TILING) for name in ("key", "dy", "weights")),
    tiled("{0} and {1} have the dimensions of their layout", "query", "key", bad=wrong_ranks(NAMES)),
    tiled("{0} and {1} have heads and sizes that the operator supports", "query", "key",
          bad=sized(NAMES, range(1, 65), range(1, 65), SIZE)),
    *map(list_of_rows, ("sparseIndices", "dy")),
    shape("weights", "{0} has a weight for each head", lambda a: a.shape("query")[:-1], status=TILING),
    *(same_dtype(name, source, status=TILING) for name, source in RESULTS.items()),
    *(same_shape(name, source, status=TILING) for name, source in RESULTS.items()),
)  # fmt: skip
def lightning_indexer_grad(p: Planning) -> None:
    """For row i and the keys j of its list, with s = max(0, query[i, h] . key[j]) and g = dy[i, j] * weights[i, h]
    where s > 0: dweights[i, h] = the sum of dy[i, j] * s over j; dq[i, h] = the sum of g * key[j] over j; dk[j] = the
    sum of g * query[i, h] over i and h. Keys that the row does not see, and negative indices, add nothing."""
    optional = others(p, NAMES)
    inputs = [p.read(name) for name in ("query", "key", "dy", "sparseIndices", "weights")]
    results = p.steps(
        gradients, [*inputs, *optional.values()], [(p.shape(name), p.dtype(name)) for name in RESULTS], moves=True,
        names=tuple(optional), forms=forms(p, NAMES), causal=p["sparseMode"] == 3,
    )  # fmt: skip
    for name, result in zip(RESULTS, results, strict=True):
        p.store(name, result)


def gradients(
    q: Array, k: Array, dy: Array, lists: Array, weights: Array, *more: Array, names: tuple[str, ...], forms: Forms,
    causal: bool,
) -> tuple[Array, Array, Array]:  # fmt: skip
    dq, dk, dw = (np.zeros(x.shape, np.float32) for x in (q, k, weights))
    lists, dy = (x.reshape(*q.shape[:-2], -1) for x in (lists, dy))
    for sequence in sequences(q, k, dict(zip(names, more, strict=True)), forms):
        keys, of_keys = widen(sequence.of_keys(k)), dk[sequence.keys][:, 0]
        own_q, own_dy, own_lists, own_weights = (x[sequence.rows] for x in (q, dy, lists, weights))
        of_q, of_weights = dq[sequence.rows], dw[sequence.rows]
        for row in range(sequence.row_count):
            seen = min(row + sequence.key_count - sequence.row_count + 1 if causal else sequence.key_count,
                       sequence.key_count)  # fmt: skip
            ids = own_lists[row]
            valid = (ids >= 0) & (ids < seen)
            ids, grad, query = ids[valid], widen(own_dy[row][valid]), widen(own_q[row])
            products = np.maximum(np.matmul(query, np.swapaxes(keys[ids], 0, 1)), 0)
            of_weights[row] = np.matmul(products, grad)
            of_products = grad * widen(own_weights[row])[:, None] * (products > 0)
            of_q[row] = np.matmul(of_products, keys[ids])
            np.add.at(of_keys, ids, np.matmul(of_products.T, query))
    return dq, dk, dw
