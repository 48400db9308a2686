"""Good calls that a search does not find: see `tests.aclnn.ops.good_calls`."""

from __future__ import annotations

from typing import Any

from acl_runtime import *
from tests.aclnn.ops.case import Meta
from tests.derived.values import Number, Values

ROWS = {"self": Meta((4, 3)), "out": Meta((2, 3))}
CLASSES = {"onValue": Meta((1,)), "offValue": Meta((1,)), "out": Meta((2, 3, 4))}
PADDED = {1: ((2, 3, 4), (1, 2), (2, 3, 7)), 2: ((2, 2, 4, 4), (1, 2, 1, 0), (2, 2, 5, 7)),
          3: ((2, 2, 3, 3, 3), (1, 1, 1, 0, 0, 1), (2, 2, 4, 4, 5))}  # fmt: skip
"""by the number of dimensions: self, padding, out"""
KINDS = [f"aclnn{kind}Pad{dims}d" for kind in ("Reflection", "Replication", "Circular") for dims in PADDED]


def pad(name: str) -> dict[str, Any]:
    shape, padding, out = PADDED[int(name[-2])]
    return {"self": Meta(shape), "padding": Values(padding), "out": Meta(out)}


def pad_backward(name: str) -> dict[str, Any]:
    shape, padding, out = PADDED[int(name[-2])]
    return {"gradOutput": Meta(out), "self": Meta(shape), "padding": Values(padding), "gradInput": Meta(shape)}


# (the numbers of repeats that the tests draw add up to outputSize)
GOOD: dict[str, dict[str, Any]] = {
    "aclnnTransformBiasRescaleQkv": {
        "qkv": Meta((2, 3, 24)), "qkvBias": Meta((24,)), "numHeads": 2,
        **dict.fromkeys(("qOut", "kOut", "vOut"), Meta((2, 2, 3, 4))),
    },
    "aclnnConfusionTranspose": {
        "x": Meta((6, 4)), "perm": Values((1, 0, 2)), "shape": Values((2, 3, 4)), "transpose_first": False,
        "out": Meta((3, 2, 4)),
    },
    "aclnnDiagFlat": {"self": Meta((2, 3)), "diagonal": 0, "out": Meta((6, 6))},
    "aclnnStridedSlice": {
        "self": Meta((3, 4)), "begin": Values((1,)), "end": Values((3,)), "strides": Values((1,)), "beginMask": 0,
        "endMask": 0, "ellipsisMask": 0, "newAxisMask": 0, "shrinkAxisMask": 0, "out": Meta((2, 4)),
    },
    "aclnnRepeatInterleaveGrad": {
        "yGrad": Meta((3, 4)), "repeats": Meta((2,), ACL_INT64), "axis": 0, "out": Meta((2, 4)),
    },
    "aclnnSplitWithSize": {
        "self": Meta((3, 4)), "splitSize": Values((1, 2)), "dim": 0, "out": (Meta((1, 4)), Meta((2, 4))),
    },
    **{name: pad(name) for name in KINDS if name != "aclnnCircularPad1d"},
    **{f"{name}Backward": pad_backward(name) for name in KINDS if name != "aclnnCircularPad1d"},
    "aclnnConstantPadNd": {
        "self": Meta((2, 3)), "pad": Values((1, 0, 2, -1)), "value": Number(7), "out": Meta((3, 4)),
    },
    "aclnnIm2col": {
        "self": Meta((2, 2, 3, 4)), "kernelSize": Values((2, 2)), "dilation": Values((1, 2)), "padding": Values((1, 0)),
        "stride": Values((2, 1)), "out": Meta((2, 8, 4)),
    },
    "aclnnIm2colBackward": {
        "gradOutput": Meta((2, 8, 4)), "inputSize": Values((3, 4)), "kernelSize": Values((2, 2)),
        "dilation": Values((1, 2)), "padding": Values((1, 0)), "stride": Values((2, 1)), "out": Meta((2, 2, 3, 4)),
    },
    "aclnnUnfoldGrad": {
        "gradOut": Meta((2, 2, 3)), "inputSizes": Values((2, 5)), "dim": 1, "size": 3, "step": 2,
        "gradIn": Meta((2, 5)),
    },
    "aclnnEye": {"n": 2, "m": 3, "out": Meta((2, 3))},
    "aclnnArange": {"start": Number(1), "end": Number(4), "step": Number(1), "out": Meta((3,))},
    "aclnnRange": {"start": Number(1), "end": Number(3), "step": Number(1), "out": Meta((3,))},
    "aclnnLinspace": {"start": Number(1), "end": Number(3), "steps": 5, "out": Meta((5,))},
    "aclnnLogSpace": {"start": Number(1), "end": Number(3), "steps": 5, "base": 2.0, "result": Meta((5,))},
    "aclnnOneHot": {"self": Meta((2, 3), ACL_INT64), "numClasses": 4, "axis": -1, **CLASSES},
    "aclnnSlice": ROWS | {"dim": 0, "start": 1, "end": 4, "step": 2},
    "aclnnSliceV2": ROWS | {"starts": Values((1,)), "ends": Values((4,)), "axes": Values((0,)), "steps": Values((2,))},
    "aclnnRepeatInterleave": {
        "self": Meta((2, 3)), "repeats": Meta((6,), ACL_INT64), "outputSize": 2, "out": Meta((2,)),
    },
    "aclnnRepeatInterleaveWithDim": {
        "self": Meta((2, 3)), "repeats": Meta((3,), ACL_INT64), "dim": 1, "outputSize": 2, "out": Meta((2, 2)),
    },
    "aclnnRepeatInterleaveInt": {"self": Meta((2, 3)), "repeats": 2, "outputSize": 12, "out": Meta((12,))},
    "aclnnRepeatInterleaveIntWithDim": {
        "self": Meta((2, 3)), "repeats": 2, "dim": 1, "outputSize": 6, "out": Meta((2, 6)),
    },
    "aclnnRepeatInterleaveTensor": {"repeats": Meta((6,), ACL_INT64), "outputSize": 3, "out": Meta((3,), ACL_INT64)},
    "aclnnNpuFormatCast": {
        "srcTensor": Meta((16, 32), ACL_FLOAT16, ACL_FORMAT_FRACTAL_NZ),
        "dstTensor": Meta((16, 32), ACL_FLOAT16),
    },
}  # fmt: skip
NINE = "test_nine_dimensions"
UNREACHED = {
    (
        "aclnnConfusionTranspose",
        "if x is empty the checks end here (workspace 0, nothing is written)",
    ): "test_permutations_of_nothing",
    (
        "aclnnTransformBiasRescaleQkv",
        "if qkv is empty the checks end here (workspace 0, nothing is written)",
    ): "test_projections_of_nothing",
    ("aclnnStridedSlice", "ellipsisMask has at most one bit"): "test_refusals",
    ("aclnnStridedSlice", "strides are positive where shrinkAxisMask has a bit"): "test_refusals",
    (
        "aclnnConstantPadNd",
        "if out is empty the checks end here (workspace 0, nothing is written)",
    ): "test_nothing_is_left_of_a_tensor",
    (
        "aclnnConstantPadNd",
        "pad leaves elements in each dimension if one is padded",
    ): "test_nothing_is_left_of_a_dimension",
    ("aclnnReflectionPad1dBackward", "padding is shorter than the dimensions of self"): "test_a_long_reflection",
    ("aclnnReflectionPad2dBackward", "padding fits the kernel for BFLOAT16"): "test_bfloat16_has_small_paddings",
    ("aclnnReplicationPad2dBackward", "padding fits the kernel for BFLOAT16"): "test_bfloat16_has_small_paddings",
    ("aclnnDiag", "the data type of out is real if self is empty"): "test_zeros_of_a_complex_type_are_refused",
    (
        "aclnnEye",
        "if out is empty the checks end here (workspace 0, nothing is written)",
    ): "test_a_matrix_without_rows_needs_no_work",
    ("aclnnPermute", "self has at most 8 dimensions"): NINE,
    ("aclnnExpand", "self has at most 8 dimensions"): NINE,
    ("aclnnExpand", "out has at most 8 dimensions"): NINE,
    (
        "aclnnExpand",
        "if self or out is empty the checks end here (workspace 0, nothing is written)",
    ): "test_an_empty_tensor_is_not_expanded",
    ("aclnnRepeat", "self has at most 8 dimensions"): NINE,
    ("aclnnRepeat", "repeats has at most 8 numbers"): NINE,
    ("aclnnNpuFormatCast", "srcTensor is contiguous"): "test_a_cast_takes_contiguous_tensors",
    ("aclnnNpuFormatCast", "dstTensor is contiguous"): "test_a_cast_takes_contiguous_tensors",
}
LAID_OUT = {
    "aclnnTransMatmulWeight": "its weight takes more memory than its view",
    "aclnnNpuFormatCast": "the storage of its tensors has other dimensions than their views",
}
ODD = "the emulator has no numbers of this type"
UNTYPED = {
    **{
        ("aclnnConstantPadNd", name, dtype): ODD
        for name in ("self", "value")
        for dtype in ("ACL_HIFLOAT8", "ACL_FLOAT4_E1M2")
    },
    ("aclnnNpuFormatCast", "srcTensor", "ACL_FLOAT4_E1M2"): "dstTensor does not list it",
}
