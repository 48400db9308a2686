"""Good calls that a search does not find: see `tests.aclnn.ops.good_calls`."""

from typing import Any

from acl_runtime import *
from acl_runtime.objects.soc import Series
from aclnn import aclnnGroupedMatmulSwigluQuantV2
from tests.aclnn.ops.case import Meta, f16
from tests.derived.values import Values

H = ACL_FLOAT16
FIRST: dict[str, Any] = {
    "x": (Meta((3, 4), H),), "weight": (Meta((4, 16), H), Meta((4, 16), H)),
    "biasOptional": (Meta((16,), H), Meta((16,), H)), "groupListOptional": Values((1, 3)), "splitItem": 2,
    "y": (Meta((3, 16), H),),
}  # fmt: skip
SECOND = {**FIRST, "weight": (Meta((2, 4, 16), H),), "biasOptional": (Meta((2, 16), H),), "groupType": 0}
IN_TENSOR = {"groupListOptional": Meta((2,), ACL_INT64)}
LATE: dict[str, Any] = {
    **SECOND, **IN_TENSOR, "groupListType": 1, "actType": 0, "out": SECOND["y"], "activationInputOptional": None,
}  # fmt: skip
del LATE["y"]
INTEGERS = {
    "x": (Meta((3, 4), ACL_INT8),), "weight": (Meta((2, 4, 16), ACL_INT8),),
    "biasOptional": (Meta((2, 16), ACL_INT32),), "scaleOptional": (Meta((2, 16)),),
    "perTokenScaleOptional": (Meta((3,)),), "actType": 1,
}  # fmt: skip
ANTIQUANT = {
    "weight": (Meta((2, 4, 16), ACL_INT8),), "antiquantScaleOptional": (Meta((2, 16), H),),
    "antiquantOffsetOptional": (Meta((2, 16), H),),
}  # fmt: skip
STORED = Meta((2, 16, 32), H, ACL_FORMAT_FRACTAL_NZ, storage=(2, 2, 1, 16, 16))
GOOD: dict[str, dict[str, Any]] = {
    "aclnnGroupedMatmul": FIRST, "aclnnGroupedMatmulV2": SECOND, "aclnnGroupedMatmulV3": {**SECOND, **IN_TENSOR},
    "aclnnGroupedMatmulV4": {**LATE, **INTEGERS}, "aclnnGroupedMatmulV5": {**LATE, **ANTIQUANT},
    "aclnnGroupedMatmulWeightNz": {
        **LATE, "x": (Meta((3, 16), H),), "weight": (STORED,), "biasOptional": (Meta((2, 32), H),),
        "out": (Meta((3, 32), H),), "quantGroupSize": 0,
    },
}  # fmt: skip
ALONE = {
    "x": (Meta((3, 4), H),), "weight": (Meta((2, 4, 16), H),), "biasOptional": (Meta((2, 16), H),), "actType": 0,
    **dict.fromkeys((
        "scaleOptional", "perTokenScaleOptional", "antiquantScaleOptional", "antiquantOffsetOptional",
    )),
}  # fmt: skip
BY_PRODUCT = {(f"aclnnGroupedMatmul{version}", Series.INFERENCE): ALONE for version in ("V4", "V5")}
EXPERTS: dict[str, Any] = {
    "x": Meta((3, 4), H), "weight1": Meta((2, 4, 16), H), "weight2": Meta((2, 16, 4), H), "bias1": Meta((2, 16), H),
    "bias2": Meta((2, 4), H), "activation": "relu", "innerPrecise": 0, "y": Meta((3, 4), H),
}  # fmt: skip
ALONE: dict[str, Any] = {
    "x": Meta((2, 3, 4), H), "weight1": Meta((4, 16), H), "weight2": Meta((16, 4), H), "bias1": Meta((16,), H),
    "bias2": Meta((4,), H), "activation": "gelu", "innerPrecise": 0, "y": Meta((2, 3, 4), H),
}  # fmt: skip


def in_third(call: dict[str, Any]) -> dict[str, Any]:
    """The arguments under their names in FFNV3."""
    plain = ("x", "weight1", "weight2", "activation", "innerPrecise", "tokensIndexFlag", "y")
    return {name if name in plain else f"{name}Optional": each for name, each in call.items()}


NZ = ACL_FORMAT_FRACTAL_NZ
E4, E8 = ACL_FLOAT8_E4M3FN, ACL_FLOAT8_E8M0
GATED: dict[str, Any] = {
    "x": Meta((3, 32), ACL_INT8), "weightScale": Meta((2, 64)), "xScale": Meta((3,)),
    "weight": Meta((2, 32, 64), ACL_INT8, NZ, storage=(2, 2, 2, 16, 32)), "groupList": Meta((2,), ACL_INT64),
    "output": Meta((3, 32), ACL_INT8), "outputScale": Meta((3,)),
}  # fmt: skip
LISTS: dict[str, Any] = {
    "weight": (GATED["weight"],), "weightScale": (GATED["weightScale"],), "dequantMode": 0, "dequantDtype": 0,
    "quantMode": 0, "groupListType": 1,
}  # fmt: skip
SUMS: dict[str, Any] = {
    "x": Meta((7, 3), H), "weight": Meta((7, 5), H), "groupList": Meta((2,), ACL_INT64), "yRef": Meta((2, 3, 5)),
    "transposeX": True, "transposeWeight": False, "groupType": 2,
}  # fmt: skip
NO_OFFSETS: dict[str, Any] = {
    "biasOptional": None, "xOffsetOptional": None, "xScaleOptional": Meta((3,)), "smoothScaleOptional": Meta((32,), H),
    "xQuantMode": "pertoken", "transposeWeight": True,
}  # fmt: skip
GROUPED: dict[str, Any] = {
    "x": Meta((3, 32), H), "weight": Meta((2, 16, 32), ACL_INT8), "weightScale": Meta((2, 16)),
    "groupList": Meta((2,), ACL_INT64), **NO_OFFSETS, "out": Meta((3, 16), H),
}  # fmt: skip
GOOD |= {
    "aclnnGroupedMatmulSwigluQuant": GATED,
    "aclnnGroupedMatmulSwigluQuantWeightNZ": GATED,
    "aclnnGroupedMatmulSwigluQuantV2": {**GATED, **LISTS},
    "aclnnGroupedMatmulSwigluQuantWeightNzV2": {**GATED, **LISTS},
    "aclnnGroupedMatmulAdd": SUMS, "aclnnGroupedMatmulAddV2": {**SUMS, "groupListType": 1},
    "aclnnQuantGroupedMatmulInplaceAdd": {
        "x1": Meta((7, 3), E4), "x2": Meta((7, 5), E4), "scale1Optional": Meta((2, 3, 2), E8),
        "scale2": Meta((2, 5, 2), E8), "groupList": Meta((2,), ACL_INT64), "yRef": Meta((2, 3, 5)),
        "groupListType": 1, "groupSize": 0,
    },
    "aclnnGroupedMatmulFinalizeRoutingWeightNzV2": {
        "x1": Meta((3, 32), ACL_INT8), "x2": GATED["weight"], "scale": Meta((2, 64)), "bias": None,
        **dict.fromkeys(("offsetOptional", "antiquantScaleOptional", "antiquantOffsetOptional")),
        "pertokenScaleOptional": Meta((3,)), "groupList": Meta((2,), ACL_INT64), "sharedInput": Meta((2, 64), ACL_BF16),
        "logit": Meta((3,)), "rowIndex": Meta((3,), ACL_INT64), "dtype": 0, "sharedInputWeight": 0.5,
        "sharedInputOffset": 1, "transposeX1": False, "transposeX2": False, "groupListType": 1, "out": Meta((4, 64)),
    },
    "aclnnQuantMatmulDequant": {
        "x": Meta((3, 32), H), "weight": Meta((16, 32), ACL_INT8), "weightScale": Meta((16,)), **NO_OFFSETS,
        "out": Meta((3, 16), H),
    },
    "aclnnQuantGroupedMatmulDequant": GROUPED,
    "aclnnQuantGroupedMatmulDequantWeightNZ": {
        **GROUPED, "weight": Meta((2, 16, 32), ACL_INT8, NZ, storage=(2, 1, 1, 16, 32)),
    },
    "aclnnFFN": {**EXPERTS, "expertTokens": Values((1, 2))},
    "aclnnFFNV2": {**ALONE, "expertTokens": Values(()), "tokensIndexFlag": True},
    "aclnnFFNV3": {**in_third(ALONE), "tokensIndexFlag": False},
    "aclnnAddLora": {
        "y": f16(3, 40), "x": f16(3, 16), "weightB": f16(2, 2, 32, 8), "indices": Meta((3,), ACL_INT32),
        "weightAOptional": f16(2, 2, 8, 16), "layerIdx": 1, "scale": 0.5, "yOffset": 4, "ySliceSize": 32,
        "out": f16(3, 40),
    },
}  # fmt: skip
HERE = "tests/aclnn/ops/grouped/test_products.py"
LISTED: Any = aclnnGroupedMatmulSwigluQuantV2
OTHER_FACTORS = (
    "(if the factors are INT4)", "(if blocks share scales)", "(if the factors are INT4, with matrices as views)",
    "(if blocks share scales, with matrices as views)",
)  # fmt: skip
"""forms of aclnnGroupedMatmulSwigluQuantV2 beside that of the good call"""
REACHED = (
    *(f"{each} (if the factors are INT4)" for each in ("dequantDtype is 0", "dequantMode is 0 or 1", "quantMode is 0")),
    "weightScale has a number for each column of weight, or of each group of rows (if the factors are INT4",
)
"""checks of these forms that a change of the good call reaches"""
NAMES = tuple(GOOD)[:5]
FIT = "x, weight and the other tensors fit"
NARROW_FORMS = "tests/aclnn/ops/grouped/test_narrow"
GATED_TEST = "tests/aclnn/ops/grouped/test_swiglu_quant.py"
STORED_NAME = "aclnnGroupedMatmulWeightNz"
ROWS_OF_WEIGHT = "antiquantScaleOptional and antiquantOffsetOptional fit"
EMPTY = "if all tensors of x are empty, the checks end here (workspace 0, nothing is written)"
INNER = "groups along the inner dimension of x are of floats"
ANTIQUANT_COLUMNS = tuple(
    f"antiquant{each}Optional has a value for each column of weight" for each in ("Scale", "Offset")
)
OF_FFN = "tests/aclnn/ops/grouped/test_ffn.py"
SUFFIX = {"aclnnFFN": "", "aclnnFFNV2": "", "aclnnFFNV3": "Optional"}
OF_PARTS = ("antiquantScale", "antiquantOffset", "deqScale")
UNREACHED = {
    ("aclnnAddLora", "x has the columns of weightB if there is no weightA"): "tests/aclnn/ops/grouped/test_lora.py",
    **{(name, sentence): OF_FFN for name, end in SUFFIX.items() for sentence in (
        *(f"{part}{at}{end} fits the weights" for part in OF_PARTS for at in (1, 2)),
        *(f"antiquantScale{at}{end} has the shape of antiquantOffset{at}{end}" for at in (1, 2)),
        f"scale{end} fits the weights", f"offset{end} fits the weights", "innerPrecise is 0 with BFLOAT16",
        "weight1 of several experts comes with expertTokens",
    )},
    **{(name, "310P can compute the product of x"): OF_FFN for name in ("aclnnFFNV2", "aclnnFFNV3")},
    **{(name, sentence): HERE for name in NAMES for sentence in (ROWS_OF_WEIGHT, EMPTY, INNER)},
    **{(name, sentence): HERE for name in NAMES[:4] for sentence in ANTIQUANT_COLUMNS},
    **{(name, "scaleOptional has a value for each column of weight"): HERE for name in NAMES if name != NAMES[3]},
    **{(name, "splitItem fits groupType"): HERE for name in NAMES[1:]},
    **{(name, "310P can compute the product of x"): HERE for name in NAMES[2:]},
    **{(name, "groupListType is 2 only on some products"): HERE for name in NAMES[3:]},
    **{(STORED_NAME, sentence): HERE for sentence in (
        EMPTY, "groupListType is 2 only on some products", "splitItem fits groupType",
        "310P can compute the product of x",
        *(f"{each} (if no tensor has eight INT4 in an INT32)" for each in (
            *ANTIQUANT_COLUMNS, ROWS_OF_WEIGHT, INNER, "perTokenScaleOptional has a value for each row of x",
            "scaleOptional has a value for each column of weight",
            "the columns of weight in FRACTAL_NZ are whole blocks",
        )),
    )},
    ("aclnnGroupedMatmulV4", "actType is for products of INT8"): HERE,
    **{(f"aclnnGroupedMatmulSwigluQuant{end}", check.sentence): f"{NARROW_FORMS}_gated.py"
       for end in ("V2", "WeightNzV2") for check in LISTED.op.checks
       if check.sentence.endswith(OTHER_FACTORS) and not check.sentence.startswith(REACHED)},
    ("aclnnGroupedMatmulSwigluQuantWeightNzV2",
     "output and the scales of rows are of integers (if the factors are INT8, with matrices as views)"): GATED_TEST,
    **{(name, f"{FIT} (if the factors are {kind})"): f"{NARROW_FORMS}.py" for name in (*NAMES[3:5], STORED_NAME)
       for kind in ("INT4, or INT4 and INT8", "floats of 8 bits or less")
       if (name, kind[:4]) != ("aclnnGroupedMatmulV4", "INT4")},
    **{(f"aclnnGroupedMatmulSwigluQuant{end}", f"{sentence} (if the weight is INT4)"): GATED_TEST
       for end in ("", "WeightNZ") for sentence in (
        "bias comes with a weight of INT4", "bias has a number for each column",
        "weightScale has a scale for each column, or each column and group of rows")},
    ("aclnnGroupedMatmulV5", "perTokenScaleOptional has a value for each row of x"): HERE,
}  # fmt: skip
TOGETHER = f"a row of the table of data types, which is more than one change: {HERE}"
NARROW = "FLOAT4_E2M1 FLOAT8_E4M3FN FLOAT8_E5M2 HIFLOAT8"
TYPES = {
    "": {"x": "FLOAT INT8", "weight": "FLOAT INT8", "biasOptional": "BF16 FLOAT INT32", "y": "FLOAT INT8"},
    "V2": {"x": "INT8", "weight": "INT8", "biasOptional": "BF16 INT32", "y": "INT8"},
    "V3": {
        "x": "BF16 FLOAT INT8", "weight": "BF16 FLOAT INT8", "biasOptional": "BF16 FLOAT INT32",
        "y": "BF16 FLOAT INT32 INT8",
    },
    "V4": {
        **dict.fromkeys(("x", "weight"), f"BF16 FLOAT FLOAT16 INT4 INT8 {NARROW}"),
        "biasOptional": "BF16 FLOAT FLOAT16 INT32 INT8", "scaleOptional": "BF16 FLOAT FLOAT8_E8M0 INT64 UINT64",
        "perTokenScaleOptional": "FLOAT FLOAT8_E8M0", "groupListOptional": "INT64",
        "out": "BF16 FLOAT FLOAT16 INT32 INT8",
    },
    "V5": {
        **dict.fromkeys(("x", "weight"), f"BF16 FLOAT FLOAT16 INT16 INT4 INT8 {NARROW}"),
        "biasOptional": "BF16 FLOAT FLOAT16 INT32", "out": "BF16 FLOAT FLOAT16 INT32 INT8",
        **dict.fromkeys(("antiquantScaleOptional", "antiquantOffsetOptional"), "BF16 FLOAT16"),
        "groupListOptional": "INT64",
    },
    "WeightNz": {
        "x": "BF16 INT32 INT4 INT8 FLOAT4_E1M2 FLOAT4_E2M1 FLOAT8_E4M3FN",
        "weight": "BF16 FLOAT INT32 INT4 INT8 FLOAT4_E1M2 FLOAT4_E2M1 FLOAT8_E4M3FN",
        "biasOptional": "BF16 FLOAT INT32", "out": "BF16 FLOAT INT32",
    },
}  # fmt: skip
"""data types that ask for those of other tensors; on 310P, which has FLOAT16 only, all that the good call has"""
UNTYPED = {
    (f"aclnnGroupedMatmul{version}", parameter, f"ACL_{dtype}"): TOGETHER
    for version, types in TYPES.items() for parameter, dtypes in types.items() for dtype in dtypes.split()
}  # fmt: skip
UNTYPED |= {
    (f"aclnnGroupedMatmulSwigluQuant{end}", parameter, f"ACL_{dtype}"): f"a weight of INT4: {NARROW_FORMS}_gated.py"
    for end, types in {
        **{end: {"weight": "INT4 INT32", "weightScale": "UINT64"} for end in ("", "WeightNZ")},
        "WeightNzV2": {"weight": "INT32"},
    }.items() for parameter, dtypes in types.items() for dtype in dtypes.split()
}  # fmt: skip
FFN_TYPES = {
    "bias1": "FLOAT INT32", "bias2": "FLOAT INT32", "weight1": "INT4 INT8", "weight2": "INT4 INT8", "x": "INT8",
}  # fmt: skip
UNTYPED |= {
    (name, f"{parameter}{end if parameter[0] == 'b' else ''}", f"ACL_{dtype}"): f"a product of other types: {OF_FFN}"
    for name, end in SUFFIX.items() for parameter, dtypes in FFN_TYPES.items() for dtype in dtypes.split()
}  # fmt: skip
