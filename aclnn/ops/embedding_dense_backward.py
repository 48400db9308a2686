"""aclnnEmbeddingDenseBackward: for each index of a table, the sum of the gradient rows that were looked up with it."""

from math import prod

import numpy as np

from aclnn.op import Wording
from aclnn.op import (
    ACL_BOOL, ACL_DOUBLE, ACL_FLOAT, ACL_FLOAT16, ACL_INT16, ACL_INT32, ACL_INT64, ACL_INT8, ACL_UINT8, FLOATS, PLAN,
    Arguments, Array, Bad, DataTypes, Flag, Op, PlanBuilder, Planning, Products, Series, TensorIn, TensorOut, UInt64,
    check_range, current, demand, empty, in_parts, listed, may_be_in_place, planned, public_format, ranks, shape,
    sum_rows, tiled, unsorted, whole_numbers,
)  # fmt: skip


INDICES = DataTypes(
    (ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_INT32, ACL_INT64, ACL_INT16, ACL_INT8, ACL_UINT8, ACL_BOOL)
)
LOCAL_BUFFER = 180192  # bytes that a core of the training series accumulates in: 192 KiB - 16 KiB - 32 B
SMALL_DIM, SMALL_ROWS = 512, 1 << 24


class EmbeddingDenseBackward(Op):
    header = "aclnnop/aclnn_embedding_dense_backward.h"
    series = (Series.TRAINING, Series.A2, Series.A3, Series.A950)
    elsewhere = Products.NOTICED_BY_PLAN
    const_stream = True

    grad = TensorIn(
        FLOATS, rank=range(2, 9), shape="(..., D), as many rows as indices", doc="gradient of the looked-up rows"
    )
    indices = TensorIn(INDICES, rank=range(1, 9), doc="for each row of grad, the row of out, in [0, numWeights)")
    numWeights = UInt64(doc="rows of out")
    paddingIdx = UInt64(doc="row that stays 0")
    scaleGradByFreq = Flag(doc="true to divide each row by the number of its lookups")
    out = TensorOut(FLOATS, rank=range(2, 3), shape="(numWeights, D)", const=True, doc="gradient of the table")


def other_count(a: Arguments) -> Bad:
    sizes, count = a.shape("grad"), a["indices"].numel
    if not sizes[-1] or prod(sizes[:-1]) == count:
        return None
    words = f"grad shape {list(sizes)} is not match with indices shape {list(a.shape('indices'))}."
    return f"{count} elements", f"{prod(sizes[:-1])} elements, the product of {list(sizes[:-1])}", words


def too_wide(a: Arguments) -> Bad:
    """Formulas of the document's list "约束与限制" for the training series. They are images, which some copies lack."""
    if a.soc.series is not Series.TRAINING or not a["scaleGradByFreq"]:
        return None
    rows = a["numWeights"]
    counts = rows // a.soc.ai_cores + rows % a.soc.ai_cores
    width, per_column = (8, 20) if a.dtype("indices") == ACL_INT64 else (4, 36)
    d, room = a.shape("grad")[-1], LOCAL_BUFFER - counts * width
    if d * per_column < room:
        return None
    words = f"The last dimension of grad is too large for scaleGradByFreq with numWeights {rows}."
    return d, f"less than {room / per_column:.1f}", words


def no_rows(a: Arguments) -> Bad:
    if a["numWeights"] or not a["scaleGradByFreq"] or a.soc.series is Series.TRAINING:
        return None
    return 0, "above 0 if scaleGradByFreq is true", "Tiling failed."


def fill_with_zeros(call: Op, builder: PlanBuilder) -> None:
    """The plan of a call without rows: out becomes zero."""
    p = Planning(call, builder)
    if p["out"].numel:
        p.store("out", p.step(zeros, [], p.shape("out"), p.dtype("out"), shape=p.shape("out")))


@planned(
    EmbeddingDenseBackward, listed("grad", "indices", "out"),
    ranks("grad", "indices"), ranks("out", least=0, most=8, provenance="public"),
    demand("{0} has one element for each row of {1}", "indices", "grad", bad=other_count), ranks("out"),
    shape("out", "{0} has numWeights rows as long as the last dimension of grad",
          lambda a: (a["numWeights"], a.shape("grad")[-1])),
    public_format("grad", "indices", "out"), empty("grad", "indices", plan=fill_with_zeros),
    demand("with scaleGradByFreq there is at least one row of out", "numWeights", bad=no_rows, status=PLAN,
           provenance="public"),
    demand("with scaleGradByFreq on the training series a row of {0} fits into a core", "grad", "numWeights",
           bad=too_wide, status=PLAN),
    may_be_in_place(),
)  # fmt: skip
def embedding_dense_backward(p: Planning) -> None:
    """out[j] = sum of the rows i of grad with indices[i] = j; 0 for j = paddingIdx

    grad is read as (M, D), where D is its last dimension, and indices as (M). With scaleGradByFreq each sum is
    multiplied by 1 / (number of its rows). out is overwritten. paddingIdx is read as a signed number; only a number
    from 0 to numWeights - 1 has an effect. Floating-point indices are truncated toward zero. Except on the training
    series, indices are sorted in the workspace unless D <= 512, numWeights <= 2^24 and ACL_OPT_DETERMINISTIC is 0.
    """
    build, count, out = p.builder, p["numWeights"], p["out"]
    *front, d = p.shape("grad")
    grad = build.cast(build.reshape(p.read("grad"), (prod(front), d)), ACL_FLOAT)
    indices = p.read("indices")
    build.launch(check_range, (indices,), (), name="indices", count=count)
    rows = build.reshape(indices, (p["indices"].numel,))
    if rows.dtype != ACL_INT32 and not (rows.dtype == ACL_INT64 and p.soc.series is Series.TRAINING):
        rows = p.step(row_numbers, [rows], rows.shape, ACL_INT32, count=count)
    inputs = [grad, rows]
    small = not current().deterministic() and d <= SMALL_DIM and count <= SMALL_ROWS
    if p.soc.series is not Series.TRAINING and not small and p["indices"].numel > 1:
        inputs[1:] = p.steps(sorted_rows, [rows], [(rows.shape, ACL_INT32)] * 2)
    padding = p["paddingIdx"] if p["paddingIdx"] < count else None
    total = p.step(embedding_grad, inputs, (count, d), ACL_FLOAT, count=count, padding=padding,
                   scale=p["scaleGradByFreq"])  # fmt: skip
    if out.dtype != p.dtype("grad"):
        current().undefined(
            "dtype-converted",
            Wording(
                "out of aclnnEmbeddingDenseBackward is {out}, grad {grad}: the sums are converted once at the end.",
                out=p.type_name("out"),
                grad=p.type_name("grad"),
            ),
            *out.past(),
            *p["grad"].past(),
        )
    build.view_copy(build.cast(total, out.dtype), out)


def row_numbers(indices: Array, *, count: int) -> Array:
    """Row numbers as INT32, truncated toward zero; -1 for a row out of range."""
    whole = whole_numbers(indices)
    return np.where((whole >= 0) & (whole < count), whole, -1)


@tiled(unsorted)
def sorted_rows(rows: Array) -> tuple[Array, Array]:
    """Row numbers in ascending order, and the position of each before the sort; equal ones keep their order."""
    positions = rows.argsort(kind="stable")
    return rows[positions], positions


@tiled(sum_rows)
@in_parts((0,), whole=(1, 2))
def embedding_grad(
    grad: Array, rows: Array, positions: Array | None = None, *, count: int, padding: int | None,
    scale: bool,
) -> Array:  # fmt: skip
    """For each index: the sum of its rows, with float64 partials, rounded to float32, then scaled once."""
    if positions is None:
        rows, positions = sorted_rows(rows)
    valid = (rows >= 0) & (rows < count)
    if padding is not None:
        valid &= rows != padding
    rows, positions = rows[valid], positions[valid]
    total = np.zeros((count, grad.shape[1]), np.float32)
    if rows.size:
        starts = np.concatenate(([True], rows[1:] != rows[:-1])).nonzero()[0]
        sums: Array = np.empty((starts.size, grad.shape[1]), np.float32)
        sums[...] = np.add.reduceat(grad[positions], starts, axis=0, dtype=np.float64)
        if scale:
            counts: Array = np.diff(starts, append=rows.size).reshape(-1, 1)
            sums *= np.reciprocal(counts.astype(np.float32))
        total[rows[starts]] = sums
    return total


def zeros(*, shape: tuple[int, ...]) -> Array:
    return np.zeros(shape, np.float32)


aclnnEmbeddingDenseBackwardGetWorkspaceSize, aclnnEmbeddingDenseBackward = embedding_dense_backward.pairs[
    "aclnnEmbeddingDenseBackward"
]
