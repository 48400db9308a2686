"""Scatter, ScatterValue, ScatterAdd and ScatterReduce, which write elements to positions along one dimension."""

from typing import Any, Final, cast

import numpy as np

from aclnn.op import (
    QUICK, Arguments, Array, Bad, Operand, Planning, Series, aclDataType, apart_from, axis, before_nulls, demand, empty,
    in_parts, in_range, is_complex, legal, listed, loose_shape, may_be_in_place, nulls, out_of_place, planned, ranks,
    repeatable, same_dtype, with_out, write_along,
)  # fmt: skip
from aclnn.ops.indexing._family import Shape, copied, no_elements, one_rank, watch

REPLACE, ADD, MULTIPLY, LARGEST, SMALLEST, MEAN = range(6)
UFUNCS: Final = {ADD: np.add, MULTIPLY: np.multiply, LARGEST: np.maximum, SMALLEST: np.minimum, MEAN: np.add}


def within(name: str, reference: str, *, but_dim: bool) -> Any:
    """Checks that each size of a tensor is at most that of another tensor. `but_dim`: except along dim."""

    def bad(a: Arguments) -> Bad:
        shape, most = a.shape(name) or (1,), a.shape(reference) or (1,)
        pairs = enumerate(zip(shape, most, strict=True))
        fits = all(count <= size or (but_dim and i == a.axis("dim", "self")) for i, (count, size) in pairs)
        return None if fits else (list(shape), f"no more than {list(most)}{' outside of dim' if but_dim else ''}")

    sentence = f"{{0}} is no larger than {{1}}{' outside of dim' if but_dim else ''}"
    return demand(sentence, name, reference, bad=bad)


def shape_of_self(a: Arguments) -> Shape | None:
    return a.shape("self") if a.rank("out") else None


POSITIONS = (
    listed("index", unless=no_elements),
    empty("index", plan=copied),
    one_rank("index", "self"),
)
LAST_RULES = (
    out_of_place(loose_shape("out", "{0} has the shape of self, or no dimensions", shape_of_self)),
    within("index", "self", but_dim=True), ranks("self", least=0, most=8),
    axis("dim", "self"), may_be_in_place(),
)  # fmt: skip
TENSORS = (
    listed("self"), same_dtype("src", "self"), same_dtype("out", "self"), *POSITIONS, one_rank("src", "self"),
    LAST_RULES[0], within("index", "src", but_dim=False), *LAST_RULES[1:],
)  # fmt: skip


def scatter_into(p: Planning, src: Operand | None, reduce: int, *, keep: bool = True, **value: Any) -> None:
    """Plan the result. `keep`: True if the elements of self take part in the reduction."""
    reduce = reduce if reduce in UFUNCS else REPLACE
    x, places, axis = p.one_dimension(p.read("self")), p.one_dimension(p.read("index")), p.axis("dim", "self")
    watch(p, places, "index", x.shape[axis], negative=True)
    inputs = [x, places] if src is None else [x, places, p.one_dimension(src)]
    p.store("out", p.step(scattered, inputs, x.shape, x.dtype, moves=reduce == REPLACE, axis=axis, reduce=reduce,
                          keep=keep, **value))  # fmt: skip


@planned("aclnnScatter", "aclnnInplaceScatter", nulls("self", "index", "src", "out"), *TENSORS)
def scatter(p: Planning) -> None:
    """out = self with the elements of src at the positions of index along dim. reduce 1 adds, 2 multiplies, 3 takes the
    largest, 4 the smallest, 5 the mean; any other number replaces."""
    scatter_into(p, p.read("src"), p["reduce"])


@planned("aclnnScatterAdd", nulls("self", "index", "src", "out"), *TENSORS)
def scatter_add(p: Planning) -> None:
    """out = self with the elements of src added at the positions of index along dim"""
    scatter_into(p, p.read("src"), ADD)


def real_value(a: Arguments) -> Bad:
    bad = is_complex(a.dtype("value")) and not is_complex(a.dtype("self"))
    return (a.type_name("value"), "a real data type, as self has") if bad else None


@planned(
    "aclnnScatterValue", "aclnnInplaceScatterValue", nulls("self", "index", "value", "out"),
    demand("{0} is real if self is", "value", "self", bad=real_value), listed("self"), same_dtype("out", "self"),
    *POSITIONS, *LAST_RULES,
)  # fmt: skip
def scatter_value(p: Planning) -> None:
    """out = self with value at the positions of index along dim; reduce as in aclnnScatter"""
    scatter_into(p, None, p["reduce"], value=p.scalar("value", p.dtype("self")))


def only_float_sums(a: Arguments) -> Bad:
    if a.soc.series is Series.A950:
        return None
    fits = a.dtype("self") == aclDataType.ACL_FLOAT and a["reduce"] == ADD and a["includeSelf"]
    description = f"{a.type_name('self')}, reduce {a['reduce']}, includeSelf {a['includeSelf']}"
    return None if fits else (description, "DT_FLOAT, reduce 1, includeSelf True")


@planned(
    "aclnnScatterReduce", "aclnnInplaceScatterReduce",
    before_nulls(["self"], demand("{0}, reduce and includeSelf are values that the product supports", "self",
                                  bad=only_float_sums)),
    nulls("self", "index", "src", "out"), in_range("reduce", 0, 5), *TENSORS,
)  # fmt: skip
def scatter_reduce(p: Planning) -> None:
    """out = self with the elements of src at the positions of index along dim, reduced as in aclnnScatter. If
    includeSelf is false, elements of self at these positions are ignored."""
    scatter_into(p, p.read("src"), p["reduce"], keep=p["includeSelf"])


@repeatable
@with_out
@in_parts("axis", alike=True, times=QUICK)
def scattered(
    x: Array, index: Array, *src: Array, axis: int, reduce: int, keep: bool, value: Any = None,
    out: Array | None = None,
) -> Array:  # fmt: skip
    if out is not None:
        index, src = apart_from([out], index), tuple(apart_from([out], array) for array in src)
    values = src[0][tuple(map(slice, index.shape))] if src else np.broadcast_to(value, index.shape)

    def by_numbers() -> Array:
        """The result by flat positions, which are fast in numpy."""
        good = legal(index, x.shape[axis], negative=True)
        numbers = element_numbers(x.shape, index, axis)
        chosen = (numbers.reshape(-1), values.reshape(-1)) if good is None else (numbers[good], values[good])
        return reduced(np.array(x, order="C"), *chosen, reduce=reduce, keep=keep)

    full_size = (*index.shape[:axis], x.shape[axis], *index.shape[axis + 1 :]) == x.shape
    if full_size and keep and reduce in (REPLACE, ADD):
        values = values.astype(x.dtype, copy=False)
        return write_along(x, index, values, axis, adds=reduce == ADD, negative=True, by_numpy=by_numbers,
                           out=out)  # fmt: skip
    return by_numbers()


def element_numbers(shape: Shape, index: Array, axis: int) -> Array:
    """The flat positions of the elements that index selects along a dimension."""
    numbers: Array = np.zeros((), np.int64)
    for dim, size in enumerate(shape):
        row = cast("Array", np.arange(index.shape[dim]).reshape(-1, *(1,) * (len(shape) - 1 - dim)))
        row_numbers = np.where(index < 0, index + size, index).astype(np.int64) if dim == axis else row
        numbers = cast("Array", numbers * size + row_numbers)
    return np.broadcast_to(numbers, index.shape)


def reduced(out: Array, numbers: Array, values: Array, *, reduce: int, keep: bool) -> Array:
    """Write or reduce the values into the elements `numbers` of `out`."""
    flat = out.reshape(-1)
    if reduce == REPLACE:
        flat[numbers] = values
        return out
    if not keep:
        flat[numbers] = neutral(reduce, out.dtype)
    UFUNCS[reduce].at(flat, numbers, values)
    if reduce == MEAN:
        counts = np.bincount(numbers, minlength=flat.size) + (1 if keep else 0)
        counts = np.maximum(counts, 1).astype(out.dtype)
        flat[...] = flat // counts if out.dtype.kind in "iu" else flat / counts
    return out


def neutral(reduce: int, dtype: np.dtype[Any]) -> Any:
    if reduce in (LARGEST, SMALLEST):
        if dtype.kind in "iu":
            limits = np.iinfo(dtype)
            return limits.min if reduce == LARGEST else limits.max
        return dtype.type(reduce == SMALLEST) if dtype.kind == "b" else -np.inf if reduce == LARGEST else np.inf
    return dtype.type(reduce == MULTIPLY)
