"""Nonzero and NonzeroV2: the coordinates of the elements that are not zero."""

from typing import cast

import numpy as np

from aclnn.op import Arguments, Array, Bad, DataTypes, Planning, Series, T, demand, empty, listed, planned, ranks


NONZERO_TYPES = DataTypes(
    (
        T.ACL_FLOAT, T.ACL_INT32, T.ACL_INT64, T.ACL_FLOAT16, T.ACL_INT16, T.ACL_INT8, T.ACL_UINT8, T.ACL_DOUBLE,
        T.ACL_BOOL,
    ),
    {
        Series.A2: (T.ACL_BF16,), Series.A3: (T.ACL_BF16,),
        Series.A950: (T.ACL_BF16, T.ACL_UINT16, T.ACL_UINT32, T.ACL_UINT64),
    },
)  # fmt: skip
LARGEST = (1 << 31) - 1


def large(a: Arguments) -> Bad:
    return (list(a.shape("self")), f"sizes up to {LARGEST}") if max(a.shape("self"), default=0) > LARGEST else None


COMMON_RULES = (
    listed("out", among=(T.ACL_INT64,)), ranks("self", "out", least=0, most=8),
    demand("no dimension of {0} is above 2^31 - 1", "self", bad=large), empty("self", "out"),
)  # fmt: skip


@planned("aclnnNonzero", listed("self", among=NONZERO_TYPES), *COMMON_RULES)
def nonzero(p: Planning) -> None:
    """out = the coordinates of the elements of self that are not zero, a row for each, in row-major order. The view
    shape of out becomes (count, rank) when the operator has run. NaN is not zero; -0.0 is zero."""
    self = p["self"]
    p.size(coordinates, [p.read("self")], "out", (self.numel, len(self.shape)))


def coordinates(self: Array) -> Array:
    return np.argwhere(self != 0)


@planned("aclnnNonzeroV2", listed("self"), *COMMON_RULES)
def nonzero_v2(p: Planning) -> None:
    """Like aclnnNonzero, with a column for each element: the view shape of out becomes (rank, count)."""
    self = p["self"]
    p.size(columns, [p.read("self")], "out", (len(self.shape), self.numel))


def columns(self: Array) -> Array:
    return np.ascontiguousarray(np.transpose(cast("Array", np.argwhere(self != 0))))
