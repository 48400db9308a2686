"""Good calls, and data types that a search does not have: see `tests.aclnn.ops.good_calls`."""

from acl_runtime import *
from tests.aclnn.ops.case import Meta

ROWS = Meta((3, 5), ACL_FLOAT16)
GOOD = {
    "aclnnSearchSorted": {
        "sortedSequence": Meta((2, 4)), "self": Meta((2, 3)), "outInt32": False, "right": False,
        "out": Meta((2, 3), ACL_INT64),
    },
    "aclnnApplyTopKTopP": {
        "logits": ROWS, "p": Meta((3,), ACL_FLOAT16), "k": Meta((3,), ACL_INT32), "out": ROWS,
    },
    "aclnnTopKTopPSample": {
        "logits": ROWS, "topK": Meta((3,), ACL_INT32), "topP": Meta((3,), ACL_FLOAT16), "q": Meta((3, 5)),
        "eps": 0.125, "isNeedLogits": True, "topKGuess": 32, "logitsSelectIdx": Meta((3,), ACL_INT64),
        "logitsTopKPSelect": Meta((3, 5)),
    },
    "aclnnTopKTopPSampleV2": {
        "logits": ROWS, "topK": Meta((3,), ACL_INT32), "topP": Meta((3,), ACL_FLOAT16), "q": Meta((3, 5)),
        "minPs": Meta((3,), ACL_FLOAT16), "eps": 0.125, "isNeedLogits": True, "topKGuess": 32, "ksMax": 1024,
        "inputIsLogits": True, "isNeedSampleResult": False, "logitsSelectIdx": Meta((3,), ACL_INT64),
        "logitsTopKPSelect": Meta((3, 5)), "logitsIdx": Meta((3, 5), ACL_INT64), "logitsSortMasked": Meta((3, 5)),
    },
}  # fmt: skip
UNTYPED = {
    ("aclnnSort", "self", "ACL_BF16"): "listed everywhere, and its step cannot be planned on two products",
    **{
        ("aclnnTopk", "valuesOut", f"ACL_{dtype}"): "the facts list it on older products, where self cannot have it"
        for dtype in ("BF16", "UINT16", "UINT32", "UINT64")
    },
}
HERE = "tests/aclnn/ops/sorting/test_sampling.py"
UNREACHED = {
    ("aclnnApplyTopKTopP", "logits has a filter"): "tests/aclnn/ops/sorting/test_filtering.py",
    **{(f"aclnnTopKTopPSample{version}", "logits has rows of at most 1048576 tokens"): HERE for version in ("", "V2")},
    **{("aclnnTopKTopPSampleV2", sentence): HERE for sentence in (
        "q is null where the caller draws", *(f"{name} has the shape of logits (if the caller draws)"
                                              for name in ("logitsIdx", "logitsSortMasked")))},
}  # fmt: skip
