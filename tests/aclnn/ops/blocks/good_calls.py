"""Good calls and checks that a search does not reach: see `tests.aclnn.ops.good_calls`."""

from typing import Any

from acl_runtime import *
from acl_runtime.objects.soc import Series
from tests.aclnn.ops.case import Meta
from tests.derived.values import Values

H, E4, E8 = ACL_FLOAT16, ACL_FLOAT8_E4M3FN, ACL_FLOAT8_E8M0
X = Meta((3, 40), H)
NARROW = ("FLOAT4_E2M1", "FLOAT4_E1M2", "FLOAT8_E5M2")
MX: dict[str, Any] = {
    "x": X, "axis": -1, "roundModeOptional": "rint", "dstType": int(E4), "blocksize": 32, "scaleAlg": 0,
}  # fmt: skip
V2: dict[str, Any] = {**MX, "dstTypeMax": 0.0}
BLOCKS: dict[str, Any] = {"yOut": Meta((3, 40), E4), "mxscaleOut": Meta((3, 1, 2), E8)}
Y, SCALES = BLOCKS["yOut"], BLOCKS["mxscaleOut"]
AXES: dict[str, Any] = {"x": X, "roundModeOptional": "rint", "dstType": int(E4), "scaleAlg": 0}
BOTH: dict[str, Any] = {
    "y1Out": Y, "mxscale1Out": SCALES, "y2Out": Y, "mxscale2Out": Meta((1, 40, 2), E8),
}  # fmt: skip
NORM: dict[str, Any] = {
    "gamma": Meta((40,), H), "beta": Meta((40,), H), "epsilon": 1e-6, "scaleAlg": 0, "roundMode": "rint",
    "dstType": int(E4), "outputRstd": True,
}  # fmt: skip
GROUPED: dict[str, Any] = {
    "x": Meta((70, 5), H), "groupIndex": Meta((2,), ACL_INT32), "roundMode": "rint", "dstType": int(E4),
    "blocksize": 32,
}  # fmt: skip
ROWS, GROUP_SCALES = Meta((70, 5), E4), Meta((3, 5, 2), E8)
TILE: dict[str, Any] = {
    "x": Meta((3, 130), H), "minScale": 0.0, "roundModeOptional": "rint", "dstType": 2, "rowBlockSize": 1,
    "colBlockSize": 128,
}  # fmt: skip
TILES: dict[str, Any] = {"yOut": Meta((3, 130), ACL_INT8), "scaleOut": Meta((3, 2))}
IN_LIST: dict[str, Any] = {
    "x": Meta((3, 130), H), "groupList": Meta((2,), ACL_INT32), "minScale": 0.0, "roundModeOptional": "rint",
    "dstType": int(E4), "rowBlockSize": 64, "colBlockSize": 128,
}  # fmt: skip
LIST_TILES: dict[str, Any] = {"yOut": Meta((3, 130), E4), "scaleOut": Meta((2, 2))}
FLAT: dict[str, Any] = {
    "x": Meta((3, 4, 8), H), "kroneckerP1": Meta((4, 4), H), "kroneckerP2": Meta((8, 8), H), "clipRatio": 0.9,
}  # fmt: skip
MATRICES: dict[str, Any] = {"out": Meta((3, 4, 1), ACL_INT32), "quantScale": Meta((3,))}
PERMUTED: dict[str, Any] = {
    "x1": Meta((3, 2, 64), E4), "x2": Meta((2, 64, 5), E4), "bias": None, "x1Scale": Meta((3, 2, 1, 2), E8),
    "x2Scale": Meta((2, 1, 5, 2), E8), "dtype": 1, "groupSize": 0, "permX1": Values((1, 0, 2)),
    "permX2": Values((0, 1, 2)), "permY": Values((1, 0, 2)), "batchSplitFactor": 1, "out": Meta((3, 2, 5), H),
}  # fmt: skip
GOOD: dict[str, dict[str, Any]] = {
    "aclnnDynamicMxQuant": {**MX, **BLOCKS}, "aclnnDynamicMxQuantV2": {**V2, **BLOCKS},
    "aclnnDynamicMxQuantV3": {**V2, "maxLowBound": 0.0, **BLOCKS},
    "aclnnDynamicMxQuantWithDualAxis": {**AXES, **BOTH},
    "aclnnDynamicMxQuantWithDualAxisV2": {**AXES, "dstTypeMax": 0.0, **BOTH},
    "aclnnDynamicBlockMxQuant": {
        **AXES, "dstTypeMax": 0.0, "yOut": Y, "scale1Out": BOTH["mxscale1Out"], "scale2Out": BOTH["mxscale2Out"],
    },
    "aclnnDynamicDualLevelMxQuant": {
        "x": X, "smoothScaleOptional": Meta((40,), H), "roundModeOptional": "rint", "level0BlockSize": 512,
        "level1BlockSize": 32, "yOut": Meta((3, 40), ACL_FLOAT4_E2M1), "level0ScaleOut": Meta((3, 1)),
        "level1ScaleOut": SCALES,
    },
    "aclnnAntiMxQuant": {"x": Y, "mxscale": SCALES, "axis": -1, "dstType": 0, "y": Meta((3, 40))},
    "aclnnRmsNormDynamicMxQuant": {"x": X, **NORM, "yOut": Y, "mxscaleOut": SCALES, "rstdOut": Meta((3, 1))},
    "aclnnAddRmsNormDynamicMxQuant": {
        "x1": X, "x2": X, **NORM, "yOut": Y, "xOut": X, "mxscaleOut": SCALES, "rstdOut": Meta((3, 1)),
    },
    "aclnnGroupedDynamicMxQuant": {**GROUPED, "y": ROWS, "mxscale": GROUP_SCALES},
    "aclnnGroupedDynamicMxQuantV2": {
        **GROUPED, "scaleAlg": 0, "dstTypeMax": 0.0, "y": ROWS, "mxscale": GROUP_SCALES,
    },
    "aclnnDynamicBlockQuant": {**TILE, **TILES},
    "aclnnDynamicBlockQuantV2": {**TILE, "dstTypeMax": 0.0, **TILES},
    "aclnnGroupedDynamicBlockQuant": {**IN_LIST, "groupListType": 0, **LIST_TILES},
    "aclnnGroupedDynamicBlockQuantV2": {**IN_LIST, "groupListType": 0, "dstTypeMax": 0.0, **LIST_TILES},
    "aclnnRotateQuant": {
        "x": Meta((3, 8), H), "rotation": Meta((4, 4), H), "alpha": Meta((1,), ACL_BF16), "axis": -1,
        "roundMode": "rint", "scaleAlg": 0, "dstTypeMax": 0.0, "trans": False, "yOut": Meta((3, 8), ACL_INT8),
        "scaleOut": Meta((3,)),
    },
    "aclnnFlatQuant": {**FLAT, **MATRICES},
    "aclnnFlatQuantV2": {**FLAT, "dstTypeMax": 0.0, **MATRICES},
    "aclnnFlatQuantV3": {
        "x": FLAT["x"], "kroneckerP1": FLAT["kroneckerP1"], "kroneckerP2": FLAT["kroneckerP2"],
        "groupListOptional": Meta((2,), ACL_INT64), "clipRatio": 0.9, "dstTypeMax": 0.0, "groupListType": 1,
        **MATRICES,
    },
    "aclnnQuantBatchMatmulInplaceAdd": {
        "x1": Meta((3, 72), E4), "x2": Meta((72, 5), E4), "x1ScaleOptional": Meta((3, 2, 2), E8),
        "x2Scale": Meta((2, 5, 2), E8), "yRef": Meta((3, 5)), "transposeX1": False, "transposeX2": False,
        "groupSize": 0,
    },
    "aclnnTransposeQuantBatchMatMul": PERMUTED,
    "aclnnTransposeQuantBatchMatMulWeightNz": {
        **PERMUTED, "x2": Meta((2, 64, 32), E4, ACL_FORMAT_FRACTAL_NZ, storage=(2, 1, 4, 16, 32)),
        "x2Scale": Meta((2, 1, 32, 2), E8), "out": Meta((3, 2, 32), H),
    },
    "aclnnSwigluMxQuant": {
        "x": Meta((3, 80), H), "groupIndexOptional": None, "activateDim": -1, "activateLeft": True, "swigluMode": 0,
        "clampLimit": 7.0, "gluAlpha": 1.702, "gluBias": 1.0, "groupMode": 0, "axis": -1, "dstType": int(E4),
        "roundModeOptional": "rint", "scaleAlg": 0, "maxDtypeValue": 0.0, "yOut": Y, "mxscaleOut": SCALES,
    },
}  # fmt: skip
TESTS = "tests/aclnn/ops/blocks/test_"
MX_NAMES = ("aclnnDynamicMxQuant", "aclnnDynamicMxQuantV2", "aclnnDynamicMxQuantV3")
WHOLE_BYTES = "yOut can hold the elements of x in its last dimension"
NO_ROWS = "if x is empty the checks end here (workspace 0, nothing is written)"
IN_GROUPS = ("aclnnGroupedDynamicMxQuant", "aclnnGroupedDynamicMxQuantV2")
LAID_OUT = {"aclnnDynamicDualLevelMxQuant": f"its result has floats of 4 bits only: {TESTS}mx_forms.py"}
DENSE = {(name, "mxscale"): "its checks refuse gaps" for name in IN_GROUPS}
DUAL = ("aclnnDynamicMxQuantWithDualAxis", "aclnnDynamicMxQuantWithDualAxisV2")
UNREACHED: dict[tuple[str, str], str] = {
    **{("aclnnRotateQuant", sentence): f"{TESTS}rotated.py" for sentence in (
        "scaleOut has the data type that that of yOut needs", f"{WHOLE_BYTES} (if yOut has integers)",
        *(f"{rule} (if yOut has floats)" for rule in (
            "dstTypeMax is 0 or lies in [6, 12]", "roundMode is 'rint' or 'round' or 'floor'", WHOLE_BYTES,
            "roundMode is a rounding that the data type of yOut has", "yOut has the shape of x",
            "scaleAlg is an algorithm that the data type of yOut has")))},
    **{(f"aclnnFlatQuant{version}", "quantScale has the data type that that of out needs"): f"{TESTS}flat.py"
       for version in ("", "V3")},
    ("aclnnFlatQuantV3", "groupListOptional is null on Ascend 950"): f"{TESTS}flat.py::test_groups_on_950",
    **{(name, sentence): f"{TESTS}mx.py" for name in MX_NAMES for sentence in (
        "blocksize is 32 with x of FLOAT, and with scaleAlg 2", WHOLE_BYTES)},
    **{(name, WHOLE_BYTES): f"{TESTS}mx_axes.py" for name in ("aclnnDynamicBlockMxQuant",)},
    **{(name, "y1Out can hold the elements of x in its last dimension"): f"{TESTS}mx_axes.py" for name in DUAL},
    **{(name, NO_ROWS): f"{TESTS}mx_axes.py::test_an_empty_x" for name in DUAL},
    **{("aclnnDynamicDualLevelMxQuant", sentence): f"{TESTS}mx_forms.py" for sentence in (
        NO_ROWS, "roundModeOptional is a rounding that the data type of yOut has")},
    ("aclnnRmsNormDynamicMxQuant", WHOLE_BYTES): f"{TESTS}mx_forms.py",
    ("aclnnAddRmsNormDynamicMxQuant", "yOut can hold the elements of x1 in its last dimension"): f"{TESTS}mx_forms.py",
    ("aclnnSwigluMxQuant", "yOut can hold the elements of yOut in its last dimension"): f"{TESTS}mx_forms.py",
    **{(name, "mxscale has no gaps"): f"{TESTS}mx_forms.py" for name in IN_GROUPS},
}  # fmt: skip
PRODUCTS = ("aclnnTransposeQuantBatchMatMul", "aclnnTransposeQuantBatchMatMulWeightNz")
UNREACHED |= {
    (PRODUCTS[0], "out has elements"): f"{TESTS}products.py",
    (PRODUCTS[0], "x1 comes with x1Scale, or with shared scales"): f"{TESTS}products.py",
    (PRODUCTS[1], "out has elements (if x2 has 3 dimensions)"): f"{TESTS}products.py",
}
FLATS = ("aclnnFlatQuant", "aclnnFlatQuantV2", "aclnnFlatQuantV3")
BY_PRODUCT = {("aclnnFlatQuantV3", Series.A950): {"groupListOptional": None}}
UNTYPED: dict[tuple[str, str, str], str] = {
    **{(PRODUCTS[0], "out", f"ACL_{dtype}"): f"{TESTS}products.py" for dtype in ("BF16", "HIFLOAT8")},
    (PRODUCTS[0], "x2Scale", "ACL_FLOAT"): f"{TESTS}products.py",
    (PRODUCTS[1], "out", "ACL_BF16"): f"{TESTS}products.py",
    ("aclnnRotateQuant", "scaleOut", "ACL_FLOAT8_E8M0"): f"{TESTS}rotated.py::test_forms_on_950",
    **{("aclnnRotateQuant", "yOut", f"ACL_{dtype}"): f"{TESTS}rotated.py::test_forms_on_950"
       for dtype in ("INT32", "FLOAT8_E5M2", "FLOAT8_E4M3FN", "FLOAT4_E2M1")},
    **{(name, parameter, f"ACL_{dtype}"): f"{TESTS}flat.py::test_forms_of_results" for name in FLATS
       for parameter, dtype in (("out", "INT4"), ("out", "FLOAT4_E2M1"), ("quantScale", "FLOAT8_E8M0"))},
    ("aclnnFlatQuantV3", "groupListOptional", "ACL_INT64"): f"on Ascend 950: {TESTS}flat.py::test_groups_on_950",
    **{(f"aclnn{grouped}DynamicBlockQuant{version}", "yOut", f"ACL_{dtype}"): f"{TESTS}tiles.py"
       for grouped in ("", "Grouped") for version in ("", "V2") for dtype in (
           "FLOAT8_E5M2", "HIFLOAT8", *(() if grouped else ("FLOAT8_E4M3FN",)))},
    **{(name, y, f"ACL_{dtype}"): f"{TESTS}mx_axes.py" for name in DUAL for y in ("y1Out", "y2Out")
       for dtype in NARROW},
    **{(name, y, f"ACL_{dtype}"): f"{TESTS}{test}.py::test_other_floats" for name, y, test in (
        ("aclnnDynamicBlockMxQuant", "yOut", "mx_axes"), ("aclnnSwigluMxQuant", "yOut", "mx_forms"),
        ("aclnnRmsNormDynamicMxQuant", "yOut", "mx_forms"), ("aclnnAddRmsNormDynamicMxQuant", "yOut", "mx_forms"),
        ("aclnnGroupedDynamicMxQuant", "y", "mx_forms"), ("aclnnGroupedDynamicMxQuantV2", "y", "mx_forms"))
       for dtype in NARROW if name != "aclnnGroupedDynamicMxQuant" or dtype == "FLOAT8_E5M2"},
    **{("aclnnAntiMxQuant", "y", dtype): f"{TESTS}mx_forms.py" for dtype in ("ACL_FLOAT16", "ACL_BF16")},
    **{(name, "yOut", f"ACL_{dtype}"): f"{TESTS}mx.py" for name in MX_NAMES for dtype in NARROW},
}  # fmt: skip
