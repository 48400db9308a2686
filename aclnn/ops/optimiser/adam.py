"""ApplyAdamWV2."""

import numpy as np

from acl_runtime.headers.dtypes import Array
from acl_runtime.headers.enums import aclDataType
from acl_runtime.objects.soc import Series
from aclnn.engine.arguments import Arguments
from aclnn.engine.operator import planned
from aclnn.engine.planning import Planning
from aclnn.engine.words.shapes import same_shape
from aclnn.engine.words.types import listed
from aclnn.engine.words.values import demand, empty, needed_if

T = aclDataType
FLOATS = (T.ACL_FLOAT16, T.ACL_BF16, T.ACL_FLOAT)
STATE = ("mRef", "vRef", "maxGradNormOptionalRef", "grad")


def several_steps(a: Arguments) -> tuple[object, object] | None:
    return None if a["step"].numel == 1 else (list(a.shape("step")), "one element, in any number of dimensions")


@planned(
    "aclnnApplyAdamWV2", needed_if("maxGradNormOptionalRef", "amsgrad"), listed("varRef", *STATE, among=FLOATS),
    listed("step"), *(same_shape(name, "varRef") for name in STATE),
    demand("{0} has one element", "step", bad=several_steps), empty("varRef"),
)  # fmt: skip
def apply_adam_w(p: Planning) -> None:
    """One step of AdamW: with t = step + 1, and g = -grad if maximize,

    var = var * (1 - lr * weightDecay); m = m + (g - m) * (1 - beta1); v = v * beta2 + g * g * (1 - beta2);
    var = var - lr / (1 - beta1^t) * m / (sqrt(u) / sqrt(1 - beta2^t) + eps), where u is v. With amsgrad
    maxGradNorm = max(maxGradNorm, v), and u is that; without, maxGradNorm stays.
    """
    names = ["varRef", "mRef", "vRef", "maxGradNormOptionalRef"][: 4 if p["amsgrad"] else 3]
    inputs = [p.read(name) for name in [*names[:3], "grad", "step", *names[3:]]]
    settings = {name: p[name] for name in ("lr", "beta1", "beta2", "weightDecay", "eps", "maximize")}
    settings["weighted"] = p.soc.series is Series.A950
    changed = [(p.shape(name), p.dtype(name)) for name in names]
    for name, result in zip(names, p.steps(adam_w, inputs, changed, **settings), strict=True):
        p.store(name, result)


def adam_w(
    var: Array, m: Array, v: Array, grad: Array, step: Array, most: Array | None = None, *,
    lr: float, beta1: float, beta2: float, weightDecay: float, eps: float, maximize: bool, weighted: bool,
) -> tuple[Array, ...]:  # fmt: skip
    """var, m, v, and the largest v if it is given. The corrections for the first steps come after the largest v.
    `weighted`: m is a weighted sum, as on Ascend 950, which differs in the rounding."""
    t = float(step.reshape(-1)[0]) + 1
    g = -grad if maximize else grad
    m = m * beta1 + g * (1 - beta1) if weighted else m + (g - m) * (1 - beta1)
    v = v * beta2 + g * g * (1 - beta2)
    most = None if most is None else np.maximum(most, v)
    root = np.sqrt(v if most is None else most) * correction(beta2, t, -0.5) + eps
    var = var * (1 - lr * weightDecay) - m * (lr * correction(beta1, t, -1.0)) / root
    return (var, m, v) if most is None else (var, m, v, most)


def correction(beta: float, t: float, power: float) -> float:
    """A power of 1 - beta^t: infinite for 0, NaN where it is no real number."""
    return float(np.power(1 - np.power(np.float64(beta), t), power))
