"""Good calls and checks that a search does not reach: see `tests.aclnn.ops.good_calls`."""

from dataclasses import replace
from typing import Any

from acl_runtime import (
    ACL_BF16,
    ACL_BOOL,
    ACL_FLOAT,
    ACL_FLOAT8_E4M3FN,
    ACL_FLOAT16,
    ACL_INT8,
    ACL_INT32,
    ACL_INT64,
    ACL_UINT8,
)
from acl_runtime.objects.soc import Series
from tests.aclnn.ops.case import Meta


def whole(*shape: int, dtype: int = ACL_INT8) -> Meta:
    """A tensor of integers."""
    return Meta(shape, dtype)


def bf16(*shape: int) -> Meta:
    return Meta(shape, ACL_BF16)


X, ROW = Meta((2, 8)), Meta((8,))
WORDS, HALF_ROW, HALF_ONE = Meta((2, 8), ACL_FLOAT16), Meta((8,), ACL_FLOAT16), Meta((1,), ACL_FLOAT16)
GIVEN: dict[str, Any] = {
    "x": X, "scale": ROW, "offset": ROW, "sqrtMode": False, "roundMode": "round", "dstType": int(ACL_INT8),
}  # fmt: skip
HALF, TALL = Meta((2, 32), ACL_FLOAT16), Meta((2,))
DYNAMIC: dict[str, Any] = {"x": HALF, "smoothScalesOptional": Meta((32,), ACL_FLOAT16)}
QUANTISED: dict[str, Any] = {"yOut": whole(2, 32), "scaleOut": TALL}
GROUPED: dict[str, Any] = {
    "x": HALF, "smoothScalesOptional": Meta((3, 32), ACL_FLOAT16), "groupIndexOptional": whole(3, dtype=ACL_INT32),
    "dstType": 2,
}  # fmt: skip
MODES: dict[str, Any] = {**GROUPED, "isSymmetrical": True, "quantMode": "pertoken"}
SUM, LAST = Meta((2, 8), ACL_FLOAT16), Meta((8,), ACL_FLOAT16)
SUMS: dict[str, Any] = {"y1Out": whole(2, 8), "y2Out": whole(2, 8), "xOut": SUM}
GATED: dict[str, Any] = {
    "x": Meta((3, 8)), "smoothScalesOptional": Meta((2, 4)), "offsetsOptional": Meta((2, 4)),
    "groupIndexOptional": whole(2, dtype=ACL_INT32), "activateLeft": False, "quantModeOptional": "dynamic",
}  # fmt: skip
GATES: dict[str, Any] = {"yOut": whole(3, 4), "scaleOut": Meta((3,))}
PRODUCT: dict[str, Any] = {
    "x": whole(3, 8, dtype=ACL_INT32), "weightScaleOptional": Meta((2, 8)), "activationScaleOptional": Meta((3,)),
    "biasOptional": Meta((2, 8)), "quantScaleOptional": Meta((2, 4)), "quantOffsetOptional": None,
    "groupIndexOptional": whole(2, dtype=ACL_INT32), "activateLeft": False, "quantModeOptional": "dynamic",
}  # fmt: skip
FAKE: dict[str, Any] = {"self": X}
RANGE: dict[str, Any] = {"quantMin": -3, "quantMax": 4, "out": X, "mask": whole(2, 8, dtype=ACL_BOOL)}
SIGNS: dict[str, dict[str, Any]] = {
    "aclnnSignBitsPack": {"self": Meta((14,)), "size": 2, "out": Meta((2, 1), ACL_UINT8)},
    "aclnnSignBitsUnpack": {
        "self": Meta((2,), ACL_UINT8), "size": 2, "dtype": int(ACL_FLOAT), "out": Meta((2, 8)),
    },
}  # fmt: skip
GOOD: dict[str, dict[str, Any]] = {
    **SIGNS,
    "aclnnInplaceQuantScatter": {
        "selfRef": whole(2, 5, 8), "indices": whole(2, dtype=ACL_INT64), "updates": Meta((2, 3, 8), ACL_FLOAT16),
        "quantScales": Meta((1, 1, 8)), "quantZeroPoints": whole(1, 1, 8, dtype=ACL_INT32), "axis": -2,
        "quantAxis": -1, "reduction": 1,
    },
    "aclnnInplaceQuantScatterV2": {
        "selfRef": whole(2, 5, 8), "indices": whole(2, dtype=ACL_INT64), "updates": Meta((2, 3, 8), ACL_FLOAT16),
        "quantScales": Meta((1, 1, 8)), "quantZeroPoints": whole(1, 1, 8, dtype=ACL_INT32), "axis": -2,
        "quantAxis": -1, "reduction": 1, "roundMode": "rint",
    },
    "aclnnGeluQuant": {
        "self": X, "inputScaleOptional": ROW, "inputOffsetOptional": None, "approximate": "none",
        "quantMode": "dynamic", "roundMode": "rint", "dstType": int(ACL_INT8), "y": whole(2, 8),
        "outScaleOptional": TALL,
    },
    "aclnnQuantMax": {
        "x": X, "scale": Meta((1,)), "roundMode": "rint", "dstType": int(ACL_FLOAT8_E4M3FN),
        "y": Meta((2, 8), ACL_FLOAT8_E4M3FN), "amax": Meta((1,)),
    },
    "aclnnRmsNormQuant": {
        "x": WORDS, "gamma": HALF_ROW, "beta": HALF_ROW, "scale": HALF_ONE, "offset": whole(1), "epsilon": 1e-6,
        "y": whole(2, 8),
    },
    "aclnnRmsNormQuantV3": {
        "x": WORDS, "gamma": HALF_ROW, "scale": Meta((1,)), "offset": None, "beta": HALF_ROW, "epsilon": 1e-6,
        "divMode": True, "outputRstd": True, "y": whole(2, 8), "rstd": Meta((2, 1)),
    },
    "aclnnRmsNormDynamicQuant": {
        "x": WORDS, "gamma": HALF_ROW, "smoothScalesOptional": HALF_ROW, "betaOptional": HALF_ROW, "epsilon": 1e-6,
        "dstType": 2, "yOut": whole(2, 8), "scaleOut": TALL,
    },
    "aclnnAscendQuant": {**GIVEN, "y": Meta((2, 8), ACL_INT8)},
    "aclnnAscendQuantV3": {**GIVEN, "axis": -1, "y": Meta((2, 8), ACL_INT8)},
    "aclnnQuantize": {
        "x": X, "scales": ROW, "zeroPoints": whole(8), "dtype": ACL_INT8, "axis": -1, "out": whole(2, 8),
    },
    "aclnnGroupQuant": {
        "x": X, "scale": Meta((3, 8)), "groupIndex": whole(3, dtype=ACL_INT32), "offsetOptional": Meta((1,)),
        "dstType": 2, "y": whole(2, 8),
    },
    "aclnnDequantBias": {
        "x": whole(2, 8, dtype=ACL_INT32), "weightScale": ROW, "activateScaleOptional": TALL, "biasOptional": ROW,
        "outputDtype": 1, "out": Meta((2, 8), ACL_FLOAT16),
    },
    "aclnnFakeQuantPerTensorAffineCachemask": {**FAKE, "scale": Meta((1,)), "zeroPoint": whole(1, dtype=ACL_INT32),
                                               "fakeQuantEnabled": 1.0, **RANGE},
    "aclnnFakeQuantPerChannelAffineCachemask": {**FAKE, "scale": ROW, "zeroPoint": whole(8, dtype=ACL_INT32),
                                                "axis": 1, **RANGE},
    "aclnnAddRmsNormQuant": {
        "x1": SUM, "x2": SUM, "gamma": LAST, "scales1": ROW, "scales2Optional": ROW,
        "zeroPoints1Optional": whole(8, dtype=ACL_INT32), "zeroPoints2Optional": whole(8, dtype=ACL_INT32), "axis": -1,
        "epsilon": 0.25, "divMode": True, **SUMS,
    },
    "aclnnAddRmsNormQuantV2": {
        "x1": SUM, "x2": SUM, "gamma": LAST, "scales1": ROW, "scales2Optional": ROW,
        "zeroPoints1Optional": whole(8, dtype=ACL_INT32), "zeroPoints2Optional": whole(8, dtype=ACL_INT32),
        "betaOptional": LAST, "axis": -1, "epsilon": 0.25, "divMode": True, **SUMS, "rmsNormOut": None,
    },
    "aclnnAddRmsNormDynamicQuantV2": {
        "x1": SUM, "x2": SUM, "gamma": LAST, "smoothScale1Optional": LAST, "smoothScale2Optional": LAST,
        "betaOptional": LAST, "epsilon": 0.25, "outputMask": None, **SUMS, "scale1Out": TALL, "scale2Out": TALL,
    },
    "aclnnAddRmsNormDynamicQuant": {
        "x1": SUM, "x2": SUM, "gamma": LAST, "smoothScale1Optional": LAST, "smoothScale2Optional": LAST,
        "epsilon": 0.25, **SUMS, "scale1Out": TALL, "scale2Out": TALL,
    },
    "aclnnSwiGluQuant": {**GATED, **GATES},
    "aclnnSwiGluQuantV2": {**GATED, "groupListType": 0, "dstType": 2, **GATES},
    "aclnnDequantSwigluQuant": {**PRODUCT, "quantOffsetOptional": Meta((2, 4)), "quantModeOptional": "static", **GATES},
    "aclnnDequantSwigluQuantV2": {
        **PRODUCT, "quantOffsetOptional": Meta((2, 4)), "groupIndexOptional": whole(2, dtype=ACL_INT64),
        "quantModeOptional": "static", "biasOptional": bf16(2, 8), "dstType": 2, "roundModeOptional": "rint",
        "activateDim": -1, "swigluMode": 0, "clampLimit": 7.0, "gluAlpha": 1.702, "gluBias": 1.0, **GATES,
    },
    "aclnnDynamicQuant": {**DYNAMIC, **QUANTISED},
    "aclnnDynamicQuantV2": {**GROUPED, **QUANTISED, "offsetOut": None},
    "aclnnDynamicQuantV3": {**MODES, **QUANTISED, "offsetOut": None},
    "aclnnDynamicQuantV4": {**MODES, "dstTypeMax": 0.0, **QUANTISED, "offsetOut": None},
    "aclnnAscendAntiQuant": {
        "x": Meta((2, 8), ACL_INT8), "scale": ROW, "offset": ROW, "dstType": int(ACL_FLOAT16), "sqrtMode": False,
        "y": Meta((2, 8), ACL_FLOAT16),
    },
}  # fmt: skip
DYNAMIC_QUANTS = tuple(f"aclnnDynamicQuant{version}" for version in ("", "V2", "V3", "V4"))
DEQUANT = ("aclnnDequantSwigluQuant", "aclnnDequantSwigluQuantV2")
TESTS = "tests/aclnn/ops/quantisation/test_"
COMBINATIONS = f"{TESTS}given_scales.py::test_combinations"
OF_DYNAMIC = f"{TESTS}dynamic.py::test_combinations"
OF_ZERO_POINTS = f"{TESTS}zero_points.py::test_combinations"
UNREACHED: dict[tuple[str, str], str] = {
    **{("aclnnGeluQuant", sentence): f"{TESTS}gelu.py" for sentence in (
        "inputOffsetOptional is null without inputScaleOptional", "outScaleOptional is null in the mode static",
        "quantMode has the tensor that it needs: inputScale for static, outScale for dynamic")},
    ("aclnnRmsNormQuant", "gamma has one row"): f"{TESTS}normalised_alone.py",
    **{(name, "y can hold the elements of x in its last dimension"): COMBINATIONS
       for name in ("aclnnAscendQuant", "aclnnAscendQuantV3")},
    ("aclnnAscendQuantV3", "axis is the last dimension of x (only on Atlas inference series)"): COMBINATIONS,
    **{(name, "yOut can hold the elements of x in its last dimension"): OF_DYNAMIC for name in DYNAMIC_QUANTS},
    **{(name, "the last dimension of x is a multiple of 32 before A2"): OF_DYNAMIC for name in DYNAMIC_QUANTS[:2]},
    ("aclnnDynamicQuantV2", "offsetOut is null before A2"): OF_DYNAMIC,
    **{(name, "quantMode is not perchannel with groups"): OF_DYNAMIC for name in DYNAMIC_QUANTS[2:]},
    **{(name, sentence): f"{TESTS}dequant_swiglu.py::test_combinations" for name in DEQUANT for sentence in (
        "x is a float if weightScaleOptional is null", "quantModeOptional is dynamic on Ascend 950",
        "quantOffsetOptional is null if the mode is dynamic",
    )},
    **{(name, "y2Out has the data type of y1Out"): f"{TESTS}normalised.py::test_both_results_have_one_data_type"
       for name in ("aclnnAddRmsNormQuant", "aclnnAddRmsNormDynamicQuant")},
    **{("aclnnAddRmsNormQuantV2", sentence): f"{TESTS}normalised_v2.py" for sentence in (
        "gamma has 32 elements on 310P (if the path is the general one)", "rmsNormOut has 1 to 8 dimensions",
        "rmsNormOut has the data type of x1", "rmsNormOut has the shape of x1",
        "xOut is given with x1 (if the path is the general one)", "y2Out has the data type of y1Out",
        "betaOptional has the shape of gamma (if the path is the fast one)",
        *(f"{name} has one number, or the shape of gamma (if the path is the fast one)" for name in (
            "scales1", "scales2Optional", "zeroPoints1Optional", "zeroPoints2Optional",
        )),
    )},
    **{("aclnnAddRmsNormDynamicQuantV2", f"{sentence} (if result 2 is asked for)"): f"{TESTS}normalised_v2.py"
       for sentence in ("the data type of y2Out is one that its product supports",
                        "y2Out of INT32 has an eighth of the last dimension")},
    ("aclnnGroupQuant", "y can hold the elements of x in its last dimension"): OF_ZERO_POINTS,
    ("aclnnAscendAntiQuant", "x has pairs of INT4 in its last dimension"): COMBINATIONS,
    ("aclnnAscendAntiQuant", "x of INT4 has no gaps"): (
        f"{TESTS}given_scales.py::test_int4_with_gaps_is_refused_unless_it_is_empty"
    ),
}  # fmt: skip
WIDE = {"aclnnAddRmsNormQuantV2": ("x1", "x2", "y1Out", "y2Out", "xOut")}
BY_PRODUCT = {
    (name, Series.INFERENCE): {
        key: replace(value, shape=(2, 32) if key in rows else (32,))
        for key, value in GOOD[name].items() if isinstance(value, Meta)
    }
    for name, rows in WIDE.items()
} | {
    ("aclnnDequantSwigluQuantV2", Series.A950): {"quantModeOptional": "dynamic", "quantOffsetOptional": None},
}  # fmt: skip
"""rows of 32 elements on 310P; no static quantisation on Ascend 950"""
UNTYPED: dict[tuple[str, str, str], str] = {
    **{(name, "y", dtype): f"{TESTS}gelu.py::test_floats_of_8_bits" for name, dtype in (
        ("aclnnGeluQuant", "ACL_FLOAT8_E4M3FN"), ("aclnnGeluQuant", "ACL_FLOAT8_E5M2"),
        ("aclnnGeluQuant", "ACL_HIFLOAT8"), ("aclnnQuantMax", "ACL_FLOAT8_E5M2"), ("aclnnQuantMax", "ACL_HIFLOAT8"))},
    **{(f"aclnnRmsNormQuant{version}", "y", "ACL_INT32"): f"{TESTS}normalised_alone.py" for version in ("", "V3")},
    ("aclnnAddRmsNormDynamicQuantV2", "y1Out", "ACL_INT32"): f"{TESTS}normalised_v2.py",
    **{(name, "y", dtype): COMBINATIONS for name in ("aclnnAscendQuant", "aclnnAscendQuantV3")
       for dtype in ("ACL_INT4", "ACL_INT32")},
    **{("aclnnAscendQuantV3", "y", dtype): COMBINATIONS
       for dtype in ("ACL_FLOAT8_E4M3FN", "ACL_FLOAT8_E5M2", "ACL_HIFLOAT8")},
    **{(name, "yOut", "ACL_INT32"): OF_DYNAMIC for name in DYNAMIC_QUANTS},
    ("aclnnSwiGluQuantV2", "yOut", "ACL_INT4"): f"{TESTS}swiglu.py::test_combinations",
    **{(name, "x", dtype): f"{TESTS}dequant_swiglu.py::test_combinations" for name in DEQUANT
       for dtype in ("ACL_FLOAT16", "ACL_BF16")},
    **{("aclnnDequantSwigluQuantV2", "yOut", dtype): f"{TESTS}dequant_swiglu.py::test_combinations" for dtype in (
        "ACL_HIFLOAT8", "ACL_FLOAT8_E5M2", "ACL_FLOAT8_E4M3FN", "ACL_FLOAT4_E2M1", "ACL_FLOAT4_E1M2",
    )},
    **{("aclnnGroupQuant", "y", dtype): OF_ZERO_POINTS for dtype in ("ACL_INT4", "ACL_INT32")},
    **{("aclnnDequantBias", name, "ACL_BF16"): OF_ZERO_POINTS for name in ("weightScale", "out")},
    ("aclnnQuantize", "zeroPoints", "ACL_BF16"): OF_ZERO_POINTS,
    ("aclnnAscendAntiQuant", "x", "ACL_INT32"): COMBINATIONS,
    ("aclnnAscendAntiQuant", "y", "ACL_BF16"): COMBINATIONS,
}  # fmt: skip
