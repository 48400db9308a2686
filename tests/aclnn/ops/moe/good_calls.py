"""Good calls that a search does not find: see `tests.aclnn.ops.good_calls`."""

from acl_runtime import *
from tests.aclnn.ops.case import Meta

X, PLACES = Meta((3, 4)), Meta((3, 2), ACL_INT32)
FLAT, ROWS = Meta((6,), ACL_INT32), Meta((6, 4))
GOOD = {
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
    "aclnnMoeFinalizeRouting": {
        "expandedX": ROWS, "x1": X, "x2Optional": X, "bias": Meta((5, 4)), "scales": Meta((3, 2)),
        "expandedRowIdx": FLAT, "expandedExpertIdx": PLACES, "out": X,
    },
}  # fmt: skip
