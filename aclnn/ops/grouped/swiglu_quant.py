"""GroupedMatmulSwigluQuant: products of groups of rows, gated, and quantised row by row."""

from typing import Final

import numpy as np

from aclnn.op import (
    Arguments, Array, Bad, Operand, Planning, Relation, Shape, T, demand, exact_sum, in_memory, lacks, listed, only_if,
    planned, ranks, shape,
)  # fmt: skip
from aclnn.ops.activation.smooth import silu_of
from aclnn.ops.grouped._family import COUNTS, ENDS, FLOAT, INT8
from aclnn.ops.grouped._kernels import by_groups, check_groups
from aclnn.ops.grouped._stored import dense, wrong_storage
from aclnn.ops.matmul._family import PACKED_SCALES
from aclnn.ops.matmul._quantised_products import multiply_integers

LONGEST, LONGEST_OF_INT4, MOST_COLUMNS = 65535, 19999, 10240
SCALES: Final = (FLOAT, T.ACL_FLOAT16, T.ACL_BF16, T.ACL_UINT64)
"""data types of scales of a weight; UINT64 belongs to INT4"""
LARGEST: Final = 127
"""the largest quantised number"""


def narrow(a: Arguments) -> bool:
    """True if the weight is INT4, perhaps eight in an INT32."""
    return a.dtype("weight") != INT8


def matrices(a: Arguments) -> Shape:
    """The groups, rows and columns of the weight. If the weight has the five dimensions of FRACTAL_NZ, its rows and
    columns follow from x and output."""
    shape = a.shape("weight")
    return (shape[0], a.shape("x")[1], 2 * a.shape("output")[1]) if len(shape) == 5 else shape


def is_null(name: str) -> Relation:
    return demand("{0} is null", name, bad=lambda a: ("a tensor", "null"))


def wrong_rank(a: Arguments) -> Bad:
    return None if a.rank("weight") in (3, 5) else (f"{a.rank('weight')} dimensions", "3, or the 5 of FRACTAL_NZ")


def wrong_format(a: Arguments) -> Bad:
    return None if narrow(a) else wrong_storage(a, "weight", matrices(a))


def wrong_scale(a: Arguments) -> Bad:
    fine = (a.dtype("weightScale") in PACKED_SCALES) == narrow(a)
    return None if fine else (a.type_name("weightScale"), "UINT64 with INT4, floats with INT8")


def wrong_bias(a: Arguments) -> Bad:
    return None if narrow(a) else ("a tensor", "null with a weight of INT8")


def wrong_sizes(a: Arguments) -> Bad:
    k, (_, rows, columns) = a.shape("x")[1], matrices(a)
    most = LONGEST_OF_INT4 if narrow(a) else LONGEST
    fine = k == rows <= most and 0 < columns <= MOST_COLUMNS and columns % 2 == 0
    return (
        None if fine else (f"{k} beside {rows} x {columns}", f"{k} rows, at most {most}; columns up to {MOST_COLUMNS}")
    )


def halves(a: Arguments) -> Shape:
    return a.shape("x")[0], matrices(a)[2] // 2


def is_int8(a: Arguments) -> bool:
    return not narrow(a)


def contract(*relations: Relation) -> tuple[Relation, ...]:
    """The checks of a function with one weight. `relations`: those that only this function has."""
    return (
        lacks("a weight of INT4", narrow),
        listed("x", "weight", "bias", "xScale", "groupList", "output", "outputScale"),
        listed("weightScale", among=SCALES, provenance="public"), *map(is_null, ("offset", "outputOffset")),
        ranks("x", "xScale", "groupList", "output", "outputScale"),
        demand("{0} has 3 dimensions, or the 5 of FRACTAL_NZ", "weight", bad=wrong_rank), *relations,
        demand("{0} has a data type that fits that of {1}", "weightScale", "weight", bad=wrong_scale),
        demand("{0} is null with a {1} of INT8", "bias", "weight", bad=wrong_bias),
        demand("{0} of INT8 is in FRACTAL_NZ", "weight", bad=wrong_format),
        only_if(
            "the weight is INT8", is_int8, demand("{0} and {1} fit", "x", "weight", bad=wrong_sizes),
            shape("weightScale", "{0} has a scale for each column of weight", lambda a: matrices(a)[::2]),
            shape("xScale", "{0} has a scale for each row of x", lambda a: a.shape("x")[:1]),
            shape("groupList", "{0} has the end of each group", lambda a: matrices(a)[:1]),
            shape("output", "{0} has the rows of x and half the columns of weight", halves),
            shape("outputScale", "{0} has a scale for each row of x", lambda a: a.shape("x")[:1]),
        ),
    )  # fmt: skip


@planned("aclnnGroupedMatmulSwigluQuant", *contract(ranks("weightScale")))
def grouped_matmul_swiglu_quant(p: Planning) -> None:
    """c = (x @ weight) * xScale * weightScale for each group; s = silu(the left half of c) * the right half;
    outputScale = the largest |s| of each row / 127; output = s / outputScale, rounded. Rows behind the last group are
    not changed."""
    multiplied(p, [dense(p, "weight", matrices(p))], [p.read("weightScale")], matrices(p)[2], ENDS)


@planned("aclnnGroupedMatmulSwigluQuantWeightNZ", *contract())
def grouped_matmul_swiglu_quant_weight_nz(p: Planning) -> None:
    """Same as aclnnGroupedMatmulSwigluQuant"""
    multiplied(p, [dense(p, "weight", matrices(p))], [p.read("weightScale")], matrices(p)[2], ENDS)


def multiplied(p: Planning, weights: list[Operand], scales: list[Operand], columns: int, kind: int) -> None:
    """Plans the products of the groups, their gates and their quantisation. `weights`: one for all groups, or one for
    each group."""
    rows, number = p.shape("x")[0], p.shape("groupList")[0]
    groups = p.read("groupList")
    p.builder.launch(check_groups, [groups], [], name="groupList", kind=kind, count=rows, number=number)
    wide = p.builder.alloc((rows, columns), FLOAT)
    names = ("scale", "pertoken")
    inputs = [p.read("x"), groups, *weights, *scales, p.read("xScale")]
    p.builder.launch(by_groups, inputs, [wide], kind=kind, sizes=(len(weights), len(scales), 1),
                     stacked=len(weights[0].shape) == 3, names=names, matrix=multiply_integers,
                     attributes={"names": names}, only=None)  # fmt: skip
    results = p.steps(quantised, [wide, groups], [((rows, columns // 2), INT8), ((rows,), FLOAT)], kind=kind)
    for name, result in zip(("output", "outputScale"), results, strict=True):
        p.builder.launch(first_rows, [result, groups], [p.builder.written(p[name])], kind=kind)


def quantised(products: Array, groups: Array, *, kind: int) -> tuple[Array, Array]:
    """The gated rows in INT8, and their scales: the largest magnitude of each row / 127. Rows behind the last group
    are 0."""
    half = products.shape[1] // 2
    live = np.arange(len(products))[:, None] < last(groups, kind)
    wide = np.where(live, products, np.float32(0))
    gated = silu_of(wide[:, :half]) * wide[:, half:]
    scale = np.max(np.abs(gated), 1) / np.float32(LARGEST)
    return np.rint(gated / np.where(scale > 0, scale, np.float32(1))[:, None]), scale


def last(groups: Array, kind: int) -> int:
    """The number of rows in all groups. A step before this one reports groups out of range."""
    return max(exact_sum(groups) if kind == COUNTS else int(groups.max(initial=0)), 0)


@in_memory
def first_rows(values: Array, groups: Array, *, out: Array, kind: int) -> None:
    """Copy the rows up to the end of the last group."""
    end = last(groups, kind)
    out[:end] = values[:end]
