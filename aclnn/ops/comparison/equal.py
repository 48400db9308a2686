"""Equal: true if two tensors have the same shape and equal elements."""

import numpy as np

from aclnn.op import (
    REAL_OR_UNSIGNED, Array, Planning, T, computed_among, listed, may_be_in_place, planned, promoted, ranks, shape,
)  # fmt: skip


def all_equal(self: Array, other: Array) -> Array:
    same: Array = self == other
    return np.full(1, bool(same.all()))


@planned(
    "aclnnEqual", promoted("self", "other"), computed_among(REAL_OR_UNSIGNED), listed("out", among=(T.ACL_BOOL,)),
    ranks("self", "other", "out", least=0, most=8),
    shape("out", "{0} has one element, in one dimension", lambda a: (1,)), may_be_in_place(),
)  # fmt: skip
def equal(p: Planning) -> None:
    """out = true if self and other have the same shape and equal elements. NaN is equal to nothing."""
    if p.shape("self") != p.shape("other"):
        p.fill("out", False)
    elif not p["self"].numel:
        p.fill("out", True)
    else:
        dtype = p.computed()
        p.store("out", p.step(all_equal, [p.read("self", dtype), p.read("other", dtype)], (1,), T.ACL_BOOL))
