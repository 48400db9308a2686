"""Foreach functions with special rules: norms, rounding, copies, zeros, the check of a gradient scaler."""

from math import isinf
from typing import Any, Final

import numpy as np

from aclnn.op import (
    TILING, UP_TO_32_BITS, Arguments, Array, Bad, Planning, Series, T, aclDataType, demand, done, filled, generated,
    in_parts, listed, one_element, overwrites, planned, ranks, row_slices, same_count, total, type_rows, uniform,
)  # fmt: skip
from aclnn.ops.elementwise.rounding import fraction
from aclnn.ops.foreach._family import (
    INVALID,
    first_types,
    foreach,
    not_too_long,
    public_formats,
    room,
    write,
)
from aclnn.ops.foreach._numbers import FLOAT_OR_DOUBLE, Host, OnDevice, Rows


# norms


def not_one_element(a: Arguments) -> Bad:
    wrong = [list(tensor.shape) for tensor in a["out"] if tensor.numel != 1]
    return (wrong[0], "one element") if wrong else None


@planned(
    "aclnnForeachNorm", generated(), listed("x"), first_types("out", as_="x"),
    type_rows(("x", "scalar"), dict.fromkeys(UP_TO_32_BITS, (*FLOAT_OR_DOUBLE, T.ACL_INT64))),
    not_too_long("x", least=1), same_count("out", "x", TILING), uniform("x", status=TILING),
    uniform("out", status=TILING), ranks("x", least=0, most=8, status=TILING),
    demand("the tensors of {0} have one element", "out", bad=not_one_element, status=TILING),
)  # fmt: skip
def norm(p: Planning) -> None:
    """out = the norm of each tensor: the sum of absolute values if 1 <= scalar < 2; on Ascend 950, the largest absolute
    value if scalar is infinite; else the root of the sum of squares"""
    order = float(p.number("scalar", T.ACL_FLOAT))
    kernel = (
        largest
        if order == np.inf and p.soc.series is Series.A950
        else sum_of_sizes
        if not isinf(order) and 1 <= order < 2
        else length
    )
    for target, x in zip(p["out"], p.read_all("x"), strict=True):
        result = p.step(kernel, [x], (), x.dtype)
        write(p, target, p.builder.reshape(result, target.shape), "out")


def largest(x: Array) -> Array:
    return np.max(np.abs(x), initial=0)


def sum_of_sizes(x: Array) -> Array:
    return total(np.abs(x), None)


def length(x: Array) -> Array:
    return np.sqrt(total(x * x, None))


# rounding


class Mode(Host):
    """An aclScalar with the mode of rounding."""

    def rows(self, stem: str, series: Series) -> Rows:
        return dict.fromkeys((*UP_TO_32_BITS, T.ACL_INT16, T.ACL_INT32), (T.ACL_INT8, T.ACL_INT64))

    def read_as(self, p: Planning, stem: str, dtype: int) -> int:
        return T.ACL_INT64


class ModeTensor(OnDevice):
    """A tensor of one element with the mode of rounding."""

    def rows(self, stem: str, series: Series) -> Rows:
        return dict.fromkeys((*UP_TO_32_BITS, T.ACL_INT16, T.ACL_INT32), (T.ACL_INT8,))


def to_odd(x: Array) -> Array:
    """x rounded to the odd one of two neighbouring integers; an integer stays."""
    low = np.floor(x)
    return np.where((low != x) & (np.fmod(low, 2) == 0), low + 1, low)


def away(x: Array) -> Array:
    """x rounded to the nearest integer, half away from 0."""
    whole = np.trunc(x)
    return np.where(np.abs(x - whole) >= 0.5, whole + np.sign(x), whole)


MODES: Final[dict[int, Any]] = {2: np.floor, 3: np.ceil, 4: away, 5: np.trunc, 6: to_odd, 7: fraction}


def rounded(x: Array, by: Any) -> Array:
    mode = int(by)
    return x if x.dtype.kind in "iu" and mode != 7 else MODES.get(mode, np.rint)(x)


DOC = (
    "out = each tensor, rounded by mode: 1 to the nearest integer, half to even; 2 down; 3 up; 4 to the nearest "
    "integer, half away from 0; 5 toward 0; 6 to the odd neighbour. Mode 7 gives the fraction. Others are read as 1."
)
WITH_INT32: Final = (*UP_TO_32_BITS, T.ACL_INT16, T.ACL_INT32)
round_off = foreach(__name__, "RoundOffNumber", "x", formula=rounded, by=ModeTensor("roundMode"), doc=DOC)
round_off_v2 = foreach(
    __name__, "RoundOffNumberV2", "x", formula=rounded, by=Mode("roundMode"), doc=DOC, among=WITH_INT32
)


# copies and zeros

NARROWED: Final = {T.ACL_FLOAT: (T.ACL_FLOAT16, T.ACL_BF16), T.ACL_FLOAT16: (T.ACL_FLOAT,), T.ACL_BF16: (T.ACL_FLOAT,)}


def not_castable(a: Arguments) -> Bad:
    in_dtype, out_dtype = (a[name][0].dtype if a[name] else 0 for name in ("x", "out"))
    allowed = (in_dtype, *NARROWED.get(aclDataType(in_dtype), ()))
    return None if out_dtype in allowed else (a.type_name("out"), "the data type of x, or one that it can be cast to")


@planned(
    "aclnnForeachCopy", same_count("out", "x", INVALID), done("x has no tensors", "x", when=lambda a: not a["x"]),
    listed("x"), uniform("x"), uniform("out"),
    demand("tensors can be copied from the data type of {1} to that of {0}", "out", "x", bad=not_castable),
    ranks("x", least=0, most=8), *map(public_formats, ("x", "out")), not_too_long("x"), room("out", "x"),
)  # fmt: skip
def copy(p: Planning) -> None:
    """out = x, of each tensor. FLOAT is cast to FLOAT16 or BFLOAT16, and these to FLOAT, if out has that data type."""
    for target, x in zip(p["out"], p.read_all("x"), strict=True):
        if target.numel:
            write(p, target, p.builder.cast(x, target.dtype, "out"), "out")


@planned(
    "aclnnForeachZeroInplace", generated(), overwrites("x"), listed("x"), not_too_long("x", least=1),
    uniform("x", status=TILING), ranks("x", least=0, most=8, status=TILING),
    done("the tensors of x have no elements", "x", when=lambda a: not any(tensor.numel for tensor in a["x"])),
)  # fmt: skip
def zero(p: Planning) -> None:
    """x = 0, of each tensor"""
    for target in p["x"]:
        p.put(target, p.step(filled, [], target.shape, target.dtype, moves=True, value=0, sizes=target.shape), "x")


# the check of a gradient scaler


def without_elements(a: Arguments) -> Bad:
    wrong = [list(grad.shape) for grad in a["scaledGrads"] if not grad.numel]
    return (wrong[0], "one element or more") if wrong else None


@planned(
    "aclnnForeachNonFiniteCheckAndUnscale", generated(), listed("scaledGrads", "foundInf", "invScale"),
    not_too_long("scaledGrads", least=1), uniform("scaledGrads", status=TILING),
    demand("the tensors of {0} have elements", "scaledGrads", bad=without_elements, status=TILING),
    one_element("foundInf", status=TILING), one_element("invScale", status=TILING),
)  # fmt: skip
def non_finite_check_and_unscale(p: Planning) -> None:
    """foundInf = 1 if an element of scaledGrads is infinite or NaN, else unchanged; then scaledGrads = scaledGrads *
    invScale, of each tensor"""
    grads, found_inf = p.read_all("scaledGrads"), p.builder.reshape(p.read("foundInf"), ())
    scale = p.builder.reshape(p.read("invScale"), ())
    for grad in grads:  # before the gradients change
        found_inf = p.step(flagged, [found_inf, grad], (), T.ACL_FLOAT, moves=True)
    for target, grad in zip(p["scaledGrads"], grads, strict=True):
        p.put(target, p.step(unscaled, [grad, scale], grad.shape, grad.dtype), "scaledGrads")
    p.store("foundInf", p.builder.reshape(found_inf, p.shape("foundInf")))


@in_parts()
def unscaled(x: Array, scale: Array) -> Array:
    return x * scale


def flagged(found_inf: Array, x: Array) -> Array:
    """1 if x has an infinite element or NaN, else found_inf. A view with gaps is checked in slices of its first
    dimension."""
    rows = x.reshape(-1) if x.flags.c_contiguous else np.atleast_1d(x)
    finite = all(np.isfinite(rows[part]).all() for part in row_slices(len(rows), rows[:1].size))
    return found_inf if finite else np.ones_like(found_inf)
