"""Moves a tile from memory into a register and back: gathers, widens, rounds, narrows."""

from collections.abc import Iterator
from math import prod
from typing import Final

import numpy as np

from acl_runtime.headers.dtypes import Array
from acl_runtime.streams.compute_threads import Scratch
from aclnn.engine.fast.expressions import FLOAT
from aclnn.engine.numbers.halves import narrow_to_half, round_to_half, widen_half

HALF: Final = np.dtype(np.float16)
PANEL: Final = 64
"""rows and columns that are transposed at once: both stay in the cache"""
PIECE: Final = 1 << 18
"""elements that become float16 at once: nine bytes of scratch for each"""
SIGN: Final = np.uint32(0x8000_0000)
_MOST_HALF: Final = 65504.0
"""the largest float16"""


def in_place(array: Array) -> bool:
    """Can a ufunc read its tiles where they are?"""
    if array.dtype != FLOAT and array.dtype.kind not in "iu":
        return False
    return array.shape[-1] == 1 or array.strides[-1] == array.itemsize


def load(tile: Array, out: Array, scratch: Scratch) -> None:
    """A tile of memory into a contiguous register, 16-bit floats widened."""
    if tile.dtype.itemsize == 2 and tile.dtype.kind in "fV":
        if not tile.flags.c_contiguous:
            packed = scratch("packed", tile.shape, tile.dtype)
            gather(tile, packed)
            tile = packed
        if tile.dtype == HALF:
            widen_half(tile, out)
            return
    gather(tile, out)


def gather(tile: Array, out: Array) -> None:
    """Copy, in panels if the tile's rows are columns of the memory."""
    steps = [abs(stride) if size > 1 else 1 << 62 for size, stride in zip(tile.shape, tile.strides, strict=True)]
    short = min(range(tile.ndim), key=steps.__getitem__)
    if short == tile.ndim - 1 or tile.shape[-1] < PANEL or tile.shape[short] < PANEL:
        np.copyto(out, tile, casting="unsafe")
        return
    source, target = np.moveaxis(tile, short, -2), np.moveaxis(out, short, -2)
    for row in range(0, source.shape[-2], PANEL):
        for column in range(0, source.shape[-1], PANEL):
            part = (..., slice(row, row + PANEL), slice(column, column + PANEL))
            np.copyto(target[part], source[part], casting="unsafe")


def store(values: Array, tile: Array, scratch: Scratch, *, spare: bool = False) -> None:
    """A register into a tile of memory, rounded once; `spare`: nobody needs the register afterwards."""
    if tile.dtype == HALF and values.dtype == FLOAT:
        for piece in _pieces(values.shape):
            narrow_to_half(values[piece], tile[piece], scratch, spare=spare)
        return
    if tile.dtype.kind == "V" and values.dtype.itemsize > 4:
        values = values.astype(np.float32)
    if not tile.flags.c_contiguous and tile.dtype.itemsize < values.dtype.itemsize:
        packed = scratch("packed", tile.shape, tile.dtype)
        np.copyto(packed, values, casting="unsafe")
        values = packed
    np.copyto(tile, values, casting="unsafe")


def round_to(values: Array, dtype: np.dtype, out: Array, scratch: Scratch) -> None:
    """Rounds to a narrow type and widens again; to a wide type it converts."""
    if dtype == HALF and values.dtype == FLOAT:
        for piece in _pieces(values.shape):
            _round_to_half(values[piece], out[piece], scratch)
    elif dtype.itemsize < 4 and dtype.kind in "fV":
        narrow = scratch("narrow", values.shape, dtype)
        np.copyto(narrow, values, casting="unsafe")
        np.copyto(out, narrow, casting="unsafe")
    else:
        np.copyto(out, values, casting="unsafe")


def _round_to_half(values: Array, out: Array, scratch: Scratch) -> None:
    bits = scratch("bits", values.shape, np.uint32)
    round_to_half(values, out, bits)
    np.bitwise_and(values.view(np.uint32), SIGN, out=bits)
    np.bitwise_or(out.view(np.uint32), bits, out=out.view(np.uint32))  # of a zero
    if not (np.max(out) <= _MOST_HALF and np.min(out) >= -_MOST_HALF):  # too large for one, or NaN
        np.copyto(out, values.astype(np.float16))


def _pieces(shape: tuple[int, ...]) -> Iterator[tuple[slice, ...]]:
    """A contiguous array in parts that need little memory to work on."""
    axis = next((place for place, size in enumerate(shape) if size > 1), 0)
    size = shape[axis] if shape else 1
    step = max(1, PIECE * size // max(1, prod(shape)))
    for at in range(0, size, step):
        yield (*(slice(None),) * axis, slice(at, at + step)) if shape else ()
