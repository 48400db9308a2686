"""ApplyAdamWQuant: AdamW whose two moments are kept as bytes."""

from typing import Final

import numpy as np

from aclnn.op import (
    TILING, Arguments, Array, Planning, Shape, T, empty, generated, listed, one_element, one_of, planned, positive,
    same_dtype, same_shape, shape,
)  # fmt: skip
from aclnn.ops.optimiser.adam import correction, number

MODE: Final = "BLOCKWISE"
LEVELS: Final = 256
MOMENTS: Final = ("mRef", "vRef")
CHANGED: Final = ("varRef", "mRef", "vRef", "absmaxMRef", "absmaxVRef")


def blocks(a: Arguments) -> Shape:
    return (-(-a["varRef"].numel // a["blockSize"]),)


@planned(
    "aclnnApplyAdamWQuant", generated(), listed("varRef"), same_dtype("grad", "varRef"),
    listed(*MOMENTS, among=(T.ACL_UINT8,)), listed("qmapM", "qmapV", "absmaxMRef", "absmaxVRef", "step"),
    one_of("quantModeOptional", None, MODE, status=TILING), positive("blockSize", status=TILING),
    *(same_shape(name, "varRef", status=TILING) for name in ("grad", *MOMENTS)),
    *(shape(name, "{0} has 256 levels", lambda a: (LEVELS,), status=TILING) for name in ("qmapM", "qmapV")),
    *(shape(name, "{0} has a number for each block of varRef", blocks, status=TILING)
      for name in ("absmaxMRef", "absmaxVRef")),
    one_element("step", status=TILING), empty("varRef"),
)  # fmt: skip
def apply_adam_w_quant(p: Planning) -> None:
    """One step of AdamW. The moments are qmapM[m] * absmaxM and qmapV[v] * absmaxV, with an absmax for each block of
    blockSize elements. With g = grad * gnormScale: m = beta1 * m + (1 - beta1) * g; v = beta2 * v + (1 - beta2) * g *
    g; var = var * (1 - lr * weightDecay) - lr / (1 - beta1^step) * m / (sqrt(v) / sqrt(1 - beta2^step) + eps). Then
    absmax = the largest |m| and |v| of each block, and a byte is the index of the level nearest to m / absmax or v /
    absmax."""
    names = (*CHANGED, "grad", "qmapM", "qmapV", "step")
    settings = {name: p[name] for name in ("lr", "beta1", "beta2", "weightDecay", "eps", "gnormScale", "blockSize")}
    results = [(p.shape(name), p.dtype(name)) for name in CHANGED]
    outputs = p.steps(quantised_step, [p.read(name) for name in names], results, **settings)
    for name, result in zip(CHANGED, outputs, strict=True):
        p.store(name, result)


def quantised_step(
    var: Array, m: Array, v: Array, most_m: Array, most_v: Array, grad: Array, levels_m: Array, levels_v: Array,
    step: Array, *, lr: float, beta1: float, beta2: float, weightDecay: float, eps: float, gnormScale: float,
    blockSize: int,
) -> tuple[Array, ...]:  # fmt: skip
    t, g = number(step), grad.reshape(-1) * np.float32(gnormScale)
    first = levels_m[m.reshape(-1)] * spread(most_m, g.size, blockSize) * np.float32(beta1)
    first = first + g * np.float32(1 - beta1)
    second = levels_v[v.reshape(-1)] * spread(most_v, g.size, blockSize) * np.float32(beta2)
    second = second + g * g * np.float32(1 - beta2)
    powers = [float(np.power(np.float64(beta), t)) for beta in (beta1, beta2)]
    root = np.sqrt(second) * np.float32(correction(powers[1], -0.5)) + np.float32(eps)
    change = first * np.float32(lr * correction(powers[0], -1.0)) / root
    new = var.reshape(-1) * np.float32(1 - lr * weightDecay) - change
    states = [packed(first, levels_m, blockSize), packed(second, levels_v, blockSize)]
    whole: list[Array] = [np.reshape(each, var.shape) for each in (new, states[0][0], states[1][0])]
    return *whole, states[0][1], states[1][1]


def spread(most: Array, count: int, block: int) -> Array:
    """For each element, the value of its block."""
    return np.repeat(most, block)[:count]


def packed(values: Array, levels: Array, block: int) -> tuple[Array, Array]:
    """The index of the level nearest to each value, as bytes, and the largest magnitude of each block. Of two equally
    near levels, the lower one is taken."""
    most = np.maximum.reduceat(np.abs(values), np.arange(0, values.size, block))
    scaled = values / np.where(most > 0, most, np.float32(1))[np.arange(values.size) // block]
    order = np.argsort(levels, kind="stable")
    ordered = levels[order]
    above = np.clip(np.searchsorted(ordered, scaled), 1, levels.size - 1)
    lower = above - 1
    nearer = ordered[above] - scaled < scaled - ordered[lower]
    return order[np.where(nearer, above, lower)].astype(np.uint8), most
