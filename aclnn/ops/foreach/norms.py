"""The norm of each tensor, and gradients that a loss scale is taken out of."""

from typing import Final

import numpy as np

from acl_runtime.headers.dtypes import Array
from acl_runtime.headers.enums import aclDataType
from acl_runtime.objects.soc import Series
from aclnn.engine.arguments import Arguments
from aclnn.engine.numbers.rounding import total
from aclnn.engine.operator import planned
from aclnn.engine.planning import Planning
from aclnn.engine.words.shapes import ranks
from aclnn.engine.words.types import listed, same_dtype, uniform
from aclnn.engine.words.values import demand, generated
from aclnn.ops.foreach._generated import ALL_EMPTY, TILING, counted, nothing
from aclnn.ops.foreach.by_scalar import Bad, same_length

T = aclDataType
INFINITE: Final = -1
"""the order of the norm that is the largest magnitude"""


def lengths(x: Array, *, by: int) -> Array:
    """The norm of a tensor in one element: the sum of magnitudes, their largest, or the root of the sum of squares."""
    if by == INFINITE:
        return np.max(np.abs(x), initial=0).reshape(1)
    if by == 1:
        return total(np.abs(x), None).reshape(1)
    return np.sqrt(total(np.square(x), None)).reshape(1)


def norm_order(p: Planning) -> int:
    """The order is cut to an integer. On Ascend 950 infinity counts too; every other one means 2."""
    value = float(p.scalar("scalar", T.ACL_FLOAT))
    if value == np.inf and p.soc.series is Series.A950:
        return INFINITE
    return 1 if np.isfinite(value) and int(value) == 1 else 2


def one_element(a: Arguments) -> Bad:
    found = [each.numel for each in a["out"] if each.numel != 1]
    return (f"{found[0]} elements", "1") if found else None


@planned(
    "aclnnForeachNorm", generated(), counted("x"), nothing("x"), listed("x", "scalar"), same_dtype("out", as_="x"),
    same_length("out", "x", TILING), uniform("x", status=TILING),
    demand("the tensors of {0} have one element", "out", bad=one_element, status=TILING),
    ranks("x", least=0, most=8, status=TILING), ALL_EMPTY,
)  # fmt: skip
def norm(p: Planning) -> None:
    """out = the norm of each tensor: for scalar = 1 the sum of the magnitudes, else the root of the sum of squares"""
    order = norm_order(p)
    for out, x in zip(p["out"], p.read_all("x"), strict=True):
        p.put(out, p.builder.reshape(p.step(lengths, [x], (1,), x.dtype, by=order), out.shape), "out")


def has_elements(a: Arguments) -> Bad:
    return (f"{len(a['scaledGrads'])} tensors", "no empty one") if not all(x.numel for x in a["scaledGrads"]) else None


@planned(
    "aclnnForeachNonFiniteCheckAndUnscale", generated(), counted("scaledGrads"), nothing("scaledGrads"),
    listed("scaledGrads", "foundInf", "invScale"), uniform("scaledGrads", status=TILING),
    demand("{0} has no empty tensor", "scaledGrads", bad=has_elements, status=TILING),
    *(demand("{0} has one element", name, status=TILING, bad=lambda a, name=name: (
        None if a[name].numel == 1 else (f"{a[name].numel} elements", "1"))) for name in ("foundInf", "invScale")),
)  # fmt: skip
def non_finite_check_and_unscale(p: Planning) -> None:
    """foundInf = 1 if an element of scaledGrads is infinite or NaN; scaledGrads = scaledGrads * invScale"""
    scale, flag = p.read("invScale", T.ACL_FLOAT), p.read("foundInf", T.ACL_FLOAT)
    for tensor, grad in zip(p["scaledGrads"], p.read_all("scaledGrads"), strict=True):
        flag = p.step(flagged, [flag, grad], flag.shape, T.ACL_FLOAT)
        p.put(tensor, p.step(unscaled, [grad, p.builder.reshape(scale, ())], grad.shape, grad.dtype), "scaledGrads")
    p.store("foundInf", flag)


def flagged(flag: Array, grad: Array) -> Array:
    return flag if np.isfinite(grad).all() else np.ones_like(flag)


def unscaled(grad: Array, scale: Array) -> Array:
    return grad * scale
