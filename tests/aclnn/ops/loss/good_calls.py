"""Checks that a search does not reach: see `tests.aclnn.ops.good_calls`."""

UNREACHED = {
    ("aclnnNLLLoss", "if self is empty the checks end here (a mean is NaN, a sum is 0)"): (
        "test_what_is_left_of_no_rows"
    ),
    ("aclnnNLLLoss2d", "if self or target or weight is empty the checks end here (a mean is NaN, a sum is 0)"): (
        "test_what_is_left_of_no_images"
    ),
    ("aclnnNLLLoss2dBackward", "if self is empty the checks end here (workspace 0, nothing is written)"): (
        "test_what_is_left_of_no_images"
    ),
}
NOT_SELF = "the facts list it on inference products, where self cannot have it"
UNTYPED = {
    ("aclnnNLLLoss", "weight", "ACL_BF16"): NOT_SELF,
    ("aclnnNLLLossBackward", "gradOutput", "ACL_BF16"): NOT_SELF,
    ("aclnnNLLLoss2dBackward", "gradOutput", "ACL_BF16"): NOT_SELF,
    ("aclnnMultilabelMarginLoss", "isTarget", "ACL_BF16"): NOT_SELF,
}
