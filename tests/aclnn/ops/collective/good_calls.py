"""Good calls that a search does not find: see `tests.aclnn.ops.good_calls`."""

import aclnn
from acl_runtime import *
from acl_runtime.objects.soc import Series
from tests.aclnn.ops.case import Meta
from tests.derived.values import Values
from tests.helpers.lone_group import GROUP

K = 256
X1, X2, BIAS, OUT = (
    Meta((4, K), ACL_FLOAT16),
    Meta((K, 3), ACL_FLOAT16),
    Meta((3,), ACL_FLOAT16),
    Meta((4, 3), ACL_FLOAT16),
)
MEETS = {"group": GROUP, "reduceOp": "sum", "commTurn": 0, "streamMode": 1}
"""with the arguments of the products that meet other ranks"""
GATHER = {
    "x1": X1, "x2": X2, "bias": BIAS, "group": GROUP, "gatherIndex": 0, "commTurn": 0, "streamMode": 1, "output": OUT,
    "gatherOut": X1,
}  # fmt: skip
SUM = {"x1": X1, "x2": X2, "bias": BIAS, **MEETS, "output": OUT}
GOOD = {
    "aclnnAllGatherMatmul": GATHER,
    "aclnnAllGatherMatmulV2": {**GATHER, "blockSize": 0, "groupSize": 0, "commMode": "aiv"},
    "aclnnMatmulReduceScatter": SUM,
    "aclnnMatmulReduceScatterV2": {**SUM, "blockSize": 0, "groupSize": 0, "commMode": "aiv"},
    "aclnnMatmulAllReduce": SUM,
    "aclnnMatmulAllReduceV2": {**SUM, "x3": OUT},
    "aclnnMatmulAllReduceV3": {**SUM, "x3": OUT, "commMode": "ai_cpu"},
}
BY_PRODUCT = {(f"aclnnMatmulAllReduce{version}", Series.INFERENCE): {"x3": None} for version in ("V2", "V3")}
EXPERTS = {
    "groupEp": GROUP, "epWorldSize": 1, "epRankId": 0, "moeExpertNum": 4, "groupTp": "", "tpWorldSize": 0,
    "tpRankId": 0,    "expertShardType": 0, "sharedExpertNum": 0, "sharedExpertRankNum": 0, "globalBs": 0,
}  # fmt: skip
"""of two tokens with two experts each"""
TOKENS, IDS, IDS_SCALES = Meta((2, 32), ACL_FLOAT16), Meta((2, 2), ACL_INT32), Meta((2, 2))
ROWS, COUNTS = Meta((4, 32), ACL_FLOAT16), Meta((4,), ACL_INT32)
SENT = {"expertTokenNums": Meta((4,), ACL_INT64), "epRecvCounts": COUNTS, "expandScales": Meta((4,))}
INFO = Meta((512,), ACL_INT32)
DISPATCH = {
    "x": TOKENS, "expertIds": IDS, "xActiveMask": Meta((2,), ACL_BOOL), "expertScales": IDS_SCALES, **EXPERTS,
    "quantMode": 0, "expertTokenNumsType": 0, "expandX": ROWS, "expandIdx": COUNTS, **SENT,
}  # fmt: skip
LATER = {
    **{f"{name}Optional" if name in ("xActiveMask", "expertScales") else name: value for name, value in DISPATCH.items()
       if name not in ("expandX", "expandIdx", *SENT)},
    "commAlg": "", **{f"{name}Out": value for name, value in SENT.items()}, "expandXOut": ROWS,
    "assistInfoForCombineOut": INFO,
}  # fmt: skip
RANGES = {"zeroExpertNum": 0, "copyExpertNum": 0, "constExpertNum": 0}
COMBINE = {
    "expandX": ROWS, "expertIds": IDS, "epSendCounts": COUNTS, "expertScales": IDS_SCALES, **EXPERTS, "outDtype": 0,
    "commQuantMode": 0, "groupListType": 0,
}  # fmt: skip
LATER_COMBINE = {
    **COMBINE, "assistInfoForCombine": INFO, "xActiveMaskOptional": Meta((2,), ACL_BOOL), "commAlg": "", "xOut": TOKENS,
    "sharedExpertXOptional": TOKENS,
}  # fmt: skip
GOOD |= {
    "aclnnMoeDistributeDispatch": DISPATCH, "aclnnMoeDistributeDispatchV2": LATER,
    "aclnnMoeDistributeDispatchV3": LATER | RANGES, "aclnnMoeDistributeDispatchV4": LATER | RANGES,
    "aclnnMoeDistributeCombine": {
        **COMBINE, "expandIdx": COUNTS, "xActiveMask": Meta((2,), ACL_BOOL), "x": TOKENS,
    },
    "aclnnMoeDistributeCombineV2": LATER_COMBINE, "aclnnMoeDistributeCombineV3": LATER_COMBINE | RANGES,
    "aclnnMoeDistributeCombineV4": LATER_COMBINE | RANGES,
}  # fmt: skip
ONES, SHORTS = Meta((4, K), ACL_INT8), Meta((K, 3), ACL_INT8)
INTEGERS_SUM = {**SUM, "x1": ONES, "x2": SHORTS}
SUM_BIAS, ROW, COLUMN = Meta((3,), ACL_INT32), Meta((4, 1)), Meta((1, 3))
OPTIONAL = {"biasOptional": SUM_BIAS, "x3Optional": OUT}
PAIR = {f"commQuantScale{number}Optional": Meta((1, 3), ACL_FLOAT16) for number in (1, 2)}
QUANT_V1 = {**INTEGERS_SUM, "bias": SUM_BIAS, "x3": OUT, "dequantScale": Meta((1, 3), ACL_INT64)}
QUANT_V2 = {
    **{name: value for name, value in INTEGERS_SUM.items() if name != "bias"}, **OPTIONAL, "dequantScale": COLUMN,
    "pertokenScaleOptional": ROW,
}  # fmt: skip
QUANT_V4 = {
    **{name: value for name, value in QUANT_V2.items() if name not in ("dequantScale", "pertokenScaleOptional")},
    **PAIR,
    "x1ScaleOptional": ROW, "x2Scale": COLUMN, "groupSize": 0, "commQuantMode": 0,
}  # fmt: skip
WEIGHT_QUANT = {
    **SUM, "x2": SHORTS, "antiquantScale": BIAS, "antiquantOffset": BIAS, "x3": OUT, "antiquantGroupSize": 0,
}  # fmt: skip
NORM = {
    **{name: value for name, value in SUM.items() if name != "output"}, "residual": Meta((1, 4, 3), ACL_FLOAT16),
    "gamma": BIAS, "epsilon": 0.125, "normOut": Meta((1, 4, 3), ACL_FLOAT16),
}  # fmt: skip
NORMS = {
    "": NORM, "Quant": {**NORM, "x1": ONES, "x2": SHORTS, "bias": SUM_BIAS, "dequantScale": Meta((3,), ACL_INT64)},
    "WeightQuant": {**NORM, "x2": SHORTS, "antiquantScale": BIAS, "antiquantOffset": BIAS, "antiquantGroupSize": 0},
}  # fmt: skip
EXCHANGE = {
    "x1": X1, "x2": X2, "biasOptional": BIAS, "group": GROUP, "commMode": "ai_cpu", "transposeX1": False,
    "transposeX2": False, "output": OUT,
}  # fmt: skip
ONE = {name: value for name, value in EXCHANGE.items() if name != "commMode"}
GOOD |= {
    "aclnnQuantMatmulAllReduce": QUANT_V1, "aclnnQuantMatmulAllReduceV2": QUANT_V2,
    "aclnnQuantMatmulAllReduceV3": QUANT_V2 | PAIR, "aclnnQuantMatmulAllReduceV4": QUANT_V4,
    "aclnnQuantMatmulAllReduceV5": QUANT_V4 | {"commMode": "ai_cpu"}, "aclnnWeightQuantMatmulAllReduce": WEIGHT_QUANT,
    "aclnnWeightQuantMatmulAllReduceV2": WEIGHT_QUANT | {"commMode": "ai_cpu"},
    **{f"aclnn{form}MatmulAllReduceAddRmsNorm": {**call, "y": Meta((1, 4, 3), ACL_FLOAT16)}
       for form, call in NORMS.items()},
    **{f"aclnnInplace{form}MatmulAllReduceAddRmsNorm": call for form, call in NORMS.items()},
    "aclnnAlltoAllMatmul": ONE | {"alltoAllOutOptional": X1},
    "aclnnAlltoAllMatmulV2": EXCHANGE | {"alltoAllOutOptional": X1}, "aclnnMatmulAlltoAll": ONE,
    "aclnnMatmulAlltoAllV2": EXCHANGE,
    **{f"aclnnDistributeBarrier{version}": {"xRef": Meta((3,)), "group": GROUP, "worldSize": 1}
       for version in ("", "V2")},
}  # fmt: skip
ROUTED = {
    "gmmX": TOKENS, "gmmWeight": Meta((2, 32, 3), ACL_FLOAT16), "group": GROUP, "epWorldSize": 1,
    "sendCounts": Values((1, 1)), "recvCounts": Values((1, 1)), "transGmmWeight": False, "transMmWeight": False,
}  # fmt: skip
PRODUCT = Meta((2, 3), ACL_FLOAT16)
SMALL, LINE = Meta((2, 32), ACL_BF16), Meta((2, 1, 32), ACL_BF16)
WITH_NORM = {
    **{name: value for name, value in LATER_COMBINE.items() if name not in ("xOut", "sharedExpertXOptional")},
    "expandX": Meta((4, 32), ACL_BF16), "residualX": LINE, "gamma": Meta((32,), ACL_BF16), "normEps": 0.125,
    "sharedExpertXOptional": SMALL, "yOut": LINE, "xOut": LINE, "rstdOut": Meta((2, 1, 1)),
}  # fmt: skip
GOOD |= {
    **{f"aclnnAlltoAllvGroupedMatMul{version}": {**ROUTED, **mode, "permuteOutFlag": True, "gmmY": PRODUCT,
                                                 "permuteOutOptional": TOKENS}
       for version, mode in (("", {}), ("V2", {"commMode": "ai_cpu"}))},
    **{f"aclnnGroupedMatMulAlltoAllv{version}": {**ROUTED, **mode, "y": PRODUCT}
       for version, mode in (("", {}), ("V2", {"commMode": "ai_cpu"}))},
    "aclnnMoeDistributeCombineAddRmsNorm": WITH_NORM, "aclnnMoeDistributeCombineAddRmsNormV2": WITH_NORM | RANGES,
}  # fmt: skip
PRODUCTS = "tests/aclnn/ops/collective/test_product_refusals.py"
UNREACHED = {
    (name, check.sentence): PRODUCTS for name in GOOD for check in getattr(aclnn, name).op.checks
    if any(part in check.sentence for part in (
        "at least 256 columns", "transposed view on Atlas A2", "if output is empty", "null on 310P",
        "rows for each rank", "(if x1 is INT8 or INT4)", "1 to 127 characters",
        "are a multiple of the number of ranks",
        "the scales of what travels",
    ))
} | {
    (name, check.sentence): "tests/aclnn/ops/collective/test_expert_refusals.py" for name in GOOD
    for check in getattr(aclnn, name).op.checks
    if any(part in check.sentence for part in (
        "groupEp is not empty", "group is not empty", "127 bytes", "copy and constant experts", "quantMode lies in",
    ))
}  # fmt: skip
"""two arguments have to change at once, or the strides, or the product"""
INTEGERS = "two types and the scales have to change at once"
UNTYPED = {
    **{(name, parameter, "ACL_FLOAT"): INTEGERS for parameter in ("bias", "output")
       for name in ("aclnnAllGatherMatmulV2", "aclnnMatmulReduceScatterV2")},
    **{(name, parameter, "ACL_INT8"): INTEGERS for parameter in ("x1", "x2")
       for name in ("aclnnAllGatherMatmulV2", "aclnnMatmulReduceScatterV2")},
    **{(f"aclnn{name}{version}", "biasOptional", "ACL_FLOAT"): "x1 has to be BFLOAT16"
       for name in ("AlltoAllMatmul", "MatmulAlltoAll") for version in ("", "V2")},
    **{("aclnnAllGatherMatmulV2", parameter, "ACL_INT4"): INTEGERS for parameter in ("x1", "x2", "gatherOut")},
    **{(f"aclnnMoeDistributeDispatch{version}", "expandXOut" if version else "expandX", "ACL_INT8"): INTEGERS
       for version in ("", "V2", "V3", "V4")},
}  # fmt: skip
LAID_OUT = dict.fromkeys(GOOD, "it meets other ranks")
