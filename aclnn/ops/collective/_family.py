"""Shared by the products that communicate: sizes, the product of one rank, what travels."""

from collections.abc import Callable
from math import prod
from typing import Final

from aclnn.op import (
    HALVES, TILING, Arguments, Bad, DataTypes, Operand, Planning, Relation, Series, Shape, T, demand, group_of, is_nz,
    is_transposed, lacks, listed, names_group, one_of, only_if, ranks, same_dtype, shape,
)  # fmt: skip
from aclnn.ops.matmul._kernels import multiply
from aclnn.ops.matmul._quantised_products import multiply_integers

FIRST_K, END_K = 256, 65535
"""the least inner size, and the first one that is too large"""
LONGEST: Final = 128
"""bytes of the name of a group, with the zero at its end"""
NARROW: Final = (T.ACL_INT8, T.ACL_INT4)
SMALL: Final = (T.ACL_FLOAT8_E4M3FN, T.ACL_FLOAT8_E5M2, T.ACL_HIFLOAT8, T.ACL_FLOAT4_E2M1)


def is_long(name: str) -> bool:
    """True for the name of a group that does not fit."""
    return len(name.encode(errors="surrogateescape")) >= LONGEST


def long_name(parameter: str) -> Callable[[Arguments], Bad]:
    """The test of a name of a group that is too long."""

    def bad(a: Arguments) -> Bad:
        return ("a name of 128 bytes or more", "127 bytes") if is_long(a[parameter]) else None

    return bad


def sizes(a: Arguments) -> tuple[int, int, int]:
    """Rows, inner size and columns of the product."""
    *rows, k = a.shape("x1")
    return prod(rows), k, a.shape("x2")[-1]


def other_inner(a: Arguments) -> Bad:
    k, other = a.shape("x1")[-1], a.shape("x2")[0]
    return None if k == other else (f"{k} columns", f"{other}, as x2 has rows")


def wrong_inner(a: Arguments) -> Bad:
    k = a.shape("x1")[-1]
    return None if FIRST_K <= k < END_K else (k, f"at least {FIRST_K}, less than {END_K}")


def loose_factor(a: Arguments) -> Bad:
    tensor = a["x2"]
    good = a.soc.series is not Series.A2 or tensor.contiguous or is_transposed(tensor)
    return None if good else (f"strides {list(tensor.strides)}", "a contiguous tensor, or a transposed view of one")


def columns(name: str) -> Relation:
    """A vector, or a row, has a number for each column of the product."""
    return shape(name, "{0} has a number for each column of x2", lambda a: _as_row(a, name))


def _as_row(a: Arguments, name: str) -> Shape:
    n = a.shape("x2")[-1]
    return (1, n) if a.rank(name) == 2 else (n,)


INNER: Final = demand("{0} has as many columns as x2 has rows", "x1", "x2", bad=other_inner)
LONG_INNER: Final = demand(
    "{0} has at least 256 columns, and less than 65535", "x1", bad=wrong_inner,
    broken="{0} has less than 256 columns, or 65535 or more",
)  # fmt: skip
DENSE: Final = demand("{0} is contiguous or a transposed view on Atlas A2", "x2", bad=loose_factor)
GROUP: Final = names_group("group")
SUM: Final = one_of("reduceOp", "sum")
STREAM_MODE: Final = one_of("streamMode", 1)


def alike(*names: str) -> tuple[Relation, ...]:
    """The relations of tensors that have the data type of x1."""
    return tuple(same_dtype(name, as_="x1") for name in names)


def matrices(*names: str) -> Relation:
    return ranks(*names, least=2, most=2)


def quantised(a: Arguments) -> bool:
    """True if the factors are integers with scales."""
    return a.dtype("x1") in NARROW


def of_small_floats(a: Arguments) -> bool:
    """True if the factors are floats of 8 bits or less."""
    return a.dtype("x1") not in (*HALVES, *NARROW)


def group_size(a: Arguments) -> int:
    """The number of ranks of the group, which an earlier check finds."""
    group = group_of(a, "group")
    return group.size if group is not None else 1


def all_rows(name: str, columns: Callable[[Arguments], int]) -> Relation:
    """A tensor has the rows of x1 of all ranks, and a number of columns."""

    def expected(a: Arguments) -> Shape:
        return a.shape("x1")[0] * group_size(a), columns(a)

    return shape(name, "{0} has the rows of x1 of all ranks", expected, status=TILING, provenance="ours")


def rows_of(p: Planning, x: Operand) -> Operand:
    """The operand as a matrix."""
    return p.builder.reshape(x, (prod(x.shape[:-1]), x.shape[-1]))


def product(
    p: Planning, x1: Operand, dtype: int, *, bias: str = "bias", row_scale: Operand | None = None, scale: str = ""
) -> Operand:  # fmt: skip
    """The product of a matrix with x2, plus the bias. Integers are scaled by `scale` and by `row_scale`."""
    dense = is_nz(p["x2"]) or p.dtype("x2") == T.ACL_INT4
    factor = p.read("x2", nz=True) if dense else p.builder.view(p["x2"])
    added = [p.read(bias)] if p.given(bias) else []
    result = x1.shape[0], factor.shape[-1]
    if x1.dtype not in NARROW:
        return p.step(multiply, [x1, factor, *added], result, dtype)
    operands = {"bias": added[0]} if added else {}
    if scale:
        operands["scale"] = flat(p, scale)
    if row_scale is not None:
        operands["pertoken"] = row_scale
    return p.step(multiply_integers, [x1, factor, *operands.values()], result, dtype, names=tuple(operands))


def flat(p: Planning, name: str) -> Operand:
    """A tensor of scales as a vector."""
    scales = p.read(name)
    return p.builder.reshape(scales, (prod(scales.shape),))


# the V2 forms of AllGatherMatmul and MatmulReduceScatter


def other_types(a: Arguments) -> Bad:
    first, second = a.dtype("x1"), a.dtype("x2")
    floats8 = {T.ACL_FLOAT8_E4M3FN, T.ACL_FLOAT8_E5M2}
    same = first == second or {first, second} <= floats8
    return None if same else (a.type_name("x2"), f"{a.type_name('x1')}, as x1")


def scale_shape(name: str, expected: Callable[[Arguments], int]) -> Relation:
    """Scales of a form with integers: one for each row, or for each column."""

    def bad(a: Arguments) -> Bad:
        count, allowed = prod(a.shape(name)), expected(a)
        return None if count == allowed else (f"{count} numbers", allowed)

    return demand("{0} has a number for each row of x1, or for each column of x2", name, bad=bad)


def without_scales(a: Arguments) -> Bad:
    missing = [name for name in ("x1Scale", "x2Scale") if not a.given(name)]
    return (f"a call without {missing[0]}", "both scales") if missing else None


def of_halves(a: Arguments) -> bool:
    return a.dtype("x1") in HALVES


def version_2(*integers: T) -> tuple[Relation, ...]:
    """The checks of the data types. `integers`: those that x1 and x2 may have before Ascend 950."""
    before = DataTypes((*HALVES, *integers), on={Series.A950: (*HALVES, *SMALL)})
    return (
        listed("x1", "x2", among=before),
        listed("output", "bias", "x1Scale", "x2Scale"),
        demand("{0} has the data type of x1, or both are FLOAT8", "x2", "x1", bad=other_types),
        only_if("x1 has 16 bits", of_halves, same_dtype("output", as_="x1"), same_dtype("bias", as_="x1")),
        STREAM_MODE,
    )


INTEGER_FORM: Final = only_if(
    "x1 is INT8 or INT4", quantised,
    demand("x1Scale and x2Scale are given with {0} of integers", "x1", bad=without_scales, broken="a scale is null"),
    scale_shape("x1Scale", lambda a: a.shape("x1")[0]), scale_shape("x2Scale", lambda a: a.shape("x2")[-1]),
)  # fmt: skip
WITHOUT_SMALL: Final = lacks("factors of floats of 8 bits or less", of_small_floats)


def scale_count(a: Arguments, name: str) -> Bad:
    """The violation of scales that are not one for each row of x1."""
    count, rows = a[name].numel, sizes(a)[0]
    return None if count == rows else (f"{count} numbers", rows)
