"""SparseFlashAttention: attention to the keys that an indexer chose."""

from collections.abc import Iterator
from typing import Final

import numpy as np

from aclnn.op import (
    ACLNN_ERR_RUNTIME_ERROR, TILING, Arguments, Array, Bad, Operator, Planning, Relation, Series, Shape, T,
    before_nulls, demand, generated, listed, may_be_null, needed_if, one_of, only_on, planned, same_dtype, shape, widen,
)  # fmt: skip
from aclnn.ops.attention._demands import Misfit
from aclnn.ops.attention._scores import numbers
from aclnn.ops.sparse._rows import attended
from aclnn.ops.sparse._rules import (
    Names, forms, layouts, lengths, others, rows_shape, sized, tiled, windows, wrong_block, wrong_ranks,
)  # fmt: skip
from aclnn.ops.sparse._sequences import Forms, Sequence, sequences

NAMES: Final = Names("layoutKvOptional", "actualSeqLengthsKvOptional")
SIZE, ROTARY = 512, 64
ROPES: Final = {"queryRopeOptional": "query", "keyRopeOptional": "key"}
BLOCK: Final = "sparseBlockSizeOptional"
POWERS: Final = tuple(1 << exponent for exponent in range(8))
OPTIONAL: Final = (
    "blockTableOptional", "actualSeqLengthsQueryOptional", NAMES.lengths, *ROPES,
)  # fmt: skip
STATISTICS: Final = ("softmaxMax", "softmaxSum")


def wrong_block_size(a: Arguments) -> Bad:
    size = a[BLOCK]
    legal = (1,) if a.soc.series is Series.A950 else POWERS
    if size not in legal:
        return size, ", ".join(map(str, legal))
    rows = a.shape("key")[1]
    return (size, f"a divisor of {rows}") if forms(a, NAMES).paged and rows % size else None


def wrong_ropes(a: Arguments) -> Misfit | None:
    for name, source in ROPES.items():
        if a[name] is None:
            return "query", "given", f"beside {name}"
        if a.shape(name) != (*a.shape(source)[:-1], ROTARY) or a.dtype(name) != a.dtype("query"):
            return "query", f"beside {name} {list(a.shape(name))}", f"{ROTARY} elements for each vector of {source}"
    return None


def wrong_indices(a: Arguments) -> Bad:
    shape, lead = a.shape("sparseIndices"), (*rows_shape(a), 1)
    return None if shape[:-1] == lead and shape[-1:] > (0,) else (list(shape), f"{list(lead)}, and a list")


def rows_of_heads(a: Arguments) -> Shape:
    """The shape of statistics. Keys have one head."""
    *lead, rows, heads, _ = a.shape("query")
    return (*lead, 1, rows, heads)


def statistics_shape(a: Arguments) -> Shape | None:
    return rows_of_heads(a) if a["returnSoftmaxLse"] else None


def wrong_sinks(a: Arguments) -> Bad:
    heads = a.shape("query")[-2]
    return None if a.shape("sinksOptional") == (heads,) else (list(a.shape("sinksOptional")), [heads])


def refused(a: Arguments) -> Bad:
    return "given", "null on this product"


REFUSED: Final = demand(
    "{0} is null on this product", "sinksOptional", bad=refused, status=ACLNN_ERR_RUNTIME_ERROR, provenance="public",
    broken="{0} is given on this product",
)  # fmt: skip


def sparse(name: str, *more: Relation) -> Operator:
    """A version of the operator. `more`: relations of this version alone."""
    sinks = name.endswith("V2")
    optional = (*OPTIONAL, *(("sinksOptional",) if sinks else ()))
    relations = (
        *more, generated(), may_be_null("value", *OPTIONAL, *STATISTICS),
        *(needed_if(statistic, "returnSoftmaxLse") for statistic in STATISTICS),
        listed("query", "key", "value", "sparseIndices", *optional, "attentionOut", *STATISTICS), *layouts(NAMES),
        one_of("attentionMode", 2, status=TILING), *windows(), *lengths(NAMES),
        *(same_dtype(each, "query", status=TILING) for each in ("key", "value", "attentionOut")),
        tiled("{0} and {1} have the dimensions of their layouts", "query", "key", bad=wrong_ranks(NAMES)),
        tiled("{0} and {1} have heads and sizes that the operator supports", "query", "key",
              bad=sized(NAMES, POWERS, range(1, 129), SIZE)),
        tiled("{0} has blocks of whole units", "key", bad=wrong_block(NAMES)),
        demand("{0} is a power of two that divides a block", BLOCK, "key", bad=wrong_block_size, status=TILING),
        shape("value", "{0} has the shape of key", lambda a: a.shape("key"), status=TILING),
        tiled("{0} comes with rotary parts that fit", "query", bad=wrong_ropes),
        demand("{0} has a list for each row of query", "sparseIndices", "query", bad=wrong_indices, status=TILING),
        shape("attentionOut", "{0} has the shape of query", lambda a: a.shape("query"), status=TILING),
        *(shape(each, "{0} has a number for each head and row", statistics_shape, status=TILING)
          for each in STATISTICS),
        *((demand("{0} has a number for each head", "sinksOptional", bad=wrong_sinks, status=TILING),) if sinks
          else ()),
    )  # fmt: skip

    def plan(p: Planning) -> None:
        attend(p)

    plan.__doc__ = (
        "attentionOut = softmax(scaleValue * (query @ key^T + queryRope @ keyRope^T)) @ value over the keys that "
        "sparseIndices lists for each row: blocks of sparseBlockSize keys, up to the first -1. With sparseMode 3 row i "
        "sees keys up to i + (keys - rows) of its batch. The probabilities are rounded to the data type of query. A "
        "row without keys is 0. A null value means key."
    )
    return planned(name, *relations)(plan)


def attend(p: Planning) -> None:
    more = {"qr": "queryRopeOptional", "kr": "keyRopeOptional"}
    if p.has("sinksOptional"):
        more["sinks"] = "sinksOptional"
    optional = others(p, NAMES, **more)
    key = p.read("key")
    inputs = [p.read("query"), key, p.read("value") if p.given("value") else key, p.read("sparseIndices")]
    of_rows = (rows_of_heads(p), T.ACL_FLOAT)
    results = p.steps(
        chosen_attention, [*inputs, *optional.values()], [(p.shape("query"), p.dtype("query")), of_rows, of_rows],
        moves=True, names=tuple(optional), forms=forms(p, NAMES), causal=p["sparseMode"] == 3, scale=p["scaleValue"],
        block=p[BLOCK],
    )  # fmt: skip
    p.store("attentionOut", results[0])
    if p["returnSoftmaxLse"]:
        for name, result in zip(STATISTICS, results[1:], strict=True):
            p.store(name, result)


def chosen_attention(
    q: Array, k: Array, v: Array, indices: Array, *more: Array, names: tuple[str, ...], forms: Forms, causal: bool,
    scale: float, block: int,
) -> tuple[Array, Array, Array]:  # fmt: skip
    """The output, the largest scores, and the sums of exp(score - largest)."""
    optional = dict(zip(names, more, strict=True))
    out = np.zeros(q.shape, np.float32)
    tops: Array = np.zeros(q.shape[:-1], np.float32)
    sums: Array = np.zeros(q.shape[:-1], np.float32)
    sinks = optional.get("sinks")
    if sinks is not None:
        tops[...], sums[...] = sinks, 1
    for sequence in sequences(q, k, optional, forms):
        rows, lists = [x[sequence.rows] for x in (q, optional["qr"])], indices[sequence.rows]
        keys = widen(np.concatenate([sequence.of_keys(x) for x in (k, optional["kr"])], 1))
        values = keys[:, : k.shape[-1]] if v is k else widen(sequence.of_keys(v))
        targets = [x[sequence.rows] for x in (out, tops, sums)]
        for row, places in seen_places(sequence, lists, block, causal):
            query = widen(np.concatenate([x[row] for x in rows], -1)) * np.float32(scale)
            results = attended(query, keys[places], values[places], sinks, q.dtype)
            for target, result in zip(targets, results, strict=True):
                target[row] = result
    axis = 0 if forms.packed else 1  # of the heads of keys
    return out, np.expand_dims(tops, axis), np.expand_dims(sums, axis)


def seen_places(sequence: Sequence, lists: Array, block: int, causal: bool) -> Iterator[tuple[int, Array]]:
    """The rows that see a key, each with the keys of its list that it sees."""
    shift = sequence.key_count - sequence.row_count
    for row in range(sequence.row_count):
        seen = min(row + shift + 1, sequence.key_count) if causal else sequence.key_count
        places = tokens(lists[row, 0], block, sequence.key_count)
        places = places[places < seen]
        if places.size:
            yield row, places


def tokens(ids: Array, block: int, count: int) -> Array:
    """The keys of the blocks that a list has up to its first -1. Keys behind the last one do not exist."""
    ends = np.flatnonzero(ids < 0)
    blocks = ids[: ends[0]] if ends.size else ids
    places = (blocks.astype(np.int64)[:, None] * block + numbers(slice(0, block))).reshape(-1)
    return places[places < count]


sparse_flash_attention = sparse("aclnnSparseFlashAttention")
sparse_flash_attention_v2 = sparse(
    "aclnnSparseFlashAttentionV2", before_nulls((), only_on(Series.A2, REFUSED), only_on(Series.A3, REFUSED))
)
