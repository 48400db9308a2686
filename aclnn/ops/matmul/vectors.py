"""Dot, Ger and Addr: products of two vectors."""

from typing import Any, Final

import numpy as np

from aclnn.op import (
    Arguments, Array, Bad, Planning, Shape, aclDataType, becomes, broadcast_shape, demand, dtype_name, empty, is_float,
    is_integer, listed, out_of_place, planned, promoted, ranks, same_dtype, same_shape, shape, total,
)  # fmt: skip


def dot(self: Array, tensor: Array) -> Array:
    """The sum of the products of two vectors. Integers keep their low bits."""
    return total(self * tensor, None)


@planned(
    "aclnnDot", same_dtype("tensor", "self"), same_dtype("out", "self"), listed("self"),
    ranks("self", "tensor"), same_shape("self", "tensor"), ranks("out"),
)  # fmt: skip
def dot_product(p: Planning) -> None:
    """out = the sum of self * tensor"""
    x = p.read("self")
    p.store("out", p.step(dot, [x, p.read("tensor")], (), x.dtype))


def outer(rows: Array, columns: Array) -> Array:
    return rows.reshape(-1, 1) * columns.reshape(1, -1)


@planned(
    "aclnnGer", listed("self", "vec2"), promoted("self", "vec2"), becomes("out"), ranks("self", "vec2", "out"),
    shape("out", "{0} has a row for each element of self, and a column for each of vec2",
          lambda a: (*a.shape("self"), *a.shape("vec2"))),
    empty("self", "vec2"),
)  # fmt: skip
def ger(p: Planning) -> None:
    """out = the outer product of self and vec2. For BOOL, * is `and`."""
    dtype = p.computed()
    result = p.step(outer, [p.read("self", dtype), p.read("vec2", dtype)], p.shape("out"), dtype)
    p.store("out", result)


TENSORS: Final = ("self", "vec1", "vec2")
SCALARS: Final = ("betaOptional", "alphaOptional")


def bool_scalar(name: str) -> Any:
    def bad(a: Arguments) -> Bad:
        dtype = a.promoted(*TENSORS)
        is_bool, computes_bool = a.dtype(name) == aclDataType.ACL_BOOL, dtype == aclDataType.ACL_BOOL
        return (
            ("BOOL", f"a number, as the tensors are {dtype_name(dtype or 0)}")
            if is_bool and not computes_bool
            else None
        )

    broken = "{0} is BOOL, and the tensors are not"
    return demand("{0} is BOOL only with tensors of BOOL", name, *TENSORS, bad=bad, broken=broken)


def float_scalar(name: str) -> Any:
    def bad(a: Arguments) -> Bad:
        whole = all(is_integer(dtype) or dtype == aclDataType.ACL_BOOL for dtype in a.dtypes(*TENSORS))
        return (a.type_name(name), "an integer, as the tensors are") if whole and is_float(a.dtype(name)) else None

    return demand("{0} is no float with tensors of integers", name, *TENSORS, bad=bad)


def addr_shape(a: Arguments) -> Shape:
    return *a.shape("vec1"), *a.shape("vec2")


def no_broadcast(a: Arguments) -> Bad:
    shape, expected_shape = a.shape("self"), addr_shape(a)
    return (
        None
        if broadcast_shape(shape, expected_shape) == expected_shape
        else (list(shape), f"broadcasts to {list(expected_shape)}")
    )


@planned(
    "aclnnAddr", "aclnnInplaceAddr", listed(*TENSORS, *SCALARS, "out"), promoted(*TENSORS),
    *map(bool_scalar, SCALARS), *map(float_scalar, SCALARS), ranks("vec1", "vec2", least=1, most=1),
    out_of_place(ranks("self", least=0, most=2),
                 demand("{0} broadcasts to the outer product", *TENSORS, bad=no_broadcast)),
    empty("vec1", "vec2"),
    shape("out", "{0} has a row for each element of vec1, a column for each of vec2", addr_shape),
)  # fmt: skip
def addr(p: Planning) -> None:
    """out = beta * self + alpha * the outer product of vec1 and vec2; null scalars are 1. Each step is rounded, and
    alpha is multiplied with vec1. beta 0 leaves out self."""
    dtype, shape = p.computed(), addr_shape(p)
    beta, alpha = (p.number(name, dtype) if p.given(name) else 1 for name in SCALARS)
    rows = p.step(times, [p.read("vec1", dtype)], p.shape("vec1"), dtype, factor=alpha)
    result = p.step(outer, [rows, p.read("vec2", dtype)], shape, dtype)
    if beta:
        scaled = p.step(times, [p.read("self", dtype)], p.shape("self"), dtype, factor=beta)
        result = p.step(np.add, [scaled, result], shape, dtype)
    p.store("out", result)


def times(values: Array, *, factor: Any) -> Array:
    return values * factor
