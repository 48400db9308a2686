"""Good calls of functions without a formula that a search does not find: see `tests.aclnn.ops.good_calls`."""

from acl_runtime import *
from tests.aclnn.ops.case import Meta, f16
from tests.derived.values import Values

IMAGE, KERNELS, OFFSETS, SAMPLES = f16(1, 6, 2, 4), f16(4, 3, 5, 5), f16(1, 75, 2, 4), f16(1, 6, 10, 20)
RESULT = f16(1, 4, 2, 4)
WINDOW = {
    "kernelSize": Values((5, 5)), "stride": Values((1, 1, 1, 1)), "padding": Values((2, 2, 2, 2)),
    "dilation": Values((1, 1, 1, 1)), "groups": 2, "deformableGroups": 1, "modulated": True,
}  # fmt: skip
GOOD = {
    "aclnnDeformableConv2d": {
        "x": IMAGE, "weight": KERNELS, "offset": OFFSETS, "biasOptional": f16(4), **WINDOW, "out": RESULT,
        "deformOutOptional": SAMPLES,
    },
    "aclnnDeformableConv2dBackward": {
        "input": IMAGE, "gradOutput": RESULT, "offsetOut": SAMPLES, "weight": KERNELS, "offset": OFFSETS, **WINDOW,
        "gradInput": IMAGE, "gradWeight": KERNELS, "gradOffset": OFFSETS, "gradBias": f16(4),
    },
    "aclnnSwigluGroupGrad": {
        "gradY": Meta((4, 16)), "x": Meta((4, 32)), "weightOptional": None, "yOriginOptional": None,
        "groupIndexOptional": None, "clampLimit": 0.0, "gradXOut": Meta((4, 32)), "gradWeightOutOptional": None,
    },
}  # fmt: skip
