"""MatmulReduceScatter: the sum of the products of all ranks, of which each rank gets its rows."""

from typing import Final

from aclnn.op import TILING, Arguments, Bad, Planning, T, demand, empty, listed, planned, shape
from aclnn.ops.collective._family import (
    DENSE, GROUP, INNER, INTEGER_FORM, LONG_INNER, STREAM_MODE, SUM, WITHOUT_SMALL, alike, columns, flat,
    group_size, matrices, product, quantised, version_2,
)  # fmt: skip
from aclnn.ops.collective._kernels import scattered


def uneven_rows(a: Arguments) -> Bad:
    rows, size = a.shape("x1")[0], group_size(a)
    return None if rows % size == 0 else (f"{rows} rows", f"a multiple of the number of ranks, {size}")


SHAPES: Final = (
    empty("x1"), matrices("x1", "x2", "output"), INNER, LONG_INNER, columns("bias"), GROUP,
    demand("{0} has rows for each rank", "x1", bad=uneven_rows, status=TILING, provenance="ours"),
    shape("output", "{0} has the rows of one rank and the columns of x2",
          lambda a: (a.shape("x1")[0] // group_size(a), a.shape("x2")[-1]), status=TILING, provenance="ours"),
)  # fmt: skip


@planned(
    "aclnnMatmulReduceScatter", listed("output", "x1", "x2", "bias"), *alike("x2", "output", "bias"), SUM,
    STREAM_MODE, *SHAPES, DENSE,
)  # fmt: skip
def matmul_reduce_scatter(p: Planning) -> None:
    """output = the rows of this rank of the sum of x1 @ x2 + bias over all ranks"""
    multiply_and_scatter(p)


@planned("aclnnMatmulReduceScatterV2", *version_2(T.ACL_INT8), SUM, INTEGER_FORM, *SHAPES, WITHOUT_SMALL)
def matmul_reduce_scatter_v2(p: Planning) -> None:
    """Like aclnnMatmulReduceScatter. If x1 and x2 are integers, x1Scale of each row and x2Scale of each column multiply
    the product before the bias is added."""
    multiply_and_scatter(p)


def multiply_and_scatter(p: Planning) -> None:
    row_scale = flat(p, "x1Scale") if quantised(p) else None
    own = product(p, p.read("x1"), p.dtype("output"), row_scale=row_scale, scale="x2Scale" if quantised(p) else "")
    group = p.group("group")
    rows, n = own.shape
    p.store("output", p.step(scattered, [own], (rows // group.size, n), own.dtype, moves=True, rank=group.rank,
                             exchange=p.meets("group", product=own.shape)))  # fmt: skip
