"""Good calls that a search does not find: see `tests.aclnn.ops.good_calls`."""

from __future__ import annotations

from acl_runtime import *
from tests.aclnn.ops.case import Meta

GOOD = {"aclnnNonzero": {"self": Meta((2, 3)), "out": Meta((6, 2), ACL_INT64)}}
