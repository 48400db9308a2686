"""The kernel of products of two quantised matrices: integers are summed up exactly, then scaled in FLOAT."""

from collections.abc import Callable

import numpy as np

from aclnn.op import Array, Place, in_memory, in_panels, widen
from aclnn.ops.matmul._quantised_weights import scales

Activation = Callable[[Array], Array]
OFFSET_AT, OFFSET_BITS = 37, 0x1FF
"""where a packed scale has an offset, a signed number of 9 bits"""


@in_memory
def multiply_integers(
    x1: Array, x2: Array, *others: Array, out: Array, names: tuple[str, ...], then: Activation | None = None
) -> None:  # fmt: skip
    """`others` are the further tensors, by `names`. The result is INT32 if there is no scale. `then`: an activation of
    the scaled product."""
    given = dict(zip(names, others, strict=True))
    row, column = out.shape[-1], out.shape[-2]
    whole = _spread(given["bias"], out.shape) if "bias" in given and given["bias"].dtype.kind == "i" else None
    late = _spread(widen(given["bias"]), out.shape) if "bias" in given and whole is None else None
    factors = [np.broadcast_to(_scale(given["scale"]), (row,))] if "scale" in given else []
    offset = _offset(given, row, quantised=out.dtype.kind == "i" and bool(factors))
    per_row = np.broadcast_to(given["pertoken"], (column,)) if "pertoken" in given else None

    def finish(product: Array, place: Place) -> Array:
        down, across = place[-2:]
        if whole is not None:
            product = product + whole[place]
        if not factors:
            return product.astype(np.int64)
        found = product.astype(np.float32) * factors[0][across]
        found = found if offset is None else found + offset[across]
        found = found if per_row is None else found * per_row[down, None]
        found = found if late is None else found + late[place]
        found = found if then is None else then(found)
        return np.clip(np.rint(found), -128, 127) if out.dtype.kind == "i" else found

    in_panels(x1, x2, out, load=_wide, finish=finish)


def _wide(part: Array) -> Array:
    """float64, in which the sums of products of INT8 are exact."""
    return part.astype(np.float64)


def _spread(bias: Array, shape: tuple[int, ...]) -> Array:
    return np.broadcast_to(bias, shape)


def _scale(scale: Array) -> Array:
    return scales(scale) if scale.dtype.kind in "iu" else widen(scale)


def _offset(given: dict[str, Array], columns: int, *, quantised: bool) -> Array | None:
    """The offset of an INT8 result: a tensor, or what packed scales have."""
    if "offset" in given:
        return np.broadcast_to(given["offset"], (columns,))
    if not quantised or given["scale"].dtype.kind not in "iu":
        return None
    bits = ((given["scale"].view(np.uint64) >> np.uint64(OFFSET_AT)) & np.uint64(OFFSET_BITS)).astype(np.int32)
    return np.broadcast_to(((bits ^ 0x100) - 0x100).astype(np.float32), (columns,))
