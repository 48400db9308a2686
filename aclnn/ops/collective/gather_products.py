"""AllGatherMatmul: the rows of all ranks, times the factor of this rank."""

from typing import Final

from aclnn.op import Arguments, Bad, Planning, T, demand, empty, listed, only_if, planned
from aclnn.ops.collective._family import (
    DENSE, GROUP, INNER, INTEGER_FORM, LONG_INNER, STREAM_MODE, WITHOUT_SMALL, alike, all_rows, columns,
    flat, matrices, product, quantised, version_2,
)  # fmt: skip
from aclnn.ops.collective._kernels import gathered

COLUMNS: Final = columns("bias")
OUTPUT: Final = all_rows("output", lambda a: a.shape("x2")[-1])


def is_wanted(a: Arguments) -> bool:
    """False if gatherOut is empty: the program does not want it."""
    return a["gatherOut"].numel > 0


def other_columns(a: Arguments) -> Bad:
    n, other = a.shape("output")[-1], a.shape("x2")[-1]
    return None if n == other else (f"{n} columns", f"{other}, as x2 has columns")


SHAPES: Final = (
    empty("x1"), matrices("x1", "x2", "output"), INNER, LONG_INNER,
    demand("{0} has the columns of x2", "output", "x2", bad=other_columns), COLUMNS, GROUP, OUTPUT,
    only_if("gatherOut is not empty", is_wanted, all_rows("gatherOut", lambda a: a.shape("x1")[1])),
)  # fmt: skip


@planned(
    "aclnnAllGatherMatmul", listed("x1", "x2", "bias", "output"), *alike("x2", "output", "bias"), STREAM_MODE, *SHAPES,
    DENSE,
)  # fmt: skip
def all_gather_matmul(p: Planning) -> None:
    """output = the rows of x1 of all ranks @ x2 + bias; gatherOut = these rows. An empty gatherOut is not written."""
    gather_and_multiply(p)


@planned("aclnnAllGatherMatmulV2", *version_2(T.ACL_INT8, T.ACL_INT4), INTEGER_FORM, *SHAPES, WITHOUT_SMALL)
def all_gather_matmul_v2(p: Planning) -> None:
    """Like aclnnAllGatherMatmul. If x1 and x2 are integers, x1Scale of each row and x2Scale of each column multiply the
    product, and x1Scale is gathered as well."""
    gather_and_multiply(p)


def gather_and_multiply(p: Planning) -> None:
    travelling = [p.read("x1")]
    if quantised(p):
        travelling.append(flat(p, "x1Scale"))
    rows = travelling[0].shape[0] * p.group("group").size
    results = [((rows, *each.shape[1:]), each.dtype) for each in travelling]
    x1, *scales = p.steps(gathered, travelling, results, moves=True, exchange=p.meets("group", x1=p.shape("x1")))
    p.store("output", product(p, x1, p.dtype("output"), row_scale=scales[0] if scales else None, scale="x2Scale"))
    if p.given("gatherOut") and is_wanted(p):
        p.store("gatherOut", x1)
