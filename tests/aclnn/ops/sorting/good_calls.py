"""Good calls, and data types that a search does not have: see `tests.aclnn.ops.good_calls`."""

from acl_runtime import *
from tests.aclnn.ops.case import Meta

GOOD = {
    "aclnnSearchSorted": {
        "sortedSequence": Meta((2, 4)), "self": Meta((2, 3)), "outInt32": False, "right": False,
        "out": Meta((2, 3), ACL_INT64),
    },
}  # fmt: skip
UNTYPED = {
    ("aclnnSort", "self", "ACL_BF16"): "listed everywhere, and its step cannot be planned on two products",
    **{
        ("aclnnTopk", "valuesOut", f"ACL_{dtype}"): "the facts list it on older products, where self cannot have it"
        for dtype in ("BF16", "UINT16", "UINT32", "UINT64")
    },
}
