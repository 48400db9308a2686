"""Paged caches of keys and values: rows of tokens come into blocks, and back."""

from math import prod
from typing import Any, Final

import numpy as np

from acl_runtime.headers.dtypes import Array, bits
from acl_runtime.headers.enums import aclDataType
from acl_runtime.objects.handle_table import Tensor
from acl_runtime.objects.soc import Series
from aclnn.engine.arguments import Arguments, Shape
from aclnn.engine.constraints import TILING
from aclnn.engine.operator import planned
from aclnn.engine.plan import in_memory
from aclnn.engine.plan_builder import Operand
from aclnn.engine.planning import Planning
from aclnn.engine.relation import Relation
from aclnn.engine.steps.indices import check_range, out_of_range
from aclnn.engine.words.shapes import ranks, shape
from aclnn.engine.words.types import listed, same_dtype
from aclnn.engine.words.values import demand, done, one_of, only_if

T = aclDataType
Bad = tuple[object, object] | None
IN_BLOCKS: Final = "PA_NZ"
"""the mode with the elements of a token in groups of 32 bytes"""
SINGLE: Final = "aclnnScatterPaCache"
MODES: Final = (None, "", "Norm", IN_BLOCKS)
COMPRESSED: Final = ("compressLensOptional", "compressSeqOffsetOptional", "seqLensOptional")


def in_blocks(a: Arguments) -> bool:
    """The mode has no effect in ScatterPaCache."""
    name = a.op.c_name()
    return name != SINGLE and a["cacheModeOptional" if "Scatter" in name else "cacheMode"] == IN_BLOCKS


def group(a: Arguments, name: str) -> int:
    """The elements of 32 bytes."""
    return 256 // bits(a.dtype(name))


# ScatterPaKvCache

PAIRS: Final = (("key", "keyCacheRef"), ("value", "valueCacheRef"))


def no_rows(a: Arguments, name: str) -> bool:
    return not a[name].numel


def cache_of(name: str, cache: str) -> Relation:
    """A cache has blocks of rows, which have the heads and elements of a token."""

    def bad(a: Arguments) -> Bad:
        if no_rows(a, name) and name == "value":
            return None
        found = a.shape(cache)
        if in_blocks(a):
            each, size = group(a, name), prod(a.shape(name)[1:])
            fine = len(found) == 4 and found[3] == each and found[1] * each == size
            return None if fine else (list(found), f"[blocks, {size} / {each}, rows, {each}]")
        fine = len(found) == 4 and found[2:] == a.shape(name)[1:]
        return None if fine else (list(found), f"blocks, rows, {list(a.shape(name)[1:])}")

    return demand(f"{{0}} has rows for the tokens of {name}", cache, name, bad=bad, status=TILING)


def other_tokens(a: Arguments) -> Bad:
    found, wanted = a.shape("slotMapping"), a.shape("key")[:1]
    return None if found == wanted else (list(found), list(wanted))


def other_value(a: Arguments) -> Bad:
    fine = no_rows(a, "value") or (a.rank("value") == 3 and a.shape("value")[:2] == a.shape("key")[:2])
    return None if fine else (list(a.shape("value")), "the tokens and heads of key")


def on_950(a: Arguments) -> Bad:
    return (IN_BLOCKS, "Norm") if a.soc.series is Series.A950 and in_blocks(a) else None


def plain(a: Arguments) -> bool:
    """Are the tokens neither compressed nor laid out by strides of the call's?"""
    return a["scatterModeOptional"] in (None, "", "None")


@planned(
    "aclnnScatterPaKvCache", listed("key", "slotMapping"),
    *(same_dtype(name, "key") for name in ("value", "keyCacheRef", "valueCacheRef")),
    *(same_dtype(name, "slotMapping") for name in COMPRESSED),
    one_of("cacheModeOptional", *MODES, status=TILING),
    one_of("scatterModeOptional", None, "", "None", "Alibi", "Rope", "Omni", "Nct", status=TILING),
    demand("{0} is another than PA_NZ on 950", "cacheModeOptional", bad=on_950, status=TILING),
    ranks("key", least=3, most=4, status=TILING),
    demand("{0} has a slot for each token", "slotMapping", "key", bad=lambda a: other_tokens(a) if plain(a) else None,
           status=TILING),
    demand("{0} has the tokens of key, or no elements", "value", "key",
           bad=lambda a: other_value(a) if plain(a) else None, status=TILING),
    *(cache_of(*pair) for pair in PAIRS),
)  # fmt: skip
def scatter_pa_kv_cache(p: Planning) -> None:
    """keyCache[slot // rows, slot % rows] = key[token], with slot = slotMapping[token]; valueCache and value likewise,
    if they have elements. With the mode PA_NZ the elements of a token lie in groups of 32 bytes. The rest of the caches
    stays as it is."""
    if not plain(p) or p.rank("key") != 3:
        p.builder.lacking = f"{p.op.c_name()} with scatterMode {p['scatterModeOptional']!r}"
        return
    for name, cache in PAIRS:
        if name == "value" and no_rows(p, name):
            continue
        scattered(p, name, cache)


@planned(
    SINGLE, listed("key"), same_dtype("keyCacheRef", "key"), listed("slotMapping"),
    *(same_dtype(name, "slotMapping") for name in COMPRESSED), ranks("key", least=3, most=4, status=TILING),
    demand("{0} has a slot for each token", "slotMapping", "key",
           bad=lambda a: other_tokens(a) if a.rank("key") == 3 else None, status=TILING),
    only_if("key has 3 dimensions", lambda a: a.rank("key") == 3, cache_of("key", "keyCacheRef")),
    done("key has no elements", "key", when=lambda a: not a["key"].numel),
)  # fmt: skip
def scatter_pa_cache(p: Planning) -> None:
    """keyCache[slot // rows, slot % rows] = key[token], with slot = slotMapping[token]. The rest of the cache stays as
    it is; cacheMode changes nothing."""
    if p.rank("key") != 3:
        p.builder.lacking = f"{p.op.c_name()} with tokens that are compressed"
        return
    scattered(p, "key", "keyCacheRef")


def scattered(p: Planning, name: str, cache: str) -> None:
    sizes = p.shape(cache)
    rows = sizes[2] if in_blocks(p) else sizes[1]
    slots = p.read("slotMapping")
    p.builder.launch(check_range, [slots], [], name="slotMapping", count=sizes[0] * rows)
    p.builder.launch(put_tokens, [p.read(name), slots], [written(p[cache])], blocks=in_blocks(p))


def written(tensor: Tensor) -> Operand:
    """The memory of a tensor, of which a kernel writes a part."""
    return Operand(tensor.shape, tensor.dtype, tensor.strides, tensor.offset, tensor)


@in_memory
def put_tokens(tokens: Array, slots: Array, *, out: Array, blocks: bool) -> None:
    """The rows of these tokens into a cache. A slot out of range is passed over."""
    rows = out.shape[2] if blocks else out.shape[1]
    there = (slots >= 0) & (slots < len(out) * rows)
    slots, tokens = slots[there], tokens[there]
    block, row = slots // rows, slots % rows
    if blocks:
        out[block, :, row] = tokens.reshape(len(tokens), -1, out.shape[3])
    else:
        out[block, row] = tokens


# GatherPaKvCache

GATHERED: Final = (("keyCache", "keyRef"), ("valueCache", "valueRef"))


def other_lengths(a: Arguments) -> Bad:
    batch, found = a.shape("blockTables")[0], a.shape("seqLens")
    wanted = (batch + a["isSeqLensCumsum"],)
    return None if found == wanted else (list(found), list(wanted))


def rows_of(cache: str, out: str) -> Relation:
    def wanted(a: Arguments) -> Shape | None:
        sizes, tokens = a.shape(cache), a.shape(out)[0]
        if len(sizes) != 4:
            return None
        return (tokens, sizes[1] * sizes[3]) if in_blocks(a) else (tokens, *sizes[2:])

    return shape(out, f"{{0}} has the rows of {cache}", wanted)


def without_elements(a: Arguments) -> Bad:
    names = ("keyCache", "valueCache", "blockTables", "seqLens", "keyRef", "valueRef")
    found = [name for name in names if not a[name].numel]
    return (f"an empty {found[0]}", "elements") if found else None


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
    block blockTables[b, t // rows + seqOffset[b] // rows]. value likewise. seqLens: the tokens of each batch, or with
    isSeqLensCumsum where each begins. Rows of key behind the last token stay as they are."""
    tables = [p.read("blockTables"), p.read("seqLens")]
    tables += [p.read("seqOffsetOptional")] if p.given("seqOffsetOptional") else []
    for cache, out in GATHERED:
        sizes = p.shape(cache)
        shared: dict[str, Any] = {"rows": sizes[2] if in_blocks(p) else sizes[1], "ends": p["isSeqLensCumsum"]}
        p.builder.launch(check_tables, tables, [], name="blockTables", blocks=sizes[0], most=p.shape(out)[0], **shared)
        inputs = [p.builder.view(p[cache]), *tables]
        p.builder.launch(get_tokens, inputs, [written(p[out])], blocks=in_blocks(p), **shared)


def places(
    tables: Array, lengths: Array, offsets: Array | None, *, rows: int, ends: bool
) -> tuple[Array, Array, Array, Array]:  # fmt: skip
    """Of each token its batch, its place in the table of that, its row, and whether the table goes so far."""
    counts = np.maximum(np.diff(lengths) if ends else lengths, 0).astype(np.int64)
    batch = np.repeat(np.arange(len(counts)), counts)
    token = np.arange(len(batch)) - np.repeat(np.cumsum(counts) - counts, counts)
    first = np.zeros(len(counts), np.int64) if offsets is None else offsets.astype(np.int64) // rows
    column = token // rows + first[batch]
    return batch, column, token % rows, (column >= 0) & (column < tables.shape[1])


def check_tables(
    tables: Array, lengths: Array, offsets: Array | None = None, *, name: str, blocks: int, most: int, rows: int,
    ends: bool,
) -> tuple[()]:  # fmt: skip
    """A step without outputs: each token has a block that exists, and there are no more tokens than rows of key."""
    batch, column, _, there = places(tables, lengths, offsets, rows=rows, ends=ends)
    if len(batch) > most:
        raise out_of_range("seqLens", f"seqLens has {len(batch)} tokens, legal values are 0 to {most} in all.")
    if not there.all():
        raise out_of_range("seqLens", f"seqLens asks for more blocks than the {tables.shape[1]} of a batch.")
    found = tables[batch, column]
    wrong = found[(found < 0) | (found >= blocks)]
    if wrong.size:
        raise out_of_range(name, f"{name} has the block {wrong[0]}, legal values are 0 to {blocks - 1}.")
    return ()


@in_memory
def get_tokens(
    cache: Array, tables: Array, lengths: Array, offsets: Array | None = None, *, out: Array, rows: int, ends: bool,
    blocks: bool,
) -> None:  # fmt: skip
    """A token without a block is passed over."""
    batch, column, row, there = places(tables, lengths, offsets, rows=rows, ends=ends)
    there &= np.arange(len(there)) < len(out)
    block = np.where(there, tables[batch, np.where(there, column, 0)], -1)
    there &= (block >= 0) & (block < len(cache))
    at = np.flatnonzero(there)
    lines = cache[block[at], :, row[at]] if blocks else cache[block[at], row[at]]
    out[at] = lines.reshape(len(at), *out.shape[1:])
