"""DynamicDualLevelMxQuant: blocks with a FLOAT scale, whose blocks have scales that are powers of two."""

from math import prod

import numpy as np

from aclnn.op import (
    TILING, Arguments, Array, Planning, Shape, T, empty, generated, in_parts, listed, nibbles, planned,
    positive, ranks, same_dtype, same_shape, shape,
)  # fmt: skip
from aclnn.ops.blocks._contract import fixed, mode, named, rounding, scales, store_blocks, whole_bytes
from aclnn.ops.blocks._grids import GRIDS

MODE, SMOOTH, LARGE, SMALL = "roundModeOptional", "smoothScaleOptional", "level0BlockSize", "level1BlockSize"


def large_blocks(a: Arguments) -> Shape:
    whole = a.shape("x")
    return (*whole[:-1], -(-whole[-1] // a[LARGE]))


@planned(
    "aclnnDynamicDualLevelMxQuant", generated(), nibbles("yOut"),
    listed("x", SMOOTH, "yOut", "level0ScaleOut", "level1ScaleOut"), same_dtype(SMOOTH, "x"), *rounding(MODE, "yOut"),
    *(positive(name, status=TILING) for name in (LARGE, SMALL)), ranks("x", status=TILING),
    shape(SMOOTH, "{0} has a factor for each column of x", lambda a: a.shape("x")[-1:], status=TILING),
    whole_bytes("yOut", "x"), same_shape("yOut", "x", status=TILING),
    shape("level0ScaleOut", "{0} has a scale for each block of level0BlockSize", large_blocks, status=TILING),
    scales("level1ScaleOut", "x", fixed(-1), named(SMALL)), empty("x"),
)  # fmt: skip
def dynamic_dual_level_mx_quant(p: Planning) -> None:
    """v = x * smoothScale. level0ScaleOut = max|v| / 6 of each level0BlockSize elements of a row; yOut and
    level1ScaleOut are aclnnDynamicMxQuant of v / level0ScaleOut, rounded to the data type of x, in blocks of
    level1BlockSize, with scaleAlg 0."""
    x, whole = p.read("x"), p.shape("x")
    flat = prod(whole[:-1]), whole[-1]
    smooth = [p.read(SMOOTH)] if p.given(SMOOTH) else []
    results = [(flat, x.dtype), ((flat[0], large_blocks(p)[-1]), T.ACL_FLOAT)]
    rest, scale = p.steps(divided, [p.builder.reshape(x, flat), *smooth], results, size=p[LARGE],
                          top=GRIDS[T.ACL_FLOAT4_E2M1].most)  # fmt: skip
    p.store("level0ScaleOut", p.builder.reshape(scale, large_blocks(p)))
    store_blocks(p, p.builder.reshape(rest, whole), "yOut", "level1ScaleOut", axis=-1, size=p[SMALL],
                 rounding=mode(p, MODE))  # fmt: skip


@in_parts([-1])
def divided(x: Array, *smooth: Array, size: int, top: float) -> tuple[Array, Array]:
    """Rows divided by the scales of their blocks, and these scales. A block of zeros stays zeros."""
    for factor in smooth:
        x = x * factor
    rows, columns = x.shape
    blocks = np.zeros((rows, -(-columns // size) * size), np.float32)
    blocks[:, :columns] = x
    scale = np.abs(blocks.reshape(rows, -1, size)).max(2) / np.float32(top)
    factors = np.repeat(scale, size, axis=1)[:, :columns]
    return np.where(factors == 0, np.float32(0), x / factors), scale
