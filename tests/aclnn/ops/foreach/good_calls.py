"""Good calls that a search does not find, and checks that it does not reach: see `tests.aclnn.ops.good_calls`."""

BY_LIST = {
    "aclnnForeachAddListV2": "alpha", "aclnnForeachAddcmulScalarV2": "scalar", "aclnnForeachLerpScalar": "weight",
}  # fmt: skip
BY_TENSOR = {"aclnnForeachAddScalarV2": "scalar", "aclnnForeachMulScalarV2": "scalar", "aclnnForeachSqrt": ""}
FIRST = dict.fromkeys(BY_LIST, "x1") | dict.fromkeys(BY_TENSOR, "x")
UNREACHED = {
    **{(name, f"if {first} has no tensors, the checks end here (workspace 0, nothing is written)"): (
        "test_lists_without_tensors_are_accepted") for name, first in FIRST.items()},
    **{(name, "the tensors of x1 have 0 to 8 dimensions"): "test_nine_dimensions_are_refused" for name in BY_LIST},
}  # fmt: skip
