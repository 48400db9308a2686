"""IsFinite, IsInf and Signbit, which test single numbers, and IsIn, which tests membership in a set of numbers."""

from math import isnan, prod

import numpy as np

from aclnn.op import (
    BOOL, IEEE_FLOATS, REAL, REAL_OR_UNSIGNED, SHORT_FLOAT, SHORT_FLOAT_OR_WHOLE, Arguments, Array, DataTypes, Planning,
    Series, T, empty, generated, is_float, listed, may_be_in_place, mixed, planned, promote, ranks, same_shape,
    with_bf16,
)  # fmt: skip


A950 = Series.A950
SOUGHT = with_bf16((*IEEE_FLOATS, T.ACL_INT8, T.ACL_INT16, T.ACL_INT32, T.ACL_INT64, T.ACL_UINT8))
TRUTH = DataTypes(BOOL)


def store_predicate(p: Planning, formula: object, name: str = "self") -> None:
    """Plan out = formula(tensor), as BOOL."""
    x = p.read(name)
    p.store("out", p.step(formula, [x], x.shape, T.ACL_BOOL))  # pyright: ignore[reportArgumentType]


def infinite_above(x: Array) -> Array:
    return x == np.inf


def infinite_below(x: Array) -> Array:
    return x == -np.inf


def negative(x: Array) -> Array:
    return np.zeros(x.shape, np.bool_) if x.dtype.kind in "bu" else x < 0


def sign_bit(x: Array) -> Array:
    return np.signbit(x) if x.dtype.kind == "f" else negative(x)


@planned(
    "aclnnIsFinite", listed("self", among=REAL, provenance="public"), listed("out", among=TRUTH),
    ranks("self", least=0, most=8), same_shape("out", "self"), empty("self"), may_be_in_place(),
)  # fmt: skip
def is_finite(p: Planning) -> None:
    """out = true where self is neither infinite nor NaN"""
    store_predicate(p, np.isfinite)


@planned(
    "aclnnIsInf", generated(), listed("x", among=SHORT_FLOAT, provenance="public"), listed("out", among=TRUTH),
    ranks("x", least=0, most=8), same_shape("out", "x"), empty("x"), may_be_in_place(),
)  # fmt: skip
def is_inf(p: Planning) -> None:
    """out = true where x is infinite"""
    store_predicate(p, np.isinf, "x")


INFINITE = (
    same_shape("out", "self"), ranks("self", least=0, most=8),
    listed("self", among=SHORT_FLOAT_OR_WHOLE, provenance="public"), listed("out", among=TRUTH), empty("self", "out"),
    may_be_in_place(),
)  # fmt: skip


@planned("aclnnIsPosInf", *INFINITE)
def is_pos_inf(p: Planning) -> None:
    """out = true where self is positive and infinite"""
    store_predicate(p, infinite_above)


@planned("aclnnIsNegInf", *INFINITE)
def is_neg_inf(p: Planning) -> None:
    """out = true where self is negative and infinite"""
    store_predicate(p, infinite_below)


@planned(
    "aclnnSignbit", listed("self", "out", among=REAL_OR_UNSIGNED, provenance="public"),
    ranks("self", "out", least=0, most=8), same_shape("out", "self"), empty("self"), may_be_in_place(),
)  # fmt: skip
def signbit(p: Planning) -> None:
    """out = true where self is negative; on Ascend 950, if its sign bit is set, as in -0.0"""
    store_predicate(p, sign_bit if p.soc.series is A950 else negative)


def sought_in(a: Arguments, tensor: str, scalar: str) -> int:
    """The data type of IsIn: that of a float tensor, or of a tensor beside an integer; else the promoted data type."""
    tensor_dtype, scalar_dtype = a.dtype(tensor), a.dtype(scalar)
    both = mixed(tensor_dtype, scalar_dtype) if a.soc.series is A950 else promote(tensor_dtype, scalar_dtype)
    return tensor_dtype if is_float(tensor_dtype) or not is_float(scalar_dtype) or both is None else both


def equals(x: Array, value: Array, *, invert: bool) -> Array:
    return (x != value) if invert else (x == value)


def equals_any(x: Array, value: Array, *, invert: bool) -> Array:
    return np.asarray(np.any(x == value) != invert)


@planned(
    "aclnnIsInTensorScalar", listed("element", "testElement", among=SOUGHT, provenance="public"),
    listed("out", among=TRUTH), ranks("element", "out", least=0, most=8), same_shape("out", "element"),
    empty("element"), may_be_in_place(),
)  # fmt: skip
def is_in_tensor_scalar(p: Planning) -> None:
    """out = true if element is equal to testElement; with `invert`, if it is not"""
    dtype = sought_in(p, "element", "testElement")
    x, value = p.read("element", dtype), p.constant("testElement", dtype)
    p.store("out", p.step(equals, [x, value], x.shape, T.ACL_BOOL, invert=p["invert"]))


@planned(
    "aclnnIsInScalarTensor", listed("element", "testElements", among=SOUGHT, provenance="public"),
    listed("out", among=TRUTH), ranks("testElements", least=0, most=8), ranks("out", least=0, most=0),
)  # fmt: skip
def is_in_scalar_tensor(p: Planning) -> None:
    """out = true if element is equal to one of testElements; with `invert`, if it is equal to none. If the storage of
    testElements has 10 elements or more, both data types promote."""
    tensor, value = p["testElements"], p["element"].item()
    if not tensor.numel or (isinstance(value, float) and isnan(value)):
        p.fill("out", p["invert"])
        return
    dtype = sought_in(p, "testElements", "element")
    if prod(tensor.storage_shape) >= 10:
        dtype = promote(p.dtype("element"), tensor.dtype) or dtype
    x, sought = p.read("testElements", dtype), p.constant("element", dtype)
    p.store("out", p.step(equals_any, [x, sought], (), T.ACL_BOOL, invert=p["invert"]))
