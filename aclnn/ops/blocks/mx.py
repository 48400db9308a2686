"""DynamicMxQuant: blocks along a dimension, each with a scale that is a power of two."""

from aclnn.op import (
    TILING, Arguments, Bad, Planning, Relation, T, axis, demand, empty, generated, listed, nibbles, one_of, planned,
    ranks,
)  # fmt: skip
from aclnn.ops.blocks._contract import (
    BLOCK, algorithm, flattened, greatest, mode, named, result, rounding, scales, store_blocks,
)  # fmt: skip
from aclnn.ops.blocks._grids import Rule

MODE, Y, SCALE = "roundModeOptional", "yOut", "mxscaleOut"
MOST_ELEMENTS = 1024
"""elements of the largest block"""


def wrong_block(a: Arguments) -> Bad:
    size = a["blocksize"]
    return None if 0 < size <= MOST_ELEMENTS and size % BLOCK == 0 else (size, f"{BLOCK}, 64, ..., {MOST_ELEMENTS}")


def long_block(a: Arguments) -> Bad:
    short = a["blocksize"] == BLOCK or (a.dtype("x") != T.ACL_FLOAT and a["scaleAlg"] != 2)
    return None if short else (a["blocksize"], f"{BLOCK}, with x of FLOAT, or scaleAlg 2")


def wrong_floor(a: Arguments) -> Bad:
    floor = a["maxLowBound"]
    return None if floor == 0 or (floor > 0 and a["scaleAlg"] == 1) else (floor, "0, or more with scaleAlg 1")


def short_dimension(a: Arguments) -> Bad:
    size = flattened(a.shape("x"), a["axis"])[1]
    return (f"{size} elements", f"at least {BLOCK}") if a.dtype("x") == T.ACL_FLOAT and size < BLOCK else None


def contract(*besides: Relation) -> tuple[Relation, ...]:
    """The checks of a version, with those of its own values."""
    y, *shapes = result(Y, "x")
    return (
        generated(), nibbles(Y), listed("x", Y, SCALE), *rounding(MODE, Y), y,
        demand(f"{{0}} is a multiple of {BLOCK}, up to {MOST_ELEMENTS}", "blocksize", bad=wrong_block, status=TILING),
        demand(f"{{0}} is {BLOCK} with x of FLOAT, and with scaleAlg 2", "blocksize", "x", "scaleAlg", bad=long_block,
               status=TILING),
        one_of("scaleAlg", 0, 1, 2, status=TILING), algorithm("scaleAlg", Y), *besides, ranks("x", status=TILING),
        axis("axis", of="x", status=TILING), *shapes,
        scales(SCALE, "x", named("axis"), named("blocksize")),
        demand(f"the blocks of {{0}} in FLOAT have {BLOCK} elements or more", "x", "axis", bad=short_dimension,
               status=TILING),
        empty("x"),
    )  # fmt: skip


def plan(p: Planning, rule: Rule) -> None:
    store_blocks(p, p.read("x"), Y, SCALE, axis=p["axis"], size=p["blocksize"], rounding=mode(p, MODE), rule=rule)


@planned("aclnnDynamicMxQuant", *contract())
def dynamic_mx_quant(p: Planning) -> None:
    """For each block of blocksize elements of x along axis: mxscaleOut = 2^e, and yOut = x / 2^e, rounded by
    roundMode and saturated. With a = max|x| and the greatest number M of the data type of yOut, e is floor(log2(a)) -
    floor(log2(M)) for scaleAlg 0, and the least integer with a / 2^e <= M for scaleAlg 1. For scaleAlg 2, a of at most
    1.5 * 2^floor(log2(a)) has the e of scaleAlg 0, others one more. A block with an infinity or NaN has the scale NaN
    and the elements 0. The scales of two blocks lie together."""
    plan(p, Rule(p["scaleAlg"]))


GREATEST = greatest("dstTypeMax")


@planned("aclnnDynamicMxQuantV2", *contract(GREATEST))
def dynamic_mx_quant_v2(p: Planning) -> None:
    """Like aclnnDynamicMxQuant. With scaleAlg 2, dstTypeMax is the number that the largest magnitude may become: 7
    has the limit 1.75 * 2^floor(log2(a)); other numbers have the least e with a / 2^e <= dstTypeMax."""
    plan(p, Rule(p["scaleAlg"], p["dstTypeMax"]))


@planned(
    "aclnnDynamicMxQuantV3",
    *contract(GREATEST, demand("{0} is 0, or more than 0 with scaleAlg 1", "maxLowBound", "scaleAlg", bad=wrong_floor,
                               status=TILING)),
)  # fmt: skip
def dynamic_mx_quant_v3(p: Planning) -> None:
    """Like aclnnDynamicMxQuantV2. With scaleAlg 1, a is at least maxLowBound, unless all elements are 0."""
    plan(p, Rule(p["scaleAlg"], p["dstTypeMax"], p["maxLowBound"]))
