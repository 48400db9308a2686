"""Products of groups of rows that are added to a tensor: GroupedMatmulAdd, V2, and QuantGroupedMatmulInplaceAdd."""

from collections.abc import Callable
from typing import Final

import numpy as np

from aclnn.op import (
    TILING, Arguments, Array, Bad, Operand, Planning, Shape, T, apart_from, demand, in_memory, lacks, listed,
    matmul, one_of, planned, ranks, same_dtype, shape, updates, widen,
)  # fmt: skip
from aclnn.ops.grouped._family import COUNTS, ENDS, INNER
from aclnn.ops.grouped._kernels import check_groups, parts

GROUPS, SUM = "groupList", "yRef"
BLOCK, PAIR = 32, 2
"""rows that share a scale, and the scales that lie together"""
MOST_GROUPS: Final = 1024


def other_form(a: Arguments) -> bool:
    return not (a["transposeX"] and not a["transposeWeight"] and a["groupType"] == INNER)


def wrong_sums(a: Arguments) -> Bad:
    groups, m, n = a.shape(GROUPS)[0], a.shape("x")[1], a.shape("weight")[1]
    allowed = [(groups, m, n), (groups * m, n)]
    return None if a.shape(SUM) in allowed else (list(a.shape(SUM)), list(allowed[0]))


def other_rows(first: str, second: str) -> Callable[[Arguments], Bad]:
    def bad(a: Arguments) -> Bad:
        left, right = a.shape(first)[0], a.shape(second)[0]
        return None if left == right else (left, f"{right} rows, as {second}")

    return bad


CONTRACT: Final = (
    lacks("x that is not transposed, a transposed weight, or another groupType than 2", other_form), updates(SUM),
    listed("x", "weight", GROUPS, SUM), same_dtype("weight", "x"), ranks("x", "weight", status=TILING),
    ranks(GROUPS, least=1, most=1, status=TILING), ranks(SUM, status=TILING),
    demand("{0} has the rows of {1}", "x", "weight", bad=other_rows("x", "weight"), status=TILING),
    demand("{0} has a matrix for each group", SUM, GROUPS, "x", "weight", bad=wrong_sums, status=TILING),
)  # fmt: skip


@planned("aclnnGroupedMatmulAdd", *CONTRACT)
def grouped_matmul_add(p: Planning) -> None:
    """yRef[g] += x.T @ weight over the rows of group g, in FLOAT. groupList has the end of each group."""
    accumulate(p, ("x", "weight"), ENDS)


@planned("aclnnGroupedMatmulAddV2", *CONTRACT, one_of("groupListType", ENDS, COUNTS, status=TILING))
def grouped_matmul_add_v2(p: Planning) -> None:
    """Like aclnnGroupedMatmulAdd. With groupListType 1 groupList has the number of rows of each group."""
    accumulate(p, ("x", "weight"), p["groupListType"])


# with scales


SCALE1, SCALE2 = "scale1Optional", "scale2"


def without_blocks(a: Arguments) -> bool:
    """True if a scale does not belong to a block of rows."""
    return not (a.given(SCALE1) and a.dtype(SCALE1) == a.dtype(SCALE2) == T.ACL_FLOAT8_E8M0)


def pairs(name: str) -> Callable[[Arguments], Shape | None]:
    def expected(a: Arguments) -> Shape | None:
        rows, columns = a.shape(name)
        return None if without_blocks(a) else (rows // (PAIR * BLOCK) + a.shape(GROUPS)[0], columns, PAIR)

    return expected


@planned(
    "aclnnQuantGroupedMatmulInplaceAdd", lacks("scales that are not those of blocks of 32 rows", without_blocks),
    updates(SUM), listed("x1", "x2", SCALE1, SCALE2, GROUPS, SUM), ranks("x1", "x2", GROUPS, SUM),
    one_of("groupListType", ENDS, COUNTS), demand("{0} has the rows of {1}", "x1", "x2", bad=other_rows("x1", "x2")),
    shape(SCALE1, "{0} has two numbers for each 64 rows, and for the rest of each group", pairs("x1")),
    shape(SCALE2, "{0} has two numbers for each 64 rows, and for the rest of each group", pairs("x2")),
    shape(SUM, "{0} has a matrix for each group", lambda a: (a.shape(GROUPS)[0], a.shape("x1")[1], a.shape("x2")[1])),
)  # fmt: skip
def quant_grouped_matmul_inplace_add(p: Planning) -> None:
    """yRef[g] += (x1 * scale1).T @ (x2 * scale2) over the rows of group g, in FLOAT. Blocks of 32 rows of a group share
    a scale. The scales of a group that begins at row s begin at [s // 64 + g], in pairs."""
    accumulate(p, ("x1", "x2"), p["groupListType"], [p.read(SCALE1), p.read(SCALE2)])


def accumulate(p: Planning, factors: tuple[str, str], kind: int, scales: list[Operand] | None = None) -> None:
    first, second = (p.builder.view(p[name]) for name in factors)
    groups, sizes = p.read(GROUPS), p.shape(SUM)
    whole = (p.shape(GROUPS)[0], first.shape[1], second.shape[1])
    p.builder.launch(check_groups, [groups], [], name=GROUPS, kind=kind, count=first.shape[0], number=whole[0])
    sums = p.builder.reshape(p.read(SUM), whole)
    out = p.step(summed, [sums, groups, first, second, *(scales or [])], whole, T.ACL_FLOAT, kind=kind)
    p.store(SUM, p.builder.reshape(out, sizes))


@in_memory
def summed(sums: Array, groups: Array, first: Array, second: Array, *scales: Array, out: Array, kind: int) -> None:
    """The sums with the product of each group. `scales`: those of blocks of rows, of both factors."""
    first, second = (apart_from([out], each) for each in (first, second))
    out[...] = sums
    for group, start, end in parts(groups, kind, len(first)):
        if start < end and group < len(out):
            rows: list[Array] = [widen(each[start:end]) for each in (first, second)]
            for at, table in enumerate(scales):
                rows[at] = rows[at] * of_rows(table[start // (PAIR * BLOCK) + group :], end - start)
            columns: Array = np.swapaxes(rows[0], 0, 1)
            out[group] += matmul(columns, rows[1])


def of_rows(pairs_of_scales: Array, count: int) -> Array:
    """The scale of each of the first `count` rows."""
    blocks = np.moveaxis(widen(pairs_of_scales), 2, 1).reshape(-1, pairs_of_scales.shape[1])
    return np.repeat(blocks[: -(-count // BLOCK)], BLOCK, 0)[:count]
