"""Good calls that a search does not find, and checks that it does not reach: see `tests.aclnn.ops.good_calls`."""

BY_LIST = ("aclnnForeachAddListV2", "aclnnForeachAddcmulScalarV2", "aclnnForeachLerpScalar")
UNREACHED = {
    **{(name, "if x1 has no tensors, the checks end here (workspace 0, nothing is written)"): (
        "test_lists_without_tensors_are_accepted") for name in BY_LIST},
    **{(name, "the tensors of x1 have 0 to 8 dimensions"): "test_nine_dimensions_are_refused" for name in BY_LIST},
}  # fmt: skip
