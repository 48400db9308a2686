"""The kernel of products of two quantised matrices: integers are summed up exactly, then scaled in FLOAT."""

from collections.abc import Callable

import numpy as np

from aclnn.op import Array, PanelIndex, in_memory, multiply_in_panels, widen
from aclnn.ops.matmul._quantised_weights import scales

Activation = Callable[[Array], Array]
OFFSET_AT, OFFSET_BITS = 37, 0x1FF
"""the place of the offset in a packed scale, and its mask: a signed number of 9 bits"""


@in_memory
def multiply_integers(
    x1: Array, x2: Array, *others: Array, out: Array, names: tuple[str, ...], activation: Activation | None = None
) -> None:  # fmt: skip
    """`others` are the further tensors, by `names`. The result is INT32 if there is no scale. `activation`: the
    activation of the scaled product."""
    by_name = dict(zip(names, others, strict=True))
    row, column = out.shape[-1], out.shape[-2]
    whole = _spread(by_name["bias"], out.shape) if "bias" in by_name and by_name["bias"].dtype.kind == "i" else None
    late = _spread(widen(by_name["bias"]), out.shape) if "bias" in by_name and whole is None else None
    factors = [np.broadcast_to(_scale(by_name["scale"]), (row,))] if "scale" in by_name else []
    offset = _offset(by_name, row, quantised=out.dtype.kind == "i" and bool(factors))
    per_row = np.broadcast_to(by_name["pertoken"], (column,)) if "pertoken" in by_name else None

    def epilogue(product: Array, index: PanelIndex) -> Array:
        rows, columns = index[-2:]
        if whole is not None:
            product = product + whole[index]
        if not factors:
            return product.astype(np.int64)
        result = product.astype(np.float32) * factors[0][columns]
        result = result if offset is None else result + offset[columns]
        result = result if per_row is None else result * per_row[rows, None]
        result = result if late is None else result + late[index]
        result = result if activation is None else activation(result)
        return np.clip(np.rint(result), -128, 127) if out.dtype.kind == "i" else result

    multiply_in_panels(x1, x2, out, exact=True, epilogue=epilogue)


def _spread(bias: Array, shape: tuple[int, ...]) -> Array:
    return np.broadcast_to(bias, shape)


def _scale(scale: Array) -> Array:
    return scales(scale) if scale.dtype.kind in "iu" else widen(scale)


def _offset(by_name: dict[str, Array], columns: int, *, quantised: bool) -> Array | None:
    """The offset of an INT8 result: a tensor, or what packed scales have."""
    if "offset" in by_name:
        return np.broadcast_to(by_name["offset"], (columns,))
    if not quantised or by_name["scale"].dtype.kind not in "iu":
        return None
    bits = ((by_name["scale"].view(np.uint64) >> np.uint64(OFFSET_AT)) & np.uint64(OFFSET_BITS)).astype(np.int32)
    return np.broadcast_to(((bits ^ 0x100) - 0x100).astype(np.float32), (columns,))
