"""Pools by name, and their derivatives."""

from typing import Any, Final

import numpy as np

from acl_runtime.headers.dtypes import Array
from acl_runtime.headers.enums import aclDataType
from acl_runtime.objects.handle_table import Tensor
from aclnn.by_name.call import Named
from aclnn.by_name.row import Required, row
from aclnn.by_name.shapes_of_windows import pooled_with_places
from aclnn.by_name.uses import check_shapes, in_float, rounded_into, unread

T = aclDataType


def channels_first(n: Named, name: str, layout: str) -> Tensor:
    """A tensor of four dimensions as NCHW."""
    x = n[name]
    return n.labelled(n.permuted(x, (0, 3, 1, 2)) if layout == "NHWC" else x)


def window(n: Named, name: str) -> list[int]:
    """The numbers of an attribute for H and W."""
    layout = n["data_format"]
    return [n[name][layout.index(side)] for side in "HW"]


def pads(n: Named) -> list[int]:
    """The padding on top, at the bottom, on the left and on the right."""
    if n["padding_mode"] == "VALID":
        return [0, 0, 0, 0]
    if n["padding_mode"] != "CALCULATED":
        raise n.refused("this emulator pools with the padding modes CALCULATED and VALID")
    return list(n["pads"])


def max_pool(n: Named) -> None:
    """aclnnMaxPool; with global_pooling aclnnAmax"""
    layout = n["data_format"]
    x, y = (channels_first(n, name, layout) for name in ("x", "y"))
    if n["global_pooling"]:
        n.aclnn("aclnnAmax", x, [2, 3], True, y)
        return
    top, bottom, left, right = pads(n)
    n.aclnn("aclnnMaxPool", x, window(n, "ksize"), window(n, "strides"), 0, [top, left, bottom, right], [1, 1],
            int(n["ceil_mode"]), y)  # fmt: skip


def average_pool(n: Named) -> None:
    """aclnnAvgPool2d; with global_pooling aclnnGlobalAveragePool"""
    layout = n["data_format"]
    x, y = (channels_first(n, name, layout) for name in ("x", "y"))
    if n["global_pooling"]:
        n.aclnn("aclnnGlobalAveragePool", x, y)
        return
    n.aclnn("aclnnAvgPool2d", x, *_averaged(n), y)


def _averaged(n: Named) -> tuple[Any, ...]:
    """The arguments of aclnnAvgPool2d between its tensors."""
    top, bottom, left, right = pads(n)
    if (top, left) != (bottom, right):
        raise n.refused("this emulator averages with the same padding on both sides")
    windows = window(n, "ksize"), window(n, "strides"), [top, left]
    return *windows, n["ceil_mode"], not n["exclusive"], n["divisor_override"], 0


def global_average(n: Named) -> None:
    """aclnnGlobalAveragePool"""
    n.aclnn("aclnnGlobalAveragePool", n.labelled(n["x"]), n.labelled(n["y"]))


def average_gradient(n: Named) -> None:
    """aclnnAvgPool2dBackward; the shape of the input is that of out_grad"""
    layout = n["data_format"]
    grad, out = (channels_first(n, name, layout) for name in ("input_grad", "out_grad"))
    n.aclnn("aclnnAvgPool2dBackward", grad, unread(n, out), *_averaged(n), out)


def adaptive(n: Named) -> None:
    """aclnnAdaptiveAvgPool2d"""
    n.aclnn("aclnnAdaptiveAvgPool2d", n.labelled(n["x"]), n["output_size"], n.labelled(n["y"]))


def adaptive_gradient(n: Named) -> None:
    """aclnnAdaptiveAvgPool2dBackward"""
    out = n.labelled(n["output_grad"])
    n.aclnn("aclnnAdaptiveAvgPool2dBackward", n.labelled(n["input_grad"]), unread(n, out), out)


# argmax as bits: for each place of the window a bit for each element of y, 16 bits in a word


def max_pool_with_places(n: Named) -> None:
    """aclnnMaxPool2dWithIndices; argmax has a bit for each place of the window and of y (ours)"""
    x, y, window = n.labelled(in_float(n, n["x"])), n["y"], _window(n)
    _check(n, "y")
    wide, indices = n.labelled(n.like(y, T.ACL_FLOAT)), n.labelled(n.like(y, T.ACL_INT32))
    n.aclnn("aclnnMaxPool2dWithIndices", x, *window, n["ceil_mode"], wide, indices)
    n.aclnn("aclnnCast", wide, y.dtype, y)
    n.step(place_bits, [indices], n["argmax"], width=x.shape[3], window=window, words=n["argmax"].shape[3])


def max_pool_gradient(n: Named) -> None:
    """aclnnMaxPool2dWithIndicesBackward, with indices from the bits of argmax"""
    x, grad, y, window = n["x"], n["grad"], n["y"], _window(n)
    _check(n, "grad")
    indices = n.labelled(n.like(grad, T.ACL_INT32))
    n.step(places, [n["argmax"]], indices, width=x.shape[3], window=window, shape=grad.shape)
    x, grad = (n.labelled(in_float(n, each)) for each in (x, grad))
    rounded_into(n, y, lambda wide: n.aclnn(
        "aclnnMaxPool2dWithIndicesBackward", grad, x, indices, *window, n["ceil_mode"], n.labelled(wide)
    ))  # fmt: skip


def _check(n: Named, y: str) -> None:
    """Checks the shapes of `y` and argmax, and the data type of argmax."""
    shapes = map(tuple, pooled_with_places(n))
    check_shapes(n, **dict(zip((y, "argmax"), shapes, strict=True)))
    if n["argmax"].dtype != T.ACL_UINT16:
        raise n.refused("argmax has to be UINT16")


def _window(n: Named) -> tuple[list[int], ...]:
    """Size, step, padding and dilation for H and W, which are in the middle of four numbers."""
    return tuple(list(n[name][1:3]) for name in ("ksize", "strides", "pads", "dilation"))


def place_bits(index: Array, *, width: int, window: tuple[list[int], ...], words: int) -> Array:
    """The bits of argmax, from indices in planes of a width."""
    (rows, columns), (down, right), (top, left), (row_step, beside) = window
    sizes: tuple[int, int] = index.shape[2:]
    i, j = np.indices(sizes)
    row = (index // width - i * down + top) // row_step
    place = row * columns + (index % width - j * right + left) // beside
    chosen = place[:, :, None] == np.arange(rows * columns)[:, None, None]
    bits = np.zeros((*chosen.shape[:3], words * 16), bool)
    bits[..., : index[0, 0].size] = chosen.reshape(*chosen.shape[:3], -1)
    packed: Array = np.packbits(bits, axis=-1, bitorder="little").view("<u2")
    return packed


def places(bits: Array, *, width: int, window: tuple[list[int], ...], shape: tuple[int, ...]) -> Array:
    """The indices in planes, from the bits of argmax."""
    (_, columns), (down, right), (top, left), (row_step, beside) = window
    flags = np.unpackbits(np.ascontiguousarray(bits, "<u2").view(np.uint8), axis=-1, bitorder="little")
    place: Array = flags[..., : shape[2] * shape[3]].argmax(2).reshape(shape)
    i, j = np.indices(shape[2:])
    row = i * down - top + place // columns * row_step
    index: Array = row * width + j * right - left + place % columns * beside
    return index.astype(np.int32)


POOL: Final[dict[str, Any]] = {
    "ksize": Required(()), "strides": Required(()), "padding_mode": "CALCULATED", "pads": (0, 0, 0, 0),
    "data_format": "NCHW", "global_pooling": False, "ceil_mode": False,
}  # fmt: skip
AVERAGED: Final = {**POOL, "exclusive": True, "divisor_override": 0}
PLACES: Final[dict[str, Any]] = {
    "ksize": Required(()), "strides": Required(()), "pads": Required(()), "dtype": int(T.ACL_INT32),
    "dilation": (1, 1, 1, 1), "ceil_mode": False,
}  # fmt: skip
ROWS: Final = (
    row("MaxPoolV3", "x -> y", max_pool, **POOL),
    row("MaxPoolWithArgmaxV1", "x -> y, argmax", max_pool_with_places, **PLACES),
    row("MaxPoolGradWithArgmaxV1", "x, grad, argmax -> y", max_pool_gradient, **PLACES),
    row("AvgPoolV2", "x -> y", average_pool, **AVERAGED),
    row("AvgPoolV2Grad", "orig_input_shape, input_grad -> out_grad", average_gradient, **AVERAGED),
    row("GlobalAveragePool", "x -> y", global_average),
    row("AdaptiveAvgPool2d", "x -> y", adaptive, output_size=Required(())),
    row("AdaptiveAvgPool2dGrad", "input_grad -> output_grad", adaptive_gradient, orig_input_shape=Required(())),
)
