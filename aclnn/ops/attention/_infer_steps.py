"""Plans attention without a gradient: all batches together if their sizes are equal, else batch by batch."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np

from aclnn.op import (
    QUICK, Array, Attributes, CutDims, Operand, Planning, Shape, T, Tensor, by, check_range, take, with_out,
)  # fmt: skip
from aclnn.ops.attention._infer import (
    compressed,
    full_name,
    heads,
    incremental,
    key_rows,
    layouts,
    lengths,
    mask_sizes,
    members,
    number,
    of_keys,
    option,
    packed,
    paged,
    queries,
    shared,
    shared_length,
    sizes_of_pages,
)
from aclnn.ops.attention._layouts import by_heads, same_place, spread, statistics
from aclnn.ops.attention._quantised import eight_bits, restored, rounded
from aclnn.ops.attention._scores import Band, ScoreRules
from aclnn.ops.attention._steps import TABLE, Attended, appended, attend, clear

SCALES: Final = ("deqScale1", "quantScale1", "deqScale2")
"""scales of the scores, the probabilities and the output, if queries are INT8"""


def infer(p: Planning) -> None:
    query, (head_count, _), (layout, layout_out) = queries(p), heads(p), layouts(p)
    dtype = p.dtype("attentionOut")
    result = p.builder.alloc(p.shape("attentionOut"), T.ACL_FLOAT if dtype == T.ACL_INT8 else dtype)
    q, out = by_heads(p.read("query"), layout, head_count), by_heads(result, layout_out, head_count)
    q = with_rope(p, q, "queryRope", head_count)
    log_sums = p.builder.alloc(
        (query.rows, query.heads, 1) if packed(p) else (query.batches, query.heads, query.rows, 1), T.ACL_FLOAT
    )
    log_sum_outputs = {"lse": statistics(log_sums, packed(p))} if number(p, "softmaxLseFlag", 0) else {}
    scales = {scale: p.read(full_name(p, scale)) for scale in SCALES if p.dtype("query") == T.ACL_INT8}
    written: list[tuple[slice, int]] = []
    for piece in packed_batches(p) if packed(p) else padded_batches(p):
        (k, v, table), count = piece.keys, piece.rows.stop - piece.rows.start
        if table is None:
            k, v = (x.part(slice(None), slice(None), slice(0, piece.columns)) for x in (k, v))
        attended = Attended(
            q.part(piece.batch, slice(None), piece.rows), k, v, rules(p, count, piece.columns),
            shift_and_mask(p, piece.batch, count, piece.columns), scales if table is None else {**scales, TABLE: table},
        )  # fmt: skip
        attend(p, attended, out.part(piece.batch, slice(None), piece.rows),
               {key: x.part(piece.batch, slice(None), piece.rows) for key, x in log_sum_outputs.items()})  # fmt: skip
        written.append((piece.batch, piece.rows.stop))
    for batch, end in written[-1:] if packed(p) else written:
        for x in (out, *log_sum_outputs.values()):
            clear(p, x.part(batch, slice(None), slice(end, query.rows)))
    if dtype == T.ACL_INT8:
        quantised = p.builder.alloc(result.shape, dtype)
        rounded(p, out, by_heads(quantised, layout_out, head_count))
        result = quantised
    p.store("attentionOut", result)
    if log_sum_outputs:
        p.store("softmaxLse", log_sums)


class Keys(NamedTuple):
    """Keys and values (B, N, S, D). With a table they are the blocks of a cache (blocks, N, rows, D), and the table has
    the numbers of the blocks of one batch."""

    k: Operand
    v: Operand
    table: Operand | None = None


@dataclass(frozen=True)
class EqualRows:
    """Batches with equal numbers of rows, and their keys and values."""

    batch: slice
    rows: slice
    keys: Keys
    columns: int
    """the number of used keys"""


def padded_batches(p: Planning) -> list[EqualRows]:
    """All batches together if their sizes are equal, else one after the other."""
    query = queries(p)
    rows = (
        [query.rows] * query.batches if incremental(p) else lengths(p, "actualSeqLengths", [query.rows] * query.batches)
    )
    seen_columns = lengths(p, of_keys(p), key_rows(p))
    equal_sizes = len(set(rows)) == 1 and len(set(seen_columns)) == 1 and len(members(p, "key")) == 1
    if equal_sizes and not paged(p) and option(p, "keySharedPrefix") is None:
        k, v = keys(p)(0)
        keys_and_values = Keys(restored(p, "key", k, 0), restored(p, "value", v, 0))
        return [EqualRows(slice(0, query.batches), slice(0, rows[0]), keys_and_values, seen_columns[0])]
    prefix_rows = 0 if option(p, "keySharedPrefix") is None else shared_length(p)
    return [
        EqualRows(
            slice(batch, batch + 1),
            slice(0, rows[batch]),
            keys_of(p, batch, seen_columns[batch]),
            prefix_rows + seen_columns[batch],
        )
        for batch in range(query.batches)
    ]


def packed_batches(p: Planning) -> list[EqualRows]:
    """The batches of packed tensors."""
    query_ends, key_ends = option(p, "actualSeqLengths").values, option(p, "actualSeqLengthsKv").values
    parts: list[EqualRows] = []
    for batch, (start, end) in enumerate(pairwise((0, *query_ends))):
        if paged(p):
            own_keys, count = keys_of(p, batch, key_ends[batch]), key_ends[batch]
        else:
            first, last = (0, *key_ends)[batch : batch + 2]
            own_keys = Keys(*(x.part(slice(0, 1), slice(None), slice(first, last)) for x in keys(p)(0)))
            count = last - first
        parts.append(EqualRows(slice(0, 1), slice(start, end), own_keys, count))
    return parts


def rules(p: Planning, rows: int, columns: int) -> ScoreRules:
    """The rules for the scores of `rows` queries and `columns` keys."""
    mode, diagonal = number(p, "sparseMode", 0), columns - rows
    low, high = diagonal - number(p, "preTokens", 0), diagonal + number(p, "nextTokens", 0)
    bands = {2: Band(high=0), 3: Band(high=diagonal), 4: Band(low, high)}
    precise = number(p, "innerPrecise", 1)
    if compressed(p):
        return ScoreRules(p["scaleValue"], bands[mode], columns=columns, corrects=True)
    return ScoreRules(p["scaleValue"], columns=columns, corrects=bool(precise & 2))


def shift_and_mask(p: Planning, batch: slice, rows: int, columns: int) -> dict[str, Operand]:
    """The shift, the mask and the sink of these batches, if the call has them."""
    query, matrices = queries(p), dict[str, Operand]()
    sizes = (query.batches, query.heads, query.rows, columns)
    if option(p, "pseShift") is not None:
        matrices["shift"] = spread(p.read(full_name(p, "pseShift")), sizes)
    if option(p, "attenMask") is not None and not compressed(p):
        mask = p.read(full_name(p, "attenMask"))
        batches, mask_rows, count = mask_sizes(p, mask.shape) or (1, 1, 1)
        matrices["mask"] = spread(p.builder.reshape(mask, (batches, 1, mask_rows, count)), sizes)
    sink = option(p, "learnableSink")
    if sink is not None and sink.numel:
        column = p.builder.reshape(p.read(full_name(p, "learnableSink")), (query.heads, 1, 1))
        matrices["sink"] = spread(column, (*sizes[:3], 1))
    return {name: matrix.part(batch, slice(None), slice(0, rows)) for name, matrix in matrices.items()}


def keys(p: Planning) -> Callable[[int], tuple[Operand, Operand]]:
    """A function that returns the n-th tensors of the lists of keys and values, as (B, N, S, D)."""
    layout, (_, count) = layouts(p)[0], heads(p)

    def of(number: int) -> tuple[Operand, Operand]:
        k, v = (by_heads(eight_bits(p, members(p, name)[number]), layout, count) for name in ("key", "value"))
        return with_rope(p, k, "keyRope", count), v

    return of


def with_rope(p: Planning, x: Operand, name: str, count: int) -> Operand:
    """Queries or keys with their rotary part, if the call has one."""
    if option(p, name) is None:
        return x
    return appended(p, x, by_heads(p.read(full_name(p, name)), layouts(p)[0], count))


def keys_of(p: Planning, number: int, length: int) -> Keys:
    """The keys and values of a batch, with the shared prefix in front. Those of a paged cache stay in their blocks,
    except that with a rotary part they are collected."""
    if paged(p):
        k, v = (members(p, name)[0] for name in ("key", "value"))
        rope = option(p, "keyRope")
        if rope is None:
            return Keys(blocks_of(p, k), blocks_of(p, v), table_of(p, k, number, length))
        k, v, rope = (collected(p, tensor, number, length) for tensor in (k, v, rope))
        return Keys(appended(p, k, rope), v)
    several = len(members(p, "key")) > 1
    own_keys = keys(p)(number if several else 0)
    k, v = own_keys if several else (key.part(slice(number, number + 1)) for key in own_keys)
    k, v = restored(p, "key", k, number), restored(p, "value", v, number)
    if option(p, "keySharedPrefix") is None:
        return Keys(k, v)
    return Keys(joined(p, "keySharedPrefix", k, length), joined(p, "valueSharedPrefix", v, length))


def table_of(p: Planning, cache: Tensor, number: int, length: int) -> Operand:
    """The numbers of the blocks of a batch with so many keys. A step checks their range."""
    sizes = sizes_of_pages(cache.shape, heads(p)[1])
    row = p.read(full_name(p, "blockTable")).part(slice(number, number + 1), slice(0, -(-length // sizes.rows)))
    p.builder.launch(check_range, [row], [], name=full_name(p, "blockTable"), count=sizes.batches)
    return row.at(0, 0)


def blocks_of(p: Planning, cache: Tensor) -> Operand:
    """A cache as (blocks, N, rows of a block, D)."""
    dense = p.builder.contiguous(cache)
    return dense if len(cache.shape) == 4 else by_heads(dense, "BSH", heads(p)[1])


def collected(p: Planning, cache: Tensor, number: int, length: int) -> Operand:
    """A step that collects the blocks of a batch from a cache. Returns their rows up to the length."""
    row, blocks = table_of(p, cache, number, length), blocks_of(p, cache)
    count, (_, head_count, rows, size) = row.shape[0], blocks.shape
    if len(cache.shape) == 4:
        result = p.builder.alloc((head_count, count, rows, size), blocks.dtype)
        collected_rows = same_place(result, (1, head_count, count * rows, size))
    else:
        result = p.builder.alloc((count, *cache.shape[1:]), blocks.dtype)
        collected_rows = by_heads(same_place(result, (1, count * rows, cache.shape[2])), "BSH", head_count)
    p.builder.launch(from_blocks, [p.builder.contiguous(cache), row], [result], moves=True, axis=len(result.shape) - 3)
    return collected_rows.part(slice(0, 1), slice(None), slice(0, length))


def of_blocks(inputs: Sequence[Shape], outputs: Sequence[Shape], attributes: Attributes) -> Iterator[CutDims]:
    """The dimension along which a step is cut into parts: that of the blocks."""
    yield None, 0, attributes["axis"]


@with_out
@by(of_blocks, times=QUICK, looked_up=(0,))
def from_blocks(cache: Array, table: Array, *, axis: int, out: Array | None = None) -> Array:
    """The blocks at the positions `table`. With the axis 0 a block is (rows, all heads). With the axis 1 it is (heads,
    rows, sizes), and the result has the blocks of each head behind each other."""
    rows: Array = table
    if axis:
        heads: int = cache.shape[1]
        rows = np.add(table.astype(np.int64) * heads, np.arange(heads).reshape(-1, 1))
        cache = cache.reshape(-1, *cache.shape[2:])
    return take(cache, rows, 0, out=out)


def joined(p: Planning, name: str, rows: Operand, length: int) -> Operand:
    """A step that puts the shared prefix in front of the rows of a batch."""
    sizes, prefix_rows = shared(p, name), shared_length(p)
    prefix = by_heads(p.read(full_name(p, name)), layouts(p)[0], sizes.heads).part(
        slice(0, 1), slice(None), slice(0, prefix_rows)
    )
    rows = rows.part(slice(None), slice(None), slice(0, length))
    result = p.builder.alloc((1, sizes.heads, prefix_rows + length, rows.shape[3]), rows.dtype)
    p.builder.launch(concatenated, [prefix, rows], [result], moves=True)
    return result


def concatenated(prefix: Array, rows: Array) -> Array:
    return np.concatenate([prefix, rows], 2)
