"""BlockSparseAttention: attention in tiles of rows and keys, of which a mask chooses some."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from aclnn.op import (
    ACLNN_ERR_INNER_NULLPTR, Arguments, Array, Bad, Operator, Planning, Relation, Series, Shape, T, demand, lacks,
    listed, nulls, one_of, planned, same_dtype, said, shape, widen,
)  # fmt: skip
from aclnn.ops.sparse._rows import attended

INNER: Final = ACLNN_ERR_INNER_NULLPTR
LAYOUTS: Final = {"TND": (0, 1, 2), "BNSD": (2, 1, 3), "BSND": (1, 2, 3)}
"""places of the dimensions S, N and D"""
MASK, TILE = "blockSparseMaskOptional", "blockShapeOptional"
ROWS, KEYS = "actualSeqLengthsOptional", "actualSeqLengthsKvOptional"
USUAL: Final = (128, 128)
UNIT: Final = 128
SIZES: Final = (64, 128)
NO_LIMIT: Final = 2147483647
SCALES: Final = ("qDequantScaleOptional", "kDequantScaleOptional", "vDequantScaleOptional")


@dataclass(frozen=True)
class Sizes:
    batches: int
    heads: int
    rows: int
    """rows of the longest batch"""
    size: int


def sizes(a: Arguments, name: str, lengths: str) -> Sizes:
    layout, own = a["qInputLayout"], a.shape(name)
    rows, heads, size = (own[place] for place in LAYOUTS[layout])
    if layout == "TND":
        numbers = a[lengths].values
        return Sizes(len(numbers), heads, max(numbers, default=0), size)
    return Sizes(own[0], heads, rows, size)


def tile(a: Arguments) -> tuple[int, int]:
    rows, keys = a[TILE].values[:2] if a.given(TILE) else USUAL
    return rows, keys


def other_layouts(a: Arguments) -> Bad:
    good = a["qInputLayout"] == a["kvInputLayout"]
    return None if good else (repr(a["kvInputLayout"]), repr(a["qInputLayout"]))


def wrong_tile(a: Arguments) -> Bad:
    values = a[TILE].values
    return None if len(values) >= 2 and min(values[:2]) > 0 else (list(values), "two positive numbers")


def precisions(a: Arguments) -> Bad:
    legal = (0, 1, 4) if a.soc.series is Series.A950 else (0, 1)
    return None if a["innerPrecise"] in legal else (a["innerPrecise"], " or ".join(map(str, legal)))


def wrong_mask_rank(a: Arguments) -> Bad:
    return None if a.rank(MASK) == 4 else (list(a.shape(MASK)), "4 dimensions")


def wrong_ranks(a: Arguments) -> Bad:
    rank = len(LAYOUTS[a["qInputLayout"]]) + (a["qInputLayout"] != "TND")
    good = all(a.rank(name) == rank for name in ("query", "key", "value"))
    return None if good else ([a.rank(name) for name in ("query", "key", "value")], f"{rank} dimensions")


def wrong_lengths(a: Arguments) -> Bad:
    are_given = [a.given(name) for name in (ROWS, KEYS)]
    if are_given == [False, False] and a["qInputLayout"] != "TND":
        return None
    if are_given != [True, True]:
        return "null", "given, as the layout or the other list needs it"
    for name, lengths in (("query", ROWS), ("key", KEYS)):
        values, own = a[lengths].values, a.shape(name)
        packed = a["qInputLayout"] == "TND"
        most = own[0] if packed else own[LAYOUTS[a["qInputLayout"]][0]]
        total = sum(values) if packed else max(values, default=0)
        if min(values, default=0) < 0 or total > most or len(values) != (len(a[ROWS].values) if packed else own[0]):
            return list(values), f"lengths of {name} {list(own)}"
    return None


def wrong_sizes(a: Arguments) -> Bad:
    q, k, v = (sizes(a, *names) for names in (("query", ROWS), ("key", KEYS), ("value", KEYS)))
    good = k == v and k.size == q.size and q.size in SIZES and k.batches == q.batches
    if good and k.heads and q.heads % k.heads == 0 and k.heads == a["numKeyValueHeads"]:
        return None
    return list(a.shape("query")), f"64 or 128 elements, and heads for numKeyValueHeads {a['numKeyValueHeads']}"


def wide_tile(a: Arguments) -> Bad:
    return (list(tile(a)), f"a multiple of {UNIT} keys") if tile(a)[1] % UNIT else None


def mask_shape(a: Arguments) -> Shape:
    q, k = sizes(a, "query", ROWS), sizes(a, "key", KEYS)
    rows, keys = tile(a)
    return (q.batches, q.heads, -(-q.rows // rows), -(-k.rows // keys))


def no_tensor(a: Arguments) -> Bad:
    return "given", "null"


def no_mask(a: Arguments) -> Bad:
    return None if a.given(MASK) else ("given", f"beside {MASK}")


def narrow(a: Arguments) -> bool:
    return a.dtype("query") == T.ACL_FLOAT8_E4M3FN or any(a.given(name) for name in SCALES)


def other_out(a: Arguments) -> Bad:
    good = a.dtype("query") in (a.dtype("attentionOut"), T.ACL_FLOAT8_E4M3FN)
    return None if good else (a.type_name("attentionOut"), a.type_name("query"))


def lse_shape(a: Arguments) -> Shape | None:
    return (*a.shape("query")[:-1], 1) if a["softmaxLseFlag"] == 1 else None


def in_tiles(name: str, *more: Relation) -> Operator:
    """A version of the operator. The kernel makes the checks with 561103. `more`: relations of this version alone."""
    relations = (
        nulls("query", "key", "value"), *more, listed("query"),
        *(same_dtype(each, "query") for each in ("key", "value")),
        *(said(each) for each in ("qInputLayout", "kvInputLayout")), one_of("qInputLayout", *LAYOUTS),
        demand("{0} is qInputLayout", "kvInputLayout", bad=other_layouts),
        demand("{0} has two positive numbers", TILE, bad=wrong_tile),
        demand("{0} is one that the product has", "innerPrecise", bad=precisions),
        demand("{0} has 4 dimensions", MASK, bad=wrong_mask_rank),
        demand("{0} comes with a mask of tiles", "query", bad=no_mask, status=INNER),
        listed(MASK, "attentionOut", "softmaxLseOptional", status=INNER),
        *(demand("{0} is null", each, bad=no_tensor, status=INNER, broken="{0} is given")
          for each in ("attenMaskOptional", "blockTableOptional")),
        *(one_of(each, value, status=INNER) for each, value in
          (("maskType", 0), ("blockSize", 0), ("preTokens", NO_LIMIT), ("nextTokens", NO_LIMIT))),
        demand("{0}, key and value have the dimensions of their layout", "query", bad=wrong_ranks, status=INNER),
        demand("{0} comes with the lengths that its layout needs", "query", bad=wrong_lengths, status=INNER),
        demand("{0}, key and value have sizes that fit", "query", bad=wrong_sizes, status=INNER),
        demand("the tiles of {0} have whole units", "query", bad=wide_tile, status=INNER),
        shape(MASK, "{0} has an element for each tile", mask_shape, status=INNER),
        demand("{0} has the data type of query", "attentionOut", "query", bad=other_out, status=INNER),
        shape("attentionOut", "{0} has the shape of query", lambda a: a.shape("query"), status=INNER),
        shape("softmaxLseOptional", "{0} has a number for each head and row", lse_shape, status=INNER),
    )  # fmt: skip

    def plan(p: Planning) -> None:
        attend(p)

    plan.__doc__ = (
        "attentionOut = softmax(scaleValue * query @ key^T) @ value over the keys of the tiles whose element of "
        "blockSparseMask is not 0. blockShape has the rows and keys of a tile. A row without keys is 0. softmaxLse = "
        "the logarithm of the sum of the exponentials, if softmaxLseFlag is 1."
    )
    return planned(name, *relations)(plan)


def attend(p: Planning) -> None:
    q, k = sizes(p, "query", ROWS), sizes(p, "key", KEYS)
    rows, keys = (tuple(p[name].values) if p.given(name) else (own.rows,) * own.batches
                  for name, own in ((ROWS, q), (KEYS, k)))  # fmt: skip
    inputs = [p.read(name) for name in ("query", "key", "value", MASK)]
    of_rows = ((*p.shape("query")[:-1], 1), T.ACL_FLOAT)
    results = p.steps(
        tiled_attention, inputs, [(p.shape("query"), p.dtype("query")), of_rows], moves=True,
        layout=p["qInputLayout"], rows=rows, keys=keys, tile=tile(p), scale=p["scaleValue"],
    )  # fmt: skip
    p.store("attentionOut", results[0])
    if p["softmaxLseFlag"] == 1:
        p.store("softmaxLseOptional", results[1])


def batches_of(x: Array, layout: str, lengths: tuple[int, ...]) -> Iterator[Array]:
    """The rows (N, S, D) of each batch, as views."""
    start = 0
    for batch, count in enumerate(lengths):
        if layout == "TND":
            yield np.swapaxes(x[start : start + count], 0, 1)
        else:
            own = x[batch] if layout == "BNSD" else np.swapaxes(x[batch], 0, 1)
            yield own[:, :count]
        start += count


def tiled_attention(
    q: Array, k: Array, v: Array, mask: Array, *, layout: str, rows: tuple[int, ...], keys: tuple[int, ...],
    tile: tuple[int, int], scale: float,
) -> tuple[Array, Array]:  # fmt: skip
    """The output, and the logarithms of the sums."""
    out = np.zeros(q.shape, np.float32)
    sums: Array = np.full((*q.shape[:-1], 1), np.inf, np.float32)
    lengths = {"query": rows, "key": keys}
    views = (batches_of(x, layout, lengths[of]) for x, of in
             ((q, "query"), (k, "key"), (v, "key"), (out, "query"), (sums, "query")))  # fmt: skip
    for batch, (own_q, own_k, own_v, own_out, own_sums) in enumerate(zip(*views, strict=True)):
        group = len(own_q) // len(own_k)
        for head in range(len(own_q)):
            head_keys, head_values = widen(own_k[head // group]), widen(own_v[head // group])
            for number, chosen in enumerate(mask[batch, head]):
                part = slice(number * tile[0], min((number + 1) * tile[0], own_q.shape[1]))
                seen = np.repeat(chosen != 0, tile[1])[: len(head_keys)]
                if part.stop <= part.start or not seen.any():
                    continue
                queries = widen(own_q[head, part]) * np.float32(scale)
                result, top, total = attended(
                    queries, head_keys[seen], head_values[seen], None, np.dtype(np.float32)
                )  # fmt: skip
                own_out[head, part], own_sums[head, part, 0] = result, top + np.log(total)
    return out, sums


block_sparse_attention = in_tiles("aclnnBlockSparseAttention")
block_sparse_attention_v2 = in_tiles("aclnnBlockSparseAttentionV2", lacks("tensors of 8 bits", narrow))
