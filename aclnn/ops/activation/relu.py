"""Relu."""

import numpy as np

from acl_runtime.headers.dtypes import Array
from acl_runtime.headers.enums import aclDataType
from acl_runtime.objects.soc import NEWER
from aclnn.engine.operator import planned
from aclnn.engine.parameters import DataTypes
from aclnn.engine.planning import Planning
from aclnn.engine.words.shapes import ranks, same_shape
from aclnn.engine.words.types import listed, same_dtype
from aclnn.engine.words.values import empty, may_be_in_place

T = aclDataType
BF16 = (T.ACL_BF16,)
TYPES = DataTypes(
    (T.ACL_FLOAT, T.ACL_FLOAT16, T.ACL_INT8, T.ACL_UINT8, T.ACL_INT32, T.ACL_INT64),
    dict.fromkeys(NEWER, BF16),
)
"""the document of Relu lists no UINT8, and that of InplaceRelu does"""


def rectified(x: Array) -> Array:
    """NaN stays, and -0.0 becomes 0.0: a sum with 0 has no -0.0."""
    return np.maximum(x, 0) + 0


@planned(
    "aclnnRelu", "aclnnInplaceRelu", listed("self", "out", among=TYPES), same_dtype("out", "self"), ranks("self"),
    same_shape("out", "self"), empty("self"), may_be_in_place(),
)  # fmt: skip
def relu(p: Planning) -> None:
    """out = max(self, 0). UINT8 is copied; in place there is nothing to do then."""
    if p.dtype("self") != T.ACL_UINT8:
        x = p.read("self")
        p.store("out", p.step(rectified, [x], x.shape, x.dtype))
    elif not p.op.twin():
        p.store("out", p.read("self"))
