"""GroupedMatmulSwigluQuant: products of groups of rows, gated, and quantised row by row."""

from math import prod
from typing import Final

import numpy as np

from aclnn.op import (
    Arguments, Array, Bad, Operand, Planning, Relation, Shape, Stored, demand, format_name, from_blocks, in_memory,
    is_nz, lacks, listed, nz_to_nd, only_if, planned, ranks, shape, stored_as,
)  # fmt: skip
from aclnn.ops.activation.smooth import silu_of
from aclnn.ops.grouped._family import ENDS, FLOAT, INT8
from aclnn.ops.grouped._kernels import by_groups, check_groups
from aclnn.ops.matmul._family import PACKED_SCALES
from aclnn.ops.matmul._quantised_products import multiply_integers

LONGEST, LONGEST_OF_INT4, MOST_COLUMNS = 65535, 19999, 10240
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


def stored(a: Arguments) -> Stored:
    """The layout of the weight in FRACTAL_NZ."""
    return Stored(matrices(a), a.dtype("weight")) if a.rank("weight") == 5 else stored_as(a["weight"])


def is_null(name: str) -> Relation:
    return demand("{0} is null", name, bad=lambda a: ("a tensor", "null"))


def wrong_rank(a: Arguments) -> Bad:
    return None if a.rank("weight") in (3, 5) else (f"{a.rank('weight')} dimensions", "3, or the 5 of FRACTAL_NZ")


def wrong_format(a: Arguments) -> Bad:
    five = a.rank("weight") == 5
    if narrow(a) or not (five or is_nz(a["weight"])):
        return None if narrow(a) else (format_name(a["weight"].storage_format), "FRACTAL_NZ")
    shape, expected_storage_shape = a.shape("weight") if five else a["weight"].storage_shape, stored(a).storage_shape
    return (
        None
        if shape == expected_storage_shape or (not five and prod(shape) == prod(expected_storage_shape))
        else (list(shape), list(expected_storage_shape))
    )


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


@planned(
    "aclnnGroupedMatmulSwigluQuant", lacks("a weight of INT4", narrow),
    listed("x", "weight", "bias", "weightScale", "xScale", "groupList", "output", "outputScale"),
    *map(is_null, ("offset", "outputOffset")), ranks("x", "xScale", "groupList", "output", "outputScale"),
    demand("{0} has 3 dimensions, or the 5 of FRACTAL_NZ", "weight", bad=wrong_rank), ranks("weightScale"),
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
def grouped_matmul_swiglu_quant(p: Planning) -> None:
    """c = (x @ weight) * xScale * weightScale for each group; s = silu(the left half of c) * the right half;
    outputScale = the largest |s| of each row / 127; output = s / outputScale, rounded. Rows behind the last group are
    not changed."""
    rows, (groups, _, columns) = p.shape("x")[0], matrices(p)
    ends = p.read("groupList")
    p.builder.launch(check_groups, [ends], [], name="groupList", kind=ENDS, count=rows, number=groups)
    wide = p.builder.alloc((rows, columns), FLOAT)
    names = ("scale", "pertoken")
    inputs = [p.read("x"), ends, dense_weight(p), p.read("weightScale"), p.read("xScale")]
    p.builder.launch(by_groups, inputs, [wide], kind=ENDS, sizes=(1, 1, 1), stacked=True, names=names,
                     matrix=multiply_integers, attributes={"names": names}, only=None)  # fmt: skip
    results = p.steps(quantised, [wide, ends], [((rows, columns // 2), INT8), ((rows,), FLOAT)])
    for name, result in zip(("output", "outputScale"), results, strict=True):
        p.builder.launch(first_rows, [result, ends], [p.builder.written(p[name])])


def dense_weight(p: Planning) -> Operand:
    tensor, layout = p["weight"], stored(p)
    if is_nz(tensor) and len(tensor.shape) == 3:
        return nz_to_nd(p.builder, tensor)
    blocks = p.builder.blocks(tensor, layout, INT8, write=False)
    return p.step(from_blocks, [blocks], matrices(p), INT8, moves=True, shape=layout.shape)


def quantised(products: Array, ends: Array) -> tuple[Array, Array]:
    """The gated rows in INT8, and their scales: the largest magnitude of each row / 127. Rows behind the last group
    are 0."""
    half = products.shape[1] // 2
    live = np.arange(len(products))[:, None] < last(ends)
    wide = np.where(live, products, np.float32(0))
    gated = silu_of(wide[:, :half]) * wide[:, half:]
    scale = np.max(np.abs(gated), 1) / np.float32(LARGEST)
    return np.rint(gated / np.where(scale > 0, scale, np.float32(1))[:, None]), scale


def last(ends: Array) -> int:
    """The number of rows in all groups. A step before this one reports ends out of range."""
    return int(ends.max(initial=0))


@in_memory
def first_rows(values: Array, ends: Array, *, out: Array) -> None:
    """Copy the rows up to the end of the last group."""
    out[: last(ends)] = values[: last(ends)]
