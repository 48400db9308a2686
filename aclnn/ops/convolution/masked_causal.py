"""Masked causal convolution of sequences: each row sees itself and the two rows before it."""

from typing import Final

import numpy as np

from aclnn.op import (
    TILING, Arguments, Array, Bad, Planning, Relation, Shape, T, demand, generated, listed, planned, ranks, same_dtype,
    same_shape, shape,
)  # fmt: skip

TAPS: Final = 3
LEAST, MOST, UNIT = 384, 24576, 64
"""limits of the columns, and their divisor"""


def wrong_columns(a: Arguments) -> Bad:
    sequences, batches, columns = a.shape("x")
    good = columns % UNIT == 0 and LEAST <= columns <= MOST and sequences and batches
    return None if good else (list(a.shape("x")), f"rows, and {LEAST} to {MOST} columns by {UNIT}")


def mask_shape(a: Arguments) -> Shape:
    return a.shape("x")[1::-1]


def causal(*outputs: str) -> tuple[Relation, ...]:
    """The checks of both functions. All but the data types belong to the tiling."""
    return (
        generated(), listed("x", among=(T.ACL_FLOAT16, T.ACL_BF16)), same_dtype("weight", "x"),
        *(same_dtype(name, "x") for name in outputs), listed("maskOptional"),
        ranks("x", least=3, most=3, status=TILING),
        demand("{0} has columns that the operator supports", "x", bad=wrong_columns, status=TILING),
        shape("weight", "{0} has three rows, with the columns of x", lambda a: (TAPS, a.shape("x")[2]), status=TILING),
        shape("maskOptional", "{0} has an element for each batch and row of x", mask_shape, status=TILING),
    )  # fmt: skip


@planned("aclnnMaskedCausalConv1d", *causal("out"), same_shape("out", "x", status=TILING))
def masked_causal(p: Planning) -> None:
    """out[i, b] = mask[b, i] * the sum of x[i - k, b] * weight[2 - k] over k of 0, 1, 2. Rows before the first one are
    0."""
    inputs = [p.read(name) for name in ("x", "weight", "maskOptional") if p.given(name)]
    p.store("out", p.step(convolved_rows, inputs, p.shape("x"), p.dtype("out")))


def convolved_rows(x: Array, weight: Array, mask: Array | None = None) -> Array:
    out = x * weight[-1]
    for tap in range(1, min(TAPS, len(x))):
        out[tap:] += x[:-tap] * weight[TAPS - 1 - tap]
    return masked(out, mask)


def masked(rows: Array, mask: Array | None) -> Array:
    return rows if mask is None else rows * np.transpose(mask)[:, :, None]


@planned(
    "aclnnMaskedCausalConv1dBackward", *causal("gradY", "gradXOut", "gradWeightOut"),
    *(same_shape(name, "x", status=TILING) for name in ("gradY", "gradXOut")),
    same_shape("gradWeightOut", "weight", status=TILING),
)  # fmt: skip
def masked_causal_backward(p: Planning) -> None:
    """gradX[i, b] = the sum of g[i + k, b] * weight[2 - k], where g = gradY with 0 where mask is false;
    gradWeight[2 - k] = the sum of g[i, b] * x[i - k, b]."""
    inputs = [p.read(name) for name in ("gradY", "x", "weight", "maskOptional") if p.given(name)]
    sizes = [(p.shape(name), p.dtype(name)) for name in ("gradXOut", "gradWeightOut")]
    for name, result in zip(("gradXOut", "gradWeightOut"), p.steps(gradients, inputs, sizes), strict=True):
        p.store(name, result)


def gradients(grad: Array, x: Array, weight: Array, mask: Array | None = None) -> tuple[Array, Array]:
    grad = masked(grad, mask)
    of_x, of_weight = grad * weight[-1], np.zeros(weight.shape, np.float32)
    of_weight[-1] = (grad * x).sum((0, 1), dtype=np.float64)
    for tap in range(1, min(TAPS, len(x))):
        of_x[:-tap] += grad[tap:] * weight[TAPS - 1 - tap]
        of_weight[TAPS - 1 - tap] = (grad[tap:] * x[:-tap]).sum((0, 1), dtype=np.float64)
    return of_x, of_weight
