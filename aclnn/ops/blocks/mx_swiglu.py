"""SwigluMxQuant: the halves of a tensor, one of which gates the other, quantised in blocks."""

import numpy as np

from aclnn.op import (
    TILING, Arguments, Array, Bad, Planning, Shape, T, axis, demand, generated, in_parts, lacks, listed, nibbles,
    one_of, planned, ranks, shape, with_elements,
)  # fmt: skip
from aclnn.ops.blocks._contract import (
    algorithm,
    flattened,
    greatest,
    mode,
    named,
    rounding,
    scales,
    store_blocks,
    whole_bytes,
)
from aclnn.ops.blocks._grids import Rule
from aclnn.ops.quantisation._family import named_type
from aclnn.ops.quantisation.dequant_swiglu import gated

DIM, MODE, GROUPS = "activateDim", "roundModeOptional", "groupIndexOptional"


def half(a: Arguments) -> Shape:
    whole, dim = a.shape("x"), int(a[DIM]) % a.rank("x")
    return (*whole[:dim], whole[dim] // 2, *whole[dim + 1 :])


def odd(a: Arguments) -> Bad:
    size = flattened(a.shape("x"), a[DIM])[1]
    return (f"{size} elements", "an even number") if size % 2 else None


@planned(
    "aclnnSwigluMxQuant", generated(), nibbles("yOut"), lacks("groups of rows", lambda a: a.given(GROUPS)),
    listed("x", GROUPS, "yOut", "mxscaleOut"), ranks("x", GROUPS, status=TILING), with_elements("x", status=TILING),
    axis(DIM, of="x", status=TILING), demand("dimension activateDim of {0} has two halves", "x", DIM, bad=odd,
                                             status=TILING),
    one_of("swigluMode", 0, 1, status=TILING), axis("axis", of="x", status=TILING),
    named_type("dstType", "yOut", status=TILING), *rounding(MODE, "yOut"), one_of("scaleAlg", 0, 1, 2, status=TILING),
    algorithm("scaleAlg", "yOut"), greatest("maxDtypeValue"),
    shape("yOut", "{0} has half of dimension activateDim of x", half, status=TILING), whole_bytes("yOut", "yOut"),
    scales("mxscaleOut", "yOut", named("axis")),
)  # fmt: skip
def swiglu_mx_quant(p: Planning) -> None:
    """z = silu(A) * B, where A and B are the halves of x along activateDim, or B and A if activateLeft is false; yOut
    and mxscaleOut are aclnnDynamicMxQuantV2 of z along axis, in blocks of 32, with dstTypeMax = maxDtypeValue. With
    swigluMode 1, A has the even elements and B the odd ones, and z = g * sigmoid(gluAlpha * g) * (l + gluBias), where g
    = min(A, clampLimit), and l is B, clipped to clampLimit."""
    flat = flattened(p.shape("x"), p[DIM])
    gates = p.step(
        gated_along, [p.builder.reshape(p.read("x"), flat)], (flat[0], flat[1] // 2, flat[2]), T.ACL_FLOAT,
        left=p["activateLeft"], mode=p["swigluMode"], limit=p["clampLimit"], alpha=p["gluAlpha"], bias=p["gluBias"],
    )  # fmt: skip
    store_blocks(p, p.builder.reshape(gates, half(p)), "yOut", "mxscaleOut", axis=p["axis"], rounding=mode(p, MODE),
                 rule=Rule(p["scaleAlg"], p["maxDtypeValue"]))  # fmt: skip


@in_parts(first=1)
def gated_along(
    x: Array, *, left: bool, mode: int, limit: float, alpha: float, bias: float
) -> Array:  # fmt: skip
    """The gated halves of (outer, length, inner) along the length."""
    outer, length, inner = x.shape
    lines = np.moveaxis(x, 1, 2).reshape(-1, length)
    gates = gated(lines, left=left, mode=mode, limit=limit, alpha=alpha, bias=bias)
    return np.moveaxis(gates.reshape(outer, inner, length // 2), 2, 1)
