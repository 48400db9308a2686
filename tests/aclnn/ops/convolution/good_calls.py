"""Good calls that a search does not find: see `tests.aclnn.ops.good_calls`."""

from __future__ import annotations

from typing import Any

from acl_runtime import *
from tests.aclnn.ops.case import Meta
from tests.derived.values import Values

LABELS = {3: ACL_FORMAT_NCL, 4: ACL_FORMAT_NCHW, 5: ACL_FORMAT_NCDHW}


def image(*shape: int) -> Meta:
    """A tensor with the label of its number of dimensions. Every product takes FLOAT16 with cubeMathType 0."""
    return Meta(shape, ACL_FLOAT16, LABELS[len(shape)])


def half(*shape: int) -> Meta:
    return Meta(shape, ACL_FLOAT16)


NUMBERS = {"stride": Values((2, 1)), "padding": Values((1, 0)), "dilation": Values((1, 2))}
ROWS, TAPS = Meta((4, 2, 384), ACL_FLOAT16), Meta((3, 384), ACL_FLOAT16)
CAUSAL: dict[str, Any] = {"x": ROWS, "weight": TAPS, "maskOptional": Meta((2, 4), ACL_BOOL)}
CONTINUED = {
    "x": Meta((5, 6), ACL_FLOAT16), "weight": Meta((3, 6), ACL_FLOAT16), "convStates": Meta((4, 3, 6), ACL_FLOAT16),
    "queryStartLoc": Meta((3,), ACL_INT32), "cacheIndices": Meta((2,), ACL_INT32), "padSlotId": -1, "activationMode": 0,
    "numComputedTokens": Meta((2,), ACL_INT32), "runMode": 0, "maxQueryLen": 0, "residualConnection": 0, "blockSize": 0,
    "convMode": 0,
}  # fmt: skip
GOOD: dict[str, dict[str, Any]] = {
    "aclnnFusedCausalConv1d": {**CONTINUED, "y": Meta((5, 6), ACL_FLOAT16)}, "aclnnInplaceFusedCausalConv1d": CONTINUED,
    "aclnnMaskedCausalConv1d": {**CAUSAL, "out": ROWS},
    "aclnnMaskedCausalConv1dBackward": {**CAUSAL, "gradY": ROWS, "gradXOut": ROWS, "gradWeightOut": TAPS},
    "aclnnConvolution": {
        "input": image(2, 4, 4, 5), "weight": image(6, 2, 3, 2), "bias": half(6), **NUMBERS, "transposed": False,
        "outputPadding": Values((0, 0)), "groups": 2, "output": image(2, 6, 2, 3), "cubeMathType": 0,
    },
    "aclnnConvDepthwise2d": {
        "self": image(2, 3, 4, 5), "weight": image(6, 1, 3, 2), "kernelSize": Values((3, 2)), "bias": half(6),
        **NUMBERS, "out": image(2, 6, 2, 3), "cubeMathType": 0,
    },
    "aclnnConvolutionBackward": {
        "gradOutput": image(2, 6, 2, 3), "input": image(2, 4, 4, 5), "weight": image(6, 2, 3, 2),
        "biasSizes": Values((6,)), **NUMBERS, "transposed": False, "outputPadding": Values((0, 0)), "groups": 2,
        "outputMask": Values((True, True, True)), "cubeMathType": 0, "gradInput": image(2, 4, 4, 5),
        "gradWeight": image(6, 2, 3, 2), "gradBias": half(6),
    },
    "aclnnConvTbc": {
        "self": half(4, 2, 3), "weight": half(2, 3, 5), "bias": half(5), "pad": 1, "output": half(5, 2, 5),
        "cubeMathType": 0,
    },
    "aclnnConvTbcBackward": {
        "self": half(5, 2, 5), "input": half(4, 2, 3), "weight": half(2, 3, 5), "bias": half(5), "pad": 1,
        "cubeMathType": 0, "gradInput": half(4, 2, 3), "gradWeight": half(2, 3, 5), "gradBias": half(5),
    },
}  # fmt: skip
ON_950 = "test_types_are_those_of_the_inputs_on_ascend_950"
UNREACHED = {
    **{
        (name, sentence): "test_fused_causal.py::test_refusals"
        for name in ("aclnnFusedCausalConv1d", "aclnnInplaceFusedCausalConv1d")
        for sentence in ("numComputedTokens is given if convMode is 1", "x comes with the first rows of its sequences")
    },
    ("aclnnConvolution", "outputPadding has a number for each dimension behind the channels"):
        "test_mistakes_are_found_in_this_order",
    ("aclnnConvolution", "outputPadding is below stride or dilation"): "test_mistakes_are_found_in_this_order",
    ("aclnnConvolution", "weight reaches at most 255 places beyond the padding"):
        "test_mistakes_are_found_in_this_order",
    (
        "aclnnConvolution",
        "with input in FLOAT8_E4M3FN, the convolution is transposed (only on Ascend 950PR/Ascend 950DT products)",
    ): "test_float8_has_a_transposed_convolution_only",
    (
        "aclnnConvolution",
        "input has four dimensions, and the convolution is not transposed "
        "(only on Atlas 200I/500 A2 inference products)",
    ): "test_ascend_310b_has_two_dimensions_forward",
    ("aclnnConvolution", "output is empty if input or weight is"): "test_an_output_of_an_empty_input_is_empty",
    **{
        (
            "aclnnConvolutionBackward",
            f"{name} has the data type of {like} (only on Ascend 950PR/Ascend 950DT products)",
        ): ON_950
        for name, like in (("gradInput", "input"), ("gradWeight", "weight"), ("gradBias", "gradOutput"))
    },
    **{
        ("aclnnConvolutionBackward", f"{name} has elements (if there is no empty tensor)"):
            "test_old_products_refuse_empty_tensors_and_three_values_of_cube_math_type"
        for name in ("input", "weight")
    },
}  # fmt: skip
UNTYPED = {("aclnnConvolution", "input", "ACL_FLOAT8_E4M3FN"): "test_float8_has_a_transposed_convolution_only"}
