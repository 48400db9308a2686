"""Good calls with more than a batch of one, and checks that a search does not reach: see
`tests.aclnn.ops.good_calls`."""

from typing import Any

from tests.aclnn.ops.case import Meta
from tests.derived.values import Number

BATCHED: dict[str, Any] = {
    "batch1": Meta((2, 2, 3)), "batch2": Meta((2, 3, 4)), "beta": Number(1), "alpha": Number(1), "cubeMathType": 0,
}  # fmt: skip
GOOD: dict[str, dict[str, Any]] = {
    "aclnnBatchMatMul": {
        "self": Meta((2, 2, 3)), "mat2": Meta((2, 3, 4)), "out": Meta((2, 2, 4)), "cubeMathType": 0,
    },
    "aclnnBaddbmm": {**BATCHED, "self": Meta((2, 4)), "out": Meta((2, 2, 4))},
    "aclnnInplaceBaddbmm": {**BATCHED, "selfRef": Meta((2, 2, 4))},
    "aclnnAddbmm": {**BATCHED, "self": Meta((4,)), "out": Meta((2, 4))},
    "aclnnInplaceAddbmm": {**BATCHED, "selfRef": Meta((2, 4))},
}  # fmt: skip
HERE = "tests/aclnn/ops/matmul/test_additive.py::test_"
ADDED = ("aclnnAddmm", "aclnnInplaceAddmm")
NOTHING = "the checks end here (workspace 0, nothing is written)"
UNREACHED = {
    ("aclnnMatmul", "mat2 in FRACTAL_NZ has the data type of self"): "the format and one data type change",
    ("aclnnBatchMatMul", "mat2 in FRACTAL_NZ has no matrix with a size of 1"): "the format and two shapes change",
    **{(name, f"the storage of {self} has dimensions"): f"{HERE}self_without_dimensions_of_storage"
       for name, self in zip(ADDED, ("self", "selfRef"), strict=True)},
    **{(name, "cubeMathType is USE_FP32_ADD only where the product has it"): f"{HERE}use_fp32_add_by_product"
       for name in (*ADDED, "aclnnBaddbmm", "aclnnInplaceBaddbmm")},
    ("aclnnInplaceAddmm", f"if self or the product has no elements, {NOTHING}"): f"{HERE}empty_sums",
    **{(name, f"if the product has no elements, {NOTHING}"): f"{HERE}empty_sums"
       for name in ("aclnnBaddbmm", "aclnnInplaceBaddbmm")},
    **{(name, f"if a matrix of the product has no elements, {NOTHING}"): f"{HERE}empty_sums"
       for name in ("aclnnAddbmm", "aclnnInplaceAddbmm")},
}  # fmt: skip
