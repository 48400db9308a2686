"""Good calls that a search does not find: see `tests.aclnn.ops.good_calls`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from acl_runtime import *
from acl_runtime.objects.soc import Series
from tests.aclnn.ops.case import Meta
from tests.derived.values import Values


def image(*shape: int, dtype: int = ACL_FLOAT) -> Meta:
    return Meta(shape, dtype, ACL_FORMAT_NCHW)


AVERAGE = {"ceilMode": False, "countIncludePad": True, "divisorOverride": 0, "cubeMathType": 0}
WINDOWS = {
    "kernelSize": Values((3, 2)), "stride": Values((2, 1)), "padding": Values((1, 0)), "dilation": Values((1,)),
    "ceilMode": False,
}  # fmt: skip
CUBES = {
    "kernelSize": Values((2,)), "stride": Values((2,)), "padding": Values((1,)), "dilation": Values((1,)),
    "ceilMode": False,
}  # fmt: skip
SMALL, LARGE = (2, 3, 2, 3), (2, 3, 4, 4)
"""a pooled image, and the image"""
MASK = (2, 3, 6, 64)
PART, VOLUME = (2, 3, 2, 3, 3), (2, 3, 3, 4, 4)
HALVED = {"kernelSize": Values((2,)), "stride": Values((2,)), "padding": Values((1,))}
SHARES = {"ceilMode": False, "countIncludePad": True, "divisorOverride": 0}
ADAPTIVE = {2: (image(*LARGE), image(*SMALL)), 3: (Meta(VOLUME), Meta(PART))}
"""by dimensions, a tensor and its pooled form"""
PLACES, WHOLE = Meta(SMALL, ACL_INT64), {"outputSize": Values((4, 4))}
CUBIC: dict[str, Any] = {
    "outputSize": Values((3, 4, 4)), "stride": Values((2, 2, 2)), "padding": Values((0, 0, 0)),
}  # fmt: skip
GOOD: dict[str, dict[str, Any]] = {
    "aclnnMaxUnpool2d": {"self": Meta(SMALL), "indices": PLACES, **WHOLE, "out": Meta(LARGE)},
    "aclnnMaxUnpool3d": {
        "self": Meta(PART), "indices": Meta(PART, ACL_INT64), **CUBIC, "outRef": Meta(VOLUME),
    },
    "aclnnMaxUnpool2dBackward": {
        "gradOutput": Meta(LARGE), "self": Meta(SMALL), "indices": PLACES, **WHOLE, "out": Meta(SMALL),
    },
    "aclnnMaxUnpool3dBackward": {
        "gradOutput": Meta(VOLUME), "self": Meta(PART), "indices": Meta(PART, ACL_INT64), **CUBIC, "out": Meta(PART),
    },
    "aclnnAvgPool2d": {
        "self": image(*LARGE), "kernelSize": Values((3, 2)), "strides": Values((2, 1)), "paddings": Values((1, 0)),
        **AVERAGE, "out": image(*SMALL),
    },
    "aclnnAvgPool2dBackward": {
        "gradOutput": image(*SMALL), "self": image(*LARGE), "kernelSize": Values((3, 2)), "stride": Values((2, 1)),
        "padding": Values((1, 0)), **AVERAGE, "gradInput": image(*LARGE),
    },
    "aclnnMaxPool": {
        "self": image(*LARGE), "kernelShape": Values((3, 2)), "strides": Values((2, 1)), "autoPad": 0,
        "pads": Values((1, 0)), "dilations": Values((1,)), "ceilMode": 0, "out": image(*SMALL),
    },
    "aclnnMaxPool2dWithIndices": {
        "self": image(*LARGE), **WINDOWS, "out": image(*SMALL), "indices": image(*SMALL, dtype=ACL_INT32),
    },
    "aclnnMaxPool2dWithIndicesBackward": {
        "gradOutput": image(*SMALL), "self": image(*LARGE), "indices": image(*SMALL, dtype=ACL_INT32), **WINDOWS,
        "gradInput": image(*LARGE),
    },
    "aclnnMaxPool2dWithMask": {
        "self": image(*LARGE), **WINDOWS, "out": image(*SMALL), "indices": image(*MASK, dtype=ACL_INT8),
    },
    "aclnnMaxPool2dWithMaskBackward": {
        "gradOutput": image(*SMALL), "self": image(*LARGE), "indices": image(*MASK, dtype=ACL_INT8), **WINDOWS,
        "gradInput": image(*LARGE),
    },
    "aclnnMaxPool3dWithArgmax": {
        "self": Meta((2, 3, 3, 4, 4)), **CUBES, "out": Meta((2, 3, 2, 3, 3)),
        "indices": Meta((2, 3, 2, 3, 3), ACL_INT32),
    },
    "aclnnMaxPool3dWithArgmaxBackward": {
        "gradOutput": Meta((2, 3, 2, 3, 3)), "self": Meta((2, 3, 3, 4, 4)),
        "indices": Meta((2, 3, 2, 3, 3), ACL_INT32), **CUBES, "gradInput": Meta((2, 3, 3, 4, 4)),
    },
    "aclnnAvgPool3d": {
        "self": Meta(VOLUME), **HALVED, **SHARES, "out": Meta(PART),
    },
    "aclnnAvgPool3dBackward": {
        "gradOutput": Meta(PART), "self": Meta(VOLUME), **HALVED, **SHARES, "output": Meta(VOLUME),
    },
    **{
        f"aclnnAdaptiveAvgPool{dims}d": {"self": whole, "outputSize": Values(part.shape[2:]), "out": part}
        for dims, (whole, part) in ADAPTIVE.items()
    },
    **{
        f"aclnnAdaptiveAvgPool{dims}dBackward": {"gradOutput": part, "self": whole, "out": whole}
        for dims, (whole, part) in ADAPTIVE.items()
    },
    **{
        f"aclnnAdaptiveMaxPool{dims}d": {
            "self": whole, "outputSize": Values(part.shape[2:]), "outputOut": part,
            "indicesOut": replace(part, dtype=ACL_INT64 if dims == 2 else ACL_INT32),
        }
        for dims, (whole, part) in ADAPTIVE.items()
    },
    **{
        f"aclnnAdaptiveMaxPool{dims}dBackward": {
            "gradOutput": part, "self": whole, "indices": replace(part, dtype=ACL_INT32), "gradInput": whole,
        }
        for dims, (whole, part) in ADAPTIVE.items()
    },
}  # fmt: skip
NOTHING = "checks end here (workspace 0, nothing is written)"
BY_PRODUCT = {
    ("aclnnAvgPool2d", each): {"cubeMathType": 1} for each in (Series.TRAINING, Series.INFERENCE, Series.A200I_500_A2)
}
UNPOOL = "tests/aclnn/ops/pooling/test_unpool.py"
UNREACHED = {
    ("aclnnMaxUnpool2dBackward", "gradOutput has elements if self has"): UNPOOL,
    ("aclnnMaxUnpool3dBackward", "out is dense"): UNPOOL,
    (
        "aclnnAdaptiveAvgPool2d",
        "each number of outputSize is at least 0 (only on Ascend 950PR/Ascend 950DT products)",
    ): "test_sizes_of_0_on_ascend_950",
    ("aclnnAdaptiveAvgPool3d", f"if self is empty the {NOTHING}"): "test_sizes_of_0_on_ascend_950",
    (
        "aclnnAvgPool2dBackward",
        "divisorOverride lies in [-255, 255] before Atlas A2",
    ): "test_the_divisor_of_the_gradient_is_small_on_old_products",
    ("aclnnMaxPool", f"if out is empty the {NOTHING}"): "test_an_empty_result_of_max_pool_needs_no_work",
    ("aclnnMaxPool2dWithIndicesBackward", "self has the data type of gradOutput"):
        "test_gradients_of_indices_are_float_before_ascend_950",
    **{
        (name, f"if {tensors} is empty the {NOTHING}"): "test_an_empty_batch_needs_no_work"
        for name, tensors in (
            ("aclnnMaxPool2dWithIndices", "self"),
            ("aclnnMaxPool2dWithIndicesBackward", "gradOutput or self or indices"),
            ("aclnnMaxPool2dWithMask", "self or out"),
            ("aclnnMaxPool2dWithMaskBackward", "gradOutput or self"),
            ("aclnnMaxPool3dWithArgmax", "self"),
            ("aclnnMaxPool3dWithArgmaxBackward", "gradOutput or self or indices"),
        )
    },
}  # fmt: skip
UNTYPED = {
    **{
        ("aclnnMaxPool2dWithIndicesBackward", "gradInput", dtype): "gradOutput and self list it on Ascend 950 only"
        for dtype in ("ACL_FLOAT16", "ACL_BF16")
    },
    **{
        ("aclnnAdaptiveAvgPool3dBackward", name, "ACL_DOUBLE"): "for one place only: tests/derived/public_calls.txt"
        for name in ("gradOutput", "self", "out")
    },
    ("aclnnMaxPool2dWithMaskBackward", "gradInput", "ACL_BF16"): "gradOutput and self list it from A2 on",
}
DENSE = {("aclnnMaxUnpool3dBackward", "out"): "the function refuses one with gaps"}
