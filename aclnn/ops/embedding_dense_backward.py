"""aclnnEmbeddingDenseBackward: rows of the gradient summed up by the index they were looked up with."""

from math import prod

import numpy as np

from acl_runtime import (
    ACL_BOOL,
    ACL_DOUBLE,
    ACL_FLOAT,
    ACL_FLOAT16,
    ACL_INT8,
    ACL_INT16,
    ACL_INT32,
    ACL_INT64,
    ACL_UINT8,
)
from acl_runtime.headers.dtypes import Array, dtype_name
from acl_runtime.machine.current import current
from acl_runtime.objects.soc import Series, Soc
from aclnn.engine.constraints import PLAN, Empty, Listed, NotPrivate, Rank, Rule, ShapeIs, Violation
from aclnn.engine.declaration import Op, Products
from aclnn.engine.fast import sum_rows, tiled, unsorted
from aclnn.engine.parameters import FLOATS, DataTypes, Flag, TensorIn, TensorOut, UInt64
from aclnn.engine.plan_builder import PlanBuilder
from aclnn.engine.steps.indices import check_range, whole_numbers
from aclnn.engine.steps.parts import in_parts
from aclnn.engine.two_phase import two_phase

INDICES = DataTypes(
    (ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_INT32, ACL_INT64, ACL_INT16, ACL_INT8, ACL_UINT8, ACL_BOOL)
)
LOCAL_BUFFER = 180192  # 192 KiB - 16 KiB - 32 B, what a core of the training series has for the accumulation
SMALL_DIM, SMALL_ROWS = 512, 1 << 24


def one_index_per_row(call: "EmbeddingDenseBackward", soc: Soc) -> Violation | None:
    shape, count = call.grad.shape, call.indices.numel
    if not shape[-1] or prod(shape[:-1]) == count:
        return None
    words = f"grad shape {list(shape)} is not match with indices shape {list(call.indices.shape)}."
    return Violation(
        words, "indices", f"{count} elements", f"{prod(shape[:-1])} elements, the product of {list(shape[:-1])}"
    )


def fits_local_buffer(call: "EmbeddingDenseBackward", soc: Soc) -> Violation | None:
    """Formulas of the document's list "约束与限制" for the training series (their images are lost in some copies)."""
    if soc.series is not Series.TRAINING or not call.scaleGradByFreq:
        return None
    counts = call.numWeights // soc.ai_cores + call.numWeights % soc.ai_cores
    width, per_column = (8, 20) if call.indices.dtype == ACL_INT64 else (4, 36)
    d, room = call.grad.shape[-1], LOCAL_BUFFER - counts * width
    if d * per_column < room:
        return None
    words = f"The last dimension of grad is too large for scaleGradByFreq with numWeights {call.numWeights}."
    return Violation(words, "grad", d, f"less than {room / per_column:.1f}")


def has_rows(call: "EmbeddingDenseBackward", soc: Soc) -> Violation | None:
    if call.numWeights or not call.scaleGradByFreq or soc.series is Series.TRAINING:
        return None
    return Violation("Tiling failed.", "numWeights", 0, "above 0 if scaleGradByFreq is true")


def fill_with_zeros(call: "EmbeddingDenseBackward", builder: PlanBuilder) -> None:
    """The plan of a call without rows: out becomes zero."""
    if call.out.numel:
        zero = builder.alloc(call.out.shape, call.out.dtype)
        builder.launch(zeros, inputs=(), outputs=(zero,), shape=call.out.shape)
        builder.view_copy(zero, call.out)


class EmbeddingDenseBackward(Op):
    """out[j] = sum of the rows i of grad with indices[i] = j; 0 for j = paddingIdx

    grad is read as (M, D) with D its last dimension, indices as (M). With scaleGradByFreq each sum is multiplied by
    1 / (number of its rows). out is overwritten. paddingIdx counts as signed: negative or beyond numWeights, it has
    no effect. Indices of other types than integers are truncated toward zero. But for the training series they are
    sorted in the workspace, unless D <= 512, numWeights <= 2^24 and the option ACL_OPT_DETERMINISTIC is 0.
    """

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
    scaleGradByFreq = Flag(doc="divide each row by how often it was looked up?")
    out = TensorOut(FLOATS, rank=range(2, 3), shape="(numWeights, D)", const=True, doc="gradient of the table")

    checks = (
        Listed(grad), Listed(indices), Listed(out),
        Rank(grad), Rank(indices), Rank(out, most=8, provenance="public"),
        Rule("indices has one element for each row of grad", one_index_per_row, indices, grad),
        Rank(out),
        ShapeIs(
            "out has numWeights rows as long as the last dimension of grad", out, numWeights, grad,
            wanted=lambda call: (call.numWeights, call.grad.shape[-1]),
        ),
        NotPrivate(grad), NotPrivate(indices), NotPrivate(out),
        Empty(grad, indices, plan=fill_with_zeros),
        Rule(
            "with scaleGradByFreq there is at least one row of out", has_rows, numWeights, status=PLAN,
            provenance="public",
        ),
        Rule(
            "with scaleGradByFreq on the training series a row of grad fits into a core",
            fits_local_buffer, grad, numWeights, status=PLAN,
        ),
    )  # fmt: skip


def plan(call: EmbeddingDenseBackward, builder: PlanBuilder) -> None:
    grad = builder.contiguous(call.grad)
    d = call.grad.shape[-1]
    grad = builder.cast(builder.reshape(grad, (prod(call.grad.shape[:-1]), d)), ACL_FLOAT)
    indices = builder.contiguous(call.indices)
    builder.launch(check_range, (indices,), (), name="indices", count=call.numWeights)
    rows = builder.reshape(indices, (call.indices.numel,))
    if rows.dtype != ACL_INT32 and not (rows.dtype == ACL_INT64 and builder.soc.series is Series.TRAINING):
        legal = builder.alloc(rows.shape, ACL_INT32)
        builder.launch(row_numbers, inputs=(rows,), outputs=(legal,), count=call.numWeights)
        rows = legal
    inputs = [grad, rows]
    small = not current().deterministic() and d <= SMALL_DIM and call.numWeights <= SMALL_ROWS
    if builder.soc.series is not Series.TRAINING and not small and call.indices.numel > 1:
        inputs[1:] = builder.alloc(rows.shape, ACL_INT32), builder.alloc(rows.shape, ACL_INT32)
        builder.launch(sorted_rows, inputs=(rows,), outputs=inputs[1:])
    total = builder.alloc((call.numWeights, d), ACL_FLOAT)
    padding = call.paddingIdx if call.paddingIdx < call.numWeights else None
    builder.launch(embedding_grad, inputs, (total,), count=call.numWeights, padding=padding, scale=call.scaleGradByFreq)
    if call.out.dtype != call.grad.dtype:
        current().undefined(
            "dtype-converted",
            f"out of aclnnEmbeddingDenseBackward is {dtype_name(call.out.dtype)}, grad {dtype_name(call.grad.dtype)}: "
            "the sums are converted once at the end.",
            *call.out.past(),
            *call.grad.past(),
        )
    builder.view_copy(builder.cast(total, call.out.dtype), call.out)


def row_numbers(indices: Array, *, count: int) -> Array:
    """As INT32, truncated toward zero; -1 for what is out of range."""
    whole = whole_numbers(indices)
    return np.where((whole >= 0) & (whole < count), whole, -1)


@tiled(unsorted)
def sorted_rows(rows: Array) -> tuple[Array, Array]:
    """Row numbers in ascending order, and where each came from; equal ones keep their order."""
    positions = np.argsort(rows, kind="stable")
    return rows[positions], positions


@tiled(sum_rows)
@in_parts((0,), whole=(1, 2))
def embedding_grad(
    grad: Array, rows: Array, positions: Array | None = None, *, count: int, padding: int | None,
    scale: bool,
) -> Array:  # fmt: skip
    """The rows of each index summed up with float64 partials, rounded to float32, then scaled once."""
    if positions is None:
        rows, positions = sorted_rows(rows)
    used = (rows >= 0) & (rows < count)
    if padding is not None:
        used &= rows != padding
    rows, positions = rows[used], positions[used]
    total = np.zeros((count, grad.shape[1]), np.float32)
    if rows.size:
        starts = np.flatnonzero(np.diff(rows, prepend=rows[0] - 1))
        sums: Array = np.empty((starts.size, grad.shape[1]), np.float32)
        sums[...] = np.add.reduceat(grad[positions], starts, axis=0, dtype=np.float64)
        if scale:
            counts: Array = np.diff(starts, append=rows.size).reshape(-1, 1)
            sums *= np.reciprocal(counts.astype(np.float32))
        total[rows[starts]] = sums
    return total


def zeros(*, shape: tuple[int, ...]) -> Array:
    return np.zeros(shape, np.float32)


aclnnEmbeddingDenseBackwardGetWorkspaceSize, aclnnEmbeddingDenseBackward = two_phase(EmbeddingDenseBackward, plan)
