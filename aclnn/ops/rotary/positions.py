"""RopeWithSinCosCache: rotary position embedding with cosines and sines from a table, by position."""

from typing import Final, cast

import numpy as np

from aclnn.op import (
    PLAN, Arguments, Array, Bad, Planning, T, before_nulls, bits, check_range, demand, in_parts, listed, one_of,
    planned, ranks, refused_by_kernel, same_dtype, same_shape, with_elements,
)  # fmt: skip
from aclnn.ops.rotary.embedding import HALF, INTERLEAVE, rotary

POSITIONS, QUERY, KEY, TABLE, SECTIONS = "positions", "queryIn", "keyIn", "cosSinCache", "mropeSection"
ROTATED: Final = ((QUERY, "queryOut"), (KEY, "keyOut"))
LEGAL: Final = ((16, 24, 24), (8, 12, 12), (24, 20, 20), (11, 11, 10), (16, 16, 16, 16))
"""the allowed sections, besides those that begin with 0"""
ALTERNATING: Final = 1
"""the value of cacheMode with which neighbouring columns belong to different sections"""


def sections(a: Arguments) -> tuple[int, ...]:
    """The number of columns for each row of positions; empty if positions has one row."""
    values = tuple(a[SECTIONS].values) if a.given(SECTIONS) else ()
    return values if values and values[0] else ()


def alternating(a: Arguments) -> bool:
    return a.has("cacheMode") and a["cacheMode"] == ALTERNATING


def columns(a: Arguments) -> int:
    return a.shape(TABLE)[1]


def other_tokens(a: Arguments) -> Bad:
    size, right = a.shape(KEY)[0], a.shape(QUERY)[0]
    return None if size == right else (f"{size} rows", f"{right}, as {QUERY}")


def wrong_sections(a: Arguments) -> Bad:
    values = tuple(a[SECTIONS].values)
    good = len(values) in (3, 4) and min(values) >= 0
    good = good and (not values[0] or (values in LEGAL and 2 * sum(values) == columns(a)))
    return None if good else (list(values), f"one of {[list(each) for each in LEGAL]}, half the columns of {TABLE}")


def zero_head_size(a: Arguments) -> Bad:
    return None if a["headSize"] else (0, "another size")


def wrong_size(a: Arguments) -> Bad:
    step, size, rotated = 512 // bits(a.dtype(QUERY)), a["headSize"], columns(a)
    good = size % step == 0 and rotated % step == 0 and rotated <= size
    return None if good else (f"{size}, beside {rotated} columns", f"multiples of {step}, not below the columns")


def wrong_positions(a: Arguments) -> Bad:
    rows, count = len(sections(a)), a.shape(QUERY)[0]
    good = a.shape(POSITIONS) == (rows, count) if rows else a[POSITIONS].numel == count
    return None if good else (list(a.shape(POSITIONS)), str([rows, count] if rows else [count]))


def four_sections(a: Arguments) -> Bad:
    return (4, "3 sections, as columns alternate") if alternating(a) and len(sections(a)) == 4 else None


CONTRACT: Final = (
    listed(POSITIONS, QUERY), *(same_dtype(name, QUERY) for name in (KEY, TABLE, "queryOut", "keyOut")),
    ranks(QUERY, KEY, TABLE, least=2, most=2), *map(with_elements, (POSITIONS, QUERY, KEY, TABLE)),
    demand("{0} has the rows of {1}", KEY, QUERY, bad=other_tokens),
    *(same_shape(out, name) for name, out in ROTATED),
    demand("{0} are supported sections", SECTIONS, bad=wrong_sections),
    demand("{0} is not 0", "headSize", bad=zero_head_size),
    refused_by_kernel(
        demand("{0} and the columns of {1} are multiples of 64 bytes", "headSize", TABLE, bad=wrong_size),
        demand("{0} has a position for each token, in each section", POSITIONS, bad=wrong_positions),
    ),
)  # fmt: skip


@planned("aclnnRopeWithSinCosCache", *CONTRACT)
def rope_with_sin_cos_cache(p: Planning) -> None:
    """For each token, c and s are the left and right half of the row of cosSinCache at its position. The first elements
    of each head, as many as that row has, are rotated; the others are not changed. x1 and x2 are the halves of these
    elements, or without isNeoxStyle the even and odd ones; they become x1 * c - x2 * s and x2 * c + x1 * s. If
    mropeSection does not begin with 0, positions has several rows: the first mropeSection[0] columns of c and s use the
    positions in the first row, the next mropeSection[1] columns those in the second row, and so on."""
    rotate(p)


@planned(
    "aclnnRopeWithSinCosCacheV2", before_nulls((), one_of("cacheMode", 0, ALTERNATING)), *CONTRACT,
    demand("{0} are 3 if columns alternate", SECTIONS, bad=four_sections, status=PLAN),
)  # fmt: skip
def rope_with_sin_cos_cache_v2(p: Planning) -> None:
    """Like aclnnRopeWithSinCosCache. With cacheMode 1 the rows of positions alternate: below 3 * mropeSection[1], the
    columns 1, 4, 7 and so on use the second row, and the columns 2, 5, 8 and so on the third. All other columns use the
    first row."""
    rotate(p)


def rotate(p: Planning) -> None:
    positions, table = p.read(POSITIONS), p.read(TABLE)
    p.builder.launch(check_range, [positions], [], name=POSITIONS, count=table.shape[0])
    mode, size, tall = HALF if p["isNeoxStyle"] else INTERLEAVE, p["headSize"], p.shape(QUERY)[0]
    cos, sin = p.steps(looked_up, [positions, table], [((tall, columns(p)), T.ACL_FLOAT)] * 2, mode=mode,
                       rows=rows_of_columns(p))  # fmt: skip
    for name, out in ROTATED:
        x = p.read(name)
        p.store(out, p.step(heads_rotated, [x, cos, sin], x.shape, x.dtype, mode=mode, size=size))


def rows_of_columns(p: Planning) -> tuple[int, ...]:
    """The row of positions of each column."""
    lengths, half = sections(p), columns(p) // 2
    if not lengths:
        return (0,) * half
    if alternating(p):
        return tuple(d % 3 if d < 3 * lengths[1] else 0 for d in range(half))
    return tuple(row for row, count in enumerate(lengths) for _ in range(count))


def looked_up(positions: Array, table: Array, *, mode: int, rows: tuple[int, ...]) -> tuple[Array, Array]:
    """cos and sin of each token and element. A step before this one reports positions out of range."""
    half = len(rows)
    rows_of_table = np.clip(
        positions.reshape(max(rows) + 1, -1) if max(rows) else positions.reshape(1, -1), 0, len(table) - 1
    )
    places = cast("Array", rows_of_table[list(rows)].T)
    parts = [table[places, np.arange(half) + shift] for shift in (0, half)]
    wide = [np.concatenate([part, part], -1) if mode == HALF else np.repeat(part, 2, -1) for part in parts]
    return wide[0], wide[1]


@in_parts([-1])
def heads_rotated(x: Array, cos: Array, sin: Array, *, mode: int, size: int) -> Array:
    out = np.array(x, np.float32)
    heads = x.shape[1] // size
    if not heads:  # numpy makes no array of a huge `size`, even without elements
        return out
    whole = out[:, : heads * size].reshape(len(x), heads, size)
    whole[..., : cos.shape[1]] = rotary(whole[..., : cos.shape[1]], cos[:, None], sin[:, None], mode=mode)
    out[:, : heads * size] = whole.reshape(len(x), -1)
    return out
