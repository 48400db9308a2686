"""Pools, resizing and boxes by name."""

from typing import Any, Final

from acl_runtime.headers.enums import aclDataType, aclFormat
from acl_runtime.objects.handle_table import Tensor
from aclnn.by_name.call import Named
from aclnn.by_name.row import Plan, Required, row
from aclnn.by_name.uses import described, in_float, rounded_into

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
    top, bottom, left, right = pads(n)
    if (top, left) != (bottom, right):
        raise n.refused("this emulator averages with the same padding on both sides")
    n.aclnn("aclnnAvgPool2d", x, window(n, "ksize"), window(n, "strides"), [top, left], n["ceil_mode"],
            not n["exclusive"], n["divisor_override"], 0, y)  # fmt: skip


def global_average(n: Named) -> None:
    """aclnnGlobalAveragePool"""
    n.aclnn("aclnnGlobalAveragePool", n.labelled(n["x"]), n.labelled(n["y"]))


RESIZED: Final = {
    "ResizeBicubic": "aclnnUpsampleBicubic2d", "ResizeBilinearV2": "aclnnUpsampleBilinear2d",
}  # fmt: skip


def resize(function: str) -> Plan:
    """Images of N, H, W, C or N, C, H, W, as the descriptor says."""

    def plan(n: Named) -> None:
        layout = "NHWC" if n.format("images") == aclFormat.ACL_FORMAT_NHWC else "NCHW"
        x, y = (channels_first(n, name, layout) for name in ("images", "y"))
        size = n.ints("size")
        if tuple(size) != y.shape[2:]:
            raise n.refused(f"size is {size}, and y has {list(y.shape[2:])}")
        given, made = (each if each.dtype in FLOATS else n.labelled(n.like(each, T.ACL_FLOAT)) for each in (x, y))
        if given is not x:
            n.aclnn("aclnnCast", x, T.ACL_FLOAT, given)
        if function in ("aclnnUpsampleNearest2d", AREA):
            n.aclnn(function, given, size, made)
        else:
            n.aclnn(function, given, size, n["align_corners"], 0.0, 0.0, made)
        if made is not y:
            n.aclnn("aclnnCast", made, y.dtype, y)

    return described(plan, function)


AREA: Final = "aclnnAdaptiveAvgPool2d"
"""the mean of the places that an element of the result covers, where they are whole places"""
FLOATS: Final = (T.ACL_FLOAT, T.ACL_FLOAT16, T.ACL_BF16)


def iou(n: Named) -> None:
    """the common area by the area of both boxes, or with mode iof by that of the second: arithmetic of aclnn"""
    boxes, others = (in_float(n, n[name]) for name in ("bboxes", "gtboxes"))
    y, eps = n["overlap"], n["eps"]
    if n["aligned"]:
        raise n.refused("this emulator compares all pairs: aligned has to be false")
    columns = [
        _sides(n, each, (each.shape[0], 1) if at else (1, each.shape[0])) for at, each in enumerate((boxes, others))
    ]
    rounded_into(n, y, lambda wide: _overlap(n, columns, eps, n["mode"], wide))


def _sides(n: Named, boxes: Tensor, shape: tuple[int, int]) -> list[Tensor]:
    """x0, y0, x1 and y1 of all boxes, as a row or as a column."""
    return [n.viewed(boxes, shape, [4 * (size > 1) for size in shape], at) for at in range(4)]


def _overlap(n: Named, columns: list[list[Tensor]], eps: float, mode: str, y: Tensor) -> None:
    if mode not in ("iou", "iof"):
        raise n.refused(f"mode is {mode!r}, and has to be iou or iof")

    def binary(function: str, one: Tensor, other: Tensor, *more: Any) -> Tensor:
        shape = tuple(max(each) for each in zip(one.shape, other.shape, strict=True))
        made = n.temporary(shape, T.ACL_FLOAT)
        n.aclnn(function, one, other, *more, made)
        return made

    def added(x: Tensor, number: float) -> Tensor:
        made = n.like(x)
        n.aclnn("aclnnAdds", x, number, 1, made)
        return made

    def area(box: list[Tensor]) -> Tensor:
        sides = [added(binary("aclnnSub", box[at + 2], box[at], 1), eps) for at in range(2)]
        return binary("aclnnMul", *sides)

    box, other = columns
    sides: list[Tensor] = []
    for at in range(2):
        length = binary("aclnnSub", binary("aclnnMinimum", box[at + 2], other[at + 2]),
                        binary("aclnnMaximum", box[at], other[at]), 1)  # fmt: skip
        made = n.like(length)
        n.aclnn("aclnnRelu", length, made)
        sides.append(made)
    common = binary("aclnnMul", *sides)
    whole = area(other)
    if mode == "iou":
        whole = binary("aclnnSub", binary("aclnnAdd", area(box), whole, 1), common, 1)
    n.aclnn("aclnnDiv", common, whole, y)


POOL: Final[dict[str, Any]] = {
    "ksize": Required(()), "strides": Required(()), "padding_mode": "CALCULATED", "pads": (0, 0, 0, 0),
    "data_format": "NCHW", "global_pooling": False, "ceil_mode": False,
}  # fmt: skip
SCALED: Final = {"align_corners": False, "half_pixel_centers": False}
ROWS: Final = (
    row("MaxPoolV3", "x -> y", max_pool, **POOL),
    row("AvgPoolV2", "x -> y", average_pool, **POOL, exclusive=True, divisor_override=0),
    row("GlobalAveragePool", "x -> y", global_average),
    *(row(name, "images, size -> y", resize(function), **SCALED) for name, function in RESIZED.items()),
    row("ResizeNearestNeighborV2", "images, size -> y", resize("aclnnUpsampleNearest2d"), **SCALED),
    row("ResizeArea", "images, size -> y", resize(AREA), align_corners=False),
    row("Iou", "bboxes, gtboxes -> overlap", iou, mode="iou", eps=1.0, aligned=False),
)  # fmt: skip
