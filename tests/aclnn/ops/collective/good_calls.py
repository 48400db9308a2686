"""Good calls that a search does not find: see `tests.aclnn.ops.good_calls`."""

import aclnn
from acl_runtime import *
from acl_runtime.objects.soc import Series
from tests.aclnn.ops.case import Meta
from tests.helpers.lone_group import GROUP

K = 256
X1, X2, BIAS, OUT = (
    Meta((4, K), ACL_FLOAT16),
    Meta((K, 3), ACL_FLOAT16),
    Meta((3,), ACL_FLOAT16),
    Meta((4, 3), ACL_FLOAT16),
)
MEETS = {"group": GROUP, "reduceOp": "sum", "commTurn": 0, "streamMode": 1}
"""with the arguments of the products that meet other ranks"""
GATHER = {
    "x1": X1, "x2": X2, "bias": BIAS, "group": GROUP, "gatherIndex": 0, "commTurn": 0, "streamMode": 1, "output": OUT,
    "gatherOut": X1,
}  # fmt: skip
SUM = {"x1": X1, "x2": X2, "bias": BIAS, **MEETS, "output": OUT}
GOOD = {
    "aclnnAllGatherMatmul": GATHER,
    "aclnnAllGatherMatmulV2": {**GATHER, "blockSize": 0, "groupSize": 0, "commMode": "aiv"},
    "aclnnMatmulReduceScatter": SUM,
    "aclnnMatmulReduceScatterV2": {**SUM, "blockSize": 0, "groupSize": 0, "commMode": "aiv"},
    "aclnnMatmulAllReduce": SUM,
    "aclnnMatmulAllReduceV2": {**SUM, "x3": OUT},
    "aclnnMatmulAllReduceV3": {**SUM, "x3": OUT, "commMode": "ai_cpu"},
}
BY_PRODUCT = {(f"aclnnMatmulAllReduce{version}", Series.INFERENCE): {"x3": None} for version in ("V2", "V3")}
PRODUCTS = "tests/aclnn/ops/collective/test_product_refusals.py"
UNREACHED = {
    (name, check.sentence): PRODUCTS for name in GOOD for check in getattr(aclnn, name).op.checks
    if any(part in check.sentence for part in (
        "at least 256 columns", "transposed view on Atlas A2", "if output is empty", "null on 310P",
        "rows for each rank", "(if x1 is INT8 or INT4)",
    ))
}  # fmt: skip
"""two arguments have to change at once, or the strides, or the product"""
INTEGERS = "two types and the scales have to change at once"
UNTYPED = {
    **{(name, parameter, "ACL_FLOAT"): INTEGERS for parameter in ("bias", "output")
       for name in ("aclnnAllGatherMatmulV2", "aclnnMatmulReduceScatterV2")},
    **{(name, parameter, "ACL_INT8"): INTEGERS for parameter in ("x1", "x2")
       for name in ("aclnnAllGatherMatmulV2", "aclnnMatmulReduceScatterV2")},
    **{("aclnnAllGatherMatmulV2", parameter, "ACL_INT4"): INTEGERS for parameter in ("x1", "x2", "gatherOut")},
}  # fmt: skip
