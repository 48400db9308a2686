"""Good calls that a search does not find: see `tests.aclnn.ops.good_calls`."""

from __future__ import annotations

from typing import Any

from acl_runtime import *
from acl_runtime.objects.soc import Series
from tests.aclnn.ops.case import Meta
from tests.derived.values import Values

I32, U8, F16 = ACL_INT32, ACL_UINT8, ACL_FLOAT16


def image(*shape: int) -> Meta:
    return Meta(shape, ACL_FLOAT, ACL_FORMAT_NCHW)


def places(*shape: int) -> Meta:
    return Meta(shape, I32, ACL_FORMAT_NCHW)


GOOD: dict[str, dict[str, Any]] = {
    "aclnnRoiAlign": {
        "self": image(2, 3, 5, 6), "rois": Meta((4, 4)), "batchIndices": Meta((4,), I32), "mode": "avg",
        "outputHeight": 2, "outputWidth": 3, "samplingRatio": 2, "spatialScale": 0.5, "out": image(4, 3, 2, 3),
    },
    "aclnnRoiAlignV2": {
        "self": image(2, 3, 5, 6), "boxes": Meta((4, 5)), "pooledHeight": 2, "pooledWidth": 3, "spatialScale": 0.5,
        "samplingRatio": 2, "aligned": True, "out": image(4, 3, 2, 3),
    },
    "aclnnRoiAlignV2Backward": {
        "gradOutput": image(4, 3, 2, 3), "boxes": Meta((4, 5)), "inputShape": Values((2, 3, 5, 6)), "pooledHeight": 2,
        "pooledWidth": 3, "spatialScale": 0.5, "samplingRatio": 2, "aligned": True, "gradInput": image(2, 3, 5, 6),
    },
    "aclnnRoiPoolingWithArgMax": {
        "x": image(2, 3, 5, 6), "rois": Meta((4, 5)), "pooled_h": 2, "pooled_w": 3, "spatial_scale_h": 0.5,
        "spatial_scale_w": 0.5, "y": image(4, 3, 2, 3), "argmax": places(4, 3, 2, 3),
    },
    "aclnnRoiPoolingGradWithArgMax": {
        "gradOutput": image(4, 3, 2, 3), "gradInputRef": image(2, 3, 5, 6), "rois": Meta((4, 5)),
        "argmax": places(4, 3, 2, 3), "pooledH": 2, "pooledW": 3, "spatialScale": 0.5,
    },
    "aclnnIou": {
        "bBoxes": Meta((3, 4)), "gtBoxes": Meta((2, 4)), "mode": "iou", "eps": 0.01, "aligned": False,
        "overlap": Meta((3, 2)),
    },
    "aclnnCIoU": {
        "bBoxes": Meta((4, 1024)), "gtBoxes": Meta((4, 1024)), "trans": True, "isCross": False, "mode": "iou",
        "overlap": Meta((1, 1024)), "atanSub": Meta((1, 1024)),
    },
    "aclnnNonMaxSuppression": {
        "boxes": Meta((2, 5, 4)), "scores": Meta((2, 3, 5)), "maxOutputBoxesPerClass": Values((2,)),
        "iouThreshold": Values((0.5,)), "scoreThreshold": Values((0.1,)), "centerPointBox": 0,
        "selectedIndices": Meta((12, 3), I32),
    },
    "aclnnRasterizer": {
        "v": Meta((5, 4)), "f": Meta((3, 3), I32), "width": 4, "height": 3, "occlusionTruncation": 0.0,
        "useDepthPrior": 0, "findicesOut": Meta((3, 4), I32), "barycentricOut": Meta((3, 4, 3)),
    },
    "aclnnThreeInterpolateBackward": {
        "grad_x": image(2, 3, 5, 1), "idx": Meta((2, 5, 3), I32), "weight": Meta((2, 5, 3)), "m": 4,
        "grad_y": image(2, 3, 4, 1),
    },
    "aclnnBackgroundReplace": {
        "bkg": Meta((2, 3, 3), U8), "src": Meta((2, 3, 3), U8), "mask": Meta((2, 3, 1), F16),
        "out": Meta((2, 3, 3), U8),
    },
    "aclnnBlendImagesCustom": {
        "rgb": Meta((2, 4, 3), U8), "alpha": Meta((2, 4, 1), U8), "frame": Meta((2, 4, 3), U8),
        "out": Meta((2, 4, 3), U8),
    },
    "aclnnMrgbaCustom": {"rgb": Meta((2, 4, 3), U8), "alpha": Meta((2, 4, 1), U8), "out": Meta((2, 4, 3), U8)},
}  # fmt: skip
BY_PRODUCT = {
    ("aclnnThreeInterpolateBackward", Series.A950): {
        "grad_x": Meta((2, 3, 5)), "grad_y": Meta((2, 3, 4)),
    },
}  # fmt: skip
UNREACHED = {
    ("aclnnCIoU", "if bBoxes is empty the checks end here (workspace 0, nothing is written)"): (
        "test_no_boxes_have_no_overlaps"
    ),
    ("aclnnNonMaxSuppression", "the first value of maxOutputBoxesPerClass is at most 700"): (
        "test_the_number_of_boxes_is_judged_before_null_pointers"
    ),
}
