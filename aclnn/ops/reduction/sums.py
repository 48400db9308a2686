"""ReduceSum, ReduceNansum, Mean and MeanV2."""

from math import prod

import numpy as np

from aclnn.op import (
    BF16, BOOL, COMPLEX, FLOAT_OR_HALF, IEEE_FLOATS, INTEGERS, UP_TO_32_BITS, Arguments, Array, Bad, DataTypes, Kernel,
    Planning, Series, axes, axes_of, castable, demand, empty, filling, is_complex, is_float, listed, planned, ranks,
    reduced, reduction, same_dtype, total, with_bf16,
)  # fmt: skip
from aclnn.ops.reduction._family import over

MEAN_TYPES = with_bf16((*IEEE_FLOATS, *INTEGERS, *COMPLEX))
NANSUM_TYPES = DataTypes((*FLOAT_OR_HALF, *INTEGERS, *BOOL, *BF16), on={Series.A950: UP_TO_32_BITS})


def complex_if_empty(a: Arguments) -> Bad:
    """Checks that the result is not complex if self is empty."""
    if 0 not in a.shape("self") or not is_complex(a.dtype("out")):
        return None
    return a.type_name("out"), "a real data type, as self is empty"


REAL_IF_EMPTY = demand("the data type of {0} is real if self is empty", "out", "self", bad=complex_if_empty)


def reduce(p: Planning, kernel: Kernel, dims: str, keepdims: str) -> None:
    """Plans one step over the dimensions, in dtype. A 0-d tensor is only cast."""
    x = p.read("self", p["dtype"])
    if x.shape:
        reduced_axes, keep = axes_of(p[dims].values, len(x.shape)), p[keepdims]
        sizes = reduced(x.shape, reduced_axes, keepdims=keep)
        x = p.step(kernel, [x], sizes, x.dtype, axes=reduced_axes, keepdims=keep)
    p.store("out", x)


def summed(x: Array, *, axes: tuple[int, ...], keepdims: bool) -> Array:
    """The sum; the logical "or" of BOOL."""
    return np.any(x, axes, keepdims=keepdims) if x.dtype == np.bool_ else total(x, axes, keepdims=keepdims)


def averaged(x: Array, *, axes: tuple[int, ...], keepdims: bool) -> Array:
    """The sum, divided by the number of elements. Integers are divided as in C, toward zero."""
    count = prod(x.shape[axis] for axis in axes)
    sums = total(x, axes, keepdims=keepdims)
    if x.dtype.kind not in "iu":
        return sums / count
    wide = sums.astype(np.int64)
    return wide // count + ((wide < 0) & (wide % count != 0))


@planned(
    "aclnnReduceSum", listed("self", "out"), listed("dtype", like="out"), same_dtype("out", as_="dtype"),
    ranks("self"), axes("dims", of="self"), REAL_IF_EMPTY, empty("self", plan=filling("out", 0)),
    reduction("out", "self", "dims", "keepDims", unless=lambda a: a.rank("self") == 0),
)  # fmt: skip
def reduce_sum(p: Planning) -> None:
    """out = the sum of self as dtype over dims; no dims means all dimensions. With dtype BOOL, out is true if any
    element is not 0. A 0-d self is only copied; the copy fails if the shape of out is wrong."""
    reduce(p, summed, "dims", "keepDims")


@planned(
    "aclnnMean", listed("self"), listed("dtype", like="out"), listed("out"), castable("self", to="dtype"),
    castable("dtype", to="out"), axes("dim", of="self"), ranks("self", "out"), REAL_IF_EMPTY,
    empty("self", plan=filling("out", np.nan)), reduction("out", "self", "dim", "keepDim"),
)  # fmt: skip
def mean(p: Planning) -> None:
    """out = the mean of self as dtype over dim; no dim means all dimensions"""
    reduce(p, averaged, "dim", "keepDim")


def summed_numbers(x: Array, *, axes: tuple[int, ...], keepdims: bool) -> Array:
    """The sum of the elements that are not NaN."""
    return total(np.where(np.isnan(x), np.float32(0), x), axes, keepdims=keepdims)


@planned(
    "aclnnReduceNansum", listed("self", "dtype", "out", among=NANSUM_TYPES, provenance="public"),
    same_dtype("out", as_="dtype"), castable("self", to="out"), axes("dim", of="self"),
    ranks("self", "out", least=0, most=8), empty("self", plan=filling("out", 0)),
    reduction("out", "self", "dim", "keepDim"),
)  # fmt: skip
def reduce_nansum(p: Planning) -> None:
    """out = the sum over dim of the elements of self that are not NaN, as dtype; no dim means all dimensions. A 0-d NaN
    is only copied. With dtype BOOL, out is true if any element is not 0."""
    reduce(p, summed_numbers if is_float(p["dtype"]) else summed, "dim", "keepDim")


@planned(
    "aclnnMeanV2", listed("self", "out", among=MEAN_TYPES), same_dtype("out", as_="self"), axes("dim", of="self"),
    ranks("self", "out", least=0, most=8), REAL_IF_EMPTY, empty("self", plan=filling("out", np.nan)),
    reduction("out", "self", "dim", "keepDim", noop="noopWithEmptyAxes"),
)  # fmt: skip
def mean_v2(p: Planning) -> None:
    """out = the mean of self over dim. No dim means all dimensions; if noopWithEmptyAxes is true, it means
    no dimension"""
    x = p.read("self")
    if x.shape:
        x = over(p, averaged, x, "dim", x.dtype, keepdims=p["keepDim"], noop="noopWithEmptyAxes")
    p.store("out", x)
