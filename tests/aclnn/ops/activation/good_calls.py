"""Good calls that a search does not find, and checks that it does not reach: see `tests.aclnn.ops.good_calls`."""

from typing import Any

from acl_runtime import ACL_BOOL
from acl_runtime.objects.soc import Series
from tests.aclnn.ops.case import Meta
from tests.derived.values import Number

ON_950 = f" (only on {Series.A950.value})"
HALF, WHOLE = Meta((2, 2)), Meta((2, 4))
OF_GE_GLU = {"gradOutput": HALF, "self": WHOLE, "gelu": HALF, "dim": 1, "approximate": 1, "gradInput": WHOLE}
SLOPES = {
    "noise": Meta((7,)), "lower": Number(0.125), "upper": Number(0.5), "training": True, "seed": 3, "offset": 4
}  # fmt: skip
CLIPPED: dict[str, Any] = {
    "x": Meta((3, 4)), "groupIndexOptional": None, "dim": -1, "alpha": 1.702, "limit": 1.5, "bias": 1.0,
    "interleaved": True, "out": Meta((3, 2)),
}  # fmt: skip
GOOD: dict[str, dict[str, Any]] = {
    "aclnnMaskedSoftmaxWithRelPosBias": {
        "x": Meta((6, 2, 4, 5)), "attenMaskOptional": Meta((3, 4, 5)), "relativePosBias": Meta((2, 4, 5)),
        "scaleValue": 0.5, "innerPrecisionMode": 0, "out": Meta((6, 2, 4, 5)),
    },
    "aclnnGeGluBackward": OF_GE_GLU,
    "aclnnGeGluV3Backward": {**OF_GE_GLU, "activateLeft": False},
    "aclnnThresholdBackward": {
        "gradOutput": Meta((2, 3)), "self": Meta((2, 3)), "threshold": Number(0), "out": Meta((2, 3))
    },
    "aclnnScaledMaskedSoftmax": {
        "x": Meta((2, 3, 4, 3)), "mask": Meta((1, 3, 4, 3), ACL_BOOL), "scale": 0.5, "fixedTriuMask": False,
        "y": Meta((2, 3, 4, 3)),
    },
    "aclnnScaledMaskedSoftmaxBackward": {
        "gradOutput": Meta((2, 3, 4, 3)), "y": Meta((2, 3, 4, 3)), "mask": Meta((1, 3, 4, 3), ACL_BOOL), "scale": 0.5,
        "fixTriuMask": False, "out": Meta((2, 3, 4, 3)),
    },
    "aclnnClippedSwigluGrad": {**CLIPPED, "gradY": Meta((3, 2)), "gradXOut": Meta((3, 4))},
    "aclnnClippedSwiglu": CLIPPED,
    "aclnnClippedSwigluV2": {**CLIPPED, "clampMode": 0},
    "aclnnRReluWithNoise": {"self": Meta((2, 3)), **SLOPES, "out": Meta((2, 3))},
    "aclnnInplaceRReluWithNoise": {"self": Meta((2, 3)), **SLOPES},
}  # fmt: skip
del GOOD["aclnnClippedSwigluGrad"]["out"]
NO_WORK = "(workspace 0, nothing is written)"
UNREACHED = {
    **{
        (f"aclnnClippedSwiglu{version}", sentence + ON_950): "tests/aclnn/ops/activation/test_clipped.py"
        for sentence in ("groupIndexOptional has 1 to 8192 elements", "limit is positive")
        for version in ("", "V2")
        if (version, sentence) != ("V2", "limit is positive")
    },
    ("aclnnThresholdBackward", f"gradOutput is INT64 only if threshold is 0{ON_950}"): (
        "test_int64_of_threshold_backward"
    ),
    **{
        ("aclnnSiluBackward", sentence + ON_950): "test_mixed_types_of_silu_backward"
        for sentence in (
            "gradInput has the type of gradOutput and self, or FLOAT",
            "the shapes of gradOutput and self broadcast",
            "gradInput has the shape that gradOutput and self broadcast to",
        )
    },
    **{
        (name, f"if gradOutput is empty the checks end here {NO_WORK}"): "test_ge_glu_backward_of_no_elements"
        for name in ("aclnnGeGluBackward", "aclnnGeGluV3Backward")
    },
    **{
        ("aclnnModulate", f"self comes with {name}"): "test_modulate_needs_a_scale_and_a_shift"
        for name in ("scaleOptional", "shiftOptional")
    },
    ("aclnnLogSoftmaxBackward", f"if gradOutput or output is empty the checks end here {NO_WORK}"): (
        "test_an_empty_gradient_of_log_softmax_ends_the_checks"
    ),
}
UNTYPED = {("aclnnHardtanh", "out", "ACL_BF16"): "the facts list it on products where self cannot have it"}
