"""Good calls that a search does not find: see `tests.aclnn.ops.good_calls`."""

from typing import Any

from acl_runtime import *
from tests.aclnn.ops.case import Meta

H = ACL_FLOAT16
GIVEN: dict[str, Any] = {
    "x": Meta((3, 4, 8), H), "hRes": Meta((3, 4, 4)), "hOut": Meta((3, 8), H), "hPost": Meta((3, 4)),
}  # fmt: skip
GOOD: dict[str, dict[str, Any]] = {
    "aclnnMhcPost": {**GIVEN, "out": Meta((3, 4, 8), H)},
    "aclnnMhcPostBackward": {
        "gradOutput": Meta((3, 4, 8), H), **GIVEN, "gradX": Meta((3, 4, 8), H), "gradHRes": Meta((3, 4, 4)),
        "gradHOut": Meta((3, 8), H), "gradHPost": Meta((3, 4)),
    },
}  # fmt: skip
