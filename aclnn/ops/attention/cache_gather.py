"""GatherPaKvCache: rows of a paged cache of keys and values, in the order of tokens."""

from typing import Any, Final

import numpy as np

from aclnn.op import Wording
from aclnn.op import (
    TILING, Arguments, Array, Bad, Planning, Relation, Shape, demand, in_memory, listed, one_of, out_of_range, planned,
    ranks, runs, same_dtype, shape,
)  # fmt: skip
from aclnn.ops.attention.caches import MODES, in_blocks

GATHERED: Final = (("keyCache", "keyRef"), ("valueCache", "valueRef"))


def other_lengths(a: Arguments) -> Bad:
    batch, shape = a.shape("blockTables")[0], a.shape("seqLens")
    expected_shape = (batch + a["isSeqLensCumsum"],)
    return None if shape == expected_shape else (list(shape), list(expected_shape))


def rows_of(cache: str, out: str) -> Relation:
    def expected_shape(a: Arguments) -> Shape | None:
        sizes, tokens = a.shape(cache), a.shape(out)[0]
        if len(sizes) != 4:
            return None
        return (tokens, sizes[1] * sizes[3]) if in_blocks(a) else (tokens, *sizes[2:])

    return shape(out, f"{{0}} has the rows of {cache}", expected_shape)


def without_elements(a: Arguments) -> Bad:
    names = ("keyCache", "valueCache", "blockTables", "seqLens", "keyRef", "valueRef")
    empty = [name for name in names if not a[name].numel]
    return (f"an empty {empty[0]}", "elements") if empty else None


@planned(
    "aclnnGatherPaKvCache", listed("keyCache", "valueCache", "blockTables"), same_dtype("seqLens", "blockTables"),
    same_dtype("keyRef", "keyCache"), same_dtype("valueRef", "valueCache"),
    same_dtype("seqOffsetOptional", "blockTables"),
    ranks("keyCache", "valueCache", least=4, most=4), ranks("blockTables", least=2, most=2),
    ranks("seqLens", "seqOffsetOptional", least=1, most=1), ranks("keyRef", "valueRef", least=2, most=3),
    one_of("cacheMode", *MODES[2:], status=TILING),
    demand("{0} and the other tensors have elements", "keyCache", bad=without_elements, status=TILING),
    demand("{0} has a length for each batch", "seqLens", "blockTables", bad=other_lengths, status=TILING),
    shape("seqOffsetOptional", "{0} has an element for each batch", lambda a: a.shape("blockTables")[:1],
          status=TILING),
    *(rows_of(*pair) for pair in GATHERED),
)  # fmt: skip
def gather_pa_kv_cache(p: Planning) -> None:
    """key = the rows of keyCache of all tokens, one batch after the other: token t of batch b is in row t % rows of
    block blockTables[b, t // rows + seqOffset[b] // rows]. value = these rows of valueCache. seqLens: the number of
    tokens of each batch, or with isSeqLensCumsum its first token. Rows of key behind the last token are not changed."""
    tables = [p.read("blockTables"), p.read("seqLens")]
    tables += [p.read("seqOffsetOptional")] if p.given("seqOffsetOptional") else []
    for cache, out in GATHERED:
        sizes = p.shape(cache)
        shared: dict[str, Any] = {"rows": sizes[2] if in_blocks(p) else sizes[1], "ends": p["isSeqLensCumsum"]}
        p.builder.launch(check_tables, tables, [], name="blockTables", blocks=sizes[0], most=p.shape(out)[0], **shared)
        inputs = [p.builder.view(p[cache]), *tables]
        p.builder.launch(get_tokens, inputs, [p.builder.written(p[out])], blocks=in_blocks(p), **shared)


def tokens_of(lengths: Array, *, ends: bool) -> Array:
    """The number of tokens of each batch."""
    wide = lengths.astype(np.int64)  # sums of INT32 would wrap
    return np.maximum(np.diff(wide) if ends else wide, 0)


def places(
    tables: Array, lengths: Array, offsets: Array | None, *, rows: int, ends: bool, most: int
) -> tuple[Array, Array, Array, Array]:  # fmt: skip
    """For each of the first `most` tokens: its batch, its place in the table of the batch, its row, and a mask of the
    places inside the table."""
    batch = runs(tokens_of(lengths, ends=ends), most)
    token = np.arange(len(batch)) - np.searchsorted(batch, batch)
    first = np.zeros(len(tables), np.int64) if offsets is None else offsets.astype(np.int64) // rows
    column = token // rows + first[batch]
    return batch, column, token % rows, (column >= 0) & (column < tables.shape[1])


def check_tables(
    tables: Array, lengths: Array, offsets: Array | None = None, *, name: str, blocks: int, most: int, rows: int,
    ends: bool,
) -> tuple[()]:  # fmt: skip
    """A step without outputs. It checks that key has a row for each token, and that the block of each token exists."""
    total = int(tokens_of(lengths, ends=ends).sum())
    if total > most:
        raise out_of_range(
            "seqLens",
            Wording("{index} has {tokens} tokens, legal values are {least} to {most} in all.", index="seqLens",
                 tokens=total, least=0, most=most),
        )  # fmt: skip
    batch, column, _, valid = places(tables, lengths, offsets, rows=rows, ends=ends, most=most)
    if not valid.all():
        starts = np.zeros(1) if offsets is None else offsets[batch[~valid]] // rows
        far = (starts < 0) | (starts >= tables.shape[1])
        cause = "seqOffsetOptional" if far.any() else "seqLens"
        text = Wording("{index} asks for more blocks than the {count} of a batch.", index=cause, count=tables.shape[1])
        raise out_of_range(cause, text)
    numbers = tables[batch, column]
    wrong = numbers[(numbers < 0) | (numbers >= blocks)]
    if wrong.size:
        raise out_of_range(
            name,
            Wording("{index} has the block {block}, legal values are {least} to {most}.", index=name, block=wrong[0],
                 least=0, most=blocks - 1),
        )  # fmt: skip
    return ()


@in_memory
def get_tokens(
    cache: Array, tables: Array, lengths: Array, offsets: Array | None = None, *, out: Array, rows: int, ends: bool,
    blocks: bool,
) -> None:  # fmt: skip
    """Copy the rows of tokens from the cache to `out`. A token without a block is skipped."""
    batch, column, row, valid = places(tables, lengths, offsets, rows=rows, ends=ends, most=len(out))
    block = np.where(valid, tables[batch, np.where(valid, column, 0)], -1)
    valid &= (block >= 0) & (block < len(cache))
    tokens = np.flatnonzero(valid)
    lines = cache[block[tokens], :, row[tokens]] if blocks else cache[block[tokens], row[tokens]]
    out[tokens] = lines.reshape(len(tokens), *out.shape[1:])
