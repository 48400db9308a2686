"""Good calls that a search does not find: see `tests.aclnn.ops.good_calls`."""

from __future__ import annotations

from typing import Any

from acl_runtime import *
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
GOOD: dict[str, dict[str, Any]] = {
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
}  # fmt: skip
