"""MatmulAllReduce: the sum of the products of all ranks."""

from typing import Final

from aclnn.op import (
    Arguments, Bad, Operand, Planning, Relation, Series, Shape, T, demand, done, is_nz, listed, may_be_null, planned,
    ranks, same_shape, shape,
)  # fmt: skip
from aclnn.ops.collective._family import (
    DENSE, GROUP, INNER, STREAM_MODE, SUM, alike, columns, matrices, product, rows_of,
)  # fmt: skip
from aclnn.ops.collective._kernels import plus, summed


def result(a: Arguments) -> Shape:
    return (*a.shape("x1")[:-1], a.shape("x2")[-1])


def blocked(a: Arguments) -> Bad:
    return ("FRACTAL_NZ", "ND") if is_nz(a["x2"]) and a.soc.series is not Series.INFERENCE else None


def on_310p(a: Arguments) -> Bad:
    return ("a tensor", "null") if a.soc.series is Series.INFERENCE else None


PLAIN: Final = demand("the storage format of {0} is ND, except on 310P", "x2", bad=blocked)
SHAPES: Final = (
    ranks("x1", least=2, most=3), matrices("x2"), INNER, columns("bias"),
    shape("output", "{0} has the rows of x1 and the columns of x2", result), DENSE,
    done("output is empty", "output", when=lambda a: a["output"].numel == 0), GROUP,
)  # fmt: skip


def contract(*added: str) -> tuple[Relation, ...]:
    """The checks, in their order. `added`: the tensors besides the bias that are added to the product."""
    others = ("x2", "output", "bias", *added)
    return (
        may_be_null("bias", *added), listed("x1", *others), *alike(*others), SUM, STREAM_MODE, PLAIN,
        *(demand("{0} is null on 310P", name, bad=on_310p) for name in added),
        *(same_shape(name, as_="output") for name in added), *SHAPES,
    )  # fmt: skip


@planned("aclnnMatmulAllReduce", *contract())
def matmul_all_reduce(p: Planning) -> None:
    """output = the sum of x1 @ x2 + bias over all ranks"""
    multiply_and_sum(p)


@planned("aclnnMatmulAllReduceV2", "aclnnMatmulAllReduceV3", *contract("x3"))
def matmul_all_reduce_v2(p: Planning) -> None:
    """output = the sum of x1 @ x2 + bias + x3 over all ranks"""
    multiply_and_sum(p, addend="x3")


def multiply_and_sum(p: Planning, addend: str = "") -> None:
    """Plans the product of this rank, and the sum over all ranks. `addend`: a tensor that is added to the product."""
    has_addend, x1 = bool(addend) and p.given(addend), rows_of(p, p.read("x1"))
    own = product(p, x1, T.ACL_FLOAT if has_addend else p.dtype("output"))
    p.store("output", p.builder.reshape(total(p, own, addend if has_addend else ""), p.shape("output")))


def total(p: Planning, own: Operand, addend: str = "") -> Operand:
    """The sum of a matrix over all ranks. `addend`: a tensor that each rank adds to it."""
    if addend:
        own = p.step(plus, [own, rows_of(p, p.read(addend))], own.shape, p.dtype(addend))
    return p.step(summed, [own], own.shape, own.dtype, moves=True, exchange=p.meets("group", product=own.shape))
