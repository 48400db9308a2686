"""Resizing by name."""

from typing import Final

from acl_runtime.headers.enums import aclDataType, aclFormat
from aclnn.by_name.call import Named
from aclnn.by_name.pooling import channels_first
from aclnn.by_name.row import Plan, row
from aclnn.by_name.uses import described

T = aclDataType


RESIZED: Final = {
    "ResizeBicubic": "aclnnUpsampleBicubic2d", "ResizeBilinearV2": "aclnnUpsampleBilinear2d",
}  # fmt: skip


def resize(function: str) -> Plan:
    """The plan of a resize. The descriptor of the images says whether they are NHWC or NCHW."""

    def plan(n: Named) -> None:
        layout = "NHWC" if n.format("images") == aclFormat.ACL_FORMAT_NHWC else "NCHW"
        x, y = (channels_first(n, name, layout) for name in ("images", "y"))
        size = n.ints("size")
        if tuple(size) != y.shape[2:]:
            raise n.refused(f"size is {size}, and y has {list(y.shape[2:])}")
        source, target = (each if each.dtype in FLOATS else n.labelled(n.like(each, T.ACL_FLOAT)) for each in (x, y))
        if source is not x:
            n.aclnn("aclnnCast", x, T.ACL_FLOAT, source)
        if function in ("aclnnUpsampleNearest2d", AREA):
            n.aclnn(function, source, size, target)
        else:
            n.aclnn(function, source, size, n["align_corners"], 0.0, 0.0, target)
        if target is not y:
            n.aclnn("aclnnCast", target, y.dtype, y)

    return described(plan, function)


AREA: Final = "aclnnAdaptiveAvgPool2d"
"""function for the mean of the elements that an element of the result covers, with integer ratios"""
FLOATS: Final = (T.ACL_FLOAT, T.ACL_FLOAT16, T.ACL_BF16)


def sampled(n: Named) -> None:
    """aclnnGridSampler2D"""
    n.aclnn("aclnnGridSampler2D", n.labelled(n["x"]), n["grid"], MODES.index(n["interpolation_mode"]),
            PADDINGS.index(n["padding_mode"]), n["align_corners"], n.labelled(n["y"]))  # fmt: skip


MODES: Final = ("bilinear", "nearest", "bicubic")
PADDINGS: Final = ("zeros", "border", "reflection")
"""padding modes, in the order of the numbers that aclnn takes"""
SAMPLED: Final = {"interpolation_mode": "bilinear", "padding_mode": "zeros", "align_corners": False}
SCALED: Final = {"align_corners": False, "half_pixel_centers": False}
ROWS: Final = (
    *(row(name, "images, size -> y", resize(function), **SCALED) for name, function in RESIZED.items()),
    row("ResizeNearestNeighborV2", "images, size -> y", resize("aclnnUpsampleNearest2d"), **SCALED),
    row("ResizeArea", "images, size -> y", resize(AREA), align_corners=False),
    row("GridSampler2D", "x, grid -> y", sampled, **SAMPLED),
)  # fmt: skip
