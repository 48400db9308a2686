"""The kernels of products of two quantised matrices whose scales belong to rows and columns. Integers are summed up
exactly, floats in FLOAT; then both are scaled in FLOAT."""

from collections.abc import Callable

import numpy as np

from aclnn.op import Array, PanelIndex, in_memory, multiply_in_panels, widen
from aclnn.ops.matmul._quantised_weights import LOW, WHOLE, scales

Activation = Callable[[Array], Array]
OFFSET_AT, OFFSET_BITS = 37, 0x1FF
"""the first bit of the offset in a packed scale, and the mask of its 9 bits, a signed number"""


@in_memory
def multiply_integers(
    x1: Array, x2: Array, *others: Array, out: Array, names: tuple[str, ...], activation: Activation | None = None
) -> None:  # fmt: skip
    """out = the scaled product of x1 and x2. `names`: the roles of `others`. Without a scale out is INT32.
    `activation`: applied to the scaled product."""
    _multiply(x1, x2, out, dict(zip(names, others, strict=True)), activation, exact=True)


@in_memory
def multiply_floats(x1: Array, x2: Array, *others: Array, out: Array, names: tuple[str, ...]) -> None:
    """Like `multiply_integers`, for factors of floats. They have a scale."""
    _multiply(x1, x2, out, dict(zip(names, others, strict=True)), None, exact=False)


def _multiply(
    x1: Array, x2: Array, out: Array, by_name: dict[str, Array], activation: Activation | None, *, exact: bool
) -> None:  # fmt: skip
    row_count, column_count = out.shape[-2:]
    bias = by_name.get("bias")
    integer_bias = np.broadcast_to(bias, out.shape) if bias is not None and bias.dtype.kind == "i" else None
    float_bias = np.broadcast_to(widen(bias), out.shape) if bias is not None and integer_bias is None else None
    scale = np.broadcast_to(scale_of(by_name["scale"]), (column_count,)) if "scale" in by_name else None
    offset = _offset(by_name, column_count, quantised=out.dtype.kind == "i" and scale is not None)
    per_row = np.broadcast_to(by_name["pertoken"], (row_count,)) if "pertoken" in by_name else None

    def epilogue(product: Array, index: PanelIndex) -> Array:
        rows, columns = index[-2:]
        if integer_bias is not None:
            product = product + integer_bias[index]
        if scale is None:
            return product.astype(np.int64)
        result = product.astype(np.float32) * scale[columns]
        result = result if offset is None else result + offset[columns]
        result = result if per_row is None else result * per_row[rows, None]
        result = result if float_bias is None else result + float_bias[index]
        result = result if activation is None else activation(result)
        return np.clip(np.rint(result), -128, 127) if out.dtype.kind == "i" else result

    multiply_in_panels(x1, x2, out, exact=exact, epilogue=epilogue)


def scale_of(scale: Array, *, whole: bool = False) -> Array:
    """A scale as FLOAT. An integer is a packed one; with `whole` it has all bits of a FLOAT."""
    return scales(scale, WHOLE if whole else LOW) if scale.dtype.kind in "iu" else widen(scale)


def _offset(by_name: dict[str, Array], columns: int, *, quantised: bool) -> Array | None:
    """The offset of an INT8 result, from its tensor or from the packed scales."""
    if "offset" in by_name:
        return np.broadcast_to(by_name["offset"], (columns,))
    if not quantised or by_name["scale"].dtype.kind not in "iu":
        return None
    bits = ((by_name["scale"].view(np.uint64) >> np.uint64(OFFSET_AT)) & np.uint64(OFFSET_BITS)).astype(np.int32)
    return np.broadcast_to(((bits ^ 0x100) - 0x100).astype(np.float32), (columns,))
