"""GroupedMatmulSwigluQuantV2 and WeightNzV2: the weight is a list, with a tensor for all groups or for each group."""

from functools import partial
from typing import Final

from aclnn.op import (
    ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR, Arguments, Bad, Planning, Relation, Shape, T, demand,
    format_name, is_nz, lacks, listed, nibbles, null_status, nz_to_nd, one_of, only_if, planned, ranks, shape,
    stored_as, with_tensors,
)  # fmt: skip
from aclnn.ops.blocks._contract import BLOCK, OCP, PAIR, pairs, scale_shape, unscaled
from aclnn.ops.blocks._grids import GRIDS, by_blocks
from aclnn.ops.grouped._family import COUNTS, ENDS, INT4, INT8, INT32
from aclnn.ops.grouped._narrow import FLOAT8, SHARED, elements, in_order
from aclnn.ops.grouped._plans import plan_groups
from aclnn.ops.grouped.swiglu_quant import (
    LONGEST, LONGEST_OF_INT4, MOST_COLUMNS, first_rows, gate, is_null, multiplied, of_columns, of_int4, operand_of_int4,
)  # fmt: skip
from aclnn.ops.matmul._kernels import multiply
from aclnn.ops.quantisation._family import FLOATS_OF_4_BITS

WEIGHTS, SCALES, ASSIST, SMOOTH = "weight", "weightScale", "weightAssistMatrix", "smoothScale"


def weight_type(a: Arguments) -> int | None:
    """The data type of the weights; None if they differ."""
    types = {tensor.dtype for tensor in a[WEIGHTS]}
    return types.pop() if len(types) == 1 else None


def of_integers(a: Arguments) -> bool:
    """True if both factors are INT8."""
    return a.dtype("x") == weight_type(a) == INT8


def is_int4(a: Arguments) -> bool:
    """True for a weight of INT4 beside INT8 or INT4, also with eight INT4 in an INT32."""
    return a.dtype("x") in (INT8, INT4, INT32) and weight_type(a) in (INT4, INT32)


def shares(a: Arguments) -> bool:
    """True for floats of 8 bits, or of 4 bits, whose blocks of 32 elements share scales."""
    pair = {a.dtype("x"), weight_type(a)}
    types = {a.dtype("xScale"), *(tensor.dtype for tensor in a[SCALES])}
    return types == {SHARED} and (pair <= set(FLOAT8) or pair in ({T.ACL_FLOAT4_E2M1}, {T.ACL_FLOAT4_E1M2}))


def others(a: Arguments) -> bool:
    return not (of_integers(a) or is_int4(a) or shares(a))


def stored_apart(a: Arguments) -> bool:
    """True if the view of a weight has the dimensions of its blocks."""
    return any(len(tensor.shape) > 3 for tensor in a[WEIGHTS])


def in_view(a: Arguments) -> bool:
    return not (others(a) or stored_apart(a))


def matrices(a: Arguments) -> list[Shape]:
    """The rows and columns of the weight of each group; once if all groups share a tensor."""
    shapes = [elements(tensor) for tensor in a[WEIGHTS]]
    return [shapes[0][1:]] if len(shapes[0]) == 3 else shapes


def leading(a: Arguments) -> Shape:
    """The dimension of the groups, if one tensor has all of them."""
    return a[WEIGHTS][0].shape[:1] if len(a[WEIGHTS][0].shape) == 3 else ()


def group_count(a: Arguments) -> int:
    return leading(a)[0] if leading(a) else len(a[WEIGHTS])


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
    k, sizes = elements(a["x"])[-1], set(matrices(a))
    most = LONGEST_OF_INT4 if is_int4(a) else LONGEST
    good = len(sizes) == 1 and k == next(iter(sizes))[0] <= most and 0 < columns(a) <= MOST_COLUMNS
    good = good and columns(a) % 2 == 0 and group_count(a) > 0
    return None if good else (k, f"the rows of matrices with an even number of columns, up to {MOST_COLUMNS}")


def wrong_scales(a: Arguments) -> Bad:
    expected = [(*leading(a), columns(a))] * len(a[WEIGHTS])
    shapes = [tensor.shape for tensor in a[SCALES]]
    floats = all(tensor.dtype in (T.ACL_FLOAT, T.ACL_FLOAT16, T.ACL_BF16) for tensor in a[SCALES])
    return None if shapes == expected and floats else (list(map(list, shapes)), list(map(list, expected)))


def wrong_scales_of_int4(a: Arguments) -> Bad:
    """Groups of rows of a weight have scales of their own with dequantMode 1."""
    (k, n), front, shapes = matrices(a)[0], leading(a), [tensor.shape for tensor in a[SCALES]]
    in_parts = a["dequantMode"] == 1
    parts = shapes[0][len(front)] if in_parts and len(shapes[0]) == len(front) + 2 else 1
    expected = [(*front, *((parts,) if in_parts else ()), n)] * len(a[WEIGHTS])
    good = shapes == expected and parts and k % parts == 0 and {tensor.dtype for tensor in a[SCALES]} == {T.ACL_UINT64}
    return None if good else (list(map(list, shapes)), f"UINT64 {list(map(list, expected))}")


def wrong_assist(a: Arguments) -> Bad:
    """Checks the sums of the weight, which INT8 beside INT4 needs."""
    expected = [(*leading(a), columns(a))] * (len(a[WEIGHTS]) if a.dtype("x") == INT8 else 0)
    shapes = [tensor.shape for tensor in a[ASSIST] or ()]
    floats = all(tensor.dtype == T.ACL_FLOAT for tensor in a[ASSIST] or ())
    return None if shapes == expected and floats else (list(map(list, shapes)), f"FLOAT {list(map(list, expected))}")


def wrong_smooth(a: Arguments) -> Bad:
    groups, shape = group_count(a), a.shape(SMOOTH)
    allowed = [] if a.dtype("x") == INT8 else [(groups,), (groups, columns(a) // 2)]
    good = shape in allowed and a.dtype(SMOOTH) == T.ACL_FLOAT
    return None if good else (list(shape), " or ".join(map(str, allowed)) or "null")


def wrong_shared_scales(a: Arguments) -> Bad:
    expected = [scale_shape(tensor.shape, -2, BLOCK) for tensor in a[WEIGHTS]]
    shapes = [tensor.shape for tensor in a[SCALES]]
    return None if shapes == expected else (list(map(list, shapes)), list(map(list, expected)))


def not_given(a: Arguments, name: str) -> Bad:
    return ("tensors", "null") if a[name] else None


def rows(a: Arguments) -> Shape:
    return a.shape("x")[:1]


def halves(a: Arguments) -> Shape:
    return (*rows(a), columns(a) // 2)


def half_scales(a: Arguments) -> Shape:
    return scale_shape(halves(a), -1, BLOCK)


OF_INTEGERS: Final = (
    shape("xScale", "{0} has a scale for each row of x", rows),
    shape("outputScale", "{0} has a scale for each row of x", rows),
    demand("{0} and the scales of rows are of integers", "output", "xScale", "outputScale",
           bad=lambda a: None if a.dtypes("output", "xScale", "outputScale") == [INT8, T.ACL_FLOAT, T.ACL_FLOAT]
           else (a.type_name("output"), "INT8, with FLOAT scales")),
)  # fmt: skip
CONTRACT: Final[tuple[Relation, ...]] = (
    lacks("factors other than INT8, INT4, or floats whose blocks of 32 elements share scales", others),
    lacks("a weight as it is stored, in 4 or 5 dimensions", stored_apart),
    nibbles("x", WEIGHTS, "output"),
    with_tensors(WEIGHTS, status=ACLNN_ERR_PARAM_NULLPTR), null_status(ACLNN_ERR_PARAM_INVALID, "output"),
    listed("x", WEIGHTS, SCALES, "xScale", "groupList", "output", "outputScale"), is_null("bias"),
    ranks("x", "groupList", "output"),
    one_of("groupListType", ENDS, COUNTS),
    only_if("the factors are INT8", of_integers,
            *(one_of(name, 0) for name in ("dequantMode", "dequantDtype", "quantMode"))),
    only_if("the factors are INT4", is_int4, one_of("dequantMode", 0, 1),
            *(one_of(name, 0) for name in ("dequantDtype", "quantMode"))),
    only_if("blocks share scales", shares, *(one_of(name, 2) for name in ("dequantMode", "quantMode"))),
    only_if(
        "matrices are views", in_view,
        demand("{0} has a tensor for all groups, or one for each group", WEIGHTS, bad=wrong_ranks),
        demand("{0} has the rows of {1} in its last dimension", "x", WEIGHTS, bad=wrong_sizes),
        shape("groupList", "{0} has an element for each group", lambda a: (group_count(a),)),
        shape("output", "{0} has the rows of x and half the columns of weight", halves),
    ),
    only_if(
        "the factors are INT8, with matrices as views", lambda a: of_integers(a) and in_view(a),
        demand("{0} of INT8 is in FRACTAL_NZ", WEIGHTS, bad=not_in_blocks),
        demand("{0} has a number for each column of {1}", SCALES, WEIGHTS, bad=wrong_scales), *OF_INTEGERS,
    ),
    only_if(
        "the factors are INT4, with matrices as views", lambda a: is_int4(a) and in_view(a),
        demand("{0} has a number for each column of {1}, or of each group of rows", SCALES, WEIGHTS,
               bad=wrong_scales_of_int4),
        demand(f"{ASSIST} fits {{0}} and {{1}}", "x", WEIGHTS, bad=wrong_assist),
        demand("{0} has a number for each group, or each column of it", SMOOTH, WEIGHTS, bad=wrong_smooth),
        *OF_INTEGERS,
    ),
    only_if(
        "blocks share scales, with matrices as views", lambda a: shares(a) and in_view(a),
        demand("{0} has a pair of scales for each two blocks of {1}", SCALES, WEIGHTS, bad=wrong_shared_scales),
        demand(f"{ASSIST} is null beside {{0}} of floats", "x", bad=partial(not_given, name=ASSIST)), is_null(SMOOTH),
        shape("xScale", "{0} has a pair of scales for each two blocks", lambda a: scale_shape(a.shape("x"), -1, BLOCK)),
        shape("outputScale", "{0} has a pair of scales for each two blocks", half_scales),
        demand("{0} and {1} are floats with shared scales", "output", "outputScale",
               bad=lambda a: None if a.dtype("output") in GRIDS and a.dtype("outputScale") == SHARED
               else (a.type_name("output"), "floats of 8 or 4 bits")),
    ),
)  # fmt: skip


@planned("aclnnGroupedMatmulSwigluQuantV2", *CONTRACT)
def grouped_matmul_swiglu_quant_v2(p: Planning) -> None:
    """Like aclnnGroupedMatmulSwigluQuant. groupList has the ends of the groups, or with groupListType 1 their numbers
    of rows. weightAssistMatrix is what aclnnGroupedMatmulSwigluQuant calls bias. smoothScale multiplies the gated rows
    of INT4. Narrow floats have a scale for each 32 elements, and so have the results."""
    plan(p)


@planned("aclnnGroupedMatmulSwigluQuantWeightNzV2", *CONTRACT)
def grouped_matmul_swiglu_quant_weight_nz_v2(p: Planning) -> None:
    """Same as aclnnGroupedMatmulSwigluQuantV2"""
    plan(p)


def plan(p: Planning) -> None:
    kind = p["groupListType"]
    if shares(p):
        with_shared_scales(p)
    elif of_integers(p):
        weights = [nz_to_nd(p.builder, tensor) for tensor in p[WEIGHTS]]
        multiplied(p, of_columns(weights, p.read_all(SCALES)), columns(p), kind)
    else:
        scales, k = p.read_all(SCALES), matrices(p)[0][0]
        size = k // scales[0].shape[-2] if p["dequantMode"] == 1 else k
        plus = p.read_all(ASSIST) if p[ASSIST] else []
        product = of_int4(p, [operand_of_int4(p, tensor) for tensor in p[WEIGHTS]], scales, plus, size)
        multiplied(p, product, columns(p), kind, [p.read(SMOOTH)] if p.given(SMOOTH) else [])


def with_shared_scales(p: Planning) -> None:
    """Plans products of narrow floats: the gated rows are quantised in blocks of 32 elements."""
    kind, (count, half), groups = p["groupListType"], halves(p), p.read("groupList")
    number = p.shape("groupList")[0]
    x = unscaled(p, in_order(p, p["x"]), p.read("xScale"), 1)
    weights = [unscaled(p, in_order(p, tensor), scale, -2)
               for tensor, scale in zip(p[WEIGHTS], p.read_all(SCALES), strict=True)]  # fmt: skip
    wide = p.builder.alloc((count, 2 * half), T.ACL_FLOAT)
    plan_groups(p, x, groups, {"weight": weights}, [wide], multiply, {}, name="groupList", kind=kind, number=number)
    gated = p.step(gate, [wide, groups], (count, half), T.ACL_FLOAT, kind=kind)
    dtype = p.dtype("output")
    bits = dtype in FLOATS_OF_4_BITS
    flat, scales = (count, half, 1), (count, pairs(half, BLOCK), 1, PAIR)
    numbers = p.builder.alloc(flat, T.ACL_INT4 if bits else dtype)
    bytes = p.builder.alloc(scales, SHARED)
    p.builder.launch(by_blocks, [p.builder.reshape(gated, flat)], [numbers, bytes], size=BLOCK, grid=GRIDS[dtype],
                     rounding="rint", rule=OCP, bits=bits)  # fmt: skip
    outputs = (p.nibbles("output") if bits else p.builder.written(p["output"]), p.builder.written(p["outputScale"]))
    for result, target in zip((numbers, bytes), outputs, strict=True):
        rows_of_result = p.builder.reshape(result, target.shape)
        p.builder.launch(first_rows, [rows_of_result, groups], [target], kind=kind)
