"""Good calls that a search does not find, and checks that it does not reach: see `tests.aclnn.ops.good_calls`."""

from __future__ import annotations

from typing import Any

from acl_runtime import *
from tests.aclnn.ops.case import Meta
from tests.derived.values import Number, Values

MASK = Meta((16,), ACL_UINT8)
ONE = Meta((1,), ACL_INT64)
TWO = {"seed": 3, "offset": 4}
BY_TENSORS = {"seedTensor": ONE, "offsetTensor": ONE, "offset": 4}
UNIFORM = {"selfRef": Meta((2, 3)), "from": -2.0, "to": 2.0}
RANDOM = {"selfRef": Meta((2, 3)), "from": 0, "to": 9}
ROWS = {"self": Meta((2, 3)), "numsamples": 2, "replacement": True, "out": Meta((2, 2), ACL_INT64)}
GOOD: dict[str, dict[str, Any]] = {
    "aclnnDropoutGenMask": {"shape": Values((2, 3)), "prob": 0.25, **TWO, "out": MASK},
    "aclnnDropoutGenMaskV2": {"shape": Values((2, 3)), "prob": 0.25, **TWO, "probDataType": ACL_FLOAT, "out": MASK},
    "aclnnDropoutGenMaskV2Tensor": {
        "shape": Values((2, 3)), "prob": 0.25, **BY_TENSORS, "probDataType": ACL_FLOAT, "out": MASK,
    },
    "aclnnDropoutDoMask": {"self": Meta((2, 3)), "mask": MASK, "prob": 0.25, "out": Meta((2, 3))},
    "aclnnDropoutBackward": {"gradOutput": Meta((2, 3)), "mask": MASK, "scale": 2.0, "out": Meta((2, 3))},
    "aclnnDropout": {"input": Meta((2, 3)), "p": 0.5, "train": True, **TWO, "out": Meta((2, 3)), "maskOut": MASK},
    "aclnnDropoutV3": {"input": Meta((2, 3)), "p": 0.5, **TWO, "out": Meta((2, 3)), "maskOut": MASK},
    "aclnnDropoutV3Grad": {"gradY": Meta((2, 3)), "mask": MASK, "scale": 2.0, "gradX": Meta((2, 3))},
    "aclnnInplaceUniform": {**UNIFORM, **TWO},
    "aclnnInplaceUniformTensor": {
        **UNIFORM, "seedTensor": Meta((1,), ACL_UINT64), "offsetTensor": Meta((1,), ACL_UINT64), "offset": 4,
    },
    "aclnnInplaceRandom": {**RANDOM, **TWO},
    "aclnnInplaceRandomTensor": {**RANDOM, **BY_TENSORS},
    "aclnnBernoulli": {"self": Meta((2, 3)), "prob": Number(0.5), **TWO, "out": Meta((2, 3))},
    "aclnnInplaceBernoulli": {"selfRef": Meta((2, 3)), "prob": Number(0.5), **TWO},
    "aclnnMultinomial": {**ROWS, **TWO},
    "aclnnMultinomialTensor": {**ROWS, **BY_TENSORS},
    "aclnnRandperm": {"n": 5, **TWO, "out": Meta((5,), ACL_INT64)},
}  # fmt: skip
ELEMENTS = "if {} is empty the checks end here (workspace 0, nothing is written)"
EMPTY = {"aclnnDropout": "input", "aclnnDropoutV3": "input", "aclnnDropoutBackward": "gradOutput",
         "aclnnDropoutV3Grad": "gradY", "aclnnDropoutGenMask": "out", "aclnnDropoutGenMaskV2": "out",
         "aclnnDropoutGenMaskV2Tensor": "out", "aclnnRandperm": "out"}  # fmt: skip
UNREACHED = {
    **{(name, ELEMENTS.format(of)): "test_no_elements_need_no_work" for name, of in EMPTY.items()},
    **{(f"aclnnMultinomial{form}", "self has at most 16777216 categories"): "test_categories_are_limited"
       for form in ("", "Tensor")},
    **{("aclnnInplaceUniformTensor", f"the data type of {name} is one that its product supports (only on Ascend "
        "950PR/Ascend 950DT products)"): "test_tensors_of_seed_and_offset" for name in ("seedTensor", "offsetTensor")},
}  # fmt: skip
