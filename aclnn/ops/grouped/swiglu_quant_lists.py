"""GroupedMatmulSwigluQuantV2 and WeightNzV2: the weight is a list, with a tensor for all groups or for each group."""

from typing import Final

from aclnn.op import (
    ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR, Arguments, Bad, Planning, Relation, Shape, T, Tensor, demand,
    format_name, is_nz, lacks, listed, null_status, nz_to_nd, one_of, only_if, planned, ranks, shape, stored_as,
    with_tensors,
)  # fmt: skip
from aclnn.ops.grouped._family import COUNTS, ENDS, INT8
from aclnn.ops.grouped.swiglu_quant import LONGEST, MOST_COLUMNS, is_null, multiplied

WEIGHTS, SCALES = "weight", "weightScale"


def of_integers(a: Arguments) -> bool:
    """True if both factors are INT8."""
    return a.dtype("x") == INT8 and {tensor.dtype for tensor in a[WEIGHTS]} == {INT8}


def others(a: Arguments) -> bool:
    return not of_integers(a)


def stored_apart(a: Arguments) -> bool:
    """True if the view of a weight has the dimensions of its blocks."""
    return of_integers(a) and any(len(tensor.shape) > 3 for tensor in a[WEIGHTS])


def in_view(a: Arguments) -> bool:
    return of_integers(a) and not stored_apart(a)


def matrices(a: Arguments) -> list[Shape]:
    """The rows and columns of the weight of each group."""
    weights: tuple[Tensor, ...] = a[WEIGHTS]
    whole = weights[0].shape
    return [whole[1:]] * whole[0] if len(whole) == 3 else [tensor.shape for tensor in weights]


def columns(a: Arguments) -> int:
    return matrices(a)[0][1]


def not_in_blocks(a: Arguments) -> Bad:
    for tensor in a[WEIGHTS]:
        if not is_nz(tensor):
            return format_name(tensor.storage_format), "FRACTAL_NZ"
        expected = stored_as(tensor).storage_shape
        if tensor.storage_shape != expected:
            return list(tensor.storage_shape), list(expected)
    return None


def wrong_ranks(a: Arguments) -> Bad:
    counts = [len(tensor.shape) for tensor in a[WEIGHTS]]
    return None if counts == [3] or set(counts) == {2} else (counts, "one tensor of 3 dimensions, or tensors of 2")


def wrong_sizes(a: Arguments) -> Bad:
    k, sizes = a.shape("x")[-1], set(matrices(a))
    good = len(sizes) == 1 and k == next(iter(sizes))[0] <= LONGEST and 0 < columns(a) <= MOST_COLUMNS
    good = good and columns(a) % 2 == 0
    return None if good else (k, f"the rows of matrices with an even number of columns, up to {MOST_COLUMNS}")


def wrong_scales(a: Arguments) -> Bad:
    stacked, n = len(a[WEIGHTS][0].shape) == 3, columns(a)
    expected = [(len(matrices(a)), n)] if stacked else [(n,)] * len(a[WEIGHTS])
    shapes = [tensor.shape for tensor in a[SCALES]]
    floats = all(tensor.dtype in (T.ACL_FLOAT, T.ACL_FLOAT16, T.ACL_BF16) for tensor in a[SCALES])
    return None if shapes == expected and floats else (list(map(list, shapes)), list(map(list, expected)))


def rows(a: Arguments) -> Shape:
    return a.shape("x")[:1]


CONTRACT: Final[tuple[Relation, ...]] = (
    lacks("factors other than INT8", others),
    lacks("a weight of INT8 as it is stored, in 4 or 5 dimensions", stored_apart),
    with_tensors(WEIGHTS, status=ACLNN_ERR_PARAM_NULLPTR), null_status(ACLNN_ERR_PARAM_INVALID, "output"),
    listed("x", WEIGHTS, SCALES, "xScale", "groupList", "output", "outputScale"), is_null("bias"),
    ranks("x", "groupList", "output"),
    one_of("groupListType", ENDS, COUNTS),
    only_if("the factors are INT8", of_integers,
            *(one_of(name, 0) for name in ("dequantMode", "dequantDtype", "quantMode"))),
    only_if(
        "the factors are INT8, with matrices as views", in_view,
        demand("{0} has a tensor for all groups, or one for each group", WEIGHTS, bad=wrong_ranks),
        demand("{0} of INT8 is in FRACTAL_NZ", WEIGHTS, bad=not_in_blocks),
        demand("{0} has the rows of {1} in its last dimension", "x", WEIGHTS, bad=wrong_sizes),
        demand("{0} has a number for each column of {1}", SCALES, WEIGHTS, bad=wrong_scales),
        shape("xScale", "{0} has a scale for each row of x", rows),
        shape("groupList", "{0} has an element for each group", lambda a: (len(matrices(a)),)),
        shape("output", "{0} has the rows of x and half the columns of weight", lambda a: (*rows(a), columns(a) // 2)),
        shape("outputScale", "{0} has a scale for each row of x", rows),
    ),
)  # fmt: skip


@planned("aclnnGroupedMatmulSwigluQuantV2", *CONTRACT)
def grouped_matmul_swiglu_quant_v2(p: Planning) -> None:
    """Like aclnnGroupedMatmulSwigluQuant. groupList has the ends of the groups, or with groupListType 1 their numbers
    of rows."""
    plan(p)


@planned("aclnnGroupedMatmulSwigluQuantWeightNzV2", *CONTRACT)
def grouped_matmul_swiglu_quant_weight_nz_v2(p: Planning) -> None:
    """Same as aclnnGroupedMatmulSwigluQuantV2"""
    plan(p)


def plan(p: Planning) -> None:
    weights = [nz_to_nd(p.builder, tensor) for tensor in p[WEIGHTS]]
    multiplied(p, weights, p.read_all(SCALES), columns(p), p["groupListType"])
