"""Good calls that a search does not find: see `tests.aclnn.ops.good_calls`."""

from acl_runtime import *
from acl_runtime.objects.soc import Series
from aclnn import aclnnMoeFinalizeRoutingV3, aclnnMoeGatingTopKV2, aclnnMoeInitRoutingV3
from tests.aclnn.ops.case import Meta
from tests.derived.values import Values

X, PLACES = Meta((3, 4)), Meta((3, 2), ACL_INT32)
EXPERTS, FLAT, ROWS = Meta((5,), ACL_INT32), Meta((6,), ACL_INT32), Meta((6, 4))
MAP, FACTORS = Meta((3, 6), ACL_BOOL), Meta((3, 6))
FINALIZE = {
    "expandedX": ROWS, "expandedRowIdx": FLAT, "x1Optional": X, "x2Optional": X, "biasOptional": Meta((5, 4)),
    "scalesOptional": Meta((3, 2)), "expertIdxOptional": PLACES, "xOptional": None, "a1Optional": None,
    "a2Optional": None, "vOptional": None, "dropPadMode": 0, "zeroExpertRange": None, "copyExpertRange": None,
    "constantExpertRange": None,
}  # fmt: skip
"""as torch_npu calls it: what only Ascend 950 looks at is null"""
GATED = {"x": Meta((3, 8)), "biasOptional": Meta((8,))}
GATING = {
    "k": 3, "kGroup": 2, "groupCount": 4, "groupSelectMode": 1, "renorm": 0, "normType": 1, "outFlag": True,
    "routedScalingFactor": 2.5, "eps": 0.125, "yOut": Meta((3, 3)), "expertIdxOut": Meta((3, 3), ACL_INT32),
    "outOut": Meta((3, 8)),
}  # fmt: skip
GOOD = {
    "aclnnMoeGatingTopKBackward": {
        "xNorm": Meta((3, 8)), "gradY": Meta((3, 2)), "expertIdx": PLACES, "renorm": 1, "normType": 1,
        "routedScalingFactor": 2.5, "eps": 0.125, "out": Meta((3, 8)),
    },
    "aclnnMoeInitRoutingV2Grad": {
        "gradExpandedX": ROWS, "expandedRowIdx": FLAT, "topK": 2, "dropPadMode": 0, "activeNum": 0, "out": X,
    },
    "aclnnMoeGatingTopKSoftmax": {
        "x": X, "finishedOptional": Meta((3,), ACL_BOOL), "k": 2, "yOut": Meta((3, 2)), "expertIdxOut": PLACES,
        "rowIdxOut": PLACES,
    },
    "aclnnMoeGatingTopKSoftmaxV2": {
        "x": X, "finishedOptional": Meta((3,), ACL_BOOL), "k": 2, "renorm": 0, "outputSoftmaxResultFlag": True,
        "yOut": Meta((3, 2)), "expertIdxOut": PLACES, "softmaxResultOutOptional": X,
    },
    "aclnnMoeTokenPermute": {
        "tokens": X, "indices": PLACES, "numOutTokens": 0, "paddedMode": False, "permuteTokensOut": ROWS,
        "sortedIndicesOut": FLAT,
    },
    "aclnnMoeTokenPermuteGrad": {
        "permutedOutputGrad": ROWS, "sortedIndices": FLAT, "numTopk": 2, "paddedMode": False, "out": X,
    },
    "aclnnMoeTokenUnpermute": {
        "permutedTokens": ROWS, "sortedIndices": FLAT, "probsOptional": Meta((6, 1)), "paddedMode": False, "out": ROWS,
    },
    "aclnnMoeInitRouting": {
        "x": X, "rowIdx": PLACES, "expertIdx": PLACES, "activeNum": 3, "expandedXOut": ROWS,
        "expandedRowIdxOut": FLAT, "expandedExpertIdxOut": FLAT,
    },
    "aclnnMoeInitRoutingQuant": {
        "x": X, "rowIdx": PLACES, "expertIdx": PLACES, "activeNum": 3, "scale": 3.5, "offset": 0.25,
        "expandedXOut": Meta((6, 4), ACL_INT8), "expandedRowIdxOut": FLAT, "expandedExpertIdxOut": FLAT,
    },
    "aclnnMoeInitRoutingQuantV2": {
        "x": X, "expertIdx": PLACES, "scaleOptional": Meta((5, 4)), "offsetOptional": None, "activeNum": 0,
        "expertCapacity": 2, "expertNum": 5, "dropPadMode": 1, "expertTokensCountOrCumsumFlag": 1,
        "expertTokensBeforeCapacityFlag": True, "quantMode": 1, "expandedXOut": Meta((5, 2, 4), ACL_INT8),
        "expandedRowIdxOut": FLAT, "expertTokensCountOrCumsumOutOptional": EXPERTS,
        "expertTokensBeforeCapacityOutOptional": EXPERTS, "dynamicQuantScaleOutOptional": Meta((10,)),
    },
    "aclnnMoeFinalizeRouting": {
        "expandedX": ROWS, "x1": X, "x2Optional": X, "bias": Meta((5, 4)), "scales": Meta((3, 2)),
        "expandedRowIdx": FLAT, "expandedExpertIdx": PLACES, "out": X,
    },
    "aclnnMoeGatingTopK": {
        **GATED, **GATING,
    },
    "aclnnMoeGatingTopKV2": {
        **GATED, "inputIdsOptional": None, "tid2eidOptional": None, **GATING,
    },
    "aclnnMoeInitRoutingV2": {
        "x": X, "expertIdx": PLACES, "activeNumOptional": 0, "expertCapacityOptional": 2, "expertNumOptional": 5,
        "dropPadModeOptional": 1, "expertTokensCountOrCumsumFlagOptional": 1,
        "expertTokensBeforeCapacityFlagOptional": True, "expandedXOut": Meta((5, 2, 4)), "expandedRowIdxOut": FLAT,
        "expertTokensCountOrCumsumOutOptional": EXPERTS, "expertTokensBeforeCapacityOutOptional": EXPERTS,
    },
    "aclnnMoeInitRoutingV3": {
        "x": X, "expertIdx": PLACES, "scaleOptional": Meta((5, 4)), "offsetOptional": None, "activeNum": 0,
        "expertCapacity": 0, "expertNum": 5, "dropPadMode": 0, "expertTokensNumType": 1, "expertTokensNumFlag": True,
        "quantMode": 1, "activeExpertRangeOptional": Values(()), "rowIdxType": 0,
        "expandedXOut": Meta((6, 4), ACL_INT8), "expandedRowIdxOut": FLAT,
        "expertTokensCountOrCumsumOut": Meta((5,), ACL_INT64), "expandedScaleOut": Meta((6,)),
    },
    "aclnnMoeFinalizeRoutingV2": {
        "expandedX": ROWS, "expandedRowIdx": FLAT, "x1Optional": X, "x2Optional": X, "biasOptional": Meta((5, 4)),
        "scalesOptional": Meta((3, 2)), "expertIdxOptional": PLACES, "dropPadMode": 0, "out": X,
    },
    "aclnnMoeFinalizeRoutingV3": {**FINALIZE, "out": X},
    "aclnnMoeFinalizeRoutingV4": {**FINALIZE, "k": 1, "out": X},
    "aclnnMoeComputeExpertTokens": {
        "sortedExperts": FLAT, "numExperts": 5, "out": EXPERTS,
    },
    "aclnnMoeReRouting": {
        "tokens": Meta((6, 8), ACL_FLOAT16), "expertTokenNumPerRank": Meta((2, 3), ACL_INT32),
        "perTokenScales": Meta((6,)), "expertTokenNumType": 1, "idxType": 0,
        "permuteTokensOut": Meta((6, 8), ACL_FLOAT16), "permutePerTokenScalesOut": Meta((6,)),
        "permuteTokenIdxOut": FLAT, "expertTokenNumOut": Meta((3,), ACL_INT32),
    },
    "aclnnMoeTokenPermuteWithRoutingMap": {
        "tokens": X, "routingMap": MAP, "probsOptional": FACTORS, "numOutTokens": 6, "dropAndPad": False,
        "permuteTokensOut": ROWS, "permuteProbsOutOptional": Meta((6,)), "sortedIndicesOut": FLAT,
    },
    "aclnnMoeTokenPermuteWithRoutingMapGrad": {
        "permutedTokenOutputGrad": ROWS, "permutedProbsOutputGradOptional": Meta((6,)), "sortedIndices": FLAT,
        "routingMapOptional": MAP, "numExperts": 6, "tokensNum": 3, "dropAndPad": False, "tokensGradOut": X,
        "probsGradOutOptional": FACTORS,
    },
    "aclnnMoeTokenUnpermuteWithRoutingMap": {
        "permutedTokens": ROWS, "sortedIndices": FLAT, "routingMapOptional": MAP, "probsOptional": FACTORS,
        "paddedMode": False, "restoreShapeOptional": None, "unpermutedTokens": X, "outIndex": FLAT,
        "permuteTokenId": FLAT, "permuteProbs": Meta((6,)),
    },
    "aclnnMoeTokenUnpermuteWithRoutingMapGrad": {
        "unpermutedTokensGrad": X, "outIndex": FLAT, "permuteTokenId": FLAT, "routingMapOptional": MAP,
        "permutedTokensOptional": ROWS, "probsOptional": FACTORS, "dropAndPad": False, "restoreShapeOptional": None,
        "permutedTokensGradOut": ROWS, "probsGradOutOptional": FACTORS,
    },
    "aclnnMoeUpdateExpert": {
        "expertIds": PLACES, "eplbTable": Meta((5, 4), ACL_INT32), "expertScalesOptional": Meta((3, 2)),
        "pruningThresholdOptional": Meta((2,)), "activeMaskOptional": Meta((3,), ACL_BOOL), "localRankId": 3,
        "worldSize": 4, "balanceMode": 0, "balancedExpertIds": PLACES, "balancedActiveMask": Meta((3, 2), ACL_BOOL),
    },
    "aclnnMoeTokenUnpermuteGrad": {
        "permuteTokensOptional": ROWS, "unpermutedTokensGrad": X, "sortedIndices": FLAT,
        "probsOptional": Meta((3, 2)), "paddedMode": False, "restoreShapeOptional": None,
        "permutedTokensGradOut": ROWS, "probsGradOut": Meta((3, 2)),
    },
}  # fmt: skip
HERE = "tests/aclnn/ops/moe/test_routing_v2.py"
TOKENS = "tests/aclnn/ops/moe/test_tokens.py"
BY_MAP = "tests/aclnn/ops/moe/test_routing_map.py"
INIT_V3 = "tests/aclnn/ops/moe/test_init_v3.py"
BY_PRODUCT = {
    (f"aclnnMoeFinalizeRouting{version}", Series.INFERENCE): {
        "x1Optional": None, "x2Optional": None, "biasOptional": None, "dropPadMode": 2,
    }
    for version in ("V2", "V3", "V4")
}  # fmt: skip
UNREACHED = {
    ("aclnnMoeTokenPermuteWithRoutingMapGrad",
     "sortedIndices has as many places for each token, or expert of the padded mode"): BY_MAP,
    ("aclnnMoeTokenUnpermuteWithRoutingMap", "sortedIndices has at most 512 places for each token"): BY_MAP,
    **{(f"aclnnMoeFinalizeRouting{version}", sentence): HERE for version in ("V2", "V3", "V4") for sentence in (
        "x2Optional comes with x1Optional", "biasOptional comes with expertIdxOptional", "dropPadMode is 2 on 310P",
        *(f"{name} is null on 310P" for name in ("x1Optional", "x2Optional", "biasOptional")),
    )},
    **{(f"aclnnMoeFinalizeRouting{version}", check.sentence): HERE for version in ("V3", "V4")
       for check in aclnnMoeFinalizeRoutingV3.op.checks if check.sentence.endswith("(if the product is Ascend 950)")},
    **{("aclnnMoeInitRoutingV3", check.sentence): INIT_V3 for check in aclnnMoeInitRoutingV3.op.checks
       if check.sentence.endswith("(if the product is Ascend 950)")},
    **{("aclnnMoeInitRoutingV3", sentence): INIT_V3 for sentence in (
        "expertNum can be counted in pairs", "offsetOptional is one number", "expandedScaleOut of scales is FLOAT",
        *(f"{rule} (if each expert has a capacity)" for rule in (
            "expertNum are all experts", "rowIdxType is 0", "expertTokensNumType is that of counts")))},
    ("aclnnMoeInitRoutingQuantV2", "offsetOptional is one number"): "tests/aclnn/ops/moe/test_init_quant.py",
    **{(f"aclnnMoeGatingTopK{version}", "x has no more than 2048 experts"): HERE for version in ("", "V2")},
    **{("aclnnMoeGatingTopKV2", check.sentence): TOKENS for check in aclnnMoeGatingTopKV2.op.checks
       if check.sentence.endswith("(if a table has the experts)")},
    ("aclnnMoeTokenUnpermuteGrad", "probsOptional comes with permuteTokens"): HERE,
}  # fmt: skip
