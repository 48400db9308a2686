"""Gradients of smooth activations, and of Threshold."""

from typing import Any

import numpy as np

from aclnn.op import (
    FLOAT_OR_HALF, SHORT_FLOAT, Arguments, Array, Bad, Planning, Series, T, aclDataType, becomes, broadcast,
    broadcast_of, computed_in, demand, elementwise, empty, except_on, listed, nulls, only_on, planned, promoted, ranks,
    same_dtype, same_shape, with_bf16,
)  # fmt: skip
from aclnn.ops.activation._family import one_type_or_float, sigmoid

A950 = Series.A950
RANK_RULE = ranks("gradOutput", "self", least=0, most=8)
NO_WORK = empty("gradOutput", "self")


OF_OUTPUT = (ranks("gradOutput", "output", least=0, most=8), broadcast("gradOutput", "output", into="gradInput"),
             empty("gradOutput", "output"))  # fmt: skip


@elementwise(
    "aclnnTanhBackward", listed("gradOutput", "output", "gradInput"), same_dtype("output", "gradOutput"),
    same_dtype("gradInput", "gradOutput"), *OF_OUTPUT, out="gradInput",
)  # fmt: skip
def tanh_backward(gradOutput: Array, output: Array) -> Array:
    """gradInput = gradOutput * (1 - output^2)"""
    return gradOutput * (1 - output * output)


@elementwise(
    "aclnnSigmoidBackward", listed("gradOutput", "output"), promoted("gradOutput", "output"), becomes("gradInput"),
    *OF_OUTPUT, out="gradInput",
)  # fmt: skip
def sigmoid_backward(gradOutput: Array, output: Array) -> Array:
    """gradInput = gradOutput * output * (1 - output)"""
    return gradOutput * (output * (1 - output))


def other_gradient(a: Arguments) -> Bad:
    expected = aclDataType(one_type_or_float(a))
    return None if a.dtype("gradInput") == expected else (a.type_name("gradInput"), expected.name)


@elementwise(
    "aclnnSiluBackward", listed("gradOutput", "self", "gradInput", among=SHORT_FLOAT, provenance="public"),
    except_on(A950, same_dtype("self", "gradOutput"), same_dtype("gradInput", "gradOutput")),
    only_on(A950, demand("{0} has the type of {1} and {2}, or FLOAT", "gradInput", "gradOutput", "self",
                         bad=other_gradient)),
    computed_in(one_type_or_float), RANK_RULE,
    except_on(A950, same_shape("self", "gradOutput"), same_shape("gradInput", "gradOutput")),
    only_on(A950, broadcast("gradOutput", "self", into="gradInput")), NO_WORK, out="gradInput",
)  # fmt: skip
def silu_backward(gradOutput: Array, self: Array) -> Array:
    """gradInput = gradOutput * s * (1 + self * (1 - s)), with s = 1 / (1 + exp(-self))"""
    s = sigmoid(self)
    return gradOutput * s * (1 + self * (1 - s))


def int64_with_threshold(a: Arguments) -> Bad:
    """INT64 is accepted on Ascend 950 if the threshold is 0."""
    if a.dtype("gradOutput") != T.ACL_INT64 or a["threshold"].item() == 0:
        return None
    return a.type_name("gradOutput"), "another data type than INT64, as the threshold is not 0"


@planned(
    "aclnnThresholdBackward", nulls("threshold", "out", "gradOutput", "self"),
    listed("gradOutput", "self", "out", provenance="public",
           among=with_bf16((*FLOAT_OR_HALF, T.ACL_INT8, T.ACL_UINT8, T.ACL_INT32), {A950: (T.ACL_INT64,)})),
    only_on(A950, demand("{0} is INT64 only if {1} is 0", "gradOutput", "threshold", bad=int64_with_threshold,
                         broken="{0} is INT64, and {1} is not 0")),
    same_dtype("self", "gradOutput"), same_dtype("out", "gradOutput"), RANK_RULE,
    broadcast("gradOutput", "self", into="out"), NO_WORK,
)  # fmt: skip
def threshold_backward(p: Planning) -> None:
    """out = gradOutput where self is above the threshold or NaN, else 0"""
    g, x = p.read("gradOutput"), p.read("self")
    limit = p.number("threshold", T.ACL_FLOAT)
    limit = np.float32(0) if abs(limit) <= 1.2e-7 else limit
    p.store("out", p.step(gradient_above, [g, x], broadcast_of(g, x), g.dtype, threshold=limit))


def gradient_above(g: Array, x: Array, *, threshold: Any) -> Array:
    return np.where(x <= threshold, g.dtype.type(0), g)
