"""NsaCompress: weighted sums of blocks of neighbouring keys, of packed sequences."""

from itertools import pairwise
from typing import Final

import numpy as np

from aclnn.op import (
    Arguments, Array, Bad, Planning, Relation, Shape, demand, listed, one_of, planned, positive, ranks, required,
    same_dtype, same_shape, shape,
)  # fmt: skip

BLOCK, STRIDE = "compressBlockSize", "compressStride"


def first_rows(a: Arguments, ends: str) -> list[int]:
    """The first row of each block. A sequence that is shorter than a block has none. A 0 in front is no sequence."""
    starts: list[int] = []
    for start, stop in pairwise((0, *a[ends].values)):
        starts += range(start, stop - a[BLOCK] + 1, a[STRIDE])
    return starts


def compressing(ends: str, layout: str) -> tuple[Relation, ...]:
    """The checks of both functions. `ends`, `layout`: the names of their parameters."""

    def wrong_ends(a: Arguments) -> Bad:
        rows = a.shape("input")[0]
        good = all(start <= stop for start, stop in pairwise((0, *a[ends].values, rows)))
        return None if good else (list(a[ends].values), f"ascending ends up to {rows}")

    return (
        required(ends), listed("input", "weight"), same_dtype("weight", "input"),
        ranks("input", least=3, most=3), ranks("weight", least=2, most=2), positive(BLOCK), positive(STRIDE),
        shape("weight", "{0} has a row for each row of a block, and the heads of input",
              lambda a: (a[BLOCK], a.shape("input")[1])),
        one_of(layout, None, "TND"), one_of("actSeqLenType", 0),
        demand("{0} are the ends of sequences of {1}", ends, "input", bad=wrong_ends),
    )  # fmt: skip


ENDS: Final = ("actSeqLenOptional", "actSeqLenOptionalOptional")


def out_shape(a: Arguments) -> Shape:
    return (len(first_rows(a, ENDS[0])), *a.shape("input")[1:])


@planned(
    "aclnnNsaCompress", *compressing(ENDS[0], "layoutOptional"), same_dtype("output", "input"),
    shape("output", "{0} has a row for each block", out_shape),
)  # fmt: skip
def compress(p: Planning) -> None:
    """output[b] = the sum of input[start of b + w] * weight[w] over the compressBlockSize rows of block b. A block
    begins at each compressStride-th row of a sequence, if it fits."""
    starts = first_rows(p, ENDS[0])
    if starts:
        operands = [p.read("input"), p.read("weight")]
        p.store("output", p.step(block_sums, operands, p.shape("output"), p.dtype("output"), starts=tuple(starts)))


def block_sums(x: Array, weight: Array, *, starts: tuple[int, ...]) -> Array:
    rows = np.asarray(starts)
    out = np.zeros((len(rows), *x.shape[1:]), np.float32)
    for number, factors in enumerate(weight):
        out += x[rows + number] * factors[:, None]
    return out


def grad_shape(a: Arguments) -> Shape:
    return (len(first_rows(a, ENDS[1])), *a.shape("input")[1:])


@planned(
    "aclnnNsaCompressGrad", *compressing(ENDS[1], "layoutOptionalOptional"), same_dtype("outputGrad", "input"),
    shape("outputGrad", "{0} has a row for each block", grad_shape), same_dtype("inputGradOut", "input"),
    same_shape("inputGradOut", "input"), same_dtype("weightGradOut", "weight"), same_shape("weightGradOut", "weight"),
)  # fmt: skip
def compress_grad(p: Planning) -> None:
    """inputGrad[start of b + w] = the sum of outputGrad[b] * weight[w] over all blocks b that have this row.
    weightGrad[w] = the sum of outputGrad[b] * input[start of b + w] over all blocks, for each head."""
    operands = [p.read(name) for name in ("outputGrad", "input", "weight")]
    outputs = ("inputGradOut", "weightGradOut")
    sizes = [(p.shape(name), p.dtype(name)) for name in outputs]
    results = p.steps(block_grads, operands, sizes, starts=tuple(first_rows(p, ENDS[1])))
    for name, result in zip(outputs, results, strict=True):
        p.store(name, result)


def block_grads(grad: Array, x: Array, weight: Array, *, starts: tuple[int, ...]) -> tuple[Array, Array]:
    rows = np.asarray(starts, np.int64)
    of_x, of_weight = np.zeros(x.shape, np.float32), np.zeros(weight.shape, np.float32)
    for number, factors in enumerate(weight):
        of_x[rows + number] += grad * factors[:, None]
        of_weight[number] = (grad * x[rows + number]).sum((0, 2), dtype=np.float64)
    return of_x, of_weight
