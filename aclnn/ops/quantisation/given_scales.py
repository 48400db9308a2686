"""AscendQuant and AscendAntiQuant, with a scale and an optional offset for all elements or for each channel."""

from collections.abc import Mapping
from math import prod
from typing import Final

import numpy as np

from aclnn.op import (
    ACLNN_ERR_PARAM_INVALID, Arguments, Array, Bad, Planning, Relation, Series, Shape, T, demand, empty, except_on,
    in_parts, lacks, listed, may_be_null, only_on, planned, ranks, said, same_dtype, same_shape, shape, type_rows,
    unpack_int4,
)  # fmt: skip
from aclnn.ops.quantisation._family import (
    CARRIED,
    FLOATS_OF_8_BITS,
    Limits,
    grid,
    held_in,
    named_type,
    on_grid,
    packed_like,
    quantised,
)

SCALES: Final[Mapping[int, tuple[int, ...]]] = {
    T.ACL_FLOAT16: (T.ACL_FLOAT16,), T.ACL_BF16: (T.ACL_BF16,),
    T.ACL_FLOAT: (T.ACL_FLOAT, T.ACL_FLOAT16, T.ACL_BF16),
}  # fmt: skip
"""the data types of scale, by that of x"""
TYPE_RULES: Final = (
    listed("x", "y", "scale", "offset"), same_dtype("offset", "scale"), type_rows(("x", "scale"), SCALES),
    named_type("dstType", "y"),
)  # fmt: skip


@in_parts()
def scaled(x: Array, scale: Array, *offsets: Array, sqrt: bool, rounding: str, limits: Limits) -> Array:
    result = x * scale
    result = result * scale if sqrt else result
    for offset in offsets:
        result = result + offset
    return on_grid(result, rounding=rounding, limits=limits)


def quantise(p: Planning, spread: Shape | None) -> None:
    """Plans the quantised tensor. `spread`: the shape under which the scales broadcast to x."""
    x = p.read("x")
    inputs = [p.read(name, x.dtype) for name in ("scale", "offset") if p.given(name)]
    if spread is not None:
        inputs = [p.builder.reshape(tensor, spread) for tensor in inputs]
    attributes = grid(held_in(p.dtype("y")), p["roundMode"])
    quantised(p, "y", scaled, [x, *inputs], x.shape, sqrt=p["sqrtMode"], **attributes)


def other_last(a: Arguments) -> Bad:
    size, expected_size = a.shape("scale")[-1], a.shape("x")[-1]
    return None if size in (1, expected_size) else (f"{size} elements", f"1 or {expected_size}")


def one_row(name: str) -> Relation:
    """Checks that a tensor has at most as many dimensions as x, and that all but the last have the size 1."""

    def bad(a: Arguments) -> Bad:
        shape = a.shape(name)
        fine = prod(shape[:-1]) == 1 and len(shape) <= a.rank("x")
        return None if fine else (list(shape), f"at most {a.rank('x')} dimensions, all 1 but the last one")

    return demand("the other dimensions of {0} are 1, and it broadcasts to {1}", name, "x", bad=bad)


def other_last_size(a: Arguments) -> Bad:
    size, expected_size = a.shape("scale")[-1], a.shape("offset")[-1]
    return None if size == expected_size else (f"{size} elements", f"{expected_size}, as offset")


def unknown_rounding(a: Arguments) -> Bad:
    dtype = a.dtype("y")
    floats = ("round", "hybrid") if dtype == T.ACL_HIFLOAT8 else ("round",)
    allowed = floats if dtype in FLOATS_OF_8_BITS else ("round", "floor", "ceil", "trunc")
    return None if a["roundMode"] in allowed else (repr(a["roundMode"]), ", ".join(allowed))


ROUNDED: Final = (
    said("roundMode", status=ACLNN_ERR_PARAM_INVALID),
    demand("{0} is a rounding that the data type of {1} has", "roundMode", "y", bad=unknown_rounding),
)


@planned(
    "aclnnAscendQuant", *TYPE_RULES, ranks("x", "scale", "offset"), *packed_like("y", "x"),
    demand("the last dimension of {0} is that of {1}", "scale", "offset", bad=other_last_size),
    demand("the last dimension of {0} is 1 or that of {1}", "scale", "x", bad=other_last),
    one_row("scale"), one_row("offset"), *ROUNDED, empty("x"),
)  # fmt: skip
def ascend_quant(p: Planning) -> None:
    """y = x * scale + offset, rounded as roundMode says, and saturated; with sqrtMode x * scale * scale + offset"""
    quantise(p, None)


def axis_of(a: Arguments) -> int:
    return a.axis("axis", of="x")


def wrong_axis(a: Arguments) -> Bad:
    rank, axis = a.rank("x"), a["axis"]
    return None if -rank <= axis < rank else (axis, f"[{-rank}, {rank - 1}]")


def not_last(a: Arguments) -> Bad:
    return None if axis_of(a) == a.rank("x") - 1 else (a["axis"], "the last dimension")


def too_early(a: Arguments) -> Bad:
    return None if axis_of(a) >= a.rank("x") - 2 else (a["axis"], "one of the last two dimensions")


def other_channels(a: Arguments) -> Bad:
    """Checks that scale has one dimension, or the rank of x and the size 1 in all dimensions except axis."""
    shape, axis = a.shape("scale"), axis_of(a)
    expected_size = a.shape("x")[axis]
    length = shape[0] if len(shape) == 1 else shape[axis] if len(shape) == a.rank("x") else -1
    fine = length in (1, expected_size) and prod(shape) == length
    return None if fine else (list(shape), f"1 or {expected_size} elements along axis")


def channels(a: Arguments) -> Shape:
    """The shape under which scale broadcasts to x."""
    axis = axis_of(a)
    return tuple(prod(a.shape("scale")) if dim == axis else 1 for dim in range(a.rank("x")))


@planned(
    "aclnnAscendQuantV3", ranks("x"), *TYPE_RULES, demand("{0} is a dimension of {1}", "axis", "x", bad=wrong_axis),
    only_on(Series.INFERENCE, demand("{0} is the last dimension of {1}", "axis", "x", bad=not_last)),
    demand("{0} is one of the last two dimensions of {1}", "axis", "x", bad=too_early),
    *packed_like("y", "x"), same_shape("offset", "scale"),
    demand("{0} has one element, or one for each index along {2} of {1}", "scale", "x", "axis", bad=other_channels),
    *ROUNDED, empty("x"),
)  # fmt: skip
def ascend_quant_v3(p: Planning) -> None:
    """Like aclnnAscendQuant, where scale and offset have an element for each index along axis, or one element"""
    quantise(p, channels(p))


# dequantisation


def unpacked(a: Arguments) -> Shape:
    """The shape of y: a word of INT32 has eight elements."""
    shape = a.shape("x")
    if a.dtype("x") != T.ACL_INT32:
        return shape
    return (*shape[:-1], shape[-1] * CARRIED) if shape else (CARRIED,)


def odd_last(a: Arguments) -> Bad:
    last = (a.shape("x") or (1,))[-1]
    return (f"{last} elements", "an even number") if a.dtype("x") == T.ACL_INT4 and last % 2 else None


def other_length(a: Arguments) -> Bad:
    """Checks the number of scales. Ascend 950 also accepts one for each index of any dimension, or a shape that
    broadcasts to y."""
    shape, whole = a.shape("scale"), a.shape("y") or (1,)
    allowed = (1, *whole) if a.soc.series is Series.A950 else (1, whole[-1])
    spread = len(shape) == len(whole) and all(length in (1, size) for length, size in zip(shape, whole, strict=True))
    good = spread if len(shape) != 1 else shape[0] in allowed
    return None if good else (list(shape), f"{' or '.join(map(str, allowed))} elements, or a shape like {list(whole)}")


def strided_pairs(a: Arguments) -> Bad:
    dense = a.dtype("x") != T.ACL_INT4 or a["x"].contiguous
    return None if dense else ("a tensor with gaps", "a dense tensor of INT4")


def other_dimension(a: Arguments) -> bool:
    return a.rank("scale") == 1 and a.shape("scale")[0] not in (1, *a.shape("y")[-1:])


@planned(
    "aclnnAscendAntiQuant", may_be_null("offset"),
    lacks("a scale of another dimension than the last one", other_dimension),
    listed("x", "y", "scale", "offset"), same_dtype("offset", "scale"),
    named_type("dstType", "y"), demand("{0} has pairs of INT4 in its last dimension", "x", bad=odd_last),
    shape("y", "{0} has the shape of x, and of INT32 eight times its last dimension", unpacked), ranks("x"),
    except_on(Series.A950, ranks("scale", "offset", least=1, most=1)), same_shape("offset", "scale"),
    demand("{0} has one element, or as many as the last dimension of {1}", "scale", "y", bad=other_length),
    empty("x"), demand("{0} of INT4 has no gaps", "x", bad=strided_pairs),
)  # fmt: skip
def ascend_anti_quant(p: Planning) -> None:
    """y = (x + offset) * scale; with sqrtMode (x + offset) * scale * scale. Computed in FLOAT, and rounded once."""
    x, shape = p.read("x"), unpacked(p)
    if x.dtype == T.ACL_INT32:
        x = p.step(uncarried, [x], shape, T.ACL_INT4, sizes=shape)
    inputs = [p.read(name) for name in ("scale", "offset") if p.given(name)]
    if not shape:
        inputs = [p.builder.reshape(tensor, ()) for tensor in inputs]
    p.store("y", p.step(restored, [x, *inputs], shape, p.dtype("y"), sqrt=p["sqrtMode"]))


def uncarried(words: Array, *, sizes: Shape) -> Array:
    """Words of INT32 as elements of INT4."""
    return unpack_int4(np.ascontiguousarray(words).reshape(-1).view(np.uint8), prod(sizes)).reshape(sizes)


@in_parts()
def restored(x: Array, scale: Array, *offsets: Array, sqrt: bool) -> Array:
    result = x.astype(np.float32)
    for offset in offsets:
        result = result + offset
    result = result * scale
    return result * scale if sqrt else result
