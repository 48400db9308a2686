"""Paged caches of keys and values: the rows of tokens are written into blocks."""

from functools import partial
from math import prod
from typing import Final

from aclnn.op import (
    TILING, Arguments, Array, Bad, Planning, Relation, Series, bits, check_range, demand, done, in_memory, lacks,
    listed, one_of, only_if, planned, ranks, same_dtype,
)  # fmt: skip


IN_BLOCKS: Final = "PA_NZ"
"""the mode with the elements of a token in groups of 32 bytes"""
SINGLE: Final = "aclnnScatterPaCache"
MODES: Final = (None, "", "Norm", IN_BLOCKS)
PLAIN: Final = (None, "", "None")
COMPRESSING: Final = ("Alibi", "Rope", "Omni", "Nct")
"""modes of scattering that no formula computes"""
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


PACKED: Final = lacks("a key of 4 dimensions, whose tokens are compressed", lambda a: a.rank("key") == 4)


@planned(
    "aclnnScatterPaKvCache", *(lacks(f"scatterMode {mode}", partial(in_mode, mode)) for mode in COMPRESSING), PACKED,
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


@planned(
    SINGLE, PACKED, listed("key"), same_dtype("keyCacheRef", "key"), listed("slotMapping"),
    *(same_dtype(name, "slotMapping") for name in COMPRESSED), ranks("key", least=3, most=4, status=TILING),
    demand("{0} has a slot for each token", "slotMapping", "key",
           bad=lambda a: other_tokens(a) if a.rank("key") == 3 else None, status=TILING),
    only_if("key has 3 dimensions", lambda a: a.rank("key") == 3, cache_of("key", "keyCacheRef")),
    done("key has no elements", "key", when=lambda a: not a["key"].numel),
)  # fmt: skip
def scatter_pa_cache(p: Planning) -> None:
    """keyCache[slot // rows, slot % rows] = key[token], with slot = slotMapping[token]. The rest of the cache is not
    changed; cacheMode has no effect."""
    scattered(p, "key", "keyCacheRef")


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
