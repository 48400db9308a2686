"""Data types that a search does not have: see `tests.aclnn.ops.good_calls`."""

UNTYPED = {
    ("aclnnSort", "self", "ACL_BF16"): "listed everywhere, and its step cannot be planned on two products",
}
