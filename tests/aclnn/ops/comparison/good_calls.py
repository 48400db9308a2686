"""Checks and data types that a search does not reach: see `tests.aclnn.ops.good_calls`."""

from acl_runtime.objects.soc import Series

NEWEST = f"only on {Series.A950.value}"
LISTED = "the data type of {} is one that its product supports (" + NEWEST + ")"
ON_950 = "test_eq_looks_at_its_operands_on_950"
UNREACHED = {
    ("aclnnEqTensor", LISTED.format("self")): ON_950,
    ("aclnnEqTensor", LISTED.format("other")): ON_950,
    ("aclnnInplaceEqTensor", LISTED.format("selfRef")): ON_950,
    ("aclnnInplaceEqTensor", LISTED.format("other")): ON_950,
    ("aclnnInplaceEqTensor", "other has at most 8 dimensions"): "it broadcasts into selfRef, which has at most 8",
}
UNREACHED |= {
    ("aclnnLogicalNot", "self and out have at most 8 dimensions if one has gaps"): "test_nine_dimensions",
    ("aclnnInplaceLogicalNot", "selfRef have at most 8 dimensions if one has gaps"): "test_nine_dimensions",
}
NO_OPERAND = "a result may have it, an operand may not"
UNTYPED = {
    **{("aclnnInplaceEqTensor", "selfRef", dtype): NO_OPERAND for dtype in ("ACL_UINT16", "ACL_UINT32")},
    **{
        (f"aclnnInplace{name}", "selfRef", dtype): NO_OPERAND
        for name in ("GtTensor", "GeTensor", "GeScalar")
        for dtype in ("ACL_COMPLEX64", "ACL_COMPLEX128")
    },
}
