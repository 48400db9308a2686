"""Checks that a search does not reach: see `tests.aclnn.ops.good_calls`."""

from acl_runtime.objects.soc import Series

NEWEST = f"only on {Series.A950.value}"
UNREACHED = {
    ("aclnnInplaceAdd", "other has at most 8 dimensions"): "it broadcasts into selfRef, which has at most 8",
    ("aclnnInplaceDiv", "other has at most 8 dimensions"): "it broadcasts into selfRef, which has at most 8",
    ("aclnnMuls", f"self and other promote to one data type ({NEWEST})"): "test_a_scalar_without_a_common_type_on_950",
    ("aclnnInplaceMuls", f"selfRef and other promote to one data type ({NEWEST})"): "as aclnnMuls",
}
