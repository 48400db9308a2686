"""Good calls that a search does not find: see `tests.aclnn.ops.good_calls`."""

from __future__ import annotations

from acl_runtime import *
from tests.aclnn.ops.case import Meta

GOOD = {
    "aclnnNpuFormatCast": {
        "srcTensor": Meta((16, 32), ACL_FLOAT16, ACL_FORMAT_FRACTAL_NZ),
        "dstTensor": Meta((16, 32), ACL_FLOAT16),
    },
}
UNREACHED = {
    ("aclnnNpuFormatCast", "srcTensor is contiguous"): "test_a_cast_takes_contiguous_tensors",
    ("aclnnNpuFormatCast", "dstTensor is contiguous"): "test_a_cast_takes_contiguous_tensors",
}
LAID_OUT = {
    "aclnnTransMatmulWeight": "its weight takes more memory than its view",
    "aclnnNpuFormatCast": "the storage of its tensors has other dimensions than their views",
}
UNTYPED = {("aclnnNpuFormatCast", "srcTensor", "ACL_FLOAT4_E1M2"): "dstTensor does not list it"}
