"""Adam and its forms for one tensor: ApplyAdamWV2, ApplyAdamW, ApplyAdam, ApplyFusedEmaAdam."""

from typing import Any, Final

import numpy as np

from aclnn.op import (
    FLOATS, FLOAT_OR_HALF, TILING, UP_TO_32_BITS, Array, DataTypes, Planning, Series, empty, generated, listed,
    needed_if, one_element, planned, same_dtype, same_shape, updates, with_elements,
)  # fmt: skip


STEPPED = DataTypes(UP_TO_32_BITS, on={Series.TRAINING: FLOAT_OR_HALF})
"""data types that aclnnApplyAdamW accepts"""
STATE = ("mRef", "vRef", "maxGradNormOptionalRef", "grad")


# with decoupled weight decay


@planned(
    "aclnnApplyAdamWV2", needed_if("maxGradNormOptionalRef", "amsgrad"), listed("varRef", *STATE, among=FLOATS),
    listed("step"), *(same_shape(name, "varRef") for name in STATE), one_element("step"), empty("varRef"),
)  # fmt: skip
def apply_adam_w_v2(p: Planning) -> None:
    """One step of AdamW: with t = step + 1, and g = -grad if maximize,

    var = var * (1 - lr * weightDecay); m = m + (g - m) * (1 - beta1); v = v * beta2 + g * g * (1 - beta2);
    var = var - lr / (1 - beta1^t) * m / (sqrt(u) / sqrt(1 - beta2^t) + eps), where u is v. With amsgrad
    maxGradNorm = max(maxGradNorm, v), and u is maxGradNorm; without amsgrad, maxGradNorm is not changed.
    """
    names = ["varRef", "mRef", "vRef", "maxGradNormOptionalRef"][: 4 if p["amsgrad"] else 3]
    inputs = [p.read(name) for name in [*names[:3], "grad", "step", *names[3:]]]
    settings = {name: p[name] for name in ("lr", "beta1", "beta2", "weightDecay", "eps", "maximize")}
    settings["weighted"] = p.soc.series is Series.A950
    changed = [(p.shape(name), p.dtype(name)) for name in names]
    for name, result in zip(names, p.steps(after_step, inputs, changed, **settings), strict=True):
        p.store(name, result)


def after_step(
    var: Array, m: Array, v: Array, grad: Array, step: Array, most: Array | None = None, *, beta1: float, beta2: float,
    **settings: Any,
) -> tuple[Array, ...]:  # fmt: skip
    """One step of AdamW. `step` counts from 0. The powers of beta1 and beta2 are computed from `step`."""
    t = float(step.reshape(-1)[0]) + 1
    powers = [float(np.power(np.float64(beta), t)) for beta in (beta1, beta2)]
    return adam_w(var, m, v, grad, most, beta1=beta1, beta2=beta2, powers=powers, **settings)


def adam_w(
    var: Array, m: Array, v: Array, grad: Array, most: Array | None = None, *, lr: float, beta1: float, beta2: float,
    powers: list[float], weightDecay: float, eps: float, maximize: bool, weighted: bool,
) -> tuple[Array, ...]:  # fmt: skip
    """The new var, m, v, and the largest v if there is one. The corrections for the first steps are applied to the
    largest v. `weighted`: m is computed as a weighted sum, as on Ascend 950; only the rounding differs."""
    g = -grad if maximize else grad
    m = m * beta1 + g * (1 - beta1) if weighted else m + (g - m) * (1 - beta1)
    v = v * beta2 + g * g * (1 - beta2)
    most = None if most is None else np.maximum(most, v)
    root = np.sqrt(v if most is None else most) * correction(powers[1], -0.5) + eps
    var = var * (1 - lr * weightDecay) - m * (lr * correction(powers[0], -1.0)) / root
    return (var, m, v) if most is None else (var, m, v, most)


def correction(power: float, exponent: float) -> float:
    """(1 - power)^exponent; infinite for a negative power of 0, NaN for a root of a negative number."""
    return float(np.power(1 - np.float64(power), exponent))


NUMBERS: Final = ("beta1Power", "beta2Power", "lr", "weightDecay", "beta1", "beta2", "eps")
LIKE_VAR: Final = ("mRef", "vRef", "grad", "maxGradNormOptional")


@planned(
    "aclnnApplyAdamW", needed_if("maxGradNormOptional", "amsgrad"), listed("varRef", among=STEPPED),
    *(same_dtype(name, as_="varRef") for name in (*LIKE_VAR, *NUMBERS)),
    *(same_shape(name, "varRef") for name in LIKE_VAR), *map(one_element, NUMBERS), empty("varRef"),
)  # fmt: skip
def apply_adam_w(p: Planning) -> None:
    """One step of AdamW, as aclnnApplyAdamWV2. The numbers are tensors, and beta1Power and beta2Power are the powers of
    the previous step. maxGradNorm is read, not written."""
    names = ("varRef", "mRef", "vRef")
    inputs = [p.read(name) for name in (*names, "grad", *NUMBERS)]
    inputs += [p.read("maxGradNormOptional")] if p["amsgrad"] else []
    changed = [(p.shape(name), p.dtype(name)) for name in names]
    for name, result in zip(names, p.steps(by_tensors, inputs, changed, maximize=p["maximize"]), strict=True):
        p.store(name, result)


def by_tensors(
    var: Array, m: Array, v: Array, grad: Array, *more: Array, maximize: bool
) -> tuple[Array, ...]:  # fmt: skip
    """One step of AdamW. `more`: the tensors NUMBERS, and the previous largest v if there is one."""
    first, second, lr, decay, beta1, beta2, eps = map(number, more[:7])
    most = more[7] if len(more) > 7 else None
    return adam_w(
        var, m, v, grad, most, lr=lr, beta1=beta1, beta2=beta2, powers=[first * beta1, second * beta2],
        weightDecay=decay, eps=eps, maximize=maximize, weighted=True,
    )[:3]  # fmt: skip


def number(x: Array) -> float:
    first: Array = np.real(x.reshape(-1)[:1])
    return float(first[0])


# without weight decay


TENSORS: Final = ("beta1Power", "beta2Power", "lr", "beta1", "beta2", "epsilon")


@planned(
    "aclnnApplyAdam", generated(), updates("m", "v"), listed("varRef", *TENSORS),
    *(same_dtype(name, as_="varRef") for name in ("m", "v", "grad")),
    *(same_shape(name, "varRef") for name in ("m", "v", "grad")), *map(one_element, TENSORS), empty("varRef"),
)  # fmt: skip
def apply_adam(p: Planning) -> None:
    """m = m + (grad - m) * (1 - beta1); v = v + (grad * grad - v) * (1 - beta2);
    var = var - lr * sqrt(1 - beta2Power) / (1 - beta1Power) * u / (sqrt(v) + epsilon), where u is m, or with
    useNesterov m * beta1 + grad * (1 - beta1). useLocking has no effect."""
    names = ("varRef", "m", "v")
    inputs = [p.read(name) for name in (*names, "grad", *TENSORS)]
    changed = [(p.shape(name), p.dtype(name)) for name in names]
    for name, result in zip(names, p.steps(adam, inputs, changed, nesterov=p["useNesterov"]), strict=True):
        p.store(name, result)


def adam(var: Array, m: Array, v: Array, grad: Array, *numbers: Array, nesterov: bool) -> tuple[Array, ...]:
    first, second, lr, beta1, beta2, epsilon = map(number, numbers)
    m = m + (grad - m) * (1 - beta1)
    v = v + (grad * grad - v) * (1 - beta2)
    rate = lr * correction(second, 0.5) * correction(first, -1.0)
    direction = m * beta1 + grad * (1 - beta1) if nesterov else m
    return var - direction * rate / (np.sqrt(v) + epsilon), m, v


# with a moving average of the weights


EMA: Final = ("varRef", "mRef", "vRef", "sRef")


@planned(
    "aclnnApplyFusedEmaAdam", generated(), listed("grad", "step"), *(same_dtype(name, as_="grad") for name in EMA),
    *(same_shape(name, "grad", status=TILING) for name in EMA), with_elements("step", status=TILING),
    empty("grad"),
)  # fmt: skip
def apply_fused_ema_adam(p: Planning) -> None:
    """One step of Adam: m = beta1 * m + (1 - beta1) * g; v = beta2 * v + (1 - beta2) * g * g;
    var = var - lr * (m / c1 / (sqrt(v / c2) + eps) + d), where c1 and c2 are 1 - beta1^step and 1 - beta2^step with
    biasCorrection, else 1. With mode 0 g is grad + weightDecay * var and d is 0; with mode 1 g is grad and d is
    weightDecay * var. Then s = emaDecay * s + (1 - emaDecay) * var."""
    settings = {
        name: p[name] for name in ("lr", "emaDecay", "beta1", "beta2", "eps", "mode", "biasCorrection", "weightDecay")
    }
    inputs = [p.read(name) for name in ("grad", *EMA, "step")]
    changed = [(p.shape(name), p.dtype(name)) for name in EMA]
    for name, result in zip(EMA, p.steps(ema_adam, inputs, changed, **settings), strict=True):
        p.store(name, result)


def ema_adam(
    grad: Array, var: Array, m: Array, v: Array, s: Array, step: Array, *, lr: float, emaDecay: float, beta1: float,
    beta2: float, eps: float, mode: int, biasCorrection: bool, weightDecay: float,
) -> tuple[Array, ...]:  # fmt: skip
    t = number(step)
    powers = [float(np.power(np.float64(beta), t)) if biasCorrection else 0.0 for beta in (beta1, beta2)]
    g = grad + var * weightDecay if mode == 0 else grad
    m = m * beta1 + g * (1 - beta1)
    v = v * beta2 + g * g * (1 - beta2)
    update = m * correction(powers[0], -1.0) / (np.sqrt(v * correction(powers[1], -1.0)) + eps)
    var = var - (update if mode == 0 else update + var * weightDecay) * lr
    return var, m, v, s * emaDecay + var * (1 - emaDecay)
