"""Good calls with more than a batch of one, and checks that a search does not reach: see
`tests.aclnn.ops.good_calls`."""

from typing import Any

from acl_runtime import (
    ACL_BF16,
    ACL_FLOAT16,
    ACL_FORMAT_FRACTAL_NZ,
    ACL_INT8,
    ACL_INT32,
    ACL_INT64,
    ACL_UINT64,
)  # fmt: skip
from acl_runtime.objects.soc import Series
from aclnn import aclnnQuantMatmulV5, aclnnQuantMatmulWeightNz
from tests.aclnn.ops.case import Meta, f16
from tests.derived.values import Number, Values

BATCHED: dict[str, Any] = {
    "batch1": Meta((2, 2, 3)), "batch2": Meta((2, 3, 4)), "beta": Number(1), "alpha": Number(1), "cubeMathType": 0,
}  # fmt: skip
QUANTISED: dict[str, Any] = {
    "x": Meta((2, 64), ACL_FLOAT16), "weight": Meta((64, 4), ACL_INT8), "antiquantScale": Meta((2, 4), ACL_FLOAT16),
    "antiquantOffsetOptional": Meta((2, 4), ACL_FLOAT16), "quantScaleOptional": Meta((4,), ACL_UINT64),
    "quantOffsetOptional": Meta((4,)), "biasOptional": Meta((4,), ACL_FLOAT16), "antiquantGroupSize": 32,
    "y": Meta((2, 4), ACL_INT8),
}  # fmt: skip
NZ = Meta((16, 32), ACL_FLOAT16, ACL_FORMAT_FRACTAL_NZ, storage=(2, 1, 16, 16))
BYTES_NZ = Meta((32, 32), ACL_INT8, ACL_FORMAT_FRACTAL_NZ, storage=(1, 2, 16, 32))
SCALED: dict[str, Any] = {
    "x1": Meta((3, 8), ACL_INT8), "x2": Meta((8, 4), ACL_INT8), "scale": Meta((4,), ACL_INT64), "offset": Meta((4,)),
    "bias": Meta((4,), ACL_INT32), "transposeX1": False, "transposeX2": False, "out": Meta((3, 4), ACL_INT8),
}  # fmt: skip
PERMUTATIONS = {"permX1": Values((1, 0, 2)), "permX2": Values((0, 1, 2)), "permY": Values((1, 0, 2))}
FUSED: dict[str, Any] = {
    "x1": Meta((3, 32), ACL_INT8), "x2": Meta((32, 32), ACL_INT8), "x1Scale": Meta((3,)), "x2Scale": Meta((32,)),
    **dict.fromkeys(("yScaleOptional", "x1OffsetOptional", "x2OffsetOptional", "yOffsetOptional", "x3Optional")),
    "biasOptional": Meta((32,)), "fusedOpType": "gelu_tanh", "groupSizeOptional": 0, "out": Meta((3, 32), ACL_FLOAT16),
}  # fmt: skip
GOOD: dict[str, dict[str, Any]] = {
    "aclnnFusedMatmul": {
        "x1": Meta((2, 3, 8)), "x2": Meta((8, 4)), "bias": Meta((4,)), "x3": Meta((2, 3, 4)), "fusedOpType": "add",
        "cubeMathType": 0, "y": Meta((2, 3, 4)),
    },
    "aclnnTransposeBatchMatMul": {
        "x1": f16(4, 2, 8), "x2": f16(2, 8, 6), "bias": None, "scale": None, **PERMUTATIONS, "cubeMathType": 0,
        "batchSplitFactor": 1, "out": f16(4, 2, 6),
    },
    **{f"aclnnTransposeBatchMatMulWeight{end}": {
        "x1": f16(4, 2, 32), "x2": Meta((2, 32, 16), ACL_FLOAT16, ACL_FORMAT_FRACTAL_NZ, storage=(2, 1, 2, 16, 16)),
        "bias": None, "scale": None, **PERMUTATIONS, "cubeMathType": 0, "batchSplitFactor": 1, "out": f16(4, 2, 16),
    } for end in ("NZ", "Nz")},
    "aclnnQuantMatmul": {
        "x1": SCALED["x1"], "x2": SCALED["x2"], "bias": SCALED["bias"], "deqScale": 0.7,
        "out": Meta((3, 4), ACL_FLOAT16),
    },
    "aclnnQuantMatmulV2": {
        "x1": Meta((2, 3, 8), ACL_INT8), "x2": Meta((2, 4, 8), ACL_INT8), "bias": SCALED["bias"], "adjX1": False,
        "adjX2": True, "deqScale": Meta((16,), ACL_UINT64), "out": Meta((2, 3, 4), ACL_FLOAT16),
    },
    "aclnnQuantMatmulV3": SCALED, "aclnnQuantMatmulV4": SCALED,
    "aclnnQuantMatmulV5": {
        "x1": SCALED["x1"], "x2": SCALED["x2"], "x2Scale": SCALED["scale"], "x2Offset": SCALED["offset"],
        "bias": SCALED["bias"], "transposeX1": False, "transposeX2": False, "groupSize": 0, "out": SCALED["out"],
    },
    "aclnnFusedQuantMatmul": FUSED, "aclnnFusedQuantMatmulWeightNz": {**FUSED, "x2": BYTES_NZ},
    "aclnnQuantMatmulReduceSumWeightNz": {
        "x1": Meta((2, 3, 32), ACL_INT8), "x1Scale": Meta((2, 3)), "x2Scale": Meta((32,), ACL_BF16),
        "x2": Meta((2, 32, 32), ACL_INT8, ACL_FORMAT_FRACTAL_NZ, storage=(2, 1, 2, 16, 32)),
        **dict.fromkeys(("yScale", "x1Offset", "x2Offset", "yOffset", "bias")), "transposeX1": False,
        "transposeX2": False, "groupSize": 0, "dims": Values((0,)), "keepDims": False, "out": Meta((3, 32), ACL_BF16),
    },
    "aclnnQuantMatmulWeightNz": {
        "x1": Meta((3, 32), ACL_INT8), "x2": BYTES_NZ, "x2Scale": Meta((32,), ACL_INT64), "x2Offset": Meta((32,)),
        "bias": Meta((32,), ACL_INT32), "transposeX1": False, "transposeX2": False, "groupSize": 0,
        "out": Meta((3, 32), ACL_INT8),
    },
    "aclnnWeightQuantBatchMatmulNz": {
        "x": Meta((2, 32), ACL_FLOAT16), "weight": BYTES_NZ, "antiquantScale": Meta((32,), ACL_FLOAT16),
        "antiquantOffsetOptional": Meta((32,), ACL_FLOAT16), "biasOptional": Meta((32,), ACL_FLOAT16),
        "antiquantGroupSize": 0, "y": Meta((2, 32), ACL_FLOAT16),
    },
    "aclnnMatmulWeightNz": {
        "self": Meta((3, 16), ACL_FLOAT16), "mat2": NZ, "out": Meta((3, 32), ACL_FLOAT16), "cubeMathType": 0,
    },
    "aclnnBatchMatMulWeightNz": {
        "self": Meta((2, 3, 16), ACL_FLOAT16), "out": Meta((2, 3, 32), ACL_FLOAT16), "cubeMathType": 0,
        "mat2": Meta((2, 16, 32), ACL_FLOAT16, ACL_FORMAT_FRACTAL_NZ, storage=(2, 2, 1, 16, 16)),
    },
    "aclnnAddmmWeightNz": {
        "self": Meta((32,), ACL_FLOAT16), "mat1": Meta((3, 16), ACL_FLOAT16), "mat2": NZ, "beta": Number(1),
        "alpha": Number(1), "out": Meta((3, 32), ACL_FLOAT16), "cubeMathType": 0,
    },
    "aclnnEinsum": {
        "tensors": (Meta((2, 1, 3, 4)), Meta((2, 1, 3, 5, 4))), "equation": "abcd,abced->abce",
        "output": Meta((2, 1, 3, 5)),
    },
    "aclnnGemm": {
        "A": Meta((2, 3)), "B": Meta((4, 3)), "C": Meta((4,)), "alpha": 1.0, "beta": 1.0, "transA": 0, "transB": 1,
        "out": Meta((2, 4)), "cubeMathType": 0,
    },
    "aclnnBatchMatMul": {
        "self": Meta((2, 2, 3)), "mat2": Meta((2, 3, 4)), "out": Meta((2, 2, 4)), "cubeMathType": 0,
    },
    "aclnnBaddbmm": {**BATCHED, "self": Meta((2, 4)), "out": Meta((2, 2, 4))},
    "aclnnInplaceBaddbmm": {**BATCHED, "selfRef": Meta((2, 2, 4))},
    "aclnnWeightQuantBatchMatmulV2": QUANTISED,
    "aclnnWeightQuantBatchMatmulV3": {**QUANTISED, "innerPrecise": 0},
    "aclnnAddbmm": {**BATCHED, "self": Meta((4,)), "out": Meta((2, 4))},
    "aclnnInplaceAddbmm": {**BATCHED, "selfRef": Meta((2, 4))},
}  # fmt: skip
OLD = (Series.TRAINING, Series.INFERENCE, Series.A200I_500_A2)
IN_HALF = """
    Addmm InplaceAddmm Baddbmm InplaceBaddbmm Addbmm InplaceAddbmm Gemm Addmv Matmul Mm BatchMatMul Mv
    FusedMatmul
""".split()
BY_PRODUCT: dict[tuple[str, Series], dict[str, Any]] = {
    **{(f"aclnn{name}", each): {"cubeMathType": 1} for name in IN_HALF for each in OLD},
    **{(f"aclnnWeightQuantBatchMatmul{version}", Series.INFERENCE):
        {"quantScaleOptional": None, "quantOffsetOptional": None, "y": Meta((2, 4), ACL_FLOAT16)}
       for version in ("V2", "V3")},
}  # fmt: skip
HERE = "tests/aclnn/ops/matmul/test_additive.py::test_"
ADDED = ("aclnnAddmm", "aclnnInplaceAddmm")
NOTHING = "the checks end here (workspace 0, nothing is written)"
QUANT_WEIGHTS = ("aclnnWeightQuantBatchMatmulV2", "aclnnWeightQuantBatchMatmulV3")
OPTIONAL = ("antiquantOffsetOptional", "quantScaleOptional", "quantOffsetOptional", "biasOptional")
LAYOUTS = "tests/aclnn/ops/matmul/test_weight_quant.py: changes that the search does not make, or several arguments"
OF_MV = "tests/aclnn/ops/matmul/test_products.py::test_an_empty_"
WEIGHTS = "tests/aclnn/ops/matmul/test_weights_nz.py::test_mistakes_are_refused_in_the_order_of_the_contract"
OF_QUANT = "tests/aclnn/ops/matmul/test_quant_matmul.py"
OF_WEIGHTS = "tests/aclnn/ops/matmul/test_quant_weights_nz.py"
PUBLIC = "tests/derived/public_calls.txt"
V5: Any = aclnnQuantMatmulV5
FORMS = (
    "(if x1 is INT8, x2 is INT4 and yOffset is given)", "(if the weight has 4 bits beside 8)",
    "(if both factors have floats of as many bits)",
)  # fmt: skip
"""forms of aclnnQuantMatmulV5 beside that of the good call"""
OTHER_SCALES = (
    "(if both factors are INT4, and groups have scales)", "(if both factors are INT8, and blocks have scales)",
)  # fmt: skip
OF_FORMS = "tests/aclnn/ops/matmul/test_quant_matmul_forms.py"
STORED: Any = aclnnQuantMatmulWeightNz
BLOCKS = "the storage of x2 has the blocks of its inner size"
A2, A3 = Series.A2.value, Series.A3.value
PERMUTED = "tests/aclnn/ops/matmul/test_permuted.py"
FUSED = "tests/aclnn/ops/matmul/test_fused.py::test_operands_of_an_operation"
OF_FUSED = "tests/aclnn/ops/matmul/test_quant_matmul_fused.py"
UNREACHED = {
    **{("aclnnFusedMatmul", sentence): FUSED for sentence in (
        "bias is null for gelu_tanh and gelu_erf", "x3 is given if fusedOpType is add or mul",
        "y is FLOAT for 16cast32", f"if y has no elements, {NOTHING}")},
    **{(name, "the last dimensions of x1 and x2 are not too long (if the factors are INT8)"): OF_FUSED
       for name in ("aclnnFusedQuantMatmul", "aclnnFusedQuantMatmulWeightNz")},
    ("aclnnFusedQuantMatmulWeightNz", "the batches of x1 and x2 broadcast (if the factors are INT8)"): OF_FUSED,
    **{("aclnnTransposeBatchMatMul", sentence): PERMUTED for sentence in (
        "permX2 fits the other arguments", "the sizes of x1 and x2 fit the kernel",
        "scale has an element for each column of each batch")},
    **{(f"aclnnTransposeBatchMatMulWeight{end}", sentence): PERMUTED for end in ("NZ", "Nz") for sentence in (
        "permX2 fits the other arguments (if x2 has 3 dimensions)",
        "the sizes of x1 and x2 fit the kernel (if x2 has 3 dimensions)",
        "scale has an element for each column of each batch (if x2 has 3 dimensions)")},
    ("aclnnQuantMatmulWeightNz", f"if a matrix of the product has no elements (on Ascend 950), {NOTHING}"): OF_WEIGHTS,
    **{("aclnnQuantMatmulWeightNz", f"{sentence} (if scales are those of columns and rows)"): OF_WEIGHTS
       for sentence in (
        "the last dimensions of x1 and x2 are not too long", "x1Scale has a value for each row of x1",
        "x1 of INT4 has the layout that the product takes", "x1 is not INT4 on 310P",
        "the batches of x1 and x2 broadcast",
    )},
    **{("aclnnWeightQuantBatchMatmulNz", sentence): OF_WEIGHTS for sentence in (
        *(f"{each} is dense or transposed" for each in ("x", "weight")), "y is dense", "biasOptional is dense",
        *(f"{each} is laid out as weight" for each in ("antiquantScale", OPTIONAL[0])), "weight has pairs of INT4",
        "the storage of weight has 4 dimensions",
    )},
    **{(name, sentence): OF_QUANT for name in ("aclnnQuantMatmulV3", "aclnnQuantMatmulV4") for sentence in (
        f"if a matrix of the product has no elements (on Ascend 950), {NOTHING}", "x1 is not INT4 on 310P",
        "the last dimensions of x1 and x2 are not too long", "x1 of INT4 has the layout that the product takes",
    )},
    ("aclnnQuantMatmulV5", f"if a matrix of the product has no elements (on Ascend 950), {NOTHING}"): OF_QUANT,
    ("aclnnQuantMatmulV5", "x2 is not in FRACTAL_NZ (only on Ascend 950PR/Ascend 950DT products)"): OF_QUANT,
    **{("aclnnQuantMatmulV5", check.sentence): PUBLIC for check in V5.op.checks if check.sentence.endswith(FORMS)},
    **{(f"aclnn{name}", check.sentence): f"{OF_FORMS}: several arguments change"
       for name, function in (("QuantMatmulV5", V5), ("QuantMatmulWeightNz", STORED)) for check in function.op.checks
       if check.sentence.endswith((*OTHER_SCALES, *(FORMS if function is STORED else ())))},
    **{("aclnnQuantMatmulV5", f"{sentence} (if scales are those of columns and rows)"): PUBLIC for sentence in (
        "groupSize is 0 (only on Ascend 950PR/Ascend 950DT products)", BLOCKS,
    )},
    **{(name, f"{BLOCKS}{case}"): PUBLIC for name, case in (
        ("aclnnQuantMatmulV3", ""), ("aclnnQuantMatmulV4", ""),
        ("aclnnQuantMatmulWeightNz", " (if scales are those of columns and rows)"),
    )},
    **{(name, f"the storage format of x is ND (only on {where})"): "it is refused on A2, and this is the same check"
       for name, where in (*((name, A3) for name in QUANT_WEIGHTS), *(("aclnnWeightQuantBatchMatmulNz", each)
                           for each in (A2, A3)))},
    **{("aclnnQuantMatmulV5", f"{sentence} (if scales are those of columns and rows)"): OF_QUANT for sentence in (
        "the last dimensions of x1 and x2 are not too long", "x1Scale has a value for each row of x1",
        "x1 of INT4 has the layout that the product takes", "x1 is not INT4 on 310P",
    )},
    ("aclnnQuantMatmulV4", "pertokenScaleOptional has a value for each row of x1"): OF_QUANT,
    **{("aclnnMatmulWeightNz", f"{sentence}"): WEIGHTS for sentence in (
        "mat2 is FLOAT on A2 and A3 only", "the storage of mat2 has 4 dimensions",
    )},
    **{("aclnnBatchMatMulWeightNz", sentence): WEIGHTS for sentence in (
        "the storage of mat2 has 5 dimensions", f"if out has no elements, {NOTHING}",
    )},
    **{("aclnnAddmmWeightNz", sentence): WEIGHTS for sentence in (
        "the storage of mat2 has 4 dimensions", "mat2 has no matrix with a size of 1",
        "cubeMathType is USE_FP32_ADD only where the product has it", f"if self or out has no elements, {NOTHING}",
    )},
    ("aclnnMv", "the data type of vec is one that its product supports"): f"{OF_MV}matrix_beside_a_vector",
    ("aclnnMv", f"if out is empty {NOTHING}"): f"{OF_MV}matrix_beside_a_vector",
    **{(name, sentence): LAYOUTS for name in QUANT_WEIGHTS for sentence in (
        *(f"{each} is null, except on A2 and A3" for each in OPTIONAL[1:3]),
        "the storage format of weight is ND (only on Ascend 950PR/Ascend 950DT products)",
        *(f"{each} is dense or transposed" for each in ("x", "weight")),
        *(f"{each} is laid out as weight" for each in ("antiquantScale", OPTIONAL[0])),
        *(f"{each} is dense" for each in ("y", *OPTIONAL[1:])),
        "quantOffsetOptional comes with quantScale", "weight has pairs of INT4",
    )},
    ("aclnnMatmul", "mat2 in FRACTAL_NZ has the data type of self"): "the format and one data type change",
    **{(name, f"the storage of {self} has dimensions"): f"{HERE}self_without_dimensions_of_storage"
       for name, self in zip(ADDED, ("self", "selfRef"), strict=True)},
    **{(name, "cubeMathType is USE_FP32_ADD only where the product has it"): f"{HERE}use_fp32_add_by_product"
       for name in (*ADDED, "aclnnBaddbmm", "aclnnInplaceBaddbmm", "aclnnGemm")},
    ("aclnnAddmv", f"if self is empty {NOTHING}"): "tests/aclnn/ops/matmul/test_general.py::test_an_empty_self",
    **{(name, "alphaOptional is no float with tensors of integers"): "test_integers_take_no_float_scalar"
       for name in ("aclnnAddr", "aclnnInplaceAddr")},
    ("aclnnInplaceAddmm", f"if self or the product has no elements, {NOTHING}"): f"{HERE}empty_sums",
    **{(name, f"if the product has no elements, {NOTHING}"): f"{HERE}empty_sums"
       for name in ("aclnnBaddbmm", "aclnnInplaceBaddbmm")},
    **{(name, f"if a matrix of the product has no elements, {NOTHING}"): f"{HERE}empty_sums"
       for name in ("aclnnAddbmm", "aclnnInplaceAddbmm")},
}  # fmt: skip
DENSE = {
    (name, tensor): "tensors are dense, or transposed"
    for name in (*QUANT_WEIGHTS, "aclnnWeightQuantBatchMatmulNz")
    for tensor in ("x", "weight", "antiquantScale", *OPTIONAL, "y")
}  # fmt: skip
TYPES = {
    "antiquantScale": ("ACL_BF16", "ACL_FLOAT8_E8M0"), "biasOptional": ("ACL_BF16", "ACL_FLOAT"),
    "quantOffsetOptional": ("ACL_FLOAT",), "quantScaleOptional": ("ACL_UINT64",), "weight": ("ACL_INT32",),
    "y": ("ACL_BF16", "ACL_INT8"),
}  # fmt: skip
"""of the second version; the third does not exist on 310P"""
OF_THIRD = {"biasOptional": ("ACL_FLOAT",), "weight": ("ACL_INT32",)}
OF_ROWS = {
    "bias": ("ACL_BF16", "ACL_FLOAT"), "out": ("ACL_BF16", "ACL_INT32"), "scale": ("ACL_BF16", "ACL_FLOAT"),
    "x1": ("ACL_INT32", "ACL_INT4"), "x2": ("ACL_INT32", "ACL_INT4"),
}  # fmt: skip
"""of QuantMatmul: data types of several tensors that go together"""
OF_FIFTH = {
    "bias": ("ACL_BF16", "ACL_FLOAT", "ACL_FLOAT16"), "out": ("ACL_BF16", "ACL_FLOAT", "ACL_INT32"),
    "x2Offset": ("ACL_FLOAT16",),
}  # fmt: skip
OF_NZ = {
    "bias": ("ACL_BF16", "ACL_FLOAT", "ACL_FLOAT16"), "out": ("ACL_BF16", "ACL_FLOAT", "ACL_INT32"),
    "x1": ("ACL_INT4",), "x2": ("ACL_FLOAT4_E2M1", "ACL_INT32", "ACL_INT4"),
    "x2Scale": ("ACL_BF16", "ACL_FLOAT", "ACL_FLOAT16", "ACL_FLOAT8_E8M0"),
}  # fmt: skip
UNTYPED = {
    ("aclnnFusedQuantMatmulWeightNz", "x2", "ACL_INT4"): OF_FUSED,
    **{("aclnnQuantMatmulWeightNz", parameter, dtype): OF_WEIGHTS
       for parameter, dtypes in OF_NZ.items() for dtype in dtypes},
    **{("aclnnWeightQuantBatchMatmulNz", "weight", dtype): OF_WEIGHTS
       for dtype in ("ACL_INT4", "ACL_INT32", "ACL_FLOAT4_E2M1")},
    ("aclnnWeightQuantBatchMatmulNz", "biasOptional", "ACL_FLOAT"): OF_WEIGHTS,
    **{("aclnnQuantMatmulV5", "x2Scale", dtype): f"scales of blocks: {OF_FORMS}"
       for dtype in ("ACL_FLOAT16", "ACL_FLOAT8_E8M0")},
    ("aclnnQuantMatmulV3", "scale", "ACL_INT32"): "the facts list it for Ascend 950, and no row of the table has it",
    ("aclnnQuantMatmulV4", "bias", "ACL_FLOAT16"): OF_QUANT,
    **{(name, parameter, dtype): OF_QUANT for name in ("aclnnQuantMatmulV3", "aclnnQuantMatmulV4")
       for parameter, dtypes in OF_ROWS.items() for dtype in dtypes},
} | {
    ("aclnnQuantMatmulV5", {"scale": "x2Scale"}.get(parameter, parameter), dtype): OF_QUANT
    for parameter, dtypes in (OF_ROWS | OF_FIFTH).items() for dtype in dtypes
} | {("aclnnMatmulWeightNz", "mat2", "ACL_FLOAT"): "on 310P, which has no weights of FLOAT"} | {
    (name, parameter, dtype): "a data type that asks for those of other tensors: test_weight_quant has them"
    for name, types in zip(QUANT_WEIGHTS, (TYPES, OF_THIRD), strict=True)
    for parameter, dtypes in types.items() for dtype in dtypes
}  # fmt: skip
