"""Good calls that a search does not find: see `tests.aclnn.ops.good_calls`."""

from __future__ import annotations

from typing import Any

from acl_runtime import *
from tests.aclnn.ops.case import Meta

GOOD: dict[str, dict[str, Any]] = {
    "aclRfft1D": {"self": Meta((2, 6)), "n": -1, "dim": 1, "norm": 1, "out": Meta((2, 4, 2))},
    "aclStft": {
        "self": Meta((2, 12)), "windowOptional": Meta((3,)), "out": Meta((2, 3, 5), ACL_COMPLEX64), "nFft": 4,
        "hopLength": 2, "winLength": 3, "normalized": True, "onesided": True, "returnComplex": True,
    },
}  # fmt: skip
UNTYPED = {
    ("aclStft", "out", dtype): "test_parts_are_real_numbers: out has another shape"
    for dtype in ("ACL_FLOAT", "ACL_DOUBLE")
}
