"""Equal: are two tensors the same?"""

import numpy as np

from acl_runtime.headers.dtypes import Array
from acl_runtime.headers.enums import aclDataType
from aclnn.engine.operator import planned
from aclnn.engine.planning import Planning
from aclnn.engine.words.common_types import REAL_OR_UNSIGNED
from aclnn.engine.words.shapes import ranks, shape
from aclnn.engine.words.types import computed_among, listed, promoted
from aclnn.engine.words.values import may_be_in_place

T = aclDataType


def all_equal(self: Array, other: Array) -> Array:
    same: Array = self == other
    return np.full(1, bool(same.all()))


@planned(
    "aclnnEqual", promoted("self", "other"), computed_among(REAL_OR_UNSIGNED), listed("out", among=(T.ACL_BOOL,)),
    ranks("self", "other", "out", least=0, most=8),
    shape("out", "{0} has one element, in one dimension", lambda a: (1,)), may_be_in_place(),
)  # fmt: skip
def equal(p: Planning) -> None:
    """out = have self and other one shape, and equal elements? NaN is equal to nothing."""
    if p.shape("self") != p.shape("other"):
        p.fill("out", False)
    elif not p["self"].numel:
        p.fill("out", True)
    else:
        dtype = p.computed()
        p.store("out", p.step(all_equal, [p.read("self", dtype), p.read("other", dtype)], (1,), T.ACL_BOOL))
