"""Gradients of gated units: the gradients of the two halves, joined along the dimension of the cut."""

import numpy as np

from aclnn.op import (
    ACLNN_ERR_PARAM_INVALID, REAL_FLOAT, SHORT_FLOAT, TILING, Array, Planning, Relation, Series, T, axis, demand, empty,
    generated, in_parts, listed, nulls, one_of, planned, ranks, same_dtype, same_shape, shape, with_elements,
)  # fmt: skip
from aclnn.ops.activation._family import sigmoid
from aclnn.ops.activation.gated import dim_out_of_range, even, halved, halves
from aclnn.ops.activation.smooth_gradients import slope_by_erf, slope_by_tanh


def half_of(name: str, reference: str, *, status: int = ACLNN_ERR_PARAM_INVALID) -> Relation:
    return shape(name, f"{{0}} has the shape of a half of {reference}", lambda a: halved(a, reference), status=status)


@planned(
    "aclnnGluBackward", nulls("self", "gradOut", "out"), listed("self", among=REAL_FLOAT, provenance="public"),
    same_dtype("gradOut", "self"), same_dtype("out", "self"), ranks("self", least=1, most=8), axis("dim", of="self"),
    even("self", ACLNN_ERR_PARAM_INVALID), half_of("gradOut", "self"), same_shape("out", "self"), empty("self"),
)  # fmt: skip
def glu_backward(p: Planning) -> None:
    """out = gradOut * s and gradOut * s * (A - A * s), joined along dim, where A and B are the halves of self and
    s = 1 / (1 + exp(-B)). FLOAT16 is computed in FLOAT; each step of BFLOAT16 is rounded, except on Ascend 950"""
    dtype = p.dtype("self")
    if dtype == T.ACL_FLOAT16 or (dtype == T.ACL_BF16 and p.soc.series is Series.A950):
        dtype = T.ACL_FLOAT
    x, g, axis, half = p.read("self", dtype), p.read("gradOut", dtype), p.axis("dim", of="self"), halved(p, "self")
    gate = p.step(gate_of, [x], half, dtype, axis=axis)
    first = p.step(np.multiply, [g, gate], half, dtype)
    gated = p.step(gated_half, [x, gate], half, dtype, axis=axis)
    difference = p.step(ungated_half, [x, gated], half, dtype, axis=axis)
    second = p.step(np.multiply, [first, difference], half, dtype)
    p.store("out", p.step(joined, [first, second], x.shape, dtype, axis=axis))


@in_parts("axis")
def gate_of(x: Array, *, axis: int) -> Array:
    return sigmoid(halves(x, axis)[1])


@in_parts("axis")
def gated_half(x: Array, gate: Array, *, axis: int) -> Array:
    return halves(x, axis)[0] * gate


@in_parts("axis")
def ungated_half(x: Array, gated: Array, *, axis: int) -> Array:
    return halves(x, axis)[0] - gated


@in_parts("axis")
def joined(first: Array, second: Array, *, axis: int) -> Array:
    return np.concatenate((first, second), axis)


@planned(
    "aclnnSwiGluGrad", generated(), listed("yGrad", "x", "out", among=SHORT_FLOAT, provenance="public"),
    same_dtype("x", "yGrad"), same_dtype("out", "yGrad"),
    demand("{0} is a dimension of {1}", "dim", "x", bad=dim_out_of_range, status=TILING, provenance="public"),
    even("x", TILING), with_elements("x", status=TILING, provenance="public"),
    half_of("yGrad", "x", status=TILING), same_shape("out", "x", status=TILING),
)  # fmt: skip
def swi_glu_grad(p: Planning) -> None:
    """out = yGrad * B * (s + A * s * (1 - s)) and yGrad * A * s, joined along dim, where A and B are the halves of x
    and s = 1 / (1 + exp(-A))"""
    g, x = p.read("yGrad"), p.read("x")
    p.store("out", p.step(swi_glu_slopes, [g, x], x.shape, x.dtype, axis=p.axis("dim", of="x")))


@in_parts("axis")
def swi_glu_slopes(g: Array, x: Array, *, axis: int) -> Array:
    linear, gate = halves(x, axis)
    s = sigmoid(linear)
    return np.concatenate((g * gate * (s + linear * s * (1 - s)), g * linear * s), axis)


INPUTS = ("gradOutput", "self", "gelu")
GE_GLU = (
    listed("gradOutput", among=SHORT_FLOAT, provenance="public"),
    *(same_dtype(name, "gradOutput") for name in (*INPUTS[1:], "gradInput")), same_shape("gelu", "gradOutput"),
    same_shape("gradInput", "self"), axis("dim", of="self"), ranks("self", least=1, most=8),
    even("self", ACLNN_ERR_PARAM_INVALID), half_of("gradOutput", "self"), one_of("approximate", 0, 1),
    empty("gradOutput"),
)  # fmt: skip


def ge_glu_plan(p: Planning, *, left: bool) -> None:
    inputs = [p.read(name) for name in INPUTS]
    result = p.step(
        ge_glu_slopes, inputs, p.shape("self"), inputs[0].dtype, axis=p.axis("dim", of="self"),
        tanh=p["approximate"] == 1, left=left,
    )  # fmt: skip
    p.store("gradInput", result)


@in_parts("axis")
def ge_glu_slopes(g: Array, x: Array, gelu: Array, *, axis: int, tanh: bool, left: bool) -> Array:
    first, second = halves(x, axis)
    gate, factor = (first, second) if left else (second, first)
    of_factor, of_gate = g * gelu, g * factor * (slope_by_tanh(gate) if tanh else slope_by_erf(gate))
    return np.concatenate((of_gate, of_factor) if left else (of_factor, of_gate), axis)


@planned("aclnnGeGluBackward", *GE_GLU)
def ge_glu_backward(p: Planning) -> None:
    """gradInput = gradOutput * gelu and gradOutput * A * the derivative of gelu at B, joined along dim, where A and B
    are the halves of self. approximate 0 selects the form of gelu with erf, 1 the form with tanh"""
    ge_glu_plan(p, left=False)


@planned("aclnnGeGluV3Backward", *GE_GLU)
def ge_glu_v3_backward(p: Planning) -> None:
    """Like aclnnGeGluBackward; if activateLeft is true, gradInput = gradOutput * B * the derivative of gelu at A and
    gradOutput * gelu, joined along dim"""
    ge_glu_plan(p, left=p["activateLeft"])
