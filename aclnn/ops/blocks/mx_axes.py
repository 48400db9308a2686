"""MX quantisation along two dimensions: blocks of rows and of columns, or tiles that share a scale."""

from math import prod

from aclnn.op import (
    TILING, Arguments, Bad, Planning, Relation, T, demand, empty, generated, listed, nibbles, one_of, planned, ranks,
    same_shape, with_elements,
)  # fmt: skip
from aclnn.ops.blocks._contract import (
    BLOCK, PAIR, algorithm, fixed, greatest, mode, pairs, result, rounding, scales, store_blocks, whole_bytes,
)  # fmt: skip
from aclnn.ops.blocks._grids import CARRIES, GRIDS, Rule, by_tiles
from aclnn.ops.quantisation._family import FLOATS_OF_4_BITS, named_type

MODE, TILES = "roundModeOptional", "yOut"
RESULTS = (("y1Out", "mxscale1Out", -1), ("y2Out", "mxscale2Out", -2))
"""each result, its scales, and the dimension of its blocks"""
SCALES = (("scale1Out", -1), ("scale2Out", -2))


def contract(*besides: Relation) -> tuple[Relation, ...]:
    names = [name for y, scale, _ in RESULTS for name in (y, scale)]
    return (
        generated(), nibbles("y1Out", "y2Out"), listed("x", *names), *rounding(MODE, "y1Out"),
        *(named_type("dstType", y, status=TILING) for y, _, _ in RESULTS), one_of("scaleAlg", 0, 1, 2, status=TILING),
        algorithm("scaleAlg", "y1Out"), *besides, ranks("x", status=TILING), whole_bytes("y1Out", "x"),
        *(same_shape(y, "x", status=TILING) for y, _, _ in RESULTS),
        *(scales(scale, "x", fixed(axis)) for _, scale, axis in RESULTS), empty("x"),
    )  # fmt: skip


def plan(p: Planning, rule: Rule) -> None:
    for y, scale, axis in RESULTS:
        store_blocks(p, p.read("x"), y, scale, axis=axis, rounding=mode(p, MODE), rule=rule)


@planned("aclnnDynamicMxQuantWithDualAxis", *contract())
def dynamic_mx_quant_with_dual_axis(p: Planning) -> None:
    """y1Out and mxscale1Out: aclnnDynamicMxQuant of x along the last dimension, in blocks of 32. y2Out and mxscale2Out:
    the same along the second-last dimension."""
    plan(p, Rule(p["scaleAlg"]))


@planned("aclnnDynamicMxQuantWithDualAxisV2", *contract(greatest("dstTypeMax")))
def dynamic_mx_quant_with_dual_axis_v2(p: Planning) -> None:
    """Like aclnnDynamicMxQuantWithDualAxis, with the dstTypeMax of aclnnDynamicMxQuantV2."""
    plan(p, Rule(p["scaleAlg"], p["dstTypeMax"]))


def other_algorithm(a: Arguments) -> Bad:
    allowed = a["scaleAlg"] == 0 or a.dtype(TILES) == T.ACL_FLOAT4_E2M1
    return None if allowed else (a["scaleAlg"], "0, or 2 with FLOAT4_E2M1")


@planned(
    "aclnnDynamicBlockMxQuant", generated(), nibbles(TILES), listed("x", TILES, "scale1Out", "scale2Out"),
    *rounding(MODE, TILES), one_of("scaleAlg", 0, 2, status=TILING),
    demand("{0} is 0, or the data type of {1} is FLOAT4_E2M1", "scaleAlg", TILES, bad=other_algorithm, status=TILING),
    one_of("dstTypeMax", *CARRIES, status=TILING), ranks("x", status=TILING), with_elements("x", status=TILING),
    *result(TILES, "x"), *(scales(name, "x", fixed(axis)) for name, axis in SCALES),
)  # fmt: skip
def dynamic_block_mx_quant(p: Planning) -> None:
    """A scale 2^e for each tile of 32 x 32 elements of the last two dimensions, by the rules of aclnnDynamicMxQuantV2,
    and yOut = x / 2^e. scale1Out has the scale of each row of a tile, in pairs of tiles along the last dimension;
    scale2Out has that of each column, in pairs along the second-last one."""
    x, dtype = p.read("x"), p.dtype(TILES)
    rows, columns = x.shape[-2:]
    flat = prod(x.shape[:-2]), rows, columns
    bits = dtype in FLOATS_OF_4_BITS
    y = p.builder.reshape(p.nibbles(TILES), flat) if bits else p.builder.alloc(flat, dtype)
    first = p.builder.alloc((flat[0], rows, pairs(columns, BLOCK), PAIR), T.ACL_FLOAT8_E8M0)
    second = p.builder.alloc((flat[0], pairs(rows, BLOCK), columns, PAIR), T.ACL_FLOAT8_E8M0)
    p.builder.launch(
        by_tiles, [p.builder.reshape(x, flat)], [y, first, second], size=BLOCK, grid=GRIDS[dtype],
        rounding=mode(p, MODE), rule=Rule(p["scaleAlg"], p["dstTypeMax"]), bits=bits,
    )  # fmt: skip
    if not bits:
        p.store(TILES, p.builder.reshape(y, x.shape))
    for (name, _), scale in zip(SCALES, (first, second), strict=True):
        p.store(name, p.builder.reshape(scale, p.shape(name)))
