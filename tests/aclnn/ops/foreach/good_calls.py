"""Good calls that a search does not find, and checks that it does not reach: see `tests.aclnn.ops.good_calls`."""

from aclnn.ops.foreach import OPERATORS

BY_LIST = (
    "aclnnForeachAddListV2", "aclnnForeachAddcdivScalarV2", "aclnnForeachAddcmulScalarV2", "aclnnForeachDivList",
    "aclnnForeachLerpList", "aclnnForeachLerpScalar", "aclnnForeachMulList", "aclnnForeachSubListV2",
)  # fmt: skip
GENERATED = tuple(
    name for module, names in OPERATORS.items() if module != "by_scalar" for name in names
    if name != "aclnnForeachNonFiniteCheckAndUnscale"
)  # fmt: skip
TWO_LISTS = ("aclnnForeachMaximumList", "aclnnForeachMinimumList", "aclnnForeachPowList")
UNREACHED = {
    **{(name, "if all tensors of out are empty, the checks end here (workspace 0, nothing is written)"): (
        "test_empty_tensors_leave_nothing_to_do") for name in GENERATED},
    **{(name, "the tensors of x1 have 0 to 8 dimensions"): "test_nine_dimensions_are_561002" for name in TWO_LISTS},
    **{(name, "if x1 has no tensors, the checks end here (workspace 0, nothing is written)"): (
        "test_lists_without_tensors_are_accepted") for name in BY_LIST},
    **{(name, "the tensors of x1 have 0 to 8 dimensions"): "test_nine_dimensions_are_refused" for name in BY_LIST},
}  # fmt: skip
UNTYPED = {("aclnnForeachPowScalarAndTensor", "scalar", "ACL_INT64"): "it goes with tensors of INT32 only"}
