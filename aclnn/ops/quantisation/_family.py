"""Shared by quantisations: relations, rounding to the numbers of a data type, and INT4 packed into INT32."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from aclnn.op import (
    ACLNN_ERR_PARAM_INVALID, Arguments, Array, Bad, Kernel, Operand, Planning, Relation, Shape, T, aclDataType, demand,
    dtype_name, in_parts, pack_int4, shape,
)  # fmt: skip


Limits = tuple[float, float]
CARRIED: Final = 8
"""elements of INT4 in a word of INT32"""
ROUNDINGS: Final[Mapping[str, Callable[[Array], Array]]] = {
    "round": np.rint, "rint": np.rint, "floor": np.floor, "ceil": np.ceil, "trunc": np.trunc,
}  # fmt: skip
LIMITS: Final[Mapping[int, Limits]] = {
    T.ACL_INT8: (-128, 127), T.ACL_UINT8: (0, 255), T.ACL_INT4: (-8, 7), T.ACL_INT32: (-(2.0**31), 2.0**31),
    T.ACL_FLOAT4_E2M1: (-6, 6), T.ACL_FLOAT4_E1M2: (-1.75, 1.75),
    T.ACL_FLOAT8_E4M3FN: (-448, 448), T.ACL_FLOAT8_E5M2: (-57344, 57344), T.ACL_HIFLOAT8: (-32768, 32768),
}  # fmt: skip
"""the least and the greatest number of each data type"""
FLOATS_OF_8_BITS: Final = (T.ACL_FLOAT8_E4M3FN, T.ACL_FLOAT8_E5M2, T.ACL_HIFLOAT8)
FLOATS_OF_4_BITS: Final = (T.ACL_FLOAT4_E2M1, T.ACL_FLOAT4_E1M2)


def on_grid(values: Array, *, rounding: str, limits: Limits) -> Array:
    """Values rounded to integers, unless `rounding` is empty, and saturated. NaN stays, and is stored as 0."""
    rounded = ROUNDINGS[rounding](values) if rounding else values
    return np.minimum(np.maximum(rounded, np.float32(limits[0])), np.float32(limits[1]))


@in_parts([-1])
def by_rows(x: Array, *smooth: Array, rounding: str, limits: Limits) -> tuple[Array, Array]:
    """Rows times factors, quantised with a scale for each row; and these scales. A row of zeros has the scale 0."""
    for factor in smooth:
        x = x * factor
    scale = np.abs(x).max(1, keepdims=True) / np.float32(limits[1])
    y = np.where(scale == 0, np.float32(0), x / scale)
    return on_grid(y, rounding=rounding, limits=limits), scale


@in_parts()
def with_scales(
    x: Array, scale: Array, *zeros: Array, divides: bool, rounding: str, limits: Limits
) -> Array:  # fmt: skip
    """x divided by a scale, or multiplied by the scale, plus the zero points."""
    scaled = x / scale if divides else x * scale
    for zero in zeros:
        scaled = scaled + zero.astype(np.float32)
    return on_grid(scaled, rounding=rounding, limits=limits)


@in_parts()
def rescaled(x: Array, *others: Array, scales: int) -> Array:
    """Integers as FLOAT, times the first `scales` of `others`, plus the rest of them."""
    result = x.astype(np.float32)
    for scale in others[:scales]:
        result = result * scale
    for bias in others[scales:]:
        result = result + bias
    return result


def held_in(dtype: int) -> int:
    """The data type of the elements: INT4 for INT32, which packs them."""
    return T.ACL_INT4 if dtype == T.ACL_INT32 else dtype


def grid(dtype: int, rounding: str = "round") -> dict[str, Any]:
    """The attributes of `on_grid` for a data type. Storing rounds floats. No kernel computes floats of 4 bits."""
    return {"rounding": "" if dtype in (*FLOATS_OF_8_BITS, *FLOATS_OF_4_BITS) else rounding, "limits": LIMITS[dtype]}


def store_quantised(p: Planning, name: str, quantised: Operand) -> None:
    """Store a quantised result in an output, which is INT32 if it carries INT4."""
    if p.given(name) and p.dtype(name) == T.ACL_INT32:
        quantised = p.step(carried, [quantised], p.shape(name), T.ACL_INT32, sizes=p.shape(name))
    p.store(name, quantised)


def quantised(
    p: Planning, name: str, kernel: Kernel, inputs: Sequence[Operand], shape: Shape, **attributes: Any
) -> None:
    """Plans a step with one quantised result of `shape`, and stores it in an output."""
    store_quantised(p, name, p.step(kernel, inputs, shape, held_in(p.dtype(name)), **attributes))


def carried(values: Array, *, sizes: Shape) -> Array:
    """Elements of INT4, packed into words of INT32."""
    return pack_int4(values).view("<i4").reshape(sizes)


@in_parts([0], whole=[1])
def of_groups(table: Array, ends: Array, *, rows: int) -> Array:
    """For each row, the table row of its group. Group g ends before row ends[g]. Later rows belong to the last
    group."""
    groups = np.searchsorted(ends, np.arange(rows), side="right")
    return table[np.minimum(groups, len(table) - 1)]


# relations


def packed_shape(shape: Shape, dtype: int) -> Shape:
    """The shape of a quantised tensor: INT32 has an eighth of the last dimension."""
    return (*shape[:-1], shape[-1] // CARRIED) if shape and dtype == T.ACL_INT32 else shape


def packed_like(
    out: str, reference: str, *, shape_of: Callable[[Arguments], Shape] | None = None,
    status: int = ACLNN_ERR_PARAM_INVALID,
) -> tuple[Relation, ...]:  # fmt: skip
    """Checks that an output has the shape of `reference`, or the shape that `shape_of` returns. An INT32 output has an
    eighth of the last dimension. For INT4 the last dimension is even."""

    def whole(a: Arguments) -> Shape:
        return a.shape(reference) if shape_of is None else shape_of(a)

    def odd(a: Arguments) -> Bad:
        count = {T.ACL_INT4: 2, T.ACL_INT32: CARRIED}.get(aclDataType(a.dtype(out)), 1)
        last = whole(a)[-1:] or (1,)
        return (f"{last[0]} elements", f"a multiple of {count}") if last[0] % count else None

    return (
        demand("{1} can hold the elements of {0} in its last dimension", reference, out, bad=odd, status=status),
        shape(out, f"{{0}} has the shape of {reference}, as INT32 an eighth of its last dimension",
              lambda a: packed_shape(whole(a), a.dtype(out)), status=status),
    )  # fmt: skip


def named_type(value: str, out: str, *, status: int = ACLNN_ERR_PARAM_INVALID) -> Relation:
    """Checks that a number is the data type of an output."""

    def bad(a: Arguments) -> Bad:
        out_dtype = a.dtype(out)
        return None if a[value] == out_dtype else (a[value], f"{int(out_dtype)}, which is {dtype_name(out_dtype)}")

    return demand("{0} is the data type of {1}", value, out, bad=bad, status=status)
