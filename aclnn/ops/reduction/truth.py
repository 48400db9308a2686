"""All and Any: true if all elements are true, or if any element is true. NaN counts as true."""

import numpy as np

from aclnn.op import REAL, Array, Planning, T, axes, empty, filling, listed, planned, public_format, ranks, reduction
from aclnn.ops.reduction._family import over

TYPE_RULES = (
    listed("self", among=REAL, provenance="public"),
    listed("out", among=(T.ACL_UINT8, T.ACL_BOOL), provenance="public"),
)


def all_true(x: Array, *, axes: tuple[int, ...], keepdims: bool) -> Array:
    return np.all(x, axes, keepdims=keepdims)


def any_true(x: Array, *, axes: tuple[int, ...], keepdims: bool) -> Array:
    return np.any(x, axes, keepdims=keepdims)


@planned(
    "aclnnAll", *TYPE_RULES, public_format("self"), axes("dim", of="self"), ranks("self", "out", least=0, most=8),
    reduction("out", "self", "dim", "keepdim", exact=True), empty("self", plan=filling("out", 1)),
)  # fmt: skip
def all_(p: Planning) -> None:
    """out = true if all elements along dim are true. No dim means all dimensions. Without elements out is true."""
    p.store("out", over(p, all_true, p.read("self"), "dim", T.ACL_BOOL, keepdims=p["keepdim"]))


@planned(
    "aclnnAny", *TYPE_RULES, axes("dim", of="self", once=False), ranks("self", "out", least=0, most=8),
    empty("self", plan=filling("out", 0)), reduction("out", "self", "dim", "keepdim"),
)  # fmt: skip
def any_(p: Planning) -> None:
    """out = true if any element along dim is true. No dim means all dimensions. Without elements out is false."""
    p.store("out", over(p, any_true, p.read("self"), "dim", T.ACL_BOOL, keepdims=p["keepdim"]))
