"""AlltoAllMatmul and MatmulAlltoAll: products whose rows or columns change their rank."""

from dataclasses import replace

from aclnn.op import (
    HALVES, TILING, Arguments, Bad, Operand, Planning, Relation, Shape, T, demand, listed, one_of, planned,
    public_format, said, same_dtype, shape, with_elements,
)  # fmt: skip
from aclnn.ops.collective._family import GROUP, group_size, is_long, matrices
from aclnn.ops.collective._kernels import exchanged, stacked
from aclnn.ops.matmul._kernels import multiply


def factor_shape(a: Arguments) -> Shape:
    """The shape of x2 as a factor."""
    rows, n = a.shape("x2")
    return (n, rows) if a["transposeX2"] else (rows, n)


def other_bias(a: Arguments) -> Bad:
    dtype, first = a.dtype("biasOptional"), a.dtype("x1")
    good = dtype in (first, T.ACL_FLOAT) if first == T.ACL_BF16 else dtype == first
    return None if good else (a.type_name("biasOptional"), "FLOAT16 with FLOAT16; FLOAT or BFLOAT16 with BFLOAT16")


def other_axes(*axes: int) -> Relation:
    def bad(a: Arguments) -> Bad:
        found = a["alltoAllAxesOptional"].values
        return None if tuple(found) == axes else (list(found), f"null or {list(axes)}")

    return demand(f"{{0}} is null or {list(axes)}", "alltoAllAxesOptional", bad=bad)


def unfit_name(a: Arguments) -> Bad:
    name = a["group"]
    good = name and not is_long(name)
    return None if good else (f"{len(name)} characters", "1 to 127")


def uneven(name: str, dimension: int) -> Relation:
    def bad(a: Arguments) -> Bad:
        size, found = group_size(a), (factor_shape(a) if name == "x2" else a.shape(name))[dimension]
        return None if found % size == 0 else (found, f"a multiple of the number of ranks, {size}")

    what = "columns" if dimension else "rows"
    return demand(f"the {what} of {{0}} are a multiple of the number of ranks", name, bad=bad, status=TILING,
                  broken=f"the {what} of {{0}} are no multiple of the number of ranks", provenance="ours")  # fmt: skip


def start(*axes: int) -> tuple[Relation, ...]:
    return (
        listed("x1", "x2", "output", among=HALVES), listed("biasOptional"), same_dtype("x2", as_="x1"),
        same_dtype("output", as_="x1"),
        demand("{0} has the data type of x1, or FLOAT beside BFLOAT16", "biasOptional", "x1", bad=other_bias),
        with_elements("x1"), with_elements("x2"), other_axes(*axes), one_of("transposeX1", False),
        said("group"), demand("{0} has 1 to 127 characters", "group", bad=unfit_name), matrices("x1", "x2", "output"),
        public_format("x1", "x2", "output"), GROUP,
        shape("biasOptional", "{0} has a number for each column", lambda a: factor_shape(a)[1:], status=TILING),
    )  # fmt: skip


def permuted(a: Arguments) -> Shape:
    size, (rows, columns) = group_size(a), a.shape("x1")
    return rows // size, columns * size


def other_inner(a: Arguments, columns: int) -> Bad:
    rows = factor_shape(a)[0]
    return None if columns == rows else (f"{columns} inner columns", rows)


@planned(
    "aclnnAlltoAllMatmul", "aclnnAlltoAllMatmulV2", *start(-2, -1),
    uneven("x1", 0), demand("the columns of {0} of all ranks are the rows of x2", "x1", "x2", status=TILING,
                            bad=lambda a: other_inner(a, permuted(a)[1]), provenance="ours",
                            broken="the columns of {0} of all ranks are not the rows of x2"),
    shape("output", "{0} has a block of rows of x1, and the columns of x2",
          lambda a: (permuted(a)[0], factor_shape(a)[1]), status=TILING, provenance="ours"),
    same_dtype("alltoAllOutOptional", as_="x1"),
    shape("alltoAllOutOptional", "{0} has the exchanged rows", permuted, status=TILING, provenance="ours"),
)  # fmt: skip
def all_to_all_matmul(p: Planning) -> None:
    """output = perm @ x2 + bias. perm has the block of rows for this rank of x1 of each rank, side by side;
    alltoAllOut = perm."""
    x1, group = p.read("x1"), p.group("group")
    perm = p.step(exchanged, [x1], permuted(p), x1.dtype, moves=True, rank=group.rank,
                  exchange=p.meets("group", x1=x1.shape))  # fmt: skip
    p.store("output", multiplied(p, perm))
    p.store("alltoAllOutOptional", perm)


def multiplied(p: Planning, x1: Operand) -> Operand:
    """The product of a matrix with x2, plus the bias."""
    factor = p.builder.view(p["x2"])
    if p["transposeX2"]:
        factor = replace(factor, shape=factor.shape[::-1], strides=factor.strides[::-1])
    bias = [p.read("biasOptional")] if p.given("biasOptional") else []
    return p.step(multiply, [x1, factor, *bias], (x1.shape[0], factor.shape[1]), p.dtype("output"))


@planned(
    "aclnnMatmulAlltoAll", "aclnnMatmulAlltoAllV2", *start(-1, -2), uneven("x2", 1),
    demand("the columns of {0} are the rows of x2", "x1", "x2", bad=lambda a: other_inner(a, a.shape("x1")[1]),
           status=TILING, broken="the columns of {0} are not the rows of x2"),
    shape("output", "{0} has the rows of all ranks, and a block of the columns of x2",
          lambda a: (a.shape("x1")[0] * group_size(a), factor_shape(a)[1] // group_size(a)), status=TILING,
          provenance="ours"),
)  # fmt: skip
def matmul_all_to_all(p: Planning) -> None:
    """output = the block of columns for this rank of x1 @ x2 + bias of each rank, one below the other"""
    own, group = multiplied(p, p.read("x1")), p.group("group")
    rows, columns = own.shape
    p.store("output", p.step(stacked, [own], (rows * group.size, columns // group.size), own.dtype, moves=True,
                             rank=group.rank, exchange=p.meets("group", product=own.shape)))  # fmt: skip
