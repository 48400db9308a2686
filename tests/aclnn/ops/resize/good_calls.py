"""Good calls that a search does not find: see `tests.aclnn.ops.good_calls`."""

from __future__ import annotations

from typing import Any

from acl_runtime import *
from tests.aclnn.ops.case import Meta
from tests.derived.values import Values


def image(*shape: int) -> Meta:
    return Meta(shape, ACL_FLOAT, ACL_FORMAT_NCHW)


GOOD: dict[str, dict[str, Any]] = {
    "aclnnUpsampleNearest2d": {
        "self": image(2, 3, 2, 3), "outputSize": Values((4, 4)), "out": image(2, 3, 4, 4),
    },
}  # fmt: skip
