"""Attention by the compiled evaluator."""

from collections.abc import Mapping, Sequence

from acl_runtime.headers.dtypes import Array
from aclnn.engine.fast.native.attention import Pages, Scoring, attend
from aclnn.engine.fast.products import MIN_MULTIPLICATIONS, done


def attended(
    operands: Sequence[Array], results: Sequence[Array], squares: Mapping[str, Array], scoring: Scoring,
    pages: Pages | None = None,
) -> bool:  # fmt: skip
    """Compute softmax(scale * q @ k^T + shift) @ v, and the largest score and the sum of exponentials of each row. The
    operands q, k, v are (batches, heads, rows, elements); `results` are dense float32. `squares`: the shift, the mask
    and the sink. Returns False if nothing is done."""
    columns = operands[1].shape[2] if pages is None else pages.columns
    if operands[0].size * columns < MIN_MULTIPLICATIONS:
        return False
    return done(lambda library, functions, threads: attend(
        library, functions, operands, results, squares, scoring, pages, threads))  # fmt: skip
