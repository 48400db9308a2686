"""Numbers of MX formats: grids of narrow floats, exponents of blocks, and the layout of the scales."""

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

import numpy as np

from aclnn.op import Array, T, in_parts, numpy_dtype


class Grid(NamedTuple):
    """The numbers of a narrow float."""

    most: float
    """the greatest number"""
    exponent: int
    """the exponent of the greatest number"""
    mantissa: int
    """bits of the mantissa"""
    least: int
    """the exponent of the smallest normal number"""


class Rule(NamedTuple):
    """How the exponent of a block follows from its largest magnitude."""

    algorithm: int = 0
    """scaleAlg: 0 is OCP's rule, 1 is that of cuBLAS, 2 uses the whole range of numbers"""
    most: float = 0.0
    """dstTypeMax: the number that the largest magnitude may become, with algorithm 2; 0: the greatest number"""
    floor: float = 0.0
    """maxLowBound: the least value for the largest magnitude of a block that has elements other than 0"""


GRIDS: Final[Mapping[int, Grid]] = {
    T.ACL_FLOAT8_E4M3FN: Grid(448, 8, 3, -6), T.ACL_FLOAT8_E5M2: Grid(57344, 15, 2, -14),
    T.ACL_FLOAT4_E2M1: Grid(6, 2, 1, 0), T.ACL_FLOAT4_E1M2: Grid(1.75, 0, 2, 0),
}  # fmt: skip
BIAS: Final = 127
"""exponent of FLOAT8_E8M0 for the scale 1"""
NOT_FINITE: Final = 255
"""exponent of a block with infinities or NaN"""
CARRIES: Final[Mapping[float, int]] = {0.0: 0x3F, 6.0: 0x3F, 7.0: 0x1F}
"""for algorithm 2, what is added to the mantissa of 7 bits by dstTypeMax; other values divide"""
SIGN: Final = 8
"""the sign bit of 4-bit floats"""


def _away_from_zero(values: Array) -> Array:
    """The nearest integers; halves away from zero."""
    return np.copysign(np.floor(np.abs(values) + np.float32(0.5)), values)


ROUNDINGS: Final[Mapping[str, Callable[[Array], Array]]] = {
    "rint": np.rint, "round": _away_from_zero, "floor": np.floor,
}  # fmt: skip


def on_grid(values: Array, grid: Grid, rounding: str = "rint") -> Array:
    """FLOAT values rounded to the numbers of a grid, and saturated."""
    exponents: Array = np.frexp(values)[1]
    step = np.maximum(exponents - 1, grid.least) - grid.mantissa
    whole: Array = ROUNDINGS[rounding](np.ldexp(values, -step))
    numbers: Array = np.ldexp(whole, step)
    return np.clip(numbers, np.float32(-grid.most), np.float32(grid.most))


def exponents_of(largest: Array, grid: Grid, rule: Rule) -> tuple[Array, Array]:
    """The exponent of each block, as a byte of FLOAT8_E8M0, by its largest magnitude; and the blocks whose elements
    all become 0."""
    if rule.floor:
        largest = np.where(largest == 0, largest, np.maximum(largest, np.float32(rule.floor)))
    bits = np.ascontiguousarray(largest, np.float32).view(np.int32)
    if rule.algorithm == 1:
        exponents = _upwards(largest * np.float32(1 / grid.most), subnormal=True)
    elif rule.algorithm == 0:
        exponents = (bits >> 23) - grid.exponent
    elif rule.most in CARRIES:
        exponents = (((bits >> 16) + CARRIES[rule.most]) >> 7) - grid.exponent
    else:
        exponents = _upwards(largest * np.float32(1 / rule.most), subnormal=False)
    exponents = np.where(np.isfinite(largest), np.maximum(exponents, 0), NOT_FINITE)
    zeros = (largest == 0) | (exponents == NOT_FINITE)
    return exponents, zeros if rule.algorithm == 1 else zeros | (exponents == 0)


def _upwards(scales: Array, *, subnormal: bool) -> Array:
    """The exponents of the least powers of two that are at least the scales. The byte 0 stands for a scale of up to
    2^-127 plus a half with `subnormal`, and for all subnormal scales without it."""
    bits = np.ascontiguousarray(scales, np.float32).view(np.int32)
    exponents, mantissas = bits >> 23, bits & 0x7FFFFF
    up = (exponents > 0) & (exponents < NOT_FINITE - 1) & (mantissas != 0)
    return exponents + (up | ((exponents == 0) & (mantissas > 0x400000)) if subnormal else up)


def in_block(values: Array, exponents: Array, zeros: Array, grid: Grid, rounding: str) -> Array:
    """Values divided by the scales of their blocks, on the grid."""
    numbers = on_grid(np.ldexp(values, BIAS - exponents), grid, rounding)
    return np.where(zeros, np.float32(0), numbers)


def magnitudes(grid: Grid) -> Array:
    """The numbers of a grid of 4 bits from 0 up, in the order of their bits."""
    fractions = np.arange(2**grid.mantissa, dtype=np.float32) / np.float32(2**grid.mantissa)
    normal = [(1 + fractions) * 2**shift for shift in range(grid.exponent + 1)]
    return np.concatenate((fractions, *normal))


def as_bits(numbers: Array, grid: Grid) -> Array:
    """The bits of numbers of a grid of 4 bits."""
    return np.searchsorted(magnitudes(grid), np.abs(numbers)) + SIGN * np.signbit(numbers)


def numbers_of(bits: Array, grid: Grid) -> Array:
    """The numbers of these bits."""
    table = magnitudes(grid)
    return np.concatenate((table, -table))[bits & (2 * SIGN - 1)]


def scale_bytes(exponents: Array) -> Array:
    """FLOAT8_E8M0 of these exponents."""
    dtype = numpy_dtype(T.ACL_FLOAT8_E8M0)
    assert dtype is not None
    return exponents.astype(np.uint8).view(dtype)


def paired(exponents: Array) -> Array:
    """The scales of (outer, groups, inner) in pairs, (outer, pairs, inner, 2). The group that fills the last pair has
    the byte 0."""
    outer, groups, inner = exponents.shape
    whole = np.zeros((outer, groups + groups % 2, inner), exponents.dtype)
    whole[:, :groups] = exponents
    return scale_bytes(np.moveaxis(whole.reshape(outer, -1, 2, inner), 2, 3))


@in_parts(first=1)
def by_blocks(x: Array, *, size: int, grid: Grid, rounding: str, rule: Rule, bits: bool) -> tuple[Array, Array]:
    """x of (outer, length, inner), quantised in blocks of `size` along the length, and the scales in pairs. The last
    block may be short. `bits`: the numbers are returned as the bits of 4-bit floats."""
    outer, length, inner = x.shape
    groups = -(-length // size)
    blocks = np.zeros((outer, groups * size, inner), np.float32)
    blocks[:, :length] = x
    blocks = blocks.reshape(outer, groups, size, inner)
    exponents, zeros = exponents_of(np.abs(blocks).max(2), grid, rule)
    numbers = in_block(blocks, exponents[:, :, None], zeros[:, :, None], grid, rounding)
    numbers = numbers.reshape(outer, -1, inner)[:, :length]
    return as_bits(numbers, grid) if bits else numbers, paired(exponents)


@in_parts(first=1)
def by_tiles(
    x: Array, *, size: int, grid: Grid, rounding: str, rule: Rule, bits: bool
) -> tuple[Array, Array, Array]:  # fmt: skip
    """x of (batch, rows, columns), quantised in tiles of `size` rows and columns; the scales of each row in pairs of
    tiles, and those of each column."""
    batch, rows, columns = x.shape
    down, across = -(-rows // size), -(-columns // size)
    whole = np.zeros((batch, down * size, across * size), np.float32)
    whole[:, :rows, :columns] = x
    tiles = np.abs(whole).reshape(batch, down, size, across, size)
    exponents, zeros = exponents_of(tiles.max((2, 4)), grid, rule)
    by_row, by_column = (np.repeat(exponents, size, axis=axis) for axis in (1, 2))
    each, zero = (np.repeat(np.repeat(table, size, 1), size, 2)[:, :rows, :columns] for table in (exponents, zeros))
    numbers = in_block(x, each, zero, grid, rounding)
    first = paired(by_row[:, :rows].reshape(batch * rows, across, 1)).reshape(batch, rows, -1, 2)
    return as_bits(numbers, grid) if bits else numbers, first, paired(by_column[:, :, :columns])


@in_parts(first=1)
def scaled_back(x: Array, scales: Array, *, size: int, grid: Grid | None) -> Array:
    """x of (outer, length, inner), times the scales of its blocks. With a grid, x has the bits of 4-bit floats."""
    outer, length, inner = x.shape
    factors = np.moveaxis(scales, 3, 2).reshape(outer, -1, inner)
    factors = np.repeat(factors, size, axis=1)[:, :length]
    return (x if grid is None else numbers_of(x, grid)) * factors
