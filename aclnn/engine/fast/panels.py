"""Matrix products, by the compiled evaluator or in panels, which are blocks of rows and columns.

A product that the evaluator does not support is computed panel by panel: widened, multiplied, and rounded once. A panel
is small, to bound the temporaries, but large enough for numpy's BLAS to be fast.
"""

from collections.abc import Callable, Iterator
from itertools import product as indices
from typing import Final, TypeAlias, cast

import numpy as np

from acl_runtime.headers.dtypes import Array
from aclnn.engine.fast.conversions import put, widened
from aclnn.engine.fast.products import Combination, PanelIndex, able, multiplied
from aclnn.engine.steps.parts import apart_from

MAX_PANEL_ELEMENTS: Final = 1 << 21
"""elements of a panel: 8 MiB as float32. Two factors, a product and temporaries exist at a time"""
MAX_INTEGER_PANEL_ELEMENTS: Final = 1 << 19
"""elements of a panel of integers: 4 MiB as float64. The factors need no temporaries"""
INTEGER_PANEL_ROWS: Final = 1 << 9
"""rows of a panel of integers"""
MAX_BATCH_ELEMENTS: Final = 1 << 17
"""elements of the matrices of a batch that are multiplied together: as float32 they stay in the cache of a core"""
Load: TypeAlias = Callable[[Array], Array]
"""conversion of a part of a factor to the type in which it is multiplied"""
LoadColumns: TypeAlias = Callable[[Array, slice], Array]
"""conversion of the columns of the second factor that the slice selects"""
Epilogue: TypeAlias = Callable[[Array, PanelIndex], Array]
"""function of a panel of the product, applied before the panel is rounded into the output"""
ALL: Final = slice(None)
_SINGLE: Final = np.dtype(np.float32)


def multiply_in_panels(
    left: Array, right: Array, out: Array, *, load: Load = widened, load_columns: LoadColumns | None = None,
    epilogue: Epilogue | None = None, exact: bool = False,
) -> None:  # fmt: skip
    """out = left @ right, with the broadcasting of numpy's matmul. `load_columns` replaces `load` for a right factor
    that needs more than its elements, such as a weight with scales; this factor is one matrix. With `exact` the factors
    are integers, and `epilogue` gets their exact product as float64."""
    left, right = apart_from([out], left), apart_from([out], right)
    plain = load is widened and load_columns is None and not exact
    if isinstance(epilogue, Combination):
        epilogue = epilogue.apart_from(out)
    if plain and (epilogue is None or isinstance(epilogue, Combination)) and multiplied(left, right, out, epilogue):
        return
    if plain and epilogue is None and _is_for_blas(left, right, out):
        np.matmul(left, right, out=out)
        return
    integers = exact and left.dtype == right.dtype == np.int8 and able() is not None
    load = _unchanged if integers else by_rows(_as_doubles if exact else load)
    _Panels(out, load, load_columns, epilogue, integers=integers).write(left, right)


def _is_for_blas(left: Array, right: Array, out: Array) -> bool:
    return {array.dtype for array in (left, right, out)} == {_SINGLE} and _fits_blas(left) and _fits_blas(right)


def _as_doubles(part: Array) -> Array:
    return part.astype(np.float64)


def _unchanged(part: Array) -> Array:
    return part


class _Panels:
    """Writer of the panels of one product. With `integers` the factors stay INT8 until they are multiplied."""

    def __init__(
        self, out: Array, load: Load, load_columns: LoadColumns | None, epilogue: Epilogue | None, *, integers: bool
    ) -> None:  # fmt: skip
        self.out, self.load, self.load_columns = out, load, load_columns
        self.epilogue, self.integers = epilogue, integers

    def write(self, left: Array, right: Array) -> None:
        """Write all panels."""
        (m, n), k, out = self.out.shape[-2:], left.shape[-1], self.out
        batched = out.ndim > 2 and self.load_columns is None
        matrices = MAX_BATCH_ELEMENTS // max(m * k, k * n, m * n, 1) if batched else 0
        for batch in indices(*map(range, out.shape[:-3] if matrices else out.shape[:-2])):
            if not matrices:
                self.write_product(_of_batch(left, batch), _of_batch(right, batch), batch)
                continue
            for part in _slices(out.shape[-3], matrices):
                loaded = self.load(_of_batch(left, (*batch, part))), self.load(_of_batch(right, (*batch, part)))
                self.write_panel(*loaded, (*batch, part, ALL, ALL))

    def _loaded_columns(self, right: Array, columns: slice) -> Array:
        part = right[:, columns]
        return self.load(part) if self.load_columns is None else self.load_columns(part, columns)

    def write_product(self, left: Array, right: Array, batch: PanelIndex) -> None:
        """Write the product of two matrices, which are loaded in panels."""
        (m, k), n = left.shape, self.out.shape[-1]
        size, depth = (
            (MAX_INTEGER_PANEL_ELEMENTS, INTEGER_PANEL_ROWS) if self.integers else (MAX_PANEL_ELEMENTS, max(k, 1))
        )
        width = max(size // depth, 1)
        height = max(size // max(depth, min(width, n), 1), 1)
        whole = self.load(left) if height >= m else None
        for columns in _slices(n, width):
            right_panel = self._loaded_columns(right, columns)
            for rows in _slices(m, height):
                left_panel = self.load(left[rows]) if whole is None else whole
                self.write_panel(left_panel, right_panel, (*batch, rows, columns))

    def write_panel(self, left: Array, right: Array, index: PanelIndex) -> None:
        """Write the product of two loaded panels, or of two batches of panels."""
        target = self.out[index]
        if not self.integers:
            left, right = (each if _fits_blas(each) else np.ascontiguousarray(each) for each in (left, right))
        if self.epilogue is None and target.dtype == left.dtype == right.dtype:
            if not multiplied(left, right, target):
                np.matmul(left, right, out=target)
            return
        product = self._product(left, right)
        put(product if self.epilogue is None else self.epilogue(product, index), target)

    def _product(self, left: Array, right: Array) -> Array:
        """The product of two loaded panels, in new memory."""
        shape = (*np.broadcast_shapes(left.shape[:-2], right.shape[:-2]), left.shape[-2], right.shape[-1])
        product: Array = np.empty(shape, np.float64 if self.integers else left.dtype)
        if not multiplied(left, right, product):
            left, right = map(_as_doubles, (left, right)) if self.integers else (left, right)
            np.matmul(left, right, out=product)
        return product


def _slices(size: int, step: int) -> Iterator[slice]:
    return (slice(start, start + step) for start in range(0, size, step))


def _of_batch(factor: Array, batch: PanelIndex) -> Array:
    """The matrices of a factor for a part of the batch. Dimensions of size 1 are broadcast."""
    own = batch[len(batch) - (factor.ndim - 2) :]
    pairs = zip(own, factor.shape, strict=False)
    index = [part if size > 1 else ALL if isinstance(part, slice) else 0 for part, size in pairs]
    return cast("Array", factor[tuple(index)])


def by_rows(load: Load) -> Load:
    """A `load` that reads memory in order: a factor with dense columns is loaded as its transpose."""

    def load_by_rows(part: Array) -> Array:
        if part.strides[-2] == part.itemsize != part.strides[-1]:
            return np.swapaxes(load(np.swapaxes(part, -1, -2)), -1, -2)
        return load(part)

    return load_by_rows


def _fits_blas(factor: Array) -> bool:
    """True if BLAS supports these strides. With other strides numpy's matmul is slow."""
    rows, columns = factor.strides[-2:]
    item = factor.itemsize
    dense_rows = columns == item and rows >= item * factor.shape[-1]
    dense_columns = rows == item and columns >= item * factor.shape[-2]
    return rows % item == columns % item == 0 and (dense_rows or dense_columns)
