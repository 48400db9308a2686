"""Padding of a tensor with its own elements, by reflection, by replication or circular, and the gradients.

The last one, two or three dimensions are padded. Before them are the channels, with or without a batch. A function of
`MODES` lists the source position of each element of a dimension. A gradient is the sum over the copies of an element.
"""

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any, Final

import numpy as np

from aclnn.op import (
    ACLNN_ERR_INNER_NULLPTR, Arguments, Array, Bad, Operator, Planning, Relation, aclDataType, copies_elements, demand,
    empty, in_parts, listed, loose_shape, null_status, only_if, planned, public_format, ranks, same_dtype, same_rank,
    same_shape, shape,
)  # fmt: skip
from aclnn.ops.movement._family import Shape, one_format
from aclnn.ops.movement.padding import Pair, pairs

Sources = Callable[[int, int, int], Array]
"""function of the size of a dimension and its padding at both ends; returns the source position of each element"""


def reflected(size: int, begin: int, end: int) -> Array:
    places = np.abs(np.arange(-max(begin, 0), size + max(end, 0)))
    return np.where(places < size, places, 2 * (size - 1) - places)


def replicated(size: int, begin: int, end: int) -> Array:
    return np.clip(np.arange(-max(begin, 0), size + max(end, 0)), 0, size - 1)


def circular(size: int, begin: int, end: int) -> Array:
    return np.arange(-max(begin, 0), size + max(end, 0)) % size


LONG: Final = 64
"""a row of this many elements is added by one call of numpy"""
MODES: dict[str, Sources] = {"Reflection": reflected, "Replication": replicated, "Circular": circular}


def around(a: Arguments, name: str = "self") -> list[Pair]:
    return pairs(a["padding"].values, a.rank(name))


def padded(a: Arguments) -> Shape:
    return tuple(size + begin + end for size, (begin, end) in zip(a.shape("self"), around(a), strict=True))


def padded_axes(attributes: Mapping[str, Any]) -> list[int]:
    return [i for i, pair in enumerate(attributes["around"]) if any(pair)]


@copies_elements
@in_parts(padded_axes)
def picked(x: Array, *, mode: str, around: list[Pair]) -> Array:
    """The tensor, padded dimension by dimension. Negative padding then cuts elements off."""
    for dim, (begin, end) in enumerate(around):
        if begin or end:
            places = MODES[mode](x.shape[dim], begin, end)
            x = np.take(x, places[max(-begin, 0) : len(places) - max(-end, 0)], dim)
    return x


@in_parts(padded_axes)
def added_back(x: Array, *, mode: str, around: list[Pair], sizes: Shape) -> Array:
    """The gradient of `picked`. The inside is copied, the borders are added to it."""
    for dim, (begin, end) in enumerate(around):
        if begin or end:
            rows, size = np.moveaxis(x, dim, 0), sizes[dim]
            sums = np.zeros((size, *rows.shape[1:]), x.dtype)
            begin_row, behind = max(begin, 0), len(rows) - max(end, 0)
            sums[max(-begin, 0) : size - max(-end, 0)] = rows[begin_row:behind]
            places = MODES[mode](size, begin, end)[max(-begin, 0) :]
            add_rows(sums, places[:begin_row], rows[:begin_row])
            add_rows(sums, places[behind : len(rows)], rows[behind:])
            x = np.moveaxis(sums, 0, dim)
    return x


def add_rows(sums: Array, places: Array, rows: Array) -> None:
    """Add rows one after the other, as `np.add.at` does. For long rows `np.add.at` is slow: it adds each element
    separately."""
    if prod(rows.shape[1:]) < LONG:
        np.add.at(sums, places, rows)
        return
    for place, row in zip(places, rows, strict=True):
        sums[place] += row


# the checks


def two_numbers_each(dims: int) -> Relation:
    def bad(a: Arguments) -> Bad:
        count = len(a["padding"].values)
        return None if count == 2 * dims else (f"{count} numbers", f"{2 * dims}")

    return demand("{0} has two numbers for each dimension that is padded", "padding", bad=bad)


def shorter_than_self(a: Arguments) -> Bad:
    rows = zip(a.shape("self"), around(a), strict=True)
    fits = all(max(begin, end) < size or begin == end == 0 for size, (begin, end) in rows)
    fits = fits and 0 not in a.shape("self")[-len(a["padding"].values) // 2 :]
    return None if fits else (list(a["padding"].values), f"below the sizes of {list(a.shape('self'))}")


SHORTER = demand("{0} is shorter than the dimensions of self", "padding", "self", bad=shorter_than_self)


def last_sizes(name: str, dims: int) -> Relation:
    def bad(a: Arguments) -> Bad:
        sizes, expected_sizes = a.shape(name)[-dims:], padded(a)[-dims:]
        return None if sizes == expected_sizes else (list(a.shape(name)), f"{list(expected_sizes)} as last sizes")

    return demand("{0} has the sizes of self with the padding", name, "self", "padding", bad=bad)


def only_batch_empty(names: Sequence[str], dims: int) -> Relation:
    """Checks that no dimension except the batch has the size 0."""

    def bad(a: Arguments) -> Bad:
        for name in names:
            shape = a.shape(name)
            if 0 in shape[len(shape) - dims - 1 :]:
                return list(shape), "no size of 0, except that of a batch"
        return None

    return demand("{0} is not empty, except for its batch", names[0], *names[1:], bad=bad)


def types_and_formats(mode: str, dims: int) -> tuple[Relation, ...]:
    types = (listed("self"), listed("out", like="self"), same_dtype("out", "self"))
    form = (one_format("out", "self"),)
    if mode == "Circular":
        return *types, public_format("self"), *form
    return (*form, *types) if (mode, dims) == ("Replication", 2) else (*types, *form)


def forward(mode: str, dims: int) -> Operator:
    both: dict[str, Any] = {"least": dims + 1, "most": dims + 2}
    reflects = mode == "Reflection"
    sizes = (SHORTER, last_sizes("out", dims)) if reflects else ()
    whole = loose_shape if reflects else shape

    def plan(p: Planning) -> None:
        x = p.read("self")
        p.store("out", p.step(picked, [x], padded(p), x.dtype, moves=True, mode=mode, around=around(p)))

    plan.__doc__ = f"out = self, padded along its last {dims} dimensions with its own elements ({mode.lower()})"
    return planned(
        f"aclnn{mode}Pad{dims}d", *types_and_formats(mode, dims), ranks("self", **both), ranks("out", **both),
        two_numbers_each(dims), *sizes, whole("out", "{0} has the shape of self with the padding", padded),
        only_batch_empty(("self", "out"), dims), empty("self", "out"),
    )(plan)  # fmt: skip


# the gradients


def unfit_for_bfloat16(a: Arguments) -> Bad:
    """Checks that the kernel for BFLOAT16 in two dimensions pads by at most 7, or only to the left and right."""
    values = a["padding"].values
    if a.dtype("self") != aclDataType.ACL_BF16:
        return None
    fits = min(values) >= 0 and (max(values) <= 7 or not any(values[2:]))
    return None if fits else (list(values), "0 to 7 for DT_BFLOAT16")


def leading_sizes(a: Arguments) -> Bad:
    dims = len(a["padding"].values) // 2
    shape, expected_shape = a.shape("gradOutput"), padded(a)
    return None if shape[:-dims] == expected_shape[:-dims] else (list(shape), list(expected_shape))


def backward(mode: str, dims: int) -> Operator:
    circles, reflects = mode == "Circular", mode == "Reflection"
    short = reflects or (circles and dims == 3)
    shorter = (SHORTER,) if short else ()
    limit = demand("{0} fits the kernel for BFLOAT16", "padding", "self", bad=unfit_for_bfloat16)
    public = public_format("gradOutput") if circles else public_format("gradOutput", "self", "gradInput")
    same_sizes = (last_sizes("gradOutput", dims), *shorter) if dims == 1 else (*shorter, last_sizes("gradOutput", dims))
    empties = (only_batch_empty(("self",), dims),)
    if reflects and dims < 3:  # channels without a batch may be empty, and SHORTER checks the padded dimensions
        empties = (only_if("self has a batch", lambda a: a.rank("self") == dims + 2, *empties),)

    def plan(p: Planning) -> None:
        x = p.read("gradOutput")
        p.store("gradInput", p.step(added_back, [x], p.shape("self"), x.dtype, mode=mode, around=around(p),
                                    sizes=p.shape("self")))  # fmt: skip

    plan.__doc__ = f"gradInput = the gradient of aclnn{mode}Pad{dims}d: the sum over all copies of each element"
    return planned(
        f"aclnn{mode}Pad{dims}dBackward", *((null_status(ACLNN_ERR_INNER_NULLPTR),) if circles and dims == 3 else ()),
        listed("gradOutput", "self", "gradInput", like="self"), same_dtype("gradOutput", "self"),
        same_dtype("gradInput", "self"), public, one_format("gradOutput", "self"), one_format("gradInput", "self"),
        same_shape("gradInput", "self"), ranks("self", least=dims + 1, most=dims + 2),
        same_rank("gradOutput", "self"), two_numbers_each(dims),
        *same_sizes, demand("{0} has the batch and the channels of self", "gradOutput", "self", bad=leading_sizes,
                            provenance="ours"),
        *((limit,) if dims == 2 and not circles else ()), *empties, empty("self"),
    )(plan)  # fmt: skip


reflection_pad_1d, reflection_pad_2d, reflection_pad_3d = (forward("Reflection", dims) for dims in (1, 2, 3))
replication_pad_1d, replication_pad_2d, replication_pad_3d = (forward("Replication", dims) for dims in (1, 2, 3))
circular_pad_2d, circular_pad_3d = (forward("Circular", dims) for dims in (2, 3))
reflection_back_1d, reflection_back_2d, reflection_back_3d = (backward("Reflection", dims) for dims in (1, 2, 3))
replication_back_1d, replication_back_2d, replication_back_3d = (backward("Replication", dims) for dims in (1, 2, 3))
circular_back_2d, circular_back_3d = (backward("Circular", dims) for dims in (2, 3))
