"""The gradient of SparseFlashAttention."""

from typing import Final

import numpy as np

from aclnn.op import (
    TILING, Arguments, Array, Bad, Planning, demand, generated, listed, may_be_null, needed_if,
    only_if, planned, positive, same_dtype, shape, widen,
)  # fmt: skip
from aclnn.ops.sparse._rows import attended_back
from aclnn.ops.sparse._rules import (
    Names, forms, layouts, lengths, others, rows_shape, sized, tiled, windows, wrong_ranks,
)  # fmt: skip
from aclnn.ops.sparse._sequences import Forms, sequences
from aclnn.ops.sparse.flash import POWERS, ROPES, SIZE, rows_of_heads, seen_places, wrong_ropes

LAYOUT: Final = "layoutOptional"
NAMES: Final = Names(LAYOUT, "actualSeqLengthsKvOptional", LAYOUT, table=None)
BLOCK: Final = "sparseBlockSize"
UNIT, MOST = 1024, 8192
"""the divisor and the largest number of elements of a list"""
RESULTS: Final = {
    "dQueryOut": "query", "dKeyOut": "key", "dValueOut": "value", "dQueryRopeOutOptional": "queryRopeOptional",
    "dKeyRopeOutOptional": "keyRopeOptional",
}  # fmt: skip
OPTIONAL: Final = ("value", "dValueOut", NAMES.query_lengths, NAMES.lengths, *ROPES, *list(RESULTS)[3:])


def wrong_indices(a: Arguments) -> Bad:
    shape, lead = a.shape("sparseIndices"), (*rows_shape(a), 1)
    good = shape[:-1] == lead and shape[-1] % UNIT == 0 and UNIT <= shape[-1] <= MOST
    return None if good else (list(shape), f"{list(lead)}, and a multiple of {UNIT} up to {MOST}")


@planned(
    "aclnnSparseFlashAttentionGrad", generated(), may_be_null(*OPTIONAL),
    needed_if("dValueOut", "value"),
    listed("query", "key", "value", "sparseIndices", "dOut", "out", "softmaxMax", "softmaxSum", NAMES.query_lengths,
           NAMES.lengths, *ROPES, *RESULTS),
    *layouts(NAMES), *windows(), positive(BLOCK, status=TILING), *lengths(NAMES),
    *(same_dtype(name, "query", status=TILING) for name in ("key", "value", "dOut", "out")),
    tiled("{0} and {1} have the dimensions of their layout", "query", "key", bad=wrong_ranks(NAMES)),
    tiled("{0} and {1} have heads and sizes that the operator supports", "query", "key",
          bad=sized(NAMES, POWERS, range(1, 129), SIZE)),
    shape("value", "{0} has the shape of key", lambda a: a.shape("key"), status=TILING),
    only_if("a rotary part is given", lambda a: any(map(a.given, ROPES)),
            tiled("{0} comes with rotary parts that fit", "query", bad=wrong_ropes)),
    demand("{0} has a list for each row of query", "sparseIndices", "query", bad=wrong_indices, status=TILING),
    *(shape(name, "{0} has the shape of query", lambda a: a.shape("query"), status=TILING) for name in ("dOut", "out")),
    *(shape(name, "{0} has a number for each head and row", rows_of_heads, status=TILING)
      for name in ("softmaxMax", "softmaxSum")),
)  # fmt: skip
def sparse_flash_attention_grad(p: Planning) -> None:
    """The gradients of aclnnSparseFlashAttention. P = exp(scores - softmaxMax) / softmaxSum over the keys of a list,
    dValue = P^T dOut, dScores = P * (dOut value^T - the sum of dOut * out), dQuery = scaleValue * dScores key,
    dKey = scaleValue * dScores^T query; rotary parts are further elements of query and key. A null value means key:
    then dKey is the sum of dKey and dValue."""
    ropes = all(map(p.given, ROPES))
    optional = others(p, NAMES, **({"qr": "queryRopeOptional", "kr": "keyRopeOptional"} if ropes else {}))
    key = p.read("key")
    inputs = [p.read("query"), key, p.read("value") if p.given("value") else key]
    inputs += [p.read(name) for name in ("sparseIndices", "dOut", "out", "softmaxMax", "softmaxSum")]
    sources = {name: source for name, source in RESULTS.items() if p.given(source)}
    results = p.steps(
        gradients, [*inputs, *optional.values()], [(p.shape(source), p.dtype("query")) for source in sources.values()],
        moves=True, names=tuple(optional), forms=forms(p, NAMES), causal=p["sparseMode"] == 3, scale=p["scaleValue"],
        block=p[BLOCK], of_value=p.given("value"),
    )  # fmt: skip
    for name, result in zip(sources, results, strict=True):
        p.store(name, result)


def gradients(
    q: Array, k: Array, v: Array, indices: Array, grad: Array, out: Array, tops: Array, sums: Array, *more: Array,
    names: tuple[str, ...], forms: Forms, causal: bool, scale: float, block: int, of_value: bool,
) -> tuple[Array, ...]:  # fmt: skip
    optional = dict(zip(names, more, strict=True))
    with_rope = "qr" in optional
    dq, dk, dv = (np.zeros(x.shape, np.float32) for x in (q, k, v))
    if with_rope:
        dq, dk = (np.concatenate([x, np.zeros((*x.shape[:-1], optional["qr"].shape[-1]), np.float32)], -1)
                  for x in (dq, dk))  # fmt: skip
    axis = 0 if forms.packed else 1  # of the heads of keys
    statistics = [np.squeeze(x, axis) for x in (tops, sums)]
    unit = np.float32(scale)
    for sequence in sequences(q, k, optional, forms):
        whole = [sequence.of_keys(x) for x in (k, *((optional["kr"],) if with_rope else ()))]
        keys, values = widen(np.concatenate(whole, 1)), widen(sequence.of_keys(v))
        of_keys, of_values = (x[sequence.keys][:, 0] for x in (dk, dv))
        parts = [x[sequence.rows] for x in (q, *((optional["qr"],) if with_rope else ()))]
        own_grad, own_out, own_tops, own_sums = (x[sequence.rows] for x in (grad, out, *statistics))
        of_queries = dq[sequence.rows]
        for row, places in seen_places(sequence, indices[sequence.rows], block, causal):
            query, slope = widen(np.concatenate([x[row] for x in parts], -1)) * unit, widen(own_grad[row])
            delta = (slope * widen(own_out[row])).sum(-1)
            of_query, of_key, of_value_rows = attended_back(
                query, keys[places], values[places], slope, delta, (own_tops[row], own_sums[row])
            )
            of_queries[row] = of_query * unit
            np.add.at(of_keys, places, of_key)  # the query has the scale
            np.add.at(of_values, places, of_value_rows)
    size = q.shape[-1]
    if not of_value:
        dk[..., :size] += dv
    ropes = (dq[..., size:], dk[..., size:]) if with_rope else ()
    return dq[..., :size], dk[..., :size], *((dv,) if of_value else ()), *ropes
