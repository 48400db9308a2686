"""Quantize, GroupQuant and DequantBias: scales of channels, of groups of rows, and of rows and columns."""

from collections.abc import Mapping
from typing import Final

import numpy as np

from aclnn.op import (
    SHORT_FLOAT, TILING, Arguments, Bad, Planning, Shape, T, demand, dtype_name, empty, generated, listed, planned,
    public_format, ranks, same_dtype, same_shape, shape, type_rows,
)  # fmt: skip
from aclnn.ops.quantisation._family import (
    grid,
    held_in,
    named_type,
    of_groups,
    packed_like,
    quantised,
    rescaled,
    with_scales,
)
from aclnn.ops.quantisation.given_scales import scaled

QUANTIZED = ("x", "scales", "zeroPoints", "out")


def wrong_axis(a: Arguments) -> Bad:
    """Checks the axis. A single scale is allowed with any axis."""
    rank, axis = a.rank("x"), a["axis"]
    return None if a.shape("scales") == (1,) or -rank <= axis < rank else (axis, f"[{-rank}, {rank - 1}]")


def other_length(a: Arguments) -> Bad:
    size = a.shape("scales")[0]
    expected_size = 1 if size == 1 else a.shape("x")[int(a["axis"])]
    return None if size == expected_size else (f"{size} elements", f"1 or {expected_size}")


def mixed(a: Arguments) -> Bad:
    """Checks that all tensors are BFLOAT16 if scales or zeroPoints is."""
    types = set(a.dtypes("x", "scales", "zeroPoints"))
    scales = set(a.dtypes("scales", "zeroPoints"))
    names = " and ".join(dtype_name(type_) for type_ in sorted(types))
    return (names, "BFLOAT16 alone") if T.ACL_BF16 in scales and len(types) > 1 else None


@planned(
    "aclnnQuantize", ranks("x", most=8, least=0), same_shape("out", "x"),
    ranks("scales", "zeroPoints", least=1, most=1), same_shape("zeroPoints", "scales"),
    demand("{0} is a dimension of {1}", "axis", "x", "scales", bad=wrong_axis),
    demand("{0} has one element, or one for each index along axis of {1}", "scales", "x", bad=other_length),
    listed("x", "scales", among=SHORT_FLOAT, provenance="public"), listed("zeroPoints"), listed("out"),
    listed("dtype", like="out"), same_dtype("dtype", "out"),
    demand("{0} is of BFLOAT16 if scales or zeroPoints are", "x", "scales", bad=mixed), public_format(*QUANTIZED),
    empty("x"),
)  # fmt: skip
def quantize(p: Planning) -> None:
    """out = x / scales + zeroPoints, rounded half to even, and saturated; scales and zeroPoints have an element for
    each index along axis, or one element"""
    x = p.read("x")
    inputs = [p.builder.reshape(p.read(name), spread(p)) for name in ("scales", "zeroPoints") if p.given(name)]
    dtype = p.dtype("out")
    p.store("out", p.step(with_scales, [x, *inputs], x.shape, dtype, divides=True, **grid(dtype)))


def spread(a: Arguments) -> Shape:
    """The shape under which scales broadcast to x."""
    count = a.shape("scales")[0]
    axis = a["axis"] % a.rank("x") if count > 1 else -1
    return tuple(count if each == axis else 1 for each in range(a.rank("x")))


# groups of rows


def other_columns(a: Arguments) -> Bad:
    size, expected_size = a.shape("scale")[1], a.shape("x")[1]
    return None if size == expected_size else (f"{size} columns", f"{expected_size}, as x")


def other_groups(a: Arguments) -> Bad:
    size, expected_size = a.shape("groupIndex")[0], a.shape("scale")[0]
    return None if size == expected_size else (f"{size} elements", f"{expected_size}, as scale has rows")


def several(a: Arguments) -> Bad:
    count = a["offsetOptional"].numel
    return (f"{count} elements", "at most 1") if count > 1 else None


@planned(
    "aclnnGroupQuant", listed("x", "scale", "groupIndex", "y", "offsetOptional"), same_dtype("offsetOptional", "scale"),
    demand("{0} has at most one element", "offsetOptional", bad=several), named_type("dstType", "y"),
    ranks("x", "scale", least=2, most=2), ranks("groupIndex", least=1, most=1),
    demand("{0} has as many columns as {1}", "scale", "x", bad=other_columns),
    demand("{0} has an element for each row of {1}", "groupIndex", "scale", bad=other_groups),
    *packed_like("y", "x"), empty("x", "scale"),
)  # fmt: skip
def group_quant(p: Planning) -> None:
    """y = x * scale[g] + offset, rounded half to even, and saturated, where g is the group of a row: group g ends
    before row groupIndex[g]. A row behind the last group belongs to it."""
    x, rows = p.read("x"), p.shape("x")[0]
    scale = p.step(of_groups, [p.read("scale"), p.read("groupIndex")], x.shape, p.dtype("scale"), rows=rows)
    offsets = [p.read("offsetOptional")] if p.given("offsetOptional") and p["offsetOptional"].numel else []
    offsets = [p.builder.reshape(offset, (1,)) for offset in offsets]
    quantised(p, "y", scaled, [x, scale, *offsets], x.shape, sqrt=False, **grid(held_in(p.dtype("y"))))


# dequantisation by rows and columns


OUTPUTS: Final[Mapping[int, tuple[int, ...]]] = {T.ACL_FLOAT: (T.ACL_FLOAT16,), T.ACL_BF16: (T.ACL_BF16,)}
"""the data types of out, by that of weightScale"""


@planned(
    "aclnnDequantBias", generated(), listed("x", "weightScale", "out"), type_rows(("weightScale", "out"), OUTPUTS),
    listed("activateScaleOptional", "biasOptional", status=TILING), named_type("outputDtype", "out", status=TILING),
    ranks("x", least=2, most=2, status=TILING),
    shape("weightScale", "{0} has an element for each column of x", lambda a: a.shape("x")[1:], status=TILING),
    shape("activateScaleOptional", "{0} has an element for each row of x", lambda a: a.shape("x")[:1], status=TILING),
    shape("biasOptional", "{0} has an element for each column of x", lambda a: a.shape("x")[1:], status=TILING),
    same_shape("out", "x", status=TILING), empty("x"),
)  # fmt: skip
def dequant_bias(p: Planning) -> None:
    """out = x * weightScale * activateScale + bias, in FLOAT, and rounded once. A bias of INT32 is added to x."""
    x = p.read("x")
    bias = p.read("biasOptional") if p.given("biasOptional") else None
    if bias is not None and bias.dtype == T.ACL_INT32:
        x, bias = p.step(np.add, [x, bias], x.shape, x.dtype), None
    scales = [p.read("weightScale")]
    if p.given("activateScaleOptional"):
        scales.append(p.builder.reshape(p.read("activateScaleOptional"), (*x.shape[:1], 1)))
    late = [] if bias is None else [bias]
    p.store("out", p.step(rescaled, [x, *scales, *late], x.shape, p.dtype("out"), scales=len(scales)))
