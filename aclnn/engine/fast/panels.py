"""Products of matrices in panels: floats of 16 bits are widened, multiplied and rounded once, part by part.

A panel is small beside the memory that a kernel may take for itself, and large enough for numpy's BLAS.
"""

from collections.abc import Callable, Iterator
from itertools import product as indices
from typing import Final, TypeAlias, cast

import numpy as np

from acl_runtime.headers.dtypes import Array
from aclnn.engine.fast.conversions import put, widened

PANEL: Final = 1 << 21
"""elements of a panel: 8 MiB as float32. Two factors, their product and what rounding it takes are alive at a time"""
TOGETHER: Final = 1 << 17
"""elements of the matrices of a batch that are multiplied together: as float32 they stay in the cache of a core"""
Place: TypeAlias = tuple[slice | int, ...]
"""which part of the output a panel is"""
Load: TypeAlias = Callable[[Array], Array]
"""gives a part of a factor the type in which it is multiplied"""
LoadColumns: TypeAlias = Callable[[Array, slice], Array]
"""as `Load`, of these columns of the second factor"""
Finish: TypeAlias = Callable[[Array, Place], Array]
"""what becomes of a panel of the product, before it is rounded into the output"""
ALL: Final = slice(None)
_SINGLE: Final = np.dtype(np.float32)


def multiply(
    one: Array, other: Array, out: Array, *, load: Load = widened, load_columns: LoadColumns | None = None,
    finish: Finish | None = None,
) -> None:  # fmt: skip
    """out = one @ other, as numpy's matmul broadcasts matrices of two and more dimensions. `load_columns` is for a
    second factor that is more than its elements, such as a weight with scales: of a matrix, by panels of columns."""
    m, k, n = out.shape[-2], one.shape[-1], out.shape[-1]
    plain = load is widened and load_columns is None and finish is None
    if plain and {each.dtype for each in (one, other, out)} == {_SINGLE} and _has_blas(one) and _has_blas(other):
        np.matmul(one, other, out=out)
        return
    panels = _Panels(out, by_rows(load), load_columns, finish)
    together = TOGETHER // max(m * k, k * n, m * n, 1) if out.ndim > 2 and load_columns is None else 0
    batches = indices(*map(range, out.shape[:-3] if together else out.shape[:-2]))
    for at in batches:
        if not together:
            panels.matrix(_of_batch(one, at), _of_batch(other, at), at)
            continue
        for part in _slices(out.shape[-3], together):
            panels.panel(panels.load(_of_batch(one, (*at, part))), panels.load(_of_batch(other, (*at, part))),
                         (*at, part, ALL, ALL))  # fmt: skip


class _Panels:
    """Writes the panels of one product."""

    def __init__(self, out: Array, load: Load, columns: LoadColumns | None, finish: Finish | None) -> None:
        self.out, self.load, self.finish = out, load, finish
        self.columns = columns

    def _right(self, other: Array, across: slice) -> Array:
        """These columns of the second factor."""
        part = other[:, across]
        return self.load(part) if self.columns is None else self.columns(part, across)

    def matrix(self, one: Array, other: Array, batch: Place) -> None:
        """The product of two matrices, which are loaded in panels."""
        (m, k), n = one.shape, self.out.shape[-1]
        columns = max(PANEL // max(k, 1), 1)
        rows = max(PANEL // max(k, min(columns, n), 1), 1)
        whole = self.load(one) if rows >= m else None
        for across in _slices(n, columns):
            right = self._right(other, across)
            for down in _slices(m, rows):
                left = self.load(one[down]) if whole is None else whole
                self.panel(left, right, (*batch, down, across))

    def panel(self, left: Array, right: Array, place: Place) -> None:
        """One panel, or those of several matrices."""
        target = self.out[place]
        left, right = (each if _has_blas(each) else np.ascontiguousarray(each) for each in (left, right))
        if self.finish is None and target.dtype == left.dtype == right.dtype:
            np.matmul(left, right, out=target)
            return
        product = np.matmul(left, right)
        put(product if self.finish is None else self.finish(product, place), target)


def _slices(size: int, step: int) -> Iterator[slice]:
    return (slice(start, start + step) for start in range(0, size, step))


def _of_batch(factor: Array, place: Place) -> Array:
    """The matrices of a factor for a part of the batch. In a dimension of size 1, one is for all."""
    own = place[len(place) - (factor.ndim - 2) :]
    pairs = zip(own, factor.shape, strict=False)
    at = [each if size > 1 else ALL if isinstance(each, slice) else 0 for each, size in pairs]
    return cast("Array", factor[tuple(at)])


def by_rows(load: Load) -> Load:
    """Loads a factor with dense columns by its transpose, so that memory is read in its order."""

    def loaded(part: Array) -> Array:
        if part.strides[-2] == part.itemsize != part.strides[-1]:
            return np.swapaxes(load(np.swapaxes(part, -1, -2)), -1, -2)
        return load(part)

    return loaded


def _has_blas(factor: Array) -> bool:
    """Does BLAS take these strides? Else numpy would be slow with them."""
    rows, columns = factor.strides[-2:]
    item = factor.itemsize
    dense_rows = columns == item and rows >= item * factor.shape[-1]
    dense_columns = rows == item and columns >= item * factor.shape[-2]
    return rows % item == columns % item == 0 and (dense_rows or dense_columns)
