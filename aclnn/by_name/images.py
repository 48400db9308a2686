"""Resizing and boxes by name."""

from typing import Final

from acl_runtime.headers.enums import aclDataType, aclFormat
from acl_runtime.objects.handle_table import Tensor
from aclnn.by_name.call import Named
from aclnn.by_name.pooling import channels_first
from aclnn.by_name.row import Plan, row
from aclnn.by_name.uses import affine, computed, described, in_float, rounded_into

T = aclDataType


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

    def area(box: list[Tensor]) -> Tensor:
        sides = [affine(n, computed(n, "aclnnSub", box[at + 2], box[at], 1), 1, eps) for at in range(2)]
        return computed(n, "aclnnMul", *sides)

    box, other = columns
    common = _common(n, box, other)
    whole = area(other)
    if mode == "iou":
        whole = computed(n, "aclnnSub", computed(n, "aclnnAdd", area(box), whole, 1), common, 1)
    n.aclnn("aclnnDiv", common, whole, y)


def _common(n: Named, box: list[Tensor], other: list[Tensor]) -> Tensor:
    """The common area of boxes."""
    sides: list[Tensor] = []
    for at in range(2):
        end, start = (computed(n, f"aclnn{name}", box[place], other[place])
                      for name, place in (("Minimum", at + 2), ("Maximum", at)))  # fmt: skip
        sides.append(computed(n, "aclnnRelu", computed(n, "aclnnSub", end, start, 1)))
    return computed(n, "aclnnMul", *sides)


SCALED: Final = {"align_corners": False, "half_pixel_centers": False}
ROWS: Final = (
    *(row(name, "images, size -> y", resize(function), **SCALED) for name, function in RESIZED.items()),
    row("ResizeNearestNeighborV2", "images, size -> y", resize("aclnnUpsampleNearest2d"), **SCALED),
    row("ResizeArea", "images, size -> y", resize(AREA), align_corners=False),
    row("Iou", "bboxes, gtboxes -> overlap", iou, mode="iou", eps=1.0, aligned=False),
)  # fmt: skip
