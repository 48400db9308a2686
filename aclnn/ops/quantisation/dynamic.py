"""DynamicQuant: a scale, and optionally an offset, is computed from each row, each column, or the whole tensor."""

from collections.abc import Callable
from math import prod
from typing import Final

import numpy as np

from aclnn.op import (
    NEWER, TILING, Arguments, Array, Bad, Planning, Relation, Shape, T, demand, empty, in_parts, listed, may_be_null,
    one_of, only_if, planned, ranks, reduced, said, same_dtype, same_shape, shape,
)  # fmt: skip
from aclnn.ops.quantisation._family import (
    Limits,
    grid,
    held_in,
    of_groups,
    on_grid,
    packed_like,
    store_quantised,
)

SMOOTH, GROUPS = "smoothScalesOptional", "groupIndexOptional"
PER_TOKEN, PER_TENSOR, PER_CHANNEL = "pertoken", "pertensor", "perchannel"
LEAST: Final = np.float32(1e-12)
"""the smallest scale with an offset"""


Mode = Callable[[Arguments], str]


def by_token(a: Arguments) -> str:
    return PER_TOKEN


def by_attribute(a: Arguments) -> str:
    return a["quantMode"]


def grouped(a: Arguments) -> bool:
    """True if each group of rows has separate factors."""
    return a.given(SMOOTH) and a.given(GROUPS)


def channel(a: Arguments, mode: Mode) -> int:
    """The dimension of x along which smooth has its factors."""
    return -2 if mode(a) == PER_CHANNEL else -1


def statistics_shape(a: Arguments, mode: Mode) -> Shape:
    whole = a.shape("x")
    if mode(a) == PER_TENSOR:
        return (1,)
    return (*whole[:-2], whole[-1]) if mode(a) == PER_CHANNEL else whole[:-1]


def short(a: Arguments) -> Bad:
    last = a.shape("x")[-1]
    return (f"{last} elements", "a multiple of 32") if a.soc.series not in NEWER and last % 32 else None


def asymmetric(a: Arguments) -> Bad:
    return None if a.soc.series in NEWER else ("a tensor", "null, as this product has no offset")


LONG_ROWS: Final = demand(
    "the last dimension of {0} is a multiple of 32 before A2", "x", bad=short, status=TILING, provenance="public"
)
NO_OFFSET: Final = demand("{0} is null before A2", "offsetOut", bad=asymmetric, status=TILING, provenance="public")


def contract(mode: Mode, *, groups: bool, offset: bool) -> tuple[Relation, ...]:
    """The checks of a version, beginning with the data types."""

    def smooth_shape(a: Arguments) -> Shape:
        length = a.shape("x")[channel(a, mode)]
        return (*a.shape(GROUPS), length) if groups and grouped(a) else (length,)

    index = (listed(GROUPS, among=(T.ACL_INT32, T.ACL_INT64), provenance="public"), ranks(GROUPS, least=1, most=1))
    return (
        listed("x"), listed(SMOOTH, like="x"), same_dtype(SMOOTH, "x"),
        *([only_if("smoothScalesOptional is given", grouped, index[0])] if groups else []),
        listed("yOut", "scaleOut", *(["offsetOut"] if offset else [])), ranks("x", least=2, most=8),
        *([only_if("smoothScalesOptional is given", grouped, index[1])] if groups else []),
        shape(SMOOTH, "{0} has a factor for each channel of x, of each group", smooth_shape),
        *packed_like("yOut", "x"),
        shape("scaleOut", "{0} has an element for each scale", lambda a: statistics_shape(a, mode)),
        *([same_shape("offsetOut", "scaleOut")] if offset else []), empty("x", "yOut", "scaleOut"),
    )  # fmt: skip


def plan(p: Planning, mode: Mode, *, groups: bool, symmetric: bool) -> None:
    x, dtype, tall = p.read("x"), held_in(p.dtype("yOut")), statistics_shape(p, mode)
    inputs = [x]
    if groups and grouped(p):
        rows = prod(x.shape[:-1])
        smooth = p.step(of_groups, [p.read(SMOOTH), p.read(GROUPS)], (rows, x.shape[-1]), x.dtype, rows=rows)
        inputs.append(p.builder.reshape(smooth, x.shape))
    elif p.given(SMOOTH):
        length = p.shape(SMOOTH)
        inputs.append(p.builder.reshape(p.read(SMOOTH), length if channel(p, mode) == -1 else (*length, 1)))
    axes = tuple(range(len(x.shape))) if mode(p) == PER_TENSOR else (len(x.shape) + channel(p, mode),)
    scale_shape = reduced(x.shape, axes, keepdims=True)
    names = ("scaleOut",) if symmetric else ("scaleOut", "offsetOut")
    y, *statistics = p.steps(
        with_scale if symmetric else with_offset, inputs,
        [(x.shape, dtype), *((scale_shape, T.ACL_FLOAT) for _ in names)], axes=axes, **grid(dtype),
    )  # fmt: skip
    store_quantised(p, "yOut", y)
    for name, result in zip(names, statistics, strict=True):
        p.store(name, p.builder.reshape(result, tall))


@in_parts("axes")
def with_scale(
    x: Array, *smooth: Array, axes: tuple[int, ...], rounding: str, limits: Limits
) -> tuple[Array, Array]:  # fmt: skip
    """The largest magnitude becomes the greatest number of the data type. Zeros stay zeros, with the scale 0."""
    for factor in smooth:
        x = x * factor
    top = np.float32(limits[1])
    most = np.abs(x).max(axes, keepdims=True)
    y = np.where(most == 0, np.float32(0), x * (top / most))
    return on_grid(y, rounding=rounding, limits=limits), most / top


@in_parts("axes")
def with_offset(
    x: Array, *smooth: Array, axes: tuple[int, ...], rounding: str, limits: Limits
) -> tuple[Array, Array, Array]:  # fmt: skip
    """The interval from the least to the largest value becomes the range of the data type."""
    for factor in smooth:
        x = x * factor
    top = np.float32(limits[1])
    most = x.max(axes, keepdims=True)
    scale = np.maximum((most - x.min(axes, keepdims=True)) / np.float32(limits[1] - limits[0]), LEAST)
    offset = top - most / scale
    return on_grid(x / scale + offset, rounding=rounding, limits=limits), scale, offset


@planned("aclnnDynamicQuant", *contract(by_token, groups=False, offset=False), LONG_ROWS)
def dynamic_quant(p: Planning) -> None:
    """scaleOut = max|x * smooth| / M of each row, and yOut = x * smooth / scaleOut, rounded half to even; M is the
    greatest number of the data type of yOut"""
    plan(p, by_token, groups=False, symmetric=True)


@planned(
    "aclnnDynamicQuantV2", may_be_null("offsetOut"), *contract(by_token, groups=True, offset=True), LONG_ROWS,
    NO_OFFSET,
)  # fmt: skip
def dynamic_quant_v2(p: Planning) -> None:
    """Like aclnnDynamicQuant. Each group of rows may have separate smooth factors: group g ends before row
    groupIndex[g]. With offsetOut, scaleOut = (max - min) / the range of the data type, at least 1e-12, offsetOut = M -
    max / scaleOut, and yOut = x * smooth / scaleOut + offsetOut"""
    plan(p, by_token, groups=True, symmetric=not p.given("offsetOut"))


def other_symmetry(a: Arguments) -> Bad:
    symmetrical = not a.given("offsetOut")
    return None if a["isSymmetrical"] == symmetrical else (a["isSymmetrical"], f"{symmetrical}, as offsetOut tells")


def grouped_channels(a: Arguments) -> Bad:
    bad = a["quantMode"] == PER_CHANNEL and a.given(GROUPS)
    return (PER_CHANNEL, "a mode that goes with groupIndexOptional") if bad else None


def by_modes(*names: str) -> list[str | Relation]:
    return [
        *names, may_be_null("offsetOut"),
        demand("{0} is false exactly if offsetOut is given", "isSymmetrical", bad=other_symmetry, provenance="public"),
        said("quantMode"), one_of("quantMode", PER_TENSOR, PER_TOKEN, PER_CHANNEL, provenance="public"),
        demand("{0} is not perchannel with groups", "quantMode", bad=grouped_channels, provenance="public"),
        *contract(by_attribute, groups=True, offset=True),
    ]  # fmt: skip


@planned(*by_modes("aclnnDynamicQuantV3", "aclnnDynamicQuantV4"))
def dynamic_quant_v3(p: Planning) -> None:
    """Like aclnnDynamicQuantV2. quantMode says which elements share a scale: those of a row (pertoken), of a column
    along the second-last dimension (perchannel), or all (pertensor)."""
    plan(p, by_attribute, groups=True, symmetric=p["isSymmetrical"])
