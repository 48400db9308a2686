"""GroupedDynamicMxQuant: blocks of rows that begin anew in each group of rows."""

from typing import Any

from aclnn.op import (
    ACLNN_ERR_PARAM_INVALID, Arguments, Array, Bad, Planning, Relation, Shape, demand, empty, in_memory, listed,
    nibbles, one_of, planned, ranks, said, same_shape, shape, store, widen,
)  # fmt: skip
from aclnn.ops.blocks._contract import BLOCK, PAIR, algorithm, greatest, rounding, whole_bytes
from aclnn.ops.blocks._grids import GRIDS, Rule, by_blocks
from aclnn.ops.grouped._family import ENDS
from aclnn.ops.grouped._kernels import check_groups, parts
from aclnn.ops.quantisation._family import FLOATS_OF_4_BITS, named_type

GROUPS, SCALES = "groupIndex", "mxscale"
INVALID = ACLNN_ERR_PARAM_INVALID


def scale_shape(a: Arguments) -> Shape:
    """Two scales for each 64 rows, and for the rest of each group."""
    rows, columns = a.shape("x")
    return rows // (PAIR * BLOCK) + a.shape(GROUPS)[0], columns, PAIR


def gaps(a: Arguments) -> Bad:
    return None if a[SCALES].contiguous else ("a tensor with gaps", "a dense tensor")


def contract(*besides: Relation) -> tuple[Relation, ...]:
    """The checks of a version, with those of its own values."""
    return (
        nibbles("y"), said("roundMode"), listed("x", GROUPS, "y", SCALES), ranks("x", GROUPS, "y", SCALES),
        *rounding("roundMode", "y", status=INVALID), named_type("dstType", "y"), one_of("blocksize", BLOCK), *besides,
        same_shape("y", "x"),
        shape(SCALES, "{0} has two numbers for each 64 rows, and for the rest of each group", scale_shape),
        demand("{0} has no gaps", SCALES, bad=gaps, broken="{0} has gaps"), empty("x"),
    )  # fmt: skip


def plan(p: Planning, rule: Rule) -> None:
    x, ends = p.read("x"), p.read(GROUPS)
    p.builder.launch(check_groups, [ends], [], name=GROUPS, kind=ENDS, count=x.shape[0], number=ends.shape[0])
    bits = p.dtype("y") in FLOATS_OF_4_BITS
    outputs = [p.nibbles("y") if bits else p.builder.written(p["y"]), p.builder.written(p[SCALES])]
    p.builder.launch(in_groups, [x, ends], outputs, size=BLOCK, grid=GRIDS[p.dtype("y")], rounding=p["roundMode"],
                     rule=rule, bits=bits)  # fmt: skip


@in_memory
def in_groups(x: Array, ends: Array, *, out: list[Array], size: int, **form: Any) -> None:
    """Each group is quantised as a tensor of its own. Its first pair of scales lies behind those that the rows before
    it may need. Rows, and scales, that no group has keep their values."""
    numbers, scales = out
    for group, start, end in parts(ends, ENDS, len(x)):
        if start < end:
            result, pairs = by_blocks(widen(x[None, start:end]), size=size, **form)
            store(result[0], numbers[start:end])
            first = start // (PAIR * size) + group
            scales[first : first + pairs.shape[1]] = pairs[0]


@planned("aclnnGroupedDynamicMxQuant", *contract())
def grouped_dynamic_mx_quant(p: Planning) -> None:
    """aclnnDynamicMxQuant of each group of rows, with scaleAlg 0, in blocks of 32 rows. Group g ends before row
    groupIndex[g]. The scales of a group that begins at row s begin at [s // 64 + g]."""
    plan(p, Rule())


@planned("aclnnGroupedDynamicMxQuantV2", *contract(
    one_of("scaleAlg", 0, 1, 2), algorithm("scaleAlg", "y", status=INVALID), greatest("dstTypeMax", status=INVALID),
    whole_bytes("y", "x", status=INVALID),
))  # fmt: skip
def grouped_dynamic_mx_quant_v2(p: Planning) -> None:
    """Like aclnnGroupedDynamicMxQuant, with the scaleAlg and dstTypeMax of aclnnDynamicMxQuantV2."""
    plan(p, Rule(p["scaleAlg"], p["dstTypeMax"]))
