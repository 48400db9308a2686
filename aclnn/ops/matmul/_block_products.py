"""The kernel of products whose scales belong to blocks of the inner dimension: the sum of each block is scaled, and the
scaled sums are added up in FLOAT. Sums of integers are exact."""

from typing import Final

import numpy as np

from aclnn.op import Array, PanelIndex, in_memory, multiply_in_panels, widen
from aclnn.ops.matmul._quantised_products import scale_of

MIDDLE: Final = 8
"""the number that is subtracted from INT8 beside INT4, so that two factors of 4 bits hold it"""


@in_memory
def multiply_in_blocks(
    x1: Array, x2: Array, *others: Array, out: Array, names: tuple[str, ...], size: int,
    shared: tuple[int, int] = (1, 1), middle: int = 0, whole: bool = False,
) -> None:  # fmt: skip
    """out = the sum of the blocks, each times its scales. `names`: the roles of `others`. `size`: elements of a block.
    `shared`: rows of x1 and columns of x2 that share a scale. `middle`: a number that is subtracted from x1.
    `whole`: a packed scale has all bits of a FLOAT."""
    by_name = dict(zip(names, others, strict=True))
    exact = x1.dtype.kind == "i"
    blocks = -(-x1.shape[-1] // size)
    (m, n), batch = out.shape[-2:], out.shape[:-2]
    left = right = zero = None
    if "rows" in by_name:
        left = np.broadcast_to(np.repeat(widen(by_name["rows"]), shared[0], -2)[..., :m, :], (*batch, m, blocks))
    if "columns" in by_name:
        scales = np.repeat(scale_of(by_name["columns"], whole=whole), shared[1], -1)[..., :n]
        right = np.broadcast_to(scales, (*batch, blocks, n))
    if "zero" in by_name:
        zero = widen(by_name["zero"])
    plus, per_row = (by_name.get(name) for name in ("plus", "pertoken"))
    per_row = None if per_row is None else np.broadcast_to(per_row.reshape(-1), (m,))
    bias = np.broadcast_to(widen(by_name["bias"]), out.shape) if "bias" in by_name else None
    sums = np.zeros(out.shape if blocks > 1 else (0,), np.float32)
    for block in range(blocks):
        inner = slice(block * size, (block + 1) * size)
        first, second = x1[..., inner], x2[..., inner, :]
        across = second.sum(-2, dtype=np.float64) * middle if middle else None
        along = None if zero is None else first.sum(-1, dtype=np.float64)

        def epilogue(
            product: Array, index: PanelIndex, block: int = block, across: Array | None = across,
            along: Array | None = along,
        ) -> Array:  # fmt: skip
            *_, rows, columns = index
            if across is not None:
                product = product - across[columns]
            if along is not None and zero is not None:
                product = product - along[rows, None] * zero[block, columns]
            result = product.astype(np.float32)
            result = result if left is None else result * left[..., block][index[:-1]][..., None]
            result = result if right is None else result * right[..., block, :][(*index[:-2], columns)][..., None, :]
            result = sums[index] + result if blocks > 1 else result
            if block < blocks - 1:
                return result
            result = result if plus is None else result + plus[columns]
            result = result if per_row is None else result * per_row[rows, None]
            return result if bias is None else result + bias[index]

        target = out if block == blocks - 1 else sums
        multiply_in_panels(first, second, target, exact=exact, epilogue=epilogue)
    if not blocks:
        out[...] = 0
