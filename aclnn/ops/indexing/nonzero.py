"""Nonzero: where a tensor has elements that are not zero."""

import numpy as np

from acl_runtime.headers.dtypes import Array
from acl_runtime.headers.enums import aclDataType
from aclnn.engine.arguments import Arguments
from aclnn.engine.operator import planned
from aclnn.engine.planning import Planning
from aclnn.engine.words.shapes import ranks
from aclnn.engine.words.types import listed
from aclnn.engine.words.values import demand, empty

LARGEST = (1 << 31) - 1


def large(a: Arguments) -> tuple[object, object] | None:
    return (list(a.shape("self")), f"sizes up to {LARGEST}") if max(a.shape("self"), default=0) > LARGEST else None


@planned(
    "aclnnNonzero", listed("self"), listed("out", among=(aclDataType.ACL_INT64,)),
    ranks("self", "out", least=0, most=8), demand("no dimension of {0} is above 2^31 - 1", "self", bad=large),
    empty("self", "out"),
)  # fmt: skip
def nonzero(p: Planning) -> None:
    """out = the coordinates of the elements of self that are not zero, a row for each, in row-major order. The view
    shape of out becomes (count, rank) when the operator has run. NaN is not zero, -0.0 is zero."""
    self = p["self"]
    p.size(coordinates, [p.read("self")], "out", (self.numel, len(self.shape)))


def coordinates(self: Array) -> Array:
    return np.argwhere(self != 0)
