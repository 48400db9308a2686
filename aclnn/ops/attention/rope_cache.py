"""KvRmsNormRopeCache: values are normalised, keys are rotated, and both are written into caches."""

from math import prod
from typing import Final, cast

import numpy as np

from aclnn.op import (
    TILING, Arguments, Array, Bad, Planning, Relation, T, bits, check_range, demand, in_memory, in_parts, listed,
    one_of, planned, ranks, required, row_slices, same_dtype, same_shape, shape, total,
)  # fmt: skip
from aclnn.ops.attention._cache_slots import (
    BY_BLOCK, GROUP, IN_GROUPS, block_count, put_in_groups, slots_of_blocks,
)  # fmt: skip

BY_SLOT: Final = ("PA", "PA_BNSD", "PA_NZ")
KEYS: Final = ("kCacheRef", "kRopeScaleOptional", "kRopeOffsetOptional", "kRopeOut")
VALUES: Final = ("ckvCacheRef", "cKvScaleOptional", "cKvOffsetOptional", "cKvOut")
SCALES: Final = (*KEYS[1:3], *VALUES[1:3])


def sizes(a: Arguments) -> tuple[int, int]:
    """The numbers of elements in a row for values and for keys."""
    values = a.shape("gamma")[0]
    return values, a.shape("kv")[3] - values


def wrong_row(a: Arguments) -> Bad:
    values, keys = sizes(a)
    fine = a.shape("kv")[1] == 1 and values > 0 and keys > 0 and keys % 2 == 0
    return None if fine else (list(a.shape("kv")), f"[batches, 1, rows, {values} and an even number]")


def wrong_angles(a: Arguments) -> Bad:
    batch, _, rows, _ = a.shape("kv")
    allowed = [(batch, 1, rows, sizes(a)[1]), (batch, 1, 1, sizes(a)[1])]
    shape = a.shape("cos")
    return None if shape in allowed else (list(shape), " or ".join(str(list(each)) for each in allowed))


def cached(name: str, number: int) -> Relation:
    """Checks that a cache has rows for one part of kv, and in the mode Norm also a block of rows for each batch."""

    def bad(a: Arguments) -> Bad:
        shape, width = a.shape(name), sizes(a)[number]
        if shape[3] != width or not (paged(a) or (shape[0] >= a.shape("kv")[0] and shape[1] == 1)):
            return list(shape), f"rows of {width} elements"
        group = GROUP * 8 // bits(a.dtype(name))
        if a["cacheModeOptional"] in IN_GROUPS and width % group:
            return width, f"a multiple of {group} elements, which are {GROUP} bytes"
        size = rows_of_block(a)
        return (list(shape), f"blocks of {size} rows") if by_block(a) and prod(shape[1:3]) != size else None

    return demand("{0} has rows for its part of kv", name, "kv", "gamma", bad=bad, status=TILING)


def cached_type(name: str, scale: str) -> Relation:
    def bad(a: Arguments) -> Bad:
        narrow = a.dtype(name) in (T.ACL_INT8, T.ACL_HIFLOAT8) and a.given(scale)
        fine = a.dtype(name) == a.dtype("kv") or narrow
        return None if fine else (a.type_name(name), f"{a.type_name('kv')}, or INT8 with {scale}")

    return demand(f"{{0}} has the data type of kv, or INT8 with {scale}", name, "kv", bad=bad, status=TILING)


def by_block(a: Arguments) -> bool:
    """True if index has a slot for each block of a sequence."""
    return a["cacheModeOptional"] in BY_BLOCK


def paged(a: Arguments) -> bool:
    """True if index has slots: rows of a cache, counted through its blocks."""
    return a["cacheModeOptional"] in (*BY_SLOT, *BY_BLOCK)


def rows_of_block(a: Arguments) -> int:
    return prod(a.shape("kCacheRef")[1:3])


def wrong_index(a: Arguments) -> Bad:
    batch, _, rows, _ = a.shape("kv")
    if by_block(a):
        expected_shape = (batch * block_count(rows, rows_of_block(a)),)
    else:
        expected_shape = (batch * rows,) if paged(a) else (batch, rows)
    return None if a.shape("index") == expected_shape else (list(a.shape("index")), list(expected_shape))


def factors(name: str, number: int) -> Relation:
    """Checks that a scale or offset is one number, or one number for each element of a row."""

    def bad(a: Arguments) -> Bad:
        width, shape = sizes(a)[number], a.shape(name)
        return None if shape in ((1,), (width,), (1, width)) else (list(shape), f"[1], [{width}] or [1, {width}]")

    return demand("{0} has a number, or one for each element of a row", name, "kv", "gamma", bad=bad, status=TILING)


def part(number: int) -> Relation:
    name = ("cKvOut", "kRopeOut")[number]
    return shape(
        name, "{0} has the rows of its part of kv", lambda a: (*a.shape("kv")[:3], sizes(a)[number]), status=TILING
    )  # fmt: skip


@planned(
    "aclnnKvRmsNormRopeCache", required("sin"),
    listed("kv", "gamma", "cos", "sin", "index", "kCacheRef", "ckvCacheRef", *SCALES, "kRopeOut", "cKvOut"),
    *(same_dtype(name, "kv", status=TILING) for name in ("gamma", "cos", "sin", "kRopeOut", "cKvOut")),
    cached_type("kCacheRef", KEYS[1]), cached_type("ckvCacheRef", VALUES[1]),
    ranks("kv", "cos", "sin", "kCacheRef", "ckvCacheRef", least=4, most=4, status=TILING),
    ranks("gamma", least=1, most=1, status=TILING),
    one_of("cacheModeOptional", None, "", "Norm", *BY_SLOT, *BY_BLOCK, status=TILING),
    demand("{0} has rows of values and keys", "kv", "gamma", bad=wrong_row, status=TILING),
    demand("{0} has an angle for each pair of a key", "cos", "kv", "gamma", bad=wrong_angles, status=TILING),
    same_shape("sin", "cos", status=TILING),
    demand("{0} has an element for each row of kv, or each block of rows", "index", "kv", bad=wrong_index,
           status=TILING),
    cached("kCacheRef", 1), cached("ckvCacheRef", 0), *(factors(name, 1) for name in KEYS[1:3]),
    *(factors(name, 0) for name in VALUES[1:3]), part(1), part(0),
)  # fmt: skip
def kv_rms_norm_rope_cache(p: Planning) -> None:
    """The first elements of a row of kv, as many as gamma has, are values: cKv = values / sqrt(mean(values^2) +
    epsilon) * gamma. The other elements are keys; the even ones are moved before the odd ones, and kRope = keys * cos +
    rotated(keys) * sin. Both are written to the row of their caches that index selects; -1 skips a row. With BLK
    in the mode, index has the first row of each block. With NZ, the elements of a row lie in groups of 32 bytes.
    isOutputKv writes both to kRopeOut and cKvOut too. A cache of INT8 gets x * scale + offset, rounded, saturated."""
    values, _ = sizes(p)
    kv, index = p.read("kv"), p.read("index")
    if by_block(p):
        batch, _, rows, _ = kv.shape
        index = p.step(slots_of_blocks, [index], (batch * rows,), index.dtype, rows=rows, size=rows_of_block(p))
    normed = p.step(normalised, [kv, p.read("gamma")], p.shape("cKvOut"), T.ACL_FLOAT, epsilon=p["epsilon"])
    turned = p.step(rotated, [kv, p.read("cos"), p.read("sin")], p.shape("kRopeOut"), T.ACL_FLOAT, first=values)
    for result, (cache, scale, offset, out) in ((turned, KEYS), (normed, VALUES)):
        p.builder.launch(check_range, [index], [], name="index", count=places(p, cache), besides=-1)
        names = tuple(name for name in (scale, offset) if p.given(name))
        p.builder.launch(put_rows, [result, index, *map(p.read, names)], [p.builder.written(p[cache])],
                         are_scales=tuple(name == scale for name in names), slots=paged(p),
                         groups=p["cacheModeOptional"] in IN_GROUPS)  # fmt: skip
        if p["isOutputKv"]:
            p.store(out, p.builder.cast(result, p.dtype("kv")))


def places(a: Arguments, cache: str) -> int:
    return prod(a.shape(cache)[:3]) if paged(a) else a.shape(cache)[2]


@in_parts((-1,), whole=[1])
def normalised(kv: Array, gamma: Array, *, epsilon: float) -> Array:
    values = kv[..., : len(gamma)]
    mean = total(values * values, -1, keepdims=True) / np.float32(len(gamma))
    return values / np.sqrt(mean + np.float32(epsilon)) * gamma


@in_parts((-1,))
def rotated(kv: Array, cos: Array, sin: Array, *, first: int) -> Array:
    keys = kv[..., first:]
    even, odd = keys[..., 0::2], keys[..., 1::2]
    return np.concatenate([even, odd], -1) * cos + np.concatenate([-odd, even], -1) * sin


@in_memory
def put_rows(
    rows: Array, index: Array, *factors: Array, out: Array, are_scales: tuple[bool, ...], slots: bool, groups: bool
) -> None:  # fmt: skip
    """Write rows into a cache. `are_scales`: True for a factor that is a scale, False for an offset. `groups`: True for
    a cache with the elements of a row in groups. A row whose index is out of range is skipped."""
    count, width = rows.shape[2:]
    size = out.shape[1] * out.shape[2] if slots else out.shape[2]
    for part in row_slices(len(rows) * count, width):
        lines, places = rows.reshape(-1, width)[part], index.reshape(-1)[part]
        if out.dtype == np.int8:
            for factor, is_scale in zip(factors, are_scales, strict=True):
                lines = lines * factor.reshape(-1) if is_scale else lines + factor.reshape(-1)
            lines = np.clip(np.rint(lines), -128, 127)
        valid = (places >= 0) & (places < (len(out) * size if slots else size))
        lines, places = lines[valid], places[valid]
        if groups:
            put_in_groups(lines, places, out)
        elif slots:
            block, row = places // size, places % size
            out[block, row // out.shape[2], row % out.shape[2]] = lines
        else:
            numbers = cast("Array", np.arange(part.start, part.stop) // count)
            out[numbers[valid], 0, places] = lines
