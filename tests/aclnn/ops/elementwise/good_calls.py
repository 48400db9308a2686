"""Checks and data types that a search does not reach: see `tests.aclnn.ops.good_calls`."""

from acl_runtime.objects.soc import Series

NEWEST = f"only on {Series.A950.value}"
STRETCHED = "it broadcasts into selfRef, which has at most 8"
UNREACHED = {
    **{
        (f"aclnnInplace{name}", "other has at most 8 dimensions"): STRETCHED
        for name in ("Add", "Div", "DivMod", "FloorDivide", "RemainderTensorTensor")
    },
    ("aclnnMuls", f"self and other promote to one data type ({NEWEST})"): "test_a_scalar_without_a_common_type_on_950",
    ("aclnnInplaceMuls", f"selfRef and other promote to one data type ({NEWEST})"): "as aclnnMuls",
    ("aclnnInplaceDivMods", "selfRef and other are real unless mode is 0"): "test_complex_quotients_are_not_rounded",
}
INTEGERS = ("ACL_INT8", "ACL_INT16", "ACL_INT32", "ACL_INT64", "ACL_UINT8", "ACL_BOOL")
NO_QUOTIENT = "on Ascend 950 integers cannot hold a quotient"
UNTYPED = {
    ("aclnnTrunc", "out", "ACL_BF16"): "the facts list it on inference products, where self cannot have it",
    **{(f"aclnnInplace{name}", "selfRef", dtype): NO_QUOTIENT for name in ("Div", "Divs") for dtype in INTEGERS},
    **{
        (f"aclnn{name}", parameter, "ACL_BOOL"): "on Ascend 950 BOOL cannot hold a quotient"
        for name, parameter in (
            ("FloorDivides", "out"),
            ("InplaceFloorDivide", "selfRef"),
            ("InplaceFloorDivides", "selfRef"),
        )
    },
}
