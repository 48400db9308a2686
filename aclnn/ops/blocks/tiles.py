"""DynamicBlockQuant: tiles of rows and columns that share a FLOAT scale; also in groups of rows."""

from math import prod
from typing import Any, Final

import numpy as np

from aclnn.op import (
    HALVES, TILING, Arguments, Array, Bad, DataTypes, Planning, Relation, Series, Shape, T, demand, done, generated,
    in_memory, in_parts, listed, not_negative, one_of, planned, ranks, same_shape, shape, store, widen, with_elements,
)  # fmt: skip
from aclnn.ops.grouped._family import ENDS
from aclnn.ops.grouped._kernels import check_groups, parts
from aclnn.ops.quantisation._family import LIMITS, named_type

MODE, ROWS, COLUMNS, Y, SCALE = "roundModeOptional", "rowBlockSize", "colBlockSize", "yOut", "scaleOut"
INPUTS: Final = DataTypes(HALVES, {Series.A950: (T.ACL_FLOAT,)})
FLOATS: Final = (T.ACL_HIFLOAT8, T.ACL_FLOAT8_E5M2, T.ACL_FLOAT8_E4M3FN)
RESULTS: Final = DataTypes((T.ACL_INT8,), {Series.A950: FLOATS})
SIZES: Final = {ROWS: (1, 64, 128, 256, 512), COLUMNS: (64, 128, 192, 256)}
"""rows and columns of a tile on Ascend 950"""
OLD_SIZES: Final = {ROWS: (1,), COLUMNS: (1, 128)}
TOPS: Final = (0.0, 15.0, 56.0, 224.0, 32768.0)
"""dstTypeMax of HIFLOAT8"""


def newest(a: Arguments) -> bool:
    return a.soc.series is Series.A950


def other_size(name: str) -> Relation:
    def bad(a: Arguments) -> Bad:
        allowed = (SIZES if newest(a) else OLD_SIZES)[name]
        return None if a[name] in allowed else (a[name], " or ".join(map(str, allowed)))

    return demand("{0} is a size of tiles that the product has", name, bad=bad, status=TILING)


def other_mode(a: Arguments) -> Bad:
    allowed = "round" if a.dtype(Y) == T.ACL_HIFLOAT8 else "rint"
    return None if a[MODE] == allowed else (repr(a[MODE]), repr(allowed))


def other_top(a: Arguments) -> Bad:
    allowed = TOPS if a.dtype(Y) == T.ACL_HIFLOAT8 else TOPS[:1]
    return None if a["dstTypeMax"] in allowed else (a["dstTypeMax"], " or ".join(map(str, allowed)))


def count(size: int, tile: int) -> int:
    return -(-size // tile)


def scale_shape(a: Arguments) -> Shape:
    *lead, rows, columns = a.shape("x")
    return (*lead, count(rows, a[ROWS]), count(columns, a[COLUMNS]))


def values(*, top: bool) -> tuple[Relation, ...]:
    """The checks of values, in the order of the host code. `top`: the version has dstTypeMax."""
    largest = demand("{0} is one that the data type of {1} has", "dstTypeMax", Y, bad=other_top, status=TILING)
    return (
        *map(other_size, SIZES), *([largest] if top else []), named_type("dstType", Y, status=TILING),
        demand("{0} is the rounding of the data type of {1}", MODE, Y, bad=other_mode, status=TILING),
        not_negative("minScale", status=TILING), ranks("x", status=TILING),
    )  # fmt: skip


def contract(*, top: bool) -> tuple[Relation, ...]:
    return (
        generated(), listed("x", among=INPUTS), listed(Y, among=RESULTS), listed(SCALE), *values(top=top),
        with_elements("x", status=TILING), same_shape(Y, "x", status=TILING),
        shape(SCALE, "{0} has a scale for each tile", scale_shape, status=TILING),
    )  # fmt: skip


def form(p: Planning) -> dict[str, Any]:
    """The attributes of the kernel."""
    dtype = p.dtype(Y)
    return {"rows": p[ROWS], "columns": p[COLUMNS], "least": p["minScale"], "most": LIMITS[dtype][1],
            "whole": dtype == T.ACL_INT8}  # fmt: skip


def flat(p: Planning) -> Shape:
    whole = p.shape("x")
    return prod(whole[:-2]), *whole[-2:]


def plan(p: Planning) -> None:
    x = p.builder.reshape(p.read("x"), flat(p))
    tiles = (x.shape[0], *scale_shape(p)[-2:])
    kernel = by_tiles if newest(p) else by_short_rows
    y, scale = p.steps(kernel, [x], [(x.shape, p.dtype(Y)), (tiles, T.ACL_FLOAT)], **form(p))
    p.store(Y, p.builder.reshape(y, p.shape("x")))
    p.store(SCALE, p.builder.reshape(scale, scale_shape(p)))


def tiled(x: Array, rows: int, columns: int) -> Array:
    """x of (batch, rows, columns), filled with zeros, as (batch, tiles down, rows, tiles across, columns)."""
    batch, height, width = x.shape
    down, across = count(height, rows), count(width, columns)
    whole = np.zeros((batch, down * rows, across * columns), np.float32)
    whole[:, :height, :width] = x
    return whole.reshape(batch, down, rows, across, columns)


def spread(table: Array, x: Array, rows: int, columns: int) -> Array:
    """A value of each tile, for each element of x."""
    return np.repeat(np.repeat(table, rows, 1), columns, 2)[:, : x.shape[1], : x.shape[2]]


def numbers(scaled: Array, most: float, *, whole: bool) -> Array:
    """Numbers that saturate; NaN becomes 0."""
    rounded = np.rint(scaled) if whole else scaled
    least = -most - 1 if whole else -most
    return np.where(np.isnan(rounded), np.float32(0), np.clip(rounded, np.float32(least), np.float32(most)))


@in_parts(first=1)
def by_tiles(
    x: Array, *, rows: int, columns: int, least: float, most: float, whole: bool, finite: bool = True
) -> tuple[Array, Array]:  # fmt: skip
    """x / scale, and the scale of each tile: the largest magnitude / `most`, at most 1 / `least`. `finite`: infinities
    and NaN do not count."""
    magnitudes = np.abs(tiled(x, rows, columns))
    if finite:
        magnitudes = np.where(np.isfinite(magnitudes), magnitudes, np.float32(0))
    scale: Array = magnitudes.max((2, 4)) / np.float32(most)
    if least > 0:
        scale = np.where(np.isfinite(scale), np.minimum(scale, np.float32(1 / least)), scale)
    return numbers(x / spread(scale, x, rows, columns), most, whole=whole), scale


@in_parts(first=2)
def by_short_rows(
    x: Array, *, rows: int, columns: int, least: float, most: float, whole: bool
) -> tuple[Array, Array]:  # fmt: skip
    """The formula of products before Ascend 950: x is multiplied by the reciprocal of a scale."""
    largest = np.abs(tiled(x, rows, columns)).max((2, 4))
    factor: Array = (1 / largest) * np.float32(most)
    scale: Array = largest * np.float32(1 / most)
    if least > 0:
        factor, scale = np.maximum(factor, np.float32(least)), np.minimum(scale, np.float32(1 / least))
    return numbers(x * spread(factor, x, rows, columns), most, whole=whole), scale


@planned("aclnnDynamicBlockQuant", *contract(top=False))
def dynamic_block_quant(p: Planning) -> None:
    """scaleOut = max|x| / M of each tile of rowBlockSize x colBlockSize elements of the last two dimensions, at most 1
    / minScale; yOut = x / scaleOut, rounded and saturated; M is the greatest number of the data type of yOut.
    Infinities and NaN do not count for scaleOut on Ascend 950."""
    plan(p)


@planned("aclnnDynamicBlockQuantV2", *contract(top=True))
def dynamic_block_quant_v2(p: Planning) -> None:
    """Like aclnnDynamicBlockQuant. dstTypeMax is for HIFLOAT8."""
    plan(p)


# groups of rows

GROUPS = "groupList"


def group_scales(a: Arguments) -> Shape:
    *lead, rows, columns = a.shape("x")
    return (*lead, rows // a[ROWS] + a.shape(GROUPS)[0], count(columns, a[COLUMNS]))


def grouped(*, top: bool) -> tuple[Relation, ...]:
    return (
        generated(), listed("x", GROUPS, Y, SCALE), *values(top=top), ranks(GROUPS, status=TILING),
        one_of("groupListType", ENDS, status=TILING), same_shape(Y, "x", status=TILING),
        shape(SCALE, "{0} has the tiles of whole rows, and one for each group", group_scales, status=TILING),
        done("yOut and scaleOut are empty", Y, SCALE, when=lambda a: a[Y].numel == a[SCALE].numel == 0),
        with_elements("x", status=TILING),
    )  # fmt: skip


def plan_groups(p: Planning) -> None:
    x, ends = p.read("x"), p.read(GROUPS)
    p.builder.launch(check_groups, [ends], [], name=GROUPS, kind=ENDS, count=x.shape[-2], number=ends.shape[0])
    outputs = [p.builder.written(p[name]) for name in (Y, SCALE)]
    p.builder.launch(in_groups, [x, ends], outputs, **form(p))


@in_memory
def in_groups(x: Array, ends: Array, *, out: list[Array], rows: int, **attributes: Any) -> None:
    """Each group has tiles of its own. Rows, and scales, that no group has keep their values."""
    results, scales = out
    for group, start, end in parts(ends, ENDS, x.shape[-2]):
        if start < end:
            lines: Array = widen(x[..., start:end, :])
            y, scale = by_tiles(lines.reshape(-1, *lines.shape[-2:]), rows=rows, finite=False, **attributes)
            store(np.reshape(y, lines.shape), results[..., start:end, :])
            first = start // rows + group
            part = scales[..., first : first + scale.shape[1], :]
            part[...] = scale.reshape(part.shape)


@planned("aclnnGroupedDynamicBlockQuant", *grouped(top=False))
def grouped_dynamic_block_quant(p: Planning) -> None:
    """aclnnDynamicBlockQuant of each group of rows, in which infinities and NaN count. Group g ends before row
    groupList[g]. The scales of a group that begins at row s begin at row s // rowBlockSize + g of scaleOut."""
    plan_groups(p)


@planned("aclnnGroupedDynamicBlockQuantV2", *grouped(top=True))
def grouped_dynamic_block_quant_v2(p: Planning) -> None:
    """Like aclnnGroupedDynamicBlockQuant. dstTypeMax is for HIFLOAT8."""
    plan_groups(p)
