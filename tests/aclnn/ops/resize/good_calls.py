"""Good calls that a search does not find: see `tests.aclnn.ops.good_calls`."""

from __future__ import annotations

from typing import Any

from acl_runtime import *
from tests.aclnn.ops.case import Meta
from tests.derived.values import Values

FORMATS = {3: ACL_FORMAT_NCL, 4: ACL_FORMAT_NCHW, 5: ACL_FORMAT_NCDHW}
SIZES = {1: ((3,), (5,)), 2: ((2, 3), (4, 5)), 3: ((2, 3, 2), (3, 4, 2))}
"""by dimensions: the sizes of an image, and other ones"""
SCALES = {1: ("scales",), 2: ("scalesH", "scalesW"), 3: ("scalesD", "scalesH", "scalesW")}


def image(*shape: int) -> Meta:
    """A tensor with the format of its number of dimensions."""
    return Meta(shape, ACL_FLOAT, FORMATS[len(shape)])


def forward(dims: int, *scales: str, x: str = "self", **flags: Any) -> dict[str, Any]:
    before, after = SIZES[dims]
    factors = dict.fromkeys(scales, 0.0)
    return {x: image(2, 3, *before), "outputSize": Values(after), **flags, **factors, "out": image(2, 3, *after)}


def backward(dims: int, gradient: str, out: str, *scales: str, **flags: Any) -> dict[str, Any]:
    before, after = SIZES[dims]
    words = {"outputSize": Values(after), "inputSize": Values((2, 3, *before))}
    factors = dict.fromkeys(scales or SCALES[dims], 0.0)
    return {gradient: image(2, 3, *after), **words, **flags, **factors, out: image(2, 3, *before)}


ALIGN = {"alignCorners": False}
GOOD: dict[str, dict[str, Any]] = {
    "aclnnUpsampleNearest1d": forward(1),
    "aclnnUpsampleNearest1dV2": forward(1, "scaleL"),
    "aclnnUpsampleNearest2d": forward(2),
    "aclnnUpsampleNearest2dV2": forward(2, *SCALES[2]),
    "aclnnUpsampleNearest3d": forward(3, *SCALES[3]),
    **{f"aclnnUpsampleNearestExact{dims}d": forward(dims, *SCALES[dims]) for dims in SIZES},
    "aclnnUpsampleNearest1dBackward": backward(1, "gradOut", "out"),
    "aclnnUpsampleNearest2dBackward": backward(2, "gradOut", "gradInput"),
    "aclnnUpsampleNearest3dBackward": backward(3, "gradOut", "gradInput"),
    "aclnnUpsampleNearestExact1dBackward": backward(1, "gradOutput", "out"),
    "aclnnUpsampleNearestExact2dBackward": backward(2, "gradOutput", "out"),
    "aclnnUpsampleNearestExact3dBackward": backward(3, "gradOut", "gradInput"),
    "aclnnUpsampleLinear1d": forward(1, "scale", **ALIGN),
    "aclnnUpsampleLinear1dBackward": backward(1, "gradOut", "out", **ALIGN),
    "aclnnUpsampleBilinear2d": forward(2, *SCALES[2], **ALIGN),
    "aclnnUpsampleBilinear2dBackward": backward(2, "gradOut", "out", **ALIGN),
    "aclnnUpsampleBilinear2dBackwardV2": backward(2, "gradOut", "out", **ALIGN),
    "aclnnUpsampleTrilinear3d": forward(3, *SCALES[3], **ALIGN),
    "aclnnUpsampleTrilinear3dBackward": backward(3, "gradOut", "gradInput", **ALIGN),
    "aclnnUpsampleBicubic2d": forward(2, *SCALES[2], **ALIGN),
    "aclnnUpsampleBicubic2dBackward": backward(2, "gradOut", "gradInput", **ALIGN),
    "aclnnUpsampleBilinear2dAA": forward(2, *SCALES[2], x="input", **ALIGN),
    "aclnnUpsampleBilinear2dAABackward": backward(2, "gradOutput", "out", **ALIGN),
    "aclnnUpsampleBicubic2dAA": forward(2, *SCALES[2], x="x", **ALIGN),
    "aclnnUpsampleBicubic2dAAGrad": backward(2, "gradOutput", "out", **ALIGN),
}
SAMPLES: dict[str, dict[str, Any]] = {
    "aclnnGridSampler2D": {
        "input": image(2, 3, 4, 5), "grid": Meta((2, 3, 2, 2)), "interpolationMode": 0, "paddingMode": 0, **ALIGN,
        "out": image(2, 3, 3, 2),
    },
    "aclnnGridSampler3D": {
        "input": image(2, 3, 3, 4, 5), "grid": Meta((2, 3, 2, 2, 3)), "interpolationMode": 0, "paddingMode": 0, **ALIGN,
        "out": image(2, 3, 3, 2, 2),
    },
    **{
        f"aclnnGridSampler{dims}DBackward": {
            "gradOutput": image(2, 3, *points), "input": image(2, 3, *sizes), "grid": Meta((2, *points, dims)),
            "interpolationMode": 0, "paddingMode": 0, **ALIGN, "outputMask": Values((True, True)),
            "inputGrad": image(2, 3, *sizes), "gridGrad": Meta((2, *points, dims)),
        }
        for dims, points, sizes in ((2, (3, 2), (4, 5)), (3, (3, 2, 2), (3, 4, 5)))
    },
    "aclnnAffineGrid": {"theta": Meta((2, 2, 3)), "size": Values((2, 3, 4, 5)), **ALIGN, "out": Meta((2, 4, 5, 2))},
}  # fmt: skip
RESIZED = dict(GOOD)
"""the calls that resize"""
GOOD |= SAMPLES
GOOD["aclnnResize"] = {
    "self": image(2, 3, 4, 5), "scales": Values((1.0, 1.0, 2.0, 1.5)), "mode": "bilinear", "out": image(2, 3, 8, 7),
}  # fmt: skip
LONG, LIMITS = "test_long_dimensions_are_refused_before_ascend_950", "test_real_scales_have_limits"
BEFORE_950 = "(not on Ascend 950PR/Ascend 950DT products)"
ON_950 = "(only on Ascend 950PR/Ascend 950DT products)"
MOST = f"gradOut has at most 2147483647 elements in a dimension {BEFORE_950}"
UNREACHED = {
    **{
        (f"aclnnUpsample{name}", MOST.replace("gradOut ", f"{gradient} ")): LONG
        for name, gradient in (
            ("Bicubic2dBackward", "gradOut"), ("Bilinear2dAABackward", "gradOutput"),
            ("Bilinear2dBackwardV2", "gradOut"), ("Linear1dBackward", "gradOut"),
            ("Trilinear3dBackward", "gradOut"), ("NearestExact3dBackward", "gradOut"),
        )
    },
    **{
        (f"aclnnUpsample{name}", f"the real scale of {sentence}"): LIMITS
        for name, sentence in (
            ("Bicubic2dAA", f"x is at most 50 {BEFORE_950}"), ("Bilinear2dAA", f"input is at most 50 {BEFORE_950}"),
            ("Linear1dBackward", f"gradOut is at most 500 {BEFORE_950}"),
            ("NearestExact1dBackward", "gradOutput is at least 0.02"),
            ("NearestExact2dBackward", "gradOutput is at least 0.02"),
            ("NearestExact3dBackward", "gradOut is at most 50"),
        )
    },
    **{
        (f"aclnnUpsample{name}", f"if {tensors} is empty the checks end here (workspace 0, nothing is written)"):
            "test_an_empty_batch_needs_no_work"
        for name, tensors in (
            ("Bicubic2dBackward", "gradOut"), ("Bilinear2dBackward", "gradOut"), ("Linear1dBackward", "gradOut"),
            ("Trilinear3dBackward", "gradOut or gradInput"), ("Nearest1dBackward", "gradOut"),
            ("NearestExact3dBackward", "gradOut"),
        )
    },
    ("aclnnResize", "if self or out is empty the checks end here (workspace 0, nothing is written)"): (
        "test_no_images_stay_no_images"
    ),
    ("aclnnUpsampleBilinear2dBackward", f"gradOut is stored as NCHW or NHWC {ON_950}"): "test_formats_on_ascend_950",
    ("aclnnUpsampleBilinear2dBackward", f"out has the format of gradOut {ON_950}"): "test_formats_on_ascend_950",
    **{
        (
            f"aclnnGridSampler{dims}DBackward",
            "if outputMask is null, the checks end here (workspace 0, nothing is written)",
        ): "test_without_flags_there_is_nothing_to_do"
        for dims in (2, 3)
    },
    ("aclnnUpsampleNearestExact3d", "outputSize is self times the scales, if these are above 0"):
        "test_the_size_fits_the_scales",
}  # fmt: skip
UNTYPED = {
    ("aclnnUpsampleBilinear2d", name, "ACL_DOUBLE"): "in NHWC only: test_double_is_computed_in_nhwc"
    for name in ("self", "out")
}
