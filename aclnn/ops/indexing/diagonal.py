"""InplaceFillDiagonal and StridedSliceAssignV2: some elements of a tensor are written."""

from dataclasses import replace
from typing import Any

import numpy as np

from aclnn.op import (
    TILING, Arguments, Array, Bad, Operand, Planning, Shape, demand, dtype_name, empty, generated, in_memory, is_float,
    is_integer, listed, numpy_dtype, planned, ranks, same, same_dtype, shape,
)  # fmt: skip


def wrong_shape(a: Arguments) -> Bad:
    """Checks for two dimensions, or for more dimensions of the same size."""
    shape = a.shape("selfRef")
    good = len(shape) == 2 or (len(shape) > 2 and len(set(shape)) == 1)
    return None if good else (list(shape), "two dimensions, or more of one size")


def real(dtype: int) -> bool:
    return is_integer(dtype) or is_float(dtype)


def too_large(a: Arguments) -> Bad:
    """Checks that fillValue lies in the range of the data type of selfRef."""
    dtype, own = numpy_dtype(a.dtype("selfRef")), a["fillValue"].dtype
    if dtype is None or dtype.kind not in "iuf" or not real(own) or numpy_dtype(own) is None:
        return None
    value: Any = a["fillValue"].item()
    limits = np.iinfo(dtype) if is_integer(a.dtype("selfRef")) else np.finfo(dtype)
    good = not np.isfinite(value) or int(limits.min) <= value <= int(limits.max)
    return None if good else (value, f"a number in the range of {dtype_name(a.dtype('selfRef'))}")


@planned(
    "aclnnInplaceFillDiagonal", listed("selfRef"),
    demand("{0} has two dimensions, or more of one size", "selfRef", bad=wrong_shape, provenance="public"),
    demand("{1} lies in the range of the data type of {0}", "selfRef", "fillValue", bad=too_large), empty("selfRef"),
)  # fmt: skip
def inplace_fill_diagonal(p: Planning) -> None:
    """The elements of selfRef whose positions are equal become fillValue. With wrap, the diagonal of a matrix with more
    rows than columns goes on: every element after as many as a row has, and one."""
    value = p.constant("fillValue", p.dtype("selfRef"))
    p.builder.launch(on_diagonal, [value], [p.builder.written(p["selfRef"])], moves=True, wraps=p["wrap"])


@in_memory
def on_diagonal(value: Array, *, out: Array, wraps: bool) -> None:
    places: Any = (np.arange(min(out.shape)),) * out.ndim
    if wraps and out.ndim == 2 and out.shape[0] > out.shape[1]:
        flat: Array = np.arange(0, out.size, out.shape[1] + 1, dtype=np.int64)
        places = flat // out.shape[1], flat % out.shape[1]
    out[places] = value


# slices


X, VALUE, AXES = "varRef", "inputValue", "axesOptional"
ARRAYS = ("begin", "end", "strides")


def sliced_axes(a: Arguments) -> list[int]:
    """The dimension of each slice, counted from the front."""
    if a.given(AXES):
        return [axis % max(a.rank(X), 1) for axis in a[AXES].values]
    return list(range(len(a["begin"].values)))


def slices(a: Arguments) -> list[slice]:
    """A slice for each dimension. Numbers below 0 count from the end."""
    parts = [slice(None)] * a.rank(X)
    for axis, first, last, step in zip(sliced_axes(a), *(a[name].values for name in ARRAYS), strict=True):
        parts[axis] = slice(first, last, step)
    return parts


def wrong_arrays(a: Arguments) -> Bad:
    counts, rank = [len(a[name].values) for name in ARRAYS], a.rank(X)
    if a.given(AXES):
        counts.append(len(a[AXES].values))
        if any(not -rank <= axis < rank for axis in a[AXES].values):
            return list(a[AXES].values), f"dimensions of {X}"
    good = len(set(counts)) == 1 and counts[0] <= rank and len(set(sliced_axes(a))) == counts[0]
    return None if good else (counts, f"arrays of one length, at most {rank}")


def wrong_strides(a: Arguments) -> Bad:
    values = list(a["strides"].values)
    last = [step for axis, step in zip(sliced_axes(a), values, strict=True) if axis == a.rank(X) - 1]
    good = min(values, default=1) > 0 and set(last) <= {1}
    return None if good else (values, "numbers above 0, and 1 for the last dimension")


def part_shape(a: Arguments) -> Shape:
    return tuple(len(range(size)[part]) for size, part in zip(a.shape(X), slices(a), strict=True))


@planned(
    "aclnnStridedSliceAssignV2", generated(), listed(X, VALUE), same_dtype(VALUE, X), ranks(X, status=TILING),
    demand("{0} and the other arrays have a number for each dimension that is cut", "begin", X, bad=wrong_arrays,
           status=TILING),
    demand("{0} are above 0, the last one 1", "strides", X, bad=wrong_strides, status=TILING),
    shape(VALUE, "{0} has the shape of the slice", part_shape, status=TILING), empty(X, VALUE),
)  # fmt: skip
def strided_slice_assign_v2(p: Planning) -> None:
    """varRef[begin:end:strides] = inputValue, along the first dimensions or those of axes"""
    place = p.builder.written(p[X])
    for axis, part in enumerate(slices(p)):
        start, _, step = part.indices(place.shape[axis])
        place = stepped(place, axis, start, step, p.shape(VALUE)[axis])
    p.builder.launch(same, [p.read(VALUE)], [place], moves=True)


def stepped(x: Operand, axis: int, start: int, step: int, count: int) -> Operand:
    """A view of every `step`-th element along a dimension."""
    shape, strides = list(x.shape), list(x.strides)
    offset = x.offset + start * strides[axis]
    shape[axis], strides[axis] = count, strides[axis] * step
    return replace(x, shape=tuple(shape), strides=tuple(strides), offset=offset)
