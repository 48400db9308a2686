"""Eq, Ne, Gt, Ge, Lt and Le of two tensors, or of a tensor and a scalar, and their forms in place.

The six differ in the operands whose data type they check, in their lists, and in the data type that they compare in.
NaN is equal to nothing, and -0.0 is equal to 0.0. Only Eq and Ne accept complex numbers; they compare both parts.
"""

import numpy as np

from aclnn.op import (
    ACLNN_ERR_INNER_NULLPTR, BF16, BOOL, COMPLEX, IEEE_FLOATS, INTEGERS, WIDE_UNSIGNED, Arguments, Bad, Compute,
    DataTypes, Operator, Planning, Relation, Series, T, broadcast, computed_among, computed_in, demand, dtype_name,
    empty, is_complex, is_float, listed, mixed, null_status, nulls, only_on, out_of_place, promote, ranks, same_shape,
    scalar_as, scalar_of_950, together, twin_first, with_bf16, with_scalar_950,
)  # fmt: skip
from aclnn.ops.comparison._family import bool_as, by_product, store_result
from aclnn.ops.elementwise._family import with_tensor

SIGNS: dict[np.ufunc, str] = {
    np.equal: "==", np.not_equal: "!=", np.greater: ">", np.greater_equal: ">=", np.less: "<", np.less_equal: "<=",
}  # fmt: skip
REAL_NUMBERS = (*IEEE_FLOATS, *INTEGERS)
L11 = (*REAL_NUMBERS, *BOOL, *COMPLEX)
L12 = (*L11, *BF16)
U16, U32, U64 = ((dtype,) for dtype in WIDE_UNSIGNED)
ORDERED = with_bf16((*REAL_NUMBERS, *BOOL, *WIDE_UNSIGNED))
ORDERED_OR_COMPLEX = with_bf16((*REAL_NUMBERS, *BOOL, *WIDE_UNSIGNED, *COMPLEX))
EQ_IN = by_product(L12, (*L12, *U64), (*L11, *U32, *U64))
EQ_OUT = by_product(L12, (*L12, *WIDE_UNSIGNED), (*L11, *U32, *U64))
EQ_SCALAR_IN = DataTypes(L12, on={Series.A950: (*L12, *U64), Series.TRAINING: (*L11, *U32, *U64)})
EQ_SCALAR_OUT = DataTypes(L12, on={Series.A950: (*L12, *WIDE_UNSIGNED), Series.TRAINING: (*L11, *U32, *U64)})
NE_IN, NE_OUT = by_product(L12, (*L12, *U64), L11), by_product(L12, (*L12, *WIDE_UNSIGNED), L11)
GE_IN = with_bf16((*REAL_NUMBERS, *WIDE_UNSIGNED))
GE_SCALAR_IN = with_bf16((*REAL_NUMBERS, *WIDE_UNSIGNED), {Series.A950: BOOL})
LT_OUT = with_bf16((*REAL_NUMBERS, *BOOL, *WIDE_UNSIGNED), {Series.A950: COMPLEX})
REAL_U16 = (*REAL_NUMBERS, *BOOL, *U16)
LE_IN = by_product((*REAL_U16, *BF16), (*REAL_U16, *BF16, *U64), REAL_U16)
LE_OUT = by_product((*REAL_U16, *BF16), (*REAL_NUMBERS, *BOOL, *WIDE_UNSIGNED, *BF16, *COMPLEX), REAL_U16)


def equality_with_scalar(a: Arguments) -> int | None:
    """The data type of Eq and Ne: that of the tensor, unless the scalar has a higher kind (integer, float, complex)."""
    tensor, scalar = a.dtype("self"), a.dtype("other")
    both = promote(tensor, scalar)
    if a.soc.series is Series.A950:
        return with_scalar_950(tensor, scalar)
    higher = is_float(scalar) or is_complex(scalar) or tensor == T.ACL_BOOL
    keeps_tensor = is_complex(tensor) or (is_float(tensor) and not is_complex(scalar)) or not higher
    return tensor if keeps_tensor and both is not None else both


def order_with_scalar(a: Arguments) -> int | None:
    """The data type of Gt and Ge: the promoted one. A DOUBLE scalar is ignored if the data type of a float tensor can
    represent its value."""
    tensor, scalar = a.dtype("self"), a.dtype("other")
    if a.soc.series is Series.A950:
        return mixed(tensor, scalar_of_950(scalar))
    if scalar == T.ACL_DOUBLE and is_float(tensor):
        value, rounded = a["other"].item(), float(scalar_as(a["other"], tensor))
        return tensor if abs(rounded - value) <= 2.0**-23 else promote(tensor, scalar)
    return promote(tensor, scalar)


def as_tensor(a: Arguments) -> int:
    """The data type that Lt and Le give a scalar: that of a float tensor, else its own, with FLOAT for DOUBLE."""
    if is_float(a.dtype("self")):
        return a.dtype("self")
    return T.ACL_FLOAT if a.dtype("other") == T.ACL_DOUBLE else a.dtype("other")


def less_than_scalar(a: Arguments) -> int | None:
    if a.soc.series is Series.A950:
        return mixed(a.dtype("self"), scalar_of_950(a.dtype("other")))
    return promote(a.dtype("self"), as_tensor(a))


def at_most_scalar(a: Arguments) -> int | None:
    if a.soc.series is not Series.A950 and a.dtype("other") == T.ACL_DOUBLE:
        return as_tensor(a)
    return less_than_scalar(a)


def scalar_among(types: DataTypes) -> Relation:
    """Checks that the data type that Lt gives the scalar is in a list."""

    def bad(a: Arguments) -> Bad:
        dtype = a.dtype("other") if a.soc.series is Series.A950 else as_tensor(a)
        return None if dtype in types.on(a.soc.series) else (dtype_name(dtype), "a data type of the list of self")

    return demand("{0} has a data type that {1} may have", "other", "self", bad=bad, provenance="public")


def compared(
    stem: str, formula: np.ufunc, compute: Compute, *checks: Relation, scalar: bool = False,
    traits: tuple[Relation, ...] = (),
) -> Operator:  # fmt: skip
    """A comparison and its form in place. `checks`: the checks before those of shapes, mostly of data types."""

    def plan(p: Planning) -> None:
        store_result(p, formula, p.computed())

    shapes: tuple[Relation, ...] = (ranks("self", least=0, most=8), same_shape("out", "self"), empty("self"))
    if not scalar:
        shapes = (
            ranks("self", "other", least=0, most=8),
            broadcast("self", "other", into="out"),
            empty("self", "other"),
        )
    names = (f"aclnn{stem}", f"aclnnInplace{stem}")
    doc = f"out = true where self {SIGNS[formula]} other"
    return Operator(names, (*traits, computed_in(compute), *checks, *shapes), plan, doc, __name__)


def all_three(inputs: DataTypes, outputs: DataTypes, compute: Compute) -> tuple[Relation, ...]:
    """Checks that self, other and out are in their lists, and that self and other promote."""
    return (
        listed("self", "other", among=inputs), out_of_place(listed("out", among=outputs)), together(compute),
    )  # fmt: skip


def result_first(
    inputs: DataTypes, outputs: DataTypes, compute: Compute, *, scalar: bool = False
) -> tuple[Relation, ...]:
    """Checks that `outputs` has the data type of out, and `inputs` the promoted one of self and other. A scalar must
    have a data type of its document, because the library would read a scalar of 8 bits as FLOAT."""
    scalars = (listed("other", provenance="ours"),) if scalar else ()
    return listed("out", among=outputs), *scalars, together(compute), computed_among(inputs)


EMPTY = empty("self", "other")
SHAPE_FIRST = twin_first(("self", "other"), broadcast("self", "other", into="out"))
ONLY_950 = only_on(Series.A950, listed("self", "other", among=EQ_IN))
ge_types, gt_types = bool_as(T.ACL_INT8, order_with_scalar), bool_as(T.ACL_INT8, with_tensor)
lt_types = bool_as(T.ACL_UINT8, less_than_scalar)

eq_tensor = compared(
    "EqTensor", np.equal, with_tensor, ONLY_950, *result_first(EQ_IN, EQ_OUT, with_tensor), traits=(SHAPE_FIRST,)
)
eq_scalar = compared(
    "EqScalar", np.equal, equality_with_scalar, *all_three(EQ_SCALAR_IN, EQ_SCALAR_OUT, equality_with_scalar),
    scalar=True,
)  # fmt: skip
ne_tensor = compared("NeTensor", np.not_equal, with_tensor, EMPTY, *all_three(NE_IN, NE_OUT, with_tensor))
ne_scalar = compared(
    "NeScalar", np.not_equal, equality_with_scalar, *all_three(NE_IN, NE_OUT, equality_with_scalar), scalar=True
)
gt_tensor = compared("GtTensor", np.greater, gt_types, *result_first(ORDERED, ORDERED_OR_COMPLEX, gt_types))
gt_scalar = compared("GtScalar", np.greater, ge_types, *all_three(ORDERED, ORDERED_OR_COMPLEX, ge_types), scalar=True)
ge_tensor = compared("GeTensor", np.greater_equal, gt_types, *result_first(GE_IN, ORDERED_OR_COMPLEX, gt_types))
ge_scalar = compared(
    "GeScalar",
    np.greater_equal,
    ge_types,
    *result_first(GE_SCALAR_IN, ORDERED_OR_COMPLEX, ge_types, scalar=True),
    scalar=True,
)
lt_tensor = compared("LtTensor", np.less, bool_as(T.ACL_UINT8, with_tensor), *all_three(ORDERED, LT_OUT, with_tensor))
lt_scalar = compared(
    "LtScalar", np.less, lt_types, listed("self", among=ORDERED), scalar_among(ORDERED),
    out_of_place(listed("out", among=LT_OUT)), together(lt_types), scalar=True,
    traits=(nulls("other", "self", "out"), null_status(ACLNN_ERR_INNER_NULLPTR, "other", "self")),
)  # fmt: skip
le_tensor = compared(
    "LeTensor", np.less_equal, bool_as(T.ACL_FLOAT, with_tensor), EMPTY, *all_three(LE_IN, LE_OUT, with_tensor)
)
le_scalar = compared(
    "LeScalar", np.less_equal, bool_as(T.ACL_FLOAT, at_most_scalar), *all_three(LE_IN, LE_OUT, at_most_scalar),
    scalar=True,
)  # fmt: skip
