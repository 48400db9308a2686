"""Checks that a search does not reach: see `tests.aclnn.ops.good_calls`."""

UNREACHED = {
    ("aclnnNLLLoss", "if self is empty the checks end here (a mean is NaN, a sum is 0)"): (
        "test_what_is_left_of_no_rows"
    ),
}
NOT_SELF = "the facts list it on inference products, where self cannot have it"
UNTYPED = {
    ("aclnnNLLLoss", "weight", "ACL_BF16"): NOT_SELF,
    ("aclnnNLLLossBackward", "gradOutput", "ACL_BF16"): NOT_SELF,
}
