"""MoeGatingTopKBackward: the gradient of the weights of the chosen experts."""

import numpy as np

from aclnn.op import (
    Array, Planning, check_range, in_parts, lacks, listed, planned, ranks, same_dtype, same_shape, shape, take_along,
    total, with_elements,
)  # fmt: skip

EXPERTS = "expertIdx"


@planned(
    "aclnnMoeGatingTopKBackward", lacks("another normType than 1", lambda a: a["normType"] != 1),
    listed("xNorm", "gradY", EXPERTS), same_dtype("out", "gradY"), ranks("xNorm", "gradY", EXPERTS),
    shape("gradY", "{0} has the rows of xNorm", lambda a: (*a.shape("xNorm")[:1], *a.shape("gradY")[1:])),
    same_shape(EXPERTS, "gradY"), same_shape("out", "xNorm"), with_elements("xNorm"),
)  # fmt: skip
def moe_gating_top_k_backward(p: Planning) -> None:
    """w = xNorm at the chosen experts, and d = the sum of w of a token + eps; g = routedScalingFactor * gradY; h = (g -
    the sum of w / d * g) / d. out = xNorm * (1 - xNorm) * the sum of h of the experts; 0 for other experts"""
    x, grad, experts = p.read("xNorm"), p.read("gradY"), p.read(EXPERTS)
    p.builder.launch(check_range, [experts], [], name=EXPERTS, count=x.shape[1])
    factors = {"factor": p["routedScalingFactor"], "eps": p["eps"]}
    p.store("out", p.step(slopes, [x, grad, experts], x.shape, p.dtype("out"), **factors))


@in_parts(first=1)
def slopes(x: Array, grad: Array, experts: Array, *, factor: float, eps: float) -> Array:
    weights = take_along(x, experts, 1)
    divisor = total(weights, -1, keepdims=True) + np.float32(eps)
    g = grad * np.float32(factor)
    h = (g - total(weights / divisor * g, -1, keepdims=True)) / divisor
    legal = (experts >= 0) & (experts < x.shape[1])
    sums: Array = np.zeros(x.shape, np.float32)
    rows = np.broadcast_to(np.arange(len(x))[:, None], experts.shape)
    np.add.at(sums, (rows[legal], experts[legal]), h[legal])
    return x * (1 - x) * sums
