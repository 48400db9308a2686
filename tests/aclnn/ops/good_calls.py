"""Good calls of operators made from facts where the search of `derived` finds none, and checks that it does not reach.

    GOOD["aclnnFoo"] = {"self": Meta((2, 3)), "dims": Values((0,)), "out": Meta((2, 3))}

Arguments have the names of the prototype. Objects that may be null can be left out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from acl_runtime import *
from acl_runtime.objects.soc import Series
from tests.aclnn.ops.case import Meta

GOOD: Mapping[str, Mapping[str, Any]] = {
    "aclnnNonzero": {"self": Meta((2, 3)), "out": Meta((6, 2), ACL_INT64)},
    "aclnnNpuFormatCast": {
        "srcTensor": Meta((16, 32), ACL_FLOAT16, ACL_FORMAT_FRACTAL_NZ),
        "dstTensor": Meta((16, 32), ACL_FLOAT16),
    },
}
"""by function"""
NEWEST = f"only on {Series.A950.value}"
UNREACHED: Mapping[tuple[str, str], str] = {
    ("aclnnMatmul", "mat2 in FRACTAL_NZ has the data type of self"): "the format and one data type change",
    ("aclnnNpuFormatCast", "srcTensor is contiguous"): "test_a_cast_takes_contiguous_tensors",
    ("aclnnNpuFormatCast", "dstTensor is contiguous"): "test_a_cast_takes_contiguous_tensors",
    ("aclnnInplaceAdd", "other has at most 8 dimensions"): "it broadcasts into selfRef, which has at most 8",
    ("aclnnInplaceDiv", "other has at most 8 dimensions"): "it broadcasts into selfRef, which has at most 8",
    ("aclnnMuls", f"self and other promote to one data type ({NEWEST})"): "test_a_scalar_without_a_common_type_on_950",
    ("aclnnInplaceMuls", f"selfRef and other promote to one data type ({NEWEST})"): "as aclnnMuls",
}
"""function and sentence of a check that no call of the search reaches: the test that reaches it, or the reason"""
LAID_OUT: Mapping[str, str] = {
    "aclnnTransMatmulWeight": "its weight takes more memory than its view",
    "aclnnNpuFormatCast": "the storage of its tensors has other dimensions than their views",
}
"""functions that need memory which the tests of `derived` do not give, so these do not launch them: the reason. They
have tests of their own"""
UNTYPED: Mapping[tuple[str, str, str], str] = {
    ("aclnnSort", "self", "ACL_BF16"): "listed everywhere, and its step cannot be planned on two products",
    ("aclnnNpuFormatCast", "srcTensor", "ACL_FLOAT4_E1M2"): "dstTensor does not list it",
}
"""function, parameter and data type that its check, or else the facts, list on some product, but that no call of the
search has: the reason"""
