"""The largest and the smallest elements: Max, Min, Amax, Amin, MaxV2 and Aminmax."""

import numpy as np

from aclnn.op import (
    ACLNN_ERR_PARAM_NULLPTR, REAL, Arguments, Array, Bad, Kernel, Operator, Planning, Relation, axes, axes_of,
    axes_with_elements, axis, demand, empty, listed, loose_shape, planned, ranks, reduced, reduction, same_dtype,
)  # fmt: skip
from aclnn.ops.reduction._family import over

TYPE_RULES = (listed("self", among=REAL, provenance="public"), same_dtype("out", as_="self"))
OUTS = (
    listed("self", among=REAL, provenance="public"), same_dtype("minOut", as_="self"), same_dtype("maxOut", as_="self"),
    ranks("self", "minOut", "maxOut", least=0, most=8),
)  # fmt: skip


def largest(x: Array, *, axes: tuple[int, ...], keepdims: bool) -> Array:
    """The largest elements; NaN if any element is NaN."""
    return np.max(x, axes, keepdims=keepdims)


def smallest(x: Array, *, axes: tuple[int, ...], keepdims: bool) -> Array:
    """The smallest elements; NaN if any element is NaN."""
    return np.min(x, axes, keepdims=keepdims)


def of_all(name: str, kernel: Kernel, doc: str) -> Operator:
    """The extreme element of a whole tensor."""

    def plan(p: Planning) -> None:
        x = p.read("self")
        p.store("out", p.step(kernel, [x], (), x.dtype, axes=tuple(range(len(x.shape))), keepdims=False))

    relations = (
        listed("self", "out", among=REAL, provenance="public"), ranks("self", "out", least=0, most=8),
        empty("self", "out"), loose_shape("out", "{0} has one element", lambda a: ()),
    )  # fmt: skip
    return Operator((name,), relations, plan, doc, __name__)


def along(name: str, kernel: Kernel, dims: str, keepdims: str, doc: str, noop: str = "") -> Operator:
    """The extreme elements over dimensions."""

    def plan(p: Planning) -> None:
        x = p.read("self")
        p.store("out", over(p, kernel, x, dims, x.dtype, keepdims=p[keepdims], noop=noop))

    relations = (
        *TYPE_RULES, axes(dims, of="self"), axes_with_elements(dims, of="self"), ranks("self", "out", least=0, most=8),
        reduction("out", "self", dims, keepdims, exact=True, noop=noop), empty("self"),
    )  # fmt: skip
    return Operator((name,), relations, plan, doc, __name__)


def both(p: Planning, axes: tuple[int, ...], *, keepdims: bool) -> None:
    x = p.read("self")
    for name, kernel in (("minOut", smallest), ("maxOut", largest)):
        shape = reduced(x.shape, axes, keepdims=keepdims)
        p.store(name, p.step(kernel, [x], shape, x.dtype, axes=axes, keepdims=keepdims))


max_ = of_all("aclnnMax", largest, "out = the largest element of self")
min_ = of_all("aclnnMin", smallest, "out = the smallest element of self")
amax = along("aclnnAmax", largest, "dim", "keepDim", "out = the largest elements along dim; no dim means all")
amin = along("aclnnAmin", smallest, "dim", "keepDim", "out = the smallest elements along dim; no dim means all")
max_v2 = along(
    "aclnnMaxV2", largest, "dims", "keepDims",
    "out = the largest elements along dims. No dims means all dimensions, or with noopWithEmptyDims none",
    noop="noopWithEmptyDims",
)  # fmt: skip


def named(a: Arguments) -> tuple[int, ...]:
    """The dimensions that aclnnAminmax reduces; none if dim is empty."""
    return axes_of(a["dim"].values, a.rank("self")) if a["dim"].values and a.rank("self") else ()


def one_bad_dim(a: Arguments) -> Bad:
    """Checks dim: "dim must hold exactly one entry to be checked"."""
    dims, rank = a["dim"].values, max(a.rank("self"), 1)
    return None if len(dims) != 1 or -rank <= dims[0] < rank else (list(dims), f"[{-rank}, {rank - 1}]")


def one_dim_without_elements(a: Arguments) -> Bad:
    """Checks the size of dim: "the size test does not bite for a negative dim"."""
    dims, shape = a["dim"].values, a.shape("self")
    if len(dims) != 1 or dims[0] < 0 or not shape or shape[dims[0]]:
        return None
    return list(dims), "a dimension with elements"


def empty_without_one_dim(a: Arguments) -> Bad:
    bad = 0 in a.shape("self") and len(a["dim"].values) != 1
    return (list(a.shape("self")), "a tensor with elements, or one dim") if bad else None


def as_named(out: str) -> Relation:
    return loose_shape(
        out,
        "{0} has the shape that is left of self",
        lambda a: reduced(a.shape("self"), named(a), keepdims=a["keepDim"]),
    )


@planned(
    "aclnnAminmax", *OUTS, demand("{0} is a dimension of {1}, if it has one entry", "dim", "self", bad=one_bad_dim),
    demand(
        "{0} has elements in {1}, if it has one entry that is not negative", "dim", "self", bad=one_dim_without_elements
    ),
    demand("{0} has elements, if {1} has not one entry", "self", "dim", bad=empty_without_one_dim), empty("self"),
    axes("dim", of="self", status=ACLNN_ERR_PARAM_NULLPTR), as_named("minOut"), as_named("maxOut"),
)  # fmt: skip
def aminmax(p: Planning) -> None:
    """minOut and maxOut = the smallest and the largest elements along dim; if dim is empty, both are self"""
    both(p, named(p), keepdims=p["keepDim"])


@planned(
    "aclnnAminmaxDim", *OUTS, axis("dim", of="self"), axes_with_elements("dim", of="self", from_front=True),
    empty("self"), reduction("minOut", "self", "dim", "keepDim"), reduction("maxOut", "self", "dim", "keepDim"),
)  # fmt: skip
def aminmax_dim(p: Planning) -> None:
    """minOut and maxOut = the smallest and the largest elements along dim"""
    both(p, p.axes("dim", "self") if p.rank("self") else (), keepdims=p["keepDim"])


@planned(
    "aclnnAminmaxAll", *OUTS, empty("self"), loose_shape("minOut", "{0} has one element", lambda a: ()),
    loose_shape("maxOut", "{0} has one element", lambda a: ()),
)  # fmt: skip
def aminmax_all(p: Planning) -> None:
    """minOut and maxOut = the smallest and the largest element of self"""
    both(p, tuple(range(p.rank("self"))), keepdims=False)
