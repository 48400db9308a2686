"""Arange, Range, Linspace, LogSpace, OneHot: tensors that are made from numbers."""

from collections.abc import Callable
from math import ceil, copysign, isfinite, isnan, prod, trunc
from typing import Any, Final, cast

import numpy as np

from aclnn.op import (
    ACLNN_ERR_INNER_NULLPTR, FLOAT_OR_HALF, IEEE_FLOATS, NEWER, Arguments, Array, Bad, DataTypes, Operand, Planning,
    Series, T, apart_from, array_dtype, demand, done, empty, first, in_memory, listed, narrowed, not_negative,
    null_status, planned, ranks, real_type, row_slices, same_dtype, scalar_as, shape, store, widen, with_bf16,
)  # fmt: skip
from aclnn.ops.movement._family import Shape

WHOLE_TYPES: Final = (T.ACL_INT32, T.ACL_INT64)
CLASSES: Final = DataTypes(WHOLE_TYPES, {Series.A950: (T.ACL_UINT8,)})
MARKS: Final = DataTypes((*FLOAT_OR_HALF, *WHOLE_TYPES), {Series.A950: (T.ACL_INT8, T.ACL_UINT8)})
SPREAD: Final = with_bf16(
    (*IEEE_FLOATS, T.ACL_INT8, T.ACL_INT32, T.ACL_UINT8),
    dict.fromkeys(NEWER, (T.ACL_INT16, T.ACL_INT64)),
)


def bounds(a: Arguments) -> tuple[Any, Any, Any]:
    """start, end and step as numbers. The step is read as float, as double for DOUBLE, as INT64 for integers."""
    out = a.dtype("out")
    read = T.ACL_INT64 if out in WHOLE_TYPES else T.ACL_DOUBLE if out == T.ACL_DOUBLE else T.ACL_FLOAT
    plain = T.ACL_INT64 if out == T.ACL_INT64 else T.ACL_DOUBLE
    start, end = (scalar_as(a[name], plain).item() for name in ("start", "end"))
    return start, end, scalar_as(a["step"], read).item()


def moving(a: Arguments) -> Bad:
    start, end, step = bounds(a)
    if step == 0 or isnan(step):
        return step, "not 0"
    backwards = (step > 0 and start > end) or (step < 0 and start < end)
    return (step, f"a step from {start} to {end}") if backwards else None


def arange_length(a: Arguments) -> int:
    start, end, step = bounds(a)
    return -(-(end - start) // step) if a.dtype("out") == T.ACL_INT64 else ceil(_bounded((end - start) / step))


def _bounded(steps: float) -> float:
    """A number of steps, or 2^63, more than any tensor has, if the number is not finite."""
    return steps if isfinite(steps) else 2.0**63


def range_length(a: Arguments) -> int:
    """The number of elements of a closed interval. FLOAT is counted in double, narrower floats in float."""
    start, end, step = bounds(a)
    if a.dtype("out") in WHOLE_TYPES:
        return (int(end) - int(start)) // step + 1
    if a.dtype("out") in (T.ACL_FLOAT16, T.ACL_BF16):
        single = np.float32
        steps = np.divide(np.subtract(end, start, dtype=single), step, dtype=single)
        return trunc(_bounded(float(np.add(steps, 1, dtype=single))))
    beyond = copysign(1e-13, step) if a.dtype("out") == T.ACL_DOUBLE else 0
    return trunc(_bounded((end + beyond - start) / step + 1))


def series(p: Planning, length: Callable[[Arguments], int]) -> None:
    """Plan start + i * step, up to the number of values and the size of out. Further elements are not changed."""
    out, (start, end, step) = p["out"], bounds(p)
    if not isfinite(start) or not isfinite(end):
        raise p.builder.failed(f"A series from {start} to {end} has no length.")
    count = min(length(p), out.numel)
    if p.dtype("out") == T.ACL_INT32:
        start = int(start)
    shape, strides = out.shape, out.strides
    if count < out.numel:
        if len(shape) != 1 and not out.contiguous:
            raise p.builder.failed(f"A series of {count} elements for a strided out of {list(shape)}.")
        shape, strides = (count,), out.strides if len(shape) == 1 else (1,)
    target = Operand(shape, out.dtype, strides, out.offset, out)
    p.builder.launch(counted, [], [target], start=start, step=step)


@in_memory
def counted(*, out: Array, start: Any, step: Any) -> None:
    """The elements start + i * step, computed in INT64 or in double."""
    flat = out if out.ndim == 1 else out.reshape(-1)  # a copy, if there are gaps
    for part in row_slices(out.size):
        places = cast("Array", np.arange(part.start, part.stop))
        numbers: Array = places * (np.int64(step) if isinstance(start, int) else step)
        store(numbers + start, flat[part])
    if not np.may_share_memory(flat, out):
        out[...] = flat.reshape(out.shape)


RANGE_RULES = (
    listed("start", "end", "step", "out"),
    demand("{0} goes from start to end", "step", "start", "end", "out", bad=moving),
)


@planned("aclnnArange", *RANGE_RULES)
def arange(p: Planning) -> None:
    """out = start, start + step and so on, before end. If out has another length, the series is cut, or the other
    elements are not changed."""
    series(p, arange_length)


@planned(
    "aclnnRange",
    null_status(ACLNN_ERR_INNER_NULLPTR),
    *RANGE_RULES[:1],
    ranks("out", least=1, most=8),
    *RANGE_RULES[1:],
)
def range_(p: Planning) -> None:
    """out = start, start + step and so on, up to end. If out has another length, the series is cut, or the other
    elements are not changed."""
    series(p, range_length)


def as_many(a: Arguments) -> Bad:
    count = a["out"].numel
    return None if count == a["steps"] else (f"{count} elements", f"{a['steps']}, as steps says")


@planned(
    "aclnnLinspace", null_status(ACLNN_ERR_INNER_NULLPTR), real_type("start"), real_type("end"),
    listed("out", among=SPREAD, provenance="public"),
    not_negative("steps"), demand("{0} has steps elements", "out", "steps", bad=as_many),
    done("steps is 0", "steps", when=lambda a: a["steps"] == 0),
)  # fmt: skip
def linspace(p: Planning) -> None:
    """out = steps numbers from start to end, at equal distances. start and end are cast to the data type of out
    first."""
    dtype, steps = p.dtype("out"), p["steps"]
    between = T.ACL_FLOAT if dtype == T.ACL_INT64 else dtype
    start, end = p.number("start", between), p.number("end", between)
    wide = T.ACL_DOUBLE if dtype == T.ACL_DOUBLE else T.ACL_FLOAT
    if steps == 1:
        p.store("out", p.step(filled_with, [], (1,), dtype, value=start))
        return
    p.store("out", p.step(spaced, [], (steps,), wide, start=float(start), end=float(end), steps=steps))


def filled_with(*, value: Any) -> Array:
    return np.full((1,), value)


@in_memory
def spaced(*, out: Array, start: float, end: float, steps: int) -> None:
    for part in row_slices(steps):
        store(numbers_of(part, start, end, steps), out[part])


def numbers_of(part: slice, start: float, end: float, steps: int) -> Array:
    """A part of equally spaced numbers. They are computed from both ends, as in torch, so that the last one is
    exact."""
    numbers = cast("Array", np.arange(part.start, part.stop))
    step = (end - start) / (steps - 1)
    return np.where(numbers < steps // 2, start + numbers * step, end - (steps - 1 - numbers) * step)


def negative_steps(a: Arguments) -> Bad:
    return None if a["steps"] >= 0 else (a["steps"], "0 or more")


@planned(
    "aclnnLogSpace", null_status(ACLNN_ERR_INNER_NULLPTR), listed("result"),
    demand("{0} is not negative", "steps", bad=negative_steps),
    done("steps is 0", "steps", when=lambda a: a["steps"] == 0),
)  # fmt: skip
def log_space(p: Planning) -> None:
    """result = base to the power of steps numbers from start to end, at equal distances. start, end and base are cast
    to the data type of result first."""
    dtype, steps = p.dtype("result"), p["steps"]
    start, end = (float(p.number(name, dtype)) for name in ("start", "end"))
    base = float(widen(narrowed(np.asarray([p["base"]], np.float32), array_dtype(dtype)))[0])
    result = p.step(powers, [], (steps,), dtype, start=start, end=end, steps=steps, base=base)
    p.store("result", result)


@in_memory
def powers(*, out: Array, start: float, end: float, steps: int, base: float) -> None:
    for part in row_slices(steps):
        exponents = numbers_of(part, start, end, steps) if steps > 1 else np.full(1, start)
        store(np.power(base, exponents), out[part])


def one_hot_shape(a: Arguments) -> Shape:
    self_shape, axis = a.shape("self"), a["axis"] % (a.rank("self") + 1)
    return (*self_shape[:axis], a["numClasses"], *self_shape[axis:])


def classes(a: Arguments) -> Bad:
    least = 0 if a["self"].numel else 1
    return None if a["numClasses"] >= least else (a["numClasses"], f"{least} or more")


def new_axis(a: Arguments) -> Bad:
    return None if -1 <= a["axis"] <= a.rank("self") else (a["axis"], f"[-1, {a.rank('self')}]")


def too_many_dimensions(a: Arguments) -> Bad:
    most = 7 if a.soc.series is Series.A950 else 8
    return None if a.rank("self") <= most else (f"{a.rank('self')} dimensions", f"at most {most}")


@planned(
    "aclnnOneHot", listed("self", among=CLASSES, provenance="public"),
    listed("out", "onValue", "offValue", among=MARKS, provenance="public"), same_dtype("onValue", "out"),
    same_dtype("offValue", "out"), demand("{0} has few enough dimensions", "self", bad=too_many_dimensions),
    ranks("onValue", "offValue", "out", least=0, most=8),
    demand("{0} is not negative, and not 0 if self is empty", "numClasses", "self", bad=classes),
    demand("{0} is a dimension of the result, or -1 for the last", "axis", "self", bad=new_axis),
    shape("out", "{0} has the shape of self, with numClasses at axis", one_hot_shape), empty("self"),
    done("numClasses is 0", "numClasses", when=lambda a: a["numClasses"] == 0),
)  # fmt: skip
def one_hot(p: Planning) -> None:
    """out = onValue where the position along axis is the value of self, offValue elsewhere"""
    inputs = [p.read(name) for name in ("self", "onValue", "offValue")]
    axis, count = p["axis"] % (p.rank("self") + 1), p["numClasses"]
    p.store("out", p.step(marked, inputs, one_hot_shape(p), p.dtype("out"), moves=True, axis=axis, count=count))


@in_memory
def marked(self: Array, on: Array, off: Array, *, out: Array, axis: int, count: int) -> None:
    positions, places = (
        apart_from([out], self).reshape(prod(self.shape[:axis]), -1),
        cast("Array", np.arange(count)[:, None]),
    )
    target, marks = out.reshape(len(positions), count, -1), (np.array(first(on)), np.array(first(off)))
    for rows in row_slices(len(positions), count):
        for columns in row_slices(positions.shape[1], count * (rows.stop - rows.start)):
            target[rows, :, columns] = np.where(positions[rows, None, columns] == places, *marks)
