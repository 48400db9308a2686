"""Paged caches of keys and values: the rows of tokens are written into blocks."""

from collections.abc import Iterator
from functools import partial
from math import prod
from typing import Final

import numpy as np

from aclnn.op import (
    TILING, Arguments, Array, Bad, Planning, Relation, Series, T, bits, check_range, demand, done, in_memory, lacks,
    listed, one_of, only_if, planned, ranks, same_dtype, shape, store, total, widen,
)  # fmt: skip


IN_BLOCKS: Final = "PA_NZ"
"""the mode with the elements of a token in groups of 32 bytes"""
SINGLE: Final = "aclnnScatterPaCache"
MODES: Final = (None, "", "Norm", IN_BLOCKS)
PLAIN: Final = (None, "", "None")
COMPRESSING: Final = ("Alibi", "Rope", "Omni", "Nct")
"""modes of scattering that no formula computes"""
WHOLE: Final = (T.ACL_INT8, T.ACL_UINT8, T.ACL_INT16, T.ACL_UINT16, T.ACL_INT32, T.ACL_UINT32)
COMPRESSED: Final = ("compressLensOptional", "compressSeqOffsetOptional", "seqLensOptional")


def in_blocks(a: Arguments) -> bool:
    """True in the mode PA_NZ; ScatterPaCache ignores its mode."""
    name = a.op.c_name()
    return name != SINGLE and a["cacheModeOptional" if "Scatter" in name else "cacheMode"] == IN_BLOCKS


def group(a: Arguments, name: str) -> int:
    """The number of elements in 32 bytes."""
    return 256 // bits(a.dtype(name))


PAIRS: Final = (("key", "keyCacheRef"), ("value", "valueCacheRef"))


def no_rows(a: Arguments, name: str) -> bool:
    return not a[name].numel


def cache_of(name: str, cache: str) -> Relation:
    """Checks that a row of a cache has the heads and elements of a token."""

    def bad(a: Arguments) -> Bad:
        if no_rows(a, name) and name == "value":
            return None
        shape = a.shape(cache)
        if in_blocks(a):
            heads, size = group(a, name), prod(a.shape(name)[1:])
            fine = len(shape) == 4 and shape[3] == heads and shape[1] * heads == size
            return None if fine else (list(shape), f"[blocks, {size} / {heads}, rows, {heads}]")
        fine = len(shape) == 4 and shape[2:] == a.shape(name)[1:]
        return None if fine else (list(shape), f"blocks, rows, {list(a.shape(name)[1:])}")

    return demand(f"{{0}} has rows for the tokens of {name}", cache, name, bad=bad, status=TILING)


def other_tokens(a: Arguments) -> Bad:
    shape, expected_sizes = a.shape("slotMapping"), a.shape("key")[:1]
    return None if shape == expected_sizes else (list(shape), list(expected_sizes))


def other_value(a: Arguments) -> Bad:
    fine = no_rows(a, "value") or (a.rank("value") == 3 and a.shape("value")[:2] == a.shape("key")[:2])
    return None if fine else (list(a.shape("value")), "the tokens and heads of key")


def on_950(a: Arguments) -> Bad:
    return (IN_BLOCKS, "Norm") if a.soc.series is Series.A950 and in_blocks(a) else None


def plain(a: Arguments) -> bool:
    """True for a call without a mode of scattering."""
    return a["scatterModeOptional"] in PLAIN


def in_mode(mode: str, a: Arguments) -> bool:
    return a["scatterModeOptional"] == mode


@planned(
    "aclnnScatterPaKvCache", *(lacks(f"scatterMode {mode}", partial(in_mode, mode)) for mode in COMPRESSING),
    lacks("a key of 4 dimensions, whose tokens are compressed", lambda a: a.rank("key") == 4),
    listed("key", "slotMapping"),
    *(same_dtype(name, "key") for name in ("value", "keyCacheRef", "valueCacheRef")),
    *(same_dtype(name, "slotMapping") for name in COMPRESSED),
    one_of("cacheModeOptional", *MODES, status=TILING),
    one_of("scatterModeOptional", *PLAIN, *COMPRESSING, status=TILING),
    demand("{0} is not PA_NZ on 950", "cacheModeOptional", bad=on_950, status=TILING),
    ranks("key", least=3, most=4, status=TILING),
    demand("{0} has a slot for each token", "slotMapping", "key", bad=lambda a: other_tokens(a) if plain(a) else None,
           status=TILING),
    demand("{0} has the tokens of key, or no elements", "value", "key",
           bad=lambda a: other_value(a) if plain(a) else None, status=TILING),
    only_if("key has 3 dimensions", lambda a: a.rank("key") == 3, *(cache_of(*pair) for pair in PAIRS)),
    done("key has no elements", "key", when=lambda a: not a["key"].numel),
)  # fmt: skip
def scatter_pa_kv_cache(p: Planning) -> None:
    """keyCache[slot // rows, slot % rows] = key[token], with slot = slotMapping[token]; valueCache gets value in the
    same way, if value has elements. With the mode PA_NZ the elements of a token lie in groups of 32 bytes. The rest of
    the caches is not changed."""
    for name, cache in PAIRS:
        if name == "value" and no_rows(p, name):
            continue
        scattered(p, name, cache)


# keys of 4 dimensions: batches, tokens, heads and elements

LENGTHS, OFFSETS, ENDS = COMPRESSED


def per_head(a: Arguments) -> bool:
    """True if the tokens of each head are compressed."""
    return a.rank("key") == 4


def mean_of_integers(a: Arguments) -> bool:
    return per_head(a) and a.given(OFFSETS) and a.dtype("key") in WHOLE


def missing_partner(a: Arguments) -> Bad:
    missing = [name for name in (LENGTHS, ENDS) if not a.given(name)]
    return (f"no {missing[0]}", "a tensor, as the tokens of each head are compressed") if missing else None


def for_each_head(name: str) -> Relation:
    """Checks that a tensor has a number for each head of each batch."""

    def bad(a: Arguments) -> Bad:
        batches, _, heads, _ = a.shape("key")
        good = a[name].numel == batches * heads
        return None if good else (list(a.shape(name)), f"{batches * heads} elements")

    return demand("{0} has a number for each head of each batch", name, "key", bad=bad, status=TILING)


def other_cache(a: Arguments) -> Bad:
    shape = a.shape("keyCacheRef")
    fine = len(shape) == 4 and shape[2:] == (1, a.shape("key")[3])
    return None if fine else (list(shape), f"blocks, rows, [1, {a.shape('key')[3]}]")


@planned(
    SINGLE, lacks("a mean of integers", mean_of_integers), listed("key"), same_dtype("keyCacheRef", "key"),
    listed("slotMapping"), *(same_dtype(name, "slotMapping") for name in COMPRESSED),
    ranks("key", least=3, most=4, status=TILING),
    demand("{0} has a slot for each token", "slotMapping", "key",
           bad=lambda a: other_tokens(a) if a.rank("key") == 3 else None, status=TILING),
    only_if("key has 3 dimensions", lambda a: a.rank("key") == 3, cache_of("key", "keyCacheRef")),
    only_if("key has 4 dimensions", per_head,
            demand("{0} comes with the numbers of its tokens", "key", bad=missing_partner, status=TILING),
            *map(for_each_head, ("slotMapping", LENGTHS, OFFSETS)),
            shape(ENDS, "{0} has a number for each batch", lambda a: a.shape("key")[:1], status=TILING),
            demand("{0} has rows for the tokens of one head", "keyCacheRef", "key", bad=other_cache, status=TILING)),
    done("key has no elements", "key", when=lambda a: not a["key"].numel),
)  # fmt: skip
def scatter_pa_cache(p: Planning) -> None:
    """keyCache[slot // rows, slot % rows] = key[token], with slot = slotMapping[token]. A key of 4 dimensions has
    batches, tokens, heads and elements. The rows of each head, from its slot on, get the last compressLens tokens below
    seqLens; or with compressSeqOffset the tokens before it, the mean of the next compressLens tokens, and the others
    below seqLens. The rest of the cache is not changed; cacheMode has no effect."""
    if not per_head(p):
        scattered(p, "key", "keyCacheRef")
        return
    batches, length, heads, _ = p.shape("key")
    slots, ends = p.read("slotMapping"), p.read(ENDS)
    lists = {LENGTHS: p.read(LENGTHS), **({OFFSETS: p.read(OFFSETS)} if p.given(OFFSETS) else {})}
    for name, numbers in (*lists.items(), (ENDS, ends)):
        p.builder.launch(check_range, [numbers], [], name=name, count=length + 1)
    placing = [slots, ends, *lists.values()]
    last = p.step(last_slots, placing, (batches * heads,), T.ACL_INT64)
    for places in (slots, last):
        p.builder.launch(check_range, [places], [], name="slotMapping", count=prod(p.shape("keyCacheRef")[:2]))
    p.builder.launch(put_heads, [p.read("key"), *placing], [p.builder.written(p["keyCacheRef"])])


def spans(ends: Array, lengths: Array, offsets: Array | None, most: int) -> Iterator[tuple[slice, slice, slice]]:
    """For each head of each batch: the tokens before those of the mean, these, and the tokens behind them. Without
    offsets there is no mean."""
    count = len(lengths.reshape(-1)) // max(len(ends), 1)
    for number, signed in enumerate(lengths.reshape(-1).tolist()):
        end, length = min(max(int(ends[number // count]), 0), most), max(signed, 0)
        if offsets is None:
            first = max(end - length, 0)
            yield slice(0), slice(first, first), slice(first, end)
        else:
            first = min(max(int(offsets.reshape(-1)[number]), 0), end)
            middle = min(first + length, end)
            yield slice(first), slice(first, middle), slice(middle, end)


def row_count(before: slice, mean: slice, behind: slice) -> int:
    return before.stop + (mean.stop > mean.start) + behind.stop - behind.start


def last_slots(slots: Array, ends: Array, lengths: Array, *offsets: Array) -> Array:
    """The last slot of each head. A head without rows has the slot before its first one, or 0."""
    parts = spans(ends, lengths, *(offsets or (None,)), most=np.iinfo(np.int32).max)
    rows = np.array([row_count(*each) for each in parts], np.int64)
    return np.maximum(slots.reshape(-1) + rows - 1, 0)


@in_memory
def put_heads(key: Array, slots: Array, ends: Array, lengths: Array, *offsets: Array, out: Array) -> None:
    """Write the rows of each head. Rows behind the end of the cache are left out."""
    heads, size = key.shape[2], out.shape[1]
    parts = spans(ends, lengths, *(offsets or (None,)), most=key.shape[1])
    for number, (slot, (before, mean, behind)) in enumerate(zip(slots.reshape(-1).tolist(), parts, strict=True)):
        tokens = key[number // heads, :, number % heads]
        middle = np.empty((int(mean.stop > mean.start), tokens.shape[1]), key.dtype)
        if len(middle):
            store(total(widen(tokens[mean]), 0) / np.float32(mean.stop - mean.start), middle[0])
        rows = np.concatenate((tokens[before], middle, tokens[behind]))
        places = slot + np.arange(len(rows))
        valid = (places >= 0) & (places < len(out) * size)
        out[places[valid] // size, places[valid] % size, 0] = rows[valid]


def scattered(p: Planning, name: str, cache: str) -> None:
    sizes = p.shape(cache)
    rows = sizes[2] if in_blocks(p) else sizes[1]
    slots = p.read("slotMapping")
    p.builder.launch(check_range, [slots], [], name="slotMapping", count=sizes[0] * rows)
    p.builder.launch(put_tokens, [p.read(name), slots], [p.builder.written(p[cache])], blocks=in_blocks(p))


@in_memory
def put_tokens(tokens: Array, slots: Array, *, out: Array, blocks: bool) -> None:
    """Write the rows of tokens into a cache. A slot out of range is skipped."""
    rows = out.shape[2] if blocks else out.shape[1]
    valid = (slots >= 0) & (slots < len(out) * rows)
    slots, tokens = slots[valid], tokens[valid]
    block, row = slots // rows, slots % rows
    if blocks:
        out[block, :, row] = tokens.reshape(len(tokens), out.shape[1], out.shape[3])
    else:
        out[block, row] = tokens
