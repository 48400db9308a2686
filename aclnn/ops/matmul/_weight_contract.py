"""The contract of products with a quantised weight: the demands on the tensors, in the order of the checks."""

from math import prod
from typing import Final

from aclnn.op import (
    ACLNN_ERR_PARAM_NULLPTR, Arguments, Bad, DataTypes, Relation, Series, Shape, T, Tensor, demand, dtype_name, listed,
    only_on, public_format, ranks, row_major, shape,
)  # fmt: skip
from aclnn.ops.matmul._family import PACKED_SCALES, PER_INT32, plain_format

A2A3: Final = (Series.A2, Series.A3)
WEIGHTS: Final = DataTypes(
    (T.ACL_INT8,),
    on={
        **dict.fromkeys(A2A3, (T.ACL_INT8, T.ACL_INT4, T.ACL_INT32)),
        Series.A950: (T.ACL_INT8, T.ACL_INT4, T.ACL_INT32, T.ACL_FLOAT8_E4M3FN, T.ACL_HIFLOAT8, T.ACL_FLOAT4_E2M1,
                      T.ACL_FLOAT),
    },
)  # fmt: skip
X_TYPES: Final = DataTypes((T.ACL_FLOAT16,), dict.fromkeys((*A2A3, Series.A950), (T.ACL_BF16,)))
OPTIONAL: Final = ("antiquantOffsetOptional", "quantScaleOptional", "quantOffsetOptional", "biasOptional")
QUANT: Final = ("quantScaleOptional", "quantOffsetOptional")
SMALL: Final = ("antiquantScale", *OPTIONAL)
LONGEST: Final = 65535


def dense(tensor: Tensor) -> bool:
    return tensor.contiguous


def transposed(tensor: Tensor) -> bool:
    """True for a view that swaps the last two dimensions of a dense tensor. The strides decide, even if a dimension has
    the size 1 and both layouts have the same order of elements."""
    if len(tensor.shape) < 2:
        return False
    *batch, rows, columns = tensor.shape
    *outer, last = row_major((*batch, columns, rows))
    return tensor.strides == (*outer[:-1], last, outer[-1]) != row_major(tensor.shape)


def sizes(a: Arguments) -> Shape:
    """m, k and n in elements. Each INT32 of a weight is eight elements of its dense dimension."""
    m, (*_, k, n) = a.shape("x")[-2], a.shape("weight")
    if a.dtype("weight") == T.ACL_INT32:
        return (m, k * PER_INT32, n) if transposed(a["weight"]) else (m, k, n * PER_INT32)
    return m, k, n


# demands


def no_quantisation(name: str) -> Relation:
    """Checks that there is no quantised output on 310P and Ascend 950."""

    def bad(a: Arguments) -> Bad:
        return None if a.soc.series in A2A3 else ("a tensor", "null")

    return demand("{0} is null, except on A2 and A3", name, bad=bad, status=ACLNN_ERR_PARAM_NULLPTR)


def laid_out(name: str) -> Relation:
    """Checks that x or the weight is dense or transposed."""

    def bad(a: Arguments) -> Bad:
        fine = dense(a[name]) or transposed(a[name])
        return None if fine else (f"strides {list(a[name].strides)}", "a dense or transposed tensor")

    return demand("{0} is dense or transposed", name, bad=bad)


def laid_out_as_weight(name: str) -> Relation:
    """Checks that scales are dense, if the weight is. If the weight is transposed, only Ascend 950 checks strides."""

    def bad(a: Arguments) -> Bad:
        tensor, weight_transposed = a[name], transposed(a["weight"])
        if a.soc.series is Series.A950 and len(tensor.shape) == 2 and prod(tensor.shape) > 1:
            fine = transposed(tensor) == weight_transposed or (dense(tensor) and 1 in tensor.shape)
        else:
            fine = weight_transposed or dense(tensor)
        return None if fine else (f"strides {list(tensor.strides)}", "the layout of weight")

    return demand("{0} is laid out as weight", name, "weight", bad=bad)


def contiguous(name: str) -> Relation:
    def bad(a: Arguments) -> Bad:
        return None if dense(a[name]) else (f"strides {list(a[name].strides)}", "a dense tensor")

    return demand("{0} is dense", name, bad=bad)


def output_type(a: Arguments) -> Bad:
    expected_dtype = T.ACL_INT8 if a["quantScaleOptional"] is not None else a.dtype("x")
    return None if a.dtype("y") == expected_dtype else (a.type_name("y"), dtype_name(expected_dtype))


def scale_type(a: Arguments) -> Bad:
    dtype, x = a.dtype("antiquantScale"), a.dtype("x")
    packed = dtype in PACKED_SCALES and x == T.ACL_FLOAT16 and a.dtype("weight") == T.ACL_INT8
    small = dtype == T.ACL_FLOAT8_E8M0 and a.soc.series is Series.A950
    return None if dtype == x or packed or small else (a.type_name("antiquantScale"), a.type_name("x"))


def bias_type(a: Arguments) -> Bad:
    wide = (T.ACL_BF16, T.ACL_FLOAT) if a.soc.series is Series.A950 else (T.ACL_FLOAT,)
    allowed = wide if a.dtype("x") == T.ACL_BF16 else (T.ACL_FLOAT16,)
    return (
        None
        if a.dtype("biasOptional") in allowed
        else (a.type_name("biasOptional"), " or ".join(map(dtype_name, allowed)))
    )


def offset_alone(a: Arguments) -> Bad:
    return None if a["quantScaleOptional"] is not None else ("a tensor without quantScale", "null, or also quantScale")


def inner_sizes(a: Arguments) -> Bad:
    k, size = sizes(a)[1], a.shape("x")[-1]
    return None if k == size else (f"{size} columns", f"{k}, the rows of weight")


def in_bounds(a: Arguments) -> Bad:
    m, k, n = sizes(a)
    limited = (k, n, m) if transposed(a["x"]) else (k, n)
    if min(m, k, n) < 1 or (a.soc.series in A2A3 and max(limited) > LONGEST):
        return f"m, k, n = {m}, {k}, {n}", f"1 to {LONGEST}"
    return None


def odd_pairs(a: Arguments) -> Bad:
    inner = sizes(a)[1] if transposed(a["weight"]) else sizes(a)[2]
    packed = a.dtype("weight") in (T.ACL_INT4, T.ACL_INT32)
    return (f"{inner} INT4 values", "an even number") if packed and inner % 2 else None


def group_size(a: Arguments) -> Bad:
    value, k = a["antiquantGroupSize"], sizes(a)[1]
    fine = value == 0 or (value % 32 == 0 and 32 <= value <= k - 1)
    return None if fine else (value, f"0, or a multiple of 32 from 32 to {k - 1}")


def scale_shape(name: str) -> Relation:
    """Checks for one scale, one for each column, or one for each column and group."""

    def bad(a: Arguments) -> Bad:
        _, k, n = sizes(a)
        group, shape = a["antiquantGroupSize"], a.shape(name)
        allowed = [(-(-k // group), n)] if group else [(1,), (1, 1), (n,), (1, n)]
        if a.soc.series is Series.INFERENCE and not group:
            allowed.append((n, 1))
        if name != "antiquantScale":
            allowed = [a.shape("antiquantScale")]
        return None if shape in allowed else (list(shape), ", ".join(str(list(each)) for each in allowed))

    return demand("{0} has a value for each column, or group, of weight", name, "weight", bad=bad)


def row_shape(name: str, *, single: bool) -> Relation:
    """Checks for a value for each column. `single`: one value for all columns is also accepted."""

    def bad(a: Arguments) -> Bad:
        n, shape = sizes(a)[2], a.shape(name)
        allowed = [(n,), (1, n), *([(1,), (1, 1)] if single else [])]
        return None if shape in allowed else (list(shape), ", ".join(str(list(each)) for each in allowed))

    return demand("{0} has a value for each column of weight", name, "weight", bad=bad)


IN_ND: Final = only_on(Series.A950, plain_format("weight"))


def contract(*formats: Relation, quant: tuple[str, ...] = QUANT) -> tuple[Relation, ...]:
    """The relations of a function. `formats`: the checks of the storage of the weight. `quant`: the tensors of a
    quantised output; empty if no product supports one."""
    small = tuple(name for name in SMALL if name in quant or name not in QUANT)
    return (
        *map(no_quantisation, QUANT),
        *formats,
        *map(laid_out, ("x", "weight")), *map(laid_out_as_weight, ("antiquantScale", "antiquantOffsetOptional")),
        *map(contiguous, ("y", *quant, "biasOptional")),
        listed("x", among=X_TYPES), listed("weight", among=WEIGHTS), listed("antiquantScale", "y"),
        demand("{0} is INT8 with quantScale, else of the data type of x", "y", bad=output_type),
        ranks("x", "weight", "y", least=2, most=2),
        demand("{0} has the data type of x, or packed scales", "antiquantScale", "x", "weight", bad=scale_type),
        demand("{0} has the data type that goes with x", "biasOptional", "x", bad=bias_type),
        public_format("x", "y", *small), ranks(*small, least=1, most=2),
        *map(listed, quant[:1]),
        *(only_on(each, plain_format("x")) for each in A2A3),
        *(demand("{0} comes with quantScale", name, bad=offset_alone) for name in quant[1:]),
        demand("{0} has as many columns as weight has rows", "x", "weight", bad=inner_sizes),
        demand("the sizes of {0} and {1} are in the bounds of the product", "x", "weight", bad=in_bounds),
        demand("{0} has pairs of INT4", "weight", bad=odd_pairs),
        shape("y", "{0} has the rows of x and the columns of weight", lambda a: (sizes(a)[0], sizes(a)[2])),
        demand("{0} is 0, or a multiple of 32 below the inner size", "antiquantGroupSize", "weight", bad=group_size),
        *map(scale_shape, ("antiquantScale", "antiquantOffsetOptional")),
        *(row_shape(name, single=True) for name in quant), row_shape("biasOptional", single=False),
    )  # fmt: skip


CONTRACT: Final = contract(IN_ND)
