"""GroupedMatmul with factors of INT4, or of floats of 8 bits or less: the forms, their contract and their products."""

from collections.abc import Mapping
from typing import Any, Final

from aclnn.op import Arguments, Bad, Kernel, Operand, Planning, T, Tensor, demand, is_nz, lacks, nz_to_nd, only_if
from aclnn.ops.blocks._contract import BLOCK, scale_shape, unscaled
from aclnn.ops.grouped._family import (
    BF16,
    FLOAT,
    GROUPS,
    HALF,
    INT4,
    INT8,
    INT32,
    OPTIONALS,
    ROWS,
    Factors,
    count,
    group_type,
    kind,
    members,
    of_columns,
    out_name,
    value,
)
from aclnn.ops.grouped._plans import Lists, plan_groups, present, roles
from aclnn.ops.matmul._block_products import MIDDLE, multiply_in_blocks
from aclnn.ops.matmul._family import PACKED_SCALES, PER_INT32, as_int4
from aclnn.ops.matmul._kernels import multiply
from aclnn.ops.matmul._quantised_products import multiply_floats
from aclnn.ops.quantisation._family import FLOATS_OF_4_BITS

BIAS, SCALE, OFFSET, _, _, PER_TOKEN = OPTIONALS
SHARED = T.ACL_FLOAT8_E8M0
FLOAT8: Final = (T.ACL_FLOAT8_E4M3FN, T.ACL_FLOAT8_E5M2, T.ACL_HIFLOAT8)


def of_int4(a: Arguments) -> bool:
    """True for INT4 beside INT4 or INT8, also eight in an INT32."""
    return kind(a) is Factors.INT4 and a["x"][0].dtype in (INT8, INT4, INT32)


def of_floats(a: Arguments) -> bool:
    return kind(a) is Factors.OTHER


def scale_types(a: Arguments) -> tuple[int | None, int | None]:
    """The data types of scale and perTokenScale; None for a list that is not given."""
    first, second = (members(a, name) for name in (SCALE, PER_TOKEN))
    return first[0].dtype if first else None, second[0].dtype if second else None


def shares(a: Arguments) -> bool:
    """True if blocks of 32 elements share scales, which are powers of two."""
    return of_floats(a) and scale_types(a) == (SHARED, SHARED)


def of_rows_and_columns(a: Arguments) -> bool:
    """True for floats with scales of the columns of the weight, and perhaps of rows."""
    scale, rows = scale_types(a)
    if not of_floats(a) or scale not in (FLOAT, BF16, *PACKED_SCALES) or rows not in (None, FLOAT):
        return False
    sizes = [tensor.shape for tensor in members(a, SCALE)]
    return sizes == of_columns(a) and all(len(each.shape) == 1 for each in members(a, PER_TOKEN))


# forms without a kernel


def apart(a: Arguments) -> bool:
    single = group_type(a) == ROWS and len(a["x"]) == len(a[out_name(a)]) == 1
    return kind(a) in (Factors.INT4, Factors.OTHER) and not single


def beside_words(a: Arguments) -> bool:
    return kind(a) is Factors.INT4 and not of_int4(a)


def with_offset(a: Arguments) -> bool:
    return of_int4(a) and bool(members(a, OFFSET))


def other_scales(a: Arguments) -> bool:
    return of_floats(a) and not (shares(a) or of_rows_and_columns(a))


def unequal(a: Arguments) -> bool:
    """True if one factor has floats of 4 bits, or only one has floats of 8 bits."""
    types = {a["x"][0].dtype, a["weight"][0].dtype}
    return of_floats(a) and not (types <= set(FLOAT8) or (len(types) == 1 and types <= set(FLOATS_OF_4_BITS)))


LACKS: Final = (
    lacks("INT4 or floats of 8 bits or less in several tensors of x or results, or in another groupType than 0", apart),
    lacks("floats beside a weight with eight INT4 in an INT32", beside_words), lacks("INT4 and an offset", with_offset),
    lacks("floats of 8 bits or less and floats with another number of bits", unequal),
    lacks("floats of 8 bits or less whose scales are not those of columns, or of blocks of 32 elements", other_scales),
)  # fmt: skip


# the contract


def elements(tensor: Tensor) -> tuple[int, ...]:
    """The shape in INT4, if each INT32 has eight."""
    *sizes, last = tensor.shape
    return (*sizes, last * (PER_INT32 if tensor.dtype == INT32 else 1))


def wrong_int4(a: Arguments) -> Bad:
    """Checks the tensors of INT4 factors: the types and shapes of scales and bias, and of the result."""
    scale, bias, rows = (members(a, name) for name in (SCALE, BIAS, PER_TOKEN))
    x, out, weights = a["x"][0], a[out_name(a)][0], a["weight"]
    if len(x.shape) != 2 or any(len(each.shape) != (3 if len(weights) == 1 else 2) for each in weights):
        return "other dimensions", "x of 2, and a weight of 3 or weights of 2"
    m, k, n = *elements(x), elements(weights[0])[-1]
    if any(elements(each)[-2:] != (k, n) for each in weights) or out.shape != (m, n):
        return [list(elements(each)) for each in (x, weights[0], out)], "x [m, k], weight [k, n] and a result [m, n]"
    if not scale or any(each.dtype not in PACKED_SCALES for each in scale):
        return "other scales", "packed scales"
    leading = (count(a),) if len(weights) == 1 else ()
    groups = scale[0].shape[len(leading)] if len(scale[0].shape) == len(leading) + 2 else 1
    allowed = ((*leading, n), (*leading, groups, n))
    if len(scale) != len(weights) or any(each.shape not in allowed for each in scale) or not groups or k % groups:
        return [list(each.shape) for each in scale], f"{list(allowed[0])}, or a divisor of {k} before the last"
    if bool(bias) != (x.dtype == INT8):
        return f"{len(bias)} biases", "a bias with INT8, and none with INT4"
    if any(each.dtype != FLOAT or each.shape != (*leading, n) for each in bias) or len(bias) not in (0, len(weights)):
        return [list(each.shape) for each in bias], f"FLOAT {[*leading, n]}"
    if any(each.shape not in ((m,), (m, 1)) for each in rows):
        return [list(each.shape) for each in rows], [m]
    return None if out.dtype in (HALF, BF16) else ("another result", "FLOAT16 or BFLOAT16")


def wrong_floats(a: Arguments) -> Bad:
    """Checks the scales and the bias of narrow floats, and the data type of the result."""
    scale, bias, rows = (members(a, name) for name in (SCALE, BIAS, PER_TOKEN))
    x, out, weights = a["x"][0], a[out_name(a)][0], a["weight"]
    if other_scales(a):
        return None
    if shares(a):
        expected = [scale_shape(each.shape, -2, BLOCK) for each in weights]
        if [each.shape for each in scale] != expected or rows[0].shape != scale_shape(x.shape, -1, BLOCK):
            return [list(each.shape) for each in (*scale, *rows)], list(map(list, expected))
    elif rows and rows[0].shape != x.shape[:1]:
        return list(rows[0].shape), list(x.shape[:1])
    if bias and (any(each.dtype != FLOAT for each in bias) or [each.shape for each in bias] != of_columns(a)):
        return [list(each.shape) for each in bias], f"FLOAT {of_columns(a)}"
    return None if out.dtype in (HALF, BF16, FLOAT) else ("another result", "FLOAT16, BFLOAT16 or FLOAT")


CONTRACT: Final = (
    only_if("the factors are INT4, or INT4 and INT8", of_int4,
            demand("{0}, weight and the other tensors fit", "x", "weight", bad=wrong_int4)),
    only_if("the factors are floats of 8 bits or less", of_floats,
            demand("{0}, weight and the other tensors fit", "x", "weight", bad=wrong_floats)),
)  # fmt: skip


# plans


def plan_int4(p: Planning) -> None:
    """Plans products of INT4: scaled sums, for each group of rows of the weight that has a scale."""
    x, weights, scale = p["x"][0], p["weight"], members(p, SCALE)
    k, wide = elements(x)[-1], x.dtype == INT8
    groups = scale[0].shape[-2] if len(scale[0].shape) == len(elements(weights[0])) else 1
    first = p.builder.view(x) if wide else as_int4(p.builder.view(x))
    lists = present({"weight": [as_int4(dense(p, each)) for each in weights], "columns": views(p, SCALE),
                     "plus": views(p, BIAS), "pertoken": views(p, PER_TOKEN)})  # fmt: skip
    attributes = {"names": roles(lists), "size": max(k // groups, 1), "middle": MIDDLE if wide else 0}
    plan_products(p, first, lists, multiply_in_blocks, attributes)


def plan_floats(p: Planning) -> None:
    """Plans products of narrow floats."""
    x, weights = p["x"][0], p["weight"]
    if not shares(p):
        lists = present({"weight": [dense(p, each) for each in weights], "scale": views(p, SCALE),
                         "pertoken": views(p, PER_TOKEN), "bias": views(p, BIAS)})  # fmt: skip
        plan_products(p, p.builder.view(x), lists, multiply_floats, {"names": roles(lists)})
        return
    scales = [p.builder.contiguous(each) for each in members(p, SCALE)]
    rows = p.builder.contiguous(members(p, PER_TOKEN)[0])
    first = unscaled(p, in_order(p, x), rows, 1)
    wide = [unscaled(p, in_order(p, each), scale, -2) for each, scale in zip(weights, scales, strict=True)]
    plan_products(p, first, present({"weight": wide, "bias": views(p, BIAS)}), multiply, {})


def dense(p: Planning, tensor: Tensor) -> Operand:
    return nz_to_nd(p.builder, tensor) if is_nz(tensor) else p.builder.view(tensor)


def in_order(p: Planning, tensor: Tensor) -> Operand:
    """A tensor whose elements are in order. Floats of 4 bits have no other order."""
    if is_nz(tensor) or tensor.dtype in FLOATS_OF_4_BITS:
        return dense(p, tensor)
    return p.builder.contiguous(tensor)


def views(p: Planning, name: str) -> list[Operand]:
    return list(map(p.builder.view, members(p, name)))


def plan_products(p: Planning, x: Operand, lists: Lists, kernel: Kernel, attributes: Mapping[str, Any]) -> None:
    """Plans the groups, with one result for all of them."""
    plan_groups(p, x, p.builder.view(p[GROUPS]), lists, [p.builder.written(p[out_name(p)][0])], kernel, attributes,
                name=GROUPS, kind=value(p, "groupListType"), number=count(p))  # fmt: skip
