"""Prod and ProdDim: products of elements."""

import numpy as np

from aclnn.op import (
    EVERY, HALVES, Array, Planning, Series, Shape, T, axis, empty, filling, left, listed, loose_shape, planned, ranks,
    same_dtype,
)  # fmt: skip
from aclnn.ops.reduction.sums import REAL_IF_EMPTY

CHECKED = (
    listed("self", among=EVERY, provenance="public"), same_dtype("out", as_="dtype"),
    ranks("self", "out", least=0, most=8),
)  # fmt: skip


def multiplied(x: Array, *, axes: tuple[int, ...], keepdims: bool) -> Array:
    """The product. Integers wrap in their own width."""
    return np.prod(x, axes, x.dtype, keepdims=keepdims)


def computed_in(p: Planning) -> int:
    """The data type of the product: "F32 when out is BOOL, or when self and dtype are both F16; otherwise in out's
    type". On Ascend 950, 16 bits with a FLOAT out are computed in 16 bits."""
    in_dtype, out_dtype = p.dtype("self"), p.dtype("out")
    if out_dtype == T.ACL_BOOL or in_dtype == out_dtype == T.ACL_FLOAT16:
        return T.ACL_FLOAT
    return in_dtype if p.soc.series is Series.A950 and in_dtype in HALVES and out_dtype == T.ACL_FLOAT else out_dtype


def product(p: Planning, axes: tuple[int, ...], shape: Shape, *, keepdims: bool) -> None:
    """Plans the product as one step. A 0-d tensor is copied."""
    if not p.rank("self"):
        p.store("out", p.read("self"))
        return
    x = p.read("self", computed_in(p))
    p.store("out", p.step(multiplied, [x], shape, x.dtype, axes=axes, keepdims=keepdims))


@planned(
    "aclnnProd", *CHECKED, REAL_IF_EMPTY, empty("self", plan=filling("out", 1)),
    loose_shape("out", "{0} has one element", lambda a: ()),
)  # fmt: skip
def prod(p: Planning) -> None:
    """out = the product of all elements of self, as dtype; 1 if there are none"""
    product(p, tuple(range(p.rank("self"))), (), keepdims=False)


@planned(
    "aclnnProdDim", *CHECKED, axis("dim", of="self"), REAL_IF_EMPTY, empty("self", plan=filling("out", 1)),
    loose_shape("out", "{0} has the shape that is left of self", lambda a: left(a, "self", "dim", "keepDim")),
)  # fmt: skip
def prod_dim(p: Planning) -> None:
    """out = the product along dim, as dtype"""
    product(p, p.axes("dim", "self"), left(p, "self", "dim", "keepDim"), keepdims=p["keepDim"])
