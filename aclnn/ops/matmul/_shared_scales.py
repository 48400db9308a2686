"""Factors of a product whose blocks of 32 elements share scales."""

from aclnn.op import Arguments, Operand, Planning
from aclnn.ops.blocks._contract import unscaled
from aclnn.ops.matmul._family import swapped


def inner_axis(a: Arguments, name: str) -> int:
    """The dimension of the factor x1 or x2 that the product sums up."""
    return a.rank(name) - (2 if a[f"transpose{name.upper()}"] == (name == "x1") else 1)


def with_shared_scales(p: Planning, name: str, narrow: Operand, scale: str) -> Operand:
    """A factor times the scales of its blocks, in FLOAT; transposed if its flag is set."""
    wide = unscaled(p, narrow, p.read(scale), inner_axis(p, name))
    return swapped(wide) if p[f"transpose{name.upper()}"] else wide
