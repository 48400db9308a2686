"""GroupedMatmulSwigluQuant: products of groups of rows, gated, and quantised row by row."""

from typing import Any, Final, NamedTuple

import numpy as np

from aclnn.op import (
    Arguments, Array, Bad, Kernel, Operand, Planning, Relation, Shape, T, Tensor, demand, exact_sum, in_memory, is_nz,
    lacks, listed, nz_to_nd, only_if, planned, ranks, shape,
)  # fmt: skip
from aclnn.ops.activation.smooth import silu_of
from aclnn.ops.grouped._family import COUNTS, ENDS, FLOAT, INT8
from aclnn.ops.grouped._kernels import parts
from aclnn.ops.grouped._narrow import elements
from aclnn.ops.grouped._plans import plan_groups, roles
from aclnn.ops.grouped._stored import dense, wrong_storage
from aclnn.ops.matmul._block_products import MIDDLE, multiply_in_blocks
from aclnn.ops.matmul._family import PACKED_SCALES, as_int4
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
    if len(shape) == 5:
        return shape[0], a.shape("x")[1], 2 * a.shape("output")[1]
    return elements(a["weight"])


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


def no_bias(a: Arguments) -> Bad:
    return None if a.given("bias") else ("null", "a tensor with a weight of INT4")


def other_bias(a: Arguments) -> Shape:
    return matrices(a)[::2]


def other_scales(a: Arguments) -> Bad:
    """Checks the scales of a weight of INT4, whose groups of rows may have scales of their own."""
    (groups, rows, columns), sizes = matrices(a), a.shape("weightScale")
    parts = sizes[1] if len(sizes) == 3 else 1
    good = sizes in ((groups, columns), (groups, parts, columns)) and parts and rows % parts == 0
    return None if good else (list(sizes), [groups, columns])


def stored_narrow(a: Arguments) -> bool:
    return narrow(a) and a.rank("weight") == 5


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
        lacks("a weight of INT4 as it is stored, in 5 dimensions", stored_narrow),
        listed("x", "weight", "bias", "xScale", "groupList", "output", "outputScale"),
        listed("weightScale", among=SCALES, provenance="public"), *map(is_null, ("offset", "outputOffset")),
        ranks("x", "xScale", "groupList", "output", "outputScale"),
        demand("{0} has 3 dimensions, or the 5 of FRACTAL_NZ", "weight", bad=wrong_rank), *relations,
        demand("{0} has a data type that fits that of {1}", "weightScale", "weight", bad=wrong_scale),
        demand("{0} is null with a {1} of INT8", "bias", "weight", bad=wrong_bias),
        demand("{0} of INT8 is in FRACTAL_NZ", "weight", bad=wrong_format),
        demand("{0} and {1} fit", "x", "weight", bad=wrong_sizes),
        only_if("the weight is INT8", is_int8,
                shape("weightScale", "{0} has a scale for each column of weight", lambda a: matrices(a)[::2])),
        only_if("the weight is INT4", narrow,
                demand("{0} has a scale for each column, or each column and group of rows", "weightScale", "weight",
                       bad=other_scales),
                demand("bias comes with a {0} of INT4", "weight", bad=no_bias),
                shape("bias", "{0} has a number for each column", other_bias)),
        shape("xScale", "{0} has a scale for each row of x", lambda a: a.shape("x")[:1]),
        shape("groupList", "{0} has the end of each group", lambda a: matrices(a)[:1]),
        shape("output", "{0} has the rows of x and half the columns of weight", halves),
        shape("outputScale", "{0} has a scale for each row of x", lambda a: a.shape("x")[:1]),
    )  # fmt: skip


@planned("aclnnGroupedMatmulSwigluQuant", *contract(ranks("weightScale")))
def grouped_matmul_swiglu_quant(p: Planning) -> None:
    """c = (x @ weight) * xScale * weightScale for each group; s = silu(the left half of c) * the right half;
    outputScale = the largest |s| of each row / 127; output = s / outputScale, rounded. Rows behind the last group are
    not changed. With a weight of INT4: c = ((x - 8) @ (weight * weightScale) + bias) * xScale."""
    plan(p)


@planned("aclnnGroupedMatmulSwigluQuantWeightNZ", *contract())
def grouped_matmul_swiglu_quant_weight_nz(p: Planning) -> None:
    """Same as aclnnGroupedMatmulSwigluQuant"""
    plan(p)


def plan(p: Planning) -> None:
    scales, (_, rows, columns) = p.read("weightScale"), matrices(p)
    if not narrow(p):
        product = of_columns([dense(p, "weight", matrices(p))], [scales])
    else:
        parts = scales.shape[1] if len(scales.shape) == 3 else 1
        product = of_int4(p, [operand_of_int4(p, p["weight"])], [scales], [p.read("bias")], rows // parts)
    multiplied(p, product, columns, ENDS)


class Product(NamedTuple):
    """How the products of the groups are computed."""

    kernel: Kernel
    lists: dict[str, list[Operand]]
    """the weights, and the tensors of other roles, by role"""
    attributes: dict[str, Any]


def of_columns(weights: list[Operand], scales: list[Operand]) -> Product:
    """A product of INT8 with scales of columns."""
    return Product(multiply_integers, {"weight": weights, "scale": scales}, {})


def of_int4(
    p: Planning, weights: list[Operand], scales: list[Operand], plus: list[Operand], size: int
) -> Product:  # fmt: skip
    """A product of INT4 beside INT8 or INT4, with scales of `size` rows of the weight."""
    lists = {"weight": weights, "columns": scales} | ({"plus": plus} if plus else {})
    middle = MIDDLE if p.dtype("x") == INT8 else 0
    return Product(multiply_in_blocks, lists, {"size": max(size, 1), "middle": middle, "whole": True})


def operand_of_int4(p: Planning, tensor: Tensor) -> Operand:
    return as_int4(nz_to_nd(p.builder, tensor) if is_nz(tensor) else p.builder.view(tensor))


def multiplied(
    p: Planning, product: Product, columns: int, kind: int, smooth: list[Operand] | None = None
) -> None:  # fmt: skip
    """Plans the products of the groups, their gates and their quantisation. `smooth`: factors of the gated rows of each
    group."""
    rows, number = p.shape("x")[0], p.shape("groupList")[0]
    groups = p.read("groupList")
    wide = p.builder.alloc((rows, columns), FLOAT)
    lists = {**product.lists, "pertoken": [p.read("xScale")]}
    x = p.read("x") if p.dtype("x") == INT8 else as_int4(p.builder.view(p["x"]))
    plan_groups(p, x, groups, lists, [wide], product.kernel, {"names": roles(lists), **product.attributes},
                name="groupList", kind=kind, number=number)  # fmt: skip
    results = p.steps(quantised, [wide, groups, *(smooth or [])],
                      [((rows, columns // 2), INT8), ((rows,), FLOAT)], kind=kind)  # fmt: skip
    for name, result in zip(("output", "outputScale"), results, strict=True):
        p.builder.launch(first_rows, [result, groups], [p.builder.written(p[name])], kind=kind)


def gate(products: Array, groups: Array, *smooth: Array, kind: int) -> Array:
    """The gated rows, times the factors of their groups. Rows behind the last group are 0."""
    half = products.shape[1] // 2
    live = np.arange(len(products))[:, None] < last(groups, kind)
    wide = np.where(live, products, np.float32(0))
    gated: Array = silu_of(wide[:, :half]) * wide[:, half:]
    for factors in smooth:
        for group, start, end in parts(groups, kind, len(gated)):
            gated[start:end] *= factors[group]
    return gated


def quantised(products: Array, groups: Array, *smooth: Array, kind: int) -> tuple[Array, Array]:
    """The gated rows in INT8, and their scales: the largest magnitude of each row / 127. Rows behind the last group
    are 0."""
    gated = gate(products, groups, *smooth, kind=kind)
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
