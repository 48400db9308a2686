"""Derivatives of elementwise operators and of softmax by name."""

from typing import Final

from acl_runtime.headers.enums import aclDataType
from aclnn.by_name.call import Named
from aclnn.by_name.images import MODES, PADDINGS, SAMPLED
from aclnn.by_name.row import Plan, row
from aclnn.by_name.uses import affine, computed, described, in_float, rounded_into, uses

T = aclDataType


def swish(n: Named) -> None:
    """aclnnSiluBackward of scale x"""
    x = affine(n, n["x"], n["scale"], 0.0)
    n.aclnn("aclnnSiluBackward", n["grad"], x, n["grad_x"])


def hard_sigmoid(n: Named) -> None:
    """alpha grads where alpha x + beta is between 0 and 1: aclnnThresholdBackward, twice"""
    x = affine(n, in_float(n, n["input_x"]), n["alpha"], n["beta"])
    grads = affine(n, in_float(n, n["grads"]), n["alpha"], 0.0)
    positive = computed(n, "aclnnThresholdBackward", grads, x, 0.0)
    rest = affine(n, x, -1.0, 1.0)
    rounded_into(n, n["y"], lambda wide: n.aclnn("aclnnThresholdBackward", positive, rest, 0.0, wide))


def along(function: str, grad: str, result: str, axes: str, out: str) -> Plan:
    """The derivative of a softmax along one dimension."""

    def plan(n: Named) -> None:
        if len(n[axes]) != 1:
            raise n.refused(f"this emulator computes it along one dimension, and {axes} is {n[axes]}")
        n.aclnn(function, n[grad], n[result], n[axes][0], n[out])

    return described(plan, function)


def lesser(comparison: str) -> Plan:
    """The derivative of a minimum or a maximum. Where x1 and x2 are equal, x1 gets the whole derivative."""

    def plan(n: Named) -> None:
        grads, first = n["grads"], n.like(n["x1"], T.ACL_BOOL)
        n.aclnn(comparison, n["x1"], n["x2"], first)
        zero = n.constant(0, grads.dtype)
        if n["grad_x"]:
            n.aclnn("aclnnSWhere", first, grads, zero, n["y1"])
        if n["grad_y"]:
            n.aclnn("aclnnSWhere", first, zero, grads, n["y2"])

    return described(plan, f"{comparison}, aclnnSWhere")


def sampled(n: Named) -> None:
    """aclnnGridSampler2DBackward"""
    n.aclnn("aclnnGridSampler2DBackward", n.labelled(n["grad"]), n.labelled(n["x"]), n["grid"],
            MODES.index(n["interpolation_mode"]), PADDINGS.index(n["padding_mode"]), n["align_corners"], [True, True],
            n.labelled(n["dx"]), n["dgrid"])  # fmt: skip


BOTH_FLAGS: Final = {"grad_x": True, "grad_y": True}
BETA: Final = {"beta": 1.0, "threshold": 20.0}
ROWS: Final = (
    row("ReluGrad", "gradients, features -> backprops",
        uses("aclnnThresholdBackward", "gradients", "features", 0.0, "backprops")),
    row("LeakyReluGrad", "gradients, features -> backprops",
        uses("aclnnLeakyReluBackward", "gradients", "features", "negative_slope", False, "backprops"),
        negative_slope=0.0),
    row("PReluGrad", "grads, features, weights -> dx, da",
        uses("aclnnPreluBackward", "grads", "features", "weights", "dx", "da")),
    row("SigmoidGrad", "y, dy -> z", uses("aclnnSigmoidBackward", "dy", "y", "z")),
    row("TanhGrad", "y, dy -> z", uses("aclnnTanhBackward", "dy", "y", "z")),
    row("GeluGrad", "dy, x, y -> z", uses("aclnnGeluBackward", "dy", "x", "z")),
    row("SiluGrad", "dy, x -> dx", uses("aclnnSiluBackward", "dy", "x", "dx")),
    row("SwishGrad", "grad, x, y -> grad_x", swish, scale=1.0),
    row("MishGrad", "grad, x, tanhx? -> x_grad", uses("aclnnMishBackward", "grad", "x", "x_grad")),
    row("EluGradV2", "grads, activations -> y",
        uses("aclnnEluBackward", "grads", "alpha", "scale", "input_scale", "is_result", "activations", "y"),
        alpha=1.0, scale=1.0, input_scale=1.0, is_result=False),
    row("SoftplusV2Grad", "input_gradients, input_features -> output_backprops",
        uses("aclnnSoftplusBackward", "input_gradients", "input_features", "beta", "threshold", "output_backprops"),
        **BETA),
    row("HardtanhGrad", "result, grad -> y", uses("aclnnHardtanhBackward", "grad", "result", "min_val", "max_val", "y"),
        min_val=-1.0, max_val=1.0),
    row("HardSwishGrad", "grad, x -> y", uses("aclnnHardswishBackward", "grad", "x", "y")),
    row("HardSigmoidGrad", "grads, input_x -> y", hard_sigmoid, alpha=0.16666666, beta=0.5),
    row("MinimumGrad", "grads, x1, x2 -> y1, y2", lesser("aclnnLeTensor"), **BOTH_FLAGS),
    row("MaximumGrad", "grads, x1, x2 -> y1, y2", lesser("aclnnGeTensor"), **BOTH_FLAGS),
    row("GridSampler2DGrad", "grad, x, grid -> dx, dgrid", sampled, **SAMPLED),
    row("RotaryMulGrad", "x, r1, r2, dy -> dx, dr1, dr2",
        uses("aclnnRotaryPositionEmbeddingGrad", "dy", "r1", "r2", "x", 0, "dx", "dr1", "dr2"), need_backward=True),
    row("SoftmaxGrad", "softmax, grad_softmax -> grad_x",
        along("aclnnSoftmaxBackward", "grad_softmax", "softmax", "axes", "grad_x"), axes=(-1,)),
    row("LogSoftmaxGrad", "grad, x -> y", along("aclnnLogSoftmaxBackward", "grad", "x", "axis", "y"), axis=(-1,)),
)  # fmt: skip
