"""Lists of data types by product, and the step of a function of two operands, for comparisons and bits."""

from collections.abc import Callable, Sequence
from typing import Any

from aclnn.op import NEWER, Arguments, Compute, DataTypes, Planning, Series, T, aclDataType, broadcast_of


Types = Sequence[aclDataType]


def by_product(a2: Types, a950: Types, old: Types) -> DataTypes:
    """The data types on A2 and A3, on Ascend 950, and on older products."""
    newer = {Series.A2: a2, Series.A3: a2, Series.A950: a950}
    return DataTypes(a2, on=newer | {series: old for series in Series if series not in NEWER})


def bool_as(dtype: aclDataType, compute: Compute) -> Compute:
    """The rule `compute` for the data type of a comparison, with `dtype` in place of BOOL."""

    def computed(a: Arguments) -> int | None:
        computed_dtype = compute(a)
        return dtype if computed_dtype == T.ACL_BOOL else computed_dtype

    return computed


def store_result(p: Planning, formula: Callable[..., Any], dtype: int, result: int = T.ACL_BOOL) -> None:
    """Plan out = formula(self, other), with both operands in `dtype`. `other` may be a scalar."""
    first, second = p.operand("self", dtype), p.operand("other", dtype)
    p.store("out", p.step(formula, [first, second], broadcast_of(first, second), result))
