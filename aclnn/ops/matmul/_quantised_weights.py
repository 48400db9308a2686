"""The kernel of products with a quantised weight: x @ ((weight + offset) * scale) + bias, in panels of columns."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from aclnn.op import Array, PanelIndex, by_rows, in_memory, multiply_in_panels, rounded, widen


LOW = 0xFFFF_E000
"""mask of the float32 in a packed scale"""
WHOLE = 0xFFFF_FFFF
"""mask of all bits of a float32"""


@in_memory
def multiply_quantised(
    x: Array, weight: Array, *others: Array, out: Array, names: tuple[str, ...], swapped: tuple[str, ...],
    group: int, dtype: np.dtype[Any],
) -> None:  # fmt: skip
    """out = x @ the dequantised weight. `names`: the roles of `others`. `swapped`: the roles of tensors that are
    transposed in memory. A weight of uint8 has two values in a byte."""
    by_name = {
        name: _columns(each, out.shape[-1], swapped=name in swapped) for name, each in zip(names, others, strict=True)
    }
    weight = np.swapaxes(weight, -1, -2) if "weight" in swapped else weight

    def dequantised(part: Array, across: slice) -> Array:
        values = unpacked(part) if part.dtype == np.uint8 else part
        return _dequantised(values, {name: each[:, across] for name, each in by_name.items()}, group, dtype)

    def epilogue(product: Array, index: PanelIndex) -> Array:
        columns = index[-1]
        product = product + by_name["bias"][0, columns] if "bias" in by_name else product
        if "quantScale" not in by_name:
            return product
        product = product * by_name["quantScale"][0, columns]
        product = product + by_name["quantOffset"][0, columns] if "quantOffset" in by_name else product
        return np.clip(np.rint(product), -128, 127)

    has_epilogue = not {"bias", "quantScale"}.isdisjoint(by_name)
    multiply_in_panels(x, weight, out, load_columns=dequantised, epilogue=epilogue if has_epilogue else None)


def _columns(tensor: Array, columns: int, *, swapped: bool) -> Array:
    """A small tensor as float32, with a row for each group and a column for each column of the weight."""
    tensor = scales(tensor) if tensor.dtype.kind in "iu" else widen(np.real(tensor))
    tensor = np.swapaxes(tensor, -1, -2) if swapped else tensor
    rows = tensor.shape[0] if tensor.ndim == 2 and tensor.shape[1] == columns else 1
    return np.broadcast_to(tensor.astype(np.float32, copy=False).reshape(rows, -1), (rows, columns))


def scales(packed: Array, mask: int = LOW) -> Array:
    """Packed scales as float32."""
    return (packed.view(np.uint64) & np.uint64(mask)).astype(np.uint32).view(np.float32)


def unpacked(pairs: Array) -> Array:
    """The two signed values of each byte, along the first dimension. The first value is in the low four bits."""
    rows = np.swapaxes(pairs, -1, -2).view(np.int8)
    both = np.empty((*rows.shape[:-1], 2 * rows.shape[-1]), np.int8)
    np.right_shift(np.left_shift(rows, 4), 4, out=both[..., 0::2])
    np.right_shift(rows, 4, out=both[..., 1::2])
    return np.swapaxes(both, -1, -2)


def _dequantised(values: Array, by_name: Mapping[str, Array], group: int, dtype: np.dtype[Any]) -> Array:
    """The weight as float32 values of the data type of x. FLOAT16 rounds the sum with the offset and the product with
    the scale; BFLOAT16 rounds the product."""
    half, k = dtype == np.float16, len(values)
    wide: Array = values.astype(np.float32)
    groups = len(by_name["antiquantScale"])
    even = groups * group == k
    if "antiquantOffset" in by_name:
        _by_groups(np.add, wide, by_name["antiquantOffset"], group, even=even)
        wide = _rounded(wide, dtype) if half else wide
    _by_groups(np.multiply, wide, by_name["antiquantScale"], group, even=even)
    return _rounded(wide, dtype)


def _by_groups(ufunc: np.ufunc, wide: Array, rows: Array, group: int, *, even: bool) -> None:
    """Apply `ufunc` in place, with one of `rows` for each group of rows of `wide`, or with one row for all."""
    if len(rows) > 1 and even:
        in_groups: Array = wide.reshape(len(rows), group, -1)
        ufunc(in_groups, rows[:, None], out=in_groups)
    else:
        ufunc(wide, rows if len(rows) == 1 else np.repeat(rows, group, 0)[: len(wide)], out=wide)


def _rounded(values: Array, dtype: np.dtype[Any]) -> Array:
    return by_rows(lambda part: rounded(part, dtype))(values)
